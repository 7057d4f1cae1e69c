"""Tier 4 over files that were spoilt: an error that names the file, never a traceback."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.running import TOY_KG, Done, in_process, model_text, write_kg, write_lines

CHAIN = [["P", "+", "A"], ["A", "-", "B"], ["B", "+", "E"]]
OTHER = [["P", "+", "C"], ["C", "-", "E"]]


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rescue")
    ids = [f"s{number}" for number in range(6)]
    write_lines(
        folder / "gt_genetic.jsonl",
        [{"id": one, "question": "?", "answer": "down", "path": CHAIN, "pert": "P", "gene": "E",
          "pert_type": "chemical"} for one in ids],
    )  # fmt: skip
    said = [("up", CHAIN), ("down", OTHER), (None, CHAIN), ("up", OTHER), ("down", CHAIN), ("", [])]
    write_lines(
        folder / "pred_genetic.jsonl",
        [{"id": one, "output": model_text(*what)} for one, what in zip(ids, said, strict=True)],
    )
    write_kg(folder / "kg.tsv", TOY_KG)
    for arguments in (
        ("eval", "--gt-file", "gt_genetic.jsonl", "--pred-file", "pred_genetic.jsonl",
         "--external-kg", "kg.tsv", "-o", "out"),
        ("export-rescue", "--samples-csv", "SAMPLES", "--controls", 2),
        ("infer", "--backend", "symbolic", "--input", "REQUESTS", "--output", "replies.jsonl"),
    ):  # fmt: skip
        done = run(folder, *arguments)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def folder(once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(once, tmp_path / "work"))


def run(folder: Path, *arguments: object) -> Done:
    named = {
        "SAMPLES": "out/*/samples_*.csv", "REQUESTS": "out/*/rescue/rescue_requests_*.jsonl",
        "INDEX": "out/*/rescue/rescue_index_*.csv",
    }  # fmt: skip
    return in_process(
        *(next(folder.glob(named[x])) if x in named else x for x in map(str, arguments)),
        folder=folder,
    )


def merge(folder: Path, *more: object) -> Done:
    return run(folder, "merge-rescue", "--samples-csv", "SAMPLES", "--rescue-responses",
               "replies.jsonl", "-o", "merged.csv", *more)  # fmt: skip


def told(done: Done, codes: tuple[int, ...] = (3, 4)) -> None:
    assert done.returncode in codes, (done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert "Error: [" in done.stderr


SPOILT: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("half", lambda data: data[: len(data) // 2]),
    ("empty", lambda data: b""),
    ("not UTF-8", lambda data: data.replace(b"s", b"\xff", 3)),
    ("UTF-16", lambda data: data.decode().encode("utf-16")),
    ("web page", lambda data: b"<!DOCTYPE html><html></html>"),
    ("JSON of another kind", lambda data: b'{"a": [1, 2]}'),
    ("gzip cut off", lambda data: b"\x1f\x8b\x08\x00"),
]


@pytest.mark.parametrize(("name", "spoil"), SPOILT, ids=[name for name, _ in SPOILT])
@pytest.mark.parametrize(
    "pattern",
    ["manifest_*.json", "samples_*.csv", "chains_*.parquet", "rescue/rescue_index_*.csv",
     "rescue/rescue_manifest_*.json", "rescue/rescue_controls_*.json"],
)  # fmt: skip
def test_a_file_of_the_run_that_was_spoilt(
    folder: Path, pattern: str, name: str, spoil: Callable[[bytes], bytes]
) -> None:
    path = next(folder.glob(f"out/*/{pattern}"))
    try:
        path.write_bytes(spoil(path.read_bytes()))
    except UnicodeDecodeError:
        pytest.skip("not here: a binary file has no other encoding")
    merged = merge(folder)
    assert merged.returncode in (0, 3, 4), merged.stderr
    assert "Traceback" not in merged.stderr, merged.stderr
    assert (folder / "merged.csv").exists() == (merged.returncode == 0)
    if pattern == "chains_*.parquet":
        assert merged.returncode == 0  # it isn't read
    elif name != "half":  # half a table can be a whole one with fewer rows
        told(merged)
    if pattern.startswith("rescue/"):
        return
    exported = run(folder, "export-rescue", "--samples-csv", "SAMPLES", "-o", "new/r.jsonl")
    assert exported.returncode in (0, 3, 4), exported.stderr
    assert "Traceback" not in exported.stderr, exported.stderr
    assert (folder / "new" / "r.jsonl").exists() == (exported.returncode == 0)
    if name not in ("half", "not UTF-8"):
        told(exported)


@pytest.mark.parametrize(
    "pattern", ["manifest_*.json", "chains_*.parquet", "rescue/rescue_manifest_*.json"]
)
def test_a_file_of_the_run_that_is_gone(folder: Path, pattern: str) -> None:
    next(folder.glob(f"out/*/{pattern}")).unlink()
    if "chains" in pattern:
        done = run(folder, "export-rescue", "--samples-csv", "SAMPLES", "-o", "new/r.jsonl")
    else:
        done = merge(folder)
    told(done, (4,))


def test_without_the_request_file_the_rest_is_merged(folder: Path) -> None:
    next(folder.glob("out/*/rescue/rescue_requests_*.jsonl")).unlink()
    manifest = next(folder.glob("out/*/rescue/rescue_manifest_*.json"))
    manifest.write_text(manifest.read_text().replace("rescue_requests", "requests_gone"))
    lines = (folder / "replies.jsonl").read_text().splitlines()
    (folder / "replies.jsonl").write_text("\n".join(lines[1:]) + "\n")
    done = merge(folder)
    assert done.returncode == 0, done.stderr
    assert "requests-missing" in done.stderr
    assert not list(folder.glob("owed_*"))
    assert "Owed: 1 of" in done.stdout


def test_no_export_and_an_export_of_another_run(folder: Path, once: Path) -> None:
    rescue = next(folder.glob("out/*/rescue"))
    manifest = next(rescue.glob("rescue_manifest_*.json"))
    changed = json.loads(manifest.read_text()) | {"run_id": "20010101_000000"}
    manifest.write_text(json.dumps(changed))
    done = merge(folder)
    told(done, (3,))
    assert "other-run" in done.stderr
    shutil.rmtree(rescue)
    done = merge(folder)
    told(done, (4,))
    assert "no-export" in done.stderr
    index = next(once.glob("out/*/rescue/rescue_index_*.csv"))
    assert merge(folder, "--index", index).returncode == 0


@pytest.mark.parametrize("seed", range(25))
def test_reply_files_spoilt_at_random(folder: Path, seed: int) -> None:
    draw = random.Random(seed)
    path = folder / "replies.jsonl"
    data = bytearray(path.read_bytes())
    for _ in range(draw.randint(1, 40)):
        kind, place = draw.randrange(4), draw.randrange(len(data))
        if kind == 0:
            data[place] = draw.randrange(1, 256)
        elif kind == 1:
            del data[place : place + draw.randint(1, 60)]
        elif kind == 2:
            data[place:place] = bytes(draw.choices(b'{}[]",:\\\n', k=draw.randint(1, 9)))
        else:
            data[place:place] = data[: draw.randint(1, 400)]
    path.write_bytes(data)
    done = merge(folder, "--json")
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in (0, 3), done.stderr
    if done.returncode == 0:
        found = json.loads(done.stdout)
        for name in ("effective_correct_rate", "hard_correct_rate", "annotation_dispute_rate"):
            assert 0 <= found[name] <= 1
        assert found["hard_correct_rate"] == pytest.approx(2 / 6)


def test_an_output_that_cannot_be_written(folder: Path) -> None:
    (folder / "file").write_text("")
    told(merge(folder, "--summary-json", folder / "file" / "x.json"), (4,))
    done = run(folder, "export-rescue", "--samples-csv", "SAMPLES", "-o", folder / "file" / "r")
    told(done, (2, 4))


@pytest.mark.parametrize(
    "arguments",
    [
        ("export-rescue", "--samples-csv", "SAMPLES", "--pred-file", "a", "--pred-dir", "b"),
        ("export-rescue", "--samples-csv", "SAMPLES", "-o", "r.jsonl.gz"),
        ("export-rescue", "--samples-csv", "SAMPLES", "-o", "SAMPLES"),
        ("export-rescue", "--samples-csv", "SAMPLES", "--repeats", 0),
        ("export-labels", "--samples-csv", "SAMPLES", "--kind", "nonsense"),
        ("merge-rescue", "--samples-csv", "SAMPLES"),
    ],
)
def test_options_that_do_not_fit(folder: Path, arguments: tuple[object, ...]) -> None:
    before = next(folder.glob("out/*/samples_*.csv")).read_bytes()
    done = run(folder, *arguments)
    assert done.returncode == 2, (done.returncode, done.stderr)
    assert next(folder.glob("out/*/samples_*.csv")).read_bytes() == before
