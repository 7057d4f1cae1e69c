"""Figures of stated confidence: whether it is what it says, and what it is good for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from eval_tiers.domain.clusterings import NONE
from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.metrics.calibration import CalibrationBin, calibration
from eval_tiers.metrics.calibration_error import calibration_error_interval
from eval_tiers.metrics.clustered import clustered_interval
from eval_tiers.metrics.intervals import wilson_interval
from eval_tiers.metrics.ranking import grouped_auroc
from eval_tiers.metrics.selective import aurc_interval, risk_coverage

Figures = dict[str, Any]
Floats = NDArray[np.float64]


def calibration_figures(
    tables: Sequence[pa.Table], labels: Sequence[str], row_n: int, gene: str, cluster: str
) -> Figures:
    """Hold stated confidence against whether the answer is right.

    The confidence of a row is the one that it states, else the probability that it gives its own
    answer. An answer that can't be read is wrong.

    Parameters
    ----------
    tables : sequence of pa.Table
        As `eval_tiers.io.confidence_table.confidence_table`.
    labels : sequence of str
        The vocabulary.
    row_n : int
        Rows of the run, with and without confidence.
    gene, cluster : str
        Columns of the readout gene, and of what makes rows dependent; a row without the latter
        depends on none, and of ``none`` no row does on another.

    Returns
    -------
    dict
        Strict JSON; what is undefined is None. The order of rows changes no digit.
    """
    wanted = {gene, "gold_label", "predicted_label", "answer_correct", "confidence", "problem",
              *(f"prob_{label}" for label in labels)}  # fmt: skip
    if cluster != NONE:
        wanted.add(cluster)
    table = pa.concat_tables([part.select(sorted(wanted)) for part in tables])
    probabilities = np.column_stack([_floats(table[f"prob_{label}"]) for label in labels])
    predicted, gold = (_codes(table[name], labels) for name in ("predicted_label", "gold_label"))
    stated = _floats(table["confidence"])
    own = np.where(
        predicted >= 0, np.take_along_axis(probabilities, predicted[:, None], 1)[:, 0], np.nan
    )
    confidence = np.where(np.isnan(stated), own, stated)
    right = np.asarray(table["answer_correct"].fill_null(False), np.bool_)
    groups = np.full(len(table), -1) if cluster == NONE else _groups(table[cluster])
    known = np.flatnonzero(~np.isnan(confidence))
    order = known[np.lexsort((right[known], confidence[known], groups[known]))]
    figures: Figures = {
        "n": len(order),
        "missing_n": row_n - len(order),
        "invalid_n": len(table) - table["problem"].null_count,
        "from_label_prob_n": int(np.count_nonzero(np.isnan(stated[known]))),
        "cluster": cluster,
    }
    figures |= _of_answers(confidence[order], right[order], _apart(groups[order]))
    figures["label_prob"] = _of_labels(probabilities, gold, labels, table[gene], groups)
    return figures


def confidence_findings(tables: Sequence[pa.Table], path: str | None) -> list[Finding]:
    """Return a finding where stated confidence can't be read: how often, and the first.

    Parameters
    ----------
    tables : sequence of pa.Table
        As `calibration_figures`; may be empty.
    path : str or None
        The prediction file, where there is one.
    """
    bad = [part.filter(part["problem"].is_valid()) for part in tables]
    count = sum(map(len, bad))
    if not count:
        return []
    first = next(part for part in bad if len(part)).slice(0, 1).to_pylist()[0]
    return [
        Finding(
            "bad-confidence",
            f"{count:,} row(s) state a confidence that can't be read; the first: "
            f"{first['problem']}",
            SourceRef(path, None, None, first["sample_id"]),
            fix="write confidence as a number from 0 to 1, label_prob as an object from label to "
            "probability",
        )
    ]


def _of_answers(confidence: Floats, right: NDArray[np.bool_], groups: NDArray[np.int64]) -> Figures:
    """Return Brier score, calibration error and risk-coverage curve of rows in a fixed order."""
    found = calibration(confidence, right)
    figures: Figures = {}
    right_n = int(np.count_nonzero(right))
    low, high = wilson_interval(right_n, len(right)) or (None, None)
    figures["accuracy"] = right_n / len(right) if len(right) else None
    figures |= {"accuracy_n": len(right), "accuracy_low": low, "accuracy_high": high}
    add_group_mean(figures, "mean_confidence", confidence, groups)
    add_group_mean(figures, "brier", (confidence - right) ** 2, groups)
    ends = calibration_error_interval(confidence, right, groups)
    figures["expected_calibration_error"] = found.expected_calibration_error
    figures |= _ends("expected_calibration_error", found.n, ends)
    figures["bins"] = [
        _of_bin(part, confidence, groups, is_last=part is found.bins[-1]) for part in found.bins
    ]
    curve = risk_coverage(confidence, right)
    figures["risk_coverage"] = {
        "n": curve.n,
        "aurc": curve.aurc,
        **_ends("aurc", curve.n, aurc_interval(confidence, right, groups)),
        "risk": curve.risk,
        **_ends("risk", curve.n, wilson_interval(len(right) - right_n, len(right))),
        "points": [
            asdict(point) | _ends("risk", point.n, wilson_interval(point.risk * point.n, point.n))
            for point in curve.points
        ],
    }
    return figures


def _of_bin(
    part: CalibrationBin, confidence: Floats, groups: NDArray[np.int64], is_last: bool
) -> Figures:
    """Return one bin: its ends, stated confidence and accuracy with their intervals."""
    inside = (confidence >= part.low) & ((confidence < part.high) | is_last)
    figures: Figures = {"low": part.low, "high": part.high, "n": part.n}
    add_group_mean(figures, "mean_confidence", confidence[inside], groups[inside])
    right_n = 0 if part.right_rate is None else round(part.right_rate * part.n)
    figures["accuracy"] = part.right_rate
    return figures | _ends("accuracy", part.n, wilson_interval(right_n, part.n))


def _of_labels(
    probabilities: Floats,
    gold: NDArray[np.int64],
    labels: Sequence[str],
    genes: pa.ChunkedArray,
    groups: NDArray[np.int64],
) -> Figures | None:
    """Return figures of the probabilities of all labels; None where no row gives them."""
    known = np.flatnonzero(~np.isnan(probabilities).any(axis=1))
    if len(known) == 0:
        return None
    order = known[np.lexsort((*probabilities[known].T, gold[known], groups[known]))]
    p, truth = probabilities[order], gold[order]
    is_gold = truth[:, None] == np.arange(len(labels))
    figures: Figures = {"n": len(order)}
    off = ((p - is_gold) ** 2).sum(axis=1)
    add_group_mean(figures, "brier", off, _apart(groups[order]), most=2.0)
    has_gene = np.asarray(genes.is_valid())[order]
    gene = _groups(genes)[order][has_gene]
    figures["without_gene_n"] = int(np.count_nonzero(~has_gene))
    figures["auroc_per_gene"] = {}
    for code, label in enumerate(labels):
        found = grouped_auroc(p[has_gene, code], is_gold[has_gene, code], gene)
        of_label: Figures = {}
        add_group_mean(of_label, "auroc", found.values, np.arange(len(found.values)))
        of_label["skipped_gene_n"] = found.skipped_n
        figures["auroc_per_gene"][label] = of_label
    return figures


def add_group_mean(
    figures: Figures, name: str, values: Floats, groups: NDArray[np.int64], most: float = 1.0
) -> None:
    """Add a mean of values from 0 to ``most``, n, and its clustered interval.

    Where all values are equal the interval is Wilson's, as of a share.
    """
    n = len(values)
    found = clustered_interval(values, groups) if n else None
    if found is not None and values.min() == values.max():
        share = wilson_interval(float(values[0]) / most * n, n)
        found = None if share is None else (share[0] * most, share[1] * most)
    low, high = found or (None, None)
    figures[name] = float(values.mean()) if n else None
    figures[f"{name}_n"] = n
    figures[f"{name}_low"] = None if low is None else max(0.0, low)
    figures[f"{name}_high"] = None if high is None else min(most, high)


def _ends(name: str, n: int, interval: tuple[float, float] | None) -> Figures:
    low, high = interval or (None, None)
    return {f"{name}_n": n, f"{name}_low": low, f"{name}_high": high}


def _floats(column: pa.ChunkedArray) -> Floats:
    return np.asarray(pc.fill_null(column, float("nan")), np.float64)


def _codes(column: pa.ChunkedArray, labels: Sequence[str]) -> NDArray[np.int64]:
    """Return label codes, -1 for null."""
    found = pc.index_in(column, value_set=pa.array(labels, pa.string()))
    return np.asarray(pc.fill_null(found, -1), np.int64)


def _groups(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """Return codes in the order of the values, -1 for null."""
    rank = pc.rank(column, sort_keys="ascending", tiebreaker="dense")
    return np.where(np.asarray(column.is_valid()), np.asarray(rank, np.int64), -1)


def _apart(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return codes in which each -1 is a group of its own."""
    alone = np.flatnonzero(groups < 0)
    apart = groups.copy()
    apart[alone] = groups.max(initial=0) + 1 + np.arange(len(alone))
    return apart
