"""Tallies add up to the same numbers however the rows are dealt out."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, pearsonr, t

from eval_tiers.domain.columns import GO_NULL_REASONS
from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.summaries import cluster_sums
from eval_tiers.summaries.cluster_sums import cluster_codes, intersections
from eval_tiers.summaries.go_figures import go_figures
from eval_tiers.summaries.interval_figures import SliceSums
from eval_tiers.summaries.label_figures import group_macro
from eval_tiers.summaries.measure_table import MeasureTable
from eval_tiers.summaries.measures import measure_go_sets
from eval_tiers.summaries.tally import Tallies, Tally, add_groups, merged

NAN = float("nan")
reals = st.one_of(st.just(NAN), st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0, 1 / 3]))
rows = st.lists(
    st.tuples(
        reals, st.integers(0, 5), st.booleans(), st.integers(1, 4),
        st.sampled_from(["a", "b", None, ""]), st.integers(-1, 2),
    ),
    min_size=1, max_size=30,
)  # fmt: skip
Row = tuple[float, int, bool, int, str | None, int]  # value, count, flag, rollouts, group, name


def tally(part: list[Row]) -> Tallies:
    """The tallies of one batch: an item a row, with as many rollouts as it says."""
    item = np.repeat(np.arange(len(part), dtype=np.int32), [row[3] for row in part])
    value, count, flag, _, group, name = (
        list(column) for column in zip(*[part[place] for place in item.tolist()], strict=True)
    )
    table = MeasureTable(len(item), item)
    table.count("whole_n", np.array(count))
    table.count("flag_n", np.array(flag))
    table.share("flag", np.array(flag))
    table.real("value", np.array(value), binned=True)
    table.total("count", np.array(count, np.float64) / 3)
    tallies = Tallies()
    table.add_by(tallies, "everything", ["all"] * len(item))
    table.add_by(tallies, "group", group)
    add_groups(
        tallies, "name", ["x", "y", "z"], np.array(name, np.int32), table.units, np.array(flag)
    )
    tallies.rollouts = {(int(right), 1): 1 for right in flag[:1]}
    names = np.array(name, np.int32)
    one = cluster_codes("name", ["x", "y", "z"], names, lambda row: f"{value[row]}")
    other = cluster_codes("count", [f"n{n}" for n in range(6)], np.array(count), str)
    for clusters in (one, other, intersections(one, other)):
        table.add_clusters(tallies, clusters, "everything", "all")
        table.add_clusters(tallies, clusters, "group", group)
    return tallies


def plain(tallies: Tallies) -> object:
    """All that a tally holds, to be compared to the last digit."""
    return (
        {
            key: (
                {name: value for name, value in found.sums.items() if value},
                {name: bins.tolist() for name, bins in found.bins.items() if bins.any()},
            )
            for key, found in tallies.slices.items()
        },
        tallies.groups,
        tallies.rollouts,
        {
            (where, value): {
                name: [*map(str, np.sort(side.column(name)))] for name in ("flag_w", "count_sum")
            }
            for where, sums in tallies.clusters.items()
            for value, side in sums.by_slice().items()
        },
        {
            (where, cell): sums.table[row, sums.columns["flag_w"]]
            if "flag_w" in sums.columns
            else 0
            for where, sums in tallies.clusters.items()
            for cell, row in sums.cells.items()
        },
    )


@given(rows, st.randoms(use_true_random=False))
def test_any_partition_in_any_order_gives_the_same(part: list[Row], rng: random.Random) -> None:
    rest, pieces = list(part), []
    rng.shuffle(rest)
    while rest:
        size = rng.randint(1, len(rest))
        pieces.append(rest[:size])
        rest = rest[size:]
    whole, dealt = tally(part), merged(map(tally, pieces))
    whole.rollouts = dealt.rollouts = {}
    assert plain(dealt) == plain(whole)


@given(st.lists(rows, min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_merging_is_commutative_and_associative(parts: list[list[Row]], rng: random.Random) -> None:
    tallies = [tally(part) for part in parts]
    expected = plain(merged(tallies))
    turned = list(tallies)
    rng.shuffle(turned)
    cut = rng.randint(1, len(turned) - 1)
    assert plain(merged([merged(turned[:cut]), merged(turned[cut:])])) == expected
    assert plain(merged(tallies)) == expected  # merging leaves its parts as they were


@given(rows)
def test_sums_and_means(part: list[Row]) -> None:
    found = tally(part).slice("everything", "all")
    values = np.array([row[0] for row in part])
    known = ~np.isnan(values)
    assert found.count("whole_n") == sum(row[1] * row[3] for row in part)
    assert found.count("flag_n") == sum(row[2] * row[3] for row in part)
    assert found.real("flag_w") == sum(row[2] for row in part)  # to the last unit
    if not known.any():
        assert found.mean("value") is None
    else:
        expected = np.mean(values[known])
        assert found.mean("value") == pytest.approx(expected, abs=1e-7)


@given(rows)
def test_slices_add_up_to_the_whole(part: list[Row]) -> None:
    tallies = tally(part)
    slices = [found for (kind, _), found in tallies.slices.items() if kind == "group"]
    total = Tally()
    for found in slices:
        total.add(found)
    assert total.sums == tallies.slice("everything", "all").sums


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_median_is_numpy_s_to_a_bin(values: list[float]) -> None:
    table = MeasureTable(len(values), np.arange(len(values), dtype=np.int32))
    table.real("value", np.array(values), binned=True)
    tallies = Tallies()
    table.add_by(tallies, "all", [""] * len(values))
    found = tallies.slice("all").median("value")
    assert found == pytest.approx(np.median(values), abs=1e-4)


def test_median_of_nothing() -> None:
    assert Tally().median("value") is None
    assert Tally(bins={"value": np.zeros(10_001, np.int64)}).median("value") is None


def go_tally(sim: list[float], f1: list[float], parts: int = 1) -> Tally:
    """Tier 3 of samples with these similarities and F1s, dealt out in parts."""
    pieces = []
    for chosen in np.array_split(np.arange(len(sim)), parts):
        n = len(chosen)
        here = np.array(sim)[chosen]
        table = MeasureTable(n, np.arange(n, dtype=np.int32))
        null = np.full(n, NAN)
        columns = {
            "go_sim": here, "go_sim_ref": here, "go_null_mean": null, "go_null_p95": null,
            "go_trivial": np.where(np.isnan(here), -1, here == 1).astype(np.int8),
            "go_null_reason": np.where(np.isnan(here), 1, -1).astype(np.int8),
            "chain_gene_n": np.ones(n, np.int64), "chain_gene_in_gmt_n": np.ones(n, np.int64),
            "error_label": (chosen % len(ERROR_LABELS)).astype(np.int8),
            "edge_f1": np.array(f1)[chosen],
        }  # fmt: skip
        measure_go_sets(table, columns)
        tallies = Tallies()
        table.add_by(tallies, "all", [""] * n)
        pieces.append(tallies)
    return merged(pieces).slice("all")


@pytest.mark.parametrize("seed", range(5))
def test_pearson_is_scipy_s(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sim = rng.random(200)
    f1 = np.clip(sim * (seed - 2) / 4 + rng.random(200) / 2, 0, 1)
    expected = pearsonr(sim, f1)
    sim_with_nulls, f1_with_nulls = sim.tolist() + [NAN, 0.5], f1.tolist() + [0.5, NAN]
    found = go_figures(SliceSums(go_tally(sim_with_nulls, f1_with_nulls, 3)), with_labels=True)
    assert found["go_sim_edge_f1_pearson"] == pytest.approx(expected.statistic, abs=1e-6)


@pytest.mark.parametrize(
    ("sim", "f1"), [([0.5], [0.5]), ([0.5, 0.5], [0.1, 0.9]), ([NAN, NAN], [0.1, 0.9]), ([], [])]
)
def test_pearson_undefined_is_null(sim: list[float], f1: list[float]) -> None:
    found = go_figures(SliceSums(go_tally(sim, f1)), with_labels=True)
    for end in ("", "_low", "_high", "_clustered_low", "_clustered_high"):
        assert found[f"go_sim_edge_f1_pearson{end}"] is None


def test_go_figures_by_hand() -> None:
    sums = SliceSums(go_tally([0.0, 0.25, 1.0, NAN, 1.0], [0.0] * 5, 2))
    found = go_figures(sums, with_labels=True)
    assert found["go_sim_mean"] == pytest.approx(2.25 / 4)
    assert (found["go_sim_median"], found["go_sim_mean_n"]) == (0.625, 4)
    assert (found["go_sim_nontrivial_mean"], found["go_sim_nontrivial_median"]) == (0.125, 0.125)
    assert (found["go_sim_one_rate"], found["go_trivial_rate"]) == (0.5, 0.5)
    assert found["go_null_reasons"] == {
        name: int(code == 1) for code, name in enumerate(GO_NULL_REASONS)
    }
    by_label = found["go_sim_by_error_label"]
    assert isinstance(by_label, dict)
    one = by_label[ERROR_LABELS[1]]
    assert (one["n"], one["mean"], one["median"]) == (1, 0.25, 0.25)
    assert {one[f"{name}_{end}"] for name in ("mean", "median") for end in ("low", "high")} == {
        None
    }
    assert ERROR_LABELS[3] not in by_label  # its one similarity is null


def test_macro_over_groups() -> None:
    found = group_macro({"x": [4, 1], "y": [2, 2], "z": [1, 0]})
    assert found["accuracy"] == pytest.approx(1.25 / 3)
    assert found["group_n"] == found["accuracy_n"] == 3
    shares = np.array([0.25, 1, 0])
    half = t.ppf(0.975, 2) * shares.std(ddof=1) / 3**0.5
    assert half > 1.25 / 3  # three groups say little: the interval is cut off at both ends
    assert (found["accuracy_low"], found["accuracy_high"]) == (0, 1)
    many = group_macro({str(n): [4, n % 5] for n in range(40)})
    shares = np.array([n % 5 / 4 for n in range(40)])
    half = norm.ppf(0.975) * shares.std(ddof=1) / 40**0.5
    assert many["accuracy_low"] == pytest.approx(shares.mean() - half)
    assert many["accuracy_high"] == pytest.approx(shares.mean() + half)


@pytest.mark.parametrize("groups", [{}, {"x": [4, 1]}])
def test_macro_over_fewer_than_two_groups_has_no_interval(groups: dict[str, list[int]]) -> None:
    found = group_macro(groups)
    assert found["accuracy"] == (0.25 if groups else None)
    assert found["accuracy_low"] is None and found["accuracy_high"] is None


@given(rows, st.randoms(use_true_random=False))
def test_clusters_that_are_put_together_are_the_same_in_any_order(
    part: list[Row], rng: random.Random
) -> None:
    """Past the limit clusters go into groups by name, whichever batch passes it."""
    before = cluster_sums.MOST_CELLS, cluster_sums.GROUPS
    try:
        cluster_sums.MOST_CELLS, cluster_sums.GROUPS = 3, 2  # type: ignore[misc]
        rest, pieces = list(part), []
        rng.shuffle(rest)
        while rest:
            size = rng.randint(1, len(rest))
            pieces.append(rest[:size])
            rest = rest[size:]
        whole, dealt = tally(part), merged(map(tally, pieces))
        whole.rollouts = dealt.rollouts = {}
        assert plain(dealt) == plain(whole)
    finally:
        cluster_sums.MOST_CELLS, cluster_sums.GROUPS = before  # type: ignore[misc]
