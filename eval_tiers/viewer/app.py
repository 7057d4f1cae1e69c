"""The routes of the web app: read-only, for this machine alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eval_tiers.viewer.background import Background
from eval_tiers.viewer.guards import Guards
from eval_tiers.viewer.list_page import render_list
from eval_tiers.viewer.pairs import Pairs
from eval_tiers.viewer.queries import Samples
from eval_tiers.viewer.records import Records
from eval_tiers.viewer.rendering import render_problem
from eval_tiers.viewer.rubric_page import render_rubric
from eval_tiers.viewer.rubric_run import RubricRun
from eval_tiers.viewer.run import TableRun, ViewedRun
from eval_tiers.viewer.sample_page import render_sample
from eval_tiers.viewer.view_state import BadQuery, View, parse_view

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

_ROW = re.compile(r"[0-9]{1,12}")
_STATIC: Final = {
    "view.css": "text/css; charset=utf-8",
    "view.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


def build_app(run: TableRun, scratch: Path) -> Starlette:
    """Return the app over a run; `scratch` is a folder for copies of packed files.

    The tables are opened and looked through here, so that a damaged one is told at once.

    Raises
    ------
    BadInputError
        A table of the run can't be read.
    """
    import duckdb
    import pyarrow
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
    from starlette.routing import Route

    samples = open_samples(run, scratch)
    render_row = row_renderer(run, samples, scratch)
    static = {
        name: files("eval_tiers.viewer").joinpath("static", name).read_bytes() for name in _STATIC
    }

    def view_of(request: Request) -> View:
        return parse_view(
            request.query_params.multi_items(),
            samples.vocabulary,
            samples.sortable,
            samples.cut,
            run.search[0],
        )

    def problem(status: int, message: str) -> Response:
        return HTMLResponse(render_problem(samples, status, message), status)

    def show_list(request: Request) -> Response:
        return HTMLResponse(render_list(samples, view_of(request)))

    def show_row(request: Request) -> Response:
        written = str(request.path_params["row"])
        row = int(written) if _ROW.fullmatch(written) else run.sample_n
        page = render_row(view_of(request), row)
        if page is None:
            message = f"There are {run.sample_n} {run.noun}s; the first is number 0."
            return problem(404, message)
        return HTMLResponse(page)

    def attached(parts: Iterator[bytes], suffix: str, media_type: str) -> Response:
        name = f"{run.noun}s_{run.timestamp}_filtered.{suffix}"
        first = next(parts)  # what can't be read is told before anything is sent
        return StreamingResponse(
            chain([first], parts),
            media_type=media_type,
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    def export_csv(request: Request) -> Response:
        parts = samples.export_csv(view_of(request))
        return attached(parts, "csv", "text/csv; charset=utf-8")

    def export_parquet(request: Request) -> Response:
        parts = samples.export_parquet(view_of(request))
        return attached(parts, "parquet", "application/vnd.apache.parquet")

    def show_static(request: Request) -> Response:
        name = str(request.path_params["name"])
        if name not in static:
            return problem(404, "There is no such page.")
        return Response(static[name], media_type=_STATIC[name])

    def icon(request: Request) -> Response:
        return RedirectResponse("/static/icon.svg")

    async def bad_query(request: Request, error: Exception) -> Response:
        return problem(400, f"The address can't be read: {error}.")

    async def not_found(request: Request, error: Exception) -> Response:
        return problem(404, "There is no such page.")

    async def not_allowed(request: Request, error: Exception) -> Response:
        found = problem(405, "Pages can only be read: GET.")
        found.headers["Allow"] = "GET, HEAD"
        return found

    async def failed(request: Request, error: Exception) -> Response:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:300]
        return problem(500, f"The run's tables can't be read any more: {reason}")

    faults = (duckdb.Error, pyarrow.ArrowException, OSError)
    return Starlette(
        routes=[
            Route("/", show_list, methods=["GET"]),
            Route(f"/{run.noun}/{{row:str}}", show_row, methods=["GET"]),
            Route("/export.csv", export_csv, methods=["GET"]),
            Route("/export.parquet", export_parquet, methods=["GET"]),
            Route("/static/{name:str}", show_static, methods=["GET"]),
            Route("/favicon.ico", icon, methods=["GET"]),
        ],
        middleware=[Middleware(Guards, faults=faults)],
        exception_handlers={
            BadQuery: bad_query,
            404: not_found,
            405: not_allowed,
            **dict.fromkeys(faults, failed),
        },
    )


def row_renderer(
    run: TableRun, samples: Samples, scratch: Path
) -> Callable[[View, int], str | None]:
    """Return what makes the page of one row of a view; None where there is no such row."""
    if isinstance(run, RubricRun):
        return partial(render_rubric, samples, run)
    if not isinstance(run, ViewedRun):
        raise TypeError(f"no pages for {type(run).__name__}")
    records = Records(run, scratch, samples.ids)
    return partial(render_sample, samples, records, Background(run), Pairs(run))


def open_samples(run: TableRun, scratch: Path) -> Samples:
    """Open a run's tables; a damaged one is told as bad input."""
    import duckdb
    import pyarrow

    from eval_tiers.exceptions import BadInputError, Problem, SourceRef

    try:
        return Samples(run, scratch)
    except (duckdb.Error, pyarrow.ArrowException) as error:
        raise BadInputError(
            Problem(
                "damaged-file",
                f"the run's tables can't be read: {str(error).splitlines()[0]}",
                SourceRef(str(run.samples)),
                "copy the run again, or evaluate again",
            )
        ) from error
