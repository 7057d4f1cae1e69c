"""Makes PerturbReason files of any size: gold and predictions over a given graph.

    python -m benchmarks.generate --n 40000 --text-length 5000 --kg KG.tsv.gz -o FOLDER

Chains are walks in the graph; predictions are the gold chain with planted faults, in several
spellings, in another order than gold. The same arguments give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path

SPLITS = ("id_test", "cell_ood", "pert_ood", "double_ood", "other_test")
TYPES = ("chemical", "genetic")
LABELS = ("up", "down", "unchanged")
CELL_LINES = ("A549", "HepG2", "Jurkat", "K562", "RPE1")
WORDS = (
    "signal", "lowers", "the", "activity", "of", "its", "target", "and", "then", "expression",
    "which", "binds", "a", "promoter", "so", "less", "protein", "reaches", "nucleus",
)  # fmt: skip

Edge = tuple[str, str, int]


def read_edges(path: Path) -> list[Edge]:
    """Read source, target, sign from a TSV with a header (plain or gzip)."""
    open_text = gzip.open if path.suffix == ".gz" else open
    with open_text(path, "rt", encoding="utf-8") as lines:
        header = next(lines).rstrip("\n").split("\t")
        a, b, s = (header.index(name) for name in ("source", "target", "sign"))
        cells = (line.rstrip("\n").split("\t") for line in lines)
        return [(row[a], row[b], int(float(row[s]))) for row in cells]


def write_benchmark(
    folder: Path, edges: list[Edge], n: int, text_length: int, seed: int = 0
) -> None:
    """Write ``gt/`` and ``pred/`` with ``n`` samples over all splits and types."""
    out: dict[str, list[tuple[str, int]]] = {}
    for source, target, sign in edges:
        if sign:
            out.setdefault(source, []).append((target, sign))
    starts = sorted(out)
    files = [(split, kind) for split in SPLITS for kind in TYPES]
    for number, (split, kind) in enumerate(files):
        rng = random.Random(f"{seed}-{number}")
        count = n // len(files) + (number < n % len(files))
        rows = list(_samples(rng, out, starts, split, kind, count))
        gold = folder / "gt" / split / f"pqa_{kind}.jsonl"
        predictions = folder / "pred" / split / f"model_{kind}.jsonl"
        for path in (gold, predictions):
            path.parent.mkdir(parents=True, exist_ok=True)
        with open(gold, "w", encoding="utf-8") as handle:
            handle.writelines(json.dumps(row) + "\n" for row in rows)
        rng.shuffle(rows)
        with open(predictions, "w", encoding="utf-8") as handle:
            for row in rows:
                text = _text(rng, row, starts, text_length)
                handle.write(json.dumps({"id": row["id"], "output": text}) + "\n")


def _samples(
    rng: random.Random, out: dict[str, list[tuple[str, int]]], starts: list[str], split: str,
    kind: str, count: int,
) -> Iterator[dict[str, object]]:  # fmt: skip
    for number in range(count):
        start = rng.choice(starts)
        chain, here, product = [], start, 1
        seen = {start}
        for _ in range(rng.randint(1, 4)):
            onward = [step for step in out.get(here, ()) if step[0] not in seen]
            if not onward:
                break
            target, sign = rng.choice(onward)
            chain.append([here, "+" if sign > 0 else "-", target])
            product *= sign
            seen.add(target)
            here = target
        mode = "treatment" if kind == "chemical" else rng.choice(("knockdown", "overexpression"))
        sign = product * (-1 if mode == "knockdown" else 1)
        answer = LABELS[0] if sign > 0 else LABELS[1]
        if rng.random() < 0.1:
            answer = LABELS[2]
        yield {
            "id": f"{split}-{kind}-{number:07d}",
            "question": f"{start} is perturbed ({mode}). What happens to {here}?",
            "answer": answer,
            "path": chain,
            "pert": start,
            "gene": here,
            "cell_line": rng.choice(CELL_LINES),
            "pert_type": kind,
            "perturbation_mode": mode,
        }


def _text(rng: random.Random, row: dict[str, object], genes: list[str], length: int) -> str:
    """Write an answer: faults planted, in one of the spellings that models use."""
    path = row["path"]
    chain = [list(edge) for edge in path] if isinstance(path, list) else []
    draw = rng.random()
    if draw < 0.15 and chain:
        edge = rng.choice(chain)
        edge[1] = "-" if edge[1] == "+" else "+"
    elif draw < 0.3 and chain:
        rng.choice(chain)[2] = rng.choice(genes)
    elif draw < 0.4:
        chain = chain[:-1]
    elif draw < 0.5:
        chain.append([rng.choice(genes), "+", rng.choice(genes)])
    answer = str(row["answer"]) if rng.random() < 0.65 else rng.choice(LABELS)
    if rng.random() < 0.05:
        answer = rng.choice(("up / down / unchanged", "increased", "not up", ""))
    spelling = rng.random()
    if spelling < 0.6:
        block = json.dumps(chain)
    elif spelling < 0.75:
        block = "[" + ", ".join("[" + ", ".join(edge) + "]" for edge in chain) + "]"
    elif spelling < 0.9:
        block = repr(chain)
    else:
        words = {"+": "activates", "-": "inhibits"}
        block = json.dumps([[a, words[sign], b] for a, sign, b in chain])
    thought: list[str] = []
    size = 0
    while size < length:
        word = rng.choice(WORDS)
        thought.append(word)
        size += len(word) + 1
    return (
        f"<thinking>{' '.join(thought)}</thinking>\n<answer>{answer}</answer>\n"
        f"<triplet>{block}</triplet>"
    )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--n", type=int, default=40_000)
    parser.add_argument("--text-length", type=int, default=150)
    parser.add_argument("--kg", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    edges = read_edges(options.kg)
    write_benchmark(options.output, edges, options.n, options.text_length, options.seed)


if __name__ == "__main__":
    main()
