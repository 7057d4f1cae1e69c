"""Charts as inline SVG: intervals, bars, matrices of counts. Numbers in, markup out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from eval_tiers.report.html.svg import (
    WIDTH,
    box,
    drawing,
    label,
    line,
    mark,
    text_width,
    turned,
    words,
)
from eval_tiers.report.lines import count_text, number, percent

_PLOT: Final = 280.0
_TEXT: Final = 208.0
_MOST_COLUMNS: Final = 54
_ROW: Final = 26.0
_TEXT_DROP: Final = 4.0
_DARKEST: Final = 0.65
_STEPS: Final = 4


@dataclass(frozen=True, slots=True)
class Dot:
    """One row of a chart of intervals.

    Attributes
    ----------
    name, text : str
        On the left and on the right.
    value : float or None
        1 at most; None draws no mark.
    low, high : float or None
        Ends of the interval; None draws none.
    series : int
        Shape and colour of the mark.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    text: str
    series: int = 0


def interval_dots(
    name: str, title: str, description: str, dots: Sequence[Dot], as_percent: bool = True
) -> str:
    """Return marks with their intervals, a row each.

    The axis ends at 1 and begins at 0, or below where marks or intervals of theirs do: at -1, or
    as far down as the lowest mark. What lies beyond is put at its ends.
    """
    bottom = 10 + _ROW * len(dots)
    left = _left([dot.name for dot in dots])
    least = axis_start(dots)
    parts = _axis(left, bottom, as_percent, least)
    for place, dot in enumerate(dots):
        y = 10 + _ROW * (place + 0.5)
        parts.append(_name(left, y + _TEXT_DROP, dot.name))
        parts.append(words(left + _PLOT + 12, y + _TEXT_DROP, dot.text, "num"))
        if dot.low is not None and dot.high is not None:
            start, end = _across(left, dot.low, least), _across(left, dot.high, least)
            style = f"stroke{dot.series % 4} {'whisker' if dot.value is not None else 'band'}"
            parts.append(line(start, y, max(end, start + 1), y, style))
            if dot.value is not None:
                parts += [line(x, y - 4, x, y + 4, style) for x in (start, end)]
        if dot.value is not None:
            parts.append(mark(_across(left, dot.value, least), y, dot.series))
    return drawing(name, bottom + 24, title, description, parts, left + _PLOT + _TEXT)


def axis_start(dots: Sequence[Dot]) -> float:
    """Return where the axis of intervals begins.

    Examples
    --------
    >>> axis_start([Dot("a", 0.5, 0.1, 0.9, "")]), axis_start([Dot("a", 0.5, -4, 0.9, "")])
    (0.0, -1.0)
    >>> axis_start([Dot("a", -3.2, -4, 0.9, "")])
    -4.0
    """
    ends = [end for dot in dots for end in (dot.value, dot.low) if end is not None]
    if min(ends, default=0.0) >= 0:
        return 0.0
    lowest = min((dot.value for dot in dots if dot.value is not None), default=0.0)
    return min(-1.0, float(math.floor(lowest)))


def bars(name: str, title: str, description: str, rows: Sequence[tuple[str, float, str]]) -> str:
    """Return bars of counts, a row each: (name, count, text at the bar's end)."""
    most = max((count for _, count, _ in rows), default=0) or 1
    left = _left([row_name for row_name, _, _ in rows])
    parts = []
    for place, (row_name, count, text) in enumerate(rows):
        y = 4 + _ROW * place
        width = _PLOT * count / most
        parts.append(_name(left, y + 17, row_name))
        parts.append(box(left, y + 4, width, _ROW - 8, "fill0"))
        parts.append(words(left + width + 8, y + 17, text, "num"))
    parts.append(line(left, 0, left, 8 + _ROW * len(rows), "axis"))
    wide = left + _PLOT + _TEXT
    return drawing(name, 10 + _ROW * len(rows), title, description, parts, wide)


