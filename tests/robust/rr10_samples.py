"""A small benchmark in RR-10's format with right answers, and runs of the command on them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tests.robust.samples import Ran, Row, json_lines, run_command
from tests.rr10_benchmark import answers, build_items, objects_of

ITEMS: Final = build_items(6, 3)
ITEM_N: Final = len(ITEMS)
FIRST: Final = ITEMS[0]
ANSWERS: Final = answers(ITEMS, lambda item: item["expected"], objects_of)
GOLD: Final = json_lines(ITEMS)
PREDICTIONS: Final = json_lines(ANSWERS)


def evaluate_rr10(
    folder: Path,
    predictions: bytes | Path = PREDICTIONS,
    *options: object,
    gold: bytes | Path = GOLD,
    name: str = "model.jsonl",
    gold_name: str = "benchmark.jsonl",
    as_json: bool = True,
) -> Ran:
    """Evaluate one pair of files in this process, given by their bytes or as they lie there."""
    paths = []
    for base, data in ((gold_name, gold), (name, predictions)):
        path = data if isinstance(data, Path) else folder / base
        if isinstance(data, bytes):
            path.write_bytes(data)
        paths.append(path)
    outputs = folder / "outputs"
    shown = ["--json"] if as_json else []
    return run_command(
        "eval", "--format", "rr10", "--gt-file", paths[0], "--pred-file", paths[1],
        "-o", outputs, "--jobs", "1", *shown, *options, outputs=outputs,
    )  # fmt: skip


def with_first(**fields: Any) -> bytes:
    """The right answers, the first one with other fields; ``...`` takes one away."""
    row = {name: value for name, value in (ANSWERS[0] | fields).items() if value is not ...}
    return json_lines([row, *ANSWERS[1:]])


def spoilt_gold(change: Callable[[Row], object]) -> bytes:
    """The benchmark, its first item changed."""
    items = copy.deepcopy(ITEMS)
    change(items[0])
    return json_lines(items)


def all_right(ran: Ran) -> None:
    """Check that every answer was read, is right and rests on evidence that holds."""
    assert ran.code == 0, ran.err
    assert ran.codes == [], ran.err
    assert ran.ledger() == {"gold": {"scored": ITEM_N}, "predictions": {"matched": ITEM_N}}
    summary = ran.summary
    assert summary["accuracy_total"] == summary["coverage"] == 1
    assert {row["error_label"] for row in ran.samples()} == {"CORRECT"}
    verdicts = {name: n for name, n in summary["citation_verdicts"].items() if n}
    assert verdicts == {"SUPPORTED": sum(len(item["provenance"]) for item in ITEMS)}


def first_sample(ran: Ran) -> dict[str, Any]:
    """The row of the first item."""
    assert ran.code == 0, ran.err
    found = [row for row in ran.samples() if row["sample_id"] == FIRST["id"]]
    assert len(found) == 1
    return found[0]


def encoded(rows: list[str]) -> bytes:
    """Lines as bytes, lone surrogates and all."""
    return ("\n".join(rows) + "\n").encode("utf-8", "surrogatepass")


def raw_first(row: str) -> bytes:
    """The right answers, the first row as written here."""
    return encoded([row, *(json.dumps(answer) for answer in ANSWERS[1:])])
