"""A view as the parts of a query: conditions, order, what lies beyond a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eval_tiers.viewer import table_columns
from eval_tiers.viewer.view_state import NULL, View


def where_of(view: View, columns: Sequence[str]) -> tuple[str, list[Any]]:
    """Return the condition of a view's filters and its parameters."""
    parts, values = [], []
    for name, chosen in view.chosen:
        words: list[Any] = [word for word in chosen if word != NULL]
        if name in table_columns.FLAGS:
            words = [word == "True" for word in words]
        options = [f"{name} IN ({', '.join('?' * len(words))})"] if words else []
        if NULL in chosen:
            options.append(f"{name} IS NULL")
        condition = f"({' OR '.join(options)})"
        if name in table_columns.RESCUE_FILTERED:
            condition = f"row_number IN (SELECT row_number FROM rescue WHERE {condition})"
        parts.append(condition)
        values += words
    if view.gene:
        genes = [name for name in table_columns.GENES if name in columns]
        options = [f"contains(lower({name}), ?)" for name in genes] or ["false"]
        parts.append(f"({' OR '.join(options)})")
        values += [view.gene.lower()] * len(genes)
    if view.sample:
        parts.append("contains(lower(sample_id), ?)")
        values.append(view.sample.lower())
    return " AND ".join(parts) or "true", values


def quoted_name(column: str) -> str:
    """Return a column's name as SQL."""
    return '"' + column.replace('"', '""') + '"'


def order_of(view: View, backwards: bool = False, table: str = "") -> str:
    """Return the order of a view; null comes last, and rows that are alike as in the file."""
    turn = "DESC" if backwards else "ASC"
    if not view.sort:
        return f"{table}row_number {turn}"
    way = "DESC" if view.descending != backwards else "ASC"
    nulls = "FIRST" if backwards else "LAST"
    return f"{table}{quoted_name(view.sort)} {way} NULLS {nulls}, {table}row_number {turn}"


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
