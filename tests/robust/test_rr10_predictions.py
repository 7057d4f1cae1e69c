"""Answers to RR-10 in files as they come: odd, spoilt, made to be slow, of every wrong type."""

from __future__ import annotations

import csv
import io
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from eval_tiers.texts.citations import read_evidence
from eval_tiers.texts.claims import read_claim
from eval_tiers.texts.replies import read_reply
from tests.robust.rr10_samples import (
    ANSWERS,
    FIRST,
    ITEM_N,
    ITEMS,
    PREDICTIONS,
    all_right,
    evaluate_rr10,
    first_sample,
    raw_first,
    with_first,
)
from tests.robust.samples import Spoil, check_refused, json_lines
from tests.robust.spoilt import BROKEN, HARMLESS, NO_ROWS, PACKED

ID: Final = FIRST["id"]
GENE: Final = FIRST["gene"]
DATASET: Final = FIRST["provenance"][0]["osd"]
OTHERS: Final = ITEM_N - 1


@pytest.mark.parametrize("spoil", HARMLESS.values(), ids=HARMLESS)
def test_harmless(tmp_path: Path, spoil: Spoil) -> None:
    all_right(evaluate_rr10(tmp_path, spoil(PREDICTIONS)))


@pytest.mark.parametrize(("suffix", "spoil"), PACKED.values(), ids=PACKED)
def test_packed(tmp_path: Path, suffix: str, spoil: Spoil) -> None:
    all_right(evaluate_rr10(tmp_path, spoil(PREDICTIONS), name="model.jsonl" + suffix))


@pytest.mark.parametrize(("suffix", "code", "spoil"), BROKEN.values(), ids=BROKEN)
def test_broken(tmp_path: Path, suffix: str, code: str, spoil: Spoil) -> None:
    check_refused(evaluate_rr10(tmp_path, spoil(PREDICTIONS), name="m.jsonl" + suffix), code)


@pytest.mark.parametrize(("suffix", "spoil"), NO_ROWS.values(), ids=NO_ROWS)
def test_no_rows_are_told(tmp_path: Path, suffix: str, spoil: Spoil) -> None:
    ran = evaluate_rr10(tmp_path, spoil(PREDICTIONS), name="model.jsonl" + suffix)
    assert (ran.code, ran.codes) == (0, ["no-predictions"])
    assert ran.summary["invalid_reasons"]["missing"] == ITEM_N


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    check_refused(evaluate_rr10(tmp_path, tmp_path / "pipe"), "not-a-regular-file")
    check_refused(evaluate_rr10(tmp_path, tmp_path), "is-a-directory")
    check_refused(evaluate_rr10(tmp_path, tmp_path / "none"), "no-such-file", exit_code=4)


# Values of the answer

NO_LABEL: Final[dict[str, tuple[object, str]]] = {
    "null": (None, "missing"),
    "whole number": (1, "not_a_string"),
    "fraction": (0.5, "not_a_string"),
    "truth value": (True, "not_a_string"),
    "list": (["upregulated"], "not_a_string"),
    "object": ({"label": "up"}, "not_a_string"),
    "empty": ("", "blank"),
    "blank": (" \t\u00a0", "blank"),
    "surrogate": ("\ud83d", "not_a_label"),
    "NUL": ("up\0", "not_a_label"),
    "escape": ("\x1b[31m", "not_a_label"),
    "negated": ("not upregulated", "negated"),
    "both": ("up / down", "several_labels"),
    "unchanged": ("no change", "no_change"),
    "NaN": (float("nan"), "not_a_string"),
}


@pytest.mark.parametrize(("value", "reason"), NO_LABEL.values(), ids=NO_LABEL)
def test_no_label_has_a_reason(tmp_path: Path, value: object, reason: str) -> None:
    ran = evaluate_rr10(tmp_path, with_first(prediction=value))
    row = first_sample(ran)
    assert (row["predicted_label"], row["invalid_reason"]) == (None, reason)
    assert row["error_label"] == "PARSE_FAIL"
    assert ran.summary["accuracy_total"] == OTHERS / ITEM_N
    assert ran.ledger()["gold"] == {"scored": OTHERS, "parse_failure": 1}


