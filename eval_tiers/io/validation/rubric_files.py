"""Tasks with rubrics, as the reader of rubric judging finds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eval_tiers.io.graphs import sha256_of
from eval_tiers.io.rubric_tasks import read_tasks
from eval_tiers.io.validation.outcome import Figure, Outcome


def looks_like_rubric_tasks(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the first record is a task with rubrics."""
    return bool(records) and "rubrics" in records[0] and "prompt" in records[0]


def check_rubric_tasks(path: Path, name: str) -> Outcome:
    """Check a ``processed_data.jsonl``, without the reports.

    Raises
    ------
    MissingResourceError, BadInputError
        It can't be read, or holds nothing.
    """
    outcome = Outcome(name, "rubrics", "tasks with rubrics (processed_data.jsonl)", sha256_of(path))
    tasks, findings = read_tasks(path, strict=False)
    for finding in findings:
        outcome.add(finding)
    outcome.record_n = len(tasks)
    rubrics = [rubric for task in tasks for rubric in task.rubrics]
    penalty_n = sum(rubric.weight < 0 for rubric in rubrics)
    outcome.figures += [
        Figure("tasks", len(tasks)),
        Figure("rubrics", len(rubrics), f"{penalty_n:,} of them penalties"),
    ]
    outcome.next_step = f"rubrics validate {name} agent_responses"
    return outcome
