"""A finished run that has error labels: what is worked on after an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from eval_tiers.domain.clusterings import CHAIN_CLUSTERINGS, CITATION_CLUSTERINGS
from eval_tiers.exceptions import BadInputError, Problem, SourceRef, UsageError
from eval_tiers.formats.base import CitationFormat
from eval_tiers.formats.registry import format_named
from eval_tiers.io.run_reading import FinishedRun, read_run
from eval_tiers.io.table_reader import TableReader
from eval_tiers.pipeline.rr10.summary import METRICS_VERSION as RR10_METRICS
from eval_tiers.pipeline.summary import METRICS_VERSION as CHAIN_METRICS
from eval_tiers.settings import Settings

KNOWN_METRICS: Final = {"perturbreason": CHAIN_METRICS, "rr10": RR10_METRICS}
_NEEDED: Final = ("format", "tiers", "settings", "inputs", "run_id")


def open_labelled_run(run_dir: Path) -> FinishedRun:
    """Read a run's folder; it has to have error labels of this version.

    Raises
    ------
    MissingResourceError, BadInputError, UsageError
    """
    run = read_run(run_dir, KNOWN_METRICS)
    where = SourceRef(str(run_dir))
    lacking = [name for name in _NEEDED if name not in run.manifest]
    if lacking:
        message = f"the run's manifest is missing, or lacks: {', '.join(lacking)}"
        raise BadInputError(Problem("bad-manifest", message, where, "evaluate again"))
    try:
        settings_of(run)
        tiers = tiers_of(run)
    except (TypeError, ValueError, UsageError) as error:
        message = f"the run's settings or tiers can't be read: {error}"
        raise BadInputError(Problem("bad-manifest", message, where, "evaluate again")) from error
    if 2 not in tiers:
        raise BadInputError(
            Problem(
                "no-error-labels",
                "the run has no error labels: tier 2 did not run",
                where,
                "evaluate with --tiers 1 2",
            )
        )
    if "error_distribution" not in run.summary:
        message = "the run's summary lacks error_distribution"
        raise BadInputError(Problem("bad-summary", message, where, "evaluate again"))
    return run


def settings_of(run: FinishedRun) -> Settings:
    """Return the settings of a run."""
    return Settings(**run.manifest["settings"])


def tiers_of(run: FinishedRun) -> frozenset[int]:
    """Return the tiers that ran."""
    return frozenset(map(int, run.manifest["tiers"]))


def is_cited(run: FinishedRun) -> bool:
    """Whether the run's benchmark is one of cited evidence."""
    return isinstance(format_named(str(run.summary["format"])), CitationFormat)


def clustering_of(run: FinishedRun) -> str:
    """Return which rows the run took together for its intervals; the default before it said so."""
    known = CITATION_CLUSTERINGS if is_cited(run) else CHAIN_CLUSTERINGS
    said = run.manifest.get("cluster")
    return said if said in known else next(iter(known))


def is_spreadsheet_safe(run: FinishedRun) -> bool:
    """Whether the run wrote its tables for spreadsheets."""
    return bool(run.manifest.get("spreadsheet_safe"))


def table_of(run: FinishedRun, stem: str, needed: Sequence[str] = ()) -> TableReader:
    """Open one of the run's Parquet tables; raises as `TableReader`."""
    return TableReader(run.folder / f"{stem}_{run.timestamp}.parquet", stem, needed)
