"""Controls of a run, of the kind of evidence that its answers cite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from eval_tiers.io.rescue_run import RescueRun
from eval_tiers.pipeline.rescue.cases import CaseSet
from eval_tiers.pipeline.rescue.evidence import EvidenceFinder
from eval_tiers.rescue.golds import Control
from eval_tiers.settings import Settings

if TYPE_CHECKING:
    from eval_tiers.kg.graph import SignedGraph
    from eval_tiers.kg.provenance import ProvenanceGraph
    from eval_tiers.rescue.drawing import ControlDraw


@dataclass(slots=True)
class DrawnControls:
    """Controls, and what could not be had, as JSON."""

    controls: list[Control] = field(default_factory=list)
    shortfalls: list[dict[str, Any]] = field(default_factory=list)


def draw_run_controls(
    found: CaseSet, run: RescueRun, wanted: int, seed: int, blind: bool
) -> DrawnControls:
    """Draw controls for the cases of an export.

    Parameters
    ----------
    found : CaseSet
    run : RescueRun
    wanted : int
        Of each truth; 0: none.
    seed : int
    blind : bool
        As the cases' evidence was gathered.
    """
    if not wanted or not found.cases:
        return DrawnControls()
    settings = Settings(**run.manifest["settings"])
    if found.graph is not None:
        drawn = _draw_chains(found, found.graph, settings, wanted, seed)
        evidence = EvidenceFinder(found.graph, blind)
        controls = [
            replace(one, case=replace(one.case, evidence=evidence.lines(one.case)))
            for one in drawn.controls
        ]
    elif found.provenance is not None:
        drawn = _draw_citations(found, found.provenance, settings, wanted, seed)
        controls = drawn.controls
    else:
        return DrawnControls()
    return DrawnControls(controls, [asdict(one) for one in drawn.shortfalls])


def _draw_chains(
    found: CaseSet, graph: SignedGraph, settings: Settings, wanted: int, seed: int
) -> ControlDraw:
    from eval_tiers.pipeline.rescue.relabel import relabel_controls
    from eval_tiers.rescue.controls import draw_controls

    def relabel(controls: Sequence[Control]) -> list[Control]:
        return relabel_controls(controls, graph, settings)

    return draw_controls(found.cases, found.golds, graph, wanted, seed, relabel)


def _draw_citations(
    found: CaseSet, provenance: ProvenanceGraph, settings: Settings, wanted: int, seed: int
) -> ControlDraw:
    from eval_tiers.formats.rr10 import pair_of
    from eval_tiers.pipeline.rescue.relabel_citations import relabel_citation_controls
    from eval_tiers.rescue.citation_controls import draw_citation_controls

    def relabel(controls: Sequence[Control]) -> list[Control]:
        return relabel_citation_controls(controls, found.items, provenance, settings)

    return draw_citation_controls(
        found.cases, found.items, provenance, wanted, seed, relabel,
        lambda item: pair_of(item.sample_id) or item.sample_id,
    )  # fmt: skip
