"""Runs what is owed of a request file, or of a shard of it, and writes the replies down."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eval_tiers.exceptions import InfrastructureError, Problem, SourceRef, UsageError
from eval_tiers.inference.backends.base import Backend, Engine
from eval_tiers.inference.completions import build_row, kind_of
from eval_tiers.inference.reply_file import ReplyFile
from eval_tiers.inference.request_file import Request, read_requests
from eval_tiers.inference.resume import Earlier, read_earlier
from eval_tiers.inference.shards import Shard, reply_paths, shard_path
from eval_tiers.inference.signals import StopFlag

REPLY = "reply"
"""The kind of answer that is whole; see `eval_tiers.inference.completions.kind_of`."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be run.

    Attributes
    ----------
    requests : str
        Request file.
    output : str
        Reply file; a shard's own is named after it.
    shard : Shard
    retry_errors : bool
        Ask anew what failed, was cut off or came back empty, too.
    """

    requests: str
    output: str
    shard: Shard = field(default_factory=Shard)
    retry_errors: bool = False

    @property
    def path(self) -> Path:
        """The file that is written."""
        return shard_path(Path(self.output), self.shard)


@dataclass(slots=True)
class Report:
    """How a run went.

    Attributes
    ----------
    path : str
        The file that was written.
    shard : str
        ``I/N``.
    request_n : int
        Requests of the shard.
    earlier_n : int
        Of these, answered before.
    kinds : Counter
        What came back in this run, by `eval_tiers.inference.completions.kind_of`.
    left_n : int
        Not asked, because of a signal.
    changed_n : int
        Asked though the output holds a reply of that id: to another prompt.
    unread_n : int
        Lines of the output that are no replies.
    mended : bool
        The output's last line was torn.
    stopped_by : str or None
        The signal.
    engine : Engine or None
        None where nothing was owed, so that none was started.
    seconds, engine_seconds : float
        In all, and of these waiting for the engine (with its start).
    """

    path: str
    shard: str
    request_n: int = 0
    earlier_n: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    left_n: int = 0
    changed_n: int = 0
    unread_n: int = 0
    mended: bool = False
    stopped_by: str | None = None
    engine: Engine | None = None
    seconds: float = 0.0
    engine_seconds: float = 0.0

    @property
    def answered_n(self) -> int:
        """Rows written in this run."""
        return sum(self.kinds.values())

    def as_dict(self) -> dict[str, object]:
        """Return the report as a strict-JSON object."""
        return {
            "output": self.path,
            "shard": self.shard,
            "request_n": self.request_n,
            "answered_before_n": self.earlier_n,
            "answered_n": self.answered_n,
            "reply_n": self.kinds[REPLY],
            "without_reply": {kind: n for kind, n in sorted(self.kinds.items()) if kind != REPLY},
            "left_n": self.left_n,
            "changed_prompt_n": self.changed_n,
            "unread_line_n": self.unread_n,
            "torn_line": self.mended,
            "stopped_by": self.stopped_by,
            "engine": None if self.engine is None else self.engine.as_dict(),
            "seconds": round(self.seconds, 3),
            "engine_seconds": round(self.engine_seconds, 3),
        }


def run_requests(
    job: Job,
    backend: Backend,
    stop: StopFlag,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Ask what is owed; append each answer as it comes.

    The engine is started only if something is owed. After a signal no more is asked; what is in
    hand is finished and written.

    Parameters
    ----------
    job : Job
    backend : Backend
    stop : StopFlag
    progress : callable
        Told how many of how many are done, for the first time when the engine has started.

    Raises
    ------
    UsageError
        The output can't be this one's: it is the request file, is being written by another run, or
        holds replies of another model.
    BadInputError, MissingResourceError
        The request file or the output can't be used.
    InfrastructureError
        The engine doesn't start or fails; what it had answered is written.
    """
    began = time.monotonic()
    path = job.path
    report = Report(str(path), str(job.shard))
    _refuse_own_input(job)
    mine = [
        request
        for position, request in enumerate(read_requests(job.requests))
        if job.shard.takes(position)
    ]
    report.request_n = len(mine)
    with ReplyFile(path) as replies:
        report.mended = replies.mended
        earlier = read_earlier(reply_paths(Path(job.output)), job.retry_errors)
        owed = [request for request in mine if not earlier.settles(request)]
        report.unread_n = earlier.unread_n
        report.earlier_n = len(mine) - len(owed)
        report.changed_n = earlier.changed_n(owed)
        if owed:
            try:
                _ask(owed, backend, stop, replies, earlier, report, progress)
            except InfrastructureError:
                if not stop:  # the signal may have gone to the engine as well
                    raise
            finally:
                closing = time.monotonic()
                backend.close()
                report.engine_seconds += time.monotonic() - closing
    report.left_n = len(owed) - report.answered_n
    report.stopped_by = stop.name
    report.seconds = time.monotonic() - began
    return report


def _ask(
    owed: Sequence[Request],
    backend: Backend,
    stop: StopFlag,
    replies: ReplyFile,
    earlier: Earlier,
    report: Report,
    progress: Callable[[int, int], None],
) -> None:
    began = time.monotonic()
    report.engine = engine = backend.start()
    _refuse_other_model(engine, earlier, replies.path)
    progress(0, len(owed))
    answers = backend.answers(_until(stop, owed), stop)
    while True:
        answer = next(answers, None)
        report.engine_seconds += time.monotonic() - began
        if answer is None:
            return
        replies.append(build_row(answer, engine))
        report.kinds[kind_of(answer)] += 1
        progress(report.answered_n, len(owed))
        began = time.monotonic()


def _until(stop: StopFlag, requests: Sequence[Request]) -> Iterator[Request]:
    for request in requests:
        if stop:
            return
        yield request


def _refuse_own_input(job: Job) -> None:
    source, target = Path(job.requests), job.path
    if source.exists() and target.exists() and source.samefile(target):
        message = "the replies would be appended to the requests"
        raise UsageError(
            Problem("output-is-input", message, SourceRef(job.output), "name another --output")
        )


def _refuse_other_model(engine: Engine, earlier: Earlier, path: Path) -> None:
    """Raise where the output would mix the replies of two models."""
    others = sorted(earlier.models - {engine.model})
    if engine.model is not None and others:
        message = f"the output holds replies of '{others[0]}', and this is '{engine.model}'"
        raise UsageError(
            Problem("other-model", message, SourceRef(str(path)),
                    "name another --output for each model")
        )  # fmt: skip


def require_replies(report: Report) -> None:
    """Raise where something was asked and no single reply came back."""
    if (
        report.answered_n
        and not report.left_n
        and not any(report.kinds[kind] for kind in (REPLY, "cut-off", "refused"))
    ):
        kind, n = report.kinds.most_common(1)[0]
        message = f"none of {report.answered_n:,} requests got a reply; most often ({n:,}): {kind}"
        raise InfrastructureError(
            Problem("no-reply-at-all", message, SourceRef(report.path),
                    "each row's error says why")
        )  # fmt: skip
