"""Intervals of figures of a confusion matrix, against numerical derivatives and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.metrics import balanced_accuracy_score, f1_score

from eval_tiers.metrics.classification import classification
from eval_tiers.metrics.confusion_influence import confusion_gradients, independent_variance

MATRICES = {
    "worked example": [[1, 1, 0, 0], [0, 1, 0, 1], [1, 0, 1, 0]],
    "large": [[40, 7, 3, 2], [9, 55, 6, 0], [4, 8, 21, 5]],
    "a class that nobody predicts": [[5, 2, 0, 1], [3, 9, 0, 0], [2, 2, 0, 1]],
    "a class that gold lacks": [[5, 2, 1, 1], [3, 9, 0, 0], [0, 0, 0, 0]],
    "weights of rollouts": [[1.5, 0.5, 0, 0.25], [0.75, 2, 0.5, 0], [0.5, 0, 1, 0]],
}


@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES)
def test_gradients_are_numerical_derivatives(matrix: list[list[float]]) -> None:
    confusion = np.array(matrix, np.float64)
    gradients = confusion_gradients(confusion)
    free = confusion.sum(axis=1) > 0  # a class without gold rows stays out of the averages

    def values(flat: np.ndarray) -> dict[str, float | None]:
        found = classification(flat.reshape(confusion.shape))
        return {
            "balanced_accuracy": found.balanced_accuracy, "f1_macro": found.f1_macro,
            "f1_weighted": found.f1_weighted, "f1_macro_present": found.f1_macro_present,
        } | {f"f1_{i}": one.f1 for i, one in enumerate(found.classes)}  # fmt: skip

    for name in values(confusion.ravel()):
        numeric = approx_fprime(confusion.ravel(), lambda x, name=name: values(x)[name], 1e-7)
        expected = numeric.reshape(confusion.shape)[free]
        assert gradients[name][free] == pytest.approx(expected, abs=1e-5), name
    for name, gradient in gradients.items():
        assert float((gradient * confusion).sum()) == pytest.approx(0, abs=1e-12), name


def test_of_nothing_all_are_0() -> None:
    gradients = confusion_gradients(np.zeros((3, 4)))
    assert all(not gradient.any() for gradient in gradients.values())
    assert independent_variance(gradients["f1_macro"], np.zeros((3, 4))) == 0


@pytest.mark.parametrize("name", ["balanced_accuracy", "f1_macro", "f1_weighted"])
def test_delta_method_agrees_with_the_bootstrap(name: str) -> None:
    rng = np.random.default_rng(5)
    gold = rng.choice(3, 600, p=[0.5, 0.3, 0.2])
    predicted = np.where(rng.random(600) < 0.6, gold, rng.choice(4, 600))
    score = {
        "balanced_accuracy": balanced_accuracy_score,
        "f1_macro": lambda a, b: f1_score(a, b, labels=[0, 1, 2], average="macro"),
        "f1_weighted": lambda a, b: f1_score(a, b, labels=[0, 1, 2], average="weighted"),
    }[name]
    draws = [
        score(gold[rows], predicted[rows])
        for rows in (rng.integers(0, 600, 600) for _ in range(300))
    ]
    confusion = np.zeros((3, 4))
    np.add.at(confusion, (gold, predicted), 1)
    error = independent_variance(confusion_gradients(confusion)[name], confusion) ** 0.5
    assert error == pytest.approx(float(np.std(draws)), rel=0.15)
