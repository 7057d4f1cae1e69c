"""A report as one HTML page: no script, no network, everything that is a user's escaped."""

from __future__ import annotations

from typing import Any

from eval_tiers.report.html.model import Report
from eval_tiers.report.lines import visible


def render_report(report: Report) -> bytes:
    """Return the page as UTF-8.

    Control characters, those that turn the direction of text too, are shown as escapes; what is no
    valid Unicode as well. Charts are inline SVG, put together in
    `eval_tiers.report.html.svg`, which escapes its texts.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("eval_tiers.report.html", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    page = environment.get_template("report.html").render(report=report)
    return page.encode("utf-8", "backslashreplace")


def _shown(value: Any) -> Any:
    """Return a text with its control characters visible; markup stays as it is."""
    return visible(value) if type(value) is str else value
