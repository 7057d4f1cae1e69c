"""Writes answers as ordinary prediction files, those of several answerers side by side."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import orjson

from eval_tiers.exceptions import MissingResourceError, Problem, SourceRef, UsageError
from eval_tiers.formats.base import BenchmarkFormat, ChainFormat
from eval_tiers.io.atomic import atomic_writer, render_json
from eval_tiers.io.pairs import GoldFile
from eval_tiers.io.sources import reason_of

MANIFEST_NAME = "baselines.json"
NO_ANSWER = "no answer"
_COMPRESSED = (".gz", ".zst")


def require_new_folder(output: Path, gold_dir: Path | None) -> None:
    """Raise where results would mingle with what is there already.

    Raises
    ------
    UsageError
        The folder is there and isn't empty, is a file, or lies in the gold folder (where it would
        be taken for a split).
    MissingResourceError
        It can't be looked into.
    """
    where = SourceRef(str(output))
    try:
        if gold_dir is not None and output.resolve().is_relative_to(gold_dir.resolve()):
            message = "the folder to write lies in the gold folder, whose folders are splits"
            raise UsageError(Problem("output-in-input", message, where, "name another with -o"))
        if output.exists() and not output.is_dir():
            message = "the folder to write is a file"
            raise UsageError(Problem("not-a-folder", message, where, "name another with -o"))
        if output.exists() and any(output.iterdir()):
            message = "the folder to write is there, and is not empty"
            fix = "name a new one with -o, or empty it"
            raise UsageError(Problem("output-exists", message, where, fix))
    except (OSError, ValueError) as error:
        message = f"the folder to write can't be looked into: {reason_of(error)}"
        raise MissingResourceError(
            Problem("cannot-write", message, where, "name another with -o")
        ) from error


def prediction_path(output: Path, name: str, gold: GoldFile, in_folders: bool) -> Path:
    """Return where the predictions for a gold file go: its split folder and name, as JSON Lines.

    Of a single file it is ``<name>.jsonl``.
    """
    if not in_folders or gold.split is None:
        return output / f"{name}.jsonl"
    stem = gold.path.name
    for suffix in _COMPRESSED:
        stem = stem.removesuffix(suffix)
    return output / name / gold.split / f"{os.path.splitext(stem)[0]}.jsonl"


class PredictionWriter:
    """Writes rows of one format.

    Parameters
    ----------
    benchmark : BenchmarkFormat
    handle : binary file
    """

    def __init__(self, benchmark: BenchmarkFormat, handle: IO[bytes]) -> None:
        fields = benchmark.prediction_fields
        self._id_name = fields["id"][0]
        self._is_text = isinstance(benchmark, ChainFormat)
        self._answer_name = fields["text" if self._is_text else "prediction"][0]
        self._handle = handle

    def add(self, sample_ids: Sequence[str | None], labels: Sequence[str | None]) -> None:
        """Append a row a question; a label None is an answer that gives none."""
        answers: dict[str | None, str | None] = {}
        for label in set(labels):
            answer = label
            if self._is_text:
                answer = NO_ANSWER if label is None else f"<answer>{label}</answer>"
            answers[label] = answer
        for sample_id, label in zip(sample_ids, labels, strict=True):
            row: dict[str, str | None] = {} if sample_id is None else {self._id_name: sample_id}
            row[self._answer_name] = answers[label]
            self._handle.write(_line(row))


def _line(row: Mapping[str, str | None]) -> bytes:
    try:
        return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # an id with a lone surrogate has to stay that id
        return json.dumps(row).encode() + b"\n"


@contextmanager
def prediction_writers(
    paths: Mapping[str, Path], benchmark: BenchmarkFormat
) -> Iterator[dict[str, PredictionWriter]]:
    """Open a file an answerer; all get their names when all are written.

    Raises
    ------
    MissingResourceError
        A file can't be written.
    """
    try:
        with ExitStack() as opened:
            yield {
                name: PredictionWriter(benchmark, opened.enter_context(atomic_writer(path)))
                for name, path in paths.items()
            }
    except OSError as error:
        where = SourceRef(str(next(iter(paths.values())).parent))
        message = f"writing the predictions failed: {reason_of(error)}"
        fix = "make room there, or name another folder with -o"
        raise MissingResourceError(Problem("cannot-write", message, where, fix)) from error


def write_baselines_manifest(output: Path, manifest: Mapping[str, object]) -> Path:
    """Write ``baselines.json``; return its path.

    Raises
    ------
    MissingResourceError
        It can't be written.
    """
    path = output / MANIFEST_NAME
    with atomic_writer(path) as handle:
        handle.write(render_json(manifest))
    return path
