"""The error label that an answer would have had, from the columns that the tiers left behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.rr10 import (
    CITATION_VERDICTS,
    DOWN,
    INDETERMINATE,
    NO_LABEL,
    UP,
)
from eval_tiers.domain.rr10 import LABELS as RR10_LABELS
from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.formats.base import ChainFormat
from eval_tiers.formats.registry import format_named
from eval_tiers.io.rescue_run import RescueRun, read_keyed_rows
from eval_tiers.io.samples_csv import SamplesTable
from eval_tiers.settings import Settings
from eval_tiers.tiers.citations import CitationFacts
from eval_tiers.tiers.error_labels import error_labels
from eval_tiers.tiers.evidence_labels import evidence_label

_CITATION_KEY = ("sample_id", "rollout")
_BY_SIGNS = {
    frozenset(): NO_LABEL,
    frozenset({1}): UP,
    frozenset({-1}): DOWN,
    frozenset({1, -1}): INDETERMINATE,
}


def labels_of_answers(run: RescueRun, answers: Mapping[int, str]) -> dict[int, str | None]:
    """Return the error label of rows of the samples, had they had these answers.

    Parameters
    ----------
    run : RescueRun
    answers : mapping of int to str
        Label of the benchmark by row.

    Returns
    -------
    dict of int to str or None
        As tiers 1 and 2 give it; None where they give none.
    """
    if not answers:
        return {}
    if isinstance(format_named(run.benchmark), ChainFormat):
        return _of_chains(run.samples, Settings(**run.manifest["settings"]), answers)
    return _of_citations(run, answers)


def contradicted_counts(run: RescueRun) -> list[int]:
    """Return how many signs of each row's evidence the graph or the provenance contradicts."""
    name = "edge_status_sign_contradicted_n"
    if name in run.samples:
        return [int(value or 0) for value in run.samples.numbers(name)]
    keys = run.samples.keys()
    if not (run.folder / f"citations_{run.timestamp}.parquet").is_file():
        return [0] * len(keys)
    found = read_keyed_rows(run, "citations", ("verdict",), set(keys), _CITATION_KEY)
    return [sum(verdict == "SIGN_MISREAD" for (verdict,) in found.get(key, ())) for key in keys]


def _of_chains(
    samples: SamplesTable, settings: Settings, answers: Mapping[int, str]
) -> dict[int, str | None]:
    rows = list(answers)

    def cells(name: str) -> list[str | None]:
        column = samples.column(name)
        return [column[row] for row in rows]

    def counts(name: str) -> NDArray[np.int64]:
        column = samples.numbers(name)
        return np.array([-1 if column[x] is None else column[x] for x in rows], np.int64)

    def numbers(name: str) -> NDArray[np.float64]:
        column = samples.numbers(name)
        return np.array([np.nan if column[x] is None else column[x] for x in rows], np.float64)

    gold = cells("gold_label")
    gold_edge_n = counts("gold_edge_n")
    connected = [
        -1 if x is None else int(x.casefold() in ("true", "1")) for x in cells("connected")
    ]
    ends = zip(cells("perturbation"), cells("readout"), strict=True)
    codes = error_labels(
        has_label=np.ones(len(rows), np.bool_),
        correct=np.array([answers[row] == gold[n] for n, row in enumerate(rows)], np.bool_),
        has_gold_chain=gold_edge_n >= 0,
        has_ends=np.array([None not in pair for pair in ends], np.bool_),
        gold_edge_n=gold_edge_n,
        predicted_edge_n=counts("predicted_edge_n"),
        hallucination_rate=numbers("hallucination_rate"),
        connected=np.array(connected, np.int8),
        chain_coverage=numbers("chain_coverage"),
        sign_flip_n=counts("sign_flip_n"),
        hallucination_threshold=settings.hallucination_threshold,
        coverage_threshold=settings.coverage_threshold,
    )
    return {row: _name(int(code)) for row, code in zip(rows, codes, strict=True)}


def _of_citations(run: RescueRun, answers: Mapping[int, str]) -> dict[int, str | None]:
    settings = Settings(**run.manifest["settings"])
    keys = run.samples.keys()
    cited: dict[Any, list[tuple[Any, ...]]] = {}
    if (run.folder / f"citations_{run.timestamp}.parquet").is_file():
        cited = read_keyed_rows(
            run, "citations", ("verdict", "sign"), {keys[row] for row in answers}, _CITATION_KEY
        )
    column = run.samples.column
    names = ("citation_precision", "evidence_recall", "fabrication_rate", "unverified_rate")
    shares = [run.samples.numbers(name) for name in names]
    gold, implied = column("gold_label"), column("implied_answer")
    found = {}
    for row, answer in answers.items():
        judged = cited.get(keys[row], [])
        values = [share[row] for share in shares]
        facts = CitationFacts(
            len(judged),
            [sum(verdict == name for verdict, _ in judged) for name in CITATION_VERDICTS],
            precision=values[0],
            recall=values[1],
            fabrication_rate=values[2],
            unverified_rate=values[3],
            implied=_code(implied[row]),
            repaired=_repaired(judged),
        )
        code, _ = evidence_label(
            _code(gold[row]),
            _code(answer),
            facts,
            bool(run.manifest.get("evidence_expected", True)),
            settings.hallucination_threshold,
            settings.coverage_threshold,
        )
        found[row] = _name(code)
    return found


def _repaired(judged: list[tuple[Any, ...]]) -> int:
    """Return the label that the citations imply with misread signs put right."""
    signs = {int(sign) for verdict, sign in judged if verdict == "SUPPORTED"}
    signs |= {-int(sign) for verdict, sign in judged if verdict == "SIGN_MISREAD"}
    return _BY_SIGNS.get(frozenset(signs), NO_LABEL)


def _code(label: str | None) -> int:
    return RR10_LABELS.index(label) if label in RR10_LABELS else NO_LABEL


def _name(code: int) -> str | None:
    return ERROR_LABELS[code] if code >= 0 else None
