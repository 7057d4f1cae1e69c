"""Rows of judged rubrics, as they are published and with the fields added here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.formats.base import RecordFault
from eval_tiers.rubrics.row_fields import (
    NumbersBeside,
    count_of,
    number_of,
    sample_id_of,
    text_of,
)
from eval_tiers.rubrics.tasks import MAX_WEIGHT, MIN_WEIGHT

SATISFIED: Final = "Satisfied"
NOT_SATISFIED: Final = "Not Satisfied"
PARTIALLY: Final = "Partially Satisfied"
SCORES: Final[Mapping[str, float]] = {SATISFIED: 1.0, PARTIALLY: 0.5, NOT_SATISFIED: 0.0}
"""What each verdict scores; the three-valued one only where it is asked for."""

FILE_STEM: Final = "batch_evaluation"
FILE_NAME: Final = re.compile(r"batch_evaluation_\d{8}_\d{6}.*\.jsonl(?:\.gz|\.zst)?")
PUBLISHED: Final = (
    "sample_id", "rubric_title", "verdict", "score", "confidence", "reasoning", "tokens_used",
    "cost", "success", "weight",
)  # fmt: skip
ADDED: Final = ("rubric_index", "axis", "domain", "model", "prompt_version", "chunk_n")


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One judged rubric of one report.

    Attributes
    ----------
    sample_id, rubric_title : str
        The title is the criterion.
    verdict : str
        One of `SCORES`; anything where ``success`` is False.
    score : float or None
        None only where ``success`` is False.
    confidence : float or None
        From 0 to 1.
    reasoning : str
    tokens_used : int or None
    cost : float or None
        In USD.
    success : bool
        Whether the examiner gave a verdict.
    weight : float or None
        None where the row has none.
    rubric_index : int or None
        Place of the rubric in its task, from 0.
    axis, domain, model, prompt_version : str or None
    chunk_n : int or None
        Parts that the report was judged in.
    """

    sample_id: str
    rubric_title: str
    verdict: str
    score: float | None
    confidence: float | None
    reasoning: str
    tokens_used: int | None
    cost: float | None
    success: bool
    weight: float | None
    rubric_index: int | None = None
    axis: str | None = None
    domain: str | None = None
    model: str | None = None
    prompt_version: str | None = None
    chunk_n: int | None = None


@dataclass(frozen=True, slots=True)
class GivenRow:
    """A row as it was given.

    Attributes
    ----------
    row : ResultRow
        Of a rejected row, what could be read of it.
    where : SourceRef
    digest : bytes
        Equal for rows of the same content.
    fault : RecordFault or None
        Why it is rejected.
    """

    row: ResultRow
    where: SourceRef
    digest: bytes
    fault: RecordFault | None = None


def verdict_named(said: str) -> str | None:
    """Return the verdict that a text is, in any case and with any blanks; None where it is none.

    Examples
    --------
    >>> verdict_named("NOT  satisfied"), verdict_named("Satisfied.")
    ('Not Satisfied', None)
    """
    word = " ".join(said.split()).casefold()
    return next((verdict for verdict in SCORES if verdict.casefold() == word), None)


def row_record(row: ResultRow) -> dict[str, Any]:
    """Return a row as its JSON object: the published fields first, then those that are known."""
    record = {name: getattr(row, name) for name in PUBLISHED}
    record |= {name: getattr(row, name) for name in ADDED if getattr(row, name) is not None}
    return record


def parse_identity(
    record: Mapping[str, Any], title_needed: bool = True
) -> tuple[str, str, int | None]:
    """Return whose verdict a row is: sample_id, rubric_title, rubric_index (None without one).

    A title that isn't needed, since there is an index, is "" where it is missing.

    Raises
    ------
    RecordFault
        One of the first two is missing, or one of them is of the wrong kind.
    """
    sample_id = sample_id_of(record, "row")
    title, index = record.get("rubric_title"), count_of(record, "rubric_index")
    if not isinstance(title, str) or not title.strip():
        if title_needed or index is None:
            message = "the row has no rubric_title, or it is no text"
            raise RecordFault("no-rubric-title", message, "rubric_title", "name the criterion")
        title = ""
    return sample_id, title, index


