"""Conditions on a difference between two runs, for continuous integration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from eval_tiers.exceptions import Problem, UsageError

_GATE: Final = re.compile(
    r"\s*([A-Za-z_][A-Za-z0-9_]*)\s+([+-])\s*(\d+(?:\.\d*)?|\.\d+)\s*", re.ASCII
)
_MINUS: Final = "\u2212"  # as word processors write it
_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Gate:
    """How far a measure may fall (``accuracy -0.01``) or rise (``parse_failure_rate +0.02``).

    Attributes
    ----------
    measure : str
    bound : float
        The difference, second run minus first, that still passes.
    falling : bool
        The measure must not fall by more; else it must not rise by more.
    text : str
        As it was written.
    """

    measure: str
    bound: float
    falling: bool
    text: str


def parse_gate(text: str) -> Gate:
    """Read a gate: the name of a measure, a sign, a number.

    Raises
    ------
    UsageError

    Examples
    --------
    >>> parse_gate("accuracy -0.01")
    Gate(measure='accuracy', bound=-0.01, falling=True, text='accuracy -0.01')
    >>> parse_gate("parse_failure_rate +0").falling
    False
    """
    found = _GATE.fullmatch(text.replace(_MINUS, "-"))
    if found is None:
        raise UsageError(
            Problem(
                "bad-gate",
                f"this is no gate: {text[:80]!r}",
                fix='write a measure and how far it may fall or rise: --gate "accuracy -0.01", '
                '--gate "parse_failure_rate +0.02"',
            )
        )
    name, sign, size = found.groups()
    if float(size) > 1:
        raise UsageError(
            Problem(
                "bad-gate",
                f"no measure can differ by more than 1: {' '.join(text.split())[:80]!r}",
                fix='write points of per cent as a share: "accuracy -0.05" for 5 points',
            )
        )
    bound = -float(size) if sign == "-" else float(size)
    return Gate(name, bound, sign == "-", " ".join(text.split()))


def check_gate(gate: Gate, measures: Mapping[str, Any], by_interval: bool) -> dict[str, Any]:
    """Hold a gate against the measures of a comparison.

    Parameters
    ----------
    gate : Gate
    measures : mapping
        As `eval_tiers.summaries.comparison.compare_rows` gives them.
    by_interval : bool
        The far end of the interval has to keep within the bound, not the difference alone.

    Returns
    -------
    dict
        ``gate``, ``value`` (what was held against the bound), ``passed``, and ``reason`` where the
        value is undefined; an undefined value doesn't pass.

    Raises
    ------
    UsageError
        There is no such measure.
    """
    found = measures.get(gate.measure)
    if found is None:
        raise UsageError(
            Problem(
                "unknown-measure",
                f"these runs have no measure '{gate.measure}'",
                fix=f"one of: {', '.join(measures)}",
            )
        )
    end = "difference_low" if gate.falling else "difference_high"
    value = found[end if by_interval else "difference"]
    if value is None:
        return {"gate": gate.text, "value": None, "passed": False, "reason": found["null_reason"]}
    beyond = gate.bound - value if gate.falling else value - gate.bound
    return {"gate": gate.text, "value": value, "passed": beyond <= _ROUNDING, "reason": None}
