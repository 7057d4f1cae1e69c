"""A comparison of runs as one self-contained page, without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final

from eval_tiers.report.compare_words import (
    MEASURES,
    bowker_text,
    change_text,
    flip_labels,
    flip_place,
    flip_text,
    gate_text,
    interval_text,
    mcnemar_text,
    names_of,
    only_text,
    p_text,
    run_name,
    value_text,
    verdict_text,
)
from eval_tiers.report.lines import Summary, count_text, visible

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #ffffff; --line: #b8b8b8;
  --soft: #555555; --cell: 0, 114, 178; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececec; --paper: #16181a; --line: #4d5358;
  --soft: #b4b4b4; --cell: 86, 180, 233; } }
body { color: var(--ink); background: var(--paper); font: 1rem/1.5 system-ui, sans-serif;
  max-width: 68rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
h3 { font-size: 1.05rem; margin-bottom: .25rem; }
.table { overflow-x: auto; margin: 1.25rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
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
@media print { body { max-width: none; } .table { overflow: visible; } }
"""
_DIMENSIONS: Final = {"pert_type": "perturbation type", "item_type": "item type"}


def render_comparison_html(summary: Summary) -> str:
    """Return a comparison as an HTML page that opens offline.

    Parameters
    ----------
    summary : mapping
        As `eval_tiers.pipeline.comparison.compare_folders` gives it. All texts of it are escaped.
    """
    title = f"Comparison of {len(summary['runs'])} runs"
    parts = [f"<h1>{title}</h1>", _head(summary)]
    for found in summary["comparisons"]:
        parts.append(_comparison(found, summary["gate_by_interval"]))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def _text(value: object) -> str:
    """Return a text that is inert in HTML, its control characters as escapes."""
    return escape(visible(str(value)))


def _head(summary: Summary) -> str:
    rows = [
        [run_name(place), run["folder"], ", ".join(map(str, run["tiers"])), run["metrics_version"],
         "; ".join(run["predictions"])]
        for place, run in enumerate(summary["runs"])
    ]  # fmt: skip
    head = ["", "run", "tiers", "metrics", "predictions"]
    parts = [
        _table(f"The runs, of format {summary['format']}.", head, rows, range(1, 5)),
        _paragraph(
            "Of two runs the one that is named first is the reference: differences are second "
            "minus first, shares in points of per cent. Intervals are of 95 %, clustered by "
            f"{summary['cluster']}."
        ),
    ]
    if summary["forced"]:
        parts.append(_paragraph(f"May differ, as asked for: {', '.join(summary['forced'])}."))
    parts += [_paragraph(f"{one['level']}: {one['message']}") for one in summary["findings"]]
    return "\n".join(parts)


def _paragraph(text: str, kind: str = "") -> str:
    return f"<p{f' class={kind}' if kind else ''}>{_text(text)}</p>"


