"""The null of tier 3: bins, draws, and agreement with brute force."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from eval_tiers.go.bins import CLASS_GENE_N, bin_codes, bin_parts
from eval_tiers.go.gene_sets import parse_gmt
from eval_tiers.go.null_draws import draw_gene_sets, draw_pool
from eval_tiers.go.nulls import GoNull
from eval_tiers.go.profiles import GoProfiles
from eval_tiers.io.gene_sets import read_gene_sets
from tests.unit.go.samples import HUMAN, real_file


@pytest.fixture(scope="module")
def profiles() -> GoProfiles:
    """300 genes of very different annotation in 200 terms."""
    rng = np.random.default_rng(3)
    share = rng.beta(0.4, 4, 300)
    lines = []
    for term in range(200):
        chosen = np.flatnonzero(rng.random(300) < share)
        lines.append(f"T{term}\t\tCOMMON\t" + "\t".join(f"G{gene}" for gene in chosen))
    return GoProfiles.from_gene_sets(parse_gmt("\n".join(lines).encode(), "random.gmt")[0])


def code(gene_n: int, log2: int) -> int:
    return int(bin_codes(np.array([gene_n]), np.array([2**log2]))[0])


def brute_force(
    profiles: GoProfiles, gene_n: int, log2: int, draws: int, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Profiles of sets of distinct genes drawn from all genes, kept when they fall in the bin."""
    kept: list[npt.NDArray[np.int64]] = []
    while len(kept) < draws:
        genes = rng.integers(0, profiles.gene_n, (20_000, gene_n))
        total = profiles.annotation_n[genes].sum(axis=1)
        genes.sort(axis=1)
        fits = (total >= 2**log2) & (total < 2 ** (log2 + 1))
        fits &= (np.diff(genes, axis=1) > 0).all(axis=1)
        kept.extend(genes[fits])
    chosen = np.array(kept[:draws])
    return np.asarray(sum(profiles.weights[chosen[:, rank]].toarray() for rank in range(gene_n)))


def assert_agrees(profiles: GoProfiles, gold: tuple[int, int], predicted: tuple[int, int]) -> None:
    rng = np.random.default_rng(11)
    left = brute_force(profiles, *gold, 2000, rng)
    right = brute_force(profiles, *predicted, 2000, rng)
    norm = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    cosine = (left * right).sum(axis=1)[norm > 0] / norm[norm > 0]
    mean, p95 = GoNull(profiles, draws=1000, seed=1).mean_and_p95(
        np.array([[code(*gold), code(*predicted)]])
    )
    error = cosine.std() * np.sqrt(1 / 1000 + 1 / len(cosine))
    assert abs(mean[0] - cosine.mean()) < 4 * error
    low, high = np.quantile(cosine, [0.92, 0.975])
    assert low <= p95[0] <= high


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [((1, 3), (1, 3)), ((1, 5), (2, 6)), ((2, 4), (3, 6)), ((3, 7), (3, 7)), ((5, 6), (2, 3))],
)
def test_agrees_with_brute_force(
    profiles: GoProfiles, gold: tuple[int, int], predicted: tuple[int, int]
) -> None:
    assert_agrees(profiles, gold, predicted)


@pytest.mark.parametrize(("gold", "predicted"), [((1, 6), (1, 4)), ((2, 7), (2, 7))])
def test_agrees_with_brute_force_on_real_gene_sets(
    gold: tuple[int, int], predicted: tuple[int, int]
) -> None:
    sets, _ = read_gene_sets(real_file(HUMAN))
    assert_agrees(GoProfiles.from_gene_sets(sets), gold, predicted)


def test_order_and_company_of_bins_change_nothing(profiles: GoProfiles) -> None:
    pairs = np.array(
        [[code(k, a), code(j, b)] for k in (1, 2) for a in (3, 5) for j in (1, 3) for b in (4, 6)]
    )
    mean, p95 = GoNull(profiles).mean_and_p95(pairs)
    turned = GoNull(profiles).mean_and_p95(pairs[::-1])
    assert np.array_equal(turned[0][::-1], mean) and np.array_equal(turned[1][::-1], p95)
    alone = [GoNull(profiles).mean_and_p95(pairs[[index]])[0][0] for index in range(len(pairs))]
    assert np.array_equal(alone, mean)


