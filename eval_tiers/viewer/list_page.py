"""The page with the list of a view's samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eval_tiers.viewer.queries import Samples
from eval_tiers.viewer.rendering import render
from eval_tiers.viewer.view_state import NULL, SIZES, View


def render_list(samples: Samples, view: View) -> str:
    """Return the page with the list of a view's samples."""
    counts = samples.counts(view)
    total = samples.total(view)
    rows = samples.page(view)
    first = (view.page - 1) * view.size
    others = [name for name in samples.vocabulary if name != samples.counted]
    return render(
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
            {
                "name": name,
                "values": samples.vocabulary[name],
                "is_cut": name in samples.cut,
                "chosen": view.values_of(name),
            }
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
