"""RR-10, sections 3 and 4: the label value and the citations of a prediction row."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.oracle import texts
from tests.oracle.rr10_labels import fold_dashes, is_blank, read_compat, read_default

Record = dict[str, Any]

LABEL_FIELDS = ("prediction", "answer", "label", "response")
EVIDENCE_FIELDS = ("evidence", "citations")
TEXT_FIELDS = ("output", "text", "completion", "generated_text", "content")
# --------------------------------------------------------------------------- one row's fields


def is_given(value: object) -> bool:
    """Neither null nor a blank string."""
    return value is not None and not is_blank(value)


def first_given(record: Mapping[str, Any], names: Iterable[str]) -> Any:
    """The first of the fields that is neither null nor blank; a blank one before none at all."""
    blank = None
    for name in names:
        value = record.get(name)
        if is_given(value):
            return value
        if value is not None and blank is None:
            blank = value
    return blank


def refuse(word: str) -> None:
    """Raise for NaN, Infinity and -Infinity."""
    raise ValueError(word)


def find_object(text: str) -> Record | None:
    """The first object that parses whole and has a field of a label or of evidence."""
    decoder = json.JSONDecoder(parse_constant=refuse)  # NaN is no JSON
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if any(str(name).casefold() in LABEL_FIELDS + EVIDENCE_FIELDS for name in value):
            return {str(name).casefold(): part for name, part in value.items()}
        at = text.find("{", end)  # what stands inside a whole object is not visited
    return None


def answer_block(text: str) -> str | None:
    """The answer block after the thinking, closed or not; None without a tag."""
    region = texts.after_thinking(text)
    closed = texts.last_block(region, "answer")
    return closed if closed is not None else texts.open_block(region, "answer")


def read_row(record: Record) -> Record:
    """Label value, labels of both readings, citations and mechanism edges of a prediction row."""
    value = first_given(record, LABEL_FIELDS)
    evidence = evidence_of(record)
    if isinstance(value, str) and is_given(value) and ("{" in value or "<" in value):
        value, cited = read_text(value)  # a whole reply where a label is looked for
        evidence = cited if evidence is None else evidence
    elif not is_given(value):
        text = first_given(record, TEXT_FIELDS)
        cited = None
        if isinstance(text, str) and is_given(text):
            text, cited = read_text(text)
        value = value if text is None else text
        evidence = cited if evidence is None else evidence
    label, reason = read_default(value)
    citations, mechanism = read_elements(evidence or [])
    compat_value = next((record[n] for n in LABEL_FIELDS if record.get(n) is not None), None)
    return {
        "label_value": value,
        "label": label,
        "reason": reason,
        "label_compat": read_compat(compat_value),
        "citations": citations,
        "mechanism": mechanism,
    }


def read_text(text: str) -> tuple[Any, list[Any] | None]:
    """The label value and the evidence elements of a model's text."""
    record = find_object(text)
    if record is not None:
        return first_given(record, LABEL_FIELDS), evidence_of(record)
    block = texts.last_block(text, "triplet")
    if block is None:
        block = texts.open_block(text, "triplet")
    cited = None if block is None else block_elements(block)
    answer = answer_block(text)
    return (words_outside(text) if answer is None else answer), cited


def words_outside(text: str) -> str:
    """The text without its triplet blocks, and without the thinking where words follow it."""
    lower = text.lower()
    while "<triplet>" in lower:
        start = lower.index("<triplet>")
        end = lower.find("</triplet>", start)
        end = len(text) if end < 0 else end + len("</triplet>")
        text = text[:start] + " " + text[end:]
        lower = text.lower()
    after = texts.after_thinking(text)
    return after if after.strip() else text


# --------------------------------------------------------------------------- evidence as written


def evidence_of(record: Mapping[str, Any]) -> list[Any] | None:
    """The elements of `evidence`, or of `citations` where that is absent or null."""
    for name in EVIDENCE_FIELDS:
        if record.get(name) is not None:
            return None if is_blank(record[name]) else value_elements(record[name])
    return None


def value_elements(value: Any) -> list[Any]:
    """A list; a lone triple, object or anything else is a list of one; blank is none."""
    if value is None or is_blank(value):
        return []
    if isinstance(value, list):
        return [value] if is_triple(value) else value
    if isinstance(value, str) and value.strip()[0] in "[{":
        try:
            return value_elements(json.loads(value))
        except (ValueError, RecursionError):
            return block_elements(value)
    return [value]


def is_triple(value: object) -> bool:
    """A list of exactly three scalars."""
    if not isinstance(value, list) or len(value) != 3:
        return False
    return not any(isinstance(part, list | dict) for part in value)


