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
INSTRUCTION = (
    "Predict what a perturbation does to a gene. Answer in exactly this form:\n"
    "<thinking>one or two sentences</thinking>\n"
    "<answer>up | down | unchanged</answer>\n"
    "<triplet>[[gene_a, sign, gene_b], ...]</triplet>\n"
    "The sign is + where gene_a activates gene_b and - where it inhibits gene_b. The first gene_a "
    "is the perturbation, the last gene_b is the readout."
)
REMINDER = " Answer with <thinking>, <answer> and <triplet>."
# Worked examples: their genes are no part of the demo network.
EXAMPLES = (
    (
        "In HEK293 cells, OMEPRAZOLE is added to the medium. Does GAST (its level or its activity) "
        "go up, go down or stay unchanged? Give the causal chain.",
        "<thinking>OMEPRAZOLE inhibits ATP4A, and ATP4A inhibits GAST. Two inhibitions in a row "
        "cancel, so GAST goes up.</thinking>\n<answer>up</answer>\n"
        '<triplet>[["OMEPRAZOLE", "-", "ATP4A"], ["ATP4A", "-", "GAST"]]</triplet>',
    ),
    (
        "HEK293 cells: VKORC1 is knocked out. What happens to F2 - up, down or unchanged - and "
        "through which steps?",
        "<thinking>VKORC1 activates GGCX, and GGCX activates F2. VKORC1 is lost, so F2 goes "
        "down.</thinking>\n<answer>down</answer>\n"
        '<triplet>[["VKORC1", "+", "GGCX"], ["GGCX", "+", "F2"]]</triplet>',
    ),
)


def build_messages(question: str) -> list[dict[str, str]]:
    """The conversation: the instruction, the worked examples, then the question."""
    messages = [{"role": "system", "content": INSTRUCTION}]
    for asked, reply in EXAMPLES:
        messages += [
            {"role": "user", "content": asked + REMINDER},
            {"role": "assistant", "content": reply},
        ]
    return [*messages, {"role": "user", "content": question + REMINDER}]


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
        options["dtype"] = "float32"  # bfloat16 is slow on processors that only emulate it
    from vllm import LLM

    return LLM(**options)


def answer_questions(engine: Any, questions: list[dict[str, Any]]) -> list[Any]:
    """Ask all questions in one batch; one reply each, in their order."""
    from vllm import SamplingParams

    replies = engine.chat(
        [build_messages(question["question"]) for question in questions],
        SamplingParams(temperature=0.0, max_tokens=MAX_TOKENS),
        use_tqdm=False,
    )
    return [reply.outputs[0] for reply in replies]


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write one file of predictions under a temporary name, then rename it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    unfinished.write_text(text, encoding="utf-8", newline="\n")
    unfinished.replace(path)


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
    questions = []
    for source in sources:
        keyword = "chemical" if "chemical" in source.name.lower() else "genetic"
        destination = given.output / source.parent.name / f"model_{keyword}.jsonl"
        with source.open(encoding="utf-8") as lines:
            questions += [(destination, json.loads(line)) for line in lines if line.strip()]
    replies = answer_questions(load_model(given.model), [question for _, question in questions])
    files: dict[Path, list[dict[str, Any]]] = {}
    for (destination, question), reply in zip(questions, replies, strict=True):
        row = {
            "id": question["id"],
            "output": reply.text,
            "finish_reason": reply.finish_reason,
            "model": Path(given.model).name,
        }
        files.setdefault(destination, []).append(row)
    for destination, rows in files.items():
        write_rows(destination, rows)
        print(f"{len(rows)} rows: {destination}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
