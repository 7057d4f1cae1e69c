"""Tier 3 for cited evidence: a worked cosine, the slow one, and each reason for null."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.domain.rr10_columns import GO_FOCUS_NULL_REASONS
from eval_tiers.go.gene_sets import parse_gmt
from eval_tiers.go.gmt_table import GeneCase
from eval_tiers.tiers.go_focus import GoFocus
from tests.oracle import go
from tests.unit.go.samples import WORKED_GMT


def focus(gmt: bytes = WORKED_GMT, case: GeneCase = "keep") -> GoFocus:
    return GoFocus(parse_gmt(gmt, "toy.gmt", case)[0])


def one(found: GoFocus, anchor: str, genes: list[str]) -> tuple[float | None, str | None]:
    """Similarity and reason of one row; null as None."""
    values, reasons = found.similarity([anchor], [genes])
    value, reason = float(values[0]), int(reasons[0])
    return (
        None if math.isnan(value) else value,
        None if reason < 0 else GO_FOCUS_NULL_REASONS[reason],
    )


@pytest.mark.parametrize(
    ("anchor", "genes", "expected"),
    [
        ("B", ["C"], 0.6176),  # the worked number of the tier's definition
        ("C", ["B", "C"], 0.8758),
        ("B", ["C", "unheard of"], 0.6176),
        ("B", ["C", "C"], 0.6176),
        ("A", ["A"], 1.0),
        ("A", ["D"], 0.0),  # nothing in common is 0, not null
    ],
)
def test_worked_numbers(anchor: str, genes: list[str], expected: float) -> None:
    value, reason = one(focus(), anchor, genes)
    assert value == pytest.approx(expected, abs=5e-5)
    assert reason is None


def test_where_the_gene_is_a_set_its_members_are_the_anchor() -> None:
    for anchor, genes, expected in (("T2", ["B", "C"], 1.0), (" T2 ", ["C"], 0.8758)):
        value, reason = one(focus(), anchor, genes)
        assert value == pytest.approx(expected, abs=5e-5)
        assert reason is None


@pytest.mark.parametrize(
    ("anchor", "genes", "reason"),
    [
        ("nowhere", ["A"], "gene_unannotated"),
        ("nowhere", ["nor here"], "gene_unannotated"),  # the first reason that holds
        ("A", ["nowhere"], "mechanism_unannotated"),
        ("a", ["B"], "gene_unannotated"),  # another case is another gene
    ],
)
def test_reasons_for_null(anchor: str, genes: list[str], reason: str) -> None:
    assert one(focus(), anchor, genes) == (None, reason)


def test_a_profile_without_weight_has_no_cosine() -> None:
    everywhere = focus(b"T1\t\tA\tB\n")  # log(2/2) = 0
    assert one(everywhere, "A", ["B"]) == (None, "zero_weight")


def test_case_counts_unless_the_sets_were_upper_cased() -> None:
    sets = b"T1\t\tTrp53\tMdm2\nT2\t\tMdm2\tActb\n"
    assert one(focus(sets), "TRP53", ["Mdm2"])[1] == "gene_unannotated"
    assert one(focus(sets), "Trp53", ["MDM2"])[1] == "mechanism_unannotated"
    assert one(focus(sets), "Trp53", ["Mdm2"])[0] is not None
    assert one(focus(sets, "upper"), "trp53", ["mdm2"])[0] is not None


GENES = "ABCDEF"


@given(
    st.dictionaries(st.sampled_from(["T1", "T2", "T3"]), st.sets(st.sampled_from(GENES),
                    min_size=1), min_size=1),
    st.lists(st.tuples(st.sampled_from(GENES + "X"), st.lists(st.sampled_from(GENES + "YZ"),
             min_size=1, max_size=4)), min_size=1, max_size=5),
)  # fmt: skip
def test_slow_reading_agrees_and_rows_do_not_meet(
    terms: dict[str, set[str]], rows: list[tuple[str, list[str]]]
) -> None:
    text = "".join(f"{name}\t\t" + "\t".join(sorted(genes)) + "\n" for name, genes in terms.items())
    found = focus(text.encode())
    slow = go.GeneSets()
    for name, members in terms.items():
        slow.add(name, members)
    slow.index()
    values, reasons = found.similarity([anchor for anchor, _ in rows], [g for _, g in rows])
    for (anchor, genes), value, reason in zip(rows, values, reasons, strict=True):
        known = {gene for gene in genes if gene in slow.terms_of}
        expected = None
        if anchor in slow.terms_of and known:
            expected = go.cosine(slow.profile({anchor}), slow.profile(known))
        assert (reason < 0) == (expected is not None)
        assert np.isnan(value) == (expected is None)
        if expected is not None:
            assert value == pytest.approx(expected, abs=1e-9)
        assert one(found, anchor, genes)[0] == (None if expected is None else float(value))
