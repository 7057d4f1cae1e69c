"""Hands tables from one process to another through files: cheaper than through a pipe."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa


def park_table(table: pa.Table, path: Path) -> Path:
    """Write a table to an Arrow file and return the file's path."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return path


def take_table(path: Path) -> pa.Table:
    """Return a parked table, mapped into memory; its file is gone afterwards."""
    with pa.memory_map(str(path)) as source:
        table = pa.ipc.open_file(source).read_all()
    os.unlink(path)
    return table


def park_bytes(data: bytes, path: Path) -> Path:
    """Write bytes to a file and return its path."""
    path.write_bytes(data)
    return path


def take_bytes(path: Path) -> bytes:
    """Return parked bytes; their file is gone afterwards."""
    data = path.read_bytes()
    os.unlink(path)
    return data
