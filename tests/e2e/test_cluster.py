"""``eval --cluster``: which rows count as one, in every process and in what comes after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS

from eval_tiers import evaluate
from eval_tiers.exceptions import UsageError
from tests.e2e.running import Record, command, in_process, strict_json, write_lines

MEANS = {"accuracy": "answer_correct", "edge_f1": "edge_f1", "go_sim_mean": "go_sim",
         "hallucination_rate": "hallucination_rate", "go_sim_ref_mean": "go_sim_ref"}  # fmt: skip


def summary_of(folder: Path) -> Record:
    (path,) = folder.glob("summary_*.json")
    return strict_json(path)


def regression(values: pd.Series, *groups: pd.Series) -> tuple[float, float]:
    """Mean with errors clustered by statsmodels; a row without a cluster is on its own."""
    known = values.notna().to_numpy()
    codes = []
    for group in groups:
        alone = pd.Series([f"row {n}" for n in range(len(group))])
        names = group.reset_index(drop=True).where(group.notna().to_numpy(), alone)
        codes.append(pd.factorize(names[known])[0])
    y = values[known].astype(float).to_numpy()
    fitted = OLS(y, np.ones(len(y))).fit(
        cov_type="cluster", cov_kwds={"groups": np.column_stack(codes).squeeze()}
    )
    least = min(len(set(one)) for one in codes)
    quantile = stats.t.ppf(0.975, least - 1) if least < 30 else stats.norm.ppf(0.975)
    return fitted.params[0] - quantile * fitted.bse[0], fitted.params[0] + quantile * fitted.bse[0]


@pytest.mark.parametrize(
    "cluster", ["readout", "perturbation", "perturbation+readout", "cell_line"]
)
def test_intervals_of_the_demo_are_those_of_a_regression_on_its_samples(cluster: str) -> None:
    found = evaluate(tiers=(1, 2, 3), cluster=cluster)
    groups = [found.samples[field] for field in cluster.split("+")]
    for key, column in MEANS.items():
        shown = [found.summary[f"{key}_clustered_{end}"] for end in ("low", "high")]
        wanted = regression(found.samples[column], *groups)
        assert shown == pytest.approx([max(0, wanted[0]), min(1, wanted[1])], abs=1e-8), key
    for split, figures in found.summary["by_split"].items():
        rows = found.samples[found.samples["split"] == split]
        groups = [rows[field] for field in cluster.split("+")]
        wanted = regression(rows["edge_f1"], *groups)
        shown = [figures[f"edge_f1_clustered_{end}"] for end in ("low", "high")]
        assert shown == pytest.approx([max(0, wanted[0]), min(1, wanted[1])], abs=1e-8), split


@pytest.mark.parametrize("cluster", ["pair", "gene", "context"])
def test_intervals_of_rr10_are_those_of_a_regression_on_its_samples(cluster: str) -> None:
    found = evaluate(format="rr10", tiers=(1, 2), cluster=cluster)
    rows = found.samples
    wanted = regression(rows["answer_correct"], rows[cluster])
    shown = [found.summary[f"accuracy_total_clustered_{end}"] for end in ("low", "high")]
    assert shown == pytest.approx([max(0, wanted[0]), min(1, wanted[1])])
    assert found.summary["cluster"]["n"] == rows[cluster].nunique()
    assert found.manifest["cluster"] == cluster


def intervals(value: Any, name: str = "") -> dict[str, float]:
    """Every end of an interval in a summary, with its place."""
    if isinstance(value, dict):
        return {key: end for inner, part in value.items()
                for key, end in intervals(part, f"{name}/{inner}").items()}  # fmt: skip
    is_end = "_low" in name or "_high" in name
    return {name: value} if is_end and isinstance(value, float) else {}


@pytest.mark.parametrize("cluster", ["readout", "perturbation+readout"])
def test_processes_and_batches_change_no_interval(tmp_path: Path, cluster: str) -> None:
    found = []
    for name, options in (("one", ("--jobs", 1)), ("many", ("--jobs", 2, "--batch-size", 9))):
        done = command("eval", "-q", "--tiers", 1, 2, 3, "--cluster", cluster, *options, "-o", name,
                       folder=tmp_path)  # fmt: skip
        assert done.returncode == 0, done.stderr
        (folder,) = (tmp_path / name).iterdir()
        found.append(intervals(summary_of(folder)))
    assert found[0] == found[1] and len(found[0]) > 400


def test_an_unknown_field_names_the_choices(tmp_path: Path) -> None:
    for arguments, choices in (
        (("--cluster", "colour"), "readout, perturbation, perturbation+readout, cell_line, none"),
        (("--cluster", "pair"), "readout"),
        (("--cluster", ""), "readout"),
        (("--cluster", "readout+readout"), "readout"),
        (("--format", "rr10", "--cluster", "readout"), "pair, gene, context, none"),
    ):
        done = in_process("eval", *arguments, folder=tmp_path)
        assert done.returncode == 2, done.stderr
        assert "unknown-field" in done.stderr and choices in " ".join(done.stderr.split())
        assert not (tmp_path / "outputs").exists()
    with pytest.raises(UsageError):
        evaluate(cluster="READOUT")


def test_two_way_in_either_order(tmp_path: Path) -> None:
    found = [evaluate(tiers=(1,), cluster=name).summary
             for name in ("perturbation+readout", "readout+perturbation")]  # fmt: skip
    assert intervals(found[0]) == intervals(found[1])
    assert found[0]["cluster"]["n_by_field"].keys() == {"perturbation", "readout"}


def small(folder: Path, genes: list[str | None], right: list[bool]) -> dict[str, Any]:
    gold: list[Record] = []
    for number, gene in enumerate(genes):
        record: Record = {
            "id": f"q{number}",
            "answer": "up",
            "path": [["P", "+", "E"]],
            "pert": "P",
        }
        gold.append(record if gene is None else record | {"gene": gene})
    predictions = [{"id": f"q{n}", "output": f"<answer>{'up' if yes else 'down'}</answer>"}
                   for n, yes in enumerate(right)]  # fmt: skip
    folder.mkdir()
    return evaluate(
        gt_file=write_lines(folder / "gold_genetic.jsonl", gold),
        pred_file=write_lines(folder / "pred_genetic.jsonl", predictions),
        tiers=(1,),
    ).summary


def test_one_cluster_no_cluster_and_nobody_right(tmp_path: Path) -> None:
    one = small(tmp_path / "one", ["E"] * 30, [False] * 30)
    assert one["cluster"]["n"] == 1
    assert (one["accuracy"], one["accuracy_clustered_low"]) == (0, None)
    assert one["accuracy_high"] == pytest.approx(0.114, abs=5e-4)
    unnamed = small(tmp_path / "unnamed", [None] * 12, [True, False] * 6)
    named = small(tmp_path / "named", [f"E{n}" for n in range(12)], [True, False] * 6)
    assert unnamed["cluster"]["n"] == named["cluster"]["n"] == 12
    for key in ("accuracy", "accuracy_low", "f1_macro_clustered_low", "f1_macro_low"):
        assert unnamed[key] == named[key]
    assert named["accuracy_clustered_low"] is None  # no two rows share a gene


def test_relabelling_keeps_the_clusters_of_the_run(tmp_path: Path) -> None:
    for number, options in enumerate((("--cluster", "perturbation"), ("--cluster", "none"),
                                      ("--format", "rr10", "--cluster", "gene"))):  # fmt: skip
        folder = tmp_path / str(number)
        folder.mkdir()
        assert in_process("eval", "-q", *options, "-o", "runs", folder=folder).returncode == 0
        (run,) = (folder / "runs").iterdir()
        done = in_process("relabel", run, "--coverage", 0.9, "-o", "again", folder=folder)
        assert done.returncode == 0, done.stderr
        (again,) = (folder / "again").iterdir()
        fresh = in_process("eval", "-q", *options, "--coverage-threshold", 0.9, "-o", "fresh",
                           folder=folder)  # fmt: skip
        assert fresh.returncode == 0
        (wanted,) = (folder / "fresh").iterdir()
        found, expected = summary_of(again), summary_of(wanted)
        del found["relabelled"]
        assert found["cluster"] == expected["cluster"]
        assert found["error_distribution"] == expected["error_distribution"]
        assert intervals(found) == pytest.approx(intervals(expected), abs=1e-12)