def test_no_answer_at_all_is_told(tmp_path: Path) -> None:
    ran = evaluate_rr10(tmp_path, json_lines([{"id": i["id"], "label": None} for i in ITEMS]))
    assert (ran.code, ran.codes) == (0, ["no-valid-answer"])
    assert f"none of {ITEM_N} predictions" in ran.said
    assert f"missing {ITEM_N}" in ran.said


SLOW: Final = {
    "braces": "{" * 1_000_000,
    "open objects": '{"answer": ' * 100_000,
    "small objects": '{"a":1} ' * 100_000,
    "square brackets": "[" * 1_000_000,
    "tags": "<triplet>" * 200_000,
    "ends of thinking": "</think>" * 200_000,
    "cues": "not " * 200_000,
    "cues and labels": "not. increased " * 100_000,
    "negated phrases": "cannot determine " * 100_000,
    "slashes": "up/" * 200_000,
    "colons": ":" * 1_000_000,
}


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_no_text_is_slow_to_read(text: str) -> None:
    """Linear in its length: what is quadratic takes minutes here."""
    started = time.process_time()
    reply = read_reply(text, {"answer", "evidence"})
    read_claim(reply.answer)
    assert time.process_time() - started < 20


def test_an_answer_behind_many_braces_is_found() -> None:
    text = r"\frac{a}{b} " * 20_000 + '{"answer": "up"}'
    assert read_reply(text, {"answer"}).fields == {"answer": "up"}


# Evidence

CITED: Final = {"gene": GENE, "dataset": DATASET, "direction": "up"}
EVIDENCE: Final[dict[str, tuple[object, list[str]]]] = {
    "null": (None, []),
    "blank": (" ", []),
    "empty list": ([], []),
    "text": ("see the paper", ["MALFORMED"]),
    "number": (5, ["MALFORMED"]),
    "truth value": (True, ["MALFORMED"]),
    "empty object": ({}, ["MALFORMED"]),
    "list of null": ([None], ["MALFORMED"]),
    "list of list": ([[]], ["MALFORMED"]),
    "bare datasets": ([DATASET, DATASET], ["MALFORMED"]),
    "lists in an object": ({"gene": [GENE], "dataset": [DATASET]}, ["MALFORMED"]),
    "a lone object": (CITED, ["SUPPORTED"]),
    "a lone triple": ([GENE, "+", DATASET], ["SUPPORTED"]),
    "four parts": ([[GENE, "+", DATASET, "?"]], ["MALFORMED"]),
    "JSON in a text": (json.dumps([CITED]), ["SUPPORTED"]),
    "Python in a text": (str([CITED | {"q": None, "note": 'it\'s "so"'}]), ["SUPPORTED"]),
    "number for a dataset": ([CITED | {"dataset": 244}], ["MALFORMED"]),
    "dataset of 5,000 digits": ([CITED | {"dataset": "OSD-" + "9" * 5000}], ["NOT_IN_BENCHMARK"]),
    "Arabic digits": ([CITED | {"dataset": "OSD-٢٤٤"}], ["MALFORMED"]),
    "endless values": ([CITED | {"log2FC": "1e999", "q": "NaN"}], ["SUPPORTED"]),
    "a whole number of 400 digits": ([CITED | {"q": 10**400}], ["SUPPORTED"]),
    "a surrogate for a gene": ([CITED | {"gene": "\ud83d"}], ["NOT_IN_BENCHMARK"]),
    "NUL in a gene": ([CITED | {"gene": "a\0"}], ["NOT_IN_BENCHMARK"]),
    "nested 500 deep": (json.loads("[" * 500 + "]" * 500), ["MALFORMED"]),
    "a text nested too deep": ("[" * 20_000 + "]" * 20_000, ["MALFORMED"]),
    "keys in other case": ([{" GENE ": GENE, "OSD": DATASET, "Sign": "+"}], ["SUPPORTED"]),
}


