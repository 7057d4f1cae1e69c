"""Where a task's files come from: ``provenance.tsv`` and ``PROVENANCE.md``, held against them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, EvalTiersError, Problem, SourceRef
from eval_tiers.io.sources import CHUNK_BYTES, UTF8_BOM, reason_of, refuse_utf16, require_file
from eval_tiers.io.text_lines import decode_text
from eval_tiers.submissions import codes
from eval_tiers.submissions.paths import PathFault, plain_path

TABLE_NAME: Final = "provenance.tsv"
PAGE_NAME: Final = "PROVENANCE.md"
LISTED_FOLDERS: Final = ("observations", "reference")
"""Folders whose files have to be in the table."""

_MOST_BYTES: Final = 10_000_000
_COLUMNS: Final = {
    "source_path": ("source_path", "path", "source", "file"),
    "size": ("size", "bytes", "size_bytes", "byte_size"),
    "sha256": ("sha256", "sha_256"),
}
_SECTIONS: Final = {
    "citation": r"\b(?:citations?|cite|cited as)\b",
    "transformations": r"\btransformations?\b",
    "terms": r"\b(?:terms(?: of use)?|licen[cs]e)\b",
}
_HASH: Final = re.compile(r"[0-9a-fA-F]{64}")
_SIZE: Final = re.compile(r"[0-9]{1,18}")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})\s+(.*)")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-{3,})\s*")
_PLACEHOLDER: Final = re.compile(r"[\W_]*(?:todo|tbd|fixme|xxx)?[\W_]*", re.I)


@dataclass(slots=True)
class Provenance:
    """What the two files say, and what is wrong with them.

    Attributes
    ----------
    file_n, byte_n : int
        Files of the table that are as it says, and their bytes.
    row_n : int
    findings : list of Finding
    """

    file_n: int = 0
    byte_n: int = 0
    row_n: int = 0
    findings: list[Finding] = field(default_factory=list)


def read_provenance(folder: Path) -> Provenance:
    """Check the table against the task's files, and the page for its three sections.

    The table has columns ``source_path`` (within the task's folder), ``size`` in bytes and
    ``sha256``, between tabs; others are left alone. UTF-8, a BOM and CRLF are accepted. The page
    needs a citation, transformations and terms: headings, or lines that begin ``Citation:``, with
    something under them. Nothing is raised: every fault is a finding.
    """
    found = Provenance()
    _check_table(folder, found)
    _check_page(folder / PAGE_NAME, found)
    return found


def _check_table(folder: Path, found: Provenance) -> None:
    path = folder / TABLE_NAME
    text = _text(path, "table of sources", found)
    if text is None:
        return
    listed: dict[str, int] = {}
    for number, row in _rows(text, path, found):
        found.row_n += 1
        where = SourceRef(str(path), number, "source_path")
        try:
            name = plain_path(row["source_path"])
        except PathFault as fault:
            malformed = fault.code == codes.MANIFEST_MALFORMED
            code = "bad-path" if malformed else fault.code.replace("_", "-")
            told = f"{row['source_path'][:200]!r}: {fault.message}"
            found.findings.append(_error(code, told, where, "name it from the task's folder on"))
            continue
        if name in listed:
            told = f"{name!r} is listed twice, first in line {listed[name]}"
            found.findings.append(_error("repeated-source", told, where, "leave one"))
            continue
        listed[name] = number
        _check_file(folder, name, row, number, found)
    if not found.row_n and not found.findings:
        where = SourceRef(str(path))
        found.findings.append(_error("no-source", "the table lists no file", where, "list them"))
    for name in _present(folder) if found.row_n else ():
        if name not in listed:
            told = f"{name!r} is not listed: its bytes may change and nobody knows"
            where = SourceRef(str(path))
            found.findings.append(Finding("unlisted-file", told, where, fix="add a line for it"))


def _rows(text: str, path: Path, found: Provenance) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line and cells of each row that is whole; the others become findings."""
    places: dict[str, int] = {}
    width = 0
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        where = SourceRef(str(path), number)
        if not places:
            names = [cell.casefold().replace(" ", "_").replace("-", "_") for cell in cells]
            for column, known in _COLUMNS.items():
                place = next((names.index(name) for name in known if name in names), None)
                if place is None:
                    told = f"the column '{column}' is missing"
                    fix = "the first line is: source_path, size, sha256, with tabs between them"
                    found.findings.append(_error("missing-column", told, where, fix))
                    return
                places[column] = place
            width = len(cells)
            continue
        if len(cells) != width:
            told = f"the line has {len(cells)} cells; the header has {width}"
            found.findings.append(_error("row-length", told, where, "complete the line"))
            found.row_n += 1
            continue
        yield number, {column: cells[place] for column, place in places.items()}


def _check_file(
    folder: Path, name: str, row: dict[str, str], number: int, found: Provenance
) -> None:
    """Hold one file against its line."""
    table = str(folder / TABLE_NAME)
    faults = []
    if not _SIZE.fullmatch(row["size"]):
        told = f"{name!r}: the size {row['size'][:40]!r} is no whole number of bytes"
        faults.append(_error("bad-size", told, SourceRef(table, number, "size"), "write digits"))
    if not _HASH.fullmatch(row["sha256"]):
        told = f"{name!r}: the SHA-256 has to be 64 hexadecimal digits"
        where = SourceRef(table, number, "sha256")
        faults.append(_error("bad-hash", told, where, "write what sha256sum prints"))
    if faults:
        found.findings += faults
        return
    try:
        size, digest = _measured(folder, name)
    except EvalTiersError as error:
        problem = error.problems[0]
        told = f"{name!r}: {problem.message}"
        fix = "put the file there, or take the line out"
        found.findings.append(_error(problem.code, told, SourceRef(table, number), fix))
        return
    fix = "if the file is right, write its size and SHA-256 anew"
    if size != int(row["size"]):
        told = f"{name!r} has {size:,} bytes; the table says {int(row['size']):,}"
        faults.append(_error("size-mismatch", told, SourceRef(table, number, "size"), fix))
    if digest != row["sha256"].lower():
        told = f"{name!r}: the SHA-256 is {digest[:12]}..., not {row['sha256'][:12].lower()}..."
        faults.append(_error("hash-mismatch", told, SourceRef(table, number, "sha256"), fix))
    found.findings += faults
    if not faults:
        found.file_n += 1
        found.byte_n += size


def _measured(folder: Path, name: str) -> tuple[int, str]:
    """Return size and hash of a file that lies in the folder, links followed."""
    path = require_file(folder / name, "file")
    where = SourceRef(str(path))
    if not path.resolve().is_relative_to(folder.resolve()):
        told = "a symbolic link leads out of the task's folder"
        raise BadInputError(Problem("escapes-root", told, where))
    digest, size = hashlib.sha256(), 0
    try:
        with open(path, "rb") as handle:
            while chunk := handle.read(CHUNK_BYTES):
                digest.update(chunk)
                size += len(chunk)
    except OSError as error:
        told = f"reading failed: {reason_of(error)}"
        raise BadInputError(Problem("read-failed", told, where)) from error
    return size, digest.hexdigest()


def _present(folder: Path) -> list[str]:
    """Return the files of the listed folders, without hidden ones."""
    found = []
    for top in LISTED_FOLDERS:
        for root, folders, files in os.walk(folder / top):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            place = Path(root).relative_to(folder)
            found += [(place / name).as_posix() for name in files if not name.startswith(".")]
    return sorted(found)


def _check_page(path: Path, found: Provenance) -> None:
    text = _text(path, "page on the provenance", found)
    if text is None:
        return
    text = text.replace("\r\n", "\n")
    sections = _sections(text.split("\n"))
    for name, pattern in _SECTIONS.items():
        where = SourceRef(str(path), field=name)
        bodies = [body for title, body in sections if re.search(pattern, title, re.I)]
        labelled = rf"{pattern}[*_]*\s*:[*_ \t]*([^\n]*)"
        bodies += [match[1] for match in re.finditer(labelled, text, re.I)]
        if not bodies:
            told = f"there is no section on {name}"
            fix = f"add a heading '## {name.capitalize()}' and say it"
            found.findings.append(_error("no-section", told, where, fix))
        elif all(_PLACEHOLDER.fullmatch(body) for body in bodies):
            told = f"the section on {name} says nothing"
            found.findings.append(_error("empty-section", told, where, "fill it in"))


def _sections(lines: list[str]) -> list[tuple[str, str]]:
    """Return title and text of each heading, the text of those below it included."""
    found: list[tuple[int, str, list[str]]] = []
    open_ones: list[tuple[int, str, list[str]]] = []
    for number, line in enumerate(lines):
        under = _UNDERLINE.fullmatch(lines[number + 1]) if number + 1 < len(lines) else None
        heading = _HEADING.fullmatch(line)
        if heading or (under and line.strip()):
            level = len(heading[1]) if heading else 1 if under and under[1][0] == "=" else 2
            open_ones = [one for one in open_ones if one[0] < level]
            open_ones.append((level, heading[2] if heading else line, []))
            found.append(open_ones[-1])
        elif not _UNDERLINE.fullmatch(line):
            for _, _, body in open_ones:
                body.append(line)
    return [(title, "\n".join(body)) for _, title, body in found]


def _text(path: Path, role: str, found: Provenance) -> str | None:
    """Return a text file without a BOM; None, with a finding, where it can't be read."""
    try:
        with open(require_file(path, role), "rb") as handle:
            data = handle.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            told = f"the {role} has more than {_MOST_BYTES:,} bytes"
            raise BadInputError(Problem("oversize", told, SourceRef(str(path))))
        refuse_utf16(data[:400], str(path))
        return decode_text(data.removeprefix(UTF8_BOM), str(path))
    except EvalTiersError as error:
        found.findings += [
            Finding(one.code, one.message, one.where, "error", one.fix) for one in error.problems
        ]
        return None


def _error(code: str, message: str, where: SourceRef, fix: str) -> Finding:
    return Finding(code, message, where, "error", fix)
