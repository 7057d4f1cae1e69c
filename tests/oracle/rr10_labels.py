"""RR-10, section 3: the label of an answer value, in the default and in the compat reading."""

from __future__ import annotations

import re
import unicodedata

UP, DOWN, INDETERMINATE = "upregulated", "downregulated", "indeterminate"
LABELS = (UP, DOWN, INDETERMINATE)

# --------------------------------------------------------------------------- default reading

BOM = "\ufeff"
OTHER_DASHES = "\u2212\u02d7\u2043\u2796"
APOSTROPHES = "\u2018\u2019\u201b\u02bc"
QUOTES = '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a'
MARKDOWN = "*`~#"

INDETERMINATE_PHRASES = (
    r"indeterminate",
    r"unknown",
    r"undetermined",
    r"undeterminable",
    r"not determinable",
    r"cannot determine",
    r"cannot be determined",
    r"can't determine",
    r"can't be determined",
    r"insufficient evidence",
    r"contradictory",
)
UP_WORDS = (r"up[ -]?regulat(?:ed|es|ing|ion)", r"increas(?:e|ed|es|ing)")
DOWN_WORDS = (r"down[ -]?regulat(?:ed|es|ing|ion)", r"decreas(?:e|ed|es|ing)")
NO_CHANGE_PHRASES = (r"unchanged", r"no change", r"not changed", r"did not change", r"unaffected")
CUE_WORDS = (
    "not",
    "cannot",
    "no",
    "non",
    "never",
    "neither",
    "nor",
    "without",
    "fail to",
    "fails to",
    "failed to",
    "lack of",
    "hardly",
    "barely",
)
CUE = r"(?:(?<!\w)(?:" + "|".join(CUE_WORDS) + r")(?!\w)|n't(?!\w))"
# up or down alone, or nothing but cues before it ("not up", "isn't up", "neither up nor down").
LEADING_CUE = r"(?:" + "|".join(CUE_WORDS) + r"|\w+n't)[ -]+"
BARE = re.compile(rf"(?:{LEADING_CUE})*(?:up|down)(?: (?:or|and|nor) (?:up|down))*")


def fold_dashes(text: str) -> str:
    """Each dash and minus sign as a hyphen."""
    folded = ""
    for char in text:
        is_dash = unicodedata.category(char) == "Pd" or char in OTHER_DASHES
        folded += "-" if is_dash else char
    return folded


def is_end_mark(char: str) -> bool:
    """White space, punctuation and symbols go at both ends."""
    return char.isspace() or unicodedata.category(char)[0] in "PS"


def strip_marks(text: str) -> str:
    """The text without marks at its ends."""
    while text and is_end_mark(text[0]):
        text = text[1:]
    while text and is_end_mark(text[-1]):
        text = text[:-1]
    return text


def normalise(value: str) -> str:
    """NFKC, BOM, dashes, markdown, quotes, end punctuation, case, underscores, white space."""
    text = unicodedata.normalize("NFKC", value).replace(BOM, "")
    text = fold_dashes(text).replace("_", " ")
    for char in APOSTROPHES:
        text = text.replace(char, "'")
    for char in MARKDOWN + QUOTES:
        text = text.replace(char, "")
    text = " ".join(text.casefold().split())
    return strip_marks(text)


def find_phrases(text: str, phrases: tuple[str, ...]) -> list[tuple[int, int]]:
    """Where the phrases stand as whole words; a hyphen is a boundary."""
    pattern = r"(?<!\w)(?:" + "|".join(phrases) + r")(?!\w)"
    return [match.span() for match in re.finditer(pattern, text)]


def blank_out(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with spaces for what was found, so that it is not read twice."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def bare_words(text: str) -> list[tuple[str, int]]:
    """`up` and `down` as a whole statement, a part of one split at / or |, or after a colon."""
    found = []
    for part in re.finditer(r"[^/|]+", text):
        start = part.start() + part.group().rfind(":") + 1
        piece = text[start : part.end()]
        while piece and is_end_mark(piece[0]):
            piece = piece[1:]
            start += 1
        piece = strip_marks(piece)
        if piece in ("up", "down"):
            found.append((UP if piece == "up" else DOWN, start))
        elif re.match(LEADING_CUE, piece) and BARE.fullmatch(piece):
            for word in re.finditer(r"(?<!\w)(?:up|down)(?!\w)", piece):
                found.append((UP if word.group() == "up" else DOWN, start + word.start()))
    return found


def is_governed(text: str, at: int) -> bool:
    """Does a negation cue stand before this place, with no , ; . in between?"""
    before = re.split(r"[,;.]", text[:at])[-1]
    return re.search(CUE, before) is not None


def read_default(value: object) -> tuple[str | None, str | None]:
    """The label, or the reason why there is none."""
    if value is None:
        return None, "missing"
    if not isinstance(value, str):
        return None, "not_a_string"
    if is_blank(value):
        return None, "blank"
    text = whole = normalise(value)
    # Indeterminate phrases first: the "not" of "not determinable" negates nothing.
    phrases = find_phrases(text, INDETERMINATE_PHRASES)
    text = blank_out(text, phrases)
    found = [(INDETERMINATE, start) for start, _ in phrases]
    found += [(UP, start) for start, _ in find_phrases(text, UP_WORDS)]
    found += [(DOWN, start) for start, _ in find_phrases(text, DOWN_WORDS)]
    found += bare_words(whole)
    if any(is_governed(text, start) for _, start in found):
        return None, "negated"
    kinds = {kind for kind, _ in found}
    if len(kinds) > 1:
        return None, "several_labels"
    if len(kinds) == 1:
        return kinds.pop(), None
    if find_phrases(text, NO_CHANGE_PHRASES):
        return None, "no_change"
    return None, "not_a_label"


def is_blank(value: object) -> bool:
    """A string of nothing but white space and byte order marks."""
    return isinstance(value, str) and value.replace(BOM, "").strip() == ""


# --------------------------------------------------------------------------- compat reading

COMPAT_EXACT = {
    "up": UP,
    "upregulated": UP,
    "increase": UP,
    "increased": UP,
    "down": DOWN,
    "downregulated": DOWN,
    "decrease": DOWN,
    "decreased": DOWN,
    "indeterminate": INDETERMINATE,
    "unknown": INDETERMINATE,
    "undetermined": INDETERMINATE,
    "not determinable": INDETERMINATE,
    "insufficient evidence": INDETERMINATE,
    "evidence is contradictory": INDETERMINATE,
    "contradictory": INDETERMINATE,
}
COMPAT_SUBSTRINGS = (
    "indeterminate",
    "not determinable",
    "cannot determine",
    "insufficient evidence",
    "evidence is contradictory",
    "contradictory evidence",
)


def read_compat(value: object) -> str | None:
    """The reference scorer's label; None for invalid."""
    if value is None:
        return None
    text = str(value).strip().lower().replace("_", " ")
    if text in COMPAT_EXACT:
        return COMPAT_EXACT[text]
    hits = []
    if re.search(r"\b(upregulated|up-regulated|increased?)\b", text):
        hits.append(UP)
    if re.search(r"\b(downregulated|down-regulated|decreased?)\b", text):
        hits.append(DOWN)
    if any(phrase in text for phrase in COMPAT_SUBSTRINGS):
        hits.append(INDETERMINATE)
    return hits[0] if len(hits) == 1 else None
