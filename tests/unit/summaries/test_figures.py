"""Figures of slices: undefined ones, the gold's consistency, hubs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from eval_tiers import evaluate
from eval_tiers.api import Evaluation
from eval_tiers.summaries.chain_figures import consistency_warnings, gold_consistency
from eval_tiers.summaries.cluster_sums import UNIT
from eval_tiers.summaries.figures import slice_figures
from eval_tiers.summaries.interval_figures import SliceSums
from eval_tiers.summaries.tally import Tally

Edge = tuple[str, str, str]


def leaves(value: object, name: str = "") -> list[tuple[str, object]]:
    """Every number or None of nested dicts, with its name."""
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in leaves(inner, f"{name}/{key}")]
    return [(name, value)]


def test_undefined_is_none_and_counts_are_zero() -> None:
    found = leaves(slice_figures(SliceSums(Tally()), frozenset({1, 2, 3})))
    assert len(found) > 150
    counts = {name for name, value in found if value == 0 and not isinstance(value, bool)}
    nulls = {name for name, value in found if value is None}
    assert counts | nulls == {name for name, _ in found}
    for name in ("accuracy", "accuracy_low", "balanced_accuracy", "f1_macro", "edge_f1",
                 "hallucination_rate", "in_kg_rate", "grounded_accuracy", "lucky_right_rate",
                 "contradicted_rate", "contradicted_band", "hub/lift", "shortcut/expected",
                 "go_sim_mean", "go_sim_median", "go_sim_edge_f1_pearson",
                 "gold_self_consistency/all/rate", "wrong_correct_chain_to_wrong_no_path",
                 "off_path_edge_rate"):  # fmt: skip
        assert f"/{name}" in nulls
    assert {name.rsplit("/", 1)[1] for name in counts if name.endswith("_rate")} == set()


def consistency(**sums: int) -> tuple[dict[str, Any], list[str]]:
    """Consistency and warnings from counts (consistent, judged) by sign."""
    tally = Tally({name: value * UNIT for name, value in sums.items()})
    found = gold_consistency(SliceSums(tally))
    return found, consistency_warnings({"gold_self_consistency": found})


def test_consistency_that_holds() -> None:
    found, warnings = consistency(
        gold_judged_positive_w=100, gold_consistent_positive_w=92, gold_judged_negative_w=50,
        gold_consistent_negative_w=45,
    )  # fmt: skip
    assert warnings == []
    assert found["all"]["rate"] == pytest.approx(137 / 150)
    assert found["negative"]["rate_flipped"] == pytest.approx(0.1)
    assert found["positive"]["rate_n"] == 100


def test_consistency_that_a_flip_would_raise() -> None:
    _, warnings = consistency(
        gold_judged_positive_w=100, gold_consistent_positive_w=92, gold_judged_negative_w=50,
        gold_consistent_negative_w=5,
    )  # fmt: skip
    assert len(warnings) == 1
    assert "negative" in warnings[0]


def test_consistency_with_a_low_bound() -> None:
    _, warnings = consistency(gold_judged_positive_w=10, gold_consistent_positive_w=6)
    assert len(warnings) == 2  # the whole, and the positive ones
    _, warnings = consistency(gold_judged_positive_w=1000, gold_consistent_positive_w=600)
    assert warnings == []


def test_small_groups_count_only_in_the_whole() -> None:
    _, warnings = consistency(
        gold_judged_positive_w=100, gold_consistent_positive_w=95, gold_judged_negative_w=9,
        gold_consistent_negative_w=0,
    )  # fmt: skip
    assert warnings == []


# --------------------------------------------------------------------------- through a run


def run(folder: Path, samples: list[dict[str, Any]], kg: list[Edge], **options: Any) -> Evaluation:
    """Evaluate samples given as gold record plus ``chain`` and ``said``."""
    gold, predictions = [], []
    for number, sample in enumerate(samples):
        record = {"id": f"s{number}"} | sample
        chain, said = record.pop("chain", record.get("path")), record.pop("said", sample["answer"])
        gold.append(record)
        text = f"<answer>{said}</answer><triplet>{json.dumps(chain)}</triplet>"
        predictions.append({"id": record["id"], "output": text})
    folder.mkdir(exist_ok=True)
    for name, rows in (("gt_genetic.jsonl", gold), ("pred_genetic.jsonl", predictions)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = ["source\ttarget\tsign"] + [f"{a}\t{b}\t{sign}" for a, sign, b in kg]
    (folder / "kg.tsv").write_text("\n".join(lines) + "\n")
    return evaluate(
        gt_file=folder / "gt_genetic.jsonl",
        pred_file=folder / "pred_genetic.jsonl",
        external_kg=folder / "kg.tsv",
        **options,
    )


def knockdowns(answer: str, n: int = 20) -> list[dict[str, Any]]:
    """Knockdowns of P, which activates E through A."""
    return [
        {"answer": answer, "path": [["P", "+", "A"], ["A", "+", "E"]], "pert": "P", "gene": "E",
         "pert_type": "genetic", "perturbation_mode": "knockdown"}
        for _ in range(n)
    ]  # fmt: skip


KG: list[Edge] = [("P", "1", "A"), ("A", "1", "E")]
HEADLINES = ("grounded_accuracy", "grounded_accuracy_upper", "lucky_right_rate")


def test_headlines_stand_where_gold_chains_imply_their_answers(tmp_path: Path) -> None:
    found = run(tmp_path, knockdowns("down"), KG).summary
    assert found["warnings"] == []
    assert "withheld" not in found
    assert [found[name] for name in HEADLINES] == [1, 1, 0]
    assert found["gold_self_consistency"]["negative"]["rate"] == 1


def test_headlines_are_withheld_for_a_knockdown_with_the_wrong_sign(tmp_path: Path) -> None:
    wrong = [sample | {"perturbation_mode": "activation"} for sample in knockdowns("down")]
    found = run(tmp_path, wrong, KG).summary
    assert found["gold_self_consistency"]["positive"]["rate"] == 0
    assert found["gold_self_consistency"]["positive"]["rate_flipped"] == 1
    assert found["warnings"]
    for name in HEADLINES:
        for key in (name, f"{name}_low", f"{name}_high"):
            assert found[key] is None
            assert key in found["withheld"]["figures"]
    assert found["withheld"]["reason"]
    assert found["accuracy"] == 1  # what does not rest on implied answers stays


def test_the_sign_given_for_the_run_mends_it(tmp_path: Path) -> None:
    absent = [
        {key: value for key, value in sample.items() if key != "perturbation_mode"}
        for sample in knockdowns("down")
    ]
    found = run(tmp_path, absent, KG).summary
    assert found["no_perturbation_sign_n"] == 20
    assert found["gold_self_consistency"]["all"]["rate"] is None
    found = run(tmp_path, absent, KG, mode={"genetic": -1}).summary
    assert (found["no_perturbation_sign_n"], found["grounded_accuracy"]) == (0, 1)
    found = run(tmp_path, absent, KG, mode={"genetic": 1}).summary
    assert found["grounded_accuracy"] is None


def test_hub_lift_and_expected_share_by_the_formula(tmp_path: Path) -> None:
    kg: list[Edge] = [
        ("H", "1", "A"), ("H", "-1", "B"), ("H", "1", "C"), ("H", "1", "D"), ("A", "1", "B"),
        ("A", "-1", "B"), ("B", "1", "C"), ("D", "0", "A"), ("C", "1", "H"),
    ]  # fmt: skip
    pairs = {(a, b) for a, _, b in kg}
    out_n = {node: sum(a == node for a, _ in pairs) for node in "HABCD"}
    in_n = {node: sum(b == node for _, b in pairs) for node in "HABCD"}
    predicted = [
        ["H", "+", "A"], ["H", "+", "C"], ["A", "+", "C"], ["D", "+", "C"], ["B", "+", "A"],
        ["D", "-", "B"], ["X", "+", "A"], ["A", "+", "X"], ["C", "-", "H"],
    ]  # fmt: skip
    sample = {"answer": "up", "path": [["H", "+", "A"]], "pert": "H", "gene": "A"}
    found = run(
        tmp_path, [sample | {"chain": predicted[:5]}, sample | {"chain": predicted[5:]}], kg
    )
    known = [(a, b) for a, _, b in predicted if "X" not in (a, b)]
    m = len(pairs)
    expected = sum(1 - math.exp(-out_n[a] * in_n[b] / m) for a, b in known) / len(known)
    observed = sum(pair in pairs for pair in known) / len(known)
    hub = found.summary["hub"]
    assert hub["pair_n"] == len(known) == 7
    assert hub["observed"] == pytest.approx(observed)
    assert hub["expected"] == pytest.approx(expected, abs=1e-8)
    assert hub["lift"] == pytest.approx((observed - expected) / (1 - expected), abs=1e-8)

    through = sum(in_n[x] * out_n[x] for x in "HABCD")
    open_pairs = [(a, b) for a, b in known if (a, b) not in pairs and (b, a) not in pairs]
    two_steps = [any((a, x) in pairs and (x, b) in pairs for x in "HABCD") for a, b in open_pairs]
    share = sum(1 - math.exp(-out_n[a] * in_n[b] * through / m**2) for a, b in open_pairs)
    shortcut = found.summary["shortcut"]
    assert shortcut["pair_n"] == len(open_pairs) > 0
    assert shortcut["observed"] == pytest.approx(sum(two_steps) / len(open_pairs))
    assert shortcut["expected"] == pytest.approx(share / len(open_pairs), abs=1e-8)


def test_contradicted_or_just_unsupported(tmp_path: Path) -> None:
    kg: list[Edge] = [("P", "1", "A"), ("A", "1", "E"), ("A", "-1", "E"), ("P", "0", "E")]
    chain = [["P", "-", "A"], ["A", "-", "E"], ["P", "-", "E"], ["A", "+", "P"], ["P", "+", "Q"]]
    sample = {"answer": "up", "path": [["P", "+", "A"]], "pert": "P", "gene": "E", "chain": chain}
    found = run(tmp_path, [sample], kg).summary
    assert found["contradicted_rate"] == pytest.approx(1 / 5)
    assert found["unsupported_rate"] == pytest.approx(2 / 5)
    assert found["contradicted_band"] == pytest.approx([1 / 5, 3 / 5])
    assert found["edge_status"] == {
        "supported": 1, "unsigned_in_kg": 1, "sign_contradicted": 1, "unknown_node": 1,
        "reversed": 1, "shortcut": 0, "absent": 0,
    }  # fmt: skip


def test_gold_s_own_ceiling(tmp_path: Path) -> None:
    samples: list[dict[str, Any]] = [
        {
            "answer": "up",
            "path": [["DRUG", "+", "A"], ["A", "+", "E"]],
            "pert": "DRUG",
            "gene": "E",
        },
        {"answer": "up", "path": [["P", "+", "A"], ["A", "+", "E"]], "pert": "P", "gene": "E"},
        {"answer": "up", "path": [], "pert": "P", "gene": "E"},
        {"answer": "up", "pert": "P", "gene": "E"},
    ]
    found = run(tmp_path, samples, KG).summary
    assert found["gold_in_kg_rate"] == pytest.approx(0.75)
    assert found["gold_in_kg_rate_n"] == 2
    assert found["no_gold_chain_n"] == 1
