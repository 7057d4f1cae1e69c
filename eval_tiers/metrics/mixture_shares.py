"""Shares of a mixture of known distributions, by maximum likelihood, many mixtures at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_STEPS = 100
_TOLERANCE = 1e-12
_CENTRING = 0.1
_TO_THE_EDGE = 0.99


def mixture_shares(rows: ArrayLike, observed: ArrayLike) -> Floats:
    """Return the shares under which what was observed is likeliest.

    Maximises the multinomial likelihood of ``observed`` under ``shares @ rows`` over shares of
    at least 0 that add up to 1. With ``sum(shares)`` as a penalty the constraint on the sum
    holds by itself, which leaves a convex problem in the shares alone; it is solved by a
    primal-dual interior-point method, for all draws side by side.

    An outcome that was observed but that no row gives (a column of zeros) says nothing about the
    shares: it is left out, as in the limit of equal small probabilities.

    Parameters
    ----------
    rows : (..., k, v) array
        Distributions of the k components over v outcomes; each row adds up to 1.
    observed : (..., v) array
        Counts or weights of the outcomes, at least 0.

    Returns
    -------
    (..., k) array
        Shares; nan where nothing that a row gives was observed. Where rows are the same, one of
        the likeliest divisions.

    References
    ----------
    Wright 1997, Primal-Dual Interior-Point Methods, doi:10.1137/1.9781611971453.

    Examples
    --------
    >>> mixture_shares([[0.8, 0.2], [0.3, 0.7]], [55, 45]).round(6).tolist()
    [0.5, 0.5]
    >>> mixture_shares([[0.8, 0.2], [0.3, 0.7]], [90, 10]).round(6).tolist()
    [1.0, 0.0]
    """
    m: Floats = np.asarray(rows, np.float64)
    seen: Floats = np.asarray(observed, np.float64)
    shape = np.broadcast_shapes(m.shape[:-2], seen.shape[:-1])
    k, v = m.shape[-2:]
    m = np.broadcast_to(m, (*shape, k, v)).reshape(-1, k, v)
    seen = np.broadcast_to(seen, (*shape, v)).reshape(-1, v)
    given = (m.max(axis=1) > 0) & (seen > 0)
    seen = np.where(given, seen, 0.0)
    total = seen.sum(axis=1)
    shares = _solve(m[total > 0], seen[total > 0] / total[total > 0, None])
    found = np.full((len(m), k), np.nan)
    found[total > 0] = shares
    return found.reshape(*shape, k)


def _solve(m: Floats, seen: Floats) -> Floats:
    """Minimise ``sum(shares) - sum(seen * log(shares @ m))`` over shares of at least 0.

    Rows of the result that have converged are left alone while the others go on.
    """
    n, k, _ = m.shape
    shares, duals = np.full((n, k), 1 / k), np.ones((n, k))
    open_rows = np.arange(n)
    for _ in range(_STEPS):
        some, x, z = m[open_rows], shares[open_rows], duals[open_rows]
        of_seen = seen[open_rows]
        mix = np.einsum("nk,nkv->nv", x, some)
        ratio = np.divide(of_seen, mix, out=np.zeros_like(mix), where=of_seen > 0)
        gradient = 1 - np.einsum("nkv,nv->nk", some, ratio)
        gap = np.einsum("nk,nk->n", x, z) / k
        far = np.maximum(gap, np.abs(gradient - z).max(axis=1)) >= _TOLERANCE
        if not far.any():
            break
        open_rows, x, z = open_rows[far], x[far], z[far]
        target = (_CENTRING * gap[far])[:, None] / x
        # In units of sqrt(x / z) no eigenvalue is below 1, however near the edge.
        unit = np.sqrt(x / z)
        half = np.divide(ratio, mix, out=np.zeros_like(mix), where=of_seen > 0)[far]
        curve = np.einsum("nkv,nv,nlv->nkl", some[far], half, some[far])
        curve *= unit[:, :, None] * unit[:, None, :]
        right = (unit * (target - gradient[far]))[..., None]
        step = unit * np.linalg.solve(curve + np.eye(k), right)[..., 0]
        dual_step = target - z - z / x * step
        shares[open_rows] = x + _length(x, step)[:, None] * step
        duals[open_rows] = z + _length(z, dual_step)[:, None] * dual_step
    shares = np.where(shares < 100 * _TOLERANCE, 0.0, shares)
    scaled: Floats = shares / shares.sum(axis=1, keepdims=True)
    return scaled


def _length(values: Floats, step: Floats) -> Floats:
    """Return how far each row may go along its step and stay above 0; at most 1."""
    steepest: Floats = (-step / values).max(axis=1)
    length: Floats = _TO_THE_EDGE / np.maximum(steepest, _TO_THE_EDGE)
    return length
