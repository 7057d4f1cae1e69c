"""Labels of PerturbReason as codes: the vocabulary that the arrays hold."""

from __future__ import annotations

from typing import Final

LABELS: Final = ("up", "down", "unchanged")
"""Label words; a label's code is its place here, ``NO_LABEL`` stands for none."""

LABEL_CODES: Final = {word: code for code, word in enumerate(LABELS)}
UP: Final = 0
DOWN: Final = 1
UNCHANGED: Final = 2
NO_LABEL: Final = -1

PARSE_FAILURE_REASONS: Final = (
    "missing_prediction",
    "empty",
    "no_answer_block",
    "unclosed_block",
    "template_echo",
    "several_labels",
    "not_a_label",
)
"""Why the strict reading gives no label, in the order in which they are tried."""

REASON_CODES: Final = {name: code for code, name in enumerate(PARSE_FAILURE_REASONS)}
