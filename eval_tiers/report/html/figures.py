"""Figures out of rates, counts and matrices: each with its chart and its table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from eval_tiers.metrics.intervals import wilson_interval
from eval_tiers.report.html.charts import Dot, heat, interval_dots, shares_of
from eval_tiers.report.html.charts import bars as draw_bars
from eval_tiers.report.html.model import (
    A_RANGE,
    MOST_ROWS,
    NO_INTERVAL,
    UNDEFINED,
    Cell,
    Figure,
    Named,
    Rate,
    Row,
    Table,
    count_cell,
    interval_text,
    value_cell,
)
from eval_tiers.report.lines import count_text, percent


def rate_figure(
    anchor: str,
    title: str,
    shows: str,
    reads: str,
    rows: Sequence[Named],
    render: Callable[[float], str] = percent,
    notes: Sequence[str] = (),
) -> Figure:
    """Return intervals as a chart and as a table."""
    shown = rows[:MOST_ROWS]
    dots = [
        Dot(row.name, row.rate.value, row.rate.low, row.rate.high, _beside(row.rate, render),
            row.series)
        for row in shown
    ]  # fmt: skip
    clustered = any(row.rate.independent for row in shown)
    columns = ("figure", "value", "95 % interval", "n")
    table = Table(
        (*columns, "if rows were independent") if clustered else columns,
        tuple(_rate_row(row, render, clustered) for row in shown),
        title,
        len(rows) - len(shown),
    )
    chart = interval_dots(anchor, title, shows, dots, render is percent)
    return Figure(title, shows, reads, chart, (table,), tuple(notes))


def _beside(rate: Rate, render: Callable[[float], str]) -> str:
    if rate.value is None:
        return interval_text(rate.low, rate.high, render) or UNDEFINED
    parts = [render(rate.value), interval_text(rate.low, rate.high, render)]
    return " ".join(part for part in parts if part)


def _rate_row(row: Named, render: Callable[[float], str], clustered: bool) -> Row:
    rate = row.rate
    cells = [
        Cell(A_RANGE) if rate.is_range else value_cell(rate.value, render),
        Cell(interval_text(rate.low, rate.high, render) or NO_INTERVAL),
        Cell("") if rate.n is None else count_cell(rate.n),
    ]
    if clustered:
        plain = rate.independent
        cells.append(Cell("" if plain is None else interval_text(*plain, render)))
    return Row(row.name, tuple(cells), row.key)


def count_figure(
    anchor: str,
    title: str,
    shows: str,
    reads: str,
    counts: Mapping[str, int],
    total: float | Mapping[str, float] | None = None,
    notes: Sequence[str] = (),
    key: str = "",
    rates: Mapping[str, Rate] | None = None,
) -> Figure:
    """Return counts as bars and as a table, with their shares and intervals.

    Parameters
    ----------
    total : float or mapping of str to float, optional
        What shares are of: of all, or of each count; by default the sum of the counts.
    key : str
        Of the summary; rows get ``key.name``.
    rates : mapping of str to Rate, optional
        Shares and intervals of counts that the summary has; of others the share is worked out
        here, with Wilson's interval.
    """
    whole = sum(counts.values()) if total is None else total
    wholes = whole if isinstance(whole, Mapping) else dict.fromkeys(counts, whole)
    rows, bars = [], []
    for name, n in counts.items():
        of = wholes[name]
        rate = (rates or {}).get(name)
        if rate is None:
            low, high = wilson_interval(min(n, of), of) or (None, None)
            rate = Rate(n / of if of else None, low, high)
        share, interval = rate.value, interval_text(rate.low, rate.high) or NO_INTERVAL
        cells = (count_cell(n), count_cell(of), value_cell(share), Cell(interval))
        rows.append(Row(name, cells, f"{key}.{name}" if key else ""))
        bars.append((name, float(n), f"{count_text(n)}  ({percent(share)})"))
    table = Table(("", "n", "of", "share", "95 % interval"), tuple(rows), title)
    chart = draw_bars(anchor, title, shows, bars)
    return Figure(title, shows, reads, chart, (table,), tuple(notes))


def matrix_figure(
    anchor: str,
    title: str,
    shows: str,
    reads: str,
    matrix: Mapping[str, Mapping[str, float]],
    corner: str,
    by: str = "row",
    notes: Sequence[str] = (),
) -> Figure:
    """Return a matrix of counts as a chart and as a table.

    Parameters
    ----------
    matrix : mapping of str to mapping of str to float
        Counts by row and column; all rows have the columns of the first.
    corner : str
        What rows and columns are.
    by : {"row", "column", "all"}
        What shares are of.
    """
    names = list(matrix)
    columns = list(next(iter(matrix.values()), {}))
    counts = [[matrix[row][column] for column in columns] for row in names]
    shares = shares_of(counts, by)
    rows = tuple(
        Row(
            name,
            tuple(
                Cell(f"{count_text(n)} ({percent(share)})", float(n))
                for n, share in zip(counts[place], shares[place], strict=True)
            ),
        )
        for place, name in enumerate(names)
    )
    chart = heat(anchor, title, shows, names, columns, counts, by)
    table = Table((corner, *columns), rows, title)
    return Figure(title, shows, reads, chart, (table,), tuple(notes))


def plain_table(
    caption: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[str | Cell]]]
) -> Table:
    """Return a table of texts; more than `MOST_ROWS` rows are cut and counted."""
    every = [
        Row(name, tuple(one if isinstance(one, Cell) else Cell(one) for one in cells))
        for name, cells in rows
    ]
    kept = tuple(every[:MOST_ROWS])
    return Table(tuple(columns), kept, caption, len(every) - len(kept))
