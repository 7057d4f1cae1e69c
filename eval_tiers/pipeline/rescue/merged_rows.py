"""The rows of a samples table after rescue, and the columns that are added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from eval_tiers.io.rescue_files import ExportFiles
from eval_tiers.io.rescue_run import RescueRun
from eval_tiers.io.samples_csv import Cell, formula_safe
from eval_tiers.pipeline.rescue.recompute import contradicted_counts
from eval_tiers.pipeline.rescue.sheets import HumanLabels
from eval_tiers.rescue.effects import Facts, Merged
from eval_tiers.rescue.files import MERGED_COLUMNS
from eval_tiers.rescue.merging import Asked, Outcome


@dataclass(slots=True)
class MergedRun:
    """A run after rescue.

    Attributes
    ----------
    run : RescueRun
    export : ExportFiles
    rows : dict of int to Merged
        Exported rows of the samples, repeats brought together.
    rescued_labels : dict of int to str or None
        Error label of each row with a rescued answer.
    outcomes : dict of str to Outcome
        By request.
    asked : dict of str to Asked
    of_row : dict of int to list of str
        Requests of each exported row, by repeat.
    controls : dict of int to list of dict
        Requests of each control, by repeat, as in the key.
    absent_n : int
        Requests whose sample the table doesn't have any more.
    human : HumanLabels
    """

    run: RescueRun
    export: ExportFiles
    rows: dict[int, Merged]
    rescued_labels: Mapping[int, str | None]
    outcomes: dict[str, Outcome]
    asked: dict[str, Asked]
    of_row: dict[int, list[str]]
    controls: dict[int, list[dict[str, Any]]]
    absent_n: int
    human: HumanLabels = field(default_factory=HumanLabels)


def facts_of_rows(run: RescueRun, kind_of: Mapping[int, str]) -> dict[int, Facts]:
    """Return what the tiers say of rows of the samples.

    Parameters
    ----------
    run : RescueRun
    kind_of : mapping of int to str
        Kind of question by row.
    """
    column = run.samples.column
    error_label, gold, implied = map(column, ("error_label", "gold_label", "implied_answer"))
    correct, sign_match = column("answer_correct"), run.samples.numbers("sign_match")
    contradicted = contradicted_counts(run)
    return {
        row: Facts(
            kind,
            error_label[row] or "",
            gold[row] or "",
            is_true(correct[row]),
            sign_match[row],
            contradicted[row],
            implied[row],
        )
        for row, kind in kind_of.items()
    }


def is_true(cell: str | None) -> bool:
    """Tell whether a cell is True, in the spelling of pandas, R or a spreadsheet."""
    return (cell or "").casefold() in ("true", "1")


def merged_columns(merged: MergedRun) -> dict[str, list[Cell]]:
    """Return the columns that are added to the samples table; None for rows without a reply."""
    n = len(merged.run.samples)
    columns: dict[str, list[Cell]] = {name: [None] * n for name in MERGED_COLUMNS}
    columns["error_label_after_rescue"] = list(merged.run.samples.column("error_label"))
    safe = formula_safe if merged.run.spreadsheet_safe else str
    for row, one in merged.rows.items():
        outcome = one.outcome
        if not outcome.reply_n:
            continue
        values: Iterable[Cell] = (
            one.facts.kind,
            outcome.verdict,
            None if outcome.verdict is None else one.soft,
            None if outcome.verdict is None else safe(outcome.explanation),
            outcome.confidence,
            None if outcome.verdict_prob is None else _json(outcome.verdict_prob),
            one.rescued_answer,
            merged.rescued_labels.get(row),
            one.error_label_after or None,
        )
        for name, value in zip(MERGED_COLUMNS, values, strict=True):
            columns[name][row] = value
    return columns


def _json(value: Mapping[str, float]) -> str:
    return orjson.dumps(dict(sorted(value.items()))).decode()
