"""A toy task of five conclusions, a submission that answers it, and what a judge may say of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Record = dict[str, Any]

CONCLUSIONS = ["Alpha rises.", "Beta falls.", "Gamma is flat.", "Delta rises “most”."]
CAVEATS = ["Only three animals.", "One batch."]
TABLE = "gene,n,log2fc\nAlpha,6,1.75\nBeta,6,-1.25\nGamma,4,0.0\nDelta,4,2.5\n"
NOTES = (
    "Three animals were used, all of them in a single batch.\nNothing else — really — is known.\n"
)
ANSWER = "Alpha rises, Beta falls, Gamma is flat, Delta rises most. Three animals; one batch.\n"


@dataclass
class Toy:
    """A task folder and a submission folder."""

    task: Path
    submission: Path


def make_toy(
    folder: Path,
    *,
    conclusions: Sequence[str] = CONCLUSIONS,
    caveats: Sequence[str] = CAVEATS,
    markers: Sequence[str] = (),
    events: Sequence[str] = (),
    answer: str = ANSWER,
    files: Mapping[str, str] | None = None,
    undeclared: Mapping[str, str] | None = None,
) -> Toy:
    """Write both folders; ``files`` are declared besides the table and the notes."""
    toy = Toy(folder / "task", folder / "submission")
    make_task(toy.task, conclusions, caveats, markers, events)
    make_submission(toy.submission, answer, files, undeclared)
    return toy


def make_task(
    folder: Path,
    conclusions: Sequence[str] = CONCLUSIONS,
    caveats: Sequence[str] = CAVEATS,
    markers: Sequence[str] = (),
    events: Sequence[str] = (),
    task_id: str = "toy-genes",
) -> Path:
    """Write a task folder."""
    (folder / "reference").mkdir(parents=True, exist_ok=True)
    (folder / "reference/genes.csv").write_text(TABLE, encoding="utf-8")
    lines = [f'id = "{task_id}"', f"leak_markers = {json.dumps(list(markers), ensure_ascii=False)}"]
    lines += ["[[artifact]]", 'path = "genes.csv"', 'header = ["gene", "n", "log2fc"]']
    lines += ['key = ["gene"]', "[artifact.numeric.n]", "integer = true"]
    lines += ["[artifact.numeric.log2fc]"]
    for name, texts in (("conclusion", conclusions), ("caveat", caveats)):
        for text in texts:
            lines += [f"[[{name}]]", f"text = {json.dumps(text, ensure_ascii=False)}"]
    if events:
        lines += ["[execution]", f"required_events = {json.dumps(list(events))}"]
    (folder / "eval_task.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def make_submission(
    folder: Path,
    answer: str = ANSWER,
    files: Mapping[str, str] | None = None,
    undeclared: Mapping[str, str] | None = None,
    table: str = TABLE,
) -> Path:
    """Write a submission folder: answer, manifest, genes.csv, notes.md and further files."""
    declared = {"genes.csv": table, "notes.md": NOTES, **(files or {})}
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in {**declared, **(undeclared or {}), "answer.md": answer}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())
    entries = [
        {"path": path, "sha256": hashlib.sha256(text.encode()).hexdigest(), "description": ""}
        for path, text in declared.items()
    ]
    manifest = json.dumps({"artifacts": entries}, ensure_ascii=False)
    (folder / "analysis_manifest.json").write_text(manifest, encoding="utf-8")
    return folder


def cell(gene: str, column: str, value: object, path: str = "genes.csv") -> Record:
    """A citation of a cell."""
    return {"path": path, "key": [gene], "column": column, "value": value}


GOOD_CELLS = [
    cell("Alpha", "log2fc", 1.75), cell("Beta", "log2fc", "-1.25"), cell("Gamma", "log2fc", 0),
    {"path": "genes.csv", "key": {"gene": "Delta"}, "column": "log2fc", "value": "2.5"},
]  # fmt: skip
GOOD_QUOTES = [
    {"path": "notes.md", "quote": "Three animals were used"},
    {"path": "notes.md", "quote": "in a single batch"},
]


def good_reply(
    statuses: Sequence[str] = ("matched",) * 4, caveats: Sequence[str] = ("matched",) * 2
) -> Record:
    """A reply with valid citations throughout; statuses as given."""
    return {
        "leakage_suspected": False,
        "conclusions": [
            {"text": text, "status": status, "citations": [citation]}
            for text, status, citation in zip(CONCLUSIONS, statuses, GOOD_CELLS, strict=True)
        ],
        "caveats": [
            {"text": text, "status": status, "citations": [citation]}
            for text, status, citation in zip(CAVEATS, caveats, GOOD_QUOTES, strict=True)
        ],
        "explanation": "as the files show",
    }