def _table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], texts: Iterable[int] = ()
) -> str:
    """Return a table; the first cell of a row is its heading, ``texts`` are left-aligned."""
    left = set(texts)
    kinds = [' class="text"' if place in left else "" for place in range(len(head))]
    heads = "".join(
        f'<th scope="col"{kind}>{_text(name)}</th>' for name, kind in zip(head, kinds, strict=True)
    )
    lines = []
    for first, *cells in rows:
        rest = "".join(
            f"<td{kind}><bdi>{_text(cell)}</bdi></td>"
            for cell, kind in zip(cells, kinds[1:], strict=True)
        )
        lines.append(f'<tr><th scope="row"><bdi>{_text(first)}</bdi></th>{rest}</tr>')
    return (
        f'<div class="table" tabindex="0" role="region" aria-label="{_text(caption)}"><table>'
        f"<caption>{_text(caption)}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _comparison(found: Mapping[str, Any], by_interval: bool) -> str:
    names = names_of(found)
    parts = [f"<h2>{names[1]} against {names[0]}</h2>"]
    parts += [
        _paragraph(
            gate_text(gate, names, by_interval), "passed" if gate["passed"] else "failed"
        )
        for gate in found["gates"]
    ]  # fmt: skip
    parts += [
        _paragraph(verdict_text(found)),
        _measures(found, names),
        _paragraph(mcnemar_text(found, names)),
        *map(_paragraph, only_text(found, names)),
        *_slices(found, names),
        _matrix(found, names),
        _flips(found["flips"], found["flip_n"], names),
    ]
    for part in found["slices"]:
        if part["flips"]:
            name = f"{_dimension(part['dimension'])} {_value(part)}"
            n = part["mcnemar"]["right_to_wrong_n"] + part["mcnemar"]["wrong_to_right_n"]
            parts.append(
                f"<details><summary>Flips of {_text(name)}</summary>"
                f"{_flips(part['flips'], n, names)}</details>"
            )
    return "\n".join(parts)


def _dimension(name: str) -> str:
    return _DIMENSIONS.get(name, name)


def _value(part: Mapping[str, Any]) -> str:
    return "(none)" if part["value"] is None else str(part["value"])


def _measures(found: Mapping[str, Any], names: Sequence[str]) -> str:
    head = ["measure", names[0], names[1], f"{names[1]} - {names[0]}", "95 % interval", "n",
            "left out"]  # fmt: skip
    rows = []
    for key, one in found["measures"].items():
        sides = [
            value_text(key, one[side])
            + (
                ""
                if one[f"{side}_low"] is None
                else f" [{value_text(key, one[f'{side}_low'])}, "
                f"{value_text(key, one[f'{side}_high'])}]"
            )
            for side in ("first", "second")
        ]
        rows.append(
            [MEASURES.get(key, key), *sides, change_text(key, one["difference"]),
             interval_text(key, one), count_text(one["difference_n"]),
             count_text(one["left_out_n"])]
        )  # fmt: skip
    caption = (
        f"What both runs say on the {count_text(found['n'])} rows that both have, in "
        f"{count_text(found['cluster_n'])} clusters. Left out: undefined in one of them."
    )
    return _table(caption, head, rows)


def _slices(found: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    head = ["", "n", names[0], names[1], f"{names[1]} - {names[0]}", "95 % interval",
            f"{names[0]} alone", f"{names[1]} alone", "p", "Holm p", "labels: p"]  # fmt: skip
    tables = []
    for dimension in dict.fromkeys(part["dimension"] for part in found["slices"]):
        rows = []
        for part in found["slices"]:
            if part["dimension"] != dimension:
                continue
            one, cells = part["measures"]["accuracy"], part["mcnemar"]
            rows.append(
                [_value(part), count_text(part["n"]), value_text("accuracy", one["first"]),
                 value_text("accuracy", one["second"]),
                 change_text("accuracy", one["difference"]), interval_text("accuracy", one),
                 count_text(cells["right_to_wrong_n"]), count_text(cells["wrong_to_right_n"]),
                 p_text(cells["p"]), p_text(cells["p_holm"]),
                 p_text(part["labels"]["bowker"]["p"])]
            )  # fmt: skip
        caption = (
            f"Accuracy by {_dimension(dimension)}: right in one run alone, McNemar's exact p, "
            "the same adjusted for all slices (Holm), and Bowker's p for the labels."
        )
        tables.append(_table(caption, head, rows))
    return tables


def _matrix(found: Mapping[str, Any], names: Sequence[str]) -> str:
    labels = found["labels"]
    if not labels["names"]:
        return ""
    most = max((n for row in labels["matrix"].values() for n in row.values()), default=0)
    heads = "".join(
        f'<th scope="col"><abbr title="{_text(name)}">{place}</abbr></th>'
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
        lines.append(f'<tr><th scope="row">{place} {_text(name)}</th>{cells}</tr>')
    of = "error label" if found["labels_are"] == "error_label" else "outcome"
    caption = (
        f"Rows by {of} in {names[0]} (rows) and in {names[1]} (columns, by number); those on the "
        "diagonal stayed."
    )
    return (
        f'<div class="table" tabindex="0" role="region" aria-label="{_text(caption)}">'
        f'<table class="matrix"><caption>{_text(caption)}</caption><thead><tr><td></td>{heads}'
        f"</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
        + _paragraph(bowker_text(found))
    )


def _flips(flips: Sequence[Mapping[str, Any]], n: int, names: Sequence[str]) -> str:
    if not flips:
        return ""
    head = ["sample", "where", "gold", f"answer of {names[0]}", f"answer of {names[1]}",
            f"text of {names[0]}", f"text of {names[1]}"]  # fmt: skip
    keys = ("split", "pert_type", "context", "item_type", "rollout")
    rows = [
        [str(flip["sample_id"]),
         ", ".join(str(flip[key]) for key in keys if flip.get(key) is not None),
         str(flip["gold_label"]), flip_labels(flip, "first"), flip_labels(flip, "second"),
         flip_place(flip, "first"), flip_place(flip, "second")]
        for flip in flips
    ]  # fmt: skip
    caption = (
        f"{len(flips)} of {count_text(n)} flips (right in one run, wrong in the other), the most "
        "informative first: one of each kind in turn, those whose evidence changed most before."
    )
    texts = "".join(
        f"<details><summary>Texts of {_text(flip['sample_id'])}</summary>"
        f"<p>{names[0]}</p><pre><bdi>{_raw(flip_text(flip, 'first'))}</bdi></pre>"
        f"<p>{names[1]}</p><pre><bdi>{_raw(flip_text(flip, 'second'))}</bdi></pre></details>"
        for flip in flips
    )
    return _table(caption, head, rows, range(1, 7)) + texts


def _raw(text: str) -> str:
    """Return a text that is inert in HTML, its line breaks kept."""
    return "\n".join(_text(line) for line in text.split("\n"))
