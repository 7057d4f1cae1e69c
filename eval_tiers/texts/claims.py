"""The direction that an answer claims: upregulated, downregulated or indeterminate.

Two readings of one value: the default one, which knows negation and says why it gives no label,
and that of the reference scorer, bit for bit. Source: specification of RR-10, section 3.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from eval_tiers.domain.rr10 import DOWN, INDETERMINATE, NO_LABEL, UP

_CACHED_LENGTH: Final = 200
_DASHES: Final = {ord(char): "-" for char in "‐‑‒–—―⁃⁻₋−⸺⸻﹘﹣-"}
_DROPPED: Final = dict.fromkeys(map(ord, '\ufeff*`#~"“”„«»‹›「」『』【】'))
_FOLDED: Final = dict.fromkeys(map(ord, "’‘ʼ‚‛"), "'") | {ord("。"): ".", ord("、"): ","}
_ENDS: Final = " '\"()[]{}.,;:!?-↑↓→•>=$\\"

_UP = r"up[- ]?regulat(?:ed|es|ing|ion)|increas(?:e|ed|es|ing)"
_DOWN = r"down[- ]?regulat(?:ed|es|ing|ion)|decreas(?:e|ed|es|ing)"
_UNCERTAIN = (
    r"indeterminate|unknown|undetermined|undeterminable|not determinable"
    r"|can(?:not|'t| not) (?:be )?determined?|insufficient evidence"
    r"|(?:evidence is )?contradictory(?: evidence)?"
)
_LABEL = re.compile(
    rf"(?<!\w)(?:(?P<uncertain>{_UNCERTAIN})|(?P<up>{_UP})|(?P<down>{_DOWN}))(?!\w)"
)
_CUE = re.compile(
    r"(?<!\w)(?:not|cannot|\w+n't|no|non|never|neither|nor|without|fail(?:ed|s)? to|lack of"
    r"|hardly|barely)(?!\w)"
)
_BARE = re.compile(r"(?<!\w)(?:up|down)(?!\w)")
_NEGATED = rf"(?:{_CUE.pattern}[ -]+(?:(?:up|down) )?)+(?:up|down)"
_STATEMENT = re.compile(
    rf"[{re.escape(_ENDS)}]*+(?:{_BARE.pattern}|{_NEGATED})[{re.escape(_ENDS)}]*+"
)
_CUE_OR_STOP = re.compile(rf"(?P<stop>[,;.])|{_CUE.pattern}")
_PARTS = re.compile(r"[^/|]+")
_NO_CHANGE = re.compile(
    r"(?<!\w)(?:unchanged|unaffected|no (?:significant )?(?:change|difference|effect)"
    r"|(?:not|\w+n't) (?:significantly )?(?:changed?|affected|altered))(?!\w)"
)
_WORDS: Final = {"up": UP, "down": DOWN}
_KINDS: Final = {"up": UP, "down": DOWN, "uncertain": INDETERMINATE}

Claim = tuple[int, str | None]


def read_claim(value: object) -> Claim:
    """Return (label code, None), or (-1, why there is none).

    Reasons are those of `eval_tiers.domain.rr10.INVALID_REASONS`; None is ``missing``.

    Examples
    --------
    >>> read_claim("Final answer: up"), read_claim("not upregulated"), read_claim("unchanged")
    ((0, None), (-1, 'negated'), (-1, 'no_change'))
    """
    if value is None:
        return NO_LABEL, "missing"
    if not isinstance(value, str):
        return NO_LABEL, "not_a_string"
    return _read_short(value) if len(value) <= _CACHED_LENGTH else _read(value)


def _read(value: str) -> Claim:
    if not value.strip(" \t\r\n\ufeff") or value.isspace():
        return NO_LABEL, "blank"
    text = normalise_claim(value)
    labels: set[int] = set()
    spans = []
    for match in _LABEL.finditer(text):
        labels.add(_KINDS[str(match.lastgroup)])
        spans.append(match.span())
    for start, end, label in _bare_words(text):
        labels.add(label)
        spans.append((start, end))
    if spans and _any_negated(text, spans):
        return NO_LABEL, "negated"
    if len(labels) == 1:
        return labels.pop(), None
    if labels:
        return NO_LABEL, "several_labels"
    return NO_LABEL, "no_change" if _NO_CHANGE.search(text) else "not_a_label"


_read_short = lru_cache(maxsize=4096)(_read)


def normalise_claim(value: str) -> str:
    """NFKC, case-folded, dashes and apostrophes folded, markdown and quotes gone, `_` a space.

    Examples
    --------
    >>> normalise_claim("**Down‑regulated**_here")
    'down-regulated here'
    """
    text = unicodedata.normalize("NFKC", value).casefold()
    text = text.translate(_DASHES).translate(_FOLDED).translate(_DROPPED)
    return " ".join(text.replace("_", " ").split())


def _any_negated(text: str, spans: list[tuple[int, int]]) -> bool:
    """Whether a cue before a label governs it: up to the next comma, semicolon or full stop."""
    labels = sorted(spans)
    governed, passed = False, 0
    for match in _CUE_OR_STOP.finditer(text):
        while passed < len(labels) and labels[passed][0] <= match.start():
            if governed:
                return True
            passed += 1
        if match["stop"]:
            governed = False
        elif not passed or labels[passed - 1][1] <= match.start():  # no part of a label's phrase
            governed = True
    return governed and passed < len(labels)


def _bare_words(text: str) -> list[tuple[int, int, int]]:
    """Return start, end and label of each ``up`` and ``down`` that makes a statement.

    That is a whole text, a part of one, what follows a colon, or one of these after nothing but
    cues ("not up").
    """
    found = []
    for part in _PARTS.finditer(text):
        for start in {part.start(), part.start() + part[0].rstrip(_ENDS).rfind(":") + 1}:
            match = _STATEMENT.fullmatch(text, start, part.end())
            if match is not None:
                found += [
                    (*word.span(), _WORDS[word[0]])
                    for word in _BARE.finditer(text, start, part.end())
                ]
    return found


_COMPAT_EXACT: Final = (
    dict.fromkeys(("up", "upregulated", "increase", "increased"), UP)
    | dict.fromkeys(("down", "downregulated", "decrease", "decreased"), DOWN)
    | dict.fromkeys(
        (
            "indeterminate", "unknown", "undetermined", "not determinable",
            "insufficient evidence", "evidence is contradictory", "contradictory",
        ),
        INDETERMINATE,
    )
)  # fmt: skip
_COMPAT_UP = re.compile(r"\b(upregulated|up-regulated|increased?)\b")
_COMPAT_DOWN = re.compile(r"\b(downregulated|down-regulated|decreased?)\b")
_COMPAT_UNCERTAIN: Final = (
    "indeterminate",
    "not determinable",
    "cannot determine",
    "insufficient evidence",
    "evidence is contradictory",
    "contradictory evidence",
)


def read_claim_compat(value: object) -> int:
    """Return the label code that the reference scorer gives a value, -1 for none.

    Examples
    --------
    >>> read_claim_compat("not upregulated"), read_claim_compat("up."), read_claim_compat(None)
    (0, -1, -1)
    """
    if value is None:
        return NO_LABEL
    text = str(value).strip().lower().replace("_", " ")
    exact = _COMPAT_EXACT.get(text)
    if exact is not None:
        return exact
    found = set()
    if _COMPAT_UP.search(text):
        found.add(UP)
    if _COMPAT_DOWN.search(text):
        found.add(DOWN)
    if any(phrase in text for phrase in _COMPAT_UNCERTAIN):
        found.add(INDETERMINATE)
    return found.pop() if len(found) == 1 else NO_LABEL
