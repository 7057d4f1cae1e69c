"""The slow reading of RR-10 against the worked numbers of its definition, rule by rule."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.oracle import rr10_evidence, rr10_report
from tests.oracle.chains import ERROR_LABELS
from tests.oracle.rr10_citations import read_dataset, read_number
from tests.oracle.rr10_evidence import error_label, judge, read_row
from tests.oracle.rr10_labels import read_compat, read_default

Record = dict[str, Any]
SHARED = Path(__file__).parents[2].parent / "shared"
UP, DOWN, BOTH = "upregulated", "downregulated", "indeterminate"
RFWR = "CORRECT_RIGHT_FOR_WRONG_REASON"


def shared_records(name: str) -> list[Record]:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"the shared file {name} is not beside this repository")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


# --------------------------------------------------------------------------- labels


def test_every_shared_label_row() -> None:
    rows = shared_records("cases/rr10_labels.jsonl")
    assert len(rows) == 56
    for row in rows:
        assert read_default(row["prediction"]) == (row["default"], row["reason"]), row
        assert read_compat(row["prediction"]) == row["compat"], row


UP_VALUES = """up;UPREGULATED;up-regulated;up regulated;up_regulated;increase;increased;increases
increasing;upregulates;upregulating;upregulation;up-regulation;Answer: up;Final answer: Up.;'up'
“up”;`up`;**up**;__up__;(up);up / up;up|up;up/upregulated;> up;The gene is increased in OSD-48
co-upregulated;pre–increase;Direction (up/down): up;no, upregulated;not sure. Increased
\ufeffup\ufeff;Label：up;up\u2011regulated;it’s increased;ｕｐ""".replace("\n", ";").split(";")
INDETERMINATE_VALUES = """indeterminate|unknown|undetermined|undeterminable|not determinable
not_determinable|cannot determine|cannot be determined|can't determine|can’t determine
insufficient evidence|contradictory|contradictory evidence|evidence is contradictory
The evidence is contradictory.|It is unknown|Unknown!|not  determinable""".replace("\n", "|")


@pytest.mark.parametrize("value", UP_VALUES)
def test_up(value: str) -> None:
    assert read_default(value) == (UP, None)


@pytest.mark.parametrize("value", ["down", "Down-regulated", "down regulation", "decreasing",
                                   "decrease", "downregulates", "Answer: down", "down|decreased"])  # fmt: skip
def test_down(value: str) -> None:
    assert read_default(value) == (DOWN, None)


@pytest.mark.parametrize("value", INDETERMINATE_VALUES.split("|"))
def test_indeterminate(value: str) -> None:
    assert read_default(value) == (BOTH, None)


VOCABULARY = """up upregulated up-regulated increase increased down downregulated down-regulated
decrease decreased indeterminate unknown undetermined contradictory upregulation""".split()
CUES = ("not", "no", "non-", "never", "neither", "nor", "without", "fail to", "failed to",
        "fails to", "lack of", "hardly", "barely", "isn't", "didn’t", "NOT", "**not**")  # fmt: skip


@pytest.mark.parametrize("cue", CUES)
@pytest.mark.parametrize("word", VOCABULARY)
def test_a_cue_makes_each_word_invalid(cue: str, word: str) -> None:
    value = cue + word if cue.endswith("-") else f"{cue} {word}"
    assert read_default(value) == (None, "negated")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        # A cue governs up to the next , ; .
        ("not in liver, increased", (UP, None)),
        ("not in liver; increased", (UP, None)),
        ("not in liver. Increased", (UP, None)),
        ("not in liver: increased", (None, "negated")),
        ("not in liver (increased)", (None, "negated")),
        ("increased, not decreased", (None, "negated")),
        ("increased, but not in liver", (UP, None)),
        # Whole words: the cue and the label.
        ("NOTCH1 is upregulated", (UP, None)),
        ("notably upregulated", (UP, None)),
        ("upregulatedness", (None, "not_a_label")),
        ("dysregulated", (None, "not_a_label")),
        ("no-increase", (None, "negated")),
        # up and down: not inside a sentence.
        ("it goes up", (None, "not_a_label")),
        ("up to three-fold", (None, "not_a_label")),
        ("up-stream", (None, "not_a_label")),
        ("up or down", (None, "not_a_label")),
        ("it goes up, so it is increased", (UP, None)),
        ("up/down", (None, "several_labels")),
        ("up | down", (None, "several_labels")),
        ("Answer: up / down", (None, "several_labels")),
        ("up / indeterminate", (None, "several_labels")),
        ("up: it rises", (None, "not_a_label")),
        # Indeterminate phrases first; several labels.
        ("not determinable, upregulated", (None, "several_labels")),
        ("cannot determine whether upregulated", (None, "several_labels")),
        ("not contradictory", (None, "negated")),
        ("upregulated or downregulated", (None, "several_labels")),
        # No change is no label.
        ("No change.", (None, "no_change")),
        ("did not change", (None, "no_change")),
        ("no change, increased", (UP, None)),
        ("unchanged or not increased", (None, "negated")),
        # What is no label at all.
        (None, (None, "missing")),
        ("\ufeff \n", (None, "blank")),
        ("...", (None, "not_a_label")),
        ("NA", (None, "not_a_label")),
        (0, (None, "not_a_string")),
        (False, (None, "not_a_string")),
        ([], (None, "not_a_string")),
    ],
)
def test_rules_of_the_default_reading(value: object, expected: tuple[str | None, str]) -> None:
    assert read_default(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (" Increase ", UP),
        ("down-regulated in liver", DOWN),
        ("increases", None),
        ("down regulated", None),
        ("unknown to me", None),
        ("undetermined", BOTH),
        ("contradictory", BOTH),
        ("contradictory data", None),
        ("contradictory evidence here", BOTH),
        ("not_determinable!", BOTH),
        ("indeterminate or increased", None),
        (None, None),
        (["down-regulated"], DOWN),
    ],
)
def test_rules_of_the_compat_reading(value: object, expected: str | None) -> None:
    assert read_compat(value) == expected


# --------------------------------------------------------------------------- rows


@pytest.mark.parametrize(
    ("record", "label", "reason", "compat"),
    [
        ({"prediction": "up"}, UP, None, UP),
        ({"prediction": None, "answer": "down"}, DOWN, None, DOWN),
        ({"prediction": " ", "answer": "down"}, DOWN, None, None),
        ({"response": "unknown", "label": "up"}, UP, None, UP),
        ({"prediction": ""}, None, "blank", None),
        ({"prediction": "", "output": "up"}, UP, None, None),
        ({"prediction": None}, None, "missing", None),
        ({}, None, "missing", None),
        ({"output": " "}, None, "blank", None),
        ({"prediction": 1, "answer": "up"}, None, "not_a_string", None),
        ({"prediction": ["up-regulated"]}, None, "not_a_string", UP),
        ({"text": 'So: ```json\n{"answer": "down"}\n``` up'}, DOWN, None, None),
        ({"text": '{"a": {"answer": "up"}} {"answer": "down"}'}, DOWN, None, None),
        ({"text": '{"answer": "up", {"answer": "down"}'}, DOWN, None, None),
        ({"text": '{"answer": "up", "answer": "down"}'}, DOWN, None, None),
        ({"text": '{"answer": "upregulated"'}, UP, None, None),
        ({"text": '{"answer": "up"'}, UP, None, None),  # after a colon
        ({"text": '{"answer": "up", "evidence": ['}, None, "not_a_label", None),
        ({"text": '{"evidence": []} up'}, None, "missing", None),
        ({"text": "<think>increased</think><answer>Down</answer> so"}, DOWN, None, None),
        ({"text": "<answer>up</answer> or <answer>down"}, UP, None, None),
        ({"text": "increased? <answer>down"}, DOWN, None, None),
        ({"text": "<answer></answer> up"}, None, "blank", None),
        ({"completion": "It is increased."}, UP, None, None),
    ],
)
def test_label_of_a_row(
    record: Record, label: str | None, reason: str | None, compat: str | None
) -> None:
    row = read_row(record)
    assert (row["label"], row["reason"], row["label_compat"]) == (label, reason, compat)


def cited(record: Record) -> list[tuple[object, ...] | None]:
    """gene, sign, dataset of each citation; None for a malformed one."""
    return [
        None if c["malformed"] else (c["gene"], c["sign"], c["dataset"])
        for c in read_row(record)["citations"]
    ]


A1 = ("A", 1, "OSD-1")


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ([["A", "+", "OSD-1"]], [A1]),
        (["A", "+", "OSD-1"], [A1]),
        ([["A", 1, "glds_001"], ["A", "increased", "osd 1"]], [A1, A1]),
        ({"gene": "A", "direction": "up", "dataset": "OSD-1"}, [A1]),
        ([{"Gene": "A", "SIGN": "Upregulated", "osd": "OSD1"}], [A1]),
        ([{"gene": "A", "direction": None, "sign": "→", "dataset": "", "osd": "OSD-1"}], [A1]),
        ('[["A", "+", "OSD-1"]]', [A1]),
        ("[[A, +, OSD-1], [B, −, OSD-2]]", [A1, ("B", -1, "OSD-2")]),
        ("OSD-1", [None]),
        (" ", []),
        (None, []),
        ([], []),
        (7, [None]),
        (["OSD-1", "OSD-2"], [None, None]),
        ([None], [None]),
        ([["A", "+"]], [None]),
        ([["A", "maybe", "OSD-1"]], [None]),
        ([["A", "", "OSD-1"], ["", "+", "OSD-1"], ["A", "+", None]], [None] * 3),
        ([["A", "+", "OSD-x"], ["A", "+", "osdr"]], [None, None]),
        ([{"gene": "A", "sign": "+"}, {"gene": "A", "dataset": "OSD-1"}], [None, None]),
        ([{"gene": "A", "sign": "+", "dataset": "GSE1"}], [None]),
        ([["gene_a", "sign", "gene_b"]], []),
        ([["A", "+", "TP53"]], []),
    ],
)
def test_citations_of_a_row(evidence: object, expected: list[tuple[object, ...] | None]) -> None:
    assert cited({"prediction": "up", "evidence": evidence}) == expected
    assert cited({"prediction": "up", "citations": evidence, "evidence": None}) == expected


def test_evidence_goes_before_citations() -> None:
    record = {"evidence": [], "citations": [["A", "+", "OSD-1"]]}
    assert cited(record) == []


def test_mechanism_edges() -> None:
    row = read_row({"evidence": [["A", "-", "B"], ["A", "binds", "C"], ["A", "+", "OSD-1"]]})
    assert row["mechanism"] == [("A", -1, "B"), ("A", 0, "C")]
    assert len(row["citations"]) == 1


def test_values_of_a_citation() -> None:
    written = {"gene": "A", "sign": "+", "osd": "OSD-1", "Log2FC": "1.5", "q": "1e-3"}
    citation = read_row({"evidence": [written]})["citations"][0]
    assert (citation["log2fc"], citation["q"], citation["significant"]) == (1.5, 0.001, False)
    for value, claim in ((True, True), ("Yes", True), ("true", True), (1, False), ("no", False)):
        citation = read_row({"evidence": [{**written, "significant": value}]})["citations"][0]
        assert citation["significant"] is claim
    assert [read_number(v) for v in ("−2", "x", "inf", "nan", True, None, 10**400)] == [
        -2, None, None, None, None, None, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        'I say {"prediction": "up", "evidence": [["A", "+", "OSD-1"]]}',
        "<answer>up</answer><triplet>[[A, +, OSD-1]]</triplet>",
        '<answer>up</answer><TRIPLET>["A", "+", "OSD-1"]',
        "<answer>up</answer><triplet>[('A', '+', 'OSD-1')]</triplet>",
        '<answer>up</answer><triplet>{"gene": "A", "sign": "+", "osd": "OSD-1"}</triplet>',
    ],
)
def test_citations_in_a_text(text: str) -> None:
    assert cited({"output": text}) == [A1]
    assert read_row({"output": text})["label"] == UP


def test_a_broken_object_cites_nothing() -> None:
    assert cited({"output": '{"prediction": "up", "evidence": [["A", "+", "OSD-1"]'}) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GLDS-48", "OSD-48"),
        ("osd 48", "OSD-48"),
        ("OSD_48", "OSD-48"),
        ("OSD-048", "OSD-48"),
        ("Osd\u201148", "OSD-48"),
        (" OSD48 ", "OSD-48"),
        ("OSD-48 (liver)", None),
        ("OSD-", None),
        ("48", None),
        ("OSD-4.8", None),
    ],
)
def test_dataset_names(text: str, expected: str | None) -> None:
    assert read_dataset(text) == expected


# --------------------------------------------------------------------------- a small benchmark


def item(
    name: str, gene: str, expected: str, rows: Sequence[tuple[str, float, float]],
    organism: str = "mus_musculus", tissue: str = "liver", orientation: int = 1,
) -> Record:  # fmt: skip
    return {
        "id": f"OSDR-{name}",
        "item_type": "fragility_trap" if name.startswith("FRAG") else "concordant_control",
        "gene": gene,
        "organism": organism,
        "tissue": tissue,
        "context": f"{organism}::{tissue}",
        "expected": expected,
        "evidence": {"datasets": list(dict.fromkeys(osd for osd, _, _ in rows))},
        "provenance": [
            {"osd": osd, "log2FC_SF_vs_GC": log2fc, "q": q, "orientation_sign_applied": orientation}
            for osd, log2fc, q in rows
        ],
    }


ROWS_UP = [("OSD-1", 1.0, 0.01), ("OSD-2", 2.0, 0.2), ("OSD-3", 0.4, 0.03)]
TRAP = item("FRAG-00001", "Aaa", BOTH, [("OSD-1", 1.5, 0.001), ("OSD-2", -1.0, 0.3)])
CONTROL = item("CTRL-00001", "Bbb", UP, ROWS_UP)
OTHER = item("FRAG-00002", "Aaa", BOTH, [("OSD-3", -3.0, 0.01), ("OSD-4", 1.0, 0.5)])
ZERO = item("FRAG-00003", "Aaa", BOTH, [("OSD-5", 0.0, 0.01), ("OSD-5", 2.0, 0.01)])
THYMUS = item("CTRL-00002", "Bbb", DOWN, [("OSD-7", -1.0, 0.01)], tissue="thymus", orientation=-1)
HUMAN = item("CTRL-00003", "TP53", DOWN, [("OSD-8", -1.0, 0.01)], "homo_sapiens", "cells")
TWICE = item("FRAG-00004", "Ddd", BOTH, [("OSD-9", 1.0, 0.01), ("OSD-9", -1.0, 0.01)])
BENCHMARK = [TRAP, CONTROL, OTHER, ZERO, THYMUS, HUMAN, TWICE]
TABLE = {"OSD-2": [{"gene": "Ccc", "log2fc": 1.0, "q": 0.01}],
         "OSD-6": [{"gene": "Aaa", "log2fc": -2.0, "q": None},
                   {"gene": "Bbb", "log2fc": None, "q": None}]}  # fmt: skip


def judged(asked: Record, given: object, **more: Any) -> Record:
    citations = read_row({"evidence": given})["citations"]
    return judge(asked, citations, BENCHMARK, **more)


def verdicts(asked: Record, evidence: object, **more: Any) -> list[str]:
    return [c["verdict"] for c in judged(asked, evidence, **more)["citations"]]


@pytest.mark.parametrize(
    ("citation", "plain", "widened"),
    [
        (["Aaa", "+", "OSD-1"], "SUPPORTED", "SUPPORTED"),
        (["Aaa", "-", "OSD-2"], "SUPPORTED", "SUPPORTED"),  # own row, q .3
        (["Aaa", "-", "OSD-1"], "SIGN_MISREAD", "SIGN_MISREAD"),
        (["Aaa", "-", "OSD-3"], "SUPPORTED", "SUPPORTED"),  # another item's row, q .01
        (["Aaa", "+", "OSD-4"], "OVERCLAIM", "OVERCLAIM"),  # another item's row, q .5
        (["Aaa", "+", "OSD-5"], "SUPPORTED", "SUPPORTED"),  # the second row has a sign
        (["Bbb", "+", "OSD-1"], "OFF_TOPIC", "OFF_TOPIC"),
        (["Aaa", "+", "OSD-7"], "WRONG_CONTEXT", "WRONG_CONTEXT"),
        (["TP53", "-", "OSD-8"], "WRONG_CONTEXT", "WRONG_CONTEXT"),
        (["Aaa", "+", "OSD-99"], "NOT_IN_BENCHMARK", "FABRICATED_DATASET"),
        (["Aaa", "+", "OSD-50"], "NOT_IN_BENCHMARK", "NOT_IN_BENCHMARK"),  # registered
        (["Aaa", "-", "OSD-6"], "NOT_IN_BENCHMARK", "SUPPORTED"),  # in the table
        (["Bbb", "-", "OSD-6"], "NOT_IN_BENCHMARK", "OFF_TOPIC"),
        (["Ccc", "+", "OSD-2"], "NOT_IN_BENCHMARK", "OFF_TOPIC"),
        (["Zzz", "+", "OSD-1"], "NOT_IN_BENCHMARK", "UNKNOWN_GENE"),
        (["Ccc", "+", "OSD-1"], "NOT_IN_BENCHMARK", "NOT_IN_BENCHMARK"),
        (["Ccc", "+", "OSD-6"], "NOT_IN_BENCHMARK", "GENE_NOT_IN_DATASET"),
        (["AAA", "+", "OSD-1"], "NOT_IN_BENCHMARK", "UNKNOWN_GENE"),  # case counts for mouse
        ("Aaa", "MALFORMED", "MALFORMED"),
    ],
)
def test_verdicts(citation: object, plain: str, widened: str) -> None:
    assert verdicts(TRAP, [citation]) == [plain]
    genes = {"mus_musculus": ["Ccc", "Ddd"]}
    registry = ["OSD-50"]
    found = verdicts(TRAP, [citation], registry=registry, tables=TABLE, genes=genes)
    assert found == [widened]


def test_no_known_sign() -> None:
    zero = item("FRAG-00003", "Aaa", BOTH, [("OSD-5", 0.0, 0.01)])
    citations = read_row({"evidence": [["Aaa", "+", "OSD-5"]]})["citations"]
    found = judge(zero, citations, [zero])
    assert found["citations"][0]["verdict"] == "UNVERIFIABLE"
    assert found["unverified_rate"] == 1 and found["fabrication_rate"] == 0
    assert verdicts(CONTROL, [["Bbb", "-", "OSD-6"]], tables=TABLE) == ["UNVERIFIABLE"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, "SUPPORTED"),
        ({"log2fc": 2.2}, "SUPPORTED"),  # 10 %
        ({"log2fc": 2.21}, "VALUE_MISREAD"),
        ({"log2fc": -2.0}, "VALUE_MISREAD"),
        ({"q": 1.9}, "SUPPORTED"),
        ({"q": 2.1}, "VALUE_MISREAD"),  # .2 is true
        ({"q": 0.021}, "SUPPORTED"),
        ({"q": 0.02}, "VALUE_MISREAD"),  # an order of magnitude
        ({"q": 0.019}, "VALUE_MISREAD"),
        ({"q": 0.01}, "VALUE_MISREAD"),  # no claim of significance
        ({"significant": True}, "OVERCLAIM"),
        ({"significant": True, "sign": "-"}, "OVERCLAIM"),
        ({"sign": "-"}, "SIGN_MISREAD"),
    ],
)
def test_values(values: Record, expected: str) -> None:
    written = {"gene": "Bbb", "sign": "+", "dataset": "OSD-2", **values}
    assert verdicts(CONTROL, [written]) == [expected]


def test_small_fold_changes_may_be_off_by_05() -> None:
    small = item("CTRL-00009", "Bbb", UP, [("OSD-1", 0.1, 0.0)])
    for log2fc, q, expected in (
        (0.14, None, "SUPPORTED"), (0.16, None, "VALUE_MISREAD"),
        (None, 1e-12, "SUPPORTED"), (None, 5e-10, "SUPPORTED"), (None, 2e-9, "VALUE_MISREAD"),
    ):  # fmt: skip
        written = {"gene": "Bbb", "sign": "+", "dataset": "OSD-1", "log2fc": log2fc, "q": q}
        citations = read_row({"evidence": [written]})["citations"]
        assert judge(small, citations, [small])["citations"][0]["verdict"] == expected


def test_the_reversed_contrast_is_flagged() -> None:
    def flag(asked: Record, *written: object) -> bool:
        found = judged(asked, list(written))["citations"][0]
        assert found["verdict"] == "SIGN_MISREAD"
        return bool(found["reversed_contrast"])

    assert flag(THYMUS, ["Bbb", "+", "OSD-7"])  # the source is turned
    assert not flag(CONTROL, ["Bbb", "-", "OSD-1"])
    base = {"gene": "Bbb", "sign": "-", "dataset": "OSD-1"}
    assert flag(CONTROL, {**base, "log2fc": -1.05})
    assert not flag(CONTROL, {**base, "log2fc": -1.5})


def test_a_citation_rests_on_a_row() -> None:
    found = judged(TRAP, [["Aaa", "-", "OSD-3"], ["Aaa", "-", "OSD-2"], ["Aaa", "+", "OSD-99"]])
    assert [c["row"] for c in found["citations"]] == [
        {"dataset": "OSD-3", "item_id": "OSDR-FRAG-00002", "row": 0},
        {"dataset": "OSD-2", "item_id": "OSDR-FRAG-00001", "row": 1},
        None,
    ]
    found = judged(TRAP, [["Aaa", "-", "OSD-6"]], tables=TABLE)
    assert found["citations"][0]["row"] == {"dataset": "OSD-6", "item_id": None, "row": 0}
    found = judged(ZERO, [["Aaa", "+", "OSD-5"]])  # the best of two rows
    assert found["citations"][0]["row"]["row"] == 1


def test_repeats_collapse() -> None:
    one = {"gene": "Aaa", "sign": "+", "dataset": "OSD-1"}
    assert verdicts(TRAP, [one, ["Aaa", "up", "GLDS-1"], {**one, "log2fc": 9}]) == ["SUPPORTED"]
    assert verdicts(TRAP, [{**one, "log2fc": 9}, one]) == ["VALUE_MISREAD"]  # the first counts
    assert verdicts(TRAP, ["x", "x", "y", "x"]) == ["MALFORMED"] * 2
    assert verdicts(HUMAN, [["tp53", "-", "OSD-8"], ["TP53 ", "-", "OSD-8"]]) == ["SUPPORTED"]


def test_both_signs_are_one_malformed_citation() -> None:
    both = [["Aaa", "+", "OSD-1"], ["Aaa", "-", "OSD-1"], ["Aaa", "-", "OSD-2"]]
    assert verdicts(TRAP, both) == ["MALFORMED", "SUPPORTED"]
    assert verdicts(TWICE, [["Ddd", "+", "OSD-9"], ["Ddd", "-", "OSD-9"]]) == ["SUPPORTED"] * 2


# --------------------------------------------------------------------------- samples

TRAP_CHAIN = [["Aaa", "+", "OSD-1"], ["Aaa", "-", "OSD-2"]]


@pytest.mark.parametrize(
    ("asked", "label", "evidence", "error", "detail", "hard"),
    [
        (TRAP, None, TRAP_CHAIN, "PARSE_FAIL", "PARSE_FAIL", True),
        (TRAP, BOTH, [], RFWR, "UNCITED", True),
        (TRAP, UP, [], "UNCLASSIFIED", "UNCITED", False),
        (TRAP, BOTH, ["x", TRAP_CHAIN[0]], "CORRECT_HALLUCINATED_EDGE", "FABRICATED", True),
        (TRAP, UP, ["x", TRAP_CHAIN[0]], "WRONG_HALLUCINATED_EDGE", "FABRICATED", False),
        (TRAP, BOTH, [["Aaa", "+", "OSD-99"]], RFWR, "NOT_IN_BENCHMARK", True),
        (TRAP, BOTH, [["Aaa", "+", "OSD-7"], ["Bbb", "+", "OSD-1"]], RFWR, "WRONG_CONTEXT", True),
        (TRAP, BOTH, TRAP_CHAIN[:1], RFWR, "ONE_SIDED", True),
        (TRAP, BOTH, TRAP_CHAIN, "CORRECT", "SUPPORTED", False),
        (TRAP, BOTH, [*TRAP_CHAIN, "x"], "CORRECT", "PARTIAL", False),
        (TRAP, UP, [["Aaa", "+", "OSD-1"], ["Aaa", "+", "OSD-2"]],
         "WRONG_SIGN_FLIP", "SIGN_MISREAD", False),
        (TRAP, UP, TRAP_CHAIN, "WRONG_CORRECT_CHAIN", "CONTRADICTS_OWN_EVIDENCE", True),
        (TRAP, UP, TRAP_CHAIN[:1], "WRONG_CORRECT_CHAIN", "CHERRY_PICKED", False),
        (TRAP, UP, [["Aaa", "-", "OSD-1"]], "WRONG_NO_PATH", "SIGN_MISREAD", False),
        (CONTROL, UP, [["Bbb", "+", "OSD-1"], ["Bbb", "-", "OSD-2"]],
         "CORRECT_SIGN_FLIP", "SIGN_MISREAD", False),
        (CONTROL, UP, [["Bbb", "+", "OSD-1"], ["Bbb", "-", "OSD-2"], ["Bbb", "-", "OSD-3"]],
         RFWR, "SIGN_MISREAD", True),
        (CONTROL, UP, [["Bbb", "+", "OSD-1"]], RFWR, "LOW_COVERAGE", True),
        (CONTROL, DOWN, [["Bbb", "-", "OSD-1"]], "WRONG_SIGN_FLIP", "SIGN_MISREAD", False),
        (CONTROL, DOWN, [["Bbb", "+", "OSD-1"]],
         "WRONG_CORRECT_CHAIN", "CONTRADICTS_OWN_EVIDENCE", True),
    ],
)  # fmt: skip
def test_labels(
    asked: Record, label: str | None, evidence: object, error: str, detail: str, hard: bool
) -> None:
    found = judged(asked, evidence, label=label)
    assert (found["error_label"], found["evidence_detail"]) == (error, detail)
    assert found["hard_case"] is hard


def test_rates() -> None:
    evidence = [["Bbb", "+", "OSD-1"], ["Bbb", "+", "OSD-2"], "x", ["Bbb", "+", "OSD-99"]]
    found = judged(CONTROL, evidence, label=UP)
    assert found["citation_n"] == 4 and found["supported_n"] == 2
    assert found["citation_precision"] == 0.5
    assert found["evidence_recall"] == pytest.approx(2 / 3)
    assert found["fabrication_rate"] == 0.25 and found["unverified_rate"] == 0.25
    assert found["implied_answer"] == UP


def test_nothing_cited_and_evidence_not_asked() -> None:
    found = judged(TRAP, [], label=BOTH)
    assert found["citation_n"] == 0 and found["evidence_recall"] == 0
    assert found["citation_precision"] is None and found["fabrication_rate"] is None
    assert found["implied_answer"] is None
    found = judged(TRAP, TRAP_CHAIN, label=BOTH, evidence=False)
    assert (found["error_label"], found["evidence_detail"]) == (None, "NOT_GIVEN")
    assert found["citation_n"] is None and found["citations"] == []
    assert judged(TRAP, [], label=UP, evidence=False)["error_label"] == "UNCLASSIFIED"
    assert judged(TRAP, [], evidence=False)["error_label"] == "PARSE_FAIL"


def whole_provenance(asked: Record) -> list[Record]:
    return [
        {
            "gene": asked["gene"],
            "dataset": row["osd"],
            "direction": "up" if row["log2FC_SF_vs_GC"] > 0 else "down",
            "log2fc": row["log2FC_SF_vs_GC"],
            "q": row["q"],
        }
        for row in asked["provenance"]
    ]


def check_perfect_citation(asked: Record, benchmark: Sequence[Record]) -> None:
    citations = read_row({"evidence": whole_provenance(asked)})["citations"]
    found = judge(asked, citations, benchmark, label=asked["expected"])
    assert found["citation_precision"] == 1 and found["evidence_recall"] == 1
    assert found["implied_answer"] == asked["expected"]
    assert (found["error_label"], found["evidence_detail"]) == ("CORRECT", "SUPPORTED")


def test_perfect_citation_gives_the_gold_answer() -> None:
    for asked in (TRAP, CONTROL, OTHER, THYMUS, HUMAN, TWICE):
        check_perfect_citation(asked, BENCHMARK)


def test_perfect_citation_of_every_shared_item() -> None:
    benchmark = shared_records("data/rr10/rr10_standin_mouse_hallmark.jsonl")
    assert len(benchmark) == 98
    for asked in benchmark:
        check_perfect_citation(asked, benchmark)


# --------------------------------------------------------------------------- the whole table

ROW_LABELS = {*ERROR_LABELS, None}


def test_the_table_is_total_and_each_label_is_reached() -> None:
    reached = set()
    answers = (UP, DOWN, BOTH)
    kinds = [
        list(several)
        for n in range(4)
        for several in itertools.combinations_with_replacement(rr10_evidence.VERDICTS, n)
    ]
    for label, gold, evidence, given, implied, repaired, recall in itertools.product(
        (*answers, None), (UP, BOTH), (True, False), kinds, (*answers, None), (UP, BOTH), (0.4, 0.5)
    ):
        if (implied is None) != ("SUPPORTED" not in given):
            continue
        facts = {
            "label": label, "gold": gold, "evidence": evidence, "verdicts": given,
            "implied_answer": implied, "repaired_answer": repaired, "evidence_recall": recall,
        }  # fmt: skip
        name, detail = error_label(facts)
        assert name in ROW_LABELS
        if label is not None and name is not None and name != "UNCLASSIFIED":
            assert name.startswith("CORRECT") == (label == gold)
        reached.add((name, detail))
    assert {name for name, _ in reached} == ROW_LABELS
    assert {detail for _, detail in reached} == {
        *rr10_evidence.VERDICTS, "PARSE_FAIL", "NOT_GIVEN", "UNCITED", "FABRICATED", "ONE_SIDED",
        "LOW_COVERAGE", "PARTIAL", "CONTRADICTS_OWN_EVIDENCE", "CHERRY_PICKED",
    }  # fmt: skip


def test_ties_of_the_most_frequent_failure() -> None:
    def detail(*given: str) -> str:
        facts = {"label": BOTH, "gold": BOTH, "evidence": True, "verdicts": list(given),
                 "implied_answer": None, "repaired_answer": None, "evidence_recall": 0.0}  # fmt: skip
        return error_label(facts)[1]

    assert detail("OFF_TOPIC", "WRONG_CONTEXT") == "WRONG_CONTEXT"
    assert detail("WRONG_CONTEXT", "NOT_IN_BENCHMARK") == "NOT_IN_BENCHMARK"
    assert detail("OFF_TOPIC", "UNKNOWN_GENE", "OVERCLAIM") == "OFF_TOPIC"
    assert detail("VALUE_MISREAD", "SIGN_MISREAD", "OVERCLAIM") == "OVERCLAIM"
    assert detail("OFF_TOPIC", "OVERCLAIM", "OVERCLAIM") == "OVERCLAIM"
    assert detail("MALFORMED", "OFF_TOPIC", "OVERCLAIM") == "MALFORMED"


def test_a_wrong_answer_with_true_citations_alone() -> None:
    # Another item's significant rows imply a third answer: nothing failed, and no row above holds.
    facts = {"label": DOWN, "gold": UP, "evidence": True, "verdicts": ["SUPPORTED"],
             "implied_answer": DOWN, "repaired_answer": DOWN, "evidence_recall": 0.0}  # fmt: skip
    assert error_label(facts) == ("WRONG_NO_PATH", "SUPPORTED")


# --------------------------------------------------------------------------- the report


def pairs_of(n: int, up_n: int) -> list[Record]:
    """n traps and n controls, the first up_n of these up."""
    items = []
    for number in range(1, n + 1):
        expected = UP if number <= up_n else DOWN
        items.append(item(f"FRAG-{number:05d}", f"T{number}", BOTH, [("OSD-1", 1.0, 0.01)]))
        items.append(item(f"CTRL-{number:05d}", f"C{number}", expected, [("OSD-1", 1.0, 0.01)]))
    return items


CANONICAL = pairs_of(100, 44)  # the counts of the canonical file


def answer_all(value: object) -> dict[str, Record]:
    return {asked["id"]: {"prediction": value} for asked in CANONICAL}


@pytest.mark.parametrize("compat", [False, True])
def test_worked_numbers(compat: bool) -> None:
    found = rr10_report.report(CANONICAL, answer_all(BOTH), compat)
    assert found["n_items"] == 200 and found["coverage"] == 1
    assert found["accuracy_total"] == 0.5 and found["trap_accuracy"] == 1
    assert found["control_accuracy"] == 0 and found["control_abstention_rate"] == 1
    assert found["paired_directional_robustness"] == 0 and found["pair_complete_rate"] == 1
    assert found["macro_f1"] == pytest.approx(0.2222, abs=5e-5)
    assert found["prediction_counts"] == {BOTH: 200}

    found = rr10_report.report(CANONICAL, answer_all("increased"), compat)
    assert found["control_accuracy"] == 0.44 and found["trap_overclaim_rate"] == 1
    assert found["macro_f1"] == pytest.approx(0.1202, abs=5e-5)
    assert found["control_wrong_direction_rate"] == 0.56
    assert found["class_metrics"][UP] == pytest.approx(
        {"precision": 0.22, "recall": 1, "f1": 88 / 244, "support": 44}
    )
    assert found["class_metrics"][DOWN] == {
        "precision": 0, "recall": 0, "f1": 0, "support": 56,
    }  # fmt: skip

    found = rr10_report.report(CANONICAL, answer_all("down"), compat)
    assert found["control_accuracy"] == 0.56
    assert found["macro_f1"] == pytest.approx(0.1458, abs=5e-5)

    # Half of the pairs right, 22 up and 28 down among their controls, the rest missing.
    half = {}
    for asked in CANONICAL:
        number = int(asked["id"][-5:])
        if number <= 22 or 44 < number <= 72:
            half[asked["id"]] = {"prediction": asked["expected"]}
    found = rr10_report.report(CANONICAL, half, compat)
    assert found["coverage"] == 0.5 and found["paired_directional_robustness"] == 0.5
    assert found["pair_complete_rate"] == 0.5
    assert found["macro_f1"] == pytest.approx(0.6667, abs=5e-5)
    assert found["prediction_counts"] == {BOTH: 50, UP: 22, DOWN: 28, "None": 100}
    assert found["trap_invalid_rate"] == 0.5 and found["trap_overclaim_rate"] == 0
    assert found["invalid_reasons"] == {"missing": 100}


def test_negation_is_right_in_the_compat_reading_alone() -> None:
    negated = {asked["id"]: {"prediction": "not " + asked["expected"]} for asked in CANONICAL}
    assert rr10_report.report(CANONICAL, negated, compat=True)["accuracy_total"] == 1
    found = rr10_report.report(CANONICAL, negated)
    assert found["accuracy_total"] == 0 and found["coverage"] == 0
    assert found["invalid_reasons"] == {"negated": 200}
    assert len(found["read_differently"]) == 200
    assert found["trap_overclaim_rate"] == 0 and found["overall_abstention_rate"] == 0


def test_pairs_found_and_contexts() -> None:
    items = pairs_of(2, 1)[:3]  # FRAG-1, CTRL-1, FRAG-2
    items[2]["context"] = "mus_musculus::thymus"
    answers = {asked["id"]: {"prediction": asked["expected"]} for asked in items[:2]}
    found = rr10_report.report(items, answers)
    assert found["paired_directional_robustness"] == 1 and found["pair_complete_rate"] == 1
    assert found["per_context"] == {
        "mus_musculus::liver": {
            "n": 2, "accuracy": 1, "invalid_or_missing": 0, "paired_directional_robustness": 1,
        },
        "mus_musculus::thymus": {
            "n": 1, "accuracy": 0, "invalid_or_missing": 1, "paired_directional_robustness": None,
        },
    }  # fmt: skip
    compat = rr10_report.report(items, answers, compat=True)
    assert compat["pair_complete_rate"] == 0.01  # the reference always divides by 100
    assert compat["paired_directional_robustness"] == 0.01
    for asked in items[:2]:  # one answer makes no pair complete
        alone = rr10_report.report(items, {asked["id"]: {"prediction": asked["expected"]}})
        assert alone["pair_complete_rate"] == 0 and alone["paired_directional_robustness"] == 0
    assert rr10_report.report([], {})["accuracy_total"] is None


def test_rows_of_the_compat_errors_file() -> None:
    items = pairs_of(1, 1)
    answers = {" OSDR-FRAG-00001 ": {"prediction": "up."}, "OSDR-CTRL-00001": {"answer": "up"}}
    assert rr10_report.error_rows(items, answers) == [
        {
            "id": "OSDR-FRAG-00001", "item_type": "fragility_trap",
            "context": "mus_musculus::liver", "expected": BOTH, "prediction": "INVALID/MISSING",
            "correct": False,
        }
    ]  # fmt: skip
    assert rr10_report.report(items, answers)["read_differently"] == ["OSDR-FRAG-00001"]


def test_real_answers_are_read_without_a_crash() -> None:
    benchmark = shared_records("data/rr10/rr10_standin_mouse_hallmark.jsonl")
    said = {row["id"]: row for row in shared_records("data/llm/smollm2_rr10_standin.jsonl")}
    found = rr10_report.report(benchmark, said)
    assert found["n_items"] == 98 and sum(found["prediction_counts"].values()) == 98
    assert sum(context["n"] for context in found["per_context"].values()) == 98
    for asked in benchmark:
        row = read_row(said[asked["id"]])
        columns = judge(asked, row["citations"], benchmark, label=row["label"])
        assert columns["error_label"] in ROW_LABELS
        assert (row["label"] is None) == (columns["error_label"] == "PARSE_FAIL")
