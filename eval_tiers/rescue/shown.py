"""What a prompt shows of a case, read back from the prompt: its form is fixed.

The user's message begins with lines ``Name: value`` and goes on with sections: a line ``## Name``,
then what belongs to it between two equal rows of backticks. Nothing within them opens a section.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from eval_tiers.rescue.cases import Step
from eval_tiers.rescue.steps import LEFT_OUT, parse_name, parse_step

ENDS: Final = "Ends"
QUESTION: Final = "Question"
GOLD_ANSWER: Final = "Gold answer"
PREDICTED_ANSWER: Final = "Model's answer"
CHAIN: Final = "Model's chain"
GOLD_CHAIN: Final = "Gold chain"
EVIDENCE: Final = "Evidence"
TEXT: Final = "Model's text"
"""Names of the sections."""

EFFECTS: Final = {1: "raised", -1: "lowered", 0: "not known"}
"""What is done to what is perturbed, in words."""

_EFFECT_SIGNS: Final = {word: sign for sign, word in EFFECTS.items()}
_FENCE = re.compile("`{3,}")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a prompt shows of a case.

    Attributes
    ----------
    task : str
        Name of the kind, or that of a blind question about a chain.
    labels, verdicts : tuple of str
        The benchmark's labels; what may be said.
    gold_answer, predicted_answer, text : str or None
        None where not shown.
    chain, gold_chain : tuple of Step
        Without `on_path`, which follows from the chain.
    whole : bool
        No step of the chain was left out for length.
    perturbation, readout : str or None
    perturbation_sign : int
        +1, -1, 0 unknown.
    """

    task: str
    labels: tuple[str, ...]
    verdicts: tuple[str, ...]
    gold_answer: str | None = None
    predicted_answer: str | None = None
    text: str | None = None
    chain: tuple[Step, ...] = ()
    gold_chain: tuple[Step, ...] = ()
    whole: bool = True
    perturbation: str | None = None
    readout: str | None = None
    perturbation_sign: int = 0


def parse_prompt(message: str) -> Shown:
    """Read what the user's message of a request shows.

    Raises
    ------
    ValueError
        It isn't a message of `eval_tiers.rescue.prompts`.
    """
    head, sections = _split(message)
    ends = _fields(sections.get(ENDS, []))
    chain = sections.get(CHAIN, [])
    try:
        task, labels, verdicts = head["Task"], head["Labels"], head["Verdicts"]
    except KeyError as missing:
        raise ValueError(f"the prompt has no line {missing}") from None
    return Shown(
        task=task,
        labels=tuple(labels.split(", ")),
        verdicts=tuple(verdicts.split(", ")),
        gold_answer=_text_of(sections, GOLD_ANSWER),
        predicted_answer=_text_of(sections, PREDICTED_ANSWER),
        text=_text_of(sections, TEXT),
        chain=_steps(chain),
        gold_chain=_steps(sections.get(GOLD_CHAIN, [])),
        whole=not any(line.startswith(LEFT_OUT) for line in chain),
        perturbation=_name(ends, "perturbed"),
        readout=_name(ends, "readout") or _name(ends, "gene"),
        perturbation_sign=_EFFECT_SIGNS.get(ends.get("it is", ""), 0),
    )


def _split(message: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    head: list[str] = []
    sections: dict[str, list[str]] = {}
    name, fence, within = None, None, head
    for line in message.split("\n"):
        if fence is not None:
            if line == fence:
                name, fence, within = None, None, []
            else:
                within.append(line)
        elif name is not None and _FENCE.fullmatch(line):
            fence, within = line, sections.setdefault(name, [])
        elif line.startswith("## "):
            name, within = line[3:], []
        elif name is None:
            within.append(line)
    return _fields(head), sections


def _fields(lines: list[str]) -> dict[str, str]:
    return {name: value for name, mark, value in (line.partition(": ") for line in lines) if mark}


def _name(fields: Mapping[str, str], key: str) -> str | None:
    return parse_name(fields[key]) if fields.get(key) else None


def _text_of(sections: Mapping[str, list[str]], name: str) -> str | None:
    return "\n".join(sections[name]) if name in sections else None


def _steps(lines: list[str]) -> tuple[Step, ...]:
    return tuple(step for step in map(parse_step, lines) if step is not None)
