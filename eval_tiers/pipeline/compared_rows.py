"""What is compared of two runs, as arrays: measures, labels, clusters, slices, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.exceptions import Problem, UsageError
from eval_tiers.io.run_rows import Matched, row_codes
from eval_tiers.io.run_tables import ComparedRun, codes_of, numbers_of, read_columns
from eval_tiers.io.tables import SAMPLE_KEY
from eval_tiers.metrics.cluster_sums import Clustering, one_way, two_way
from eval_tiers.summaries.comparison import (
    NO_LABEL,
    OUTCOMES,
    ComparedRows,
    Flags,
    Floats,
    Rows,
    Side,
)

Tables = tuple[pa.Table, pa.Table]


@dataclass(frozen=True, slots=True)
class Family:
    """What is compared of the benchmarks of one family; columns that a run lacks are left out."""

    cluster: str
    clusters: tuple[str, ...]
    slices: tuple[str, ...]
    measures: tuple[str, ...]
    evidence: str
    by_item: bool = False


NO_CLUSTER: Final = "none"
"""Stands for a cluster of its own for each question."""

CHAINS: Final = Family(
    "readout",
    ("readout", "perturbation", "cell_line", "pert_type", "split"),
    ("split", "pert_type"),
    ("edge_f1", "hallucination_rate", "go_sim"),
    "edge_f1",
)
CITATIONS: Final = Family(
    "pair",
    ("pair", "gene", "context", "organism", "tissue"),
    ("context", "item_type"),
    ("citation_precision", "evidence_recall", "fabrication_rate"),
    "citation_precision",
    by_item=True,
)
_ALWAYS: Final = ("gold_label", "predicted_label", "answer_correct")
_TIER_2: Final = ("error_label", "hard_case")


def family_of(run: ComparedRun) -> Family:
    """Return what is compared of a run's benchmark."""
    return CITATIONS if "item_type" in run.columns else CHAINS


def cluster_fields(runs: Sequence[ComparedRun], cluster: str) -> tuple[str, ...]:
    """Return the columns that rows are clustered by: none for ``none``, two for ``A+B``.

    Raises
    ------
    UsageError
        The questions have no such field, or more than two are named.
    """
    if cluster == NO_CLUSTER:
        return ()
    family = family_of(runs[0])
    known = [name for name in family.clusters if all(name in run.columns for run in runs)]
    fields = tuple(cluster.split("+"))
    unknown = [name for name in fields if name not in known]
    if not unknown and len(fields) == len(set(fields)) <= 2:
        return fields
    message = f"'{cluster[:80]}' is no one or two different fields to cluster by"
    if unknown:
        message = f"'{unknown[0][:80]}' is no field of these questions to cluster by"
    fix = f"--cluster takes one of: {', '.join(known)}; two as {known[0]}+{known[1]}; or none"
    raise UsageError(Problem("unknown-field", message, fix=fix))


def read_samples(run: ComparedRun, family: Family, cluster: Sequence[str]) -> pa.Table:
    """Read the columns of a run's samples that are compared."""
    pairs = ("pair",) if family.by_item else ()
    wanted = dict.fromkeys(
        (*SAMPLE_KEY, *pairs, *family.slices, *cluster, *_ALWAYS, *_TIER_2, *family.measures)
    )
    return read_columns(run, "samples", [name for name in wanted if name in run.columns])


def has_labels(both: Tables) -> bool:
    """Tell whether both have error labels."""
    return all("error_label" in table.column_names for table in both)


def build_rows(
    tables: Tables, matched: Matched, keys: Sequence[str], family: Family, cluster: Sequence[str]
) -> ComparedRows:
    """Return two runs on the rows that both have.

    Parameters
    ----------
    tables : pair of pyarrow.Table
        Their samples.
    matched : Matched
        Which of their rows belong together.
    keys : sequence of str
        Columns that tell rows apart.
    family : Family
    cluster : sequence of str
        Up to two columns whose equal values belong together; a row without a value is alone.
    """
    table, at = tables[0], matched.first
    names = [name for name in keys if name != "rollout"]
    item = row_codes(table.select(names), names)[at]
    of_pair: Rows | None = None
    trap: Flags | None = None
    if family.by_item and all("pair" in one.column_names for one in tables):
        of_pair = codes_of(table["pair"])[1][at]
        words, kinds = codes_of(table["item_type"])
        trap = kinds[at] == (words.index("fragility_trap") if "fragility_trap" in words else -2)
    labels = (*(ERROR_LABELS if has_labels(tables) else OUTCOMES), NO_LABEL)
    sides = [
        _side(part, rows, tables, labels, family)
        for part, rows in zip(tables, (matched.first, matched.second), strict=True)
    ]
    slices = {}
    for name in (name for name in family.slices if name in table.column_names):
        words, codes = codes_of(table[name])
        slices[name] = words, codes[at]
    return ComparedRows(
        sides[0],
        sides[1],
        labels,
        item,
        _clusters(table, at, cluster, item),
        slices,
        family.by_item,
        family.evidence if family.evidence in sides[0].measures else None,
        of_pair,
        trap,
    )


def _side(table: pa.Table, at: Rows, both: Tables, labels: Sequence[str], family: Family) -> Side:
    right = numbers_of(table["answer_correct"])[at]
    answered = _known(table["predicted_label"])[at]
    measures: dict[str, Floats] = {
        "accuracy": np.nan_to_num(right),
        "parse_failure_rate": (~answered).astype(np.float64),
    }
    for name, column in (
        *((name, name) for name in family.measures), ("hard_case_rate", "hard_case"),
    ):  # fmt: skip
        if all(column in one.column_names for one in both):
            measures[name] = numbers_of(table[column])[at]
    if has_labels(both):
        _, label = codes_of(table["error_label"], labels[:-1])
        label = np.where((label < 0) | (label >= len(labels) - 1), len(labels) - 1, label)[at]
    else:
        label = np.where(right == 1, 0, np.where(answered, 1, 2)).astype(np.int64)
    return Side(measures, label, answered)


def _known(column: pa.ChunkedArray) -> Flags:
    return np.asarray(column.is_valid().to_numpy(), np.bool_)


def _clusters(table: pa.Table, at: Rows, names: Sequence[str], item: Rows) -> Clustering:
    """Return the clusters; a row without a value is one with its item alone."""
    ways = []
    for name in names:
        codes = codes_of(table[name])[1][at]
        ways.append(np.where(codes < 0, int(codes.max(initial=-1)) + 1 + item, codes))
    if len(ways) == 2:
        return two_way(*ways)
    return one_way(ways[0] if ways else item)
