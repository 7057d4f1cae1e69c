"""The hard cases and the gold chains of a finished run, read from its tables by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from eval_tiers.domain.labels import LABELS
from eval_tiers.domain.rr10 import LABELS as RR10_LABELS
from eval_tiers.domain.rr10 import Item
from eval_tiers.rescue.cases import Case, SampleKey, Step
from eval_tiers.rescue.golds import GoldChain
from tests.e2e.running import Run, frame_of

KINDS = {
    "WRONG_CORRECT_CHAIN": "wrong_correct_chain",
    "CORRECT_RIGHT_FOR_WRONG_REASON": "correct_wrong_reason",
    "CORRECT_HALLUCINATED_EDGE": "correct_wrong_reason",
}


def text_or_none(value: Any) -> str | None:
    return None if pd.isna(value) else str(value)


def cases_and_golds(run: Run, gold_folder: Path) -> tuple[list[Case], list[GoldChain]]:
    """Every hard case that has a chain question, and every sample with a gold chain."""
    questions = dict(_questions(gold_folder))
    chains = _chains(run.chains)
    cases, golds = [], []
    for row in run.samples.to_dict("records"):
        key: SampleKey = (
            str(row["sample_id"]), text_or_none(row["split"]), text_or_none(row["pert_type"]),
            text_or_none(row["rollout"]),
        )  # fmt: skip
        gold_chain = chains.get((key, "gold"), ())
        perturbation, readout = text_or_none(row["perturbation"]), text_or_none(row["readout"])
        sign = 0 if pd.isna(row["perturbation_sign"]) else int(row["perturbation_sign"])
        golds.append(
            GoldChain(
                key=key,
                question=questions[key[0]],
                labels=LABELS,
                gold_answer=str(row["gold_label"]),
                chain=gold_chain,
                implied_answer=text_or_none(row["gold_implied_answer"]),
                perturbation=perturbation,
                readout=readout,
                perturbation_sign=sign,
                cluster=perturbation or "",
            )
        )
        label = str(row["error_label"])
        if label not in KINDS:
            continue
        cases.append(
            Case(
                key=key,
                benchmark="perturbreason",
                kind=KINDS[label],
                error_label=label,
                question=questions[key[0]],
                labels=LABELS,
                gold_answer=str(row["gold_label"]),
                predicted_answer=text_or_none(row["predicted_label"]),
                chain=chains.get((key, "predicted"), ()),
                gold_chain=gold_chain,
                implied_answer=text_or_none(row["implied_answer"]),
                perturbation=perturbation,
                readout=readout,
                perturbation_sign=sign,
                cluster=perturbation or "",
            )
        )
    return cases, golds


def _questions(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.glob("*/*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            yield record["id"], record["question"]


def _chains(frame: pd.DataFrame) -> dict[tuple[SampleKey, str], tuple[Step, ...]]:
    found: dict[tuple[SampleKey, str], tuple[Step, ...]] = {}
    for row in frame.to_dict("records"):
        key = (
            str(row["sample_id"]), text_or_none(row["split"]), text_or_none(row["pert_type"]),
            text_or_none(row["rollout"]),
        )  # fmt: skip
        step = Step(
            str(row["source"]),
            0 if pd.isna(row["sign"]) else int(row["sign"]),
            str(row["target"]),
            text_or_none(row["status"]),
            None if pd.isna(row["on_path"]) else bool(row["on_path"]),
        )
        place = (key, str(row["side"]))
        found[place] = (*found.get(place, ()), step)
    return found


def citation_cases(run: Run, items: Sequence[Item]) -> list[Case]:
    """Every hard case of a run of cited evidence that has a question about its citations."""
    by_id = {item.sample_id: item for item in items}
    cited: dict[str, tuple[Step, ...]] = {}
    for row in frame_of(run.path("citations", "parquet")).to_dict("records"):
        sign = 0 if pd.isna(row["sign"]) else int(row["sign"])
        step = Step(str(row["gene"]), sign, str(row["dataset"]), str(row["verdict"]))
        cited[row["sample_id"]] = (*cited.get(row["sample_id"], ()), step)
    cases = []
    for row in run.samples.to_dict("records"):
        label = str(row["error_label"])
        if label not in KINDS or not row["hard_case"]:
            continue
        item = by_id[row["sample_id"]]
        cases.append(
            Case(
                key=(item.sample_id, None, None, None),
                benchmark="rr10",
                kind=KINDS[label],
                error_label=label,
                question=item.prompt,
                labels=RR10_LABELS,
                gold_answer=RR10_LABELS[item.label],
                predicted_answer=text_or_none(row["predicted_label"]),
                chain=cited.get(item.sample_id, ()),
                gold_chain=tuple(Step(r.gene, r.sign, r.dataset) for r in item.provenance),
                readout=item.gene,
                cluster=str(row["pair"]),
            )
        )
    return cases
