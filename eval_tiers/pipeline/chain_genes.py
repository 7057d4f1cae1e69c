"""The genes of a run's chains by error label, from its tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from eval_tiers.domain.columns import Column
from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.exceptions import Problem, UsageError
from eval_tiers.io.column_values import column_values
from eval_tiers.io.table_reader import TableReader

_LABEL: Final = Column("error_label", "code", 2, "", ERROR_LABELS)
_EDGE_N: Final = Column("edge_n", "count", 2, "")
_SAMPLE_NAMES: Final = ("sample_id", "error_label", "gold_edge_n", "predicted_edge_n")
_EDGE_NAMES: Final = ("sample_id", "side", "source", "target")
_ANSWER_NAMES: Final = ("sample_id", "rollout", "error_label")
_MECHANISM_NAMES: Final = ("sample_id", "rollout", "organism", "source", "target")


@dataclass(slots=True)
class ChainGenes:
    """Names of the genes of chains.

    Attributes
    ----------
    by_label : dict of str to set of str
        Nodes of the predicted chains of each error label, every label there; ends included.
    all : set of str
        Nodes of all chains, gold ones too.
    organism : str or None
        Whose they are, where the run has several.
    """

    by_label: dict[str, set[str]] = field(
        default_factory=lambda: {name: set() for name in ERROR_LABELS}
    )
    all: set[str] = field(default_factory=set)
    organism: str | None = None

    def add(self, label: NDArray[np.int8], edges: pa.Table, predicted: NDArray[np.bool_]) -> None:
        """Add edges; those of an answer count for the label of its row (-1: for none)."""
        codes = np.concatenate([label, label])
        counted = np.concatenate([predicted, predicted])
        names = pa.chunked_array([*edges["source"].chunks, *edges["target"].chunks], pa.string())
        words = pc.unique(names)
        word = pc.index_in(names, value_set=words).to_numpy().astype(np.int64)
        texts = words.to_pylist()
        self.all.update(texts)
        for code in np.unique(codes[counted & (codes >= 0)]).tolist():
            of_label = np.unique(word[counted & (codes == code)])
            self.by_label[ERROR_LABELS[code]].update(map(texts.__getitem__, of_label.tolist()))


def read_chain_genes(samples: TableReader, chains: TableReader) -> ChainGenes:
    """Read both tables side by side: the edges of a row follow each other, rows are in order.

    Raises
    ------
    BadInputError
        The tables don't belong together.
    """
    found = ChainGenes()
    for part in samples.groups(_SAMPLE_NAMES):
        try:
            label = column_values(_LABEL, part["error_label"])
        except ValueError as error:
            raise samples.fault(str(error)) from error
        gold_n, predicted_n = (
            np.maximum(column_values(_EDGE_N, part[name]), 0)
            for name in ("gold_edge_n", "predicted_edge_n")
        )
        row = np.repeat(np.arange(part.num_rows), gold_n + predicted_n)
        edges = chains.take(len(row), _EDGE_NAMES)
        owner = pc.take(part["sample_id"], pa.array(row))
        if not pc.all(pc.equal(edges["sample_id"], owner), min_count=0).as_py():
            raise chains.fault("its rows are not those of the samples table")
        predicted = np.asarray(pc.equal(edges["side"], "predicted").to_numpy(), np.bool_)
        found.add(label[row], edges, predicted)
    return found


def read_mechanism_genes(
    samples: TableReader, mechanism: TableReader, organism: str | None
) -> ChainGenes:
    """Read the mechanism edges of an RR-10 run, of one organism.

    Raises
    ------
    UsageError
        There are several organisms and none is named, or the named one has no edge.
    BadInputError
        A table can't be read, or there is no mechanism edge.
    """
    label_of: dict[tuple[str, str | None], int] = {}
    for part in samples.groups(_ANSWER_NAMES):
        try:
            labels = column_values(_LABEL, part["error_label"]).tolist()
        except ValueError as error:
            raise samples.fault(str(error)) from error
        keys = zip(part["sample_id"].to_pylist(), part["rollout"].to_pylist(), strict=True)
        label_of.update(zip(keys, labels, strict=True))
    parts = list(mechanism.groups(_MECHANISM_NAMES))
    there = sorted({name for part in parts for name in pc.unique(part["organism"]).to_pylist()})
    if not there:
        raise mechanism.fault("no answer of the run gave a mechanism, so that it has no edge")
    chosen = _one_organism(there, organism)
    found = ChainGenes(organism=chosen)
    for part in parts:
        edges = part.filter(pc.equal(part["organism"], chosen))
        keys = zip(edges["sample_id"].to_pylist(), edges["rollout"].to_pylist(), strict=True)
        label = np.fromiter((label_of.get(key, -1) for key in keys), np.int8, edges.num_rows)
        found.add(label, edges, np.ones(edges.num_rows, np.bool_))
    return found


def _one_organism(there: list[str], named: str | None) -> str:
    if named is None and len(there) == 1:
        return there[0]
    if named in there:
        return str(named)
    told = ", ".join(there)
    message = f"the mechanism edges are of {len(there)} organisms: {told}"
    if named is not None:
        message = f"no mechanism edge is of '{named}'; there are edges of: {told}"
    fix = "gene sets are of one organism: name it with --organism"
    raise UsageError(Problem("which-organism", message, fix=fix))
