"""What is told of judged rubrics: scores, failures, coverage, costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from eval_tiers.domain.findings import Finding
from eval_tiers.metrics.clustered import clustered_interval
from eval_tiers.rubrics.coverage import SCORED, STATES, Coverage, Pair, count_states
from eval_tiers.rubrics.failures import (
    NO_AXIS,
    UNKNOWN,
    axis_of,
    failure_figures,
    failures_by,
    failures_by_sample,
    sign_of,
)
from eval_tiers.rubrics.results import GivenRow
from eval_tiers.rubrics.scores import NO_ROW, POLICIES, Compliance, sample_compliance
from eval_tiers.rubrics.tasks import RubricTask

KIND: Final = "rubric_scores"
METRICS_VERSION: Final = "rubrics-1"
DIMENSIONS: Final = ("domain", "conceptual_breadth", "logical_nesting", "exploration")
"""What samples differ in, beside their rubrics' axes."""

Scores = Mapping[str, Compliance]


def build_rubric_summary(
    coverage: Coverage,
    rows: Sequence[GivenRow],
    tasks: Sequence[RubricTask] | None,
    unscored: str,
    unreadable: Sequence[Finding] = (),
    findings: Sequence[Finding] = (),
) -> dict[str, Any]:
    """Return the summary of a set of judged rubrics, in strict JSON.

    Parameters
    ----------
    coverage : Coverage
    rows : sequence of GivenRow
        All that were read.
    tasks : sequence of RubricTask or None
        None where there is no data.
    unscored : str
        One of `POLICIES`: which of them the headline is of.
    unreadable, findings : sequence of Finding
        Rows that don't say whose they are, and what else was found.
    """
    scores = {
        sample_id: {policy: sample_compliance(pairs, policy) for policy in POLICIES}
        for sample_id, pairs in coverage.pairs.items()
    }
    by_unscored = {
        policy: mean_figures([one[policy] for one in scores.values()]) for policy in POLICIES
    }
    details = _details(coverage, tasks)
    pairs = coverage.every_pair()
    return {
        "unscored": unscored,
        "sample_n": len(scores),
        **by_unscored[unscored],
        "by_unscored": by_unscored,
        "unscored_matters": any(_differ(one) for one in scores.values()),
        "coverage": {
            "known": coverage.is_known,
            "pair_n": len(pairs),
            "pairs": count_states(pairs),
            "row_n": len(rows) + len(unreadable),
            "extra_row_n": len(coverage.extra),
            "unreadable_row_n": len(unreadable),
            "sample_without_row_n": sum(one[unscored].reason == NO_ROW for one in scores.values()),
        },
        "samples": [
            _sample(sample_id, coverage.pairs[sample_id], one, unscored, details[sample_id])
            for sample_id, one in scores.items()
        ],
        "scores_by": _by_dimension(scores, details, unscored),
        "failures": _failures(coverage, details),
        "costs": build_costs(rows),
        "unscored_pairs": [_unscored(pair) for pair in pairs if pair.state != SCORED],
        "rejected_rows": _listed([*coverage.rejected, *unreadable]),
        "extra_rows": _listed(coverage.extra),
        "duplicate_rows": _listed(coverage.duplicates),
        "findings": _listed([*findings, *coverage.notes]),
    }


def build_costs(rows: Sequence[GivenRow]) -> dict[str, Any]:
    """Return cost and tokens over rows, and how many rows know them.

    Rows of the same content count once; those without success count too: they were paid for. A
    sum over some rows only is a lower bound; over none it is null.
    """
    distinct = list({given.digest: given.row for given in rows}.values())
    costs = sorted(row.cost for row in distinct if row.cost is not None)
    tokens = [row.tokens_used for row in distinct if row.tokens_used is not None]
    return {
        "row_n": len(distinct),
        "cost": math.fsum(costs) if costs else None,
        "cost_row_n": len(costs),
        "tokens_used": sum(tokens) if tokens else None,
        "tokens_used_row_n": len(tokens),
    }


