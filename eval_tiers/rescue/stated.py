"""The answers that a text states by the plainest of signs; the reading is docs/rescue_symbolic.md.

More is read here than tier 1 reads: bare statements such as "Answer: down". Nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from eval_tiers.domain import labels as chain_labels
from eval_tiers.domain import rr10
from eval_tiers.rescue.kind import cites_datasets
from eval_tiers.texts.answers import read_text
from eval_tiers.texts.claims import read_claim
from eval_tiers.texts.replies import read_reply

_SPLIT_TAG = re.compile(r"< (?=/?[A-Za-z_]\w*>)")
_TRIPLETS = re.compile(r"<(?i:triplet)\s*>.*?(?:</(?i:triplet)\s*>|$)", re.DOTALL)
_THOUGHT = re.compile(r"</(?i:thinking|think)\s*>")
_STATED = re.compile(
    r"\b(?:answer|prediction|conclusion|verdict)\b[\s*_`\"']*(?:is|:|=)[\s*_`\"':]*([^.;\n]{1,80})",
    re.IGNORECASE,
)


def stated_answers(text: str, labels: Sequence[str]) -> list[str]:
    """Return the distinct labels that a text states as its answer, in the labels' order.

    Parameters
    ----------
    text : str
        As a prompt shows it; a blank that was put into a tag is taken out again.
    labels : sequence of str
        Those of PerturbReason or of RR-10; of any other benchmark nothing is read.

    Examples
    --------
    >>> stated_answers("So the final answer is: **down**.", ["up", "down", "unchanged"])
    ['down']
    >>> stated_answers("It may go up or down.", ["up", "down", "unchanged"])
    []
    """
    text = _SPLIT_TAG.sub("<", text)
    if cites_datasets(labels):
        found = {_rr10_label(part) for part in [*_claims(text), *_statements(text)]}
    else:
        block = read_text(text).lenient
        found = {block} if block >= 0 else {_chain_label(part) for part in _statements(text)}
    names = rr10.LABELS if cites_datasets(labels) else chain_labels.LABELS
    return [name for code, name in enumerate(names) if code in found and name in labels]


def _statements(text: str) -> list[str]:
    after = _THOUGHT.split(_TRIPLETS.sub(" ", text))[-1]
    return [match[1] for match in _STATED.finditer(after)]


def _chain_label(statement: str) -> int:
    return read_text(f"<answer>{statement}</answer>").lenient


def _claims(text: str) -> list[object]:
    reply = read_reply(text, {"prediction", "answer", "label"})
    if reply.fields is None:
        return [reply.answer]
    return [value for key, value in reply.fields.items() if key.casefold() in
            {"prediction", "answer", "label"}]  # fmt: skip


def _rr10_label(value: object) -> int:
    return read_claim(value)[0]
