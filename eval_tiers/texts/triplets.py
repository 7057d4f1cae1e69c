"""The triplets that a model cites, in the many spellings in which they come.

Source: specification of PerturbReason, section 2. A block is read whole where it can be: as JSON,
else by `parse_loose` (quotes of any kind, bare tokens, comments, trailing commas, prose around
it). What can't be read whole yields its innermost three-part lists.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import orjson

from eval_tiers.texts.loose_lists import parse_loose
from eval_tiers.texts.signs import SIGN_WORDS, parse_sign

_BARE_PART = r"""[^\[\]"'()`“”‘’\\#{}]*"""
_BARE_LISTS = re.compile(
    rf"\s*+\[\s*+\[{_BARE_PART}\](?:\s*+,\s*+\[{_BARE_PART}\])*\s*+(?:,\s*+)?\]\s*+"
)
_NULL = re.compile(r"\b(?:null|None)\b")
_INNER_LIST = re.compile(r"\[([^\[\]]*)\]")
_QUOTED_PART = r"""'([^'"\[\]\\]*)'"""
_QUOTED_TRIPLE = re.compile(
    rf"[\[(]\s*{_QUOTED_PART}\s*,\s*{_QUOTED_PART}\s*,\s*{_QUOTED_PART}\s*[\])]"
)
_QUOTED_LISTS = re.compile(
    rf"\s*\[\s*{_QUOTED_TRIPLE.pattern}(?:\s*+,\s*+{_QUOTED_TRIPLE.pattern})*\s*+(?:,\s*+)?\]\s*+"
)
_CONTAINERS = frozenset({list, tuple, dict})
_TEMPLATE = ("GENE_A", "SIGN", "GENE_B")


@dataclass(slots=True)
class Triplets:
    """Edges as read, in text order, repeats and all.

    Attributes
    ----------
    edges : list of (str, int, str)
        Source, sign (-1, 0, +1), target; symbols stripped, in the case as written, never empty.
    dropped_n : int
        Elements that were no three-part lists of scalars or had an empty symbol.
    template_n : int
        The prompt's own placeholder (gene_a, sign, gene_b): no edge, and not dropped.
    unsigned_n : int
        Edges whose sign is none of the known spellings.
    """

    edges: list[tuple[str, int, str]] = field(default_factory=list)
    dropped_n: int = 0
    template_n: int = 0
    unsigned_n: int = 0


def read_triplets(block: str) -> Triplets:
    """Read the content of a triplet block. Never raises; an empty block has no edges.

    Examples
    --------
    >>> read_triplets("[[NKX2-1, +, SFTPC], ['A', 'inhibits', 'B']]").edges
    [('NKX2-1', 1, 'SFTPC'), ('A', -1, 'B')]
    """
    return _collect(read_elements(block))


def read_chain(value: list[object]) -> Triplets:
    """Read a chain that came as JSON: a list of triples, or a lone triple."""
    return _collect(read_chain_elements(value))


def read_elements(block: str) -> list[object]:
    """Return the elements of a triplet block's list, by the fastest reading that holds.

    Nothing is dropped: an element may be of any shape. A lone triple is a list of one.
    """
    stripped = block.strip()
    if not stripped:
        return []
    if stripped[0] in '["{':
        try:
            value = orjson.loads(stripped)
        except orjson.JSONDecodeError:
            pass
        else:
            if isinstance(value, list):
                return read_chain_elements(value)
            if isinstance(value, str):  # a list that was encoded twice
                return read_elements(value) if value.strip()[:1] == "[" else []
    if "//" not in stripped:
        bare = split_bare_lists(stripped)
        if bare is not None:
            return bare
        if _QUOTED_LISTS.fullmatch(stripped):
            return list(_QUOTED_TRIPLE.findall(stripped))
    parsed = parse_loose(stripped)
    return read_chain_elements(parsed.whole) if parsed.whole is not None else parsed.innermost


def split_bare_lists(block: str) -> list[object] | None:
    """Return the lists of a block of bare tokens, their parts stripped; None for any other.

    Examples
    --------
    >>> split_bare_lists("[[NKX2-1, +, SFTPC], [A, -, B],]")
    [['NKX2-1', '+', 'SFTPC'], ['A', '-', 'B']]
    """
    if _BARE_LISTS.fullmatch(block) is None or "//" in block or _NULL.search(block):
        return None
    lists: list[object] = []
    for inner in _INNER_LIST.findall(block):
        parts = list(map(str.strip, inner.split(",")))
        if len(parts) > 1 and not parts[-1]:
            parts.pop()
        lists.append(parts)
    return lists


def read_chain_elements(value: list[object]) -> list[object]:
    """Return the elements of a list of triples; a lone triple is a list of one."""
    if (
        len(value) == 3
        and type(value[0]) not in _CONTAINERS
        and _CONTAINERS.isdisjoint(map(type, value))
    ):
        return [value]
    return value


def _collect(elements: list[object]) -> Triplets:
    """Take the elements of a list one by one: an edge, the template, or dropped."""
    result = Triplets()
    edges, sign_of = result.edges, SIGN_WORDS.get
    for element in elements:
        if (type(element) is not list and type(element) is not tuple) or len(element) != 3:
            result.dropped_n += 1
            continue
        raw_source, raw_sign, raw_target = element
        source = raw_source.strip() if type(raw_source) is str else _scalar_text(raw_source)
        target = raw_target.strip() if type(raw_target) is str else _scalar_text(raw_target)
        if not source or not target:
            result.dropped_n += 1
            continue
        sign = sign_of(raw_sign) if type(raw_sign) is str else None
        if sign is None:
            sign = _unusual_sign(result, source, raw_sign, target)
            if sign is None:
                continue
        edges.append((source, sign, target))
    return result


def _unusual_sign(result: Triplets, source: str, raw_sign: object, target: str) -> int | None:
    """Return the sign of an edge whose sign isn't plainly spelt; None where it is no edge."""
    if isinstance(raw_sign, (list, tuple, dict)):
        result.dropped_n += 1
        return None
    if (source.upper(), str(raw_sign).strip().upper(), target.upper()) == _TEMPLATE:
        result.template_n += 1
        return None
    sign = parse_sign(raw_sign)
    if sign == 0:
        result.unsigned_n += 1
    return sign


def _scalar_text(value: object) -> str:
    """Return a number's digits; null, booleans and containers give no symbol."""
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return ""
