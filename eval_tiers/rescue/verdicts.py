"""The verdict of a reply's text, or the name of what is wrong with it.

Source: specification of tier 4, sections 2 and 4.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from eval_tiers.rescue.kind import CANNOT_TELL, Kind
from eval_tiers.rescue.loose_objects import LooseObject, outermost_objects, unwrapped
from eval_tiers.rescue.registry import kind_named, known_kinds

REFUSAL: Final = "refusal"
NO_JSON: Final = "no_json"
TRUNCATED: Final = "truncated"
NO_VERDICT: Final = "no_verdict"
REPEATED_KEY: Final = "repeated_key"
SEVERAL_VERDICTS: Final = "several_verdicts"
OTHER_KIND: Final = "other_kind"
NOT_A_VERDICT: Final = "not_a_verdict"
TOO_LONG: Final = "too_long"

UNPARSABLE: Final = frozenset(
    {
        NO_JSON, TRUNCATED, NO_VERDICT, REPEATED_KEY, SEVERAL_VERDICTS, OTHER_KIND, NOT_A_VERDICT,
        TOO_LONG,
    }
)  # fmt: skip
"""Why a text gives no verdict though it was whole and no refusal."""

_THOUGHT = re.compile(r"</(?:think|thinking|reasoning)\s*>", re.IGNORECASE)
_OPEN_THOUGHT = re.compile(r"\s*<(?:think|thinking|reasoning)\s*>", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\W*(?:(?:i['’]?m|i am) (?:very |so )?sorry|sorry|i (?:cannot|can['’]?t|can not|won['’]?t"
    r"|will not|must decline|(?:am|['’]m) (?:unable|not able))|i['’]m (?:unable|not able)"
    r"|as an ai|unfortunately,? i (?:cannot|can['’]?t))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reply's text says.

    Attributes
    ----------
    verdict : str or None
        A word of the kind's vocabulary; None without one.
    fault : str or None
        Why there is none.
    confidence : float or None
        From 0 to 1, as claimed; None where there is no such number.
    explanation : str
        Blank without one.
    raw : dict or None
        The object that was read, names case-folded.
    """

    verdict: str | None
    fault: str | None = None
    confidence: float | None = None
    explanation: str = ""
    raw: Mapping[str, object] | None = None


def read_verdict(
    content: str,
    kind: str,
    benchmark: str,
    labels: Sequence[str],
    blind: bool = False,
    gold_answer: str | None = None,
) -> Verdict:
    """Read the verdict of a reply's text.

    Parameters
    ----------
    content : str
        What the examiner wrote: one JSON object, perhaps fenced, in prose, repairable or escaped.
    kind : str
        Name of the kind of question.
    benchmark : str
    labels : sequence of str
        The benchmark's label words.
    blind : bool
        The question was blind: direction and soundness are read, and the verdict derived. Of no
        effect for a kind that has no blind question.
    gold_answer : str, optional
        Needed to derive it.

    Returns
    -------
    Verdict
        Confidence and explanation may be missing; a verdict is exactly one word of the vocabulary,
        case-folded.

    Raises
    ------
    ValueError
        A blind question without a gold answer.

    Examples
    --------
    >>> labels = ("up", "down", "unchanged")
    >>> read_verdict('Sure: {"verdict": "yes"}', "correct_wrong_reason", "x", labels).verdict
    'YES'
    >>> read_verdict("The verdict is YES.", "correct_wrong_reason", "x", labels).fault
    'no_json'
    """
    described = kind_named(kind)
    if not blind or described.blind_verdict is None:
        return _read(content, "verdict", *_vocabulary(kind, benchmark, tuple(labels)))
    if gold_answer is None:
        raise ValueError("the verdict of a blind reply is derived with the gold answer")
    found = _read(content, "direction", (*labels, CANNOT_TELL), frozenset())
    return _derived(found, described, gold_answer, described.verdicts(benchmark, labels))


def _derived(found: Verdict, kind: Kind, gold: str, verdicts: Sequence[str]) -> Verdict:
    if found.verdict is None or found.raw is None or kind.blind_verdict is None:
        return found
    sound = found.raw.get("sound")
    if isinstance(sound, str):
        sound = {"true": True, "yes": True, "false": False, "no": False}.get(
            sound.strip().casefold()
        )
    if not isinstance(sound, bool):
        return replace(found, verdict=None, fault=NO_VERDICT)
    return replace(found, verdict=kind.blind_verdict(found.verdict, sound, gold, verdicts))


