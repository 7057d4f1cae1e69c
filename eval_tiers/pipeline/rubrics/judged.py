"""What became of each question of a rubric export: parts, synthesis, repeats brought together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add

from eval_tiers.io.rubric_export import RubricExport
from eval_tiers.rescue.reply_rows import MISSING, ReplyRow
from eval_tiers.rescue.settling import Duplicates, Outcome, first_fault, majority
from eval_tiers.rubrics.asked import Entry, Judging, judgings_of
from eval_tiers.rubrics.replies import Usage, settle_rubric, usage_of

Rows = Mapping[str, Sequence[ReplyRow]]


@dataclass(frozen=True, slots=True)
class ReadySynthesis:
    """A synthesis whose parts are all in: what each of them said, in the order of the report."""

    entry: Entry
    parts: tuple[Outcome, ...]


@dataclass(slots=True)
class Judged:
    """What became of one question.

    Attributes
    ----------
    entries : list of Entry
        All its requests.
    outcome : Outcome
        The majority of its repeats.
    repeats : list of Outcome
    detail : str
        Which request has no verdict, where one of several has none; else "".
    usage : Usage or None
        Tokens of all its replies; None without one, or where a part of the verdict tells none.
    """

    entries: list[Entry]
    outcome: Outcome
    repeats: list[Outcome]
    detail: str = ""
    usage: Usage | None = None

    @property
    def part_n(self) -> int:
        """Parts that the report is judged in; 1: whole."""
        return self.entries[0].part_n


@dataclass(slots=True)
class JudgedExport:
    """What became of an export.

    Attributes
    ----------
    cases : dict of Judged
        By sample_id and rubric index.
    controls : list of Judged
        In the order of the key.
    outcomes : dict of Outcome
        By custom_id; of a synthesis that can't be asked yet too (missing).
    faults : dict of str
        Why a request is without a verdict that it needs, by custom_id: a synthesis whose parts
        aren't all in is not among them, nor a part whose synthesis has a verdict.
    ready : list of ReadySynthesis
        Of cases and controls, in the order of their ids.
    """

    cases: dict[tuple[str, int], Judged] = field(default_factory=dict)
    controls: list[Judged] = field(default_factory=list)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    ready: list[ReadySynthesis] = field(default_factory=list)


def judge_export(export: RubricExport, rows: Rows, duplicates: Duplicates) -> JudgedExport:
    """Settle all replies and bring them together by question."""
    ternary = export.manifest["settings"]["scale"] == "ternary"
    found = JudgedExport()
    by_case: dict[tuple[str, int], list[Entry]] = {}
    for entry in export.entries:
        by_case.setdefault((entry.sample_id, entry.rubric_index), []).append(entry)
    of_controls: list[list[Entry]] = [control["entries"] for control in export.controls]
    for entries in (*by_case.values(), *of_controls):
        for entry in entries:
            found.outcomes[entry.custom_id] = settle_rubric(
                rows.get(entry.custom_id, ()), ternary, duplicates
            )
    found.cases = {key: _judged(entries, found, rows) for key, entries in by_case.items()}
    found.controls = [_judged(entries, found, rows) for entries in of_controls if entries]
    found.ready.sort(key=lambda one: one.entry.custom_id)
    return found


def _judged(entries: list[Entry], found: JudgedExport, rows: Rows) -> Judged:
    judgings = judgings_of(entries)
    outcomes = []
    details = []
    for judging in judgings:
        outcome, detail = _outcome(judging, found)
        outcomes.append(outcome)
        if detail and outcome.verdict is None:
            details.append(detail)
    outcome = majority(outcomes)
    return Judged(
        entries, outcome, outcomes,
        details[0] if details and outcome.verdict is None else "",
        _usage(judgings, outcome, rows),
    )  # fmt: skip


def _outcome(judging: Judging, found: JudgedExport) -> tuple[Outcome, str]:
    """Return what became of one repeat; note its faults, and the synthesis that can be asked."""
    single = None if judging.single is None else found.outcomes[judging.single.custom_id]
    if not judging.parts:
        return _note(judging.single, single or Outcome(None, MISSING), found), ""
    parts = [found.outcomes[entry.custom_id] for entry in judging.parts]
    if (
        single is not None
        and judging.single is not None
        and (all(part.verdict is not None for part in parts))
    ):
        found.ready.append(ReadySynthesis(judging.single, tuple(parts)))
        return _note(judging.single, single, found), "the synthesis"
    if single is not None and single.verdict is not None:
        return single, ""  # its parts were in when it was asked
    without = []
    for entry, part in zip(judging.parts, parts, strict=True):
        if _note(entry, part, found).verdict is None:
            without.append(entry)
    fault = first_fault(found.outcomes[entry.custom_id].fault for entry in without)
    first = next(one for one in without if found.outcomes[one.custom_id].fault == fault)
    more = f" and {len(without) - 1} more" if len(without) > 1 else ""
    return Outcome(None, fault), f"part {first.part} of {first.part_n}{more}"


def _note(entry: Entry | None, outcome: Outcome, found: JudgedExport) -> Outcome:
    if entry is not None and outcome.verdict is None:
        found.faults[entry.custom_id] = outcome.fault or MISSING
    return outcome


def _usage(judgings: Iterable[Judging], outcome: Outcome, rows: Rows) -> Usage | None:
    usages = []
    for judging in judgings:
        for entry in (*judging.parts, judging.single):
            if entry is None:
                continue
            usage = usage_of(rows.get(entry.custom_id, ()))
            if usage is None and outcome.verdict is not None:
                usage = Usage(None, None, None)
            if usage is not None:
                usages.append(usage)
    return reduce(add, usages) if usages else None
