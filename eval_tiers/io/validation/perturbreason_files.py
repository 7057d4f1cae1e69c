"""PerturbReason gold: one file, or a folder of split folders, record by record as ``eval`` does."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

from eval_tiers.domain.findings import Finding
from eval_tiers.domain.labels import LABELS
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.formats.base import RecordFault
from eval_tiers.formats.perturbreason import GOLD_FIELDS, id_of, parse_gold
from eval_tiers.io.graphs import sha256_of
from eval_tiers.io.pairs import find_pairs, pert_type_of_name
from eval_tiers.io.rows import iter_rows, parse_row
from eval_tiers.io.validation.outcome import Figure, Outcome

_OF_THE_LAYOUT: Final = frozenset({"file-without-type", "two-files-of-a-type", "missing-file"})
_SUFFIXES: Final = tuple(
    suffix + packed for suffix in (".jsonl", ".ndjson", ".json") for packed in ("", ".gz", ".zst")
)


def has_split_folders(folder: Path) -> bool:
    """Whether a folder holds folders with JSON Lines files of chemical or genetic questions."""
    return any(pert_type_of_name(path.name) for path in split_files(folder))


def split_files(folder: Path) -> list[Path]:
    """Return the JSON Lines files in the folders of a folder, sorted."""
    return [
        path
        for split in sorted(folder.iterdir())
        if split.is_dir() and not split.name.startswith((".", "__"))
        for path in sorted(split.iterdir())
        if path.is_file()
        and not path.name.startswith(".")
        and path.name.casefold().endswith(_SUFFIXES)
    ]


def check_gold_folder(folder: Path, name: str) -> Outcome:
    """Check every gold file of a folder of split folders, and that the layout is whole.

    Raises
    ------
    MissingResourceError, BadInputError
        The folder or a file in it can't be read, or is none of the kind.
    """
    outcome = Outcome(name, "perturbreason", "PerturbReason gold: a folder of split folders")
    try:
        files = [pair.gold for pair in find_pairs(folder, folder)]
    except BadInputError as error:
        if not all(problem.code in _OF_THE_LAYOUT for problem in error.problems):
            raise
        files = split_files(folder)
        for problem in dict.fromkeys(error.problems):  # a folder is paired with itself
            outcome.add(Finding(problem.code, problem.message, problem.where, "error", problem.fix))
    label_n: Counter[str] = Counter()
    for path in files:
        row_n = _check_file(path, outcome, label_n)
        outcome.figures.append(Figure("", row_n, f"{path.parent.name}/{path.name}"))
    outcome.figures.insert(0, Figure("files", len(files)))
    _describe(outcome, label_n)
    outcome.next_step = f"eval --gt-dir {name} --pred-dir ..."
    return outcome


def check_gold_file(path: Path, name: str) -> Outcome:
    """Check one gold file.

    Raises
    ------
    MissingResourceError, BadInputError
        It can't be read, or holds nothing.
    """
    outcome = Outcome(name, "perturbreason", "PerturbReason gold: one file")
    label_n: Counter[str] = Counter()
    _check_file(path, outcome, label_n)
    outcome.sha256 = sha256_of(path)
    _describe(outcome, label_n)
    outcome.next_step = f"eval --gt-file {name} --pred-file ..."
    return outcome


def _check_file(path: Path, outcome: Outcome, label_n: Counter[str]) -> int:
    """Check the rows of a file: each as it is scored, and that no id comes twice."""
    row_n, line_of_id = 0, dict[str, int]()
    without_id: list[int] = []
    for line, raw in iter_rows(path, None):
        row_n += 1
        sample_id = None
        try:
            record = parse_row(raw, strict=True)
            sample_id = id_of(record)
            label_n[LABELS[parse_gold(record).label]] += 1
        except RecordFault as fault:
            where = SourceRef(str(path), line, fault.field, sample_id)
            outcome.add(Finding(fault.code, fault.message, where, "error", fault.fix))
            continue
        if sample_id is None:
            without_id.append(line)
            continue
        before = line_of_id.setdefault(sample_id, line)
        if before != line:
            where = SourceRef(str(path), line, None, sample_id)
            message = f"the id was given before, on line {before}"
            outcome.add(Finding("duplicate-id", message, where, "error", "keep one"))
    if row_n == 0:
        raise BadInputError(
            Problem("empty-file", "the gold file holds no rows", SourceRef(str(path)))
        )
    for line in without_id if line_of_id else ():
        where = SourceRef(str(path), line, GOLD_FIELDS["id"][0])
        outcome.add(Finding("no-id", "the row has no id, others of the file have", where, "error"))
    outcome.record_n += row_n
    return row_n


def _describe(outcome: Outcome, label_n: Counter[str]) -> None:
    outcome.figures.insert(0, Figure("records", outcome.record_n))
    labels = [Figure("", label_n[label], label) for label in LABELS]
    labels[0] = Figure("labels", labels[0].count, labels[0].words)
    outcome.figures += labels
