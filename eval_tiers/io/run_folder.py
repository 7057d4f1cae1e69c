"""The output folder of a run: streamed under temporary names, renamed when all is done."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

from eval_tiers.exceptions import MissingResourceError, Problem, SourceRef
from eval_tiers.io.atomic import render_json
from eval_tiers.io.tables import render_csv

TIME_FORMAT = "%Y%m%d_%H%M%S"


class RunFolder:
    """Writes the files of one run; use it as a context manager.

    Tables grow part by part. Nothing has its final name before `finish`; on an error, or when
    the process is killed, there is no half-written file under one.

    Parameters
    ----------
    parent : Path
        ``outputs`` by default; the run gets a folder of its own in it.
    spreadsheet_safe : bool
        Passed to `render_csv`.

    Attributes
    ----------
    timestamp : str
        ``YYYYMMDD_HHMMSS``, in every name.
    run_id : str
        The folder's name: the timestamp, with a number after it when that second is taken.
    path : Path
        The folder.
    """

    def __init__(
        self,
        parent: Path,
        spreadsheet_safe: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.timestamp = time.strftime(TIME_FORMAT, time.localtime(clock()))
        self.path = _make_folder(parent, self.timestamp)
        self.run_id = self.path.name
        self._safe = spreadsheet_safe
        self._parquet: dict[str, Any] = {}
        self._csv: dict[str, Any] = {}
        self._parts: dict[str, Path] = {}
        self._finished = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._finished:
            self._close()
            shutil.rmtree(self.path, ignore_errors=True)

    @property
    def names(self) -> list[str]:
        """Final names of the files begun so far."""
        return list(self._parts)

    def name_of(self, stem: str, suffix: str) -> str:
        """Return a final file name: ``<stem>_<timestamp>.<suffix>``."""
        return f"{stem}_{self.timestamp}.{suffix}"

    def add_table(self, stem: str, table: pa.Table) -> None:
        """Append rows to ``<stem>.parquet``."""
        import pyarrow.parquet as pq

        writer = self._parquet.get(stem)
        if writer is None:
            texts = [field.name for field in table.schema if pa.types.is_string(field.type)]
            writer = pq.ParquetWriter(
                self._part(self.name_of(stem, "parquet")), table.schema, use_dictionary=texts
            )
            self._parquet[stem] = writer
        writer.write_table(table)

    def add_csv(self, stem: str, table: pa.Table) -> None:
        """Append rows to ``<stem>.csv``; the first part brings the header."""
        self.add_csv_bytes(stem, render_csv(table, self._safe, stem not in self._csv))

    def add_csv_bytes(self, stem: str, data: bytes) -> None:
        """Append rendered rows to ``<stem>.csv``."""
        handle = self._csv.get(stem)
        if handle is None:
            handle = open(self._part(self.name_of(stem, "csv")), "wb")  # noqa: SIM115 - see _close
            self._csv[stem] = handle
        handle.write(data)

    def add_json(self, stem: str, value: object) -> None:
        """Write ``<stem>.json``."""
        with open(self._part(self.name_of(stem, "json")), "wb") as handle:
            handle.write(render_json(value))

    def finish(self) -> dict[str, Path]:
        """Close all files and give them their final names; return them by stem and suffix."""
        self._close()
        files = {}
        for name, part in self._parts.items():
            final = self.path / name
            os.replace(part, final)
            stem = name.removesuffix(final.suffix).removesuffix(f"_{self.timestamp}")
            files[f"{stem}{final.suffix}"] = final
        self._finished = True
        return files

    def _part(self, name: str) -> Path:
        part = self.path / f".{name}.part"
        self._parts[name] = part
        return part

    def _close(self) -> None:
        for writer in self._parquet.values():
            writer.close()
        for handle in self._csv.values():
            handle.close()
        self._parquet, self._csv = {}, {}


def _make_folder(parent: Path, timestamp: str) -> Path:
    """Make a new folder; two runs in one second get two."""
    try:
        parent.mkdir(parents=True, exist_ok=True)
        number = 1
        while True:
            folder = parent / (timestamp if number == 1 else f"{timestamp}-{number}")
            try:
                folder.mkdir()
            except FileExistsError:
                number += 1
            else:
                return folder
    except OSError as error:
        raise MissingResourceError(
            Problem(
                "cannot-write",
                f"the output folder can't be made: {error}",
                SourceRef(str(parent)),
                "name another with -o",
            )
        ) from error
