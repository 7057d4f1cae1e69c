"""Content words: what a criterion is about, and which paragraphs of a report hold it.

Words are compared without their endings and weighed by how few paragraphs have them, so that a
gene's name counts for more than "expression".
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from typing import Final

_WORD = re.compile(r"\w+(?:[-./'’]\w+)*")
_PLURAL = re.compile(r"(?<![s])s\Z")
_ENDING = re.compile(r"(?:ing|ed|e)\Z")
_COMMON: Final = """
about above after against also although among another answer around because been before being
below between both cite cited clear conclude could criterion describe discuss does during each
either every explain explicit find from give given have identifies identify include including
into least list made make mention more most must name note only other over provide rather refer
report response same section should show some specific specifically state such text than that
their them then there these they this those through under until upon used using very well were
what when where whether which while will with within without would
"""


def content_terms(text: str) -> frozenset[str]:
    """Return the content words, numbers and names of a text.

    Examples
    --------
    >>> sorted(content_terms("States that OSD-47 shows 12 genes induced"))
    ['12', 'gen', 'induc', 'osd-47']
    """
    return frozenset(_terms(text))


def named_terms(text: str) -> frozenset[str]:
    """Return those that stand for one thing: with a digit, or a capital within.

    Examples
    --------
    >>> sorted(named_terms("The TP53 gene and mTOR in RNAs of Mice"))
    ['mtor', 'rna', 'tp53']
    """
    return frozenset(_stem(word) for word in _WORD.findall(text) if _is_named(word))


def _terms(text: str) -> Iterable[str]:
    for word in _WORD.findall(text):
        stem = _stem(word)
        if _is_named(word) or (len(word) >= 4 and stem not in _common_stems()):
            yield stem


@cache
def _common_stems() -> frozenset[str]:
    return frozenset(map(_stem, _COMMON.split()))


def _is_named(word: str) -> bool:
    return len(word) > 1 and (any(map(str.isdigit, word)) or any(map(str.isupper, word[1:])))


def _stem(word: str) -> str:
    folded = word.casefold()
    if not folded.isalpha():
        return folded
    short = _ENDING.sub("", _PLURAL.sub("", folded))
    return short if len(short) >= 3 else folded


@dataclass(slots=True)
class Rarity:
    """How few paragraphs have a word.

    Attributes
    ----------
    counts : Counter
        Paragraphs that have it.
    paragraph_n : int
    """

    counts: Counter[str] = field(default_factory=Counter)
    paragraph_n: int = 0

    def add(self, terms: Set[str]) -> None:
        """Count a paragraph."""
        self.counts.update(terms)
        self.paragraph_n += 1

    def weights(self, terms: Iterable[str]) -> dict[str, float]:
        """Return what each word weighs: log(1 + paragraphs / paragraphs that have it)."""
        return {term: math.log1p(self.paragraph_n / max(self.counts[term], 0.5)) for term in terms}


def share_held(terms: Set[str], weights: Mapping[str, float]) -> float:
    """Return the share of a criterion's weight that a paragraph holds; 0 for no weight.

    Examples
    --------
    >>> share_held({"a", "x"}, {"a": 3.0, "b": 1.0})
    0.75
    """
    total = math.fsum(weights.values())
    if total <= 0:
        return 0.0
    return math.fsum(weight for term, weight in weights.items() if term in terms) / total
