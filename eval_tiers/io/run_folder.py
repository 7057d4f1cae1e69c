"""The output folder of a run: streamed under temporary names, renamed when all is done."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import pyarrow as pa

from eval_tiers.exceptions import MissingResourceError, Problem, SourceRef
from eval_tiers.io.atomic import render_json
from eval_tiers.io.sources import reason_of
from eval_tiers.io.tables import render_csv

TIME_FORMAT = "%Y%m%d_%H%M%S"
_MANY_VALUES = frozenset({"sample_id", "perturbation", "readout"})  # a dictionary gains nothing


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
        self._open: dict[str, IO[bytes]] = {}
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
            for writer in self._parquet.values():
                writer.is_open = False  # it isn't to write a footer: the file goes
            for handle in self._open.values():
                with suppress(OSError):  # a full disk, told of already
                    handle.close()
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

        with self._writing():
            writer = self._parquet.get(stem)
            if writer is None:
                texts = [
                    field.name
                    for field in table.schema
                    if pa.types.is_string(field.type) and field.name not in _MANY_VALUES
                ]
                handle = self._part(self.name_of(stem, "parquet"))
                writer = pq.ParquetWriter(handle, table.schema, use_dictionary=texts)
                self._parquet[stem] = writer
            writer.write_table(table)

    def add_csv(self, stem: str, table: pa.Table) -> None:
        """Append rows to ``<stem>.csv``; the first part brings the header."""
        header = self.name_of(stem, "csv") not in self._open
        self.add_csv_bytes(stem, render_csv(table, self._safe, header))

    def add_csv_bytes(self, stem: str, data: bytes) -> None:
        """Append rendered rows to ``<stem>.csv``."""
        name = self.name_of(stem, "csv")
        with self._writing():
            (self._open.get(name) or self._part(name)).write(data)

    def add_json(self, stem: str, value: object) -> None:
        """Write ``<stem>.json``."""
        with self._writing():
            self._part(self.name_of(stem, "json")).write(render_json(value))

    def finish(self) -> dict[str, Path]:
        """Close all files and give them their final names; return them by stem and suffix."""
        files = {}
        with self._writing():
            for writer in self._parquet.values():
                writer.close()
            for handle in self._open.values():
                handle.close()
            for name, part in self._parts.items():
                final = self.path / name
                os.replace(part, final)
                stem = name.removesuffix(final.suffix).removesuffix(f"_{self.timestamp}")
                files[f"{stem}{final.suffix}"] = final
        self._finished = True
        return files

    def _part(self, name: str) -> IO[bytes]:
        """Open the temporary file that is to have this name."""
        part = self.path / f".{name}.part"
        handle = open(part, "wb")  # noqa: SIM115 - closed by finish or on the way out
        self._parts[name], self._open[name] = part, handle
        return handle

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn a failure to write, such as a full disk, into an error that names the folder."""
        try:
            yield
        except OSError as error:
            raise MissingResourceError(
                Problem(
                    "cannot-write",
                    f"writing the results failed: {reason_of(error)}",
                    SourceRef(str(self.path)),
                    "make room there, or name another folder with -o",
                )
            ) from error


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
    except (OSError, ValueError) as error:
        raise MissingResourceError(
            Problem(
                "cannot-write",
                f"the output folder can't be made: {reason_of(error)}",
                SourceRef(str(parent)),
                "name another with -o",
            )
        ) from error
