"""Interning of symbols and edges while a batch is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain as chained
from typing import Final

import numpy as np

from eval_tiers.domain.batch import Chains

MAX_KEPT_SYMBOLS: Final = 60_000


class SymbolTable:
    """Interns symbols: as written to a code, by their matched form.

    A process keeps one from batch to batch, so that names that come again are looked up only;
    what a code is changes no number.

    Attributes
    ----------
    names : list of str
        Distinct symbols as matched: stripped, upper-cased.
    as_written : dict of str to int
        Code by every spelling met.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.as_written: dict[str, int] = {}
        self._by_name: dict[str, int] = {}

    def code(self, written: str) -> int:
        """Return the code of a symbol."""
        code = self.as_written.get(written)
        if code is None:
            name = written.strip().upper()
            code = self._by_name.setdefault(name, len(self.names))
            if code == len(self.names):
                self.names.append(name)
            self.as_written[written] = code
        return code

    def codes(self, written: Sequence[str]) -> list[int]:
        """Return the codes of many symbols."""
        known = self.as_written
        found = list(map(known.get, written))
        if None not in found:
            return found  # type: ignore[return-value]  # it holds no None
        for spelling in set(written).difference(known):
            self.code(spelling)
        return list(map(known.__getitem__, written))


def symbols_for_next_batch(symbols: SymbolTable | None) -> SymbolTable:
    """Return the table to go on with: a new one when there is none, or it has grown too large."""
    if symbols is None or len(symbols.as_written) > MAX_KEPT_SYMBOLS:
        return SymbolTable()
    return symbols


class ChainColumns:
    """Edges of one side of a batch, collected row by row or many rows at once."""

    def __init__(self, symbols: SymbolTable) -> None:
        self._symbols = symbols
        self._parts: list[Chains] = []
        self._rows: list[int] = []
        self._edge_n: list[int] = []
        self._flat: list[int] = []

    def add(self, row: int, edges: Iterable[tuple[str, int, str]]) -> None:
        """Add the edges of one row."""
        known, code, flat = self._symbols.as_written, self._symbols.code, self._flat
        before = len(flat)
        for source, sign, target in edges:
            flat += (
                known[source] if source in known else code(source),
                sign,
                known[target] if target in known else code(target),
            )
        self._rows.append(row)
        self._edge_n.append((len(flat) - before) // 3)

    def add_many(
        self,
        rows: Sequence[int],
        edge_n: Sequence[int],
        source: Sequence[str],
        sign: Sequence[int],
        target: Sequence[str],
    ) -> None:
        """Add the edges of many rows, ``edge_n`` of each, one after the other."""
        self._parts.append(
            Chains(
                np.repeat(np.array(rows, np.int32), edge_n),
                np.array(self._symbols.codes(source), np.int32),
                np.array(sign, np.int8),
                np.array(self._symbols.codes(target), np.int32),
            )
        )

    def build(self) -> Chains:
        """Return the arrays; edges of one row stand in the order in which they were added."""
        edges = np.array(self._flat, np.int32).reshape(-1, 3)
        sample = np.repeat(np.array(self._rows, np.int32), self._edge_n)
        parts = [
            *self._parts,
            Chains(sample, edges[:, 0], edges[:, 1].astype(np.int8), edges[:, 2]),
        ]
        return Chains(
            np.concatenate([part.sample for part in parts]),
            np.concatenate([part.source for part in parts]),
            np.concatenate([part.sign for part in parts]),
            np.concatenate([part.target for part in parts]),
        )


def flattened(lists: Iterable[Sequence[object]]) -> list[object]:
    """Return the elements of lists, one after the other."""
    return list(chained.from_iterable(lists))
