"""A grader's task: which files an agent has to hand in, and what they are held against."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

ReduceName = Literal["count", "mean", "sum", "min", "max"]
REDUCERS: Final[tuple[ReduceName, ...]] = ("count", "mean", "sum", "min", "max")
DEFAULT_REL: Final = 1e-6
DEFAULT_ABS: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a number may be from another: ``max(abs, rel * |reference|)``, inclusive."""

    rel: float = DEFAULT_REL
    abs: float = DEFAULT_ABS


@dataclass(frozen=True, slots=True)
class NumericColumn:
    """A column whose cells have to be finite numbers, near those of the reference table.

    Attributes
    ----------
    name : str
    integer : bool
        Whether they have to be whole numbers, and equal.
    rel, abs : float
        Tolerance of one that need not be whole; 0 for whole numbers.
    """

    name: str
    integer: bool = False
    rel: float = DEFAULT_REL
    abs: float = DEFAULT_ABS

    @property
    def tolerance(self) -> Tolerance:
        """How far the number may be off."""
        return Tolerance(self.rel, self.abs)


@dataclass(frozen=True, slots=True)
class Recomputation:
    """A rule by which a column follows from the grader's own files.

    Either ``table``: a file in the task folder with the key columns and the column; or ``source``:
    observations, a row each, which are grouped by ``group_by`` (as many columns as the key has, in
    its order) and reduced.

    Attributes
    ----------
    column : str
        Numeric column of the artifact.
    table : str or None
        Path in the task folder.
    source : str or None
        Path in the task folder; ``from`` in the file.
    group_by : tuple of str
        Columns of the observations.
    function : str or None
        count, mean, sum, min or max.
    value : str or None
        Column of the observations; needed but for ``count``, which without it counts rows, and with
        it those where it isn't blank.
    tolerance : Tolerance
        That of the column, where the rule gives none.
    """

    column: str
    table: str | None = None
    source: str | None = None
    group_by: tuple[str, ...] = ()
    function: ReduceName | None = None
    value: str | None = None
    tolerance: Tolerance = Tolerance()

    @property
    def path(self) -> str:
        """The file that is read."""
        return self.table or self.source or ""


@dataclass(frozen=True, slots=True)
class ArtifactSpec:
    """A file that has to be handed in.

    Attributes
    ----------
    path : str
        Relative, with ``/``; the reference table is ``reference/<path>``.
    header : tuple of str
        Columns, in order; empty for a text, of which only the structure is checked.
    key : tuple of str
        Columns that name a row.
    rows : int or None
        Rows that are asked for; None: as many as the reference has.
    numeric : tuple of NumericColumn
        In the order of the header.
    exact : tuple of str
        Text columns that have to be those of the reference.
    max_bytes : int
        Size limit.
    recompute : tuple of Recomputation
    """

    path: str
    header: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    rows: int | None = None
    numeric: tuple[NumericColumn, ...] = ()
    exact: tuple[str, ...] = ()
    max_bytes: int = 100_000_000
    recompute: tuple[Recomputation, ...] = ()

    @property
    def is_table(self) -> bool:
        """Whether rows and columns are checked."""
        return bool(self.header)

    @property
    def reference_path(self) -> str:
        """Where the task folder has the reference table."""
        return f"reference/{self.path}"


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes above which a submission is refused; a task can lower them, never raise them.

    Attributes
    ----------
    manifest_bytes, answer_bytes, file_bytes, total_bytes : int
        Bytes: of the manifest, of the answer, of each declared file, of all of these together.
    artifacts : int
        Entries of the manifest.
    """

    manifest_bytes: int = 1_000_000
    answer_bytes: int = 10_000_000
    file_bytes: int = 100_000_000
    total_bytes: int = 500_000_000
    artifacts: int = 100


@dataclass(frozen=True, slots=True)
class EvalTask:
    """A task, as `eval_tiers.submissions.task_file.parse_task` reads it.

    Attributes
    ----------
    task_id : str
    artifacts : tuple of ArtifactSpec
    conclusions : tuple of str
        What a right answer concludes; at least one.
    caveats : tuple of str
        What it warns of.
    leak_markers : tuple of str
        Words that only somebody who saw the source of the task would write.
    required_events : tuple of str
        What the trajectory has to hold.
    limits : Limits
    question : str or None
        What the agent was asked, for the judge to read.
    """

    task_id: str
    artifacts: tuple[ArtifactSpec, ...]
    conclusions: tuple[str, ...]
    caveats: tuple[str, ...] = ()
    leak_markers: tuple[str, ...] = ()
    required_events: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    question: str | None = None