def block_elements(block: str) -> list[Any]:
    """A triplet block: JSON, else its one outer list, else its innermost lists."""
    try:
        value = json.loads(block)
    except (ValueError, RecursionError):
        pass
    else:
        if isinstance(value, str):  # encoded twice
            return block_elements(value) if value.strip().startswith("[") else []
        return value_elements(value) if isinstance(value, list | dict) else []
    scan = texts.Scan(block, round_lists=not texts.has_square_list(block))
    if scan.balanced and scan.plain and len(scan.outer) == 1:
        return value_elements(plain_value(scan.outer[0]))
    return [plain_value(node) for node in scan.lists if not node.holds_list]


def plain_value(part: texts.Part) -> Any:
    """Lists and scalars of a scanned block; an object in it can't be read."""
    if not isinstance(part, texts.Bracket):
        return part
    items = [plain_value(item) for item in part.items]
    return {"": items} if part.kind == "{" else items


def read_elements(elements: Sequence[Any]) -> tuple[list[Record], list[tuple[str, int, str]]]:
    """Citations and mechanism edges, in order, nothing collapsed."""
    citations: list[Record] = []
    mechanism: list[tuple[str, int, str]] = []
    for element in elements:
        if isinstance(element, dict):
            citations.append(read_object(element))
        elif not is_triple(element):
            citations.append(malformed(element))
        elif [str(part).strip().casefold() for part in element] == ["gene_a", "sign", "gene_b"]:
            continue
        else:
            gene, target = scalar_text(element[0]), scalar_text(element[2])
            sign = "" if element[1] is None else str(element[1]).strip()
            if gene == "" or target == "":
                citations.append(malformed(element))
            elif unicodedata.normalize("NFKC", target).upper().startswith(("OSD", "GLDS")):
                citations.append(read_parts(element, gene, sign, target))
            else:
                mechanism.append((gene, read_sign(sign), target))
    return citations, mechanism


def malformed(written: Any) -> Record:
    return {"written": written, "malformed": True}


def read_object(written: Record) -> Record:
    """{gene, dataset or osd, direction or sign, log2fc?, q?, significant?}, keys in any case."""
    fields: Record = {}
    for key, value in written.items():
        if not is_given(fields.get(key.casefold())):
            fields[key.casefold()] = value
    gene = scalar_text(fields.get("gene"))
    sign = scalar_text(first_given(fields, ("direction", "sign")))
    dataset = scalar_text(first_given(fields, ("dataset", "osd")))
    citation = read_parts(written, gene, sign, dataset)
    claim = fields.get("significant")
    citation["log2fc"] = read_number(fields.get("log2fc"))
    citation["q"] = read_number(fields.get("q"))
    citation["significant"] = claim is True or (
        isinstance(claim, str) and claim.strip().casefold() in ("true", "yes")
    )
    return citation


def read_parts(written: Any, gene: str, sign: str, dataset: str) -> Record:
    """A citation, malformed without a gene, a sign or a dataset."""
    accession = read_dataset(dataset)
    if gene == "" or read_sign(sign) == 0 or accession is None:
        return malformed(written)
    return {
        "written": written,
        "malformed": False,
        "gene": gene,
        "sign": read_sign(sign),
        "dataset": accession,
        "log2fc": None,
        "q": None,
        "significant": False,
    }


def scalar_text(value: Any) -> str:
    """A scalar as stripped text; empty for null, a boolean, a list or an object."""
    if value is None or isinstance(value, bool | list | dict):
        return ""
    return str(value).strip()


def read_sign(value: str) -> int:
    """The vocabulary of the triplets, and four more words."""
    word = fold_dashes(unicodedata.normalize("NFKC", value)).strip().casefold()
    if word in ("upregulated", "increased"):
        return 1
    if word in ("downregulated", "decreased"):
        return -1
    return texts.read_sign(value)


def read_number(value: Any) -> float | None:
    """A finite number, also given as text; else not given."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = fold_dashes(value) if isinstance(value, str) else value
    if isinstance(text, str) and "_" in text:  # 1_000 is Python's
        return None
    try:
        number = float(text)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def read_dataset(value: str) -> str | None:
    """GLDS-48, osd 48, OSD_48, OSD-048 -> OSD-48; None for anything else."""
    text = fold_dashes(unicodedata.normalize("NFKC", value)).strip()
    match = re.fullmatch(r"(?:OSD|GLDS)[\s_-]*([0-9]+)", text, re.IGNORECASE)
    if match is None:
        return None
    return "OSD-" + (match.group(1).lstrip("0") or "0")


def read_gene(value: str, organism: str) -> str:
    """Stripped; upper case for human alone."""
    return value.strip().upper() if organism == "homo_sapiens" else value.strip()
