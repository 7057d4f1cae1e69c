"""Cosines of the summed profiles of paired gene lists."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from eval_tiers.go.profiles import GoProfiles

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Rows = csr_array[np.float64, tuple[int, int]]

_ANNOTATIONS_AT_ONCE = 1 << 20  # bounds memory, and keeps a chunk near the cache
_FEW_GENES = 6  # up to here adding rows one by one is faster than a matrix product


@dataclass(frozen=True, eq=False, slots=True)
class GeneLists:
    """Lists of gene codes, list ``i`` being ``gene[indptr[i]:indptr[i + 1]]``.

    Attributes
    ----------
    indptr : int64[lists + 1]
    gene : int64[entries]
        Rows of the profiles.
    """

    indptr: npt.NDArray[np.int64]
    gene: npt.NDArray[np.int64]

    @property
    def size(self) -> npt.NDArray[np.int64]:
        """Genes of each list, int64[lists]."""
        return np.diff(self.indptr)

    def take(self, chosen: npt.NDArray[np.int64]) -> GeneLists:
        """Return the chosen lists, in the order in which they are named."""
        size = self.size[chosen]
        indptr = np.concatenate(([0], np.cumsum(size)))
        shift = np.repeat(self.indptr[chosen] - indptr[:-1], size)
        return GeneLists(indptr, self.gene[np.arange(len(shift)) + shift])


def paired_cosines(
    left: GeneLists, right: GeneLists, profiles: GoProfiles
) -> npt.NDArray[np.float64]:
    """Return the cosine of the summed profiles of ``left[i]`` and ``right[i]``.

    Every sum runs over terms in ascending order, so a pair's value doesn't depend on the other
    pairs, to the last bit.

    Parameters
    ----------
    left, right : GeneLists
        As many lists on either side, of ascending, distinct genes.
    profiles : GoProfiles

    Returns
    -------
    float64[lists]
        In [0, 1]; NaN where a norm is 0 (an empty list, or terms of weight 0 alone).

    Examples
    --------
    >>> from eval_tiers.go.gene_sets import parse_gmt
    >>> gmt = b"T1\\t\\tA\\tB\\nT2\\t\\tB\\tC\\nT3\\t\\tC\\tD\\tE\\n"
    >>> profiles = GoProfiles.from_gene_sets(parse_gmt(gmt, "toy.gmt")[0])
    >>> b, c = (GeneLists(np.array([0, 1]), np.array([code])) for code in (1, 2))
    >>> paired_cosines(b, c, profiles).round(4).tolist()
    [0.6176]
    """
    # Lists of like length stand together, so that few long ones don't slow down the rest.
    order = np.argsort(np.maximum(left.size, right.size), kind="stable")
    load = np.cumsum((_load(left, profiles) + _load(right, profiles))[order])
    cuts = np.flatnonzero(np.diff(load // _ANNOTATIONS_AT_ONCE)) + 1
    result = np.full(len(order), np.nan)
    for start, stop in pairwise([0, *cuts.tolist(), len(order)]):
        some = order[start:stop]
        one = _profile_rows(left.take(some), profiles)
        other = _profile_rows(right.take(some), profiles)
        norm = _row_norms(one) * _row_norms(other)
        dot = _row_sums(one * other)
        result[some[norm > 0]] = dot[norm > 0] / norm[norm > 0]
    return np.asarray(np.clip(result, 0.0, 1.0))


def _load(lists: GeneLists, profiles: GoProfiles) -> npt.NDArray[np.int64]:
    total = np.concatenate(([0], np.cumsum(profiles.annotation_n[lists.gene])))
    return np.diff(total[lists.indptr])


def _profile_rows(lists: GeneLists, profiles: GoProfiles) -> Rows:
    """Sum the profiles of each list; columns ascend in each row.

    Both ways give the same bits: a term's weight is added to itself once a gene that has it.
    """
    from scipy.sparse import csr_array

    size = lists.size
    most = int(size.max(initial=0))
    if 0 < most <= _FEW_GENES:
        rows = profiles.padded[_nth_gene(lists, 0)]
        for rank in range(1, most):
            rows = rows + profiles.padded[_nth_gene(lists, rank)]
        return rows
    indicator = csr_array(
        (np.ones(len(lists.gene)), lists.gene, lists.indptr),
        shape=(len(size), profiles.gene_n),
    )
    rows = cast("Rows", indicator @ profiles.weights)
    rows.sort_indices()
    return rows


def _nth_gene(lists: GeneLists, rank: int) -> npt.NDArray[np.int64]:
    """Return the gene at a position of each list, -1 where the list is shorter."""
    has = lists.size > rank
    gene = np.full(len(has), -1, np.int64)
    gene[has] = lists.gene[lists.indptr[:-1][has] + rank]
    return gene


def _row_norms(matrix: Rows) -> npt.NDArray[np.float64]:
    squared = matrix.copy()
    squared.data *= squared.data
    return np.sqrt(_row_sums(squared))


def _row_sums(matrix: Rows) -> npt.NDArray[np.float64]:
    """Add up each row from left to right."""
    return np.asarray(matrix @ np.ones(matrix.shape[1]))
