"""People's verdicts on the same rubrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eval_tiers.formats.base import RecordFault
from eval_tiers.rubrics.results import SCORES, ResultRow, one_of, parse_identity, verdict_named
from eval_tiers.rubrics.row_fields import number_of


def parse_label(record: Mapping[str, Any]) -> ResultRow:
    """Parse a person's verdict: sample_id, rubric_title or rubric_index, verdict.

    A verdict may be in any case; a blank one is none (``success`` is False). The score may be
    missing, but not another verdict's.

    Raises
    ------
    RecordFault

    Examples
    --------
    >>> parse_label({"sample_id": "r1", "rubric_index": 2, "verdict": "not satisfied"}).score
    0.0
    """
    sample_id, title, index = parse_identity(record, title_needed=False)
    said = record.get("verdict")
    if said is not None and not isinstance(said, str):
        raise RecordFault("unknown-verdict", f"the verdict is {said!r:.40}", "verdict", one_of())
    verdict = verdict_named(said or "")
    if verdict is None and said and said.strip():
        message = f"the verdict {str(said)[:40]!r} is unknown"
        raise RecordFault("unknown-verdict", message, "verdict", one_of())
    score = None if verdict is None else SCORES[verdict]
    stated = None if verdict is None else number_of(record, "score")
    if stated is not None and stated != score:
        message = f"the verdict is {verdict}, the score {stated} instead of {score}"
        raise RecordFault("score-not-of-verdict", message, "score", "correct the row")
    given = record.get("success") is not False and verdict is not None
    return ResultRow(
        sample_id, title, verdict or "", score, None, "", None, None, given, None, index
    )
