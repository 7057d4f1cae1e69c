"""The oracle against every worked number of the contract, and against its rules."""

from __future__ import annotations

import gzip
import itertools
import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.oracle import chains, go, run, texts
from tests.oracle.run import Row

SHARED = Path(__file__).parents[2].parent / "shared"


def write_jsonl(path: Path, records: Sequence[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def shared(name: str) -> Path:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"the shared file {name} is not beside this repository")
    return path


# --------------------------------------------------------------------------- section 7

KG_EDGES = [
    ("P", 1, "A"),
    ("A", -1, "B"),
    ("B", 1, "E"),
    ("P", 1, "C"),
    ("C", -1, "E"),
    ("A", -1, "E"),
]
GOLD = [["P", "+", "A"], ["A", "-", "B"], ["B", "+", "E"]]
FLIPPED = [["P", "+", "A"], ["A", "-", "B"], ["B", "-", "E"]]
ECHO = "up / down / unchanged"
RFWR = "CORRECT_RIGHT_FOR_WRONG_REASON"
WRONG_HALLUCINATED = "WRONG_HALLUCINATED_EDGE"

# id, answer, predicted chain, strict F1, coverage, hallucination rate, error label
FIXTURE = [
    ("01", "down", GOLD, 1, 1, 0, "CORRECT"),
    ("02", "down", [["P", "+", "X"], ["X", "-", "E"]], 0, 0, 1, "CORRECT_HALLUCINATED_EDGE"),
    ("03", "down", [["P", "+", "C"], ["C", "-", "E"]], 0, 0, 0, RFWR),
    ("04", "down", FLIPPED, 0.6667, 1, 0, "CORRECT_SIGN_FLIP"),
    ("05", "up", GOLD, 1, 1, 0, "WRONG_CORRECT_CHAIN"),
    ("06", "up", [["P", "+", "X"], ["X", "+", "E"]], 0, 0, 1, WRONG_HALLUCINATED),
    ("07", "up", [["P", "+", "A"], ["A", "-", "B"]], 0.8, 0.6667, 0, "WRONG_NO_PATH"),
    ("08", "up", FLIPPED, 0.6667, 1, 0, "WRONG_SIGN_FLIP"),
    ("09", None, GOLD, 1, 1, 0, "PARSE_FAIL"),
    ("10", ECHO, [], 0, 0, None, "PARSE_FAIL"),
    ("11", "up", [], 0, 0, None, "WRONG_NO_PATH"),
    ("12", "down", [], 0, 0, None, RFWR),
    ("13", "up", [["P", "+", "C"], ["C", "-", "E"]], 0, 0, 0, "WRONG_CORRECT_CHAIN"),
    ("14", "down", [*GOLD, ["X", "+", "Y"]], 0.8571, 1, 0.25, "CORRECT"),
    (
        "15",
        "up",
        [["P", "+", "A"], ["A", "-", "E"], ["X", "+", "Y"], ["Y", "+", "Z"]],
        0.2857,
        0.3333,
        0.5,
        WRONG_HALLUCINATED,
    ),
]


def toy_graph() -> chains.Graph:
    graph = chains.Graph()
    for source, sign, target in KG_EDGES:
        graph.add(source, target, sign)
    return graph


@pytest.fixture
def fixture_rows(tmp_path: Path) -> list[Row]:
    gold, predictions = [], []
    for sample_id, answer, chain, *_ in FIXTURE:
        gold.append({"id": sample_id, "answer": "down", "path": GOLD, "pert": "P", "gene": "E"})
        said = "" if answer is None else f"<answer>{answer}</answer>"
        text = f"<thinking>so</thinking>{said}<triplet>{json.dumps(chain)}</triplet>"
        predictions.append({"id": sample_id, "output": text})
    return run.score_files(
        write_jsonl(tmp_path / "toy" / "gt_chemical.jsonl", gold),
        write_jsonl(tmp_path / "pred" / "chemical.jsonl", list(reversed(predictions))),
        graph=toy_graph(),
    )


def test_hand_worked_fixture_rows(fixture_rows: list[Row]) -> None:
    assert [row["sample_id"] for row in fixture_rows] == [sample[0] for sample in FIXTURE]
    for row, (_, _, _, f1, coverage, hallucination, label) in zip(
        fixture_rows, FIXTURE, strict=True
    ):
        assert row["edge_f1"] == pytest.approx(f1, abs=5e-5)
        assert row["chain_coverage"] == pytest.approx(coverage, abs=5e-5)
        assert row["hallucination_rate"] == hallucination
        assert row["error_label"] == label
        assert row["perturbation_sign"] == 1
        assert row["split"] == "toy"
        assert row["pert_type"] == "chemical"


def test_hand_worked_fixture_details(fixture_rows: list[Row]) -> None:
    flip = fixture_rows[3]
    assert flip["edge_f1_relaxed"] == 1
    assert flip["sign_match"] == pytest.approx(0.6667, abs=5e-5)
    assert flip["sign_flip_n"] == 1
    assert fixture_rows[8]["parse_failure_reason"] == "no_answer_block"
    assert fixture_rows[9]["parse_failure_reason"] == "template_echo"
    assert fixture_rows[13]["off_path_edge_n"] == 1
    assert fixture_rows[14]["off_path_edge_n"] == 2
    assert fixture_rows[0]["implied_answer"] == "down"
    assert {row["gold_implied_answer"] for row in fixture_rows} == {"down"}
    assert [row["chain_validity"] for row in fixture_rows] == [
        "valid",  # 01
        "invalid",  # 02: X is not in the KG
        "valid",  # 03: another route, and true
        "invalid",  # 04: B-E is contradicted, implied up
        "invalid",  # 05
        "invalid",  # 06
        "unverifiable",  # 07: no path, so nothing is implied
        "invalid",  # 08: implied up is the answer, but B-E is contradicted
        "unverifiable",  # 09
        "unverifiable",  # 10
        "unverifiable",  # 11
        "unverifiable",  # 12
        "invalid",  # 13
        "valid",  # 14
        "invalid",  # 15
    ]


def test_hand_worked_fixture_pooled(fixture_rows: list[Row]) -> None:
    score = run.score(fixture_rows)
    assert score.n == 15
    assert score.accuracy == pytest.approx(0.4)
    assert score.hard_case_n == 7
    assert score.edge_f1 == pytest.approx(0.4184, abs=5e-5)
    assert score.hallucination_rate == pytest.approx(0.2292, abs=5e-5)
    assert score.hallucination_rate_n == 12
    assert score.in_kg_rate == pytest.approx(1 - 0.2292, abs=5e-5)
    assert score.error_distribution == Counter(sample[-1] for sample in FIXTURE)
    assert score.parse_failure_n == 2
    assert score.grounded_accuracy == pytest.approx(3 / 15)
    assert score.grounded_accuracy_upper == pytest.approx(4 / 15)
    assert score.lucky_right_rate == pytest.approx(2 / 6)


def test_rows_have_exactly_the_columns(fixture_rows: list[Row]) -> None:
    for row in fixture_rows:
        assert tuple(row) == run.COLUMNS
        assert isinstance(row["answer_correct"], bool)
        assert isinstance(row["hard_case"], bool)


# --------------------------------------------------------------------------- tier 1


def test_tier_1_worked_example() -> None:
    gold = ["up", "up", "down", "down", "unchanged", "unchanged"]
    predicted = ["up", "down", "down", None, "unchanged", "up"]
    rows: list[Row] = [
        {**dict.fromkeys(run.COLUMNS), "gold_label": a, "predicted_label": b}
        for a, b in zip(gold, predicted, strict=True)
    ]
    for row in rows:
        row["answer_correct"] = row["gold_label"] == row["predicted_label"]
    score = run.score(rows)
    assert score.accuracy == pytest.approx(0.5)
    assert score.balanced_accuracy == pytest.approx(0.5)
    assert score.class_f1["up"] == pytest.approx(0.5)
    assert score.class_f1["down"] == pytest.approx(0.5)
    assert score.class_f1["unchanged"] == pytest.approx(0.6667, abs=5e-5)
    assert score.f1_macro == pytest.approx(0.5556, abs=5e-5)
    assert score.f1_weighted == pytest.approx(0.5556, abs=5e-5)


def test_tier_1_absent_class_counts_zero() -> None:
    rows: list[Row] = [
        {**dict.fromkeys(run.COLUMNS), "gold_label": "up", "predicted_label": "up"} for _ in "ab"
    ]
    score = run.score(rows)
    assert score.f1_macro == pytest.approx(1 / 3)
    assert score.f1_macro_present == 1
    assert score.balanced_accuracy == 1
    assert math.isnan(run.score([]).accuracy)


# --------------------------------------------------------------------------- the answer


@pytest.mark.parametrize(
    ("text", "strict", "reason", "lenient"),
    [
        # the kinds of the shared table
        ("<thinking>a</thinking>\n<answer>up</answer>", "up", None, "up"),
        (
            "<answer>down</answer> first.\n<thinking>no</thinking>\n<answer>up</answer>",
            "up",
            None,
            "up",
        ),
        (
            "<thinking>maybe <answer>up</answer></thinking> I can't tell.",
            None,
            "no_answer_block",
            None,
        ),
        ("<thinking>x</thinking><answer>down", None, "unclosed_block", "down"),
        (f"<answer>{ECHO}</answer>", None, "template_echo", None),
        ("<answer>**Down**.</answer>", "down", None, "down"),
        ("<answer>$up$</answer>", "up", None, "up"),
        ("<answer>not up</answer>", None, "not_a_label", None),
        ("<answer>The expression goes down</answer>", None, "not_a_label", "down"),
        ("<answer>up or down</answer>", None, "several_labels", None),
        ("<answer>upstream regulators dominate</answer>", None, "not_a_label", None),
        ("<answer>decreased</answer>", None, "not_a_label", "down"),
        ("<answer>no change</answer>", None, "not_a_label", "unchanged"),
        ("", None, "empty", None),
        ("<answer>\uff35\uff30</answer>", "up", None, "up"),
        ("<ANSWER>up</ANSWER>", "up", None, "up"),
        (
            "<think>the answer is <answer>down</answer>?</think>\n<answer>unchanged</answer>",
            "unchanged",
            None,
            "unchanged",
        ),
        # others of each kind
        ("lost <answer>up</answer></think>\n<answer>down</answer>", "down", None, "down"),
        ("I come back to <answer>up</answer>.\n</think>\n", None, "no_answer_block", None),
        ("<think>First guess <answer>up</answer> but the", "up", None, "up"),
        ("<answer >up</answer >", "up", None, "up"),
        ("<answer><answer>up</answer>", "up", None, "up"),
        ("<answer>up</answer> or <answer>down", "up", None, "up"),
        (" \n\t", None, "empty", None),
        (None, None, "empty", None),
        ("<answer> ** </answer>", None, "empty", None),
        ("<answer>`~up~`</answer>", "up", None, "up"),
        ("<answer>\u201cup\u201d\u3002</answer>", "up", None, "up"),
        ("<answer><b>up</b></answer>", None, "not_a_label", "up"),
        ("<answer>up \u2b06</answer>", None, "not_a_label", "up"),
        ("<answer>up | down | unchanged</answer>", None, "template_echo", None),
        ("<answer>up, down, or unchanged?</answer>", None, "template_echo", None),
        ("<answer>up down unchanged</answer>", None, "several_labels", None),
        ("<answer>up/down</answer>", None, "several_labels", None),
        ("<answer>updated</answer>", None, "not_a_label", None),
        ("<answer>NOTCH1 increases</answer>", None, "not_a_label", "up"),
        ("<answer>up-regulated</answer>", None, "not_a_label", "up"),
        ("<answer>upregulated</answer>", None, "not_a_label", "up"),
        ("<answer>no, up</answer>", None, "not_a_label", "up"),
        ("<answer>It is not upregulated</answer>", None, "not_a_label", None),
        ("<answer>doesn't increase</answer>", None, "not_a_label", None),
        ("<answer>doesn\u2019t increase</answer>", None, "not_a_label", None),
        ("<answer>fails to increase</answer>", None, "not_a_label", None),
        ("<answer>non-increased</answer>", None, "not_a_label", None),
        ("<answer>neither up; down</answer>", None, "several_labels", None),
        ("<answer>not unchanged</answer>", None, "not_a_label", None),
        ("<answer>it did not change</answer>", None, "not_a_label", "unchanged"),
        ("<answer>not changed or unaffected</answer>", None, "not_a_label", "unchanged"),
        ("<answer>no change, then up</answer>", None, "not_a_label", None),
        ("It goes up.", None, "no_answer_block", None),
    ],
)
def test_answer(text: object, strict: str | None, reason: str | None, lenient: str | None) -> None:
    assert texts.read_answer(text) == texts.Answer(strict, reason, lenient)


# --------------------------------------------------------------------------- the triplets

AB = [("A", 1, "B")]
CHAIN = [("A", 1, "B"), ("B", -1, "C")]


@pytest.mark.parametrize(
    ("block", "edges", "dropped"),
    [
        # the kinds of the shared table
        ('[["TP53","+","CDKN1A"]]', [("TP53", 1, "CDKN1A")], 0),
        ("[['A','-','B']]", [("A", -1, "B")], 0),
        (
            "[[NKX2-1, +, SFTPC], [HLA-DRB1, -, CD4]]",
            [("NKX2-1", 1, "SFTPC"), ("HLA-DRB1", -1, "CD4")],
            0,
        ),
        (r"""[['5\'-AMP', '+', "PRKAA1"]]""", [("5'-AMP", 1, "PRKAA1")], 0),
        (
            '[["A","inhibits","B"],["B","activates","C"],["C","binds","D"]]',
            [("A", -1, "B"), ("B", 1, "C"), ("C", 0, "D")],
            0,
        ),
        ('[["A","+",', [], 0),
        (
            "[[\u201cEGFR\u201d, \u201c+\u201d, \u201cMAPK1\u201d]]",
            [("EGFR", 1, "MAPK1")],
            0,
        ),
        ('[["A","+","B","PMID:1"],["B","-","C"]]', [("B", -1, "C")], 1),
        (
            '[["1,25-dihydroxyvitamin D3","+","VDR"]]',
            [("1,25-DIHYDROXYVITAMIN D3", 1, "VDR")],
            0,
        ),
        # lists, lone triples, numbering, prose, fences, comments
        ("[]", [], 0),
        ("", [], 0),
        ("none", [], 0),
        ('["A", "+", "B"]', AB, 0),
        ("(A, +, B)", AB, 0),
        ("[('A', '+', 'B'), ('B', '-', 'C')]", CHAIN, 0),
        ("(('A', '+', 'B'), ('B', '-', 'C'))", CHAIN, 0),
        ("\n1. [A, +, B]\n2. [B, -, C]\n", CHAIN, 0),
        ("\n1. (A, +, B)\n2. (B, -, C)\n", CHAIN, 0),
        ("1) (A, +, B)\n2) (B, -, C)", CHAIN, 0),
        ("[1. [A, +, B], 2. [B, -, C]]", CHAIN, 0),
        ("The chain is: [[A, +, B], [B, -, C]] (two edges, in order).", CHAIN, 0),
        ("Here's the model's chain: [['A', '+', 'B']]", AB, 0),
        ("```json\n[[A, +, B], [B, -, C],]\n```", CHAIN, 0),
        ("[[A, +, B], // first\n [B, -, C], # second\n /* no more */]", CHAIN, 0),
        ("[['A', '+', 'B' # first\n], ['B', '-', 'C']]", CHAIN, 0),
        ("[[A, +, B] [B, -, C]]", CHAIN, 0),
        ("[[A, +, B,],]", AB, 0),
        # whole: what is dropped and counted
        ('[["A","+","B"],["B","-"],["B","-","C"],"C",null]', CHAIN, 3),
        ('[["A","+","B"],[["B","-","C"]]]', AB, 1),
        ('[["A","+","B"],["B","-",["C"]]]', AB, 1),
        ('[["A","+","B"],{"source":"B","sign":"-","target":"C"}]', AB, 1),
        ("[['A','+','B'],{'source': 'B', 'sign': '-', 'target': 'C'}]", AB, 1),
        ('[[" ","+","B"],[null,"+","B"],["A",null,"B"]]', [("A", 0, "B")], 2),
        ("[[A, , B], [null, +, B]]", [("A", 0, "B")], 1),
        # not whole: the innermost lists
        ('[["A","+","B"],["B","-","C"', AB, 0),
        ("[A, +, B], [B, -, C], [C, +]", CHAIN, 1),
        ("[[A, +, B], [[B, -, C]]]]", CHAIN, 0),
        # symbols
        ("[[MAPK1 (ERK2), +, B]]", [("MAPK1 (ERK2)", 1, "B")], 0),
        ("[[(R)-warfarin, -, VKORC1]]", [("(R)-WARFARIN", -1, "VKORC1")], 0),
        ("[['3'-UTR', '+', \"5'-AMP\"]]", [("3'-UTR", 1, "5'-AMP")], 0),
        ('[["A", "+", B"], ["B", "-", C]]', CHAIN, 0),
        ("[[A.1, +, HLA/DR_B:1]]", [("A.1", 1, "HLA/DR_B:1")], 0),
        ("[[5'-AMP, +, B//C]]", [("5'-AMP", 1, "B//C")], 0),
        ("[['A[1]', '+', 'B']]", [("A[1]", 1, "B")], 0),
        ("('A[1]', '+', 'B')", [("A[1]", 1, "B")], 0),
        ("[[a, 1, b], [b, -1.0, c]]", CHAIN, 0),
        # the prompt's own placeholder is neither an edge nor dropped
        ("[[gene_a, sign, gene_b], [A, +, B]]", AB, 0),
        ("[[Gene_A, Sign, GENE_B], ...]", [], 1),
    ],
)
def test_triplets(block: str, edges: list[tuple[str, int, str]], dropped: int) -> None:
    found = texts.read_triplets(f"<answer>up</answer><triplet>{block}</triplet>")
    assert (found.edges, found.dropped) == (edges, dropped)


def test_triplet_block() -> None:
    assert texts.read_triplets("<triplet>[[A,+,B]]</triplet><triplet>[[B,-,C").edges == AB
    assert texts.read_triplets("<think><triplet>[[A,+,B]]</triplet></think>").edges == AB
    assert texts.read_triplets("<triplet>[[A,+,B], [B,").edges == AB
    assert texts.read_triplets("<TRIPLET >[[A,+,B]]</triplet >").edges == AB
    assert texts.read_triplets("[[A,+,B]]").edges == []
    assert texts.read_triplets(None).edges == []
    assert texts.read_triplets("<triplet>[[gene_a, sign, gene_b]]</triplet>").templates == 1
    assert texts.read_triplets("<triplet>" + "[" * 100_000 + "</triplet>").edges == []


PLUS = "+ 1 +1 up activates activation stimulates positive -> \u2192 increases"
MINUS = "- -1 down inhibits inhibition represses negative -| \u22a3 decreases"


@pytest.mark.parametrize(
    ("signs", "value"),
    [
        (PLUS.split(), 1),
        (["\uff0b", "\uff11", " + ", "Activates", 1, 1.0, "1.0", "\u2013>"], 1),
        (MINUS.split(), -1),
        (["\u2212", "\u2013", "\u2014", "\uff0d", "\u22121", "\u2013|", -1, -1.0, "DOWN"], -1),
        (["binds", "regulates", "", None, "0", 0, 2, "-2", "+-", "11"], 0),
    ],
)
def test_signs(signs: list[object], value: int) -> None:
    assert [texts.read_sign(sign) for sign in signs] == [value] * len(signs)


def test_shared_text_table() -> None:
    table = shared("cases/perturbreason_texts.jsonl").read_text(encoding="utf-8")
    cases = [json.loads(line) for line in table.split("\n") if line.strip()]
    assert cases
    for case in cases:
        answer = texts.read_answer(case["text"])
        assert answer == texts.Answer(case["strict"], case["reason"], case["lenient"]), case
        if case["triplets"] is not None:
            edges = texts.read_triplets(case["text"]).edges
            assert [list(edge) for edge in edges] == case["triplets"], case


@pytest.mark.parametrize(
    ("name", "gold", "prediction"),
    [
        ("text-think-close-only", "gt_genetic.jsonl", "pred_genetic.jsonl"),
        ("text-numbered-triples", "gt_genetic.jsonl", "pred_genetic.jsonl"),
        ("text-numbered-triples", "gt_ruling_genetic.jsonl", "pred_ruling_genetic.jsonl"),
        ("text-unicode-minus", "gt_genetic.jsonl", "pred_genetic.jsonl"),
        ("pred-ids-are-text", "gt_genetic.jsonl", "pred_genetic.jsonl"),
    ],
)
def test_shared_cases(name: str, gold: str, prediction: str) -> None:
    files = shared("cases/files")
    table = (files / "cases.jsonl").read_text(encoding="utf-8")
    case = next(c for c in map(json.loads, table.strip().split("\n")) if c["id"] == name)
    graph = run.read_graph(files / "_fixtures" / "toy" / "kg.tsv")
    rows = run.score_files(files / name / gold, files / name / prediction, graph=graph)
    by_id = {row["sample_id"]: row for row in rows}
    checked = 0
    for one_run in case["runs"]:
        if not any(argument.endswith(gold) for argument in one_run["argv"]):
            continue
        for sample_id, expected in one_run["expect"].get("samples", {}).items():
            for column, value in expected.items():
                assert by_id[sample_id][column] == value, (sample_id, column)
                checked += 1
        for key, value in one_run["expect"].get("summary", {}).items():
            assert getattr(run.score(rows), key) == value
    assert checked


# --------------------------------------------------------------------------- chains


def columns(
    predicted: list[tuple[str, int, str]],
    gold: list[tuple[str, int, str]] | None = None,
    start: str | None = "P",
    end: str | None = "E",
    sign: int | None = 1,
    label: str | None = "down",
    graph: chains.Graph | None = None,
) -> Row:
    return chains.chain_columns(
        gold=None if gold is None else chains.collapse(gold),
        predicted=chains.collapse(predicted),
        start=start,
        end=end,
        perturbation_sign=sign,
        gold_label="down",
        predicted_label=label,
        graph=toy_graph() if graph is None else graph,
    )


def test_collapse() -> None:
    chain = chains.collapse(
        [("A", 1, "B"), ("A", 1, "B"), ("B", 1, "C"), ("B", -1, "C"), ("C", 1, "D"), ("C", 0, "D")]
    )
    assert chain == {("A", "B"): 1, ("B", "C"): 0, ("C", "D"): 0}


def test_edge_metrics_of_empty_chains() -> None:
    both = columns([], [])
    assert (both["edge_precision"], both["edge_recall"], both["edge_f1"]) == (None, None, 1)
    assert (both["edge_f1_relaxed"], both["chain_coverage"]) == (1, 1)
    assert (both["error_label"], both["connected"], both["kg_connected"]) == (
        "CORRECT",
        False,
        False,
    )
    no_predicted = columns([], [("P", 1, "A")])
    assert no_predicted["edge_precision"] is None
    assert (no_predicted["edge_recall"], no_predicted["edge_f1"]) == (0, 0)
    assert (no_predicted["sign_match"], no_predicted["sign_flip_n"]) == (None, 0)
    assert no_predicted["hallucination_rate"] is None
    assert no_predicted["off_path_edge_n"] == 0
    no_gold = columns([("P", 1, "A")], [])
    assert (no_gold["edge_precision"], no_gold["edge_recall"], no_gold["edge_f1"]) == (0, None, 0)
    assert no_gold["chain_coverage"] == 1


def test_missing_gold_chain_and_ends() -> None:
    names = ["edge_precision", "edge_recall", "edge_f1", "edge_f1_relaxed", "chain_coverage"]
    names += ["sign_match", "sign_flip_n", "gold_edge_n", "gold_implied_answer"]
    chain = [("P", 1, "C"), ("C", -1, "E")]
    row = columns(chain)
    assert [row[name] for name in names] == [None] * len(names)
    assert row["error_label"] == "CORRECT"
    assert columns(chain, label="up")["error_label"] == "WRONG_CORRECT_CHAIN"
    assert columns([])["error_label"] == RFWR  # an empty chain is not connected

    ends = ["connected", "kg_connected", "implied_answer", "gold_implied_answer"]
    ends.append("off_path_edge_n")
    row = columns(chain, chain, end=None)
    assert [row[name] for name in ends] == [None] * len(ends)
    assert (row["error_label"], row["chain_validity"]) == ("CORRECT", "unverifiable")
    assert columns([], chain, end=None, label="up")["error_label"] == "WRONG_NO_PATH"

    assert columns(chain, None, end=None, label="up")["error_label"] == "UNCLASSIFIED"
    row = columns(chain, None, end=None)
    assert (row["error_label"], row["hard_case"]) == (None, False)


def test_sign_columns() -> None:
    gold = [("P", 1, "A"), ("A", -1, "B"), ("B", 0, "E"), ("E", 1, "F")]
    row = columns([("P", 0, "A"), ("A", 1, "B"), ("B", 1, "E")], gold)
    assert row["sign_match"] == pytest.approx(2 / 3)
    assert row["sign_flip_n"] == 1
    row = columns([("X", 1, "Y")], gold)
    assert (row["sign_match"], row["sign_flip_n"], row["kg_sign_match"]) == (None, 0, None)


@pytest.mark.parametrize(
    ("pair", "sign", "status"),
    [
        (("A", "B"), 1, "supported"),
        (("A", "B"), 0, "supported"),
        (("A", "B"), -1, "sign_contradicted"),
        (("B", "C"), 1, "supported"),
        (("B", "C"), -1, "supported"),
        (("C", "D"), 1, "unsigned_in_kg"),
        (("C", "D"), 0, "unsigned_in_kg"),
        (("D", "E"), -1, "unsigned_in_kg"),
        (("D", "E"), 0, "supported"),
        (("A", "Q"), 1, "unknown_node"),
        (("Q", "A"), 1, "unknown_node"),
        (("B", "A"), 1, "reversed"),
        (("A", "C"), 1, "shortcut"),
        (("A", "D"), 1, "absent"),
    ],
)
def test_edge_status(pair: tuple[str, str], sign: int, status: str) -> None:
    graph = chains.Graph()
    for source, kg_sign, target in [
        ("A", 1, "B"),
        ("B", 1, "C"),
        ("B", -1, "C"),
        ("C", 0, "D"),
        ("D", 0, "E"),
        ("D", 1, "E"),
    ]:
        graph.add(source, target, kg_sign)
    assert chains.edge_status(pair, sign, graph) == status


def test_kg_columns() -> None:
    row = columns(
        [("P", -1, "A"), ("A", 0, "B"), ("A", 1, "P"), ("P", 1, "B"), ("X", 1, "Y")],
        [("X", 1, "Y")],
    )
    assert row["hallucination_rate"] == pytest.approx(3 / 5)
    assert row["hallucination_rate_excl_gold"] == pytest.approx(2 / 5)
    assert row["in_kg_rate"] == pytest.approx(2 / 5)
    assert row["kg_sign_match"] == pytest.approx(1 / 2)
    counts = [row[f"edge_status_{status}_n"] for status in chains.STATUSES]
    assert counts == [1, 0, 1, 1, 1, 1, 0]


@pytest.mark.parametrize(
    ("edges", "sign", "implied", "off_path"),
    [
        ([("P", 1, "A"), ("A", -1, "E")], 1, "down", 0),
        ([("P", 1, "A"), ("A", -1, "E")], -1, "up", 0),
        ([("P", 1, "A"), ("A", -1, "E")], None, None, 0),
        ([("P", 1, "A")], 1, None, 1),
        ([("P", 1, "A"), ("A", 0, "E")], 1, None, 0),
        ([("P", 1, "A"), ("A", 1, "E"), ("P", -1, "E")], 1, None, 0),
        ([("P", 1, "A"), ("A", 1, "E"), ("P", 1, "E")], 1, "up", 0),
        ([("P", 1, "E"), ("E", 0, "P"), ("P", 0, "X")], 1, "up", 2),
        ([("P", 1, "A"), ("A", 0, "B"), ("B", 0, "A"), ("A", 1, "E")], 1, "up", 2),
    ],
)
def test_implied_answer(
    edges: list[tuple[str, int, str]], sign: int | None, implied: str | None, off_path: int
) -> None:
    row = columns(edges, edges, sign=sign)
    assert row["implied_answer"] == implied
    assert row["gold_implied_answer"] == implied
    assert row["off_path_edge_n"] == off_path


def test_cycle_when_both_ends_are_one() -> None:
    loop = columns([("P", -1, "P")], start="P", end="P")
    assert (loop["connected"], loop["implied_answer"]) == (True, "down")
    cycle = columns([("P", -1, "A"), ("A", -1, "P"), ("A", 1, "B")], start="P", end="P")
    assert (cycle["connected"], cycle["implied_answer"]) == (True, "up")
    assert cycle["off_path_edge_n"] == 1
    assert columns([("P", 1, "A")], start="P", end="P")["connected"] is False


def test_exploding_chain() -> None:
    nodes = ["P", *(f"N{i}" for i in range(10)), "E"]
    edges = [(a, 1, b) for a, b in itertools.permutations(nodes, 2)]
    row = columns(edges)
    assert (row["connected"], row["implied_answer"], row["off_path_edge_n"]) == (True, None, None)
    assert row["chain_validity"] == "unverifiable"


def test_ten_thousand_visits_are_allowed() -> None:
    # n rungs P>Mi>E make 2n visits.
    def ladder(rungs: int) -> list[tuple[str, int, str]]:
        edges = [("P", 1, f"M{i}") for i in range(rungs)]
        return edges + [(f"M{i}", 1, "E") for i in range(rungs)]

    assert columns(ladder(5000))["implied_answer"] == "up"
    assert columns(ladder(5001))["implied_answer"] is None
    dead_end = [("P", 1, f"D{i}") for i in range(20_000)]
    assert columns([*dead_end, ("P", 1, "E")])["implied_answer"] == "up"


def test_kg_connected_uses_known_pairs_only() -> None:
    assert columns([("P", -1, "C"), ("C", 0, "E")])["kg_connected"] is True
    assert columns([("P", 1, "X"), ("X", -1, "E")])["kg_connected"] is False


@pytest.mark.parametrize(
    ("edges", "label", "validity"),
    [
        ([("P", 1, "C"), ("C", -1, "E")], "down", "valid"),
        ([("P", 1, "C"), ("C", -1, "E")], "up", "invalid"),
        ([("P", 1, "C"), ("C", -1, "E")], "unchanged", "unverifiable"),
        ([("P", 1, "C"), ("C", -1, "E")], None, "unverifiable"),
        ([], "down", "unverifiable"),
        ([("P", 1, "C"), ("C", 0, "E")], "down", "unverifiable"),
        ([("P", -1, "C"), ("C", 1, "E")], "down", "invalid"),  # both signs contradicted
        ([("P", 1, "X"), ("X", -1, "E")], "down", "invalid"),  # not connected in the KG
        ([("P", 1, "C"), ("C", -1, "E"), ("A", 1, "B")], "down", "valid"),  # off the path
    ],
)
def test_chain_validity(
    edges: list[tuple[str, int, str]], label: str | None, validity: str
) -> None:
    assert columns(edges, label=label)["chain_validity"] == validity


def test_ambiguous_kg_sign_contradicts_nothing() -> None:
    for other in (-1, 0):
        graph = chains.Graph()
        graph.add("P", "E", 1)
        graph.add("P", "E", other)
        assert columns([("P", -1, "E")], graph=graph)["chain_validity"] == "valid"


def test_error_label_is_total_and_each_label_is_reached() -> None:
    reached = Counter(
        chains.error_label(
            predicted_label=predicted,
            correct=predicted == "down",
            gold_missing=gold == "missing",
            gold_empty=gold == "empty",
            predicted_empty=empty,
            ends_known=ends,
            hallucination_rate=hallucination,
            connected=connected,
            chain_coverage=coverage,
            sign_flip_n=flips,
        )
        for predicted in (None, "up", "down")
        for gold in ("missing", "empty", "given")
        for empty in (False, True)
        for ends in (False, True)
        for hallucination in (None, 0.0, 0.4999, 0.5, 1.0)
        for connected in (None, False, True)
        for coverage in (None, 0.0, 0.4999, 0.5, 1.0)
        for flips in (None, 0, 1, 2, 3)
    )
    assert set(reached) == {*chains.ERROR_LABELS, None}


@pytest.mark.parametrize(
    ("changes", "label"),
    [
        ({}, "CORRECT"),
        ({"hallucination_rate": 0.5}, "CORRECT_HALLUCINATED_EDGE"),
        ({"hallucination_rate": 0.49}, "CORRECT"),
        ({"hallucination_rate": 1.0, "connected": False}, "CORRECT_HALLUCINATED_EDGE"),
        ({"connected": False}, RFWR),
        ({"connected": None}, "CORRECT"),
        ({"chain_coverage": 0.5}, "CORRECT"),
        ({"chain_coverage": 0.49}, RFWR),
        ({"sign_flip_n": 1}, "CORRECT_SIGN_FLIP"),
        ({"sign_flip_n": 2}, RFWR),
        ({"sign_flip_n": 3}, RFWR),
        ({"gold_empty": True, "predicted_empty": True, "connected": False}, "CORRECT"),
        ({"correct": False}, "WRONG_CORRECT_CHAIN"),
        ({"correct": False, "hallucination_rate": 0.5}, WRONG_HALLUCINATED),
        ({"correct": False, "connected": False}, "WRONG_NO_PATH"),
        ({"correct": False, "connected": None, "predicted_empty": True}, "WRONG_NO_PATH"),
        ({"correct": False, "connected": None}, "WRONG_CORRECT_CHAIN"),
        ({"correct": False, "chain_coverage": 0.0}, "WRONG_CORRECT_CHAIN"),
        ({"correct": False, "sign_flip_n": 1}, "WRONG_SIGN_FLIP"),
        ({"correct": False, "sign_flip_n": 2}, "WRONG_CORRECT_CHAIN"),
        ({"correct": False, "sign_flip_n": 3}, "WRONG_SIGN_FLIP"),
        ({"gold_missing": True, "ends_known": False}, None),
        ({"gold_missing": True, "ends_known": False, "correct": False}, "UNCLASSIFIED"),
        ({"predicted_label": None, "correct": False, "gold_missing": True}, "PARSE_FAIL"),
    ],
)
def test_error_label_rules(changes: dict[str, object], label: str | None) -> None:
    arguments: dict[str, object] = {
        "predicted_label": "down",
        "correct": True,
        "gold_missing": False,
        "gold_empty": False,
        "predicted_empty": False,
        "ends_known": True,
        "hallucination_rate": 0.0,
        "connected": True,
        "chain_coverage": 1.0,
        "sign_flip_n": 0,
    }
    assert chains.error_label(**{**arguments, **changes}) == label  # type: ignore[arg-type]


# --------------------------------------------------------------------------- tier 3


@pytest.fixture
def gene_sets(tmp_path: Path) -> go.GeneSets:
    path = tmp_path / "toy.gmt"
    path.write_text("T1\td\tA\tB\nT2\td\tB\tC\nT3\td\tC\tD\tE\n", encoding="utf-8")
    return run.read_gene_sets(path)


def through(genes: str) -> chains.Chain:
    """A chain P > each gene > T."""
    return {pair: 1 for gene in genes for pair in (("P", gene), (gene, "T"))}


@pytest.mark.parametrize(
    ("gold", "predicted", "similarity", "trivial"),
    [
        ("B", "C", 0.6176, False),
        ("BC", "C", 0.8758, False),
        ("A", "D", 0, False),
        ("B", "B", 1, True),
        ("BC", "CBX", 1, True),
    ],
)
def test_go_worked_numbers(
    gold: str, predicted: str, similarity: float, trivial: bool, gene_sets: go.GeneSets
) -> None:
    row = go.go_columns(through(gold), through(predicted), "P", "T", gene_sets)
    assert row["go_sim"] == pytest.approx(similarity, abs=5e-5)
    assert row["go_sim_ref"] == row["go_sim"]
    assert row["go_trivial"] is trivial
    assert row["go_null_reason"] is None


@pytest.mark.parametrize(
    ("gold", "predicted", "reason", "reference"),
    [
        (None, through("A"), "no_gold_chain", None),
        ({}, through("A"), "no_gold_gene", 0),
        ({("P", "T"): 1}, {}, "no_gold_gene", 1),
        (through("X"), {}, "gold_unannotated", 1),
        (through("X"), through("A"), "gold_unannotated", 0),
        (through("A"), {}, "no_predicted_gene", 0),
        (through("A"), {("P", "T"): 1}, "no_predicted_gene", 0),
        (through("A"), through("XY"), "predicted_unannotated", 0),
    ],
)
def test_go_null_reasons(
    gold: chains.Chain | None,
    predicted: chains.Chain,
    reason: str,
    reference: float | None,
    gene_sets: go.GeneSets,
) -> None:
    row = go.go_columns(gold, predicted, "P", "T", gene_sets)
    assert (row["go_sim"], row["go_trivial"]) == (None, None)
    assert row["go_null_reason"] == reason
    assert row["go_sim_ref"] == reference


def test_go_off_path_genes_count_and_ends_do_not(gene_sets: go.GeneSets) -> None:
    gold = {("A", "B"): 1, ("B", "E"): 1}
    predicted = {("A", "E"): 1, ("D", "B"): 1}
    row = go.go_columns(gold, predicted, "A", "E", gene_sets)
    alone = go.go_columns(through("B"), through("BD"), "P", "T", gene_sets)
    assert row == alone


def test_go_zero_weight() -> None:
    all_genes = go.GeneSets()
    all_genes.add("T", {"A", "B"})
    all_genes.index()
    row = go.go_columns(through("A"), through("B"), "P", "T", all_genes)
    assert (row["go_sim"], row["go_null_reason"]) == (None, "zero_weight")
    assert go.go_columns(through("A"), through("A"), "P", "T", all_genes)["go_sim"] == 1


# --------------------------------------------------------------------------- files


def test_read_gene_sets(tmp_path: Path) -> None:
    path = tmp_path / "sets.gmt.gz"
    content = "# comment\n\nT1\td\tgene1,1.0\t a \t\ta\t\t\r\nT2\t\tB\nT1\td\tC\n"
    path.write_bytes(gzip.compress(content.encode()))
    assert run.read_gene_sets(path).terms == {"T1": {"GENE1", "A", "C"}, "T2": {"B"}}


def test_read_graph(tmp_path: Path) -> None:
    path = tmp_path / "kg.tsv"
    path.write_text("source\tsign\ttarget\na \t1\tB\nA\t-1\tb\nB\tunknown\tNA\n", encoding="utf-8")
    graph = run.read_graph(path)
    assert graph.signs == {("A", "B"): {1, -1}, ("B", "NA"): {0}}
    path.write_text("A\tB\t-\n", encoding="utf-8")
    assert run.read_graph(path).signs == {("A", "B"): {-1}}


def test_ids_are_text(tmp_path: Path) -> None:
    ids = ["00123", "123", "1.10", "1.1", "9007199254740993", "9007199254740992", "NA", "1e3"]
    labels = ["up", "down"] * 4
    gold = [{"id": i, "answer": label} for i, label in zip(ids, labels, strict=True)]
    predictions = []
    for sample_id, label in reversed(list(zip(ids, labels, strict=True))):
        is_integer = sample_id.isdigit() and not sample_id.startswith("0")
        written = int(sample_id) if is_integer else sample_id
        predictions.append({"id": written, "output": f"<answer>{label}</answer>"})
    rows = run.score_files(
        write_jsonl(tmp_path / "gt.jsonl", gold), write_jsonl(tmp_path / "p.jsonl", predictions)
    )
    assert [row["sample_id"] for row in rows] == ids
    assert all(row["answer_correct"] for row in rows)


def test_pairing(tmp_path: Path) -> None:
    gold = [{"id": "a", "answer": "up"}, {"id": "b", "answer": "up"}]
    gold_file = write_jsonl(tmp_path / "split" / "gt_genetic.jsonl", gold)
    predictions = tmp_path / "pred_genetic.jsonl"
    predictions.write_text('\n{"id": "b", "output": "<answer>up</answer>"}\n{"id": "a", "out')
    missing, found = run.score_files(gold_file, predictions)
    assert missing["parse_failure_reason"] == "missing_prediction"
    assert (missing["error_label"], missing["hard_case"]) == ("PARSE_FAIL", True)
    assert (missing["predicted_edge_n"], missing["dropped_edge_n"]) == (0, 0)
    assert missing["prediction_line"] is None
    assert (found["prediction_line"], found["source_line"]) == (2, 2)
    assert (found["split"], found["pert_type"]) == ("split", "genetic")

    twice = [{"id": "a", "output": "x"}, {"id": "a", "output": "y"}]
    with pytest.raises(ValueError, match="several predictions"):
        run.score_files(gold_file, write_jsonl(predictions, twice))
    with pytest.raises(ValueError, match="ids in one place"):
        run.score_files(gold_file, write_jsonl(predictions, [{"output": "x"}]))
    again = write_jsonl(tmp_path / "again.jsonl", [gold[0], gold[0]])
    with pytest.raises(ValueError, match="the id of"):
        run.score_files(again, write_jsonl(predictions, [{"id": "a", "output": "x"}]))


def test_pairing_by_position(tmp_path: Path) -> None:
    gold = write_jsonl(tmp_path / "s" / "g_Genetic.jsonl", [{"answer": "up"}, {"answer": "down"}])
    predictions = tmp_path / "p.jsonl"
    predictions.write_text('{broken\n\n{"output": "<answer>down</answer>"}\n')
    first, second = run.score_files(gold, predictions)
    assert [first["sample_id"], second["sample_id"]] == ["s/genetic/1", "s/genetic/2"]
    assert first["parse_failure_reason"] == "missing_prediction"
    assert second["answer_correct"] is True


def test_rollouts(tmp_path: Path) -> None:
    gold = [{"sample_id": 1, "answer": "up"}, {"sample_id": 2, "answer": "up"}]
    predictions = [
        {"id": "2", "epoch": 0, "output": "<answer>up</answer>"},
        {"id": "1", "epoch": 0, "output": "<answer>up</answer>"},
        {"id": "1", "epoch": 1, "output": "<answer>down</answer>"},
    ]
    rows = run.score_files(
        write_jsonl(tmp_path / "g.jsonl", gold), write_jsonl(tmp_path / "p.jsonl", predictions)
    )
    found = [(row["sample_id"], row["rollout"], row["predicted_label"]) for row in rows]
    assert found == [("1", 0, "up"), ("1", 1, "down"), ("2", 0, "up")]


@pytest.mark.parametrize(
    ("record", "file_name", "sign"),
    [
        ({"pert_type": "chemical", "perturbation_mode": "inhibition"}, "genetic.jsonl", 1),
        ({}, "CHEMICAL.jsonl", 1),
        ({}, "genetic.jsonl", None),
        ({"perturbation_mode": "Knockdown"}, "genetic.jsonl", -1),
        ({"perturbation_mode": "crispri"}, "x.jsonl", -1),
        ({"perturbation_mode": "CRISPRa"}, "x.jsonl", 1),
        ({"perturbation_mode": "treatment"}, "x.jsonl", 1),
        ({"perturbation_mode": "unknown"}, "x.jsonl", None),
    ],
)
def test_perturbation_sign(
    record: dict[str, object], file_name: str, sign: int | None, tmp_path: Path
) -> None:
    gold = write_jsonl(tmp_path / "g" / file_name, [{"id": 1, "answer": "up", **record}])
    rows = run.score_files(gold, write_jsonl(tmp_path / "p.jsonl", [{"id": 1, "text": ""}]))
    assert rows[0]["perturbation_sign"] == sign
    assert rows[0]["parse_failure_reason"] == "empty"


def test_folders(tmp_path: Path) -> None:
    for split in ("zz", "cell_ood", "id_test"):
        for keyword in ("genetic", "chemical"):
            sample_id = f"{split}-{keyword}"
            gold = [{"id": sample_id, "answer": "up", "gt_path": None}]
            prediction = [{"id": sample_id, "response": "<answer>up</answer>"}]
            write_jsonl(tmp_path / "gt" / split / f"a_{keyword}.jsonl", gold)
            write_jsonl(tmp_path / "pred" / split / f"{keyword.upper()}_b.jsonl", prediction)
    rows = run.score_folders(tmp_path / "gt", tmp_path / "pred")
    assert [row["sample_id"] for row in rows] == [
        "id_test-chemical",
        "id_test-genetic",
        "cell_ood-chemical",
        "cell_ood-genetic",
        "zz-chemical",
        "zz-genetic",
    ]
    assert all(row["answer_correct"] for row in rows)
    assert {row["hallucination_rate"] for row in rows} == {None}
    (tmp_path / "gt" / "extra").mkdir()
    with pytest.raises(ValueError, match="differ"):
        run.score_folders(tmp_path / "gt", tmp_path / "pred")


def test_shared_set_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    data = shared("data/perturbreason")
    kg = shared("data/kg/signed_kg_core.tsv.gz")
    gmt = shared("data/gmt/GOBP_human_GO2022-07-01.symbols.gmt.gz")
    arguments = ["--gt-dir", str(data / "gt"), "--pred-dir", str(data / "pred")]
    run.main([*arguments, "--kg", str(kg), "--gmt", str(gmt)])
    assert capsys.readouterr().out.startswith("n 2000, ")
