"""Several answers to one question: means over items, pass@k, majority vote, agreement."""

from __future__ import annotations

from pathlib import Path
from statistics import stdev
from typing import Any

import pytest

from eval_tiers import evaluate
from tests.e2e.running import TOY_KG, Record, in_process, model_text, write_kg, write_lines

CHAIN = [["P", "+", "A"], ["A", "-", "B"], ["B", "+", "E"]]

# item, gold answer, answers by rollout (None: no answer block)
ITEMS: list[tuple[str, str, list[str | None]]] = [
    ("all right", "down", ["down", "down", "down", "down"]),
    ("half", "down", ["down", "down", "up", "up"]),
    ("one of four", "down", ["up", "up", "up", "down"]),
    ("none", "up", ["down", "down", None, "unchanged"]),
    ("two of three", "up", ["up", None, "up"]),
    ("single", "up", ["up"]),
    ("missing", "up", []),
    ("never parsed", "up", [None, None]),
]


def write(folder: Path, items: list[tuple[str, str, list[str | None]]]) -> tuple[Path, Path]:
    gold: list[Record] = [
        {"id": name, "answer": answer, "path": CHAIN, "pert": "P", "gene": "E"}
        for name, answer, _ in items
    ]
    predictions: list[Record] = [
        {"id": name, "rollout": number, "output": model_text(said, CHAIN)}
        for name, _, answers in items
        for number, said in enumerate(answers)
    ]
    return (
        write_lines(folder / "gt_genetic.jsonl", gold),
        write_lines(folder / "pred_genetic.jsonl", predictions),
    )


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("rollouts")
    gold, predictions = write(folder, ITEMS)
    kg = write_kg(folder / "kg.tsv", TOY_KG)
    return evaluate(gt_file=gold, pred_file=predictions, external_kg=kg)


def shares() -> list[float]:
    """The share of right rollouts of each item; a missing prediction is wrong."""
    return [
        sum(said == answer for said in answers) / max(1, len(answers))
        for _, answer, answers in ITEMS
    ]


def test_one_row_a_rollout_in_gold_order(found: Any) -> None:
    rows = found.samples[["sample_id", "rollout", "predicted_label"]].values.tolist()
    expected = [
        [name, str(number), said]
        for name, _, answers in ITEMS
        for number, said in enumerate(answers)
    ]
    expected.insert(len(expected) - 2, ["missing", None, None])
    found_rows = [[None if cell != cell else cell for cell in row] for row in rows]
    assert found_rows == expected


def test_headline_is_the_mean_over_items(found: Any) -> None:
    summary = found.summary
    assert summary["n"] == len(ITEMS)
    assert summary["row_n"] == sum(max(1, len(answers)) for *_, answers in ITEMS)
    assert summary["accuracy"] == pytest.approx(sum(shares()) / len(ITEMS))
    failures = [
        sum(said is None for said in answers) / len(answers) if answers else 1.0
        for *_, answers in ITEMS
    ]
    assert summary["parse_failure_rate"] == pytest.approx(sum(failures) / len(ITEMS))
    cells = sum(sum(row.values()) for row in summary["confusion_matrix"].values())
    assert cells == pytest.approx(len(ITEMS))
    up = [share for share, (_, answer, _) in zip(shares(), ITEMS, strict=True) if answer == "up"]
    assert summary["class_metrics"]["up"]["recall"] == pytest.approx(sum(up) / len(up))


def test_error_labels_are_counted_by_row(found: Any) -> None:
    counts = found.samples["error_label"].value_counts().to_dict()
    distribution = found.summary["error_distribution"]
    assert {name: n for name, n in distribution.items() if n} == counts
    assert sum(found.summary["error_rate_by_label"].values()) == pytest.approx(1)


