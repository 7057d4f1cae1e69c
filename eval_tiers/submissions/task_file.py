"""The tables of ``eval_task.toml`` as a task, with all that is wrong with them at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, SourceRef
from eval_tiers.submissions.artifact_table import parse_artifact
from eval_tiers.submissions.inspection import ANSWER_PATH, MANIFEST_PATH
from eval_tiers.submissions.leaks import check_markers
from eval_tiers.submissions.paths import folded_path
from eval_tiers.submissions.task import ArtifactSpec, EvalTask, Limits
from eval_tiers.submissions.toml_tables import Faults, Table

_TOP: Final = (
    "id", "question", "leak_markers", "artifact", "conclusion", "caveat", "execution", "limits",
)  # fmt: skip


def parse_task(table: Mapping[str, object], ref: SourceRef) -> tuple[EvalTask, list[Finding]]:
    """Return a task out of the tables of its file, and what is odd about it.

    ::

        id = "toy-liver"                     # needed
        question = "What rises in liver?"    # for the judge to read
        leak_markers = ["GSE00000"]
        [[artifact]]
        path = "results.csv"                 # needed; reference/results.csv is its reference
        header = ["gene", "n", "log2fc", "trend"]    # needed of a .csv
        key = ["gene"]                       # needed with header
        rows = 3                             # as many as the reference has
        exact = ["trend"]                    # text columns that must be the reference's
        max_bytes = 100000                   # the limit of a file
        [artifact.numeric.n]
        integer = true                       # whole and equal
        [artifact.numeric.log2fc]
        rel = 1e-6
        abs = 1e-9                           # the defaults
        [[artifact.recompute]]               # grouped observations ...
        column = "log2fc"
        from = "observations/counts.csv"
        group_by = ["gene"]                  # parallel to key; key itself where it is left out
        function = "mean"                    # count, mean, sum, min, max
        value = "log2fc"                     # not needed for count
        rel = 1e-3                           # those of the column where left out
        [[artifact.recompute]]               # ... or a table with key and column
        column = "n"
        table = "reference/n.csv"
        [[conclusion]]                       # at least one
        text = "Angptl4 rises."
        [[caveat]]
        text = "Three animals only."
        [execution]
        required_events = ["fit_model"]
        [limits]                             # lower than the defaults, in bytes
        file_bytes = 1000000                 # manifest_bytes, answer_bytes, total_bytes, artifacts

    Parameters
    ----------
    table : mapping
        What a TOML reader gave.
    ref : SourceRef
        The file, for messages.

    Raises
    ------
    BadInputError
        Up to 20 problems: a key that is unknown, missing or of another type; no conclusion; one
        twice; an unsafe or repeated path; a key or numeric column that the header lacks; a negative
        tolerance; a limit above the default.
    """
    faults = Faults(ref)
    top = Table(table, "", faults)
    top.check_names(_TOP)
    limits = _limits(top.table("limits"), faults)
    execution = top.table("execution")
    execution.check_names(("required_events",))
    task = EvalTask(
        task_id=top.text("id", needed=True).strip(),
        artifacts=_artifacts(top, limits, faults),
        conclusions=_statements(top, "conclusion", faults),
        caveats=_statements(top, "caveat", faults),
        leak_markers=top.texts("leak_markers"),
        required_events=execution.texts("required_events"),
        limits=limits,
        question=top.text("question") or None,
    )
    if not task.conclusions and not faults.about("conclusion"):
        faults.add("no-conclusion", "there is no conclusion", "conclusion",
                   "add [[conclusion]] with a text")  # fmt: skip
    if faults.problems:
        raise BadInputError(faults.problems, faults.total)
    return task, _findings(task, ref)


def _artifacts(top: Table, limits: Limits, faults: Faults) -> tuple[ArtifactSpec, ...]:
    specs = [parse_artifact(table, limits, faults) for table in top.tables("artifact")]
    seen: dict[str, str] = {ANSWER_PATH: ANSWER_PATH, MANIFEST_PATH: MANIFEST_PATH}
    for number, spec in enumerate(specs):
        place = f"artifact[{number + 1}].path"
        other = seen.setdefault(folded_path(spec.path), place)
        if other in {ANSWER_PATH, MANIFEST_PATH}:
            faults.add("reserved-path", f"{other} is handed in anyway", place, "leave it out")
        elif other != place and spec.path:
            faults.add("repeated-path", f"'{spec.path}' is the path of two artifacts", place,
                       "paths have to differ by more than case or Unicode form")  # fmt: skip
    if len(specs) > limits.artifacts:
        faults.add("too-many-artifacts", f"there are {len(specs):,} artifacts, more than the limit "
                   f"of {limits.artifacts}", "artifact", "ask for fewer files")  # fmt: skip
    return tuple(specs)


def _statements(top: Table, name: str, faults: Faults) -> tuple[str, ...]:
    found: list[str] = []
    for table in top.tables(name):
        table.check_names(("text",))
        text = table.text("text", needed=True).strip()
        if text and text in found:
            faults.add("repeated-statement", f"the text is that of another {name}",
                       f"{table.place}.text", "a judge could not tell them apart")  # fmt: skip
        found.append(text)
    return tuple(found)


def _limits(table: Table, faults: Faults) -> Limits:
    names = tuple(item.name for item in fields(Limits))
    table.check_names(names)
    limits = Limits()
    for name in names:
        default = getattr(limits, name)
        value = table.whole(name, least=1)
        if value is None:
            continue
        if value > default:
            faults.add("limit-too-high", f"{value:,} is above the limit of {default:,}",
                       f"limits.{name}", "a task can only lower it")  # fmt: skip
        limits = replace(limits, **{name: min(value, default)})
    return limits


def _findings(task: EvalTask, ref: SourceRef) -> list[Finding]:
    found = []
    if not task.artifacts:
        place = SourceRef(ref.path, field="artifact")
        told = "no artifact is asked for: nothing but the answer is checked"
        found.append(Finding("no-artifact", told, place, fix="add [[artifact]]"))
    for number, spec in enumerate(task.artifacts, 1):
        compared = {*spec.key, *spec.exact, *(column.name for column in spec.numeric)}
        left = [name for name in spec.header if name not in compared]
        if left:
            place = SourceRef(ref.path, field=f"artifact[{number}].header")
            told = f"{', '.join(left)}: neither key, numeric nor exact, so not compared"
            fix = "name the column in 'exact' or 'numeric' if it has to be right"
            found.append(Finding("column-not-compared", told, place, "note", fix))
    overlap = sorted({text for text in task.caveats if text in task.conclusions})
    for text in overlap:
        place = SourceRef(ref.path, field="caveat")
        told = f"a caveat is a conclusion too: '{text[:80]}'"
        found.append(Finding("statement-twice", told, place, fix="keep one of them"))
    found += check_markers(task.leak_markers, SourceRef(ref.path, field="leak_markers"))
    return found
