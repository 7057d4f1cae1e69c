"""Error labels, edge statuses and chain validity: names, codes, and what they mean."""

from __future__ import annotations

from typing import Final

ERROR_LABELS: Final = (
    "CORRECT",
    "CORRECT_HALLUCINATED_EDGE",
    "CORRECT_RIGHT_FOR_WRONG_REASON",
    "CORRECT_SIGN_FLIP",
    "WRONG_HALLUCINATED_EDGE",
    "WRONG_NO_PATH",
    "WRONG_SIGN_FLIP",
    "WRONG_CORRECT_CHAIN",
    "PARSE_FAIL",
    "UNCLASSIFIED",
)
"""The ten error labels; a label's code is its place here, -1 stands for none."""

ERROR_LABEL_CODES: Final = {name: code for code, name in enumerate(ERROR_LABELS)}

HARD_LABELS: Final = frozenset(
    {
        "CORRECT_HALLUCINATED_EDGE",
        "CORRECT_RIGHT_FOR_WRONG_REASON",
        "WRONG_CORRECT_CHAIN",
        "PARSE_FAIL",
    }
)
"""Labels that rules can't settle: what tier 4 sends to an examiner."""

EDGE_STATUSES: Final = (
    "supported",
    "unsigned_in_kg",
    "sign_contradicted",
    "unknown_node",
    "reversed",
    "shortcut",
    "absent",
)
"""Statuses of a predicted pair against the KG, first that holds; the first three are in the KG."""

STATUS_CODES: Final = {name: code for code, name in enumerate(EDGE_STATUSES)}

CHAIN_VALIDITIES: Final = ("valid", "unverifiable", "invalid")
"""Whether a chain, judged without the gold chain, carries the answer it is given for."""

VALIDITY_CODES: Final = {name: code for code, name in enumerate(CHAIN_VALIDITIES)}
