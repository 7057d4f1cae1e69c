"""Lines of a terminal's tables: at most 80 columns, plain text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

WIDTH: Final = 80
Summary = Mapping[str, Any]

_NONE: Final = "-"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def percent(value: float | None) -> str:
    """Return a share as per cent with one decimal, ``-`` for None."""
    return _NONE if value is None else f"{100 * value:.1f}%"


def number(value: float | None) -> str:
    """Return a figure with three decimals, ``-`` for None."""
    return _NONE if value is None else f"{value:.3f}"


def count_text(value: float) -> str:
    """Return a count with thousands marks; one decimal where it is no whole number."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def plain_row(name: str, value: str, interval: str = "", n: str = "", note: str = "") -> str:
    """Return a line of the table: name, value, interval, n, note."""
    line = f"  {name:<34}{value:>9}  {interval:<17}{n:>9}"
    return f"{line}  {note}".rstrip()


def shown_interval(summary: Summary, key: str) -> tuple[float, float] | None:
    """Return the interval of a figure that is shown: the clustered one where there is one.

    Where there is none (a single cluster, clusters that don't differ, rows that count as
    independent) the plain one stands for it: Wilson's for rates.
    """
    for kind in ("_clustered", ""):
        low, high = summary.get(f"{key}{kind}_low"), summary.get(f"{key}{kind}_high")
        if low is not None and high is not None:
            return low, high
    return None


def rate_row(summary: Summary, name: str, key: str, render: Any = percent) -> str:
    """Return the line of a rate with its interval and n."""
    interval = interval_text(summary, key, render).lstrip()
    n = summary.get(f"{key}_n")
    return plain_row(name, render(summary[key]), interval, "" if n is None else count_text(n))


def interval_text(summary: Summary, key: str, render: Any = percent) -> str:
    """Return the interval of a figure after a blank; nothing where there is none."""
    found = shown_interval(summary, key)
    return "" if found is None else f" [{render(found[0])}, {render(found[1])}]"


def mean_row(summary: Summary, name: str, key: str, render: Any = number) -> str:
    """Return the line of a mean with its interval and n."""
    return rate_row(summary, name, key, render)


def label_row(summary: Summary, label: str) -> str:
    """Return the line of an error label: count, share, interval."""
    found = named_rate(summary, "error_rate_by_label", label)
    count = count_text(summary["error_distribution"][label])
    return f"  {label:<32}{count:>8}{percent(found['']):>8} {interval_text(found, '')}"


def named_rate(summary: Summary, key: str, name: str) -> dict[str, Any]:
    """Return one rate of those that a summary has by name, its intervals beside it under ``""``."""
    return {
        end: (summary.get(f"{key}{end}") or {}).get(name)
        for end in ("", "_low", "_high", "_clustered_low", "_clustered_high")
    }


def interval_note(summary: Summary) -> list[str]:
    """Say what intervals take together; nothing for a summary that doesn't."""
    cluster = summary.get("cluster")
    if not isinstance(cluster, Mapping):
        return []
    if cluster["field"] == "none":
        return ["Intervals take rows for independent of each other (--cluster none)."]
    n = cluster["n"]
    text = (
        f"Intervals are clustered by {cluster['field']} ({'no' if n is None else f'{n:,}'} "
        f"cluster{'' if n == 1 else 's'}); where clusters can't tell (fewer than two, or none "
        "differs), rows count as independent."
    )
    return wrap(text, indent="")


def section(name: str) -> str:
    """Return the heading of a table."""
    return f"{name:<36}{'value':>9}  {'95 % interval':<17}{'n':>9}"


def ledger_text(summary: Summary) -> str:
    """Return the ledger: rows on either side as a sum of buckets."""
    lines = ["Ledger"]
    for side, name in (("gold", "gold rows"), ("predictions", "prediction rows")):
        buckets = dict(summary["ledger"][side])
        rows = buckets.pop("rows")
        terms = " + ".join(
            f"{count_text(count)} {bucket.replace('_', ' ')}"
            for bucket, count in buckets.items()
            if count
        )
        lines += wrap(f"  {count_text(rows)} {name} = {terms or '0'}", indent="    ")
    return "\n".join(lines)


def visible(text: str) -> str:
    """Return a text with control characters, such as a line break in a file name, as escapes.

    Examples
    --------
    >>> visible("a" + chr(10) + "b")
    'a\\\\nb'
    """
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def wrap(text: str, indent: str) -> list[str]:
    """Return a text in lines of at most 80 columns."""
    import textwrap

    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, drop_whitespace=True) or [""]


def fitted(text: str, width: int) -> str:
    """Return a text cut or filled up to so many columns; East Asian characters take two.

    Examples
    --------
    >>> fitted("cell_ood", 5), fitted("ab", 3)
    ('cell~', 'ab ')
    """
    shown = visible(text)
    if _columns(shown) > width:
        while _columns(shown) >= width:
            shown = shown[:-1]
        shown += "~"
    return shown + " " * (width - _columns(shown))


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
