"""RR-10, section 4: the verdict on each citation, the rates, the label of each answer."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from tests.oracle.rr10_citations import Record, read_dataset, read_gene, read_row
from tests.oracle.rr10_labels import DOWN, INDETERMINATE, UP

__all__ = ["VERDICTS", "error_label", "judge", "read_row"]

VERDICTS = (
    "MALFORMED",
    "FABRICATED_DATASET",
    "NOT_IN_BENCHMARK",
    "WRONG_CONTEXT",
    "OFF_TOPIC",
    "UNKNOWN_GENE",
    "GENE_NOT_IN_DATASET",
    "UNVERIFIABLE",
    "OVERCLAIM",
    "SIGN_MISREAD",
    "VALUE_MISREAD",
    "SUPPORTED",
)
FABRICATED = ("MALFORMED", "FABRICATED_DATASET", "UNKNOWN_GENE", "GENE_NOT_IN_DATASET")
UNVERIFIED = ("NOT_IN_BENCHMARK", "UNVERIFIABLE")
BEST_FIRST = ("SUPPORTED", "VALUE_MISREAD", "SIGN_MISREAD", "OVERCLAIM", "UNVERIFIABLE")
RFWR = "CORRECT_RIGHT_FOR_WRONG_REASON"

# --------------------------------------------------------------------------- repeats


def sign_of(log2fc: float | None) -> int:
    """+1, -1, or 0 where it is not known."""
    if log2fc is None or math.isnan(log2fc):
        return 0
    return (log2fc > 0) - (log2fc < 0)


def collapse(item: Record, citations: Sequence[Record]) -> list[Record]:
    """Repeats once; both signs on one gene and dataset are one malformed citation."""
    organism = item["organism"]
    item_gene = read_gene(item["gene"], organism)
    signs: dict[tuple[str, str], set[int]] = {}
    for citation in citations:
        if not citation["malformed"]:
            pair = (read_gene(citation["gene"], organism), citation["dataset"])
            signs.setdefault(pair, set()).add(citation["sign"])
    both = {pair for pair, given in signs.items() if len(given) == 2}
    for dataset in {row["osd"] for row in item["provenance"]}:
        own = [row for row in item["provenance"] if row["osd"] == dataset]
        if {sign_of(row["log2FC_SF_vs_GC"]) for row in own} >= {1, -1}:
            both.discard((item_gene, dataset))
    kept: dict[tuple[object, ...], Record] = {}
    for citation in citations:
        key: tuple[object, ...]
        if citation["malformed"]:
            key = ("as written", json.dumps(citation["written"]))
        else:
            gene = read_gene(citation["gene"], organism)
            citation = {**citation, "gene": gene}
            key = (gene, citation["sign"], citation["dataset"])
            if (gene, citation["dataset"]) in both:
                key = ("both signs", gene, citation["dataset"])
                citation = {**citation, "malformed": True, "sign": None}
        kept.setdefault(key, citation)
    return list(kept.values())


# --------------------------------------------------------------------------- verdicts


def table_rows(tables: Mapping[str, Sequence[Record]] | None, dataset: str) -> list[Record] | None:
    """The rows of a whole table {gene, log2fc, q}; None when there is no table."""
    if tables is None or dataset not in tables:
        return None
    found = []
    for number, row in enumerate(tables[dataset]):
        found.append({**row, "dataset": dataset, "item_id": None, "row": number, "orientation": 1})
    return found


def benchmark_rows(benchmark: Sequence[Record], organism: str) -> list[Record]:
    """All provenance rows of an organism's items, in file order."""
    found = []
    for item in benchmark:
        for number, row in enumerate(item["provenance"]):
            if item["organism"] == organism:
                found.append(
                    {
                        "gene": item["gene"],
                        "dataset": row["osd"],
                        "item_id": item["id"],
                        "row": number,
                        "log2fc": row["log2FC_SF_vs_GC"],
                        "q": row["q"],
                        "orientation": row["orientation_sign_applied"],
                    }
                )
    return found


HAIR = Decimal("1e-9")  # what a sum or a product of floats is off by


def exact(number: float) -> Decimal:
    """The number as written: 2.2 is 10 % off 2, and no hair more."""
    return Decimal(str(number))


def is_near(cited: float, true: float) -> bool:
    """log2FC within .05 or 10 %."""
    off = abs(exact(cited) - exact(true))
    return off <= Decimal("0.05") + HAIR or off <= abs(exact(true)) / 10 + HAIR


