"""Every kind of question: its descriptor, its worked example, its words in all benchmarks."""

from __future__ import annotations

import importlib
import json
import pkgutil
from typing import Any

import pytest

from eval_tiers.domain import labels, rr10
from eval_tiers.domain.taxonomy import HARD_LABELS
from eval_tiers.rescue import kinds
from eval_tiers.rescue.kind import CANNOT_TELL, Effect, Kind
from eval_tiers.rescue.merging import Asked, Outcome, settle
from eval_tiers.rescue.registry import kind_for, known_kinds
from eval_tiers.rescue.reply_rows import parse_reply_row
from eval_tiers.rescue.requests import RequestOptions, build_request
from eval_tiers.rescue.symbolic import examine

KINDS = list(known_kinds().values())
FAMILIES = (labels.LABELS, rr10.LABELS)
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def test_every_module_is_a_kind_of_its_name() -> None:
    names = [module.name for module in pkgutil.iter_modules(kinds.__path__)]
    assert sorted(names) == sorted(known_kinds())
    for name in names:
        assert importlib.import_module(f"{kinds.__name__}.{name}").KIND.name == name


@each_kind
def test_descriptor(kind: Kind) -> None:
    assert kind.title and kind.task.endswith(".")
    assert kind.error_labels and kind.error_labels <= HARD_LABELS
    assert all(kind_for(label, has_text=True) is kind for label in kind.error_labels)
    assert kind.example.kind == kind.name and kind.example.error_label in kind.error_labels
    assert bool(kind.example.text) or not kind.needs_text


@each_kind
@pytest.mark.parametrize("family", FAMILIES)
def test_words(kind: Kind, family: tuple[str, ...]) -> None:
    words = kind.verdicts("any", family)
    assert len({word.casefold() for word in words}) == len(words) >= 2
    assert all(meaning for _, meaning in kind.meanings(family))
    effects = [kind.effect(word) for word in words]
    assert Effect() in effects and len(set(effects)) > 1
    assert all(effect.answer is None or effect.answer in family for effect in effects)
    if kind.blind_verdict is not None:
        derived = {kind.blind_verdict(direction, sound, family[0], words)
                   for direction in (*family, CANNOT_TELL) for sound in (True, False)}  # fmt: skip
        assert derived == set(words)


@each_kind
def test_worked_example_from_request_to_verdict(kind: Kind) -> None:
    case = kind.example
    request, shortened = build_request(case, "r", RequestOptions())
    assert not shortened
    row = parse_reply_row(json.loads(json.dumps(examine(request))))
    assert row is not None
    found: Outcome = settle({"r": [row]}, {"r": Asked(kind.name, case.benchmark, case.labels)})["r"]
    assert found.verdict == kind.example_verdict


@each_kind
def test_prompt_asks_for_every_word_and_its_schema_takes_no_other(kind: Kind) -> None:
    request: Any = build_request(kind.example, "r", RequestOptions())[0]
    system = request["body"]["messages"][0]["content"]
    words = kind.verdicts(kind.example.benchmark, kind.example.labels)
    assert kind.task in system and all(f'"{word}"' in system for word in words)
    schema = request["body"]["response_format"]["json_schema"]
    assert schema["name"] == kind.name
    assert schema["schema"]["properties"]["verdict"]["enum"] == list(words)
