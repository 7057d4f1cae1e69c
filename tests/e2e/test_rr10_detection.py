"""Planted faults in correct evidence: how many of each kind are told, and as what."""

from __future__ import annotations

import copy
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import eval_tiers
from eval_tiers.kg.provenance import gene_key
from tests.rr10_benchmark import (
    BUNDLED_BENCHMARK,
    ROOT,
    TRAP,
    Record,
    build_items,
    objects_of,
    read_jsonl,
    sign_of,
    write_jsonl,
)

PAGE = ROOT / "docs" / "rr10_detection.md"
LEAST = 0.99


@cache
def benchmark() -> tuple[Record, ...]:
    """The bundled benchmark."""
    if BUNDLED_BENCHMARK.is_file():
        return tuple(read_jsonl(BUNDLED_BENCHMARK))
    return tuple(build_items())


@dataclass(frozen=True)
class Place:
    """Where a fault goes: an item, its correct evidence, and which citation is spoilt."""

    item: Record
    evidence: list[Record]
    row: int

    @property
    def cited(self) -> Record:
        return self.evidence[self.row]

    @property
    def source(self) -> Record:
        """The provenance row that the citation is of."""
        found: Record = self.item["provenance"][self.row]
        return found


@cache
def contexts_of() -> dict[str, set[str]]:
    """Contexts of each dataset."""
    found: dict[str, set[str]] = defaultdict(set)
    for item in benchmark():
        for row in item["provenance"]:
            found[row["osd"]].add(item["context"])
    return found


@cache
def genes_of() -> dict[tuple[str, str], list[str]]:
    """Genes of each organism and dataset."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for item in benchmark():
        for row in item["provenance"]:
            found[item["organism"], row["osd"]].append(item["gene"])
    return found


def turned(direction: str) -> str:
    return "downregulated" if direction == "upregulated" else "upregulated"


# Each kind changes the evidence of one item in place; False where the item offers no such fault.


def fabricate_dataset(at: Place) -> bool:
    at.cited["dataset"] = f"OSD-{90_000 + at.row}"
    return True


def name_no_dataset(at: Place) -> bool:
    at.cited["dataset"] = "the liver study"
    return True


def leave_out_sign(at: Place) -> bool:
    del at.cited["direction"]
    return True


def cite_both_signs(at: Place) -> bool:
    at.evidence.append(at.cited | {"direction": turned(at.cited["direction"])})
    return True


def _take_dataset(at: Place, fits: Callable[[set[str]], bool]) -> bool:
    names = sorted(name for name, contexts in contexts_of().items() if fits(contexts))
    if not names:
        return False
    at.cited["dataset"] = names[at.row % len(names)]
    return True


def take_other_tissue(at: Place) -> bool:
    organism, context = at.item["organism"], at.item["context"]
    return _take_dataset(
        at,
        lambda contexts: (
            context not in contexts and any(name.startswith(f"{organism}::") for name in contexts)
        ),
    )


def take_other_organism(at: Place) -> bool:
    organism = at.item["organism"]
    return _take_dataset(
        at, lambda contexts: not any(name.startswith(f"{organism}::") for name in contexts)
    )


def flip_sign(at: Place) -> bool:
    at.cited["direction"] = turned(at.cited["direction"])
    at.cited["log2FC"] = None
    return True


def reverse_contrast(at: Place) -> bool:
    if at.source["orientation_sign_applied"] != -1:
        return False
    at.cited["direction"] = turned(at.cited["direction"])
    at.cited["log2FC"] = -at.cited["log2FC"]
    return True


def claim_significance(at: Place) -> bool:
    at.cited["significant"] = True
    return bool(at.source["q"] >= 0.05)


def misquote_log2fc(at: Place) -> bool:
    at.cited["log2FC"] = at.cited["log2FC"] * 1.5
    return abs(float(at.source["log2FC_SF_vs_GC"])) > 0.1


def misquote_q(at: Place) -> bool:
    q = max(at.source["q"], 1e-10)
    at.cited["q"] = q * 100 if q <= 0.01 else q / 100
    return True


def swap_gene(at: Place) -> bool:
    own = gene_key(at.item["organism"], at.item["gene"])
    others = [
        gene
        for gene in genes_of()[at.item["organism"], at.source["osd"]]
        if gene_key(at.item["organism"], gene) != own
    ]
    if not others:
        return False
    at.cited["gene"] = others[at.row % len(others)]
    return True


def invent_gene(at: Place) -> bool:
    at.cited["gene"] = f"Nosuchgene{at.row}"
    return True


def drop_one_side(at: Place) -> bool:
    if at.item["item_type"] != TRAP:
        return False
    kept = sign_of(at.source)
    at.evidence[:] = [
        cited
        for cited, row in zip(at.evidence, at.item["provenance"], strict=True)
        if sign_of(row) == kept
    ]
    return True


@dataclass(frozen=True)
class Kind:
    """A kind of fault, and what it has to be told as.

    `verdict` is of the spoilt citation, `detail` of the whole answer; one of them is given.
    """

    title: str
    plant: Callable[[Place], bool]
    verdict: str | None = None
    detail: str | None = None
    reversed_contrast: bool = False

    @property
    def expected(self) -> str:
        told = f"verdict {self.verdict}" if self.verdict else f"detail {self.detail}"
        return f"{told}, reversed contrast" if self.reversed_contrast else told


KINDS = (
    Kind("an accession that is not in the registry", fabricate_dataset, "FABRICATED_DATASET"),
    Kind("no accession at all", name_no_dataset, "MALFORMED"),
    Kind("no direction", leave_out_sign, "MALFORMED"),
    Kind("one dataset cited with both directions", cite_both_signs, "MALFORMED"),
    Kind("a dataset of another tissue", take_other_tissue, "WRONG_CONTEXT"),
    Kind("a dataset of another organism", take_other_organism, "WRONG_CONTEXT"),
    Kind("the other direction", flip_sign, "SIGN_MISREAD"),
    Kind("the source's own contrast, not turned", reverse_contrast, "SIGN_MISREAD",
         reversed_contrast=True),
    Kind("significance claimed where q is .05 or more", claim_significance, "OVERCLAIM"),
    Kind("a log2 fold change off by half", misquote_log2fc, "VALUE_MISREAD"),
    Kind("a q off by two orders of magnitude", misquote_q, "VALUE_MISREAD"),
    Kind("another gene of the same dataset", swap_gene, "OFF_TOPIC"),
    Kind("a gene that there is not", invent_gene, "UNKNOWN_GENE"),
    Kind("one side of a trap left out", drop_one_side, detail="ONE_SIDED"),
)  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """Answers with the fault planted, those told as expected, and those that still look clean."""

    planted_n: int
    told_n: int
    clean_n: int


def resources(folder: Path) -> dict[str, object]:
    """A registry of the benchmark's datasets, and a gene list an organism."""
    registry = folder / "registry.txt"
    registry.write_text("".join(f"{name}\n" for name in sorted(contexts_of())), encoding="utf-8")
    genes: dict[str, set[str]] = defaultdict(set)
    for item in benchmark():
        genes[item["organism"]].add(item["gene"])
    paths = {}
    for organism, names in genes.items():
        paths[organism] = folder / f"{organism}.txt"
        text = "".join(f"{name}\n" for name in sorted(names))
        paths[organism].write_text(text, encoding="utf-8")
    return {"osd_registry": registry, "genes": paths}


