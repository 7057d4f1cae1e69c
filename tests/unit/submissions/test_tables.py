"""Tables against a reference, by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.submissions.codes import TABLE_CODES
from eval_tiers.submissions.csv_rows import TableFault
from eval_tiers.submissions.inspection import Check
from eval_tiers.submissions.recomputation import recompute, with_expectations
from eval_tiers.submissions.reference import ReferenceTable, build_reference
from eval_tiers.submissions.tables import check_table
from eval_tiers.submissions.task import ArtifactSpec, NumericColumn, Recomputation, Tolerance

TABLE = b"gene,n,log2fc,trend\nA,6,1.75,up\nB,6,-1.25,down\nC,4,0.5,up\n"
SPEC = ArtifactSpec(
    "r.csv", ("gene", "n", "log2fc", "trend"), ("gene",), 3,
    (NumericColumn("n", True, 0.0, 0.0), NumericColumn("log2fc")), ("trend",),
)  # fmt: skip
REFERENCE = build_reference([TABLE], SPEC)


def checked(data: bytes, reference: ReferenceTable = REFERENCE) -> list[Check]:
    failures, _ = check_table([data], SPEC, reference)
    assert failures.total >= len(failures.checks)
    return failures.checks


def found_in(data: bytes) -> list[tuple[str, int | None, str | None]]:
    return [(check.code, check.line, check.column) for check in checked(data)]


def test_the_reference_passes_itself() -> None:
    failures, rows_n = check_table([TABLE], SPEC, REFERENCE)
    assert failures.total == 0 and rows_n == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"A,6,1.75,up\nB,6,-1.25,down\n", b"B,6,-1.25,down\nA,6,1.75,up\n"),  # another order
        (b"1.75", b"1.75000175"),  # on the limit: 1.75e-6
        (b"1.75", b" 1.750 "),
        (b"1.75", b"175e-2"),
        (b"A,6,", b"A,6.0,"),
        (b"\n", b"\r\n"),
        (b"A,6,1.75", b'"A","6","1.75"'),
    ],
)
def test_what_is_the_same(old: bytes, new: bytes) -> None:
    assert found_in(TABLE.replace(old, new)) == []


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (b"gene,n,log2fc,trend", b"n,gene,log2fc,trend", [("header_mismatch", 1, None)]),
        (b"gene,n,log2fc,trend", b"Gene,n,log2fc,trend", [("header_mismatch", 1, None)]),
        (b"gene,n,log2fc,trend", b"gene,n,log2fc,trend,x", [("header_mismatch", 1, None)]),
        (b"gene,n,log2fc,trend", b"gene,n,log2fc", [("header_mismatch", 1, None)]),
        (b"gene,n,log2fc,trend", b"gene,n,log2fc,gene", [("header_mismatch", 1, None)]),
        (b"gene,n,log2fc,trend", b"gene, n,log2fc,trend", [("header_mismatch", 1, None)]),
        (b"gene,n,log2fc,trend\n", b"", [("header_mismatch", 1, None)]),
        (b"gene,n,log2fc,trend", b"gene;n;log2fc;trend", [("header_mismatch", 1, None)]),
        (b"A,6,1.75,up", b"A,6,1.75", [("row_length", 2, None), ("missing_key", None, None)]),
        (b"A,6,1.75,up", b"A,6,1.75,up,", [("row_length", 2, None), ("missing_key", None, None)]),
        (
            b"B,6", b"A,6",
            [("duplicate_key", 3, None), ("out_of_tolerance", 3, "log2fc"),
             ("text_mismatch", 3, "trend"), ("missing_key", None, None)],
        ),
        (b"A,6", b"a,6", [("unexpected_key", 2, None), ("missing_key", None, None)]),
        (b"A,6", b" A,6", [("unexpected_key", 2, None), ("missing_key", None, None)]),
        (b"C,4,0.5,up\n", b"", [("row_count", None, None), ("missing_key", None, None)]),
        (
            b"C,4,0.5,up\n", b"C,4,0.5,up\nD,1,1,up\n",
            [("unexpected_key", 5, None), ("row_count", None, None)],
        ),
        (
            b"C,4,0.5,up\n", b"C,4,0.5,up\nC,4,0.5,up\n",
            [("duplicate_key", 5, None), ("row_count", None, None)],
        ),
        (b"1.75", b"nan", [("not_finite", 2, "log2fc")]),
        (b"1.75", b"inf", [("not_finite", 2, "log2fc")]),
        (b"1.75", b"1e999", [("not_finite", 2, "log2fc")]),
        (b"1.75", b"", [("not_a_number", 2, "log2fc")]),
        (b"1.75", b"=1.75", [("not_a_number", 2, "log2fc")]),
        (b"A,6", b"A,6.5", [("not_integer", 2, "n")]),
        (b"A,6", b"A,7", [("out_of_tolerance", 2, "n")]),
        (b"A,6", b"A,nan", [("not_finite", 2, "n")]),
        (b"1.75", b"1.750002", [("out_of_tolerance", 2, "log2fc")]),
        (b"1.75", b"-1.75", [("out_of_tolerance", 2, "log2fc")]),
        (b"1.75,up", b"1.75,Up", [("text_mismatch", 2, "trend")]),
        (b"1.75", b"1.\xff", [("not_utf8", 2, None)]),
        (b"1.75", b"1.\0", [("nul_byte", 2, None)]),
        (b"A,6", b'"A,6', [("malformed_csv", 4, None)]),
    ],
)  # fmt: skip
def test_what_is_not(
    old: bytes, new: bytes, found: list[tuple[str, int | None, str | None]]
) -> None:
    assert old in TABLE
    assert found_in(TABLE.replace(old, new, 1)) == found


def test_an_empty_table() -> None:
    assert found_in(b"") == [("header_mismatch", 1, None)]


def test_cells_that_are_formulas_are_data() -> None:
    spec = ArtifactSpec("r.csv", ("k", "x"), ("k",), None, (NumericColumn("x"),))
    data = b'k,x\n=1+1,1\n@SUM(A1),2\n-x,3\n+y,+4\n"\tz",-5\n'
    failures, rows_n = check_table([data], spec, build_reference([data], spec))
    assert (failures.total, rows_n) == (0, 5)


def test_keys_of_two_columns_are_not_glued() -> None:
    spec = ArtifactSpec("r.csv", ("a", "b", "x"), ("a", "b"), None, (NumericColumn("x"),))
    reference = build_reference([b"a,b,x\nAB,C,1\nA,BC,2\n"], spec)
    failures, _ = check_table([b"a,b,x\nA,BC,2\nAB,C,1\n"], spec, reference)
    assert failures.total == 0
    failures, _ = check_table([b"a,b,x\nAB,C,2\nA,BC,1\n"], spec, reference)
    assert [check.code for check in failures.checks] == ["out_of_tolerance"] * 2


def test_twenty_are_kept_and_all_are_counted() -> None:
    rows = b"".join(b"G%d,1,0.5\n" % n for n in range(500))
    spec = ArtifactSpec(
        "r.csv", ("g", "n", "x"), ("g",), None,
        (NumericColumn("n", True, 0.0, 0.0), NumericColumn("x")),
    )  # fmt: skip
    reference = build_reference([b"g,n,x\n" + rows], spec)
    wrong = rows.replace(b",0.5", b",0.6").replace(b"G499,1", b"G499,x")
    failures, rows_n = check_table([b"g,n,x\n" + wrong], spec, reference)
    assert rows_n == 500 and failures.total == 501
    codes = [check.code for check in failures.checks]
    assert codes == ["out_of_tolerance"] * 20 + ["not_a_number"]


def test_a_flood_of_rows_is_not_read_to_the_end() -> None:
    pieces_n = 0

    def flood() -> Sequence[bytes]:
        nonlocal pieces_n
        pieces_n += 1
        return [TABLE.split(b"\n")[0] + b"\n"] + [b"X,1,1,up\n" * 1000] * 50

    failures, rows_n = check_table(flood(), SPEC, REFERENCE)
    assert rows_n == 104
    assert failures.has("row_count") and failures.has("unexpected_key")


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "header_mismatch", 1),
        (TABLE.replace(b"gene", b"symbol"), "header_mismatch", 1),
        (TABLE.replace(b"C,4", b"A,4"), "duplicate_key", 4),
        (TABLE.replace(b"1.75", b"nan"), "not_finite", 2),
        (TABLE.replace(b"1.75", b""), "not_a_number", 2),
        (TABLE.replace(b"A,6", b"A,6.5"), "not_integer", 2),
        (TABLE.replace(b",up\nB", b"\nB"), "row_length", 2),
        (TABLE.replace(b"C,4,0.5,up\n", b""), "row_count", None),
        (TABLE.replace(b"A", b"\xff"), "not_utf8", 2),
        (TABLE.replace(b"A", b'"A'), "malformed_csv", 4),
    ],
    ids=range(10),
)
def test_references_that_would_not_pass(data: bytes, code: str, line: int | None) -> None:
    with pytest.raises(TableFault) as fault:
        build_reference([data], SPEC)
    assert (fault.value.code, fault.value.line) == (code, line)


# ---- recomputation

OBSERVATIONS = b"""dataset,symbol,value
1,A,0.1
2,A,0.2
3,A,0.3
1,B,1e16
2,B,1
3,B,-1e16
1,C,-2.5
1,Z,7
"""
KEYED = ArtifactSpec("r.csv", ("gene", "x"), ("gene",), None, (NumericColumn("x"),))


def rule(function: str | None, value: str | None = "value", **more: object) -> Recomputation:
    return Recomputation(
        "x", source="o.csv", group_by=("symbol",), function=function, value=value,  # type: ignore[arg-type]
        **more,  # type: ignore[arg-type]
    )  # fmt: skip


def expected(made: Recomputation, data: bytes = OBSERVATIONS) -> list[float | None]:
    reference = build_reference([b"gene,x\nA,1\nB,1\nC,1\nD,1\n"], KEYED)
    return list(recompute([data], made, KEYED, reference).values)


def test_reductions_by_hand() -> None:
    assert expected(rule("count", None)) == [3, 3, 1, 0]
    assert expected(rule("sum")) == [0.6, 1.0, -2.5, None]  # rounded once
    assert expected(rule("mean")) == [0.6 / 3, 1 / 3, -2.5, None]
    assert expected(rule("min")) == [0.1, -1e16, -2.5, None]
    assert expected(rule("max")) == [0.3, 1e16, -2.5, None]


def test_count_of_a_column_leaves_blanks_out() -> None:
    data = b"symbol,value\nA,1\nA,\nA, \nB,NA\n"
    assert expected(rule("count"), data) == [1, 1, 0, 0]


def test_reductions_are_those_of_pandas() -> None:
    lines = [f"{'ABCD'[n % 4]},{math.sin(n) * 10 ** (n % 7)!r}" for n in range(400)]
    data = ("symbol,value\n" + "\n".join(lines) + "\n").encode()
    frame = pd.DataFrame([line.split(",") for line in lines], columns=["symbol", "value"])
    frame["value"] = frame["value"].astype(float)
    for function in ("count", "mean", "sum", "min", "max"):
        wanted = frame.groupby("symbol")["value"].agg(function)
        assert expected(rule(function), data) == pytest.approx(list(wanted), rel=1e-12)


def test_a_table_with_key_and_column() -> None:
    made = Recomputation("x", table="t.csv")
    assert expected(made, b"x,other,gene\n1.5,q,A\n2,q,C\n") == [1.5, None, 2.0, None]


@pytest.mark.parametrize(
    ("made", "data", "code"),
    [
        (rule("mean"), b"symbol,value\nA,NA\n", "not_a_number"),
        (rule("mean"), b"symbol,value\nA,\n", "not_a_number"),
        (rule("mean"), b"symbol,value\nA,inf\n", "not_finite"),
        (rule("sum"), b"symbol,value\nA,1e308\nA,1e308\n", "not_finite"),
        (rule("mean"), b"gene,value\nA,1\n", "header_mismatch"),
        (rule("mean"), b"symbol,v\nA,1\n", "header_mismatch"),
        (rule("mean"), b"symbol,value,value\nA,1,1\n", "header_mismatch"),
        (rule("mean"), b"symbol,value\nA\n", "row_length"),
        (rule("mean"), b"", "header_mismatch"),
        (Recomputation("x", table="t.csv"), b"gene,x\nA,1\nA,1\n", "duplicate_key"),
    ],
)
def test_observations_that_can_not_be_used(made: Recomputation, data: bytes, code: str) -> None:
    with pytest.raises(TableFault) as fault:
        expected(made, data)
    assert fault.value.code == code


def test_an_artifact_against_observations() -> None:
    spec = ArtifactSpec("r.csv", ("gene", "x"), ("gene",), None, (NumericColumn("x", rel=0.1),))
    reference = build_reference([b"gene,x\nA,0.2\nC,-2.5\n"], spec)
    made = recompute([OBSERVATIONS], rule("mean", tolerance=Tolerance(1e-6, 0.0)), spec, reference)
    both = with_expectations(reference, [made])
    failures, _ = check_table([b"gene,x\nA,0.2\nC,-2.5\n"], spec, both)
    assert failures.total == 0
    failures, _ = check_table([b"gene,x\nA,0.21\nC,-2.5\n"], spec, both)
    (check,) = failures.checks
    assert (check.code, check.line, check.column) == ("recomputation_mismatch", 2, "x")
    assert "the mean of 'value' in o.csv" in check.message
    failures, _ = check_table([b"gene,x\nA,0.5\nC,-2.5\n"], spec, both)
    assert [item.code for item in failures.checks] == ["out_of_tolerance", "recomputation_mismatch"]


# ---- any table


@given(st.permutations(TABLE.split(b"\n")[1:4]))
def test_the_order_of_rows_does_not_matter(rows: list[bytes]) -> None:
    assert found_in(b"\n".join([TABLE.split(b"\n")[0], *rows])) == []


@given(st.binary(max_size=120) | st.binary(max_size=80).map(lambda rest: TABLE[:23] + rest))
def test_any_bytes_fail_with_a_code(data: bytes) -> None:
    failures, _ = check_table([data], SPEC, REFERENCE)
    assert failures.total > 0
    assert {check.code for check in failures.checks} <= set(TABLE_CODES) | {"not_utf8", "nul_byte"}


@given(st.integers(0, len(TABLE) - 1), st.sampled_from(b'0123456789.,-e"\nABC\xff\0 x'))
def test_a_byte_that_is_changed_never_passes_unless_it_means_the_same(
    place: int, byte: int
) -> None:
    data = bytearray(TABLE)
    data[place] = byte
    frame = {row[0]: row for row in (line.split(",") for line in TABLE.decode().split("\n")[1:4])}
    if check_table([bytes(data)], SPEC, REFERENCE)[0].total:
        return
    rows = [line.split(",") for line in bytes(data).decode().split("\n")[1:4]]
    for gene, n, log2fc, trend in rows:
        _, wanted_n, wanted_log2fc, wanted_trend = frame[gene]
        assert int(float(n)) == int(wanted_n) and trend == wanted_trend
        assert float(log2fc) == pytest.approx(float(wanted_log2fc), rel=1.1e-6)
