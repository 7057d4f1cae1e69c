"""The rules of RR-10 on single items and on files, with hand-worked numbers."""

from __future__ import annotations

import pytest

from eval_tiers.formats.rr10_rules.codes import level_of
from eval_tiers.formats.rr10_rules.contrasts import contrast_orientation, is_compound_contrast
from eval_tiers.formats.rr10_rules.corpus import CANON, Corpus
from eval_tiers.formats.rr10_rules.item import check_item, within
from tests.unit.formats.rr10_items import (
    DOWN,
    UP,
    Item,
    control,
    item,
    like_canonical,
    row,
    spoilt,
    trap,
    without,
)


def codes(record: Item) -> list[str]:
    return [fault.code for fault in check_item(record)]


def test_sound_items_have_no_fault() -> None:
    assert codes(trap()) == []
    assert codes(control()) == []
    assert codes(control(label=DOWN)) == []
    assert [codes(each) for each in like_canonical()] == [[]] * 200


SPOILT: list[tuple[str, object, list[str]]] = [
    ("id", 7, ["wrong_type"]),
    ("id", "OSDR-FRAG-1", ["id_pattern"]),
    ("id", "OSDR-FRAG-00001\n", ["id_pattern"]),
    ("id", "OSDR-FRAG-०००००", ["id_pattern"]),
    ("id", "OSDR-CTRL-00001", ["id_type_mismatch"]),
    ("item_type", "trap", ["unknown_item_type"]),
    ("item_type", ["fragility_trap"], ["wrong_type"]),
    ("prompt", " \t", ["empty_text"]),
    ("gene", "", ["empty_text"]),
    ("gene", None, ["wrong_type"]),
    ("organism", "homo_sapiens", ["context_mismatch"]),
    ("context", "mus_musculus:liver", ["context_mismatch"]),
    ("expected", "unknown", ["unknown_label", "expected_not_accepted"]),
    ("expected", None, ["wrong_type"]),
    ("accept", [], ["empty_list"]),
    ("accept", ["unknown"], ["expected_not_accepted"]),
    ("accept", "indeterminate", ["wrong_type"]),
    ("accept", ["indeterminate", 3], ["wrong_type"]),
    ("reject", [], ["empty_list"]),
    ("reject", [UP, "indeterminate"], ["expected_rejected"]),
    ("reject", [UP, " "], ["empty_text"]),
    ("extra", 1, ["extra_field"]),
    ("evidence", None, ["wrong_type"]),
    ("evidence", [], ["wrong_type"]),
    ("evidence.note", "x", ["extra_field"]),
    ("evidence.n_datasets", 3, ["n_datasets_mismatch"]),
    ("evidence.n_datasets", 0, ["out_of_range", "n_datasets_mismatch"]),
    ("evidence.n_datasets", 2.5, ["wrong_type"]),
    ("evidence.n_datasets", True, ["wrong_type"]),
    ("evidence.datasets", ["OSD-47", "OSD-168", "OSD-47"], ["duplicate_dataset"]),
    ("evidence.datasets", ["OSD-47"], ["datasets_mismatch"]),
    ("evidence.datasets", ["OSD-47", "OSD-48"], ["datasets_mismatch"]),
    ("evidence.datasets", ["OSD-47", "GLDS-168"], ["osd_pattern", "datasets_mismatch"]),
    ("evidence.min_abs_log2FC", 1.2501, []),  # 1e-4 off
    ("evidence.min_abs_log2FC", 1.25011, ["min_abs_log2fc_mismatch"]),
    ("evidence.min_abs_log2FC", -1.25, ["out_of_range", "min_abs_log2fc_mismatch"]),
    ("evidence.max_abs_log2FC", 1.4999, []),
    ("evidence.max_abs_log2FC", 1.4998, ["max_abs_log2fc_mismatch"]),
    ("evidence.max_abs_log2FC", "1.5", ["wrong_type"]),
    ("evidence.max_q", 0.020005, []),  # 5e-6 off
    ("evidence.max_q", 0.0200051, ["max_q_mismatch"]),
    ("evidence.max_q", 1.5, ["out_of_range", "max_q_mismatch"]),
    ("evidence.max_q", float("nan"), ["not_finite"]),
    ("evidence.discordant", "true", ["wrong_type"]),
    ("evidence.discordant", 1, ["wrong_type"]),
    ("evidence.discordant", False, ["discordant_mismatch"]),
    ("provenance", [], ["empty_provenance"]),
    ("provenance", {}, ["wrong_type"]),
    ("provenance.0", 3, ["wrong_type"]),
    ("provenance.0.osd", "OSD-0", ["osd_pattern", "datasets_mismatch"]),
    ("provenance.0.osd", 47, ["wrong_type"]),
    ("provenance.0.q", "0.01", ["wrong_type"]),
    ("provenance.0.q", -0.01, ["out_of_range"]),
    ("provenance.0.q", float("inf"), ["not_finite"]),
    ("provenance.0.log2FC_SF_vs_GC", float("nan"), ["not_finite"]),
    ("provenance.0.log2FC_SF_vs_GC", 10**400, ["not_finite"]),
    ("provenance.0.log2FC_SF_vs_GC", None, ["wrong_type"]),
    ("provenance.0.log2FC_SF_vs_GC", -1.5, ["discordant_mismatch", "trap_not_discordant"]),
    ("provenance.0.contrast", "", ["empty_text"]),
    ("provenance.0.source_file", " ", ["empty_text"]),
    ("provenance.0.gene_id_column", "", ["empty_text"]),
    ("provenance.0.orientation_sign_applied", 0, ["orientation"]),
    ("provenance.0.orientation_sign_applied", True, ["wrong_type"]),
    ("provenance.0.orientation_sign_applied", -1, ["orientation_contradicts_contrast"]),
    ("provenance.0.contrast", "(Ground Control)v(Space Flight)",
     ["orientation_contradicts_contrast"]),
    ("provenance.0.contrast", "(Space Flight & 4 d)v(Ground Control & 8 d)", ["compound_contrast"]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "expected"), SPOILT, ids=lambda value: str(value)[:40])
