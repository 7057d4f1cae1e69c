"""Build the synthetic RR-10 demo: a benchmark in RR-10's form, planted predictions, a table.

Gene symbols and accessions are real names; every value is made up, and so is which dataset
belongs to which context. Nothing here was measured. Read are ``rr10/genes.tsv`` (genes by
context), ``rr10/genes_mus_musculus.txt`` and ``rr10/registry.txt``; written are
``rr10/synthetic_rr10_benchmark.jsonl``, ``rr10/synthetic_OSD-48_table.tsv`` and, in
``rr10/predictions``, ``planted.jsonl`` and ``planted_labels.tsv``, which says which error label and
which evidence detail each prediction must get. What the items are is in ``synthetic_rr10.py``, what
is planted in ``planted_rr10.py``; here it is written down.

Standard library only. Every choice is a SHA-256 of a seed and a name, never a random generator,
so the files are the same bytes with any Python. Usage::

    python build_demo_rr10.py [--output FOLDER]
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from planted_rr10 import PLAN, REGULATORS, Claims
from synthetic_rr10 import (
    CONTRAST,
    LABELS,
    TABLE,
    Item,
    Row,
    World,
    build_items,
    choose,
    draw,
    shuffled,
)

ANSWERS = {
    1: ("upregulated", "upregulated", "up", "Up-regulated", "increased", "UPREGULATED."),
    -1: ("downregulated", "downregulated", "down", "Down-regulated", "decreased", "DOWNREGULATED."),
    0: ("indeterminate", "indeterminate", "Indeterminate.", "cannot be determined",
        "insufficient evidence", "contradictory"),
}  # fmt: skip
SIGN_WORDS: dict[int, tuple[object, ...]] = {
    1: ("+", "up", "upregulated", "increased", "\u2192", 1),
    -1: ("-", "down", "downregulated", "decreased", "\u22a3", -1),
}
UNREADABLE: dict[str, tuple[object, ...]] = {
    "parse:negated": ("not upregulated", "did not increase"),
    "parse:several_labels": ("up / down", "upregulated in some, downregulated in others"),
    "parse:no_change": ("no change", "unchanged"),
    "parse:blank": ("  ",),
    "parse:not_a_label": ("dysregulated", "it depends on the mission"),
    "parse:not_a_string": (1,),
}
FORMS = ("objects", "objects", "triples", "fenced", "json", "tagged", "tagged")
REASONS = {
    1: "{gene} is higher in flight.",
    -1: "{gene} is lower in flight.",
    0: "The datasets do not agree on {gene}.",
}
UNCLEAR = "The effect on {gene} is hard to read."


def spell_dataset(dataset: str, *name: object) -> str:
    """An accession in one of many spellings."""
    prefix, _, number = dataset.partition("-")
    if prefix != "OSD" or not number.isdigit():
        return dataset
    spellings = (f"GLDS-{number}", f"osd {number}", f"OSD-0{number}", f"OSD_{number}",
                 f"OSD\u2013{number}", f"glds {number}")  # fmt: skip
    return choose((dataset,) * 8 + spellings, "spelling", *name)


def spell_claims(item: Item, claims: Claims, form: str) -> list[object]:
    """The citations as JSON values: triples, or objects where asked for or where they hold more."""
    spelled: list[object] = []
    names = choose((("dataset", "direction"), ("osd", "sign")), "keys", item.sample_id)
    for place, claim in enumerate(claims):
        name = (item.sample_id, place)
        if claim.raw is not None:
            spelled.append(claim.raw)
            continue
        is_lowered = item.organism == "homo_sapiens" and draw("case", *name) % 8 == 0
        gene = claim.gene.lower() if is_lowered else claim.gene
        dataset = spell_dataset(claim.dataset, *name)
        sign = choose(SIGN_WORDS[claim.sign], "sign word", *name)
        if form == "objects" or claim.extra:
            extra = dict(claim.extra)
            if "q" in extra and draw("number as text", *name) % 6 == 0:
                extra["q"] = str(extra["q"])
            spelled.append({"gene": gene, names[1]: sign, names[0]: dataset, **extra})
        else:
            spelled.append([gene, sign, dataset])
    return spelled


def mechanism(item: Item, planted: str) -> list[object]:
    """An edge from a regulator to the item's gene, in one of three predictions that could."""
    known = item.gene in REGULATORS
    if not known or (planted != "mechanism_only" and draw("mechanism", item.sample_id) % 3):
        return []
    source, sign = REGULATORS[item.gene]
    return [[source, "+" if sign > 0 else "-", item.gene]]


def write_triplets(triples: Sequence[object], *name: object) -> str:
    """Triples as the inside of a triplet block, quoted or bare."""
    text = json.dumps(triples, ensure_ascii=False)
    bare = text.replace('"', "")
    return bare if draw("bare", *name) % 3 == 0 else text


