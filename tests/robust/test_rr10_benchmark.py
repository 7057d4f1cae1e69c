"""A benchmark in RR-10's format, odd and spoilt, through every command that reads one."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any, Final

import pytest

from tests.robust.rr10_samples import (
    ANSWERS,
    GOLD,
    ITEM_N,
    ITEMS,
    PREDICTIONS,
    all_right,
    evaluate_rr10,
    spoilt_gold,
)
from tests.robust.samples import GOLD as CHAIN_GOLD
from tests.robust.samples import PREDICTIONS as CHAIN_PREDICTIONS
from tests.robust.samples import ROW_N, Spoil, check_refused, json_lines, run_command
from tests.robust.spoilt import BROKEN, HARMLESS, NO_RECORDS, NO_ROWS, PACKED

BIG: Final = 10**400


@pytest.mark.parametrize("spoil", HARMLESS.values(), ids=HARMLESS)
def test_harmless(tmp_path: Path, spoil: Spoil) -> None:
    all_right(evaluate_rr10(tmp_path, gold=spoil(GOLD)))


@pytest.mark.parametrize(("suffix", "spoil"), PACKED.values(), ids=PACKED)
def test_packed(tmp_path: Path, suffix: str, spoil: Spoil) -> None:
    all_right(evaluate_rr10(tmp_path, gold=spoil(GOLD), gold_name="b.jsonl" + suffix))


@pytest.mark.parametrize(("suffix", "code", "spoil"), BROKEN.values(), ids=BROKEN)
def test_broken(tmp_path: Path, suffix: str, code: str, spoil: Spoil) -> None:
    name = "b.jsonl" + suffix
    check_refused(evaluate_rr10(tmp_path, gold=spoil(GOLD), gold_name=name), code)
    built = run_command("kg", "build", "--rr10", tmp_path / name, "-o", tmp_path / "g.json")
    assert (built.code, built.codes) == (3, [code])
    assert not (tmp_path / "g.json").exists()
    seen = run_command("validate", "--as", "rr10", "--skip-hash", tmp_path / name)
    assert seen.code in (1, 3)
    assert "Traceback" not in seen.err


@pytest.mark.parametrize(("suffix", "spoil"), NO_ROWS.values(), ids=NO_ROWS)
def test_no_items(tmp_path: Path, suffix: str, spoil: Spoil) -> None:
    ran = evaluate_rr10(tmp_path, gold=spoil(GOLD), gold_name="b.jsonl" + suffix)
    check_refused(ran, "empty-file")


@pytest.mark.parametrize("spoil", NO_RECORDS.values(), ids=NO_RECORDS)
def test_no_records(tmp_path: Path, spoil: Spoil) -> None:
    ran = evaluate_rr10(tmp_path, gold=spoil(GOLD))
    assert ran.code == 3
    assert set(ran.codes) <= {"bad-json", "not-an-object", "not-utf8"}
    assert "benchmark.jsonl:1\n" in ran.err
    assert "Traceback" not in ran.err


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, code in (("pipe", 3), (".", 3), ("none", 4)):
        path = tmp_path / name
        assert evaluate_rr10(tmp_path, gold=path).code == code
        assert run_command("kg", "build", "--rr10", path, "-o", tmp_path / "g.json").code == code
        prompts = tmp_path / "r.jsonl"
        assert run_command("export-prompts", "--gt-file", path, "-o", prompts).code == code
        assert not prompts.exists()


# One field of one item

VALUES: Final[list[Any]] = [
    None, 5, True, 0.5, [], [[]], {}, {"a": 1}, "", " ", float("nan"), float("inf"), BIG,
    "\ud83d", "\x1b[31m", "\0", "x" * 300,
]  # fmt: skip
REFUSED: Final = {
    "id": {"no-id", "bad-id"},
    "item_type": {"unknown-item-type"},
    "gene": {"bad-field"},
    "organism": {"bad-field"},
    "tissue": {"bad-field"},
    "expected": {"unknown-label"},
    "provenance": {"no-provenance", "bad-provenance"},
}


def check_outcome(tmp_path: Path, data: bytes, codes: set[str], field: str) -> None:
    """One error that names the line and the field, or a result that counts every row."""
    ran = evaluate_rr10(tmp_path, gold=data)
    if ran.code == 0:
        sides = ran.ledger()
        assert sum(sides["gold"].values()) == ITEM_N
        assert ran.summary["accuracy_total"] in (1, (ITEM_N - 1) / ITEM_N)
        assert ran.summary["accuracy_total"] == 1 or ran.codes == ["prediction-without-gold"]
        return
    assert ran.code == 3, ran.err
    assert len(ran.codes) == 1
    assert ran.codes[0] in codes
    assert f"benchmark.jsonl:1, field '{field}" in ran.err


@pytest.mark.parametrize("name", [*ITEMS[0], "provenance row", "more"])
def test_a_field_of_any_type(tmp_path: Path, name: str) -> None:
    for value in VALUES if name in REFUSED else VALUES[::3]:
        if name == "provenance row":
            data = spoilt_gold(lambda item, value=value: item["provenance"].append(value))  # type: ignore[misc]
            check_outcome(tmp_path, data, {"bad-provenance", "bad-dataset"}, "provenance")
        else:
            data = spoilt_gold(lambda item, value=value: item.__setitem__(name, value))  # type: ignore[misc]
            check_outcome(tmp_path, data, REFUSED.get(name, set()), name)


@pytest.mark.parametrize("name", [*ITEMS[0]["provenance"][0], "more"])
def test_a_field_of_provenance_of_any_type(tmp_path: Path, name: str) -> None:
    for value in VALUES if name in {"osd", "q", "log2FC_SF_vs_GC"} else VALUES[::3]:
        data = spoilt_gold(lambda item, value=value: item["provenance"][0].update({name: value}))  # type: ignore[misc]
        ran = evaluate_rr10(tmp_path, gold=data)
        if name == "osd":
            check_refused(ran, "bad-dataset")
            continue
        assert ran.code == 0, ran.err
        assert ran.summary["accuracy_total"] == 1
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        known = number and value == value and abs(value) < 1e300
        expected = ["unknown-log2fc"] if name == "log2FC_SF_vs_GC" and not known else []
        assert ran.codes == expected


def test_unknown_fold_changes_are_told(tmp_path: Path) -> None:
    items = copy.deepcopy(ITEMS)
    for item in items:
        for row in item["provenance"]:
            row["log2FC_SF_vs_GC"] = str(row["log2FC_SF_vs_GC"])
    ran = evaluate_rr10(tmp_path, gold=json_lines(items))
    assert (ran.code, ran.codes) == (0, ["unknown-log2fc"])
    row_n = sum(len(item["provenance"]) for item in ITEMS)
    assert f"{row_n} provenance row(s)" in ran.said
    assert ran.summary["citation_verdicts"]["UNVERIFIABLE"] == row_n


LABELS: Final = ["up", "UPREGULATED", " upregulated", "unknown", "contradictory", None]


@pytest.mark.parametrize("label", LABELS)
def test_an_alias_is_no_gold_label(tmp_path: Path, label: object) -> None:
    ran = evaluate_rr10(tmp_path, gold=spoilt_gold(lambda item: item.update(expected=label)))
    check_refused(ran, "unknown-label")


def test_ids_given_twice(tmp_path: Path) -> None:
    data = json_lines([*ITEMS, ITEMS[0] | {"expected": "upregulated"}])
    ran = evaluate_rr10(tmp_path, gold=data)
    check_refused(ran, "duplicate-id")
    assert f"lines 1 and {ITEM_N + 1}" in ran.said
    ran = evaluate_rr10(tmp_path, PREDICTIONS, "--rr10-compat", gold=data)
    check_refused(ran, "duplicate-id")
    ran = evaluate_rr10(tmp_path, PREDICTIONS, "--duplicates", "first", gold=data)
    assert (ran.code, ran.summary["accuracy_total"]) == (0, 1)


def test_whole_numbers_as_ids(tmp_path: Path) -> None:
    """An id that is a number on one side and text on the other is the same id."""
    items = [item | {"id": number} for number, item in enumerate(ITEMS)]
    rows = [row | {"id": str(number)} for number, row in enumerate(ANSWERS)]
    all_right(evaluate_rr10(tmp_path, json_lines(rows), gold=json_lines(items)))


def test_every_fault_is_told_up_to_twenty(tmp_path: Path) -> None:
    data = json_lines([item | {"expected": None} for item in ITEMS * 3])
    ran = evaluate_rr10(tmp_path, gold=data)
    check_refused(ran, "unknown-label", error_n=20)
    assert f"... and {3 * ITEM_N - 20} more" in ran.err


# The wrong benchmark, and options of the other family


def test_gold_of_chains(tmp_path: Path) -> None:
    ran = evaluate_rr10(tmp_path, CHAIN_PREDICTIONS, gold=CHAIN_GOLD)
    check_refused(ran, "unknown-label", error_n=ROW_N)


def paths_of(tmp_path: Path, gold: bytes, predictions: bytes) -> list[object]:
    """Options of a pair of files."""
    (tmp_path / "gold.jsonl").write_bytes(gold)
    (tmp_path / "model.jsonl").write_bytes(predictions)
    return [
        "eval", "--gt-file", tmp_path / "gold.jsonl", "--pred-file", tmp_path / "model.jsonl",
        "-o", tmp_path / "outputs", "--json", "--jobs", "1",
    ]  # fmt: skip


def test_items_read_as_chains(tmp_path: Path) -> None:
    pair = paths_of(tmp_path, GOLD, PREDICTIONS)
    ran = run_command(*pair, "--format", "perturbreason", "--tiers", "1", outputs=tmp_path)
    check_refused(ran, "unmapped-fields")


def test_swapped_files(tmp_path: Path) -> None:
    ran = run_command(*paths_of(tmp_path, PREDICTIONS, GOLD), "--tiers", "1", outputs=tmp_path)
    check_refused(ran, "unmapped-fields")
    assert "gold.jsonl:1" in ran.err


def test_the_format_is_told_from_the_file(tmp_path: Path) -> None:
    ran = run_command(*paths_of(tmp_path, GOLD, PREDICTIONS), outputs=tmp_path / "outputs")
    all_right(ran)
    (tmp_path / "gold.jsonl").write_bytes(b"not JSON\n")
    ran = run_command(*paths_of(tmp_path, b"{", PREDICTIONS), "--tiers", "1", outputs=tmp_path)
    assert ran.code == 3


CHAINS_ALONE: Final = [
    ("--mode", "genetic=-1"),
    ("--by", "gene"),
    ("--train-file", "x"),
    ("--unknown-nodes", "unverifiable"),
    ("--go-null-draws", "10"),
]
CITATIONS_ALONE: Final = [
    ("--rr10-compat",),
    ("--evidence", "none"),
    ("--evidence-shown", "yes"),
    ("--osd-registry", "x"),
    ("--osd-table", "OSD-48=x"),
    ("--genes", "homo_sapiens=x"),
    ("--errors-csv", "x.csv"),
    ("--external-kg", "homo_sapiens=x"),
    ("--go-gmt", "homo_sapiens=x"),
]


@pytest.mark.parametrize("options", CHAINS_ALONE, ids=lambda options: options[0])
def test_options_of_chains(tmp_path: Path, options: tuple[str, ...]) -> None:
    ran = evaluate_rr10(tmp_path, PREDICTIONS, *options)
    assert (ran.code, ran.codes) == (2, ["option-without-effect"])
    assert options[0] in ran.err


@pytest.mark.parametrize("options", CITATIONS_ALONE, ids=lambda options: options[0])
def test_options_of_citations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    pair = paths_of(tmp_path, CHAIN_GOLD, CHAIN_PREDICTIONS)
    ran = run_command(*pair, "--tiers", "1", *options, outputs=tmp_path)
    assert (ran.code, ran.codes) == (2, ["option-without-effect"])
    assert options[0] in ran.err
    assert not (tmp_path / "x.csv").exists()


# Python


@pytest.mark.parametrize("value", [BIG, "\ud83d", float("nan")], ids=["big", "surrogate", "nan"])
def test_python_gets_the_same(tmp_path: Path, value: object) -> None:
    from eval_tiers import evaluate

    def change(item: dict[str, Any]) -> None:
        item["provenance"][0]["q"] = value
        item["tissue"] = str(value)[:20]

    gold, predictions = tmp_path / "gold.jsonl", tmp_path / "model.jsonl"
    gold.write_bytes(spoilt_gold(change))
    predictions.write_bytes(PREDICTIONS)
    found = evaluate(gt_file=gold, pred_file=predictions)
    assert found.summary["accuracy_total"] == 1
    assert len(found.samples) == ITEM_N
    assert json.loads(json.dumps(found.summary))["format"] == "rr10"