def test_spoilt_trap(path: str, value: object, expected: list[str]) -> None:
    assert codes(spoilt(trap(), path, value)) == expected


@pytest.mark.parametrize("name", sorted(trap()))
def test_missing_field(name: str) -> None:
    found = [f for f in check_item(without(trap(), name)) if f.code == "missing_field"]
    assert [fault.field for fault in found] == [name]


@pytest.mark.parametrize("name", [f"evidence.{n}" for n in trap()["evidence"]]
                         + [f"provenance.1.{n}" for n in trap()["provenance"][1]])  # fmt: skip
def test_missing_nested_field_is_one_fault(name: str) -> None:
    (fault,) = check_item(without(trap(), name))
    assert fault.code == "missing_field"
    assert fault.field == name.replace(".1.", "[1].")


def test_trap_that_expects_a_direction() -> None:
    record = spoilt(spoilt(trap(), "expected", UP), "accept", [UP])
    record["reject"] = [DOWN]
    assert codes(record) == ["trap_label"]


def test_control_that_expects_no_direction() -> None:
    record = item("OSDR-CTRL-00001", "indeterminate", [row("OSD-1", 1.0)], "a::b")
    assert codes(record) == ["discordant_mismatch", "control_label"]


@pytest.mark.parametrize("change", [0.0, -0.5])
def test_control_with_a_row_that_is_zero_or_the_other_way(change: float) -> None:
    record = spoilt(control(), "provenance.1.log2FC_SF_vs_GC", change)
    record["evidence"]["min_abs_log2FC"] = abs(change)
    found = list(check_item(record))
    assert [fault.code for fault in found] == ["discordant_mismatch"] * (change < 0) + [
        "control_sign"
    ]
    assert found[-1].field == "provenance[1].log2FC_SF_vs_GC"


def test_rows_keep_their_place_beside_one_that_is_none() -> None:
    record = control()
    record["provenance"].insert(0, None)
    record["provenance"][2]["log2FC_SF_vs_GC"] = -1
    assert [(fault.code, fault.field) for fault in check_item(record)] == [
        ("wrong_type", "provenance[0]"),
        ("control_sign", "provenance[2].log2FC_SF_vs_GC"),
    ]


def test_one_dataset_twice_in_the_provenance_counts_once() -> None:
    rows = [row("OSD-1", 1.0), row("OSD-1", 2.0), row("OSD-4", 1.5)]
    assert codes(item("OSDR-CTRL-00001", UP, rows, "a::b")) == []