@lru_cache(maxsize=64)
def _vocabulary(
    kind: str, benchmark: str, labels: tuple[str, ...]
) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return a kind's words, and those of all kinds, case-folded."""
    kinds = known_kinds().values()
    every = (word for other in kinds for word in other.verdicts(benchmark, labels))
    return kind_named(kind).verdicts(benchmark, labels), frozenset(map(str.casefold, every))


def _read(content: str, key: str, vocabulary: Sequence[str], others: Collection[str]) -> Verdict:
    return read_words(content, vocabulary, key=key, others=others)


def read_words(
    content: str,
    vocabulary: Sequence[str],
    *,
    key: str = "verdict",
    text_key: str = "explanation",
    others: Collection[str] = (),
) -> Verdict:
    """Read the one word of a vocabulary that a reply's text gives; see `read_verdict`.

    Parameters
    ----------
    content : str
    vocabulary : sequence of str
        The words; a reply's are compared case-folded.
    key, text_key : str
        Names of the word and of the sentence about it.
    others : collection of str
        Words of other questions, case-folded: fault ``other_kind`` instead of ``not_a_verdict``.

    Examples
    --------
    >>> read_words('{"verdict": "met", "reasoning": "r"}', ("Met",), text_key="reasoning").verdict
    'Met'
    """
    found = Verdict(None, NO_JSON)
    for text in unwrapped(content):
        found = _read_text(text, key, text_key, vocabulary, others)
        if found.fault not in (NO_JSON, TRUNCATED, NO_VERDICT):
            break
    return found


def _read_text(
    text: str, key: str, text_key: str, vocabulary: Sequence[str], others: Collection[str]
) -> Verdict:
    objects = outermost_objects(_answer_part(text))
    if objects is None:
        return Verdict(None, TOO_LONG)
    told = [found for found in objects if found.whole and key in (found.fields or {})]
    if any(found.repeated and key in (found.fields or (key,)) for found in objects):
        return Verdict(None, REPEATED_KEY)
    if not told:
        names = (key, "confidence", text_key)
        told = [found for found in objects if _lacks_only_its_brace(found, names)][:1]
    if not told:
        return Verdict(None, _why_none(text, objects))
    said = {_folded(found, key) for found in told}
    if len(said) > 1:
        return Verdict(None, SEVERAL_VERDICTS)
    first = told[0].fields or {}
    word = said.pop()
    confidences = [_confidence(found.fields or {}) for found in told]
    known = [value for value in confidences if value is not None]
    explanation = first.get(text_key)
    verdict = next((name for name in vocabulary if name.casefold() == word), None)
    fault = None
    if verdict is None:
        fault = OTHER_KIND if word in others else NOT_A_VERDICT
    return Verdict(
        verdict,
        fault,
        min(known) if known else None,
        " ".join(explanation.split()) if isinstance(explanation, str) else "",
        first,
    )


def _answer_part(text: str) -> str:
    """Leave out what was thought aloud: it holds drafts, no answer."""
    if text.lstrip().startswith("{"):
        return text
    parts = _THOUGHT.split(text)
    if len(parts) == 1 and _OPEN_THOUGHT.match(text):
        return ""
    return parts[-1]


def _lacks_only_its_brace(found: LooseObject, names: Sequence[str]) -> bool:
    fields = found.fields or {}
    return not (found.whole or found.in_text) and all(name in fields for name in names)


def _why_none(text: str, objects: Sequence[LooseObject]) -> str:
    if any(not found.whole for found in objects):
        return TRUNCATED
    if objects:
        return NO_VERDICT
    return REFUSAL if _REFUSAL.match(_answer_part(text)) else NO_JSON


def _folded(found: LooseObject, key: str) -> str | None:
    value = (found.fields or {}).get(key)
    return value.strip().casefold() if isinstance(value, str) else None


def _confidence(fields: Mapping[str, object]) -> float | None:
    value = fields.get("confidence")
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) and 0 <= value <= 1 else None
