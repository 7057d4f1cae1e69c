"""A comparison of judged rubrics as one self-contained page, without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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
    change_text,
    counted,
    gate_text,
    interval_text,
    names_of,
    p_text,
    run_name,
    value_text,
)
from eval_tiers.report.lines import Summary, count_text, number
from eval_tiers.report.rubric_compare_words import (
    RATES,
    TITLES,
    WHAT,
    agreement_text,
    bowker_text,
    confidence_text,
    left_out_text,
    mcnemar_text,
    rubric_name,
    slice_cells,
    verdict_text,
    weight_text,
)


def render_rubric_comparison_html(summary: Summary) -> str:
    """Return a comparison as an HTML page that opens offline.

    Parameters
    ----------
    summary : mapping
        As `eval_tiers.pipeline.rubrics.compare.compare_rubric_results` gives it. All texts of it
        are escaped.
    """
    title = f"Comparison of {len(summary['runs'])} systems' judged reports"
    parts = [f"<h1>{inert(title)}</h1>", _head(summary)]
    for found in summary["comparisons"]:
        parts.append(_comparison(found, summary["gate_by_interval"]))
    return render_page(title, parts)


def _head(summary: Summary) -> str:
    rows = [
        [run_name(place), run["path"], ", ".join(run["models"]) or "unknown",
         ", ".join(run["prompt_versions"]) or "unknown", count_text(run["sample_n"]),
         f"{count_text(run['scored_n'])} of {count_text(run['pair_n'])}"]
        for place, run in enumerate(summary["runs"])
    ]  # fmt: skip
    head = ["", "results", "judged by", "prompt", "samples", "rubrics scored"]
    parts = [
        table(f"The results, scored on the {summary['scale']} scale.", head, rows, range(1, 4)),
        paragraph(
            "Reports on the same tasks, paired by sample and rubric. Of two results the one that "
            "is named first is the reference: differences are second minus first, shares in points "
            "of per cent. Intervals are of 95 %, clustered by sample. A failure is a positive "
            "criterion that is not satisfied, or a penalty that is."
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
        paragraph(gate_text(gate, names, by_interval), "passed" if gate["passed"] else "failed")
        for gate in found["gates"]
    ]
    parts += [
        paragraph(verdict_text(found, "compliance")),
        paragraph(verdict_text(found, "failure_rate")),
        _measures(found, names),
        *(paragraph(mcnemar_text(found, rate, names)) for rate in RATES),
        paragraph(agreement_text(found)),
        *map(paragraph, left_out_text(found, names)),
        *_slices(found, names),
        _verdicts(found, names),
        _samples(found, names),
        _flips(found, names),
        _unscored(found, names),
    ]
    return "\n".join(parts)


def _measures(found: Mapping[str, Any], names: Sequence[str]) -> str:
    head = ["measure", names[0], names[1], f"{names[1]} - {names[0]}", "95 % interval", "n",
            "left out"]  # fmt: skip
    rows = []
    for key in ("compliance", *RATES):
        one = found["measures"][key]
        sides = []
        for side in ("first", "second"):
            low, high = (one[f"{side}_{end}"] for end in ("low", "high"))
            span = "" if low is None else f" [{value_text(key, low)}, {value_text(key, high)}]"
            sides.append(value_text(key, one[side]) + span)
        rows.append(
            [MEASURES[key], *sides, change_text(key, one["difference"]), interval_text(key, one),
             count_text(one["difference_n"]), count_text(one["left_out_n"])]
        )  # fmt: skip
    caption = (
        f"What both say on the {counted(found['n'], 'rubric')} with a verdict in both, of "
        f"{counted(found['sample_n'], 'sample')}. Compliance: samples all of whose rubrics have a "
        "verdict in both."
    )
    return table(caption, head, rows)


def _slices(found: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    change = f"{names[1]} - {names[0]}"
    head = ["", "n", f"failures {names[0]}", f"failures {names[1]}", change, "95 % interval",
            f"{names[0]} alone", f"{names[1]} alone", "p", "Holm p", "detectable",
            f"satisfied {change}", f"compliance {change}"]  # fmt: skip
    tables = []
    for dimension in dict.fromkeys(part["dimension"] for part in found["slices"]):
        rows = []
        for part in found["slices"]:
            if part["dimension"] != dimension:
                continue
            one = part["measures"]["failure_rate"]
            cells, effect = one["mcnemar"], one["minimum_detectable_effect"]
            least = "shown" if one["difference_shown"] else number(effect)
            rows.append(
                [part["value"], count_text(part["n"]), *slice_cells(part, "failure_rate"),
                 interval_text("failure_rate", one), count_text(cells["first_only_n"]),
                 count_text(cells["second_only_n"]), p_text(cells["p"]), p_text(cells["p_holm"]),
                 least, slice_cells(part, "satisfied_rate")[2],
                 slice_cells(part, "compliance")[2]]
            )  # fmt: skip
        caption = (
            f"Failures by {TITLES[dimension]}: failed in one alone, McNemar's exact p, the same "
            "adjusted for all slices (Holm). Detectable: where no difference is shown, the least "
            "one that would be found four times out of five."
        )
        tables.append(table(caption, head, rows))
    return tables


def _verdicts(found: Mapping[str, Any], names: Sequence[str]) -> str:
    if not found["verdicts"]["names"]:
        return ""
    caption = (
        f"Rubrics by verdict in {names[0]} (rows) and in {names[1]} (columns, by number); those "
        "on the diagonal stayed."
    )
    return matrix_table(found["verdicts"], caption) + paragraph(bowker_text(found))


def _samples(found: Mapping[str, Any], names: Sequence[str]) -> str:
    head = ["sample", names[0], names[1], f"{names[1]} - {names[0]}"]
    rows = [
        [one["sample_id"], number(one["first"]), number(one["second"]),
         change_text("compliance", one["difference"])]
        for one in found["samples"]
    ]  # fmt: skip
    if not rows:
        return ""
    caption = (
        "Compliance of each sample; - where a rubric has no verdict, and where scores would be "
        "over other rubrics or weights."
    )
    return f"<details><summary>Samples</summary>{table(caption, head, rows)}</details>"


def _flips(found: Mapping[str, Any], names: Sequence[str]) -> str:
    if not found["flips"]:
        return ""
    head = ["rubric", "criterion", "axis", "weight", names[0], names[1], f"for {names[1]}"]
    rows = [
        [rubric_name(flip), str(flip["criterion"] or "unknown"), str(flip["axis"] or "none"),
         weight_text(flip["weight"]), confidence_text(flip, "first"),
         confidence_text(flip, "second"), WHAT[flip["what"]]]
        for flip in found["flips"]
    ]  # fmt: skip
    caption = (
        f"{len(rows)} of {count_text(found['flip_n'])} flips, the most informative first: one of "
        "each kind in turn, those that move most weight before. In brackets the examiner's "
        "confidence."
    )
    texts = "".join(
        f"<details><summary>Reasoning on {inert(rubric_name(flip))}</summary>"
        + "".join(
            f"<p>{name}</p><pre tabindex=0><bdi>{_reasoning(flip, side)}</bdi></pre>"
            for name, side in zip(names, ("first", "second"), strict=True)
        )
        + "</details>"
        for flip in found["flips"]
    )
    return table(caption, head, rows, range(1, 7)) + texts


def _reasoning(flip: Mapping[str, Any], side: str) -> str:
    return inert_lines(flip[f"{side}_reasoning"] or "(no reasoning)")


def _unscored(found: Mapping[str, Any], names: Sequence[str]) -> str:
    if not found["unscored"]:
        return ""
    head = ["rubric", "criterion", names[0], names[1]]
    rows = [
        [rubric_name(row), str(row["criterion"] or "unknown"), _state(row, "first"),
         _state(row, "second")]
        for row in found["unscored"]
    ]  # fmt: skip
    caption = (
        f"{len(rows)} of {counted(found['unscored_n'], 'rubric')} without a verdict in one "
        "or both of them: in no number, and never counted as not satisfied."
    )
    return table(caption, head, rows, range(1, 4))


def _state(row: Mapping[str, Any], side: str) -> str:
    reason = row[f"{side}_reason"]
    return str(row[f"{side}_state"]) + (f": {reason}" if reason else "")
