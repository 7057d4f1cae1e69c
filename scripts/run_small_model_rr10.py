"""Answer the questions of an RR-10 benchmark with a small model under vLLM, offline, greedily.

    python scripts/run_small_model_rr10.py \\
        --benchmark eval_tiers/demo/rr10/synthetic_rr10_benchmark.jsonl \\
        --model SmolLM2-135M-Instruct --output eval_tiers/demo/rr10/predictions/smollm2.jsonl

The model sees each item's prompt, the datasets that the benchmark has of the item's context, and
three worked examples; it sees no values. Needs vLLM (any build); nothing of eval_tiers is imported.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from run_small_model import load_model, write_rows

MAX_TOKENS = 200
INSTRUCTION = (
    "You judge the direction of gene expression in spaceflight. Answer with one JSON object: "
    '{"prediction": "upregulated" | "downregulated" | "indeterminate", '
    '"evidence": [[gene, sign, dataset], ...], "reason": one sentence}. '
    "The sign is + where the gene is higher in flight than on the ground and - where it is lower. "
    "A dataset is an OSD accession. Say indeterminate where the datasets disagree."
)
# Worked examples: made up, of tissues and genes that are not in the benchmark.
ASK = (
    "Is {} upregulated, downregulated or indeterminate in spaceflight relative to ground control, "
    "over all datasets of {}? Cite the datasets. (Synthetic data.)"
)
EXAMPLES: tuple[tuple[str, list[str], dict[str, Any]], ...] = (
    (
        ASK.format("Mylk4", "mouse muscle"),
        ["OSD-101", "OSD-103", "OSD-104"],
        {
            "prediction": "upregulated",
            "evidence": [
                ["Mylk4", "+", "OSD-101"],
                ["Mylk4", "+", "OSD-103"],
                ["Mylk4", "+", "OSD-104"],
            ],
            "reason": "Mylk4 is higher in flight in all three datasets.",
        },
    ),
    (
        ASK.format("Umod", "mouse kidney"),
        ["OSD-102", "OSD-163", "OSD-253"],
        {
            "prediction": "downregulated",
            "evidence": [["Umod", "-", "OSD-102"], ["Umod", "-", "OSD-253"]],
            "reason": "Umod is lower in flight in both datasets.",
        },
    ),
    (
        ASK.format("Rho", "mouse eye"),
        ["OSD-87", "OSD-100", "OSD-194"],
        {
            "prediction": "indeterminate",
            "evidence": [["Rho", "-", "OSD-87"], ["Rho", "+", "OSD-194"]],
            "reason": "Rho is lower in OSD-87 and higher in OSD-194.",
        },
    ),
)


def format_question(prompt: str, datasets: list[str]) -> str:
    """The prompt and the datasets there are, in the benchmark, of the item's context."""
    return f"{prompt}\nDatasets: {', '.join(datasets)}"


def list_datasets(items: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Datasets of each context, in the order of their numbers."""
    found: dict[str, set[str]] = {}
    for item in items:
        found.setdefault(item["context"], set()).update(r["osd"] for r in item["provenance"])
    return {
        context: sorted(names, key=lambda name: int(name.removeprefix("OSD-")))
        for context, names in found.items()
    }


def build_messages(prompt: str, datasets: list[str]) -> list[dict[str, str]]:
    """The conversation: the instruction, the worked examples, then the question."""
    messages = [{"role": "system", "content": INSTRUCTION}]
    for asked, named, reply in EXAMPLES:
        messages += [
            {"role": "user", "content": format_question(asked, named)},
            {"role": "assistant", "content": json.dumps(reply)},
        ]
    return [*messages, {"role": "user", "content": format_question(prompt, datasets)}]


def answer_items(engine: Any, items: list[dict[str, Any]], model: str) -> list[dict[str, Any]]:
    """Ask all questions in one batch; one row each, in their order."""
    from vllm import SamplingParams

    datasets = list_datasets(items)
    replies = engine.chat(
        [build_messages(item["prompt"], datasets[item["context"]]) for item in items],
        SamplingParams(temperature=0.0, max_tokens=MAX_TOKENS),
        use_tqdm=False,
    )
    return [
        {
            "id": item["id"],
            "output": reply.outputs[0].text,
            "finish_reason": reply.outputs[0].finish_reason,
            "model": model,
        }
        for item, reply in zip(items, replies, strict=True)
    ]


def main(arguments: list[str] | None = None) -> int:
    """Answer every item of the benchmark."""
    parser = argparse.ArgumentParser(description="Answer RR-10 questions with a small model.")
    parser.add_argument("--benchmark", type=Path, required=True, help="JSONL of RR-10 items")
    parser.add_argument("--model", required=True, help="folder of the model")
    parser.add_argument("--output", type=Path, required=True, help="file to write")
    given = parser.parse_args(arguments)
    with given.benchmark.open(encoding="utf-8", newline="\n") as lines:
        items = [json.loads(line) for line in lines if line.strip()]
    rows = answer_items(load_model(given.model), items, Path(given.model).name)
    write_rows(given.output, rows)
    print(f"{len(rows)} rows: {given.output}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
