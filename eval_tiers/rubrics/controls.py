"""Controls: reports of the data, altered so that the right verdict on a criterion is known.

*removed*: the paragraphs that hold what the criterion is about are taken out: Not Satisfied.
*planted*: a sentence that says what the criterion asks for is put into a report from which the same
is taken out: Satisfied. Both keep task and criterion together, as a real question does.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from eval_tiers.rubrics.chunks import split_paragraphs
from eval_tiers.rubrics.content import Rarity, content_terms, named_terms, share_held
from eval_tiers.rubrics.results import NOT_SATISFIED, SATISFIED
from eval_tiers.rubrics.statements import statement_of
from eval_tiers.rubrics.tasks import RubricTask

REMOVED: Final = "removed"
PLANTED: Final = "planted"
TRUTH_OF: Final = {PLANTED: SATISFIED, REMOVED: NOT_SATISFIED}

HOLDS: Final = 0.5
"""Share of a criterion's weight with which a paragraph holds it; so much may not be left of it."""
TOUCHES: Final = 0.25
"""Share from which a paragraph is taken out with it."""
LEAST_LEFT: Final = 0.4
"""Share of a report's characters that has to be left."""

_ABSENCE_OR_FORM = re.compile(
    r"\b(?:not|no|never|none|without|avoid\w*|free of|free from|lack\w*|absen\w+|omit\w*|fail\w*"
    r"|neither|nor|exclud\w+|refrain\w*|only|fewer|less than|at most|instead of|unless|doesn['’]t"
    r"|isn['’]t|clear\w*|concise\w*|brief\w*|structur\w+|organi[sz]\w+|format\w*|headings?|bullets?"
    r"|tables?|tone|grammar\w*|readab\w+|language|length|words|pages|style|coheren\w+|consisten\w+)"
    r"\b",
    re.IGNORECASE,
)
_NO_PROSE = re.compile(r"\s*(?:#|\||[-*+]\s|\d+[.)]\s|```|~~~|>|$)")

ABSENCE: Final = "asks for an absence or for form"
FEW_WORDS: Final = "has too few words of its own"
NOT_HELD: Final = "is held by no paragraph of its report"
LITTLE_LEFT: Final = "is held by too much of its report"
NO_STATEMENT: Final = "says nothing that a sentence could state"


@dataclass(frozen=True, slots=True)
class RubricControl:
    """A report whose right verdict is known.

    Attributes
    ----------
    kind : str
        `REMOVED` or `PLANTED`.
    sample_id : str
    rubric_index : int
    report : str
    """

    kind: str
    sample_id: str
    rubric_index: int
    report: str

    @property
    def truth(self) -> str:
        """The right verdict."""
        return TRUTH_OF[self.kind]


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Fewer controls than were asked for: how many, and why in words."""

    kind: str
    truth: str
    wanted: int
    made: int
    reason: str


@dataclass(frozen=True, slots=True)
class RubricControls:
    """Controls of an export."""

    controls: list[RubricControl]
    shortfalls: list[Shortfall]


@dataclass(frozen=True, slots=True)
class _Read:
    """A report's paragraphs with their content words."""

    paragraphs: list[str]
    terms: list[frozenset[str]]


def draw_controls(
    tasks: Sequence[RubricTask], reports: dict[str, str], wanted: int, seed: int
) -> RubricControls:
    """Draw controls from reports.

    Parameters
    ----------
    tasks : sequence of RubricTask
    reports : dict of str
        By sample_id, as prompts show them; tasks without one give none.
    wanted : int
        Of each truth.
    seed : int
        Of the order in which rubrics are tried, and of where a sentence is planted.
    """
    if wanted <= 0:
        return RubricControls([], [])
    rarity = Rarity()
    read: dict[str, _Read] = {}
    for task in tasks:
        if task.sample_id in reports:
            paragraphs = split_paragraphs(reports[task.sample_id])
            read[task.sample_id] = _Read(paragraphs, [content_terms(one) for one in paragraphs])
            for terms in read[task.sample_id].terms:
                rarity.add(terms)
    places = [
        (task, index)
        for task in tasks
        if task.sample_id in read
        for index in range(len(task.rubrics))
    ]
    found = RubricControls([], [])
    for kind in (PLANTED, REMOVED):
        draw = random.Random(f"{seed} {kind}")
        draw.shuffle(places)
        reasons: Counter[str] = Counter()
        made = 0
        for task, index in places:
            if made == wanted:
                break
            report = _altered(kind, task.rubrics[index].criterion, read[task.sample_id], rarity,
                              draw)  # fmt: skip
            if isinstance(report, _Reason):
                reasons[report.text] += 1
                continue
            found.controls.append(RubricControl(kind, task.sample_id, index, report))
            made += 1
        if made < wanted:
            found.shortfalls.append(
                Shortfall(kind, TRUTH_OF[kind], wanted, made, _why(reasons, len(places)))
            )
        places.sort(key=lambda place: (place[0].line, place[0].sample_id, place[1]))
    return found


@dataclass(frozen=True, slots=True)
class _Reason:
    """Why a rubric gives no control."""

    text: str


def _altered(
    kind: str, criterion: str, read: _Read, rarity: Rarity, draw: random.Random
) -> str | _Reason:
    """Return the report of a control, or why there is none."""
    if _ABSENCE_OR_FORM.search(criterion):
        return _Reason(ABSENCE)
    terms = content_terms(criterion)
    named = named_terms(criterion) & terms
    if len(terms) < 2 and not named:
        return _Reason(FEW_WORDS)
    sentence = statement_of(criterion) if kind == PLANTED else None
    if kind == PLANTED and sentence is None:
        return _Reason(NO_STATEMENT)
    weights = rarity.weights(terms)
    shares = [share_held(held, weights) for held in read.terms]
    if kind == REMOVED and max(shares, default=0.0) < HOLDS:
        return _Reason(NOT_HELD)
    kept = [
        number
        for number, (share, held) in enumerate(zip(shares, read.terms, strict=True))
        if share < TOUCHES and not named & held
    ]
    left = [read.paragraphs[number] for number in kept]
    everything: set[str] = set().union(*(read.terms[number] for number in kept))
    if (
        sum(map(len, left)) < LEAST_LEFT * sum(map(len, read.paragraphs))
        or not "".join(left).strip()
        or share_held(everything, weights) >= HOLDS
    ):
        return _Reason(LITTLE_LEFT)
    return "".join(left) if sentence is None else _planted(left, sentence, draw)


def _planted(paragraphs: Sequence[str], sentence: str, draw: random.Random) -> str:
    """Return paragraphs with a sentence at the end of one of prose, or as one of its own."""
    prose = [
        number for number, one in enumerate(paragraphs)
        if not any(_NO_PROSE.match(line) for line in one.strip().split("\n"))
    ]  # fmt: skip
    found = list(paragraphs)
    if prose:
        chosen = draw.choice(prose)
        text = found[chosen].rstrip()
        found[chosen] = f"{text} {sentence}{found[chosen][len(text) :]}"
        return "".join(found)
    return "".join(found).rstrip() + f"\n\n{sentence}\n"


def _why(reasons: Counter[str], tried_n: int) -> str:
    if not tried_n:
        return "no task has a report"
    said = ", ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
    return f"of {tried_n} rubrics with a report: {said}"
