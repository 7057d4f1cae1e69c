"""How often the graph supports either answer: ends joined by routes of both signs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from eval_tiers.io.rescue_run import RescueRun

if TYPE_CHECKING:
    from eval_tiers.kg.graph import SignedGraph

LONGEST: Final = 3


def both_signs_figures(run: RescueRun, graph: SignedGraph | None) -> dict[str, Any]:
    """Return the share of samples whose ends the graph joins by routes of both signs.

    Walks of at most three edges of one sign count. Null for a benchmark without a graph, and
    where no sample has both ends.
    """
    names = ("both_sign_routes_rate", "both_sign_routes_n")
    if graph is None:
        return dict.fromkeys(names)
    from eval_tiers.kg.routes import joined_by_both_signs

    ends = [
        (start.strip().upper(), end.strip().upper())
        for start, end in zip(
            run.samples.column("perturbation"), run.samples.column("readout"), strict=True
        )
        if start is not None and end is not None
    ]
    if not ends:
        return dict(zip(names, (None, 0), strict=True))
    source, target = (graph.ids_of(end[side] for end in ends).astype("int64") for side in (0, 1))
    joined = joined_by_both_signs(graph, source, target, LONGEST)
    return dict(zip(names, (float(joined.mean()), len(ends)), strict=True))
