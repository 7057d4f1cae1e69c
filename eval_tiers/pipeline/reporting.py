"""What the report of a finished run is made of, and where the page goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from eval_tiers.go.enrichment import EnrichedTerm
from eval_tiers.io.atomic import atomic_writer
from eval_tiers.io.enrichment_table import read_enrichment
from eval_tiers.io.output_paths import require_free_path
from eval_tiers.io.run_reading import FinishedRun, read_run, rescue_flow, similarity_bins
from eval_tiers.pipeline.rr10.summary import METRICS_VERSION as RR10_METRICS
from eval_tiers.pipeline.summary import METRICS_VERSION as CHAIN_METRICS

KNOWN_METRICS: Final = {"perturbreason": CHAIN_METRICS, "rr10": RR10_METRICS}
"""Metric definitions that this version writes, by format."""

_SIMILARITIES: Final = {"go_sim_mean": "go_sim", "go_focus_mean": "go_focus"}


@dataclass(frozen=True, slots=True)
class ReportParts:
    """What a report shows.

    Attributes
    ----------
    run : FinishedRun
    bins : mapping or None
        Histogram of the run's GO similarity by error label; see `similarity_bins`.
    ways : list or None
        Ways from label to verdict to final label; see `rescue_flow`.
    enrichment : tuple or None
        What was tested, and the enriched sets; see `read_enrichment`.
    """

    run: FinishedRun
    bins: Mapping[str | None, Sequence[int]] | None
    ways: Sequence[tuple[str, str, str | None, str, int]] | None
    enrichment: tuple[Mapping[str, Any], Sequence[EnrichedTerm]] | None

    @property
    def figures(self) -> tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any] | None]:
        """Summary, manifest, and summary of the merge."""
        return self.run.summary, self.run.manifest, self.run.rescue


def read_report_parts(folder: Path) -> ReportParts:
    """Read a run's folder for its report.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        It holds no run that this version can read.
    """
    run = read_run(folder, KNOWN_METRICS)
    column = next((name for key, name in _SIMILARITIES.items() if key in run.summary), None)
    bins = None if column is None else similarity_bins(run, column)
    ways = None if run.rescue is None else rescue_flow(run)
    return ReportParts(run, bins, ways, read_enrichment(run))


def report_path(run: FinishedRun, output: Path | None) -> Path:
    """Return where a run's report goes: ``report_<timestamp>.html`` in its folder by default.

    Raises
    ------
    UsageError
        It would take the place of one of the run's own files, or of what is no file.
    """
    path = run.folder / f"report_{run.timestamp}.html" if output is None else output
    require_free_path(path, [file for file in run.files if file.suffix != ".html"])
    return path


def place_report(page: bytes, path: Path) -> Path:
    """Write the page, whole or not at all; return where it is."""
    with atomic_writer(path) as handle:
        handle.write(page)
    return path
