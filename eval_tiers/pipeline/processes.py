"""Worker processes: how they start, and that they end with the process that started them."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, Final

from eval_tiers.exceptions import InfrastructureError, Problem

_ROWS_WORTH_A_PROCESS: Final = 4000


def usable_processors() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def processes_for(asked: int, rows: int) -> int:
    """Return how many processes to score so many rows with; ``asked`` counts where it isn't 0."""
    if asked > 0:
        return asked
    return min(usable_processors(), max(1, rows // _ROWS_WORTH_A_PROCESS))


@contextmanager
def worker_pool(
    processes: int, initialise: Callable[..., None] | None = None, *arguments: Any
) -> Iterator[ProcessPoolExecutor]:
    """Open a pool of processes; on Linux they are forked and share what is loaded.

    Parameters
    ----------
    processes : int
        At least 1.
    initialise : callable, optional
        Run in each worker first, with ``arguments``.

    Raises
    ------
    InfrastructureError
        A worker was killed while its result was waited for.
    """
    import multiprocessing

    method = "fork" if sys.platform.startswith("linux") else "spawn"
    with ProcessPoolExecutor(
        processes,
        multiprocessing.get_context(method),
        _start_worker,
        (os.getpid(), initialise, arguments),
    ) as pool:
        try:
            yield pool
        except BrokenProcessPool as error:
            raise InfrastructureError(
                Problem(
                    "worker-killed",
                    "a worker process was killed, probably for want of memory",
                    fix="use fewer --jobs or a smaller --batch-size",
                )
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _start_worker(
    parent: int, initialise: Callable[..., None] | None, arguments: tuple[Any, ...]
) -> None:
    """Leave Ctrl-C to the parent, and end with it, whatever ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    if initialise is not None:
        initialise(*arguments)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
