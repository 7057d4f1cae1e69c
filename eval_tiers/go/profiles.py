"""IDF-weighted profiles of genes over the terms of a GMT file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from eval_tiers.go.gene_sets import GeneSets

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class GoProfiles:
    """One row a gene, one column a term, the term's weight where the gene is in the term.

    Attributes
    ----------
    weights : csr_array, float64[genes, terms]
        ln(N / df) with N genes in the GMT and df genes in the term, at least 0; column indices
        ascend in each row. A term that holds every gene weighs 0 (and is stored).
    annotation_n : int64[genes]
        Terms of each gene, at least 1.
    gene_sets : GeneSets
        Where they come from; `GeneSets.codes` gives the row of a gene.
    """

    weights: csr_array[np.float64, tuple[int, int]]
    annotation_n: npt.NDArray[np.int64]
    gene_sets: GeneSets

    @classmethod
    def from_gene_sets(cls, gene_sets: GeneSets) -> GoProfiles:
        """Weigh the terms of gene sets.

        References
        ----------
        docs/perturbreason.md, section 5 (term weight ln(N/df), profile = sum over genes).

        Examples
        --------
        >>> from eval_tiers.go.gene_sets import parse_gmt
        >>> gmt = b"T1\\t\\tA\\tB\\nT2\\t\\tB\\tC\\nT3\\t\\tC\\tD\\tE\\n"
        >>> profiles = GoProfiles.from_gene_sets(parse_gmt(gmt, "toy.gmt")[0])
        >>> profiles.weights.toarray().round(4)[1].tolist()
        [0.9163, 0.9163, 0.0]
        """
        from scipy.sparse import csr_array

        gene_total, set_total = len(gene_sets.genes), len(gene_sets.set_names)
        weight = np.log(gene_total / gene_sets.set_size)
        term = np.repeat(np.arange(set_total, dtype=np.int32), gene_sets.set_size)
        order = np.argsort(gene_sets.indices, kind="stable")
        indptr = np.concatenate(([0], np.cumsum(gene_sets.gene_annotation_n)))
        column = term[order]
        weights = csr_array(
            (weight[column], column, indptr.astype(np.int32)), shape=(gene_total, set_total)
        )
        return cls(weights, gene_sets.gene_annotation_n, gene_sets)

    @cached_property
    def padded(self) -> csr_array[np.float64, tuple[int, int]]:
        """`weights` with an empty last row, which gene code -1 selects; shares their memory."""
        from scipy.sparse import csr_array

        weights = self.weights
        return csr_array(
            (weights.data, weights.indices, np.append(weights.indptr, weights.indptr[-1])),
            shape=(weights.shape[0] + 1, weights.shape[1]),
        )

    @property
    def gene_n(self) -> int:
        """Genes, at least 1."""
        return len(self.annotation_n)
