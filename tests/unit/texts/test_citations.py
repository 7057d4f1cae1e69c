"""Citations and mechanism edges, as they are written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.formats.base import RecordFault
from eval_tiers.formats.rr10 import parse_prediction
from eval_tiers.texts.citations import Evidence, read_evidence, read_evidence_block

A1 = ("A", 1, "OSD-1")
MALFORMED = None
Parts = tuple[str, int, str]


def parts_of(found: Evidence) -> list[Parts | None]:
    """Gene, sign and dataset of each citation; None for a malformed one."""
    return [None if c.malformed else (c.gene, c.sign, c.dataset) for c in found.citations]


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ([["A", "+", "OSD-1"]], [A1]),
        (["A", "+", "OSD-1"], [A1]),
        ([["A", 1, "OSD-1"], [" A ", "increased", " OSD-1 "]], [A1, A1]),
        ([["A", "up", "glds_1"], ["A", "-", "osd 1"]], [("A", 1, "glds_1"), ("A", -1, "osd 1")]),
        ({"gene": "A", "direction": "up", "dataset": "OSD-1"}, [A1]),
        ([{"Gene": "A", "SIGN": "Upregulated", " osd ": "OSD-1"}], [A1]),
        ([{"gene": "A", "direction": None, "sign": "→", "dataset": None, "osd": "OSD-1"}], [A1]),
        ('[["A", "+", "OSD-1"]]', [A1]),
        ("[[A, +, OSD-1], [B, −, OSD-2]]", [A1, ("B", -1, "OSD-2")]),
        ('{"gene": "A", "sign": "+", "osd": "OSD-1"}', [A1]),
        ("OSD-1", [MALFORMED]),
        (7, [MALFORMED]),
        (["OSD-1", "OSD-2"], [MALFORMED, MALFORMED]),
        ([None, True, 5, []], [MALFORMED] * 4),
        ([["A", "+"], ["A", "+", "OSD-1", "x"]], [MALFORMED, MALFORMED]),
        ([["A", "maybe", "OSD-1"]], [MALFORMED]),
        ([["A", "", "OSD-1"], ["", "+", "OSD-1"], ["A", "+", None]], [MALFORMED] * 3),
        ([{"gene": "A", "sign": "+"}, {"gene": "A", "osd": "OSD-1"}, {}], [MALFORMED] * 3),
        ([[["A"], "+", "OSD-1"]], [MALFORMED]),
        ([["gene_a", "sign", "gene_b"], ["Gene_A", "Sign", "Gene_B"]], []),  # the template
        ([], []),
    ],
)
def test_shapes_of_evidence(evidence: object, expected: list[Parts | None]) -> None:
    found = read_evidence(evidence)
    assert found.given
    assert parts_of(found) == expected


@pytest.mark.parametrize("nothing", [None, "", " \n"])
def test_null_and_blank_are_no_evidence(nothing: object) -> None:
    found = read_evidence(nothing)
    assert (found.given, found.citations, found.mechanism) == (False, [], [])


@pytest.mark.parametrize(
    ("word", "sign"),
    [
        ("+", 1), ("1", 1), ("+1", 1), (1, 1), (1.0, 1), ("UP", 1), ("activates", 1), ("→", 1),
        ("increases", 1), ("Upregulated", 1), ("increased", 1),
        ("-", -1), ("−", -1), (-1, -1), ("-|", -1), ("⊣", -1), ("inhibits", -1),
        ("downregulated", -1), ("DECREASED", -1), ("decreases", -1),
        ("binds", 0), ("", 0), (None, 0), (0, 0), (2, 0), (True, 0), ("no change", 0),
    ],
)  # fmt: skip
def test_vocabulary_of_signs(word: object, sign: int) -> None:
    (citation,) = read_evidence([["A", word, "OSD-1"]]).citations
    assert citation.sign == sign
    assert citation.malformed == (sign == 0)


def test_triples_with_other_targets_are_mechanism_edges() -> None:
    found = read_evidence(
        [["A", "-", "B"], ["A", "binds", "C"], ["A", "+", "OSD-1"], ["A", "+", "GLDS 7"]]
    )
    assert found.mechanism == [("A", -1, "B"), ("A", 0, "C")]
    assert parts_of(found) == [A1, ("A", 1, "GLDS 7")]


def test_the_dataset_field_of_an_object_is_always_a_dataset() -> None:
    found = read_evidence([{"gene": "A", "sign": "+", "dataset": "TP53"}])
    assert parts_of(found) == [("A", 1, "TP53")]
    assert found.mechanism == []


def test_values_of_a_citation() -> None:
    written = {"gene": "A", "sign": "+", "osd": "OSD-1", "log2FC": "1.5", "q": "1e-3"}
    (citation,) = read_evidence([written]).citations
    assert (citation.log2fc, citation.q, citation.significant) == (1.5, 0.001, False)
    assert json.loads(citation.written) == written


@pytest.mark.parametrize(
    ("value", "number"),
    [(2, 2.0), ("-1.5", -1.5), ("x", None), (True, None), ("nan", None), ("inf", None),
     (float("inf"), None), ([1], None), (None, None), (10**400, None)],
)  # fmt: skip
def test_a_number_is_finite_or_not_given(value: object, number: float | None) -> None:
    written = {"gene": "A", "sign": "+", "osd": "OSD-1", "log2fc": value, "q": value}
    (citation,) = read_evidence([written]).citations
    assert (citation.log2fc, citation.q) == (number, number)


@pytest.mark.parametrize(
    ("value", "claimed"),
    [(True, True), ("true", True), (" Yes ", True), (False, False), ("no", False), (1, False),
     (None, False)],
)  # fmt: skip
def test_claims_of_significance(value: object, claimed: bool) -> None:
    written = {"gene": "A", "sign": "+", "osd": "OSD-1", "significant": value}
    assert read_evidence([written]).citations[0].significant is claimed


@pytest.mark.parametrize(
    "block",
    ['[["A", "+", "OSD-1"]]', "[[A, +, OSD-1]]", "[('A', '+', 'OSD-1')]", '["A", "+", "OSD-1"]',
     '{"gene": "A", "sign": "+", "osd": "OSD-1"}'],
)  # fmt: skip
def test_triplet_blocks(block: str) -> None:
    assert parts_of(read_evidence_block(block)) == [A1]


def test_an_empty_block_is_given_evidence() -> None:
    found = read_evidence_block("")
    assert (found.given, found.citations) == (True, [])


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=6) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["gene", "osd", "dataset", "sign", "direction", "log2fc", "q"]),
                inner,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_read_and_kept_as_written(value: object) -> None:
    found = read_evidence(value)
    for citation in found.citations:
        assert isinstance(json.loads(citation.written), (list, dict, str, int, float, type(None)))
        assert citation.malformed == (not (citation.gene and citation.sign and citation.dataset))


# The whole of a prediction record.


@pytest.mark.parametrize(
    ("record", "claim", "compat", "expected"),
    [
        ({"prediction": "up"}, "up", "up", []),
        ({"prediction": None, "answer": " ", "label": "down"}, "down", " ", []),
        ({"prediction": "", "output": "It is up"}, "It is up", "", []),
        ({"answer": "up", "citations": [["A", "+", "OSD-1"]]}, "up", "up", [A1]),
        ({"prediction": "up", "evidence": [], "citations": [["A", "+", "OSD-1"]]}, "up", "up", []),
        ({"output": 'So {"Prediction": "up", "evidence": [["A", "+", "OSD-1"]]}'}, "up", None,
         [A1]),
        ({"output": "<answer>up</answer><triplet>[[A, +, OSD-1]]</triplet>"}, "up", None, [A1]),
        ({"response": '{"answer": "up", "citations": ["A", "+", "OSD-1"]}'}, "up",
         '{"answer": "up", "citations": ["A", "+", "OSD-1"]}', [A1]),
        ({"output": '{"prediction": "up", "evidence": [["A", "+", "OSD-1"]'},
         '{"prediction": "up", "evidence": [["A", "+", "OSD-1"]', None, []),
        ({"output": [{"type": "text", "text": "up"}]}, "up", None, []),
        ({"output": None, "reasoning": "It is up"}, "It is up", None, []),
        ({"prediction": 5}, 5, 5, []),
        ({"prediction": None}, None, None, []),
    ],
)  # fmt: skip
def test_records(
    record: dict[str, object], claim: object, compat: object, expected: list[Parts | None]
) -> None:
    found = parse_prediction({"id": "Q1", **record})
    assert (found.claim, found.compat_claim) == (claim, compat)
    assert parts_of(found.evidence) == expected


def test_a_record_without_any_field_for_an_answer_is_a_fault() -> None:
    with pytest.raises(RecordFault) as caught:
        parse_prediction({"id": "Q1", "colour": "up"})
    assert caught.value.code == "unmapped-fields"
    assert "colour" in caught.value.message
