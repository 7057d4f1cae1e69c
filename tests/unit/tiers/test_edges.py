"""Collapsing repeated edges: the laws."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.tiers.edges import EdgeSet
from tests.oracle.chains import collapse
from tests.unit.tiers.building import SYMBOLS, Edge, batches, edge_set


def as_dicts(edges: EdgeSet, n: int) -> list[dict[tuple[str, str], int]]:
    """The signs of each sample's pairs."""
    found: list[dict[tuple[str, str], int]] = [{} for _ in range(n)]
    for sample, a, b, sign in zip(
        edges.sample.tolist(), edges.source.tolist(), edges.target.tolist(), edges.sign.tolist(),
        strict=True,
    ):  # fmt: skip
        found[sample][SYMBOLS[a], SYMBOLS[b]] = sign
    return found


@pytest.mark.parametrize(
    ("signs", "sign", "conflict"),
    [
        ([1], 1, False),
        ([-1], -1, False),
        ([0], 0, False),
        ([1, 1], 1, False),
        ([-1, -1, -1], -1, False),
        ([0, 0], 0, False),
        ([1, -1], 0, True),
        ([-1, 1, 1], 0, True),
        ([1, 0], 0, False),
        ([0, -1], 0, False),
        ([1, 0, -1], 0, True),
    ],
)
def test_signs_of_a_repeated_pair(signs: list[int], sign: int, conflict: bool) -> None:
    found = edge_set([[("A", each, "B") for each in signs]])
    assert (len(found), found.sign.tolist(), found.conflict.tolist()) == (1, [sign], [conflict])


def test_direction_and_sample_keep_pairs_apart() -> None:
    found = edge_set([[("A", 1, "B"), ("B", 1, "A")], [], [("A", -1, "B")]])
    assert as_dicts(found, 3) == [{("A", "B"): 1, ("B", "A"): 1}, {}, {("A", "B"): -1}]
    assert found.count().tolist() == [2, 0, 1]
    assert not found.conflict.any()


def test_no_edges() -> None:
    found = edge_set([[], []])
    assert (len(found), found.count().tolist()) == (0, [0, 0])
    assert found.find(edge_set([[("A", 1, "B")], []])).tolist() == [-1]


@given(batches)
def test_slow_reading_agrees(samples: list[list[Edge]]) -> None:
    found = edge_set(samples)
    assert as_dicts(found, len(samples)) == [collapse(chain) for chain in samples]
    assert found.count().tolist() == [len(collapse(chain)) for chain in samples]
    assert np.all(np.diff(found.key) > 0)


@given(batches, st.randoms(use_true_random=False))
def test_order_and_repetition_change_nothing(samples: list[list[Edge]], rng: random.Random) -> None:
    again = []
    for chain in samples:
        longer = chain + chain[: len(chain) // 2]
        rng.shuffle(longer)
        again.append(longer)
    one, other = edge_set(samples), edge_set(again)
    for name in ("key", "sign", "conflict"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()


@given(batches)
def test_collapsing_twice_is_collapsing_once(samples: list[list[Edge]]) -> None:
    once = as_dicts(edge_set(samples), len(samples))
    again = edge_set([[(a, sign, b) for (a, b), sign in chain.items()] for chain in once])
    assert as_dicts(again, len(samples)) == once


@given(batches)
def test_first_is_the_place_of_the_first_mention(samples: list[list[Edge]]) -> None:
    flat = [(n, a, b) for n, chain in enumerate(samples) for a, _, b in chain]
    found = edge_set(samples)
    for key, place in enumerate(found.first.tolist()):
        pair = (found.sample[key], SYMBOLS[found.source[key]], SYMBOLS[found.target[key]])
        assert flat.index(pair) == place


@given(batches, batches)
def test_find(some: list[list[Edge]], others: list[list[Edge]]) -> None:
    n = max(len(some), len(others))
    one = edge_set(some + [[]] * (n - len(some)))
    other = edge_set(others + [[]] * (n - len(others)))
    places = one.find(other).tolist()
    keys = one.key.tolist()
    assert places == [keys.index(key) if key in keys else -1 for key in other.key.tolist()]
