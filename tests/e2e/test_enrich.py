"""``enrich``: every p and q against SciPy, worked out from the run's files in another way."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control, hypergeom

from eval_tiers.io.demo import demo_inputs
from tests.e2e.running import Done, Run, in_process, strict_json

GMT = demo_inputs().gene_sets
ALWAYS = ("--go-gmt", GMT)


def run_of(folder: Path, *options: str) -> Run:
    done = in_process("eval", *options, "-q", "-o", folder, folder=folder)
    assert done.returncode == 0, done.stderr
    (found,) = folder.iterdir()
    return Run(found)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The demo, tiers 1 and 2."""
    return run_of(tmp_path_factory.mktemp("demo"), "--tiers", "1", "2")


@pytest.fixture(scope="module")
def cited(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The demo of RR-10."""
    return run_of(tmp_path_factory.mktemp("rr10"), "--format", "rr10")


def enriched(run: Run, folder: Path, *options: object) -> Done:
    """Run the command into a folder; it must succeed."""
    done = in_process("enrich", run.folder, *options, "-o", folder, folder=run.folder)
    assert done.returncode == 0, done.stderr
    return done


def sets_of(path: Path) -> dict[str, set[str]]:
    """A GMT file read in a few lines."""
    found: dict[str, set[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, _, *genes = line.split("\t")
        found.setdefault(name, set()).update(gene.upper() for gene in genes if gene)
    return found


def genes_by_label(run: Run) -> tuple[dict[str, set[str]], set[str]]:
    """Nodes of predicted chains by label, and of all chains, from the tables."""
    keys = ["sample_id", "split", "pert_type"]
    merged = run.chains.merge(run.samples[[*keys, "error_label"]], on=keys)
    assert len(merged) == len(run.chains)
    predicted = merged[merged["side"] == "predicted"]
    by_label = {
        str(label): set(part["source"]) | set(part["target"])
        for label, part in predicted.groupby("error_label")
    }
    return by_label, set(run.chains["source"]) | set(run.chains["target"])


@pytest.mark.parametrize("least", [2, 5])
def test_every_number_against_scipy(demo: Run, tmp_path: Path, least: int) -> None:
    enriched(demo, tmp_path, *ALWAYS, "--min-term-genes", least)
    (path,) = tmp_path.glob("enrichment_*.csv")
    table = pd.read_csv(path, keep_default_na=False)
    summary = strict_json(path.with_suffix(".json"))
    by_label, everything = genes_by_label(demo)
    sets = sets_of(GMT)
    background = everything & set().union(*sets.values())
    terms = {
        name: genes & background for name, genes in sets.items() if len(genes & background) >= least
    }
    groups = {
        name: genes & background for name, genes in by_label.items() if len(genes & background) >= 5
    }
    pairs = [(label, term) for label in groups for term in terms]
    overlap_n = np.array([len(groups[label] & terms[term]) for label, term in pairs])
    tail = hypergeom.sf(
        overlap_n - 1,
        len(background),
        [len(terms[term]) for _, term in pairs],
        [len(groups[label]) for label, _ in pairs],
    )
    p = dict(zip(pairs, np.where(overlap_n > 0, tail, 1.0).tolist(), strict=True))
    q = dict(zip(p, false_discovery_control(list(p.values())), strict=True))
    assert (summary["background_gene_n"], summary["term_n"]) == (len(background), len(terms))
    assert summary["test_n"] == len(p)
    rows = {(row.error_label, row.term): row for row in table.itertuples()}
    assert set(rows) == {key for key in p if groups[key[0]] & terms[key[1]]}
    assert len(rows) > 1_000
    np.testing.assert_allclose([row.p_value for row in rows.values()], [p[key] for key in rows])
    np.testing.assert_allclose([row.q_value for row in rows.values()], [q[key] for key in rows])
    for (label, term), row in rows.items():
        overlap = groups[label] & terms[term]
        assert row.gene == ";".join(sorted(overlap))
        assert row.overlap_n == len(overlap)
        assert (row.label_gene_n, row.term_gene_n) == (len(groups[label]), len(terms[term]))
    assert {name for name, of in summary["labels"].items() if of["tested"]} == set(groups)


def planted(demo: Run, folder: Path) -> Path:
    """Gene sets of which one is what a label has and nobody else."""
    by_label, everything = genes_by_label(demo)
    own = by_label["WRONG_SIGN_FLIP"] - set().union(
        *(genes for label, genes in by_label.items() if label != "WRONG_SIGN_FLIP")
    )
    assert len(own) > 5
    rest = sorted(everything - own)
    lines = [["PLANTED", "", *sorted(own)], *(["OTHER", "", *rest[n::7]] for n in range(7))]
    lines = [[f"{name}_{number}", *rest_] for number, (name, *rest_) in enumerate(lines)]
    path = folder / "planted.gmt"
    path.write_text("\n".join("\t".join(line) for line in lines) + "\n", encoding="utf-8")
    return path


def test_a_planted_set_is_found(demo: Run, tmp_path: Path) -> None:
    gmt = planted(demo, tmp_path)
    done = enriched(demo, tmp_path / "out", "--go-gmt", gmt)
    (path,) = (tmp_path / "out").glob("enrichment_*.csv")
    table = pd.read_csv(path)
    best = table.sort_values("q_value").iloc[0]
    assert (best["error_label"], best["term"]) == ("WRONG_SIGN_FLIP", "PLANTED_0")
    assert best["q_value"] < 1e-4
    assert set(table.loc[table["q_value"] <= 0.05, "term"]) == {"PLANTED_0"}
    summary = strict_json(path.with_suffix(".json"))
    assert summary["labels"]["WRONG_SIGN_FLIP"]["enriched_n"] == 1
    assert summary["labels"]["CORRECT"]["enriched_n"] == 0
    root = ElementTree.parse(path.with_suffix(".svg")).getroot()
    told = [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}title")]
    assert any(text.startswith("WRONG_SIGN_FLIP, PLANTED_0: ") for text in told)
    lines = done.stdout.splitlines()
    heading = next(n for n, line in enumerate(lines) if line.startswith("WRONG_SIGN_FLIP: "))
    assert "1 sets with q up to 0.05" in lines[heading]
    assert "PLANTED_0" in lines[heading + 1]


def test_small_labels_are_skipped_and_said_so(demo: Run, tmp_path: Path) -> None:
    done = enriched(demo, tmp_path, *ALWAYS, "--min-genes", "100")
    (path,) = tmp_path.glob("enrichment_*.json")
    labels = strict_json(path)["labels"]
    assert [name for name, of in labels.items() if of["tested"]] == ["CORRECT"]
    skipped = labels["WRONG_SIGN_FLIP"]
    assert skipped["enriched_n"] is None
    assert skipped["reason"] == f"{skipped['gene_n']} genes that the gene sets know, fewer than 100"
    assert "Not tested" in done.stdout
    table = pd.read_csv(path.with_suffix(".csv"))
    assert set(table["error_label"]) == {"CORRECT"}
    assert max(map(len, done.stdout.split("\nwritten")[0].splitlines())) <= 80


def test_nothing_can_be_tested(demo: Run, tmp_path: Path) -> None:
    enriched(demo, tmp_path, *ALWAYS, "--min-genes", "100000")
    (path,) = tmp_path.glob("enrichment_*.csv")
    assert len(pd.read_csv(path)) == 0
    assert "No set could be tested" in path.with_suffix(".svg").read_text(encoding="utf-8")


def test_json_and_the_run_folder(demo: Run, tmp_path: Path) -> None:
    arguments = ("enrich", demo.folder, *ALWAYS, "--json")
    done = in_process(*arguments, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == strict_json(demo.path("enrichment", "json"))
    again = in_process(*arguments, folder=tmp_path)
    assert (again.returncode, "[file-exists]" in again.stderr) == (2, True)
    before = demo.path("enrichment", "csv").read_bytes()
    assert in_process(*arguments, "--force", folder=tmp_path).returncode == 0
    assert demo.path("enrichment", "csv").read_bytes() == before


def test_rr10_takes_the_edges_of_one_organism(cited: Run, tmp_path: Path) -> None:
    refused = in_process("enrich", cited.folder, *ALWAYS, "-o", tmp_path, folder=tmp_path)
    assert (refused.returncode, "[which-organism]" in refused.stderr) == (2, True)
    done = enriched(
        cited, tmp_path, *ALWAYS, "--organism", "homo_sapiens", "--min-genes", "1",
        "--min-term-genes", "1",
    )  # fmt: skip
    assert "chain genes" in " ".join(done.stdout.split())
    (path,) = tmp_path.glob("enrichment_*.csv")
    edges = cited.chains[cited.chains["organism"] == "homo_sapiens"]
    merged = edges.merge(cited.samples[["sample_id", "error_label"]], on="sample_id")
    known = set().union(*sets_of(GMT).values())
    for label, part in pd.read_csv(path).groupby("error_label"):
        mine = merged[merged["error_label"] == label]
        wanted = (set(mine["source"]) | set(mine["target"])) & known
        assert set(part["label_gene_n"]) == {len(wanted)}


@pytest.mark.parametrize(
    ("options", "code", "exit_code"),
    [
        (("--go-gmt", "none.gmt"), "no-such-file", 4),
        (("--go-gmt", "other.gmt"), "gmt-overlap", 3),
        ((*ALWAYS, "--organism", "homo_sapiens"), "option-without-effect", 2),
    ],
    ids=["no file", "other names", "organism"],
)
def test_faults(
    options: tuple[object, ...], code: str, exit_code: int, demo: Run, tmp_path: Path
) -> None:
    (tmp_path / "other.gmt").write_text("T\t\tENSG1\tENSG2\n", encoding="utf-8")
    done = in_process("enrich", demo.folder, *options, "-o", tmp_path / "new", folder=tmp_path)
    assert (done.returncode, f"[{code}]" in done.stderr) == (exit_code, True), done.stderr
    assert not (tmp_path / "new").exists()


def test_folders_that_are_no_run(tmp_path: Path) -> None:
    done = in_process("enrich", tmp_path, *ALWAYS, folder=tmp_path)
    assert (done.returncode, "[no-run]" in done.stderr) == (4, True)


def test_without_gseapy(demo: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gseapy", None)
    done = in_process("enrich", demo.folder, *ALWAYS, "-o", tmp_path, folder=tmp_path)
    assert (done.returncode, "[no-gseapy]" in done.stderr) == (4, True)
    assert "pip install 'eval-tiers[enrich]'" in done.stderr


def test_sets_of_other_names_are_told(demo: Run, tmp_path: Path) -> None:
    ids = tmp_path / "ids.gmt"
    ids.write_text("A\td\t7157\t4193\t1017\nB\td\t1026\t7157\n", encoding="utf-8")
    done = in_process("enrich", demo.folder, "--go-gmt", ids, "-o", tmp_path, folder=tmp_path)
    assert done.returncode == 3 and "gmt-overlap" in done.stderr
    assert "look like" in done.stderr and "gene symbol" in done.stderr
    assert not list(tmp_path.glob("enrichment_*"))
    few = tmp_path / "few.gmt"
    few.write_text("A\td\tTP53\t4193\t1017\nB\td\t1026\t7157\n", encoding="utf-8")
    done = in_process("enrich", demo.folder, "--go-gmt", few, "-o", tmp_path, folder=tmp_path)
    assert done.returncode == 0 and "Warning: [gmt-overlap] only 1 of" in done.stderr
