"""Figures of RR-10 from counts: the worked numbers of its definition, and undefined ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest

from eval_tiers.domain.rr10 import DOWN, INDETERMINATE, LABELS, NO_LABEL, TRAP, UP, Item
from eval_tiers.formats.rr10 import parse_item
from eval_tiers.summaries.interval_figures import Figures
from eval_tiers.summaries.rr10_counts import ITEM_SUMS, PLACE, Rr10Counts
from eval_tiers.summaries.rr10_figures import (
    ItemTable,
    context_figures,
    corpus_flags,
    evidence_figures,
    go_focus_figures,
    invalid_reasons,
    label_figures,
    pair_rows,
)
from eval_tiers.summaries.rr10_probe import artefact_probe
from tests.rr10_benchmark import build_items

ITEMS = [parse_item(record, line) for line, record in enumerate(build_items(), 1)]
Labels = Callable[[Item], Sequence[int]]


def counted(items: Sequence[Item], labels_of: Labels) -> Rr10Counts:
    """Counts of these answers, one list of labels an item."""
    counts = Rr10Counts.empty(len(items))
    for sums, item in zip(counts.items, items, strict=True):
        for label in labels_of(item) or [NO_LABEL]:
            sums[PLACE["row_n"]] += 1
            if label != NO_LABEL:
                sums[PLACE["valid_n"]] += 1
                sums[PLACE[f"{LABELS[label]}_n"]] += 1
                sums[PLACE["right_n"]] += label == item.label
    return counts


def table_of(labels_of: Labels, items: Sequence[Item] = ITEMS) -> ItemTable:
    return ItemTable.build(items, counted(items, labels_of))


def figures_of(labels_of: Labels, items: Sequence[Item] = ITEMS, compat: bool = False) -> Figures:
    return label_figures(table_of(labels_of, items), compat)


def check(found: Figures, **expected: float | None) -> None:
    for name, value in expected.items():
        if value is None:
            assert found[name] is None, name
        else:
            assert found[name] == pytest.approx(value, abs=5e-5), name


@pytest.mark.parametrize("compat", [False, True])
def test_all_indeterminate(compat: bool) -> None:
    check(
        figures_of(lambda item: [INDETERMINATE], compat=compat),
        n_items=200, coverage=1, accuracy_total=0.5, trap_accuracy=1, control_accuracy=0,
        trap_overclaim_rate=0, overall_abstention_rate=1, control_abstention_rate=1,
        paired_directional_robustness=0, pair_complete_rate=1, macro_f1=0.2222,
        trap_invalid_rate=0, control_wrong_direction_rate=0, trap_times_control_accuracy=0,
    )  # fmt: skip


def test_all_up_and_all_down() -> None:
    check(
        figures_of(lambda item: [UP]),
        accuracy_total=0.22, control_accuracy=0.44, trap_overclaim_rate=1, macro_f1=0.1202,
        control_wrong_direction_rate=0.56, control_abstention_rate=0,
    )  # fmt: skip
    check(
        figures_of(lambda item: [DOWN]),
        accuracy_total=0.28, control_accuracy=0.56, trap_overclaim_rate=1, macro_f1=0.1458,
        control_wrong_direction_rate=0.44,
    )  # fmt: skip


def test_gold_and_nothing() -> None:
    check(
        figures_of(lambda item: [item.label]),
        accuracy_total=1, trap_accuracy=1, control_accuracy=1, paired_directional_robustness=1,
        pair_complete_rate=1, macro_f1=1, control_abstention_rate=0, overall_abstention_rate=0.5,
    )  # fmt: skip
    nothing = figures_of(lambda item: [])
    check(
        nothing, coverage=0, accuracy_total=0, macro_f1=0, paired_directional_robustness=0,
        pair_complete_rate=0, trap_overclaim_rate=0, trap_invalid_rate=1,
        control_wrong_direction_rate=0,
    )  # fmt: skip
    assert nothing["prediction_counts"] == {
        "upregulated": 0, "downregulated": 0, "indeterminate": 0, "invalid": 200,
    }  # fmt: skip
    compat = figures_of(lambda item: [], compat=True)
    assert compat["prediction_counts"] == {"None": 200}


def half_of_the_pairs(item: Item) -> list[int]:
    """Right on pairs 1 to 22 (up) and 45 to 72 (down), nothing on the others."""
    number = int(item.sample_id[-5:])
    return [item.label] if number <= 22 or 45 <= number <= 72 else []


def test_half_of_the_pairs() -> None:
    check(
        figures_of(half_of_the_pairs),
        coverage=0.5, accuracy_total=0.5, paired_directional_robustness=0.5,
        pair_complete_rate=0.5, macro_f1=0.6667, trap_invalid_rate=0.5,
        trap_times_control_accuracy=0.25,
    )  # fmt: skip


def pairs_of(pair_n: int) -> list[Item]:
    return [parse_item(record, line) for line, record in enumerate(build_items(pair_n), 1)]


def test_pair_rates_divide_by_the_pairs_found_or_by_100() -> None:
    fifty = pairs_of(50)
    gold = figures_of(lambda item: [item.label], fifty)
    check(gold, pair_n=50, paired_directional_robustness=1, pair_complete_rate=1)
    compat = figures_of(lambda item: [item.label], fifty, compat=True)
    check(compat, pair_n=50, paired_directional_robustness=0.5, pair_complete_rate=0.5)

    def all_but_two(item: Item) -> list[int]:
        return [] if item.sample_id in {"OSDR-FRAG-00101", "OSDR-CTRL-00102"} else [item.label]

    more = pairs_of(102)
    check(figures_of(all_but_two, more), paired_directional_robustness=0.9804, coverage=202 / 204)
    check(
        figures_of(all_but_two, more, compat=True),
        paired_directional_robustness=1.0, pair_complete_rate=1.0,
    )  # fmt: skip


def test_an_item_without_its_partner_is_in_no_pair() -> None:
    lone = [item for item in ITEMS[:5] if item.sample_id != "OSDR-CTRL-00001"]
    found = figures_of(lambda item: [item.label], lone)
    check(found, n_items=4, pair_n=1, paired_directional_robustness=1, pair_complete_rate=1)
    nobody = figures_of(lambda item: [item.label], ITEMS[:1])
    check(nobody, pair_n=0, paired_directional_robustness=None, pair_complete_rate=None)
    check(nobody, control_accuracy=None, trap_accuracy=1, trap_times_control_accuracy=None)
    check(nobody, control_accuracy_low=None, control_accuracy_clustered_low=None)


def test_rollouts_are_means_with_items_as_unit() -> None:
    """One pair: the trap right in 3 of 4 rollouts, the control in 1 of 2."""
    pair = ITEMS[:2]

    def answered(item: Item) -> list[int]:
        return [INDETERMINATE] * 3 + [UP] if item.item_type == TRAP else [UP, NO_LABEL]

    check(
        figures_of(answered, pair),
        accuracy_total=0.625, trap_accuracy=0.75, control_accuracy=0.5, coverage=0.75,
        trap_overclaim_rate=0.25, paired_directional_robustness=0.375, pair_complete_rate=0.5,
    )  # fmt: skip
    assert figures_of(answered, pair)["accuracy_total_n"] == 2


def test_wilson_and_clustered_intervals() -> None:
    found = figures_of(lambda item: [INDETERMINATE])
    check(found, control_accuracy_low=0, control_accuracy_high=0.0370)
    check(found, accuracy_total_low=0.4314, accuracy_total_high=0.5686)
    # In each pair one is right and one is wrong: residuals cancel, and [.5, .5] is no interval.
    check(found, accuracy_total_clustered_low=None, accuracy_total_clustered_high=None)
    # No two controls share a pair: Wilson's interval stands.
    check(found, control_accuracy_clustered_low=None, control_accuracy_clustered_high=None)
    half = figures_of(half_of_the_pairs)  # both or neither: as if there were 100 answers
    error = 1.959964 * (100 / 99 * 0.25 / 100) ** 0.5
    check(half, accuracy_total_clustered_low=0.5 - error)
    check(half, accuracy_total_clustered_high=0.5 + error)


def test_class_metrics_and_confusion() -> None:
    found = figures_of(lambda item: [UP])
    metrics = found["class_metrics"]
    assert isinstance(metrics, dict)
    names = ("precision", "recall", "f1", "support")
    assert {word: {name: of[name] for name in names} for word, of in metrics.items()} == {
        "upregulated": {"precision": 0.22, "recall": 1.0, "f1": pytest.approx(0.3607, abs=5e-5),
                        "support": 44},
        "downregulated": {"precision": None, "recall": 0.0, "f1": 0.0, "support": 56},
        "indeterminate": {"precision": None, "recall": 0.0, "f1": 0.0, "support": 100},
    }  # fmt: skip
    compat = figures_of(lambda item: [UP], compat=True)["class_metrics"]
    assert isinstance(compat, dict)
    assert compat["downregulated"]["precision"] == 0.0  # as the reference writes 0/0
    matrix = found["confusion_matrix"]
    assert isinstance(matrix, dict)
    assert [row["upregulated"] for row in matrix.values()] == [44, 56, 100]


def test_per_context_and_per_pair() -> None:
    table = table_of(half_of_the_pairs)
    contexts = context_figures(table)
    assert list(contexts) == sorted({item.context for item in ITEMS})
    assert sum(int(str(found["n"])) for found in contexts.values()) == 200
    assert sum(int(str(found["invalid_or_missing"])) for found in contexts.values()) == 100
    for name, found in contexts.items():
        numbers = [n for n in range(1, 101) if ITEMS[2 * n - 1].context == name]
        right = sum(n <= 22 or 45 <= n <= 72 for n in numbers) / len(numbers)
        check(found, accuracy=right, paired_directional_robustness=right)
        check(found, trap_times_control_accuracy=right * right)
    rows = pair_rows(table, ITEMS)
    assert [row["pair"] for row in rows] == [f"{n:05d}" for n in range(1, 101)]
    assert sum(float(str(row["both_right"])) for row in rows) == 50
    assert {row["trap_id"] for row in rows} == {i.sample_id for i in ITEMS if i.item_type == TRAP}


def test_artefact_probe() -> None:
    table = table_of(lambda item: [])
    even = artefact_probe(table, ITEMS)  # both sides of a pair have as many datasets
    check(even, auroc=0.5, best_accuracy=0.5, majority=0.5, n=200)
    # No two datasets counts differ between sides: nothing is known of the spread by pairs.
    check(even, auroc_clustered_low=None, majority_n=200)
    apart = [
        parse_item(
            record | {"evidence": {"datasets": ["OSD-1", "OSD-2", "OSD-3"][: 1 + 2 * (n % 2)]}}, n
        )
        for n, record in enumerate(build_items(10), 1)  # traps 3 datasets, controls 1
    ]
    found = artefact_probe(table_of(lambda item: [], apart), apart)
    check(found, auroc=1, best_accuracy=1, majority=0.5, n=20)
    check(found, auroc_low=0.8389, auroc_high=1, auroc_clustered_low=None)  # Wilson's of 20
    only = [item for item in ITEMS if item.item_type == TRAP]
    assert artefact_probe(table_of(lambda item: [], only), only)["auroc"] is None


@pytest.mark.parametrize(
    ("overclaimed", "abstained", "flags"),
    [
        (61, 0, ["OVERCLAIM_BIAS"]),  # lower bound .512
        (59, 0, []),  # .492
        (0, 61, ["BLANKET_ABSTENTION"]),
        (100, 100, ["OVERCLAIM_BIAS", "BLANKET_ABSTENTION"]),
    ],
)
def test_corpus_flags(overclaimed: int, abstained: int, flags: list[str]) -> None:
    def answered(item: Item) -> list[int]:
        number = int(item.sample_id[-5:])
        if item.item_type == TRAP:
            return [UP] if number <= overclaimed else [INDETERMINATE]
        return [INDETERMINATE] if number <= abstained else [item.label]

    assert corpus_flags(figures_of(answered)) == flags


def test_evidence_figures_by_hand() -> None:
    """Two items: one cites (2 rollouts), one doesn't."""
    items = ITEMS[:2]
    counts = counted(items, lambda item: [item.label, item.label])
    values = {"cited_n": 2, "precision_sum": 1.5, "recall_sum": 1.0, "fabrication_sum": 0.25,
              "unverified_sum": 0.5, "implied_n": 2, "implied_agrees_n": 1, "hard_n": 1,
              "correct_label_n": 1}  # fmt: skip
    for name, value in values.items():
        counts.items[0, PLACE[name]] = value
    counts.counts.update({("error_label", "c", "CORRECT"): 1, ("error_label", "d", "CORRECT"): 2})
    counts.counts["verdict", "c", "SUPPORTED"] = 3
    table = ItemTable.build(items, counts)
    found = evidence_figures(counts, table, True)
    check(
        found, citation_precision=0.75, citation_precision_n=1, evidence_recall=0.25,
        fabrication_rate=0.125, unverified_rate=0.25, implied_answer_agreement=0.5,
        cited_rate=0.5, supported_answer_rate=0.25, hard_case_rate=0.25, hard_case_n=1,
    )  # fmt: skip
    assert found["unsupported_band"] == [0.125, 0.375]
    assert found["cited_citation_n"] == 3
    distribution = found["error_distribution"]
    assert isinstance(distribution, dict) and distribution["CORRECT"] == 3
    without = evidence_figures(counts, table, False)
    assert "citation_precision" not in without


