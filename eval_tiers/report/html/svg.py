"""Pieces of inline SVG: everything that is a user's is escaped here."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final

from eval_tiers.report.lines import fitted, visible

WIDTH: Final = 720.0
_MOST_CHARS: Final = 300
_NARROW: Final = 6.8
_WIDE: Final = 8.6


def label(text: str, columns: int) -> str:
    """Return a name cut to so many columns, control characters made visible.

    Examples
    --------
    >>> label("CORRECT_SIGN_FLIP", 10)
    'CORRECT_S~'
    """
    return fitted(text[:_MOST_CHARS], columns).rstrip()


def text_width(text: str) -> float:
    """Return about how wide a text of 12 px is; system fonts differ, so rather too wide."""
    return sum(
        _WIDE if char.isupper() or char == "_" or char > "\xff" else _NARROW for char in text
    )


def drawing(
    name: str, height: float, title: str, description: str, parts: Iterable[str],
    width: float = WIDTH,
) -> str:  # fmt: skip
    """Return an SVG element with a title and a description for those who can't see it.

    Parameters
    ----------
    name : str
        Unique in the document: begins the ids of title and description.
    """
    body = "".join(parts)
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" style="max-width:{width:g}px" role="img" '
        f'aria-labelledby="{name}-t {name}-d"><title id="{name}-t">{_safe(title)}</title>'
        f'<desc id="{name}-d">{_safe(description)}</desc>{body}</svg>'
    )


def words(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    """Return a line of text; ``style`` names classes of the style sheet."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{style}">{_safe(text)}</text>'
    )


def turned(x: float, y: float, text: str, degrees: int) -> str:
    """Return a line of text that is turned about its beginning."""
    return f'<text x="{x:.1f}" y="{y:.1f}" transform="rotate({degrees} {x:.1f} {y:.1f})">{_safe(text)}</text>'  # noqa: E501 - one element


def box(
    x: float, y: float, width: float, height: float, style: str, tip: str = "",
    opacity: float | None = None,
) -> str:  # fmt: skip
    """Return a rectangle, with what a pointer over it tells."""
    faint = "" if opacity is None else f' fill-opacity="{opacity:.3f}"'
    shape = (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{max(height, 0):.1f}" '
        f'class="{style}"{faint}'
    )
    return f"{shape}><title>{_safe(tip)}</title></rect>" if tip else f"{shape}/>"


def line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    """Return a straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>'


def curve(path: str, style: str, tip: str = "") -> str:
    """Return a filled path."""
    return f'<path d="{path}" class="{style}"><title>{_safe(tip)}</title></path>'


def mark(x: float, y: float, series: int) -> str:
    """Return the mark of a series: circle, square, diamond, triangle, each of its own colour."""
    style = f"fill{series % 4}"
    if series % 4 == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" class="{style}"/>'
    if series % 4 == 1:
        return box(x - 5, y - 5, 10, 10, style)
    if series % 4 == 2:
        return f'<path d="M{x:.1f} {y - 7:.1f}l7 7l-7 7l-7-7z" class="{style}"/>'
    return f'<path d="M{x:.1f} {y - 6.5:.1f}l6.5 12h-13z" class="{style}"/>'


def _safe(text: str) -> str:
    return escape(visible(text[:_MOST_CHARS]))
