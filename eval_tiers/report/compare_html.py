"""A comparison of runs as one self-contained page, without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from eval_tiers.report.compare_page import (
    inert,
    inert_lines,
    matrix_table,
    paragraph,
    render_page,
    table,
)
from eval_tiers.report.compare_words import (
    MEASURES,
    bowker_text,
    change_text,
    cluster_text,
    counted,
    detectable_text,
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
from eval_tiers.report.lines import Summary, count_text

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
    return render_page(title, parts)


def _head(summary: Summary) -> str:
    rows = [
        [run_name(place), run["folder"], ", ".join(map(str, run["tiers"])), run["metrics_version"],
         "; ".join(run["predictions"])]
        for place, run in enumerate(summary["runs"])
    ]  # fmt: skip
    head = ["", "run", "tiers", "metrics", "predictions"]
    parts = [
        table(f"The runs, of format {summary['format']}.", head, rows, range(1, 5)),
        paragraph(
            "Of two runs the one that is named first is the reference: differences are second "
            "minus first, shares in points of per cent. Intervals are of 95 %, "
            f"{cluster_text(summary['cluster'])}."
        ),
    ]
    if summary["forced"]:
        parts.append(paragraph(f"May differ, as asked for: {', '.join(summary['forced'])}."))
    parts += [paragraph(f"{one['level']}: {one['message']}") for one in summary["findings"]]
    return "\n".join(parts)


def _comparison(found: Mapping[str, Any], by_interval: bool) -> str:
    names = names_of(found)
    parts = [f"<h2>{names[1]} against {names[0]}</h2>"]
    parts += [
        paragraph(
            gate_text(gate, names, by_interval), "passed" if gate["passed"] else "failed"
        )
        for gate in found["gates"]
    ]  # fmt: skip
    parts += [
        paragraph(verdict_text(found)),
        _measures(found, names),
        paragraph(mcnemar_text(found, names)),
        *map(paragraph, only_text(found, names)),
        *_slices(found, names),
        _matrix(found, names),
        _flips(found["flips"], found["flip_n"], names),
    ]
    for part in found["slices"]:
        if part["flips"]:
            name = f"{_dimension(part['dimension'])} {_value(part)}"
            n = part["mcnemar"]["right_to_wrong_n"] + part["mcnemar"]["wrong_to_right_n"]
            parts.append(
                f"<details><summary>Flips of {inert(name)}</summary>"
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
        f"What both runs say on the {counted(found['n'], 'row')} of both, in "
        f"{counted(found['cluster_n'], 'cluster')}. Left out: undefined in one of them."
    )
    return table(caption, head, rows)


def _slices(found: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    head = ["", "n", names[0], names[1], f"{names[1]} - {names[0]}", "95 % interval",
            f"{names[0]} alone", f"{names[1]} alone", "p", "Holm p", "labels: p",
            "detectable"]  # fmt: skip
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
                 p_text(part["labels"]["bowker"]["p"]),
                 "shown" if part["difference_shown"] else detectable_text(part)]
            )  # fmt: skip
        caption = (
            f"Accuracy by {_dimension(dimension)}: right in one run alone, McNemar's exact p, "
            "the same adjusted for all slices (Holm), and Bowker's p for the labels. Detectable: "
            "where no difference is shown, the least one, in points, that would be found four "
            "times out of five."
        )
        tables.append(table(caption, head, rows))
    return tables


def _matrix(found: Mapping[str, Any], names: Sequence[str]) -> str:
    labels = found["labels"]
    if not labels["names"]:
        return ""
    of = "error label" if found["labels_are"] == "error_label" else "outcome"
    caption = (
        f"Rows by {of} in {names[0]} (rows) and in {names[1]} (columns, by number); those on the "
        "diagonal stayed."
    )
    return matrix_table(labels, caption) + paragraph(bowker_text(found))


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
        f"<details><summary>Texts of {inert(flip['sample_id'])}</summary>"
        + "".join(
            f"<p>{name}</p><pre tabindex=0><bdi>{inert_lines(flip_text(flip, side))}</bdi></pre>"
            for name, side in zip(names, ("first", "second"), strict=True)
        )
        + "</details>"
        for flip in flips
    )
    return table(caption, head, rows, range(1, 7)) + texts
