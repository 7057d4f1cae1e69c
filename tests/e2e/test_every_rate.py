"""Every rate and mean carries n and interval, in the summary and in the terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eval_tiers.io.demo import demo_inputs
from tests.e2e.running import in_process, strict_json, write_lines

BY_NAME = {"error_rate_by_label", "edge_status_rate", "citation_verdict_rate"}
"""Rates by name, whose n and ends are beside the whole."""

WITHOUT = {
    "baselines.majority.balanced_accuracy": "a constant",
    "baselines.random.accuracy": "a constant",
    "baselines.random.balanced_accuracy": "a constant",
    "artefact_probe.best_accuracy": "chosen on the items it is scored on",
    "contradicted_band": "from one figure to another, each with its own",
    "unsupported_band": "from one figure to another, each with its own",
}
NO_RATES = re.compile(
    r"(settings|intervals|confusion_matrix|answer_chain_matrix|per_pair|prediction_counts)\b"
    r"|\.(confidence|coverage|low|high)$"  # of a curve and of bins
)
ROW = re.compile(r"^ +\S.{30,}? +(-?\d+\.\d%|-?\d\.\d{3})(?:  (\[.*?\]))? +([\d,.]+)?$")


def bare(value: Any, name: str = "") -> Iterator[str]:
    """Yield the places of numbers that are no counts and have nothing beside them."""
    if isinstance(value, list):
        for one in value:
            yield from [name] if isinstance(one, float) else bare(one, name)
    if not isinstance(value, dict):
        return
    for key, one in value.items():
        place = f"{name}.{key}" if name else key
        place = re.sub(r"^(by_\w+|per_context)\.[^.]+\.", "", place)
        part = re.sub(r"(_clustered)?_(low|high|n)$", "", key)
        if part in BY_NAME:
            beside = {f"{part}{end}" for end in ("_n", "_low", "_high")}
            yield from () if beside <= value.keys() else [place]
        elif not isinstance(one, float):
            yield from bare(one, place)
        elif part == key and not {f"{key}{end}" for end in ("_n", "_low", "_high")} <= value.keys():
            yield place


@pytest.mark.parametrize("benchmark", ["perturbreason", "rr10"])
def test_numbers_of_a_run(tmp_path: Path, benchmark: str) -> None:
    tiers = ("1", "2", "3") if benchmark == "perturbreason" else ("1", "2")
    options = ["--format", benchmark, "--tiers", *tiers, "-o", "out"]
    done = in_process("eval", *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (path,) = tmp_path.rglob("summary_*.json")
    found = {place for place in bare(strict_json(path)) if not NO_RATES.search(place)}
    assert found <= WITHOUT.keys(), found - WITHOUT.keys()
    rows = [match for match in map(ROW.match, done.stdout.splitlines()) if match]
    assert len(rows) > 40
    for match in rows:
        lone_n = match[3] is not None and int(match[3].replace(",", "")) < 6  # of a median
        assert (match[2] and match[3]) or lone_n or "a constant" in match[0], match[0]


def test_numbers_of_stated_confidence(tmp_path: Path) -> None:
    inputs = demo_inputs()
    gold = next(Path(inputs.gold).rglob("*genetic*.jsonl"))
    rows = [json.loads(line) for line in gold.read_text(encoding="utf-8").split("\n") if line]
    said = [
        {"id": row["id"], "output": "<answer>up</answer>", "confidence": n % 10 / 10 + 0.05,
         "label_prob": {"up": 0.5, "down": 0.3, "unchanged": 0.2}}
        for n, row in enumerate(rows)
    ]  # fmt: skip
    write_lines(tmp_path / "said.jsonl", said)
    done = in_process("eval", "--gt-file", gold, "--pred-file", "said.jsonl", "--tiers", "1",
                      "-o", "out", folder=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    (path,) = tmp_path.rglob("summary_*.json")
    found = strict_json(path)
    assert found["calibration"]["n"] == len(rows) > 30
    places = {f"calibration.{place}" for place in bare(found["calibration"])}
    assert not {place for place in places if not NO_RATES.search(place)}
