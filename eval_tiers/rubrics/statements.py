"""What a criterion asks a report to say, as a sentence that says it."""

from __future__ import annotations

import re
from typing import Final

from eval_tiers.rubrics.content import named_terms
from eval_tiers.texts.fencing import clean_line

_SUBJECT = re.compile(
    r"(?:(?:the|this|a|an)\s+)?(?:final\s+)?(?:report|response|answer|model|text|output|it)\s+"
    r"(?:(?:must|should|has to|needs to|will|can)\s+)?",
    re.IGNORECASE,
)
_ADVERB = re.compile(r"(?:explicitly|correctly|specifically|accurately|also|wrongly|falsely)\s+",
                     re.IGNORECASE)  # fmt: skip
_SAYS = re.compile(
    r"(?:states?|notes?|mentions?|explains?|says?|reports?|concludes?|claims?|finds?|argues?"
    r"|asserts?|recogni[sz]es?|acknowledges?|points? out|indicates?|identif(?:ies|y)|shows?)\s+"
    r"that\s+(?P<said>.+)",
    re.IGNORECASE | re.DOTALL,
)
_IS = re.compile(r"identif(?:ies|y)\s+(?P<what>.+?)\s+as\s+(?P<said>.+)", re.IGNORECASE | re.DOTALL)
_NAMES = re.compile(
    r"(?:names?|mentions?|cites?|lists?|includes?|refers? to|references?)\s+(?P<said>.+)",
    re.IGNORECASE | re.DOTALL,
)
# What stands for a thing without saying which: it can't be stated with the criterion's words alone.
_OPEN = re.compile(
    r"\b(?:which|what|how|why|where|whether|who|when|at least|any|each|every|all|or|either|e\.g\."
    r"|such as|for example|for instance|one of|number of|name of|names of|value of|values of|other"
    r"|others|another|various|several|some|examples?|relevant|appropriate|correct|specific)\b"
    r"|[?/]",
    re.IGNORECASE,
)
_LONGEST: Final = 300


def statement_of(criterion: str) -> str | None:
    """Return a sentence that says what a criterion asks for; None where its words don't hold it.

    "states that ..." gives the clause; "identifies A as B" that A is B; "names ..." the thing,
    where it is named by a number or a name and nothing is left open.

    Examples
    --------
    >>> statement_of("The report states that TP53 is induced.")
    'TP53 is induced.'
    >>> statement_of("Names OSD-47")
    'Of note here is OSD-47.'
    >>> statement_of("Names the dataset") is None, statement_of("Gives a q value") is None
    (True, True)
    """
    text = clean_line(criterion).rstrip(" .;:")
    if len(text) > _LONGEST:
        return None
    for pattern in (_SUBJECT, _ADVERB):
        match = pattern.match(text)
        text = text[match.end() :] if match else text
    match = _SAYS.fullmatch(text)
    if match:
        said = match["said"]
        return None if _OPEN.search(said) else _sentence(said)
    match = _IS.fullmatch(text)
    if match:
        return None if _OPEN.search(text) else _sentence(f"{match['what']} is {match['said']}")
    match = _NAMES.fullmatch(text)
    if match is None or _OPEN.search(match["said"]) or not named_terms(match["said"]):
        return None
    return f"Of note here is {match['said']}."


def _sentence(said: str) -> str:
    first = said.split()[0]
    start = said[0] if named_terms(first) else said[0].upper()  # p53 stays p53
    return f"{start}{said[1:]}."
