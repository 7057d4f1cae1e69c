"""Which values a run can be filtered by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from eval_tiers.domain.taxonomy import EDGE_STATUSES
from eval_tiers.viewer import table_columns
from eval_tiers.viewer.side_tables import STATED, SideTable
from eval_tiers.viewer.view_state import NULL

MOST_VALUES: Final = 200

Ask = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Values by column.

    Attributes
    ----------
    words : dict of str to tuple of str
        Most frequent first; ``-`` is null.
    cut : frozenset of str
        Columns with more values than are listed.
    """

    words: dict[str, tuple[str, ...]]
    cut: frozenset[str]


def find_vocabulary(ask: Ask, columns: Sequence[str], sides: Sequence[SideTable]) -> Vocabulary:
    """Look through the tables for the values of each column that samples can be chosen by.

    A column with one value alone is left out, but for flags and those of side tables.
    """
    words: dict[str, tuple[str, ...]] = {}
    cut = set()
    for name, table, is_kept in _chosen(columns, sides):
        values = ask(
            f"SELECT {name}, count(*) AS n FROM {table} GROUP BY {name} "
            f"ORDER BY n DESC, {name} LIMIT {MOST_VALUES + 1}",
            [],
        )
        if len(values) > MOST_VALUES:
            cut.add(name)
        found = [NULL if value is None else str(value) for value, _ in values[:MOST_VALUES]]
        if is_kept or len(found) > 1:
            words[name] = tuple(found)
    for side in sides:
        for name in side.filtered:
            if side.null_is_absent and NULL not in words[name]:
                words[name] = (*words[name], NULL)
    if STATED in sides:
        name = STATED.filtered[0]
        words[name] = tuple(sorted(words[name], reverse=True))
    counted = [one for one in EDGE_STATUSES if table_columns.status_count(one) in columns]
    if counted:
        sums = ", ".join(f"sum({table_columns.status_count(one)})" for one in counted)
        (totals,) = ask(f"SELECT {sums} FROM samples", [])
        some = tuple(one for one, n in zip(counted, totals, strict=True) if n)
        if some:
            words[table_columns.EDGE_STATUS] = some
    return Vocabulary(words, frozenset(cut))


def _chosen(columns: Sequence[str], sides: Sequence[SideTable]) -> Iterator[tuple[str, str, bool]]:
    """Yield each column, its table, and whether one value is enough."""
    for name in table_columns.FILTERED:
        if name in columns:
            yield name, "samples", name in table_columns.FLAGS
    for side in sides:
        for name in side.filtered:
            yield name, side.name, True
