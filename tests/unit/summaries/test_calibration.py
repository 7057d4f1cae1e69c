"""Figures of stated confidence: scikit-learn, order of rows, batches, and nothing stated."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import brier_score_loss, roc_auc_score

from eval_tiers.summaries.calibration import calibration_figures, confidence_findings

LABELS = ("up", "down", "unchanged")


def stated_rows(seed: int, n: int = 400) -> pa.Table:
    """Return made-up answers of which some state this, some that, some neither readably."""
    rng = np.random.default_rng(seed)
    gold, predicted = rng.integers(0, 3, n), rng.integers(-1, 3, n)
    shares = rng.dirichlet((1, 1, 1), n)
    has_number, has_shares = rng.random(n) < 0.7, rng.random(n) < 0.7
    words = np.array([*LABELS, None], object)
    gene = np.array([f"G{k}" for k in range(12)] + [None], object)[rng.integers(0, 13, n)]
    return pa.table(
        {
            "sample_id": [f"q{k}" for k in range(n)],
            "readout": pa.array(gene, pa.string()),
            "gold_label": pa.array(words[gold], pa.string()),
            "predicted_label": pa.array(words[predicted], pa.string()),
            "answer_correct": gold == predicted,
            "confidence": pa.array(rng.random(n).round(2), mask=~has_number),
        }
        | {
            f"prob_{label}": pa.array(shares[:, k], mask=~has_shares)
            for k, label in enumerate(LABELS)
        }
        | {"problem": pa.array(["odd"] * n, mask=has_number | has_shares)}
    )


@pytest.mark.parametrize("seed", range(3))
def test_against_scikit_learn(seed: int) -> None:
    table = stated_rows(seed)
    found = calibration_figures([table], LABELS, 450, "readout", "readout")
    frame = table.to_pandas()
    own = [
        row[f"prob_{row.predicted_label}"] if isinstance(row.predicted_label, str) else np.nan
        for _, row in frame.iterrows()
    ]
    frame["used"] = frame.confidence.fillna(dict(enumerate(own)))
    used = frame[frame.used.notna()]
    assert found["n"] == len(used)
    assert found["missing_n"] == 450 - len(used)
    assert found["from_label_prob_n"] == int(used.confidence.isna().sum())
    assert found["invalid_n"] == int(frame.problem.notna().sum())
    assert found["accuracy"] == pytest.approx(used.answer_correct.mean())
    assert found["brier"] == pytest.approx(brier_score_loss(used.answer_correct, used.used))
    assert found["brier_low"] < found["brier"] < found["brier_high"]
    assert sum(part["n"] for part in found["bins"]) == len(used)
    with_shares = frame[frame.prob_up.notna()]
    of_labels = found["label_prob"]
    assert of_labels["n"] == len(with_shares)
    truth = np.array([[gold == label for label in LABELS] for gold in with_shares.gold_label])
    shares = with_shares[[f"prob_{label}" for label in LABELS]].to_numpy()
    assert of_labels["brier"] == pytest.approx(((shares - truth) ** 2).sum(axis=1).mean())
    assert of_labels["without_gene_n"] == int(with_shares.readout.isna().sum())
    for label in LABELS:
        areas, skipped = [], 0
        for _, rows in with_shares.groupby("readout"):
            positive = rows.gold_label == label
            if positive.nunique() == 2:
                areas.append(roc_auc_score(positive, rows[f"prob_{label}"]))
            else:
                skipped += 1
        per_gene = of_labels["auroc_per_gene"][label]
        assert per_gene["auroc"] == pytest.approx(np.mean(areas))
        assert (per_gene["auroc_n"], per_gene["skipped_gene_n"]) == (len(areas), skipped)


def test_order_of_rows_and_batches_change_no_digit() -> None:
    table = stated_rows(9)
    order = np.random.default_rng(1).permutation(len(table))
    shuffled = table.take(pa.array(order))
    wanted = calibration_figures([table], LABELS, 400, "readout", "readout")
    parts = [shuffled.slice(start, 37) for start in range(0, 400, 37)]
    assert calibration_figures(parts, LABELS, 400, "readout", "readout") == wanted


def test_nothing_that_can_be_read_gives_nulls() -> None:
    table = stated_rows(2)
    nothing = table.filter(table["problem"].is_valid())
    assert len(nothing) > 5
    found = calibration_figures([nothing], LABELS, 400, "readout", "readout")
    assert found["n"] == 0
    assert found["missing_n"] == 400
    for name in ("accuracy", "accuracy_low", "brier", "brier_high", "expected_calibration_error"):
        assert found[name] is None
    assert found["risk_coverage"] == {
        "n": 0, "aurc": None, "aurc_n": 0, "aurc_low": None, "aurc_high": None, "risk": None,
        "risk_n": 0, "risk_low": None, "risk_high": None, "points": [],
    }  # fmt: skip
    assert found["label_prob"] is None


def test_the_choice_of_clusters_is_followed() -> None:
    """Of none, each row is on its own: as a regression without clusters."""
    table = stated_rows(5)
    by_gene = calibration_figures([table], LABELS, 400, "readout", "readout")
    alone = calibration_figures([table], LABELS, 400, "readout", "none")
    assert (by_gene["cluster"], alone["cluster"]) == ("readout", "none")
    assert alone["brier"] == pytest.approx(by_gene["brier"])
    assert alone["brier_low"] != by_gene["brier_low"]
    stated = table.to_pandas().dropna(subset=["confidence"])
    only = pa.Table.from_pandas(stated, preserve_index=False)
    found = calibration_figures([only], LABELS, len(only), "readout", "none")
    n, shown = len(stated), stated.confidence
    half = 1.959964 * shown.std(ddof=1) / np.sqrt(n)
    assert found["mean_confidence_high"] == pytest.approx(shown.mean() + half)


def test_bins_and_points_have_n_and_interval() -> None:
    found = calibration_figures([stated_rows(6)], LABELS, 400, "readout", "readout")
    for part in found["bins"]:
        assert part["accuracy_n"] == part["mean_confidence_n"] == part["n"] > 0
        assert part["low"] <= part["mean_confidence"] <= part["high"]
        assert part["mean_confidence_low"] < part["mean_confidence"] < part["mean_confidence_high"]
    for point in found["risk_coverage"]["points"]:
        assert point["risk_low"] <= point["risk"] <= point["risk_high"]
        assert point["risk_n"] == point["n"]


def test_one_gene_has_no_clustered_interval() -> None:
    table = stated_rows(3)
    one = table.filter(pa.compute.equal(table["readout"], "G1"))
    found = calibration_figures([one], LABELS, len(one), "readout", "readout")
    assert found["brier"] is not None
    assert found["brier_low"] is None and found["brier_high"] is None


def test_all_right_and_sure_keeps_an_interval_with_a_width() -> None:
    table = stated_rows(4).slice(0, 30)
    sure = table.set_column(4, "answer_correct", pa.array([True] * 30))
    sure = sure.set_column(5, "confidence", pa.array([1.0] * 30))
    found = calibration_figures([sure], LABELS, 30, "readout", "readout")
    assert found["accuracy_low"] == pytest.approx(0.886, abs=0.001)
    assert (found["brier"], found["brier_low"]) == (0, 0)
    assert found["brier_high"] == pytest.approx(0.114, abs=0.001)


def test_finding_tells_how_often_and_the_first() -> None:
    table = stated_rows(5)
    (finding,) = confidence_findings([table.slice(0, 0), table], "p.jsonl")
    first = next(row for row in table.to_pylist() if row["problem"])
    assert finding.code == "bad-confidence"
    assert finding.where.sample == first["sample_id"]
    assert finding.message.startswith(f"{len(table) - table['problem'].null_count:,} row(s)")
    assert confidence_findings([], None) == []
