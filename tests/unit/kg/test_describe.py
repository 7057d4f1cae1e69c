"""What ``kg info`` counts, and the kinds of identifiers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from eval_tiers.kg import describe
from eval_tiers.kg.describe import check_identifiers, is_complex
from eval_tiers.kg.graph import SignedGraph
from eval_tiers.kg.identifiers import identifier_of, likely_identifiers
from tests.unit.kg.samples import read


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("TP53", "symbol"),
        ("NKX2-1", "symbol"),
        ("HLA-DRB1", "symbol"),
        ("NA", "symbol"),
        ("7157", "entrez"),
        ("ENSG00000141510", "ensembl"),
        ("ENSMUSG00000059552.4", "ensembl"),
        ("P04637", "uniprot"),
        ("A0A024R1R8", "uniprot"),
        ("NM_000546.6", "refseq"),
        ("AT1G01010.1", "agi-locus"),
        ("HGNC:11998", "hgnc-id"),
        ("MGI:98834", "mgi-id"),
        ("HSA-MIR-21-5P", "mirna"),
        ("HMDB0000220", "compound-id"),
        ("HEXADECANOIC ACID", "other"),
    ],
)
def test_identifier_of(name: str, kind: str) -> None:
    assert identifier_of(name) == kind


def test_symbols_spelled_like_mouse_ones() -> None:
    names = ["TRP53", "MYC", "CDKN1A"]
    assert likely_identifiers(names, np.array([True, True, False])) == ("mouse-symbol", 2 / 3)
    assert likely_identifiers([], np.zeros(0, bool)) == (None, 0.0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("COMPLEX:P01100_P05412", True),
        ("FOS_JUN", True),
        ("ITGA1_ITGB1_X", False),
        ("TP53", False),
        ("NM_000546", False),
        ("A_B", False),
        ("HLA-A_B2M", True),
    ],
)
def test_complexes(name: str, expected: bool) -> None:
    assert is_complex(name, {}) is expected


def test_parts_that_are_nodes_make_a_complex() -> None:
    assert is_complex("A_B", {"A": 0, "B": 1})


def test_counts(tmp_path: Path) -> None:
    data = "source\ttarget\tsign\nA1\tB1\t1\nA1\tB1\t-1\nB1\tB1\t0\nFOS_JUN\tA1\t-1\nA1\tB1\t0\nZ9\t\t\n"
    described = SignedGraph.from_edges(read(tmp_path, data)).describe()
    assert described == {
        "node_n": 4,
        "edge_n": 3,
        "positive_n": 1,
        "negative_n": 2,
        "unsigned_n": 2,
        "conflicting_n": 1,
        "self_loop_n": 1,
        "lone_node_n": 1,
        "complex_n": 1,
        "identifier": "symbol",
        "identifier_rate": 1.0,
        "fingerprint": None,
    }


def test_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert describe.FINGERPRINTS == {(19_840, 284_347): "the PerturbReason KG"}
    monkeypatch.setattr(describe, "FINGERPRINTS", {(2, 1): "a toy"})
    graph = SignedGraph.from_edges(read(tmp_path, "source\ttarget\tsign\nA\tB\t1\n"))
    assert graph.describe()["fingerprint"] == "a toy"


@pytest.mark.parametrize(
    ("names", "word"),
    [
        (("7157", "1026"), "Entrez"),
        (("ENSG00000141510", "ENSG00000124762"), "Ensembl"),
        (("P04637", "P38936"), "Uniprot"),
        (("Trp53", "Cdkn1a"), "mouse"),
        (("TP53", "CDKN1A"), None),
        (("aspirin, low dose", "some compound"), None),
    ],
)
def test_a_warning_names_the_kind_of_ids(
    tmp_path: Path, names: tuple[str, str], word: str | None
) -> None:
    data = f"source\ttarget\tsign\n{names[0]}\t{names[1]}\t1\n"
    found = check_identifiers(SignedGraph.from_edges(read(tmp_path, data)))
    assert [word in finding.message for finding in found if word] == ([True] if word else [])
    assert bool(found) is (word is not None)
