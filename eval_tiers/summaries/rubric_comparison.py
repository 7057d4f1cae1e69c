"""Two systems' reports on the same tasks: how verdicts, failures and compliance differ.

Pure functions over matched rows; `eval_tiers.pipeline.rubrics.compare` reads and matches them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.metrics.agreement import cohen_kappa
from eval_tiers.metrics.cluster_sums import cluster_count, one_way
from eval_tiers.metrics.paired import minimum_detectable_effect, paired_difference
from eval_tiers.rubrics.failures import NO_AXIS, UNKNOWN, failure_of
from eval_tiers.rubrics.results import NOT_SATISFIED, PARTIALLY, SATISFIED
from eval_tiers.rubrics.scored_rows import UNSCORED, ScoredRow
from eval_tiers.summaries.comparison import (
    ComparedRows,
    Flags,
    Floats,
    Rows,
    Side,
    adjust,
    compare_rows,
    described,
    label_moves,
)
from eval_tiers.summaries.flip_ranking import rank_flips

SATISFIED_RATE: Final = "satisfied_rate"
FAILURE_RATE: Final = "failure_rate"
COMPLIANCE: Final = "compliance"
RATES: Final = (SATISFIED_RATE, FAILURE_RATE)
OUTCOMES: Final = (SATISFIED, PARTIALLY, NOT_SATISFIED, UNSCORED)
_STAKE: Final = "stake"
"""Weight times score: by whose change flips are ranked."""


@dataclass
class MatchedRubrics:
    """Two systems on the rubrics that both have, in the order of the first.

    Attributes
    ----------
    first, second : list of ScoredRow
        Aligned. Weights and axes are the first's.
    scores : pair of mappings
        Compliance by sample where all its rubrics are scored, the same ones of the same weight in
        both; None, or no entry, where it has none.
    spreads : dict of mapping
        Of fields that samples differ in, such as domain, the value by sample.
    """

    first: list[ScoredRow]
    second: list[ScoredRow]
    scores: tuple[Mapping[str, float | None], Mapping[str, float | None]]
    spreads: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)

    @cached_property
    def sample(self) -> Rows:
        """A number for each row, the same in one sample."""
        places: dict[str, int] = {}
        found = [places.setdefault(row.sample_id, len(places)) for row in self.first]
        return np.asarray(found, np.int64)

    @cached_property
    def outcomes(self) -> tuple[Rows, Rows]:
        """The codes of the outcomes into `OUTCOMES`."""
        first, second = (
            np.asarray([OUTCOMES.index(row.outcome) for row in rows], np.int64)
            for rows in (self.first, self.second)
        )
        return first, second

    @cached_property
    def values(self) -> dict[str, tuple[Floats, Floats]]:
        """Each measure of each row, nan where it is undefined."""
        return {name: self._values(name) for name in (*RATES, _STAKE)}

    def _values(self, measure: str) -> tuple[Floats, Floats]:
        first, second = (
            np.asarray(
                [
                    _value(measure, row.score, one.weight)
                    for one, row in zip(self.first, rows, strict=True)
                ],
                np.float64,  # None becomes nan
            )
            for rows in (self.first, self.second)
        )
        return first, second


def _value(measure: str, score: float | None, weight: float | None) -> float | None:
    if score is None or measure == SATISFIED_RATE:
        return score
    if measure == FAILURE_RATE:
        return None if weight is None else failure_of(weight, score)
    return 0.0 if weight is None else weight * score


def compare_matched(matched: MatchedRubrics) -> dict[str, Any]:
    """Return the figures of two systems, as a whole and by slice; `finish` completes them."""
    found = _figures(matched, np.ones(len(matched.first), np.bool_), None)
    found["verdicts"] = _verdicts(matched)
    found["slices"] = [
        {"dimension": name, "value": value, **_figures(matched, values == value, name)}
        for name, values in _slices(matched).items()
        for value in sorted(set(values.tolist()))
    ]
    return found


def finish(comparisons: Sequence[dict[str, Any]]) -> None:
    """Add Holm's p to the tests of one report, and put each measure's figures together.

    Whole comparisons are one family, all slices of all of them another; of each rate by itself.
    """
    for rate in RATES:
        family = []
        for one in comparisons:
            tested = one["measures"][rate]
            tested["slices"] = [part["measures"][rate] for part in one["slices"]]
            family.append(tested)
        adjust(family, rate)
        for one in comparisons:
            for part in (one, *one["slices"]):
                part["measures"][rate] = _rate_figures(part["measures"][rate], rate)


def rank_matched(matched: MatchedRubrics) -> list[int]:
    """Return the rows that are satisfied to another degree in the two, most informative first.

    The first of each kind of flip (verdict in the first, verdict in the second), frequent kinds
    first, then the second of each, and so on; within a kind by how much weight moved.
    """
    both, rows = _compared(matched, SATISFIED_RATE, np.ones(len(matched.first), np.bool_))
    return [int(place) for place in both[rank_flips(rows)]]


def _slices(matched: MatchedRubrics) -> dict[str, NDArray[np.object_]]:
    """Return the values of each dimension, one a row; none of a dimension with one value."""
    found = {"axis": [row.axis or NO_AXIS for row in matched.first]}
    for name, values in matched.spreads.items():
        found[name] = [values.get(row.sample_id) or UNKNOWN for row in matched.first]
    return {
        name: np.asarray(values, object) for name, values in found.items() if len(set(values)) > 1
    }


def _figures(matched: MatchedRubrics, chosen: Flags, dimension: str | None) -> dict[str, Any]:
    scores = matched.values[SATISFIED_RATE]
    places = np.flatnonzero(chosen & ~np.isnan(scores[0]) & ~np.isnan(scores[1]))
    measures: dict[str, Any] = {
        rate: compare_rows(_compared(matched, rate, chosen)[1]) for rate in RATES
    }
    if dimension != "axis":  # compliance is of whole reports
        measures[COMPLIANCE] = _compliance(matched, chosen)
    return {
        "pair_n": int(np.count_nonzero(chosen)),
        "n": len(places),
        "sample_n": cluster_count(matched.sample[places]),
        "agreement": _agreement(matched, places),
        "measures": measures,
    }


def _compared(matched: MatchedRubrics, measure: str, chosen: Flags) -> tuple[Rows, ComparedRows]:
    """Return the chosen rows that have a measure in both: their places, and what is compared."""
    first, second = matched.values[measure]
    stakes = matched.values[_STAKE]
    codes = matched.outcomes
    places: Rows = np.flatnonzero(chosen & ~np.isnan(first) & ~np.isnan(second))
    sides = [
        Side(
            {measure: values[places], _STAKE: stake[places]},
            code[places],
            np.ones(len(places), np.bool_),
        )
        for values, stake, code in zip((first, second), stakes, codes, strict=True)
    ]
    return places, ComparedRows(
        sides[0], sides[1], OUTCOMES, places, one_way(matched.sample[places]),
        evidence=_STAKE, primary=measure, shares=frozenset({measure}),
    )  # fmt: skip


def _rate_figures(found: Mapping[str, Any], rate: str) -> dict[str, Any]:
    """Return what `compare_rows` found of a rate, its test in words that fit both rates."""
    cells = found["mcnemar"]
    return {
        **found["measures"][rate],
        "mcnemar": {
            "both_n": cells["both_right_n"],
            "first_only_n": cells["right_to_wrong_n"],
            "second_only_n": cells["wrong_to_right_n"],
            "neither_n": cells["both_wrong_n"],
            "p": cells["p"],
            "p_holm": cells["p_holm"],
        },
        "minimum_detectable_effect": found["minimum_detectable_effect"],
        "minimum_detectable_effect_null_reason": found["minimum_detectable_effect_null_reason"],
        "difference_shown": found["difference_shown"],
    }


def _agreement(matched: MatchedRubrics, places: Rows) -> dict[str, Any]:
    """Return the share of rubrics with one and the same verdict, and Cohen's kappa."""
    first, second = (
        [rows[place].outcome for place in places.tolist()]
        for rows in (matched.first, matched.second)
    )
    same_n = sum(a == b for a, b in zip(first, second, strict=True))
    return {
        "same_n": same_n,
        "raw": same_n / len(places) if len(places) else None,
        "kappa": cohen_kappa(first, second).kappa if len(places) else None,
    }


