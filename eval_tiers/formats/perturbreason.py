"""PerturbReason: does a gene go up, down or stay unchanged when another is perturbed, and why?

Source: specification of PerturbReason, section 1.
"""

from __future__ import annotations

import difflib
from typing import Final

from eval_tiers.domain.labels import LABEL_CODES, LABELS
from eval_tiers.formats.base import (
    BenchmarkFormat,
    FieldTable,
    GoldRecord,
    PredictionRecord,
    Record,
    RecordFault,
    first_field,
    id_text,
)
from eval_tiers.texts.triplets import read_chain, read_triplets

GOLD_FIELDS: Final[FieldTable] = {
    "id": ("id", "sample_id"),
    "question": ("question", "prompt"),
    "answer": ("answer",),
    "path": ("path", "gt_path", "gt_triplets", "triplet"),
    "perturbation": ("pert", "perturbation"),
    "readout": ("gene", "effect_gene", "target"),
    "cell_line": ("cell_line",),
    "pert_type": ("pert_type",),
    "perturbation_mode": ("perturbation_mode",),
}
PREDICTION_FIELDS: Final[FieldTable] = {
    "id": ("id", "sample_id"),
    "text": ("output", "response", "prediction", "text", "generated_text", "completion"),
    "reasoning": ("reasoning_content", "reasoning"),
    "rollout": ("rollout", "epoch"),
}

MODE_SIGNS: Final = {
    "knockdown": -1,
    "knockout": -1,
    "inhibition": -1,
    "crispri": -1,
    "activation": 1,
    "overexpression": 1,
    "crispra": 1,
    "treatment": 1,
}
"""Sign of a perturbation by its mode, case-folded."""


def perturbation_sign(pert_type: str | None, mode: str | None) -> int:
    """Return +1 or -1, or 0 where the sign of the perturbation isn't known.

    A chemical is +1 whatever its mode: what the drug does is the sign of its first edge.
    """
    if pert_type is not None and pert_type.casefold() == "chemical":
        return 1
    return MODE_SIGNS.get(mode.casefold(), 0) if mode is not None else 0


def parse_gold(record: Record) -> GoldRecord:
    """Read a gold record.

    Raises
    ------
    RecordFault
        No answer field, an unknown label, a path that is no list of triples, a field of a wrong
        type.
    """
    answer_field = first_field(record, GOLD_FIELDS["answer"])
    if answer_field is None:
        raise RecordFault(
            "unmapped-fields",
            f"no field holds the gold answer; the record has: {', '.join(map(str, record))}",
            "answer",
            "name it 'answer' (see eval --help-formats)",
        )
    answer = record[answer_field]
    label = LABEL_CODES.get(answer.strip().casefold(), -1) if isinstance(answer, str) else -1
    if label < 0:
        raise RecordFault(
            "unknown-label",
            f"gold label {answer!r} is not one of: {', '.join(sorted(LABELS))}",
            answer_field,
            _correct_the_line(answer),
        )
    id_field = first_field(record, GOLD_FIELDS["id"])
    return GoldRecord(
        sample_id=None if id_field is None else id_text(record[id_field]),
        label=label,
        chain=_gold_chain(record),
        perturbation=_text(record, "perturbation"),
        readout=_text(record, "readout"),
        cell_line=_text(record, "cell_line"),
        pert_type=_text(record, "pert_type"),
        mode=_text(record, "perturbation_mode"),
    )


