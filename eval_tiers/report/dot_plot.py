"""The dot plot of an enrichment as one SVG: opens by itself, and goes into a page as it is.

Size and colour never stand alone: each dot has a title with its numbers, and dots up to the
threshold are filled, others open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from eval_tiers.go.enrichment import ALPHA
from eval_tiers.report.lines import fitted, visible

if TYPE_CHECKING:
    from eval_tiers.go.enrichment import EnrichedTerm

_ROW: Final = 24
_COLUMN: Final = 46
_LEFT: Final = 470
_TOP: Final = 250
_RIGHT: Final = 190
_MOST: Final = 9.0  # radius
_NAME: Final = 52  # characters of a term that are shown
_SHADES: Final = ((2.0, "#9ecae1"), (4.0, "#4292c6"), (math.inf, "#08519c"))
_STYLE: Final = (
    ".dots text{font:12px sans-serif;fill:#1a1a1a}.dots .grid{stroke:#d0d0d0}"
    ".dots .edge{stroke:#08306b}.dots .open{fill:none}.dots .paper{fill:#fff}"
    "@media(prefers-color-scheme:dark){.dots text{fill:#eee}.dots .grid{stroke:#555}"
    ".dots .paper{fill:#1a1a1a}.dots .edge{stroke:#c6dbef}}"
)


def render_dot_plot(
    rows: Sequence[EnrichedTerm], groups: Sequence[str], most_terms: int = 25
) -> str:
    """Return the dot plot of the sets with the smallest q, a row each, a column a class.

    Parameters
    ----------
    rows : sequence of EnrichedTerm
    groups : sequence of str
        Tested classes, in the order of the columns.
    most_terms : int
        Sets shown at most.

    Returns
    -------
    str
        An SVG of its own, with title and description; one that says so where there is nothing.
    """
    best: dict[str, tuple[float, float, str]] = {}
    for row in rows:
        rank = (row.q_value, row.p_value, row.term)
        best[row.term] = min(best.get(row.term, rank), rank)
    terms = sorted(best, key=best.__getitem__)[:most_terms]
    if not terms or not groups:
        return _svg(560, 60, ['<text x="16" y="36">No set could be tested.</text>'])
    y_of = {term: _TOP + _ROW * number for number, term in enumerate(terms)}
    x_of = {group: _LEFT + _COLUMN * number for number, group in enumerate(groups)}
    largest = max(row.overlap_n for row in rows if row.term in y_of)
    right, bottom = _LEFT + _COLUMN * (len(groups) - 1), _TOP + _ROW * (len(terms) - 1)
    parts = [_line(x, _TOP - 14, x, bottom + 14) for x in x_of.values()]
    parts += [_line(_LEFT - 14, y, right + 14, y) for y in y_of.values()]
    parts += [_column_name(group, x) for group, x in x_of.items()]
    parts += [_term_name(term, y) for term, y in y_of.items()]
    parts += [
        _dot(row, x_of[row.group], y_of[row.term], largest)
        for row in rows
        if row.term in y_of and row.group in x_of
    ]
    parts += _legend(right + 46, largest)
    return _svg(right + _RIGHT + 30, max(bottom + 40, _TOP + 190), parts)


def _svg(width: int, height: int, parts: Sequence[str]) -> str:
    about = (
        "Gene sets that the chain genes of each error label are enriched in. Size: genes of the "
        f"label in the set. Colour: q. Filled: q up to {ALPHA}."
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="dots" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">'
    )
    lines = [
        head,
        "<title>Enriched gene sets by error label</title>",
        f"<desc>{escape(about)}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
        *parts,
        "</svg>",
        "",
    ]
    return "\n".join(lines)


def _line(x1: int, y1: int, x2: int, y2: int) -> str:
    return f'<line class="grid" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def _column_name(name: str, x: int) -> str:
    return (
        f'<text transform="translate({x + 4} {_TOP - 22}) rotate(-60)">'
        f"{escape(_printable(name))}</text>"
    )


def _term_name(name: str, y: int) -> str:
    shown = fitted(name, _NAME).rstrip()
    return (
        f'<text x="{_LEFT - 22}" y="{y + 4}" text-anchor="end">{escape(_printable(shown))}'
        f"<title>{escape(_printable(name))}</title></text>"
    )


def _printable(text: str) -> str:
    """Return a text without what XML can't hold."""
    return (
        "".join(char for char in visible(text) if ord(char) not in {0xFFFE, 0xFFFF})
        .encode("utf-8", "backslashreplace")
        .decode("utf-8")
    )


def _radius(n: int, largest: int) -> float:
    return max(2.0, _MOST * math.sqrt(n / largest))


def _shade(q_value: float) -> str:
    strength = -math.log10(max(q_value, 1e-300))
    return next(colour for most, colour in _SHADES if strength < most)


def _dot(row: EnrichedTerm, x: int, y: int, largest: int) -> str:
    told = (
        f"{row.group}, {row.term}: {row.overlap_n} of {row.group_gene_n} genes "
        f"({row.expected_n:.1f} expected), q = {row.q_value:.2g}"
    )
    return _circle(x, y, _radius(row.overlap_n, largest), row.q_value, told)


def _circle(x: int, y: int, radius: float, q_value: float, told: str | None = None) -> str:
    paint = f'fill="{_shade(q_value)}"' if q_value <= ALPHA else 'class="edge open"'
    title = "" if told is None else f"<title>{escape(_printable(told))}</title>"
    if q_value <= ALPHA:
        paint = f'class="edge" {paint}'
    return f'<circle cx="{x}" cy="{y}" r="{radius:.1f}" {paint}>{title}</circle>'


def _legend(x: int, largest: int) -> list[str]:
    parts = [f'<text x="{x}" y="{_TOP}">genes of the label in the set</text>']
    y = _TOP
    for n in sorted({1, max(1, largest // 2), largest}):
        y += _ROW
        parts.append(_circle(x + 10, y, _radius(n, largest), 1.0))
        parts.append(f'<text x="{x + 28}" y="{y + 4}">{n}</text>')
    y += _ROW + 6
    parts.append(f'<text x="{x}" y="{y}">q (Benjamini-Hochberg)</text>')
    for text, q_value in (
        (f"above {ALPHA}", 1.0),
        (f"up to {ALPHA}", ALPHA),
        ("up to 0.01", 0.01),
        ("up to 0.0001", 1e-4),
    ):
        y += _ROW - 2
        parts.append(_circle(x + 10, y, 7.0, q_value))
        parts.append(f'<text x="{x + 28}" y="{y + 4}">{text}</text>')
    return parts
