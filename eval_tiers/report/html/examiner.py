"""The report's section on tier 4: what an examiner's verdicts change, and what they are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from eval_tiers.report.html.figures import count_figure, matrix_figure, plain_table, rate_figure
from eval_tiers.report.html.flows import flow
from eval_tiers.report.html.model import (
    Cell,
    Figure,
    Named,
    Rate,
    Section,
    count_cell,
    interval_text,
    named,
    value_cell,
)
from eval_tiers.report.lines import interval_text as shown_text
from eval_tiers.report.lines import number

Ways = Sequence[tuple[str, str, str | None, str, int]]

_HEADLINE: Final = (
    ("hard_correct_rate", "hard (no examiner)"),
    ("effective_symbolic_rate", "+ soft by sign algebra alone"),
    ("effective_corrected_rate", "+ ANSWER_BUG only, corrected"),
)
_NO_VERDICT: Final = "(no verdict)"


def rescue_section(rescue: Mapping[str, Any], ways: Ways | None) -> Section:
    """Return the headline, the flow from label to verdict to final label, and the controls."""
    figures = [_headline(rescue), _flow(ways), _verdicts(rescue)]
    for kind, found in rescue["correction"].items():
        figures += _controls(kind, found)
    examiners = ", ".join(rescue["examiners"]) or "not named"
    text = (
        f"{rescue['verdict_n']:,} verdicts from {rescue['reply_n']:,} replies to "
        f"{rescue['request_n']:,} requests, by {examiners}. "
        + (f"{rescue['owed_n']:,} replies are owed." if rescue["owed_n"] else "Nothing is owed.")
    )
    return Section("rescue", "Hard cases by an examiner", tuple(figures), text)


def _headline(rescue: Mapping[str, Any]) -> Figure:
    line = rescue["headline"]
    rows = named(line, _HEADLINE)
    notes = []
    if line["effective_corrected_rate"] is None:
        notes.append(f"Not corrected: {_why_not(rescue['correction'].get('wrong_correct_chain'))}.")
    for row in line["effective_corrected_if_worse"]:
        if row["rate"] is not None:
            rows.append(
                Named(
                    f"... if {row['worse_points']} points worse on cases",
                    f"effective_corrected_if_worse.{row['worse_points']}",
                    Rate(row["rate"], row["low"], row["high"], line["effective_corrected_rate_n"]),
                    2,
                )
            )
    rows += named(line, [("effective_correct_rate", "naive: verdicts at their word")], 1)
    rows += named(rescue, [("annotation_dispute_rate", "disputed gold chains (ALTERNATE)")], 3)
    joined = {**rescue, "both_sign_routes_rate_n": rescue.get("both_sign_routes_n")}
    rows += named(joined, [("both_sign_routes_rate", "... the graph supports either answer")], 3)
    return rate_figure(
        "rescue-headline",
        "Right, with and without the examiner",
        "Share right without an examiner; with what sign algebra alone calls a slip of the answer; "
        "with the examiner's ANSWER_BUG verdicts, corrected for its errors; with all its verdicts "
        "taken at their word.",
        "Never read the naive rate (square) without the others: an examiner that always says "
        "'right' raises it as well.",
        rows,
        notes=notes,
    )


def _why_not(correction: Mapping[str, Any] | None) -> str:
    if correction is None:
        return "the export has no controls of wrong_correct_chain"
    refusal = correction["refusal"]
    return str(refusal["reason"]) if refusal else "there is nothing to correct"


def _flow(ways: Ways | None) -> Figure:
    title = "From label to verdict to final label"
    shows = "Where the cases went that the examiner was asked about and replied to."
    if not ways:
        why = (
            "the merged table is not in the run's folder" if ways is None else "no case has a reply"
        )
        return Figure(title, shows, f"There is nothing to draw: {why}.")
    merged: dict[tuple[str, ...], int] = {}
    for label, _, verdict, final, count in ways:
        names = (label, verdict or _NO_VERDICT, final)
        merged[names] = merged.get(names, 0) + count
    rows: list[tuple[str, list[str | Cell]]] = [
        (label, [kind, verdict or _NO_VERDICT, final, count_cell(count)])
        for label, kind, verdict, final, count in ways
    ]
    columns = ("error label", "asked as", "verdict", "final label", "n")
    return Figure(
        title,
        shows,
        "The width of a band is the number of cases. Only YES and ALTERNATE change a label; what "
        "tiers 1 to 3 scored never changes.",
        flow("rescue-flow", title, shows, ("error label", "verdict", "final label"),
             sorted(merged.items())),
        (plain_table(title, columns, rows),),
    )  # fmt: skip


def _verdicts(rescue: Mapping[str, Any]) -> Figure:
    counts, totals = {}, {}
    for kind, found in rescue["verdict_counts"].items():
        for verdict, n in found.items():
            name = f"{verdict} ({kind})"
            counts[name], totals[name] = n, sum(found.values())
    faults = {f"no verdict: {fault}": n for fault, n in rescue["no_verdict"].items()}
    asked = sum(counts.values()) + sum(faults.values())
    totals |= dict.fromkeys(faults, asked)
    return count_figure(
        "rescue-verdicts",
        "Verdicts",
        "How often each verdict was given, by kind of question.",
        "Shares are of the verdicts of that kind, and for those without a verdict of all cases "
        "that were asked about; controls are not among them.",
        counts | faults,
        totals,
    )


def _controls(kind: str, found: Mapping[str, Any]) -> list[Figure]:
    matrix = {
        f"truth {truth}": {name: row[name] for name in (*found["truths"], "no_verdict")}
        for truth, row in found["confusion"].items()
    }
    notes = [str(note) for note in found["notes"]]
    for name, key in (("claimed confidence", "confidence"), ("verdict_prob", "verdict_prob")):
        measured = found["calibration"][key]
        if measured["n"]:
            error = "expected_calibration_error"
            notes.append(
                f"Calibration of {name}: Brier {number(measured['brier'])}"
                f"{shown_text(measured, 'brier', number)}, expected calibration error "
                f"{number(measured[error])}{shown_text(measured, error, number)}, n "
                f"{measured['n']:,}."
            )
    controls = matrix_figure(
        f"controls-{kind.replace('_', '-')[:40]}",
        f"The examiner on controls: {kind}",
        "Controls whose right verdict is known (rows), and what the examiner said (columns).",
        "Shares are of the row; the diagonal is right. What it gets wrong here, it gets wrong on "
        "the cases as well.",
        matrix,
        "truth, verdict",
        notes=notes,
    )
    shares = plain_table(
        "Shares of the cases",
        ("verdict", "cases", "naive share", "95 % interval", "corrected share", "95 % interval"),
        [(truth, _share_cells(truth, found)) for truth in found["truths"]],
    )
    refusal = [] if found["refusal"] is None else [f"Not corrected: {found['refusal']['reason']}."]
    return [
        Figure(
            controls.title,
            controls.shows,
            controls.reads,
            controls.chart,
            (*controls.tables, shares),
            (*controls.notes, *refusal),
        )
    ]


def _share_cells(truth: str, found: Mapping[str, Any]) -> list[str | Cell]:
    naive = (found["naive_share"] or {}).get(truth) or {}
    fair = (found["share"] or {}).get(truth) or {}
    return [
        count_cell(found["observed"][truth]),
        value_cell(naive.get("share")),
        interval_text(naive.get("low"), naive.get("high")),
        value_cell(fair.get("share")),
        interval_text(fair.get("low"), fair.get("high")),
    ]
