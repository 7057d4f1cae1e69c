"""Citations with known faults for the items of the synthetic RR-10 benchmark.

Used by ``build_demo_rr10.py``. ``PLAN`` says how many of each are planted, and which error label
and evidence detail each must get. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from synthetic_rr10 import TABLE, Item, Row, World, accessions, choose, draw, shuffled

# A textbook regulator of some of the genes: an edge between genes, not a citation.
REGULATORS = {
    "HSPA1A": ("HSF1", 1), "HSPB1": ("HSF1", 1), "DDIT3": ("ATF4", 1), "CDKN1A": ("TP53", 1),
    "MDM2": ("TP53", 1), "GADD45A": ("TP53", 1), "TP53": ("MDM2", -1), "HMOX1": ("NFE2L2", 1),
    "NQO1": ("NFE2L2", 1), "GCLM": ("NFE2L2", 1), "VEGFA": ("HIF1A", 1), "CA9": ("HIF1A", 1),
    "IL6": ("RELA", 1), "CXCL8": ("RELA", 1), "PER1": ("CLOCK", 1), "COL1A1": ("SMAD3", 1),
    "Cdkn1a": ("Trp53", 1), "Bbc3": ("Trp53", 1), "Bax": ("Trp53", 1), "Trp53": ("Mdm2", -1),
    "Notch3": ("Notch1", 1), "Fkbp5": ("Nr3c1", 1), "Tsc22d3": ("Nr3c1", 1), "Per1": ("Clock", 1),
    "Dbp": ("Clock", 1), "Nr1d1": ("Clock", 1), "Cyp4a14": ("Ppara", 1), "Acox1": ("Ppara", 1),
    "Hmgcs2": ("Ppara", 1), "Fasn": ("Srebf1", 1), "Scd1": ("Srebf1", 1), "Saa1": ("Stat3", 1),
    "Pck1": ("Foxo1", 1), "Cyp7a1": ("Nr0b2", -1), "Hsp22": ("Hsf", 1), "per": ("Clk", 1),
    "AT5G61380": ("AT2G46830", -1), "AT3G12580": ("AT2G26150", 1), "AT5G52310": ("AT4G25490", 1),
    "AT2G42540": ("AT4G25470", 1), "AT2G46790": ("AT1G01060", 1), "AT3G09640": ("AT2G26150", 1),
}  # fmt: skip


@dataclass(frozen=True)
class Claim:
    """One citation as a model states it; ``raw`` is written as it is."""

    gene: str = ""
    sign: int = 0
    dataset: str = ""
    extra: dict[str, object] = field(default_factory=dict)
    raw: object = None


Claims = list[Claim]
Plant = Callable[[Item, World, bool], Claims | None]


def cite(item: Item, row: Row, **extra: object) -> Claim:
    """A true citation."""
    return Claim(item.gene, row.sign, row.dataset, extra)


def misread(item: Item, row: Row) -> Claim:
    """A citation with the wrong sign."""
    return Claim(item.gene, -row.sign, row.dataset)


def all_rows(item: Item, world: World, right: bool) -> Claims | None:
    """Every row of the item, as it is."""
    return [cite(item, row) for row in item.rows]


def some_rows(item: Item) -> Claims:
    """Every row, or half of them or more where they all say the same."""
    drop = 1 if item.gold and len(item.rows) > 3 else 0
    return [cite(item, row) for row in item.rows[drop:]]


# Failing citations, one of each verdict; None where the item allows none.


def invented_dataset(item: Item, world: World, salt: object = "") -> Claim:
    """FABRICATED_DATASET: no such accession."""
    number = 6_000 + draw("invented", item.sample_id, salt) % 3_000
    return Claim(item.gene, choose((1, -1), "invented", item.sample_id, salt), f"OSD-{number}")


def elsewhere(item: Item, world: World, salt: object = "") -> Claim:
    """NOT_IN_BENCHMARK: the dataset is real, but nothing is known of the gene there."""
    cited = {row.dataset for row in item.rows} | {TABLE}
    names = [name for name in accessions(item.context) if name not in cited]
    names = names[:1] + shuffled(world.unused, "unused", item.sample_id)
    return Claim(item.gene, item.gold or 1, names[0 if not salt else 1])


def wrong_context(item: Item, world: World, salt: object = "") -> Claim:
    """WRONG_CONTEXT: a dataset of another organism or tissue; in mouse with an unknown gene."""
    names = sorted(set(world.genes) - set(accessions(item.context)))
    gene = item.gene
    if item.organism == "mus_musculus" and draw("unknown there", item.sample_id, salt) % 3 == 0:
        gene = "Microg2"
    return Claim(gene, item.gold or -1, choose(names, "other context", item.sample_id, salt))


def off_topic(item: Item, world: World, salt: object = "") -> Claim:
    """OFF_TOPIC: what a dataset of the context truly says about another gene."""
    dataset = choose(accessions(item.context), "off topic", item.sample_id, salt)
    genes = [gene for gene in world.genes[dataset] if gene != item.gene]
    gene = choose(genes, "other gene", item.sample_id, salt)
    return Claim(gene, world.rows[item.organism, gene, dataset].sign, dataset)


def unknown_gene(item: Item, world: World, salt: object = "") -> Claim | None:
    """UNKNOWN_GENE: no such gene in the list of the organism."""
    if item.organism != "mus_musculus":
        return None
    gene = choose(("Microg1", "Orbitin3", "Spflt7", "Zerog4"), "unknown", item.sample_id, salt)
    return Claim(gene, 1, choose(accessions(item.context), "unknown at", item.sample_id, salt))


def not_in_dataset(item: Item, world: World, salt: int = 0) -> Claim | None:
    """GENE_NOT_IN_DATASET: a real gene that the whole table lacks."""
    if TABLE not in accessions(item.context):
        return None
    absent = shuffled(world.absent, "absent", item.sample_id)
    return Claim(item.gene if item.gene in absent and not salt else absent[salt], 1, TABLE)


def unverifiable(item: Item, world: World) -> Claim | None:
    """UNVERIFIABLE: the whole table has the gene, without values."""
    if TABLE not in accessions(item.context) or world.table.get(item.gene, 0) is not None:
        return None
    return Claim(item.gene, 1, TABLE)


def table_row(item: Item, world: World) -> Row | None:
    """The whole table's row of the item's gene, where the item has none of its own there."""
    if TABLE not in accessions(item.context) or TABLE in {row.dataset for row in item.rows}:
        return None
    return world.table.get(item.gene)


def overclaim(item: Item, world: World) -> Claim | None:
    """OVERCLAIM: called significant at q >= .05, or a row of the table with q >= .05."""
    row = table_row(item, world)
    if row and row.q >= 0.05:
        return cite(item, row)
    weak = [row for row in item.rows if row.q >= 0.05]
    return cite(item, weak[0], significant=True) if weak else None


def wrong_value(item: Item, row: Row) -> Claim:
    """VALUE_MISREAD: the sign is right, log2FC or q is not."""
    if draw("value", item.sample_id, row.dataset) % 2:
        return cite(item, row, log2FC=round(row.log2fc * 1.8, 2))
    factor = 1e-3 if row.q > 1e-6 else 1e3
    return cite(item, row, log2FC=round(row.log2fc, 2), q=float(f"{row.q * factor:.2e}"))


def malformed(item: Item, salt: object = "") -> Claims:
    """MALFORMED: no sign, no gene, no accession, no citation at all, or both signs at once."""
    row = item.rows[-1]
    kinds: list[Claims] = [
        [Claim(raw={"gene": item.gene, "dataset": row.dataset})],
        [Claim(raw={"gene": "", "direction": "up", "dataset": row.dataset})],
        [Claim(raw={"gene": item.gene, "direction": "up", "dataset": "GSE80223"})],
        [Claim(raw={"gene": item.gene, "direction": "changed", "dataset": row.dataset})],
        [Claim(raw=f"{item.gene} in {row.dataset}")],
        [Claim(item.gene, 1, "OSD-unknown")],
    ]
    return choose(kinds, "malformed", item.sample_id, salt)


# Plants: each takes an item and whether the answer is right, and gives the citations, or None
# where it does not apply.


def nothing(item: Item, world: World, right: bool) -> Claims | None:
    """No citation."""
    return []


def mechanism_only(item: Item, world: World, right: bool) -> Claims | None:
    """No citation, but an edge between genes."""
    return [] if item.gene in REGULATORS else None


def fabricated(item: Item, world: World, right: bool) -> Claims | None:
    """Only invented datasets, and genes that are not there."""
    others = (unknown_gene(item, world), not_in_dataset(item, world), invented_dataset(item, world))
    return [invented_dataset(item, world, 1), *[c for c in others if c][:2]]


def half_fabricated(item: Item, world: World, right: bool) -> Claims | None:
    """One true and one invented citation: a rate of exactly one half."""
    return [cite(item, item.rows[0]), invented_dataset(item, world)]


def both_signs(item: Item, world: World, right: bool) -> Claims | None:
    """A trap argued from one dataset that is said to show both directions."""
    dataset = item.rows[0].dataset
    return None if item.gold else [Claim(item.gene, sign, dataset) for sign in (1, -1)]


def all_malformed(item: Item, world: World, right: bool) -> Claims | None:
    """Two citations that are none."""
    return [Claim(raw=f"see {item.rows[0].dataset}"), Claim(item.gene, 1, "GLDS-")]


def only(verdict: str) -> Plant:
    """Citations that all fail in one way; the details that lose a vote are one citation each."""

    def plant(item: Item, world: World, right: bool) -> Claims | None:
        context, topic = wrong_context(item, world), off_topic(item, world)
        claims: dict[str, Callable[[], Sequence[Claim | None]]] = {
            "NOT_IN_BENCHMARK": lambda: [elsewhere(item, world), elsewhere(item, world, 1)],
            "WRONG_CONTEXT": lambda: [
                context, elsewhere(item, world), wrong_context(item, world, 1),
            ],
            "OFF_TOPIC": lambda: [topic],
            "UNVERIFIABLE": lambda: [unverifiable(item, world)],
            "OVERCLAIM": lambda: [overclaim(item, world)],
            "SIGN_MISREAD": lambda: [misread(item, row) for row in item.rows],
            "VALUE_MISREAD": lambda: [wrong_value(item, row) for row in item.rows],
            "MALFORMED": lambda: [*malformed(item), elsewhere(item, world), context],
            "FABRICATED_DATASET": lambda: [invented_dataset(item, world), context, topic],
            "UNKNOWN_GENE": lambda: [
                unknown_gene(item, world), context, topic, elsewhere(item, world),
                unknown_gene(item, world, 1),
            ],
            "GENE_NOT_IN_DATASET": lambda: [
                not_in_dataset(item, world), context, topic, elsewhere(item, world),
                not_in_dataset(item, world, 1),
            ],
        }  # fmt: skip
        if verdict == "SIGN_MISREAD" and not right:  # one side only, else the repair gives gold
            return None if item.gold else [misread(item, item.rows[0])]
        found = [claim for claim in claims[verdict]() if claim]
        distinct = {(claim.gene, claim.dataset, str(claim.raw)) for claim in found}
        return found if len(distinct) == len(claims[verdict]()) else None

    return plant


def one_side(item: Item, world: World, right: bool) -> Claims | None:
    """A trap argued from the rows of one direction."""
    if item.gold:
        return None
    side = choose((1, -1), "side", item.sample_id)
    return [cite(item, row) for row in item.rows if row.sign == side]


def one_misread(item: Item, world: World, right: bool) -> Claims | None:
    """One sign misread where the other rows still carry the answer."""
    if len(item.rows) < 3:
        return None
    for turned in shuffled(range(len(item.rows)), "misread", item.sample_id):
        rest = {row.sign for place, row in enumerate(item.rows) if place != turned}
        if item.gold or len(rest) == 2:
            return [
                misread(item, row) if place == turned else cite(item, row)
                for place, row in enumerate(item.rows)
            ]
    return None


def two_misread(item: Item, world: World, right: bool) -> Claims | None:
    """Two signs of four misread; the other half carries the answer."""
    if not item.gold or len(item.rows) != 4:
        return None
    return [misread(item, row) for row in item.rows[:2]] + [cite(item, r) for r in item.rows[2:]]


def low_coverage(item: Item, world: World, right: bool) -> Claims | None:
    """One row of three or more."""
    return [cite(item, item.rows[0])] if item.gold and len(item.rows) > 2 else None


def one_more(kind: str) -> Plant:
    """The item's rows and one citation more that fails."""

    def plant(item: Item, world: World, right: bool) -> Claims | None:
        extra = {
            "elsewhere": elsewhere(item, world),
            "wrong_context": wrong_context(item, world),
            "off_topic": off_topic(item, world),
            "invented": invented_dataset(item, world),
            "malformed": malformed(item)[0],
        }[kind]
        return [*(cite(item, row) for row in item.rows), extra]

    return plant


