"""Reads many plain rows at once, as columns. What isn't plain is left to the row-wise reader.

Plain: every row of the block is a JSON object with the same keys, texts where texts belong, and
gold chains of [source, sign, target] texts. Then nothing needs a decision, and each step is one
pass over a column. Both readers give the same batch (a test holds them to it); this one is there
for speed alone, and returns None rather than guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from eval_tiers.domain.labels import LABEL_CODES
from eval_tiers.formats.base import FieldTable
from eval_tiers.io.rows import may_repeat_key
from eval_tiers.io.symbols import flattened
from eval_tiers.texts.signs import SIGN_WORDS
from eval_tiers.texts.stated_confidence import FIELDS as STATED_FIELDS
from eval_tiers.texts.triplets import split_bare_lists

_TEXT: Final = {str}
_TEXT_OR_NULL: Final = {str, type(None)}


@dataclass(slots=True)
class EdgeColumns:
    """Edges of several rows: how many each row has, and their parts one after the other."""

    rows: list[int] = field(default_factory=list)
    edge_n: list[int] = field(default_factory=list)
    source: Sequence[str] = ()
    sign: Sequence[int] = ()
    target: Sequence[str] = ()


@dataclass(slots=True)
class PlainGold:
    """Gold records of a block as columns; texts are stripped, None for null or blank."""

    sample_id: list[str] | None
    label: list[int]
    perturbation: list[str | None]
    readout: list[str | None]
    cell_line: list[str | None]
    pert_type: list[str | None]
    mode: list[str | None]
    has_chain: list[bool]
    edges: EdgeColumns
    by: dict[str, list[str | None]]


@dataclass(slots=True)
class PlainPredictions:
    """Prediction records of a block as columns; ``stated``: fields of confidence, as written."""

    sample_id: list[str] | None
    text: list[str]
    stated: dict[str, tuple[Any, ...]] = field(default_factory=dict)


def read_plain_gold(
    rows: Sequence[bytes], fields: FieldTable, by: Sequence[str]
) -> PlainGold | None:
    """Read gold rows as columns; None where they aren't plain."""
    columns = _columns(rows)
    if columns is None:
        return None
    n = len(rows)
    found = {name: _field(columns, fields[name]) for name in fields}
    ids, answers, paths = found["id"], found["answer"], found["path"]
    if any(value is _AMBIGUOUS for value in found.values()) or answers is None:
        return None
    try:
        label = list(map(LABEL_CODES.__getitem__, answers))
    except (KeyError, TypeError):
        return None
    perturbation, readout, cell_line, pert_type, mode = (
        _texts(found[name], n)
        for name in ("perturbation", "readout", "cell_line", "pert_type", "perturbation_mode")
    )
    sample_id = _ids(ids)
    edges = EdgeColumns() if paths is None else _edges(paths)
    if edges is None or sample_id is _AMBIGUOUS:
        return None
    if perturbation is None or readout is None or cell_line is None:
        return None
    if pert_type is None or mode is None:
        return None
    by_field = {
        name: [None if value is None else str(value) for value in columns.get(name, (None,) * n)]
        for name in by
    }
    has_chain = [False] * n if paths is None else [path is not None for path in paths]
    return PlainGold(
        sample_id=sample_id,
        label=label,
        perturbation=perturbation,
        readout=readout,
        cell_line=cell_line,
        pert_type=pert_type,
        mode=mode,
        has_chain=has_chain,
        edges=edges,
        by=by_field,
    )


def read_plain_predictions(rows: Sequence[bytes], fields: FieldTable) -> PlainPredictions | None:
    """Read prediction rows as columns; None where they aren't plain (rollouts aren't)."""
    columns = _columns(rows)
    if columns is None:
        return None
    texts, ids = _field(columns, fields["text"]), _field(columns, fields["id"])
    if texts is None or texts is _AMBIGUOUS or set(map(type, texts)) != _TEXT:
        return None
    if any(name in columns for field in ("rollout", "reasoning") for name in fields[field]):
        return None
    sample_id = _ids(ids)
    if sample_id is _AMBIGUOUS:
        return None
    stated: dict[str, tuple[Any, ...]] = {
        name: columns[name] for name in STATED_FIELDS if name in columns
    }
    return PlainPredictions(sample_id, list(texts), stated)


