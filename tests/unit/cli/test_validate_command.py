"""``validate``: text, JSON, exit codes, kinds, packages."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from eval_tiers.exceptions import BadInputError
from eval_tiers.io.validation import outcome as outcomes
from eval_tiers.io.validation.check import check_path
from tests.robust.samples import Ran, run_command
from tests.unit.formats.rr10_items import (
    canon_of,
    control,
    json_lines,
    like_canonical,
    spoilt,
    trap,
)
from tests.unit.kg.samples import shared_file

MINE = [trap(1), control(1), trap(2, "a::b"), control(2, "a::b")]
KEYS = ["ok", "sha256", "records", "errors", "warnings", "contexts", "provenance_rows"]


def written(folder: Path, data: bytes, name: str = "b.jsonl") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def validated(path: Path, *options: str) -> tuple[Ran, dict[str, Any]]:
    ran = run_command("validate", path, "--json", *options)
    return ran, json.loads(ran.out) if ran.out else {}


def test_text_of_a_sound_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = json_lines(MINE)
    written(tmp_path, data)
    ran = run_command("validate", "b.jsonl", "--skip-hash")
    assert (ran.code, ran.err) == (0, "")
    assert (
        ran.out
        == f"""\
path           b.jsonl
taken for      a benchmark in RR-10's format (JSON Lines)
sha256         {hashlib.sha256(data).hexdigest()}
               not the canonical file
records                 4
item types              2  fragility_trap
                        2  concordant_control
labels                  2  upregulated
                        0  downregulated
                        2  indeterminate
contexts                2
                        2  mus_musculus::liver
                        2  a::b
provenance              8  rows
datasets                2
pairs                   2  complete
Valid: 0 errors, 0 warnings. Next: eval-tiers eval --format rr10 --gt-file
  b.jsonl --pred-file ...
