"""Whether an agent's trajectory holds the events that the task requires; no model is asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

EVENT_FIELDS: Final = ("event", "type", "name")
"""Members of a trajectory's records that name what happened."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """What a trajectory file holds of the events that a task asks about.

    Attributes
    ----------
    path : str
        Where it was read.
    record_n, unreadable_n : int
        Lines that are JSON objects, and others; a torn last line is one of these.
    first_lines : mapping
        Event to the first line that has it.
    fault : str or None
        Why the file can't be relied on: it is too large, no text, no regular file.
    """

    path: str
    record_n: int = 0
    unreadable_n: int = 0
    first_lines: Mapping[str, int] | None = None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Execution:
    """Whether execution is verified, and why not.

    Attributes
    ----------
    required, found, absent : tuple of str
        Events, in the order of the task.
    verified : bool
        Nothing is required, or all of it is there.
    reason : str
        In a sentence.
    trajectory : Trajectory or None
    """

    required: tuple[str, ...]
    found: tuple[str, ...]
    absent: tuple[str, ...]
    verified: bool
    reason: str
    trajectory: Trajectory | None = None


def events_of(record: Mapping[str, object], wanted: Collection[str]) -> set[str]:
    """Return the events among ``wanted`` that a record of a trajectory names.

    A record is a JSON object; it names an event where its member ``event``, ``type`` or ``name``
    is that text, exactly.

    Examples
    --------
    >>> events_of({"type": "tool", "name": "fit_model"}, {"fit_model", "plot"})
    {'fit_model'}
    """
    named = (record.get(field) for field in EVENT_FIELDS)
    return {name for name in named if isinstance(name, str) and name in wanted}


def verify_execution(required: Sequence[str], trajectory: Trajectory | None) -> Execution:
    """Return whether execution is verified.

    Examples
    --------
    >>> verify_execution([], None).verified, verify_execution(["fit"], None).verified
    (True, False)
    """
    lines = {} if trajectory is None else trajectory.first_lines or {}
    if trajectory is not None and trajectory.fault is not None:
        lines = {}
    found = tuple(event for event in required if event in lines)
    absent = tuple(event for event in required if event not in lines)
    if not required:
        reason = "the task requires no events"
    elif trajectory is None:
        reason = "the task requires events, and no trajectory was named"
    elif trajectory.fault is not None:
        reason = f"the trajectory can't be relied on: {trajectory.fault}"
    elif absent:
        reason = f"{len(absent)} of {len(required)} required events aren't in the trajectory"
    else:
        reason = f"the trajectory holds all {len(required)} required events"
    return Execution(tuple(required), found, absent, not absent, reason, trajectory)
