"""What an item's fields say about each other: evidence, provenance, label, type."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from eval_tiers.domain.rr10 import CONTROL, TRAP
from eval_tiers.formats.rr10_rules.codes import Fault
from eval_tiers.formats.rr10_rules.contrasts import contrast_orientation, is_compound_contrast
from eval_tiers.formats.rr10_rules.fields import ID_PATTERN, ITEM_FIELDS
from eval_tiers.formats.rr10_rules.shapes import check_object, finite, shown

LOG2FC_TOLERANCE: Final = 1e-4
Q_TOLERANCE: Final = 5e-6
TYPE_OF_PREFIX: Final = {"FRAG": TRAP, "CTRL": CONTROL}
_SIGN_OF_LABEL: Final = {"upregulated": 1, "downregulated": -1}


def check_item(record: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield every fault of one item; what needs other items is left to `Corpus`.

    Parameters
    ----------
    record : mapping
        A JSON object; every field may be of any JSON type.

    Yields
    ------
    Fault
        First the shape of each field, then what fields say about each other. A rule whose fields
        aren't of the right type is passed over: that fault has been told already.

    Examples
    --------
    >>> [fault.code for fault in check_item({"id": 5})][:2]
    ['wrong_type', 'missing_field']
    """
    yield from check_object(record, ITEM_FIELDS)
    yield from _check_names(record)
    yield from _check_answers(record)
    placed = _placed_rows(record)
    rows = [row for _, row in placed]
    raw_evidence = record.get("evidence")
    evidence = raw_evidence if isinstance(raw_evidence, dict) else {}
    whole = bool(rows) and len(rows) == len(record["provenance"])
    changes = [finite(row.get("log2FC_SF_vs_GC")) for row in rows]
    signs = [(change > 0) - (change < 0) for change in changes if change is not None]
    if whole:
        yield from _check_datasets(evidence, [row.get("osd") for row in rows])
        yield from _check_extremes(evidence, changes, [finite(row.get("q")) for row in rows])
    known = signs if whole and len(signs) == len(rows) else None
    yield from _check_signs(record, evidence, known)
    for place, row in placed:
        yield from _check_contrast(row, f"provenance[{place}].")


