"""Custom ids: short, plain, different for different samples and settings, and read back."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eval_tiers.texts.custom_ids import (
    EVIDENCE_SUFFIX,
    MAX_LENGTH,
    ParsedCustomId,
    custom_id_of,
    hashed_id_of,
    parse_custom_id,
)

FITS = "x" * (64 - len(":with-evidence"))
HASHED = "q-" + "0123456789abcdef" * 2


def hashed(text: str) -> str:
    return "q-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@pytest.mark.parametrize(
    ("sample_id", "without", "with_evidence"),
    [
        ("OSDR-CTRL-00001", "OSDR-CTRL-00001", "OSDR-CTRL-00001:with-evidence"),
        ("00123", "00123", "00123:with-evidence"),
        ("a.b_c:d-e", "a.b_c:d-e", "a.b_c:d-e:with-evidence"),
        (FITS, FITS, FITS + ":with-evidence"),
        (FITS + "x", FITS + "x", hashed(FITS + "x") + ":with-evidence"),
        ("x" * 64, "x" * 64, hashed("x" * 64) + ":with-evidence"),
        ("x" * 65, hashed("x" * 65), hashed("x" * 65) + ":with-evidence"),
        ("a b", hashed("a b"), hashed("a b") + ":with-evidence"),
        ("é", hashed("é"), hashed("é") + ":with-evidence"),
        ("٣", hashed("٣"), hashed("٣") + ":with-evidence"),
        ("a\n", hashed("a\n"), hashed("a\n") + ":with-evidence"),
        ("\ud83d", hashed("\ud83d"), hashed("\ud83d") + ":with-evidence"),
        ("", hashed(""), hashed("") + ":with-evidence"),
        ("a:with-evidence", hashed("a:with-evidence"), hashed("a:with-evidence") + ":with-evidence"),
        (HASHED, hashed(HASHED), hashed(HASHED) + ":with-evidence"),
        (HASHED.upper(), HASHED.upper(), HASHED.upper() + ":with-evidence"),
    ],
)  # fmt: skip
def test_custom_id_of(sample_id: str, without: str, with_evidence: str) -> None:
    assert custom_id_of(sample_id, with_evidence=False) == without
    assert custom_id_of(sample_id, with_evidence=True) == with_evidence


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("Q1", ParsedCustomId("Q1", False, False)),
        ("Q1:with-evidence", ParsedCustomId("Q1", True, False)),
        (HASHED, ParsedCustomId(HASHED, False, True)),
        (HASHED + ":with-evidence", ParsedCustomId(HASHED, True, True)),
        (HASHED + "0", ParsedCustomId(HASHED + "0", False, False)),
        ("an id with spaces", ParsedCustomId("an id with spaces", False, False)),
        (":with-evidence", ParsedCustomId(":with-evidence", False, False)),
        ("", ParsedCustomId("", False, False)),
    ],
)
def test_parse_custom_id(text: str, parsed: ParsedCustomId) -> None:
    assert parse_custom_id(text) == parsed


@given(
    st.text(st.characters(codec=None), max_size=80) | st.text("aq-0:", max_size=70), st.booleans()
)
@example("q-" + "0" * 32, True)
@example("a" + EVIDENCE_SUFFIX, False)
def test_every_id_makes_a_valid_one_that_is_read_back(sample_id: str, with_evidence: bool) -> None:
    made = custom_id_of(sample_id, with_evidence)
    assert re.fullmatch(r"[A-Za-z0-9._:-]+", made, re.ASCII)
    assert len(made) <= MAX_LENGTH
    parsed = parse_custom_id(made)
    assert parsed.with_evidence is with_evidence
    assert parsed.sample_id == (hashed_id_of(sample_id) if parsed.hashed else sample_id)


@given(st.lists(st.text("aq-0:é", max_size=70), unique=True, max_size=30))
def test_different_ids_make_different_ones(ids: list[str]) -> None:
    made = [custom_id_of(sample_id, shown) for sample_id in ids for shown in (False, True)]
    assert len(set(made)) == len(made)
