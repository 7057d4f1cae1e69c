"""Tier 3 for cited evidence: whether the mechanism that is told is about the gene's biology.

Source: specification of RR-10, section 5.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from eval_tiers.domain.rr10_columns import GO_FOCUS_NULL_REASONS
from eval_tiers.go.cosines import GeneLists, paired_cosines
from eval_tiers.go.gene_sets import GeneSets
from eval_tiers.go.profiles import GoProfiles

NULL_CODES = {name: code for code, name in enumerate(GO_FOCUS_NULL_REASONS)}


class GoFocus:
    """The gene sets of one organism, asked about anchors and mechanism genes.

    Parameters
    ----------
    gene_sets : GeneSets
        GO-BP sets of the organism.
    """

    def __init__(self, gene_sets: GeneSets) -> None:
        self.gene_sets = gene_sets
        self.profiles = GoProfiles.from_gene_sets(gene_sets)
        self._set_of = {name: place for place, name in enumerate(gene_sets.set_names)}

    def anchor(self, gene: str) -> list[int]:
        """Return the gene's code; the codes of its members where it is a gene set; else none."""
        place = self._set_of.get(gene.strip())
        if place is not None:
            start, stop = self.gene_sets.indptr[place : place + 2]
            return sorted(map(int, self.gene_sets.indices[start:stop]))
        return self.codes([gene])

    def codes(self, genes: Sequence[str]) -> list[int]:
        """Return the distinct codes of the genes that are annotated, ascending."""
        return sorted({code for code in self.gene_sets.codes(genes).tolist() if code >= 0})

    def similarity(
        self, anchors: Sequence[str], mechanisms: Sequence[Sequence[str]]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int8]]:
        """Return the cosine of each anchor's profile and that of its mechanism genes.

        Parameters
        ----------
        anchors : sequence of str
            Gene, or gene set, of each row.
        mechanisms : sequence of sequence of str
            Mechanism genes of each row, at least one.

        Returns
        -------
        similarity : float64[rows]
            In [0, 1]; NaN where there is none.
        reason : int8[rows]
            Code into `GO_FOCUS_NULL_REASONS`, -1 where there is a similarity.
        """
        left = [self.anchor(gene) for gene in anchors]
        right = [self.codes(genes) for genes in mechanisms]
        values = paired_cosines(_lists(left), _lists(right), self.profiles)
        reason = np.where(np.isnan(values), NULL_CODES["zero_weight"], -1).astype(np.int8)
        reason[[not codes for codes in right]] = NULL_CODES["mechanism_unannotated"]
        reason[[not codes for codes in left]] = NULL_CODES["gene_unannotated"]
        values[reason >= 0] = np.nan
        return values, reason


def _lists(codes: Sequence[Sequence[int]]) -> GeneLists:
    indptr = np.concatenate(([0], np.cumsum([len(part) for part in codes]))).astype(np.int64)
    flat = np.array([code for part in codes for code in part], np.int64)
    return GeneLists(indptr, flat)
