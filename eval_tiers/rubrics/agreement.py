"""How far an examiner's verdicts agree with people's, on the same rubrics of the same reports."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from eval_tiers.metrics.agreement import cohen_kappa
from eval_tiers.metrics.clustered import cluster_variance, clustered_interval, interval_of_variance
from eval_tiers.metrics.intervals import wilson_interval
from eval_tiers.rubrics.coverage import FAILED, MISSING, SCORED, Coverage, Pair
from eval_tiers.rubrics.results import NOT_SATISFIED, PARTIALLY, SATISFIED

COMPARED: Final = "compared"
NO_LABEL: Final = "without_label"
UNUSABLE_LABEL: Final = "label_unusable"
NO_VERDICT: Final = "without_verdict"

MEANS: Final = ("raw_agreement", "kappa", "f1_macro", "f1_macro_present")


@dataclass(frozen=True, slots=True)
class Labelled:
    """One rubric of one report: what people say, and what the examiner says."""

    sample_id: str
    axis: str | None
    people: str
    examiner: str


@dataclass(slots=True)
class LabelledPairs:
    """Rubrics that both judged, and those that they didn't.

    Attributes
    ----------
    compared : list of Labelled
    counts : dict of str to int
        Of the expected pairs, by where they end.
    left_out : list of dict
        Pairs with a label that can't be compared: sample_id, rubric_index, criterion, reason.
    """

    compared: list[Labelled] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    left_out: list[dict[str, Any]] = field(default_factory=list)


def pair_labels(examiner: Coverage, people: Coverage, binarize: bool = False) -> LabelledPairs:
    """Put the verdicts of examiner and people side by side.

    Parameters
    ----------
    examiner, people : Coverage
        Of the same expected pairs.
    binarize : bool
        Whether `PARTIALLY` is `NOT_SATISFIED`.
    """
    found = LabelledPairs()
    counts: Counter[str] = Counter()
    for one, other in zip(examiner.every_pair(), people.every_pair(), strict=True):
        state, reason = _state_of(one, other)
        counts[state] += 1
        if state == COMPARED:
            said = [_label(str(pair.verdict), binarize) for pair in (other, one)]
            found.compared.append(Labelled(one.expected.sample_id, one.expected.axis, *said))
        elif state != NO_LABEL:
            expected = one.expected
            found.left_out.append(
                {
                    "sample_id": expected.sample_id,
                    "rubric_index": expected.index,
                    "criterion": expected.criterion,
                    "state": state,
                    "reason": reason,
                }
            )
    found.counts = {
        state: counts[state] for state in (COMPARED, NO_LABEL, UNUSABLE_LABEL, NO_VERDICT)
    }
    return found


def _state_of(examiner: Pair, people: Pair) -> tuple[str, str]:
    if people.state in (MISSING, FAILED):  # no row, or a blank one
        return NO_LABEL, ""
    if people.state != SCORED:
        return UNUSABLE_LABEL, f"{people.state}: {people.reason}"
    if examiner.state != SCORED:
        return NO_VERDICT, f"the examiner's is {examiner.state}: {examiner.reason}"
    return COMPARED, ""


def _label(verdict: str, binarize: bool) -> str:
    return NOT_SATISFIED if binarize and verdict == PARTIALLY else verdict


def labels_of_scale(ternary: bool, binarize: bool) -> tuple[str, ...]:
    """Return the verdicts of a scale: what macro-F1 over all labels runs over."""
    if ternary and not binarize:
        return SATISFIED, PARTIALLY, NOT_SATISFIED
    return SATISFIED, NOT_SATISFIED


def agreement_figures(rows: Sequence[Labelled], labels: Sequence[str]) -> dict[str, Any]:
    """Return how far two judge alike.

    Parameters
    ----------
    rows : sequence of Labelled
    labels : sequence of str
        The verdicts of the scale.

    Returns
    -------
    dict
        ``raw_agreement`` with Wilson's interval and one clustered by sample; ``kappa`` (None:
        undefined, since nothing is rated or all is one verdict) with one of independent rows and
        one clustered by sample; ``f1_macro`` over ``labels`` and ``f1_macro_present`` over the
        labels that either used, people's being right (0/0 is 0); ``categories``: prevalence and
        both error rates of each verdict.
    """
    people, examiner = [row.people for row in rows], [row.examiner for row in rows]
    found = cohen_kappa(people, examiner)
    names = {name: place for place, name in enumerate(dict.fromkeys(r.sample_id for r in rows))}
    clusters = [names[row.sample_id] for row in rows]
    same = [float(a == b) for a, b in zip(people, examiner, strict=True)]
    clustered = clustered_interval(same, clusters) if len(set(same)) > 1 else None
    f1 = {label: _f1(people, examiner, label) for label in {*labels, *people, *examiner}}
    present = sorted({*people, *examiner})
    figures: dict[str, Any] = {"n": found.n, "sample_n": len(names), "raw_agreement": found.raw}
    _add_interval(figures, "raw_agreement", wilson_interval(sum(same), found.n))
    _add_interval(figures, "raw_agreement_clustered", _cut(clustered, 0.0))
    figures["kappa"] = found.kappa
    bounds = found.interval
    if bounds is not None and bounds[0] == bounds[1]:  # no spread says nothing of how far it is
        bounds = None
    _add_interval(figures, "kappa", bounds)
    _add_interval(
        figures, "kappa_clustered", _cut(kappa_clustered(people, examiner, clusters), -1.0)
    )
    figures["f1_macro"] = _mean([f1[label] for label in labels]) if rows else None
    figures["f1_macro_present"] = _mean([f1[label] for label in present]) if rows else None
    figures["categories"] = {
        name: {
            "people_rate": one.first_rate,
            "examiner_rate": one.second_rate,
            "missed_rate": one.missed_rate,
            "false_rate": one.false_rate,
        }
        for name, one in found.categories.items()
    }
    return figures


def mean_over_tasks(rows: Sequence[Labelled], labels: Sequence[str]) -> dict[str, Any]:
    """Return the plain means of the tasks' own figures, each over the tasks that have it.

    Intervals take tasks as independent of each other: Student's t under 30, else normal.
    """
    by_sample: dict[str, list[Labelled]] = {}
    for row in rows:
        by_sample.setdefault(row.sample_id, []).append(row)
    each = [agreement_figures(by_sample[name], labels) for name in sorted(by_sample)]
    found: dict[str, Any] = {"task_n": len(each)}
    for key in MEANS:
        values = [one[key] for one in each if one[key] is not None]
        interval = None
        if len(set(values)) > 1:
            interval = clustered_interval(values, range(len(values)))
        found[key] = _mean(values)
        found[f"{key}_n"] = len(values)
        _add_interval(found, key, _cut(interval, -1.0 if key == "kappa" else 0.0))
    return found


def kappa_clustered(
    first: Sequence[str], second: Sequence[str], clusters: Sequence[int]
) -> tuple[float, float] | None:
    """Return the 95 % interval of Cohen's kappa over clustered items; None where it has none.

    By what each item moves kappa to first order, added up by cluster.
    """
    n, cluster_n = len(first), len(set(clusters))
    if n == 0 or cluster_n < 2:
        return None
    one, other = Counter(first), Counter(second)
    raw = sum(a == b for a, b in zip(first, second, strict=True)) / n
    chance = sum(one[name] * other[name] for name in one) / n**2
    if chance >= 1:
        return None
    kappa = (raw - chance) / (1 - chance)
    sums = np.zeros(max(clusters) + 1)
    for a, b, cluster in zip(first, second, clusters, strict=True):
        moved = float(a == b) - raw
        by_chance = other[a] / n + one[b] / n - 2 * chance
        sums[cluster] += moved / (1 - chance) - (1 - raw) / (1 - chance) ** 2 * by_chance
    return interval_of_variance(kappa, cluster_variance(sums / n, cluster_n), cluster_n)


def _f1(people: Sequence[str], examiner: Sequence[str], label: str) -> float:
    both = sum(a == b == label for a, b in zip(people, examiner, strict=True))
    whole = people.count(label) + examiner.count(label)
    return 2 * both / whole if whole else 0.0


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _cut(interval: tuple[float, float] | None, least: float) -> tuple[float, float] | None:
    return None if interval is None else (max(least, interval[0]), min(1.0, interval[1]))


def _add_interval(figures: dict[str, Any], key: str, interval: tuple[float, float] | None) -> None:
    figures[f"{key}_low"], figures[f"{key}_high"] = interval or (None, None)
