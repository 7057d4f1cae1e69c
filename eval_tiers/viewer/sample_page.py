"""The page of one sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from eval_tiers.viewer import table_columns
from eval_tiers.viewer.background import Background
from eval_tiers.viewer.chain_drawing import draw_chain
from eval_tiers.viewer.explanation import EDGE_STATUS_MEANINGS, rests_on
from eval_tiers.viewer.highlight import MOST_CHARS, chain_marks, citation_marks, segments
from eval_tiers.viewer.pairs import Pairs
from eval_tiers.viewer.queries import Samples
from eval_tiers.viewer.records import Found, Records
from eval_tiers.viewer.rendering import render
from eval_tiers.viewer.view_state import View

_GO_COLUMNS: Final = (
    "go_sim", "go_sim_ref", "go_trivial", "go_null_mean", "go_null_p95", "go_focus",
)  # fmt: skip


def render_sample(
    samples: Samples,
    records: Records,
    background: Background,
    pairs: Pairs,
    view: View,
    row: int,
) -> str | None:
    """Return the page of one sample, None where there is no such row."""
    sample = samples.sample(row)
    if sample is None:
        return None
    total = samples.total(view)
    near = samples.neighbours(view, row, sample)
    edges = samples.edges(sample, row)
    citations = samples.citations(sample, row)
    gold = records.gold(sample)
    prediction = records.prediction(sample, samples.text_place(sample, row))
    start, end = (sample.get(name) for name in ("perturbation", "readout"))
    is_cited = records.run.is_cited
    if is_cited:
        start, end = None, sample.get("gene")
    return render(
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
        stated=_stated(samples, row),
        pair=pairs.of(sample),
        partners=samples.others_of_pair(sample, row),
        go=[(name, sample[name]) for name in _GO_COLUMNS if name in sample],
        columns=table_columns.described(records.run.is_cited),
    )


def _stated(samples: Samples, row: int) -> dict[str, Any] | None:
    """Return the stated confidence, with the labels' probabilities apart."""
    stated = samples.stated(row)
    if stated is None:
        return None
    given = {
        name.removeprefix("prob_"): value
        for name, value in stated.items()
        if name.startswith("prob_") and value is not None
    }
    return stated | {"label_prob": given}


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
        if records.run.is_cited:
            marks = citation_marks(text, _verdicts(citations), _claim(records, prediction.record))
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


def _claim(records: Records, record: Mapping[str, Any]) -> object:
    from eval_tiers.formats.base import RecordFault

    try:
        return getattr(records.run.benchmark.parse_prediction(record), "claim", None)
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
