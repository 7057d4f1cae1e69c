"""What is made of runs that are written: reports, comparisons, other thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval_tiers.api.paths import Pathname, path_list

if TYPE_CHECKING:
    from eval_tiers.pipeline.comparison import CompareOptions, RunComparison
    from eval_tiers.pipeline.enrichment import Enrichment
    from eval_tiers.pipeline.relabel import RelabelledRun


def relabel(
    run_dir: Pathname,
    *,
    coverage: float | None = None,
    hallucination: float | None = None,
    unknown_nodes: str | None = None,
    output_dir: Pathname | None = None,
    arguments: Sequence[str] = (),
) -> RelabelledRun:
    """Give a finished run its error labels anew, under other thresholds, from its tables.

    Parameters
    ----------
    run_dir : path-like
        The run's folder; it stays as it is.
    coverage, hallucination : float, optional
        `Settings.coverage_threshold` and `Settings.hallucination_threshold`.
    unknown_nodes : {"hallucinated", "unverifiable"}, optional
        One of the three has to be given; the others stay as they were.
    output_dir : path-like, optional
        Parent of the new run's folder; that of the run by default.
    arguments : sequence of str
        For the manifest.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.relabel import RelabelOptions, relabel_run

    parent = None if output_dir is None else Path(output_dir)
    return relabel_run(
        Path(run_dir),
        RelabelOptions(coverage, hallucination, unknown_nodes, parent, tuple(arguments)),
    )


def write_report(run_dir: Pathname, output: Pathname | None = None) -> Path:
    """Write a run's folder as one HTML file that needs no network; return where it is.

    Parameters
    ----------
    run_dir : path-like
        The folder that an evaluation wrote, or that scored rubrics were written to.
    output : path-like, optional
        By default ``report_<timestamp>.html`` in that folder.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.reporting import place_report, read_report_parts, report_path
    from eval_tiers.pipeline.rubrics.report import is_rubric_folder, read_rubric_report_parts
    from eval_tiers.report.html.build import build_report
    from eval_tiers.report.html.render import render_report
    from eval_tiers.report.html.rubrics import build_rubric_report

    target = None if output is None else Path(output)
    if is_rubric_folder(Path(run_dir)):
        found = read_rubric_report_parts(Path(run_dir), target)
        page = build_rubric_report(found.summary, found.agreement)
        return place_report(render_report(page), found.path)
    parts = read_report_parts(Path(run_dir))
    path = report_path(parts.run, target)
    summary, manifest, rescue = parts.figures
    report = build_report(summary, manifest, parts.bins, rescue, parts.ways, parts.enrichment)
    return place_report(render_report(report), path)


def compare_runs(*folders: Pathname, options: CompareOptions | None = None) -> RunComparison:
    """Compare runs on the same questions, row by row, each with each.

    Parameters
    ----------
    *folders : path-like
        Folders of runs, two or more; of two the one that is named first is the reference.
    options : eval_tiers.pipeline.comparison.CompareOptions, optional

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.comparison import CompareOptions, compare_folders

    return compare_folders(path_list(folders), options or CompareOptions())


def enrich(
    run_dir: Pathname,
    go_gmt: Pathname,
    *,
    min_genes: int = 5,
    min_term_genes: int = 2,
    organism: str | None = None,
    output_dir: Pathname | None = None,
    force: bool = False,
) -> Enrichment:
    """Find the gene sets that the genes of each error label of a run are enriched in.

    Parameters
    ----------
    run_dir : path-like
        A finished run's folder.
    go_gmt : path-like
        Gene sets.
    min_genes, min_term_genes : int
        Fewest genes of the background that a label, and a set, must have to be tested.
    organism : str, optional
        RR-10: whose mechanism edges.
    output_dir : path-like, optional
        Where table, summary and dot plot go; the run's folder by default.
    force : bool
        Replace files of those names.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`; also where gseapy isn't installed.
    """
    from eval_tiers.pipeline.enrichment import EnrichOptions, enrich_run
    from eval_tiers.report.dot_plot import render_dot_plot

    parent = None if output_dir is None else Path(output_dir)
    options = EnrichOptions(min_genes, min_term_genes, organism, parent, force)
    return enrich_run(Path(run_dir), Path(go_gmt), options, render_dot_plot)


def view(run_dir: Pathname, port: int, on_start: Callable[[str], None]) -> None:
    """Serve a web app over a run's folder, on this machine's loopback address, until stopped.

    Parameters
    ----------
    run_dir : path-like
        The folder that `evaluate` or ``eval`` wrote; or judged rubrics: a folder that they were
        scored to, a ``batch_evaluation_*.jsonl`` or a folder of them.
    port : int
        0 takes any free one.
    on_start : callable
        Called with the address once it can be opened.

    Raises
    ------
    MissingResourceError
        No run there, a port that is taken, or ``eval-tiers[view]`` isn't installed.
    BadInputError
        A table of the run can't be read.
    """
    from eval_tiers.pipeline.rubrics.scored_results import are_rubric_results, read_scored_results
    from eval_tiers.viewer.rubric_run import JudgedReports, open_rubric_run
    from eval_tiers.viewer.run import open_run
    from eval_tiers.viewer.server import require_viewer, serve

    require_viewer()
    folder = Path(run_dir)
    if are_rubric_results(folder):
        found = read_scored_results(folder)
        judged = JudgedReports(folder, found.summary, found.rows)
        serve(lambda scratch: open_rubric_run(judged, scratch), port, on_start)
    else:
        serve(lambda _: open_run(folder), port, on_start)
