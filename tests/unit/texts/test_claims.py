"""The direction that an answer claims, by the default and by the reference's reading."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eval_tiers.domain.rr10 import INVALID_REASONS, LABELS
from eval_tiers.texts.claims import normalise_claim, read_claim, read_claim_compat
from tests.e2e.running import shared

UP, DOWN, BOTH = LABELS


def default(value: object) -> tuple[str | None, str | None]:
    """Label word and reason of the default reading."""
    code, reason = read_claim(value)
    return (None if code < 0 else LABELS[code]), reason


def compat(value: object) -> str | None:
    """Label word of the reference's reading."""
    code = read_claim_compat(value)
    return None if code < 0 else LABELS[code]


def test_every_shared_case_in_both_readings() -> None:
    text = shared("cases/rr10_labels.jsonl").read_text(encoding="utf-8")
    cases = [json.loads(line) for line in text.split("\n") if line]
    assert len(cases) > 50
    for case in cases:
        assert default(case["prediction"]) == (case["default"], case["reason"]), case
        assert compat(case["prediction"]) == case["compat"], case


# The reference's rule, as the specification states it.

_EXACT = {
    UP: "up upregulated increase increased".split(),
    DOWN: "down downregulated decrease decreased".split(),
    BOTH: "indeterminate,unknown,undetermined,not determinable,insufficient evidence,"
    "evidence is contradictory,contradictory".split(","),
}
_HIT = {
    UP: r"\b(upregulated|up-regulated|increased?)\b",
    DOWN: r"\b(downregulated|down-regulated|decreased?)\b",
    BOTH: "indeterminate|not determinable|cannot determine|insufficient evidence"
    "|evidence is contradictory|contradictory evidence",
}


def stated_rule(value: object) -> str | None:
    """Exact words first; else the one kind of hit."""
    if value is None:
        return None
    t = str(value).strip().lower().replace("_", " ")
    exact = [label for label, words in _EXACT.items() if t in words]
    hits = exact or [label for label, pattern in _HIT.items() if re.search(pattern, t)]
    return hits[0] if len(hits) == 1 else None


FRAGMENTS = (
    "up", "upregulated", "up-regulated", "up regulated", "increase", "increased", "increases",
    "down", "downregulated", "down-regulated", "decrease", "decreased", "decreasing",
    "indeterminate", "unknown", "undetermined", "not determinable", "not_determinable",
    "cannot determine", "cannot be determined", "insufficient evidence", "insufficient_evidence",
    "evidence is contradictory", "contradictory", "contradictory evidence", "not", "no", "n't",
    "_", " ", "  ", "\t", ".", ",", ":", "/", "-", "**", "İ", "ſ", "K", "ﬁ", "Ⅷ", "\ufeff",
    "\u2011", "\xa0", "INCREASED", "Up-Regulated", "co", "s", "1", "é",
)  # fmt: skip
MESSY = st.lists(st.sampled_from(FRAGMENTS), max_size=6).map("".join)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(FRAGMENTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(MESSY, inner, max_size=2),
    max_leaves=5,
)


@given(MESSY | st.text(max_size=30) | JSON_VALUES)
@example("increase_d")
@example("up-regulated_gene")
@example(["increased"])
@example({"down-regulated": None})
def test_compat_is_the_stated_rule_bit_for_bit(value: object) -> None:
    assert compat(value) == stated_rule(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("UP ", UP), ("up.", None), ("increases", None), ("it is increased by 2", UP),
        ("not upregulated", UP), ("No decrease", DOWN), ("unknown.", None), ("Unknown", BOTH),
        ("undetermined yet", None), ("contradictory evidence here", BOTH),
        ("xindeterminatex", BOTH), ("increased or decreased", None), ("up_regulated", None),
        ("not_determinable", BOTH), (["increased"], UP), (True, None), (0, None), ("", None),
        ("upregulated_in_liver", UP), ("increase2", None), ("NaN", None),
    ],
)  # fmt: skip
def test_compat_by_hand(value: object, expected: str | None) -> None:
    assert compat(value) == expected == stated_rule(value)


# The default reading.

WORDS = {
    UP: "up;UPREGULATED;up-regulated;up regulated;up_regulated;upregulates;upregulating;"
    "up-regulation;increase;increased;increases;increasing",
    DOWN: "down;Downregulated;down-regulated;down regulated;down_regulated;downregulates;"
    "downregulating;down-regulation;decrease;decreased;decreases;decreasing",
    BOTH: "indeterminate;unknown;undetermined;undeterminable;not determinable;cannot determine;"
    "cannot be determined;can't determine;can't be determined;insufficient evidence;"
    "contradictory;contradictory evidence;evidence is contradictory;it is unknown",
}
VOCABULARY = [(word, label) for label, words in WORDS.items() for word in words.split(";")]
DRESSES = (
    "{}", " {} ", "\ufeff{}", "**{}**", "`{}`", '"{}"', "“{}”", "'{}'", "{}.", "{}!", "({})",
    "Final answer: {}", "**Answer:** {}", "{}/{}", "{} | {}", "# {}", "\n{}\n", "> {}",
    "$ {} $", "{}。", "{}、", "回答：{}", "「{}」", "【{}】", "• {}",
)  # fmt: skip


