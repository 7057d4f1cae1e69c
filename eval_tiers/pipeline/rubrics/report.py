"""The report of a folder of scored rubrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.output_paths import require_free_path
from eval_tiers.io.rubric_scores import summary_files
from eval_tiers.io.run_reading import read_object
from eval_tiers.pipeline.rubrics.agree import KIND as AGREEMENT
from eval_tiers.pipeline.rubrics.score import SUMMARY
from eval_tiers.summaries.rubrics import KIND, METRICS_VERSION


def is_rubric_folder(folder: Path) -> bool:
    """Whether a folder holds scored rubrics and no run of another kind."""
    try:
        return bool(summary_files(folder, SUMMARY)) and not summary_files(folder, "summary")
    except (OSError, ValueError):
        return False


def read_scores(folder: Path) -> tuple[Mapping[str, Any], str]:
    """Return the newest summary of a folder of scored rubrics, and the time in its name.

    Raises
    ------
    BadInputError, MissingResourceError
        There is none, or it isn't what this version writes.
    """
    files = summary_files(folder, SUMMARY)
    if not files:
        message = "the folder holds no scores of rubrics"
        fix = "name the folder given to rubrics score -o"
        raise BadInputError(Problem("no-scores", message, SourceRef(str(folder)), fix))
    return _read(files[-1], KIND), files[-1].stem.removeprefix(f"{SUMMARY}_")


@dataclass(frozen=True, slots=True)
class RubricReportParts:
    """What a report of scored rubrics shows.

    Attributes
    ----------
    summary : mapping
        The newest scores of the folder.
    agreement : mapping or None
        The newest comparison with people in it.
    path : Path
        Where the page goes.
    """

    summary: Mapping[str, Any]
    agreement: Mapping[str, Any] | None
    path: Path


def read_rubric_report_parts(folder: Path, output: Path | None = None) -> RubricReportParts:
    """Read a folder of scored rubrics for its report.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        A summary isn't what this version writes, or the page would take the place of a file.
    """
    summary, stamp = read_scores(folder)
    agreements = summary_files(folder, AGREEMENT)
    agreement = _read(agreements[-1], AGREEMENT) if agreements else None
    path = folder / f"report_{stamp}.html" if output is None else output
    own = [one for one in folder.iterdir() if one.is_file() and one.suffix != ".html"]
    require_free_path(path, own)
    return RubricReportParts(summary, agreement, path)


def _read(path: Path, kind: str) -> Mapping[str, Any]:
    found = read_object(path, "summary", "score again")
    if found.get("kind") != kind or found.get("metrics_version") != METRICS_VERSION:
        message = f"the summary is not one of {kind} as this version writes it"
        raise BadInputError(Problem("bad-summary", message, SourceRef(str(path)), "score again"))
    return found
