"""The package folder of RR-10: the benchmark, and what lies beside it, against each other."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, EvalTiersError, Problem, SourceRef
from eval_tiers.formats.base import RecordFault
from eval_tiers.formats.rr10_rules.codes import Fault
from eval_tiers.formats.rr10_rules.corpus import CANON, Canon, Corpus
from eval_tiers.formats.rr10_rules.fields import ITEM_FIELD_NAMES
from eval_tiers.formats.rr10_rules.manifest import ManifestCheck, PackageFile
from eval_tiers.formats.rr10_rules.shapes import shortened
from eval_tiers.io.rows import parse_row
from eval_tiers.io.sources import UTF8_BOM, iter_chunks, read_bytes, refuse_utf16
from eval_tiers.io.validation.outcome import Figure, Outcome
from eval_tiers.io.validation.probe import looks_like_rr10, probed_records
from eval_tiers.io.validation.rr10_file import add_faults, check_rr10_file

MANIFEST: Final = "manifest.json"
SCHEMA: Final = "schema.json"
_MAX_FILES: Final = 500
_SUFFIXES: Final = (".jsonl", ".ndjson", ".jsonl.gz", ".jsonl.zst")


def find_benchmark(folder: Path) -> Path | None:
    """Return the benchmark file of a package folder, None where it holds none.

    ``benchmark.jsonl`` goes before other JSON Lines files in RR-10's format, these before a
    transport copy (``...PAYLOAD.md``).

    Raises
    ------
    BadInputError
        There are several of them with other names.
    """
    files = [path for path in _files_of(folder, deep=False) if not path.name.startswith(".")]
    named = [path for path in files if path.name.casefold().startswith("benchmark.jsonl")]
    if named:
        return named[0]
    found = [
        path
        for path in files
        if path.name.casefold().endswith(_SUFFIXES) and looks_like_rr10(probed_records(path))
    ]
    if len(found) > 1:
        names = ", ".join(path.name for path in found[:5])
        raise BadInputError(
            Problem("several-benchmarks", f"the folder holds several benchmark files: {names}",
                    SourceRef(str(folder)), "name one of them")
        )  # fmt: skip
    if found:
        return found[0]
    copies = [path for path in files if _is_payload(path)]
    return copies[0] if copies else None


def check_rr10_package(
    folder: Path, benchmark: Path, name: str, skip_hash: bool, canon: Canon = CANON
) -> Outcome:
    """Check the benchmark of a package, its manifest, schema and transport copies.

    Raises
    ------
    MissingResourceError, BadInputError
        As `check_rr10_file`.
    """
    outcome, corpus = check_rr10_file(benchmark, str(benchmark), skip_hash, canon)
    outcome.path = name
    outcome.taken_for = "a package of RR-10: a folder with a benchmark"
    outcome.figures.insert(0, Figure("benchmark", None, benchmark.name))
    paths = {path.relative_to(folder).as_posix(): path for path in _files_of(folder, deep=True)}
    files = {file: _hashed(path) for file, path in paths.items()}
    # A benchmark may be compressed here and not where the manifest was written.
    own = PackageFile(outcome.sha256 or "", files[benchmark.name].size)
    _check_copies(outcome, paths, files, benchmark, own)
    if SCHEMA in paths:
        add_faults(outcome, _check_schema(paths[SCHEMA]), None, None)
    if MANIFEST in paths:
        _check_manifest(outcome, paths[MANIFEST], corpus, benchmark.name,
                        {**files, benchmark.name: own})  # fmt: skip
    else:
        outcome.add(Finding("no_manifest", "there is no manifest.json to compare with",
                            SourceRef(str(folder)), "note"))  # fmt: skip
    return outcome


def _files_of(folder: Path, deep: bool) -> list[Path]:
    """Return the regular files of a folder, sorted, and some hundred of those below it."""
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if deep and not name.startswith("."))
        paths = (Path(parent, name) for name in sorted(names))
        found += [path for path in paths if path.is_file() and os.access(path, os.R_OK)]
        if len(found) > _MAX_FILES:
            break
    return found


def _hashed(path: Path) -> PackageFile:
    with open(path, "rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
    return PackageFile(digest, path.stat().st_size)


def _is_payload(path: Path) -> bool:
    return "payload" in path.name.casefold()


def _check_copies(
    outcome: Outcome,
    paths: dict[str, Path],
    files: dict[str, PackageFile],
    benchmark: Path,
    own: PackageFile,
) -> None:
    """Note files with the benchmark's bytes; a payload with others is an error."""
    for file, path in paths.items():
        if path == benchmark:
            continue
        if files[file].sha256 == own.sha256:
            outcome.figures.append(Figure("copy", None, f"{file}: the same bytes"))
        elif _is_payload(path):
            message = f"{file} is not byte for byte the benchmark"
            if _text_of(path) == _text_of(benchmark):
                message += "; only line ends or a byte order mark differ"
            add_faults(outcome, [Fault("payload_differs", message)], None, None)


def _text_of(path: Path) -> bytes | None:
    """Return a digest of a file's text, whatever its line ends; None where it can't be read."""
    digest, carry, first = hashlib.sha256(), b"", True
    try:
        for chunk in iter_chunks(path):
            chunk = carry + (chunk.removeprefix(UTF8_BOM) if first else chunk)
            first, carry = False, b"\r" if chunk.endswith(b"\r") else b""
            chunk = chunk[: len(chunk) - len(carry)]
            digest.update(chunk.replace(b"\r\n", b"\n"))
    except EvalTiersError:
        return None
    return digest.digest()


def _read_object(path: Path) -> dict[str, Any]:
    """Read a file that holds one JSON object; raise `RecordFault` where it doesn't."""
    try:
        data = read_bytes(path)
        refuse_utf16(data[:400], str(path))
    except EvalTiersError as error:
        raise RecordFault("unreadable", error.problems[0].message) from error
    return parse_row(data.removeprefix(UTF8_BOM), strict=True)


def _check_schema(path: Path) -> Iterator[Fault]:
    try:
        schema = _read_object(path)
    except RecordFault as fault:
        yield Fault("schema_unreadable", f"schema.json: {fault.message}")
        return
    required = schema.get("required")
    if isinstance(required, list):
        odd = [item for item in required if isinstance(item, str) and item not in ITEM_FIELD_NAMES]
        if odd:
            names = ", ".join(shortened(item) for item in odd[:5])
            yield Fault("schema_differs", f"schema.json asks for fields that items don't have: "
                        f"{names}")  # fmt: skip


def _check_manifest(
    outcome: Outcome,
    path: Path,
    corpus: Corpus,
    benchmark: str,
    files: dict[str, PackageFile],
) -> None:
    try:
        manifest = _read_object(path)
    except RecordFault as fault:
        message = f"manifest.json: {fault.message}"
        add_faults(outcome, [Fault("manifest_unreadable", message)], None, None)
        return
    check = ManifestCheck(corpus, benchmark, files)
    add_faults(outcome, check.run(manifest), None, None)
    outcome.figures.append(Figure("manifest", check.checked_n, "figures compared"))
    if check.unchecked:
        names = ", ".join(shortened(name, 60) for name in check.unchecked[:5])
        more = len(check.unchecked) - 5
        outcome.add(
            Finding("manifest_unchecked", "figures of the manifest that say nothing to compare: "
                    + names + (f" and {more} more" if more > 0 else ""),
                    SourceRef(str(path)), "note")
        )  # fmt: skip
