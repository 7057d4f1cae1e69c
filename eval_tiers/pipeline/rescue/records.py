"""Reads the records behind rows of a samples table again: gold by its line, texts by their id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.formats.base import Answered, BenchmarkFormat, RecordFault
from eval_tiers.io.pairing import PairedRows, ProblemList, pair_rows
from eval_tiers.io.rescue_run import RescueRun
from eval_tiers.io.rows import iter_rows, parse_row, read_rows
from eval_tiers.pipeline.rescue.sources import SourcePair

GoldRow = tuple[dict[str, Any], int]


def rows_by_pair(
    run: RescueRun, sources: Sequence[SourcePair], rows: Iterable[int]
) -> dict[int, list[int]]:
    """Return rows of the samples by the number of the pair of files that they come from."""
    place = {source.stated: number for number, source in enumerate(sources)}
    stated = run.samples.column("source_path")
    found: dict[int, list[int]] = {}
    for row in rows:
        number = place.get(stated[row] or "", 0 if len(sources) == 1 else -1)
        if number < 0:
            raise BadInputError(
                Problem(
                    "foreign-row",
                    f"this row comes from '{stated[row]}', which is no gold file of the run",
                    SourceRef(
                        str(run.samples.path), None, "source_path", run.samples.keys()[row][0]
                    ),
                    "hand over the samples table of one run",
                )
            )
        found.setdefault(number, []).append(row)
    return found


def read_gold_records(
    run: RescueRun, source: SourcePair, rows: Sequence[int], benchmark: BenchmarkFormat
) -> dict[int, GoldRow]:
    """Return the gold record and its line of each of these rows of the samples.

    Raises
    ------
    BadInputError
        A record isn't where the samples say, or is another one.
    """
    lines = run.samples.column("source_line")
    ids = run.samples.column("sample_id")
    wanted: dict[int, list[int]] = {}
    for row in rows:
        stated = lines[row] or ""
        if not stated.isdecimal():
            raise _not_found(run, row, f"source_line reads {stated!r}")
        wanted.setdefault(int(stated), []).append(row)
    found: dict[int, GoldRow] = {}
    for line, raw in iter_rows(source.pair.gold, None):
        for row in wanted.get(line, ()):
            try:
                record = parse_row(raw)
                sample_id = benchmark.id_of(record)
            except RecordFault as fault:
                raise _not_found(run, row, fault.message) from fault
            if sample_id is None or sample_id == ids[row]:
                found[row] = (record, line)
    for row in rows:
        if row not in found:
            raise _not_found(run, row, f"line {lines[row]} of the gold file isn't this sample")
    return found


def read_answers_of(
    run: RescueRun,
    source: SourcePair,
    rows: Sequence[int],
    benchmark: BenchmarkFormat,
    scratch: Path,
) -> dict[int, Answered]:
    """Return the prediction record of each of these rows of the samples.

    Raises
    ------
    BadInputError
        A row's prediction isn't there or can't be read.
    """
    problems = ProblemList()
    manifest: Mapping[str, Any] = run.manifest
    paired = pair_rows(
        source.pair, benchmark, scratch, problems, str(manifest.get("duplicates", "error")),
        str(manifest.get("pairing", "auto")),
    )  # fmt: skip
    problems.raise_if_any()
    if paired is None:
        raise RuntimeError("no join and no problem")
    lines = run.samples.column("source_line")
    place_of: dict[int, list[int]] = {}
    for place, line in enumerate(paired.gold.line[paired.gold_row].tolist()):
        place_of.setdefault(line, []).append(place)
    keys = run.samples.keys()
    found: dict[int, Answered] = {}
    for row in rows:
        answers = _answers_at(paired, place_of.get(int(lines[row] or 0), []), benchmark)
        fitting = [
            answer
            for answer in answers
            if (paired.by_position or answer.sample_id == keys[row][0])
            and (answer.rollout == keys[row][3] or len(answers) == 1)
        ]
        if len(fitting) != 1:
            raise _not_found(run, row, f"{len(fitting)} predictions fit this sample, not one")
        found[row] = fitting[0]
    return found


def _answers_at(
    paired: PairedRows, places: Sequence[int], benchmark: BenchmarkFormat
) -> list[Answered]:
    chosen = np.concatenate(
        [paired.match[paired.start[place] : paired.start[place + 1]] for place in places]
        or [np.empty(0, np.int64)]
    )
    answers = []
    for raw in read_rows(paired.predictions, chosen):
        try:
            answers.append(benchmark.parse_prediction(parse_row(raw)))
        except RecordFault:
            continue
    return answers


def _not_found(run: RescueRun, row: int, message: str) -> BadInputError:
    where = SourceRef(str(run.samples.path), None, None, run.samples.keys()[row][0])
    return BadInputError(
        Problem(
            "record-not-found", message, where, "hand over the samples table as the run wrote it"
        )
    )
