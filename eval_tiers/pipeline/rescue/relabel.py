"""Holds controls against our own tiers, as the cases they stand for were held.

Source: specification of tier 4, section 5: a control with another error label would measure the
examiner on questions that it is never asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.batch import Batch, Chains
from eval_tiers.domain.labels import LABEL_CODES, LABELS, NO_LABEL
from eval_tiers.domain.taxonomy import EDGE_STATUSES, ERROR_LABELS
from eval_tiers.kg.graph import SignedGraph
from eval_tiers.pipeline.scoring import ScoredBatch, score_batch
from eval_tiers.rescue.cases import Case, Step
from eval_tiers.rescue.golds import Control
from eval_tiers.settings import Settings
from eval_tiers.tiers.edges import EdgeSet
from eval_tiers.tiers.evidence import KgEvidence
from eval_tiers.tiers.paths import PathTrace


def relabel_controls(
    controls: Sequence[Control], graph: SignedGraph, settings: Settings
) -> list[Control]:
    """Return the controls that get their own error label, with all that the tiers say of them.

    Parameters
    ----------
    controls : sequence of Control
        Of chains; those of one list are scored as one batch.
    graph : SignedGraph
    settings : Settings
        Those of the run.

    Returns
    -------
    list of Control
        In their order. Steps have `status` and `on_path`; `implied_answer`, `sign_match` and
        `contradicted_n` are those of the tiers.
    """
    if not controls:
        return []
    batch = build_batch([control.case for control in controls], graph)
    scored = score_batch(batch, frozenset({1, 2}), settings, graph)
    cases = cases_as_scored([control.case for control in controls], scored)
    return [
        replace(control, case=case)
        for control, case in zip(controls, cases, strict=True)
        if case.error_label == control.case.error_label
    ]


def build_batch(cases: Sequence[Case], graph: SignedGraph) -> Batch:
    """Return cases of chains as a batch, as if a model had given their answers and chains.

    Names are spelled as the graph matches its own.
    """
    symbols: dict[str, int] = {}

    def codes(names: Sequence[str | None]) -> NDArray[np.int32]:
        return np.array(
            [
                -1 if name is None else symbols.setdefault(graph.matched_name(name), len(symbols))
                for name in names
            ],
            np.int32,
        )

    ends = [codes([getattr(case, end) for case in cases]) for end in ("perturbation", "readout")]
    sides = []
    for chains in ([case.gold_chain for case in cases], [case.chain for case in cases]):
        steps = [(row, step) for row, chain in enumerate(chains) for step in chain]
        sides.append(
            Chains(
                np.array([row for row, _ in steps], np.int32),
                codes([step.source for _, step in steps]),
                np.array([step.sign for _, step in steps], np.int8),
                codes([step.target for _, step in steps]),
            )
        )
    n = len(cases)
    return Batch(
        n=n,
        columns={
            "gold_label": np.array([LABEL_CODES[case.gold_answer] for case in cases], np.int8),
            "predicted_label": np.array(
                [LABEL_CODES.get(case.predicted_answer or "", NO_LABEL) for case in cases], np.int8
            ),
            "perturbation_sign": np.array([case.perturbation_sign for case in cases], np.int8),
        },
        symbols=list(symbols),
        perturbation=ends[0],
        readout=ends[1],
        has_gold_chain=np.ones(n, np.bool_),
        gold=sides[0],
        predicted=sides[1],
        item=np.arange(n, dtype=np.int32),
    )


def cases_as_scored(cases: Sequence[Case], scored: ScoredBatch) -> list[Case]:
    """Return cases with what the tiers gave them; an error label of none is blank."""
    columns = scored.columns
    predicted = _steps_of(
        scored, scored.predicted, scored.predicted_evidence, scored.predicted_trace
    )
    gold = _steps_of(scored, scored.gold, scored.gold_evidence, scored.gold_trace)
    found = []
    for row, case in enumerate(cases):
        label, implied = int(columns["error_label"][row]), int(columns["implied_answer"][row])
        sign_match = float(columns["sign_match"][row])
        found.append(
            replace(
                case,
                error_label=ERROR_LABELS[label] if label >= 0 else "",
                chain=predicted[row],
                gold_chain=gold[row],
                implied_answer=LABELS[implied] if implied >= 0 else None,
                sign_match=None if np.isnan(sign_match) else sign_match,
                contradicted_n=sum(step.status == "sign_contradicted" for step in predicted[row]),
            )
        )
    return found


def _steps_of(
    scored: ScoredBatch, edges: EdgeSet, evidence: KgEvidence | None, trace: PathTrace | None
) -> list[tuple[Step, ...]]:
    """Return the distinct edges of each sample in the order of the text."""
    if evidence is None or trace is None:
        raise ValueError("tier 2 has not run")
    names = scored.batch.symbols
    steps: list[list[Step]] = [[] for _ in range(scored.batch.n)]
    for place in np.lexsort((edges.first, edges.sample)).tolist():
        on_path = int(trace.on_path[place])
        steps[int(edges.sample[place])].append(
            Step(
                names[int(edges.source[place])],
                int(edges.sign[place]),
                names[int(edges.target[place])],
                EDGE_STATUSES[int(evidence.status[place])],
                None if on_path < 0 else on_path == 1,
            )
        )
    return [tuple(found) for found in steps]
