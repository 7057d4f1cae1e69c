"""Cases to ask about, from the hand-worked fixture and of the other benchmark."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from eval_tiers.domain import labels, rr10
from eval_tiers.rescue.cases import Case, Step

GOLD_CHAIN = (Step("P", 1, "A", "supported"), Step("A", -1, "B", "supported"),
              Step("B", 1, "E", "supported"))  # fmt: skip

WRONG_CHAIN = Case(
    key=("s05", "id_test", "chemical", None),
    benchmark="perturbreason",
    kind="wrong_correct_chain",
    error_label="WRONG_CORRECT_CHAIN",
    question="What does P do to E?",
    labels=labels.LABELS,
    gold_answer="down",
    predicted_answer="up",
    chain=GOLD_CHAIN,
    gold_chain=tuple(replace(step, status=None) for step in GOLD_CHAIN),
    implied_answer="down",
    sign_match=1.0,
    evidence=("P -[+]-> A", "A -[-]-> B", "B -[+]-> E", "P -[+]-> C", "C -[-]-> E"),
    perturbation="P",
    readout="E",
    perturbation_sign=1,
    cluster="P",
)

RIGHT_ANSWER = replace(
    WRONG_CHAIN,
    kind="correct_wrong_reason",
    error_label="CORRECT_RIGHT_FOR_WRONG_REASON",
    predicted_answer="down",
    chain=(Step("P", 1, "C", "supported"), Step("C", -1, "E", "supported")),
)

UNREAD = replace(
    WRONG_CHAIN,
    kind="parse_fail",
    error_label="PARSE_FAIL",
    predicted_answer=None,
    text="I think so. The final answer is: down.",
)

RR10 = Case(
    key=("OSDR-FRAG-00001", None, None, None),
    benchmark="rr10",
    kind="wrong_correct_chain",
    error_label="WRONG_CORRECT_CHAIN",
    question="Is Fos up or down in the liver?",
    labels=rr10.LABELS,
    gold_answer="indeterminate",
    predicted_answer="upregulated",
    chain=(Step("Fos", 1, "OSD-48", "SUPPORTED"), Step("Fos", -1, "OSD-137", "SUPPORTED")),
    gold_chain=(Step("Fos", 1, "OSD-48"), Step("Fos", -1, "OSD-137")),
    implied_answer="indeterminate",
    evidence=("OSD-48; log2FC: 1.2; q: 0.01", "OSD-137; log2FC: -0.8; q: 0.2"),
    readout="Fos",
    cluster="pair-1",
)


def user_message(request: dict[str, Any]) -> str:
    """Return what the user says in a request."""
    return str(request["body"]["messages"][1]["content"])


def everything_shown(request: dict[str, Any]) -> str:
    """Return all that an examiner sees."""
    return "\n".join(message["content"] for message in request["body"]["messages"])