def provenance_rows(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the provenance that are objects."""
    return [row for _, row in _placed_rows(record)]


def _placed_rows(record: Mapping[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    rows = record.get("provenance")
    if not isinstance(rows, list):
        return []
    return [(place, row) for place, row in enumerate(rows) if isinstance(row, dict)]


def id_parts(sample_id: object) -> tuple[str, str] | None:
    """Return prefix and number of a well-formed id.

    Examples
    --------
    >>> id_parts("OSDR-FRAG-00012"), id_parts("OSDR-FRAG-12")
    (('FRAG', '00012'), None)
    """
    if isinstance(sample_id, str) and re.fullmatch(ID_PATTERN, sample_id):
        return sample_id[5:9], sample_id[10:]
    return None


def _check_names(record: Mapping[str, Any]) -> Iterator[Fault]:
    parts, item_type = id_parts(record.get("id")), record.get("item_type")
    if parts is not None and item_type in (TRAP, CONTROL) and TYPE_OF_PREFIX[parts[0]] != item_type:
        yield Fault(
            "id_type_mismatch", f"the id says {TYPE_OF_PREFIX[parts[0]]}, item_type {item_type}",
            "item_type",
        )  # fmt: skip
    organism, tissue, context = (record.get(name) for name in ("organism", "tissue", "context"))
    if isinstance(organism, str) and isinstance(tissue, str) and isinstance(context, str):
        wanted = f"{organism}::{tissue}"
        if context != wanted:
            yield Fault("context_mismatch", f"context is {shown(context)}, not {shown(wanted)}",
                        "context")  # fmt: skip


def _check_answers(record: Mapping[str, Any]) -> Iterator[Fault]:
    expected, accept, reject = (record.get(name) for name in ("expected", "accept", "reject"))
    if not isinstance(expected, str):
        return
    if isinstance(accept, list) and accept and expected not in accept:
        yield Fault("expected_not_accepted", f"{shown(expected)} is not in accept", "accept")
    if isinstance(reject, list) and expected in reject:
        yield Fault("expected_rejected", f"{shown(expected)} is in reject", "reject")


def _check_datasets(evidence: Mapping[str, Any], osds: list[Any]) -> Iterator[Fault]:
    if not all(isinstance(osd, str) for osd in osds):
        return
    found = set(osds)
    number, datasets = finite(evidence.get("n_datasets")), evidence.get("datasets")
    if number is not None and number.is_integer() and number != len(found):
        yield Fault(
            "n_datasets_mismatch",
            f"evidence.n_datasets is {shown(evidence['n_datasets'])}; the provenance has "
            f"{len(found)}",
            "evidence.n_datasets",
        )
    if not isinstance(datasets, list) or not all(isinstance(osd, str) for osd in datasets):
        return
    stated = set(datasets)
    if datasets and stated != found:
        parts = []
        if found - stated:
            parts.append(f"lacks {_some(found - stated)}")
        if stated - found:
            parts.append(f"has {_some(stated - found)}, which the provenance has not")
        yield Fault("datasets_mismatch", "evidence.datasets " + " and ".join(parts),
                    "evidence.datasets")  # fmt: skip


def _some(names: set[str]) -> str:
    listed = ", ".join(shown(name) for name in sorted(names)[:5])
    return listed if len(names) <= 5 else f"{listed} and {len(names) - 5} more"


def _check_extremes(
    evidence: Mapping[str, Any], changes: list[float | None], qs: list[float | None]
) -> Iterator[Fault]:
    sizes = [abs(change) for change in changes if change is not None]
    known_q = [q for q in qs if q is not None]
    for name, code, pick, values, tolerance in (
        ("min_abs_log2FC", "min_abs_log2fc_mismatch", min, sizes, LOG2FC_TOLERANCE),
        ("max_abs_log2FC", "max_abs_log2fc_mismatch", max, sizes, LOG2FC_TOLERANCE),
        ("max_q", "max_q_mismatch", max, known_q, Q_TOLERANCE),
    ):
        stated = finite(evidence.get(name))
        if stated is None or len(values) < len(changes):
            continue
        found = pick(values)
        if not within(stated, found, tolerance):
            which = "smallest" if pick is min else "largest"
            what = "q" if name == "max_q" else "|log2FC|"
            yield Fault(
                code,
                f"evidence.{name} is {shown(evidence[name])}; the {which} {what} of the "
                f"provenance is {found!r}",
                f"evidence.{name}",
            )


def within(stated: float, found: float, tolerance: float) -> bool:
    """Whether two numbers differ by no more than the tolerance, spelt in decimals.

    Some units in the last place are allowed for: 1.2346 and 1.2345 are 1e-4 apart.

    Examples
    --------
    >>> within(1.2346, 1.2345, 1e-4), within(1.23461, 1.2345, 1e-4)
    (True, False)
    """
    spare = 4 * math.ulp(max(abs(stated), abs(found), tolerance))
    return abs(stated - found) <= tolerance + spare


def _check_signs(
    record: Mapping[str, Any], evidence: Mapping[str, Any], signs: list[int] | None
) -> Iterator[Fault]:
    """Check ``discordant``, the label by type, and the signs by label; None: not all are known."""
    stated = evidence.get("discordant")
    both = None if signs is None else 1 in signs and -1 in signs
    if isinstance(stated, bool) and both is not None and stated != both:
        found = "has" if both else "has not"
        yield Fault(
            "discordant_mismatch",
            f"evidence.discordant is {shown(stated)}; the provenance {found} both signs",
            "evidence.discordant",
        )
    item_type, expected = record.get("item_type"), record.get("expected")
    if item_type == TRAP:
        if isinstance(expected, str) and expected in _SIGN_OF_LABEL:
            yield Fault("trap_label", f"a fragility trap expects {shown(expected)}, not "
                        "'indeterminate'", "expected")  # fmt: skip
        if both is False or (both is None and stated is False):
            yield Fault("trap_not_discordant", "the evidence of a fragility trap is not discordant",
                        "provenance" if both is False else "evidence.discordant")  # fmt: skip
    elif item_type == CONTROL and isinstance(expected, str):
        if expected == "indeterminate":
            yield Fault("control_label", "a concordant control expects 'indeterminate', not up or "
                        "down", "expected")  # fmt: skip
        wanted = _SIGN_OF_LABEL.get(expected)
        if wanted is None:
            return
        for place, row in _placed_rows(record):
            change = finite(row.get("log2FC_SF_vs_GC"))
            if change is not None and (change > 0) - (change < 0) != wanted:
                at = f"provenance[{place}].log2FC_SF_vs_GC"
                yield Fault("control_sign", f"{at} is {shown(change)} in a control that expects "
                            f"{shown(expected)}", at)  # fmt: skip


def _check_contrast(row: Mapping[str, Any], path: str) -> Iterator[Fault]:
    contrast, sign = row.get("contrast"), row.get("orientation_sign_applied")
    if not isinstance(contrast, str):
        return
    if is_compound_contrast(contrast):
        yield Fault(
            "compound_contrast",
            f"more than flight differs in {path}contrast: {shown(contrast, 160)}",
            path + "contrast",
        )
    wanted = contrast_orientation(contrast)
    if finite(sign) in (1.0, -1.0) and wanted and sign != wanted:
        yield Fault(
            "orientation_contradicts_contrast",
            f"{path}orientation_sign_applied is {shown(sign)}; the contrast is "
            f"{shown(contrast, 160)}",
            path + "orientation_sign_applied",
        )
