"""The parts that pages of comparisons are made of: self-contained, without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final

from eval_tiers.report.lines import count_text, visible

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #ffffff; --line: #b8b8b8;
  --soft: #555555; --cell: 0, 114, 178; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececec; --paper: #16181a; --line: #4d5358;
  --soft: #b4b4b4; --cell: 0, 114, 178; } }
body { color: var(--ink); background: var(--paper); font: 1rem/1.5 system-ui, sans-serif;
  max-width: 68rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
h3 { font-size: 1.05rem; margin-bottom: .25rem; }
.table { overflow-x: auto; margin: 1.25rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: break-word; }
caption { text-align: left; color: var(--soft); padding-bottom: .25rem; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .6rem; text-align: right;
  vertical-align: top; }
th:first-child, td.text, th.text { text-align: left; }
td { white-space: nowrap; }
td.text { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; }
.failed { font-weight: bold; } .failed::before { content: "\\2717\\00a0"; }
.passed::before { content: "\\2713\\00a0"; }
.matrix td { background: rgba(var(--cell), var(--share, 0)); min-width: 2.5rem; }
.matrix td.kept { outline: 1px solid var(--soft); outline-offset: -2px; }
bdi { unicode-bidi: isolate; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid var(--line);
  padding-left: .75rem; max-height: 24rem; overflow-y: auto; }
@media print {
  :root { --ink: #000000; --paper: #ffffff; --line: #b8b8b8; --soft: #444444; --cell: 0, 114, 178; }
  body { max-width: none; padding: 0; font-size: 9pt; } .table, pre { overflow: visible; }
  pre { max-height: none; } td { white-space: normal; } tr, pre { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""


def render_page(title: str, parts: Iterable[str]) -> str:
    """Return a page of parts, which are HTML already; the title is inert."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{inert(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def inert(value: object) -> str:
    """Return a text that is inert in HTML, its control characters as escapes."""
    return escape(visible(str(value)))


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of inert text."""
    return f"<p{f' class={kind}' if kind else ''}>{inert(text)}</p>"


def table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], texts: Iterable[int] = ()
) -> str:
    """Return a table; the first cell of a row is its heading, ``texts`` are left-aligned."""
    left = set(texts)
    kinds = [' class="text"' if place in left else "" for place in range(len(head))]
    heads = "".join(
        f'<th scope="col"{kind}>{inert(name)}</th>' for name, kind in zip(head, kinds, strict=True)
    )
    lines = []
    for first, *cells in rows:
        rest = "".join(
            f"<td{kind}><bdi>{inert(cell)}</bdi></td>"
            for cell, kind in zip(cells, kinds[1:], strict=True)
        )
        lines.append(f'<tr><th scope="row"><bdi>{inert(first)}</bdi></th>{rest}</tr>')
    return (
        f'<div class="table" tabindex="0" role="region" aria-label="{inert(caption)}"><table>'
        f"<caption>{inert(caption)}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def matrix_table(labels: Mapping[str, Any], caption: str) -> str:
    """Return a table of how labels moved, as `label_moves` gives it."""
    most = max((n for row in labels["matrix"].values() for n in row.values()), default=0)
    heads = "".join(
        f'<th scope="col"><abbr title="{inert(name)}">{place}</abbr></th>'
        for place, name in enumerate(labels["names"], 1)
    )
    lines = []
    for place, name in enumerate(labels["names"], 1):
        cells = "".join(
            f'<td style="--share: {0.6 * n / most if most else 0:.3f}"'
            + (' class="kept">' if other == name else ">")
            + f"{count_text(n)}</td>"
            for other, n in labels["matrix"][name].items()
        )
        lines.append(f'<tr><th scope="row">{place} {inert(name)}</th>{cells}</tr>')
    return (
        f'<div class="table" tabindex="0" role="region" aria-label="{inert(caption)}">'
        f'<table class="matrix"><caption>{inert(caption)}</caption><thead><tr><td></td>{heads}'
        f"</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def inert_lines(text: str) -> str:
    """Return a text that is inert in HTML, its line breaks kept."""
    return "\n".join(inert(line) for line in text.split("\n"))
