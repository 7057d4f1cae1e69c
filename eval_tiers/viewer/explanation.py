"""Why a sample has its error label, in words, from the columns that the rules read.

The rules are those of `eval_tiers.tiers.error_labels` and `evidence_labels`, in their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Sample = Mapping[str, Any]

EDGE_STATUS_MEANINGS: Final = {
    "supported": "the graph has the pair with this sign, or has a sign where none is claimed",
    "unsigned_in_kg": "the graph has the pair, without a sign",
    "sign_contradicted": "the graph has the pair, with the other sign",
    "unknown_node": "the graph lacks one of the two nodes",
    "reversed": "the graph has the pair the other way round",
    "shortcut": "the graph lacks the pair, and leads there in two steps",
    "absent": "the graph lacks the pair, and leads there in no two steps",
    "no_kg_for_organism": "no graph of this organism was given",
}

_DETAILS: Final = {
    "PARSE_FAIL": "the answer gives no valid label",
    "NOT_GIVEN": "answers were not to cite evidence",
    "UNCITED": "the answer cites nothing",
    "FABRICATED": "the share of citations that are made up or malformed is at or above its "
    "threshold",
    "ONE_SIDED": "the supported citations imply another answer than the one that is right",
    "LOW_COVERAGE": "fewer of the gold datasets are cited and hold than the threshold asks for",
    "SUPPORTED": "every citation holds",
    "PARTIAL": "the evidence carries the answer, though some citation failed",
    "CONTRADICTS_OWN_EVIDENCE": "the supported citations imply the gold label, not the answer",
    "CHERRY_PICKED": "the datasets disagree, and citations of one side only were given",
    "SIGN_MISREAD": "a published direction was misread",
}


def rests_on(sample: Sample, settings: Mapping[str, Any]) -> str:
    """Return a sentence on what the error label rests on.

    Parameters
    ----------
    sample : mapping
        A row of the samples table.
    settings : mapping
        Thresholds of the run's manifest.

    Examples
    --------
    >>> sample = {"error_label": "PARSE_FAIL", "parse_failure_reason": "no_answer_block"}
    >>> rests_on(sample, {})
    'No label could be read: no answer block.'
    """
    if "error_label" not in sample:
        return "Tier 2 did not run: there is no error label."
    if "evidence_detail" in sample:
        return _of_citations(sample)
    return _of_chain(sample, settings)


def _of_citations(sample: Sample) -> str:
    detail = sample["evidence_detail"]
    if detail is None:
        return "The run gives no detail for this label."
    if detail == "PARSE_FAIL" and sample.get("invalid_reason"):
        return f"No valid label could be read: {_words(sample['invalid_reason'])}."
    if detail == "SUPPORTED" and not sample["answer_correct"]:
        return "The answer is wrong although no citation failed; they imply no other answer."
    meaning = _DETAILS.get(str(detail))
    if meaning is None:
        meaning = "no citation carries the answer; the fault met most often is this verdict"
    return f"{detail}: {meaning}."


def _of_chain(sample: Sample, settings: Mapping[str, Any]) -> str:
    label = sample["error_label"]
    if label == "PARSE_FAIL":
        reason = sample["parse_failure_reason"]
        return f"No label could be read{f': {_words(reason)}' if reason else ''}."
    if label is None:
        return "The answer is right, and there is neither a gold chain nor ends to judge it by."
    if label == "UNCLASSIFIED":
        return "The answer is wrong, and there is neither a gold chain nor ends to judge it by."
    right = bool(sample["answer_correct"])
    answer = "right" if right else "wrong"
    if label.endswith("HALLUCINATED_EDGE"):
        return (
            f"The answer is {answer}, and the graph lacks {_share(sample['hallucination_rate'])} "
            f"of its pairs (threshold {_share(settings.get('hallucination_threshold'))})."
        )
    if label == "WRONG_NO_PATH":
        if sample["predicted_edge_n"] == 0:
            return "The answer is wrong, and it cites no edges."
        return "The answer is wrong, and its edges don't lead from perturbation to readout."
    if label == "WRONG_SIGN_FLIP":
        return f"The answer is wrong, with an odd number of signs turned: {sample['sign_flip_n']}."
    if label == "WRONG_CORRECT_CHAIN":
        return "The answer is wrong, and no rule finds a fault in its chain."
    if label == "CORRECT_SIGN_FLIP":
        return "The answer is right, with one sign of a shared pair turned."
    if label == "CORRECT_RIGHT_FOR_WRONG_REASON":
        return f"The answer is right, but {_wrong_reason(sample, settings)}."
    return "The answer is right, and no rule finds a fault in its chain."


def _wrong_reason(sample: Sample, settings: Mapping[str, Any]) -> str:
    faults = []
    if sample["connected"] is False:
        faults.append("its edges don't lead from perturbation to readout")
    threshold = settings.get("coverage_threshold")
    coverage = sample["chain_coverage"]
    if coverage is not None and threshold is not None and coverage < threshold:
        faults.append(
            f"it holds {_share(coverage)} of the gold pairs (threshold {_share(threshold)})"
        )
    if not faults and (sample["sign_flip_n"] or 0) >= 2:
        faults.append(f"{sample['sign_flip_n']} signs of shared pairs are turned")
    return " and ".join(faults) or "its chain isn't that of the gold"


def _share(value: Any) -> str:
    return "an unknown share" if value is None else f"{100 * float(value):.0f} %"


def _words(code: object) -> str:
    return str(code).replace("_", " ")
