"""Enrichment: sets cut down to a background, Benjamini-Hochberg, the order of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from eval_tiers.go.enrichment import TermTest, enriched_terms, q_values, terms_within
from eval_tiers.go.gene_sets import parse_gmt

SETS, _ = parse_gmt(b"T1\tfirst\tA\tB\tC\nT2\t\tC\tD\nT3\t\tE\n", "toy.gmt")


def codes(*names: str) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return SETS.codes(names)


def test_sets_are_cut_down_to_the_background() -> None:
    found = terms_within(SETS, codes("B", "C", "E"), 1)
    assert {SETS.set_names[term]: genes.tolist() for term, genes in found.items()} == {
        "T1": codes("B", "C").tolist(),
        "T2": codes("C").tolist(),
        "T3": codes("E").tolist(),
    }
    assert list(terms_within(SETS, codes("B", "C", "E"), 2)) == [0]
    assert terms_within(SETS, codes(), 0) == {}


@given(
    p=st.lists(st.floats(0, 1), min_size=1, max_size=30), more=st.integers(0, 20), data=st.data()
)
def test_q_values_agree_with_scipy_and_statsmodels(
    p: list[float], more: int, data: st.DataObject
) -> None:
    found = q_values(p, len(p) + more)
    everything = [*p, *[1.0] * more]
    np.testing.assert_allclose(found, false_discovery_control(everything)[: len(p)], atol=1e-12)
    oracle = multipletests(everything, method="fdr_bh")[1]
    np.testing.assert_allclose(found, oracle[: len(p)], atol=1e-12)
    order = data.draw(st.permutations(range(len(p))))
    np.testing.assert_array_equal(q_values([p[place] for place in order], len(everything)),
                                  found[list(order)])  # fmt: skip


def test_q_values_of_nothing() -> None:
    assert q_values([], 0).tolist() == []
    with pytest.raises(ValueError, match="fewer tests"):
        q_values([0.1, 0.2], 1)


def test_rows_by_hand() -> None:
    """Background A-D: 2 sets, 2 classes, so 4 tests of which 3 have an overlap."""
    background = codes("A", "B", "C", "D")
    terms = terms_within(SETS, background, 1)
    groups = {"Y": codes("A", "B"), "X": codes("C", "D")}
    tests = [
        TermTest("X", 0, (int(codes("C")[0]),), 1.0, 0.2),
        TermTest("X", 1, tuple(codes("C", "D").tolist()), 1 / 6, 25.0),
        TermTest("Y", 0, tuple(codes("B", "A").tolist()), 0.5, 5.0),
    ]
    rows = enriched_terms(tests, SETS, terms, groups, len(background))
    assert [(row.group, row.term, row.genes) for row in rows] == [
        ("Y", "T1", ("A", "B")),
        ("X", "T2", ("C", "D")),
        ("X", "T1", ("C",)),
    ]
    assert [row.q_value for row in rows] == pytest.approx([1.0, 4 / 6, 1.0])
    first = rows[0]
    assert (first.overlap_n, first.group_gene_n, first.term_gene_n) == (2, 2, 3)
    assert (first.background_gene_n, first.expected_n, first.description) == (4, 1.5, "first")
