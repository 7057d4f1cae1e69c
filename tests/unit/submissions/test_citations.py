"""Which citations hold, and what credit without one is worth."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_tiers.exceptions import BadInputError, Problem
from eval_tiers.submissions import citations as module
from eval_tiers.submissions import quote_folding, quote_search
from eval_tiers.submissions.citations import REASONS, check_citations, credit_rows, is_same_value
from eval_tiers.submissions.inspection import MemoryContent, VerifiedArtifact
from eval_tiers.submissions.judge_reply import CellCitation, JudgedRow, QuoteCitation, Scalar
from tests.toy_submission import ANSWER, NOTES, TABLE

TWO_KEYS = 'gene,set,n\n"A,1",x,3\nA1,y,\nA1,z,007\nΔ–1,x,−1.5\n'


def artifact(path: str, text: str, header: str = "", key: tuple[str, ...] = ()) -> VerifiedArtifact:
    data = text.encode()
    columns = tuple(header.split(",")) if header else ()
    return VerifiedArtifact(
        path, hashlib.sha256(data).hexdigest(), len(data), "table" if columns else "text",
        MemoryContent(data), text[:20_000], header=columns, key=key,
    )  # fmt: skip


ARTIFACTS = [
    artifact("genes.csv", TABLE, "gene,n,log2fc", ("gene",)),
    artifact("two.csv", TWO_KEYS, "gene,set,n", ("gene", "set")),
    artifact("notes.md", NOTES),
    artifact("deep/copy.md", f"\n{ANSWER} "),
    VerifiedArtifact("plot.png", "0" * 64, 4, "binary", MemoryContent(b"\x89PNG")),
]
DECLARED = {one.path for one in ARTIFACTS} | {"spoilt.csv"}


def reason(citation: QuoteCitation | CellCitation) -> str | None:
    return check_citations([citation], ARTIFACTS, DECLARED, ANSWER)[citation].reason


def quote(text: str, path: str = "notes.md") -> str | None:
    return reason(QuoteCitation(path, text))


def cell(
    path: str, key: dict[str, Scalar] | list[Scalar] | Scalar, column: str, value: Scalar
) -> str | None:
    pairs: tuple[tuple[str | None, Scalar], ...]
    if isinstance(key, dict):
        pairs = tuple(key.items())
    else:
        pairs = tuple((None, one) for one in (key if isinstance(key, list) else [key]))
    return reason(CellCitation(path, pairs, column, value))


@pytest.mark.parametrize(
    "text",
    [
        "Three animals were used", "all of them in a single batch.", "single batch. Nothing else",
        "single\u00a0batch.\u2003Nothing", "  Three   animals\n were used  ", "else - really - is",
        "else — really — is", "else – really – is known",
        "Three ani\u200bmals were used", "Three animals\u00ad were used", NOTES,
    ],
)  # fmt: skip
def test_a_quote_holds(text: str) -> None:
    assert quote(text) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "quote_too_short"), ("single", "quote_too_short"),
        ("in a singl\u200be", "quote_too_short"), (" " * 40, "quote_too_short"),
        ("three animals were used", "quote_not_found"), ("Three animals are used", "quote_not_found"),
        ("Three animals were used, batch", "quote_not_found"),
    ],
)  # fmt: skip
def test_a_quote_does_not_hold(text: str, why: str) -> None:
    assert quote(text) == why


def test_twelve_characters_are_enough_and_eleven_too_few() -> None:
    assert quote("Three animal") is None
    assert quote("Three anima") == "quote_too_short"


def test_quotes_of_a_table_are_of_its_text() -> None:
    assert quote("Alpha,6,1.75", "genes.csv") is None
    assert quote("1.75 Beta,6,-1.25", "genes.csv") is None  # a line break is a blank
    assert quote("Alpha,6,1.76", "genes.csv") == "quote_not_found"
    assert quote("gene,set,n “A,1”,x,3", "two.csv") is None


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("answer.md", "the_answer_itself"), ("./answer.md", "the_answer_itself"),
        ("deep/copy.md", "the_answer_itself"), ("hidden.md", "not_declared"),
        ("analysis_manifest.json", "not_declared"), ("../submission/notes.md", "not_declared"),
        ("/etc/passwd", "not_declared"), ("Notes.md", "not_declared"), ("", "not_declared"),
        ("notes.md ", "not_declared"), ("spoilt.csv", "not_verified"), ("plot.png", "no_text"),
        ("notes.md\0", "not_declared"), ("./notes.md", None),
    ],
)  # fmt: skip
def test_the_file_is_declared_and_verified(path: str, why: str | None) -> None:
    said = ANSWER if why == "the_answer_itself" else "Three animals were used"
    assert quote(said, path) == why
    if why in ("not_declared", "not_verified", "the_answer_itself") and "copy" not in path:
        assert cell(path, "Alpha", "n", 6) == why


@pytest.mark.parametrize(
    ("path", "key", "column", "value", "why"),
    [
        ("genes.csv", "Alpha", "log2fc", 1.75, None), ("genes.csv", ["Alpha"], "n", 6, None),
        ("genes.csv", {"gene": "Alpha"}, "log2fc", "1.750", None),
        ("genes.csv", "Alpha", "log2fc", "+1.75e0", None), ("genes.csv", " Alpha ", "n", "6", None),
        ("genes.csv", "Beta", "log2fc", "−1.25", None), ("genes.csv", "Alpha", "gene", "Alpha", None),
        ("genes.csv", "Gamma", "log2fc", 0, None), ("genes.csv", "Gamma", "log2fc", "-0", None),
        ("genes.csv", "Alpha", "log2fc", 1.7, "value_differs"),
        ("genes.csv", "Alpha", "log2fc", "1,75", "value_differs"),
        ("genes.csv", "Alpha", "n", "six", "value_differs"),
        ("genes.csv", "Alpha", "n", "0x6", "value_differs"),
        ("genes.csv", "Alpha", "n", "6_0", "value_differs"),
        ("genes.csv", "Alpha", "n", "nan", "value_differs"),
        ("genes.csv", "Alpha", "n", "", "empty_value"),
        ("genes.csv", "alpha", "n", 6, "no_such_row"), ("genes.csv", "gene", "n", "n", "no_such_row"),
        ("genes.csv", "Alpha", "N", 6, "no_such_column"),
        ("genes.csv", ["Alpha", 6], "n", 6, "other_key_columns"),
        ("genes.csv", {"Gene": "Alpha"}, "n", 6, "other_key_columns"),
        ("genes.csv", {"gene": "Alpha", "n": 6}, "n", 6, "other_key_columns"),
        ("two.csv", ["A,1", "x"], "n", 3, None), ("two.csv", {"set": "z", "gene": "A1"}, "n", 7, None),
        ("two.csv", ["A1", "y"], "n", 0, "value_differs"),
        ("two.csv", ["A1", "y"], "n", " ", "empty_value"),
        ("two.csv", "A1", "n", 3, "other_key_columns"), ("two.csv", ["Δ-1", "x"], "n", -1.5, None),
        ("two.csv", ["x", "A,1"], "n", 3, "no_such_row"), ("notes.md", "Three", "n", 3, "no_table"),
        ("plot.png", "Alpha", "n", 6, "no_table"),
    ],
)  # fmt: skip
def test_cells(
    path: str,
    key: dict[str, Scalar] | list[Scalar] | Scalar,
    column: str,
    value: Scalar,
    why: str | None,
) -> None:
    assert cell(path, key, column, value) == why


def test_values_are_the_same_text_or_the_same_number() -> None:
    assert is_same_value(2**53 + 1, str(2**53 + 1)) and not is_same_value(2**53 + 1, str(2**53))
    assert is_same_value("1e3", "1000") and is_same_value("up", " up ")
    assert not is_same_value("Up", "up") and not is_same_value("1e400", "1e401x")
    assert not is_same_value("=1+1", "2")


def test_every_reason_has_a_meaning() -> None:
    words = {value for name, value in vars(module).items() if name.isupper() and type(value) is str}
    assert {word for word in words if word.islower()} - {"missing", "answer.md"} == set(REASONS)


def test_a_long_text_is_searched_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pieces:
        def chunks(self) -> Iterator[bytes]:
            for start in range(0, len(data), 7):
                yield data[start : start + 7]

    monkeypatch.setattr(quote_search, "_BLOCK", 50)
    words = [f"word{number:04}" for number in range(150)]
    for text in (" ".join(words), "\n".join(words), "".join(words)):
        data = text.encode()
        long = VerifiedArtifact("long.md", "0" * 64, len(data), "text", Pieces())
        for start in range(0, len(text) - 40, 13):
            citation = QuoteCitation("long.md", text[start : start + 40])
            assert check_citations([citation], [long], {"long.md"}, None)[citation].holds, start
        absent = QuoteCitation("long.md", "word0001word0003")
        assert not check_citations([absent], [long], {"long.md"}, None)[absent].holds


def test_many_quotes_are_found_like_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quote_search, "_BLOCK", 64)
    text = "".join(
        f"\u00e9 {number * number} \u2013 {chr(0x4E00 + number)}\n" for number in range(99)
    )
    whole = quote_folding.folded(text)
    present = {whole[at : at + 12 + at % 9] for at in range(0, 400, 7)}
    absent = {f"{quote[:-1]}\u263a" for quote in present} | {whole[:12] + whole[30:42]}
    absent = {quote for quote in absent if quote not in whole}
    assert quote_search.quotes_in(iter(text), present | absent) == present


@settings(max_examples=300)
@given(st.text('ab <["\u2019\u2013\u2212\u00a0\u200b\u00ad\n\x01\x85\u00e9\u0301e\uac01\U0001f600'))
def test_long_texts_are_folded_like_short_ones(text: str) -> None:
    short = quote_folding.folded(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quote_folding, "_SHORT", 0)
        assert quote_folding.folded(text) == short


def test_texts_that_are_slow_to_put_in_order_are_folded_quickly() -> None:
    begun = time.process_time()
    assert len(quote_folding.folded("\u0315\u0316" * 1_000_000)) == 2_000_000
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("end", [BadInputError(Problem("changed", "it changed")), None])
def test_a_file_that_changed_since_shows_nothing(end: BadInputError | None) -> None:
    class Changed:
        def chunks(self) -> Iterator[bytes]:
            yield NOTES.encode()
            if end is not None:
                raise end
            yield b"\xff"  # no longer UTF-8

    changed = VerifiedArtifact("notes.md", "0" * 64, len(NOTES), "text", Changed())
    citation = QuoteCitation("notes.md", "Three animals were used")
    assert (
        check_citations([citation], [changed], DECLARED, None)[citation].reason == "changed_since"
    )


def test_credit_needs_one_citation_that_holds() -> None:
    good = QuoteCitation("notes.md", "Three animals were used")
    bad = QuoteCitation("hidden.md", "Three animals were used")
    rows = [
        JudgedRow("a", "matched", (bad, good)), JudgedRow("b", "matched", (bad,)),
        JudgedRow("c", "partial", ()), JudgedRow("d", "partial", (good,)),
        JudgedRow("e", "wrong", ()), JudgedRow("f", "missing", (good,)),
    ]  # fmt: skip
    checked = check_citations([good, bad], ARTIFACTS, DECLARED, ANSWER)
    credited = credit_rows(rows, checked)
    assert [row.status for row in credited] == [
        "matched", "missing", "missing", "partial", "wrong", "missing",
    ]  # fmt: skip
    assert [row.stated for row in credited] == [row.status for row in rows]
