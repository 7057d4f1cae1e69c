"""``view``: looks at a run in the browser, on this machine alone."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("view", short_help="Look at a run's samples in the browser.")
@click.argument("run_dir", type=click.Path(path_type=str), metavar="RUN_DIR")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True,
              help="Port of 127.0.0.1; 0 takes any free one.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def command(run_dir: str, port: int, no_browser: bool) -> None:
    """Look at a run in the browser: filter, search, sort, and see single samples.

    RUN_DIR is the folder that eval wrote. The address of each page holds filters, order and
    place: kept as a link, it opens the same view again. Ctrl-C ends it. Example:

    \b
      view outputs/20260101_120000
    """
    from eval_tiers.api import view

    def tell(address: str) -> None:
        click.echo(address)
        click.echo("Ctrl-C ends it.", err=True)
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    view(Path(run_dir), port, tell)
