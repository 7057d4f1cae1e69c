"""Cases of a benchmark whose answers cite chains of signed edges."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.formats.base import ChainFormat, FieldReader, PredictionRecord
from eval_tiers.formats.registry import chain_format_named
from eval_tiers.io.rescue_run import RescueRun, read_keyed_rows
from eval_tiers.io.tables import SAMPLE_KEY
from eval_tiers.pipeline.rescue.cases import Asked, CaseSet
from eval_tiers.pipeline.rescue.evidence import EvidenceFinder
from eval_tiers.pipeline.rescue.records import (
    GoldRow,
    read_answers_of,
    read_gold_records,
    rows_by_pair,
)
from eval_tiers.pipeline.rescue.sources import Overrides, find_graph_paths, find_source_pairs
from eval_tiers.rescue.cases import Case, SampleKey, Step
from eval_tiers.rescue.golds import GoldChain
from eval_tiers.texts.answers import read_text

PARSE_FAIL: Final = "parse_fail"
_STEP_COLUMNS: Final = ("side", "source", "sign", "target", "status", "on_path")
Chains = Mapping[SampleKey, list[tuple[Any, ...]]]


def add_chain_cases(
    found: CaseSet,
    run: RescueRun,
    overrides: Overrides,
    asked: Sequence[Asked],
    scratch: Path,
    seed: int,
    blind: bool,
    gold_n: int,
) -> None:
    """Build the cases, and the samples that controls can be made from; see `build_cases`."""
    benchmark = chain_format_named(run.benchmark)
    sources = find_source_pairs(run, overrides, found.findings)
    found.graph = _read_graph(run, overrides)
    gold_rows = _consistent_rows(run, gold_n, seed)
    rows = sorted({one.row for one in asked} | set(gold_rows))
    keys = run.samples.keys()
    chains = read_keyed_rows(run, "chains", _STEP_COLUMNS, {keys[row] for row in rows}, SAMPLE_KEY)
    records: dict[int, GoldRow] = {}
    texts: dict[int, str] = {}
    unread = [one.row for one in asked if one.kind == PARSE_FAIL]
    for number, of_pair in rows_by_pair(run, sources, rows).items():
        records |= read_gold_records(run, sources[number], of_pair, benchmark)
    for number, of_pair in rows_by_pair(run, sources, unread).items():
        answers = read_answers_of(run, sources[number], of_pair, benchmark, scratch)
        for row, answer in answers.items():
            if isinstance(answer, PredictionRecord):
                texts[row] = _checked_text(run, row, answer)
    evidence = EvidenceFinder(found.graph, blind)
    builder = _Builder(run, benchmark, keys, chains, records)
    for one in asked:
        case = builder.case(one, texts.get(one.row, ""))
        found.cases.append(replace(case, evidence=evidence.lines(case)))
    found.golds = [builder.gold(row) for row in gold_rows]


def _read_graph(run: RescueRun, overrides: Overrides) -> Any:
    from eval_tiers.io.graphs import read_graph
    from eval_tiers.kg.source import ReadOptions

    options = ReadOptions(
        consensus=bool(run.manifest.get("consensus")),
        undirected=str(run.manifest.get("undirected", "skip")),
    )
    return read_graph(find_graph_paths(run, overrides), options)


def _consistent_rows(run: RescueRun, most: int, seed: int) -> list[int]:
    """Return rows whose gold chain implies the gold answer, one a question; a draw of many."""
    samples = run.samples
    seen: set[tuple[str | None, ...]] = set()
    rows = []
    for row, (implied, gold, *question) in enumerate(
        zip(
            samples.column("gold_implied_answer"), samples.column("gold_label"),
            samples.column("source_path"), samples.column("source_line"),
            samples.column("sample_id"), strict=True,
        )
    ):  # fmt: skip
        if implied is None or implied != gold or tuple(question) in seen:
            continue
        seen.add(tuple(question))
        rows.append(row)
    if len(rows) > most:
        rows = sorted(random.Random(f"{seed} golds").sample(rows, most))
    return rows


def _checked_text(run: RescueRun, row: int, answer: PredictionRecord) -> str:
    """Return a text that has no label by the strict reading, as the samples say."""
    if read_text(answer.text).label >= 0:
        sample_id = run.samples.keys()[row][0]
        raise BadInputError(
            Problem(
                "prediction-differs",
                "the samples say that this text has no answer, but it has: it isn't the text that "
                "was scored",
                SourceRef(None, None, None, sample_id),
                "name the predictions that were scored, or evaluate again",
            )
        )
    return answer.text or ""


class _Builder:
    """Puts the parts of a case together."""

    def __init__(
        self,
        run: RescueRun,
        benchmark: ChainFormat,
        keys: Sequence[SampleKey],
        chains: Chains,
        records: Mapping[int, GoldRow],
    ) -> None:
        self.run, self.keys, self.chains, self.records = run, keys, chains, records
        self.column = run.samples.column
        names = {"question": benchmark.gold_fields.get("question", ("question",))}
        self.question_field = FieldReader(names)
        self.columns = {
            name: self.column(name)
            for name in (
                "error_label", "gold_label", "predicted_label", "implied_answer", "perturbation",
                "readout", "gold_implied_answer", "pert_type", "cell_line",
            )
        }  # fmt: skip
        numbers = run.samples.numbers
        self.sign_match = numbers("sign_match")
        self.contradicted_n = numbers("edge_status_sign_contradicted_n")
        self.perturbation_sign = numbers("perturbation_sign")

    def case(self, asked: Asked, text: str) -> Case:
        row, value = asked.row, self._value
        return Case(
            key=self.keys[row],
            benchmark=self.run.benchmark,
            kind=asked.kind,
            error_label=value("error_label", row) or "",
            question=self.question(row),
            labels=self.run.labels,
            gold_answer=value("gold_label", row) or "",
            predicted_answer=value("predicted_label", row),
            text=text,
            chain=self.steps(row, "predicted"),
            gold_chain=self.steps(row, "gold"),
            implied_answer=value("implied_answer", row),
            sign_match=self.sign_match[row],
            contradicted_n=int(self.contradicted_n[row] or 0),
            perturbation=self.node("perturbation", row),
            readout=self.node("readout", row),
            perturbation_sign=int(self.perturbation_sign[row] or 0),
            cluster=self.cluster(row),
        )

    def gold(self, row: int) -> GoldChain:
        value = self._value
        return GoldChain(
            key=self.keys[row],
            question=self.question(row),
            labels=self.run.labels,
            gold_answer=value("gold_label", row) or "",
            chain=self.steps(row, "gold"),
            implied_answer=value("gold_implied_answer", row),
            perturbation=self.node("perturbation", row),
            readout=self.node("readout", row),
            perturbation_sign=int(self.perturbation_sign[row] or 0),
            cluster=self.cluster(row),
            benchmark=self.run.benchmark,
        )

    def steps(self, row: int, side: str) -> tuple[Step, ...]:
        return tuple(
            Step(source, int(sign), target, status, on_path)
            for of_side, source, sign, target, status, on_path in self.chains.get(
                self.keys[row], ()
            )
            if of_side == side
        )

    def question(self, row: int) -> str:
        (asked,) = self.question_field.values(self.records[row][0])
        if isinstance(asked, str) and asked.strip():
            return asked
        value = self._value
        how = " ".join(filter(None, (value("pert_type", row), "perturbation")))
        where = f" in {value('cell_line', row)}" if value("cell_line", row) else ""
        return (
            f"What does a {how} of {value('perturbation', row)} do to the expression of "
            f"{value('readout', row)}{where}?"
        )

    def node(self, name: str, row: int) -> str | None:
        written = self._value(name, row)
        return None if written is None else written.strip().upper()

    def cluster(self, row: int) -> str:
        return self.node("perturbation", row) or self.keys[row][0]

    def _value(self, name: str, row: int) -> str | None:
        return self.columns[name][row]
