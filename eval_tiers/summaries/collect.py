"""Makes the tallies of one scored batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.taxonomy import STATUS_CODES
from eval_tiers.metrics.classification import pass_at_k_values
from eval_tiers.summaries.cluster_sums import ClusterCodes, cluster_codes
from eval_tiers.summaries.measure_table import MeasureTable
from eval_tiers.summaries.measures import measure_chains, measure_go_sets, measure_labels
from eval_tiers.summaries.tally import Tallies, add_groups

if TYPE_CHECKING:
    from eval_tiers.domain.batch import Batch, BoolArray, FloatArray, IntArray
    from eval_tiers.tiers.chains import ChainMatch
    from eval_tiers.tiers.edges import EdgeSet
    from eval_tiers.tiers.evidence import KgEvidence


def collect(
    batch: Batch,
    columns: Mapping[str, Any],
    *,
    file: str,
    split: str | None,
    by: Sequence[str] = (),
    clusters: Sequence[ClusterCodes] = (),
    gold: EdgeSet | None = None,
    predicted: EdgeSet | None = None,
    match: ChainMatch | None = None,
    gold_evidence: KgEvidence | None = None,
    predicted_evidence: KgEvidence | None = None,
) -> Tallies:
    """Tally a batch: the whole, its file and split, and by type, cell line and other fields.

    Parameters
    ----------
    batch : Batch
        As read.
    columns : mapping of str to array
        Scored columns.
    file, split : str
        Slices that are the same for the whole batch.
    by : sequence of str
        Further columns (``by:<field>``) to slice by.
    clusters : sequence of ClusterCodes
        Which rows belong together, for intervals.
    gold, predicted, match, gold_evidence, predicted_evidence
        Of tier 2, None when it did not run.
    """
    tallies = Tallies()
    table = MeasureTable(batch.n, batch.item)
    measure_labels(table, columns)
    if (
        match is not None
        and gold is not None
        and predicted is not None
        and gold_evidence is not None
        and predicted_evidence is not None
    ):
        gold_in_kg = 1.0 - gold_evidence.hallucination_rate
        gold_in_kg[~batch.has_gold_chain] = np.nan
        measure_chains(
            table,
            columns,
            batch=batch,
            gold_in_kg=gold_in_kg,
            conflict_n=(gold.count(gold.conflict), predicted.count(predicted.conflict)),
            unsigned_shared_n=match.unsigned_shared_n,
            pairs=_node_counts((gold, gold_evidence), (predicted, predicted_evidence))
            | _pair_counts(gold, gold_evidence, "gold")
            | _pair_counts(predicted, predicted_evidence, "predicted"),
            expected=_expected_sums(predicted, predicted_evidence),
        )
    if "go_sim" in columns:
        measure_go_sets(table, columns)
    sliced = ["pert_type", "cell_line", *(f"by:{field}" for field in by)]
    for dimension, value in (("all", ""), ("file", file), ("split", split or "")):
        tallies.slice(dimension, value).add(table.totals())
        for one in clusters:
            table.add_clusters(tallies, one, dimension, value)
    for dimension in sliced:
        table.add_by(tallies, dimension, columns[dimension])
        for one in clusters:
            table.add_clusters(tallies, one, dimension, columns[dimension])
    right = np.asarray(columns["answer_correct"])
    for dimension, codes in (("perturbation", batch.perturbation), ("readout", batch.readout)):
        add_groups(tallies, dimension, batch.symbols, codes, table.units, right)
    if batch.n and int(batch.item[-1]) + 1 < batch.n:
        _count_rollouts(tallies, batch, columns, clusters)
    elif batch.n:
        ones = int(np.count_nonzero(right))
        tallies.rollouts = {(1, 1): ones, (0, 1): batch.n - ones}
        whole = tallies.slice("all").sums
        whole["vote_item_n"], whole["vote_right_n"], whole["vote_tied_n"] = batch.n, ones, 0
        _tally_items(tallies, clusters, right, {1: right.astype(np.float64)})
    return tallies


def _pair_counts(edges: EdgeSet, evidence: KgEvidence, side: str) -> dict[str, NDArray[np.int64]]:
    """Pairs a sample: in the KG, with both nodes known, and routes of two steps among the rest."""
    counts = {
        f"{side}_pair_in_kg_n": edges.count(evidence.in_kg),
        f"{side}_pair_known_n": edges.count(evidence.known),
        f"{side}_pair_n": edges.count(),
    }
    if side == "predicted":
        two_step = evidence.status == STATUS_CODES["shortcut"]
        counts["shortcut_open_n"] = edges.count(_open_pairs(evidence))
        counts["shortcut_seen_n"] = edges.count(two_step)
    return counts


def _node_counts(*sides: tuple[EdgeSet, KgEvidence]) -> dict[str, NDArray[np.int64]]:
    """Count edges a sample, and those with both ends in the KG, over both sides."""
    return {
        "chain_node_n": np.sum([edges.count() for edges, _ in sides], axis=0),
        "chain_node_in_kg_n": np.sum(
            [edges.count(evidence.known) for edges, evidence in sides], axis=0
        ),
    }


def _open_pairs(evidence: KgEvidence) -> BoolArray:
    """Pairs that could be shortcuts: both nodes known, not in the KG either way round."""
    return np.isin(evidence.status, (STATUS_CODES["shortcut"], STATUS_CODES["absent"]))


def _expected_sums(edges: EdgeSet, evidence: KgEvidence) -> dict[str, FloatArray]:
    """Add up expected pairs in the KG, and expected shortcuts among the open pairs."""
    open_pairs = _open_pairs(evidence)
    n = edges.n_samples
    return {
        "expected_in_kg": _sums(edges.sample, evidence.expected_in_kg, n),
        "expected_shortcut": _sums(
            edges.sample[open_pairs], evidence.expected_shortcut[open_pairs], n
        ),
    }


def _sums(sample: IntArray, values: FloatArray, n: int) -> FloatArray:
    return np.bincount(sample, weights=values, minlength=n).astype(np.float64)


def _count_rollouts(
    tallies: Tallies, batch: Batch, columns: Mapping[str, Any], clusters: Sequence[ClusterCodes]
) -> None:
    """Items by (right, rollouts), how often rollouts agree, and the same by cluster."""
    items = int(batch.item[-1]) + 1
    n = np.bincount(batch.item, minlength=items)
    right = np.bincount(batch.item[np.asarray(columns["answer_correct"])], minlength=items)
    keys, counts = np.unique(np.stack([right, n], axis=1), axis=0, return_counts=True)
    tallies.rollouts = {
        (int(key[0]), int(key[1])): int(count) for key, count in zip(keys, counts, strict=True)
    }
    votes = np.zeros((items, 4), np.int64)
    np.add.at(votes, (batch.item, columns["predicted_label"].astype(np.int64)), 1)  # -1: last
    voted = votes[:, :3]
    winner = voted.argmax(axis=1)
    best = voted.max(axis=1)
    tied = (voted == best[:, None]).sum(axis=1) > 1
    gold = np.zeros(items, np.int64)
    gold[batch.item] = columns["gold_label"]
    several = n > 1
    pairs = n * (n - 1) / 2
    same = (votes * (votes - 1) / 2).sum(axis=1)
    agreement = np.divide(same, pairs, out=np.zeros(items), where=several)
    voted_right = (best > 0) & ~tied & (winner == gold)
    first = np.searchsorted(batch.item, np.arange(items))
    _tally_items(
        tallies,
        [cluster_codes(one.name, one.clusters, one.codes[first], str) for one in clusters],
        voted_right,
        {k: pass_at_k_values(right, n, k) for k in _pass_sizes(n)},
        np.where(several, agreement, np.nan),
    )
    whole = tallies.slice("all").sums
    whole["vote_item_n"] = items
    whole["vote_right_n"] = int(np.count_nonzero(voted_right))
    whole["vote_tied_n"] = int(np.count_nonzero((best > 0) & tied))
    whole["agreement_item_n"] = int(np.count_nonzero(several))
    whole["agreement_sum"] = int(np.rint(agreement[several] * 10**9).sum())


def _tally_items(
    tallies: Tallies,
    clusters: Sequence[ClusterCodes],
    voted_right: BoolArray,
    passed: Mapping[int, FloatArray],
    agreement: FloatArray | None = None,
) -> None:
    """Tally what is of whole items, for the intervals of rollout figures."""
    n = len(voted_right)
    table = MeasureTable(n, np.arange(n, dtype=np.int32))
    table.share("vote", np.ones(n, np.bool_))
    table.share("vote_right", voted_right)
    for k, values in passed.items():
        table.real(f"pass_{k}", values)
    if agreement is not None:
        table.real("vote_agreement", agreement)
    tallies.slice("all").add(table.totals())
    for one in clusters:
        table.add_clusters(tallies, one, "all")


def _pass_sizes(n: NDArray[np.int64]) -> list[int]:
    """Return for which k pass@k may be asked for: powers of 2, and every number of rollouts."""
    sizes = set(np.unique(n).tolist())
    return sorted(sizes | {1 << power for power in range(int(n.max()).bit_length())})
