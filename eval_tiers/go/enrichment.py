"""Which gene sets the genes of a class are enriched in: counts, and correction for many tests.

Pure: the hypergeometric tests themselves are those of gseapy's offline enrichment
(`eval_tiers.pipeline.enrichment`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.go.gene_sets import GeneSets

ALPHA: Final = 0.05
"""q up to which a set is called enriched in reports."""


@dataclass(frozen=True, slots=True)
class TermTest:
    """The test of one set in one class, before correction.

    Attributes
    ----------
    group : str
        The class.
    term : int
        Number of the set.
    overlap : tuple of int
        Genes of the class that the set holds; at least one.
    p_value : float
        Chance of as many or more among random genes of the background.
    odds_ratio : float
        With .5 added to each cell (Haldane-Anscombe).
    """

    group: str
    term: int
    overlap: tuple[int, ...]
    p_value: float
    odds_ratio: float


@dataclass(frozen=True, slots=True)
class EnrichedTerm:
    """One row of the table: a set that holds at least one gene of a class.

    Attributes
    ----------
    group, term, description : str
    overlap_n, group_gene_n, term_gene_n, background_gene_n : int
        Genes of the class in the set; of the class; of the set; of all. All of the background.
    expected_n : float
        Genes of the class in the set that chance would give.
    odds_ratio, p_value, q_value : float
    genes : tuple of str
        Those of the class in the set, sorted.
    """

    group: str
    term: str
    description: str
    overlap_n: int
    group_gene_n: int
    term_gene_n: int
    background_gene_n: int
    expected_n: float
    odds_ratio: float
    p_value: float
    q_value: float
    genes: tuple[str, ...]


def terms_within(
    sets: GeneSets, background: NDArray[np.int32], min_gene_n: int
) -> dict[int, NDArray[np.int32]]:
    """Return the sets that hold enough genes of the background, cut down to it.

    Parameters
    ----------
    sets : GeneSets
    background : int32[n]
        Gene codes, distinct.
    min_gene_n : int
        Fewest genes of the background that a set must hold to be tested.

    Returns
    -------
    dict of int to int32[...]
        Number of the set -> its gene codes, ascending.
    """
    inside = np.zeros(len(sets.genes), np.bool_)
    inside[background] = True
    kept = inside[sets.indices]
    term = np.repeat(np.arange(len(sets.set_names)), sets.set_size)[kept]
    gene = sets.indices[kept]
    size = np.bincount(term, minlength=len(sets.set_names))
    start = np.concatenate(([0], np.cumsum(size)))
    return {
        int(number): gene[start[number] : start[number + 1]]
        for number in np.flatnonzero(size >= max(1, min_gene_n))
    }


def q_values(p_values: Sequence[float], test_n: int) -> NDArray[np.float64]:
    """Return Benjamini-Hochberg's adjusted p-values.

    Parameters
    ----------
    p_values : sequence of float
        Of the tests that gave something.
    test_n : int
        Tests in all; those not among ``p_values`` have p = 1.

    Returns
    -------
    float64[n]
        In the order given; at most 1.

    Raises
    ------
    ValueError
        ``test_n`` is below the number of p-values.

    References
    ----------
    Benjamini & Hochberg 1995.

    Examples
    --------
    >>> q_values([0.01, 0.04], 4).tolist()
    [0.04, 0.08]
    """
    p = np.asarray(p_values, np.float64)
    if test_n < len(p):
        raise ValueError("fewer tests than p-values")
    order = np.argsort(p, kind="stable")
    raised = p[order] * test_n / np.arange(1, len(p) + 1)
    lowest = np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 1.0)
    result = np.empty(len(p))
    result[order] = lowest
    return result


def enriched_terms(
    tests: Iterable[TermTest],
    sets: GeneSets,
    terms: Mapping[int, NDArray[np.int32]],
    groups: Mapping[str, NDArray[np.int32]],
    background_n: int,
) -> list[EnrichedTerm]:
    """Correct over all sets and classes, and put the rows in order: class, q, p, name.

    Parameters
    ----------
    tests : iterable of TermTest
        Those with an overlap; every other pair of class and set is a test with p = 1.
    sets : GeneSets
    terms : mapping
        From `terms_within`.
    groups : mapping of str to int32[...]
        Gene codes of each tested class, in the order of the rows.
    background_n : int
        Genes of the background.
    """
    found = list(tests)
    corrected = q_values([test.p_value for test in found], len(terms) * len(groups))
    place = {name: number for number, name in enumerate(groups)}
    rows = []
    for test, q_value in zip(found, corrected.tolist(), strict=True):
        term_n, group_n = len(terms[test.term]), len(groups[test.group])
        rows.append(
            EnrichedTerm(
                test.group,
                sets.set_names[test.term],
                sets.descriptions[test.term],
                len(test.overlap),
                group_n,
                term_n,
                background_n,
                term_n * group_n / background_n,
                test.odds_ratio,
                test.p_value,
                q_value,
                tuple(sorted(sets.genes[gene] for gene in test.overlap)),
            )
        )
    return sorted(rows, key=lambda row: (place[row.group], row.q_value, row.p_value, row.term))
