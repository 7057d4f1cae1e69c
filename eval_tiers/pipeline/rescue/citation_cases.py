"""Cases of a benchmark whose answers cite datasets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import orjson

from eval_tiers.domain.rr10 import LABELS, Item, ProvenanceRow
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.formats.base import AnswerRecord, CitationFormat
from eval_tiers.formats.registry import format_named
from eval_tiers.io.rescue_run import RescueRun, find_inputs, read_keyed_rows
from eval_tiers.io.rr10_benchmark import read_items
from eval_tiers.pipeline.rescue.cases import Asked, CaseSet
from eval_tiers.pipeline.rescue.records import read_answers_of
from eval_tiers.pipeline.rescue.sources import Overrides, find_source_pairs
from eval_tiers.rescue.cases import Case, Step
from eval_tiers.rescue.steps import format_name

PARSE_FAIL: Final = "parse_fail"
CITATION_KEY: Final = ("sample_id", "rollout")
_COLUMNS: Final = ("number", "gene", "sign", "dataset", "verdict")
_SIGNS: Final = {1: "+", -1: "-", 0: "?"}


def add_citation_cases(
    found: CaseSet, run: RescueRun, overrides: Overrides, asked: Sequence[Asked], scratch: Path
) -> None:
    """Build the cases, and what controls are made from; see `build_cases`."""
    benchmark = format_named(run.benchmark)
    if not isinstance(benchmark, CitationFormat):
        raise TypeError(f"{benchmark.name} is no format of cited evidence")
    source = find_source_pairs(run, overrides, found.findings)[0]
    duplicates = "error" if run.manifest.get("reading") == "compat" else run.manifest["duplicates"]
    listed = read_items(source.pair.gold, scratch, benchmark.name, duplicates)
    items = {item.sample_id: item for item in listed}
    keys = run.samples.keys()
    citations: dict[Any, list[tuple[Any, ...]]] = {}
    if (run.folder / f"citations_{run.timestamp}.parquet").is_file():
        citations = read_keyed_rows(
            run, "citations", _COLUMNS, {keys[one.row] for one in asked}, CITATION_KEY
        )
    texts: dict[int, str] = {}
    unread = [one.row for one in asked if one.kind == PARSE_FAIL]
    if unread:
        answers = read_answers_of(run, source, unread, benchmark, scratch)
        texts = {
            row: _text_of(answer.claim)
            for row, answer in answers.items()
            if isinstance(answer, AnswerRecord)
        }
    column = run.samples.column
    gold, predicted, implied = map(column, ("gold_label", "predicted_label", "implied_answer"))
    labels, pairs = column("error_label"), column("pair")
    for one in asked:
        row = one.row
        item = items.get(keys[row][0])
        if item is None or LABELS[item.label] != gold[row]:
            raise BadInputError(
                Problem(
                    "record-not-found",
                    "the benchmark has no such item, or another gold answer",
                    SourceRef(str(run.samples.path), None, None, keys[row][0]),
                    "hand over the samples table as the run wrote it",
                )
            )
        cited = sorted(citations.get(keys[row], ()), key=lambda citation: int(citation[0]))
        chain = tuple(
            Step(str(gene or "?"), int(sign or 0), str(dataset or "?"), verdict)
            for _, gene, sign, dataset, verdict in cited
        )
        found.cases.append(
            Case(
                key=keys[row],
                benchmark=run.benchmark,
                kind=one.kind,
                error_label=labels[row] or "",
                question=item.prompt,
                labels=run.labels,
                gold_answer=gold[row] or "",
                predicted_answer=predicted[row],
                text=texts.get(row, ""),
                chain=chain,
                gold_chain=gold_steps(item),
                implied_answer=implied[row],
                contradicted_n=sum(step.status == "SIGN_MISREAD" for step in chain),
                evidence=tuple(map(provenance_line, item.provenance)),
                readout=item.gene,
                cluster=pairs[row] or keys[row][0],
            )
        )
    found.items = listed
    found.provenance = _read_provenance(run, listed)


def gold_steps(item: Item) -> tuple[Step, ...]:
    """Return an item's published rows as steps: its gold chain."""
    return tuple(Step(row.gene, row.sign, row.dataset) for row in item.provenance)


def provenance_line(row: ProvenanceRow) -> str:
    """Return a published row as a line: gene, dataset, direction, values, contrast."""
    values = [f"log2 fold change {row.log2fc:.3g}" if row.log2fc is not None else "no fold change"]
    values.append("q not known" if row.q is None else f"q {row.q:.3g}")
    if row.tissue:
        values.append(f"tissue {format_name(row.tissue)}")
    if row.contrast:
        values.append(f"contrast {row.contrast}")
    step = f"{format_name(row.gene)} -[{_SIGNS[row.sign]}]-> {format_name(row.dataset)}"
    return f"{step}: {', '.join(values)}"


def _text_of(claim: object) -> str:
    if isinstance(claim, str):
        return claim
    return "" if claim is None else orjson.dumps(claim, default=str).decode()


def _read_provenance(run: RescueRun, items: Sequence[Item]) -> Any:
    from eval_tiers.io.provenance import read_provenance

    named: dict[str, dict[str, Path]] = {"table": {}, "genes": {}}
    registry = None
    for one in find_inputs(run, ("table of ", "genes of ", "registry")):
        role, _, name = one.role.partition(" of ")
        if role == "registry":
            registry = one.path
        else:
            named[role][name] = one.path
    return read_provenance(items, named["table"], registry, named["genes"])
