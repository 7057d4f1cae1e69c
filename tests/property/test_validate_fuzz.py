"""``validate`` never fails with anything but its own errors, whatever is in a field or a file."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.exceptions import BadInputError
from eval_tiers.formats.rr10_rules.codes import level_of
from eval_tiers.formats.rr10_rules.corpus import CANON, Corpus
from eval_tiers.formats.rr10_rules.item import check_item
from eval_tiers.formats.rr10_rules.manifest import ManifestCheck, PackageFile
from eval_tiers.io.atomic import render_json
from eval_tiers.io.validation.check import ASKED_KINDS, check_path
from tests.unit.formats.rr10_items import control, json_lines, trap

NUMBERS = st.integers() | st.floats() | st.sampled_from([0, 1, -1, 0.5, 1e-4, 10**400])
TEXTS = st.text() | st.sampled_from(
    ["OSD-1", "OSDR-FRAG-00001", "OSDR-CTRL-00001", "indeterminate", "upregulated",
     "fragility_trap", "concordant_control", "(GC)v(SF)", "(a & b)v(c)", "a::b"]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    found = [path] if path else []
    if isinstance(value, (dict, list)):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            found += places(inner, (*path, key))
    return found


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    """A sound item with some values changed, taken out or put in."""
    record = copy.deepcopy(draw(st.sampled_from([trap(1), control(1)])))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(places(record)))
        holder: Any = record
        for key in path[:-1]:
            holder = holder[key]
        if draw(st.booleans()):
            holder[path[-1]] = draw(VALUES)
        elif isinstance(holder, dict):
            del holder[path[-1]]
            holder[draw(TEXTS)] = draw(VALUES)
        else:
            holder.append(draw(VALUES))
        if not record:
            break
    return record


RECORDS = mutated() | st.dictionaries(st.sampled_from([*trap(), "x"]) | TEXTS, VALUES, max_size=13)


@given(st.lists(RECORDS, max_size=4))
def test_rules_take_any_record(records: list[dict[str, Any]]) -> None:
    corpus = Corpus()
    faults = []
    for line, record in enumerate(records, 1):
        faults += [*check_item(record), *corpus.add(record, line)]
    for canon in (None, CANON):
        faults += corpus.check_pairs(canon)
    faults += [*corpus.check_counts(CANON), *corpus.check_canonical(CANON)]
    assert corpus.record_n == len(records)
    for fault in faults:
        assert level_of(fault.code) in ("error", "warning")
        assert fault.message and len(fault.message) < 1_000


@given(RECORDS)
def test_an_item_without_fault_has_all_that_scoring_reads(record: dict[str, Any]) -> None:
    if not [f for f in check_item(record) if level_of(f.code) == "error"]:
        assert record["context"] == f"{record['organism']}::{record['tissue']}"
        signs = {(row["log2FC_SF_vs_GC"] > 0) - (row["log2FC_SF_vs_GC"] < 0)
                 for row in record["provenance"]}  # fmt: skip
        wanted = {"upregulated": {1}, "downregulated": {-1}}
        assert signs == wanted.get(record["expected"], signs)
        assert ({1, -1} <= signs) == (record["item_type"] == "fragility_trap")


@given(VALUES)
def test_a_manifest_takes_any_value(value: object) -> None:
    corpus = Corpus()
    list(corpus.add(trap(), 1))
    check = ManifestCheck(corpus, "b.jsonl", {"b.jsonl": PackageFile("a" * 64, 1)})
    for fault in check.run({"items": value, "datasets": value, "contexts": value, "files": value}):
        assert level_of(fault.code) in ("error", "warning")


FILES = st.one_of(
    st.binary(),
    st.lists(RECORDS, max_size=3).map(json_lines),
    st.tuples(st.binary(max_size=9), st.integers(0, 3000)).map(
        lambda spoil: json_lines([trap(), control()])[: spoil[1]] + spoil[0]
    ),
    st.lists(VALUES, max_size=3).map(
        lambda values: "".join(json.dumps(value) + "\n" for value in values).encode()
    ),
    VALUES.map(lambda value: json.dumps(value, indent=1).encode()),
)


@given(FILES, st.sampled_from([None, *ASKED_KINDS]), st.booleans())
def test_any_file_gives_an_outcome_or_an_error_of_ours(
    data: bytes, kind: str | None, skip_hash: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "b.jsonl"
        path.write_bytes(data)
        try:
            outcome = check_path(path, kind, skip_hash)
        except BadInputError:
            return
        render_json(outcome.as_dict())
        assert outcome.ok == (outcome.as_dict()["errors"] == [])
