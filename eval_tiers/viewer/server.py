"""Serves the web app on this machine's loopback address until it is stopped."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from eval_tiers.exceptions import MissingResourceError, Problem
from eval_tiers.io.sources import reason_of
from eval_tiers.viewer.run import open_run

ADDRESS: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8765


def require_viewer() -> None:
    """Check that the libraries of the web app are installed.

    Raises
    ------
    MissingResourceError
        One is missing.
    """
    missing = []
    for name in ("duckdb", "jinja2", "starlette", "uvicorn"):
        try:
            __import__(name)
        except ImportError:
            missing.append(name)
    if missing:
        raise MissingResourceError(
            Problem(
                "no-viewer",
                f"the web app needs what is not installed: {', '.join(missing)}",
                fix="pip install 'eval-tiers[view]'",
            )
        )


def bind(port: int) -> socket.socket:
    """Take a port of the loopback address; 0 takes any free one.

    Raises
    ------
    MissingResourceError
        It is in use, or may not be taken.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((ADDRESS, port))
        found.listen(128)
    except OSError as error:
        found.close()
        raise MissingResourceError(
            Problem(
                "no-port",
                f"port {port} of {ADDRESS} can't be had: {reason_of(error)}",
                fix="name another with --port, or take any free one: --port 0",
            )
        ) from error
    return found


def serve(folder: Path, port: int, on_start: Callable[[str], None]) -> None:
    """Serve a run's folder until a signal stops it.

    Parameters
    ----------
    folder : Path
    port : int
    on_start : callable
        Called with the address once the socket listens and the run's tables are open.

    Raises
    ------
    MissingResourceError, BadInputError
        See `open_run`, `bind` and `require_viewer`.
    """
    require_viewer()
    import uvicorn

    from eval_tiers.viewer.app import build_app

    run = open_run(folder)
    with closing(bind(port)) as taken, tempfile.TemporaryDirectory(prefix="eval-tiers-") as scratch:
        app = build_app(run, Path(scratch))
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, lifespan="off"
        )
        on_start(f"http://{ADDRESS}:{taken.getsockname()[1]}/")
        try:
            uvicorn.Server(config).run(sockets=[taken])
        except KeyboardInterrupt:  # Ctrl-C, or SIGTERM: how it is meant to end
            return