def parse_result(
    record: Mapping[str, Any], ref: SourceRef = SourceRef()
) -> tuple[ResultRow, list[Finding]]:
    """Parse one row.

    Whether verdict and score fit together is another question: see `verdict_score`.

    Returns
    -------
    row : ResultRow
    findings : list of Finding
        Numbers beside the verdict that can't be used, and are taken as unknown: confidence,
        tokens, cost, weight, number of chunks.

    Raises
    ------
    RecordFault
        What the verdict rests on is missing or of the wrong kind, such as ``success`` in quotes.

    Examples
    --------
    >>> row, _ = parse_result({"sample_id": "r1", "rubric_title": "Names OSD-47",
    ...     "verdict": "Satisfied", "score": 1, "confidence": 0.9, "reasoning": "it does",
    ...     "tokens_used": 100, "cost": 0.001, "success": True, "weight": 5})
    >>> row.score, row.rubric_index
    (1.0, None)
    """
    sample_id, title, index = parse_identity(record)
    success = record.get("success")
    if not isinstance(success, bool):
        message = "success is missing" if success is None else f"success is {success!r:.40}"
        fix = "write true or false, without quotes"
        raise RecordFault("bad-success", f"{message}: not true or false", "success", fix)
    verdict, reasoning = record.get("verdict"), record.get("reasoning")
    if success and not isinstance(verdict, str):
        raise RecordFault("unknown-verdict", "the row has no verdict", "verdict", one_of())
    score = number_of(record, "score") if success else None
    if success and score is None:
        raise RecordFault("no-score", "the row has no score", "score")
    findings: list[Finding] = []
    ref = replace(ref, sample=sample_id)
    beside = NumbersBeside(record, ref, findings)
    row = ResultRow(
        sample_id,
        title,
        (verdict_named(verdict) or verdict) if isinstance(verdict, str) else "",
        score,
        beside.number("confidence", 0, 1),
        reasoning if isinstance(reasoning, str) else "",
        beside.count("tokens_used"),
        beside.number("cost", 0),
        success,
        beside.number("weight", -MAX_WEIGHT, MAX_WEIGHT, MIN_WEIGHT),
        index,
        text_of(record, "axis"),
        text_of(record, "domain"),
        text_of(record, "model"),
        text_of(record, "prompt_version"),
        beside.count("chunk_n"),
    )
    return row, findings


def verdict_score(row: ResultRow, ternary: bool = False, binarize: bool = False) -> float:
    """Return what a row's verdict scores; its own score has to be the same.

    Parameters
    ----------
    row : ResultRow
        With ``success``.
    ternary : bool
        Whether `PARTIALLY` is a verdict that scores .5.
    binarize : bool
        Whether `PARTIALLY` is a verdict that scores as `NOT_SATISFIED`; its row may hold .5 or 0.

    Raises
    ------
    RecordFault
        The verdict is unknown, or the score is another's.
    """
    if row.verdict not in SCORES:
        message = f"the verdict {row.verdict[:40]!r} is unknown"
        raise RecordFault("unknown-verdict", message, "verdict", one_of())
    expected = SCORES[row.verdict]
    if row.verdict == PARTIALLY:
        if not (ternary or binarize):
            message = f"the verdict {PARTIALLY!r} belongs to the three-valued scale"
            fix = "score with --scale ternary, or with --binarize to take it for Not Satisfied"
            raise RecordFault("verdict-not-in-scale", message, "verdict", fix)
        if binarize:
            if row.score in (expected, SCORES[NOT_SATISFIED]):
                return SCORES[NOT_SATISFIED]
            expected = SCORES[NOT_SATISFIED]
    if row.score != expected:
        message = f"the verdict is {row.verdict}, the score {row.score} instead of {expected}"
        fix = "judge the rubric again, or correct the row"
        raise RecordFault("score-not-of-verdict", message, "score", fix)
    return expected


def one_of() -> str:
    """Return the advice to write one of the verdicts."""
    return "write one of: " + ", ".join(SCORES)
