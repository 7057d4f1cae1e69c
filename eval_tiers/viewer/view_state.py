"""What is looked at: filters, search, order, page. The address holds all of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

NULL: Final = "-"
"""Stands for no value in the address."""

SIZES: Final = (25, 50, 100, 200)
_SIZE: Final = 50
_MOST_CHARS: Final = 200
_MOST_PAGES: Final = 10_000_000


class BadQuery(Exception):
    """An address that asks for what there is not."""


@dataclass(frozen=True, slots=True)
class View:
    """One view of a run.

    Attributes
    ----------
    chosen : tuple of (str, tuple of str)
        Column to the values that are shown, in the order of the columns; ``-`` is null.
    gene, text, sample : str
        What a gene's name, a text or the id has to hold; empty: anything.
    sort : str
        Column; empty: the order of the file.
    descending : bool
    page, size : int
        From 1; rows a page.
    """

    chosen: tuple[tuple[str, tuple[str, ...]], ...] = ()
    gene: str = ""
    sample: str = ""
    sort: str = ""
    descending: bool = False
    page: int = 1
    size: int = _SIZE
    text: str = ""

    def values_of(self, column: str) -> tuple[str, ...]:
        """Return the values of a column that are shown, () for all."""
        return dict(self.chosen).get(column, ())

    @property
    def is_filtered(self) -> bool:
        """Whether any sample may be left out."""
        return bool(self.chosen or self.gene or self.text or self.sample)

    def query(self) -> str:
        """Return the view as the query of an address, without what is the default."""
        pairs = [(name, value) for name, values in self.chosen for value in values]
        if self.gene:
            pairs.append(("gene", self.gene))
        if self.text:
            pairs.append(("text", self.text))
        if self.sample:
            pairs.append(("id", self.sample))
        if self.sort:
            pairs.append(("sort", f"-{self.sort}" if self.descending else self.sort))
        if self.size != _SIZE:
            pairs.append(("size", str(self.size)))
        if self.page != 1:
            pairs.append(("page", str(self.page)))
        return urlencode(pairs)

    def with_page(self, page: int) -> View:
        """Return another page of the same view."""
        return replace(self, page=page)

    def sorted_by(self, column: str) -> View:
        """Return the view in the order of a column; again: the other way, then as in the file."""
        if self.sort != column:
            return replace(self, sort=column, descending=False, page=1)
        if not self.descending:
            return replace(self, descending=True, page=1)
        return replace(self, sort="", descending=False, page=1)

    def toggled(self, column: str, value: str) -> View:
        """Return the view with a value of a column chosen, or no more."""
        chosen = dict(self.chosen)
        values = chosen.pop(column, ())
        kept = tuple(one for one in values if one != value)
        if len(kept) == len(values):
            kept = (*values, value)
        if kept:
            chosen[column] = kept
        return replace(self, chosen=tuple(chosen.items()), page=1)


def parse_view(
    pairs: Iterable[tuple[str, str]],
    vocabulary: Mapping[str, Sequence[str]],
    sortable: Sequence[str],
    cut: Collection[str] = (),
    search: str = "gene",
) -> View:
    """Read the query of an address; blank values are none.

    Parameters
    ----------
    pairs : iterable of (str, str)
        Names and values, decoded.
    vocabulary : mapping of str to sequence of str
        Values of each column that can be filtered.
    sortable : sequence of str
        Columns that can be sorted by.
    cut : collection of str
        Columns with more values than the vocabulary has: any value may be asked for.
    search : {"gene", "text"}
        What is searched for beside ids.

    Raises
    ------
    BadQuery
        An unknown name or value, a name given twice that can be given once.
    """
    chosen: dict[str, list[str]] = {}
    single: dict[str, str] = {}
    for name, raw in pairs:
        value = raw.strip()
        if "\x00" in value or len(value) > _MOST_CHARS:
            raise BadQuery(f"the value of '{_short(name)}' is too long, or holds a NUL character")
        if name in vocabulary:
            known = name in cut or value in vocabulary[name] or value == NULL
            if value and not known:
                raise BadQuery(
                    f"'{name}' is never '{_short(value)}' in this run; it is one of: "
                    f"{', '.join(vocabulary[name][:20])}"
                )
            if value and value not in chosen.setdefault(name, []):
                chosen[name].append(value)
        elif name in (search, "id", "sort", "page", "size"):
            if value and single.setdefault(name, value) != value:
                raise BadQuery(f"'{name}' is given twice")
        else:
            raise BadQuery(f"nothing can be chosen by '{_short(name)}' in this run")
    sort = single.get("sort", "")
    if sort and sort.removeprefix("-") not in sortable:
        raise BadQuery(f"there is no order by '{_short(sort)}'")
    size = _number("size", single.get("size"), _SIZE)
    if size not in SIZES:
        raise BadQuery(f"'size' is one of: {', '.join(map(str, SIZES))}")
    return View(
        chosen=tuple((name, tuple(chosen[name])) for name in vocabulary if chosen.get(name)),
        gene=single.get("gene", ""),
        sample=single.get("id", ""),
        sort=sort.removeprefix("-"),
        descending=sort.startswith("-"),
        page=_number("page", single.get("page"), 1),
        size=size,
        text=single.get("text", ""),
    )


def _number(name: str, value: str | None, default: int) -> int:
    if value is None:
        return default
    digits = value.isascii() and value.isdecimal() and len(value) < 12
    if not digits or not 1 <= int(value) <= _MOST_PAGES:
        raise BadQuery(
            f"'{name}' is a whole number from 1 to {_MOST_PAGES:,}, not '{_short(value)}'"
        )
    return int(value)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}..."
