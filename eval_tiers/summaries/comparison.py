"""What two runs say on the same rows: differences, tests, how labels moved, which answers flipped.

Pure functions over arrays; `eval_tiers.pipeline.comparison` reads the runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.metrics.cluster_sums import Clustering, cluster_count
from eval_tiers.metrics.paired import (
    ALPHA,
    PairedDifference,
    bowker_symmetry,
    fewest_discordant,
    mcnemar_exact,
    minimum_detectable_effect,
    paired_difference,
)

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Flags = NDArray[np.bool_]

NO_LABEL: Final = "none"
OUTCOMES: Final = ("right", "wrong", "no_answer")
"""Stand for error labels where tier 2 did not run."""

SHARES: Final = frozenset(
    {
        "accuracy",
        "parse_failure_rate",
        "hard_case_rate",
        "paired_directional_robustness",
        "satisfied_rate",
        "failure_rate",
    }
)
"""Measures whose values are 0 or 1 a row; the others are means of numbers."""

PAIR_MEASURE: Final = "paired_directional_robustness"


@dataclass(frozen=True, slots=True)
class Side:
    """One run on the rows that both have.

    Attributes
    ----------
    measures : dict of str to float[n]
        By name; nan is undefined. The primary one is always there.
    label : int[n]
        Codes into the labels of `ComparedRows`.
    answered : bool[n]
        A label could be read.
    """

    measures: Mapping[str, Floats]
    label: Rows
    answered: Flags

    def of(self, chosen: Flags) -> Side:
        """Return some of the rows."""
        measures = {name: values[chosen] for name, values in self.measures.items()}
        return Side(measures, self.label[chosen], self.answered[chosen])


@dataclass(frozen=True, slots=True)
class ComparedRows:
    """Two runs on the rows that both have, in the order of the first.

    Attributes
    ----------
    first, second : Side
    labels : tuple of str
        What the codes stand for.
    item : int[n]
        Which rows are answers to one question.
    cluster : Clustering
        Which rows belong together.
    slices : dict of str to (names, codes)
        By dimension, such as split; -1 is none.
    by_item : bool
        Questions weigh the same, however many answers they have (RR-10); else rows do.
    evidence : str or None
        The measure by whose change flips are ranked.
    pair : int[n] or None
        RR-10: which rows are a trap and its control; -1 for none.
    trap : bool[n] or None
    primary : str
        The measure that is tested and by which answers flip; 1 is right.
    shares : set of str
        Measures whose values are 0 or 1 a row.
    """

    first: Side
    second: Side
    labels: tuple[str, ...]
    item: Rows
    cluster: Clustering
    slices: Mapping[str, tuple[list[str], Rows]] = field(default_factory=dict)
    by_item: bool = False
    evidence: str | None = None
    pair: Rows | None = None
    trap: Flags | None = None
    primary: str = "accuracy"
    shares: frozenset[str] = SHARES

    def of(self, chosen: Flags) -> ComparedRows:
        """Return some of the rows, without slices."""
        return replace(
            self,
            first=self.first.of(chosen),
            second=self.second.of(chosen),
            item=self.item[chosen],
            cluster=self.cluster.of(chosen),
            slices={},
            pair=None,
            trap=None,
        )


def compare_rows(rows: ComparedRows) -> dict[str, Any]:
    """Return the figures of two runs on the same rows, as a whole and by slice.

    Returns
    -------
    dict
        As `docs/compare.md` defines it; Holm's adjustment is left to `adjust`.
    """
    found = _figures(rows)
    if rows.pair is not None and rows.trap is not None:
        found["measures"][PAIR_MEASURE] = described(_pair_difference(rows))
    found["slices"] = [
        {"dimension": dimension, "value": names[code] if code >= 0 else None,
         **_figures(rows.of(codes == code))}
        for dimension, (names, codes) in rows.slices.items()
        for code in _present(codes)
    ]  # fmt: skip
    return found


def _present(codes: Rows) -> list[int]:
    """Return the codes of a dimension; none where it has one value: it would say nothing new."""
    found = [int(code) for code in np.unique(codes)]
    return found if len(found) > 1 else []


def _figures(rows: ComparedRows) -> dict[str, Any]:
    right = rows.first.measures[rows.primary] == 1, rows.second.measures[rows.primary] == 1
    cells = {
        "both_right_n": int(np.count_nonzero(right[0] & right[1])),
        "right_to_wrong_n": int(np.count_nonzero(right[0] & ~right[1])),
        "wrong_to_right_n": int(np.count_nonzero(~right[0] & right[1])),
        "both_wrong_n": int(np.count_nonzero(~right[0] & ~right[1])),
    }
    items = _items(rows) if rows.by_item else None
    differences = {name: _difference(rows, name, items) for name in rows.first.measures}
    n = len(rows.item)
    p = mcnemar_exact(cells["right_to_wrong_n"], cells["wrong_to_right_n"]) if n else None
    return {
        "n": n,
        "item_n": cluster_count(rows.item),
        "cluster_n": rows.cluster.cluster_n,
        "measures": {name: described(found) for name, found in differences.items()},
        "mcnemar": {**cells, "p": p, "p_holm": None},
        **_detectable(differences[rows.primary]),
        "labels": label_moves(rows.first.label, rows.second.label, rows.labels),
    }


def _items(rows: ComparedRows) -> tuple[Rows, Clustering]:
    """Return the place of each row's question among the questions, and the questions' clusters."""
    _, start, place = np.unique(rows.item, return_index=True, return_inverse=True)
    return place, rows.cluster.of(start)


def _difference(
    rows: ComparedRows, name: str, items: tuple[Rows, Clustering] | None
) -> PairedDifference:
    first, second = rows.first.measures[name], rows.second.measures[name]
    clusters = rows.cluster
    if items is not None:
        place, clusters = items
        both = ~(np.isnan(first) | np.isnan(second))
        n = len(clusters.codes)
        first, second = (_means(values, place, n, both) for values in (first, second))
    return paired_difference(first, second, clusters, name in rows.shares)


def _means(values: Floats, place: Rows, n: int, counted: Flags) -> Floats:
    """Return the means of rows by place, of those that count; nan for none."""
    sums = np.bincount(place[counted], weights=values[counted], minlength=n)
    counts = np.bincount(place[counted], minlength=n)
    found: Floats = np.full(n, np.nan)
    return np.divide(sums, counts, out=found, where=counts > 0)


def _pair_difference(rows: ComparedRows) -> PairedDifference:
    """Compare the pairs of which trap and control are right, over pairs that have both."""
    if rows.pair is None or rows.trap is None:
        nothing: Floats = np.zeros(0)
        return paired_difference(nothing, nothing, nothing)
    n = int(rows.pair.max(initial=-1)) + 1
    sides = []
    for side in (rows.first, rows.second):
        right = side.measures[rows.primary]
        trap, control = (
            _means(right, rows.pair, n, (rows.pair >= 0) & of_kind)
            for of_kind in (rows.trap, ~rows.trap)
        )
        sides.append(trap * control)
    found = ~np.isnan(sides[0])  # a pair of which one side is in neither run is none
    row: Rows = np.zeros(n, np.int64)
    paired = np.flatnonzero(rows.pair >= 0)[::-1]
    row[rows.pair[paired]] = paired  # a pair's first row is written last
    clusters = rows.cluster.of(row[found])
    return paired_difference(sides[0][found], sides[1][found], clusters, of_shares=True)


def described(found: PairedDifference) -> dict[str, Any]:
    """Return a paired difference as JSON, both means with their own intervals."""
    low, high = found.interval or (None, None)
    first = found.first_interval or (None, None)
    second = found.second_interval or (None, None)
    return {
        "first": found.first,
        "first_low": first[0],
        "first_high": first[1],
        "second": found.second,
        "second_low": second[0],
        "second_high": second[1],
        "difference": found.difference,
        "difference_n": found.n,
        "difference_low": low,
        "difference_high": high,
        "cluster_n": found.cluster_n,
        "left_out_n": found.left_out_n,
        "null_reason": found.reason,
    }


def _detectable(accuracy: PairedDifference) -> dict[str, Any]:
    effect = minimum_detectable_effect(accuracy, of_shares=True)
    reason = accuracy.reason
    if effect is None and reason is None:
        reason = "too_few_pairs" if accuracy.n < fewest_discordant() else "too_much_variation"
    return {
        "minimum_detectable_effect": effect,
        "minimum_detectable_effect_null_reason": None if effect is not None else reason,
        "difference_shown": None,
    }


def label_moves(first: Rows, second: Rows, labels: Sequence[str]) -> dict[str, Any]:
    """Return from which label to which rows went, and Bowker's test.

    Parameters
    ----------
    first, second : int[n]
        Codes into the labels.
    labels : sequence of str
        Those that no row has are left out.
    """
    k = len(labels)
    counts = np.bincount(first * k + second, minlength=k * k).reshape(k, k)
    used = np.flatnonzero(counts.sum(axis=0) + counts.sum(axis=1))
    table = counts[np.ix_(used, used)]
    test = bowker_symmetry(table)
    names = [labels[place] for place in used.tolist()]
    return {
        "names": names,
        "matrix": {
            name: {other: int(table[i, j]) for j, other in enumerate(names)}
            for i, name in enumerate(names)
        },
        "moved_n": int(table.sum() - np.trace(table)),
        "bowker": {
            "statistic": test.statistic,
            "df": test.df,
            "p": test.p if len(first) else None,
        },
    }


def adjust(comparisons: list[dict[str, Any]], primary: str = "accuracy") -> None:
    """Add Holm's p to all tests of one report, and whether a difference is shown.

    The comparisons of whole runs are one family, those of all slices of all of them another. A
    difference is shown where the adjusted McNemar test finds one (5 %) and the clustered interval
    leaves out 0.
    """
    from eval_tiers.metrics.paired import holm

    for family in (comparisons, [part for one in comparisons for part in one["slices"]]):
        adjusted = holm([found["mcnemar"]["p"] for found in family])
        for found, p in zip(family, adjusted, strict=True):
            tested = found["measures"][primary]
            low, high = tested["difference_low"], tested["difference_high"]
            found["mcnemar"]["p_holm"] = p
            if p is not None and low is not None:
                found["difference_shown"] = p <= ALPHA and not low <= 0 <= high
