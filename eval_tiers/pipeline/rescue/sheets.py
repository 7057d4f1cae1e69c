"""Reads a sheet of labels back, filled in by people."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.io.rescue_files import ExportFiles
from eval_tiers.io.sources import read_bytes, refuse_utf16
from eval_tiers.io.text_lines import decode_text
from eval_tiers.pipeline.rescue.labels import LABEL_ID, RATERS, SETTLED, label_id_of
from eval_tiers.rescue.cases import SampleKey
from eval_tiers.rescue.registry import known_kinds


@dataclass(slots=True)
class HumanLabels:
    """What people said of cases.

    Attributes
    ----------
    kind : str or None
        Of the cases; None for an empty sheet.
    truth : dict of SampleKey to str
        Verdict that both raters agree on, that was settled on, or of the one who gave one.
    inclusion : dict of SampleKey to float
        Chance with which a case was drawn.
    pairs : list of (str, str)
        Verdicts where both raters gave one.
    unsettled_n, blank_n : int
        Cases on which the raters differ and nothing was settled; cases that nobody judged.
    """

    kind: str | None = None
    truth: dict[SampleKey, str] = field(default_factory=dict)
    inclusion: dict[SampleKey, float] = field(default_factory=dict)
    pairs: list[tuple[str, str]] = field(default_factory=list)
    unsettled_n: int = 0
    blank_n: int = 0


def read_labels(path: Path, export: ExportFiles) -> HumanLabels:
    """Read a sheet.

    Raises
    ------
    MissingResourceError
        It isn't there.
    BadInputError
        A column is missing, a case isn't of the export or is there twice, a word is no verdict.
    """
    data = read_bytes(path, "sheet of labels")
    refuse_utf16(data[:400], str(path))
    text = decode_text(data.removeprefix(b"\xef\xbb\xbf"), str(path))
    reader = csv.DictReader(io.StringIO(text, newline=""))
    needed = (LABEL_ID, "kind", "inclusion_probability", *RATERS)
    missing = [name for name in needed if name not in (reader.fieldnames or ())]
    if missing:
        fix = "fill in the sheet that export-labels wrote, and save it with commas"
        message = f"columns of a sheet are missing: {', '.join(missing)}"
        raise BadInputError(Problem("missing-columns", message, SourceRef(str(path), 1), fix))
    cases = {
        label_id_of(export, row.key, row.kind): (row.key, row.kind)
        for row in export.index
        if row.repeat == 0
    }
    found = HumanLabels()
    seen: set[str] = set()
    for record in reader:
        where = SourceRef(str(path), reader.line_num)
        label_id = (record[LABEL_ID] or "").strip()
        if label_id not in cases or label_id in seen:
            message = "is there twice" if label_id in seen else "is not of this export"
            raise BadInputError(Problem("bad-label-id", f"the case {label_id!r} {message}", where))
        seen.add(label_id)
        key, kind = cases[label_id]
        if found.kind not in (None, kind):
            raise BadInputError(Problem("several-kinds", "a sheet is of one kind", where))
        found.kind = kind
        found.inclusion[key] = _chance(record["inclusion_probability"], where)
        _add(found, key, _words(record, export, kind, where))
    return found


def _words(
    record: Mapping[str, str | None], export: ExportFiles, kind: str, where: SourceRef
) -> list[str | None]:
    """Return what the raters and the settlement say, in the spelling of the vocabulary."""
    labels = tuple(map(str, export.manifest["labels"]))
    verdicts = known_kinds()[kind].verdicts(str(export.manifest["format"]), labels)
    words: list[str | None] = []
    for name in (*RATERS, SETTLED):
        written = (record.get(name) or "").strip()
        word = next((one for one in verdicts if one.casefold() == written.casefold()), None)
        if written and word is None:
            message = f"{written!r} is no verdict of {kind}"
            place = SourceRef(where.path, where.line, name)
            fix = f"one of: {', '.join(verdicts)}; or leave it blank"
            raise BadInputError(Problem("not-a-verdict", message, place, fix))
        words.append(word)
    return words


def _add(found: HumanLabels, key: SampleKey, words: list[str | None]) -> None:
    first, second, settled = words
    if first is not None and second is not None:
        found.pairs.append((first, second))
    said = {word for word in (first, second) if word is not None}
    if settled is not None:
        found.truth[key] = settled
    elif len(said) == 1:
        found.truth[key] = said.pop()
    elif said:
        found.unsettled_n += 1
    else:
        found.blank_n += 1


def _chance(text: str | None, where: SourceRef) -> float:
    try:
        value = float(text or "")
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        message = f"the inclusion probability reads {text!r}"
        raise BadInputError(Problem("bad-inclusion-probability", message, where, "leave it alone"))
    return value
