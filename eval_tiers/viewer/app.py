"""The routes of the web app: read-only, for this machine alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eval_tiers.viewer.background import Background
from eval_tiers.viewer.pages import render_list, render_problem, render_sample
from eval_tiers.viewer.queries import Samples
from eval_tiers.viewer.records import Records
from eval_tiers.viewer.run import ViewedRun
from eval_tiers.viewer.view_state import BadQuery, View, parse_view

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

HOSTS: Final = ("127.0.0.1", "localhost")
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_STATIC: Final = {
    "view.css": "text/css; charset=utf-8",
    "view.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


def build_app(run: ViewedRun, scratch: Path) -> Starlette:
    """Return the app over a run; `scratch` is a folder for copies of packed files.

    The tables are opened and looked through here, so that a damaged one is told at once.

    Raises
    ------
    BadInputError
        A table of the run can't be read.
    """
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
    from starlette.routing import Route

    samples = open_samples(run, scratch)
    records = Records(run, scratch, samples.ids)
    background = Background(run)
    static = {
        name: files("eval_tiers.viewer").joinpath("static", name).read_bytes() for name in _STATIC
    }

    def view_of(request: Request) -> View:
        return parse_view(request.query_params.multi_items(), samples.vocabulary, samples.sortable)

    def problem(status: int, message: str) -> Response:
        return HTMLResponse(render_problem(samples, status, message), status)

    def show_list(request: Request) -> Response:
        return HTMLResponse(render_list(samples, view_of(request)))

    def show_sample(request: Request) -> Response:
        row = int(request.path_params["row"])
        page = render_sample(samples, records, background, view_of(request), row)
        if page is None:
            return problem(404, f"The run has {samples.run.sample_n} samples; there is no {row}.")
        return HTMLResponse(page)

    def export(request: Request) -> Response:
        name = f"samples_{run.timestamp}_filtered.csv"
        return StreamingResponse(
            samples.export(view_of(request)),
            media_type="text/csv; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

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

    async def failed(request: Request, error: Exception) -> Response:
        return problem(500, f"The run's tables can't be read: {type(error).__name__}.")

    import duckdb
    import pyarrow

    return Starlette(
        routes=[
            Route("/", show_list, methods=["GET"]),
            Route("/sample/{row:int}", show_sample, methods=["GET"]),
            Route("/export.csv", export, methods=["GET"]),
            Route("/static/{name:str}", show_static, methods=["GET"]),
            Route("/favicon.ico", icon, methods=["GET"]),
        ],
        middleware=[
            Middleware(_Guarded),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(HOSTS)),
        ],
        exception_handlers={
            BadQuery: bad_query,
            404: not_found,
            duckdb.Error: failed,
            pyarrow.ArrowException: failed,
        },
    )


def open_samples(run: ViewedRun, scratch: Path) -> Samples:
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


class _Guarded:
    """Adds the headers that keep pages apart from everything else."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: dict, receive: Callable, send: Callable) -> None:  # type: ignore[type-arg]
        guards = [(key.lower().encode(), value.encode()) for key, value in _HEADERS.items()]

        async def send_guarded(message: dict) -> None:  # type: ignore[type-arg]
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *guards]}
            await send(message)

        await self._app(scope, receive, send_guarded)
