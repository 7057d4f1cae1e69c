"""What becomes of each citation: every verdict by hand, the first that holds, and the sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from eval_tiers.domain.rr10 import CITATION_VERDICTS, DOWN, INDETERMINATE, LABELS, UP, Item
from eval_tiers.kg.provenance import ProvenanceGraph
from eval_tiers.texts.citations import read_evidence
from eval_tiers.tiers.citations import CitationFacts, JudgedCitation, judge_citations, sum_up
from tests.unit.kg.rr10_samples import FLY, HUMAN, MOUSE, item, row

TRAP = item("Aaa", [("OSD-1", 1.5, 0.001), ("OSD-2", -1.0, 0.3)])
CONTROL = item(
    "Bbb", [("OSD-1", 1.0, 0.01), ("OSD-2", 2.0, 0.2), ("OSD-3", 0.4, 0.03)], number=1, label=UP
)
OTHER = item("Aaa", [("OSD-3", -3.0, 0.01), ("OSD-4", 1.0, 0.5)], number=2)
THYMUS = item("Bbb", [("OSD-7", -1.0, 0.01)], tissue="thymus", number=2, label=DOWN)
PERSON = item("TP53", [("OSD-8", -1.0, 0.01)], HUMAN, "cells", number=3, label=DOWN)
FLIES = item("dl", [("OSD-9", 1.0, 0.01), ("OSD-10", 1.2, 0.01)], FLY, "whole", number=4, label=UP)
TWICE = item("Ddd", [("OSD-11", 1.0, 0.01), ("OSD-11", -1.0, 0.01)], number=5)
ZERO = item("Zzz", [("OSD-5", 0.0, 0.01), ("OSD-6", None, None)], number=6)
TURNED = item("Ttt", [("OSD-12", -1.0, 0.01), ("OSD-13", 2.0, 0.01)], number=7)
TURNED = replace(
    TURNED, provenance=(replace(TURNED.provenance[0], orientation=-1), TURNED.provenance[1])
)
ITEMS = [TRAP, CONTROL, OTHER, THYMUS, PERSON, FLIES, TWICE, ZERO, TURNED]
TABLES = {
    "OSD-2": [row("Ccc", "OSD-2", 1.0, item_id=None, tissue=None)],
    "OSD-60": [
        row("Aaa", "OSD-60", -2.0, None, item_id=None, tissue=None),
        row("Bbb", "OSD-60", None, None, item_id=None, tissue=None),
        row("Zzz", "OSD-60", 1.0, 0.05, item_id=None, tissue=None),
    ],
}
PLAIN = ProvenanceGraph.build(ITEMS)
WIDE = ProvenanceGraph.build(
    ITEMS, tables=TABLES, registry=["OSD-50"], genes={MOUSE: ["Ccc", "Ddd"]}
)


def judged(asked: Item, evidence: object, graph: ProvenanceGraph = PLAIN) -> list[JudgedCitation]:
    return judge_citations(asked, read_evidence(evidence).citations, graph)


def verdicts(asked: Item, evidence: object, graph: ProvenanceGraph = PLAIN) -> list[str]:
    return [CITATION_VERDICTS[found.verdict] for found in judged(asked, evidence, graph)]


@pytest.mark.parametrize(
    ("citation", "plain", "wide"),
    [
        (["Aaa", "+", "OSD-1"], "SUPPORTED", "SUPPORTED"),
        (["Aaa", "-", "OSD-2"], "SUPPORTED", "SUPPORTED"),  # the item's own row, q .3
        (["Aaa", "-", "OSD-1"], "SIGN_MISREAD", "SIGN_MISREAD"),
        (["Aaa", "-", "OSD-3"], "SUPPORTED", "SUPPORTED"),  # another item's row, q .01
        (["Aaa", "+", "OSD-4"], "OVERCLAIM", "OVERCLAIM"),  # another item's row, q .5
        (["Aaa", "-", "OSD-4"], "OVERCLAIM", "OVERCLAIM"),  # before the sign is looked at
        (["Bbb", "+", "OSD-1"], "OFF_TOPIC", "OFF_TOPIC"),
        (["Bbb", "-", "OSD-1"], "OFF_TOPIC", "OFF_TOPIC"),
        (["Aaa", "+", "OSD-7"], "WRONG_CONTEXT", "WRONG_CONTEXT"),  # another tissue
        (["Aaa", "+", "OSD-8"], "WRONG_CONTEXT", "WRONG_CONTEXT"),  # another organism
        (["TP53", "-", "OSD-8"], "WRONG_CONTEXT", "WRONG_CONTEXT"),
        (["Aaa", "+", "OSD-99"], "NOT_IN_BENCHMARK", "FABRICATED_DATASET"),
        (["Aaa", "+", "OSD-50"], "NOT_IN_BENCHMARK", "NOT_IN_BENCHMARK"),  # registered, no rows
        (["Aaa", "-", "OSD-60"], "NOT_IN_BENCHMARK", "SUPPORTED"),  # by the table
        (["Aaa", "+", "OSD-60"], "NOT_IN_BENCHMARK", "SIGN_MISREAD"),
        (["Bbb", "-", "OSD-60"], "NOT_IN_BENCHMARK", "OFF_TOPIC"),
        (["Ccc", "+", "OSD-2"], "NOT_IN_BENCHMARK", "OFF_TOPIC"),
        (["Nope", "+", "OSD-1"], "NOT_IN_BENCHMARK", "UNKNOWN_GENE"),
        (["Nope", "+", "OSD-2"], "NOT_IN_BENCHMARK", "UNKNOWN_GENE"),  # before the table
        (["Ccc", "+", "OSD-1"], "NOT_IN_BENCHMARK", "NOT_IN_BENCHMARK"),
        (["Ddd", "+", "OSD-2"], "NOT_IN_BENCHMARK", "GENE_NOT_IN_DATASET"),
        (["Ddd", "+", "OSD-60"], "NOT_IN_BENCHMARK", "GENE_NOT_IN_DATASET"),
        (["aaa", "+", "OSD-1"], "NOT_IN_BENCHMARK", "UNKNOWN_GENE"),  # case counts for a mouse
        (["AAA", "+", "OSD-1"], "NOT_IN_BENCHMARK", "UNKNOWN_GENE"),
        (["Aaa", "+", "OSD-x"], "MALFORMED", "MALFORMED"),
        (["Aaa", "+", "OSD-0"], "MALFORMED", "MALFORMED"),
        ({"gene": "Aaa", "sign": "+", "dataset": "48"}, "MALFORMED", "MALFORMED"),
        ({"gene": "Aaa", "sign": "+", "dataset": "GSE48"}, "MALFORMED", "MALFORMED"),
        ("OSD-1", "MALFORMED", "MALFORMED"),
    ],
)
def test_verdicts(citation: object, plain: str, wide: str) -> None:
    assert verdicts(TRAP, [citation]) == [plain]
    assert verdicts(TRAP, [citation], WIDE) == [wide]


def test_no_sign_is_known() -> None:
    assert verdicts(ZERO, [["Zzz", "+", "OSD-5"], ["Zzz", "-", "OSD-6"]]) == ["UNVERIFIABLE"] * 2
    assert verdicts(CONTROL, [["Bbb", "+", "OSD-60"]], WIDE) == ["UNVERIFIABLE"]


def test_alpha_is_inclusive() -> None:
    assert verdicts(ZERO, [["Zzz", "+", "OSD-60"]], WIDE) == ["OVERCLAIM"]  # a table's q .05


@pytest.mark.parametrize(
    "name", ["OSD-1", "osd 1", "OSD_1", "OSD-001", "GLDS-1", "glds1", "OSD–1", " OSD-1 "]
)
def test_spellings_of_a_dataset(name: str) -> None:
    (found,) = judged(TRAP, [{"gene": "Aaa", "sign": "+", "dataset": name}])
    assert (found.dataset, CITATION_VERDICTS[found.verdict]) == ("OSD-1", "SUPPORTED")


def test_genes_are_upper_cased_for_human_only() -> None:
    assert verdicts(PERSON, [["tp53", "-", "OSD-8"]]) == ["SUPPORTED"]
    assert verdicts(FLIES, [["dl", "+", "OSD-9"], ["Dl", "+", "OSD-9"]]) == [
        "SUPPORTED", "NOT_IN_BENCHMARK",
    ]  # fmt: skip
    plant = item("AT1G01010", [("OSD-20", 1.0, 0.01)], "arabidopsis_thaliana", label=UP)
    graph = ProvenanceGraph.build([plant])
    assert verdicts(plant, [["AT1G01010", "+", "OSD-20"]], graph) == ["SUPPORTED"]
    assert verdicts(plant, [["At1g01010", "+", "OSD-20"]], graph) == ["NOT_IN_BENCHMARK"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, "SUPPORTED"),
        ({"log2fc": 2.2}, "SUPPORTED"),  # off by 10 %, not by more
        ({"log2fc": 1.8}, "SUPPORTED"),
        ({"log2fc": 2.21}, "VALUE_MISREAD"),
        ({"log2fc": -2.0}, "VALUE_MISREAD"),
        ({"q": 1.9}, "SUPPORTED"),  # .2 is true
        ({"q": 2.1}, "VALUE_MISREAD"),
        ({"q": 0.021}, "SUPPORTED"),
        ({"q": 0.02}, "VALUE_MISREAD"),  # an order of magnitude
        ({"log2fc": 2.0, "q": 0.2}, "SUPPORTED"),
        ({"significant": True}, "OVERCLAIM"),
        ({"significant": "yes"}, "OVERCLAIM"),
        ({"significant": False}, "SUPPORTED"),
        ({"significant": True, "sign": "-"}, "OVERCLAIM"),
        ({"sign": "-", "log2fc": 99}, "SIGN_MISREAD"),
    ],
)
def test_values(values: Mapping[str, object], expected: str) -> None:
    written = {"gene": "Bbb", "sign": "+", "dataset": "OSD-2", **values}
    assert verdicts(CONTROL, [written]) == [expected]


@pytest.mark.parametrize(
    ("log2fc", "q", "expected"),
    [(0.45, None, "SUPPORTED"), (0.35, None, "SUPPORTED"), (0.46, None, "VALUE_MISREAD"),
     (None, 0.2, "SUPPORTED"), (None, 0.3, "VALUE_MISREAD")],
)  # fmt: skip
def test_small_fold_changes_may_be_off_by_05(
    log2fc: float | None, q: float | None, expected: str
) -> None:
    written = {"gene": "Bbb", "sign": "+", "dataset": "OSD-3", "log2fc": log2fc, "q": q}
    assert verdicts(CONTROL, [written]) == [expected]


def test_q_below_1e_10_is_one_and_the_same() -> None:
    tiny = item("Bbb", [("OSD-1", 1.0, 0.0)], label=UP)
    graph = ProvenanceGraph.build([tiny])
    for q, expected in ((1e-300, "SUPPORTED"), (9e-10, "SUPPORTED"), (1e-9, "VALUE_MISREAD")):
        written = {"gene": "Bbb", "sign": "+", "dataset": "OSD-1", "q": q}
        assert verdicts(tiny, [written], graph) == [expected]


# Which row.


def test_the_row_that_a_verdict_rests_on() -> None:
    (found,) = judged(TRAP, [["Aaa", "-", "OSD-2"]])
    assert found.row == TRAP.provenance[1]
    assert judged(TRAP, [["Aaa", "-", "OSD-3"]])[0].row == OTHER.provenance[0]
    assert judged(TRAP, [["Aaa", "-", "OSD-60"]], WIDE)[0].row == TABLES["OSD-60"][0]
    for absent in (["Aaa", "+", "OSD-99"], ["Aaa", "+", "OSD-7"], ["Nope", "+", "OSD-1"], "x"):
        assert judged(TRAP, [absent])[0].row is None


def test_the_items_own_rows_go_before_those_of_others() -> None:
    own = item("Aaa", [("OSD-1", 1.0, 0.3)], number=1)
    other = item("Aaa", [("OSD-1", -1.0, 0.01)], number=2)
    graph = ProvenanceGraph.build([other, own])
    assert verdicts(own, [["Aaa", "+", "OSD-1"]], graph) == ["SUPPORTED"]
    assert verdicts(own, [["Aaa", "-", "OSD-1"]], graph) == ["SIGN_MISREAD"]


def test_of_several_rows_the_best_counts() -> None:
    assert verdicts(TWICE, [["Ddd", "+", "OSD-11"]]) == ["SUPPORTED"]
    found = judged(TWICE, [["Ddd", "+", "OSD-11"], ["Ddd", "-", "OSD-11"]])
    assert [CITATION_VERDICTS[each.verdict] for each in found] == ["SUPPORTED"] * 2
    assert [each.row for each in found] == list(TWICE.provenance)


@pytest.mark.parametrize(
    ("citation", "reversed_contrast"),
    [
        (["Ttt", "+", "OSD-12"], True),  # the source's own, unturned contrast
        (["Ttt", "-", "OSD-13"], False),
        ({"gene": "Ttt", "sign": "-", "osd": "OSD-13", "log2fc": -2.1}, True),
        ({"gene": "Ttt", "sign": "-", "osd": "OSD-13", "log2fc": 2.0}, False),
        (["Ttt", "-", "OSD-12"], False),  # no misread at all
    ],
)
def test_reversed_contrast(citation: object, reversed_contrast: bool) -> None:
    (found,) = judged(TURNED, [citation])
    assert found.reversed_contrast is reversed_contrast


# Repeats.


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ([["Aaa", "+", "OSD-1"], ["Aaa", "up", "GLDS-001"]], ["SUPPORTED"]),
        ([["Aaa", "+", "OSD-1"], ["Aaa", "-", "OSD-1"]], ["MALFORMED"]),  # both signs
        ([["Aaa", "-", "OSD-1"], ["Aaa", "+", "OSD-2"], ["Aaa", "+", "OSD-1"]],
         ["MALFORMED", "SIGN_MISREAD"]),
        ([["Bbb", "+", "OSD-1"], ["Bbb", "-", "OSD-1"]], ["MALFORMED"]),
        (["x", "x", "y"][:2] + ["y"] * 2, ["MALFORMED"] * 2),  # as written
        ([["Aaa", "?", "OSD-1"], ["Aaa", "? ", "OSD-1"]], ["MALFORMED"] * 2),
        ([{"gene": "Aaa", "sign": "+", "osd": "OSD-1", "log2fc": 1.5},
          {"gene": "Aaa", "sign": "+", "osd": "OSD-1", "log2fc": 9}], ["SUPPORTED"]),
        ([], []),
    ],
)  # fmt: skip
def test_repeats_collapse(evidence: object, expected: Sequence[str]) -> None:
    assert verdicts(TRAP, evidence) == expected


# Sums.


def facts_of(asked: Item, evidence: object, graph: ProvenanceGraph = PLAIN) -> CitationFacts:
    return sum_up(asked, judged(asked, evidence, graph))


def test_rates_by_hand() -> None:
    facts = facts_of(
        CONTROL,
        [["Bbb", "+", "OSD-1"], ["Bbb", "-", "OSD-2"], "x", ["Bbb", "+", "OSD-99"],
         ["Bbb", "+", "OSD-50"]],
        WIDE,
    )  # fmt: skip
    assert (facts.n, facts.supported_n) == (5, 1)
    assert facts.precision == 1 / 5
    assert facts.recall == 1 / 3
    assert facts.fabrication_rate == 2 / 5
    assert facts.unverified_rate == 1 / 5
    assert (facts.implied, facts.repaired) == (UP, UP)


def test_no_citation_has_no_rates_but_recall_0() -> None:
    facts = facts_of(CONTROL, [])
    assert (facts.n, facts.precision, facts.fabrication_rate, facts.unverified_rate) == (
        0, None, None, None,
    )  # fmt: skip
    assert (facts.recall, facts.implied) == (0.0, -1)


@pytest.mark.parametrize(
    ("evidence", "implied", "repaired"),
    [
        ([["Aaa", "+", "OSD-1"]], UP, UP),
        ([["Aaa", "-", "OSD-2"]], DOWN, DOWN),
        ([["Aaa", "+", "OSD-1"], ["Aaa", "-", "OSD-2"]], INDETERMINATE, INDETERMINATE),
        ([["Aaa", "+", "OSD-1"], ["Aaa", "+", "OSD-2"]], UP, INDETERMINATE),
        ([["Aaa", "-", "OSD-1"]], -1, UP),
        ([["Bbb", "+", "OSD-1"]], -1, -1),  # another gene implies nothing
        ([], -1, -1),
    ],
)
def test_what_the_signs_imply(evidence: object, implied: int, repaired: int) -> None:
    facts = facts_of(TRAP, evidence)
    assert implied in (-1, *range(len(LABELS)))
    assert (facts.implied, facts.repaired) == (implied, repaired)


def test_a_dataset_outside_gold_does_not_add_to_recall() -> None:
    facts = facts_of(TRAP, [["Aaa", "-", "OSD-3"], ["Aaa", "+", "OSD-1"]])
    assert (facts.supported_n, facts.recall) == (2, 0.5)


def test_every_verdict_is_reached_by_these_tests() -> None:
    reached = set(
        verdicts(TRAP, [["Aaa", "+", f"OSD-{n}"] for n in (1, 2, 4, 7, 50, 99)], WIDE)
        + verdicts(TRAP, [["Bbb", "+", "OSD-1"], ["Nope", "+", "OSD-1"], "x"], WIDE)
        + verdicts(TRAP, [["Ddd", "+", "OSD-2"]], WIDE)
        + verdicts(ZERO, [["Zzz", "+", "OSD-5"]])
        + verdicts(CONTROL, [{"gene": "Bbb", "sign": "+", "osd": "OSD-1", "log2fc": 5}])
    )
    assert reached == set(CITATION_VERDICTS)
