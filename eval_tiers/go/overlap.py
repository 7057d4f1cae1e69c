"""Whether the chains and the gene sets speak of the same genes."""

from __future__ import annotations

from collections.abc import Iterable

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.go.gene_sets import GeneSets
from eval_tiers.go.identifiers import likely_kind

MIN_OVERLAP = 0.05


def check_overlap(
    chain_genes: Iterable[str], gene_sets: GeneSets, path: str | None = None
) -> Finding | None:
    """Warn when under 5 % of the chains' genes are in the gene sets.

    Parameters
    ----------
    chain_genes : iterable of str
        Nodes of the chains, gold and predicted; repeats count once.
    gene_sets : GeneSets
    path : str, optional
        The GMT file, for the message.

    Returns
    -------
    Finding or None
        A warning ``gmt-overlap`` that names the likely identifier type of both sides; None when
        the overlap is fine or there are no chain genes.

    References
    ----------
    docs/inputs.md, "Gene sets".
    """
    distinct = sorted({name.strip() for name in chain_genes} - {""})
    if not distinct:
        return None
    shared = int((gene_sets.codes(distinct) >= 0).sum())
    if shared >= MIN_OVERLAP * len(distinct):
        return None
    ours, theirs = likely_kind(distinct), likely_kind(gene_sets.genes)
    if ours != theirs:
        fix = f"give a GMT file with names of the kind of the chains ({ours})"
    else:
        fix = "give a GMT file of the chains' organism"
    return Finding(
        "gmt-overlap",
        f"only {shared:,} of {len(distinct):,} chain genes are in the gene sets; "
        f"sets look like: {theirs} (e.g. {gene_sets.genes[0]}), "
        f"chains like: {ours} (e.g. {distinct[0]})",
        SourceRef(path),
        "warning",
        fix,
    )