def parse_prediction(record: Record) -> PredictionRecord:
    """Read a prediction record.

    Raises
    ------
    RecordFault
        No field holds a text, or it is neither text nor null.
    """
    id_field = first_field(record, PREDICTION_FIELDS["id"])
    text_field = first_field(record, PREDICTION_FIELDS["text"])
    text = None if text_field is None else _content(record[text_field], text_field)
    from_reasoning = False
    if text is None or not text.strip():
        reasoning_field = first_field(record, PREDICTION_FIELDS["reasoning"])
        if reasoning_field is not None and record[reasoning_field] is not None:
            reasoning = _content(record[reasoning_field], reasoning_field)
            if reasoning is not None and reasoning.strip():
                text, from_reasoning = reasoning, True
        elif text_field is None:
            raise RecordFault(
                "unmapped-fields",
                f"no field holds the model's text; the record has: {', '.join(map(str, record))}",
                "output",
                "name it 'output' (see eval --help-formats)",
            )
    rollout_field = first_field(record, PREDICTION_FIELDS["rollout"])
    rollout = None if rollout_field is None else record[rollout_field]
    return PredictionRecord(
        sample_id=None if id_field is None else id_text(record[id_field]),
        text=text,
        rollout=None if rollout is None else str(rollout).strip(),
        from_reasoning=from_reasoning,
    )


def _gold_chain(record: Record) -> list[tuple[str, int, str]] | None:
    name = first_field(record, GOLD_FIELDS["path"])
    if name is None or record[name] is None:
        return None
    value = record[name]
    if isinstance(value, str):
        read = read_triplets(value)
    elif isinstance(value, list):
        read = read_chain(value)
    else:
        raise RecordFault(
            "bad-gold-chain",
            f"the gold chain is a {type(value).__name__}, not a list",
            name,
            'write [["A", "+", "B"], ...]',
        )
    if read.dropped_n or read.template_n:
        raise RecordFault(
            "bad-gold-chain",
            f"{read.dropped_n + read.template_n} element(s) of the gold chain are no "
            "[source, sign, target]",
            name,
            'write [["A", "+", "B"], ...]',
        )
    return read.edges


def _text(record: Record, field: str) -> str | None:
    name = first_field(record, GOLD_FIELDS[field])
    if name is None:
        return None
    value = record[name]
    if value is None:
        return None
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise RecordFault(
        "bad-field", f"{field} is a {type(value).__name__}, not text", name, "write it as text"
    )


def _content(value: object, field: str) -> str | None:
    """Return a text, or the text parts of a list of content parts joined."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [
            part if isinstance(part, str) else part.get("text")
            for part in value
            if isinstance(part, str) or (isinstance(part, dict) and part.get("type") == "text")
        ]
        if len(parts) == len(value) and all(isinstance(part, str) for part in parts):
            return "".join(str(part) for part in parts)
    raise RecordFault(
        "text-not-a-string", f"the model's text is a {type(value).__name__}", field, "quote it"
    )


def _correct_the_line(answer: object) -> str:
    near = difflib.get_close_matches(str(answer).strip().casefold(), LABELS, n=1)
    return f"correct the line; did you mean '{near[0]}'?" if near else "correct the line"


FORMAT: Final = BenchmarkFormat(
    name="perturbreason",
    title="PerturbReason: up / down / unchanged, with a chain of signed gene edges",
    gold_fields=GOLD_FIELDS,
    prediction_fields=PREDICTION_FIELDS,
    matches=lambda record: first_field(record, GOLD_FIELDS["answer"]) is not None,
    parse_gold=parse_gold,
    parse_prediction=parse_prediction,
    perturbation_sign=perturbation_sign,
    example_gold={
        "id": "example-1",
        "question": "TP53 is knocked down. Does CDK2 activity go up, down or stay unchanged?",
        "answer": "up",
        "path": [["TP53", "+", "CDKN1A"], ["CDKN1A", "-", "CDK2"]],
        "pert": "TP53",
        "gene": "CDK2",
        "pert_type": "genetic",
        "perturbation_mode": "knockdown",
    },
    example_prediction={
        "id": "example-1",
        "output": "<thinking>p21 falls.</thinking> <answer>up</answer> "
        '<triplet>[["TP53", "+", "CDKN1A"], ["CDKN1A", "-", "CDK2"]]</triplet>',
    },
    example_answer_correct=True,
    reference="PerturbReason eval_v3, as described in docs/perturbreason.md",
)
