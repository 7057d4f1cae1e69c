"""How often corrected intervals hold the truth, with an examiner whose errors are known.

    python -m benchmarks.correction_coverage [--runs 1500] [--draws 2000] [--figure FILE.svg]

Simulates examiners of known confusion matrix on controls and hard cases, prints the table of
docs/rescue_correction.md and draws its figure (needs matplotlib). Everything is seeded.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval_tiers.metrics.corrected_rates import DRAWS, corrected_rates
from eval_tiers.metrics.intervals import wilson_interval
from eval_tiers.metrics.judge_correction import lang_reiczigel
from eval_tiers.metrics.prediction_powered import prediction_powered_mean

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

TRUTHS = ("ANSWER_BUG", "ALTERNATE", "CHAIN_BUG")


@dataclass(frozen=True, slots=True)
class Examiner:
    """A simulated examiner and the hard cases it is shown.

    Attributes
    ----------
    name : str
    confusion : tuple of rows
        Truths by verdicts, the last verdict none; rows add up to 1.
    shares : tuple of float
        Of the truths among the hard cases.
    case_n, control_n : int
        Hard cases; controls of each truth.
    cluster_size : int
        Neighbours that share a perturbation: with chance ``echo`` one gets the verdict (and, of
        a case, the truth) of the first of them.
    echo : float
    """

    name: str
    confusion: tuple[tuple[float, ...], ...]
    shares: tuple[float, ...]
    case_n: int = 400
    control_n: int = 100
    cluster_size: int = 1
    echo: float = 0.0


LENIENT = ((0.85, 0.07, 0.06, 0.02), (0.30, 0.60, 0.08, 0.02), (0.40, 0.10, 0.47, 0.03))
FAIR = ((0.80, 0.10, 0.08, 0.02), (0.20, 0.65, 0.12, 0.03), (0.25, 0.10, 0.60, 0.05))
SHARP = ((0.97, 0.01, 0.02, 0.0), (0.01, 0.97, 0.02, 0.0), (0.01, 0.02, 0.97, 0.0))

EXAMINERS = (
    Examiner("fair", FAIR, (0.3, 0.2, 0.5)),
    Examiner("lenient", LENIENT, (0.2, 0.1, 0.7)),
    Examiner("lenient, hardly any answer bugs", LENIENT, (0.05, 0.02, 0.93)),
    Examiner("nearly perfect", SHARP, (0.2, 0.1, 0.7)),
    Examiner("nearly perfect, hardly any answer bugs", SHARP, (0.03, 0.02, 0.95)),
    Examiner("fair, 4 rows a perturbation", FAIR, (0.3, 0.2, 0.5), cluster_size=4, echo=0.4),
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Share of runs whose interval holds the truth, by truth: corrected, and naive."""

    corrected: tuple[float, ...]
    naive: tuple[float, ...]
    mean_width: tuple[float, ...]
    refused_n: int


def simulate_shares(examiner: Examiner, runs: int, draws: int = DRAWS, seed: int = 0) -> Coverage:
    """Correct the verdicts of ``runs`` simulated merges; those refused are not counted."""
    rng = np.random.default_rng(seed)
    rows, shares = np.array(examiner.confusion), np.array(examiner.shares)
    k, v = rows.shape
    hits, naive_hits, widths, refused = np.zeros(k), np.zeros(k), np.zeros(k), 0
    truth = np.repeat(np.arange(k), examiner.control_n)
    size = examiner.cluster_size
    control_clusters = [f"control {i // size}" for _ in range(k) for i in range(examiner.control_n)]
    case_clusters = [f"case {i // size}" for i in range(examiner.case_n)]
    for run in range(runs):
        verdict = _verdicts(rng, rows[truth])
        for row in range(k):
            part = slice(row * examiner.control_n, (row + 1) * examiner.control_n)
            verdict[part] = _echoed(rng, verdict[part], size, examiner.echo)
        of_case = _verdicts(rng, np.broadcast_to(shares @ rows, (examiner.case_n, v)))
        of_case = _echoed(rng, of_case, size, examiner.echo)
        found = corrected_rates(
            truth, verdict, control_clusters, of_case, case_clusters,
            truth_n=k, verdict_n=v, draws=draws, seed=run,
        )  # fmt: skip
        if found.intervals is None:
            refused += 1
            continue
        low, high = np.array(found.intervals).T
        hits += (low <= shares) & (shares <= high)
        widths += high - low
        for row in range(k):
            bounds = wilson_interval(int((of_case == row).sum()), examiner.case_n)
            naive_hits[row] += bounds is not None and bounds[0] <= shares[row] <= bounds[1]
    n = max(1, runs - refused)
    return Coverage(
        tuple((hits / n).tolist()), tuple((naive_hits / n).tolist()),
        tuple((widths / n).tolist()), refused,
    )  # fmt: skip


def simulate_two_verdicts(
    runs: int,
    *,
    rate: float = 0.8,
    sensitivity: float = 0.85,
    specificity: float = 0.80,
    case_n: int = 200,
    control_n: int = 100,
    seed: int = 0,
) -> tuple[float, float]:
    """Return how often Lang-Reiczigel intervals, and naive ones, hold the true rate."""
    rng = np.random.default_rng(seed)
    positive = rng.binomial(case_n, rate * sensitivity + (1 - rate) * (1 - specificity), runs)
    hit = rng.binomial(control_n, sensitivity, runs)
    miss = rng.binomial(control_n, specificity, runs)
    covered, naive = 0, 0
    for p, h, m in zip(positive, hit, miss, strict=True):
        bounds = lang_reiczigel(int(p), case_n, int(h), control_n, int(m), control_n)
        covered += bounds is not None and bounds[0] <= rate <= bounds[1]
        of_verdicts = wilson_interval(int(p), case_n)
        naive += of_verdicts is not None and of_verdicts[0] <= rate <= of_verdicts[1]
    return covered / runs, naive / runs


