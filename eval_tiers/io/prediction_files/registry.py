"""Finds the shapes: every module here that defines ``SHAPE``. Opens a file in the shape it has."""

from __future__ import annotations

import importlib
import os
import pkgutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np

from eval_tiers.formats.base import FieldTable
from eval_tiers.io import prediction_files
from eval_tiers.io.prediction_files.shape import (
    Head,
    Notes,
    PredictionFile,
    PredictionNames,
    PredictionShape,
    Row,
)
from eval_tiers.io.rows import RowBlock, locate_rows
from eval_tiers.io.sources import require_file
from eval_tiers.io.text_lines import read_head

_BLOCK_ROWS = 512


@cache
def prediction_shapes() -> dict[str, PredictionShape]:
    """Return all shapes by name, sorted."""
    found = {}
    for module in pkgutil.iter_modules(prediction_files.__path__):
        plug_in = importlib.import_module(f"{prediction_files.__name__}.{module.name}")
        shape = getattr(plug_in, "SHAPE", None)
        if isinstance(shape, PredictionShape):
            found[shape.name] = shape
    return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class OpenPredictions:
    """A prediction file whose shape is known.

    Attributes
    ----------
    shape : PredictionShape
        Its shape.
    blocks : iterator of RowBlock
        Its rows, each a JSON object; to be gone through once.
    rewritten : Path or None
        Where the rows of `blocks` lie if not in the file itself (or its decompressed copy).
    notes : Notes
        Whole once `blocks` has ended.
    """

    shape: PredictionShape
    blocks: Iterator[RowBlock]
    rewritten: Path | None
    notes: Notes


def shape_of(head: Head) -> PredictionShape:
    """Return the shape that is surest of a file's beginning."""
    return max(prediction_shapes().values(), key=lambda shape: (shape.matches(head), shape.name))


def open_predictions(
    path: Path,
    fields: FieldTable,
    scratch: Path,
    gold_ids: Callable[[], Iterable[str]] = tuple,
    by_position: bool = False,
    reply_text: Callable[[str], str] = str,
) -> OpenPredictions:
    """Tell a prediction file's shape and get ready to read it.

    A file of JSON Lines or a JSON array is read as it is. Any other is rewritten, while its blocks
    are gone through, to a file of JSON Lines.

    Parameters
    ----------
    path : Path
        Plain, gzip or zstd.
    fields : mapping of str to tuple of str
        ``prediction_fields`` of the benchmark format.
    scratch : Path
        Folder for what is rewritten or decompressed.
    gold_ids : callable
        Returns the ids of the gold file; called only where ids of the predictions are hashes.
    by_position : bool
        Whether rows are paired by position, so that they need no ids.
    reply_text : callable
        ``reply_text`` of the benchmark format.

    Raises
    ------
    BadInputError, MissingResourceError
        The file can't be read; going through the blocks raises for what is in it.
    """
    data, whole = read_head(require_file(path))
    head = Head(path, data, whole, PredictionNames(fields))
    shape = shape_of(head)
    notes = Notes()
    if shape.rows is None:
        return OpenPredictions(shape, locate_rows(path, scratch), None, notes)
    descriptor, name = tempfile.mkstemp(".rows", "predictions-", scratch)
    rows = shape.rows(PredictionFile(path, head, by_position, gold_ids, notes, reply_text))
    return OpenPredictions(shape, _written(rows, descriptor), Path(name), notes)


def _written(rows: Iterator[Row], descriptor: int) -> Iterator[RowBlock]:
    """Write rows one after the other and yield them with their places."""
    offset = 0
    with os.fdopen(descriptor, "wb") as handle:
        while some := list(islice(rows, _BLOCK_ROWS)):
            line, raw = zip(*some, strict=True)
            handle.write(b"\n".join(raw) + b"\n")
            handle.flush()
            length = np.fromiter(map(len, raw), np.int64, len(raw)) + 1
            places = offset + np.cumsum(length) - length
            offset += int(length.sum())
            yield RowBlock(places, np.array(line, np.int64), list(raw))
