"""Answers made up at random: the package and the slow reading agree on every column."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eval_tiers
from eval_tiers.domain.rr10 import CITATION_VERDICTS, Item, ProvenanceRow
from eval_tiers.domain.rr10_columns import CITATION_COLUMNS, RR10_SAMPLE_COLUMNS
from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.formats.rr10 import parse_item, parse_prediction
from eval_tiers.io.answer_rows import AnswerRow
from eval_tiers.kg.provenance import ProvenanceGraph
from eval_tiers.pipeline.rr10.scoring import Rr10Resources, score_answers
from eval_tiers.settings import Settings
from tests.compare import same
from tests.oracle import rr10_evidence, rr10_report
from tests.rr10_benchmark import BUNDLED_BENCHMARK, Record, build_items, read_jsonl, write_jsonl

MOUSE = "mus_musculus"
EXAMPLES = 12  # each of them answers every item of a benchmark

WORDS = (
    "up", "down", "UP", "Ｕｐ", "upregulated", "down-regulated", "up‑regulated", "up_regulated",
    "upregulation", "increase", "increased", "decreasing", "indeterminate", "unknown",
    "undeterminable", "not determinable", "cannot determine", "cannot be determined",
    "can't determine", "insufficient evidence", "contradictory evidence", "contradictory",
    "evidence is contradictory", "unchanged", "no change", "it is", "the gene", "in liver",
    "dysregulated", "NOTCH1", "upstream",
)  # fmt: skip
CUES = ("not ", "no ", "never ", "neither ", "nor ", "without ", "isn't ", "fails to ", "non-")
JOINTS = (" ", " ", ", ", "; ", ". ", ": ", " / ", " | ", " and ", "\n")
DRESSES = ("{}", "{}", "{}", "**{}**", '"{}"', "{}.", "Final answer: {}", "_{}_", "`{}`", "({})")
SIGNS: tuple[object, ...] = (
    "+", "-", "up", "down", "upregulated", "Downregulated", "increased", 1, -1, "−", "activates",
    "binds", None, "", 0,
)  # fmt: skip
ODD: tuple[object, ...] = (
    "see OSD-48", 5, None, True, [], ["a", "b"], ["a", "+", "b", "c"], [["x"]], {"x": 1},
    ["gene_a", "sign", "gene_b"],
)  # fmt: skip


class Wild:
    """Draws predictions: labels in messy words, evidence in all shapes, texts cut off."""

    def __init__(self, benchmark: Sequence[Record], seed: int) -> None:
        self.random = Random(seed)
        self.benchmark = benchmark
        self.datasets = sorted({row["osd"] for item in benchmark for row in item["provenance"]})

    def one_of(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def claim(self) -> str:
        """A statement of up to three parts, each of them negated now and then.

        A bare up or down is only negated where nothing else is in the statement.
        """
        part_n = self.random.randint(1, 3)
        parts = []
        for _ in range(part_n):
            word = self.one_of(*WORDS)
            negated = self.chance(0.15) and (part_n == 1 or len(word) > 4)
            parts.append((self.one_of(*CUES) if negated else "") + word)
        text = parts[0]
        for part in parts[1:]:
            text += self.one_of(*JOINTS) + part
        return str(self.one_of(*DRESSES)).replace("{}", text)

    def dataset(self) -> object:
        name = self.one_of(*self.datasets, *["OSD-48", "OSD-9998"] * 2, "OSD-12345")
        number = name.removeprefix("OSD-")
        if self.chance(0.6):
            return name
        return self.one_of(
            f"GLDS-{number}", f"osd {number}", f"OSD_0{number}", f"OSD–{number}", "OSD-X", number,
            int(number), None, "", f" {name} ", f"OSD{number}", f"{name}.1",
        )  # fmt: skip

    def gene(self, item: Record) -> object:
        if self.chance(0.5):
            return item["gene"]
        other = self.one_of(*self.benchmark)["gene"]
        return self.one_of(
            other, "Trp53", "Alb", "Nope1", item["gene"].lower(), "", None, f" {item['gene']} "
        )

    def citation(self, item: Record) -> object:
        kind = self.random.random()
        if kind < 0.4:
            return self.truthful(item)
        if kind < 0.6:
            return [self.gene(item), self.one_of(*SIGNS), self.dataset()]
        if kind < 0.85:
            written = {
                self.one_of("gene", "Gene"): self.gene(item),
                self.one_of("dataset", "osd", "OSD"): self.dataset(),
                self.one_of("direction", "sign", "SIGN"): self.one_of(*SIGNS),
            }
            if self.chance(0.3):
                written["log2fc"] = self.one_of("1.5", 2, True, None, "x", -1.8)
            if self.chance(0.3):
                written["q"] = self.one_of(0, 0.5, "0.001", 1e-300, 7)
            if self.chance(0.2):
                del written[self.one_of(*written)]
            return written
        if kind < 0.92:
            return [self.gene(item), self.one_of(*SIGNS), self.one_of(*self.benchmark)["gene"]]
        return self.one_of(*ODD)

    def truthful(self, item: Record) -> object:
        row = self.one_of(*item["provenance"])
        sign = "+" if row["log2FC_SF_vs_GC"] > 0 else "-"
        if self.chance(0.5):
            return [item["gene"], sign, row["osd"]]
        written = {"gene": item["gene"], "dataset": row["osd"], "direction": sign}
        if self.chance(0.5):
            written["log2FC"] = row["log2FC_SF_vs_GC"] * self.one_of(1, 1.05, 1.12, -1, 1.2, 0.95)
        if self.chance(0.5):
            written["q"] = row["q"] * self.one_of(1, 2, 0.2, 11, 0.05)
        if self.chance(0.3):
            written["significant"] = self.one_of(True, False, "true", "no", 1)
        return written

    def evidence(self, item: Record) -> object:
        cited = [self.citation(item) for _ in range(self.random.randint(0, 5))]
        if self.chance(0.2):
            cited += cited
        kind = self.random.random()
        if kind < 0.7:
            return cited
        if kind < 0.8:
            return json.dumps(cited)
        if kind < 0.9:
            bare = [", ".join(map(str, part)) for part in cited if isinstance(part, list)]
            return "[" + ", ".join(f"[{part}]" for part in bare) + "]"
        return self.one_of(None, "", "see OSD-48", [], {}, *cited)

    def record(self, item: Record) -> Record:
        """A prediction row, as it comes out of a JSON file."""
        claim: object = self.claim()
        if self.chance(0.5):
            claim = self.one_of(item["expected"], item["expected"], "UP", "down.", None, "", 5)
        row: Record = {"id": item["id"]}
        if self.chance(0.5):
            row["prediction"] = claim
            for name in ("answer", "label", "response"):
                if self.chance(0.3):
                    row[name] = self.one_of(None, "", " ", self.claim())
            if self.chance(0.8):
                row[self.one_of("evidence", "citations")] = self.evidence(item)
        else:
            row[self.one_of("output", "text", "completion", "response")] = self.text(item, claim)
            if self.chance(0.1):
                row["evidence"] = self.evidence(item)
        return dict(json.loads(json.dumps(row)))

    def text(self, item: Record, claim: object) -> str:
        fields = {
            self.one_of("prediction", "answer", "Label"): claim,
            self.one_of("evidence", "citations"): self.evidence(item),
        }
        body = json.dumps(fields, ensure_ascii=self.chance(0.5))
        triples = json.dumps([self.truthful(item) for _ in range(self.random.randint(0, 3))])
        return str(
            self.one_of(
                body,
                body[: self.one_of(*(n for n, char in enumerate(body) if char in ' "[{'), 1)],
                f"Here it is:\n```json\n{body}\n```\nDone.",
                '{"thought": {"prediction": "up"}} ' + body,
                f"<think>maybe upregulated</think><answer>{claim}</answer>"
                f"<triplet>{triples}</triplet>",
                f"<thinking>{self.claim()}</thinking> {self.claim()}",
                f"<answer>{self.claim()}",
                self.claim(),
            )
        )


TABLES: dict[str, list[Record]] = {
    "OSD-48": [
        {"gene": "Trp53", "log2fc": 1.5, "q": 0.001},
        {"gene": "Alb", "log2fc": -0.2, "q": 0.5},
        {"gene": "Cyp12", "log2fc": 0.8, "q": 0.01},
    ],
    "OSD-9998": [
        {"gene": "Trp6", "log2fc": 2.0, "q": 0.01},
        {"gene": "Cyp6", "log2fc": None, "q": None},
        {"gene": "Trp7", "log2fc": -1.0, "q": 0.2},
        {"gene": "Cdk7", "log2fc": 0.0, "q": 0.01},
    ],
}
GENES = {MOUSE: ["Trp53", "Alb", "Trp6"]}
REGISTRY = ["OSD-1", "GLDS-48", "OSD-9998"]
CONFIGURATIONS: dict[str, Mapping[str, Any]] = {
    "plain": {},
    "registry": {"registry": REGISTRY},
    "tables and genes": {"tables": TABLES, "genes": GENES},
    "all": {"registry": REGISTRY, "tables": TABLES, "genes": GENES},
}


def graph_of(items: Sequence[Item], given: Mapping[str, Any]) -> ProvenanceGraph:
    tables = {
        name: [
            ProvenanceRow(
                row["gene"], MOUSE, name, None, row["log2fc"], row["q"], "c", 1, "t", None, 2 + n
            )
            for n, row in enumerate(rows)
        ]
        for name, rows in given.get("tables", {}).items()
    }
    return ProvenanceGraph.build(
        items, tables=tables, registry=given.get("registry"), genes=given.get("genes")
    )


def package_rows(
    items: Sequence[Item], records: Sequence[Record], graph: ProvenanceGraph, compat: bool,
    evidence: bool,
) -> tuple[list[Record], list[Record]]:  # fmt: skip
    """The rows of the samples and of the citations table, codes as words."""
    scores = score_answers(
        items,
        [AnswerRow(n, parse_prediction(record)) for n, record in enumerate(records)],
        frozenset({1, 2}),
        Rr10Resources(graph),
        Settings(),
        ("gold.jsonl", "predictions.jsonl"),
        compat,
        evidence,
    )
    tables = []
    for columns, values in (
        (RR10_SAMPLE_COLUMNS, scores.samples),
        (CITATION_COLUMNS, scores.citations),
    ):
        decoded = {}
        for column in columns:
            cells = values[column.name]
            if column.kind == "code":
                cells = [None if c is None or c < 0 else column.words[c] for c in cells]
            elif column.kind == "count":
                cells = [None if c is None or c < 0 else c for c in cells]
            elif column.kind == "number":
                cells = [None if c is None or np.isnan(c) else c for c in cells]
            decoded[column.name] = cells
        length = len(decoded["sample_id"])
        tables.append([{name: decoded[name][n] for name in decoded} for n in range(length)])
    return tables[0], tables[1]


def slow_row(
    item: Record, record: Record, benchmark: Sequence[Record], given: Mapping[str, Any],
    compat: bool, evidence: bool,
) -> tuple[Record, list[Record]]:  # fmt: skip
    """What the slow reading gives for both tables."""
    read = rr10_evidence.read_row(record)
    label, reason = read["label"], read["reason"]
    if compat:
        label = read["label_compat"]
        reason = (reason or "not_a_label") if label is None else None
    own = item["organism"] == MOUSE
    found = rr10_evidence.judge(
        item,
        read["citations"],
        benchmark,
        registry=given.get("registry"),
        tables=given.get("tables") if own else None,
        genes=given.get("genes"),
        evidence=evidence,
        label=label,
    )
    cited = found.pop("citations")
    row = {
        "gold_label": item["expected"],
        "predicted_label": label,
        "predicted_label_compat": read["label_compat"],
        "invalid_reason": reason,
        "answer_correct": label == item["expected"],
        **found,
    }
    return row, cited


def assert_agreement(
    benchmark: Sequence[Record], items: Sequence[Item], records: Sequence[Record],
    given: Mapping[str, Any], compat: bool = False, evidence: bool = True,
) -> None:  # fmt: skip
    samples, citations = package_rows(items, records, graph_of(items, given), compat, evidence)
    by_item: dict[str, list[Record]] = {}
    for citation in citations:
        by_item.setdefault(citation["sample_id"], []).append(citation)
    for item, record, ours in zip(benchmark, records, samples, strict=True):
        row, cited = slow_row(item, record, benchmark, given, compat, evidence)
        told = json.dumps(record, ensure_ascii=False)
        for name, value in row.items():
            assert same(ours[name], value), (name, ours[name], value, told)
        found = by_item.get(item["id"], [])
        assert [c["verdict"] for c in found] == [c["verdict"] for c in cited], told
        for mine, theirs in zip(found, cited, strict=True):
            assert bool(mine["reversed_contrast"]) == theirs["reversed_contrast"], told
            if theirs["row"] is not None and theirs["row"]["item_id"] is not None:
                assert mine["row_item_id"] == theirs["row"]["item_id"], told
                assert mine["row_number"] == theirs["row"]["row"], told


MADE_UP = build_items(24, 11)
MADE_UP_ITEMS = [parse_item(record, line) for line, record in enumerate(MADE_UP, 1)]
MICE = [item for item in MADE_UP if item["organism"] == MOUSE]
MICE_ITEMS = [parse_item(record, line) for line, record in enumerate(MICE, 1)]


@settings(max_examples=EXAMPLES)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_every_column_agrees(seed: int, compat: bool, evidence: bool) -> None:
    wild = Wild(MADE_UP, seed)
    records = [wild.record(item) for item in MADE_UP]
    for given_ in (CONFIGURATIONS["plain"], CONFIGURATIONS["registry"]):
        assert_agreement(MADE_UP, MADE_UP_ITEMS, records, given_, compat, evidence)


@pytest.mark.parametrize("name", CONFIGURATIONS)
@settings(max_examples=EXAMPLES)
@given(st.integers(0, 2**32 - 1))
def test_every_column_agrees_where_tables_and_lists_widen_the_graph(name: str, seed: int) -> None:
    wild = Wild(MICE, seed)
    records = [wild.record(item) for item in MICE]
    assert_agreement(MICE, MICE_ITEMS, records, CONFIGURATIONS[name])


def test_the_generator_reaches_every_verdict_label_and_detail() -> None:
    wild = Wild(MICE, 1)
    graph = graph_of(MICE_ITEMS, CONFIGURATIONS["all"])
    verdicts, labels, details, reasons = set(), set(), set(), set()
    for _ in range(150):
        records = [wild.record(item) for item in MICE]
        samples, citations = package_rows(MICE_ITEMS, records, graph, False, True)
        verdicts |= {row["verdict"] for row in citations}
        labels |= {row["error_label"] for row in samples}
        details |= {row["evidence_detail"] for row in samples}
        reasons |= {row["invalid_reason"] for row in samples}
    assert verdicts == set(CITATION_VERDICTS)
    assert labels == set(ERROR_LABELS)
    assert {"FABRICATED", "ONE_SIDED", "CHERRY_PICKED", "CONTRADICTS_OWN_EVIDENCE"} <= details
    assert reasons >= {None, "negated", "several_labels", "no_change", "not_a_label", "blank"}


def test_the_bundled_benchmark() -> None:
    if not BUNDLED_BENCHMARK.is_file():
        pytest.skip("not here: no benchmark is bundled")
    benchmark = read_jsonl(BUNDLED_BENCHMARK)[:40]
    items = [parse_item(record, line) for line, record in enumerate(benchmark, 1)]
    wild = Wild(benchmark, 7)
    assert_agreement(benchmark, items, [wild.record(item) for item in benchmark], {})


@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 2**32 - 1), compat=st.booleans())
def test_the_report_agrees(
    seed: int, compat: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("report")
    wild = Wild(MADE_UP, seed)
    records = {item["id"]: wild.record(item) for item in MADE_UP if wild.chance(0.9)}
    summary = eval_tiers.evaluate(
        gt_file=write_jsonl(folder / "gold.jsonl", MADE_UP),
        pred_file=write_jsonl(folder / "predictions.jsonl", list(records.values())),
        rr10_compat=compat,
        tiers=(1,),
    ).summary
    report = rr10_report.report(MADE_UP, records, compat)
    for name in (
        "n_items", "coverage", "accuracy_total", "trap_accuracy", "control_accuracy",
        "trap_overclaim_rate", "overall_abstention_rate", "control_abstention_rate",
        "paired_directional_robustness", "pair_complete_rate", "macro_f1", "trap_invalid_rate",
        "control_wrong_direction_rate",
    ):  # fmt: skip
        assert summary[name] == pytest.approx(report[name], abs=1e-12), name
    counts = {name: n for name, n in summary["prediction_counts"].items() if n}
    assert counts.pop("None" if compat else "invalid", 0) == report["prediction_counts"].pop(
        "None", 0
    )
    assert counts == report["prediction_counts"]
    assert [row["sample_id"] for row in summary["readings_differ"]] == report["read_differently"]
    for context, figures in report["per_context"].items():
        for name, value in figures.items():
            if compat and name == "paired_directional_robustness":
                continue
            assert summary["per_context"][context][name] == pytest.approx(value), (context, name)
    for label, figures in report["class_metrics"].items():
        for name, value in figures.items():
            ours = summary["class_metrics"][label][name]
            assert (ours or 0) == pytest.approx(value), (label, name)
