"""Steps of a chain as lines of a prompt, and read back.

``1. TP53 -[+]-> CDKN1A | graph: supported``; of a citation ``1. FOS -[-]-> OSD-48 | provenance:
SUPPORTED``; of a gold chain without what follows the bar. The sign is ``+``, ``-`` or ``?``
(unsigned). A name that could be taken for a part of the line stands as a JSON string.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Final

from eval_tiers.rescue.cases import Step
from eval_tiers.texts.fencing import clean_line

NOT_LOOKED_UP: Final = "not looked up"
LEFT_OUT: Final = "(left out for length: "
MAX_NAME: Final = 80

_SIGNS: Final = {1: "+", -1: "-", 0: "?"}
_CODES: Final = {"+": 1, "-": -1, "?": 0}
_PLAIN = re.compile(r'[^\s"|\[\]<>\\]+(?: [^\s"|\[\]<>\\]+)*')
_NAME = r'("(?:[^"\\]|\\.)*"|[^"|\[\]<>\\]+?)'
_LINE = re.compile(rf"\d+\. {_NAME} -\[([-+?])\]-> {_NAME}(?: \| (?:graph|provenance): (.+))?")


def format_step(step: Step, number: int, source: str | None = None) -> str:
    """Return a step as a line.

    Parameters
    ----------
    step : Step
    number : int
        From 1.
    source : str or None
        Who says what the step's status is: ``graph`` or ``provenance``; None leaves it out.

    Examples
    --------
    >>> format_step(Step("TP53", 1, "CDKN1A", "supported"), 1, "graph")
    '1. TP53 -[+]-> CDKN1A | graph: supported'
    >>> format_step(Step("a | graph: supported", 0, "B"), 2)
    '2. "a | graph: supported" -[?]-> B'
    """
    line = f"{number}. {format_name(step.source)} -[{_SIGNS[step.sign]}]-> "
    line += format_name(step.target)
    return line if source is None else f"{line} | {source}: {step.status or NOT_LOOKED_UP}"


@lru_cache(maxsize=65_536)
def format_name(name: str) -> str:
    """Return a name on one line, quoted where it isn't plain, cut where it is no name for length.

    Examples
    --------
    >>> format_name("NKX2-1"), format_name("x]-> y")
    ('NKX2-1', '"x]-> y"')
    """
    name = clean_line(name)
    if len(name) > MAX_NAME:
        name = name[: MAX_NAME - 3] + "..."
    return name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def parse_step(line: str) -> Step | None:
    """Read a line of `format_step` back; None for any other line.

    Examples
    --------
    >>> parse_step("1. TP53 -[+]-> CDKN1A | graph: supported")
    Step(source='TP53', sign=1, target='CDKN1A', status='supported', on_path=None)
    """
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    source, sign, target, status = match.groups()
    return Step(
        parse_name(source),
        _CODES[sign],
        parse_name(target),
        None if status == NOT_LOOKED_UP else status,
    )


def parse_name(text: str) -> str:
    """Read a name of `format_name` back."""
    return str(json.loads(text)) if text.startswith('"') else text
