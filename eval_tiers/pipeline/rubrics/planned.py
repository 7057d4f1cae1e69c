"""The requests of a rubric export, real ones and controls, in an order that tells nothing.

Requests about one text stand together, so that an engine that keeps the beginning of prompts reads
it once; texts, and the requests about one, are in the order of keyed hashes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from eval_tiers.io.atomic import clean_text
from eval_tiers.pipeline.rescue.ids import custom_id_of
from eval_tiers.rubrics.asked import PART, SYNTHESIS, WHOLE, Entry
from eval_tiers.rubrics.chunks import split_report
from eval_tiers.rubrics.tasks import RubricTask
from eval_tiers.rubrics.tokens import Ruler


@dataclass(frozen=True, slots=True)
class Subject:
    """A report and the rubrics that it is judged by.

    Attributes
    ----------
    task : RubricTask
    rubrics : tuple of int
        Places of the rubrics.
    report : str
    control : int or None
        Number of the control; None of a real report.
    """

    task: RubricTask
    rubrics: tuple[int, ...]
    report: str
    control: int | None = None


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """A report, or a part of it, with the requests about it."""

    subject: Subject
    text: str
    part: int
    part_n: int
    entries: tuple[Entry, ...]


def plan_parts(
    subjects: Sequence[Subject], ruler: Ruler, repeats: int, id_key: str
) -> list[PlannedPart]:
    """Cut reports that are too long, and give every request its id."""
    placed: list[tuple[str, int, PlannedPart]] = []
    for subject in subjects:
        texts = split_report(subject.report, ruler)
        order = custom_id_of(id_key, "subject", *_key(subject, 0))
        for part, text in enumerate(texts, 1):
            entries = [
                _entry(subject, index, WHOLE if len(texts) == 1 else PART, part, len(texts),
                       repeat, id_key)
                for index in subject.rubrics
                for repeat in range(repeats)
            ]  # fmt: skip
            entries.sort(key=lambda entry: entry.custom_id)
            planned = PlannedPart(subject, text, part, len(texts), tuple(entries))
            placed.append((order, part, planned))
    placed.sort(key=lambda one: one[:2])
    return [planned for _, _, planned in placed]


def entries_of(
    parts: Sequence[PlannedPart], repeats: int, id_key: str
) -> list[tuple[int | None, Entry]]:
    """Return all requests, those of the synthesis round too, each with its control's number."""
    found: list[tuple[int | None, Entry]] = []
    for planned in parts:
        subject = planned.subject
        found += [(subject.control, entry) for entry in planned.entries]
        if planned.part_n > 1 and planned.part == 1:
            found += [
                (subject.control,
                 _entry(subject, index, SYNTHESIS, 0, planned.part_n, repeat, id_key))
                for index in subject.rubrics
                for repeat in range(repeats)
            ]  # fmt: skip
    found.sort(key=lambda one: one[1].custom_id)
    return found


def _entry(
    subject: Subject, index: int, role: str, part: int, part_n: int, repeat: int, id_key: str
) -> Entry:
    custom_id = custom_id_of(id_key, *_key(subject, index), role, part, repeat)
    return Entry(custom_id, subject.task.sample_id, index, role, part, part_n, repeat)


def _key(subject: Subject, index: int) -> tuple[object, ...]:
    """Return what tells a question from all others."""
    sample_id = clean_text(subject.task.sample_id)
    if subject.control is None:
        return "case", sample_id, index
    text = hashlib.sha256(subject.report.encode("utf-8", "surrogatepass")).hexdigest()
    return "control", subject.control, sample_id, index, text