def repeated_invention(item: Item, world: World, right: bool) -> Claims | None:
    """The item's rows and one invented citation three times: it counts once."""
    invented = invented_dataset(item, world)
    return [invented, *(cite(item, row) for row in item.rows), invented, invented]


def one_wrong_value(item: Item, world: World, right: bool) -> Claims | None:
    """One value misread; the other rows carry the answer."""
    if not item.gold:
        return None
    return [wrong_value(item, item.rows[0]), *(cite(item, row) for row in item.rows[1:])]


def repeated(item: Item, world: World, right: bool) -> Claims | None:
    """A citation twice, in two spellings."""
    claims = some_rows(item)
    return [*claims, claims[0]]


def beyond(same: bool) -> Plant:
    """A significant row of the whole table, beyond the item's own; it agrees with gold or not."""

    def plant(item: Item, world: World, right: bool) -> Claims | None:
        row = table_row(item, world)
        if not item.gold or row is None or row.q >= 0.05 or (row.sign == item.gold) != same:
            return None
        return [*(some_rows(item) if same else ()), cite(item, row)]

    return plant


def repairable(item: Item, world: World, right: bool) -> Claims | None:
    """Signs bent towards the wrong answer; put right they imply gold."""
    side = item.rows[0].sign * (-1 if item.gold else 1)
    return [Claim(item.gene, side, row.dataset) for row in item.rows]