def verdicts_of_first(ran: Any) -> list[str]:
    """Verdicts of the first item's citations."""
    import pyarrow.parquet as pq

    (path,) = ran.outputs.rglob("citations_*.parquet")
    rows = pq.read_table(path).to_pylist()
    return [row["verdict"] for row in rows if row["sample_id"] == ID]


@pytest.mark.parametrize(("evidence", "verdicts"), EVIDENCE.values(), ids=EVIDENCE)
def test_evidence_of_any_type(tmp_path: Path, evidence: object, verdicts: list[str]) -> None:
    ran = evaluate_rr10(tmp_path, with_first(evidence=evidence))
    row = first_sample(ran)
    assert verdicts_of_first(ran) == verdicts
    assert row["citation_n"] == len(verdicts)
    assert row["supported_n"] == verdicts.count("SUPPORTED")
    assert ran.summary["accuracy_total"] == 1


def test_constants_that_are_no_json_in_evidence(tmp_path: Path) -> None:
    row = json.dumps(ANSWERS[0] | {"evidence": [CITED | {"log2FC": float("nan")}, {"q": 1e999}]})
    assert "NaN" in row and "Infinity" in row
    ran = evaluate_rr10(tmp_path, raw_first(row))
    assert verdicts_of_first(ran) == ["SUPPORTED", "MALFORMED"]
    assert ran.summary["citation_verdicts"]["MALFORMED"] == 1  # strict JSON


@pytest.mark.parametrize("kind", ["datasets", "genes", "edges", "malformed", "repeats"])
def test_many_citations_in_one_row(tmp_path: Path, kind: str) -> None:
    n = 5_000
    evidence: list[object] = [
        {
            "datasets": [GENE, "+", f"OSD-{number + 1_000_000}"],
            "genes": [f"G{number}", "+", DATASET],
            "edges": [f"G{number}", "+", f"H{number}"],
            "malformed": f"x{number}",
            "repeats": [GENE, "+", DATASET],
        }[kind]
        for number in range(n)
    ]
    ran = evaluate_rr10(tmp_path, with_first(evidence=evidence))
    assert first_sample(ran)["citation_n"] == {"edges": 0, "repeats": 1}.get(kind, n)
    edges = ran.summary["mechanism_edges"]["no_kg_for_organism"]
    assert edges == (n if kind == "edges" else 0)


def test_hostile_texts_of_evidence() -> None:
    for text in ("[{'" * 50_000, "['" + "\\" * 200_000 + "{", "[{'a': " * 30_000, "{" * 200_000):
        assert read_evidence(text).given


# Ids and rows

IDS: Final[dict[str, tuple[object, str, str]]] = {
    "other case": (ID.lower(), "without_gold", "prediction-without-gold"),
    "whole number": (1, "without_gold", "prediction-without-gold"),
    "300 characters": ("x" * 300, "without_gold", "prediction-without-gold"),
    "surrogate": (ID + "\ud83d", "without_gold", "prediction-without-gold"),
    "zero width": (ID + "\u200b", "without_gold", "prediction-without-gold"),
    "formula": ("=1+1", "without_gold", "prediction-without-gold"),
    "other dashes": (ID.replace("-", "\u2013"), "without_gold", "prediction-without-gold"),
    "fraction": (1.0, "unreadable", "unreadable-prediction"),
    "list": ([ID], "unreadable", "unreadable-prediction"),
    "object": ({}, "unreadable", "unreadable-prediction"),
    "truth value": (True, "unreadable", "unreadable-prediction"),
    "null": (None, "no_id", "prediction-without-id"),
    "blank": ("  ", "no_id", "prediction-without-id"),
}