def is_misread(citation: Record, row: Record) -> bool:
    """log2FC off by more than .05 and 10 %, or q by an order of magnitude above 1e-10."""
    cited, true = citation["log2fc"], row["log2fc"]
    if cited is not None and not is_near(cited, true):
        return True
    if citation["q"] is None or row["q"] is None:
        return False
    low, high = sorted(max(exact(q), Decimal("1e-10")) for q in (citation["q"], row["q"]))
    return high * (1 + HAIR) >= 10 * low


def row_verdict(citation: Record, row: Record, item: Record) -> str:
    """What one row says of a citation of its gene and dataset."""
    if sign_of(row["log2fc"]) == 0:
        return "UNVERIFIABLE"
    not_significant = row["q"] is not None and row["q"] >= 0.05
    if not_significant and (citation["significant"] or row["item_id"] != item["id"]):
        return "OVERCLAIM"
    if citation["sign"] != sign_of(row["log2fc"]):
        return "SIGN_MISREAD"
    return "VALUE_MISREAD" if is_misread(citation, row) else "SUPPORTED"


def is_reversed(citation: Record, row: Record) -> bool:
    """Does a misread sign equal the reversed contrast?"""
    if row["orientation"] == -1:
        return True
    return citation["log2fc"] is not None and is_near(citation["log2fc"], -row["log2fc"])


def verdict_of(
    item: Record,
    citation: Record,
    benchmark: Sequence[Record],
    registry: Iterable[str] | None,
    tables: Mapping[str, Sequence[Record]] | None,
    genes: Mapping[str, Iterable[str]] | None,
) -> tuple[str, Record | None]:
    """The first verdict that holds, and the row that it rests on."""
    if citation["malformed"]:
        return "MALFORMED", None
    gene, dataset, organism = citation["gene"], citation["dataset"], item["organism"]
    table = table_rows(tables, dataset)
    contexts = {
        f"{other['organism']}::{other['tissue']}"
        for other in benchmark
        if dataset in [row["osd"] for row in other["provenance"]]
    }
    registered = None if registry is None else {read_dataset(name) for name in registry}
    known = bool(contexts) or table is not None or dataset in (registered or ())
    if not known:
        return ("NOT_IN_BENCHMARK" if registered is None else "FABRICATED_DATASET"), None
    if contexts and f"{organism}::{item['tissue']}" not in contexts:
        return "WRONG_CONTEXT", None

    of_gene = [
        row
        for row in benchmark_rows(benchmark, organism)
        if read_gene(row["gene"], organism) == gene
    ]
    there = [row for row in of_gene if row["dataset"] == dataset]
    rows = [row for row in there if row["item_id"] == item["id"]]
    rows = rows or there
    rows = rows or [row for row in table or [] if read_gene(row["gene"], organism) == gene]
    if rows and gene != read_gene(item["gene"], organism):
        return "OFF_TOPIC", None
    if not rows:
        listed = None if genes is None else genes.get(organism)
        names = None if listed is None else {read_gene(name, organism) for name in listed}
        if names is not None and not of_gene and gene not in names:
            return "UNKNOWN_GENE", None
        return ("NOT_IN_BENCHMARK" if table is None else "GENE_NOT_IN_DATASET"), None
    verdicts = [row_verdict(citation, row, item) for row in rows]
    best = min(verdicts, key=BEST_FIRST.index)
    return best, rows[verdicts.index(best)]


# --------------------------------------------------------------------------- one sample


def answer_of(signs: Iterable[int]) -> str | None:
    """Only + up, only - down, both indeterminate, none null."""
    found = set(signs)
    if not found:
        return None
    if found == {1, -1}:
        return INDETERMINATE
    return UP if found == {1} else DOWN


