"""One ``[[artifact]]`` of ``eval_task.toml``: columns, key, tolerances, recomputation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from eval_tiers.submissions.paths import PathFault, plain_path
from eval_tiers.submissions.task import (
    REDUCERS,
    ArtifactSpec,
    Limits,
    NumericColumn,
    Recomputation,
    ReduceName,
    Tolerance,
)
from eval_tiers.submissions.toml_tables import Faults, Table

_ARTIFACT: Final = (
    "path", "header", "key", "rows", "numeric", "exact", "max_bytes", "recompute",
)  # fmt: skip
_RULE: Final = ("column", "table", "from", "group_by", "function", "value", "rel", "abs")
_OF_TABLES: Final = ("key", "rows", "numeric", "exact", "recompute")
_TABLE_SUFFIXES: Final = (".csv", ".tsv")


def parse_artifact(table: Table, limits: Limits, faults: Faults) -> ArtifactSpec:
    """Return one file that is asked for; faults are noted in ``faults``."""
    table.check_names(_ARTIFACT)
    path = _path(table, "path", faults, needed=True)
    header, key, exact = table.texts("header"), table.texts("key"), table.texts("exact")
    numeric = _numeric(table.table("numeric"), header, faults)
    if not header:
        _check_text(table, path, faults)
    elif not key and not faults.about(table.at("key")):
        faults.add("no-key", "a table needs key columns", table.at("key"), 'such as key = ["gene"]')
    _check_columns(header, key, "key", table, faults)
    _check_columns(header, exact, "exact", table, faults)
    for name in [column.name for column in numeric]:
        for role, names in (("key", key), ("exact", exact)):
            if name in names:
                faults.add("column-twice", f"column '{name}' is numeric and in '{role}'",
                           table.at(role), "a column is one of them")  # fmt: skip
    rules = [
        _rule(rule, numeric, key, faults) for rule in (table.tables("recompute") if header else [])
    ]
    return ArtifactSpec(
        path=path,
        header=header,
        key=key,
        rows=table.whole("rows", least=0),
        numeric=numeric,
        exact=exact,
        max_bytes=_max_bytes(table, limits, faults),
        recompute=tuple(rules),
    )


def _check_text(table: Table, path: str, faults: Faults) -> None:
    if path.casefold().endswith(_TABLE_SUFFIXES) and not faults.about(table.at("header")):
        faults.add("no-header", f"'{path}' is a table without a header", table.at("header"),
                   'such as header = ["gene", "n"]')  # fmt: skip
    for name in _OF_TABLES:
        if name in table and "header" not in table:
            faults.add("no-header", f"'{name}' needs a header", table.at(name), "add a header")


def _check_columns(
    header: Sequence[str], names: Sequence[str], role: str, table: Table, faults: Faults
) -> None:
    for name in names:
        if header and name not in header:
            faults.add("no-such-column", f"the {role} column '{name}' is not in the header",
                       table.at(role), f"columns: {', '.join(header)}")  # fmt: skip


def _numeric(table: Table, header: Sequence[str], faults: Faults) -> tuple[NumericColumn, ...]:
    found = {}
    for name in table.values:
        column = table.table(name)
        column.check_names(("integer", "rel", "abs"))
        if header and name not in header:
            faults.add("no-such-column", f"the numeric column '{name}' is not in the header",
                       column.place, f"columns: {', '.join(header)}")  # fmt: skip
        if column.flag("integer"):
            for tolerance in ("rel", "abs"):
                if tolerance in column:
                    faults.add("bad-tolerance", "whole numbers have to be equal: no tolerance",
                               column.at(tolerance), "leave it out, or integer")  # fmt: skip
            found[name] = NumericColumn(name, True, 0.0, 0.0)
        else:
            default = NumericColumn(name)
            rel = column.tolerance("rel", default.rel)
            found[name] = NumericColumn(name, False, rel, column.tolerance("abs", default.abs))
    return tuple(found[name] for name in header if name in found)


def _rule(
    table: Table, numeric: Sequence[NumericColumn], key: tuple[str, ...], faults: Faults
) -> Recomputation:
    table.check_names(_RULE)
    name = table.text("column", needed=True)
    column = next((column for column in numeric if column.name == name), NumericColumn(name))
    if name and column not in numeric:
        faults.add("no-such-column", f"'{name}' is no numeric column of the artifact",
                   table.at("column"), f"add [artifact.numeric.{name}]")  # fmt: skip
    tolerance = Tolerance(
        table.tolerance("rel", column.rel), table.tolerance("abs", column.abs)
    )  # fmt: skip
    if column.integer and tolerance != Tolerance(0.0, 0.0):
        faults.add("bad-tolerance", "whole numbers have to be equal: no tolerance", table.place,
                   "leave rel and abs out")  # fmt: skip
    if ("table" in table) == ("from" in table):
        faults.add("bad-rule", "a rule has 'table' or 'from', one of them", table.place,
                   "table: a file with key and column; from: observations")  # fmt: skip
        return Recomputation(name, tolerance=tolerance)
    if "table" in table:
        for other in ("group_by", "function", "value"):
            if other in table:
                faults.add("bad-rule", f"'{other}' goes with 'from'", table.at(other),
                           "leave it out")  # fmt: skip
        return Recomputation(name, table=_path(table, "table", faults), tolerance=tolerance)
    return _grouped(table, name, key, tolerance, faults)


def _grouped(
    table: Table, name: str, key: tuple[str, ...], tolerance: Tolerance, faults: Faults
) -> Recomputation:
    function = table.text("function", needed=True)
    if function and function not in REDUCERS:
        faults.add("unknown-function", f"'{function}' is no function that is known",
                   table.at("function"), f"one of: {', '.join(REDUCERS)}")  # fmt: skip
    value = table.text("value", needed=function != "count") or None
    group_by = table.texts("group_by") or key
    if len(group_by) != len(key):
        faults.add(
            "bad-rule",
            f"'group_by' has {len(group_by)} columns, the key {len(key)}",
            table.at("group_by"),
            "name a column of the observations for each key column",
        )
    return Recomputation(
        name,
        source=_path(table, "from", faults),
        group_by=group_by,
        function=cast("ReduceName", function),
        value=value,
        tolerance=tolerance,
    )


def _path(table: Table, name: str, faults: Faults, needed: bool = False) -> str:
    path = table.text(name, needed=needed)
    if not path.strip():
        return ""
    try:
        return plain_path(path)
    except PathFault as fault:
        faults.add("unsafe-path", f"{fault.message}: {path[:100]!r}", table.at(name),
                   "name a file in the folder")  # fmt: skip
        return ""


def _max_bytes(table: Table, limits: Limits, faults: Faults) -> int:
    value = table.whole("max_bytes", least=1)
    if value is None:
        return limits.file_bytes
    if value > limits.file_bytes:
        faults.add("limit-too-high", f"{value:,} is above the limit of {limits.file_bytes:,}",
                   table.at("max_bytes"), "a task can only lower it")  # fmt: skip
    return min(value, limits.file_bytes)