def test_seed_and_sides_change_the_draws(profiles: GoProfiles) -> None:
    pair = np.array([[code(2, 5), code(1, 5)], [code(1, 5), code(2, 5)]])
    first, _ = GoNull(profiles, seed=0).mean_and_p95(pair)
    other, _ = GoNull(profiles, seed=1).mean_and_p95(pair)
    assert first[0] != other[0]
    assert first[0] != first[1]


def test_bins_that_cannot_be_filled_are_null_and_listed(profiles: GoProfiles) -> None:
    null = GoNull(profiles)
    mean, p95 = null.mean_and_p95(
        np.array([[code(1, 3), code(1, 20)], [-1, code(1, 3)], [code(8, 2), code(1, 3)]])
    )
    assert np.isnan(mean).all() and np.isnan(p95).all()
    assert null.unfilled_bins == (("gold", 8, 2), ("predicted", 1, 20))


def test_no_pairs() -> None:
    sets, _ = parse_gmt(b"T\t\tA\tB\nU\t\tA\n", "x.gmt")
    mean, p95 = GoNull(GoProfiles.from_gene_sets(sets)).mean_and_p95(np.empty((0, 2), np.int32))
    assert mean.shape == p95.shape == (0,)


def test_a_bin_without_any_weight_is_null() -> None:
    sets, _ = parse_gmt(b"T\t\tA\tB\tC\nU\t\tA\tB\tC\n", "x.gmt")
    mean, _ = GoNull(GoProfiles.from_gene_sets(sets)).mean_and_p95(np.array([[code(1, 1)] * 2]))
    assert np.isnan(mean[0])


@pytest.mark.parametrize(("gene_n", "log2"), [(1, 0), (1, 6), (2, 3), (4, 9), (10, 8), (26, 9)])
def test_draws_fall_in_their_bin(profiles: GoProfiles, gene_n: int, log2: int) -> None:
    pool = draw_pool(profiles.annotation_n, 120, seed=0, side=0)
    drawn = draw_gene_sets(pool, gene_n, log2, 200, seed=0, side=0)
    assert drawn is not None and drawn.shape == (200, gene_n)
    total = pool.annotation_n[drawn].sum(axis=1)
    assert (total >= 2**log2).all() and (total < 2 ** (log2 + 1)).all()
    assert all(len(set(row)) == gene_n for row in drawn.tolist())


def test_the_rarest_bin_can_be_filled(profiles: GoProfiles) -> None:
    """Sets that exist are found, be it one set alone."""
    best = np.sort(profiles.annotation_n)[-3:]
    pool = draw_pool(profiles.annotation_n, 5000, seed=0, side=1)
    assert len(pool.gene) == profiles.gene_n and (pool.weight == 1).all()
    assert draw_gene_sets(pool, 3, int(best.sum()).bit_length() - 1, 100, 0, 1) is not None


def test_pool_stands_for_all_genes() -> None:
    annotation_n = np.random.default_rng(0).geometric(0.02, 5000)
    pool = draw_pool(annotation_n, 400, seed=0, side=0)
    assert len(pool.gene) <= 400
    assert pool.weight.sum() == pytest.approx(5000)
    assert np.average(pool.annotation_n, weights=pool.weight) == pytest.approx(
        annotation_n.mean(), rel=0.05
    )


def test_bin_codes() -> None:
    gene_n = np.array([0, 1, 1, 2, 8, 9, 12, 13, 33, 400])
    annotation_n = np.array([0, 1, 7, 8, 1024, 900, 1200, 1300, 3300, 40_000])
    codes = bin_codes(gene_n, annotation_n)
    assert codes.dtype == np.int32 and codes[0] == -1
    assert [bin_parts(one) for one in codes[1:].tolist()] == [
        (1, 0), (1, 2), (2, 3), (8, 10), (10, 9), (10, 9), (16, 10), (40, 11), (40, 11),
    ]  # fmt: skip
    assert sorted(CLASS_GENE_N.tolist()) == CLASS_GENE_N.tolist()
