"""The sheet on which people judge a random sample of the exported cases."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from eval_tiers.exceptions import Problem, SourceRef, UsageError
from eval_tiers.io.atomic import atomic_writer
from eval_tiers.io.rescue_files import ExportFiles, find_indexes, read_export
from eval_tiers.io.rescue_run import RescueRun, find_run
from eval_tiers.io.samples_csv import formula_safe
from eval_tiers.pipeline.rescue.cases import build_cases
from eval_tiers.pipeline.rescue.ids import custom_id_of
from eval_tiers.pipeline.rescue.sources import Overrides
from eval_tiers.rescue.cases import Case, SampleKey, Step
from eval_tiers.rescue.registry import known_kinds
from eval_tiers.rescue.steps import format_step

LABEL_ID: Final = "label_id"
RATERS: Final = ("rater_1", "rater_2")
SETTLED: Final = "settled"
SHEET_COLUMNS: Final = (
    LABEL_ID, "kind", "inclusion_probability", "question", "gold_answer", "model_answer",
    "model_chain", "gold_chain", "evidence", "model_text", "verdicts", *RATERS, SETTLED, "note",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SheetOptions:
    """What a sheet is to hold.

    Attributes
    ----------
    number : int
        Cases to draw, at most all.
    output : Path or None
        The sheet; ``rescue/rescue_labels_<timestamp>.csv`` in the run's folder by default.
    kind : str
        Kind of question.
    index : Path or None
        Index of the export; found in the run's folder by default.
    seed : int
    force : bool
        Whether a sheet of that name, which may be filled in, may be replaced.
    """

    number: int = 100
    output: Path | None = None
    kind: str = "wrong_correct_chain"
    index: Path | None = None
    seed: int = 0
    force: bool = False


@dataclass(frozen=True, slots=True)
class WrittenSheet:
    """A sheet: where, how many cases, out of how many, the words to fill in."""

    path: Path
    drawn_n: int
    population_n: int
    verdicts: tuple[str, ...]


def write_sheet(samples_csv: Path, options: SheetOptions) -> WrittenSheet:
    """Draw a sheet of cases of one kind: each as likely, in random order, without any verdict.

    Raises
    ------
    UsageError
        No such kind, no case of it, or there is a sheet of that name.
    BadInputError, MissingResourceError
        As `eval_tiers.pipeline.rescue.cases.build_cases`; the run has no export.
    """
    run = find_run(samples_csv)
    if options.kind not in known_kinds():
        fix = f"one of: {', '.join(known_kinds())}"
        raise UsageError(Problem("unknown-kind", f"there is no kind {options.kind!r}", fix=fix))
    export = read_export(options.index or first_index(run))
    path = options.output or run.rescue_folder / f"rescue_labels_{run.timestamp}.csv"
    if path.exists() and not options.force:
        message = "there is a sheet of that name, maybe filled in"
        fix = "name another file with -o, or replace it with --force"
        raise UsageError(Problem("output-exists", message, SourceRef(str(path)), fix))
    exported = {row.key for row in export.index if row.kind == options.kind}
    found = build_cases(run, Overrides(), seed=options.seed, kinds={options.kind})
    cases = [case for case in found.cases if case.key in exported]
    if not cases:
        message = f"the export has no case of the kind {options.kind}"
        raise UsageError(Problem("no-such-case", message, SourceRef(str(export.index_path))))
    draw = random.Random(f"{options.seed} labels {options.kind}")
    drawn = draw.sample(cases, min(options.number, len(cases)))
    share = len(drawn) / len(cases)
    verdicts = known_kinds()[options.kind].verdicts(run.benchmark, run.labels)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(SHEET_COLUMNS)
    for case in drawn:
        writer.writerow(map(formula_safe, _row(case, export, share, verdicts)))
    with atomic_writer(path) as handle:
        handle.write(text.getvalue().encode("utf-8", "backslashreplace"))
    return WrittenSheet(path, len(drawn), len(cases), verdicts)


def first_index(run: RescueRun) -> Path:
    """Return the index of the export in the run's folder."""
    from eval_tiers.exceptions import MissingResourceError

    found = next(find_indexes([run.rescue_folder, run.folder], run.timestamp), None)
    if found is None:
        raise MissingResourceError(
            Problem(
                "no-export",
                "there is no export of this run",
                SourceRef(str(run.rescue_folder)),
                "export-rescue first, or name the export's index with --index",
            )
        )
    return found


def label_id_of(export: ExportFiles, key: SampleKey, kind: str) -> str:
    """Return the opaque id of a case on a sheet."""
    return "l-" + custom_id_of(str(export.manifest["id_key"]), "label", key, kind)[2:]


def _row(case: Case, export: ExportFiles, share: float, verdicts: Sequence[str]) -> list[str]:
    return [
        label_id_of(export, case.key, case.kind), case.kind, f"{share:.6g}", case.question,
        case.gold_answer, case.predicted_answer or "", _chain(case.chain), _chain(case.gold_chain),
        "\n".join(case.evidence), case.text, " | ".join(verdicts), "", "", "", "",
    ]  # fmt: skip


def _chain(steps: Sequence[Step]) -> str:
    return "\n".join(format_step(step, number) for number, step in enumerate(steps, 1))
