"""Required events in a trajectory, whatever the file holds."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from eval_tiers.exceptions import BadInputError, MissingResourceError
from eval_tiers.io import trajectory as module
from eval_tiers.io.trajectory import read_trajectory, scan_trajectory
from eval_tiers.submissions.execution import Trajectory, events_of, verify_execution

EVENTS = ["load_data", "fit_model"]


def scanned(data: bytes, size: int = 5) -> Trajectory:
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    return scan_trajectory(chunks, "t.jsonl", set(EVENTS))


@pytest.mark.parametrize("field", ["event", "type", "name"])
def test_an_event_is_named_by_one_of_three_members(field: str) -> None:
    assert events_of({field: "fit_model"}, EVENTS) == {"fit_model"}


@pytest.mark.parametrize(
    "record",
    [
        {}, {"event": None}, {"event": ["fit_model"]}, {"event": "Fit_model"}, {"text": "fit_model"},
        {"event": "fit_model "}, {"event": {"name": "fit_model"}}, {"fit_model": True},
    ],
)  # fmt: skip
def test_what_names_no_event(record: dict[str, object]) -> None:
    assert events_of(record, EVENTS) == set()


def test_nothing_required_is_verified() -> None:
    assert verify_execution([], None).verified
    assert verify_execution([], Trajectory("t", fault="spoilt")).verified


def test_required_and_no_trajectory_is_not_verified() -> None:
    found = verify_execution(EVENTS, None)
    assert not found.verified and found.absent == tuple(EVENTS)


def test_all_events_have_to_be_there() -> None:
    lines = [
        {"event": "load_data"},
        {"type": "note"},
        {"name": "fit_model"},
        {"event": "load_data"},
    ]
    data = "\n".join(map(json.dumps, lines)).encode()
    whole = verify_execution(EVENTS, scanned(data))
    assert whole.verified and whole.trajectory is not None
    assert whole.trajectory.first_lines == {"load_data": 1, "fit_model": 3}
    part = verify_execution(EVENTS, scanned(data.split(b"\n")[0]))
    assert not part.verified and (part.found, part.absent) == (("load_data",), ("fit_model",))


@pytest.mark.parametrize(
    "data",
    [
        b'\xef\xbb\xbf{"event": "load_data"}\r\n\r\n{"event": "fit_model"}\r\n{"event": "fi',
        b'garbage\n{"event": "load_data"}\n[1]\nnull\n{"event": "fit_model"}\n\xff\xfe\n',
        b'{"event": "load_data", "n": NaN}\n{"event": "load_data"}\n{"event": "fit_model"}',
        '{"event": "load_data", "x": "\u2028\u0085"}\n{"event": "fit_model"}'.encode(),
        b'{"a":' * 5_000 + b'\n{"event": "load_data"}\n{"event": "fit_model"}\n',
    ],
)
def test_lines_that_cannot_be_read_are_passed_over(data: bytes) -> None:
    assert verify_execution(EVENTS, scanned(data)).verified


@pytest.mark.parametrize(
    "data",
    [b"garbage", b"\x00" * 50, '{"event": "fit_model"}\n'.encode("utf-16"), b"PK\x03\x04zip"],
)
def test_a_file_that_is_none_has_a_fault(data: bytes) -> None:
    found = scanned(data, 1000)
    assert found.fault is not None
    assert not verify_execution(["fit_model"], found).verified


def test_an_empty_file_holds_no_event() -> None:
    assert scanned(b"").fault is None and not verify_execution(EVENTS, scanned(b"\n\n")).verified


def test_lines_and_files_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINE", 60)
    long = b'{"event": "load_data", "text": "' + b"x" * 100 + b'"}\n{"event": "fit_model"}\n'
    found = scanned(long, 7)
    assert found.first_lines == {"fit_model": 2} and found.unreadable_n == 1
    monkeypatch.setattr(module, "MAX_BYTES", 100)
    assert "larger" in (scanned(long, 7).fault or "")
    assert not verify_execution(["fit_model"], scanned(long, 7)).verified


def test_a_named_file(tmp_path: Path) -> None:
    packed = tmp_path / "t.jsonl.gz"
    packed.write_bytes(gzip.compress(b'{"event": "load_data"}\n{"event": "fit_model"}\n'))
    assert verify_execution(EVENTS, read_trajectory(packed, set(EVENTS))).verified
    packed.write_bytes(packed.read_bytes()[:-20])
    assert not verify_execution(EVENTS, read_trajectory(packed, set(EVENTS))).verified
    with pytest.raises(MissingResourceError):
        read_trajectory(tmp_path / "none.jsonl", set(EVENTS))
    with pytest.raises(BadInputError):
        read_trajectory(tmp_path, set(EVENTS))