def judge(
    item: Record,
    citations: Sequence[Record],
    benchmark: Sequence[Record],
    registry: Iterable[str] | None = None,
    tables: Mapping[str, Sequence[Record]] | None = None,
    genes: Mapping[str, Iterable[str]] | None = None,
    evidence: bool = True,
    label: str | None = None,
) -> Record:
    """The columns of tier 2 of one sample, and its citations with their verdicts."""
    judged: list[Record] = []
    for citation in collapse(item, citations) if evidence else []:
        verdict, row = verdict_of(item, citation, benchmark, registry, tables, genes)
        judged.append(
            {
                "gene": citation.get("gene"),
                "sign": citation.get("sign"),
                "dataset": citation.get("dataset"),
                "verdict": verdict,
                "row": row and {name: row[name] for name in ("dataset", "item_id", "row")},
                "reversed_contrast": verdict == "SIGN_MISREAD"
                and row is not None
                and is_reversed(citation, row),
            }
        )
    verdicts = [citation["verdict"] for citation in judged]
    own = read_gene(item["gene"], item["organism"])
    supported = [c for c in judged if c["verdict"] == "SUPPORTED" and c["gene"] == own]
    flipped = [c for c in judged if c["verdict"] == "SIGN_MISREAD" and c["gene"] == own]
    gold = set(item["evidence"]["datasets"])
    facts = {
        "label": label,
        "gold": item["expected"],
        "evidence": evidence,
        "verdicts": verdicts,
        "implied_answer": answer_of(c["sign"] for c in supported),
        "repaired_answer": answer_of(
            [c["sign"] for c in supported] + [-c["sign"] for c in flipped]
        ),
        "evidence_recall": len(gold & {c["dataset"] for c in supported}) / len(gold),
    }
    name, detail = error_label(facts)
    return {
        "citation_n": len(judged) if evidence else None,
        "supported_n": verdicts.count("SUPPORTED") if evidence else None,
        "citation_precision": share(verdicts, ("SUPPORTED",)),
        "evidence_recall": facts["evidence_recall"] if evidence else None,
        "fabrication_rate": share(verdicts, FABRICATED),
        "unverified_rate": share(verdicts, UNVERIFIED),
        "implied_answer": facts["implied_answer"],
        "error_label": name,
        "evidence_detail": detail,
        "hard_case": is_hard(name, detail),
        "citations": judged,
    }


def share(verdicts: Sequence[str], kinds: Sequence[str]) -> float | None:
    """Share of the citations with one of these verdicts; null for none."""
    if not verdicts:
        return None
    return len([verdict for verdict in verdicts if verdict in kinds]) / len(verdicts)


def is_hard(label: str | None, detail: str) -> bool:
    """Hard cases: as for chains, but a trap answered by one side only is not forgiven."""
    if label == "WRONG_CORRECT_CHAIN":
        return detail != "CHERRY_PICKED"
    return label in ("CORRECT_HALLUCINATED_EDGE", RFWR, "PARSE_FAIL")


# --------------------------------------------------------------------------- the label table


def main_failure(verdicts: Sequence[str]) -> str:
    """The most frequent failing verdict, ties in their order; SUPPORTED when none failed."""
    best = "SUPPORTED"
    for verdict in VERDICTS[:-1]:
        n = verdicts.count(verdict)
        if n > 0 and (best == "SUPPORTED" or n > verdicts.count(best)):
            best = verdict
    return best


def error_label(facts: Record) -> tuple[str | None, str]:
    """The table, row by row: label and detail.

    `facts`: label, gold, evidence, verdicts (one a citation), implied_answer, repaired_answer
    (with the misread signs turned), evidence_recall.
    """
    label, gold, verdicts = facts["label"], facts["gold"], facts["verdicts"]
    implied, recall = facts["implied_answer"], facts["evidence_recall"]
    right = label == gold
    supported_n = verdicts.count("SUPPORTED")
    misread_n = verdicts.count("SIGN_MISREAD")
    fabrication = share(verdicts, FABRICATED)

    if label is None:  # 1
        return "PARSE_FAIL", "PARSE_FAIL"
    if not facts["evidence"]:  # 2
        return (None if right else "UNCLASSIFIED"), "NOT_GIVEN"
    if fabrication is None:  # 3
        return (RFWR if right else "UNCLASSIFIED"), "UNCITED"
    if fabrication >= 0.5:  # 4
        return ("CORRECT" if right else "WRONG") + "_HALLUCINATED_EDGE", "FABRICATED"
    if right:
        if supported_n == 0:  # 5
            return RFWR, main_failure(verdicts)
        if implied != gold:  # 6
            return RFWR, "ONE_SIDED"
        if misread_n == 1:  # 7
            return "CORRECT_SIGN_FLIP", "SIGN_MISREAD"
        if misread_n >= 2:  # 8
            return RFWR, "SIGN_MISREAD"
        if recall < 0.5:  # 8
            return RFWR, "LOW_COVERAGE"
        return "CORRECT", "SUPPORTED" if supported_n == len(verdicts) else "PARTIAL"  # 9
    if misread_n > 0 and facts["repaired_answer"] == gold:  # 10
        return "WRONG_SIGN_FLIP", "SIGN_MISREAD"
    if implied == gold:  # 11
        return "WRONG_CORRECT_CHAIN", "CONTRADICTS_OWN_EVIDENCE"
    if gold == INDETERMINATE and implied in (UP, DOWN):  # 12
        return "WRONG_CORRECT_CHAIN", "CHERRY_PICKED"
    return "WRONG_NO_PATH", main_failure(verdicts)  # 13