@pytest.mark.parametrize("dress", DRESSES)
def test_each_word_in_each_dress(dress: str) -> None:
    for word, label in VOCABULARY:
        for text in (word, word.upper(), word.replace("-", "\u2011"), word.replace("'", "’")):
            assert default(dress.replace("{}", text)) == (label, None), text


def test_fullwidth_letters() -> None:
    assert default("ＵＰ") == (UP, None)
    assert default("Ｄｏｗｎ－ｒｅｇｕｌａｔｅｄ") == (DOWN, None)


CUES = (
    "not", "Not", "cannot say", "isn't", "isn’t", "no", "non-", "never", "neither", "nor",
    "without", "fail to", "fails to", "failed to", "lack of", "hardly", "barely", "**not**",
)  # fmt: skip


@pytest.mark.parametrize("cue", CUES)
def test_a_cue_makes_each_label_invalid(cue: str) -> None:
    for word, _ in VOCABULARY:
        if word in {"up", "down"} and cue == "cannot say":
            continue  # inside a sentence a bare word is no label, negated or not
        negated = cue + word if cue.endswith("-") else f"{cue} {word}"
        assert default(negated) == (None, "negated"), word


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        # A cue governs what follows it, up to the next , ; .
        ("not in liver, increased", (UP, None)),
        ("not in liver; increased", (UP, None)),
        ("Not in liver. Increased", (UP, None)),
        ("not in liver: increased", (None, "negated")),
        ("not in liver (increased)", (None, "negated")),
        ("increased, not decreased", (None, "negated")),
        ("increased but not in thymus", (UP, None)),
        ("neither up nor down", (None, "negated")),
        ("not up", (None, "negated")),
        ("not upregulated or downregulated", (None, "negated")),
        # Parts of other words are neither cues nor labels.
        ("NOTCH1 is upregulated", (UP, None)),
        ("nothing but increased", (UP, None)),
        ("notably increased", (UP, None)),
        ("Nonetheless upregulated", (UP, None)),
        ("upstream", (None, "not_a_label")),
        ("updated", (None, "not_a_label")),
        ("dysregulated", (None, "not_a_label")),
        ("upregulatedness", (None, "not_a_label")),
        ("pre-increased", (UP, None)),
        ("no-increase", (None, "negated")),
        # up and down count as a statement, not inside a sentence.
        ("it goes up", (None, "not_a_label")),
        ("up to three-fold", (None, "not_a_label")),
        ("up to three-fold increased", (UP, None)),
        ("The answer is: down.", (DOWN, None)),
        ("up: it rises", (None, "not_a_label")),
        ("Answer: up:", (UP, None)),
        ("up/down", (None, "several_labels")),
        ("up | upregulated", (UP, None)),
        # Phrases of indeterminacy come first; several kinds are several labels.
        ("not determinable", (BOTH, None)),
        ("cannot determine whether increased", (None, "several_labels")),
        ("not contradictory", (None, "negated")),
        ("upregulated or downregulated", (None, "several_labels")),
        ("increased, then decreased", (None, "several_labels")),
        ("upregulated and increased", (UP, None)),
        # No change is no label here.
        ("unchanged", (None, "no_change")),
        ("no change", (None, "no_change")),
        ("No significant change.", (None, "no_change")),
        ("not significantly altered", (None, "no_change")),
        ("unaffected", (None, "no_change")),
        ("did not change", (None, "no_change")),
        ("unchanged, not increased", (None, "negated")),
        # What is none at all.
        (None, (None, "missing")),
        ("", (None, "blank")),
        (" \ufeff\n", (None, "blank")),
        ("...", (None, "not_a_label")),
        ("NA", (None, "not_a_label")),
        ("I refuse", (None, "not_a_label")),
        (1, (None, "not_a_string")),
        (True, (None, "not_a_string")),
        (["up"], (None, "not_a_string")),
        ({"answer": "up"}, (None, "not_a_string")),
    ],
)
def test_rules_of_the_default_reading(
    value: object, expected: tuple[str | None, str | None]
) -> None:
    assert default(value) == expected


@given(MESSY | st.text(max_size=60) | JSON_VALUES)
def test_an_invalid_row_has_a_reason_and_no_other_has(value: object) -> None:
    label, reason = default(value)
    assert (label is None) == (reason is not None)
    assert reason is None or reason in INVALID_REASONS


@given(MESSY | st.text(max_size=60))
def test_normalising_twice_changes_nothing_and_no_label(value: str) -> None:
    folded = normalise_claim(value)
    assert default(value)[0] == default(folded)[0]


def test_a_long_text_is_read_as_a_short_one() -> None:
    filler = "The gene was measured in many tissues, by many groups. " * 20
    assert default(f"{filler}It is upregulated.") == (UP, None)
    assert default(f"{filler}It is not upregulated.") == (None, "negated")
    assert default("not " * 50_000 + "up") == (None, "negated")
