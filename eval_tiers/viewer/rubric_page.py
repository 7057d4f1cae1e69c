"""The page of one rubric of one sample."""

from __future__ import annotations

from eval_tiers.viewer.highlight import MOST_CHARS
from eval_tiers.viewer.queries import Samples
from eval_tiers.viewer.rendering import render
from eval_tiers.viewer.rubric_run import DIMENSIONS, RubricRun
from eval_tiers.viewer.view_state import View


def render_rubric(samples: Samples, run: RubricRun, view: View, row: int) -> str | None:
    """Return the page of one rubric of one sample, None where there is no such row."""
    record = samples.sample(row)
    if record is None:
        return None
    judged = run.judged
    rubric = judged.rows[row]
    near = samples.neighbours(view, row, record)
    prompt, no_prompt = judged.prompt(rubric.sample_id)
    text, path, no_text = judged.report(rubric.sample_id)
    others = [(place, judged.rows[place]) for place in judged.rows_of[rubric.sample_id]]
    return render(
        "rubric.html",
        samples,
        view,
        row=row,
        rubric=rubric,
        near=near,
        total=samples.total(view),
        back=view.with_page(near.before_n // view.size + 1).query(),
        sample=judged.samples.get(rubric.sample_id, {}),
        dimensions=[(name, record[name]) for name in DIMENSIONS],
        prompt=prompt,
        no_prompt=no_prompt,
        text=text[:MOST_CHARS],
        left_out=max(0, len(text) - MOST_CHARS),
        path=path,
        no_text=no_text,
        others=others,
    )
