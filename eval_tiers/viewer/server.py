"""Serves the web app on this machine's loopback address until it is stopped."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

from eval_tiers.exceptions import MissingResourceError, Problem
from eval_tiers.io.sources import reason_of
from eval_tiers.viewer.run import TableRun

ADDRESS: Final = "127.0.0.1"


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


def serve(
    open_tables: Callable[[Path], TableRun], port: int, on_start: Callable[[str], None]
) -> None:
    """Serve a run's tables until a signal stops it.

    Parameters
    ----------
    open_tables : callable
        Opens them; gets a folder for what is needed as long as they are looked at.
    port : int
    on_start : callable
        Called with the address once the socket listens and the run's tables are open.

    Raises
    ------
    MissingResourceError, BadInputError
        See `bind` and `require_viewer`; or the tables can't be opened.
    """
    require_viewer()
    import uvicorn

    from eval_tiers.viewer.app import build_app

    with tempfile.TemporaryDirectory(prefix="eval-tiers-") as name, ExitStack() as stack:
        scratch = Path(name)
        run = open_tables(scratch)
        taken = stack.enter_context(closing(bind(port)))
        app = build_app(run, scratch)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=2,
        )
        on_start(f"http://{ADDRESS}:{taken.getsockname()[1]}/")
        try:
            uvicorn.Server(config).run(sockets=[taken])
        except KeyboardInterrupt:  # Ctrl-C, or SIGTERM: how it is meant to end
            return