def simulate_labels(
    runs: int,
    *,
    rate: float = 0.3,
    sensitivity: float = 0.85,
    specificity: float = 0.80,
    label_n: int = 100,
    other_n: int = 400,
    seed: int = 0,
) -> tuple[float, float]:
    """Return how often PPI++ intervals, and naive ones, hold the true rate."""
    rng = np.random.default_rng(seed)
    covered, naive = 0, 0
    for _ in range(runs):
        truth = rng.random(label_n + other_n) < rate
        chance = np.where(truth, sensitivity, 1 - specificity)
        verdict = rng.random(label_n + other_n) < chance
        found = prediction_powered_mean(truth[:label_n], verdict[:label_n], verdict[label_n:])
        bounds = found.interval if found is not None else None
        covered += bounds is not None and bounds[0] <= rate <= bounds[1]
        of_verdicts = wilson_interval(int(verdict.sum()), len(verdict))
        naive += of_verdicts is not None and of_verdicts[0] <= rate <= of_verdicts[1]
    return covered / runs, naive / runs


def _verdicts(rng: np.random.Generator, chances: Floats) -> Codes:
    drawn: Codes = (rng.random(len(chances))[:, None] > chances.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return drawn


def _echoed(rng: np.random.Generator, verdicts: Codes, size: int, echo: float) -> Codes:
    first = np.arange(len(verdicts)) // size * size
    echoed: Codes = np.where(rng.random(len(verdicts)) < echo, verdicts[first], verdicts)
    return echoed


def draw_figure(path: Path, runs: int, draws: int) -> None:
    """Draw estimates and coverage by the true share of answer bugs, for a lenient examiner."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "correction", "svg.fonttype": "none", "font.size": 9})
    import matplotlib.pyplot as plt

    truth = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    examiners = [
        Examiner("", LENIENT, (share, 0.1 * (1 - share), 0.9 * (1 - share))) for share in truth
    ]
    rows = np.array(LENIENT)
    naive = [float((np.array(one.shares) @ rows)[0]) for one in examiners]
    found = [simulate_shares(one, runs, draws, seed=i) for i, one in enumerate(examiners)]
    single = [_one_run(one, draws, seed=i) for i, one in enumerate(examiners)]
    estimate = np.array([share for share, _, _ in single])
    bars = np.array([[share - low, high - share] for share, low, high in single]).T

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    left.plot([0, 1], [0, 1], color="0.6", lw=1, label="truth")
    left.plot(truth, naive, "s--", color="#c44e52", label="naive: share of ANSWER_BUG verdicts")
    left.errorbar(
        truth, estimate, bars, fmt="o", color="#4c72b0", capsize=2,
        label="corrected, one run, 95 % interval",
    )  # fmt: skip
    left.set(
        xlim=(0, 0.85), ylim=(0, 1), xlabel="true share of answer bugs", ylabel="estimated share"
    )
    left.legend(loc="lower right", frameon=False)
    right.axhspan(0.93, 0.97, color="0.88", label="93 to 97 %")
    right.plot(truth, [one.corrected[0] for one in found], "o-", color="#4c72b0", label="corrected")
    right.plot(truth, [one.naive[0] for one in found], "s--", color="#c44e52", label="naive")
    right.set(
        xlim=(0, 0.85), ylim=(-0.02, 1.02), xlabel="true share of answer bugs",
        ylabel=f"intervals that hold it ({runs} runs)",
    )  # fmt: skip
    right.legend(loc="center left", frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})


def _one_run(examiner: Examiner, draws: int, seed: int) -> tuple[float, float, float]:
    rng = np.random.default_rng(1_000 + seed)
    rows, k = np.array(examiner.confusion), len(examiner.shares)
    truth = np.repeat(np.arange(k), examiner.control_n)
    mixed = np.array(examiner.shares) @ rows
    found = corrected_rates(
        truth, _verdicts(rng, rows[truth]), [f"control {i}" for i in range(len(truth))],
        _verdicts(rng, np.broadcast_to(mixed, (examiner.case_n, len(mixed)))),
        [f"case {i}" for i in range(examiner.case_n)],
        truth_n=k, verdict_n=rows.shape[1], draws=draws, seed=seed,
    )  # fmt: skip
    if found.shares is None or found.intervals is None:
        raise SystemExit(f"refused: {found.refusal}")
    return (found.shares[0], *found.intervals[0])


def main(arguments: list[str] | None = None) -> None:
    """Print the table and, when asked, draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=1_500)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--figure-runs", type=int, default=500)
    options = parser.parse_args(arguments)
    print(f"| examiner ({options.runs} runs) | " + " | ".join(TRUTHS) + " | naive ANSWER_BUG |")
    print("|---|---|---|---|---|")
    for examiner in EXAMINERS:
        found = simulate_shares(examiner, options.runs, options.draws)
        covered = " | ".join(f"{share:.1%}" for share in found.corrected)
        print(f"| {examiner.name} | {covered} | {found.naive[0]:.1%} |", flush=True)
    for name, (covered_rate, naive) in (
        ("Rogan-Gladen, Lang-Reiczigel", simulate_two_verdicts(options.runs)),
        ("PPI++", simulate_labels(options.runs)),
    ):
        print(f"{name}: {covered_rate:.1%}, naive {naive:.1%}", file=sys.stderr)
    if options.figure:
        draw_figure(options.figure, options.figure_runs, options.draws)


if __name__ == "__main__":
    main()
