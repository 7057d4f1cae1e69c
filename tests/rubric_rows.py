"""Tasks and judged rows for tests of rubric judging."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eval_tiers.exceptions import SourceRef
from eval_tiers.rubrics.results import (
    NOT_SATISFIED,
    PARTIALLY,
    SATISFIED,
    SCORES,
    GivenRow,
    parse_result,
)

Record = dict[str, Any]
VERDICTS = {"S": SATISFIED, "N": NOT_SATISFIED, "P": PARTIALLY}


def task(sample_id: str, weights: Sequence[float], /, **changes: Any) -> Record:
    """A task with rubrics of these weights, called c0, c1, ..."""
    return {
        "prompt": f"Report on {sample_id}.",
        "sample_id": sample_id,
        "domain": "Biology",
        "conceptual_breadth": "Simple",
        "logical_nesting": "Intermediate",
        "exploration": "High",
        "rubrics": [
            {
                "criterion": f"c{i}",
                "weight": weight,
                "axis": "Penalty" if weight < 0 else "Evidence",
            }
            for i, weight in enumerate(weights)
        ],
        **changes,
    }


def row(
    sample_id: str, index: int | None, letter: str, weight: float | None = 1, /, **changes: Any
) -> Record:
    """A row of the published shape with rubric_index; letter: S, N, P, or F for success false."""
    verdict = VERDICTS.get(letter, "Error")
    record = {
        "sample_id": sample_id,
        "rubric_title": f"c{index}",
        "verdict": verdict,
        "score": SCORES.get(verdict, 0.0),
        "confidence": 0.9,
        "reasoning": f"because {sample_id} {index}",
        "tokens_used": 100,
        "cost": 0.001,
        "success": letter != "F",
        "weight": weight,
        "rubric_index": index,
        **changes,
    }
    return {key: value for key, value in record.items() if value is not None}


def rows(sample_id: str, letters: str, weights: Sequence[float]) -> list[Record]:
    """A row for each rubric of a sample."""
    return [
        row(sample_id, i, letter, weight)
        for i, (letter, weight) in enumerate(zip(letters, weights, strict=True))
    ]


def given(record: Record, line: int = 1, path: str = "batch.jsonl") -> GivenRow:
    """A row as a reader hands it on."""
    where = SourceRef(path, line)
    return GivenRow(parse_result(record, where)[0], where, repr(sorted(record.items())).encode())
