"""PerturbReason's messages and the schema of replies, which become the tagged text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from eval_tiers.domain.labels import DOWN, LABELS
from eval_tiers.formats.base import RecordFault
from eval_tiers.formats.perturbreason import FORMAT
from eval_tiers.prompts.perturbreason import PROMPT, SCHEMA, messages_of
from eval_tiers.texts.answers import read_text
from eval_tiers.texts.structured_replies import perturbreason_text_of
from eval_tiers.texts.triplets import read_triplets
from tests.unit.prompts.schemas import fits, not_strict

GOLD: dict[str, Any] = {
    "id": "q1", "question": "TP53 is knocked down. What happens to CDK2?", "answer": "down",
    "path": [["TP53", "+", "HIDDEN"], ["HIDDEN", "-", "CDK2"]], "pert": "TP53", "gene": "CDK2",
    "cell_line": "K562", "pert_type": "genetic", "perturbation_mode": "knockdown", "split": "s",
}  # fmt: skip


def test_the_question_and_what_it_is_about_are_shown() -> None:
    system, user = messages_of(GOLD)
    assert (system["role"], user["role"]) == ("system", "user")
    assert user["content"] == (
        "```\n"
        "Question: TP53 is knocked down. What happens to CDK2?\n"
        "Perturbed: TP53\n"
        "Type of perturbation: genetic\n"
        "Mode of perturbation: knockdown\n"
        "Gene in question: CDK2\n"
        "Cell line: K562\n"
        "```"
    )


def test_neither_answer_nor_path_nor_id_reach_the_model() -> None:
    asked = {
        json.dumps(messages_of(GOLD | {"answer": label, "path": path, "id": label}))
        for label in LABELS
        for path in ([], GOLD["path"])
    }
    assert len(asked) == 1
    assert "HIDDEN" not in asked.pop()


def test_no_label_is_said_more_often_than_another() -> None:
    system = messages_of(GOLD)[0]["content"]
    assert all(system.count(f'"{label}"') == system.count(f"- {label}:") == 1 for label in LABELS)


def test_other_names_of_fields() -> None:
    other = {"sample_id": 3, "prompt": "What?", "perturbation": "TP53", "target": "CDK2"}
    assert messages_of(other)[1]["content"] == (
        "```\nQuestion: What?\nPerturbed: TP53\nGene in question: CDK2\n```"
    )


def test_without_a_question_the_ends_have_to_be_there() -> None:
    ends = {"pert": "TP53", "gene": "CDK2", "question": " "}
    assert messages_of(ends)[1]["content"] == "```\nPerturbed: TP53\nGene in question: CDK2\n```"
    with pytest.raises(RecordFault) as fault:
        messages_of({"pert": "TP53"})
    assert fault.value.code == "no-question"


def test_a_question_that_is_no_text_is_a_fault() -> None:
    with pytest.raises(RecordFault) as fault:
        messages_of(GOLD | {"question": ["?"]})
    assert (fault.value.code, fault.value.field) == ("bad-field", "question")


def test_a_reply_bound_to_the_schema_is_read() -> None:
    assert list(not_strict(SCHEMA)) == []
    reply = {
        "answer": "down",
        "triplets": [
            {"source": "TP53", "sign": "+", "target": "NKX2-1"},
            {"source": "NKX2-1", "sign": "-", "target": "CDK2"},
        ],
        "reason": "It falls.",
    }
    assert fits(reply, SCHEMA)
    assert not fits(reply | {"answer": "indeterminate"}, SCHEMA)
    read = read_text(perturbreason_text_of(json.dumps(reply)))
    assert read.label == DOWN
    assert read.triplet_block is not None
    assert read_triplets(read.triplet_block).edges == [
        ("TP53", 1, "NKX2-1"),
        ("NKX2-1", -1, "CDK2"),
    ]


def test_the_format_has_its_prompt() -> None:
    assert (PROMPT.name, PROMPT.has_evidence) == (FORMAT.name, False)
    assert messages_of(FORMAT.example_gold)