def score(folder: Path, rows: Sequence[Record]) -> eval_tiers.api.Evaluation:
    return eval_tiers.evaluate(
        gt_file=write_jsonl(folder / "gold.jsonl", benchmark()),
        pred_file=write_jsonl(folder / "predictions.jsonl", rows),
        **resources(folder),  # type: ignore[arg-type]
    )


def measure(kind: Kind, folder: Path) -> Measured:
    """Plant a fault once an item, wherever the item has a row that offers it; the row varies."""
    rows, spoilt = [], {}
    for number, item in enumerate(benchmark()):
        row_n = len(item["provenance"])
        for turn in range(row_n):
            at = Place(item, copy.deepcopy(objects_of(item)), (number + turn) % row_n)
            if kind.plant(at):
                spoilt[item["id"]] = at.row
                rows.append(
                    {"id": item["id"], "prediction": item["expected"], "evidence": at.evidence}
                )
                break
    found = score(folder, rows)
    samples = found.samples[found.samples["sample_id"].isin(spoilt)]
    if kind.detail is not None:
        told_n = int((samples["evidence_detail"] == kind.detail).sum())
    else:
        told_n = 0
        cited = found.citations.set_index(["sample_id", "number"])
        for sample_id, row in spoilt.items():
            one = cited.loc[(sample_id, row)]
            told_n += bool(one["verdict"] == kind.verdict) and (
                not kind.reversed_contrast or bool(one["reversed_contrast"])
            )
    clean_n = int((samples["evidence_detail"] == "SUPPORTED").sum())
    return Measured(len(spoilt), told_n, clean_n)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Measured]:
    """Every kind, measured once."""
    return {kind.title: measure(kind, tmp_path_factory.mktemp("kind")) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.title))
def test_each_kind_is_told(kind: Kind, measured: dict[str, Measured]) -> None:
    found = measured[kind.title]
    assert found.planted_n >= 20
    assert found.told_n / found.planted_n >= LEAST
    assert found.clean_n / found.planted_n <= 1 - LEAST


def test_correct_evidence_is_told_to_be_correct(tmp_path: Path) -> None:
    rows = [
        {"id": item["id"], "prediction": item["expected"], "evidence": objects_of(item)}
        for item in benchmark()
    ]
    found = score(tmp_path, rows)
    assert set(found.citations["verdict"]) == {"SUPPORTED"}
    assert set(found.samples["error_label"]) == {"CORRECT"}


def detection_table(measured: dict[str, Measured]) -> str:
    """Return the table as the page has it."""
    lines = ["| planted | answers | to be told as | told | share | looks clean |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    for kind in KINDS:
        found = measured[kind.title]
        share = found.told_n / found.planted_n
        lines.append(
            f"| {kind.title} | {found.planted_n} | {kind.expected} | {found.told_n} "
            f"| {share:.3f} | {found.clean_n} |"
        )
    return "\n".join(lines)


def test_the_page_is_current(measured: dict[str, Measured], request: pytest.FixtureRequest) -> None:
    if not BUNDLED_BENCHMARK.is_file():
        pytest.skip("not here: no benchmark is bundled")
    table = detection_table(measured)
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(r"(<!-- detection: begin[^\n]*-->\n)(.*?)(<!-- detection: end -->)", text,
                      re.S)  # fmt: skip
    assert found is not None, f"{PAGE.name} has no place for the table"
    if request.config.getoption("--update-golden"):
        new = text[: found.start(2)] + table + "\n" + text[found.end(2) :]
        PAGE.write_text(new, encoding="utf-8")
        return
    assert found.group(2).strip() == table, (
        "pytest --update-golden tests/e2e/test_rr10_detection.py"
    )