def plain_edges(rows: list[int], lists: list[list[Any]]) -> EdgeColumns | None:
    """Return the edges of lists of [source, sign, target] texts; None where one isn't plain.

    Plain signs are the known spellings as they are, plain symbols aren't blank.
    """
    triples = flattened(lists)
    if not triples:
        return EdgeColumns(rows, [0] * len(rows))
    if set(map(type, triples)) != {list} or set(map(len, triples)) != {3}:  # type: ignore[arg-type]
        return None
    source, signs, target = zip(*triples, strict=True)
    if set(map(type, source)) | set(map(type, signs)) | set(map(type, target)) != _TEXT:
        return None
    if not all(map(str.strip, source)) or not all(map(str.strip, target)):
        return None
    try:
        sign = list(map(SIGN_WORDS.__getitem__, signs))
    except KeyError:
        return None
    return EdgeColumns(rows, list(map(len, lists)), source, sign, target)


def plain_triplets(block: str) -> list[Any] | None:
    """Return the lists of a triplet block spelt in JSON, in single quotes or bare; else None.

    What it returns, `texts.triplets.read_triplets` reads alike; the lists are still to be checked
    (`plain_edges`).
    """
    head = block[:3]
    if head == '[["' or head == "[]":
        text = block
    elif head == "[['" and '"' not in block and "\\" not in block:
        text = block.replace("'", '"')
    else:
        return split_bare_lists(block) if head[:2] == "[[" else None
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if type(value) is not list or text.count("[") != len(value) + 1:
        return None  # nested deeper, or brackets in a symbol
    return value


class _Ambiguous:
    """Stands for a field that the plain reader can't take."""


_AMBIGUOUS: Final[Any] = _Ambiguous()


def _columns(rows: Sequence[bytes]) -> dict[str, tuple[Any, ...]] | None:
    """Return the values by key; None unless all rows are objects with the same keys, once each."""
    try:
        records = list(map(orjson.loads, rows))
    except orjson.JSONDecodeError:
        return None
    if not records or set(map(type, records)) != {dict}:
        return None
    keys = tuple(records[0])
    if set(map(tuple, records)) != {keys}:
        return None
    as_many_colons = {raw.count(b'":') for raw in rows} == {len(keys)}
    plainly_once = as_many_colons and not any(b'" :' in raw[:200] for raw in rows)
    if not plainly_once and any(may_repeat_key(raw, keys) for raw in rows):
        return None
    return dict(zip(keys, zip(*map(dict.values, records), strict=True), strict=True))


def _field(columns: dict[str, tuple[Any, ...]], names: tuple[str, ...]) -> Any:
    """Return the column of a field, None without one, `_AMBIGUOUS` where two names are there."""
    present = [name for name in names if name in columns]
    if len(present) > 1:
        return _AMBIGUOUS
    return columns[present[0]] if present else None


def _ids(column: tuple[Any, ...] | None) -> Any:
    """Return ids as texts, None without ids; `_AMBIGUOUS` for a null or blank one or a float."""
    if column is None:
        return None
    kinds = set(map(type, column))
    if kinds == {int}:
        return list(map(str, column))
    if kinds != _TEXT:
        return _AMBIGUOUS
    ids = list(map(str.strip, column))
    return ids if all(ids) else _AMBIGUOUS


def _texts(column: tuple[Any, ...] | None, n: int) -> list[str | None] | None:
    if column is None:
        return [None] * n
    kinds = set(map(type, column))
    if kinds == _TEXT:
        return [text.strip() or None for text in column]
    if kinds <= _TEXT_OR_NULL:
        return [None if text is None else text.strip() or None for text in column]
    return None


def _edges(paths: tuple[Any, ...]) -> EdgeColumns | None:
    if set(map(type, paths)) == {list}:
        return plain_edges(list(range(len(paths))), list(paths))
    if not set(map(type, paths)) <= {list, type(None)}:
        return None
    rows = [row for row, path in enumerate(paths) if path is not None]
    return plain_edges(rows, [paths[row] for row in rows])
