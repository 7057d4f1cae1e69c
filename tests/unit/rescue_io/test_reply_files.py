"""Reply files as jobs leave them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import zstandard

from eval_tiers.exceptions import BadInputError, MissingResourceError
from eval_tiers.io.reply_files import Replies, read_replies


def reply(number: int) -> str:
    return json.dumps({"custom_id": f"c{number}", "response": {"verdict": "YES", "n": "x" * 50}})


def ids(found: Replies) -> list[str | None]:
    return [placed.row.custom_id for placed in found.rows]


def test_log_lines_and_a_torn_line_are_counted_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines = [
        reply(1),
        "slurmstepd: error: CANCELLED",
        "",
        "[INFO] x",
        "17",
        reply(2),
        reply(3)[:20],
    ]
    path.write_text("\n".join(lines))
    found = read_replies([path])
    assert ids(found) == ["c1", "c2"]
    assert [placed.line for placed in found.rows] == [1, 6]
    assert [one.where.line for one in found.findings] == [2, 4, 5, 7]
    assert found.not_reply_n == 4
    assert {one.code for one in found.findings} == {"not-a-reply"}


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(reply(1))
    assert ids(read_replies([path, tmp_path / "." / "r.jsonl"])) == ["c1"]


def test_rows_are_in_the_order_of_the_files_as_named(tmp_path: Path) -> None:
    for name, number in (("a", 1), ("b", 2)):
        (tmp_path / name).write_text(reply(number) + "\n")
    assert ids(read_replies([tmp_path / "b", tmp_path / "a"])) == ["c2", "c1"]


def test_an_array_of_replies_over_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(f"[{reply(1)},\n{reply(2)},\n3]\n")
    found = read_replies([path])
    assert ids(found) == ["c1", "c2"]
    assert found.not_reply_n == 1


def test_compressed_files_in_several_parts(tmp_path: Path) -> None:
    parts = [f"{reply(number)}\n".encode() for number in range(4)]
    (tmp_path / "r.gz").write_bytes(b"".join(map(gzip.compress, parts)) + b"\0" * 512)
    (tmp_path / "r.zst").write_bytes(b"".join(zstandard.compress(part) for part in parts))
    for name in ("r.gz", "r.zst"):
        found = read_replies([tmp_path / name])
        assert ids(found) == ["c0", "c1", "c2", "c3"]
        assert (found.cut_off, found.findings) == ([], [])


@pytest.mark.parametrize("kind", ["gz", "zst", "gz_members"])
def test_of_a_file_that_is_cut_off_the_whole_rows_count(tmp_path: Path, kind: str) -> None:
    lines = [f"{reply(number)}\n".encode() for number in range(400)]
    if kind == "gz":
        data = gzip.compress(b"".join(lines), 0)
    elif kind == "zst":
        data = zstandard.ZstdCompressor(level=-50).compress(b"".join(lines))
    else:
        data = b"".join(map(gzip.compress, lines))
    path = tmp_path / f"r.{kind}"
    path.write_bytes(data[: len(data) * 3 // 5])
    found = read_replies([path])
    assert ids(found) == [f"c{number}" for number in range(len(found.rows))]
    assert len(found.rows) < 400
    assert kind == "zst" or len(found.rows) > 150
    assert found.cut_off == [str(path)]
    assert found.findings[0].code == "truncated-file"


def test_an_empty_file_holds_no_reply(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"")
    assert read_replies([path]) == Replies()


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(MissingResourceError):
        read_replies([tmp_path / "none.jsonl"])
    with pytest.raises(BadInputError, match="is-a-directory"):
        read_replies([tmp_path])
    (tmp_path / "wide").write_bytes(reply(1).encode("utf-16"))
    with pytest.raises(BadInputError, match="UTF-16"):
        read_replies([tmp_path / "wide"])


def test_nan_and_lone_surrogates_are_no_reason_to_lose_a_reply(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"custom_id": "a", "response": "x", "p": NaN}\n'
                    '{"custom_id": "b", "response": "\\ud83d"}\n')  # fmt: skip
    assert ids(read_replies([path])) == ["a", "b"]
