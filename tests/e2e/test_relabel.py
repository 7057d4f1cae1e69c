"""``relabel``: what eval would have given under those thresholds, from the run's tables alone."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from eval_tiers.io.demo import demo_inputs, rr10_demo_inputs
from tests.e2e.running import Done, Run, in_process, without_run_facts

Made = Callable[..., Run]


def only_run(parent: Path) -> Run:
    """The run that was just written below a folder."""
    (folder,) = parent.iterdir()
    return Run(folder)


def relabelled(run: Run, parent: Path, *options: object) -> Run:
    """Relabel a run into a folder of its own; it must succeed."""
    done = in_process("relabel", run.folder, *options, "-o", parent, folder=run.folder)
    assert done.returncode == 0, done.stderr
    found = only_run(parent)
    found.stdout = done.stdout
    return found


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """The demo with rollouts, and a graph that lacks some nodes."""
    folder = tmp_path_factory.mktemp("inputs")
    demo = demo_inputs()
    for path in demo.predictions.rglob("*.jsonl"):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        lines = []
        for number, row in enumerate(rows):
            other = rows[(number + 1) % len(rows)]
            for rollout in range(1 + number % 3):
                text = row["output"] if rollout < 2 else other["output"]
                lines.append(json.dumps({**row, "output": text, "rollout": str(rollout)}))
        target = folder / "predictions" / path.relative_to(demo.predictions)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    header, *edges = demo.graph.read_text(encoding="utf-8").splitlines()
    nodes = sorted({name for edge in edges for name in edge.split("\t")[:2]})
    gone = set(nodes[::7])
    kept = [edge for edge in edges if not gone & set(edge.split("\t")[:2])]
    (folder / "kg.tsv").write_text("\n".join([header, *kept]) + "\n", encoding="utf-8")
    return [
        "--gt-dir", demo.gold, "--pred-dir", folder / "predictions",
        "--external-kg", folder / "kg.tsv", "--go-gmt", demo.gene_sets, "--tiers", "1", "2", "3",
        "--go-null-draws", "10", "--jobs", "1", "--by", "perturbation_mode", "-q",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory, inputs: list[object]) -> Made:
    """Evaluate with options, once each."""
    made: dict[tuple[object, ...], Run] = {}

    def make(*options: object) -> Run:
        if options not in made:
            folder = tmp_path_factory.mktemp("eval")
            rr10 = "rr10" in options
            chosen = ["-q", *options] if rr10 else [*inputs, *options]
            done = in_process("eval", *chosen, "-o", folder / "runs", folder=folder)
            assert done.returncode == 0, done.stderr
            made[options] = only_run(folder / "runs")
        return made[options]

    return make


def same_tables(found: Run, wanted: Run) -> None:
    """Every table is the same, cell by cell; the CSV byte by byte."""
    for stem in ("samples", "chains", "citations", "texts"):
        if any(wanted.folder.glob(f"{stem}_*.parquet")):
            mine, theirs = (pq.read_table(run.path(stem, "parquet")) for run in (found, wanted))
            assert mine.schema == theirs.schema
            assert mine.equals(theirs), stem
    for stem in ("samples", "file_summary"):
        mine_bytes, wanted_bytes = (run.path(stem, "csv").read_bytes() for run in (found, wanted))
        assert mine_bytes == wanted_bytes, stem


def figures_of(summary: dict[str, Any]) -> dict[str, Any]:
    """A summary without what differs from run to run, and without slices by a gold field."""
    kept = without_run_facts({"files": [], **summary})
    return {key: kept[key] for key in kept if key not in {"relabelled", "by_perturbation_mode"}}


CASES = [
    ("--coverage", "1"),
    ("--hallucination", ".2"),
    ("--hallucination", "0"),
    ("--coverage", "0", "--hallucination", "1"),
    ("--unknown-nodes", "unverifiable"),
    ("--unknown-nodes", "unverifiable", "--hallucination", ".3", "--coverage", ".9"),
]


def as_eval(options: tuple[str, ...]) -> list[str]:
    """The same thresholds as eval spells them."""
    return [re.sub("^--(coverage|hallucination)$", r"--\1-threshold", word) for word in options]


@pytest.mark.parametrize("options", CASES, ids=" ".join)
def test_it_gives_what_eval_gives(
    options: tuple[str, ...], evaluated: Made, tmp_path: Path
) -> None:
    before, wanted = evaluated(), evaluated(*as_eval(options))
    found = relabelled(before, tmp_path, *options)
    same_tables(found, wanted)
    assert figures_of(found.summary) == figures_of(wanted.summary)
    assert found.manifest["settings"] == wanted.manifest["settings"]


def test_the_cases_are_no_idle_ones(evaluated: Made) -> None:
    before = evaluated().samples
    for options in CASES[:3]:
        after = evaluated(*as_eval(options)).samples
        assert (before["error_label"].fillna("") != after["error_label"].fillna("")).sum() >= 2
    unknown = evaluated(*as_eval(CASES[4])).samples
    for name in ("hallucination_rate", "hallucination_rate_excl_gold"):
        assert (before[name].fillna(-1) != unknown[name].fillna(-1)).sum() > 10
    assert before["edge_status_unknown_node_n"].sum() > 10
    assert before["rollout"].nunique() == 3


def test_unknown_nodes_can_be_taken_back(evaluated: Made, tmp_path: Path) -> None:
    started = evaluated(*as_eval(CASES[5]))
    back = relabelled(
        started, tmp_path, "--unknown-nodes", "hallucinated",
        "--coverage", ".5", "--hallucination", ".5",
    )  # fmt: skip
    same_tables(back, evaluated())
    assert figures_of(back.summary) == figures_of(evaluated().summary)


def test_its_own_thresholds_change_nothing(evaluated: Made, tmp_path: Path) -> None:
    before = evaluated()
    found = relabelled(before, tmp_path, "--coverage", ".5")
    same_tables(found, before)
    changes = found.summary["relabelled"]
    assert changes["changed_n"] == changes["hard_case_changed_n"] == 0
    assert changes["settings"] == changes["figures"] == {}
    assert figures_of(found.summary) == figures_of(before.summary)
    assert "the settings are those of the run" in found.stdout


def test_what_changed_is_told(evaluated: Made, tmp_path: Path) -> None:
    before = evaluated()
    found = relabelled(before, tmp_path, "--hallucination", "0.2")
    changes = found.summary["relabelled"]
    old, new = before.samples["error_label"], found.samples["error_label"]
    table = pd.crosstab(old.fillna("none"), new.fillna("none"))
    wanted = {
        first: {second: int(n) for second, n in row.items() if n}
        for first, row in table.T.to_dict().items()
    }
    assert changes["transitions"] == wanted
    assert changes["row_n"] == len(old)
    assert changes["changed_n"] == int((old.fillna("none") != new.fillna("none")).sum())
    assert changes["settings"] == {"hallucination_threshold": {"before": 0.5, "after": 0.2}}
    distribution = changes["error_distribution"]
    assert distribution["before"] == before.summary["error_distribution"]
    assert distribution["after"] == found.summary["error_distribution"]
    assert changes["from_run_id"] == before.folder.name
    assert found.manifest["relabelled_from"]["run_id"] == before.folder.name
    assert found.manifest["run_id"] == found.summary["run_id"] == found.folder.name
    assert set(found.manifest["files"]) == {path.name for path in found.folder.iterdir()}
    lines = found.stdout.splitlines()
    assert f"{changes['changed_n']} of {len(old)} rows" in lines[0]
    assert max(len(line) for line in lines if not line.startswith("Files in")) <= 80


def test_slices_that_the_table_has_not_are_null(evaluated: Made, tmp_path: Path) -> None:
    before = evaluated()
    found = relabelled(before, tmp_path, "--coverage", ".8").summary
    assert list(found["relabelled"]["not_worked_out"]) == ["by_perturbation_mode"]
    for name, figures in found["by_perturbation_mode"].items():
        old = before.summary["by_perturbation_mode"][name]
        assert set(figures) == set(old)
        assert figures["accuracy"] == old["accuracy"]
        assert figures["error_distribution"] is None
        assert figures["hard_case_rate"] is None


@pytest.mark.parametrize(
    "options",
    [("--coverage", ".9"), ("--hallucination", ".3"), ("--coverage", "0", "--hallucination", "1")],
    ids=" ".join,
)
def test_it_gives_what_eval_gives_of_rr10(
    options: tuple[str, ...], evaluated: Made, tmp_path: Path
) -> None:
    before = evaluated("--format", "rr10")
    wanted = evaluated("--format", "rr10", *as_eval(options))
    found = relabelled(before, tmp_path, *options)
    same_tables(found, wanted)
    assert found.path("pairs", "csv").read_bytes() == wanted.path("pairs", "csv").read_bytes()
    assert figures_of(found.summary) == figures_of(wanted.summary)
    assert found.summary["relabelled"]["changed_n"] > 3


def test_rr10_under_its_own_thresholds(evaluated: Made, tmp_path: Path) -> None:
    before = evaluated("--format", "rr10")
    found = relabelled(before, tmp_path, "--hallucination", ".5")
    same_tables(found, before)
    assert figures_of(found.summary) == figures_of(before.summary)


@pytest.mark.parametrize("evidence", ["expected", "none"])
def test_rr10_rollouts_and_runs_without_evidence(evidence: str, tmp_path: Path) -> None:
    demo = rr10_demo_inputs()
    rows = [json.loads(line) for line in demo.predictions.read_text(encoding="utf-8").splitlines()]
    lines = []
    for number, row in enumerate(rows):
        for rollout in range(1 + number % 3):
            donor = rows[(number + rollout) % len(rows)]
            lines.append(json.dumps({**donor, "id": row.get("id"), "rollout": rollout}))
    (tmp_path / "answers.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    made = []
    for name, options in (("a", []), ("b", ["--hallucination-threshold", ".3"])):
        done = in_process(
            "eval", "--gt-file", demo.gold, "--pred-file", "answers.jsonl", "--osd-registry",
            demo.registry, "--evidence", evidence, *options, "-q", "-o", name, folder=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        made.append(only_run(tmp_path / name))
    found = relabelled(made[0], tmp_path / "c", "--hallucination", ".3")
    same_tables(found, made[1])
    assert figures_of(found.summary) == figures_of(made[1].summary)
    assert found.samples["rollout"].nunique() == 3
    assert (found.summary["relabelled"]["changed_n"] > 5) == (evidence == "expected")


def test_hard_cases_of_the_new_run_can_be_exported(evaluated: Made, tmp_path: Path) -> None:
    wanted = evaluated("--coverage-threshold", "1")
    found = relabelled(evaluated(), tmp_path / "new", "--coverage", "1")
    exported = []
    for run in (found, wanted):
        done = in_process(
            "export-rescue", "--samples-csv", run.path("samples", "csv"), folder=tmp_path
        )
        assert done.returncode == 0, done.stderr
        (requests,) = (run.folder / "rescue").glob("rescue_requests_*.jsonl")
        exported.append(len(requests.read_bytes().splitlines()))
    assert exported[0] == exported[1] > 10


def test_the_new_run_is_a_run(evaluated: Made, tmp_path: Path) -> None:
    first = relabelled(evaluated(), tmp_path / "a", "--coverage", ".8")
    second = relabelled(first, tmp_path / "b", "--coverage", ".5")
    same_tables(second, evaluated())
    assert second.manifest["relabelled_from"]["relabelled_from"]["run_id"] == (
        evaluated().folder.name
    )


def fails(run_dir: object, *options: object, folder: Path) -> Done:
    done = in_process("relabel", run_dir, *options, "-o", folder / "new", folder=folder)
    assert "Traceback" not in done.stderr
    assert not (folder / "new").exists() or not list((folder / "new").iterdir())
    return done


def test_options_that_do_not_fit(evaluated: Made, tmp_path: Path) -> None:
    run = evaluated().folder
    assert "[nothing-to-change]" in fails(run, folder=tmp_path).stderr
    assert fails(run, "--coverage", "1.5", folder=tmp_path).returncode == 2
    cited = evaluated("--format", "rr10").folder
    done = fails(cited, "--unknown-nodes", "unverifiable", folder=tmp_path)
    assert (done.returncode, "[option-without-effect]" in done.stderr) == (2, True)


def test_folders_that_are_no_run(evaluated: Made, tmp_path: Path) -> None:
    change = ("--coverage", ".7")
    done = fails(tmp_path / "none", *change, folder=tmp_path)
    assert (done.returncode, "[no-such-folder]" in done.stderr) == (4, True)
    (tmp_path / "empty").mkdir()
    assert "[no-run]" in fails(tmp_path / "empty", *change, folder=tmp_path).stderr
    (tmp_path / "empty" / ".samples_20260101_000000.csv.part").touch()
    assert "[unfinished-run]" in fails(tmp_path / "empty", *change, folder=tmp_path).stderr


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda run: run.path("samples", "parquet").unlink(), "no-such-file"),
        (lambda run: run.path("samples", "parquet").write_bytes(b"PAR1 no"), "bad-table"),
        (lambda run: run.path("manifest", "json").unlink(), "bad-manifest"),
        (lambda run: run.path("summary", "json").write_text("{"), "bad-summary"),
        (lambda run: _rewrite(run, metrics_version="perturbreason-0"), "another-version"),
        (lambda run: _rewrite(run, row_n=3), "bad-table"),
    ],
    ids=["no table", "damaged", "no manifest", "cut", "another version", "other rows"],
)
def test_damaged_runs(
    spoil: Callable[[Run], object], code: str, evaluated: Made, tmp_path: Path
) -> None:
    copy = Run(Path(shutil.copytree(evaluated().folder, tmp_path / "copy")))
    spoil(copy)
    done = fails(copy.folder, "--coverage", ".7", folder=tmp_path)
    assert done.returncode in {3, 4}
    assert f"[{code}]" in done.stderr


def test_chains_of_another_run(evaluated: Made, tmp_path: Path) -> None:
    copy = Run(Path(shutil.copytree(evaluated().folder, tmp_path / "copy")))
    path = copy.path("chains", "parquet")
    table = pq.read_table(path)
    pq.write_table(table.slice(1), path)
    done = fails(copy.folder, "--unknown-nodes", "unverifiable", folder=tmp_path)
    assert (done.returncode, "[bad-table]" in done.stderr) == (3, True)


def test_a_run_without_tier_2(tmp_path: Path) -> None:
    done = in_process("eval", "--tiers", "1", "-q", "-o", tmp_path / "runs", folder=tmp_path)
    assert done.returncode == 0
    refused = fails(only_run(tmp_path / "runs").folder, "--coverage", ".7", folder=tmp_path)
    assert (refused.returncode, "[no-error-labels]" in refused.stderr) == (3, True)


def _rewrite(run: Run, **facts: object) -> None:
    path = run.path("summary", "json")
    path.write_text(json.dumps(run.summary | facts), encoding="utf-8")
