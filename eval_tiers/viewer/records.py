"""Reads what stands behind a sample again: the gold record, and what the model wrote.

Only files that the run's manifest names as gold or predictions are ever opened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Final
from zlib import crc32

import numpy as np

from eval_tiers.exceptions import EvalTiersError
from eval_tiers.formats.base import RecordFault, content_text
from eval_tiers.io.prediction_files.registry import open_predictions
from eval_tiers.io.rows import RowTable, RowTableBuilder, locate_rows, parse_row, read_rows
from eval_tiers.io.sources import compression_of
from eval_tiers.viewer.run import ViewedRun, locate_input

_ROLES: Final = frozenset({"gold", "predictions"})


@dataclass(frozen=True, slots=True)
class Written:
    """One field of a prediction: what the model wrote, or a part of it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """A record, or why it can't be shown.

    Attributes
    ----------
    record : dict or None
    reason : str
        Empty where there is a record.
    """

    record: dict[str, Any] | None
    reason: str = ""


@dataclass
class Records:
    """The gold and prediction files of a run. May be used by several threads.

    Parameters
    ----------
    run : ViewedRun
    scratch : Path
        Folder for decompressed and rewritten copies.
    ids : callable
        Ids of the run's samples, for prediction files whose ids are hashes of them.
    """

    run: ViewedRun
    scratch: Path
    ids: Callable[[], Iterable[str]]
    _tables: dict[str, RowTable] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def gold(self, sample: dict[str, Any]) -> Found:
        """Return the gold record of a sample; read by its line, checked by its id."""
        stated, line = sample["source_path"], sample["source_line"]
        if stated is None or line is None:
            return Found(None, "the run doesn't say where the gold record lies")
        try:
            path = locate_input(self.run, stated, _ROLES)
            if path is None:
                return Found(None, _gone("gold", stated))
            rows = self._rows_at(self._table(path, is_gold=True), int(line))
            for raw in rows:
                record = parse_row(raw)
                if self.run.benchmark.id_of(record) in (None, sample["sample_id"]):
                    return Found(record)
        except (EvalTiersError, RecordFault, OSError) as error:
            return Found(None, f"the gold record can't be read: {_first_line(error)}")
        return Found(None, f"line {line} of {stated} isn't this sample: the file was changed")

    def prediction(self, sample: dict[str, Any], place: dict[str, Any] | None) -> Found:
        """Return the prediction record of a sample.

        Parameters
        ----------
        sample : dict
        place : dict or None
            Its row of the table of texts. Where that has no byte range, because the file was
            rewritten to be read, the file is gone through once and read by line.
        """
        if place is None:
            return Found(None, "the run has no table of texts")
        stated, line = place["prediction_path"], place["prediction_line"]
        if stated is None or line is None:
            return Found(None, "there is no prediction for this sample")
        try:
            path = locate_input(self.run, stated, _ROLES)
            if path is None:
                return Found(None, _gone("prediction", stated))
            offset, length = place["byte_offset"], place["byte_length"]
            if offset is None or length is None:
                return self._rewritten(path, int(line), sample)
            raw = self._span(path, int(offset), int(length))
            if crc32(raw) != place["crc32"]:
                return Found(None, f"{stated} was changed since the run: its check sum is another")
            return Found(parse_row(raw))
        except (EvalTiersError, RecordFault, OSError) as error:
            return Found(None, f"the prediction can't be read: {_first_line(error)}")

    def written(self, record: dict[str, Any]) -> list[Written]:
        """Return what a prediction record holds of the model's: texts and what is scored."""
        fields = self.run.benchmark.prediction_fields
        names = [
            name for group, all_names in fields.items() if group not in ("id", "rollout")
            for name in all_names
        ]  # fmt: skip
        return [
            Written(name, _as_text(record[name]))
            for name in dict.fromkeys(names)
            if record.get(name) is not None
        ]

    def question(self, record: dict[str, Any]) -> str | None:
        """Return the question of a gold record, None where it has none."""
        for name in self.run.benchmark.gold_fields.get("question", ()):
            if isinstance(record.get(name), str):
                return str(record[name])
        return None

    def _table(self, path: Path, is_gold: bool) -> RowTable:
        """Return where the rows of a file lie; the file is gone through once."""
        key = f"{'gold' if is_gold else 'predictions'}:{path}"
        with self._lock:
            found = self._tables.get(key)
            if found is None:
                builder = RowTableBuilder()
                rewritten = None
                if is_gold:
                    blocks = locate_rows(path, self.scratch)
                else:
                    opened = open_predictions(
                        path,
                        self.run.benchmark.prediction_fields,
                        self.scratch,
                        self.ids,
                        self.run.manifest.get("pairing") == "position",
                        self.run.benchmark.reply_text,
                    )
                    blocks, rewritten = opened.blocks, opened.rewritten
                for block in blocks:
                    builder.add(block)
                found = self._tables[key] = builder.build(path, self.scratch, rewritten)
            return found

    def _rows_at(self, table: RowTable, line: int) -> list[bytes]:
        return read_rows(table, np.flatnonzero(table.line == line))

    def _rewritten(self, path: Path, line: int, sample: dict[str, Any]) -> Found:
        rows = self._rows_at(self._table(path, is_gold=False), line)
        records = []
        for raw in rows:
            try:
                record = parse_row(raw)
                read = self.run.benchmark.parse_prediction(record)
            except RecordFault:
                continue
            if read.sample_id in (None, sample["sample_id"]) and (
                sample["rollout"] is None or read.rollout == sample["rollout"]
            ):
                records.append(record)
        if len(records) == 1:
            return Found(records[0])
        return Found(None, f"{len(records)} rows on line {line} of {path} fit this sample, not one")

    def _span(self, path: Path, offset: int, length: int) -> bytes:
        """Return bytes of a file; of a compressed one, of its decompressed copy."""
        if compression_of(path) is None:
            with path.open("rb") as handle:
                handle.seek(offset)
                return handle.read(length)
        table = self._table(path, is_gold=True)
        with open(table.data_path, "rb") as handle:
            handle.seek(offset)
            return handle.read(length)


def _as_text(value: object) -> str:
    try:
        text = content_text(value, None)
    except RecordFault:
        text = None
    if text is not None:
        return text
    try:
        return json.dumps(value, ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        return "(nested too deep to be shown)"


def _gone(what: str, stated: str) -> str:
    return f"the {what} file isn't there any more: {stated}"


def _first_line(error: Exception) -> str:
    if isinstance(error, EvalTiersError) and error.problems:
        return error.problems[0].message
    return getattr(error, "message", None) or str(error)
