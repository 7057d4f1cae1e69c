"""A hard case as the examiner is to see it, whatever the benchmark.

Source: specification of tier 4, sections 1 and 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SAMPLE_KEY: Final = ("sample_id", "split", "pert_type", "rollout")
SampleKey = tuple[str, str | None, str | None, str | None]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a chain: an edge, or a citation.

    Attributes
    ----------
    source, target : str
        Gene and gene, or gene and dataset.
    sign : int
        +1, -1 or 0 (unsigned).
    status : str or None
        What the knowledge graph says of an edge (`eval_tiers.domain.taxonomy.EDGE_STATUSES`), or
        the verdict on a citation (`eval_tiers.domain.rr10.CITATION_VERDICTS`); None where nobody
        looked.
    on_path : bool or None
        The step lies on a path from perturbation to readout; None where that isn't known.
    """

    source: str
    sign: int
    target: str
    status: str | None = None
    on_path: bool | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One hard sample, or a control that looks like one.

    Attributes
    ----------
    key : SampleKey
        sample_id, split, pert_type, rollout; those that a benchmark lacks are None.
    benchmark : str
        Name of the format: ``perturbreason``, ``rr10``.
    kind : str
        Name of the kind of question (`eval_tiers.rescue.registry`).
    error_label : str
        As the tiers gave it.
    question : str
        As put to the model.
    labels : tuple of str
        The benchmark's label words.
    gold_answer : str
    predicted_answer : str or None
        None for a parse failure.
    text : str
        What the model wrote; empty for a control.
    chain, gold_chain : tuple of Step
        As cited, and as in gold.
    implied_answer : str or None
        Label that the chain implies by sign algebra (or by its supported citations).
    sign_match : float or None
        Share of the pairs shared with the gold chain whose signs agree; None where none is shared
        or the benchmark has none.
    contradicted_n : int
        Steps whose sign the graph or the provenance contradicts.
    evidence : tuple of str
        Lines of what is known: edges of the graph between the chain's nodes and along routes
        between its ends, or provenance rows.
    perturbation, readout : str or None
        Ends of the chain; the gene for RR-10 (as readout).
    perturbation_sign : int
        +1, -1, 0 unknown.
    cluster : str
        What cases that aren't independent share: perturbation, or pair.
    """

    key: SampleKey
    benchmark: str
    kind: str
    error_label: str
    question: str
    labels: tuple[str, ...]
    gold_answer: str
    predicted_answer: str | None
    text: str = ""
    chain: tuple[Step, ...] = ()
    gold_chain: tuple[Step, ...] = ()
    implied_answer: str | None = None
    sign_match: float | None = None
    contradicted_n: int = 0
    evidence: tuple[str, ...] = ()
    perturbation: str | None = None
    readout: str | None = None
    perturbation_sign: int = 0
    cluster: str = ""
