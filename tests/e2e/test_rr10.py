"""RR-10 from file to tables: worked numbers, whole runs against the slow reading, invariance."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import eval_tiers
from eval_tiers.api import Evaluation, make_plan, write_evaluation
from eval_tiers.exceptions import BadInputError
from tests.compare import same
from tests.e2e.running import Run, evaluated, frame_of, in_process, shared
from tests.oracle import rr10_evidence, rr10_report
from tests.property.test_rr10_oracle import Wild
from tests.rr10_benchmark import (
    BOTH,
    BUNDLED_BENCHMARK,
    DOWN,
    TRAP,
    UP,
    Record,
    answers,
    build_items,
    objects_of,
    read_jsonl,
    triples_of,
    write_jsonl,
)

STAND_IN = "data/rr10/rr10_standin_mouse_hallmark.jsonl"
ABSENT = {
    "MALFORMED", "FABRICATED_DATASET", "NOT_IN_BENCHMARK", "WRONG_CONTEXT", "UNKNOWN_GENE",
    "GENE_NOT_IN_DATASET",
}  # fmt: skip
ITEMS = build_items()


def run(
    folder: Path, rows: Sequence[Record], items: Sequence[Record] = ITEMS, **options: Any
) -> Evaluation:
    """Score prediction rows by the public API."""
    return eval_tiers.evaluate(
        gt_file=write_jsonl(folder / "gold.jsonl", items),
        pred_file=write_jsonl(folder / "predictions.jsonl", rows),
        **options,
    )


def check(found: Mapping[str, Any], **expected: Any) -> None:
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=5e-5), name


# Worked numbers.


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (BOTH, {"accuracy_total": 0.5, "trap_accuracy": 1, "control_accuracy": 0,
                "control_abstention_rate": 1, "paired_directional_robustness": 0,
                "macro_f1": 0.2222}),
        (UP, {"control_accuracy": 0.44, "trap_overclaim_rate": 1, "macro_f1": 0.1202}),
        (DOWN, {"control_accuracy": 0.56, "trap_overclaim_rate": 1, "macro_f1": 0.1458}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("compat", [False, True])
def test_constant_answers(
    label: str, expected: dict[str, float], compat: bool, tmp_path: Path
) -> None:
    found = run(tmp_path, answers(ITEMS, lambda item: label), rr10_compat=compat)
    check(found.summary, coverage=1, readings_differ_n=0, **expected)


@pytest.mark.parametrize("compat", [False, True])
def test_half_of_the_pairs_gold_and_nothing(compat: bool, tmp_path: Path) -> None:
    gold = answers(ITEMS, lambda item: item["expected"])
    half = [row for row in gold if int(row["id"][-5:]) in {*range(1, 23), *range(45, 73)}]
    check(
        run(tmp_path, half, rr10_compat=compat).summary,
        coverage=0.5, paired_directional_robustness=0.5, pair_complete_rate=0.5, macro_f1=0.6667,
    )  # fmt: skip
    check(
        run(tmp_path, gold, rr10_compat=compat).summary,
        coverage=1, accuracy_total=1, paired_directional_robustness=1, macro_f1=1,
    )  # fmt: skip
    nothing = run(tmp_path, [], rr10_compat=compat)
    check(nothing.summary, coverage=0, accuracy_total=0, paired_directional_robustness=0)
    check(nothing.summary["invalid_reasons"], missing=200)
    assert len(nothing.samples) == 200


def test_pair_rates_of_50_and_of_102_pairs(tmp_path: Path) -> None:
    for pair_n, silent, default, compat in (
        (50, (), 1.0, 0.5),
        (102, ("OSDR-FRAG-00001", "OSDR-CTRL-00102"), 100 / 102, 1.0),
    ):
        items = build_items(pair_n)
        rows = [r for r in answers(items, lambda item: item["expected"]) if r["id"] not in silent]
        for is_compat, expected in ((False, default), (True, compat)):
            found = run(tmp_path, rows, items, rr10_compat=is_compat).summary
            check(found, paired_directional_robustness=expected, pair_complete_rate=expected)
            assert found["pair_n"] == pair_n


def test_not_before_every_gold_label(tmp_path: Path) -> None:
    rows = answers(ITEMS, lambda item: f"not {item['expected']}")
    default = run(tmp_path, rows)
    check(default.summary, coverage=0, accuracy_total=0, readings_differ_n=200)
    assert default.summary["readings_differ_right_or_wrong_n"] == 200
    assert default.summary["invalid_reasons"]["negated"] == 200
    assert set(default.samples["invalid_reason"]) == {"negated"}
    assert default.summary["readings_differ"][0] == {
        "sample_id": "OSDR-FRAG-00001", "rollout": None, "default": None,
        "invalid_reason": "negated", "compat": BOTH,
    }  # fmt: skip
    finding = [f for f in default.summary["findings"] if f["code"] == "readings-differ"]
    assert len(finding) == 1 and "200 row(s)" in finding[0]["message"]

    compat = run(tmp_path, rows, rr10_compat=True)
    check(compat.summary, coverage=1, accuracy_total=1, paired_directional_robustness=1)
    assert compat.summary["readings_differ_n"] == 200
    assert compat.samples["predicted_label"].tolist() == compat.samples["gold_label"].tolist()
    assert compat.samples["invalid_reason"].isna().all()
    same_column = compat.samples["predicted_label_compat"].tolist()
    assert same_column == default.samples["predicted_label_compat"].tolist()


def test_every_shared_label_by_both_readings(tmp_path: Path) -> None:
    cases = read_jsonl(shared("cases/rr10_labels.jsonl"))
    items = build_items((len(cases) + 1) // 2)[: len(cases)]
    rows = [
        {"id": item["id"], "prediction": case["prediction"]}
        for item, case in zip(items, cases, strict=True)
    ]
    default = run(tmp_path, rows, items).samples
    compat = run(tmp_path, rows, items, rr10_compat=True).samples
    for n, case in enumerate(cases):
        assert same(default["predicted_label"][n], case["default"]), case
        assert same(default["invalid_reason"][n], case["reason"]), case
        for frame in (default, compat):
            assert same(frame["predicted_label_compat"][n], case["compat"]), case
        assert same(compat["predicted_label"][n], case["compat"]), case
        assert pd.isna(compat["invalid_reason"][n]) == (case["compat"] is not None), case


def test_duplicates(tmp_path: Path) -> None:
    twice = [
        *answers(ITEMS, lambda item: item["expected"]),
        *answers(ITEMS[:2], lambda item: "up"),
    ]  # the first pair again: the trap wrong, the control right
    with pytest.raises(BadInputError) as caught:
        run(tmp_path, twice)
    problem = caught.value.problems[0]
    assert problem.code == "duplicate-id" and problem.where.line == 201
    for options, accuracy in (
        ({"duplicates": "first"}, 1.0),
        ({"duplicates": "last"}, 0.995),
        ({"rr10_compat": True}, 0.995),  # as the reference
    ):
        found = run(tmp_path, twice, **options).summary
        check(found, accuracy_total=accuracy)
        check(found["ledger"]["predictions"], rows=202, matched=200, duplicate_dropped=2)
    arguments = ("--gt-file", "gold.jsonl", "--pred-file", "predictions.jsonl")
    assert in_process("eval", *arguments, folder=tmp_path).returncode == 3


@pytest.mark.parametrize("label", [None, "up", "unknown", "Upregulated"])
def test_a_gold_label_that_is_null_or_an_alias_is_bad_input(label: object, tmp_path: Path) -> None:
    items = build_items(2)
    items[2]["expected"] = label
    write_jsonl(tmp_path / "gold.jsonl", items)
    write_jsonl(tmp_path / "predictions.jsonl", [])
    done = in_process(
        "eval", "--gt-file", "gold.jsonl", "--pred-file", "predictions.jsonl", folder=tmp_path
    )
    assert done.returncode == 3
    assert "[unknown-label]" in done.stderr and "gold.jsonl:3" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("outputs/*"))


def test_rollouts_are_means_with_items_as_unit(tmp_path: Path) -> None:
    items = build_items(1)
    rows = [
        {"id": items[0]["id"], "rollout": n, "prediction": label}
        for n, label in enumerate([BOTH, BOTH, BOTH, UP])
    ]
    rows += [
        {"id": items[1]["id"], "rollout": n, "prediction": label}
        for n, label in enumerate([UP, "not up"])
    ]
    found = run(tmp_path, rows, items)
    check(
        found.summary,
        n=2, row_n=6, accuracy_total=0.625, accuracy_total_n=2, trap_accuracy=0.75,
        control_accuracy=0.5, paired_directional_robustness=0.375, coverage=0.75,
    )  # fmt: skip
    assert found.samples["rollout"].tolist() == ["0", "1", "2", "3", "0", "1"]
    # An item is in the best bucket of its rows: one valid answer of two is scored.
    check(found.summary["ledger"]["gold"], rows=2, scored=2, parse_failure=0)


# Perfect citation.


def benchmarks() -> dict[str, Callable[[], list[Record]]]:
    def bundled() -> list[Record]:
        if not BUNDLED_BENCHMARK.is_file():
            pytest.skip("not here: no benchmark is bundled")
        return read_jsonl(BUNDLED_BENCHMARK)

    return {
        "made up": lambda: ITEMS,
        "stand-in": lambda: read_jsonl(shared(STAND_IN)),
        "bundled": bundled,
    }


@pytest.mark.parametrize("evidence", [objects_of, triples_of], ids=["objects", "triples"])
@pytest.mark.parametrize("name", benchmarks())
def test_citing_all_gold_provenance_is_perfect(
    name: str, evidence: Callable[[Record], object], tmp_path: Path
) -> None:
    items = benchmarks()[name]()
    found = run(tmp_path, answers(items, lambda item: item["expected"], evidence), items)
    samples = found.samples
    assert (samples["citation_precision"] == 1).all()
    assert (samples["evidence_recall"] == 1).all()
    assert samples["implied_answer"].tolist() == [item["expected"] for item in items]
    assert set(samples["error_label"]) == {"CORRECT"}
    assert set(samples["evidence_detail"]) == {"SUPPORTED"}
    assert not samples["hard_case"].any()
    assert set(found.citations["verdict"]) == {"SUPPORTED"}
    check(found.summary, accuracy_total=1, supported_answer_rate=1, fabrication_rate=0)


# Whole runs.


def assert_traced(citations: pd.DataFrame, items: Sequence[Record]) -> None:
    """Each verdict leads to its row in the benchmark, or is one of an absent row."""
    by_id = {item["id"]: item for item in items}
    assert len(citations)
    for cited in citations.to_dict("records"):
        if pd.isna(cited["row_item_id"]):
            assert cited["verdict"] in ABSENT, cited
            continue
        assert cited["verdict"] not in ABSENT, cited
        source = by_id[cited["row_item_id"]]
        row = source["provenance"][int(cited["row_number"])]
        assert same(cited["row_log2fc"], row["log2FC_SF_vs_GC"])
        assert same(cited["row_q"], row["q"])
        assert cited["dataset"] == row["osd"]
        assert cited["gene"] == source["gene"]
        assert cited["row_source_file"] == row["source_file"]
        assert cited["row_contrast"] == row["contrast"]
        assert list(by_id).index(source["id"]) + 1 == cited["row_line"]


def test_each_verdict_can_be_traced(tmp_path: Path) -> None:
    wild = Wild(ITEMS, 3)
    found = run(tmp_path, [wild.record(item) for item in ITEMS])
    assert_traced(found.citations, ITEMS)
    by_sample = found.citations.groupby("sample_id").size()
    expected = found.samples.set_index("sample_id")["citation_n"]
    assert by_sample.to_dict() == expected[expected > 0].to_dict()


def test_the_stand_in_with_a_models_answers_row_by_row(tmp_path: Path) -> None:
    gold, predictions = shared(STAND_IN), shared("data/llm/smollm2_rr10_standin.jsonl")
    done = evaluated("--gt-file", gold, "--pred-file", predictions, folder=tmp_path)
    items = read_jsonl(gold)
    records = {record["id"]: record for record in read_jsonl(predictions)}
    citations = frame_of(done.path("citations", "parquet"))
    assert_traced(citations, items)
    for item, ours in zip(items, done.samples.to_dict("records"), strict=True):
        read = rr10_evidence.read_row(records.get(item["id"], {}))
        judged = rr10_evidence.judge(item, read["citations"], items, label=read["label"])
        cited = judged.pop("citations")
        expected = {
            "sample_id": item["id"],
            "gold_label": item["expected"],
            "predicted_label": read["label"],
            "predicted_label_compat": read["label_compat"],
            "invalid_reason": read["reason"],
            **judged,
        }
        for name, value in expected.items():
            assert same(ours[name], value), (item["id"], name, ours[name], value)
        mine = citations[citations["sample_id"] == item["id"]]
        assert mine["verdict"].tolist() == [c["verdict"] for c in cited], item["id"]
    report = rr10_report.report(items, records)
    for name in ("coverage", "accuracy_total", "macro_f1", "paired_directional_robustness",
                 "trap_overclaim_rate", "control_abstention_rate"):  # fmt: skip
        assert done.summary[name] == pytest.approx(report[name])
    reasons = {name: n for name, n in done.summary["invalid_reasons"].items() if n}
    assert reasons == report["invalid_reasons"]


def test_ledger_adds_up_and_evidence_is_recorded(tmp_path: Path) -> None:
    rows = answers(ITEMS[:150], lambda item: item["expected"], triples_of)
    rows[0]["prediction"] = "not at all increased"
    rows[1] = {"id": rows[1]["id"], "colour": "up"}
    rows[2] = {"id": rows[2]["id"], "output": {"no": "text"}}
    rows += [{"id": "osdr-frag-00001", "prediction": "up"}, {"id": "Q", "prediction": "up"}]
    found = run(tmp_path, rows)
    ledger = found.summary["ledger"]
    assert ledger == found.manifest["ledger"]
    check(ledger["gold"], rows=200, scored=147, parse_failure=1, missing_prediction=52)
    check(ledger["predictions"], rows=152, matched=149, without_gold=2, unreadable=1)
    for side in ledger.values():
        assert side["rows"] == sum(count for name, count in side.items() if name != "rows")
    unknown = {row["sample_id"]: row for row in found.summary["predictions_without_gold"]}
    assert set(unknown) == {"osdr-frag-00001", "Q"}
    assert "hint" in unknown["osdr-frag-00001"] and "hint" not in unknown["Q"]
    assert found.summary["evidence"] == {
        "asked": "auto", "found": True, "expected": True, "shown": None,
    }  # fmt: skip
    manifest = found.manifest
    assert [manifest[f"evidence_{name}"] for name in ("asked", "found", "expected", "shown")] == [
        "auto", True, True, None,
    ]  # fmt: skip
    roles = {entry["role"]: entry for entry in manifest["inputs"]}
    assert (roles["gold"]["row_n"], roles["predictions"]["row_n"]) == (200, 152)
    assert all(len(entry["sha256"]) == 64 for entry in roles.values())
    assert found.summary["benchmark_sha256"] == roles["gold"]["sha256"]
    assert found.summary["benchmark_is_canonical"] is False
    json.dumps(found.summary, allow_nan=False)
    json.dumps(manifest, allow_nan=False)


@pytest.mark.parametrize(
    ("evidence", "cites", "expected", "label"),
    [
        ("auto", False, False, None),
        ("auto", True, True, "CORRECT"),
        ("expected", False, True, "CORRECT_RIGHT_FOR_WRONG_REASON"),
        ("none", True, False, None),
    ],
)
def test_whether_evidence_is_expected(
    evidence: str, cites: bool, expected: bool, label: str | None, tmp_path: Path
) -> None:
    items = build_items(2)
    rows = answers(items, lambda item: item["expected"], triples_of if cites else None)
    found = run(tmp_path, rows, items, evidence=evidence, evidence_shown=True)
    looked = cites if evidence == "auto" else None
    assert found.summary["evidence"] == {
        "asked": evidence, "found": looked, "expected": expected, "shown": True,
    }  # fmt: skip
    assert [None if pd.isna(x) else x for x in found.samples["error_label"]] == [label] * 4
    if not expected:
        assert found.samples["citation_n"].isna().all()
        assert len(found.citations) == 0
        assert set(found.samples["evidence_detail"]) == {"NOT_GIVEN"}


def test_a_cherry_picked_trap_is_never_hard_and_flags_are_raised(tmp_path: Path) -> None:
    """Every item answered up, with its upward datasets alone."""

    def upward(item: Record) -> list[list[str]]:
        return [triple for triple in triples_of(item) if triple[1] == "+"]

    found = run(tmp_path, answers(ITEMS, lambda item: UP, upward))
    picked = found.samples[found.samples["evidence_detail"] == "CHERRY_PICKED"]
    assert len(picked) == 100
    assert set(picked["item_type"]) == {TRAP}
    assert set(picked["error_label"]) == {"WRONG_CORRECT_CHAIN"}
    assert not picked["hard_case"].any()
    assert found.summary["hard_case_n"] == 0
    assert found.summary["corpus_flags"] == ["OVERCLAIM_BIAS"]
    timid = run(tmp_path, answers(ITEMS, lambda item: BOTH))
    assert timid.summary["corpus_flags"] == ["BLANKET_ABSTENTION"]


# Organisms.


def test_datasets_and_genes_as_written(tmp_path: Path) -> None:
    items = build_items(6)
    mouse, fly, plant, human = (
        next(item for item in items if item["organism"] == name and item["item_type"] != TRAP)
        for name in ("mus_musculus", "drosophila_melanogaster", "arabidopsis_thaliana",
                     "homo_sapiens")
    )  # fmt: skip

    def verdict(item: Record, gene: str, respell: str = "OSD-{}") -> str:
        row = item["provenance"][0]
        name = respell.format(row["osd"].removeprefix("OSD-"))
        sign = "+" if row["log2FC_SF_vs_GC"] > 0 else "-"
        cited = {"id": item["id"], "prediction": "up", "evidence": [[gene, sign, name]]}
        return str(run(tmp_path, [cited], items).citations["verdict"][0])

    for spelling in ("OSD-{}", "GLDS-{}", "osd {}", "OSD-0{}", "OSD_{}"):
        assert verdict(mouse, mouse["gene"], spelling) == "SUPPORTED", spelling
    assert verdict(mouse, mouse["gene"].upper()) == "NOT_IN_BENCHMARK"
    assert verdict(fly, fly["gene"]) == "SUPPORTED"
    assert verdict(fly, fly["gene"].lower()) != "SUPPORTED"  # dl and Dl are two genes
    assert verdict(plant, plant["gene"].lower()) == "NOT_IN_BENCHMARK"
    assert verdict(human, human["gene"].lower()) == "SUPPORTED"


def test_mechanism_by_organism(tmp_path: Path) -> None:
    items = build_items(6)
    mechanism = {item["id"]: [[item["gene"], "+", "Mdm2"], ["MDM2", "-", "Mdm2"]] for item in items}
    rows = answers(items, lambda item: item["expected"], lambda item: mechanism[item["id"]])
    graph = tmp_path / "kg.tsv"
    graph.write_text("source\tinteraction\ttarget\nMdm2\t-1\tMDM2\n", encoding="utf-8")
    sets = tmp_path / "human.gmt"
    human_genes = [item["gene"] for item in items if item["organism"] == "homo_sapiens"]
    mouse_genes = [item["gene"] for item in items if item["organism"] == "mus_musculus"]
    upper = [gene.upper() for gene in mouse_genes]
    sets.write_text(
        "T1\t\t" + "\t".join(["MDM2", *human_genes, *upper]) + "\nT2\t\tMDM2\tACTB\n"
        "T3\t\tACTB\tALB\n", encoding="utf-8",
    )  # fmt: skip
    options: dict[str, Any] = {"tiers": (1, 2, 3), "external_kg": {"mus_musculus": graph}}

    found = run(tmp_path, rows, items, go_gmt={"homo_sapiens": sets}, **options)
    status = {organism: set(part["status"]) for organism, part in found.chains.groupby("organism")}
    assert status.pop("mus_musculus") == {"reversed", "unknown_node"}  # case is kept
    assert set(map(frozenset, status.values())) == {frozenset({"no_kg_for_organism"})}
    samples = found.samples
    human = samples["organism"] == "homo_sapiens"
    assert samples.loc[human, "go_focus"].notna().all()
    assert samples.loc[~human, "go_focus"].isna().all()
    assert set(samples.loc[~human, "go_null_reason"]) == {"no_gene_sets_for_organism"}

    for_all = run(tmp_path, rows, items, go_gmt=sets, **options).samples
    mouse = for_all["organism"] == "mus_musculus"
    # A mouse symbol is never looked up upper-cased in human sets.
    assert for_all.loc[mouse, "go_focus"].isna().all()
    assert set(for_all.loc[mouse, "go_null_reason"]) == {"gene_unannotated"}
    assert "go_sim" not in for_all

    none = answers(items, lambda item: item["expected"], triples_of)
    silent = run(tmp_path, none, items, go_gmt=sets, **options).samples
    assert set(silent["go_null_reason"]) == {"no_mechanism_gene"}


def test_a_gene_that_is_a_gene_set_is_its_members(tmp_path: Path) -> None:
    items = [
        item | {"organism": "mus_musculus", "tissue": "eye", "context": "mus_musculus::eye",
                "gene": "T2"}
        for item in build_items(1)
    ]  # fmt: skip
    sets = tmp_path / "toy.gmt"
    sets.write_text("T1\t\tA\tB\nT2\t\tB\tC\nT3\t\tC\tD\tE\n", encoding="utf-8")
    rows = answers(items, lambda item: item["expected"], lambda item: [["T2", "+", "C"]])
    samples = run(tmp_path, rows, items, go_gmt=sets, tiers=(1, 2, 3)).samples
    assert samples["go_focus"].tolist() == pytest.approx([0.8758] * 2, abs=5e-5)


def test_the_items_own_gene_is_no_mechanism_gene(tmp_path: Path) -> None:
    items = [
        item | {"organism": "homo_sapiens", "tissue": "eye", "context": "homo_sapiens::eye",
                "gene": "B"}
        for item in build_items(1)
    ]  # fmt: skip
    sets = tmp_path / "toy.gmt"
    sets.write_text("T1\t\tA\tB\nT2\t\tB\tC\nT3\t\tC\tD\tE\n", encoding="utf-8")
    mechanism = {items[0]["id"]: [["b", "+", "C"]], items[1]["id"]: [["B", "+", "b"]]}
    rows = answers(items, lambda item: item["expected"], lambda item: mechanism[item["id"]])
    samples = run(tmp_path, rows, items, go_gmt=sets, tiers=(1, 2, 3)).samples
    assert samples["go_focus"][0] == pytest.approx(0.6176, abs=5e-5)
    assert samples["go_null_reason"][1] == "no_mechanism_gene"


# What changes nothing.


def test_order_batches_and_processes_change_no_number(tmp_path: Path) -> None:
    wild = Wild(ITEMS, 11)
    rows = [wild.record(item) for item in ITEMS for _ in range(1)]
    rows += [{**wild.record(item), "id": "x"} for item in ITEMS[:2]][:1]
    extra = [wild.record(item) | {"rollout": n} for item in ITEMS[:20] for n in (1, 2)]
    rows = [row | {"rollout": 0} for row in rows] + extra
    shuffled = rows[:]
    random.Random(5).shuffle(shuffled)
    gold = write_jsonl(tmp_path / "gold.jsonl", ITEMS)
    predictions = write_jsonl(tmp_path / "predictions.jsonl", rows)
    resources: dict[str, Any] = {"gt_file": gold, "pred_file": predictions, "tiers": (1, 2)}

    def score(name: str, **options: Any) -> Run:
        plan = make_plan(**(resources | options))
        return Run(write_evaluation(plan, tmp_path / name).run_dir)

    def numbers(done: Run) -> Record:
        dropped = {"run_id", "findings", "predictions_without_gold", "predictions_sha256"}
        return {key: value for key, value in done.summary.items() if key not in dropped}

    first = score("first")
    csv_bytes = first.path("samples", "csv").read_bytes()
    citations = frame_of(first.path("citations", "parquet"))
    for name, options in (
        ("one", {"batch_rows": 1}),
        ("seven", {"batch_rows": 7}),
        ("two", {"jobs": 2, "batch_rows": 50}),
    ):
        again = score(name, **options)
        assert again.path("samples", "csv").read_bytes() == csv_bytes, name
        assert numbers(again) == numbers(first), name
        pd.testing.assert_frame_equal(frame_of(again.path("citations", "parquet")), citations)
        pd.testing.assert_frame_equal(again.samples, first.samples)

    # Rows of one item keep their order among themselves: sorted by rollout in both runs.
    other = score("shuffled", pred_file=write_jsonl(tmp_path / "shuffled.jsonl", shuffled))
    keys = ["sample_id", "rollout"]
    pd.testing.assert_frame_equal(
        other.samples.sort_values(keys, ignore_index=True),
        first.samples.sort_values(keys, ignore_index=True),
    )
    ours, theirs = numbers(first), numbers(other)
    for found in (ours, theirs):
        found["readings_differ"] = sorted(found["readings_differ"], key=str)
    approximately = pytest.approx  # sums of floats over rollouts may end in another digit
    for key, value in ours.items():
        expected = approximately(value, abs=1e-12) if isinstance(value, float) else value
        assert theirs[key] == expected, key


def test_shuffled_rows_give_the_same_csv(tmp_path: Path) -> None:
    wild = Wild(ITEMS, 12)
    rows = [wild.record(item) for item in ITEMS]
    gold = write_jsonl(tmp_path / "gold.jsonl", ITEMS)
    files = []
    for n, order in enumerate((rows, rows[::-1])):
        predictions = write_jsonl(tmp_path / f"predictions{n}.jsonl", order)
        plan = make_plan(gt_file=gold, pred_file=predictions, tiers=(1, 2))
        files.append(Run(write_evaluation(plan, tmp_path / str(n)).run_dir))
    first, second = (done.path("samples", "csv").read_bytes() for done in files)
    assert first == second


def test_command_line_and_api_agree(tmp_path: Path) -> None:
    wild = Wild(ITEMS, 13)
    found = run(tmp_path, [wild.record(item) for item in ITEMS])
    done = in_process(
        "eval", "--gt-file", "gold.jsonl", "--pred-file", "predictions.jsonl", "--json",
        "--batch-size", "7", "--jobs", "2", folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    for name, value in found.summary.items():
        if name not in {"findings", "predictions_without_gold"}:
            assert printed[name] == json.loads(json.dumps(value)), name


# errors.csv.


@pytest.mark.parametrize("compat", [False, True])
def test_errors_csv(compat: bool, tmp_path: Path) -> None:
    wild = Wild(ITEMS, 17)
    records = [wild.record(item) for item in ITEMS[:190]]
    write_jsonl(tmp_path / "gold.jsonl", ITEMS)
    write_jsonl(tmp_path / "predictions.jsonl", records)
    done = in_process(
        "eval", "--gt-file", "gold.jsonl", "--pred-file", "predictions.jsonl", "--batch-size",
        "50", "--errors-csv", "errors.csv", *(["--rr10-compat"] if compat else []),
        folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with (tmp_path / "errors.csv").open(encoding="utf-8", newline="") as handle:
        found = list(csv.DictReader(handle))
    by_id = {record["id"]: record for record in records}
    if compat:
        expected = rr10_report.error_rows(ITEMS, by_id)
    else:
        expected = [
            {
                "id": row["id"],
                "item_type": row["item_type"],
                "context": row["context"],
                "expected": row["gold"],
                "prediction": row["label"] or "INVALID/MISSING",
                "correct": False,
            }
            for row in rr10_report.sample_rows(ITEMS, by_id)
            if not row["right"]
        ]
    assert found == [{name: str(value) for name, value in row.items()} for row in expected]
    assert 20 < len(found) < 200
    header = (tmp_path / "errors.csv").read_bytes().split(b"\n")[0]
    assert header == b"id,item_type,context,expected,prediction,correct"


def test_odd_texts_in_citations_are_written(tmp_path: Path) -> None:
    """Lone surrogates, NUL, separators of lines: tables are written, nothing is lost."""
    items = build_items(1)
    rows = [
        {"id": items[0]["id"], "prediction": BOTH,
         "evidence": [["\ud83d", "+", "OSD-1"], ["a\u2028b\x00", "?", "OSD-1"], "\udc00"]},
    ]  # fmt: skip
    write_jsonl(tmp_path / "gold.jsonl", items)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "predictions.jsonl").write_text(text, encoding="utf-8")
    done = evaluated("--gt-file", "gold.jsonl", "--pred-file", "predictions.jsonl", folder=tmp_path)
    citations = frame_of(done.path("citations", "parquet"))
    assert len(citations) == 3
    assert citations["verdict"].tolist()[1:] == ["MALFORMED"] * 2
