"""RR-10: what spaceflight does to a gene in a tissue, by the datasets that say so.

A collaboration pilot: 200 directional claims, half of them traps whose datasets disagree. Source:
specification of RR-10, sections 1 and 3 (docs/rr10.md).
"""

from __future__ import annotations

import difflib
import math
import re
from typing import Final

from eval_tiers.domain.rr10 import ITEM_TYPES, LABEL_CODES, LABELS, Item, ProvenanceRow
from eval_tiers.formats.base import (
    AnswerRecord,
    CitationFormat,
    FieldTable,
    Record,
    RecordFault,
    content_text,
    id_text,
    rollout_text,
)
from eval_tiers.kg.provenance import dataset_of
from eval_tiers.texts.citations import Evidence, read_evidence, read_evidence_block
from eval_tiers.texts.replies import Reply, read_reply

GOLD_FIELDS: Final[FieldTable] = {
    "id": ("id",),
    "question": ("prompt",),
    "answer": ("expected",),
    "item_type": ("item_type",),
    "gene": ("gene",),
    "organism": ("organism",),
    "tissue": ("tissue",),
    "context": ("context",),
    "evidence": ("evidence",),
    "provenance": ("provenance",),
}
PREDICTION_FIELDS: Final[FieldTable] = {
    "id": ("id", "sample_id", "custom_id"),
    "prediction": ("prediction", "answer", "label", "response"),
    "evidence": ("evidence", "citations"),
    "text": ("output", "text", "completion", "generated_text"),
    "reasoning": ("reasoning_content", "reasoning"),
    "rollout": ("rollout", "epoch"),
}

_PAIR = re.compile(r"OSDR-(?:FRAG|CTRL)-(\d{5})")
_CLAIMS: Final = PREDICTION_FIELDS["prediction"]
_REPLY_KEYS: Final = frozenset((*_CLAIMS, *PREDICTION_FIELDS["evidence"]))
_READ: Final = tuple(
    name
    for field in ("prediction", "evidence", "text", "reasoning")
    for name in PREDICTION_FIELDS[field]
)


def pair_of(sample_id: str) -> str | None:
    """Return the number that a trap and its control share, None for an id of another form.

    Examples
    --------
    >>> pair_of("OSDR-FRAG-00001"), pair_of("Q1")
    ('00001', None)
    """
    match = _PAIR.fullmatch(sample_id)
    return None if match is None else match[1]


def id_of(record: Record) -> str | None:
    """Return a record's id as text, None without one.

    Raises
    ------
    RecordFault
        The id is neither text nor a whole number.
    """
    return id_text(_first(record, PREDICTION_FIELDS["id"]))


def parse_item(record: Record, line: int) -> Item:
    """Read an item of the benchmark, as far as scoring needs it.

    ``eval_tiers validate`` checks everything else.

    Raises
    ------
    RecordFault
        A field that scoring rests on is missing or of a wrong type; the gold label is none of the
        three words as they stand (an alias is bad input, and so is null).
    """
    sample_id = id_of(record)
    if sample_id is None:
        raise RecordFault("no-id", "the item has no id", "id", "give it one")
    label = record.get("expected")
    if not isinstance(label, str) or label not in LABEL_CODES:
        raise RecordFault(
            "unknown-label",
            f"gold label {label!r} is not one of: {', '.join(LABELS)}",
            "expected",
            _near(label, LABELS),
        )
    item_type = record.get("item_type")
    if item_type not in ITEM_TYPES:
        raise RecordFault(
            "unknown-item-type",
            f"item type {item_type!r} is not one of: {', '.join(ITEM_TYPES)}",
            "item_type",
            _near(item_type, ITEM_TYPES),
        )
    gene, organism, tissue = (_text(record, name) for name in ("gene", "organism", "tissue"))
    rows = record.get("provenance")
    if not isinstance(rows, list) or not rows:
        raise RecordFault(
            "no-provenance", "the item has no provenance rows", "provenance", "list its rows"
        )
    provenance = tuple(
        _provenance_row(row, number, sample_id, gene, organism, tissue, line)
        for number, row in enumerate(rows)
    )
    prompt = record.get("prompt")
    return Item(
        sample_id=sample_id,
        item_type=str(item_type),
        prompt=prompt if isinstance(prompt, str) else "",
        gene=gene,
        organism=organism,
        tissue=tissue,
        label=LABEL_CODES[label],
        datasets=_datasets(record) or tuple(dict.fromkeys(row.dataset for row in provenance)),
        provenance=provenance,
        line=line,
    )


def parse_prediction(record: Record) -> AnswerRecord:
    """Read a prediction record: a label, or a model's text; and the evidence it cites.

    Raises
    ------
    RecordFault
        No field holds an answer, a text or evidence; or a text field is of a wrong type.
    """
    if not any(name in record for name in _READ):
        raise RecordFault(
            "unmapped-fields",
            f"no field holds an answer; the record has: {', '.join(map(str, record))}",
            "prediction",
            "name it 'prediction', or 'output' for a model's text (see eval --help-formats)",
        )
    claim, reply = _claim_of(record)
    evidence = read_evidence(_first(record, PREDICTION_FIELDS["evidence"]))
    if reply is not None and not evidence.given:
        evidence = _evidence_of(reply)
    rollout = _first(record, PREDICTION_FIELDS["rollout"])
    return AnswerRecord(
        sample_id=id_of(record),
        rollout=None if rollout is None else rollout_text(rollout),
        claim=claim,
        compat_claim=_first(record, _CLAIMS),
        evidence=evidence,
    )


