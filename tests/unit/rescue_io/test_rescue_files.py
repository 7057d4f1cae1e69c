"""Index, manifest and key of an export; what is owed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval_tiers.exceptions import BadInputError, MissingResourceError
from eval_tiers.io.rescue_files import (
    IndexRow,
    find_indexes,
    read_export,
    write_controls,
    write_index,
    write_manifest,
    write_owed,
)

ROWS = [
    IndexRow("c-1", ('odd, "id"\n2', "split", None, "3"), "parse_fail", 0),
    IndexRow("c-2", ("x", None, "genetic", None), "wrong_correct_chain", 1),
]
MANIFEST = {"format": "f", "labels": ["a"], "settings": {}, "id_key": "00", "requests": []}


def exported(folder: Path) -> Path:
    path = write_index(folder, "T", ROWS)
    write_manifest(folder, "T", MANIFEST)
    return path


def test_an_export_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = exported(tmp_path)
    control = {"custom_id": "c-3", "number": 0, "kind": "k", "truth": "t", "repeat": 0,
               "gold_answer": "up", "cluster": "P"}  # fmt: skip
    write_controls(tmp_path, "T", {"controls": [control]})
    found = read_export(path)
    assert (found.index, found.manifest, found.controls) == (ROWS, MANIFEST, [control])
    assert found.index_path.read_text().startswith("custom_id,sample_id,split,pert_type,")


def test_the_index_of_the_run_comes_first(tmp_path: Path) -> None:
    for stamp in ("A", "T"):
        write_index(tmp_path, stamp, [])
    names = [path.name for path in find_indexes([tmp_path, tmp_path], "T")]
    assert names == ["rescue_index_T.csv", "rescue_index_A.csv"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rescue_index_T.csv", "custom_id,sample_id\nc-1,a\n"),
        ("rescue_index_T.csv", "custom_id,sample_id,split,pert_type,rollout,kind,repeat\n"
                               "c-1,a,,,,k,0\nc-1,b,,,,k,0\n"),
        ("rescue_manifest_T.json", "{}"),
        ("rescue_manifest_T.json", "[1"),
        ("rescue_controls_T.json", '{"controls": [{"truth": "x"}]}'),
        ("rescue_controls_T.json", "[]"),
    ],
)  # fmt: skip
def test_a_file_that_was_spoilt_is_bad_input(tmp_path: Path, name: str, text: str) -> None:
    path = exported(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(BadInputError, match="bad-export-file"):
        read_export(path)


def test_an_index_without_its_manifest_is_a_missing_resource(tmp_path: Path) -> None:
    with pytest.raises(MissingResourceError):
        read_export(write_index(tmp_path, "T", ROWS))


def requests(path: Path) -> Path:
    lines = [
        json.dumps({"custom_id": f"c-{number}", "body": {"max_tokens": 100, "n": number}})
        for number in range(4)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_owed_requests_are_copied_and_cut_off_ones_get_more_room(tmp_path: Path) -> None:
    source, owed = requests(tmp_path / "r.jsonl"), tmp_path / "owed.jsonl"
    assert write_owed(owed, [source], {"c-1", "c-2", "c-3"}, {"c-2": 0, "c-3": 300}) == 3
    found = [json.loads(line) for line in owed.read_text().splitlines()]
    assert [one["body"]["max_tokens"] for one in found] == [100, 200, 600]
    assert owed.read_text().splitlines()[0] == source.read_text().splitlines()[1]
    assert write_owed(owed, [source], set(), {}) == 0
    assert not owed.exists()


def test_a_spoilt_request_file_leaves_no_owed_file(tmp_path: Path) -> None:
    source = requests(tmp_path / "r.jsonl")
    source.write_text(source.read_text() + "{\n")
    with pytest.raises(BadInputError, match=r"r\.jsonl:5"):
        write_owed(tmp_path / "owed.jsonl", [source], {"c-1"}, {})
    assert [path.name for path in tmp_path.iterdir()] == ["r.jsonl"]
