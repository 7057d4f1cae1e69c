"""The front door: what a path is, and the check that belongs to it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from eval_tiers.exceptions import BadInputError, EvalTiersError, Problem, SourceRef
from eval_tiers.formats.base import RecordFault
from eval_tiers.formats.rr10_rules.corpus import CANON, Canon
from eval_tiers.io.rows import parse_row
from eval_tiers.io.sources import read_bytes, refuse_utf16, require_file
from eval_tiers.io.validation.other_files import (
    check_gmt_file,
    check_graph_file,
    check_prediction_files,
    check_prediction_map,
    check_prediction_rows,
    check_prediction_table,
    is_answer_map,
    is_prediction_header,
)
from eval_tiers.io.validation.outcome import KINDS, Outcome
from eval_tiers.io.validation.perturbreason_files import (
    check_gold_file,
    check_gold_folder,
    has_split_folders,
    split_files,
)
from eval_tiers.io.validation.probe import (
    head_of,
    lines_of_head,
    looks_like_gold,
    looks_like_predictions,
    looks_like_rr10,
    mentions_rr10,
    probed_records,
    records_of_head,
)
from eval_tiers.io.validation.rr10_file import check_rr10_file
from eval_tiers.io.validation.rr10_package import check_rr10_package, find_benchmark
from eval_tiers.io.validation.rubric_files import check_rubric_tasks, looks_like_rubric_tasks
from eval_tiers.kg.registry import choose_source
from eval_tiers.kg.source import HEAD_BYTES, Head

ASKED_KINDS: Final = ("rr10", "perturbreason", "gmt", "kg", "rubrics")
_LARGEST_OBJECT: Final = 1 << 26
_SURE_GRAPH: Final = 40
_NODE_LINK: Final = re.compile(rb'"nodes"\s*:\s*\[')
_XML_GRAPH: Final = re.compile(rb"<(?:graphml|gexf|sbml|graph)[\s>]")


def check_path(
    path: str | os.PathLike[str],
    kind: str | None = None,
    skip_hash: bool = False,
    canon: Canon = CANON,
) -> Outcome:
    """Tell what a file or folder is, and check it as that.

    Parameters
    ----------
    path : path-like
    kind : {"rr10", "perturbreason", "gmt", "kg", "rubrics"}, optional
        What it is; told from the content by default.
    skip_hash : bool
        RR-10: the file doesn't claim to be the canonical one.
    canon : Canon
        RR-10: the figures of the canonical file.

    Raises
    ------
    MissingResourceError
        It isn't there or can't be read.
    BadInputError
        It is nothing that is known, or can't be read as what it is.
    """
    name = str(path)
    if name and os.path.isdir(name):
        return _check_folder(Path(name), name, kind, skip_hash, canon)
    file = require_file(path)
    kind = kind or guess_kind(file, skip_hash)
    if kind == "rr10":
        outcome, _ = check_rr10_file(file, name, skip_hash, canon)
        outcome.next_step = f"eval --format rr10 --gt-file {name} --pred-file ..."
        return outcome
    checks = {
        "perturbreason": check_gold_file,
        "gmt": check_gmt_file,
        "kg": check_graph_file,
        "rubrics": check_rubric_tasks,
        "prediction rows": check_prediction_rows,
        "prediction map": check_prediction_map,
        "prediction table": check_prediction_table,
    }
    return checks[kind](file, name)


def _check_folder(
    folder: Path, name: str, kind: str | None, skip_hash: bool, canon: Canon
) -> Outcome:
    where = SourceRef(name)
    try:
        benchmark = find_benchmark(folder) if kind in (None, "rr10") else None
        if benchmark is not None:
            outcome = check_rr10_package(folder, benchmark, name, skip_hash, canon)
            outcome.next_step = f"eval --format rr10 --gt-file {benchmark} --pred-file ..."
            return outcome
        if kind == "perturbreason" or (kind is None and has_split_folders(folder)):
            if kind is None and _holds_predictions(folder):
                return check_prediction_files(split_files(folder), name)
            return check_gold_folder(folder, name)
    except PermissionError as error:
        raise BadInputError(
            Problem("no-permission", f"the folder can't be looked into: {error.strerror}", where)
        ) from error
    below = folder / "gt"
    fix = f"name {below}" if below.is_dir() else _known_kinds()
    raise BadInputError(
        Problem("is-a-directory", "this is a folder with neither a benchmark file nor split "
                "folders of gold files", where, fix)
    )  # fmt: skip


def _holds_predictions(folder: Path) -> bool:
    """Whether the files of a folder of split folders are predictions, not gold."""
    records = probed_records(split_files(folder)[0])
    return looks_like_predictions(records) and not looks_like_gold(records)


def guess_kind(path: Path, skip_hash: bool = False) -> str:
    """Return what a file is: a kind of `ASKED_KINDS`, or which sort of prediction file.

    Raises
    ------
    BadInputError
        It is none of them, no text, empty or cut off.
    """
    head = head_of(path)
    short = head[:HEAD_BYTES]
    try:  # a pickle is the one kind that is no text
        if choose_source(Head(str(path), short)).binary:
            return "kg"
    except EvalTiersError:
        pass
    refuse_utf16(head[:400], str(path))
    if not head.strip():
        raise BadInputError(
            Problem("empty-file", "the file holds nothing", SourceRef(str(path)),
                    "get the file again")
        )  # fmt: skip
    found = _json_kind(path, head, skip_hash) or _table_kind(path, head)
    if found is None:
        raise BadInputError(
            Problem("unknown-kind", f"this is of no known kind: {_looks(head)}",
                    SourceRef(str(path), 1), _known_kinds())
        )  # fmt: skip
    return found


def _json_kind(path: Path, head: bytes, skip_hash: bool) -> str | None:
    records = records_of_head(head)
    if head.lstrip().startswith(b"[") and not records:
        records = _array_head(head)
    if looks_like_rr10(records):
        return "rr10"
    if looks_like_rubric_tasks(records):
        return "rubrics"
    if looks_like_gold(records):
        return "perturbreason"
    if looks_like_predictions(records):
        return "prediction rows"
    if mentions_rr10(head):
        return "rr10"
    if head.lstrip().startswith(b"{") and len(records) < 2:
        if _graph_score(path, head) or _NODE_LINK.search(head[:HEAD_BYTES]):
            return "kg"
        if path.stat().st_size <= _LARGEST_OBJECT and is_answer_map(read_bytes(path)):
            return "prediction map"
    return "rr10" if skip_hash and _is_json_line(lines_of_head(head)[0]) else None


def _array_head(head: bytes) -> list[dict[str, object]]:
    """Return the first record of a JSON array."""
    import json

    text = head.decode("utf-8", "replace").lstrip()[1:].lstrip()
    try:
        first, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return []
    return [first] if isinstance(first, dict) else []


def _is_json_line(raw: bytes) -> bool:
    try:
        parse_row(raw)
    except RecordFault as fault:
        return fault.code == "not-an-object" or raw.lstrip()[:1] in (b"{", b"[")
    return True


def _table_kind(path: Path, head: bytes) -> str | None:
    lines = lines_of_head(head)
    plain_name = path.name.casefold().removesuffix(".gz").removesuffix(".zst")
    if plain_name.endswith(".gmt"):
        return "gmt"
    if _XML_GRAPH.search(head[:HEAD_BYTES]):
        return "kg"
    table = lines[1:] if lines[0].lower().startswith(b"sep=") else lines
    if table and is_prediction_header(table[0]):
        return "prediction table"
    score = _graph_score(path, head)
    if score >= _SURE_GRAPH:
        return "kg"
    if _looks_like_gmt(lines):
        return "gmt"
    return "kg" if score else None


def _graph_score(path: Path, head: bytes) -> int:
    """Return how sure the graph formats are; 0 for none."""
    text = head[:HEAD_BYTES].replace(b"\r\n", b"\n")
    known = Head(str(path), text)
    try:
        return choose_source(known).matches(known)
    except EvalTiersError:
        return 0


def _looks_like_gmt(lines: list[bytes]) -> bool:
    """Whether all lines have at least three cells, and not all the same number."""
    widths = [raw.rstrip(b"\r\n\t").count(b"\t") for raw in lines if not raw.startswith(b"#")]
    return bool(widths) and min(widths) >= 2 and len(set(widths)) > 1


def _looks(head: bytes) -> str:
    """Say what a file looks like, in a few words."""
    lowered = head[:2000].lstrip().lower()
    if lowered.startswith((b"<!doctype html", b"<html")):
        return "it looks like a web page"
    records = records_of_head(head)
    if records:
        keys = ", ".join(map(str, list(records[0])[:8])) or "none"
        return f"JSON whose first record has the fields: {keys[:120]}"
    if head.lstrip()[:1] in (b"{", b"["):
        return "it begins like JSON"
    if b"\0" in head:
        return "it holds NUL bytes: no text"
    line = lines_of_head(head)[0].strip()[:60]
    return f"it begins: {line.decode('utf-8', 'backslashreplace')}"


def _known_kinds() -> str:
    return "known are: " + "; ".join(KINDS.values()) + ". --as names one: " + ", ".join(ASKED_KINDS)
