"""Build the example task for grading submissions, out of the synthetic RR-10 demo.

The liver rows of ``rr10/synthetic_rr10_benchmark.jsonl`` (made up, nothing was measured) become
the task's observations; the reference tables, the oracle's submission and all hashes follow from
them. ``task_example/eval_task.toml``, ``PROVENANCE.md`` and the oracle's ``answer.md`` and
``methods.md`` are written by hand and read here, for their hashes. Standard library only; the
files are the same bytes with any Python. Usage::

    python build_task_example.py [--output FOLDER]
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import json
import math
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONTEXT = "mus_musculus::liver"
WRITTEN_BY_HAND = ("eval_task.toml", "PROVENANCE.md", "oracle/answer.md", "oracle/methods.md")
DESCRIPTIONS = {
    "genes.csv": "per gene: datasets, mean, lowest and highest log2FC, direction",
    "datasets.csv": "per dataset: genes and mean log2FC",
    "methods.md": "how the tables were made",
}
EVENTS = (
    {"event": "started", "step": 1},
    {"event": "read_observations", "step": 2, "path": "observations/liver.csv"},
    {"event": "wrote_tables", "step": 3, "paths": ["genes.csv", "datasets.csv"]},
    {"event": "wrote_answer", "step": 4, "path": "answer.md"},
)
CITATIONS = (
    ("matched", [
        {"path": "genes.csv", "key": {"gene": "Srebf1"}, "column": "dataset_n", "value": "5"},
        {"path": "genes.csv", "key": {"gene": "Srebf1"}, "column": "direction", "value": "up"},
    ]),
    ("matched", [
        {"path": "genes.csv", "key": {"gene": "Cyp7a1"}, "column": "dataset_n", "value": "4"},
        {"path": "genes.csv", "key": {"gene": "Cyp7a1"}, "column": "min_log2fc",
         "value": "-2.2901"},
        {"path": "genes.csv", "key": {"gene": "Cyp7a1"}, "column": "max_log2fc", "value": "2.4377"},
    ]),
    ("matched", [
        {"path": "datasets.csv", "key": {"dataset": "OSD-168"}, "column": "gene_n", "value": "21"},
    ]),
    ("matched", [
        {"path": "methods.md", "quote": "weighs every dataset alike, whatever its q"},
    ]),
)  # fmt: skip
CAVEAT_CITATIONS = (
    [{"path": "methods.md", "quote": "The values are synthetic: nothing here was measured."}],
    [{"path": "methods.md", "quote": "Most genes are reported by two or three datasets only."}],
)


def read_rows(benchmark: Path) -> list[tuple[str, str, float, float]]:
    """Gene, dataset, log2FC and q of the liver items, ordered by gene and dataset."""
    rows = []
    with open(benchmark, encoding="utf-8") as handle:
        for line in handle:
            item = json.loads(line)
            if item["context"] == CONTEXT:
                rows += [
                    (item["gene"], row["osd"], row["log2FC_SF_vs_GC"], row["q"])
                    for row in item["provenance"]
                ]
    return sorted(rows, key=lambda row: (row[0], int(row[1].partition("-")[2])))


def mean(values: Sequence[float]) -> float:
    """Mean, rounded to ten places."""
    return round(math.fsum(values) / len(values), 10)


def direction(values: Sequence[float]) -> str:
    """up, down or both, by the signs."""
    return "up" if min(values) > 0 else "down" if max(values) < 0 else "both"


def render_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """A table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def tables_of(rows: Sequence[tuple[str, str, float, float]]) -> dict[str, bytes]:
    """The two reference tables."""
    by_gene: dict[str, list[float]] = {}
    by_dataset: dict[str, list[float]] = {}
    for gene, dataset, log2fc, _ in rows:
        by_gene.setdefault(gene, []).append(log2fc)
        by_dataset.setdefault(dataset, []).append(log2fc)
    genes = (
        (gene, len(values), mean(values), min(values), max(values), direction(values))
        for gene, values in sorted(by_gene.items())
    )
    datasets = (
        (name, len(values), mean(values))
        for name, values in sorted(by_dataset.items(), key=lambda e: int(e[0].partition("-")[2]))
    )
    return {
        "genes.csv": render_table(
            ("gene", "dataset_n", "mean_log2fc", "min_log2fc", "max_log2fc", "direction"), genes
        ),
        "datasets.csv": render_table(("dataset", "gene_n", "mean_log2fc"), datasets),
    }


def render_json(value: object) -> bytes:
    """A value as indented JSON."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def sha256(data: bytes) -> str:
    """A hash in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def build(written: dict[str, bytes], rows: Sequence[tuple[str, str, float, float]],
          task: dict[str, list[dict[str, str]]]) -> dict[str, bytes]:  # fmt: skip
    """All files that are made, by path in the task's folder."""
    tables = tables_of(rows)
    made = {
        "observations/liver.csv": render_table(("gene", "dataset", "log2fc", "q"), rows),
        **{f"reference/{name}": data for name, data in tables.items()},
        **{f"oracle/{name}": data for name, data in tables.items()},
    }
    artifacts = tables | {"methods.md": written["oracle/methods.md"]}
    made["oracle/analysis_manifest.json"] = render_json({
        "artifacts": [
            {"path": name, "sha256": sha256(data), "description": DESCRIPTIONS[name]}
            for name, data in artifacts.items()
        ]
    })  # fmt: skip
    made["trajectory.jsonl"] = b"".join(json.dumps(event).encode() + b"\n" for event in EVENTS)
    made["judge_reply.json"] = render_json({
        "leakage_suspected": False,
        "conclusions": [
            {"text": said["text"], "status": status, "citations": cited}
            for said, (status, cited) in zip(task["conclusion"], CITATIONS, strict=True)
        ],
        "caveats": [
            {"text": said["text"], "status": "matched", "citations": cited}
            for said, cited in zip(task["caveat"], CAVEAT_CITATIONS, strict=True)
        ],
        "explanation": "All conclusions and both caveats are stated, and the tables bear them out.",
    })  # fmt: skip
    listed = ("observations/liver.csv", "reference/genes.csv", "reference/datasets.csv")
    lines = ["source_path\tsize\tsha256"]
    lines += [f"{path}\t{len(made[path])}\t{sha256(made[path])}" for path in listed]
    made["provenance.tsv"] = "".join(line + "\n" for line in lines).encode()
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    import tomllib

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, default=HERE / "task_example")
    output = parser.parse_args(arguments).output
    source = HERE / "task_example"
    written = {name: (source / name).read_bytes() for name in WRITTEN_BY_HAND}
    task = tomllib.loads(written["eval_task.toml"].decode())
    rows = read_rows(HERE / "rr10" / "synthetic_rr10_benchmark.jsonl")
    for name, data in build(written, rows, task).items():
        path = output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    if output.resolve() != source.resolve():
        for name in written:
            (output / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, output / name)
    print(f"{output}: {len(rows)} observations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
