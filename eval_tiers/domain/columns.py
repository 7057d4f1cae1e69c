"""The columns of the samples table: name, kind, tier, meaning. The one list that all follow.

Source: specification of PerturbReason, section 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from eval_tiers.domain.labels import LABELS, PARSE_FAILURE_REASONS
from eval_tiers.domain.taxonomy import CHAIN_VALIDITIES, EDGE_STATUSES, ERROR_LABELS

Kind = Literal["text", "count", "sign", "flag", "code", "number"]

GO_NULL_REASONS: Final = (
    "no_gold_chain",
    "no_gold_gene",
    "gold_unannotated",
    "no_predicted_gene",
    "predicted_unannotated",
    "zero_weight",
)
"""Why `go_sim` is null, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the samples table.

    Attributes
    ----------
    name : str
    kind : {"text", "count", "sign", "flag", "code", "number"}
        How a batch holds it: ``text`` a list of str or None; ``count`` int64, -1 null; ``sign``
        int8, 0 null; ``flag`` int8 or bool, -1 null; ``code`` int8 into `words`, -1 null;
        ``number`` float64, nan null.
    tier : int
        The tier that gives it; the column is absent when it did not run. 0: always there.
    meaning : str
    words : tuple of str
        What the codes stand for.
    """

    name: str
    kind: Kind
    tier: int
    meaning: str
    words: tuple[str, ...] = ()


SAMPLE_COLUMNS: Final[tuple[Column, ...]] = (
    Column("sample_id", "text", 0, "id of the gold record, as text"),
    Column("split", "text", 0, "split folder"),
    Column("pert_type", "text", 0, "chemical or genetic"),
    Column("cell_line", "text", 0, "cell line of the question"),
    Column("perturbation_sign", "sign", 0, "+1 raises, -1 lowers what is perturbed"),
    Column("perturbation", "text", 0, "what is perturbed; chains start here"),
    Column("readout", "text", 0, "gene that is read out; chains end here"),
    Column("rollout", "text", 0, "which of several answers to the question"),
    Column("gold_label", "code", 0, "right answer", LABELS),
    Column("predicted_label", "code", 0, "answer by the strict reading", LABELS),
    Column("predicted_label_lenient", "code", 0, "answer by the lenient reading", LABELS),
    Column("parse_failure_reason", "code", 0, "why there is no answer", PARSE_FAILURE_REASONS),
    Column("answer_correct", "flag", 1, "the strict answer is the gold label"),
    Column("gold_edge_n", "count", 2, "distinct gold pairs; null without a gold chain"),
    Column("predicted_edge_n", "count", 2, "distinct predicted pairs"),
    Column("dropped_edge_n", "count", 2, "elements of the triplet block that are no triples"),
    Column("edge_precision", "number", 2, "predicted edges that are gold, with their sign"),
    Column("edge_recall", "number", 2, "gold edges that were predicted, with their sign"),
    Column("edge_f1", "number", 2, "F1 on (source, sign, target)"),
    Column("edge_f1_relaxed", "number", 2, "F1 on (source, target)"),
    Column("connected", "flag", 2, "the predicted edges lead from perturbation to readout"),
    Column("kg_connected", "flag", 2, "so do those that the KG has"),
    Column("chain_coverage", "number", 2, "gold pairs that were predicted, sign aside"),
    Column("sign_match", "number", 2, "shared pairs whose signs don't disagree"),
    Column("sign_flip_n", "count", 2, "shared pairs with opposite signs"),
    Column("kg_sign_match", "number", 2, "pairs in the KG whose sign the KG has"),
    Column("implied_answer", "code", 2, "answer that the predicted chain implies", LABELS),
    Column("gold_implied_answer", "code", 2, "answer that the gold chain implies", LABELS),
    Column("hallucination_rate", "number", 2, "predicted pairs that the KG lacks"),
    Column("hallucination_rate_excl_gold", "number", 2, "the same, gold pairs never counting"),
    Column("in_kg_rate", "number", 2, "1 - hallucination_rate"),
    *(
        Column(f"edge_status_{status}_n", "count", 2, f"predicted pairs that are {status}")
        for status in EDGE_STATUSES
    ),
    Column("off_path_edge_n", "count", 2, "predicted pairs on no path to the readout"),
    Column("error_label", "code", 2, "what is wrong with the answer or its chain", ERROR_LABELS),
    Column("hard_case", "flag", 2, "rules can't settle it: for the examiner"),
    Column("chain_validity", "code", 2, "whether the chain carries the answer", CHAIN_VALIDITIES),
    Column("go_sim", "number", 3, "GO similarity of the intermediate genes"),
    Column("go_sim_ref", "number", 3, "the same as the reference reads it"),
    Column("go_trivial", "flag", 3, "1 because the intermediate genes are the same"),
    Column("go_null_reason", "code", 3, "why go_sim is null", GO_NULL_REASONS),
    Column("go_null_mean", "number", 3, "mean similarity of random gene sets of like annotation"),
    Column("go_null_p95", "number", 3, "their 95th percentile"),
    Column("source_path", "text", 0, "gold file"),
    Column("source_line", "count", 0, "line of the gold record"),
    Column("prediction_path", "text", 0, "prediction file"),
    Column("prediction_line", "count", 0, "first line of the prediction"),
)


def columns_for(tiers: frozenset[int]) -> tuple[Column, ...]:
    """Return the columns of a run of these tiers, in order."""
    return tuple(column for column in SAMPLE_COLUMNS if column.tier == 0 or column.tier in tiers)
