"""Reading signs: the words, symbols and numbers that sources write for them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.kg.coded import CodedColumn, Int8Array
from eval_tiers.kg.wording import LINES_SHOWN, plural


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_POSITIVE = _words(
    "+ +1 ++ up pos positive positively plus -> --> → => increase increases increased increasing "
    "activate activates activated activating activation activator activatory stimulate stimulates "
    "stimulated stimulating stimulation stimulatory induce induces induced induction promote "
    "promotes promotion enhance enhances upregulate upregulates upregulated upregulation "
    "up-regulate up-regulates up-regulated up-regulation up_regulates agonist agonism gain"
)
_NEGATIVE = _words(
    "- -1 -- down neg negative negatively minus -| --| |- ⊣ ⟞ =| decrease decreases decreased "
    "decreasing inhibit inhibits inhibited inhibiting inhibition inhibitor inhibitory repress "
    "represses repressed repressing repression repressor suppress suppresses suppressed "
    "suppression block blocks antagonist antagonism downregulate downregulates downregulated "
    "downregulation down-regulate down-regulates down-regulated down-regulation down_regulates "
    "loss"
)
_NEUTRAL = _words(
    "0 ? . unknown unsigned undirected undefined unspecified none null na n/a nan neutral both "
    "ambiguous regulate regulates regulation control controls bind binds binding interact "
    "interacts interaction interacts_with interacts-with pp pd pr dp"
) | {"interacts with", "form complex", "not available"}
_DASHES = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d", "-")
)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+\Z")


@lru_cache(maxsize=4096)
def sign_of_word(text: str) -> int | None:
    """Return 1, -1 or 0 for a sign as sources write it; None for a word that says nothing.

    NFKC, case, dashes and surrounding blanks don't matter. A number counts by its sign.

    Examples
    --------
    >>> [sign_of_word(word) for word in ("+", "Repression", "-0.5", "Unknown", "purple")]
    [1, -1, -1, 0, None]
    """
    word = unicodedata.normalize("NFKC", text).translate(_DASHES).strip().casefold()
    if word in _POSITIVE:
        return 1
    if word in _NEGATIVE:
        return -1
    if word in _NEUTRAL:
        return 0
    if word.startswith(("up-regulates ", "upregulates ")):
        return 1
    if word.startswith(("down-regulates ", "downregulates ")):
        return -1
    number = number_of_word(word)
    if number is None:
        return None
    return (number > 0) - (number < 0)


def number_of_word(word: str) -> float | None:
    """Return the number a cell holds (decimal commas too); None for text, NaN and ``1_000``."""
    if _DECIMAL_COMMA.match(word):
        word = word.replace(",", ".")
    try:
        number = float(word)
    except ValueError:
        return None
    return None if math.isnan(number) or "_" in word else number


def is_clear_sign(text: str) -> bool:
    """Tell whether a cell can hardly be anything but a sign: a sign word, 1, -1 or 0."""
    word = unicodedata.normalize("NFKC", text).translate(_DASHES).strip().casefold()
    if sign_of_word(word) is None:
        return False
    return number_of_word(word) in (None, 1.0, -1.0, 0.0)


def read_signs(
    column: CodedColumn,
    *,
    path: str,
    field: str,
    line_of: Callable[[int], int | None],
    sign_of: Callable[[str], int | None] = sign_of_word,
) -> tuple[Int8Array, list[Finding], int]:
    """Turn a column of cells into signs.

    Returns
    -------
    signs : ndarray of int8
        1, -1, 0; a cell that can't be read as a sign is 0.
    findings : list of Finding
        ``unknown-sign`` for such cells (counted, up to five values, the first line) and
        ``confidence-not-sign`` for fractions none of which is negative.
    unknown_n : int
        Rows with such a cell.
    """
    found: list[Finding] = []
    read = [sign_of(value) for value in column.values]
    table = np.asarray([0 if sign is None else sign for sign in read], dtype=np.int8)
    if not column.codes.size:
        return np.zeros(0, dtype=np.int8), found, 0
    unknown = [code for code, sign in enumerate(read) if sign is None]
    unknown_n = 0
    if unknown:
        rows = np.flatnonzero(np.isin(column.codes, unknown))
        unknown_n = int(rows.size)
    if unknown_n:
        shown = ", ".join(_say_value(column.values[code]) for code in unknown[:LINES_SHOWN])
        more = len(unknown) - LINES_SHOWN
        found.append(
            Finding(
                "unknown-sign",
                f"{unknown_n} {plural(unknown_n, 'row')} counted unsigned, the sign being no known "
                f"word or number: {shown}" + (f" and {more} more" if more > 0 else ""),
                SourceRef(path, line_of(int(rows[0])), field),
                fix="write 1, -1 or 0",
            )
        )
    if _looks_like_confidence(column.values):
        found.append(
            Finding(
                "confidence-not-sign",
                f"column '{field}' holds fractions and nothing negative: is it a confidence? "
                "Every edge is counted positive",
                SourceRef(path, None, field),
                fix="name the column of signs 'sign', or write 1, -1 or 0",
            )
        )
    return table[column.codes], found, unknown_n


def _looks_like_confidence(values: Sequence[str]) -> bool:
    numbers = [number_of_word(value.strip()) for value in values[:1000]]
    return (
        len(numbers) > 1
        and all(number is not None and number >= 0 for number in numbers)
        and any(number not in (0.0, 1.0) for number in numbers)
    )


def _say_value(value: str) -> str:
    value = value.strip()
    if not value:
        return "(empty)"
    return repr(value if len(value) <= 30 else value[:27] + "...")
