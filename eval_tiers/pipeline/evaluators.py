"""Which pipeline evaluates a format: that of signed chains, or that of cited evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eval_tiers.domain.columns import Column
from eval_tiers.formats.base import CitationFormat
from eval_tiers.formats.registry import format_named


@dataclass(frozen=True, slots=True)
class Evaluator:
    """The parts of a pipeline, as `eval_tiers.api` calls them.

    Attributes
    ----------
    columns_for : callable
        Tiers -> columns of the samples table.
    run : callable
        (plan, sink, progress, spreadsheet_safe, as_csv) -> result.
    build_summary, file_rows : callable
        Result -> summary; result -> rows of the table of files.
    pair_rows : callable
        Result -> table of pairs, None where the format has none.
    build_manifest : callable
        (result, arguments, run id, file names) -> manifest.
    """

    columns_for: Callable[[frozenset[int]], tuple[Column, ...]]
    run: Callable[..., Any]
    build_summary: Callable[[Any], dict[str, Any]]
    file_rows: Callable[[Any], list[dict[str, object]]]
    pair_rows: Callable[[Any], Any]
    build_manifest: Callable[[Any, list[str], str, list[str]], dict[str, Any]]


def evaluator_of(format_name: str) -> Evaluator:
    """Return the evaluator of a format; imports only what it needs."""
    if isinstance(format_named(format_name), CitationFormat):
        from eval_tiers.domain.rr10_columns import rr10_columns_for
        from eval_tiers.pipeline.rr10 import run as rr10_run
        from eval_tiers.pipeline.rr10 import summary as rr10_summary

        return Evaluator(
            rr10_columns_for,
            rr10_run.run_rr10,
            rr10_summary.build_rr10_summary,
            rr10_summary.rr10_file_rows,
            rr10_summary.rr10_pair_table,
            rr10_summary.build_rr10_manifest,
        )
    from eval_tiers.domain.columns import columns_for
    from eval_tiers.pipeline import run, summary

    return Evaluator(
        columns_for,
        run.run,
        summary.build_summary,
        summary.file_rows,
        lambda result: None,
        summary.build_manifest,
    )
