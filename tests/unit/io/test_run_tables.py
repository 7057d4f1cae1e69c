"""Joining the rows of two runs, and columns as codes and numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from eval_tiers.exceptions import BadInputError
from eval_tiers.io.run_rows import match_rows, places_in, row_codes
from eval_tiers.io.run_tables import codes_of, numbers_of

KEYS = ("sample_id", "rollout")


def table(*keys: tuple[str | None, str | None]) -> pa.Table:
    columns = zip(*keys, strict=True) if keys else ([], [])
    return pa.table(
        {name: pa.array(list(one), pa.string()) for name, one in zip(KEYS, columns, strict=True)}
    )


def test_rows_meet_by_all_parts_of_the_key_and_null_equals_null() -> None:
    first = table(("a", None), ("b", "1"), ("b", "2"), ("c", None), (None, "x"))
    second = table(("b", "2"), (None, "x"), ("a", None), ("a", "1"), ("d", None))
    found = match_rows(first, second, KEYS)
    assert found.first.tolist() == [0, 2, 4]
    assert found.second.tolist() == [2, 0, 1]
    assert found.only_first.tolist() == [1, 3]
    assert found.only_second.tolist() == [3, 4]
    assert places_in(first, second, KEYS).tolist() == [2, -1, 0, -1, 1]


def test_parts_of_a_key_are_not_run_together() -> None:
    assert match_rows(table(("ab", "c")), table(("a", "bc")), KEYS).first.tolist() == []


def test_rows_that_cannot_be_told_apart_are_an_error() -> None:
    twice = table(("a", None), ("a", None))
    for pair in ((twice, table(("a", None))), (table(("a", None)), twice)):
        with pytest.raises(BadInputError, match="ambiguous-rows"):
            match_rows(*pair, KEYS)


def test_nothing_to_join() -> None:
    found = match_rows(table(), table(("a", None)), KEYS)
    assert (len(found.first), found.only_second.tolist()) == (0, [0])
    assert len(row_codes(table(), KEYS)) == 0


def test_codes() -> None:
    column = pa.chunked_array([["b", None], ["a", "b", "z"]])
    assert codes_of(column)[0] == ["a", "b", "z"]
    assert codes_of(column)[1].tolist() == [1, -1, 0, 1, 2]
    names, codes = codes_of(column, ["z", "y"])
    assert names == ["z", "y", "a", "b"] and codes.tolist() == [3, -1, 2, 3, 0]
    assert codes_of(pa.chunked_array([], pa.string()))[1].dtype == np.int64


def test_numbers() -> None:
    flags = numbers_of(pa.chunked_array([[True, None, False]]))
    assert flags.tolist()[::2] == [1, 0] and np.isnan(flags[1])
    assert numbers_of(pa.chunked_array([[1, 2]])).dtype == np.float64


def test_rows_of_one_item_share_a_code() -> None:
    found = row_codes(table(("a", "1"), ("b", "1"), ("a", "2")), KEYS[:1]).tolist()
    assert found[0] == found[2] != found[1]


def test_dictionaries_that_differ_by_chunk_and_by_table() -> None:
    def coded(*chunks: list[str | None]) -> pa.ChunkedArray:
        return pa.chunked_array([pa.array(one, pa.string()).dictionary_encode() for one in chunks])

    assert codes_of(coded(["b", None], ["a", "b", "z"]))[1].tolist() == [1, -1, 0, 1, 2]
    one = pa.table({"sample_id": ["x", "x", "y"], "rollout": coded(["1", None], ["1"])})
    other = pa.table({"sample_id": ["y", "x", "x"], "rollout": coded(["1"], [None, "1"])})
    found = match_rows(one, other, KEYS)
    assert found.second.tolist() == [2, 1, 0]
    without = pa.table({"sample_id": ["x", "y"], "rollout": pa.nulls(2, pa.string())})
    assert match_rows(one, without, KEYS).first.tolist() == [1]


@pytest.mark.parametrize("seed", range(5))
def test_matching_agrees_with_a_dictionary_of_keys(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def some(n: int) -> pa.Table:
        keys = [(f"q{a}", None if b == 3 else f"{b}") for a, b in rng.integers(0, (60, 4), (n, 2))]
        return table(*dict.fromkeys(keys))

    one, other = some(120), some(150)
    keys = [list(zip(*(part[name].to_pylist() for name in KEYS), strict=True))
            for part in (one, other)]  # fmt: skip
    place = {key: row for row, key in enumerate(keys[1])}
    wanted = [place.get(key, -1) for key in keys[0]]
    found = match_rows(one, other, KEYS)
    assert places_in(one, other, KEYS).tolist() == wanted
    assert found.second.tolist() == [row for row in wanted if row >= 0]
    assert sorted([*found.second.tolist(), *found.only_second.tolist()]) == list(range(len(other)))
