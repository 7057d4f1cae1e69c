"""Looking quotes up in a text of any length, read once."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Final

from eval_tiers.submissions.quote_folding import fold_piece

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK: Final = 1 << 20
_MANY: Final = 12
_BITS: Final = 18
_FACTORS: Final = (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35)
_RUNS: Final = 32


def quotes_in(pieces: Iterator[str], quotes: Collection[str]) -> set[str]:
    """Return the folded quotes that stand in a text; it is read to its end.

    Parameters
    ----------
    pieces : iterator of str
        The text, not folded.
    quotes : collection of str
        Folded, each of at least 12 characters.
    """
    longest = max(map(len, quotes))
    left = dict.fromkeys(quotes)
    found: set[str] = set()
    runs = {quote: _some_runs(quote) for quote in left} if len(left) >= _MANY else {}
    before = ""
    for block in _blocks(pieces):
        window = fold_piece(before + block)
        hits = {quote for quote in _likely(left, runs, window) if quote in window}
        found |= hits
        for quote in hits:
            del left[quote]
        before = window[-longest:]
    return found


def _likely(quotes: Collection[str], runs: dict[str, NDArray[Any]], window: str) -> Collection[str]:
    """Return the quotes of which some runs of eight characters seem to be in the window."""
    import numpy as np

    if len(quotes) < _MANY or not runs:
        return quotes
    wanted = np.zeros(1 << _BITS, bool)
    for quote in quotes:
        wanted[runs[quote]] = True
    there = _runs(window)
    seen = np.zeros(1 << _BITS, bool)
    seen[there[wanted[there]]] = True
    return [quote for quote in quotes if seen[runs[quote]].all()]


def _some_runs(quote: str) -> NDArray[Any]:
    import numpy as np

    found = _runs(quote)
    some: NDArray[Any] = found[np.linspace(0, len(found) - 1, _RUNS).astype(int)]
    return some


def _runs(text: str) -> NDArray[Any]:
    """Return a small number for each run of eight characters: the same for the same ones."""
    import numpy as np

    found = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    step = 1
    for factor in _FACTORS:  # of two, four, eight characters
        found = found[:-step] * np.uint32(factor) + found[step:]
        step *= 2
    high: NDArray[Any] = found >> np.uint32(32 - _BITS)
    return high


def _blocks(pieces: Iterator[str]) -> Iterator[str]:
    """Yield a text in blocks of some size, cut at line ends where there are any."""
    carry = ""
    for piece in pieces:
        carry += piece
        if len(carry) >= _BLOCK:
            end = carry.rfind("\n") + 1 or len(carry)
            yield carry[:end]
            carry = carry[end:]
    yield carry
