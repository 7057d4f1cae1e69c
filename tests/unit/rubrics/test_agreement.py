"""Agreement with people: scikit-learn says the same."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from eval_tiers.metrics.agreement import cohen_kappa
from eval_tiers.rubrics.agreement import (
    Labelled,
    agreement_figures,
    kappa_clustered,
    labels_of_scale,
    mean_over_tasks,
    pair_labels,
)
from eval_tiers.rubrics.coverage import build_coverage, expected_of_tasks
from eval_tiers.rubrics.results import NOT_SATISFIED, PARTIALLY, SATISFIED
from eval_tiers.rubrics.tasks import parse_task
from tests.rubric_rows import given, rows, task

BINARY = labels_of_scale(False, False)
TERNARY = labels_of_scale(True, False)


def drawn(seed: int, labels: tuple[str, ...], n: int = 60, tasks: int = 7) -> list[Labelled]:
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(len(labels)))
    people = rng.choice(labels, n, p=shares)
    other = rng.choice(labels, n)
    said = np.where(rng.random(n) < 0.7, people, other)
    return [
        Labelled(f"r{i % tasks}", "A", str(a), str(b))
        for i, (a, b) in enumerate(zip(people, said, strict=True))
    ]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("labels", [BINARY, TERNARY])
def test_as_scikit_learn(seed: int, labels: tuple[str, ...]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rows_ = drawn(seed, labels, n=8 if seed % 2 else 60)
    people, examiner = [row.people for row in rows_], [row.examiner for row in rows_]
    found = agreement_figures(rows_, labels)
    assert found["raw_agreement"] == pytest.approx(metrics.accuracy_score(people, examiner))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kappa = metrics.cohen_kappa_score(people, examiner)
        f1 = metrics.f1_score(
            people, examiner, labels=list(labels), average="macro", zero_division=0
        )
        present = metrics.f1_score(people, examiner, average="macro", zero_division=0)
    if np.isnan(kappa):
        assert found["kappa"] is None
    else:
        assert found["kappa"] == pytest.approx(kappa)
    assert found["f1_macro"] == pytest.approx(f1)
    assert found["f1_macro_present"] == pytest.approx(present)
    matrix = metrics.confusion_matrix(people, examiner, labels=list(labels))
    for place, label in enumerate(labels):
        one = found["categories"].get(label)
        if one is None:
            assert matrix[place].sum() == matrix[:, place].sum() == 0
            continue
        support, right = matrix[place].sum(), matrix[place, place]
        assert one["people_rate"] == pytest.approx(support / len(rows_))
        assert one["missed_rate"] == (pytest.approx(1 - right / support) if support else None)


def test_one_category_is_undefined() -> None:
    found = agreement_figures([Labelled("r1", "A", SATISFIED, SATISFIED)] * 5, BINARY)
    assert found["kappa"] is None
    assert found["raw_agreement"] == 1.0
    assert (found["f1_macro"], found["f1_macro_present"]) == (0.5, 1.0)
    assert agreement_figures([], BINARY)["raw_agreement"] is None


def test_means_over_tasks() -> None:
    rows_ = [
        Labelled("r1", "A", SATISFIED, SATISFIED), Labelled("r1", "A", NOT_SATISFIED, NOT_SATISFIED),
        Labelled("r2", "A", SATISFIED, SATISFIED), Labelled("r2", "A", SATISFIED, NOT_SATISFIED),
        Labelled("r3", "A", SATISFIED, SATISFIED),
    ]  # fmt: skip
    found = mean_over_tasks(rows_, BINARY)
    assert found["task_n"] == 3
    assert found["raw_agreement"] == pytest.approx((1 + 0.5 + 1) / 3)
    # kappa: 1 in r1, 0 in r2 (people gave one verdict), undefined in r3
    assert (found["kappa"], found["kappa_n"]) == (0.5, 2)


def test_kappa_of_independent_rows_has_the_known_variance() -> None:
    rows_ = drawn(5, BINARY, n=400, tasks=400)
    people, examiner = [row.people for row in rows_], [row.examiner for row in rows_]
    plain = cohen_kappa(people, examiner).interval
    clustered = kappa_clustered(people, examiner, range(400))
    assert plain is not None and clustered is not None
    # Fleiss, Cohen & Everitt's variance but for the factor C/(C-1)
    ratio = (clustered[1] - clustered[0]) / (plain[1] - plain[0])
    assert ratio == pytest.approx((400 / 399) ** 0.5, rel=1e-6)


def test_kappa_of_doubled_rows_is_as_wide_as_that_of_the_rows() -> None:
    rows_ = drawn(6, TERNARY, n=120, tasks=120)
    people, examiner = [row.people for row in rows_], [row.examiner for row in rows_]
    once = kappa_clustered(people, examiner, range(120))
    twice = kappa_clustered(people * 2, examiner * 2, [*range(120), *range(120)])
    assert once == pytest.approx(twice)


def test_pairs_that_are_not_compared_are_counted() -> None:
    expected = expected_of_tasks([parse_task(task("r1", [1] * 6))[0]])
    examiner = build_coverage([given(one) for one in rows("r1", "SNSFSS", [1] * 6)], expected, True)
    said = [one for i, one in enumerate(rows("r1", "SSNSFP", [1] * 6)) if i != 2]
    people = build_coverage([given(one) for one in said], expected, True)
    found = pair_labels(examiner, people)
    assert found.counts == {
        "compared": 2, "without_label": 2, "label_unusable": 1, "without_verdict": 1,
    }  # fmt: skip
    assert sum(found.counts.values()) == 6
    assert [(one["rubric_index"], one["state"]) for one in found.left_out] == [
        (3, "without_verdict"), (5, "label_unusable"),
    ]  # fmt: skip


def test_binarized_labels() -> None:
    expected = expected_of_tasks([parse_task(task("r1", [1, 1]))[0]])
    examiner = build_coverage([given(one) for one in rows("r1", "PN", [1, 1])], expected, True,
                              binarize=True)  # fmt: skip
    people = build_coverage([given(one) for one in rows("r1", "NP", [1, 1])], expected, True,
                            binarize=True)  # fmt: skip
    found = pair_labels(examiner, people, binarize=True).compared
    assert {(row.people, row.examiner) for row in found} == {(NOT_SATISFIED, NOT_SATISFIED)}
    assert labels_of_scale(True, True) == BINARY
    assert PARTIALLY in TERNARY
