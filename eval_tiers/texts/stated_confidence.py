"""The confidence that a prediction record states: in its answer, and in each label."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Final

from eval_tiers.texts.replies import first_object

CONFIDENCE: Final = "confidence"
LABEL_PROB: Final = "label_prob"
FIELDS: Final = (CONFIDENCE, LABEL_PROB)
ANSWER_KEYS: Final = frozenset({"answer", "prediction", "label", "response"})
"""One of them is in the JSON object of a reply."""

_MENTIONED = re.compile(r'"(?:confidence|label_prob)"', re.IGNORECASE)
_SUM_TOLERANCE: Final = 0.02  # probabilities of three labels, rounded to two decimals


@dataclass(frozen=True, slots=True)
class StatedConfidence:
    """What a record states.

    Attributes
    ----------
    confidence : float or None
        Probability that its answer is right.
    label_prob : tuple of float or None
        Probability of each label, in the order of the vocabulary; they add up to 1.
    problem : str or None
        Why a value that is there can't be taken.
    """

    confidence: float | None
    label_prob: tuple[float, ...] | None
    problem: str | None = None


def read_stated(
    confidence: object, label_prob: object, labels: tuple[str, ...]
) -> StatedConfidence | None:
    """Read the fields ``confidence`` and ``label_prob`` of a record; None where neither is given.

    Parameters
    ----------
    confidence : object
        A number from 0 to 1, or its digits.
    label_prob : object
        An object from label (in any case) to probability, or its JSON. Labels left out have 0; the
        sum may be off 1 by .02 and is brought to 1.
    labels : tuple of str
        The vocabulary.

    Examples
    --------
    >>> read_stated(0.9, {"Up": 0.9, "down": 0.1}, ("up", "down", "unchanged"))
    StatedConfidence(confidence=0.9, label_prob=(0.9, 0.1, 0.0), problem=None)
    >>> read_stated("high", None, ("up", "down")).problem
    "confidence is 'high', no number from 0 to 1"
    """
    if _blank(confidence) and _blank(label_prob):
        return None
    problems = []
    number: float | None = None
    if not _blank(confidence):
        number = _probability(confidence)
        if number is None:
            problems.append(f"{CONFIDENCE} is {_short(confidence)}, no number from 0 to 1")
    shares: tuple[float, ...] | None = None
    if not _blank(label_prob):
        found = _shares(label_prob, labels)
        if isinstance(found, str):
            problems.append(f"{LABEL_PROB} {found}")
        else:
            shares = found
    return StatedConfidence(number, shares, "; ".join(problems) or None)


def stated_in_reply(text: object) -> tuple[object, object]:
    """Return ``confidence`` and ``label_prob`` of the JSON object that a reply answers with.

    Parameters
    ----------
    text : object
        What a model wrote; anything but a text states nothing.

    Examples
    --------
    >>> stated_in_reply('So: {"answer": "up", "confidence": 0.7}')
    (0.7, None)
    >>> stated_in_reply("up, confidence 0.7")
    (None, None)
    """
    if not isinstance(text, str) or not _MENTIONED.search(text):
        return None, None
    fields = first_object(text, ANSWER_KEYS)
    if fields is None:
        return None, None
    lowered = {str(key).casefold(): value for key, value in fields.items()}
    return lowered.get(CONFIDENCE), lowered.get(LABEL_PROB)


def _blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _probability(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= 1 else None  # nan is neither


def _shares(value: object, labels: tuple[str, ...]) -> tuple[float, ...] | str:
    """Return the probabilities in the order of the labels, or what is wrong with them."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return "is no JSON object"
    if not isinstance(value, dict):
        return f"is {_short(value)}, no object from label to probability"
    codes = {word: code for code, word in enumerate(labels)}
    found = [0.0] * len(labels)
    seen = set()
    for key, share in value.items():
        code = codes.get(str(key).strip().casefold())
        number = _probability(share)
        if code is None:
            return f"has {_short(key)}, which is none of {', '.join(labels)}"
        if number is None:
            return f"gives {labels[code]} {_short(share)}, no number from 0 to 1"
        if code in seen:
            return f"gives {labels[code]} twice"
        seen.add(code)
        found[code] = number
    total = math.fsum(found)
    if abs(total - 1) > _SUM_TOLERANCE:
        return f"adds up to {total:.3g}, not 1"
    return tuple(share / total for share in found) if total != 1 else tuple(found)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