def test_pass_at_k(found: Any) -> None:
    items = [(sum(s == a for s in said), max(1, len(said))) for _, a, said in ITEMS]
    passed = found.summary["rollouts"]["pass_at_k"]
    assert set(passed) == {"1", "2", "4"}
    assert passed["1"]["value"] == pytest.approx(found.summary["accuracy"])
    assert passed["1"]["n"] == len(ITEMS)

    def of_two(right: int, n: int) -> float:
        wrong = n - right
        return 1 - wrong * (wrong - 1) / (n * (n - 1))

    two = [of_two(right, n) for right, n in items if n >= 2]
    assert (passed["2"]["value"], passed["2"]["n"]) == (pytest.approx(sum(two) / len(two)), 6)
    error = stdev(two) / len(two) ** 0.5
    assert passed["2"]["value_low"] == pytest.approx(sum(two) / len(two) - 1.959964 * error)
    # three of the four items with four rollouts have a right one: mean .75, standard error .25
    assert (passed["4"]["value"], passed["4"]["n"]) == (pytest.approx(3 / 4), 4)
    ends = passed["4"]["value_low"], passed["4"]["value_high"]
    assert ends == (pytest.approx(0.75 - 1.959964 * 0.25), 1.0)
    assert found.summary["rollouts"]["rollouts_per_item_max"] == 4
    assert found.summary["rollouts"]["items"] == len(ITEMS)


def test_majority_vote(found: Any) -> None:
    """Rows without an answer don't vote; a tie is no answer."""
    rollouts = found.summary["rollouts"]
    assert rollouts["majority_vote_accuracy"] == pytest.approx(3 / 8)  # all, two of three, single
    assert rollouts["majority_vote_accuracy_n"] == 8
    assert rollouts["majority_vote_tied_n"] == 1  # half


def test_agreement(found: Any) -> None:
    """The share of pairs of rollouts that say the same, mean over items with several."""
    same = [1, 2 / 6, 3 / 6, 1 / 6, 1 / 3, 1]
    rollouts = found.summary["rollouts"]
    assert rollouts["agreement_n"] == len(same)
    assert rollouts["agreement"] == pytest.approx(sum(same) / len(same))


def test_the_ledger_counts_items_and_rows(found: Any) -> None:
    ledger = found.summary["ledger"]
    assert ledger["gold"]["rows"] == 8
    assert (ledger["gold"]["missing_prediction"], ledger["gold"]["parse_failure"]) == (1, 1)
    assert ledger["gold"]["scored"] == 6
    assert ledger["predictions"]["rows"] == ledger["predictions"]["matched"] == 22


def test_one_answer_an_item_has_no_rollout_figures(tmp_path: Path) -> None:
    gold, predictions = write(tmp_path, [("a", "up", ["up"]), ("b", "up", ["down"])])
    assert "rollouts" not in evaluate(gt_file=gold, pred_file=predictions, tiers=(1,)).summary


def test_many_items_of_three_rollouts_count_whole(tmp_path: Path) -> None:
    items: list[tuple[str, str, list[str | None]]] = [
        (f"i{number}", "up", ["up", "up", "down"]) for number in range(3000)
    ]
    gold, predictions = write(tmp_path, items)
    found = evaluate(gt_file=gold, pred_file=predictions, tiers=(1,)).summary
    assert found["accuracy"] == pytest.approx(2 / 3, abs=1e-8)
    assert found["n"] == 3000


def test_epoch_is_another_name_for_rollout(tmp_path: Path) -> None:
    gold, predictions = write(tmp_path, ITEMS)
    text = predictions.read_text(encoding="utf-8")
    predictions.write_text(text.replace('"rollout"', '"epoch"'), encoding="utf-8")
    found = evaluate(gt_file=gold, pred_file=predictions, tiers=(1,)).summary
    assert found["rollouts"]["pass_at_k"]["1"]["n"] == len(ITEMS)


@pytest.mark.parametrize("spoil", [('"rollout": 1', '"rollout": 0'), ('"rollout": 1, ', "")])
def test_rows_without_distinct_rollouts_are_an_error(
    tmp_path: Path, spoil: tuple[str, str]
) -> None:
    gold, predictions = write(tmp_path, [("q-1", "up", ["up", "down"])])
    text = predictions.read_text(encoding="utf-8").replace(*spoil)
    if spoil[1] == "":
        text = text.replace('"rollout": 0, ', "")
    predictions.write_text(text, encoding="utf-8")
    arguments = ("eval", "--gt-file", gold, "--pred-file", predictions, "--tiers", 1)
    done = in_process(*arguments, folder=tmp_path)
    assert done.returncode == 3
    assert "q-1" in done.stderr and "lines 1 and 2" in done.stderr
    for choice, label in (("first", "up"), ("last", "down")):
        done = in_process(*arguments, "--duplicates", choice, "--json", "-q", folder=tmp_path)
        assert done.returncode == 0
        assert f'"{label}": 1' in done.stdout.split('"confusion_matrix"')[1].split("}")[0]
