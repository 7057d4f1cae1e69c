"""Values out of TOML tables, with every fault noted and none fatal."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from eval_tiers.exceptions import MAX_PROBLEMS_SHOWN, Problem, SourceRef


class Faults:
    """Problems of one file, in the order they are found; the first 20 are kept."""

    def __init__(self, ref: SourceRef) -> None:
        self.ref = ref
        self.problems: list[Problem] = []
        self.total = 0

    def add(self, code: str, message: str, place: str, fix: str | None = None) -> None:
        """Note a problem of the value at ``place``, such as ``artifact[1].key``."""
        self.total += 1
        if self.total <= MAX_PROBLEMS_SHOWN:
            where = SourceRef(self.ref.path, self.ref.line, place, self.ref.sample)
            self.problems.append(Problem(code, message, where, fix))

    def about(self, place: str) -> bool:
        """Whether something was noted of this place or of what is in it."""
        return any((problem.where.field or "").startswith(place) for problem in self.problems)


class Table:
    """One table of the file. A value of another type is noted, and left out."""

    def __init__(self, values: Mapping[str, object], place: str, faults: Faults) -> None:
        self.values = values
        self.place = place
        self._faults = faults

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def at(self, name: str) -> str:
        """Return how messages call a value of this table."""
        return f"{self.place}.{name}" if self.place else name

    def check_names(self, known: Sequence[str]) -> None:
        """Note every key that isn't known."""
        for name in self.values:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1, 0.6)
                fix = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}"
                self._faults.add("unknown-key", f"the key '{name}' is unknown", self.at(name), fix)

    def text(self, name: str, needed: bool = False) -> str:
        """Return a text; empty where there is none."""
        value = self.values.get(name)
        if value is None:
            if needed:
                self._faults.add("missing-key", f"'{name}' is missing", self.at(name), "add it")
            return ""
        if not isinstance(value, str):
            self._type(name, "a text in quotes")
            return ""
        if not value.strip():
            self._faults.add("empty-text", f"'{name}' is empty", self.at(name), "fill it in")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts, each once; empty where there is none."""
        value = self.values.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._type(name, 'a list of texts, such as ["a", "b"]')
            return ()
        if any(not item.strip() for item in value):
            self._faults.add("empty-text", f"'{name}' holds an empty text", self.at(name))
        twice = sorted({item for item in value if value.count(item) > 1})
        if twice:
            told = f"'{name}' holds '{twice[0]}' more than once"
            self._faults.add("repeated-name", told, self.at(name), "leave one")
        return tuple(value)

    def flag(self, name: str) -> bool:
        """Return a truth value; False where there is none."""
        value = self.values.get(name, False)
        if not isinstance(value, bool):
            self._type(name, "true or false")
            return False
        return value

    def whole(self, name: str, least: int) -> int | None:
        """Return a whole number; None where there is none."""
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            self._type(name, "a whole number")
            return None
        if value < least:
            self._faults.add("out-of-range", f"'{name}' is {value}", self.at(name),
                             f"give a whole number from {least}")  # fmt: skip
            return None
        return value

    def tolerance(self, name: str, default: float) -> float:
        """Return a finite number from 0."""
        value = self.values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self._type(name, "a number")
            return default
        if not 0 <= value < math.inf:
            told = f"the tolerance '{name}' is {value}"
            self._faults.add("bad-tolerance", told, self.at(name), "give a finite number from 0")
            return default
        return float(value)

    def table(self, name: str) -> Table:
        """Return a table within this one; an empty one where there is none."""
        value = self.values.get(name, {})
        if not _is_table(value):
            self._type(name, f"a table: [{self.at(name)}]")
            value = {}
        return Table(value, self.at(name), self._faults)

    def tables(self, name: str) -> list[Table]:
        """Return a list of tables within this one; empty where there is none."""
        value = self.values.get(name, [])
        if not isinstance(value, list) or not all(_is_table(item) for item in value):
            self._type(name, f"a list of tables: [[{name}]]")
            return []
        return [
            Table(item, f"{self.at(name)}[{number}]", self._faults)
            for number, item in enumerate(value, 1)
        ]

    def _type(self, name: str, wanted: str) -> None:
        self._faults.add("wrong-type", f"'{name}' has to be {wanted}", self.at(name))


def _is_table(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)