@pytest.mark.parametrize(("sample_id", "bucket", "code"), IDS.values(), ids=IDS)
def test_ids_that_no_item_has(tmp_path: Path, sample_id: object, bucket: str, code: str) -> None:
    ran = evaluate_rr10(tmp_path, with_first(id=sample_id))
    assert (ran.code, ran.codes) == (0, [code])
    assert ran.ledger() == {
        "gold": {"scored": OTHERS, "missing_prediction": 1},
        "predictions": {"matched": OTHERS, bucket: 1},
    }
    assert ran.summary["accuracy_total"] == OTHERS / ITEM_N
    assert "model.jsonl:1\n" in ran.err


def test_the_case_of_an_id_is_hinted_at(tmp_path: Path) -> None:
    assert "differs only in case" in evaluate_rr10(tmp_path, with_first(id=ID.lower())).said


def test_blanks_around_an_id_do_not_count(tmp_path: Path) -> None:
    all_right(evaluate_rr10(tmp_path, with_first(id=f" \u00a0{ID}\t")))


def test_duplicates(tmp_path: Path) -> None:
    data = json_lines([*ANSWERS, ANSWERS[0] | {"prediction": "upregulated"}])
    ran = evaluate_rr10(tmp_path, data)
    check_refused(ran, "duplicate-id")
    assert f"lines 1 and {ITEM_N + 1}" in ran.said
    for options, right in (
        (["--duplicates", "first"], ITEM_N),
        (["--duplicates", "last"], OTHERS),
        (["--rr10-compat"], OTHERS),
    ):
        ran = evaluate_rr10(tmp_path, data, *options)
        assert ran.ledger()["predictions"] == {"matched": ITEM_N, "duplicate_dropped": 1}
        assert ran.summary["accuracy_total"] == right / ITEM_N


def test_rollouts(tmp_path: Path) -> None:
    rows = [row | {"rollout": number} for row in ANSWERS for number in range(3)]
    ran = evaluate_rr10(tmp_path, json_lines(rows))
    assert ran.ledger()["predictions"] == {"matched": 3 * ITEM_N}
    assert ran.summary["accuracy_total"] == 1


def test_one_rollout_given_twice(tmp_path: Path) -> None:
    twice = json_lines([row | {"rollout": "a"} for row in ANSWERS[:1] * 2])
    check_refused(evaluate_rr10(tmp_path, twice), "duplicate-id")


UNREADABLE: Final = {
    "torn": '{"id": "' + ID,
    "key given twice": f'{{"id": "{ID}", "prediction": "up", "prediction": "down"}}',
    "NUL": f'{{"id": "{ID}\0"}}',
    "nested too deep": f'{{"id": "{ID}", "evidence": {"[" * 90_000 + "]" * 90_000}}}',
    "a text": f'"{ID}"',
    "number of 5,000 digits": f'{{"id": "{ID}", "prediction": {"9" * 5_000}}}',
    "two records": f'{{"id": "{ID}"}}{{"id": "x"}}',
}


@pytest.mark.parametrize("row", UNREADABLE.values(), ids=UNREADABLE)
def test_a_row_that_cant_be_read_is_counted(tmp_path: Path, row: str) -> None:
    ran = evaluate_rr10(tmp_path, raw_first(row))
    assert (ran.code, ran.codes) == (0, ["unreadable-prediction"])
    assert ran.ledger()["predictions"] == {"matched": OTHERS, "unreadable": 1}
    assert ran.summary["accuracy_total"] == OTHERS / ITEM_N
    assert "model.jsonl:1\n" in ran.err


WITHOUT: Final = {
    "no ids": ([{"prediction": "up"}], "ids-on-one-side"),
    "another name for ids": ([{"item": ID, "prediction": "up"}], "ids-on-one-side"),
    "no answers": ([{"id": ID, "says": "up"}], "unmapped-fields"),
    "names in other case": ([{"ID": ID, "Prediction": "up"}] * 2, "unmapped-fields"),
}


