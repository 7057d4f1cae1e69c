"""Every error that eval_tiers raises on purpose, and where in the input it arose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAX_PROBLEMS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class SourceRef:
    """A place in an input: file, physical line (from 1), field, sample.

    Every part may be None (unknown); ``str()`` gives the parts that are known.

    Examples
    --------
    >>> str(SourceRef("gt/chemical.jsonl", 143, "answer", "PQ-00142"))
    "gt/chemical.jsonl:143, field 'answer', sample 'PQ-00142'"
    """

    path: str | None = None
    line: int | None = None
    field: str | None = None
    sample: str | None = None

    def __str__(self) -> str:
        parts = []
        if self.path is not None:
            parts.append(self.path if self.line is None else f"{self.path}:{self.line}")
        elif self.line is not None:
            parts.append(f"line {self.line}")
        if self.field is not None:
            parts.append(f"field '{self.field}'")
        if self.sample is not None:
            parts.append(f"sample '{self.sample}'")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault found in an input.

    Attributes
    ----------
    code : str
        Stable, kebab-case name of the kind of fault.
    message : str
        What is wrong, with the offending value.
    where : SourceRef
        Where it is.
    fix : str or None
        What the user can do about it.
    """

    code: str
    message: str
    where: SourceRef = SourceRef()
    fix: str | None = None

    def render(self, prefix: str = "Error: ") -> str:
        """Return the problem as the lines that a terminal shows."""
        lines = [f"{prefix}[{self.code}] {self.message}"]
        where = str(self.where)
        if where:
            lines.append(f"  where: {where}")
        if self.fix:
            lines.append(f"  fix:   {self.fix}")
        return "\n".join(lines)


class EvalTiersError(Exception):
    """Base of all errors raised on purpose; carries one or more problems.

    Parameters
    ----------
    problems : Problem or sequence of Problem
        What was found, in input order. Up to 20 are shown.
    total : int, optional
        How many there are in all, when more were counted than are listed.
    """

    exit_code = 70

    def __init__(self, problems: Problem | Sequence[Problem], total: int | None = None) -> None:
        self.problems: tuple[Problem, ...] = (
            (problems,) if isinstance(problems, Problem) else tuple(problems)
        )
        self.total = len(self.problems) if total is None else total
        super().__init__(self.render())

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.problems, self.total))

    def render(self) -> str:
        """Return all problems as terminal text, with a count of those not shown."""
        shown = self.problems[:MAX_PROBLEMS_SHOWN]
        text = "\n".join(problem.render() for problem in shown)
        hidden = self.total - len(shown)
        if hidden > 0:
            text += f"\n... and {hidden} more of the kind"
        return text


class UsageError(EvalTiersError):
    """The options or arguments don't fit together (exit code 2)."""

    exit_code = 2


class BadInputError(EvalTiersError):
    """An input file can't be read as what it should be (exit code 3)."""

    exit_code = 3


class MissingResourceError(EvalTiersError):
    """A file, an optional dependency or a program is missing (exit code 4)."""

    exit_code = 4


class RepliesError(EvalTiersError):
    """Replies don't fit the export they are merged into (exit code 5)."""

    exit_code = 5


class InfrastructureError(EvalTiersError):
    """An engine or scheduler failed, so that no verdict could be had (exit code 6)."""

    exit_code = 6