@pytest.mark.parametrize(
    ("stated", "found", "tolerance", "expected"),
    [(1.2346, 1.2345, 1e-4, True), (0.3, 0.3001, 1e-4, True), (12345.6789, 12345.679, 1e-4, True),
     (0.3, 0.30010001, 1e-4, False), (0.05, 0.050005, 5e-6, True), (0.05, 0.0500051, 5e-6, False),
     (1.0, 1.0001, 1e-4, True), (0.0, 1e-4, 1e-4, True)],
)  # fmt: skip
def test_tolerances_are_inclusive(
    stated: float, found: float, tolerance: float, expected: bool
) -> None:
    assert within(stated, found, tolerance) is expected
    assert within(found, stated, tolerance) is expected


@pytest.mark.parametrize(
    ("text", "orientation", "compound"),
    [
        ("(Space Flight)v(Ground Control)", 1, False),
        ("(SF)v(GC)", 1, False),
        ("(GC)v(FLT)", -1, False),
        ("(Spaceflight & Col-0 & root)v(Col-0 & Ground Control & root)", 1, False),
        ("(Space Flight & Col-0)v(Ground Control & Ler)", 1, True),
        ("(Space Flight & 4 day)v(Ground Control)", 1, True),
        ("(Flight & C57BL/6J)v(Basal Control & C57BL/6J)", 1, False),
        ("(Vivarium Control & male)v(Space Flight & male)", -1, False),
        ("(Basal & male)v(Flight & female)", -1, True),
        ("(Col-0)v(Ler)", 0, True),
        ("(Space Flight & A)v(Space Flight & B)", 0, True),
        ("flight vs ground", 1, False),
        ("flight, male vs ground, female", 1, False),
        ("(A)v(B)v(C)", 0, False),
        ("(Space Flight)", 0, False),
        ("", 0, False),
        ("(sfrp1)v(gcg)", 0, True),
    ],
)
def test_contrasts(text: str, orientation: int, compound: bool) -> None:
    assert contrast_orientation(text) == orientation
    assert is_compound_contrast(text) is compound


# Files


def corpus_of(items: list[Item]) -> tuple[Corpus, list[str]]:
    corpus, found = Corpus(), []
    for line, record in enumerate(items, 1):
        found += [fault.code for fault in corpus.add(record, line)]
    return corpus, found


def test_canonical_figures() -> None:
    """What the published description gives."""
    assert sum(CANON.label_n.values()) == sum(CANON.context_n.values()) == 2 * CANON.pair_n == 200
    assert (len(CANON.datasets), len(CANON.context_n), CANON.row_n) == (22, 6, 501)


def test_a_file_with_all_canonical_figures() -> None:
    corpus, found = corpus_of(like_canonical())
    faults = [*corpus.check_pairs(CANON), *corpus.check_counts(CANON),
              *corpus.check_canonical(CANON)]  # fmt: skip
    assert found == faults == []
    assert corpus.pair_n == 100


def test_one_item_less() -> None:
    corpus, _ = corpus_of(like_canonical()[:-1])
    (missing,) = corpus.check_pairs(CANON)
    assert missing.code == "pair_missing"
    assert missing.message == "1 of 100 pairs lack a half or both: 00100"
    assert [fault.code for fault in corpus.check_counts(CANON)] == [
        "record_count", "item_type_count"]  # fmt: skip
    assert [fault.code for fault in corpus.check_canonical(CANON)] == [
        "label_count", "context_count", "provenance_row_count"]  # fmt: skip
    (lone,) = corpus.check_pairs(None)
    assert (lone.code, lone.sample_id, lone.line) == ("pair_incomplete", "OSDR-FRAG-00100", 199)


def test_one_dataset_for_another() -> None:
    items = like_canonical()
    for record in items:
        for each in record["provenance"]:
            each["osd"] = "OSD-2" if each["osd"] == "OSD-1" else each["osd"]
    (fault,) = corpus_of(items)[0].check_canonical(CANON)
    assert fault.code == "dataset_set"
    assert fault.message.endswith("OSD-1, OSD-2")


def test_pair_contexts_and_duplicates() -> None:
    items = [trap(1), control(1, "mus_musculus::thymus"), trap(2), control(2), trap(2)]
    corpus, found = corpus_of(items)
    assert found == ["duplicate_id"]
    (fault,) = corpus.check_pairs(None)
    assert (fault.code, fault.sample_id, fault.line) == ("pair_context", "OSDR-CTRL-00001", 2)
    assert corpus.pair_n == 2


def test_levels() -> None:
    assert level_of("pair_missing") == "error"
    assert level_of("pair_incomplete") == "warning"