def with_values(item: Item, world: World, right: bool) -> Claims | None:
    """The item's rows with their values, rounded, and whether they are significant."""
    return [
        cite(item, r, log2FC=round(r.log2fc, 2), q=float(f"{r.q:.0e}"), significant=r.q < 0.05)
        for r in item.rows
    ]


def plain(item: Item, world: World, right: bool) -> Claims | None:
    """The item's rows."""
    return some_rows(item)


# (error label, detail, what is planted, how many, citations). What is planted only where few
# items allow it comes first; what is left answers right with the item's rows.
RWR = "CORRECT_RIGHT_FOR_WRONG_REASON"
PLAN: tuple[tuple[str, str, str, int, Plant], ...] = (
    ("CORRECT", "SUPPORTED", "one_row_more_from_the_table", 2, beyond(True)),
    ("WRONG_NO_PATH", "SUPPORTED", "only_a_table_row_against_gold", 2, beyond(False)),
    (RWR, "UNVERIFIABLE", "gene_without_values", 2, only("UNVERIFIABLE")),
    ("WRONG_NO_PATH", "UNVERIFIABLE", "gene_without_values", 2, only("UNVERIFIABLE")),
    (RWR, "SIGN_MISREAD", "two_of_four_signs_misread", 3, two_misread),
    (RWR, "OVERCLAIM", "not_significant", 4, only("OVERCLAIM")),
    ("WRONG_NO_PATH", "OVERCLAIM", "not_significant", 3, only("OVERCLAIM")),
    (RWR, "GENE_NOT_IN_DATASET", "genes_not_in_the_table", 2, only("GENE_NOT_IN_DATASET")),
    ("WRONG_NO_PATH", "GENE_NOT_IN_DATASET", "genes_not_in_the_table", 2,
     only("GENE_NOT_IN_DATASET")),
    (RWR, "UNKNOWN_GENE", "unknown_genes", 2, only("UNKNOWN_GENE")),
    ("WRONG_NO_PATH", "UNKNOWN_GENE", "unknown_genes", 2, only("UNKNOWN_GENE")),
    ("CORRECT_SIGN_FLIP", "SIGN_MISREAD", "one_sign_misread", 7, one_misread),
    (RWR, "LOW_COVERAGE", "one_row_of_three_or_more", 5, low_coverage),
    (RWR, "ONE_SIDED", "one_side_of_a_trap", 6, one_side),
    ("WRONG_CORRECT_CHAIN", "CHERRY_PICKED", "one_side_of_a_trap", 7, one_side),
    ("CORRECT_HALLUCINATED_EDGE", "FABRICATED", "both_signs_of_one_dataset", 2, both_signs),
    ("CORRECT_HALLUCINATED_EDGE", "FABRICATED", "invented", 3, fabricated),
    ("CORRECT_HALLUCINATED_EDGE", "FABRICATED", "half_invented", 2, half_fabricated),
    ("WRONG_HALLUCINATED_EDGE", "FABRICATED", "malformed", 2, all_malformed),
    ("WRONG_HALLUCINATED_EDGE", "FABRICATED", "invented", 3, fabricated),
    ("WRONG_HALLUCINATED_EDGE", "FABRICATED", "half_invented", 2, half_fabricated),
    (RWR, "MALFORMED", "malformed_by_a_tie", 2, only("MALFORMED")),
    ("WRONG_NO_PATH", "MALFORMED", "malformed_by_a_tie", 2, only("MALFORMED")),
    (RWR, "FABRICATED_DATASET", "invented_by_a_tie", 2, only("FABRICATED_DATASET")),
    ("WRONG_NO_PATH", "FABRICATED_DATASET", "invented_by_a_tie", 2, only("FABRICATED_DATASET")),
    (RWR, "NOT_IN_BENCHMARK", "datasets_without_the_gene", 3, only("NOT_IN_BENCHMARK")),
    ("WRONG_NO_PATH", "NOT_IN_BENCHMARK", "datasets_without_the_gene", 2,
     only("NOT_IN_BENCHMARK")),
    (RWR, "WRONG_CONTEXT", "another_context", 3, only("WRONG_CONTEXT")),
    ("WRONG_NO_PATH", "WRONG_CONTEXT", "another_context", 2, only("WRONG_CONTEXT")),
    (RWR, "OFF_TOPIC", "another_gene", 3, only("OFF_TOPIC")),
    ("WRONG_NO_PATH", "OFF_TOPIC", "another_gene", 2, only("OFF_TOPIC")),
    (RWR, "SIGN_MISREAD", "all_signs_misread", 3, only("SIGN_MISREAD")),
    ("WRONG_NO_PATH", "SIGN_MISREAD", "one_sign_of_a_trap_misread", 2, only("SIGN_MISREAD")),
    (RWR, "VALUE_MISREAD", "all_values_misread", 3, only("VALUE_MISREAD")),
    ("WRONG_NO_PATH", "VALUE_MISREAD", "all_values_misread", 2, only("VALUE_MISREAD")),
    ("WRONG_SIGN_FLIP", "SIGN_MISREAD", "signs_bent_to_the_answer", 7, repairable),
    ("WRONG_CORRECT_CHAIN", "CONTRADICTS_OWN_EVIDENCE", "all_rows", 6, all_rows),
    ("CORRECT", "PARTIAL", "one_more_elsewhere", 2, one_more("elsewhere")),
    ("CORRECT", "PARTIAL", "one_more_of_another_context", 1, one_more("wrong_context")),
    ("CORRECT", "PARTIAL", "one_more_of_another_gene", 1, one_more("off_topic")),
    ("CORRECT", "PARTIAL", "one_more_invented", 1, one_more("invented")),
    ("CORRECT", "PARTIAL", "one_more_malformed", 1, one_more("malformed")),
    ("CORRECT", "PARTIAL", "one_more_invented_three_times", 1, repeated_invention),
    ("CORRECT", "PARTIAL", "one_value_misread", 2, one_wrong_value),
    (RWR, "UNCITED", "no_evidence", 2, nothing),
    (RWR, "UNCITED", "cut_off", 1, nothing),
    (RWR, "UNCITED", "mechanism_only", 2, mechanism_only),
    ("UNCLASSIFIED", "UNCITED", "no_evidence", 2, nothing),
    ("UNCLASSIFIED", "UNCITED", "cut_off", 1, nothing),
    ("UNCLASSIFIED", "UNCITED", "mechanism_only", 1, mechanism_only),
    ("PARSE_FAIL", "PARSE_FAIL", "parse:negated", 1, plain),
    ("PARSE_FAIL", "PARSE_FAIL", "parse:several_labels", 2, plain),
    ("PARSE_FAIL", "PARSE_FAIL", "parse:no_change", 1, plain),
    ("PARSE_FAIL", "PARSE_FAIL", "parse:blank", 1, nothing),
    ("PARSE_FAIL", "PARSE_FAIL", "parse:not_a_label", 1, plain),
    ("PARSE_FAIL", "PARSE_FAIL", "parse:not_a_string", 1, plain),
    ("CORRECT", "SUPPORTED", "repeated_citation", 3, repeated),
    ("CORRECT", "SUPPORTED", "rows_with_values", 10, with_values),
    ("CORRECT", "SUPPORTED", "none", 10_000, plain),
)  # fmt: skip
