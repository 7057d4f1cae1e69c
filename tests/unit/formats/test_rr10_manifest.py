"""Figures of a manifest, under many names, against the file."""

from __future__ import annotations

from typing import Any

import pytest

from eval_tiers.formats.rr10_rules.corpus import Corpus
from eval_tiers.formats.rr10_rules.manifest import ManifestCheck, PackageFile
from tests.unit.formats.rr10_items import DOWN, control, trap
from tests.unit.formats.test_rr10_rules import corpus_of

MANIFESTS: list[tuple[dict[str, Any], int, list[str]]] = [
    ({"n_items": 4, "traps": 2, "controls": 2, "pairs": 2, "contexts": 2, "datasets": 2,
      "provenance_rows": 8}, 7, []),
    ({"records": 5}, 1, ["records"]),
    ({"counts": {"total": 4, "fragility_trap": 3, "concordant_control": 2}}, 3,
     ["counts.fragility_trap"]),
    ({"item_types": {"fragility_traps": {"count": 3}}}, 1, ["item_types.fragility_traps.count"]),
    ({"labels": {"upregulated": 1, "downregulated": 1, "indeterminate": 1}}, 3,
     ["labels.indeterminate"]),
    ({"contexts": {"a::b": 2, "c::d": 3}}, 2, ["contexts.c::d"]),
    ({"contexts": {"a::b": {"items": 2, "traps": 2}}}, 2, ["contexts.a::b.traps"]),
    ({"contexts": [{"organism": "a", "tissue": "b", "n": 3}]}, 1, ["contexts.0.n"]),
    ({"contexts": ["a::b"]}, 1, ["contexts"]),
    ({"contexts": ["c::d", "a::b"]}, 1, []),
    ({"datasets": ["OSD-47", 168]}, 1, []),
    ({"datasets": [47, 48]}, 1, ["datasets"]),
    ({"osd_datasets": {"count": 2, "ids": ["OSD-47"]}}, 2, ["osd_datasets.ids"]),
    ({"provenance": {"rows": 9}}, 1, ["provenance.rows"]),
    ({"sha256": "a" * 64}, 1, []),
    ({"benchmark_sha256": "b" * 64, "schema_sha256": "c" * 64}, 2, ["benchmark_sha256"]),
    ({"files": {"benchmark.jsonl": "A" * 64, "schema.json": {"sha256": "d" * 64}}}, 2,
     ["files.schema.json.sha256"]),
    ({"files": [{"path": "benchmark.jsonl", "sha256": "a" * 64, "bytes": 11}]}, 2,
     ["files.0.bytes"]),
    ({"name": "RR-10 v1.0", "sha256": "a" * 64}, 1, []),
    ({"scoring": {"pairs": 77}, "seed": 3, "flag": True}, 0, []),
]  # fmt: skip


@pytest.mark.parametrize(("manifest", "checked_n", "wrong"), MANIFESTS, ids=lambda v: str(v)[:50])
def test_manifest(manifest: dict[str, Any], checked_n: int, wrong: list[str]) -> None:
    items = [trap(1, "a::b"), control(1, "a::b"), trap(2, "c::d"), control(2, "c::d", DOWN)]
    files = {"benchmark.jsonl": PackageFile("a" * 64, 10), "schema.json": PackageFile("c" * 64, 5)}
    check = ManifestCheck(corpus_of(items)[0], "benchmark.jsonl", files)
    faults = list(check.run(manifest))
    assert [(fault.code, fault.field) for fault in faults] == [
        ("manifest_mismatch", field) for field in wrong
    ]
    assert check.checked_n == checked_n


def test_manifest_names_a_file_that_is_not_there() -> None:
    check = ManifestCheck(Corpus(), "benchmark.jsonl", {})
    (fault,) = check.run({"files": {"scorer.py": "a" * 64}})
    assert fault.code == "manifest_file_missing"


def test_manifest_figures_that_say_nothing_are_listed() -> None:
    check = ManifestCheck(Corpus(), "b.jsonl", {})
    assert list(check.run({"build": {"seed": 3}})) == []
    assert check.unchecked == ["build.seed"]
