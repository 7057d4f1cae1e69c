"""Results of judged rubrics for comparing and viewing: scored folders, or rows to score here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.atomic import clean_text, render_json
from eval_tiers.io.rubric_results import find_result_files
from eval_tiers.io.rubric_scores import read_pairs
from eval_tiers.pipeline.rubrics.report import is_rubric_folder, read_scores
from eval_tiers.pipeline.rubrics.score import ScoreOptions, score_results
from eval_tiers.rubrics.results import FILE_NAME, FILE_STEM, PARTIALLY
from eval_tiers.rubrics.scored_rows import ScoredRow, pair_record, parse_pair
from eval_tiers.rubrics.scores import POLICIES
from eval_tiers.summaries.rubrics import DIMENSIONS

_SCALES: Final = ("binary", "ternary", "binarized")


@dataclass(frozen=True, slots=True)
class ScoredResults:
    """A system's judged rubrics.

    Attributes
    ----------
    path : Path
        As it was named.
    is_scored : bool
        Whether it is a folder that scoring wrote; else it holds rows that are scored here.
    summary : mapping
        As `score_results` gives it.
    rows : list of ScoredRow
        All expected pairs of sample and rubric.
    """

    path: Path
    is_scored: bool
    summary: Mapping[str, Any]
    rows: list[ScoredRow]

    @property
    def scale(self) -> str | None:
        """Whether partial satisfaction has a score; None where rows don't tell."""
        if self.is_scored:
            return str(self.summary["scale"])
        return "ternary" if any(row.verdict == PARTIALLY for row in self.rows) else None

    @property
    def data_sha256(self) -> list[str]:
        """What tells the data that the scores rest on; empty where there is none."""
        return sorted(one["sha256"] for one in self.summary["inputs"] if one["role"] == "data")

    def said(self, name: str) -> list[str]:
        """Return what rows with a verdict hold of a field: model, prompt_version."""
        values = {getattr(row, name) for row in self.rows if row.score is not None}
        return sorted(value for value in values if value)

    def spread(self, name: str) -> Mapping[str, str | None]:
        """Return a field of the samples, such as domain, by id."""
        return {one["sample_id"]: one[name] for one in self.summary["samples"]}


def are_rubric_results(path: Path) -> bool:
    """Whether a path holds judged rubrics: a scored folder, a folder of result rows, such a file.

    A folder with a run's own summary is a run.
    """
    try:
        if path.is_file():
            return path.suffix in (".jsonl", ".gz", ".zst", ".json")
        if is_rubric_folder(path):
            return True
        names = [one.name for one in path.iterdir()] if path.is_dir() else []
    except (OSError, ValueError):
        return False
    if any(name.startswith(("manifest_", "summary_")) for name in names):
        return False
    return any(FILE_NAME.fullmatch(name) for name in names)


def are_sure_results(path: Path) -> bool:
    """Whether a path can be nothing else: any file of rows may be, if it isn't called so."""
    return are_rubric_results(path) and (path.is_dir() or path.name.startswith(FILE_STEM))


def read_scored_results(path: Path) -> ScoredResults:
    """Read a folder of scored rubrics (its newest scores), or score the rows of a file or folder.

    Rows that are scored here have no data: what is expected is what they hold. Partial
    satisfaction scores .5.

    Raises
    ------
    BadInputError, MissingResourceError
        A file isn't there, or isn't what it should be.
    """
    if path.is_dir() and is_rubric_folder(path):
        summary, stamp = read_scores(path)
        _check_summary(summary, path)
        return ScoredResults(path, True, summary, read_pairs(path, stamp, summary))
    found = score_results(ScoreOptions(path, ternary=True))
    summary = orjson.loads(render_json(found.summary))  # texts as a folder would hold them
    rows = [parse_pair(_clean(pair_record(pair))) for pair in found.coverage.every_pair()]
    return ScoredResults(path, False, summary, rows)


def _clean(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: clean_text(value) if isinstance(value, str) else value
        for name, value in record.items()
    }


def _check_summary(summary: Mapping[str, Any], path: Path) -> None:
    """Raise unless a summary holds what is read of it."""
    try:
        texts, numbers = [], []
        for one in summary["samples"]:
            texts += [one[name] for name in DIMENSIONS]
            numbers += [one["compliance_score"], *(one["by_unscored"][name] for name in POLICIES)]
        inputs = [(one["role"], one["path"], one["sha256"]) for one in summary["inputs"]]
        known = summary["coverage"]["pair_n"], summary["scale"], summary["run_id"]
        fits = all(isinstance(value, str) for entry in inputs for value in entry)
        fits = fits and all(isinstance(one["sample_id"], str) for one in summary["samples"])
        fits = fits and all(isinstance(text, str | None) for text in texts)
        fits = fits and all(isinstance(number, int | float | None) for number in numbers)
        fits = fits and None not in known and known[1] in _SCALES
    except (AttributeError, KeyError, TypeError):
        fits = False
    if not fits:
        message = "the summary of the scores lacks samples, inputs or coverage"
        raise BadInputError(Problem("bad-summary", message, SourceRef(str(path)), "score again"))


def files_of(results: Sequence[ScoredResults]) -> list[Path]:
    """Return the files of results: nothing may be written in their place."""
    found: list[Path] = []
    for one in results:
        if one.is_scored:
            found += [path for path in sorted(one.path.iterdir()) if path.is_file()]
        else:
            found += find_result_files(one.path)
        found += [Path(entry["path"]) for entry in one.summary["inputs"]]
    return found
