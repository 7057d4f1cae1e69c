"""Tier 4: hard cases to an examiner and back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval_tiers.api.paths import Pathname, path_list

if TYPE_CHECKING:
    from eval_tiers.pipeline.rescue.export import ExportOptions, WrittenExport
    from eval_tiers.pipeline.rescue.labels import SheetOptions, WrittenSheet
    from eval_tiers.pipeline.rescue.merge import MergedRescue, MergeOptions


def export_rescue(samples_csv: Pathname, options: ExportOptions | None = None) -> WrittenExport:
    """Write a run's hard cases as requests to an examiner, with controls among them.

    Parameters
    ----------
    samples_csv : path-like
        Samples table of a run, in the run's folder; rows may be left out.
    options : eval_tiers.pipeline.rescue.export.ExportOptions, optional

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.rescue.export import ExportOptions, export_run

    return export_run(Path(samples_csv), options or ExportOptions())


def merge_rescue(
    samples_csv: Pathname,
    replies: Pathname | Sequence[Pathname],
    options: MergeOptions | None = None,
) -> MergedRescue:
    """Merge an examiner's replies into a run's samples table.

    Parameters
    ----------
    samples_csv : path-like
        The table that was exported from.
    replies : path-like or sequence of them
        Reply files: partial, late, unordered, gzip.
    options : eval_tiers.pipeline.rescue.merge.MergeOptions, optional

    Raises
    ------
    RepliesError
        There are replies, and none of their ids is known.
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.rescue.merge import MergeOptions, merge_run

    return merge_run(Path(samples_csv), path_list(replies), options or MergeOptions())


def export_labels(samples_csv: Pathname, options: SheetOptions | None = None) -> WrittenSheet:
    """Draw a sheet of exported cases for two people to judge.

    Parameters
    ----------
    samples_csv : path-like
        The table that was exported from.
    options : eval_tiers.pipeline.rescue.labels.SheetOptions, optional

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.rescue.labels import SheetOptions, write_sheet

    return write_sheet(Path(samples_csv), options or SheetOptions())
