"""Error labels of chains from the samples table: the rules of tier 2 under other thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from eval_tiers.domain.clusterings import fields_of
from eval_tiers.domain.columns import Column, columns_for
from eval_tiers.domain.taxonomy import EDGE_STATUSES, STATUS_CODES
from eval_tiers.io.column_values import column_values
from eval_tiers.io.tables import column_array
from eval_tiers.settings import Settings
from eval_tiers.summaries.batch_clusters import ITEM_KEY, batch_clusters, coded, item_name
from eval_tiers.summaries.chain_figures import chain_figures
from eval_tiers.summaries.go_figures import go_figures
from eval_tiers.summaries.interval_figures import Figures, SliceSums
from eval_tiers.summaries.measure_table import MeasureTable
from eval_tiers.summaries.measures import measure_error_labels, measure_go_by_label
from eval_tiers.summaries.relabelled import KG_FIGURES, LABEL_FIGURES, figures_named, transitions
from eval_tiers.summaries.tally import Sides, Tallies, Tally
from eval_tiers.tiers.chains import ratio
from eval_tiers.tiers.error_labels import error_labels, hard_cases

if TYPE_CHECKING:
    from eval_tiers.io.table_reader import TableReader

CHAIN_INPUTS: Final = ("sample_id", "side", "source", "target", "status")
_KG_RATES: Final = ("hallucination_rate", "hallucination_rate_excl_gold", "in_kg_rate")
_OUTSIDE: Final = [STATUS_CODES[name] for name in ("reversed", "shortcut", "absent")]
_UNKNOWN: Final = STATUS_CODES["unknown_node"]
_SLICED: Final = ("split", "pert_type", "cell_line")


class ChainRelabeller:
    """Gives the rows of a run their labels anew, and tallies what rests on them.

    Parameters
    ----------
    tiers : frozenset of int
        Of the run.
    settings : Settings
        Those to label by.
    chains : TableReader or None
        The run's edges, read along with the samples; None where ``unknown_nodes`` stays as it
        was, so that rates do too.
    clustering : str
        Which rows the run takes together for its intervals.

    Attributes
    ----------
    matrix : int64[11, 11]
        Rows by label before and after.
    hard_changed_n : int
    """

    def __init__(
        self,
        tiers: frozenset[int],
        settings: Settings,
        chains: TableReader | None,
        clustering: str,
    ) -> None:
        self.tiers, self.settings, self.chains = tiers, settings, chains
        self.clustering = clustering
        self.columns = {column.name: column for column in columns_for(tiers)}
        self.tallies = Tallies()
        self.matrix = transitions(np.empty(0, np.int8), np.empty(0, np.int8))
        self.hard_changed_n = 0

    def relabel(self, samples: pa.Table) -> pa.Table:
        """Return a part of the samples table with its new labels; parts come in order.

        Raises
        ------
        ValueError, pyarrow.ArrowInvalid
            A column holds what it can't.
        """
        values = {
            name: column_values(column, samples[name])
            for name, column in self.columns.items()
            if column.kind != "text" or name in _SLICED
        }
        before, before_hard = values["error_label"], values["hard_case"]
        values["gold_in_kg"] = None
        new: dict[str, Any] = {}
        if self.chains is not None:
            new = self._rates(samples, values)
        values |= new
        labels = labels_of(samples, values, self.settings)
        hard = hard_cases(labels)
        values |= {"error_label": labels, "hard_case": hard}
        new |= {"error_label": labels, "hard_case": hard}
        self.matrix += transitions(before, labels)
        self.hard_changed_n += int(np.count_nonzero((before_hard == 1) != hard))
        self._tally(samples, values)
        return with_columns(samples, self.columns, new)

    def pooled(self) -> Figures:
        """Return the new figures of the whole run."""
        return dict(self._slices("all")).get("") or self._figures(Tally(), ())

    def by_slice(self) -> dict[str, dict[str, Figures]]:
        """Return the new figures of slices, by key of the summary."""
        return {
            f"by_{dimension}": {
                value or "(none)": figures for value, figures in self._slices(dimension)
            }
            for dimension in _SLICED
        }

    def by_file(self) -> dict[str, Figures]:
        """Return the new figures of gold files."""
        return dict(self._slices("file"))

    def _slices(self, dimension: str) -> Iterator[tuple[str, Figures]]:
        clusters = self.tallies.clusters_of(dimension, fields_of(self.clustering))
        for (kind, value), tally in self.tallies.slices.items():
            if kind == dimension:
                yield value, self._figures(tally, clusters.get(value, ()))

    def _figures(self, tally: Tally, sides: Sides) -> Figures:
        sums = SliceSums(tally, sides)
        figures = chain_figures(sums)
        if 3 in self.tiers:
            figures |= go_figures(sums, with_labels=True)
        names = LABEL_FIGURES if self.chains is None else (*LABEL_FIGURES, *KG_FIGURES)
        return figures_named(figures, names)

    def _rates(self, samples: pa.Table, values: dict[str, Any]) -> dict[str, Any]:
        """Work out anew what rests on pairs with an unknown node."""
        gold_n = np.maximum(values["gold_edge_n"], 0)
        predicted_n = values["predicted_edge_n"]
        found = self._outside(samples, gold_n, predicted_n)
        keep_unknown = self.settings.unknown_nodes == "hallucinated"

        def rate(side: str, n: NDArray[np.int64], of_side: str = "") -> NDArray[np.float64]:
            unknown, known = found[f"{of_side or side}_unknown"], found[f"{side}_outside"]
            if keep_unknown:
                return ratio(known + found[f"{side}_unknown"], n)
            return ratio(known, n - unknown)

        rates = {
            "hallucination_rate": rate("predicted", predicted_n),
            "hallucination_rate_excl_gold": rate("not_gold", predicted_n, "predicted"),
        }
        rates["in_kg_rate"] = 1.0 - rates["hallucination_rate"]
        gold_in_kg = 1.0 - rate("gold", gold_n)
        gold_in_kg[values["gold_edge_n"] < 0] = np.nan
        values["gold_in_kg"] = gold_in_kg
        return rates

    def _outside(
        self, samples: pa.Table, gold_n: NDArray[np.int64], predicted_n: NDArray[np.int64]
    ) -> dict[str, NDArray[np.int64]]:
        """Count pairs outside the KG: of gold, predicted, and predicted but not gold."""
        chains = self.chains
        if chains is None:
            raise RuntimeError("the chains were not opened")
        n = samples.num_rows
        sample = np.repeat(np.arange(n), gold_n + predicted_n)
        edges = chains.take(len(sample), CHAIN_INPUTS)
        owner = pc.take(samples["sample_id"], pa.array(sample))
        if not pc.all(pc.equal(edges["sample_id"], owner), min_count=0).as_py():
            raise chains.fault("its rows are not those of the samples table")
        status = column_values(Column("status", "code", 2, "", EDGE_STATUSES), edges["status"])
        is_gold = np.asarray(pc.equal(edges["side"], "gold").to_numpy(), np.bool_)
        key = _pair_keys(sample, edges)
        in_gold = np.isin(key, key[is_gold])
        counts = {}
        for side, among in (
            ("gold", is_gold), ("predicted", ~is_gold), ("not_gold", ~is_gold & ~in_gold)
        ):  # fmt: skip
            outside, unknown = among & np.isin(status, _OUTSIDE), among & (status == _UNKNOWN)
            counts[f"{side}_outside"] = np.bincount(sample[outside], minlength=n)
            counts[f"{side}_unknown"] = np.bincount(sample[unknown], minlength=n)
        return counts

    def _tally(self, samples: pa.Table, values: dict[str, Any]) -> None:
        table = MeasureTable(samples.num_rows, items_of(samples))
        table.share("all", np.ones(table.n, np.bool_))
        measure_error_labels(table, values)
        if self.chains is not None:
            for name in _KG_RATES:
                table.real(name, values[name])
            table.real("gold_in_kg_rate", values["gold_in_kg"])
        if 3 in self.tiers:
            measure_go_by_label(table, values)
        clusters = batch_clusters(
            self.clustering,
            lambda name: coded(samples[name].to_pylist()),
            lambda row: item_name(*(samples[name][row].as_py() for name in ITEM_KEY)),
        )
        self.tallies.slice("all").add(table.totals())
        for one in clusters:
            table.add_clusters(self.tallies, one, "all")
        sliced = {"file": samples["source_path"].to_pylist()}
        for dimension, found in (sliced | {name: values[name] for name in _SLICED}).items():
            table.add_by(self.tallies, dimension, found)
            for one in clusters:
                table.add_clusters(self.tallies, one, dimension, found)


def labels_of(samples: pa.Table, values: dict[str, Any], settings: Settings) -> NDArray[np.int8]:
    """Return the error label codes of rows of a samples table."""
    ends = pc.and_(pc.is_valid(samples["perturbation"]), pc.is_valid(samples["readout"]))
    return error_labels(
        has_label=values["predicted_label"] >= 0,
        correct=values["answer_correct"] == 1,
        has_gold_chain=values["gold_edge_n"] >= 0,
        has_ends=np.asarray(ends.to_numpy(), np.bool_),
        gold_edge_n=values["gold_edge_n"],
        predicted_edge_n=values["predicted_edge_n"],
        hallucination_rate=values["hallucination_rate"],
        connected=values["connected"],
        chain_coverage=values["chain_coverage"],
        sign_flip_n=values["sign_flip_n"],
        hallucination_threshold=settings.hallucination_threshold,
        coverage_threshold=settings.coverage_threshold,
    )


def with_columns(samples: pa.Table, columns: dict[str, Column], new: dict[str, Any]) -> pa.Table:
    """Return a table with the values of some columns replaced."""
    for name, values in new.items():
        place = samples.column_names.index(name)
        array = column_array(columns[name], values, samples.num_rows)
        samples = samples.set_column(place, name, array)
    return samples


def items_of(samples: pa.Table) -> NDArray[np.int32]:
    """Return the number of the gold record of each row; its rollouts are neighbours."""
    if not samples.num_rows:
        return np.empty(0, np.int32)
    new = np.zeros(samples.num_rows, np.bool_)
    for name in ("sample_id", "source_path", "source_line"):
        column = samples[name].combine_chunks()
        other = pc.fill_null(pc.not_equal(column[1:], column[:-1]), False)
        new[1:] |= other.to_numpy(zero_copy_only=False)
    return np.cumsum(new).astype(np.int32)


def _pair_keys(sample: NDArray[np.int64], edges: pa.Table) -> NDArray[np.int64]:
    """Return a number for each (sample, source, target)."""
    ends = pa.chunked_array([*edges["source"].chunks, *edges["target"].chunks], pa.string())
    words = pc.unique(ends)
    source, target = (
        pc.index_in(edges[name], value_set=words).to_numpy().astype(np.int64)
        for name in ("source", "target")
    )
    keys: NDArray[np.int64] = (sample * len(words) + source) * len(words) + target
    return keys
