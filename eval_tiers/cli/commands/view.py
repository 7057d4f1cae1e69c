"""``view``: looks at a run in the browser, on this machine alone."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import click

_DISPLAYS: Final = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


@click.command("view", short_help="Look at a run's samples in the browser.")
@click.argument("run_dir", type=click.Path(path_type=str), metavar="RUN_DIR")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True,
              help="Port of 127.0.0.1; 0 takes any free one.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def command(run_dir: str, port: int, no_browser: bool) -> None:
    """Look at a run in the browser: filter, search, sort, and see single samples.

    RUN_DIR is the folder that eval wrote, or one with judged rubrics (rubrics score -o, or the
    rows that rubrics merge wrote): each rubric of each sample with its verdict. The address of
    each page holds filters, order and place: kept as a link, it opens the same view again. Ctrl-C
    ends it. Only this machine can open it; to a machine elsewhere, ssh -L
    8765:127.0.0.1:8765 HOST leads. Examples:

    \b
      view outputs/20260101_120000
      view scores/a
    """
    from eval_tiers.api import view

    def tell(address: str) -> None:
        click.echo(address)
        if os.environ.get("SSH_CONNECTION"):
            taken = address.rstrip("/").rpartition(":")[2]
            click.echo(
                f"From where you sit: ssh -L {taken}:127.0.0.1:{taken} to this machine.", err=True
            )
        click.echo("Ctrl-C ends it.", err=True)
        if not no_browser and _has_display():
            _open(address)

    view(Path(run_dir), port, tell)


def _has_display() -> bool:
    """Whether a browser would get a window; one without would take the terminal."""
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, _DISPLAYS))


def _open(address: str) -> None:
    """Open an address in the browser, without waiting for it."""
    import webbrowser
    from threading import Thread

    Thread(target=webbrowser.open, args=(address,), daemon=True).start()