def prediction_row(item: Item, answer: int, claims: Claims, planted: str) -> dict[str, object]:
    """One line of the prediction file."""
    name = item.sample_id
    form = choose(FORMS, "form", name)
    must_be_json = any(claim.raw is not None or claim.extra for claim in claims)
    if must_be_json and form == "tagged":
        form = "fenced"
    words = UNREADABLE.get(planted, ANSWERS[answer])
    word = choose(words, "word", name)
    if planted in ("parse:blank", "parse:not_a_string"):
        form = "objects"
    evidence = [*spell_claims(item, claims, form), *mechanism(item, planted)]
    reason = (UNCLEAR if planted in UNREADABLE else REASONS[answer]).format(gene=item.gene)
    text_field = choose(("output", "output", "text", "completion"), "text field", name)
    reply = {"prediction": word, "evidence": evidence, "reason": reason}
    if planted == "cut_off":  # holds one label and no whole object
        rows = [[item.gene, "+" if row.sign > 0 else "-", row.dataset] for row in item.rows]
        whole = json.dumps({"prediction": LABELS[answer], "evidence": rows})
        return {"id": name, "output": whole[:-5], "finish_reason": "length"}
    if form == "tagged":
        triplets = write_triplets(evidence, name)
        blocks = (f"<thinking>{reason}</thinking>", f"<answer>{word}</answer>",
                  f"<triplet>{triplets}</triplet>")  # fmt: skip
        return {"id": name, text_field: "\n".join(blocks)}
    if form == "fenced":
        body = json.dumps(reply, ensure_ascii=False, indent=choose((None, 1), "indent", name))
        return {"id": name, text_field: f"I weigh what I know.\n```json\n{body}\n```\nThat is all."}
    if form == "json":
        return {"id": name, text_field: json.dumps(reply, ensure_ascii=False)}
    label_field = choose(("prediction",) * 3 + ("answer", "label", "response"), "label field", name)
    row: dict[str, object] = {"id": name, label_field: word}
    if evidence or draw("empty list", name) % 2:
        row[choose(("evidence", "evidence", "citations"), "evidence field", name)] = evidence
    return row


def wrong_answer(item: Item, claims: Claims) -> int:
    """A wrong answer: what the citations say where they say one thing, else any."""
    said = {claim.sign for claim in claims if claim.gene == item.gene}
    if len(said) == 1 and not said & {item.gold, 0}:
        return said.pop()
    return choose([sign for sign in LABELS if sign != item.gold], "wrong", item.sample_id)


def plant(world: World) -> dict[str, tuple[dict[str, object], str, str, str]]:
    """Prediction row, error label, detail and what was planted, by item."""
    left = {item.sample_id: item for item in shuffled(world.items, "plan")}
    planted = {}
    for label, detail, name, count, find in PLAN:
        is_right = label.startswith("CORRECT") or label == "PARSE_FAIL"
        found = 0
        for item in list(left.values()):
            claims = find(item, world, is_right) if found < count else None
            if claims is None:
                continue
            answer = item.gold if is_right else wrong_answer(item, claims)
            row = prediction_row(item, answer, claims, name)
            planted[item.sample_id] = (row, label, detail, name)
            del left[item.sample_id]
            found += 1
        if found < count and name != "none":
            raise SystemExit(f"only {found} of {count} items can carry {label} {detail} {name}")
    return planted


def read_table(path: Path) -> list[dict[str, str]]:
    """Rows of a tab-separated table."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def read_names(path: Path) -> list[str]:
    """Lines of a list."""
    return [line.strip() for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines, each ended by a line feed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")


def format_table(table: dict[str, Row | None]) -> Iterable[str]:
    """The whole table of one dataset, with the columns of OSDR."""
    forward = CONTRAST[1]
    yield "\t".join(("SYMBOL", f"Log2fc_{forward}", f"Adj.p.value_{forward}"))
    for gene, row in table.items():
        yield "\t".join((gene, *((repr(row.log2fc), repr(row.q)) if row else ("NA", "NA"))))


def main(arguments: list[str] | None = None) -> int:
    """Write the demo's benchmark, table and planted predictions."""
    here = Path(__file__).resolve().parent / "rr10"
    parser = argparse.ArgumentParser(description="Build the synthetic RR-10 demo.")
    parser.add_argument("--output", type=Path, default=here, help="folder to write into")
    output = parser.parse_args(arguments).output
    genes: dict[str, list[str]] = {}
    for entry in read_table(here / "genes.tsv"):
        genes.setdefault(entry["context"], []).append(entry["gene"])
    items = build_items(genes)
    mouse = read_names(here / "genes_mus_musculus.txt")
    world = World(items, mouse, read_names(here / "registry.txt"))
    planted = plant(world)

    benchmark = (json.dumps(item.record(), separators=(",", ":")) for item in items)
    write_lines(output / "synthetic_rr10_benchmark.jsonl", benchmark)
    write_lines(output / f"synthetic_{TABLE}_table.tsv", format_table(world.table))
    order = shuffled(planted, "prediction order")
    rows = (json.dumps(planted[name][0], ensure_ascii=False) for name in order)
    write_lines(output / "predictions/planted.jsonl", rows)
    labels = ["\t".join((i.sample_id, *planted[i.sample_id][1:])) for i in items]
    header = "sample_id\terror_label\tevidence_detail\tplanted"
    write_lines(output / "predictions/planted_labels.tsv", [header, *labels])
    for (label, detail), count in sorted(Counter(p[1:3] for p in planted.values()).items()):
        print(f"{label}\t{detail}\t{count}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
