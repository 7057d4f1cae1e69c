"""Areas under ROC curves in groups: hand-worked numbers and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from eval_tiers.metrics.ranking import grouped_auroc


def test_ties_count_half_and_groups_of_one_class_are_skipped() -> None:
    found = grouped_auroc([0.5, 0.5, 0.9, 0.1, 0.2], [1, 0, 0, 1, 1], [0, 0, 0, 7, 8])
    assert found.values.tolist() == [0.25]
    assert found.skipped_n == 2


def test_nothing_has_no_area() -> None:
    found = grouped_auroc([], [], [])
    assert len(found.values) == 0
    assert found.skipped_n == 0


@pytest.mark.parametrize("seed", range(20))
def test_against_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 300))
    scores = np.round(rng.random(n), int(rng.integers(1, 6)))
    positive, groups = rng.random(n) < 0.4, rng.integers(0, 12, n) * 3
    wanted, skipped = [], 0
    for group in np.unique(groups):
        rows = groups == group
        if positive[rows].all() or not positive[rows].any():
            skipped += 1
        else:
            wanted.append(roc_auc_score(positive[rows], scores[rows]))
    found = grouped_auroc(scores, positive, groups)
    assert found.skipped_n == skipped
    assert found.values == pytest.approx(wanted, abs=1e-12)
    order = rng.permutation(n)
    again = grouped_auroc(scores[order], positive[order], groups[order])
    assert again.values.tolist() == found.values.tolist()
