"""The null of tier 3: cosines of random gene sets that are annotated like the chains' genes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from eval_tiers.go.bins import bin_codes, bin_parts
from eval_tiers.go.null_draws import GenePool, draw_gene_sets, draw_pool
from eval_tiers.go.profiles import GoProfiles

if TYPE_CHECKING:
    from scipy.sparse import csr_array

POOL_GENES = 2048

_ROWS_AT_ONCE = 256  # bounds the memory of the sparse product
_GOLD, _PREDICTED = 0, 1
_COMMON_GENE_N = 3


@dataclass(frozen=True, eq=False, slots=True)
class _Draws:
    member: npt.NDArray[np.int64]
    norm: npt.NDArray[np.float64]


class GoNull:
    """Mean and 95th percentile of the cosine of random gene sets, for each pair of bins.

    A bin is a gene count and floor(log2) of the summed annotation count (`eval_tiers.go.bins`).
    For a pair of bins, ``draws`` random sets of the gold bin meet ``draws`` random sets of the
    predicted bin, one to one. Each side draws from a pool of its own of up to 2,048 genes,
    stratified by annotation, each standing for its share of the GMT, so that the gene-gene
    products of the pools can be held; nothing is excluded but repeats within a set. What a bin
    gives depends on the gene sets, ``draws`` and ``seed`` alone: not on the rows, their order,
    batches or processes.

    Parameters
    ----------
    profiles : GoProfiles
    draws : int
        Random sets a bin, at least 1; default 1,000.
    seed : int
        At least 0.
    pool_genes : int
        Most genes in a pool (memory: 12 bytes times its square, some 50 MB at 2,048).

    References
    ----------
    docs/perturbreason.md, section 5, "Against chance".
    """

    def __init__(
        self,
        profiles: GoProfiles,
        draws: int = 1000,
        seed: int = 0,
        pool_genes: int = POOL_GENES,
    ) -> None:
        self._profiles = profiles
        self._draws = draws
        self._seed = seed
        self._pool_genes = pool_genes
        self._own_kernels: dict[int, npt.NDArray[np.float32]] = {}
        self._bins: dict[tuple[int, int], _Draws | None] = {}
        self._pairs: dict[tuple[int, int], tuple[float, float]] = {}

    def mean_and_p95(
        self, bin_pairs: npt.NDArray[np.integer]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the null of each pair of bins.

        Parameters
        ----------
        bin_pairs : int[m, 2]
            Gold and predicted bin codes.

        Returns
        -------
        mean, p95 : float64[m]
            In [0, 1]; NaN where a bin is -1 or can't be filled.
        """
        key = (bin_pairs[:, 0].astype(np.int64) << 32) + bin_pairs[:, 1]
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        values = np.array(
            [self._pair(int(gold), int(predicted)) for gold, predicted in bin_pairs[first]],
            np.float64,
        ).reshape(-1, 2)
        return values[inverse, 0], values[inverse, 1]

    def prepare(self, common_bins: bool = False) -> None:
        """Work out what bins share, so that processes that get a copy later have it.

        With ``common_bins`` the sets of the usual chains are drawn as well: those of one to
        three genes.
        """
        self._kernel  # noqa: B018 - cached on first use
        if not common_bins:
            return
        most = int(self._profiles.annotation_n.max(initial=1))
        for side in (_GOLD, _PREDICTED):
            for gene_n in range(1, _COMMON_GENE_N + 1):
                log2 = np.arange((most * gene_n).bit_length())
                for code in bin_codes(np.full(len(log2), gene_n), 2**log2).tolist():
                    self._bin(side, code)

    @property
    def unfilled_bins(self) -> tuple[tuple[str, int, int], ...]:
        """Bins met so far that can't be filled: side, genes, log2 of the annotation count."""
        sides = ("gold", "predicted")
        return tuple(
            (sides[side], *bin_parts(code))
            for (side, code), drawn in sorted(self._bins.items(), key=lambda item: item[0])
            if drawn is None
        )

    @cached_property
    def _pools(self) -> tuple[GenePool, GenePool]:
        annotation_n = self._profiles.annotation_n
        return (
            draw_pool(annotation_n, self._pool_genes, self._seed, _GOLD),
            draw_pool(annotation_n, self._pool_genes, self._seed, _PREDICTED),
        )

    @cached_property
    def _kernel(self) -> npt.NDArray[np.float32]:
        """Dot products of the pools' gene profiles, float32[gold pool, predicted pool]."""
        gold, predicted = (self._profiles.weights[pool.gene] for pool in self._pools)
        return _products(gold, predicted)

    def _own_kernel(self, side: int) -> npt.NDArray[np.float32]:
        """Dot products within the pool of one side, float32[pool, pool]."""
        if side not in self._own_kernels:
            rows = self._profiles.weights[self._pools[side].gene]
            self._own_kernels[side] = _products(rows, rows)
        return self._own_kernels[side]

    def _pair(self, gold_bin: int, predicted_bin: int) -> tuple[float, float]:
        pair = (gold_bin, predicted_bin)
        if pair not in self._pairs:
            gold = self._bin(_GOLD, gold_bin)
            predicted = self._bin(_PREDICTED, predicted_bin)
            self._pairs[pair] = self._statistics(gold, predicted)
        return self._pairs[pair]

    def _bin(self, side: int, code: int) -> _Draws | None:
        if code < 0:
            return None
        if (side, code) not in self._bins:
            gene_n, log2 = bin_parts(code)
            pool = self._pools[side]
            member = draw_gene_sets(pool, gene_n, log2, self._draws, self._seed, side)
            drawn = None
            if member is not None:
                own = self._own_kernel(side)[member[:, :, None], member[:, None, :]]
                square = own.sum(axis=(1, 2), dtype=np.float64)
                drawn = _Draws(member, np.sqrt(np.maximum(square, 0.0)))
            self._bins[side, code] = drawn
        return self._bins[side, code]

    def _statistics(self, gold: _Draws | None, predicted: _Draws | None) -> tuple[float, float]:
        if gold is None or predicted is None:
            return np.nan, np.nan
        norm = gold.norm * predicted.norm
        weighty = norm > 0
        if not weighty.any():
            return np.nan, np.nan
        products = self._kernel[gold.member[:, :, None], predicted.member[:, None, :]]
        dot = products.sum(axis=(1, 2), dtype=np.float64)
        cosine = np.clip(dot[weighty] / norm[weighty], 0.0, 1.0)
        cosine.sort()
        place = 0.95 * (len(cosine) - 1)
        low = int(place)
        high = min(low + 1, len(cosine) - 1)
        p95 = cosine[low] + (place - low) * (cosine[high] - cosine[low])
        return float(cosine.mean()), float(p95)


def _products(rows: csr_array, others: csr_array) -> npt.NDArray[np.float32]:
    """Return the dense products of sparse rows with others, some rows at a time."""
    columns = others.T.tocsr()
    found = np.empty((rows.shape[0], others.shape[0]), np.float32)
    for start in range(0, len(found), _ROWS_AT_ONCE):
        part = rows[start : start + _ROWS_AT_ONCE] @ columns
        found[start : start + _ROWS_AT_ONCE] = part.toarray()
    return found
