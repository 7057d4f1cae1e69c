"""Cells as numbers, and how near is near enough."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.submissions.numbers import NumberFault, is_near, parse_number, parse_whole
from eval_tiers.submissions.task import Tolerance


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("0", 0.0), ("-0.0", 0.0), ("+1.5", 1.5), (".5", 0.5), ("5.", 5.0), ("1e-3", 0.001),
        ("1E+2", 100.0), (" 2 ", 2.0), ("007", 7.0), ("1e-400", 0.0),
        ("1.7976931348623157e308", 1.7976931348623157e308),
    ],
)  # fmt: skip
def test_numbers(cell: str, value: float) -> None:
    assert parse_number(cell) == value


@pytest.mark.parametrize(
    "cell", ["nan", "NaN", "-nan", "inf", "-Inf", "+INFINITY", "1e309", "-1e999"]
)
def test_not_finite(cell: str) -> None:
    for parse in (parse_number, parse_whole):
        with pytest.raises(NumberFault) as fault:
            parse(cell)
        assert fault.value.code == "not_finite"


def test_many_digits() -> None:
    assert parse_whole("9" * 400) == 10**400 - 1
    with pytest.raises(NumberFault) as fault:
        parse_number("9" * 400)
    assert fault.value.code == "not_finite"


@pytest.mark.parametrize(
    "cell",
    [
        "", " ", "NA", "n/a", "null", "None", "abc", "0x10", "1_000", "1,5", "1.000,5", "\u22121.5",
        "\u0661", "\uff11", "1e", "e5", ".", "+", "--1", "1 2", "1\t", "\t1", "1\n", "\u00a01",
        "=1", "=1+1", "@1", "1%", "$1", "1/2", "true", "0b1", "1j", "infinite", "1.5f", "9" * 401,
    ],
)  # fmt: skip
def test_not_a_number(cell: str) -> None:
    for parse in (parse_number, parse_whole):
        with pytest.raises(NumberFault) as fault:
            parse(cell)
        assert fault.value.code == "not_a_number"
        assert len(fault.value.message) < 200


@pytest.mark.parametrize(("cell", "hint"), [("\u22121.5", "typographic"), ("1,5", "point")])
def test_hints(cell: str, hint: str) -> None:
    with pytest.raises(NumberFault) as fault:
        parse_number(cell)
    assert hint in fault.value.message


@pytest.mark.parametrize(
    ("cell", "value"),
    [("3", 3), ("+3", 3), ("-3", -3), ("3.0", 3), ("3.", 3), ("3e0", 3), ("30e-1", 3), (" 3", 3),
     ("9007199254740993", 2**53 + 1), ("9007199254740993.0", 2**53 + 1), ("1e22", 10**22)],
)  # fmt: skip
def test_whole_numbers(cell: str, value: int) -> None:
    found = parse_whole(cell)
    assert found == value and isinstance(found, int)


@pytest.mark.parametrize(
    "cell", ["3.5", "3.0000000000000000000001", "1e-1", "0.1", "1e-400", "9007199254740993.5"]
)
def test_not_integers(cell: str) -> None:
    with pytest.raises(NumberFault) as fault:
        parse_whole(cell)
    assert fault.value.code == "not_integer"


@pytest.mark.parametrize(
    ("cell", "reference", "rel", "abs_", "near"),
    [
        ("1.000001", 1.0, 1e-6, 0.0, True),  # exactly on the limit
        ("0.999999", 1.0, 1e-6, 0.0, True),
        ("1.00000100000001", 1.0, 1e-6, 0.0, False),
        ("-1.000001", -1.0, 1e-6, 0.0, True),
        ("1e-9", 0.0, 1e-6, 1e-9, True),
        ("1.0000001e-9", 0.0, 1e-6, 1e-9, False),
        ("1e-9", 0.0, 1e-6, 0.0, False),
        ("0.3", 0.1 + 0.2, 0.0, 0.0, False),  # the reference is 0.30000000000000004
        ("0.30000000000000004", 0.1 + 0.2, 0.0, 0.0, True),
        ("0.50", 0.5, 0.0, 0.0, True),
        ("101", 100.0, 0.01, 0.5, True),  # the larger of both counts: 1
        ("101.0001", 100.0, 0.01, 0.5, False),
        ("100.5", 100.0, 0.0, 0.5, True),
        ("1e308", -1e308, 1e-6, 1e-9, False),
        ("1.1", 1.0, 0.1, 0.0, True),
        ("0.9", 1.0, 0.1, 0.0, True),
    ],
)
def test_nearness(cell: str, reference: float, rel: float, abs_: float, near: bool) -> None:
    assert is_near(float(cell), cell, reference, Tolerance(rel, abs_)) is near


@given(
    st.decimals(-1000, 1000, places=6),
    st.decimals(-1000, 1000, places=6),
    st.sampled_from(["0", "0.001", "0.000001", "0.5"]),
    st.sampled_from(["0", "0.25", "0.000001"]),
)
def test_nearness_is_that_of_decimal_arithmetic(
    value: Decimal, reference: Decimal, rel: str, abs_: str
) -> None:
    allowed = max(Decimal(abs_), Decimal(rel) * abs(reference))
    tolerance = Tolerance(float(rel), float(abs_))
    found = is_near(float(value), str(value), float(reference), tolerance)
    assert found is (abs(value - reference) <= allowed)


@pytest.mark.parametrize(
    "cell", ["1_0", "\u0661", "1\t", "\n1", "1\u00a0", "infinity", "0x1p3", "1" * 401]
)
def test_what_only_python_takes_for_a_number(cell: str) -> None:
    with pytest.raises(NumberFault):
        parse_number(cell)
