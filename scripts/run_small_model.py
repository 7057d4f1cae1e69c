"""Answer the demo questions with a small model under vLLM, offline and at temperature 0.

    python scripts/run_small_model.py --questions eval_tiers/demo/questions/gt \\
        --model SmolLM2-135M-Instruct --output eval_tiers/demo/predictions/smollm2

``--questions`` holds split folders with one ``*chemical*`` and one ``*genetic*`` JSONL each; the
output has the same folders with one ``model_<keyword>.jsonl``. Needs vLLM (any build); nothing of
eval_tiers is imported.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

MAX_TOKENS = 220
INSTRUCTION = """Predict what a perturbation does to a gene. Answer in exactly this form:
<thinking>one or two sentences</thinking>
<answer>up | down | unchanged</answer>
<triplet>[[gene_a, sign, gene_b], ...]</triplet>
The sign is + where gene_a activates gene_b and - where it inhibits gene_b. The first gene_a is the \
perturbation, the last gene_b is the readout."""
# The worked example's edges are no part of the demo network.
EXAMPLE_QUESTION = (
    "In HEK293 cells, OMEPRAZOLE is added to the medium. Does GAST (its level or its activity) go "
    "up, go down or stay unchanged? Give the causal chain."
)
EXAMPLE_REPLY = """<thinking>OMEPRAZOLE inhibits ATP4A. ATP4A inhibits GAST. Two inhibitions in a \
row cancel, so GAST goes up.</thinking>
<answer>up</answer>
<triplet>[["OMEPRAZOLE", "-", "ATP4A"], ["ATP4A", "-", "GAST"]]</triplet>"""


def build_messages(question: str) -> list[dict[str, str]]:
    """The conversation: the instruction with one worked example, then the question."""
    return [
        {"role": "system", "content": INSTRUCTION},
        {"role": "user", "content": EXAMPLE_QUESTION},
        {"role": "assistant", "content": EXAMPLE_REPLY},
        {"role": "user", "content": question},
    ]


def load_model(model: str) -> Any:
    """The vLLM engine; on a machine without a GPU with settings that a CPU build needs."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    import torch

    options: dict[str, Any] = {"model": model, "max_model_len": 2048, "seed": 0}
    if not torch.cuda.is_available():
        os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
        os.environ.setdefault("VLLM_CPU_NUM_OF_RESERVED_CPU", "0")
        os.environ.setdefault("VLLM_HOST_IP", "127.0.0.1")
        options |= {"enforce_eager": True, "kv_cache_memory_bytes": 512 << 20}
    from vllm import LLM

    return LLM(**options)


def answer_file(engine: Any, source: Path, destination: Path, model_name: str) -> int:
    """Answer each question of one file; the number of rows written."""
    from vllm import SamplingParams

    with source.open(encoding="utf-8") as lines:
        questions = [json.loads(line) for line in lines if line.strip()]
    replies = engine.chat(
        [build_messages(question["question"]) for question in questions],
        SamplingParams(temperature=0.0, max_tokens=MAX_TOKENS),
        use_tqdm=False,
    )
    rows = [
        {
            "id": question["id"],
            "output": reply.outputs[0].text,
            "finish_reason": reply.outputs[0].finish_reason,
            "model": model_name,
        }
        for question, reply in zip(questions, replies, strict=True)
    ]
    destination.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    unfinished = destination.with_name(destination.name + ".part")
    unfinished.write_text(text, encoding="utf-8", newline="\n")
    unfinished.replace(destination)
    return len(rows)


def main(arguments: list[str] | None = None) -> int:
    """Answer every file of the questions folder."""
    parser = argparse.ArgumentParser(description="Answer the demo questions with a small model.")
    parser.add_argument("--questions", type=Path, required=True, help="folder of split folders")
    parser.add_argument("--model", required=True, help="folder of the model")
    parser.add_argument("--output", type=Path, required=True, help="folder to write into")
    given = parser.parse_args(arguments)
    sources = sorted(given.questions.glob("*/*.jsonl"))
    if not sources:
        parser.error(f"no */*.jsonl under {given.questions}")
    engine = load_model(given.model)
    for source in sources:
        keyword = "chemical" if "chemical" in source.name.lower() else "genetic"
        destination = given.output / source.parent.name / f"model_{keyword}.jsonl"
        count = answer_file(engine, source, destination, Path(given.model).name)
        print(f"{count} rows: {destination}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
