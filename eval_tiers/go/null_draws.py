"""Seeded random gene sets of a given size and annotation, for the null of tier 3."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_BLOCK = 2048
_MAX_BLOCKS = 512
_HOPELESS_BLOCKS = 32
_BISECTIONS = 40
_POOL_STREAM = 1 << 20  # apart from the streams of bins


@dataclass(frozen=True, eq=False, slots=True)
class GenePool:
    """Genes to draw from, and how many genes of the GMT each stands for.

    Attributes
    ----------
    gene : int64[pool]
        Gene codes, ascending.
    annotation_n : int64[pool]
        Terms of each.
    weight : float64[pool]
        Genes of its stratum for each one in the pool, at least 1.
    """

    gene: npt.NDArray[np.int64]
    annotation_n: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float64]


def draw_pool(annotation_n: npt.NDArray[np.int64], size: int, seed: int, side: int) -> GenePool:
    """Draw up to ``size`` genes, as many from each stratum floor(log2(annotation count)).

    Strata smaller than their share are taken whole (so are all of them when ``size`` allows),
    and leave room for the others. The two sides get pools of their own: that a gene is met on
    both sides is then as likely as among all genes.
    """
    stratum = np.frexp(annotation_n.astype(np.float64))[1]
    rng = np.random.default_rng([seed, side, _POOL_STREAM])
    groups = sorted((np.flatnonzero(stratum == value) for value in np.unique(stratum)), key=len)
    genes, weights = [], []
    left = size
    for index, group in enumerate(groups):
        taken = min(len(group), max(1, left // (len(groups) - index)))
        left -= taken
        genes.append(rng.permutation(group)[:taken])
        weights.append(np.full(taken, len(group) / taken))
    gene, weight = np.concatenate(genes), np.concatenate(weights)
    order = np.argsort(gene)
    gene = gene[order].astype(np.int64)
    return GenePool(gene, annotation_n[gene], weight[order])


def draw_gene_sets(
    pool: GenePool, gene_n: int, log2_annotation: int, draws: int, seed: int, side: int
) -> npt.NDArray[np.int64] | None:
    """Draw random sets of ``gene_n`` distinct genes whose annotation counts add up alike.

    Every set whose sum has ``floor(log2(sum)) == log2_annotation`` is equally likely (a pool
    gene standing for its ``weight`` genes). Genes are proposed with weights tilted by
    ``exp(theta * annotation)``, theta such that sums fall near the bin, and accepted so that the
    tilt cancels.

    Returns
    -------
    int64[draws, gene_n] or None
        Positions in the pool; None when the bin can't be filled.
    """
    low, high = 2**log2_annotation, 2 ** (log2_annotation + 1) - 1
    ascending = np.sort(pool.annotation_n)
    if (
        gene_n > len(ascending)
        or ascending[:gene_n].sum() > high
        or ascending[-gene_n:].sum() < low
    ):
        return None
    theta = _tilt(pool, low / gene_n, high / gene_n)
    cumulative = np.cumsum(_tilted(pool, theta))
    cumulative /= cumulative[-1]
    edge = low if theta > 0 else high
    rng = np.random.default_rng([seed, side, gene_n, log2_annotation])
    found: list[npt.NDArray[np.int64]] = []
    found_n = 0
    for block in range(_MAX_BLOCKS):
        proposed = np.searchsorted(cumulative, rng.random((_BLOCK, gene_n)), side="right")
        luck = rng.random(_BLOCK)
        total = pool.annotation_n[proposed].sum(axis=1)
        within = (total >= low) & (total <= high)
        tilt = np.where(within, theta * (total - edge), 0.0)
        accepted = proposed[within & (luck < np.exp(-tilt))]
        accepted.sort(axis=1)
        accepted = accepted[(np.diff(accepted, axis=1) > 0).all(axis=1)]
        found.append(accepted)
        found_n += len(accepted)
        if found_n >= draws:
            return np.concatenate(found)[:draws]
        if found_n == 0 and block + 1 >= _HOPELESS_BLOCKS:
            break
    return None


def _tilted(pool: GenePool, theta: float) -> npt.NDArray[np.float64]:
    exponent = np.log(pool.weight) + theta * pool.annotation_n
    return np.asarray(np.exp(exponent - exponent.max()))


def _tilt(pool: GenePool, low: float, high: float) -> float:
    """Return theta for which the mean annotation count of a gene lies in [low, high]."""
    level, place = np.unique(pool.annotation_n, return_inverse=True)
    log_weight = np.log(np.bincount(place, weights=pool.weight))

    def mean(theta: float) -> float:
        exponent = log_weight + theta * level
        weight = np.exp(exponent - exponent.max())
        return float(np.dot(level, weight) / weight.sum())

    natural = mean(0.0)
    if low <= natural <= high:
        return 0.0
    target = low * 1.1 if natural < low else max(high * 0.9, low)
    below, above = -20.0, 20.0
    for _ in range(_BISECTIONS):
        middle = (below + above) / 2
        if mean(middle) < target:
            below = middle
        else:
            above = middle
    return (below + above) / 2
