"""Bins of the tier 3 null: how many genes a set has, and how well annotated they are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

EXACT_GENE_N = 8
_COARSE = ((9, 10), (13, 16), (21, 26), (33, 40))
_CLASS_START = np.array([*range(1, EXACT_GENE_N + 1), *(start for start, _ in _COARSE)])
CLASS_GENE_N = np.array([*range(1, EXACT_GENE_N + 1), *(size for _, size in _COARSE)])
"""Genes that stand for each class of counts: 1 to 8 exactly, then 9-12, 13-20, 21-32, 33 and up."""

_STRIDE = 64


def bin_codes(
    gene_n: npt.NDArray[np.int64], annotation_n: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Return the bin of each gene set.

    Parameters
    ----------
    gene_n : int64[n]
        Genes of each set, 0 for none.
    annotation_n : int64[n]
        Summed annotation count (terms of each gene, added up), at least `gene_n`.

    Returns
    -------
    int32[n]
        ``64 * class + floor(log2(annotation count))``; -1 for an empty set. Counts up to 8 are
        classes of their own; above, `CLASS_GENE_N` genes stand for the class, and the annotation
        count is scaled to that many genes (so that the mean per gene is kept).

    Examples
    --------
    >>> bin_codes(np.array([0, 1, 2]), np.array([0, 5, 64])).tolist()
    [-1, 2, 70]
    """
    size_class = np.searchsorted(_CLASS_START, gene_n, side="right") - 1
    scaled = annotation_n.copy()
    coarse = gene_n > EXACT_GENE_N
    scaled[coarse] = annotation_n[coarse] * CLASS_GENE_N[size_class[coarse]] // gene_n[coarse]
    # frexp's exponent is exact: x = m * 2**e with .5 <= m < 1.
    log2 = np.frexp(np.maximum(scaled, 1).astype(np.float64))[1] - 1
    return np.where(gene_n > 0, size_class * _STRIDE + log2, -1).astype(np.int32)


def bin_parts(code: int) -> tuple[int, int]:
    """Return (genes, floor of log2 of the annotation count) of a bin code that isn't -1.

    Examples
    --------
    >>> bin_parts(70)
    (2, 6)
    """
    return int(CLASS_GENE_N[code // _STRIDE]), code % _STRIDE
