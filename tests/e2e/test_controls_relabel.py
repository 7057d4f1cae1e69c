"""Every control, scored by the real command, gets the label of the cases that it stands for."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import eval_tiers
from eval_tiers.io.graphs import read_graph
from eval_tiers.io.provenance import read_provenance
from eval_tiers.io.rr10_benchmark import read_items
from eval_tiers.pipeline.rescue.relabel import relabel_controls
from eval_tiers.pipeline.rescue.relabel_citations import relabel_citation_controls
from eval_tiers.rescue.cases import Case
from eval_tiers.rescue.citation_controls import draw_citation_controls
from eval_tiers.rescue.controls import draw_controls
from eval_tiers.rescue.drawing import ControlDraw
from eval_tiers.rescue.golds import Control, GoldChain
from eval_tiers.rescue.matching import distance_of_shares, shares_of
from eval_tiers.rescue.reply_rows import parse_reply_row
from eval_tiers.rescue.requests import RequestOptions, build_request
from eval_tiers.rescue.symbolic import examine
from eval_tiers.rescue.verdicts import read_verdict
from eval_tiers.settings import Settings
from tests.e2e.run_cases import cases_and_golds, citation_cases
from tests.e2e.running import Run, evaluated, model_text, shared, write_lines
from tests.planted_run import dense_graph, planted_run

DEMO = Path(eval_tiers.__file__).parent / "demo"
RR10 = DEMO / "rr10"
RR10_FILES: Sequence[object] = (
    "--osd-registry", RR10 / "registry.txt",
    "--osd-table", f"OSD-48={RR10 / 'synthetic_OSD-48_table.tsv'}",
    "--genes", f"mus_musculus={RR10 / 'genes_mus_musculus.txt'}",
)  # fmt: skip
SIGNS = {1: "+", -1: "-", 0: "?"}
MODES = {1: "activation", -1: "knockdown"}
WRONG = "WRONG_CORRECT_CHAIN"
REASON = "CORRECT_RIGHT_FOR_WRONG_REASON"
MADE_UP = "CORRECT_HALLUCINATED_EDGE"


@dataclass
class Drawn:
    """Controls, and what they were drawn for."""

    cases: list[Case]
    draw: ControlDraw
    graphs: list[Path]

    @property
    def controls(self) -> list[Control]:
        return self.draw.controls

    def of(self, truth: str) -> list[Control]:
        return [control for control in self.controls if control.truth == truth]


def drawn(cases: list[Case], golds: list[GoldChain], graphs: list[Path], wanted: int) -> Drawn:
    graph = read_graph(graphs)
    relabel = partial(relabel_controls, graph=graph, settings=Settings())
    return Drawn(cases, draw_controls(cases, golds, graph, wanted, 0, relabel), graphs)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    """On a made-up graph that has routes of every kind."""
    folder = tmp_path_factory.mktemp("planted")
    run = planted_run(dense_graph(folder), 240)
    return drawn(run.cases, run.golds, [folder / "dense.tsv"], 60)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    """On the demo, whose questions are such that no route implies another answer."""
    run = evaluated(folder=tmp_path_factory.mktemp("demo"))
    cases, golds = cases_and_golds(run, DEMO / "questions" / "gt")
    return drawn(cases, golds, [DEMO / "kg_demo.tsv"], 60)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    """On a graph of real size with the edges of drugs."""
    graphs = [
        shared("data/kg/signed_kg_core.tsv.gz"),
        shared("data/kg/chem_protein_signed_named.tsv"),
    ]
    gold, predictions = shared("data/perturbreason/gt"), shared("data/perturbreason/pred")
    options = [option for path in graphs for option in ("--external-kg", path)]
    folder = tmp_path_factory.mktemp("real")
    run = evaluated("--gt-dir", gold, "--pred-dir", predictions, *options, folder=folder)
    cases, golds = cases_and_golds(run, gold)
    return drawn(cases, golds, graphs, 100)


RUNS = ("planted", "demo", "real")


def scored_by_the_command(found: Drawn, folder: Path) -> Run:
    """Run ``eval`` on the controls as if a model had given their answers and chains."""
    gold, predictions = defaultdict(list), defaultdict(list)
    for number, control in enumerate(found.controls):
        case = control.case
        kind = str(case.key[2])
        gold[kind].append(
            {
                "id": f"control-{number:04}",
                "question": case.question,
                "answer": case.gold_answer,
                "path": [[s.source, SIGNS[s.sign], s.target] for s in case.gold_chain],
                "pert": case.perturbation,
                "gene": case.readout,
                "pert_type": kind,
                "perturbation_mode": MODES[case.perturbation_sign],
            }
        )
        chain = [[step.source, SIGNS[step.sign], step.target] for step in case.chain]
        predictions[kind].append(
            {"id": f"control-{number:04}", "output": model_text(case.predicted_answer, chain)}
        )
    for kind in gold:
        write_lines(folder / "gt" / "id_test" / f"{kind}.jsonl", gold[kind])
        write_lines(folder / "pred" / "id_test" / f"{kind}.jsonl", predictions[kind])
    options = [option for path in found.graphs for option in ("--external-kg", path)]
    return evaluated("--gt-dir", "gt", "--pred-dir", "pred", *options, folder=folder)


@pytest.mark.parametrize("name", RUNS)
def test_every_control_gets_the_label_of_its_cases(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    found: Drawn = request.getfixturevalue(name)
    run = scored_by_the_command(found, tmp_path)
    samples = run.samples.set_index("sample_id")
    labels = {case.error_label for case in found.cases}
    chains = run.chains[run.chains["side"] == "predicted"].groupby("sample_id")
    assert len(samples) == len(found.controls)
    for number, control in enumerate(found.controls):
        case, row = control.case, samples.loc[f"control-{number:04}"]
        assert row["error_label"] == case.error_label
        assert bool(row["hard_case"])
        assert case.error_label in labels
        assert (row["gold_label"], row["predicted_label"]) == (
            case.gold_answer, case.predicted_answer,
        )  # fmt: skip
        assert row["implied_answer"] == case.implied_answer
        assert row["gold_implied_answer"] == case.gold_answer
        assert row["edge_status_sign_contradicted_n"] == case.contradicted_n
        edges = chains.get_group(f"control-{number:04}")
        assert [
            (edge["source"], edge["sign"], edge["target"], edge["status"], edge["on_path"])
            for edge in edges.to_dict("records")
        ] == [(s.source, s.sign, s.target, s.status, s.on_path) for s in case.chain]


@pytest.mark.parametrize("name", RUNS)
def test_truths_are_of_the_labels_that_can_have_them(
    name: str, request: pytest.FixtureRequest
) -> None:
    found: Drawn = request.getfixturevalue(name)
    labels = defaultdict(set)
    for control in found.controls:
        labels[control.truth].add(control.case.error_label)
    assert labels == {
        "ANSWER_BUG": {WRONG}, "ALTERNATE": {WRONG}, "CHAIN_BUG": {WRONG}, "YES": {REASON},
        "NO": {REASON, MADE_UP},
    }  # fmt: skip


@pytest.mark.parametrize("name", ["planted", "real"])
def test_all_are_supplied_where_the_graph_has_routes(
    name: str, request: pytest.FixtureRequest
) -> None:
    found: Drawn = request.getfixturevalue(name)
    assert not found.draw.shortfalls
    wanted = 60 if name == "planted" else 100
    assert set(Counter(control.truth for control in found.controls).values()) == {wanted}


def test_the_demo_says_what_it_cannot_supply(demo: Drawn) -> None:
    """Its questions were drawn such that routes between their ends agree."""
    short = {one.truth: one for one in demo.draw.shortfalls}
    assert set(short) == {"ALTERNATE", "YES"}
    for truth, one in short.items():
        assert one.made == len(demo.of(truth)) < 30
        assert "supported route" in one.reason


@pytest.mark.parametrize("name", ["planted", "real"])
def test_controls_are_distributed_like_the_hard_cases(
    name: str, request: pytest.FixtureRequest
) -> None:
    """As far as a truth allows it.

    A gold chain of one edge can't be changed and still pass, and no hard case without a chain can
    be matched. An ANSWER_BUG keeps some of the gold chain, a fault leaves some out, an ALTERNATE or
    YES has none of it by definition.
    """
    found: Drawn = request.getfixturevalue(name)
    for truth in ("ANSWER_BUG", "ALTERNATE", "CHAIN_BUG", "YES", "NO"):
        controls = [control.case for control in found.of(truth)]
        kinds = {case.kind for case in controls}
        labels = {case.error_label for case in controls}
        cases = [
            case
            for case in found.cases
            if case.kind in kinds and case.error_label in labels and case.chain
        ]
        there, here = shares_of(cases), shares_of(controls)
        assert distance_of_shares(there["group"], here["group"]) <= 0.02, truth
        labelled = [Counter(case.error_label for case in part) for part in (cases, controls)]
        shares = [
            {label: n / sum(counts.values()) for label, n in counts.items()} for counts in labelled
        ]
        assert distance_of_shares(*shares) <= 0.02, truth
        reachable = _with_two_edges(there["length"]), _with_two_edges(here["length"])
        whole = truth == "ANSWER_BUG"
        lengths = (there["length"], here["length"]) if whole else reachable
        assert distance_of_shares(*lengths) <= 0.1, (truth, lengths)
        if whole:
            off_gold = there["coverage"].get("0", 0.0)
            assert distance_of_shares(there["coverage"], here["coverage"]) <= off_gold + 0.1
        elif truth in ("ALTERNATE", "YES"):
            assert here["coverage"] == {"0": 1.0}
        else:
            assert "1" not in here["coverage"]


def _with_two_edges(lengths: dict[str, float]) -> dict[str, float]:
    """Shares by length, one edge counted with two."""
    shares: dict[str, float] = defaultdict(float)
    for length, share in lengths.items():
        shares["2" if length == "1" else length] += share
    return shares


@pytest.mark.parametrize("blind", [False, True])
@pytest.mark.parametrize("name", RUNS)
def test_the_symbolic_examiner_is_never_wrong_on_controls(
    name: str, blind: bool, request: pytest.FixtureRequest
) -> None:
    """Its rules are those that the controls were made by, so that the matrix is diagonal."""
    found: Drawn = request.getfixturevalue(name)
    matrix = Counter((control.truth, verdict_of(control.case, blind)) for control in found.controls)
    counts = Counter(control.truth for control in found.controls)
    assert matrix == {(truth, truth): n for truth, n in counts.items()}


def verdict_of(case: Case, blind: bool = False) -> str | None:
    """The symbolic examiner's verdict, by way of request and reply."""
    request, shortened = build_request(case, "c-1", RequestOptions(blind=blind))
    assert not shortened
    row = parse_reply_row(examine(request))
    assert row is not None
    assert row.content is not None
    found = read_verdict(
        row.content, case.kind, case.benchmark, case.labels, blind, case.gold_answer
    )
    return found.verdict


