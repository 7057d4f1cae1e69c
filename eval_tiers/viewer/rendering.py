"""Puts data into templates. All text is escaped there."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from eval_tiers.viewer.highlight import visible
from eval_tiers.viewer.queries import Samples
from eval_tiers.viewer.view_state import View

if TYPE_CHECKING:
    import jinja2

TITLES: Final = {
    "sample_id": "sample", "pert_type": "type", "perturbation": "perturbation",
    "gold_label": "gold", "predicted_label": "predicted", "error_label": "error label",
    "evidence_detail": "rests on", "hard_case": "hard case", "edge_f1": "edge F1",
    "hallucination_rate": "hallucinated", "citation_precision": "precision",
    "evidence_recall": "recall", "go_sim": "GO sim.", "go_focus": "GO focus",
    "item_type": "item type", "answer_correct": "answer right", "cell_line": "cell line",
    "chain_validity": "chain validity", "parse_failure_reason": "no answer because",
    "invalid_reason": "no label because", "llm_rescue_verdict": "examiner's verdict",
    "error_label_after_rescue": "label after rescue", "confidence_band": "stated confidence",
    "citation_verdict": "a citation is", "edge_status": "a predicted edge is",
    "predicted_label_lenient": "predicted, leniently read", "connected": "chain leads to readout",
    "predicted_label_compat": "predicted, as the reference reads",
    "go_null_reason": "no GO because", "rubric_index": "rubric", "state": "where it ended",
    "unscored_reason": "no verdict because", "examiner_confidence": "confidence",
    "compliance_score": "compliance",
}  # fmt: skip


@cache
def environment() -> jinja2.Environment:
    """Return the templates; every value is escaped."""
    import jinja2

    found = jinja2.Environment(
        loader=jinja2.PackageLoader("eval_tiers.viewer", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["shown"] = shown
    found.filters["visible"] = lambda value: visible(str(value))
    found.globals["title_of"] = lambda name: TITLES.get(name, name.replace("_", " "))
    return found


def shown(value: object) -> str:
    """Return a cell as it is shown: null as a dash, numbers with three decimals.

    Examples
    --------
    >>> shown(None), shown(True), shown(0.5), shown(3)
    ('–', 'yes', '0.500', '3')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) >= 0.001 or value == 0 else f"{value:.2e}"
    return visible(str(value))


def render(template: str, samples: Samples, view: View, **values: Any) -> str:
    """Return a template filled in; ``run``, ``samples``, ``view`` and ``query`` are added."""
    return (
        environment()
        .get_template(template)
        .render(run=samples.run, samples=samples, view=view, query=view.query(), **values)
    )


def render_problem(samples: Samples, status: int, message: str) -> str:
    """Return the page that says why there is none."""
    return render("problem.html", samples, View(), status=status, message=message)
