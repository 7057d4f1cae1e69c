"""Signals that ask a run to stop: it finishes what it has in hand, then leaves."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

STOPPED_EXIT_CODE: Final = 75
"""EX_TEMPFAIL: stopped by a signal with requests left; run the same command again."""

_NAMES: Final = ("SIGTERM", "SIGUSR1", "SIGINT")


class StopFlag:
    """Whether a signal came.

    Attributes
    ----------
    event : threading.Event
        Set by the first signal. The main thread must not wait for it, for it is there that the
        handler runs.
    name : str or None
        Of the first signal.
    """

    def __init__(self) -> None:
        self.event = threading.Event()
        self.name: str | None = None

    def __bool__(self) -> bool:
        return self.name is not None


@contextmanager
def stopping_softly(told: Callable[[str], None]) -> Iterator[StopFlag]:
    """Note SIGTERM, SIGUSR1 and SIGINT (Ctrl-C) instead of dying of them.

    A second SIGINT interrupts at once. The handlers that were there before come back at the end.

    Parameters
    ----------
    told : callable
        Called once, with the name of the first signal.
    """
    flag = StopFlag()
    owner = os.getpid()

    def note(number: int, frame: FrameType | None) -> None:
        if os.getpid() != owner:  # a forked worker: as if there were no handler
            os._exit(128 + number)
        if flag.name is None:
            flag.name = signal.Signals(number).name
            flag.event.set()
            told(flag.name)
        elif number == signal.SIGINT:
            raise KeyboardInterrupt

    before = {}
    try:
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is not None:
                with suppress(ValueError):  # not in the main thread
                    before[number] = signal.signal(number, note)
        yield flag
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def held_back() -> Iterator[None]:
    """Hold SIGUSR1 back until the end, and for good from child processes that begin meanwhile.

    SLURM sends its warning to every process of a step; an engine's own processes would die of it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
