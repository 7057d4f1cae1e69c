"""Every column of the package against the slow reading: on real graphs, and on generated files."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from benchmarks.generate import write_benchmark
from eval_tiers import evaluate
from tests.compare import differences
from tests.e2e.running import Edge, Record, shared, write_kg, write_lines
from tests.oracle import go, run
from tests.oracle.chains import Graph
from tests.unit.texts.fragments import SYMBOLS

POOLED = ("accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "f1_macro_present",
          "hard_case_n", "edge_f1", "hallucination_rate", "hallucination_rate_n", "in_kg_rate")  # fmt: skip
IMPLIED = ("grounded_accuracy", "grounded_accuracy_upper", "lucky_right_rate")


def check_pooled(summary: Record, rows: list[run.Row]) -> None:
    """The summary's figures are those of the rows."""
    score = run.score(rows)
    assert summary["n"] == score.n == len(rows)
    for name in POOLED:
        expected = getattr(score, name)
        found = summary[name]
        assert found == (None if math.isnan(expected) else pytest.approx(expected, abs=1e-8)), name
    withheld = summary.get("withheld", {}).get("figures", {})
    for name in IMPLIED:
        found = summary[name] if name not in withheld else withheld[name]
        expected = getattr(score, name)
        assert found == (None if math.isnan(expected) else pytest.approx(expected, abs=1e-8)), name
    distribution = {name: n for name, n in summary["error_distribution"].items() if n}
    assert distribution == score.error_distribution
    for label, figure in score.class_f1.items():
        assert summary["class_metrics"][label]["f1"] == pytest.approx(figure)
    assert sum(summary["parse_failure_reasons"].values()) == score.parse_failure_n
    gold = summary["ledger"]["gold"]
    assert gold["rows"] == sum(n for name, n in gold.items() if name != "rows")
    predictions = summary["ledger"]["predictions"]
    assert predictions["rows"] == sum(n for name, n in predictions.items() if name != "rows")


@pytest.fixture(scope="module")
def core_graph() -> Graph:
    return run.read_graph(shared("data/kg/signed_kg_core.tsv.gz"))


@pytest.fixture(scope="module")
def human_sets() -> go.GeneSets:
    return run.read_gene_sets(shared("data/gmt/GOBP_human_GO2022-07-01.symbols.gmt.gz"))


RESOURCES: dict[str, Any] = {"tiers": (1, 2, 3)}


def resources() -> dict[str, Any]:
    return RESOURCES | {
        "external_kg": shared("data/kg/signed_kg_core.tsv.gz"),
        "go_gmt": shared("data/gmt/GOBP_human_GO2022-07-01.symbols.gmt.gz"),
    }


def test_constructed_set_on_a_real_graph(core_graph: Graph, human_sets: go.GeneSets) -> None:
    gold, predictions = shared("data/perturbreason/gt"), shared("data/perturbreason/pred")
    rows = run.score_folders(gold, predictions, core_graph, human_sets)
    found = evaluate(gt_dir=gold, pred_dir=predictions, **resources())
    assert len(rows) == 2000
    assert differences(found.samples, rows) == []
    check_pooled(found.summary, rows)
    reached = {row["error_label"] for row in rows}
    assert len(reached) > 8


