"""Shares of a mixture against SciPy, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from eval_tiers.metrics.mixture_shares import mixture_shares

ROWS = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]])


def test_what_a_mixture_gives_is_found_again() -> None:
    shares = np.array([[0.2, 0.3, 0.5], [0.0, 0.25, 0.75], [1.0, 0.0, 0.0]])
    assert mixture_shares(ROWS, 500 * shares @ ROWS) == pytest.approx(shares, abs=1e-6)


def test_outside_of_the_mixtures_the_nearest_edge() -> None:
    # (.9 - .2) / (.8 - .2) = 1.17: more than there can be.
    assert mixture_shares([[0.8, 0.2], [0.2, 0.8]], [90, 10]).tolist() == [1, 0]
    assert mixture_shares([[0.8, 0.2], [0.2, 0.8]], [10, 90]).tolist() == [0, 1]


@pytest.mark.parametrize("seed", range(12))
def test_scipy_finds_nothing_likelier(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, v = int(rng.integers(2, 5)), int(rng.integers(4, 6))
    rows = rng.dirichlet(np.ones(v), size=k)
    observed = rng.multinomial(200, rng.dirichlet(np.ones(k)) @ rows)

    def loss(shares: np.ndarray) -> float:
        return -float(observed @ np.log(np.maximum(shares @ rows, 1e-300))) / 200

    found = mixture_shares(rows, observed)
    oracle = minimize(
        loss, np.full(k, 1 / k), method="SLSQP", bounds=[(0, 1)] * k,
        constraints={"type": "eq", "fun": lambda shares: shares.sum() - 1}, options={"ftol": 1e-14},
    )  # fmt: skip
    assert found.sum() == pytest.approx(1) and found.min() >= 0
    assert loss(found) <= oracle.fun + 1e-9
    assert found == pytest.approx(oracle.x, abs=2e-3)


def test_an_outcome_that_no_row_gives_is_left_out() -> None:
    rows = [[0.8, 0.2, 0.0], [0.3, 0.7, 0.0]]
    assert mixture_shares(rows, [55, 45, 30]).tolist() == pytest.approx(
        mixture_shares(rows, [55, 45, 0]).tolist()
    )
    assert np.isnan(mixture_shares(rows, [0, 0, 30])).all()
    assert np.isnan(mixture_shares(rows, [0, 0, 0])).all()


def test_many_at_once_are_the_same_as_one_by_one() -> None:
    rng = np.random.default_rng(1)
    rows = rng.dirichlet(np.ones(4), size=(5, 6, 3))
    observed = rng.multinomial(100, np.full(4, 0.25), size=(5, 6))
    together = mixture_shares(rows, observed)
    assert together.shape == (5, 6, 3)
    one = mixture_shares(rows[2, 3], observed[2, 3])
    assert together[2, 3] == pytest.approx(one, abs=1e-9)
    assert mixture_shares(np.zeros((0, 3, 4)), np.zeros((0, 4))).shape == (0, 3)


def test_equal_rows_and_impossible_cells() -> None:
    same = mixture_shares([[0.5, 0.5], [0.5, 0.5]], [70, 30])
    assert same.sum() == pytest.approx(1) and same.min() >= 0
    assert mixture_shares(np.eye(3), [70, 30, 0]) == pytest.approx([0.7, 0.3, 0], abs=1e-9)