def mean_figures(scores: Sequence[Compliance]) -> dict[str, Any]:
    """Return the mean over samples with a score, plain and clipped, each with n and interval."""
    found: dict[str, Any] = {}
    for key, values in (
        ("compliance_mean", [one.value for one in scores if one.value is not None]),
        (
            "compliance_mean_clipped_at_0",
            [one.clipped for one in scores if one.clipped is not None],
        ),
    ):
        interval = None
        if len(set(values)) > 1:
            interval = clustered_interval(values, range(len(values)))
        found[key] = math.fsum(values) / len(values) if values else None
        found[f"{key}_n"] = len(values)
        low, high = interval or (None, None)
        if low is not None and key.endswith("_at_0"):
            low = max(0.0, low)
        found[f"{key}_low"] = low
        found[f"{key}_high"] = None if high is None else min(1.0, high)
    return found


def _differ(scores: Scores) -> bool:
    return len({one.value for one in scores.values()}) > 1


def _details(
    coverage: Coverage, tasks: Sequence[RubricTask] | None
) -> dict[str, dict[str, str | None]]:
    """Return domain and difficulty of each sample; None where they are unknown."""
    if tasks is not None:
        return {
            task.sample_id: {name: getattr(task, name) or NO_AXIS for name in DIMENSIONS}
            for task in tasks
        }
    found: dict[str, dict[str, str | None]] = {}
    for sample_id, pairs in coverage.pairs.items():
        domains = {pair.expected.domain for pair in pairs} - {None}
        domain = domains.pop() if len(domains) == 1 else None
        found[sample_id] = dict.fromkeys(DIMENSIONS, None) | {"domain": domain}
    return found


def _sample(
    sample_id: str,
    pairs: Sequence[Pair],
    scores: Scores,
    unscored: str,
    details: Mapping[str, str | None],
) -> dict[str, Any]:
    chosen = scores[unscored]
    counts = count_states(pairs)
    weights = [pair.expected.weight for pair in pairs]
    known = [weight for weight in weights if weight is not None]
    rows = [given for pair in pairs for given in pair.rows]
    costs = build_costs(rows)
    return {
        "sample_id": sample_id,
        "compliance_score": chosen.value,
        "compliance_score_clipped_at_0": chosen.clipped,
        "reason": chosen.reason or None,
        "by_unscored": {policy: one.value for policy, one in scores.items()},
        "rubric_n": len(pairs),
        **{f"{state}_n": counts[state] for state in STATES},
        "positive_weight": (
            math.fsum(weight for weight in known if weight > 0)
            if len(known) == len(weights)
            else None
        ),
        **details,
        "cost": costs["cost"],
        "tokens_used": costs["tokens_used"],
    }


def _by_dimension(
    scores: Mapping[str, Scores], details: Mapping[str, Mapping[str, str | None]], unscored: str
) -> dict[str, dict[str, Any] | None]:
    found: dict[str, dict[str, Any] | None] = {}
    for name in DIMENSIONS:
        groups: dict[str, list[Compliance]] = {}
        for sample_id, one in scores.items():
            groups.setdefault(details[sample_id][name] or UNKNOWN, []).append(one[unscored])
        known = any(details[sample_id][name] for sample_id in scores)
        found[name] = (
            {
                value: {"sample_n": len(groups[value]), **mean_figures(groups[value])}
                for value in sorted(groups)
            }
            if known
            else None
        )
    return found


def _failures(
    coverage: Coverage, details: Mapping[str, Mapping[str, str | None]]
) -> dict[str, Any]:
    pairs = coverage.every_pair()
    found: dict[str, Any] = {
        "overall": failure_figures(pairs),
        "by_sign": failures_by(pairs, sign_of),
        "by_axis": failures_by(pairs, axis_of),
    }
    for name in DIMENSIONS:
        known = any(one[name] for one in details.values())
        found[f"by_{name}"] = failures_by(pairs, _reader(details, name)) if known else None
    found["by_sample"] = failures_by_sample(coverage.pairs)
    return found


def _reader(details: Mapping[str, Mapping[str, str | None]], name: str) -> Callable[[Pair], str]:
    return lambda pair: details[pair.expected.sample_id][name] or UNKNOWN


def _unscored(pair: Pair) -> dict[str, Any]:
    first = pair.rows[0].where if pair.rows else None
    return {
        "sample_id": pair.expected.sample_id,
        "rubric_index": pair.expected.index,
        "criterion": pair.expected.criterion,
        "weight": pair.expected.weight,
        "state": pair.state,
        "reason": pair.reason,
        "path": None if first is None else first.path,
        "line": None if first is None else first.line,
    }


def _listed(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    return [{**finding.as_dict(), "sample_id": finding.where.sample} for finding in findings]
