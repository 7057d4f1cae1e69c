"""What a report holds, in plain values: sections, figures, tables, rates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from eval_tiers.report.lines import count_text, named_rate, percent, shown_interval

UNDEFINED: Final = "undefined"
NO_INTERVAL: Final = "none"
A_RANGE: Final = "a range"
_AS_NUMBERS: Final = frozenset({UNDEFINED, NO_INTERVAL, A_RANGE})
MOST_ROWS: Final = 60
"""Rows of a table or chart that a user's own field makes, such as ``--by``."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Attributes
    ----------
    text : str
    exact : float or None
        The number behind the text, to the last digit.
    """

    text: str
    exact: float | None = None

    @property
    def numeric(self) -> bool:
        """Whether it is set flush right."""
        return self.exact is not None or self.text in _AS_NUMBERS or self.text[:1] == "["


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: a heading, cells, and the key of the summary that it shows."""

    name: str
    cells: tuple[Cell, ...]
    key: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `left_out_n` rows more are in the summary only."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str
    left_out_n: int = 0


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its table, a sentence on what it shows and one on how to read it."""

    title: str
    shows: str
    reads: str
    chart: str = ""
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report."""

    anchor: str
    title: str
    figures: tuple[Figure, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Tile:
    """A headline: name, value, interval and n."""

    name: str
    value: Cell
    interval: str
    n: str
    key: str


@dataclass(frozen=True, slots=True)
class Report:
    """The whole report."""

    title: str
    lead: tuple[str, ...]
    warnings: tuple[str, ...]
    tiles: tuple[Tile, ...]
    sections: tuple[Section, ...]
    version: str


@dataclass(frozen=True, slots=True)
class Rate:
    """A figure of a summary with its interval and n; any of them may be None.

    Attributes
    ----------
    value, low, high, n : float or None
        The interval is the one that is shown: `eval_tiers.report.lines.shown_interval`.
    independent : (low, high) or None
        The interval that takes rows for independent, where the one shown is clustered.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: float | None = None
    independent: tuple[float, float] | None = None

    @property
    def is_range(self) -> bool:
        """Whether it is a range without a value in it."""
        return self.value is None and self.low is not None


@dataclass(frozen=True, slots=True)
class Named:
    """A rate with its name, the key it has in the summary, and the shape of its mark."""

    name: str
    key: str
    rate: Rate
    series: int = 0


def rate_of(summary: Mapping[str, Any], key: str, n: int | None = None) -> Rate:
    """Return a figure with its n (else ``n``) and its intervals, which lie beside it."""
    low, high = shown_interval(summary, key) or (None, None)
    plain = summary.get(f"{key}_low"), summary.get(f"{key}_high")
    independent = None
    if plain[0] is not None and plain[1] is not None and plain != (low, high):
        independent = plain[0], plain[1]
    return Rate(summary.get(key), low, high, summary.get(f"{key}_n", n), independent)


def rates_by_name(summary: Mapping[str, Any], key: str) -> dict[str, Rate]:
    """Return rates by name, where a summary has them and their intervals under such names."""
    n = summary.get(f"{key}_n")
    return {name: rate_of(named_rate(summary, key, name), "", n) for name in summary.get(key) or {}}


def complement(rate: Rate) -> Rate:
    """Return the share of all the others."""
    low, high = rate.high, rate.low
    return Rate(
        None if rate.value is None else 1 - rate.value,
        None if low is None else 1 - low,
        None if high is None else 1 - high,
        rate.n,
    )


def named(
    summary: Mapping[str, Any],
    rows: Iterable[tuple[str, str]],
    series: int = 0,
    n: int | None = None,
) -> list[Named]:
    """Return the rates of a summary by (key, name); keys that it lacks are left out."""
    return [
        Named(name, key, rate_of(summary, key, n), series) for key, name in rows if key in summary
    ]


def value_cell(value: float | None, render: Callable[[float], str] = percent) -> Cell:
    """Return a figure's cell; `UNDEFINED` for None."""
    return Cell(UNDEFINED) if value is None else Cell(render(value), float(value))


def whole_cell(rate: Rate, render: Callable[[float], str] = percent) -> Cell:
    """Return a figure with its interval and n in one cell."""
    if rate.value is None:
        return Cell(UNDEFINED)
    parts = [render(rate.value), interval_text(rate.low, rate.high, render)]
    n = "" if rate.n is None else f"({count_text(rate.n)})"
    return Cell(" ".join(part for part in (*parts, n) if part), float(rate.value))


def count_cell(count: float) -> Cell:
    """Return a count's cell."""
    return Cell(count_text(count), float(count))


def interval_text(
    low: float | None, high: float | None, render: Callable[[float], str] = percent
) -> str:
    """Return an interval in brackets; empty for none."""
    return "" if low is None or high is None else f"[{render(low)}, {render(high)}]"


def tile(
    summary: Mapping[str, Any], key: str, name: str, render: Callable[[float], str] = percent
) -> Tile:
    """Return a headline of a summary."""
    rate = rate_of(summary, key)
    return Tile(
        name,
        value_cell(rate.value, render),
        interval_text(rate.low, rate.high, render),
        "" if rate.n is None else f"n {count_text(rate.n)}",
        key,
    )
