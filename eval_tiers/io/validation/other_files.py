"""Gene sets, graphs and predictions: what their own readers find, as an outcome."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

import orjson

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.formats.base import RecordFault
from eval_tiers.io.graphs import describe_graph_file, sha256_of
from eval_tiers.io.rows import iter_rows, parse_row
from eval_tiers.io.sources import UTF8_BOM, read_bytes
from eval_tiers.io.validation.outcome import Figure, Outcome
from eval_tiers.io.validation.probe import ANSWER_FIELDS

_ID_NAMES: Final = frozenset({"id", "sample_id", "item_id", "question_id"})


def check_gmt_file(path: Path, name: str) -> Outcome:
    """Check gene sets as ``gmt lint`` does; raises where the file is none."""
    from eval_tiers.io.gene_sets import check_gene_set_file, describe_gene_set_file

    described = describe_gene_set_file(path)
    outcome = Outcome(name, "gmt", "gene sets (GMT)", str(described["sha256"]))
    for finding in check_gene_set_file(path):
        outcome.add(finding)
    outcome.record_n = cast("int", described["set_n"])
    outcome.figures += [
        Figure("sets", outcome.record_n),
        Figure("genes", cast("int", described["gene_n"])),
        Figure("genes are", None, str(described["likely_identifier"])),
    ]
    outcome.next_step = f"eval --tiers 1 2 3 --go-gmt {name} ..."
    return outcome


def check_graph_file(path: Path, name: str) -> Outcome:
    """Check a graph as ``kg info`` does; raises where the file is none."""
    graph, described = describe_graph_file(path)
    (file,) = cast("list[dict[str, str]]", described["files"])
    outcome = Outcome(
        name, "kg", f"a graph of signed edges, format {file['format']}", file["sha256"]
    )
    for finding in graph.findings:
        outcome.add(finding)
    outcome.record_n = graph.edge_n
    outcome.figures += [
        Figure("nodes", cast("int", described["node_n"])),
        Figure("edges", graph.edge_n, "distinct ordered pairs"),
        Figure("conflicting", cast("int", described["conflicting_n"]), "of these have both signs"),
    ]
    outcome.next_step = f"eval --external-kg {name} ..."
    return outcome


def is_prediction_header(line: bytes) -> bool:
    """Whether the first line of a table names an id and an answer."""
    text = line.decode("utf-8", "replace")
    return any(_names_answers(text.split(mark)) for mark in ",\t;")


def _names_answers(cells: Sequence[str]) -> bool:
    names = {cell.strip().strip('"').strip().casefold() for cell in cells}
    return bool(names & _ID_NAMES) and bool(names & ANSWER_FIELDS)


def check_prediction_rows(path: Path, name: str) -> Outcome:
    """Count the rows of predictions in JSON Lines or one JSON array; list unreadable ones."""
    outcome = Outcome(name, "predictions", "predictions (JSON Lines)", sha256_of(path))
    return _closed(outcome, _count_rows(path, outcome))


def check_prediction_files(paths: Sequence[Path], name: str) -> Outcome:
    """Count the rows of the prediction files of a folder of split folders."""
    outcome = Outcome(name, "predictions", "predictions: a folder of split folders")
    unreadable_n = 0
    for path in paths:
        before = outcome.record_n
        unreadable_n += _count_rows(path, outcome)
        words = f"{path.parent.name}/{path.name}"
        outcome.figures.append(Figure("", outcome.record_n - before, words))
    _closed(outcome, unreadable_n)
    outcome.next_step = f"eval --pred-dir {name} --gt-dir ..."
    return outcome


def _count_rows(path: Path, outcome: Outcome) -> int:
    """Add the rows of a file; return how many can't be read."""
    unreadable_n = 0
    for line, raw in iter_rows(path, None):
        outcome.record_n += 1
        try:
            parse_row(raw, strict=True)
        except RecordFault as fault:
            unreadable_n += 1
            where = SourceRef(str(path), line, fault.field)
            outcome.add(Finding(fault.code, fault.message, where, "error", fault.fix))
    return unreadable_n


def check_prediction_map(path: Path, name: str) -> Outcome:
    """Count the ids of predictions in one JSON object, id to answer."""
    outcome = Outcome(name, "predictions", "predictions (JSON object)", sha256_of(path))
    data = read_bytes(path).removeprefix(UTF8_BOM).strip()
    try:
        outcome.record_n = len(parse_row(data))
        parse_row(data, strict=True)
    except RecordFault as fault:
        where = SourceRef(name, None, fault.field)
        outcome.add(Finding(fault.code, fault.message, where, "error", fault.fix))
    return _closed(outcome, 0)


def check_prediction_table(path: Path, name: str) -> Outcome:
    """Count the rows of predictions in a table."""
    outcome = Outcome(name, "predictions", "predictions (a table)", sha256_of(path))
    try:
        text = read_bytes(path).removeprefix(UTF8_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInputError(
            Problem("not-utf8", f"the table is not UTF-8: {error.reason}", SourceRef(name),
                    "save it as UTF-8")
        ) from error  # fmt: skip
    text = text.lstrip()
    if text[:4].casefold() == "sep=":  # as Excel writes it above the header
        text = text.partition("\n")[2]
    first = text.split("\n", 1)[0]
    mark = max(",\t;", key=lambda mark: _names_answers(first.split(mark)))
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    try:
        outcome.record_n = max(0, sum(any(map(str.strip, row)) for row in rows) - 1)
    except csv.Error as error:
        where = SourceRef(name, rows.line_num)
        outcome.add(Finding("bad-table", f"the table can't be read: {error}", where, "error"))
    return _closed(outcome, 0)


def is_answer_map(data: bytes) -> bool:
    """Whether data are one JSON object from ids to texts, numbers or records of answers."""
    try:
        found = orjson.loads(data.removeprefix(UTF8_BOM))
    except orjson.JSONDecodeError:
        return False
    if not isinstance(found, dict) or not found:
        return False
    first = next(iter(found.values()))
    if isinstance(first, dict):
        return bool(ANSWER_FIELDS & first.keys())
    return all(value is None or isinstance(value, str) for value in found.values())


def _closed(outcome: Outcome, unreadable_n: int) -> Outcome:
    outcome.figures.insert(0, Figure("rows", outcome.record_n))
    if unreadable_n:
        outcome.figures.append(Figure("", unreadable_n, "that can't be read"))
    outcome.next_step = f"eval --pred-file {outcome.path} --gt-file ..."
    return outcome
