"""RR-10 with any JSON in any field, and with any bytes: rows that count, or our own error."""

from __future__ import annotations

import copy
import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from eval_tiers.domain.rr10 import INVALID_REASONS, LABELS
from eval_tiers.exceptions import EvalTiersError
from eval_tiers.formats.base import RecordFault
from eval_tiers.formats.rr10 import parse_item, parse_prediction
from eval_tiers.io.rr10_benchmark import read_items
from eval_tiers.kg.provenance import ProvenanceGraph
from eval_tiers.texts.claims import read_claim, read_claim_compat
from eval_tiers.tiers.citations import judge_citations, sum_up
from tests.robust.test_mutations import EDITS, edited
from tests.rr10_benchmark import BUNDLED, BUNDLED_BENCHMARK, answers, build_items, objects_of

ITEMS = build_items(2, 1)
PARSED = [parse_item(item, number) for number, item in enumerate(ITEMS, 1)]
GRAPH = ProvenanceGraph.build(PARSED)
ANSWER = answers(ITEMS[:1], lambda item: item["expected"], objects_of)[0]

TEXT = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["up", "not up", "OSD-244", "GLDS-244", "+", "-", ITEMS[0]["gene"], "NaN", "1e999", "{",
         "[[", "<answer>up", "</think>", "<triplet>[[A, +, B]]", '{"answer": "up"}', "\ud83d",
         "[{'gene': 'A'}]", "indeterminate", "_", "9" * 400, "\0", "\u2028"]
    ),
)  # fmt: skip
SCALAR = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.just(10**400),
    st.floats(), TEXT,
)  # fmt: skip
KEYS = st.one_of(
    st.text(max_size=4),
    st.sampled_from(["gene", "dataset", "osd", "direction", "sign", "log2FC", "q", "significant"]),
)
VALUE = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
FIELDS = ["id", "prediction", "answer", "label", "response", "evidence", "citations", "output",
          "text", "completion", "reasoning", "rollout", "epoch", "more"]  # fmt: skip


def check_record(record: dict[str, Any]) -> None:
    """A prediction record is refused, or has a label or a reason, and every citation a verdict."""
    try:
        answer = parse_prediction(record)
    except RecordFault:
        return
    label, reason = read_claim(answer.claim)
    assert (reason is None) == (0 <= label < len(LABELS))
    assert reason is None or reason in INVALID_REASONS
    assert -1 <= read_claim_compat(answer.compat_claim) < len(LABELS)
    for item in PARSED:
        judged = judge_citations(item, answer.evidence.citations, GRAPH)
        facts = sum_up(item, judged)
        assert facts.n == len(judged) == sum(facts.verdict_n) <= len(answer.evidence.citations)
        for rate in (facts.precision, facts.recall, facts.fabrication_rate, facts.unverified_rate):
            assert rate is None or 0 <= rate <= 1
    for citation in answer.evidence.citations:
        assert citation.written
        assert citation.sign in (-1, 0, 1)
    for source, sign, target in answer.evidence.mechanism:
        assert source and target and sign in (-1, 0, 1)


@given(fields=st.dictionaries(st.sampled_from(FIELDS), VALUE, max_size=4))
@example(fields={"evidence": "[" * 90_000 + "]" * 90_000})
@example(fields={"evidence": [{"gene": "A", "q": 10**400}]})
@example(fields={"prediction": "can't determine " * 300})
def test_any_value_in_any_field_of_a_prediction(fields: dict[str, Any]) -> None:
    check_record(ANSWER | fields)
    check_record(fields)


@given(value=VALUE)
def test_evidence_reads_alike_as_a_value_and_as_its_text(value: Any) -> None:
    """A table's cell holds the text of what a JSON record holds."""
    if not isinstance(value, (list, dict)):
        return
    as_value = parse_prediction({"evidence": value}).evidence
    as_text = parse_prediction({"evidence": json.dumps(value)}).evidence
    assert repr(as_text) == repr(as_value)


@given(
    name=st.sampled_from([*ITEMS[0], "more"]),
    inner=st.sampled_from([None, *ITEMS[0]["provenance"][0]]),
    value=VALUE,
)
@example(name="provenance", inner="q", value=10**400)
@example(name="tissue", inner=None, value="\ud83d")
def test_any_value_in_any_field_of_an_item(name: str, inner: str | None, value: Any) -> None:
    item = copy.deepcopy(ITEMS[0])
    if inner is None:
        item[name] = value
    else:
        item["provenance"][0][inner] = value
    fault: RecordFault | None = None
    try:
        parsed = parse_item(item, 1)
    except RecordFault as caught:
        fault = caught
    if fault is not None:
        assert fault.code and fault.message and fault.field
        return
    assert parsed.provenance and parsed.datasets and parsed.gene and parsed.context
    for row in parsed.provenance:
        for number in (row.log2fc, row.q):
            assert number is None or abs(number) < float("inf")
    graph = ProvenanceGraph.build([parsed])
    cited = parse_prediction({"evidence": objects_of(ITEMS[0])}).evidence.citations
    assert sum_up(parsed, judge_citations(parsed, cited, graph)).n <= len(cited)


# Bytes

BENCHMARK = b"".join(BUNDLED_BENCHMARK.read_bytes().splitlines(keepends=True)[:4])
IDS = [json.loads(line)["id"] for line in BENCHMARK.splitlines()]
PREDICTIONS = sorted((BUNDLED / "predictions").iterdir())


def part_of(path: Path) -> bytes:
    """The first lines of a bundled file."""
    return b"".join(path.read_bytes().splitlines(keepends=True)[:6])[:6_000]


ANSWERS = [part_of(path) for path in PREDICTIONS if path.suffix not in {".gz", ".zst"}]
slow = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@slow
@given(edits=EDITS, packed=st.booleans())
def test_spoilt_bytes_of_a_benchmark(edits: Any, packed: bool) -> None:
    spoilt = edited(BENCHMARK, edits)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "benchmark.jsonl"
        path.write_bytes(gzip.compress(spoilt, mtime=0) if packed else spoilt)
        refused: EvalTiersError | None = None
        try:
            items = read_items(path)
        except EvalTiersError as error:
            refused = error
    if refused is not None:
        assert refused.exit_code in (3, 4)
        assert all(problem.where.path == str(path) for problem in refused.problems)
        return
    assert items
    assert len({item.sample_id for item in items}) == len(items)
    assert ProvenanceGraph.build(items).row_n == sum(len(item.provenance) for item in items)


@slow
@given(data=st.sampled_from(ANSWERS), edits=EDITS, compat=st.booleans())
def test_spoilt_bytes_of_predictions(data: bytes, edits: Any, compat: bool) -> None:
    from eval_tiers import evaluate

    with tempfile.TemporaryDirectory() as name:
        gold, model = Path(name) / "benchmark.jsonl", Path(name) / "model"
        gold.write_bytes(BENCHMARK)
        model.write_bytes(edited(data, edits))
        refused: EvalTiersError | None = None
        try:
            found = evaluate(gt_file=gold, pred_file=model, rr10_compat=compat)
        except EvalTiersError as error:
            refused = error
    if refused is not None:
        assert refused.exit_code in (2, 3, 4)
        assert refused.problems
        return
    summary = found.summary
    assert summary["n"] == len(IDS)
    for side in summary["ledger"].values():
        assert side["rows"] == sum(side.values()) - side["rows"]
    assert 0 <= summary["accuracy_total"] <= summary["coverage"] <= 1
    assert sorted(set(found.samples["sample_id"])) == sorted(IDS)
    if not summary["coverage"]:
        assert summary["findings"], "coverage 0 without a word"
