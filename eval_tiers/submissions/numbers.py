"""Numbers as cells of a table write them, and whether one is near enough to another."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from eval_tiers.submissions.codes import NOT_A_NUMBER, NOT_FINITE, NOT_INTEGER
from eval_tiers.submissions.task import Tolerance

NUMBER_CHARACTERS: Final = 400
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE: Final = re.compile(r"[+-]?[0-9]+")
_NOT_FINITE: Final = re.compile(r"[+-]?(?:nan|inf(?:inity)?)", re.IGNORECASE)
_SHOWN: Final = 40


@dataclass
class NumberFault(Exception):
    """Why a cell is no number of the kind that is wanted."""

    code: str
    message: str


def shown(cell: str) -> str:
    """Return a cell in quotes for a message, cut where it is long.

    Examples
    --------
    >>> shown("a" * 50)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'"
    """
    return repr(cell if len(cell) <= _SHOWN else cell[:_SHOWN] + "...")


def parse_number(cell: str) -> float:
    """Return the finite number that a cell writes in decimal, blanks around it aside.

    No hexadecimal, no ``1_000`` or ``1,000``, no digits of other scripts.

    Raises
    ------
    NumberFault
        ``not_finite``: nan, inf or a number above 1.8e308; ``not_a_number``: anything else.

    Examples
    --------
    >>> parse_number(" -1.5e2")
    -150.0
    """
    if _is_plain(cell):
        try:
            value = float(cell)
        except ValueError:
            pass
        else:
            if math.isfinite(value):
                return value
    text = cell.strip(" ")
    if not _NUMBER.fullmatch(text) or len(text) > NUMBER_CHARACTERS:
        raise _no_number(text)
    value = float(text)
    if math.isinf(value):
        raise NumberFault(NOT_FINITE, f"{shown(text)} is too large for a number")
    return value


def _is_plain(cell: str) -> bool:
    """Whether what Python takes for a finite number is one here too."""
    return (
        cell.isascii() and "_" not in cell and len(cell) <= NUMBER_CHARACTERS
        and cell.strip() == cell
    )  # fmt: skip


def parse_whole(cell: str) -> int:
    """Return the whole number that a cell writes; ``3.0`` and ``3e0`` are 3.

    Raises
    ------
    NumberFault
        As `parse_number`, and ``not_integer``.

    Examples
    --------
    >>> parse_whole("12"), parse_whole("12.0")
    (12, 12)
    """
    if cell.isdigit() and cell.isascii() and len(cell) <= NUMBER_CHARACTERS:
        return int(cell)
    text = cell.strip(" ")
    if len(text) <= NUMBER_CHARACTERS and _WHOLE.fullmatch(text):
        return int(text)
    if parse_number(text).is_integer():
        exact = Decimal(text)  # the float may have lost the fraction
        if exact == exact.to_integral_value():
            return int(exact)
    raise NumberFault(NOT_INTEGER, f"{shown(text)} is not a whole number")


def is_near(value: float, cell: str, reference: float, tolerance: Tolerance) -> bool:
    """Whether |value - reference| <= max(abs, rel * |reference|).

    Parameters
    ----------
    value : float
        The number.
    cell : str
        As it was written: what falls on the limit is worked out in decimal.
    reference : float
    tolerance : Tolerance

    Examples
    --------
    >>> is_near(1.000001, "1.000001", 1.0, Tolerance(1e-6, 0.0))
    True
    >>> is_near(1.0000011, "1.0000011", 1.0, Tolerance(1e-6, 0.0))
    False
    """
    difference = abs(value - reference)
    limit = max(tolerance.abs, tolerance.rel * abs(reference))
    dust = 4 * math.ulp(max(abs(value), abs(reference)))
    if abs(difference - limit) > dust:
        return difference <= limit
    if difference == 0:
        return True
    exact = Decimal(repr(reference))
    allowed = max(Decimal(repr(tolerance.abs)), Decimal(repr(tolerance.rel)) * abs(exact))
    return abs(Decimal(cell.strip(" ")) - exact) <= allowed


def _no_number(text: str) -> NumberFault:
    if not text:
        return NumberFault(NOT_A_NUMBER, "the cell is blank")
    if _NOT_FINITE.fullmatch(text):
        return NumberFault(NOT_FINITE, f"{shown(text)} is not finite")
    hint = ""
    if "\u2212" in text:
        hint = ": the minus is a typographic one"
    elif "," in text:
        hint = ": decimals follow a point, and nothing stands between thousands"
    return NumberFault(NOT_A_NUMBER, f"{shown(text)} is not a number{hint}")
