"""Items of a benchmark file: what is read, and what is bad input."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from eval_tiers.domain.rr10 import CONTROL, DOWN, INDETERMINATE, TRAP, UP
from eval_tiers.exceptions import BadInputError, MissingResourceError, Problem
from eval_tiers.io.benchmark_kind import choose_format
from eval_tiers.io.rr10_benchmark import read_items
from tests.e2e.running import shared
from tests.rr10_benchmark import BUNDLED_BENCHMARK, Record, build_items, write_jsonl


def written(folder: Path, records: list[Record]) -> Path:
    return write_jsonl(folder / "benchmark.jsonl", records)


def problems_of(folder: Path, records: list[Record]) -> list[Problem]:
    with pytest.raises(BadInputError) as caught:
        read_items(written(folder, records))
    return list(caught.value.problems)


def test_items_are_read_in_file_order(tmp_path: Path) -> None:
    records = build_items(3, 1)
    items = read_items(written(tmp_path, records))
    assert [item.sample_id for item in items] == [record["id"] for record in records]
    assert [item.line for item in items] == [1, 2, 3, 4, 5, 6]
    assert [item.label for item in items] == [INDETERMINATE, UP, *[INDETERMINATE, DOWN] * 2]
    assert [item.item_type for item in items] == [TRAP, CONTROL] * 3
    first, row = items[0], records[0]["provenance"][1]
    assert (first.gene, first.organism, first.tissue) == ("Trp1", "mus_musculus", "thymus")
    assert first.datasets == tuple(records[0]["evidence"]["datasets"])
    found = first.provenance[1]
    assert (found.dataset, found.log2fc, found.q) == (row["osd"], row["log2FC_SF_vs_GC"], row["q"])
    assert (found.item_id, found.number, found.line) == (first.sample_id, 1, 1)
    assert found.orientation == row["orientation_sign_applied"]


@pytest.mark.parametrize("osd", ["GLDS-48", "osd 48", "OSD-048", "OSD_48", "OSD–48"])
def test_spellings_of_a_dataset_are_one(osd: str, tmp_path: Path) -> None:
    (record,) = build_items(1, 1)[:1]
    for row in record["provenance"]:
        row["osd"] = osd
    record["evidence"]["datasets"] = [osd]
    (item,) = read_items(written(tmp_path, [record]))
    assert item.datasets == ("OSD-48",)
    assert {row.dataset for row in item.provenance} == {"OSD-48"}


def test_blank_lines_a_bom_cr_lf_and_gzip(tmp_path: Path) -> None:
    lines = [json.dumps(record) for record in build_items(2, 1)]
    text = "\ufeff" + "\r\n\r\n".join(lines)
    path = tmp_path / "benchmark.jsonl.gz"
    path.write_bytes(gzip.compress(text.encode("utf-8")))
    assert [item.line for item in read_items(path)] == [1, 3, 5, 7]


@pytest.mark.parametrize(
    "label", [None, "up", "Upregulated", "upregulated ", "unknown", "", 1, ["upregulated"]]
)
def test_a_gold_label_that_is_null_or_an_alias_is_bad_input(label: object, tmp_path: Path) -> None:
    records = build_items(2, 1)
    records[1]["expected"] = label
    (problem,) = problems_of(tmp_path, records)
    assert problem.code == "unknown-label"
    assert (problem.where.line, problem.where.field) == (2, "expected")
    assert problem.fix


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"id": None}, "no-id"),
        ({"id": 1.5}, "bad-id"),
        ({"item_type": "trap"}, "unknown-item-type"),
        ({"gene": " "}, "bad-field"),
        ({"organism": None}, "bad-field"),
        ({"tissue": 3}, "bad-field"),
        ({"provenance": []}, "no-provenance"),
        ({"provenance": None}, "no-provenance"),
        ({"provenance": "OSD-1"}, "no-provenance"),
        ({"provenance": ["OSD-1"]}, "bad-provenance"),
        ({"provenance": [{"osd": "GSE1"}]}, "bad-dataset"),
        ({"provenance": [{"q": 0.1}]}, "bad-dataset"),
    ],
)
def test_an_item_that_cant_be_scored_is_bad_input(
    change: Record, code: str, tmp_path: Path
) -> None:
    records = build_items(1, 1)
    records[1] |= change
    (problem,) = problems_of(tmp_path, records)
    assert problem.code == code
    assert (problem.where.line, problem.where.path) == (2, str(tmp_path / "benchmark.jsonl"))


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    records = build_items(2, 1)
    records[0]["expected"] = "up"
    records[2]["gene"] = ""
    records[3]["provenance"] = []
    found = problems_of(tmp_path, records)
    assert [problem.code for problem in found] == ["unknown-label", "bad-field", "no-provenance"]


def test_broken_lines_and_foreign_values(tmp_path: Path) -> None:
    path = tmp_path / "benchmark.jsonl"
    path.write_text('{"id": \n[1]\n"text"\n3\n', encoding="utf-8")
    with pytest.raises(BadInputError) as caught:
        read_items(path)
    lines = [problem.where.line for problem in caught.value.problems]
    assert lines == [1, 2, 3, 4]


def test_a_null_value_is_no_sign_and_no_q(tmp_path: Path) -> None:
    (record,) = build_items(1, 1)[:1]
    record["provenance"][0] |= {"log2FC_SF_vs_GC": None, "q": "0.1"}
    (item,) = read_items(written(tmp_path, [record]))
    assert (item.provenance[0].log2fc, item.provenance[0].q, item.provenance[0].sign) == (
        None, None, 0,
    )  # fmt: skip


def test_duplicate_ids(tmp_path: Path) -> None:
    records = build_items(1, 1)
    again = records[0] | {"gene": "Again"}
    (problem,) = problems_of(tmp_path, [*records, again])
    assert problem.code == "duplicate-id"
    assert "lines 1 and 3" in problem.message
    path = written(tmp_path, [*records, again])
    assert [item.gene for item in read_items(path, duplicates="first")] == ["Trp1", "Cdk1"]
    assert [item.gene for item in read_items(path, duplicates="last")] == ["Cdk1", "Again"]


def test_an_empty_file_and_a_missing_one(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, [])
    assert problem.code == "empty-file"
    with pytest.raises(MissingResourceError):
        read_items(tmp_path / "nowhere.jsonl")


def test_the_stand_in_and_the_bundled_benchmark_are_read() -> None:
    assert len(read_items(shared("data/rr10/rr10_standin_mouse_hallmark.jsonl"))) == 98
    if not BUNDLED_BENCHMARK.is_file():
        pytest.skip("not here: no benchmark is bundled")
    assert len(read_items(BUNDLED_BENCHMARK)) == 200


def test_the_format_is_told_from_the_first_row(tmp_path: Path) -> None:
    assert choose_format(written(tmp_path, build_items(1))).name == "rr10"
    other = tmp_path / "other.jsonl"
    other.write_text('{"id": 1, "question": "?", "answer": "up"}\n', encoding="utf-8")
    assert choose_format(other).name == "perturbreason"
    other.write_text("not JSON\n", encoding="utf-8")
    assert choose_format(other).name == "perturbreason"
    assert choose_format(other, "rr10").name == "rr10"