def test_a_prompt_does_not_tell_a_control_from_a_case(real: Drawn) -> None:
    """The same sections in the same order, and nothing of how the control was made."""
    outlines = defaultdict(set)
    for part, cases in (
        ("cases", [case for case in real.cases if case.chain]),
        ("controls", [control.case for control in real.controls]),
    ):
        for case in cases:
            request, _ = build_request(case, "c-1", RequestOptions())
            text = json.dumps(request)
            assert 'gold_chain"' not in text
            assert not any(word in text for word in ("rerouted", "supported_route", "control"))
            messages: Any = request["body"]
            headings = tuple(
                line
                for message in messages["messages"]
                for line in message["content"].split("\n")
                if line.startswith("## ")
            )
            outlines[part].add((case.kind, headings))
    assert outlines["controls"] == outlines["cases"]


@pytest.fixture(scope="module")
def cited(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    """On the bundled benchmark of citations."""
    gold, predictions = (
        RR10 / "synthetic_rr10_benchmark.jsonl",
        RR10 / "predictions" / "planted.jsonl",
    )
    folder = tmp_path_factory.mktemp("cited")
    run = evaluated("--gt-file", gold, "--pred-file", predictions, *RR10_FILES, folder=folder)
    items = read_items(gold)
    provenance = read_provenance(
        items,
        {"OSD-48": RR10 / "synthetic_OSD-48_table.tsv"},
        RR10 / "registry.txt",
        {"mus_musculus": RR10 / "genes_mus_musculus.txt"},
    )
    relabel = partial(
        relabel_citation_controls, items=items, provenance=provenance, settings=Settings()
    )
    cases = citation_cases(run, items)
    return Drawn(cases, draw_citation_controls(cases, items, provenance, 40, 0, relabel), [])


def test_every_control_of_citations_gets_the_label_of_its_cases(
    cited: Drawn, tmp_path: Path
) -> None:
    predictions = [
        {
            "id": control.case.key[0],
            "rollout": str(number),
            "answer": control.case.predicted_answer,
            "citations": [
                {"gene": step.source, "dataset": step.target, "sign": SIGNS[step.sign]}
                for step in control.case.chain
            ],
        }
        for number, control in enumerate(cited.controls)
    ]
    write_lines(tmp_path / "controls.jsonl", predictions)
    run = evaluated(
        "--gt-file", RR10 / "synthetic_rr10_benchmark.jsonl", "--pred-file", "controls.jsonl",
        *RR10_FILES, folder=tmp_path,
    )  # fmt: skip
    samples = run.samples.dropna(subset=["rollout"]).set_index("rollout")
    assert len(samples) == len(cited.controls)
    for number, control in enumerate(cited.controls):
        case, row = control.case, samples.loc[str(number)]
        assert row["sample_id"] == case.key[0]
        assert row["error_label"] == case.error_label
        assert bool(row["hard_case"])
        assert (row["gold_label"], row["predicted_label"]) == (
            case.gold_answer, case.predicted_answer,
        )  # fmt: skip
        implied = row["implied_answer"]
        assert (implied if isinstance(implied, str) else None) == case.implied_answer
        assert row["supported_n"] == sum(step.status == "SUPPORTED" for step in case.chain)


def test_truths_of_citations(cited: Drawn) -> None:
    counts = Counter(
        (control.truth, control.case.error_label, control.variant) for control in cited.controls
    )
    assert set(counts) >= {
        ("ANSWER_BUG", WRONG, "all_provenance"), ("CHAIN_BUG", WRONG, "citation_that_fails"),
        ("YES", REASON, "part_of_provenance"), ("NO", REASON, "one_sided"),
        ("NO", REASON, "citation_that_fails"), ("NO", MADE_UP, "invented_dataset"),
    }  # fmt: skip
    for control in cited.controls:
        case = control.case
        statuses = {step.status for step in case.chain}
        if control.truth in ("ANSWER_BUG", "YES"):
            assert statuses == {"SUPPORTED"}
            assert case.implied_answer == case.gold_answer
        if control.truth == "CHAIN_BUG":
            assert statuses > {"SUPPORTED"}
            assert case.predicted_answer == "indeterminate" != case.gold_answer
            assert {step.sign for step in case.chain} == {1, -1}
        if control.truth == "NO":
            assert case.predicted_answer == case.gold_answer
            assert case.implied_answer != case.gold_answer or statuses > {"SUPPORTED"}


def test_what_the_symbolic_examiner_makes_of_citations(cited: Drawn) -> None:
    """Its confusion matrix is diagonal: controls are made by the rules that it judges by."""
    matrix = defaultdict(set)
    for control in cited.controls:
        matrix[control.truth].add(verdict_of(control.case))
    assert matrix == {
        "ANSWER_BUG": {"ANSWER_BUG"}, "CHAIN_BUG": {"CHAIN_BUG"}, "YES": {"YES"}, "NO": {"NO"},
    }  # fmt: skip
