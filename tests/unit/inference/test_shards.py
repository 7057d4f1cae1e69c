from __future__ import annotations

from pathlib import Path

import pytest

from eval_tiers.exceptions import UsageError
from eval_tiers.inference.shards import (
    Shard,
    parse_shard,
    reply_paths,
    shard_of_environment,
    shard_path,
)


def task(number: int, count: int, first: int = 0, last: int | None = None) -> dict[str, str]:
    values = {"ID": number, "COUNT": count, "MIN": first,
              "MAX": first + count - 1 if last is None else last}  # fmt: skip
    return {f"SLURM_ARRAY_TASK_{name}": str(value) for name, value in values.items()}


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_each_request_belongs_to_one_shard(count: int) -> None:
    for position in range(20):
        assert sum(Shard(index, count).takes(position) for index in range(count)) == 1


@pytest.mark.parametrize("text", ["", "4/4", "-1/4", "1", "1/0", "a/b", "1/2/3", "1.0/2", "²/4"])
def test_what_names_no_shard(text: str) -> None:
    with pytest.raises(UsageError, match="bad-shard"):
        parse_shard(text)


def test_tasks_of_a_job_array() -> None:
    assert shard_of_environment({}) == Shard(0, 1)
    assert shard_of_environment(task(0, 4)) == Shard(0, 4)
    assert shard_of_environment(task(4, 4, first=1)) == Shard(3, 4)


@pytest.mark.parametrize(
    "environment",
    [
        task(2, 1, first=2),
        task(3, 2, first=0, last=3),
        task(2, 2, first=2),
        {"SLURM_ARRAY_TASK_ID": "1"},
        task(1, 4) | {"SLURM_ARRAY_TASK_ID": "x"},
    ],
    ids=["one-of-more", "gaps", "begins-late", "no-count", "no-number"],
)
def test_an_array_that_does_not_tell_the_number_of_parts(environment: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="bad-array"):
        shard_of_environment(environment)


def test_files(tmp_path: Path) -> None:
    output = tmp_path / "replies.jsonl"
    assert shard_path(output, Shard()) == output
    assert shard_path(output, Shard(1, 2)).name == "replies.shard-1-of-2.jsonl"
    for name in ("replies.jsonl", "replies.shard-1-of-2.jsonl", "replies.shard-0-of-4.jsonl",
                 "replies2.jsonl", "replies.shard-x.jsonl", "replies.shard-0-of-4.jsonl.bak"):  # fmt: skip
        (tmp_path / name).touch()
    assert [path.name for path in reply_paths(output)] == [
        "replies.jsonl", "replies.shard-0-of-4.jsonl", "replies.shard-1-of-2.jsonl",
    ]  # fmt: skip
    assert reply_paths(tmp_path / "none" / "replies.jsonl") == []
