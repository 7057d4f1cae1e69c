"""Intervals worked out from tallies, against regressions with clustered errors on the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.regression.linear_model import OLS

from eval_tiers.summaries.batch_clusters import batch_clusters, coded
from eval_tiers.summaries.interval_figures import (
    Figures,
    SliceSums,
    add_mean,
    add_median,
    add_share,
    add_shares,
    cluster_figures,
    clustered_of_rows,
)
from eval_tiers.summaries.measure_table import MeasureTable
from eval_tiers.summaries.tally import Tallies, merged

NAN = float("nan")
Floats = NDArray[np.float64]
TWO_WAY = "perturbation+readout"


class Rows:
    """Random rows: perturbation and readout shift what is right, a mean and its null."""

    def __init__(self, seed: int, n: int = 300, genes: int = 40, drugs: int = 35) -> None:
        rng = np.random.default_rng(seed)
        self.n = n
        self.readout = rng.integers(0, genes, n)
        self.perturbation = rng.integers(0, drugs, n)
        shift = (
            rng.normal(0, 0.25, genes)[self.readout] + rng.normal(0, 0.2, drugs)[self.perturbation]
        )
        self.right = rng.random(n) < 0.55 + shift
        self.value = np.clip(0.5 + shift + rng.normal(0, 0.2, n), 0, 1)
        self.value[rng.random(n) < 0.1] = NAN
        self.pairs = rng.integers(0, 5, n)
        self.outside = rng.binomial(self.pairs, 0.3)

    def names(self, field: str) -> list[str]:
        return [f"{field}{code}" for code in getattr(self, field)]


def sums_of(rows: Rows, clustering: str, parts: int = 1) -> SliceSums:
    """The sums of a run over these rows, dealt out in parts."""
    pieces = []
    for chosen in np.array_split(np.arange(rows.n), parts):
        table = MeasureTable(len(chosen), np.arange(len(chosen), dtype=np.int32))
        table.share("all", np.ones(len(chosen), np.bool_))
        table.share("right", rows.right[chosen])
        table.real("value", rows.value[chosen], binned=True)
        table.count("predicted_pair_n", rows.pairs[chosen])
        table.count("edge_status_absent_n", rows.outside[chosen])
        tallies = Tallies()
        tallies.slice("all").add(table.totals())
        names = {field: rows.names(field) for field in ("readout", "perturbation")}
        for one in batch_clusters(
            clustering, lambda f, at=chosen, by=names: coded([by[f][row] for row in at]), str
        ):
            table.add_clusters(tallies, one, "all")
        pieces.append(tallies)
    whole = merged(pieces)
    fields = ["perturbation", "readout", TWO_WAY] if clustering == TWO_WAY else [clustering]
    return SliceSums(whole.slice("all"), whole.clusters_of("all", fields).get("", ()))


def regression(
    values: Floats, groups: list[Any], weights: Floats | None = None
) -> tuple[float, float]:
    """Interval of a mean by statsmodels, whose corrections are C/(C-1) each with one parameter."""
    known = ~np.isnan(values)
    codes = [np.unique(np.asarray(one)[known], return_inverse=True)[1] for one in groups]
    x = np.ones(known.sum()) if weights is None else weights[known]
    fitted = OLS(values[known], x).fit(
        cov_type="cluster", cov_kwds={"groups": np.column_stack(codes).squeeze()}
    )
    least = min(len(set(one.tolist())) for one in codes)
    quantile = stats.t.ppf(0.975, least - 1) if least < 30 else stats.norm.ppf(0.975)
    half = quantile * fitted.bse[0]
    return fitted.params[0] - half, fitted.params[0] + half


def clustered(figures: Figures, name: str) -> tuple[object, object]:
    return figures[f"{name}_clustered_low"], figures[f"{name}_clustered_high"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("clustering", ["readout", "perturbation", TWO_WAY])
def test_rates_and_means_agree_with_statsmodels(seed: int, clustering: str) -> None:
    rows = Rows(seed, genes=20 if seed % 2 else 45)
    fields = clustering.split("+")
    groups = [getattr(rows, field) for field in fields]
    sums = sums_of(rows, clustering, parts=1 + seed)
    figures: Figures = {}
    add_share(figures, "right", sums, "right_w", "all_w")
    add_mean(figures, "value", sums, "value")
    assert clustered(figures, "right") == pytest.approx(regression(rows.right * 1.0, groups))
    assert clustered(figures, "value") == pytest.approx(regression(rows.value, groups), abs=1e-8)
    assert clustered_of_rows(
        rows.right, [*groups, [f"{a}+{b}" for a, b in zip(*groups, strict=True)]]
        if len(groups) == 2 else groups,
    ) == pytest.approx(clustered(figures, "right"))  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_a_ratio_of_sums_agrees_with_its_linearisation(seed: int) -> None:
    """Of pairs pooled over answers: residuals of each answer over the number of all pairs."""
    rows = Rows(seed)
    figures: Figures = {}
    sums = sums_of(rows, "readout")
    add_shares(figures, "status", sums, {"absent": "edge_status_absent_n"}, "predicted_pair_n")
    ratio = rows.outside.sum() / rows.pairs.sum()
    residual = (rows.outside - ratio * rows.pairs) / rows.pairs.sum()
    has_pair = np.bincount(rows.readout, weights=rows.pairs) > 0
    c = int(has_pair.sum())
    variance = c / (c - 1) * float((np.bincount(rows.readout, weights=residual) ** 2).sum())
    half = stats.norm.ppf(0.975) * variance**0.5
    assert c >= 30
    found = [figures[f"status_clustered_{end}"]["absent"] for end in ("low", "high")]  # type: ignore[index]
    assert found == pytest.approx([ratio - half, ratio + half])
    assert figures["status_n"] == rows.pairs.sum()


def test_dealing_out_and_order_of_rows_change_nothing() -> None:
    rows = Rows(3)
    turned = Rows(3)
    order = np.random.default_rng(0).permutation(rows.n)
    for field in ("readout", "perturbation", "right", "value", "pairs", "outside"):
        setattr(turned, field, getattr(rows, field)[order])
    for clustering in ("readout", TWO_WAY):
        expected = None
        for found in (
            sums_of(rows, clustering),
            sums_of(rows, clustering, 7),
            sums_of(turned, clustering, 3),
        ):
            figures: Figures = {}
            add_share(figures, "right", found, "right_w", "all_w")
            add_mean(figures, "value", found, "value")
            expected = expected or figures
            assert figures == expected  # to the last digit


def test_two_way_with_a_negative_variance_takes_the_larger_of_the_two() -> None:
    rows = Rows(0, n=4)
    rows.readout, rows.perturbation = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    rows.right = np.array([True, False, False, True])  # residuals cancel in both ways
    rows.value[:] = 0.5
    figures: Figures = {}
    add_share(figures, "right", sums_of(rows, TWO_WAY), "right_w", "all_w")
    assert clustered(figures, "right") == (None, None)  # the larger of 0 and 0
    rows.right = np.array([True, True, False, True])
    sums = sums_of(rows, TWO_WAY)
    add_share(figures, "right", sums, "right_w", "all_w")
    one_way: list[Figures] = [{}, {}]
    for found, clustering in zip(one_way, ("readout", "perturbation"), strict=True):
        add_share(found, "right", sums_of(rows, clustering), "right_w", "all_w")
    wide = max(one_way, key=lambda found: float(str(found["right_clustered_high"])))
    assert clustered(figures, "right") == clustered(wide, "right")


def test_one_cluster_gives_none_and_not_0() -> None:
    rows = Rows(1, genes=1)
    sums = sums_of(rows, "readout")
    figures: Figures = {}
    add_share(figures, "right", sums, "right_w", "all_w")
    add_mean(figures, "value", sums, "value")
    assert clustered(figures, "right") == clustered(figures, "value") == (None, None)
    assert isinstance(figures["right_low"], float) and isinstance(figures["value_low"], float)
    assert cluster_figures("readout", sums)["n"] == 1


def test_clusters_that_do_not_differ_give_none() -> None:
    rows = Rows(1)
    rows.right[:] = True
    figures: Figures = {}
    add_share(figures, "right", sums_of(rows, "readout"), "right_w", "all_w")
    assert clustered(figures, "right") == (None, None)
    assert figures["right_low"] == pytest.approx(300 / (300 + stats.norm.ppf(0.975) ** 2))
    assert figures["right_high"] == 1


def test_rows_that_share_no_cluster_have_wilson_s_interval() -> None:
    rows = Rows(2, n=40)
    rows.readout = np.arange(40)
    figures: Figures = {}
    sums = sums_of(rows, "readout")
    add_share(figures, "right", sums, "right_w", "all_w")
    add_mean(figures, "value", sums, "value")
    assert clustered(figures, "right") == (None, None)
    assert clustered(figures, "value") == pytest.approx(regression(rows.value, [rows.readout]))


def test_rows_without_a_value_are_each_on_their_own() -> None:
    sums = []
    for names in (["a", None, "b", None, "a"], ["a", "own 1", "b", "own 3", "a"]):
        table = MeasureTable(5, np.arange(5, dtype=np.int32))
        table.share("all", np.ones(5, np.bool_))
        table.share("right", np.array([1, 0, 1, 1, 0], np.bool_))
        tallies = Tallies()
        tallies.slice("all").add(table.totals())
        for one in batch_clusters("readout", lambda _, names=names: coded(names), str):
            table.add_clusters(tallies, one, "all")
        sums.append(SliceSums(tallies.slice("all"), tallies.clusters_of("all", ["readout"])[""]))
    figures: list[Figures] = [{}, {}]
    for found, one in zip(figures, sums, strict=True):
        add_share(found, "right", one, "right_w", "all_w")
    assert figures[0] == pytest.approx(figures[1])
    assert [len(one.sides[0].rows) for one in sums] == [4, 4]


@pytest.mark.parametrize(("n", "ranks"), [(6, (1, 6)), (10, (2, 9)), (40, (14, 27))])
def test_median_has_the_binomial_interval(n: int, ranks: tuple[int, int]) -> None:
    values = np.linspace(0, 1, n).round(3)
    table = MeasureTable(n, np.arange(n, dtype=np.int32))
    table.real("value", values, binned=True)
    figures: Figures = {}
    add_median(figures, "median", table.totals(), "value")
    assert figures["median_low"] == pytest.approx(values[ranks[0] - 1], abs=1e-4)
    assert figures["median_high"] == pytest.approx(values[ranks[1] - 1], abs=1e-4)
    inside = stats.binom.cdf(ranks[1] - 1, n, 0.5) - stats.binom.cdf(ranks[0] - 1, n, 0.5)
    assert inside >= 0.95
    narrower = stats.binom.cdf(ranks[1] - 2, n, 0.5) - stats.binom.cdf(ranks[0], n, 0.5)
    assert narrower < 0.95


@pytest.mark.parametrize(("cluster_n", "size"), [(15, 12), (50, 5)])
def test_simulated_coverage_of_clustered_rates(cluster_n: int, size: int) -> None:
    """Nominal 95 %: 93 to 97 % where the rows of a cluster share their luck; Wilson's, less."""
    rng = np.random.default_rng(11)
    clusters = np.repeat(np.arange(cluster_n), size)
    covered = 0
    for _ in range(1_500):
        luck = rng.beta(2, 2, cluster_n).repeat(size)  # mean .5
        found = clustered_of_rows(rng.random(cluster_n * size) < luck, [clusters])
        covered += found is not None and found[0] <= 0.5 <= found[1]
    assert 0.93 <= covered / 1_500 <= 0.97
