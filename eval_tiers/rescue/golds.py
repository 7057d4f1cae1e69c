"""What a control is made from: a sample of the run and its gold chain.

Source: specification of tier 4, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from eval_tiers.rescue.cases import Case, SampleKey, Step

UP, DOWN = "up", "down"
SIGN_OF_ANSWER: Final = {UP: 1, DOWN: -1}
OPPOSITE: Final = {UP: DOWN, DOWN: UP}


@dataclass(frozen=True, slots=True)
class GoldChain:
    """A question of the run with its gold answer and chain, whatever a model said to it.

    Attributes
    ----------
    key, question, labels, gold_answer, perturbation, readout, perturbation_sign, cluster, benchmark
        As in `eval_tiers.rescue.cases.Case`.
    chain : tuple of Step
        The gold chain, distinct pairs, names spelled as the graph matches its own (as in
        ``chains_<ts>.parquet``); the ends may be spelled as in the gold file.
    implied_answer : str or None
        Label that the gold chain implies.
    """

    key: SampleKey
    question: str
    labels: tuple[str, ...]
    gold_answer: str
    chain: tuple[Step, ...]
    implied_answer: str | None
    perturbation: str | None
    readout: str | None
    perturbation_sign: int
    cluster: str = ""
    benchmark: str = "perturbreason"

    @property
    def is_consistent(self) -> bool:
        """Whether the chain implies the gold answer, a direction, between two known ends."""
        return (
            self.gold_answer in OPPOSITE
            and self.implied_answer == self.gold_answer
            and self.perturbation_sign in (1, -1)
            and None not in (self.perturbation, self.readout)
        )


@dataclass(frozen=True, slots=True)
class Control:
    """A case whose right verdict is known because it was made that way.

    Attributes
    ----------
    case : Case
        Of the same form as a hard case; its text is empty and its key that of the sample that it
        was made from. Statuses, `implied_answer`, `sign_match` and the error label are those that
        the tiers give it once `eval_tiers.pipeline.rescue.relabel` has been over it.
    truth : str
        The right verdict.
    variant : str
        How it was made: ``gold_chain``, ``rerouted_gold``, ``supported_route``,
        ``sign_against_graph``, ``edge_not_in_graph``; of citations see
        `eval_tiers.rescue.citation_controls`.
    """

    case: Case
    truth: str
    variant: str


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Controls of one truth that the run could not supply.

    Attributes
    ----------
    kind, truth, reason : str
    wanted, made : int
    """

    kind: str
    truth: str
    wanted: int
    made: int
    reason: str
