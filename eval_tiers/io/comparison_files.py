"""What a comparison writes: a page, and a table of what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from eval_tiers.exceptions import Problem, SourceRef, UsageError
from eval_tiers.io.atomic import atomic_writer, clean_text
from eval_tiers.io.output_paths import require_free_path


def write_comparison_files(
    output: Path | None,
    page: str | None,
    flips_csv: Path | None,
    render_flips: Callable[[], bytes],
    read_files: Iterable[Path],
) -> None:
    """Write a comparison's page and its table of flips, where they are asked for.

    Parameters
    ----------
    output, flips_csv : Path, optional
    page : str, optional
        HTML.
    render_flips : callable
        Gives the table as CSV, if it is asked for.
    read_files : iterable of Path
        Files that were compared.

    Raises
    ------
    UsageError
        One would replace a file that was read, or the other.
    MissingResourceError
        It can't be written.
    """
    wanted = [path for path in (output, flips_csv) if path is not None]
    read = list(read_files)
    for path in wanted:
        require_free_path(path, read)
    if len(wanted) == 2 and wanted[0].absolute() == wanted[1].absolute():
        where = SourceRef(str(output))
        raise UsageError(
            Problem("given-twice", "page and flips would be one file", where, "name two files")
        )
    if output is not None and page is not None:
        with atomic_writer(output) as handle:
            handle.write(clean_text(page).encode())
    if flips_csv is not None:
        with atomic_writer(flips_csv) as handle:
            handle.write(render_flips())
