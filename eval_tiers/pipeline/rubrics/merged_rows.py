"""Result rows, and the requests of the synthesis round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from eval_tiers.io.atomic import clean_text
from eval_tiers.io.rubric_export import RubricExport
from eval_tiers.pipeline.rubrics.judged import Judged, JudgedExport, ReadySynthesis
from eval_tiers.rubrics.prompts import Question, synthesis_messages
from eval_tiers.rubrics.replies import Prices
from eval_tiers.rubrics.requests import Asking, build_request
from eval_tiers.rubrics.results import SCORES, ResultRow
from eval_tiers.rubrics.synthesis import found_in_parts

NO_VERDICT: Final = "Error"
"""The verdict of a row without one; its score is null."""


def build_rows(export: RubricExport, judged: JudgedExport, prices: Prices) -> list[ResultRow]:
    """Return a row a rubric that was asked about, in the order of the tasks.

    Without a verdict a row has ``success`` false, the verdict `NO_VERDICT`, no score, and the
    reason as its reasoning.
    """
    rows = []
    for task in export.manifest["tasks"]:
        for index, rubric in enumerate(task["rubrics"]):
            one = judged.cases.get((str(task["sample_id"]), index))
            if one is not None:
                rows.append(_row(export, task, rubric, index, one, prices))
    return rows


def _row(
    export: RubricExport,
    task: dict[str, Any],
    rubric: dict[str, Any],
    index: int,
    one: Judged,
    prices: Prices,
) -> ResultRow:
    outcome = one.outcome
    verdict = outcome.verdict
    reasoning = outcome.explanation
    if verdict is None:
        reasoning = f"no verdict: {outcome.fault}"
        reasoning += f" ({one.detail})" if one.detail else ""
    return ResultRow(
        sample_id=str(task["sample_id"]),
        rubric_title=str(rubric["criterion"]),
        verdict=verdict or NO_VERDICT,
        score=None if verdict is None else SCORES[verdict],
        confidence=outcome.confidence,
        reasoning=clean_text(reasoning),
        tokens_used=None if one.usage is None else one.usage.total_n,
        cost=None if one.usage is None else prices.cost(one.usage),
        success=verdict is not None,
        weight=float(rubric["weight"]),
        rubric_index=index,
        axis=str(rubric.get("axis") or "") or None,
        domain=str(task.get("domain") or "") or None,
        model=None if outcome.model is None else clean_text(outcome.model),
        prompt_version=export.manifest.get("prompt_version"),
        chunk_n=one.part_n,
    )


def synthesis_requests(
    export: RubricExport, ready: Sequence[ReadySynthesis]
) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield the synthesis of each question whose parts are in, and whether it was shortened.

    What was found takes at most as many characters as a part of a report may have tokens, so that
    it fits wherever a part did.
    """
    settings = export.manifest["settings"]
    asking = Asking(settings["model"], settings["max_tokens"], settings["seed"])
    tasks = {str(task["sample_id"]): task for task in export.manifest["tasks"]}
    for one in ready:
        entry = one.entry
        task = tasks[entry.sample_id]
        question = Question(
            str(task["prompt"]), str(task["rubrics"][entry.rubric_index]["criterion"]),
            settings["scale"] == "ternary", entry.repeat,
        )  # fmt: skip
        found, shortened = found_in_parts(one.parts, settings["chunk_tokens"])
        messages = synthesis_messages(question, found)
        yield build_request(entry.custom_id, messages, question.verdicts, asking), shortened
