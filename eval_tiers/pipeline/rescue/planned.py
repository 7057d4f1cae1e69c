"""The requests of an export, real ones and controls, in one order that tells nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from eval_tiers.pipeline.rescue.ids import custom_id_of
from eval_tiers.rescue.cases import Case
from eval_tiers.rescue.golds import Control


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """One request to be made."""

    custom_id: str
    case: Case
    repeat: int
    control: Control | None = None
    number: int = 0


def plan_requests(
    cases: Sequence[Case], controls: Sequence[Control], repeats: int, id_key: str
) -> list[PlannedRequest]:
    """Return all requests in the order of their ids: shuffled, controls among them."""
    planned = [
        PlannedRequest(custom_id_of(id_key, "sample", case.key, repeat), case, repeat)
        for case in cases
        for repeat in range(repeats)
    ]
    seen: Counter[str] = Counter()
    for number, control in enumerate(controls):
        case = control.case
        chain = [(step.source, step.sign, step.target) for step in case.chain]
        what = (control.truth, case.kind, case.key, case.predicted_answer, chain)
        seen[repr(what)] += 1
        planned += [
            PlannedRequest(
                custom_id_of(id_key, "control", what, seen[repr(what)], repeat),
                case, repeat, control, number,
            )
            for repeat in range(repeats)
        ]  # fmt: skip
    return sorted(planned, key=lambda one: one.custom_id)