def _verdicts(matched: MatchedRubrics) -> dict[str, Any]:
    """Return from which verdict to which rubrics went, unscored ones too.

    Bowker's test is over those with a verdict in both: an outage is no verdict.
    """
    first, second = matched.outcomes
    found = label_moves(first, second, OUTCOMES)
    unscored = OUTCOMES.index(UNSCORED)
    scored = (first != unscored) & (second != unscored)
    tested = label_moves(first[scored], second[scored], OUTCOMES)
    return {**found, "moved_n": tested["moved_n"], "bowker": tested["bowker"]}


def _compliance(matched: MatchedRubrics, chosen: Flags) -> dict[str, Any]:
    places = np.flatnonzero(chosen).tolist()
    names = dict.fromkeys(matched.first[place].sample_id for place in places)
    first, second = (
        np.asarray([np.nan if (v := scores.get(name)) is None else v for name in names], np.float64)
        for scores in matched.scores
    )
    found = paired_difference(first, second, np.arange(len(names)))
    effect = minimum_detectable_effect(found)
    low, high = found.interval or (None, None)
    reason = None if effect is not None else found.reason or "no_variation"
    return {
        **described(found),
        "minimum_detectable_effect": effect,
        "minimum_detectable_effect_null_reason": reason,
        "difference_shown": None if low is None or high is None else not low <= 0 <= high,
    }
