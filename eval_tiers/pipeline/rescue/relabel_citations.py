"""Holds controls that cite datasets against our own tiers, as their cases were held.

Source: specification of tier 4, section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from eval_tiers.domain.rr10 import CITATION_VERDICTS, LABELS, NO_LABEL, Item
from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.kg.provenance import ProvenanceGraph
from eval_tiers.pipeline.rescue.citation_cases import provenance_line
from eval_tiers.rescue.cases import Case, Step
from eval_tiers.rescue.golds import Control
from eval_tiers.settings import Settings
from eval_tiers.texts.citations import Citation
from eval_tiers.tiers.citations import judge_citations, sum_up
from eval_tiers.tiers.evidence_labels import evidence_label, is_hard


def relabel_citation_controls(
    controls: Sequence[Control],
    items: Iterable[Item],
    provenance: ProvenanceGraph,
    settings: Settings,
) -> list[Control]:
    """Return the controls that are hard by their own error label, with what the tiers say of them.

    Parameters
    ----------
    controls : sequence of Control
        Of citations.
    items : iterable of Item
        The items that they were made from, and maybe others.
    provenance : ProvenanceGraph
    settings : Settings
        Those of the run.

    Returns
    -------
    list of Control
        In their order. Steps have `status`; `implied_answer` and `contradicted_n` are those of
        the tiers; the evidence is the item's provenance. Cherry-picked evidence is no hard case.
    """
    by_id = {item.sample_id: item for item in items}
    kept = []
    for control in controls:
        item = by_id[control.case.key[0]]
        case, hard = as_scored(control.case, item, provenance, settings)
        if hard and case.error_label == control.case.error_label:
            kept.append(replace(control, case=case))
    return kept


def as_scored(
    case: Case, item: Item, provenance: ProvenanceGraph, settings: Settings
) -> tuple[Case, bool]:
    """Return a case with what the tiers give it, and whether that makes it a hard one."""
    cited = [
        Citation(step.source, step.sign, step.target, None, None, False, repr(step), False)
        for step in case.chain
    ]
    judged = judge_citations(item, cited, provenance)
    facts = sum_up(item, judged)
    predicted = LABELS.index(case.predicted_answer) if case.predicted_answer else NO_LABEL
    label, detail = evidence_label(
        item.label,
        predicted,
        facts,
        True,
        settings.hallucination_threshold,
        settings.coverage_threshold,
    )
    chain = tuple(
        Step(
            found.gene or found.citation.gene,
            found.citation.sign,
            found.dataset or found.citation.dataset,
            CITATION_VERDICTS[found.verdict],
        )
        for found in judged
    )
    scored = replace(
        case,
        error_label=ERROR_LABELS[label] if label >= 0 else "",
        chain=chain,
        implied_answer=LABELS[facts.implied] if facts.implied != NO_LABEL else None,
        contradicted_n=sum(step.status == "SIGN_MISREAD" for step in chain),
        evidence=tuple(map(provenance_line, item.provenance)),
    )
    return scored, is_hard(label, detail)
