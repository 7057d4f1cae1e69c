"""Compares runs pair by pair: reads their tables, joins their rows, adds everything up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from eval_tiers import __version__
from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import Problem, SourceRef, UsageError
from eval_tiers.io.comparison_files import write_comparison_files
from eval_tiers.io.run_rows import match_rows
from eval_tiers.io.run_tables import ComparedRun, key_names, open_run
from eval_tiers.io.tables import render_csv
from eval_tiers.pipeline.compared_rows import (
    Family,
    build_rows,
    cluster_fields,
    family_of,
    has_labels,
    read_samples,
)
from eval_tiers.pipeline.comparison_checks import FORCIBLE, check_comparable, describe_run
from eval_tiers.pipeline.flips import UNMATCHED_LISTED, FlipTables
from eval_tiers.summaries.comparison import (
    Rows,
    adjust,
    compare_rows,
)
from eval_tiers.summaries.flip_ranking import FLIPS_SHOWN, rank_flips
from eval_tiers.summaries.gates import check_gate, parse_gate


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """How runs are compared.

    Attributes
    ----------
    cluster : str or None
        Column of the samples whose equal values belong together; two as ``A+B``; ``none``: each
        question is alone. None: readout gene (PerturbReason), pair (RR-10).
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
    passed : bool
        No gate failed.
    run_files : list of Path
        Files of the runs: nothing may be written in their place.
    spreadsheet_safe : bool
        One of the runs wrote tables for spreadsheets.
    ranked : list of (FlipTables, int array)
        What `flips` is made of.
    """

    summary: dict[str, Any]
    findings: list[Finding]
    passed: bool
    run_files: list[Path] = field(default_factory=list)
    spreadsheet_safe: bool = False
    ranked: list[tuple[FlipTables, Rows]] = field(default_factory=list, repr=False)

    @property
    def flips(self) -> pa.Table:
        """All flips, and all rows that only one side has, of all pairs of runs.

        Read from the runs' folders when it is asked for.
        """
        return pa.concat_tables([tables.whole(ranked) for tables, ranked in self.ranked])


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
    fields = cluster_fields(runs, cluster)
    tables = [read_samples(run, family, fields) for run in runs]
    comparisons, ranked = [], []
    for one, other in combinations(range(len(runs)), 2):
        pair = _Pair((runs[one], runs[other]), (tables[one], tables[other]), family, fields)
        found, flips, flipped = pair.compare()
        comparisons.append({"first": one, "second": other, **found})
        ranked.append((flips, flipped))
    adjust(comparisons)
    for found in comparisons:
        found["gates"] = [
            check_gate(gate, found["measures"], options.by_interval)
            for gate in gates
            if found["first"] == 0
        ]
    passed = all(gate["passed"] for found in comparisons for gate in found["gates"])
    findings += [_nothing_shared(runs, found) for found in comparisons if not found["n"]]
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
    return RunComparison(summary, findings, passed, files, safe, ranked)


def _nothing_shared(runs: Sequence[ComparedRun], found: Mapping[str, Any]) -> Finding:
    """Return the finding that two runs have no row in common, and why where it can be told."""
    only = [row for side in ("first", "second") for row in found[f"only_{side}"][:1]]
    message = f"it shares no row with {runs[found['first']].folder}: nothing can be compared"
    if len({row.get("rollout") is None for row in only}) == 2:
        message += "; one of them has several answers a question (rollouts), the other one"
    where = SourceRef(str(runs[found["second"]].folder))
    return Finding("nothing-shared", message, where, "warning")


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two runs and their samples."""

    runs: tuple[ComparedRun, ComparedRun]
    tables: tuple[pa.Table, pa.Table]
    family: Family
    cluster: Sequence[str]

    def compare(self) -> tuple[dict[str, Any], FlipTables, Rows]:
        """Return the figures, and what a table of all flips is made of."""
        keys = [name for name in key_names(self.runs[0]) if name in self.runs[1].columns]
        matched = match_rows(*self.tables, keys)
        rows = build_rows(self.tables, matched, keys, self.family, self.cluster)
        labelled = has_labels(self.tables)
        found: dict[str, Any] = {"labels_are": "error_label" if labelled else "outcome"}
        found |= compare_rows(rows)
        for side, at, table in (
            ("first", matched.only_first, self.tables[0]),
            ("second", matched.only_second, self.tables[1]),
        ):
            found[f"only_{side}_n"] = len(at)
            found[f"only_{side}"] = table.select(keys).take(at[:UNMATCHED_LISTED]).to_pylist()
        slices, evidence = self.family.slices, self.family.evidence
        flips = FlipTables(self.runs, self.tables, matched, keys, rows, slices, evidence)
        ranked = rank_flips(rows)
        found["flip_n"] = len(ranked)
        parts = [(found, ranked[:FLIPS_SHOWN])]
        for part in found["slices"]:
            names, codes = rows.slices[part["dimension"]]
            chosen = codes == (-1 if part["value"] is None else names.index(part["value"]))
            parts.append((part, np.flatnonzero(chosen)[rank_flips(rows.of(chosen))[:FLIPS_SHOWN]]))
        shown = np.unique(np.concatenate([at for _, at in parts]))
        by_row = dict(zip(shown.tolist(), flips.listed(shown), strict=True))  # each text read once
        for part, at in parts:
            part["flips"] = [by_row[row] for row in at.tolist()]
        return found, flips, ranked


def write_comparison(
    compared: RunComparison, page: str | None, output: Path | None, flips_csv: Path | None
) -> None:
    """Write a comparison's page and its table of flips, where they are asked for.

    See `eval_tiers.io.comparison_files.write_comparison_files`.
    """
    write_comparison_files(
        output,
        page,
        flips_csv,
        lambda: render_csv(compared.flips, compared.spreadsheet_safe, header=True),
        compared.run_files,
    )
