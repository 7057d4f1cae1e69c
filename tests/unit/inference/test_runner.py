"""Running, stopping and going on, with an engine that answers at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eval_tiers.exceptions import InfrastructureError, Problem, UsageError
from eval_tiers.inference.backends.base import Answer, Engine
from eval_tiers.inference.request_file import Request
from eval_tiers.inference.runner import Job, Report, require_replies, run_requests
from eval_tiers.inference.shards import Shard
from eval_tiers.inference.signals import StopFlag, held_back, stopping_softly
from tests.openai_server import chat_request, completion


class AtOnce:
    """An engine that takes no time; it may fail at one request, or send itself a signal there."""

    def __init__(self, fails_at: str = "", stops_at: str = "", model: str = "m") -> None:
        self.fails_at, self.stops_at, self.model = fails_at, stops_at, model
        self.started = self.closed = 0
        self.asked: list[str] = []

    def start(self) -> Engine:
        self.started += 1
        return Engine("at-once", self.model, "1")

    def answers(self, requests: Iterator[Request], stop: StopFlag) -> Iterator[Answer]:
        for request in requests:
            self.asked.append(request.custom_id)
            if request.custom_id == self.fails_at:
                raise InfrastructureError(Problem("engine-died", "dead"))
            if request.custom_id == self.stops_at:
                os.kill(os.getpid(), signal.SIGUSR1)
            yield Answer(request, 200, completion("{}"))

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def requests(tmp_path: Path) -> Path:
    path = tmp_path / "requests.jsonl"
    path.write_text("".join(json.dumps(chat_request(f"r{n}")) + "\n\n" for n in range(10)))
    return path


def run(requests: Path, engine: AtOnce, shard: Shard = Shard(), **options: Any) -> Report:  # noqa: B008
    job = Job(str(requests), str(requests.parent / "replies.jsonl"), shard, **options)
    with stopping_softly(lambda name: None) as stop:
        return run_requests(job, engine, stop)


def ids(path: Path) -> list[str]:
    return [json.loads(line)["custom_id"] for line in path.read_text().splitlines()]


def test_a_second_run_starts_no_engine(requests: Path, tmp_path: Path) -> None:
    first = AtOnce()
    report = run(requests, first)
    assert (report.request_n, report.answered_n, report.left_n) == (10, 10, 0)
    assert (first.started, first.closed) == (1, 1)
    before = (tmp_path / "replies.jsonl").read_bytes()
    second = AtOnce()
    report = run(requests, second)
    assert (second.started, second.asked) == (0, [])
    assert (report.earlier_n, report.answered_n, report.engine) == (10, 0, None)
    assert (tmp_path / "replies.jsonl").read_bytes() == before


def test_no_requests_leave_an_empty_reply_file(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    path.touch()
    report = run(path, AtOnce())
    assert report.engine is None
    assert (tmp_path / "replies.jsonl").read_bytes() == b""


def test_shards_have_files_of_their_own_and_share_the_requests(
    requests: Path, tmp_path: Path
) -> None:
    for index in range(3):
        run(requests, AtOnce(), Shard(index, 3))
    parts = [ids(tmp_path / f"replies.shard-{index}-of-3.jsonl") for index in range(3)]
    assert parts[1] == ["r1", "r4", "r7"]
    assert sorted(custom_id for part in parts for custom_id in part) == [f"r{n}" for n in range(10)]


def test_another_division_asks_only_what_no_shard_has_answered(
    requests: Path, tmp_path: Path
) -> None:
    run(requests, AtOnce(), Shard(0, 2))
    engine = AtOnce()
    report = run(requests, engine)
    assert engine.asked == ["r1", "r3", "r5", "r7", "r9"]
    assert report.earlier_n == 5
    assert ids(tmp_path / "replies.jsonl") == engine.asked


def test_a_signal_finishes_what_is_in_hand(requests: Path, tmp_path: Path) -> None:
    report = run(requests, AtOnce(stops_at="r3"))
    assert report.stopped_by == "SIGUSR1"
    assert (report.answered_n, report.left_n) == (4, 6)
    assert ids(tmp_path / "replies.jsonl") == ["r0", "r1", "r2", "r3"]
    report = run(requests, AtOnce())
    assert (report.earlier_n, report.answered_n, report.stopped_by) == (4, 6, None)
    assert len(set(ids(tmp_path / "replies.jsonl"))) == 10


def test_an_engine_that_dies_leaves_what_it_answered(requests: Path, tmp_path: Path) -> None:
    engine = AtOnce(fails_at="r3")
    with pytest.raises(InfrastructureError, match="engine-died"):
        run(requests, engine)
    assert engine.closed == 1
    assert ids(tmp_path / "replies.jsonl") == ["r0", "r1", "r2"]


def test_an_engine_that_the_signal_killed_too_is_no_failure(requests: Path) -> None:
    class Dying(AtOnce):
        def answers(self, requests: Iterator[Request], stop: StopFlag) -> Iterator[Answer]:
            yield from super().answers(requests, stop)
            raise InfrastructureError(Problem("engine-died", "dead"))

    report = run(requests, Dying(stops_at="r2"))
    assert (report.stopped_by, report.answered_n, report.left_n) == ("SIGUSR1", 3, 7)
    with pytest.raises(InfrastructureError, match="engine-died"):
        run(requests, Dying())


def test_torn_and_foreign_lines_are_counted(requests: Path, tmp_path: Path) -> None:
    run(requests, AtOnce())
    output = tmp_path / "replies.jsonl"
    whole = output.read_bytes()
    output.write_bytes(b"INFO engine started\n" + whole[:-40])
    engine = AtOnce()
    report = run(requests, engine)
    assert engine.asked == ["r9"]
    assert (report.mended, report.unread_n) == (True, 2)
    assert output.read_bytes().startswith(b"INFO engine started\n" + whole[:-40] + b"\n{")


def test_two_models_are_not_mixed(requests: Path) -> None:
    run(requests, AtOnce(stops_at="r3"))
    with pytest.raises(UsageError, match="other-model"):
        run(requests, AtOnce(model="n"))


def test_the_requests_are_not_appended_to(requests: Path) -> None:
    before = requests.read_bytes()
    stop = StopFlag()
    with pytest.raises(UsageError, match="output-is-input"):
        run_requests(Job(str(requests), str(requests)), AtOnce(), stop)
    assert requests.read_bytes() == before


def test_nothing_but_failures_is_an_infrastructure_error(requests: Path) -> None:
    report = run(requests, AtOnce())
    require_replies(report)
    report.kinds.clear()
    require_replies(report)  # nothing was asked
    report.kinds["http-500"] = 3
    with pytest.raises(InfrastructureError, match=r"none of 3 requests.*http-500"):
        require_replies(report)


def test_handlers_come_back_and_a_second_ctrl_c_interrupts() -> None:
    before = [
        signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)
    ]
    told: list[str] = []
    with stopping_softly(told.append) as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop
        assert stop.event.is_set()
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert told == ["SIGINT"]
    after = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)]
    assert after == before


def test_a_signal_during_the_start_is_held_back_not_lost() -> None:
    with stopping_softly(lambda name: None) as stop:
        with held_back():
            signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
            time.sleep(0.05)
            assert not stop
        assert stop.name == "SIGUSR1"


def test_an_engines_own_process_outlives_the_warning() -> None:
    with held_back():
        shielded = subprocess.Popen(["sleep", "60"])
    bare = subprocess.Popen(["sleep", "60"])
    try:
        for process in (shielded, bare):
            process.send_signal(signal.SIGUSR1)
        assert bare.wait(10) == -signal.SIGUSR1
        with pytest.raises(subprocess.TimeoutExpired):
            shielded.wait(0.3)
    finally:
        for process in (shielded, bare):
            process.kill()
            process.wait(10)


def test_own_time_is_under_a_fiftieth_of_a_fast_engines(tmp_path: Path) -> None:
    """An engine of 50 requests a second takes 20 ms for each; 2 % of that are 0.4 ms."""
    request_n = 5_000
    path = tmp_path / "requests.jsonl"
    text = "A prompt of the usual length. " * 200
    path.write_text(
        "".join(json.dumps(chat_request(f"r{n}", text)) + "\n" for n in range(request_n))
    )
    report = run(path, AtOnce())
    own = report.seconds - report.engine_seconds
    assert report.answered_n == request_n
    assert own / request_n < 0.0004, f"{1e3 * own / request_n:.3f} ms a request"
