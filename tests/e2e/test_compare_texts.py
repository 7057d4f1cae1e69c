"""Texts of flips out of prediction files of every shape: plain, compressed, rewritten, changed."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.e2e.running import in_process, write_lines
from tests.e2e.test_compare import as_json, only_run, record

N = 60
Rows = list[dict[str, Any]]


def rows(said: str) -> Rows:
    """Answers in the reverse order of the questions, each with a text of its own."""
    return [
        {"id": f"one-{n:02d}", "output": f"note {n}, é\u2028 <answer>{said}</answer>"}
        for n in reversed(range(N))
    ]


def lines(some: Rows) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in some)


def table(some: Rows) -> bytes:
    import io

    sink = io.StringIO(newline="")
    writer = csv.writer(sink)
    writer.writerow(["id", "output"])
    writer.writerows([row["id"], row["output"]] for row in some)
    return sink.getvalue().encode()


def batch(some: Rows) -> bytes:
    return lines(
        [{"custom_id": row["id"], "error": None,
          "response": {"status_code": 200, "body": {"choices": [
              {"index": 0, "message": {"role": "assistant", "content": row["output"]}}]}}}
         for row in some]
    )  # fmt: skip


SHAPES: dict[str, tuple[str, Callable[[Rows], bytes]]] = {
    "plain": ("jsonl", lines),
    "gzip": ("jsonl.gz", lambda some: gzip.compress(lines(some))),
    "zstd": ("jsonl.zst", lambda some: zstandard.compress(lines(some))),
    "array": ("json", lambda some: json.dumps(some).encode()),
    "map": ("json", lambda some: json.dumps({row["id"]: row["output"] for row in some}).encode()),
    "table": ("csv", table),
    "packed table": ("csv.gz", lambda some: gzip.compress(table(some))),
    "batch": ("jsonl", batch),
}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A run of right answers, out of plain lines."""
    write_lines(tmp_path / "gold.jsonl", [record(n) for n in range(N)])
    (tmp_path / "first.jsonl").write_bytes(lines(rows("down")))
    return scored(tmp_path, "first.jsonl")


def scored(folder: Path, name: str) -> Path:
    done = in_process(
        "eval", "--gt-file", folder / "gold.jsonl", "--pred-file", folder / name, "--tiers", 1,
        "-q", "-o", folder / f"out_{name}", folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return only_run(folder / f"out_{name}")


def reasons(base: Path, other: Path) -> set[str | None]:
    (found,) = as_json(base, other, folder=base.parent.parent)["comparisons"]
    assert found["flip_n"] == N and len(found["flips"]) == 10
    return {flip["second_text_null_reason"] for flip in found["flips"]}


@pytest.mark.parametrize("shape", list(SHAPES))
def test_every_shape_shows_its_texts(base: Path, tmp_path: Path, shape: str) -> None:
    suffix, written = SHAPES[shape]
    (tmp_path / f"second.{suffix}").write_bytes(written(rows("up")))
    other = scored(tmp_path, f"second.{suffix}")
    (found,) = as_json(base, other, folder=tmp_path)["comparisons"]
    for flip in found["flips"]:
        number = int(flip["sample_id"].removeprefix("one-"))
        for side, said in (("first", "down"), ("second", "up")):
            wanted = f"note {number}, é\u2028 <answer>{said}</answer>"
            assert flip[f"{side}_text"] == wanted and flip[f"{side}_text_null_reason"] is None
    assert any(part["flips"] for part in found["slices"])


@pytest.mark.parametrize("shape", list(SHAPES))
@pytest.mark.parametrize("change", ["words", "cut", "gone", "folder", "noise"])
def test_a_file_that_is_another_is_told_flip_by_flip(
    base: Path, tmp_path: Path, shape: str, change: str
) -> None:
    suffix, written = SHAPES[shape]
    path = tmp_path / f"second.{suffix}"
    path.write_bytes(written(rows("up")))
    other = scored(tmp_path, path.name)
    if change == "words":
        path.write_bytes(written(rows("UP")))
    elif change == "cut":
        path.write_bytes(path.read_bytes()[:40])
    elif change == "noise":
        path.write_bytes(b"\x1f\x8b" + bytes(range(256)))
    else:
        path.unlink()
    if change == "folder":
        path.mkdir()
    expected = {"gone": {"file_gone"}, "folder": {"file_gone"}, "words": {"file_changed"}}
    found = reasons(base, other)
    assert found <= expected.get(change, {"file_changed", "unreadable"})


def test_rollouts_of_one_line_keep_their_own_text(base: Path, tmp_path: Path) -> None:
    packed: list[dict[str, Any]] = [
        {"custom_id": f"one-{n:02d}", "error": None,
         "response": {"status_code": 200, "body": {"choices": [
             {"index": k, "message": {"content": f"{n}/{k} <answer>{said}</answer>"}}
             for k, said in enumerate(["down", "up"])]}}}
        for n in range(N)
    ]  # fmt: skip
    for name in ("one.jsonl", "two.jsonl"):
        turned = [
            {**row, "response": {"status_code": 200, "body": {"choices": [
                {**choice, "index": 1 - choice["index"] if name == "two.jsonl" else choice["index"]}
                for choice in row["response"]["body"]["choices"]]}}}
            for row in packed
        ]  # fmt: skip
        (tmp_path / name).write_bytes(lines(turned))
    one, two = scored(tmp_path, "one.jsonl"), scored(tmp_path, "two.jsonl")
    (found,) = as_json(one, two, folder=tmp_path)["comparisons"]
    assert (found["n"], found["item_n"], found["flip_n"]) == (2 * N, N, 2 * N)
    for flip in found["flips"]:
        for side in ("first", "second"):
            assert f"<answer>{flip[f'{side}_predicted_label']}</answer>" in flip[f"{side}_text"]
