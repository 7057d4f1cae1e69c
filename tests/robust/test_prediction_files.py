"""Odd and spoilt prediction files: the same answer, one clear error, or a counted finding."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from pathlib import Path
from typing import Any

import pytest

import eval_tiers
from tests.robust.samples import (
    CHAIN,
    GOLD,
    PREDICTIONS,
    ROW_N,
    TEXT,
    Spoil,
    all_well,
    check_counted,
    check_refused,
    evaluate_pair,
    gold_row,
    json_lines,
    prediction_row,
    without_ids,
)
from tests.robust.spoilt import BROKEN, HARMLESS, NO_RECORDS, NO_ROWS, PACKED, SPOILT_ROW

TWO_GOLD = json_lines([gold_row("a"), gold_row("b")])


@pytest.mark.parametrize("spoil", HARMLESS.values(), ids=HARMLESS)
def test_odd_files_read_as_they_are_meant(tmp_path: Path, spoil: Spoil) -> None:
    all_well(evaluate_pair(tmp_path, GOLD, spoil(PREDICTIONS)))


@pytest.mark.parametrize(("suffix", "pack"), PACKED.values(), ids=PACKED)
def test_packed_files_read_as_if_they_werent(tmp_path: Path, suffix: str, pack: Spoil) -> None:
    name = "model_chemical.jsonl" + suffix
    all_well(evaluate_pair(tmp_path, GOLD, pack(PREDICTIONS), prediction_name=name))


@pytest.mark.parametrize(("suffix", "code", "spoil"), BROKEN.values(), ids=BROKEN)
def test_broken_files_are_refused(tmp_path: Path, suffix: str, code: str, spoil: Spoil) -> None:
    name = "model_chemical.jsonl" + suffix
    ran = evaluate_pair(tmp_path, GOLD, spoil(PREDICTIONS), prediction_name=name)
    check_refused(ran, code)
    assert name in ran.err


NO_PREDICTIONS = {name: spoil for name, spoil in NO_RECORDS.items() if name != "CSV"}  # is read


@pytest.mark.parametrize("spoil", NO_PREDICTIONS.values(), ids=NO_PREDICTIONS)
def test_what_is_no_json_lines_is_refused_once(tmp_path: Path, spoil: Spoil) -> None:
    check_refused(evaluate_pair(tmp_path, GOLD, spoil(PREDICTIONS)), "no-readable-row")


@pytest.mark.parametrize(("suffix", "spoil"), NO_ROWS.values(), ids=NO_ROWS)
@pytest.mark.parametrize("ids", [True, False], ids=["ids", "no ids"])
def test_no_predictions_at_all_are_all_missing(
    tmp_path: Path, suffix: str, spoil: Spoil, ids: bool
) -> None:
    gold = GOLD if ids else without_ids(GOLD)
    name = "model_chemical.jsonl" + suffix
    ran = evaluate_pair(tmp_path, gold, spoil(PREDICTIONS), prediction_name=name)
    check_counted(ran, {"missing_prediction": ROW_N}, {}, ["no-predictions"])
    assert ran.summary["accuracy"] == 0


@pytest.mark.parametrize("spoil", SPOILT_ROW.values(), ids=SPOILT_ROW)
@pytest.mark.parametrize("options", [(), ("--batch-size", "2", "--jobs", "2")], ids=["", "jobs"])
def test_a_spoilt_row_is_counted_and_keeps_its_place(
    tmp_path: Path, spoil: Spoil, options: tuple[str, ...]
) -> None:
    ran = evaluate_pair(tmp_path, GOLD, spoil(PREDICTIONS), *options)
    check_counted(
        ran,
        {"scored": ROW_N - 1, "missing_prediction": 1},
        {"matched": ROW_N - 1, "unreadable": 1},
        ["unreadable-prediction"],
    )
    assert f"model_chemical.jsonl:{ROW_N}\n" in ran.err
    last = ran.samples()[-1]
    assert (last["parse_failure_reason"], last["error_label"]) == (
        "missing_prediction",
        "PARSE_FAIL",
    )


@pytest.mark.parametrize("spoil", SPOILT_ROW.values(), ids=SPOILT_ROW)
def test_a_spoilt_row_keeps_its_place_without_ids(tmp_path: Path, spoil: Spoil) -> None:
    options = ("--pair", "position")
    ran = evaluate_pair(tmp_path, GOLD, spoil(PREDICTIONS), *options)
    assert ran.code == 0, ran.err
    ledger = ran.ledger()
    assert ledger["predictions"] in (
        {"matched": ROW_N - 1, "unreadable": 1},
        {"matched": ROW_N},  # an odd id is no matter where ids aren't compared
    )


def test_many_spoilt_rows_are_all_counted_and_some_listed(tmp_path: Path) -> None:
    spoilt = PREDICTIONS + b"{torn\n" * 300
    ran = evaluate_pair(tmp_path, GOLD, spoilt)
    assert ran.ledger()["predictions"] == {"matched": ROW_N, "unreadable": 300}
    assert ran.codes == ["unreadable-predictions"] + ["unreadable-prediction"] * 19
    assert "300 prediction rows can't be read; the first 100 are listed" in " ".join(
        ran.err.split()
    )
    assert "... and 81 more" in ran.err


KEYS_TWICE = {
    "output": '{"id": "b", "output": "<answer>up</answer>", "output": "x"}',
    "output, no blanks": '{"id":"b","output":"<answer>up</answer>","output":"x"}',
    "output, odd blanks": '{"id" :"b","output":"<answer>up</answer>","output":"x"}',
    "output, one escaped": '{"id": "b", "output": "<answer>up</answer>", "\\u006futput": "x"}',
    "response": '{"id": "b", "response": "<answer>up</answer>", "response": "x"}',
    "rollout": '{"id": "b", "output": "<answer>up</answer>", "rollout": 1, "rollout": 2}',
}


@pytest.mark.parametrize("row", KEYS_TWICE.values(), ids=KEYS_TWICE)
def test_a_field_given_twice_is_not_guessed(tmp_path: Path, row: str) -> None:
    spoilt = json_lines([prediction_row("a")]) + row.encode() + b"\n"
    ran = evaluate_pair(tmp_path, TWO_GOLD, spoilt)
    check_counted(
        ran,
        {"scored": 1, "missing_prediction": 1},
        {"matched": 1, "unreadable": 1},
        ["unreadable-prediction"],
    )
    assert "twice" in ran.err


IDS_THAT_MATCH = {
    "numbers": (1, 1),
    "number and text": (7, "7"),
    "text and number": ("7", 7),
    "20 digits": (12345678901234567890, "12345678901234567890"),
    "beyond 2**53": (9007199254740993, "9007199254740993"),
    "blanks around": (" a b ", "a b"),
    "slashes": ("a/b\\c:d", "a/b\\c:d"),
    "300 characters": ("x" * 300, "x" * 300),
    "not ASCII": ("é→名", "é→名"),
    "line separators": ("a\u2028b\u2029c\u0085", "a\u2028b\u2029c\u0085"),
    "lone surrogate": ("a\ud83d", "a\ud83d"),
    "control characters": ("a\x00b\x1b[31m\nc", "a\x00b\x1b[31m\nc"),
    "a formula": ("=1+1", "=1+1"),
    "a quote": ('a"b', 'a"b'),
}


@pytest.mark.parametrize(("gold_id", "prediction_id"), IDS_THAT_MATCH.values(), ids=IDS_THAT_MATCH)
@pytest.mark.parametrize("many", [0, 30], ids=["alone", "after many"])
def test_ids_that_are_one(
    tmp_path: Path, gold_id: object, prediction_id: object, many: int
) -> None:
    others = [f"row {number}" for number in range(many)]
    gold = json_lines([gold_row(name) for name in [*others, gold_id]])
    predictions = json_lines([prediction_row(name) for name in [*others, prediction_id]])
    ran = evaluate_pair(tmp_path, gold, predictions, "--by", "id")
    check_counted(ran, {"scored": many + 1}, {"matched": many + 1})


IDS_THAT_DIFFER = {
    "case": ("abc", "ABC"),
    "leading zero": ("07", 7),
    "accent apart": ("e\u0301", "é"),
    "number sign": (7, -7),
    "beyond 2**53": (9007199254740993, "9007199254740992"),
}


@pytest.mark.parametrize(
    ("gold_id", "prediction_id"), IDS_THAT_DIFFER.values(), ids=IDS_THAT_DIFFER
)
def test_ids_that_are_two(tmp_path: Path, gold_id: object, prediction_id: object) -> None:
    gold = json_lines([gold_row(gold_id), gold_row("b")])
    predictions = json_lines([prediction_row(prediction_id), prediction_row("b")])
    ran = evaluate_pair(tmp_path, gold, predictions)
    check_counted(
        ran,
        {"scored": 1, "missing_prediction": 1},
        {"matched": 1, "without_gold": 1},
        ["prediction-without-gold"],
    )
    assert str(prediction_id) in ran.err
    assert ("differs only in case" in ran.err) == (gold_id == "abc")


def test_ids_as_fractions_are_refused(tmp_path: Path) -> None:
    rows = json_lines([prediction_row(1.0), prediction_row(2.0)])
    gold = json_lines([gold_row(1), gold_row(2)])
    check_refused(evaluate_pair(tmp_path, gold, rows), "no-readable-row")


@pytest.mark.parametrize("sample_id", [None, "", "  "], ids=["null", "empty", "blank"])
def test_rows_without_an_id_among_others_are_counted(tmp_path: Path, sample_id: object) -> None:
    rows = json_lines([prediction_row("a"), prediction_row(sample_id)])
    ran = evaluate_pair(tmp_path, TWO_GOLD, rows)
    check_counted(
        ran,
        {"scored": 1, "missing_prediction": 1},
        {"matched": 1, "no_id": 1},
        ["prediction-without-id"],
    )


# The same id twice


WRONG = "<answer>up</answer>"
TWICE = json_lines([prediction_row("a"), prediction_row("b"), prediction_row("a", WRONG)])


def test_an_id_given_twice_names_both_lines(tmp_path: Path) -> None:
    ran = evaluate_pair(tmp_path, TWO_GOLD, TWICE)
    check_refused(ran, "duplicate-id")
    assert "'a'" in ran.err
    assert "lines 1 and 3" in ran.err


@pytest.mark.parametrize(("choice", "accuracy"), [("first", 1.0), ("last", 0.5)])
def test_an_id_given_twice_by_choice(tmp_path: Path, choice: str, accuracy: float) -> None:
    ran = evaluate_pair(tmp_path, TWO_GOLD, TWICE, "--duplicates", choice)
    check_counted(ran, {"scored": 2}, {"matched": 2, "duplicate_dropped": 1})
    assert ran.summary["accuracy"] == accuracy


@pytest.mark.parametrize("choice", ["error", "first", "last"])
def test_a_torn_row_gives_way_to_a_whole_one(tmp_path: Path, choice: str) -> None:
    torn = b'{"id": "a", "output": "<ans\n'
    rows = json_lines([prediction_row("b")]) + torn + json_lines([prediction_row("a")])
    ran = evaluate_pair(tmp_path, TWO_GOLD, rows, "--duplicates", choice)
    assert ran.code == 0, ran.err
    assert ran.summary["accuracy"] == 1
    ledger = ran.ledger()["predictions"]
    assert ledger["matched"] == 2
    assert sum(ledger.values()) == 3


@pytest.mark.parametrize("name", ["rollout", "epoch"])
def test_rollouts_are_no_duplicates(tmp_path: Path, name: str) -> None:
    rows = [prediction_row("a", **{name: number}) for number in (1, 2)]
    rows += [prediction_row("a", WRONG, **{name: "x"}), prediction_row("b", **{name: 1})]
    ran = evaluate_pair(tmp_path, TWO_GOLD, json_lines(rows))
    check_counted(ran, {"scored": 2}, {"matched": 4})
    assert ran.summary["accuracy"] == pytest.approx((2 / 3 + 1) / 2)
    assert [row["rollout"] for row in ran.samples()] == ["1", "2", "x", "1"]


SAME_ROLLOUT = {
    "number": (1, 1),
    "number and text": (1, "1"),
    "as a data frame writes it": (1, 1.0),
    "blanks": ("1", " 1 "),
    "none": (None, None),
    "none and empty": (None, ""),
}


@pytest.mark.parametrize(("first", "second"), SAME_ROLLOUT.values(), ids=SAME_ROLLOUT)
def test_one_rollout_twice_is_a_duplicate(tmp_path: Path, first: object, second: object) -> None:
    rows = [prediction_row("a", rollout=first), prediction_row("a", rollout=second)]
    ran = evaluate_pair(tmp_path, TWO_GOLD, json_lines(rows))
    check_refused(ran, "duplicate-id")


def test_rollouts_may_have_any_name(tmp_path: Path) -> None:
    names = ["9" * 5000, "8", "²", "", "a\ud83d", "=x"]
    rows = json_lines([prediction_row("a", rollout=name) for name in names])
    ran = evaluate_pair(tmp_path, TWO_GOLD, rows)
    check_counted(ran, {"scored": 1, "missing_prediction": 1}, {"matched": len(names)})


# Ids on one side, pairing by position


def test_ids_on_one_side_are_refused(tmp_path: Path) -> None:
    check_refused(evaluate_pair(tmp_path, GOLD, without_ids(PREDICTIONS)), "ids-on-one-side")


def test_ids_on_one_side_by_position(tmp_path: Path) -> None:
    all_well(evaluate_pair(tmp_path, GOLD, without_ids(PREDICTIONS), "--pair", "position"))


def test_no_ids_on_either_side(tmp_path: Path) -> None:
    ran = evaluate_pair(tmp_path, without_ids(GOLD), without_ids(PREDICTIONS), "--split", "id_test")
    all_well(ran)
    assert ran.samples()[1]["sample_id"] == "id_test/chemical/2"


def test_pairing_by_id_needs_ids(tmp_path: Path) -> None:
    ran = evaluate_pair(tmp_path, without_ids(GOLD), without_ids(PREDICTIONS), "--pair", "id")
    check_refused(ran, "no-id")


@pytest.mark.parametrize("row_n", [2, 9])
def test_other_lengths_by_position_are_told(tmp_path: Path, row_n: int) -> None:
    rows = json_lines([{"output": TEXT}] * row_n)
    ran = evaluate_pair(tmp_path, GOLD, rows, "--pair", "position")
    matched = min(row_n, ROW_N)
    assert ran.code == 0
    assert ran.codes[0] == "row-counts-differ"
    ledger = ran.ledger()
    assert ledger["gold"].get("missing_prediction", 0) == ROW_N - matched
    assert ledger["predictions"]["matched"] == matched
    assert ledger["predictions"].get("without_gold", 0) == row_n - matched


def test_ids_that_disagree_by_position_are_told(tmp_path: Path) -> None:
    turned = b"".join(reversed(PREDICTIONS.splitlines(keepends=True)))
    ran = evaluate_pair(tmp_path, GOLD, turned, "--pair", "position")
    assert ran.code == 0
    assert ran.codes == ["ids-disagree"]


# Fields


def test_fields_that_cant_be_mapped_are_listed(tmp_path: Path) -> None:
    rows = json_lines([{"id": f"g{number}", "says": TEXT} for number in range(1, 6)])
    ran = evaluate_pair(tmp_path, GOLD, rows)
    check_refused(ran, "unmapped-fields")
    assert "id, says" in ran.said


def test_gold_given_as_predictions_is_refused(tmp_path: Path) -> None:
    check_refused(evaluate_pair(tmp_path, GOLD, GOLD), "unmapped-fields")


UNREADABLE_TEXT: dict[str, dict[str, Any]] = {
    "number": {"output": 5},
    "truth value": {"output": True},
    "dict": {"output": {"text": TEXT}},
    "parts of another kind": {"output": [{"type": "text", "text": TEXT}, {"type": "image"}]},
    "parts without text": {"output": [{"type": "text", "text": None}]},
    "list of null": {"output": [None]},
    "null and reasoning that is no text": {"output": None, "reasoning_content": 5},
}


@pytest.mark.parametrize("fields", UNREADABLE_TEXT.values(), ids=UNREADABLE_TEXT)
def test_texts_of_a_wrong_type_are_counted(tmp_path: Path, fields: dict[str, Any]) -> None:
    rows = json_lines([prediction_row("a"), {"id": "b"} | fields])
    ran = evaluate_pair(tmp_path, TWO_GOLD, rows)
    check_counted(
        ran,
        {"scored": 1, "missing_prediction": 1},
        {"matched": 1, "unreadable": 1},
        ["unreadable-prediction"],
    )


READABLE_TEXT: dict[str, dict[str, Any]] = {
    "parts": {"output": [{"type": "text", "text": TEXT[:10]}, {"type": "text", "text": TEXT[10:]}]},
    "list of texts": {"output": [TEXT[:10], TEXT[10:]]},
    "null with the text as reasoning": {"output": None, "reasoning_content": TEXT},
    "blank with the text as reasoning": {"output": " ", "reasoning": TEXT},
    "another name": {"completion": TEXT},
    "two names, one null": {"output": None, "text": TEXT},
}


@pytest.mark.parametrize("fields", READABLE_TEXT.values(), ids=READABLE_TEXT)
def test_texts_in_other_shapes_are_read(tmp_path: Path, fields: dict[str, Any]) -> None:
    rows = json_lines([prediction_row("a"), {"id": "b"} | fields])
    ran = evaluate_pair(tmp_path, TWO_GOLD, rows)
    check_counted(ran, {"scored": 2}, {"matched": 2})
    assert ran.summary["accuracy"] == 1


@pytest.mark.parametrize("output", [None, "", "  ", []], ids=["null", "empty", "blank", "no part"])
def test_no_text_is_a_parse_failure(tmp_path: Path, output: object) -> None:
    rows = json_lines([prediction_row("a"), prediction_row("b", output)])
    ran = evaluate_pair(tmp_path, TWO_GOLD, rows)
    check_counted(ran, {"scored": 1, "parse_failure": 1}, {"matched": 2})
    assert ran.samples()[1]["parse_failure_reason"] == "empty"


DOWN = "<answer>down</answer>"
LONG_TEXTS = {
    "brackets": DOWN + "<triplet>" + "[" * 100_000 + "]" * 100_000 + "</triplet>",
    "open brackets": DOWN + "<triplet>" + "[a, 'b'," * 50_000,
    "round brackets": DOWN + "<triplet>" + "[(" * 100_000 + "</triplet>",
    "quotes": DOWN + "<triplet>[" + "'" * 500_000 + "]</triplet>",
    "half quotes": DOWN + "<triplet>[" + "['a, +, b]," * 20_000 + "]</triplet>",
    "comments": DOWN + "<triplet>[" + "/*" * 300_000 + "]</triplet>",
    "blanks": DOWN + "<triplet>[[" + " " * 1_000_000 + "x</triplet>",
    "many edges": DOWN
    + "<triplet>"
    + json.dumps([[f"G{n}", "+", f"G{n + 1}"] for n in range(20_000)])
    + "</triplet>",
    "all to all": DOWN
    + "<triplet>"
    + json.dumps([[a, "+", b] for a in "PEABCDFGHIJKLMNO" for b in "PEABCDFGHIJKLMNO" if a != b])
    + "</triplet>",
    "a symbol of 1 MB": DOWN + "<triplet>[['" + "x" * 1_000_000 + "', +, A]]</triplet>",
    "a number of 5,000 digits": DOWN + f"<triplet>[['P', {'9' * 5000}, 'A']]</triplet>",
    "answers": "<answer>" * 200_000 + "</answer>" * 200_000,
    "one answer, long": "<answer>" + "up or " * 100_000 + "</answer>",
    "negations": "<answer>" + "did not " * 100_000 + "</answer>",
    "blanks in an answer": "<answer>no" + " " * 1_000_000 + "x</answer>",
    "angle brackets": "<" * 1_000_000,
}


@pytest.mark.parametrize("text", LONG_TEXTS.values(), ids=LONG_TEXTS)
def test_long_texts_take_no_time(tmp_path: Path, text: str) -> None:
    rows = json_lines([prediction_row("a"), prediction_row("b", text)])
    ran = evaluate_pair(tmp_path, TWO_GOLD, rows)
    assert ran.code == 0, ran.err
    assert ran.ledger()["predictions"] == {"matched": 2}
    assert ran.summary["accuracy"] in (0.5, 1.0)


def test_surrogates_and_nul_in_symbols(tmp_path: Path) -> None:
    chain = json.dumps([["P\ud83d", "+", "A\x00"], *CHAIN])
    text = f"<answer>down</answer><triplet>{chain}</triplet>".encode("utf-8", "surrogatepass")
    rows = json_lines(
        [prediction_row("a"), prediction_row("b", text.decode("utf-8", "surrogatepass"))]
    )
    ran = evaluate_pair(tmp_path, TWO_GOLD, rows)
    check_counted(ran, {"scored": 2}, {"matched": 2})
    assert ran.samples()[1]["predicted_edge_n"] == 4


def test_a_number_that_is_none_is_no_gene(tmp_path: Path) -> None:
    text = '<answer>down</answer><triplet>[["P", "+", NaN], [Infinity, "+", "A"]]</triplet>'
    rows = json_lines([prediction_row("a"), prediction_row("b", text)])
    gold = json_lines([gold_row("a"), gold_row("b", path=[["P", "+", "A"]])])
    ran = evaluate_pair(tmp_path, gold, rows)
    assert ran.code == 0
    assert ran.samples()[1]["predicted_edge_n"] == 2  # bare words of a text are symbols


# Where texts lie


@pytest.mark.parametrize(
    ("suffix", "write"),
    [
        ("", HARMLESS["BOM"]),
        ("", HARMLESS["blank lines"]),
        ("", HARMLESS["CR only"]),
        ("", HARMLESS["array with a BOM and CRLF"]),
        ("", HARMLESS["line separators inside a string"]),
        (".gz", PACKED["gzip of an array"][1]),
        (".gz", PACKED["gzip, two members"][1]),
    ],
)
def test_texts_are_found_again(tmp_path: Path, suffix: str, write: Spoil) -> None:
    import pyarrow.parquet as pq

    data = write(PREDICTIONS)
    name = "model_chemical.jsonl" + suffix
    ran = evaluate_pair(tmp_path, GOLD, data, prediction_name=name)
    all_well(ran)
    plain = gzip.decompress(data) if suffix else data
    (path,) = ran.outputs.rglob("texts_*.parquet")
    rows = pq.read_table(path).to_pylist()
    for number, row in enumerate(rows, 1):
        raw = plain[row["byte_offset"] :][: row["byte_length"]]
        assert zlib.crc32(raw) == row["crc32"]
        assert json.loads(raw)["id"] == row["sample_id"] == f"g{number}"
        if b"\r" not in plain.replace(b"\r\n", b""):
            assert row["prediction_line"] == plain.count(b"\n", 0, row["byte_offset"]) + 1


def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    gold, model = tmp_path / "gold.jsonl", tmp_path / "model.jsonl"
    gold.write_bytes(GOLD)
    accuracies = []
    for word in (b"down", b"up  "):  # of one length: the rows lie where they lay
        new = tmp_path / "new.jsonl"
        new.write_bytes(PREDICTIONS.replace(b"<answer>down", b"<answer>" + word))
        os.replace(new, model)
        found = eval_tiers.evaluate(gt_file=gold, pred_file=model, tiers=(1,))
        accuracies.append(found.summary["accuracy"])
    assert accuracies == [1, 0]
