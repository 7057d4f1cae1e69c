"""Odd and spoilt gold and training files: the same figures, or one clear error."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.robust.samples import (
    CHAIN,
    GOLD,
    PREDICTIONS,
    ROW_N,
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

TWO = json_lines([prediction_row("a"), prediction_row("b")])


@pytest.mark.parametrize("spoil", HARMLESS.values(), ids=HARMLESS)
def test_odd_files_read_as_they_are_meant(tmp_path: Path, spoil: Spoil) -> None:
    all_well(evaluate_pair(tmp_path, spoil(GOLD)))


@pytest.mark.parametrize(("suffix", "pack"), PACKED.values(), ids=PACKED)
def test_packed_files_read_as_if_they_werent(tmp_path: Path, suffix: str, pack: Spoil) -> None:
    all_well(evaluate_pair(tmp_path, pack(GOLD), gold_name="gold_chemical.jsonl" + suffix))


@pytest.mark.parametrize(("suffix", "code", "spoil"), BROKEN.values(), ids=BROKEN)
def test_broken_files_are_refused(tmp_path: Path, suffix: str, code: str, spoil: Spoil) -> None:
    name = "gold_chemical.jsonl" + suffix
    ran = evaluate_pair(tmp_path, spoil(GOLD), gold_name=name)
    check_refused(ran, code)
    assert name in ran.err


@pytest.mark.parametrize(("suffix", "spoil"), NO_ROWS.values(), ids=NO_ROWS)
def test_no_rows_at_all_are_refused(tmp_path: Path, suffix: str, spoil: Spoil) -> None:
    name = "gold_chemical.jsonl" + suffix
    check_refused(evaluate_pair(tmp_path, spoil(GOLD), gold_name=name), "empty-file")


@pytest.mark.parametrize("spoil", NO_RECORDS.values(), ids=NO_RECORDS)
def test_what_is_no_json_lines_is_refused_once(tmp_path: Path, spoil: Spoil) -> None:
    check_refused(evaluate_pair(tmp_path, spoil(GOLD)), "no-readable-row")


@pytest.mark.parametrize("spoil", SPOILT_ROW.values(), ids=SPOILT_ROW)
@pytest.mark.parametrize("options", [(), ("--batch-size", "2", "--jobs", "2")], ids=["", "jobs"])
def test_a_spoilt_row_is_refused_by_its_line(
    tmp_path: Path, spoil: Spoil, options: tuple[str, ...]
) -> None:
    ran = evaluate_pair(tmp_path, spoil(GOLD), PREDICTIONS, *options)
    assert ran.code == 3
    assert len(ran.codes) == 1, ran.err
    assert "Traceback" not in ran.err
    assert f"gold_chemical.jsonl:{ROW_N}" in ran.err
    assert ": line 1 column" not in ran.err, "the line within the row misleads"
    assert not list(ran.outputs.rglob("*_*.*"))


def test_twenty_problems_are_shown_and_all_counted(tmp_path: Path) -> None:
    gold = json_lines([gold_row(f"g{number}", answer="upp") for number in range(50)])
    ran = evaluate_pair(tmp_path, gold, PREDICTIONS)
    check_refused(ran, "unknown-label", error_n=20)
    assert "... and 30 more" in ran.err


KEYS_TWICE = {
    "answer": '"answer": "up", "answer": "down"',
    "answer, one escaped": '"answer": "up", "\\u0061nswer": "down"',
    "path": '"answer": "up", "path": [["P", "+", "A"]], "path": []',
    "gt_path": '"answer": "up", "gt_path": [["P", "+", "A"]], "gt_path": []',
    "gene": '"answer": "up", "gene": "E", "gene": "B"',
    "pert": '"answer": "up", "pert": "P", "pert": "Q"',
    "sample_id": '"answer": "up", "sample_id": "b", "sample_id": "c"',
}


@pytest.mark.parametrize("fields", KEYS_TWICE.values(), ids=KEYS_TWICE)
def test_a_field_given_twice_is_not_guessed(tmp_path: Path, fields: str) -> None:
    gold = json_lines([gold_row("a")]) + b'{"id": "b", ' + fields.encode() + b"}\n"
    check_refused(evaluate_pair(tmp_path, gold, TWO), "repeated-key")


def test_an_id_given_twice_names_both_lines(tmp_path: Path) -> None:
    gold = json_lines([gold_row("a"), gold_row("b"), gold_row("a")])
    ran = evaluate_pair(tmp_path, gold, TWO)
    check_refused(ran, "duplicate-id")
    assert "lines 1 and 3" in ran.err


def test_a_number_and_its_digits_are_one_id(tmp_path: Path) -> None:
    gold = json_lines([gold_row(1), gold_row("1")])
    check_refused(evaluate_pair(tmp_path, gold, TWO), "duplicate-id")


@pytest.mark.parametrize(("choice", "label"), [("first", "down"), ("last", "up")])
def test_an_id_given_twice_by_choice(tmp_path: Path, choice: str, label: str) -> None:
    rows = [gold_row("a"), gold_row("b"), gold_row("a", answer="unchanged")]
    gold = json_lines([*rows, gold_row("a", answer="up")])
    ran = evaluate_pair(tmp_path, gold, TWO, "--duplicates", choice)
    check_counted(ran, {"scored": 2, "duplicate_dropped": 2}, {"matched": 2})
    (row,) = [row for row in ran.samples() if row["sample_id"] == "a"]
    assert row["gold_label"] == label


@pytest.mark.parametrize("sample_id", [None, "", "  "], ids=["null", "empty", "blank"])
def test_a_row_without_an_id_among_others_is_refused(tmp_path: Path, sample_id: object) -> None:
    gold = json_lines([gold_row("a"), gold_row(sample_id)])
    check_refused(evaluate_pair(tmp_path, gold, TWO), "no-id")


def test_ids_on_the_other_side_only_are_refused(tmp_path: Path) -> None:
    check_refused(evaluate_pair(tmp_path, without_ids(GOLD)), "ids-on-one-side")


def test_an_id_given_twice_counts_by_position_too(tmp_path: Path) -> None:
    gold = json_lines([gold_row("a"), gold_row("a")])
    check_refused(evaluate_pair(tmp_path, gold, TWO, "--pair", "position"), "duplicate-id")


def test_predictions_given_as_gold_are_refused(tmp_path: Path) -> None:
    ran = evaluate_pair(tmp_path, PREDICTIONS)
    check_refused(ran, "unmapped-fields")
    assert "id, output" in ran.said


def test_a_row_of_other_fields_is_refused(tmp_path: Path) -> None:
    gold = json_lines([gold_row("a"), {"id": "b", "question": "?"}])
    check_refused(evaluate_pair(tmp_path, gold, TWO), "unmapped-fields")


@pytest.mark.parametrize("answer", [None, 3, "", "upp", "up/down", True, ["up"], {"up": 1}])
def test_labels_that_are_none_are_refused(tmp_path: Path, answer: object) -> None:
    gold = json_lines([gold_row("a"), gold_row("b", answer=answer)])
    ran = evaluate_pair(tmp_path, gold, TWO)
    check_refused(ran, "unknown-label")
    assert "gold_chemical.jsonl:2, field 'answer', sample 'b'" in ran.err
    assert ("did you mean 'up'?" in ran.err) == (answer == "upp")


@pytest.mark.parametrize("answer", ["UP", " up ", "Up\t"])
def test_labels_in_another_case_are_read(tmp_path: Path, answer: str) -> None:
    gold = json_lines([gold_row("a"), gold_row("b", answer=answer)])
    ran = evaluate_pair(tmp_path, gold, TWO)
    check_counted(ran, {"scored": 2}, {"matched": 2})
    assert ran.samples()[1]["gold_label"] == "up"


NO_CHAIN = {
    "dict": {"edges": CHAIN},
    "number": 5,
    "truth value": True,
    "nested once too often": [CHAIN],
    "an empty edge": [[]],
    "two parts": [["P", "+"]],
    "four parts": [["P", "+", "A", "x"]],
    "a list as a gene": [["P", "+", ["A"]]],
    "null as a gene": [["P", "+", None]],
    "no gene": [["P", "+", ""]],
    "not a number": [["P", "+", float("nan")]],
    "endless": [[float("inf"), "+", "A"]],
    "dicts": [{"source": "P", "sign": "+", "target": "A"}],
    "words": ["P+A"],
    "text that is no list": "P -> A -> E",
    "text of a list cut off": '[["P", "+",',
}


@pytest.mark.parametrize("path", NO_CHAIN.values(), ids=NO_CHAIN)
def test_chains_that_are_none_are_refused(tmp_path: Path, path: object) -> None:
    gold = json_lines([gold_row("a"), gold_row("b", path=path)])
    ran = evaluate_pair(tmp_path, gold, TWO)
    check_refused(ran, "bad-gold-chain")
    assert "gold_chemical.jsonl:2, field 'path', sample 'b'" in ran.err


CHAINS = {
    "null": (None, None),
    "empty": ([], 0),
    "lone triple": (["P", "+", "A"], 1),
    "as text": ('[["P", "+", "A"], ["A", "-", "B"]]', 2),
    "empty as text": ("[]", 0),
    "signs as numbers": ([["P", 1, "A"], ["A", -1, "B"]], 2),
    "genes as numbers": ([[1, "+", 2]], 1),
}


@pytest.mark.parametrize(("path", "edge_n"), CHAINS.values(), ids=CHAINS)
def test_chains_in_other_shapes_are_read(tmp_path: Path, path: object, edge_n: int | None) -> None:
    gold = json_lines([gold_row("a"), gold_row("b", path=path)])
    ran = evaluate_pair(tmp_path, gold, TWO)
    check_counted(ran, {"scored": 2}, {"matched": 2})
    assert ran.samples()[1]["gold_edge_n"] == edge_n


@pytest.mark.parametrize("sign", ["??", "binds", None, float("nan"), "", 0.5])
def test_gold_signs_that_say_nothing_are_counted(tmp_path: Path, sign: object) -> None:
    gold = json_lines([gold_row("a"), gold_row("b", path=[["P", sign, "A"]])])
    ran = evaluate_pair(tmp_path, gold, TWO)
    check_counted(ran, {"scored": 2}, {"matched": 2})
    assert ran.summary["counts"]["unsigned_gold_edge_n"] == 1


FIELDS = ("pert", "gene", "cell_line", "pert_type", "perturbation_mode")


@pytest.mark.parametrize("value", [1.5, [1], ["P", "Q"], {}, True], ids=str)
@pytest.mark.parametrize("field", FIELDS)
def test_fields_of_a_wrong_type_are_refused(tmp_path: Path, field: str, value: object) -> None:
    gold = json_lines([gold_row("a"), gold_row("b", **{field: value})])
    ran = evaluate_pair(tmp_path, gold, TWO)
    check_refused(ran, "bad-field")
    assert f"gold_chemical.jsonl:2, field '{field}', sample 'b'" in ran.err


@pytest.mark.parametrize("value", [None, "", "  ", 7, " x "], ids=repr)
@pytest.mark.parametrize("field", FIELDS)
def test_fields_that_are_blank_or_numbers_are_read(
    tmp_path: Path, field: str, value: object
) -> None:
    gold = json_lines([gold_row("a"), gold_row("b", **{field: value})])
    check_counted(evaluate_pair(tmp_path, gold, TWO), {"scored": 2}, {"matched": 2})


def test_surrogates_in_every_field(tmp_path: Path) -> None:
    odd = "x\ud83d"
    fields = dict.fromkeys(FIELDS, odd) | {"path": [[odd, "+", "A"]], "extra": odd}
    ran = evaluate_pair(
        tmp_path, json_lines([gold_row("a"), gold_row("b", **fields)]), TWO, "--by", "extra"
    )
    check_counted(ran, {"scored": 2}, {"matched": 2})
    assert ran.summary["by_cell_line"].keys() == {"(none)", "x\\ud83d"}
    assert ran.samples()[1]["readout"] == "x\\ud83d"


# Slices


def test_a_field_named_twice_is_one_slice(tmp_path: Path) -> None:
    ran = evaluate_pair(tmp_path, GOLD, PREDICTIONS, "--by", "gene", "--by", "gene")
    assert ran.summary["by_gene"]["E"]["n"] == ROW_N


def test_slices_by_split_are_there_anyway(tmp_path: Path) -> None:
    ran = evaluate_pair(tmp_path, GOLD, PREDICTIONS, "--split", "pert_ood", "--by", "split")
    assert ran.summary["by_split"].keys() == {"pert_ood"}


def test_a_field_that_nobody_has_is_told(tmp_path: Path) -> None:
    ran = evaluate_pair(tmp_path, GOLD, PREDICTIONS, "--by", "nope")
    assert ran.codes == ["unknown-field"]
    assert "nope" in ran.err


@pytest.mark.parametrize("field", ["path", "id", "answer", "n"])
def test_slices_by_any_field(tmp_path: Path, field: str) -> None:
    ran = evaluate_pair(tmp_path, GOLD, PREDICTIONS, "--by", field)
    assert ran.code == 0
    assert sum(figures["n"] for figures in ran.summary[f"by_{field}"].values()) == ROW_N


# Training files


@pytest.mark.parametrize(("suffix", "code", "spoil"), BROKEN.values(), ids=BROKEN)
def test_broken_training_files_are_refused(
    tmp_path: Path, suffix: str, code: str, spoil: Spoil
) -> None:
    training = tmp_path / ("training.jsonl" + suffix)
    training.write_bytes(spoil(GOLD))
    ran = evaluate_pair(tmp_path, GOLD, PREDICTIONS, "--train-file", training)
    check_refused(ran, code)
    assert training.name in ran.err


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (PREDICTIONS, "unmapped-fields"),
        (GOLD[:-30], "bad-json"),
        (GOLD.replace(b'"down"', b'"dwn"', 1), "unknown-label"),
        (b"", "empty-file"),
        (b"id,answer\n1,up\n", "bad-json"),
    ],
    ids=["predictions", "torn", "label", "empty", "CSV"],
)
def test_spoilt_training_files_are_refused(tmp_path: Path, data: bytes, code: str) -> None:
    training = tmp_path / "training.jsonl"
    training.write_bytes(data)
    ran = evaluate_pair(tmp_path, GOLD, PREDICTIONS, "--train-file", training)
    check_refused(ran, code)
    assert training.name in ran.err


@pytest.mark.parametrize("spoil", HARMLESS.values(), ids=HARMLESS)
def test_odd_training_files_read_as_they_are_meant(tmp_path: Path, spoil: Spoil) -> None:
    training = tmp_path / "training.jsonl"
    training.write_bytes(spoil(GOLD))
    ran = evaluate_pair(tmp_path, GOLD, PREDICTIONS, "--train-file", training)
    all_well(ran)
    assert ran.summary["baselines"]["train_readout_majority"]["accuracy"] == 1
