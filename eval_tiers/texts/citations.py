"""The evidence that an answer cites, as written: gene to dataset, and gene to gene.

Source: specification of RR-10, section 4. Whether a citation holds is for
`eval_tiers.tiers.citations`; here it only gets its parts.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Final

from eval_tiers.texts.signs import fold_sign, parse_sign
from eval_tiers.texts.triplets import read_chain_elements, read_elements

_DATASET_START = re.compile(r"\s*(?:OSD|GLDS)", re.IGNORECASE)
_TEMPLATE: Final = ("gene_a", "sign", "gene_b")
_DIRECTIONS: Final = {"upregulated": 1, "increased": 1, "downregulated": -1, "decreased": -1}
_PYTHON_TOKEN = re.compile(
    r"""'(?P<single>[^'\\\n]*+(?:\\.[^'\\\n]*+)*+)'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|\w+|[()]"""
)
_PYTHON_WORDS: Final = {
    "None": "null", "nan": "null", "True": "true", "False": "false", "(": "[", ")": "]",
}  # fmt: skip
_TRUE_WORDS: Final = frozenset({"true", "yes"})
Edge = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation as written; `malformed` when gene, sign or dataset is missing.

    Attributes
    ----------
    gene, dataset : str
        Stripped, in the case as written; empty where missing.
    sign : int
        +1 or -1; 0 where none can be read.
    log2fc, q : float or None
        Finite numbers, None where none is given.
    significant : bool
        Significance is claimed.
    written : str
        The element as JSON.
    malformed : bool
    """

    gene: str
    sign: int
    dataset: str
    log2fc: float | None
    q: float | None
    significant: bool
    written: str
    malformed: bool


@dataclass(slots=True)
class Evidence:
    """What a row cites.

    Attributes
    ----------
    citations : list of Citation
    mechanism : list of (str, int, str)
        Triples whose target is no dataset: source, sign (0: unsigned), target.
    given : bool
        Whether the row has evidence at all, be it an empty list.
    """

    citations: list[Citation] = field(default_factory=list)
    mechanism: list[Edge] = field(default_factory=list)
    given: bool = False


def read_evidence(value: object) -> Evidence:
    """Read an evidence field: a list of objects or triples, one of either, or the text of such.

    Null and blank text are no evidence.

    Examples
    --------
    >>> found = read_evidence([["Trp53", "up", "OSD-48"], ["Trp53", "+", "Cdkn1a"], "OSD-48"])
    >>> [(c.gene, c.sign, c.dataset, c.malformed) for c in found.citations]
    [('Trp53', 1, 'OSD-48', False), ('', 0, '', True)]
    >>> found.mechanism
    [('Trp53', 1, 'Cdkn1a')]
    """
    if value is None:
        return Evidence()
    if isinstance(value, str):
        if not value.strip():
            return Evidence()
        if value.strip()[0] not in "[{":
            return _collect([value])
        return read_evidence_block(_json_of(value))
    if isinstance(value, list):
        return _collect(read_chain_elements(value))
    return _collect([value])


def read_evidence_block(block: str) -> Evidence:
    """Read evidence from text: JSON, else as a triplet block; an empty block is given evidence."""
    try:
        value = json.loads(block)
    except (ValueError, RecursionError):
        return _collect(read_elements(block))
    return _collect(read_chain_elements(value) if isinstance(value, list) else [value])


def _json_of(text: str) -> str:
    """Return objects in Python's spelling, as data frames write them to CSV, as JSON."""
    if "{" not in text or "'" not in text:
        return text
    translated = _PYTHON_TOKEN.sub(_json_token, text)
    try:
        json.loads(translated)
    except (ValueError, RecursionError):
        return text
    return translated


def _json_token(match: re.Match[str]) -> str:
    if match["single"] is None:
        return _PYTHON_WORDS.get(match[0], match[0])
    return '"' + match["single"].replace("\\'", "'").replace('"', '\\"') + '"'


def _collect(elements: list[object]) -> Evidence:
    found = Evidence(given=True)
    for element in elements:
        if isinstance(element, dict):
            found.citations.append(_of_object(element))
        elif isinstance(element, (list, tuple)) and len(element) == 3:
            _add_triple(found, element)
        else:
            found.citations.append(_malformed(element))
    return found


def _add_triple(found: Evidence, triple: list[object] | tuple[object, ...]) -> None:
    source, target = _symbol(triple[0]), _symbol(triple[2])
    if any(isinstance(part, (list, tuple, dict)) for part in triple) or not source or not target:
        found.citations.append(_malformed(triple))
    elif _DATASET_START.match(target):
        found.citations.append(_citation(source, triple[1], target, triple))
    elif (source.casefold(), str(triple[1]).strip().casefold(), target.casefold()) != _TEMPLATE:
        found.mechanism.append((source, _sign(triple[1]), target))


def _of_object(element: dict[object, object]) -> Citation:
    fields = {str(key).strip().casefold(): value for key, value in element.items()}
    sign = fields.get("direction")
    dataset = fields.get("dataset")
    return _citation(
        _symbol(fields.get("gene")),
        fields.get("sign") if sign is None else sign,
        _symbol(fields.get("osd") if dataset is None else dataset),
        element,
        _number(fields.get("log2fc")),
        _number(fields.get("q")),
        _is_true(fields.get("significant")),
    )


def _citation(
    gene: str,
    raw_sign: object,
    dataset: str,
    element: object,
    log2fc: float | None = None,
    q: float | None = None,
    significant: bool = False,
) -> Citation:
    sign = _sign(raw_sign)
    return Citation(
        gene, sign, dataset, log2fc, q, significant, _as_written(element),
        malformed=not (gene and sign and dataset),
    )  # fmt: skip


def _malformed(element: object) -> Citation:
    return Citation("", 0, "", None, None, False, _as_written(element), True)


def _as_written(element: object) -> str:
    try:
        return json.dumps(element, ensure_ascii=False, default=str)
    except RecursionError:
        return f"({type(element).__name__}, nested too deep)"


def _symbol(value: object) -> str:
    """Return a name, stripped; a number's digits; nothing for any other value."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    return str(value) if isinstance(value, int) or math.isfinite(value) else ""


def _sign(value: object) -> int:
    sign = parse_sign(value)
    return _DIRECTIONS.get(fold_sign(value), 0) if not sign and isinstance(value, str) else sign


def _number(value: object) -> float | None:
    """Return a finite number, also one given as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _is_true(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.strip().casefold() in _TRUE_WORDS)