def test_real_text_of_a_small_model(
    core_graph: Graph, human_sets: go.GeneSets, tmp_path: Path
) -> None:
    predictions = shared("data/llm/smollm2_perturbreason.jsonl")
    ids = [json.loads(line)["id"] for line in predictions.read_text(encoding="utf-8").splitlines()]
    gold: dict[str, Record] = {}
    for path in sorted(shared("data/perturbreason/gt").rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line.strip():
                record = json.loads(line)
                gold[record["id"]] = record
    file = write_lines(tmp_path / "gt" / "questions.jsonl", [gold[name] for name in ids])
    rows = run.score_files(file, predictions, graph=core_graph, gene_sets=human_sets)
    found = evaluate(gt_file=file, pred_file=predictions, **resources())
    assert len(rows) == len(ids) > 100
    assert differences(found.samples, rows) == []
    check_pooled(found.summary, rows)


# --------------------------------------------------------------------------- generated

GENES = [f"G{number}" for number in range(40)]


def toy_graph(seed: int) -> list[Edge]:
    """A random signed graph: hubs, both signs on a pair, unsigned pairs, self-loops."""
    rng = random.Random(seed)
    edges = []
    for _ in range(160):
        a, b = (GENES[int(40 * rng.random() ** 2)] for _ in range(2))
        edges.append((a, rng.choice([1, 1, 1, -1, -1, 0]), b))
    return edges


def write_toy_sets(path: Path, seed: int) -> Path:
    rng = random.Random(seed)
    known = GENES[::2] + GENES[1:20:2]
    lines = ["\t".join([f"T{n}", "d", *rng.sample(known, rng.randint(1, 12))]) for n in range(30)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("seed", [1, 2])
def test_generated_benchmark(tmp_path: Path, seed: int) -> None:
    edges = toy_graph(seed)
    kg, gmt = write_kg(tmp_path / "kg.tsv", edges), write_toy_sets(tmp_path / "go.gmt", seed)
    signed = [(a, b, sign) for a, sign, b in edges]
    write_benchmark(tmp_path, signed, 400, 60, seed)
    rows = run.score_folders(
        tmp_path / "gt", tmp_path / "pred", run.read_graph(kg), run.read_gene_sets(gmt)
    )
    found = evaluate(
        gt_dir=tmp_path / "gt", pred_dir=tmp_path / "pred", external_kg=kg, go_gmt=gmt,
        tiers=(1, 2, 3),
    )  # fmt: skip
    assert len(rows) == 400
    assert differences(found.samples, rows) == []
    check_pooled(found.summary, rows)


def odd_gold(rng: random.Random, number: int) -> Record:
    """A gold record with a field in another spelling, absent, null, or in another case."""

    def gene() -> str:
        name = rng.choice(GENES[:12])
        return rng.choice([name, name, name.lower(), f" {name} "])

    start, end = gene(), gene()
    path: list[object] = [
        [gene(), rng.choice(["+", "-", "activates", "−", "binds", 1, -1]), gene()]
        for _ in range(rng.randint(0, 3))
    ]
    if path and rng.random() < 0.7:
        path[0] = [start, "+", gene()]
        path[-1] = [gene(), rng.choice(["+", "-"]), end]
    record: Record = {
        rng.choice(["id", "sample_id"]): f"q{number}",
        "answer": rng.choice(["up", "down", "unchanged", "Up", " down "]),
        rng.choice(["path", "gt_path", "gt_triplets", "triplet"]): path,
        rng.choice(["pert", "perturbation"]): start,
        rng.choice(["gene", "effect_gene", "target"]): end,
        "pert_type": rng.choice(["chemical", "genetic", "Chemical", None]),
        "perturbation_mode": rng.choice(
            ["knockdown", "Knockout", "CRISPRi", "inhibition", "activation", "CRISPRa", "treatment",
             "overexpression", "unknown", None]
        ),
        "cell_line": rng.choice(["K562", None]),
    }  # fmt: skip
    for name in list(record):
        if name not in {"id", "sample_id", "answer"} and rng.random() < 0.06:
            record[name] = None
        elif name not in {"id", "sample_id", "answer"} and rng.random() < 0.06:
            del record[name]
    return record


def odd_text(rng: random.Random, gold: Record) -> str:
    """A model's text on it: gold edges, other edges, tangles, in several spellings."""
    chain: list[Any] = []
    for name in ("path", "gt_path", "gt_triplets", "triplet"):
        chain += [list(edge) for edge in gold.get(name) or [] if rng.random() < 0.8]
    pool = [*GENES[:12], *SYMBOLS[:4], "g1"]
    for _ in range(rng.choice([0, 0, 1, 2, 8])):
        chain.append([rng.choice(pool), rng.choice(["+", "-", "?", "up", "⊣"]), rng.choice(pool)])
    rng.shuffle(chain)
    if rng.random() < 0.1:
        chain.append(rng.choice([["A", "+"], ["A", "+", ""], "x", ["a", "+", "b", "c"]]))
    said = rng.choice(
        ["up", "down", "Up.", "**unchanged**", "not up", "increased", "", "up or down"]
    )
    triplets = rng.choice(
        [
            json.dumps(chain),
            repr(chain),
            json.dumps(chain)[:-1],
            "```\n" + json.dumps(chain) + "\n```",
        ]
    )
    answer = rng.choice([f"<answer>{said}</answer>"] * 5 + [f"<answer>{said}", ""])
    return f"<think>so</think>{answer}<triplet>{triplets}</triplet>"


@pytest.mark.parametrize("seed", range(4))
def test_odd_records(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    gold = [odd_gold(rng, number) for number in range(150)]
    predictions = [
        {rng.choice(["id", "sample_id"]): f"q{number}",
         rng.choice(["output", "response", "text"]): odd_text(rng, record)}
        for number, record in enumerate(gold)
        if rng.random() < 0.95
    ]  # fmt: skip
    rng.shuffle(predictions)
    folder = tmp_path / "odd_split"
    gold_file = write_lines(folder / "gt_genetic.jsonl", gold)
    prediction_file = write_lines(folder / "pred_genetic.jsonl", predictions)
    kg = write_kg(tmp_path / "kg.tsv", toy_graph(seed))
    gmt = write_toy_sets(tmp_path / "go.gmt", seed)
    rows = run.score_files(
        gold_file, prediction_file, None, run.read_graph(kg), run.read_gene_sets(gmt)
    )
    found = evaluate(
        gt_file=gold_file, pred_file=prediction_file, external_kg=kg, go_gmt=gmt, tiers=(1, 2, 3)
    )
    assert differences(found.samples, rows) == []
    check_pooled(found.summary, rows)
    assert found.summary["ledger"]["gold"]["missing_prediction"] == 150 - len(predictions)