def _claim_of(record: Record) -> tuple[object, Reply | None]:
    """Return what is read as the answer, and the text it was found in, taken apart."""
    claim = _filled(record)
    if claim is None or (isinstance(claim, str) and not claim.strip()):
        name = next(
            (name for name in PREDICTION_FIELDS["text"] if record.get(name) is not None), None
        )
        text = None if name is None else content_text(record[name], name)
        if text is None or not text.strip():
            thought = _first(record, PREDICTION_FIELDS["reasoning"])
            if isinstance(thought, str) and thought.strip():
                text = thought
        if text is None:
            return claim, None
    elif isinstance(claim, str) and ("{" in claim or "<" in claim):
        text = claim  # a whole reply where a label is looked for
    else:
        return claim, None
    reply = read_reply(text, _REPLY_KEYS)
    if reply.fields is None:
        return reply.answer, reply
    return _filled({str(key).casefold(): value for key, value in reply.fields.items()}), reply


def _evidence_of(reply: Reply) -> Evidence:
    if reply.fields is not None:
        fields = {str(key).casefold(): value for key, value in reply.fields.items()}
        return read_evidence(_first(fields, PREDICTION_FIELDS["evidence"]))
    return Evidence() if reply.triplet_block is None else read_evidence_block(reply.triplet_block)


def _filled(record: Record) -> object:
    """Return the first answer that is not null and not blank; a blank one where there is none."""
    blank = None
    for name in _CLAIMS:
        value = record.get(name)
        if isinstance(value, str) and not value.strip(" \t\r\n\ufeff"):
            blank = value
        elif value is not None:
            return value
    return blank


def _first(record: Record, names: tuple[str, ...]) -> object:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _text(record: Record, name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value.strip():
        raise RecordFault(
            "bad-field", f"it is {value!r}, and has to be a text that is not blank", name,
            "correct the line; 'eval_tiers validate' lists every fault of the file",
        )  # fmt: skip
    return value.strip()


def _datasets(record: Record) -> tuple[str, ...]:
    """Return the datasets of the gold evidence, () where the field doesn't give them."""
    evidence = record.get("evidence")
    listed = evidence.get("datasets") if isinstance(evidence, dict) else None
    if not isinstance(listed, list):
        return ()
    found = [dataset_of(value) for value in listed]
    return tuple(dict.fromkeys(name for name in found if name is not None))


def _provenance_row(
    row: object, number: int, sample_id: str, gene: str, organism: str, tissue: str, line: int
) -> ProvenanceRow:
    if not isinstance(row, dict):
        raise RecordFault("bad-provenance", f"row {number + 1} is no object", "provenance")
    dataset = dataset_of(row.get("osd"))
    if dataset is None:
        raise RecordFault(
            "bad-dataset",
            f"dataset {row.get('osd')!r} of row {number + 1} is no OSD number",
            "provenance.osd",
            "write it as OSD-48",
        )
    contrast, source = row.get("contrast"), row.get("source_file")
    return ProvenanceRow(
        gene=gene,
        organism=organism,
        dataset=dataset,
        tissue=tissue,
        log2fc=_number(row.get("log2FC_SF_vs_GC")),
        q=_number(row.get("q")),
        contrast=contrast if isinstance(contrast, str) else "",
        orientation=-1 if row.get("orientation_sign_applied") == -1 else 1,
        source_file=source if isinstance(source, str) else "",
        item_id=sample_id,
        line=line,
        number=number,
    )


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number of 400 digits
        return None
    return number if math.isfinite(number) else None


def _near(value: object, words: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(str(value).strip().casefold(), words, n=1)
    return f"correct the line; did you mean '{near[0]}'?" if near else "correct the line"


FORMAT: Final = CitationFormat(
    name="rr10",
    title="RR-10: upregulated / downregulated / indeterminate, with the datasets that say so",
    gold_fields=GOLD_FIELDS,
    prediction_fields=PREDICTION_FIELDS,
    id_of=id_of,
    matches=lambda record: "expected" in record and ("item_type" in record or "accept" in record),
    parse_item=parse_item,
    parse_prediction=parse_prediction,
    example_gold={
        "id": "OSDR-CTRL-00001",
        "item_type": "concordant_control",
        "prompt": "Is Cdkn1a changed by spaceflight in mouse liver?",
        "gene": "Cdkn1a",
        "organism": "mus_musculus",
        "tissue": "liver",
        "context": "mus_musculus::liver",
        "expected": "upregulated",
        "accept": ["upregulated"],
        "reject": ["downregulated", "indeterminate"],
        "evidence": {
            "n_datasets": 2,
            "datasets": ["OSD-47", "OSD-168"],
            "min_abs_log2FC": 0.5,
            "max_abs_log2FC": 1.75,
            "max_q": 0.03,
            "discordant": False,
        },
        "provenance": [
            {
                "osd": dataset,
                "log2FC_SF_vs_GC": log2fc,
                "q": q,
                "contrast": "(Space Flight)v(Ground Control)",
                "orientation_sign_applied": 1,
                "source_file": f"example_{dataset}.csv",
                "gene_id_column": "SYMBOL",
            }
            for dataset, log2fc, q in (("OSD-47", 1.75, 0.001), ("OSD-168", 0.5, 0.03))
        ],
    },
    example_prediction={
        "id": "OSDR-CTRL-00001",
        "prediction": "upregulated",
        "evidence": [["Cdkn1a", "+", "OSD-47"], ["Cdkn1a", "+", "OSD-168"]],
    },
    example_answer_correct=True,
    reference="RR-10 v1.0, as described in docs/rr10.md",
)
