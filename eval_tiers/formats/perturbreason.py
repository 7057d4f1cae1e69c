"""PerturbReason: what a perturbation does to a gene - up, down, unchanged - and why.

Source: specification of PerturbReason, section 1.
"""

from __future__ import annotations

import difflib
import re
from typing import Final

from eval_tiers.domain.labels import LABEL_CODES, LABELS
from eval_tiers.formats.base import (
    ChainFormat,
    FieldReader,
    FieldTable,
    GoldRecord,
    PredictionRecord,
    Record,
    RecordFault,
    content_text,
    id_text,
    rollout_text,
)
from eval_tiers.texts.structured_replies import perturbreason_text_of
from eval_tiers.texts.triplets import Triplets, read_chain, read_triplets

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

_EMPTY_LIST = re.compile(r"\s*\[\s*\]\s*")
_gold_fields = FieldReader(GOLD_FIELDS)
_prediction_fields = FieldReader(PREDICTION_FIELDS)

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
    sample_id, _, answer, path, pert, gene, cell, kind, mode = _gold_fields.values(record)
    label = LABEL_CODES.get(answer, -1) if type(answer) is str else -1
    if label < 0:
        label = _loose_label(record, answer)
    chain = None if path is None else _gold_chain(record, path)
    return GoldRecord(
        sample_id=(sample_id.strip() or None) if type(sample_id) is str else id_text(sample_id),
        label=label,
        chain=None if chain is None else chain.edges,
        unsigned_n=0 if chain is None else chain.unsigned_n,
        perturbation=(pert.strip() or None)
        if type(pert) is str
        else _text(record, "perturbation", pert),
        readout=(gene.strip() or None) if type(gene) is str else _text(record, "readout", gene),
        cell_line=(cell.strip() or None) if type(cell) is str else _text(record, "cell_line", cell),
        pert_type=(kind.strip() or None) if type(kind) is str else _text(record, "pert_type", kind),
        mode=(mode.strip() or None)
        if type(mode) is str
        else _text(record, "perturbation_mode", mode),
    )


def id_of(record: Record) -> str | None:
    """Return a record's id as text, None without one.

    Raises
    ------
    RecordFault
        The id is neither text nor a whole number.
    """
    names = GOLD_FIELDS["id"]
    return id_text(next((record[name] for name in names if record.get(name) is not None), None))


def parse_prediction(record: Record) -> PredictionRecord:
    """Read a prediction record.

    Raises
    ------
    RecordFault
        No field holds a text, or it is neither text nor null.
    """
    sample_id, text, reasoning, rollout = _prediction_fields.values(record)
    if type(text) is not str and text is not None:
        text = content_text(text, _prediction_fields.name_of(record, "text"))
    from_reasoning = False
    if not text or text.isspace():
        thought = (
            None
            if reasoning is None
            else content_text(reasoning, _prediction_fields.name_of(record, "reasoning"))
        )
        if thought is not None and thought.strip():
            text, from_reasoning = thought, True
        elif text is None and _prediction_fields.name_of(record, "text") is None:
            raise RecordFault(
                "unmapped-fields",
                f"no field holds the model's text; the record has: {', '.join(map(str, record))}",
                "output",
                "name it 'output' (see eval --help-formats)",
            )
    return PredictionRecord(
        sample_id=(sample_id.strip() or None) if type(sample_id) is str else id_text(sample_id),
        text=text,
        rollout=None if rollout is None else rollout_text(rollout),
        from_reasoning=from_reasoning,
    )


def _loose_label(record: Record, answer: object) -> int:
    """Return the code of a gold label in another case or with white space."""
    field = _gold_fields.name_of(record, "answer")
    if field is None:
        raise RecordFault(
            "unmapped-fields",
            f"no field holds the gold answer; the record has: {', '.join(map(str, record))}",
            "answer",
            "name it 'answer' (see eval --help-formats)",
        )
    label = LABEL_CODES.get(answer.strip().casefold(), -1) if isinstance(answer, str) else -1
    if label < 0:
        raise RecordFault(
            "unknown-label",
            f"gold label {answer!r} is not one of: {', '.join(sorted(LABELS))}",
            field,
            _correct_the_line(answer),
        )
    return label


def _gold_chain(record: Record, value: object) -> Triplets | None:
    if isinstance(value, list):
        read = read_chain(value)
    elif isinstance(value, str):
        if not value.strip():
            return None
        read = read_triplets(value)
        if not read.edges and not read.template_n and not _EMPTY_LIST.fullmatch(value):
            read.dropped_n = max(1, read.dropped_n)  # words, or a list that is cut off
    else:
        raise RecordFault(
            "bad-gold-chain",
            f"the gold chain is a {type(value).__name__}, not a list",
            _gold_fields.name_of(record, "path"),
            'write [["A", "+", "B"], ...]',
        )
    if read.dropped_n or read.template_n:
        raise RecordFault(
            "bad-gold-chain",
            f"{read.dropped_n + read.template_n} element(s) of the gold chain are no "
            "[source, sign, target]",
            _gold_fields.name_of(record, "path"),
            'write [["A", "+", "B"], ...]',
        )
    return read


def _text(record: Record, field: str, value: object) -> str | None:
    """Return a field's text, stripped; None for null or blank; a whole number by its digits."""
    if value is None:
        return None
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise RecordFault(
        "bad-field",
        f"it is a {type(value).__name__}, not text",
        _gold_fields.name_of(record, field),
        "write it as text",
    )


def _correct_the_line(answer: object) -> str:
    near = difflib.get_close_matches(str(answer).strip().casefold(), LABELS, n=1)
    return f"correct the line; did you mean '{near[0]}'?" if near else "correct the line"


FORMAT: Final = ChainFormat(
    name="perturbreason",
    title="PerturbReason: up / down / unchanged, with a chain of signed gene edges",
    gold_fields=GOLD_FIELDS,
    prediction_fields=PREDICTION_FIELDS,
    id_of=id_of,
    matches=lambda record: any(name in record for name in GOLD_FIELDS["answer"]),
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
    reply_text=perturbreason_text_of,
    reference="PerturbReason eval_v3, as described in docs/perturbreason.md",
)