@pytest.mark.parametrize(("rows", "code"), WITHOUT.values(), ids=WITHOUT)
def test_fields_that_are_not_there(tmp_path: Path, rows: list[Any], code: str) -> None:
    ran = evaluate_rr10(tmp_path, json_lines(rows))
    check_refused(ran, code)
    assert "  fix: " in ran.err


# Tables


def table(kind: str, head: str = "", encoding: str = "utf-8", **layout: Any) -> bytes:
    """The answers as a table; evidence as JSON, or as a data frame writes a list."""
    write: Callable[[object], str] = json.dumps if kind == "json" else str
    out = io.StringIO(newline="")
    writer = csv.writer(out, **layout)
    writer.writerow(["id", "prediction", "evidence"])
    writer.writerows([row["id"], row["prediction"], write(row["evidence"])] for row in ANSWERS)
    return (head + out.getvalue()).encode(encoding)


TABLES: Final = {
    "CSV": table("json"),
    "lists in Python's spelling": table("python"),
    "BOM and semicolons": table("json", "\ufeff", delimiter=";"),
    "Excel": table("json", "sep=;\r\n", delimiter=";"),
    "tabs": table("python", delimiter="\t"),
    "bars": table("json", delimiter="|"),
    "CR": table("json", lineterminator="\r"),
    "all quoted": table("python", quoting=csv.QUOTE_ALL),
    "blanks in the header": table("json").replace(b"id,prediction", b" ID , Prediction ", 1),
    "R's row names": table("json", lineterminator="\n")
    .replace(b"OSDR", b'"1",OSDR')
    .replace(b"id,", b'"",id,', 1),
}  # fmt: skip


@pytest.mark.parametrize("data", TABLES.values(), ids=TABLES)
def test_tables_read_alike(tmp_path: Path, data: bytes) -> None:
    all_right(evaluate_rr10(tmp_path, data, name="model.csv"))


BAD_TABLES: Final = {
    "UTF-16": (table("json", encoding="utf-16"), "not-utf8"),
    "UTF-16 without a mark": (table("json", encoding="utf-16-le"), "not-utf8"),
    "open quote": (table("json") + b'"x,up\r\n', "unclosed-quote"),
    "wrong sep=": (table("json", "sep=;\r\n"), "no-header"),
    "row names alone": (b",prediction\n1,up\n2,down\n", "no-id-column"),
    "no header": (table("json").partition(b"\n")[2], "no-header"),
    "a name twice": (b"id,prediction,prediction\nx,up,down\n", "repeated-column"),
    "ids alone": (f"id\n{ID}\n".encode(), "unmapped-fields"),
}


@pytest.mark.parametrize(("data", "code"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_tables_that_are_refused(tmp_path: Path, data: bytes, code: str) -> None:
    ran = evaluate_rr10(tmp_path, data, name="model.csv")
    check_refused(ran, code)
    assert "  fix: " in ran.err


def test_na_is_no_label(tmp_path: Path) -> None:
    rows = [f"{row['id']},NA,{row['prediction']}\n" for row in ANSWERS]
    ran = evaluate_rr10(tmp_path, ("id,prediction,label\n" + "".join(rows)).encode(), name="m.csv")
    assert (ran.code, ran.summary["accuracy_total"]) == (0, 1)
    rows = [f"{row['id']},nan\n" for row in ANSWERS]
    ran = evaluate_rr10(tmp_path, ("id,prediction\n" + "".join(rows)).encode(), name="m.csv")
    assert ran.codes == ["no-valid-answer"]


# The wrong file


def test_the_benchmark_in_place_of_predictions(tmp_path: Path) -> None:
    ran = evaluate_rr10(tmp_path, json_lines(ITEMS))
    assert (ran.code, ran.codes) == (0, ["no-valid-answer"])


def test_predictions_in_place_of_the_benchmark(tmp_path: Path) -> None:
    ran = evaluate_rr10(tmp_path, json_lines(ITEMS), gold=PREDICTIONS)
    check_refused(ran, "unknown-label", error_n=ITEM_N)
    assert "benchmark.jsonl:1, field 'expected'" in ran.err
