"""How probable each allowed value of a JSON field was, read off the log-probabilities of tokens.

Under a schema the engine lets only tokens through that keep the reply valid, so that the mass at
the field's first tokens is spread over the allowed values alone. The walk begins at the token with
the value's opening quote and follows the tokens that were written. At each, an alternative among
the most probable ones that only one value goes on with adds its mass to that value; the walk ends
where the written token leaves one value. An alternative that several values go on with, or that is
not among those listed, can't be put down to a value: that mass is left out and the rest made to add
up to 1, as long as it is at least `LEAST_MASS`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

LEAST_MASS: Final = 0.9
"""The share of the probability that has to be put down to values, for else there is no answer."""


def choice_probability(
    tokens: Sequence[Mapping[str, object]], field: str, choices: Sequence[str]
) -> dict[str, float] | None:
    """Give the probability of each choice.

    Parameters
    ----------
    tokens : sequence of mapping
        ``logprobs.content`` of a chat completion: ``token``, ``logprob``, ``top_logprobs`` of each
        token that was written.
    field : str
        Name of the field; its last value in the text counts.
    choices : sequence of str
        The allowed values.

    Returns
    -------
    dict or None
        Choice to probability, in the order of ``choices``, adding up to 1. None where the text has
        no such field with one of the values, or less than `LEAST_MASS` can be put down to values.

    Examples
    --------
    >>> written = [
    ...     {"token": '{"verdict":', "logprob": 0.0, "top_logprobs": []},
    ...     {"token": '"', "logprob": 0.0, "top_logprobs": [{"token": '"', "logprob": 0.0}]},
    ...     {"token": "YES", "logprob": math.log(0.8), "top_logprobs": [
    ...         {"token": "YES", "logprob": math.log(0.8)},
    ...         {"token": "NO", "logprob": math.log(0.2)}]},
    ...     {"token": '"}', "logprob": 0.0, "top_logprobs": []},
    ... ]
    >>> choice_probability(written, "verdict", ["YES", "NO"])
    {'YES': 0.8, 'NO': 0.2}
    """
    texts = [token.get("token") for token in tokens]
    if not choices or not all(isinstance(text, str) for text in texts):
        return None
    written = "".join(map(str, texts))
    found = [*re.finditer(r'(?<!\\)"' + re.escape(field) + r'"\s*:\s*"', written)]
    if not found:
        return None
    start = found[-1].end()
    values = [choice + '"' for choice in choices]
    if not any(written.startswith(value, start) for value in values):
        return None
    mass = _masses(tokens, start, values)
    known = sum(mass.values())
    if known < LEAST_MASS:
        return None
    return {choice: round(mass[choice + '"'] / known, 6) for choice in choices}


def _masses(
    tokens: Sequence[Mapping[str, object]], start: int, values: Sequence[str]
) -> dict[str, float]:
    """Return the mass of each value; ``start`` is where the value begins in the text."""
    mass = dict.fromkeys(values, 0.0)
    path, end, prefix = 1.0, 0, ""
    for token in tokens:
        text = str(token["token"])
        begin, end = end, end + len(text)
        if end < start:  # ends before the opening quote
            continue
        before = text[: max(start - begin, 0)]
        for other, probability in _alternatives(token):
            if other != text and other.startswith(before):
                goes_on = _fitting(prefix + other[len(before) :], values)
                if len(goes_on) == 1:
                    mass[goes_on[0]] += path * probability
        path *= _probability(token)
        prefix += text[len(before) :]
        goes_on = _fitting(prefix, values)
        if len(goes_on) == 1:
            mass[goes_on[0]] += path
            break
    return mass


def _fitting(prefix: str, values: Sequence[str]) -> list[str]:
    return [value for value in values if value.startswith(prefix) or prefix.startswith(value)]


def _alternatives(token: Mapping[str, object]) -> list[tuple[str, float]]:
    listed = token.get("top_logprobs")
    if not isinstance(listed, list):
        return []
    return [
        (str(other["token"]), _probability(other))
        for other in listed
        if isinstance(other, Mapping) and isinstance(other.get("token"), str)
    ]


def _probability(token: Mapping[str, object]) -> float:
    logprob = token.get("logprob")
    return math.exp(min(logprob, 0.0)) if isinstance(logprob, (int, float)) else 0.0
