"""Tier 3 of one sample, without the null distribution: GO similarity of the intermediates."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tests.oracle.chains import Chain, Value


@dataclass
class GeneSets:
    """A GMT: the genes of each term."""

    terms: dict[str, set[str]] = field(default_factory=dict)

    def add(self, name: str, genes: set[str]) -> None:
        self.terms.setdefault(name, set()).update(genes)

    def index(self) -> None:
        """The terms of each gene, and each term's weight; call once when all sets are there."""
        self.terms_of: dict[str, list[str]] = {}
        for name, genes in self.terms.items():
            for gene in sorted(genes):
                self.terms_of.setdefault(gene, []).append(name)
        gene_n = len(self.terms_of)
        self.weight = {
            name: math.log(gene_n / len(genes)) for name, genes in self.terms.items() if genes
        }

    def profile(self, genes: set[str]) -> dict[str, float]:
        """The sum over the genes of their terms' weights."""
        total: dict[str, float] = {}
        for gene in sorted(genes):
            for name in self.terms_of[gene]:
                total[name] = total.get(name, 0.0) + self.weight[name]
        return total


def norm(profile: dict[str, float]) -> float:
    return math.sqrt(math.fsum(value * value for value in profile.values()))


def cosine(one: dict[str, float], other: dict[str, float]) -> float | None:
    """The cosine of two profiles; None when one has no length."""
    length = norm(one) * norm(other)
    if length == 0:
        return None
    product = math.fsum(value * other[name] for name, value in one.items() if name in other)
    return min(1.0, product / length)


def intermediates(chain: Chain, start: str | None, end: str | None) -> set[str]:
    """Every node of the chain, on the path or not, but for perturbation and readout."""
    return {node for pair in chain for node in pair} - {start or "", end or ""}


def go_columns(
    gold: Chain | None,
    predicted: Chain,
    start: str | None,
    end: str | None,
    gene_sets: GeneSets | None,
) -> dict[str, Value]:
    """go_sim, go_sim_ref, go_trivial, go_null_reason of one sample."""
    row: dict[str, Value] = dict.fromkeys(("go_sim", "go_sim_ref", "go_trivial", "go_null_reason"))
    if gene_sets is None:
        return row
    if gold is None:
        row["go_null_reason"] = "no_gold_chain"
        return row
    gold_genes = intermediates(gold, start, end)
    predicted_genes = intermediates(predicted, start, end)
    gold_known = {gene for gene in gold_genes if gene in gene_sets.terms_of}
    predicted_known = {gene for gene in predicted_genes if gene in gene_sets.terms_of}

    reason: str | None = None
    similarity: float | None = None
    if not gold_genes:
        reason = "no_gold_gene"
    elif not gold_known:
        reason = "gold_unannotated"
    elif not predicted_genes:
        reason = "no_predicted_gene"
    elif not predicted_known:
        reason = "predicted_unannotated"
    elif gold_known == predicted_known:
        similarity = 1.0
    else:
        similarity = cosine(gene_sets.profile(gold_known), gene_sets.profile(predicted_known))
        if similarity is None:
            reason = "zero_weight"

    row["go_sim"] = similarity
    row["go_null_reason"] = reason
    if similarity is not None:
        row["go_trivial"] = gold_known == predicted_known
    if not gold_known and not predicted_known:
        row["go_sim_ref"] = 1.0
    elif not gold_known or not predicted_known:
        row["go_sim_ref"] = 0.0
    else:
        row["go_sim_ref"] = similarity
    return row
