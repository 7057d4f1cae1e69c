"""What is compared of two runs, as arrays: measures, labels, clusters, slices, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.exceptions import Problem, UsageError
from eval_tiers.io.run_tables import (
    ComparedRun,
    codes_of,
    numbers_of,
    read_columns,
    row_codes,
)
from eval_tiers.io.tables import SAMPLE_KEY
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
    slices: tuple[str, ...]
    measures: tuple[str, ...]
    evidence: str
    by_item: bool = False


CHAINS: Final = Family(
    "readout", ("split", "pert_type"), ("edge_f1", "hallucination_rate", "go_sim"), "edge_f1"
)
CITATIONS: Final = Family(
    "pair",
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


def require_cluster(runs: Sequence[ComparedRun], cluster: str) -> None:
    """Raise where the samples of a run have no such column.

    Raises
    ------
    UsageError
    """
    shared = [name for name in runs[0].columns if all(name in run.columns for run in runs)]
    if cluster not in shared:
        raise UsageError(
            Problem(
                "unknown-field",
                f"the samples of these runs have no column '{cluster}' to cluster by",
                fix=f"--cluster takes one of: {', '.join(shared)}",
            )
        )


def read_samples(run: ComparedRun, family: Family, cluster: str) -> pa.Table:
    """Read the columns of a run's samples that are compared."""
    wanted = dict.fromkeys(
        (*SAMPLE_KEY, *family.slices, cluster, *_ALWAYS, *_TIER_2, *family.measures)
    )
    return read_columns(run, "samples", [name for name in wanted if name in run.columns])


def has_labels(both: Tables) -> bool:
    """Tell whether both have error labels."""
    return all("error_label" in table.column_names for table in both)


def build_rows(both: Tables, keys: Sequence[str], family: Family, cluster: str) -> ComparedRows:
    """Return two runs on the rows that both have.

    Parameters
    ----------
    both : pair of pyarrow.Table
        Their samples, row by row.
    keys : sequence of str
        Columns that tell rows apart.
    family : Family
    cluster : str
        Column whose equal values belong together; a row without a value is alone.
    """
    table = both[0]
    item = row_codes(table, [name for name in keys if name != "rollout"])
    of_pair: Rows | None = None
    trap: Flags | None = None
    if family.by_item:
        of_pair = codes_of(table["pair"])[1]
        words, kinds = codes_of(table["item_type"])
        trap = kinds == (words.index("fragility_trap") if "fragility_trap" in words else -2)
    labels = (*(ERROR_LABELS if has_labels(both) else OUTCOMES), NO_LABEL)
    sides = [_side(part, both, labels, family) for part in both]
    return ComparedRows(
        sides[0],
        sides[1],
        labels,
        item,
        _clusters(table, cluster, item),
        {name: codes_of(table[name]) for name in family.slices},
        family.by_item,
        family.evidence if family.evidence in sides[0].measures else None,
        of_pair,
        trap,
    )


def _side(table: pa.Table, both: Tables, labels: Sequence[str], family: Family) -> Side:
    right = numbers_of(table["answer_correct"])
    answered = codes_of(table["predicted_label"])[1] >= 0
    measures: dict[str, Floats] = {
        "accuracy": np.nan_to_num(right),
        "parse_failure_rate": (~answered).astype(np.float64),
    }
    for name, column in (
        *((name, name) for name in family.measures), ("hard_case_rate", "hard_case"),
    ):  # fmt: skip
        if all(column in one.column_names for one in both):
            measures[name] = numbers_of(table[column])
    if has_labels(both):
        _, label = codes_of(table["error_label"], labels[:-1])
        label = np.where((label < 0) | (label >= len(labels) - 1), len(labels) - 1, label)
    else:
        label = np.where(right == 1, 0, np.where(answered, 1, 2)).astype(np.int64)
    return Side(measures, label, answered)


def _clusters(table: pa.Table, name: str, item: Rows) -> Rows:
    """Return the codes of the clusters; a row without one is a cluster with its item alone."""
    codes = codes_of(table[name].cast(pa.string()))[1]
    return np.where(codes < 0, int(codes.max(initial=-1)) + 1 + item, codes)
