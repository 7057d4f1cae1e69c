"""Laws of rubric scores: order, shards, repetition; bounds; a slow second reading."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.exceptions import SourceRef
from eval_tiers.rubrics.coverage import build_coverage, expected_of_rows, expected_of_tasks
from eval_tiers.rubrics.results import GivenRow
from eval_tiers.rubrics.scores import POLICIES, sample_compliance
from eval_tiers.rubrics.tasks import parse_task
from eval_tiers.summaries.rubrics import build_rubric_summary
from tests.rubric_rows import given as given_row
from tests.rubric_rows import rows, task

weights = st.integers(-5, 5).map(float)
samples = st.dictionaries(
    st.sampled_from(["r1", "r2", "r3", "r4"]),
    st.lists(st.tuples(weights, st.sampled_from("SNF-")), min_size=1, max_size=6),
    min_size=1,
)


def records(drawn: dict[str, list[tuple[float, str]]]) -> list[dict[str, Any]]:
    return [
        record
        for name, pairs in drawn.items()
        for record, (_, letter) in zip(
            rows(name, "".join(x for _, x in pairs), [w for w, _ in pairs]), pairs, strict=True
        )
        if letter != "-"
    ]


def summary(
    drawn: dict[str, list[tuple[float, str]]], every: list[GivenRow], with_data: bool
) -> dict[str, Any]:
    tasks = [parse_task(task(name, [w for w, _ in pairs]))[0] for name, pairs in drawn.items()]
    expected = expected_of_tasks(tasks) if with_data else expected_of_rows(every)
    coverage = build_coverage(every, expected, with_data)
    return build_rubric_summary(coverage, every, tasks if with_data else None, "strict")


def figures(found: dict[str, Any]) -> dict[str, Any]:
    """A summary without the lines that rows lie on."""
    kept = {key: value for key, value in found.items() if not key.endswith("_rows")}
    del kept["findings"]
    kept["unscored_pairs"] = [
        {key: value for key, value in one.items() if key not in ("path", "line")}
        for one in found["unscored_pairs"]
    ]
    return kept


@given(samples, st.booleans(), st.randoms(use_true_random=False))
def test_order_shards_and_repetition_change_nothing(
    drawn: dict[str, list[tuple[float, str]]], with_data: bool, rng: random.Random
) -> None:
    every = [given_row(one, line) for line, one in enumerate(records(drawn), 1)]
    first = figures(summary(drawn, every, with_data))
    mixed = list(every)
    rng.shuffle(mixed)
    shards = [
        GivenRow(one.row, SourceRef(rng.choice("ab"), line), one.digest)
        for line, one in enumerate(mixed, 1)
    ]
    assert figures(summary(drawn, shards, with_data)) == first
    twice = figures(summary(drawn, every + mixed, with_data))
    first["coverage"]["row_n"] *= 2
    assert twice == first


@given(samples)
def test_scores_by_a_slow_second_reading(drawn: dict[str, list[tuple[float, str]]]) -> None:
    every = [given_row(one) for one in records(drawn)]
    tasks = [parse_task(task(name, [w for w, _ in pairs]))[0] for name, pairs in drawn.items()]
    coverage = build_coverage(every, expected_of_tasks(tasks), True)
    for name, pairs in drawn.items():
        for policy in POLICIES:
            wanted = slowly([(Fraction(int(w)), x) for w, x in pairs], policy)
            found = sample_compliance(coverage.pairs[name], policy).value
            assert (found is None) == (wanted is None)
            if found is not None and wanted is not None:
                assert abs(found - float(wanted)) < 1e-12
                assert found <= 1


def slowly(pairs: list[tuple[Fraction, str]], policy: str) -> Fraction | None:
    if all(letter == "-" for _, letter in pairs):
        return None
    top, bottom = Fraction(0), Fraction(0)
    for weight, letter in pairs:
        if letter in "F-":
            if policy == "strict":
                return None
            if policy == "exclude":
                continue
        if letter == "S":
            top += weight
        if weight > 0:
            bottom += weight
    return top / bottom if bottom else None


@given(samples)
def test_pairs_add_up_and_failures_are_of_scored_pairs(
    drawn: dict[str, list[tuple[float, str]]],
) -> None:
    every = [given_row(one) for one in records(drawn)]
    found = summary(drawn, every, True)
    coverage = found["coverage"]
    assert sum(coverage["pairs"].values()) == coverage["pair_n"] == sum(map(len, drawn.values()))
    letters = [(w, x) for pairs in drawn.values() for w, x in pairs if w]
    overall = found["failures"]["overall"]
    assert overall["failure_rate_n"] == sum(x in "SN" for _, x in letters)
    assert overall["failure_n"] == sum((x == "N") if w > 0 else (x == "S") for w, x in letters)
    assert overall["unscored_n"] == sum(x in "F-" for _, x in letters)
    for name in ("by_axis", "by_domain", "by_sign"):
        groups = found["failures"][name]
        assert sum(one["failure_n"] for one in groups.values()) == overall["failure_n"]
