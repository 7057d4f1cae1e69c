"""Agreement of two raters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval_tiers.metrics.intervals import Z_95, wilson_interval

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CategoryAgreement:
    """One category, of all rated: how common it is, and how often the raters part over it.

    Attributes
    ----------
    first_rate, second_rate : float
        Share that each rater puts into it (its prevalence).
    missed_rate : float or None
        Of what the first rater puts into it, what the second doesn't; None for none.
    false_rate : float or None
        Of what the first rater doesn't, what the second does.
    """

    first_rate: float
    second_rate: float
    missed_rate: float | None
    false_rate: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Cohen's kappa with what it hides.

    Attributes
    ----------
    n : int
    raw : float or None
        Share rated the same; None for n = 0.
    kappa : float or None
        None where it is undefined: nothing rated, or both raters used one and the same category.
    interval : (low, high) or None
        95 % of kappa, normal; None where all are rated the same, for it would have no width.
    raw_interval : (low, high) or None
        95 % of the share, Wilson's.
    categories : dict of CategoryAgreement
    """

    n: int
    raw: float | None
    kappa: float | None
    interval: tuple[float, float] | None
    raw_interval: tuple[float, float] | None
    categories: dict[str, CategoryAgreement]


def cohen_kappa(first: Sequence[str], second: Sequence[str]) -> Agreement:
    """Compare two raters on the same items.

    Parameters
    ----------
    first, second : sequences of str
        The categories given, item by item. The first is the reference of both error rates.

    References
    ----------
    Cohen 1960, doi:10.1177/001316446002000104; Fleiss, Cohen & Everitt 1969,
    doi:10.1037/h0028106 (its variance).

    Examples
    --------
    >>> found = cohen_kappa(["yes", "yes", "no", "no"], ["yes", "no", "no", "no"])
    >>> found.raw, found.kappa, found.categories["yes"].missed_rate
    (0.75, 0.5, 0.5)
    >>> cohen_kappa(["yes", "yes"], ["yes", "yes"]).kappa is None
    True
    """
    pairs = list(zip(first, second, strict=True))
    names = sorted({*first, *second})
    n = len(pairs)
    if n == 0:
        return Agreement(0, None, None, None, None, {})
    place = {name: i for i, name in enumerate(names)}
    table = np.zeros((len(names), len(names)))
    np.add.at(table, ([place[a] for a, _ in pairs], [place[b] for _, b in pairs]), 1)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    categories = {
        name: CategoryAgreement(
            float(rows[i] / n),
            float(columns[i] / n),
            float(1 - table[i, i] / rows[i]) if rows[i] else None,
            float((columns[i] - table[i, i]) / (n - rows[i])) if rows[i] < n else None,
        )
        for name, i in place.items()
    }
    raw = float(np.trace(table)) / n
    of_raw = wilson_interval(float(np.trace(table)), n)
    if len(names) == 1:
        return Agreement(n, raw, None, None, of_raw, categories)
    chance = float(rows @ columns) / n**2
    kappa = (raw - chance) / (1 - chance)
    half = Z_95 * _standard_error(table / n, raw, chance) / math.sqrt(n)
    ends = (max(-1.0, kappa - half), min(1.0, kappa + half)) if half > 1e-12 else None
    return Agreement(n, raw, kappa, ends, of_raw, categories)


def _standard_error(shares: Floats, raw: float, chance: float) -> float:
    """Return the standard error of kappa times the root of n."""
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    both = rows[None, :] + columns[:, None]  # [i, j]: rows[j] + columns[i]
    kappa = (raw - chance) / (1 - chance)
    agreed = np.diag(shares)
    on = float(agreed @ (1 - (rows + columns) * (1 - kappa)) ** 2)
    off = (1 - kappa) ** 2 * float((shares * both**2).sum() - agreed @ (rows + columns) ** 2)
    variance = (on + off - (kappa - chance * (1 - kappa)) ** 2) / (1 - chance) ** 2
    return math.sqrt(max(0.0, variance))
