"""A benchmark file in RR-10's format: every line against the rules, then the file as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from eval_tiers.domain.findings import Finding
from eval_tiers.domain.rr10 import ITEM_TYPES, LABELS
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.formats.base import RecordFault
from eval_tiers.formats.rr10_rules.codes import Fault, level_of
from eval_tiers.formats.rr10_rules.corpus import CANON, Canon, Corpus
from eval_tiers.formats.rr10_rules.item import check_item
from eval_tiers.io.validation.lines import LineReader, parse_line
from eval_tiers.io.validation.outcome import Figure, Outcome

_SHOWN_CONTEXTS = 20
_HASH_FIX = "--skip-hash validates a file that doesn't claim to be the canonical one"


def check_rr10_file(
    path: Path, name: str, skip_hash: bool = False, canon: Canon = CANON
) -> tuple[Outcome, Corpus]:
    """Check a benchmark file line by line, in one pass.

    Parameters
    ----------
    path : Path
        JSON Lines, plain or compressed; a transport copy of it by any name.
    name : str
        The file as the user named it.
    skip_hash : bool
        Any file in the format will do, of any number of items; else it has to be the canonical
        one.
    canon : Canon
        The figures of the canonical file.

    Raises
    ------
    MissingResourceError
        The file isn't there or can't be read.
    BadInputError
        It is no JSON Lines at all.
    """
    outcome = Outcome(name, "rr10", "a benchmark in RR-10's format (JSON Lines)")
    corpus, reader = Corpus(), LineReader(path)
    unreadable_n, json_like_n = 0, 0
    for line, raw in reader.rows():
        try:
            record = parse_line(raw)
        except RecordFault as fault:
            unreadable_n += 1
            json_like_n += fault.code in ("not_an_object", "repeated_key") or _begins_json(raw)
            where = SourceRef(name, line, fault.field)
            outcome.add(Finding(fault.code, fault.message, where, "error", fault.fix))
            continue
        json_like_n += 1
        sample_id = _id_of(record.get("id"))
        add_faults(outcome, check_item(record), line, sample_id)
        add_faults(outcome, corpus.add(record, line), line, sample_id)
    if not json_like_n:
        first = outcome.findings[0]
        raise BadInputError(
            Problem("not-json-lines", f"no line is JSON; the first: {first.message}", first.where,
                    "a benchmark is JSON Lines: one object a line")
        )  # fmt: skip
    outcome.sha256 = reader.sha256
    is_canonical = reader.sha256 == canon.sha256
    if reader.is_array:
        outcome.taken_for = "a benchmark in RR-10's format (one JSON array)"
        add_faults(outcome, [Fault("json_array", "the file is one JSON array; write one object "
                                   "a line")], 1, None)  # fmt: skip
    if not (skip_hash or is_canonical):
        message = f"the sha256 is not that of the canonical file, {canon.sha256[:12]}..."
        message += _likely_cause(reader)
        outcome.add(Finding("hash_mismatch", message, SourceRef(name), "error", _HASH_FIX))
    claims = is_canonical or not skip_hash
    add_faults(outcome, corpus.check_pairs(canon if claims else None), None, None)
    if claims:
        add_faults(outcome, corpus.check_counts(canon), None, None)
    if is_canonical:
        add_faults(outcome, corpus.check_canonical(canon), None, None)
    for code, message in reader.notes:
        outcome.add(Finding(code, message, SourceRef(name), "note"))
    _describe(outcome, corpus, is_canonical, unreadable_n)
    return outcome, corpus


def add_faults(
    outcome: Outcome, faults: Iterable[Fault], line: int | None, sample_id: str | None
) -> None:
    """Add faults of the rules as findings, with where they are."""
    for fault in faults:
        where = SourceRef(
            outcome.path,
            fault.line if fault.line is not None else line,
            fault.field,
            fault.sample_id if fault.sample_id is not None else sample_id,
        )
        outcome.add(Finding(fault.code, fault.message, where, level_of(fault.code)))


def _id_of(value: object) -> str | None:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _begins_json(raw: bytes) -> bool:
    return raw.lstrip()[:1] in (b"{", b"[")


def _likely_cause(reader: LineReader) -> str:
    """Say what an editor may have done to the canonical file."""
    causes = [code for code, _ in reader.notes if code in ("bom", "crlf", "cr")]
    return f" (changed by an editor? {', '.join(causes).upper()})" if causes else ""


def _describe(outcome: Outcome, corpus: Corpus, is_canonical: bool, unreadable_n: int) -> None:
    outcome.record_n, outcome.row_n = corpus.record_n, corpus.row_n
    outcome.context_n = dict(corpus.context_n)
    figures = outcome.figures
    words = "the canonical file of RR-10 v1.0" if is_canonical else "not the canonical file"
    figures.append(Figure("", None, words))
    figures.append(Figure("records", corpus.record_n))
    if unreadable_n:
        figures.append(Figure("", unreadable_n, "lines that are no record"))
    figures += _counted("item types", corpus.type_n, ITEM_TYPES)
    figures += _counted("labels", corpus.label_n, LABELS)
    ordered = [context for context, _ in corpus.context_n.most_common()]
    figures.append(Figure("contexts", len(ordered)))
    figures += _counted("", corpus.context_n, ordered[:_SHOWN_CONTEXTS])
    if len(ordered) > _SHOWN_CONTEXTS:
        figures.append(Figure("", len(ordered) - _SHOWN_CONTEXTS, "contexts more"))
    figures.append(Figure("provenance", corpus.row_n, "rows"))
    figures.append(Figure("datasets", len(corpus.datasets)))
    figures.append(Figure("pairs", corpus.pair_n, "complete"))
    if corpus.lone_n:
        figures.append(Figure("", corpus.lone_n, "without the other half"))


def _counted(title: str, counts: Counter[str], names: Iterable[str]) -> list[Figure]:
    listed = [Figure("", counts[name], name) for name in names]
    if listed and title:
        listed[0] = Figure(title, listed[0].count, listed[0].words)
    return listed
