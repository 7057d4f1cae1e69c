"""How far an examiner of rubrics can be trusted: repeats, and what the controls showed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from eval_tiers.io.rubric_export import RubricExport
from eval_tiers.metrics.clustered import effective_n
from eval_tiers.metrics.intervals import wilson_interval
from eval_tiers.pipeline.rubrics.judged import JudgedExport
from eval_tiers.rescue.settling import Outcome, repeat_agreement
from eval_tiers.rubrics.controls import PLANTED, REMOVED, TRUTH_OF
from eval_tiers.rubrics.prompts import BINARY
from eval_tiers.rubrics.results import SATISFIED
from eval_tiers.summaries.rescue_correction import kind_correction
from eval_tiers.summaries.rescue_judged import Judged

ALL: Final = "all"
POSITIVE: Final = "positive"
PENALTY: Final = "penalty"


def repeat_figures(judged: JudgedExport) -> dict[str, Any]:
    """Return how far repeats of the same question agree; cases alone."""
    return repeat_agreement(one.repeats for one in judged.cases.values())


def control_figures(export: RubricExport, judged: JudgedExport) -> dict[str, Any]:
    """Return what the controls showed: of all criteria, of positive ones, of penalties.

    What is owed is left out, of controls and of cases. Rows of one task are not independent.

    Returns
    -------
    dict
        ``n``: controls by kind. Where there are any, ``all``, ``positive`` and ``penalty``, each
        as `eval_tiers.summaries.rescue_correction.kind_correction` gives it, and ``sensitivity``
        (share of planted ones found Satisfied) and ``specificity`` (share of removed ones not
        found Satisfied), each {rate, n, low, high}.
    """
    kinds = Counter(str(control["kind"]) for control in export.controls)
    found: dict[str, Any] = {"n": {kind: kinds.get(kind, 0) for kind in TRUTH_OF}}
    if not export.controls:
        return found
    weights = {
        (str(task["sample_id"]), index): float(rubric["weight"])
        for task in export.manifest["tasks"]
        for index, rubric in enumerate(task["rubrics"])
    }
    cases = [
        (weights[key] < 0, _row(one.outcome, key[0]))
        for key, one in judged.cases.items()
        if not one.outcome.owed
    ]
    controls = [
        (
            weights[control["sample_id"], control["rubric_index"]] < 0,
            _row(one.outcome, control["sample_id"], TRUTH_OF[str(control["kind"])]),
        )
        for control, one in zip(
            [one for one in export.controls if one["entries"]], judged.controls, strict=True
        )
        if not one.outcome.owed
    ]
    for name, wanted in ((ALL, (False, True)), (POSITIVE, (False,)), (PENALTY, (True,))):
        found[name] = _group(
            [row for penalty, row in controls if penalty in wanted],
            [row for penalty, row in cases if penalty in wanted],
            int(export.manifest["settings"]["seed"]),
        )
    return found


def _row(outcome: Outcome, cluster: str, truth: str | None = None) -> Judged:
    return Judged(
        outcome.verdict, cluster, truth,
        confidence=outcome.confidence, verdict_prob=outcome.verdict_prob,
    )  # fmt: skip


def _group(controls: Sequence[Judged], cases: Sequence[Judged], seed: int) -> dict[str, Any]:
    found: dict[str, Any] = {**kind_correction(BINARY, controls, cases, seed=seed)}
    found["notes"] = [note.replace("hard cases", "rubrics") for note in found["notes"]]
    if found["refusal"]:
        found["refusal"]["reason"] = found["refusal"]["reason"].replace("hard case", "rubric")
    planted = [one for one in controls if one.truth == TRUTH_OF[PLANTED]]
    removed = [one for one in controls if one.truth == TRUTH_OF[REMOVED]]
    return {
        **found,
        "sensitivity": _rate((one.verdict == SATISFIED for one in planted), planted),
        "specificity": _rate((one.verdict != SATISFIED for one in removed), removed),
    }


def _rate(right: Iterable[bool], rows: Sequence[Judged]) -> dict[str, float | int | None]:
    """Return a rate with the Wilson interval of as many independent rows as it is worth."""
    values = list(right)
    if not values:
        return {"rate": None, "n": 0, "low": None, "high": None}
    rate = sum(values) / len(values)
    worth = effective_n(values, [row.cluster for row in rows])
    low, high = (
        (None, None) if worth is None else wilson_interval(rate * worth, worth) or (None, None)
    )
    return {"rate": rate, "n": len(values), "low": low, "high": high}
