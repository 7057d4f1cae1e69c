"""Numbers and texts of a row, or what is wrong with them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.formats.base import RecordFault, id_text


@dataclass(frozen=True, slots=True)
class NumbersBeside:
    """Numbers that the verdict doesn't need: unknown, with a finding, where they are bad."""

    record: Mapping[str, Any]
    ref: SourceRef
    findings: list[Finding]

    def number(
        self, name: str, low: float = -math.inf, high: float = math.inf, least: float = 0.0
    ) -> float | None:
        """Return a number within bounds, 0 or ``least`` from it; None where none can be used."""
        try:
            found = number_of(self.record, name)
            if found is not None and not low <= found <= high:
                span = f"{low:g} to {high:g}" if math.isfinite(high) else f"{low:g} or more"
                raise RecordFault(code_of(name), f"{name} is {found:g}, not {span}", name)
            if found and abs(found) < least:
                raise RecordFault(code_of(name), f"{name} is {found:g}, all but 0", name)
        except RecordFault as fault:
            self._tell(fault)
            return None
        return found

    def count(self, name: str) -> int | None:
        """Return a whole number from 0; None where there is none that can be used."""
        try:
            return count_of(self.record, name)
        except RecordFault as fault:
            self._tell(fault)
            return None

    def _tell(self, fault: RecordFault) -> None:
        where = replace(self.ref, field=fault.field)
        message = f"{fault.message}; taken as unknown"
        self.findings.append(Finding(fault.code, message, where, fix=fault.fix))


def sample_id_of(record: Mapping[str, Any], what: str, fix: str | None = None) -> str:
    """Return a record's sample_id as text; raise `RecordFault` where there is none, or no id."""
    try:
        found = id_text(record.get("sample_id"))
    except RecordFault as fault:
        raise RecordFault(fault.code, fault.message, "sample_id", fault.fix) from fault
    if found is None:
        raise RecordFault("no-sample-id", f"the {what} has no sample_id", "sample_id", fix)
    return found


def number_of(record: Mapping[str, Any], name: str) -> float | None:
    """Return a field's finite number, None where it is absent; raise `RecordFault` for others."""
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        message = f"{name} is {value!r:.40}, not a number"
        raise RecordFault(code_of(name), message, name, "write a number without quotes")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise RecordFault(code_of(name), f"{name} is not finite", name)
    return number


def count_of(record: Mapping[str, Any], name: str) -> int | None:
    """Return a field's whole number from 0, None where absent; raise `RecordFault` for others."""
    number = number_of(record, name)
    if number is None:
        return None
    if number < 0 or number != int(number):
        raise RecordFault(code_of(name), f"{name} is {number:g}, not a whole number from 0", name)
    return int(number)


def code_of(name: str) -> str:
    """Return the code of a field that can't be used."""
    return f"bad-{name.replace('_', '-')}"


def text_of(record: Mapping[str, Any], name: str) -> str | None:
    """Return a field's text, stripped; None for anything else."""
    value = record.get(name)
    return value.strip() or None if isinstance(value, str) else None
