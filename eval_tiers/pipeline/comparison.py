"""Compares runs pair by pair: reads their tables, joins their rows, adds everything up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from eval_tiers import __version__
from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import Problem, SourceRef, UsageError
from eval_tiers.io.atomic import atomic_writer, clean_text
from eval_tiers.io.output_paths import require_free_path
from eval_tiers.io.run_tables import (
    ComparedRun,
    Matched,
    key_names,
    match_rows,
    open_run,
)
from eval_tiers.io.tables import render_csv
from eval_tiers.pipeline.compared_rows import (
    Family,
    build_rows,
    family_of,
    has_labels,
    read_samples,
    require_cluster,
)
from eval_tiers.pipeline.comparison_checks import FORCIBLE, check_comparable, describe_run
from eval_tiers.pipeline.flips import UNMATCHED_LISTED, FlipTables, unmatched_rows
from eval_tiers.summaries.comparison import (
    FLIPS_SHOWN,
    Rows,
    adjust,
    compare_rows,
    rank_flips,
)
from eval_tiers.summaries.gates import check_gate, parse_gate


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """How runs are compared.

    Attributes
    ----------
    cluster : str or None
        Column of the samples whose equal values belong together; None: readout gene
        (PerturbReason), pair (RR-10).
    forced : tuple of str
        What may differ between runs: ``gold``, ``metrics``, ``evidence``.
    gates : tuple of str
        Conditions on the differences to the first run: ``accuracy -0.01``.
    by_interval : bool
        Gates hold the far end of the interval against their bound.
    """

    cluster: str | None = None
    forced: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    by_interval: bool = False


@dataclass(slots=True)
class RunComparison:
    """What a comparison found.

    Attributes
    ----------
    summary : dict
        Strict JSON; keys as in ``docs/compare.md``.
    findings : list of Finding
    flips : pyarrow.Table
        All flips, and all rows that only one side has, of all pairs of runs.
    passed : bool
        No gate failed.
    run_files : list of Path
        Files of the runs: nothing may be written in their place.
    spreadsheet_safe : bool
        One of the runs wrote tables for spreadsheets.
    """

    summary: dict[str, Any]
    findings: list[Finding]
    flips: pa.Table
    passed: bool
    run_files: list[Path] = field(default_factory=list)
    spreadsheet_safe: bool = False


def compare_folders(folders: Sequence[Path], options: CompareOptions) -> RunComparison:
    """Compare runs, each with each; of two the one that is named first is the reference.

    Raises
    ------
    UsageError
        Fewer than two runs, runs that can't be compared, an unknown cluster or gate.
    MissingResourceError, BadInputError
        A run's folder or one of its files can't be read.
    """
    gates = [parse_gate(text) for text in options.gates]
    if len(folders) < 2:
        raise UsageError(Problem("one-run", "there is nothing to compare", fix="name two runs"))
    if unknown := sorted(set(options.forced) - set(FORCIBLE)):
        fix = f"one of: {', '.join(FORCIBLE)}"
        raise UsageError(Problem("unknown-kind", f"'{unknown[0]}' can't be forced", fix=fix))
    runs = [open_run(folder) for folder in folders]
    findings = check_comparable(runs, options.forced)
    family = family_of(runs[0])
    cluster = options.cluster or family.cluster
    require_cluster(runs, cluster)
    tables = [read_samples(run, family, cluster) for run in runs]
    comparisons, flips = [], []
    for one, other in combinations(range(len(runs)), 2):
        pair = _Pair((runs[one], runs[other]), (tables[one], tables[other]), family, cluster)
        found, flipped = pair.compare()
        comparisons.append({"first": one, "second": other, **found})
        flips.append(flipped)
    adjust(comparisons)
    for found in comparisons:
        found["gates"] = [
            check_gate(gate, found["measures"], options.by_interval)
            for gate in gates
            if found["first"] == 0
        ]
    passed = all(gate["passed"] for found in comparisons for gate in found["gates"])
    summary = {
        "eval_tiers_version": __version__,
        "format": runs[0].manifest["format"],
        "cluster": cluster,
        "forced": sorted(options.forced),
        "gate_by_interval": options.by_interval,
        "passed": passed if gates else None,
        "runs": [describe_run(run) for run in runs],
        "comparisons": comparisons,
        "findings": [finding.as_dict() for finding in findings],
    }
    files = [path for run in runs for path in sorted(run.folder.iterdir()) if path.is_file()]
    safe = any(bool(run.manifest.get("spreadsheet_safe")) for run in runs)
    return RunComparison(summary, findings, pa.concat_tables(flips), passed, files, safe)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two runs and their samples."""

    runs: tuple[ComparedRun, ComparedRun]
    tables: tuple[pa.Table, pa.Table]
    family: Family
    cluster: str

    def compare(self) -> tuple[dict[str, Any], pa.Table]:
        """Return the figures, and all flips and unmatched rows as a table."""
        keys = [name for name in key_names(self.runs[0]) if name in self.runs[1].columns]
        matched = match_rows(*self.tables, keys)
        both = self.tables[0].take(matched.first), self.tables[1].take(matched.second)
        rows = build_rows(both, keys, self.family, self.cluster)
        found: dict[str, Any] = {"labels_are": "error_label" if has_labels(both) else "outcome"}
        found |= compare_rows(rows)
        for side, at, table in (
            ("first", matched.only_first, self.tables[0]),
            ("second", matched.only_second, self.tables[1]),
        ):
            found[f"only_{side}_n"] = len(at)
            listed = table.take(at[:UNMATCHED_LISTED]).select(keys)
            found[f"only_{side}"] = listed.to_pylist()
        flips = FlipTables(self.runs, both, keys, rows, self.family.slices, self.family.evidence)
        ranked = rank_flips(rows)
        table = flips.table(ranked)
        found["flip_n"] = len(ranked)
        found["flips"] = flips.listed(table.slice(0, FLIPS_SHOWN))
        place: Rows = np.full(len(rows.item), -1, np.int64)
        place[ranked] = np.arange(len(ranked))
        for part in found["slices"]:
            names, codes = rows.slices[part["dimension"]]
            chosen = codes == (-1 if part["value"] is None else names.index(part["value"]))
            of_part = np.flatnonzero(chosen)[rank_flips(rows.of(chosen))[:FLIPS_SHOWN]]
            part["flips"] = flips.listed(table.take(place[of_part]))
        return found, pa.concat_tables([table, *self._unmatched(matched, flips)])

    def _unmatched(self, matched: Matched, flips: FlipTables) -> list[pa.Table]:
        schema = flips.table(np.zeros(0, np.int64)).schema
        return [
            unmatched_rows(schema, self.runs, table.take(at), what)
            for what, at, table in (
                ("only_first", matched.only_first, self.tables[0]),
                ("only_second", matched.only_second, self.tables[1]),
            )
        ]


def write_comparison(
    compared: RunComparison, page: str | None, output: Path | None, flips_csv: Path | None
) -> None:
    """Write a comparison's page and its table of flips, where they are asked for.

    Raises
    ------
    UsageError
        One would replace a file of a run, or the other.
    MissingResourceError
        It can't be written.
    """
    wanted = [path for path in (output, flips_csv) if path is not None]
    for path in wanted:
        require_free_path(path, compared.run_files)
    if len(wanted) == 2 and wanted[0].absolute() == wanted[1].absolute():
        where = SourceRef(str(output))
        raise UsageError(
            Problem("given-twice", "page and flips would be one file", where, "name two files")
        )
    if output is not None and page is not None:
        with atomic_writer(output) as handle:
            handle.write(clean_text(page).encode())
    if flips_csv is not None:
        with atomic_writer(flips_csv) as handle:
            handle.write(render_csv(compared.flips, compared.spreadsheet_safe, header=True))