def heat(
    name: str,
    title: str,
    description: str,
    rows: Sequence[str],
    columns: Sequence[str],
    counts: Sequence[Sequence[float]],
    by: str = "row",
) -> str:
    """Return a matrix of counts, each cell with its number and its share.

    Parameters
    ----------
    counts : sequence of sequence of float
        A row each of ``rows``, a number each of ``columns``.
    by : {"row", "column", "all"}
        What shares are of; the darker, the larger the share.
    """
    wide = 104.0 if len(columns) <= 5 else 64.0
    tall, left = 38.0, _left(rows)
    longest = max((text_width(label(column, 24)) for column in columns), default=0)
    straight = longest < wide - 2
    top = 26.0 if straight else 20 + longest * 0.62
    width = max(WIDTH, left + wide * len(columns) + (20 if straight else 90))
    parts = []
    for place, column in enumerate(columns):
        x = left + wide * (place + 0.5)
        shown = label(column, 24)
        parts.append(
            words(x, top - 8, shown, "", "middle") if straight else turned(x, top - 8, shown, -38)
        )
    shares = shares_of(counts, by)
    for down, row in enumerate(rows):
        y = top + tall * down
        parts.append(_name(left, y + tall / 2 + _TEXT_DROP, row))
        for across, column in enumerate(columns):
            count, share = counts[down][across], shares[down][across]
            x = left + wide * across
            tip = f"{row[:80]}, {column[:80]}: {count_text(count)} ({percent(share)})"
            opacity = 0.0 if share is None else _DARKEST * share
            parts.append(box(x, y, wide - 2, tall - 2, "cell", tip, opacity))
            middle = x + wide / 2 - 1
            parts.append(words(middle, y + 16, count_text(count), "strong", "middle"))
            parts.append(words(middle, y + 30, percent(share), "small", "middle"))
    return drawing(name, top + tall * len(rows) + 6, title, description, parts, width)


def shares_of(counts: Sequence[Sequence[float]], by: str) -> list[list[float | None]]:
    """Return counts as shares of their row, their column, or of all; None of nothing.

    Examples
    --------
    >>> shares_of([[1, 3], [0, 0]], "row")
    [[0.25, 0.75], [None, None]]
    """
    in_row = [sum(row) for row in counts]
    in_column = [sum(column) for column in zip(*counts, strict=True)]
    shares: list[list[float | None]] = []
    for down, row in enumerate(counts):
        wholes = {
            "row": [in_row[down]] * len(row),
            "column": in_column,
            "all": [sum(in_row)] * len(row),
        }[by]
        shares.append([n / whole if whole else None for n, whole in zip(row, wholes, strict=True)])
    return shares


def histograms(
    name: str,
    title: str,
    description: str,
    rows: Sequence[tuple[str, Sequence[int], float | None, float | None]],
) -> str:
    """Return a histogram a row, all of one scale: (name, bins from 0 to 1, mean, median)."""
    tall = 46.0
    shares = [_shares(bins) for _, bins, _, _ in rows]
    most = max((max(share) for share in shares), default=0.0) or 1.0
    bottom = 8 + tall * len(rows)
    left = _left([row_name for row_name, _, _, _ in rows])
    end = left + _PLOT
    parts = _axis(left, bottom, as_percent=False)
    for place, ((row_name, bins, mean, median), share) in enumerate(zip(rows, shares, strict=True)):
        base = 8 + tall * (place + 1) - 4
        wide = _PLOT / len(bins)
        for number_, part in enumerate(share):
            height = (tall - 14) * part / most
            if bins[number_]:
                tip = f"{bins[number_]:,} of {sum(bins):,}"
                x = left + wide * number_
                parts.append(box(x + 0.5, base - height, wide - 1, max(height, 1.5), "fill0", tip))
        parts.append(line(left, base, end, base, "axis"))
        if mean is not None:
            parts.append(mark(_across(left, mean), base, 2))
        parts.append(_name(left, base - 10, row_name))
        text = f"n {sum(bins):,}, mean {number(mean)}, median {number(median)}"
        parts.append(words(end + 12, base - 10, text, "num"))
    return drawing(name, bottom + 24, title, description, parts, end + _TEXT + 40)


def _shares(bins: Sequence[int]) -> list[float]:
    total = sum(bins) or 1
    return [count / total for count in bins]


def _left(names: Sequence[str]) -> float:
    """Return where the axis begins: behind the longest name."""
    return 24 + max((text_width(label(name, _MOST_COLUMNS)) for name in names), default=0)


def _name(left: float, y: float, name: str) -> str:
    return words(left - 10, y, label(name, _MOST_COLUMNS), "", "end")


def _axis(left: float, bottom: float, as_percent: bool, least: float = 0.0) -> list[str]:
    parts = []
    step = (1 - least) / _STEPS
    for tick in (least + step * place for place in range(_STEPS + 1)):
        x = _across(left, tick, least)
        shown = f"{100 * tick:.0f}%" if as_percent else f"{tick:g}"
        parts.append(line(x, 4, x, bottom, "grid"))
        parts.append(words(x, bottom + 16, shown, "small", "middle"))
    return parts


def _across(left: float, value: float, least: float = 0.0) -> float:
    """Return where a value lies on the axis from ``least`` to 1; beyond, at one of its ends."""
    return left + _PLOT * min(max((value - least) / (1 - least), 0.0), 1.0)
