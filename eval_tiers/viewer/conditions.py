"""A view as the parts of a query: conditions, order, what lies beyond a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eval_tiers.viewer import table_columns
from eval_tiers.viewer.side_tables import side_table_of
from eval_tiers.viewer.view_state import NULL, View


def where_of(view: View, columns: Sequence[str]) -> tuple[str, list[Any]]:
    """Return the condition of a view's filters and its parameters."""
    parts, values = [], []
    for name, chosen in view.chosen:
        condition, used = _condition(name, chosen)
        parts.append(f"({condition})")
        values += used
    for sought, searched in ((view.gene, table_columns.GENES), (view.text, table_columns.TEXTS)):
        if sought:
            names = [name for name in searched if name in columns]
            options = [f"contains(lower({name}), lower(?))" for name in names] or ["false"]
            parts.append(f"({' OR '.join(options)})")
            values += [sought] * len(names)
    if view.sample:
        parts.append("contains(lower(sample_id), lower(?))")
        values.append(view.sample)
    return " AND ".join(parts) or "true", values


def _condition(name: str, chosen: Sequence[str]) -> tuple[str, list[Any]]:
    """Return the condition that a column has one of some values."""
    words: list[Any] = [word for word in chosen if word != NULL]
    if name == table_columns.EDGE_STATUS:
        options = [f"{table_columns.status_count(word)} > 0" for word in words]
        return " OR ".join(options) or "false", []
    if name in table_columns.FLAGS:
        words = [word == "True" for word in words]
    options = [f"{name} IN ({', '.join('?' * len(words))})"] if words else []
    side = side_table_of(name)
    if side is None:
        return " OR ".join([*options, *([f"{name} IS NULL"] if NULL in chosen else [])]), words
    rows = f"SELECT row_number FROM {side.name} WHERE"
    if NULL in chosen and side.null_is_absent:
        absent = f"row_number NOT IN ({rows} {name} IS NOT NULL)"
        return " OR ".join([absent, *(f"row_number IN ({rows} {one})" for one in options)]), words
    options += [f"{name} IS NULL"] if NULL in chosen else []
    return f"row_number IN ({rows} {' OR '.join(options)})", words


def source_of(view: View) -> str:
    """Return the table of samples, with their confidence where the order needs it."""
    if view.sort != "confidence":
        return "samples"
    return "(SELECT s.*, t.confidence FROM samples s LEFT JOIN stated t USING (row_number))"


def quoted_name(column: str) -> str:
    """Return a column's name as SQL."""
    return '"' + column.replace('"', '""') + '"'


def order_of(view: View, backwards: bool = False) -> str:
    """Return the order of a view; null comes last, and rows that are alike as in the file."""
    turn = "DESC" if backwards else "ASC"
    if not view.sort:
        return f"row_number {turn}"
    way = "DESC" if view.descending != backwards else "ASC"
    nulls = "FIRST" if backwards else "LAST"
    return f"{quoted_name(view.sort)} {way} NULLS {nulls}, row_number {turn}"


def beyond(
    view: View, row: int, sample: Mapping[str, Any], forwards: bool
) -> tuple[str, list[Any]]:
    """Return the condition of the rows after (or before) a sample, and its parameters."""
    rows = f"row_number {'>' if forwards else '<'} ?"
    if not view.sort:
        return rows, [row]
    name = quoted_name(view.sort)
    value = sample[view.sort]
    if value is None:
        alike = f"{name} IS NULL AND {rows}"
        return (alike, [row]) if forwards else (f"{name} IS NOT NULL OR ({alike})", [row])
    sign = ">" if forwards != view.descending else "<"
    condition = f"{name} {sign} ? OR ({name} = ? AND {rows})"
    if forwards:
        condition += f" OR {name} IS NULL"
    return condition, [value, value, row]
