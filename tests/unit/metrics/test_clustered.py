"""Intervals with cluster-robust errors, against statsmodels and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given
from hypothesis import strategies as st

from eval_tiers.metrics.clustered import clustered_interval, effective_n
from eval_tiers.metrics.intervals import Z_95


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 60)), min_size=4, max_size=90),
)
def test_statsmodels_agrees(rows: list[tuple[float, int]]) -> None:
    values = np.array([value for value, _ in rows])
    clusters = np.array([cluster for _, cluster in rows])
    cluster_n = len(set(clusters.tolist()))
    assume(2 <= cluster_n < len(rows))
    assume(np.ptp(values) > 1e-6)
    found = clustered_interval(values, clusters)
    assert found is not None
    # With a constant alone, statsmodels' correction (n - 1) / (n - k) is 1.
    fitted = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster",
        cov_kwds={"groups": np.unique(clusters, return_inverse=True)[1], "use_correction": True},
        use_t=cluster_n < 30,
    )
    assert found == pytest.approx(tuple(fitted.conf_int(0.05)[0]), abs=1e-9)


def test_by_hand() -> None:
    # Mean 1/2; residuals add up to 1 and -1 by cluster: variance 2/1 * 2 / 16 = 1/4; t(1) 12.7062.
    found = clustered_interval([1, 1, 0, 0], [0, 0, 1, 1])
    assert found == pytest.approx((0.5 - 12.7062 / 2, 0.5 + 12.7062 / 2), abs=1e-4)
    # Residuals that cancel within each pair leave nothing.
    assert clustered_interval([1, 0, 1, 0], [0, 0, 1, 1]) == (0.5, 0.5)


def test_student_under_30_clusters_and_normal_from_30() -> None:
    for cluster_n, quantile in ((29, 2.048407), (30, Z_95)):
        values = np.arange(cluster_n) % 2
        mean = values.mean()
        error = math.sqrt(
            cluster_n / (cluster_n - 1) * float(((values - mean) ** 2).sum()) / cluster_n**2
        )
        found = clustered_interval(values, range(cluster_n))
        assert found == pytest.approx((mean - quantile * error, mean + quantile * error), abs=1e-6)


def test_names_of_clusters_and_order_of_rows_do_not_matter() -> None:
    values, clusters = [1, 0.5, 0, 0.25], [7, 7, 9, 3]
    found = clustered_interval(values, clusters)
    assert found == pytest.approx(clustered_interval(values[::-1], clusters[::-1]))
    assert found == pytest.approx(clustered_interval(values, [0, 0, 2, 1]))


def test_fewer_than_two_clusters_have_no_interval() -> None:
    assert clustered_interval([], []) is None
    assert clustered_interval([1, 0, 1], [4, 4, 4]) is None


def test_rows_are_worth_what_their_clusters_are() -> None:
    values = [1, 0, 0, 1, 1, 0, 1, 1] * 5
    assert effective_n(values, range(40)) == 40
    # Every row twice, in one cluster: no more than the rows once.
    double = effective_n(np.repeat(values, 2), np.repeat(range(40), 2))
    assert double == pytest.approx(40, rel=0.03)
    assert effective_n(values, [0] * 40) is None and effective_n([], []) is None
    assert effective_n([1] * 10, [0, 1] * 5) == 10
    # Clusters that are more alike than chance would have them are not worth more than their rows.
    assert effective_n([0, 1] * 20, np.repeat(range(20), 2)) == 40