def test_nothing_cited_is_null_and_not_zero() -> None:
    counts = counted(ITEMS, lambda item: [item.label])
    found = evidence_figures(counts, ItemTable.build(ITEMS, counts), True)
    check(found, citation_precision=None, fabrication_rate=None, citation_precision_n=0)
    assert found["unsupported_band"] is None
    check(found, evidence_recall=0, evidence_recall_n=200)


def test_go_focus_figures() -> None:
    counts = counted(ITEMS[:3], lambda item: [item.label])
    counts.items[0, [PLACE["go_focus_n"], PLACE["go_focus_sum"]]] = 2, 1.0
    counts.items[1, [PLACE["go_focus_n"], PLACE["go_focus_sum"]]] = 1, 0.25
    counts.counts["go_null", "c", "no_mechanism_gene"] = 1
    found = go_focus_figures(counts, ItemTable.build(ITEMS[:3], counts))
    check(found, go_focus_mean=0.375, go_focus_median=0.375, go_focus_mean_n=2)
    check(found, go_focus_median_low=None, go_focus_mean_clustered_low=None)  # one pair
    reasons = found["go_null_reasons"]
    assert isinstance(reasons, dict)
    assert (reasons["no_mechanism_gene"], reasons["zero_weight"]) == (1, 0)


def test_invalid_reasons_are_all_listed() -> None:
    counts = counted(ITEMS[:1], lambda item: [])
    counts.counts["invalid_reason", "c", "negated"] = 2
    counts.counts["invalid_reason", "d", "negated"] = 1
    found = invalid_reasons(counts)
    assert found["negated"] == 3
    assert sum(found.values()) == 3 and len(found) == 7


def test_counts_have_one_place_a_name() -> None:
    assert len(set(ITEM_SUMS)) == len(ITEM_SUMS) == len(PLACE)
    assert all(PLACE[b] == PLACE[a] + 1 for a, b in pairwise(ITEM_SUMS))
    assert np.all(Rr10Counts.empty(3).items == 0)
