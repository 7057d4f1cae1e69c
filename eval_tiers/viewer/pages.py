"""What the pages show: the data of each, put into its template. All text is escaped there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from eval_tiers.viewer import table_columns
from eval_tiers.viewer.background import Background
from eval_tiers.viewer.chain_drawing import draw_chain
from eval_tiers.viewer.explanation import EDGE_STATUS_MEANINGS, rests_on
from eval_tiers.viewer.highlight import (
    MOST_CHARS,
    chain_marks,
    citation_marks,
    segments,
    visible,
)
from eval_tiers.viewer.queries import Samples
from eval_tiers.viewer.records import Found, Records
from eval_tiers.viewer.view_state import NULL, SIZES, View

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
    "error_label_after_rescue": "label after rescue",
}  # fmt: skip
_GO_COLUMNS: Final = (
    "go_sim", "go_sim_ref", "go_trivial", "go_null_mean", "go_null_p95", "go_focus",
)  # fmt: skip


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


def render_list(samples: Samples, view: View) -> str:
    """Return the page with the list of a view's samples."""
    counts = samples.counts(view)
    total = samples.total(view)
    rows = samples.page(view)
    first = (view.page - 1) * view.size
    others = [name for name in samples.vocabulary if name != samples.counted]
    return _render(
        "list.html",
        samples,
        view,
        rows=rows,
        total=total,
        first=first + 1,
        last=first + len(rows),
        page_n=max(1, -(-total // view.size)),
        labels=_label_bars(samples, view, counts),
        facets=[
            {"name": name, "values": samples.vocabulary[name], "chosen": view.values_of(name)}
            for name in others
        ],
        sizes=SIZES,
        null=NULL,
    )


def _label_bars(
    samples: Samples, view: View, counts: Sequence[tuple[str, int]]
) -> list[dict[str, Any]]:
    most = max((n for _, n in counts), default=0) or 1
    counted = dict(counts)
    chosen = view.values_of(samples.counted)
    labels = [label for label, _ in counts]
    labels += [label for label in samples.vocabulary.get(samples.counted, ()) if label in chosen
               and label not in counted]  # fmt: skip
    return [
        {
            "label": label,
            "n": counted.get(label, 0),
            "width": round(100 * counted.get(label, 0) / most, 1),
            "chosen": label in chosen,
            "query": view.toggled(samples.counted, label).query(),
        }
        for label in labels
    ]


def render_sample(
    samples: Samples, records: Records, background: Background, view: View, row: int
) -> str | None:
    """Return the page of one sample, None where there is no such row."""
    sample = samples.sample(row)
    if sample is None:
        return None
    total = samples.total(view)
    near = samples.neighbours(view, row, sample)
    edges = samples.edges(sample)
    citations = samples.citations(sample)
    gold = records.gold(sample)
    prediction = records.prediction(sample, samples.text_place(sample))
    start, end = (sample.get(name) for name in ("perturbation", "readout"))
    is_cited = samples.run.is_cited
    if is_cited:
        start, end = None, sample.get("gene")
    return _render(
        "sample.html",
        samples,
        view,
        row=row,
        sample=sample,
        near=near,
        total=total,
        back=view.with_page(near.before_n // view.size + 1).query(),
        gold=gold,
        question=None if gold.record is None else records.question(gold.record),
        prediction=prediction,
        parts=_parts(samples, records, prediction, edges, citations),
        reason=rests_on(sample, samples.run.manifest.get("settings") or {}),
        drawing=draw_chain(edges, start, end),
        edges=edges,
        meanings=EDGE_STATUS_MEANINGS,
        citations=citations,
        ways=None if is_cited else background.ways(start, end),
        terms=None if is_cited or "go_sim" not in sample else background.terms(edges, start, end),
        rescue=samples.rescue(row),
        go=[(name, sample[name]) for name in _GO_COLUMNS if name in sample],
        columns=table_columns.described(samples.run.is_cited),
    )


def _parts(
    samples: Samples,
    records: Records,
    prediction: Found,
    edges: Sequence[Mapping[str, Any]],
    citations: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Return what the model wrote, field by field, cut at what is marked."""
    if prediction.record is None:
        return []
    statuses = {
        (str(edge["source"]).upper(), str(edge["target"]).upper()): str(edge["status"])
        for edge in edges
        if edge.get("side", "predicted") == "predicted"
    }
    found = []
    for part in records.written(prediction.record):
        text = part.text[:MOST_CHARS]
        if samples.run.is_cited:
            marks = citation_marks(text, _verdicts(citations), _claim(samples, prediction.record))
        else:
            marks = chain_marks(text, statuses)
        found.append(
            {
                "name": part.name,
                "segments": segments(text, marks),
                "left_out": len(part.text) - len(text),
                "empty": not text.strip(),
            }
        )
    return found


def _claim(samples: Samples, record: Mapping[str, Any]) -> object:
    from eval_tiers.formats.base import RecordFault

    try:
        return getattr(samples.run.benchmark.parse_prediction(record), "claim", None)
    except RecordFault:
        return None


def _verdicts(citations: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the verdicts on each dataset, by its number."""
    found: dict[str, list[str]] = {}
    for one in citations:
        number = str(one["dataset"] or "").rpartition("-")[2].lstrip("0")
        if number.isdecimal():
            verdicts = found.setdefault(number, [])
            if one["verdict"] not in verdicts:
                verdicts.append(str(one["verdict"]))
    return {number: ", ".join(verdicts) for number, verdicts in found.items()}


def render_problem(samples: Samples, status: int, message: str) -> str:
    """Return the page that says why there is none."""
    return _render("problem.html", samples, View(), status=status, message=message)


def _render(template: str, samples: Samples, view: View, **values: Any) -> str:
    return (
        environment()
        .get_template(template)
        .render(run=samples.run, samples=samples, view=view, query=view.query(), **values)
    )
