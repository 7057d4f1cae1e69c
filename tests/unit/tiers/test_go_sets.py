"""Tier 3: worked numbers, rules for null, an independent cosine, batches."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.go.gene_sets import parse_gmt
from eval_tiers.go.nulls import GoNull
from eval_tiers.go.profiles import GoProfiles
from eval_tiers.tiers.go_sets import GO_NULL_REASONS, GoResult, go_null_columns, go_similarity
from tests.unit.go.samples import worked_profiles

Chain = set[str] | None
WORKED = worked_profiles()


def compare(profiles: GoProfiles, pairs: list[tuple[Chain, set[str]]]) -> GoResult:
    """Run a batch given as (gold genes or None for no chain, predicted genes)."""

    def flat(side: int) -> tuple[np.ndarray, np.ndarray]:
        nodes = [(index, name) for index, pair in enumerate(pairs) for name in pair[side] or ()]
        samples = np.array([index for index, _ in nodes], np.int64)
        return samples, profiles.gene_sets.codes([name for _, name in nodes])

    has_chain = np.array([gold is not None for gold, _ in pairs], np.bool_)
    return go_similarity(len(pairs), *flat(0), *flat(1), has_chain, profiles)


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ({"B"}, {"C"}, 0.6176),
        ({"B", "C"}, {"C"}, 0.8758),
        ({"A"}, {"D"}, 0),
        ({"B", "C"}, {"C", "B"}, 1),
        ({"B", "UNKNOWN"}, {"C", "STRANGE"}, 0.6176),
    ],
)
def test_worked_numbers(gold: set[str], predicted: set[str], expected: float) -> None:
    result = compare(WORKED, [(gold, predicted)])
    assert result.go_sim[0] == pytest.approx(expected, abs=5e-5)
    assert result.go_sim_ref[0] == result.go_sim[0]
    assert result.go_null_reason[0] == -1


RULES = [
    # gold, predicted, go_sim, go_sim_ref, trivial, reason
    (None, {"A"}, None, None, -1, "no_gold_chain"),
    (set(), {"A"}, None, 0, -1, "no_gold_gene"),
    (set(), set(), None, 1, -1, "no_gold_gene"),
    ({"X"}, set(), None, 1, -1, "gold_unannotated"),
    ({"X"}, {"A"}, None, 0, -1, "gold_unannotated"),
    ({"A"}, set(), None, 0, -1, "no_predicted_gene"),
    ({"A", "X"}, {"Y"}, None, 0, -1, "predicted_unannotated"),
    ({"A"}, {"A", "X"}, 1, 1, 1, None),
    ({"A"}, {"D"}, 0, 0, 0, None),
]


@pytest.mark.parametrize(("gold", "predicted", "sim", "reference", "trivial", "reason"), RULES)
def test_rules(
    gold: Chain,
    predicted: set[str],
    sim: float | None,
    reference: float | None,
    trivial: int,
    reason: str | None,
) -> None:
    result = compare(WORKED, [(gold, predicted)])
    for value, expected in ((result.go_sim[0], sim), (result.go_sim_ref[0], reference)):
        assert math.isnan(value) if expected is None else value == expected
    assert result.go_trivial[0] == trivial
    code = int(result.go_null_reason[0])
    assert (GO_NULL_REASONS[code] if code >= 0 else None) == reason


def test_genes_in_terms_without_weight_are_null_unless_equal() -> None:
    sets, _ = parse_gmt(b"T\t\tA\tB\tC\nU\t\tA\tB\n", "x.gmt")
    profiles = GoProfiles.from_gene_sets(sets)
    result = compare(profiles, [({"C"}, {"A"}), ({"C"}, {"C"}), ({"A"}, {"B"})])
    assert np.isnan(result.go_sim[0]) and np.isnan(result.go_sim_ref[0])
    assert result.go_sim[1:].tolist() == [1, pytest.approx(1)]
    assert result.go_trivial.tolist() == [-1, 1, 0]
    assert GO_NULL_REASONS[result.go_null_reason[0]] == "zero_weight"


def test_different_sets_of_equal_profile_are_not_trivial() -> None:
    result = compare(WORKED, [({"D"}, {"E"})])
    assert result.go_sim[0] == pytest.approx(1) and result.go_sim[0] <= 1
    assert result.go_trivial[0] == 0


def test_empty_batch() -> None:
    result = compare(WORKED, [])
    assert result.go_sim.shape == result.go_null_reason.shape == (0,)
    assert go_null_columns(result, GoNull(WORKED))[0].shape == (0,)


def test_counts_and_bins() -> None:
    result = compare(WORKED, [({"B", "C", "X"}, {"A"}), (set(), {"D"})])
    assert result.gold_gene_n.tolist() == [2, 0]
    assert result.predicted_gene_n.tolist() == [1, 1]
    assert result.gold_bin.tolist() == [64 + 2, -1]
    assert result.predicted_bin.tolist() == [0, 0]


def plain_cosine(
    terms: dict[str, set[str]], gene_n: int, gold: set[str], predicted: set[str]
) -> float | None:
    """Cosine written out in plain Python."""
    dot = gold_norm = predicted_norm = 0.0
    for genes in terms.values():
        weight = math.log(gene_n / len(genes))
        left, right = weight * len(genes & gold), weight * len(genes & predicted)
        dot += left * right
        gold_norm += left**2
        predicted_norm += right**2
    norm = math.sqrt(gold_norm) * math.sqrt(predicted_norm)
    return dot / norm if norm else None


_GENES = [f"G{index}" for index in range(20)]
_SETS = st.dictionaries(
    st.sampled_from([f"T{index}" for index in range(12)]),
    st.sets(st.sampled_from(_GENES), min_size=1),
    min_size=1,
)
_CHAIN = st.sets(st.sampled_from([*_GENES, "X", "Y"]), max_size=12)
_PAIRS = st.lists(st.tuples(st.none() | _CHAIN, _CHAIN), max_size=12)


def profiles_of(terms: dict[str, set[str]]) -> GoProfiles:
    text = "".join(f"{name}\t\t" + "\t".join(sorted(genes)) + "\n" for name, genes in terms.items())
    return GoProfiles.from_gene_sets(parse_gmt(text.encode(), "random.gmt")[0])


@given(terms=_SETS, pairs=_PAIRS)
def test_agrees_with_plain_python(
    terms: dict[str, set[str]], pairs: list[tuple[Chain, set[str]]]
) -> None:
    profiles = profiles_of(terms)
    known = set(profiles.gene_sets.genes)
    result = compare(profiles, pairs)
    for index, (gold, predicted) in enumerate(pairs):
        got = result.go_sim[index]
        if gold is None or not gold & known or not predicted & known:
            assert math.isnan(got)
            continue
        expected = plain_cosine(terms, len(known), gold & known, predicted & known)
        if gold & known == predicted & known:
            assert got == 1
        elif expected is None:
            assert math.isnan(got)
        else:
            assert got == pytest.approx(expected, abs=1e-9)
            assert 0 <= got <= 1


@given(terms=_SETS, pairs=_PAIRS, data=st.data())
def test_a_sample_does_not_depend_on_its_batch(
    terms: dict[str, set[str]], pairs: list[tuple[Chain, set[str]]], data: st.DataObject
) -> None:
    profiles = profiles_of(terms)
    whole = compare(profiles, pairs)
    order = data.draw(st.permutations(range(len(pairs))))
    turned = compare(profiles, [pairs[index] for index in order])
    for name in GoResult.__slots__:
        one, other = getattr(whole, name), getattr(turned, name)
        assert np.array_equal(one[list(order)], other, equal_nan=one.dtype.kind == "f")
    for index, pair in enumerate(pairs):
        alone = compare(profiles, [pair])
        for name in GoResult.__slots__:
            assert getattr(alone, name).tobytes() == getattr(whole, name)[[index]].tobytes()


def test_long_chains_give_the_same_bits_in_any_company() -> None:
    rng = np.random.default_rng(0)
    names = [f"G{index}" for index in range(400)]
    terms = {f"T{index}": set(rng.choice(names, 30).tolist()) for index in range(300)}
    profiles = profiles_of(terms)
    few: list[tuple[Chain, set[str]]] = [({names[1], names[2]}, {names[3], names[2], names[9]})]
    many: list[tuple[Chain, set[str]]] = [
        (set(rng.choice(names, 90).tolist()), set(rng.choice(names, 4).tolist())) for _ in range(5)
    ]
    together = compare(profiles, few + many).go_sim
    apart = np.concatenate([compare(profiles, few).go_sim, compare(profiles, many).go_sim])
    assert np.array_equal(together, apart)
    gold, predicted = many[0]
    assert gold is not None
    expected = plain_cosine(terms, profiles.gene_n, gold, predicted)
    assert together[1] == pytest.approx(expected)


def test_repeats_and_order_of_nodes_do_not_matter() -> None:
    args = (np.array([0, 0, 0]), np.array([2, 1, 2]), np.array([0, 0]), np.array([2, 2]))
    result = go_similarity(1, *args, np.array([True]), WORKED)
    assert result.go_sim[0] == pytest.approx(0.8758, abs=5e-5)


def test_null_columns_follow_the_bins() -> None:
    pairs: list[tuple[Chain, set[str]]] = [({"B"}, {"C"}), ({"X"}, {"C"}), ({"D"}, {"D"})]
    result = compare(WORKED, pairs)
    null = GoNull(WORKED, draws=200)
    mean, p95 = go_null_columns(result, null)
    assert np.isnan(mean).tolist() == np.isnan(p95).tolist() == [False, True, False]
    bins = np.stack([result.gold_bin, result.predicted_bin], axis=1)[[0]]
    assert mean[0] == null.mean_and_p95(bins)[0][0]
    # Of genes with two terms there are B and C alone: the mean lies between sim(B, C) and 1.
    assert mean[0] == pytest.approx((0.6176 + 1) / 2, abs=0.06)
    assert p95[0] == pytest.approx(1)
