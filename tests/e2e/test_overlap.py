"""A graph or gene sets of another kind of names than the chains' are told, with both kinds."""

from __future__ import annotations

import json
from pathlib import Path

from eval_tiers.api import evaluate

CHAIN = [["TP53", "+", "CDKN1A"], ["CDKN1A", "-", "CDK2"]]


def warnings(folder: Path, graph: str, gene_sets: str) -> dict[str, str]:
    """Score one question; return the messages of the warnings about overlap, by code."""
    gold = {"id": "a", "answer": "up", "path": CHAIN, "pert": "TP53", "gene": "CDK2"}
    text = f"<answer>up</answer><triplet>{json.dumps(CHAIN)}</triplet>"
    files = {
        "g_genetic.jsonl": json.dumps(gold),
        "p_genetic.jsonl": json.dumps({"id": "a", "output": text}),
        "kg.tsv": graph,
        "go.gmt": gene_sets,
    }
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    found = evaluate(
        gt_file=folder / "g_genetic.jsonl",
        pred_file=folder / "p_genetic.jsonl",
        external_kg=folder / "kg.tsv",
        go_gmt=folder / "go.gmt",
        tiers=(1, 2, 3),
    )
    return {
        finding["code"]: finding["message"]
        for finding in found.summary["findings"]
        if finding["code"].endswith("-overlap")
    }


def test_other_names_are_told(tmp_path: Path) -> None:
    graph = "source\ttarget\tsign\n7157\t1026\t1\n1026\t1017\t-1\n"
    found = warnings(tmp_path, graph, "S\tna\t7157\t1026\nT\tna\t1017\t581\n")
    assert set(found) == {"kg-overlap", "gmt-overlap"}
    assert all("Entrez" in message and "symbol" in message for message in found.values())


def test_the_same_names_are_fine(tmp_path: Path) -> None:
    graph = "source\ttarget\tsign\nTP53\tCDKN1A\t1\nCDKN1A\tCDK2\t-1\n"
    assert warnings(tmp_path, graph, "S\tna\tTP53\tCDKN1A\nT\tna\tCDK2\tBAX\n") == {}