"""
    )


def test_json_of_a_sound_file(tmp_path: Path) -> None:
    ran, found = validated(written(tmp_path, json_lines(MINE)), "--skip-hash")
    assert ran.code == 0
    assert list(found) == KEYS
    assert (found["ok"], found["records"], found["provenance_rows"]) == (True, 4, 8)
    assert found["contexts"] == {"a::b": 2, "mus_musculus::liver": 2}
    assert found["errors"] == found["warnings"] == []
    assert ran.err == "Note: taken for a benchmark in RR-10's format (JSON Lines)\n"


def test_findings_have_id_line_code_and_words(tmp_path: Path) -> None:
    items = [*MINE[:3], spoilt(MINE[3], "provenance.0.q", 2)]
    ran, found = validated(written(tmp_path, json_lines(items)), "--skip-hash")
    assert ran.code == 1
    assert found["errors"][0] == {
        "id": "OSDR-CTRL-00002", "line": 4, "code": "out_of_range",
        "error": "provenance[0].q is 2, above 1",
    }  # fmt: skip
    text = run_command("validate", tmp_path / "b.jsonl", "--skip-hash").out
    assert "Error: [out_of_range] line 4, OSDR-CTRL-00002\n  provenance[0].q is 2, above 1" in text


def test_a_warning_alone_is_valid(tmp_path: Path) -> None:
    contrast = "(Space Flight & 4 d)v(Ground Control & 8 d)"
    items = [spoilt(MINE[0], "provenance.0.contrast", contrast), *MINE[1:3]]
    ran, found = validated(written(tmp_path, json_lines(items)), "--skip-hash")
    assert (ran.code, found["ok"], found["errors"]) == (0, True, [])
    assert [(w["code"], w["id"], w["line"]) for w in found["warnings"]] == [
        ("compound_contrast", "OSDR-FRAG-00001", 1), ("pair_incomplete", "OSDR-FRAG-00002", 3),
    ]  # fmt: skip


def test_without_skip_hash_it_has_to_be_the_canonical_file(tmp_path: Path) -> None:
    ran, found = validated(written(tmp_path, json_lines(MINE)))
    assert ran.code == 1
    assert [error["code"] for error in found["errors"]] == [
        "hash_mismatch", "pair_missing", "record_count", "item_type_count"]  # fmt: skip
    text = " ".join(run_command("validate", tmp_path / "b.jsonl").out.split())
    assert text.endswith(f"eval-tiers validate {tmp_path}/b.jsonl --skip-hash")


def test_all_figures_but_not_the_hash(tmp_path: Path) -> None:
    path = written(tmp_path, json_lines(like_canonical()))
    _, found = validated(path)
    assert [error["code"] for error in found["errors"]] == ["hash_mismatch"]
    assert (found["records"], found["provenance_rows"]) == (200, 501)


def test_canonical_hash(tmp_path: Path) -> None:
    """With the hash comes all that is published about the file, even with --skip-hash."""
    data = json_lines(like_canonical())
    path = written(tmp_path, data)
    assert check_path(path, canon=canon_of(data)).ok
    less = json_lines(like_canonical()[:-2])
    for skip_hash in (False, True):
        outcome = check_path(written(tmp_path, less), skip_hash=skip_hash, canon=canon_of(less))
        assert [finding.code for finding in outcome.findings] == [
            "pair_missing", "record_count", "item_type_count", "label_count", "label_count",
            "context_count", "provenance_row_count",
        ]  # fmt: skip


def test_a_compressed_file_is_hashed_by_what_is_in_it(tmp_path: Path) -> None:
    data = json_lines(like_canonical())
    path = written(tmp_path, gzip.compress(data), "b.jsonl.gz")
    outcome = check_path(path, canon=canon_of(data))
    assert outcome.ok
    assert outcome.sha256 == hashlib.sha256(data).hexdigest()
    assert [finding.code for finding in outcome.of_level("note")] == ["compressed"]


def test_list_of_findings_is_cut_and_counted(tmp_path: Path) -> None:
    data = b'{"id": 1, "item_type": 2, "provenance": 3}\n' * 4
    path = written(tmp_path, data)
    short = run_command("validate", path, "--skip-hash").out
    assert short.count("Error: [") == 20
    assert "... and 28 errors more; --all lists them" in short  # 9 missing and 3 wrong types each
    assert "36  missing_field" in short and "12  wrong_type" in short
    assert run_command("validate", path, "--skip-hash", "--all").out.count("Error: [") == 48


def test_counts_are_right_beyond_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcomes, "MAX_KEPT", 5)
    path = written(tmp_path, json_lines(MINE) + b"[1]\n" * 12)
    _, found = validated(path, "--skip-hash")
    assert len(found["errors"]) == 6
    assert found["errors"][-1] == {
        "id": None, "line": None, "code": "not_listed", "error": "7 more are counted, not listed",
    }  # fmt: skip
    text = run_command("validate", path, "--skip-hash", "--all").out
    assert "... and 7 errors more, not kept" in text
    assert "12  not_an_object" in text


def test_lines_fit_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    long = spoilt(spoilt(MINE[0], "id", "x" * 300), "context", "c" * 300)
    written(tmp_path, json_lines([long, *MINE, spoilt(MINE[0], "accept", ["y" * 400])]))
    for options in ([], ["--skip-hash"], ["--all"]):
        out = run_command("validate", "b.jsonl", *options).out
        assert max(map(len, out.split("\n"))) <= 80


# Packages


def package(folder: Path, manifest: object = None, data: bytes | None = None) -> Path:
    data = json_lines(MINE) if data is None else data
    written(folder, data, "benchmark.jsonl")
    written(folder, data, "benchmark_JSONL_PAYLOAD.md")
    written(folder, b'{"required": ["id", "prompt"]}', "schema.json")
    if manifest is None:
        manifest = {
            "sha256": hashlib.sha256(data).hexdigest(), "n_items": 4,
            "item_types": {"fragility_trap": 2, "concordant_control": 2}, "pairs": 2,
            "provenance_rows": 8, "datasets": ["OSD-47", "OSD-168"],
            "contexts": {"mus_musculus::liver": 2, "a::b": 2},
        }  # fmt: skip
    written(folder, json.dumps(manifest).encode(), "manifest.json")
    return folder


def test_package(tmp_path: Path) -> None:
    ran, found = validated(package(tmp_path), "--skip-hash")
    assert (ran.code, list(found), found["records"]) == (0, KEYS, 4)
    text = run_command("validate", tmp_path, "--skip-hash").out
    assert "benchmark_JSONL_PAYLOAD.md: the same bytes" in text
    assert "manifest                9  figures compared" in text


@pytest.mark.parametrize(
    ("manifest", "code"),
    [({"n_items": 200}, "manifest_mismatch"), ({"sha256": "0" * 64}, "manifest_mismatch"),
     ([1], "manifest_unreadable"), ("x", "manifest_unreadable")],
)  # fmt: skip
def test_package_with_a_wrong_manifest(tmp_path: Path, manifest: object, code: str) -> None:
    ran, found = validated(package(tmp_path, manifest), "--skip-hash")
    assert ran.code == 1
    assert [error["code"] for error in found["errors"]] == [code]


def test_package_with_another_payload(tmp_path: Path) -> None:
    package(tmp_path)
    data = (tmp_path / "benchmark.jsonl").read_bytes()
    written(tmp_path, data.replace(b"\n", b"\r\n"), "benchmark_JSONL_PAYLOAD.md")
    ran, found = validated(tmp_path, "--skip-hash")
    assert (ran.code, [error["code"] for error in found["errors"]]) == (1, ["payload_differs"])
    assert "only line ends or a byte order mark differ" in found["errors"][0]["error"]
    written(tmp_path, data[:-9], "benchmark_JSONL_PAYLOAD.md")
    _, found = validated(tmp_path, "--skip-hash")
    assert "only line ends" not in found["errors"][0]["error"]


def test_payload_alone_is_read_like_the_benchmark(tmp_path: Path) -> None:
    data = json_lines(MINE)
    path = written(tmp_path, data, "benchmark_JSONL_PAYLOAD.md")
    for given in (path, tmp_path):
        ran, found = validated(given, "--skip-hash")
        assert (ran.code, found["records"]) == (0, 4)
        assert found["sha256"] == hashlib.sha256(data).hexdigest()


def test_several_benchmarks_in_a_folder(tmp_path: Path) -> None:
    for name in ("one.jsonl", "two.jsonl"):
        written(tmp_path, json_lines(MINE), name)
    written(tmp_path, b'{"id": "OSDR-FRAG-00001", "prediction": "up"}\n', "model.jsonl")
    with pytest.raises(BadInputError, match=r"one\.jsonl, two\.jsonl"):
        check_path(tmp_path, skip_hash=True)
    (tmp_path / "two.jsonl").unlink()
    assert check_path(tmp_path, skip_hash=True).record_n == 4


# Other kinds

GOLD = {"id": "q1", "answer": "up", "pert": "A", "gene": "B", "path": [["A", "+", "B"]]}


def test_perturbreason_folder(tmp_path: Path) -> None:
    split = tmp_path / "id_test"
    split.mkdir()
    written(split, json_lines([GOLD, {**GOLD, "id": "q2"}]), "gt_chemical.jsonl")
    written(split, json_lines([{**GOLD, "answer": "upp"}, GOLD, GOLD]), "gt_genetic.jsonl")
    ran, found = validated(tmp_path)
    assert ran.code == 1
    assert list(found) == [*KEYS, "taken_for"]
    assert found["taken_for"].startswith("PerturbReason gold")
    assert (found["records"], found["provenance_rows"]) == (5, None)
    assert [(e["code"], e["line"], e["id"]) for e in found["errors"]] == [
        ("unknown-label", 1, "q1"), ("duplicate-id", 3, "q1")]  # fmt: skip
    (split / "gt_genetic.jsonl").unlink()
    _, found = validated(tmp_path)
    assert [error["code"] for error in found["errors"]] == ["missing-file"]
    assert found["records"] == 2


def test_perturbreason_file_as_eval_reads_it(tmp_path: Path) -> None:
    rows = [GOLD, {**GOLD, "id": None}, {**GOLD, "id": "q3", "path": "words"}]
    ran, found = validated(written(tmp_path, json_lines(rows)))
    assert ran.code == 1
    assert [(e["code"], e["line"]) for e in found["errors"]] == [
        ("bad-gold-chain", 3),
        ("no-id", 2),
    ]


KINDS = [
    ("s.gmt", b"T1\tx\tA\tB\nT2\tx\tB\tC\tD\n", "gene sets (GMT)", 2),
    ("sets.txt", b"T1\thttp://a\tA\tB\nT2\thttp://b\tB\tC\tD\n", "gene sets (GMT)", 2),
    ("kg.tsv", b"source\ttarget\tsign\nA\tB\t1\nB\tC\t-1\n", "a graph of signed edges", 2),
    ("p.jsonl", b'{"id": "OSDR-FRAG-00001", "prediction": "up"}\n', "predictions (JSON Lines)", 1),
    ("p.jsonl", b'{"id": "OSDR-FRAG-00001", "answer": "up", "evidence": []}\n',
     "predictions (JSON Lines)", 1),
    ("p.json", b'[\n{"id": "a", "output": "x"},\n{"id": "b", "output": "y"}\n]',
     "predictions (JSON Lines)", 2),
    ("p.json", b'{"OSDR-FRAG-00001": "up",\n "OSDR-CTRL-00001": null}',
     "predictions (JSON object)", 2),
    ("p.csv", b"id,prediction\nOSDR-FRAG-00001,up\n\n,\n", "predictions (a table)", 1),
    ("p.csv", b'sep=;\r\n"ID";"Label"\r\nOSDR-FRAG-00001;"up\r\nso"\r\n', "predictions (a table)", 1),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "taken_for", "record_n"), KINDS)
def test_kinds(tmp_path: Path, name: str, data: bytes, taken_for: str, record_n: int) -> None:
    ran, found = validated(written(tmp_path, data, name))
    assert ran.code == 0, ran.out
    assert found["taken_for"].startswith(taken_for)
    assert found["records"] == record_n
    assert found["provenance_rows"] is None
    assert ran.err.startswith(f"Note: taken for {taken_for}")


def test_as_overrides_the_guess(tmp_path: Path) -> None:
    path = written(tmp_path, json_lines([GOLD]))
    assert "taken_for" in validated(path)[1]
    ran, found = validated(path, "--as", "rr10", "--skip-hash")
    assert (ran.code, "taken_for" in found) == (1, False)
    ran, _ = validated(path, "--as", "gmt")
    assert ran.code == 3


def test_real_files(tmp_path: Path) -> None:
    for name, record_n in (
        ("data/rr10/rr10_standin_mouse_hallmark.jsonl", 98),
        ("cases/files/_fixtures/rr10mini/bench.jsonl", 4),
    ):
        ran, found = validated(shared_file(name), "--skip-hash")
        assert (ran.code, found["records"], found["warnings"]) == (0, record_n, [])
