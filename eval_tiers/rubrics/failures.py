"""Failures: positive criteria that are not satisfied, and penalties that are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from eval_tiers.metrics.clustered import clustered_interval
from eval_tiers.metrics.intervals import wilson_interval
from eval_tiers.rubrics.coverage import SCORED, Pair

NO_AXIS: Final = "(none)"
UNKNOWN: Final = "(unknown)"
POSITIVE: Final = "positive criteria"
PENALTIES: Final = "penalties"
_NO_WIDTH: Final = 1e-9


def failure_of(weight: float, score: float) -> float | None:
    """Return how far a verdict is a failure, 0 to 1; None for a weight of 0.

    Of a positive criterion what is lacking of its score, of a penalty its score: a criterion that
    is partially satisfied is half a failure.

    Examples
    --------
    >>> failure_of(5, 0.0), failure_of(-4, 1.0), failure_of(5, 1.0), failure_of(-4, 0.0)
    (1.0, 1.0, 0.0, 0.0)
    """
    if weight == 0:
        return None
    return 1.0 - score if weight > 0 else score


def failure_figures(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the failures among pairs: rate, n, intervals, and how many are unscored.

    Pairs of weight 0 or of unknown weight are left out. ``failure_rate_low`` and ``_high`` are
    Wilson's, as if rows were independent; ``failure_rate_clustered_low`` and ``_high`` are
    clustered by sample, null with fewer than two samples or where samples don't differ.
    """
    values: list[float] = []
    clusters: list[str] = []
    unscored_n = 0
    for pair in pairs:
        if not pair.expected.weight:
            continue
        if pair.state != SCORED or pair.score is None:
            unscored_n += 1
            continue
        value = failure_of(pair.expected.weight, pair.score)
        if value is not None:
            values.append(value)
            clusters.append(pair.expected.sample_id)
    n, total = len(values), math.fsum(values)
    wilson = wilson_interval(total, n)
    places = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
    clustered = None
    if len(set(values)) > 1:
        clustered = clustered_interval(values, [places[name] for name in clusters])
        if clustered is not None and clustered[1] - clustered[0] < _NO_WIDTH:
            clustered = None  # all samples fail alike
    low, high = wilson or (None, None)
    cluster_low, cluster_high = clustered or (None, None)
    return {
        "failure_rate": total / n if n else None,
        "failure_rate_n": n,
        "failure_rate_low": low,
        "failure_rate_high": high,
        "failure_rate_clustered_low": None if cluster_low is None else max(0.0, cluster_low),
        "failure_rate_clustered_high": None if cluster_high is None else min(1.0, cluster_high),
        "failure_n": total,
        "unscored_n": unscored_n,
        "sample_n": len(places),
    }


def failures_by(pairs: Sequence[Pair], key: Callable[[Pair], str]) -> dict[str, dict[str, Any]]:
    """Return `failure_figures` by what ``key`` says of a pair, in the order of names."""
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(key(pair), []).append(pair)
    return {name: failure_figures(groups[name]) for name in sorted(groups)}


def axis_of(pair: Pair) -> str:
    """Return the axis of a pair, `NO_AXIS` for none, `UNKNOWN` where rows don't tell it."""
    axis = pair.expected.axis
    return UNKNOWN if axis is None else axis or NO_AXIS


def sign_of(pair: Pair) -> str:
    """Return what a pair's weight makes it: a positive criterion or a penalty."""
    weight = pair.expected.weight
    if not weight:
        return UNKNOWN if weight is None else "weight 0"
    return POSITIVE if weight > 0 else PENALTIES


def failures_by_sample(
    by_sample: Mapping[str, Sequence[Pair]],
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the failures of each sample by axis: counts and rates, without intervals.

    A sample is one report: rows of one report are no sample of reports.
    """
    kept = ("failure_rate", "failure_rate_n", "failure_n", "unscored_n")
    return {
        sample_id: {
            axis: {name: figures[name] for name in kept}
            for axis, figures in failures_by(pairs, axis_of).items()
        }
        for sample_id, pairs in by_sample.items()
    }
