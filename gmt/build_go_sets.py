"""Build a small GMT of GO biological-process sets for the genes of a network.

Reads the SQLite files of the Bioconductor packages GO.db and org.Hs.eg.db (in Debian:
r-bioc-go.db and r-bioc-org.hs.eg.db). No R is needed. Example::

    apt-get download r-bioc-go.db r-bioc-org.hs.eg.db
    for package in r-bioc-*.deb; do dpkg -x "$package" unpacked; done
    library=unpacked/usr/lib/R/site-library
    python gmt/build_go_sets.py $library/GO.db/extdata/GO.sqlite \\
        $library/org.Hs.eg.db/extdata/org.Hs.eg.sqlite \\
        --network eval_tiers/demo/kg_demo.tsv -o eval_tiers/demo/go_demo.gmt

A gene annotated to a term counts for every ancestor of the term (table go_bp_offspring, is_a and
part_of, as GOBPOFFSPRING and org.Hs.egGO2ALLEGS do); all evidence codes are used. Term sizes are
counted over all human genes first, then the sets are cut to the genes kept: those of the network
and a fixed sample of the rest, picked by a hash of the symbol.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT_TERM = "GO:0008150"  # biological_process


def read_genes(path: Path) -> set[str]:
    """Symbols of a gene list (one a line) or of a network table with columns source and target."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, delimiter="\t"))
    if rows and {"source", "target"} <= set(rows[0]):
        columns = [rows[0].index("source"), rows[0].index("target")]
        return {row[column] for row in rows[1:] for column in columns}
    return {row[0].strip() for row in rows if row and row[0].strip()}


def read_terms(go_path: Path) -> tuple[dict[str, str], dict[str, set[str]]]:
    """Names of the biological-process terms, and the ancestors of each (itself included)."""
    go = sqlite3.connect(f"file:{go_path}?mode=ro", uri=True)
    rows = go.execute("SELECT _id, go_id, term FROM go_term WHERE ontology = 'BP'").fetchall()
    go_id = {row[0]: row[1] for row in rows}
    ancestors = {term: {term} for term in go_id.values()}
    for ancestor, offspring in go.execute("SELECT _id, _offspring_id FROM go_bp_offspring"):
        if ancestor in go_id and offspring in go_id:
            ancestors[go_id[offspring]].add(go_id[ancestor])
    go.close()
    return {row[1]: row[2] for row in rows}, ancestors


def read_sets(genes_path: Path, ancestors: dict[str, set[str]]) -> dict[str, set[str]]:
    """Human gene symbols of each term, ancestors included."""
    genes = sqlite3.connect(f"file:{genes_path}?mode=ro", uri=True)
    sets: dict[str, set[str]] = defaultdict(set)
    query = "SELECT DISTINCT symbol, go_id FROM go_bp JOIN gene_info USING (_id)"
    for symbol, term in genes.execute(query):
        for ancestor in ancestors.get(term, ()):
            sets[ancestor].add(symbol)
    genes.close()
    sets.pop(ROOT_TERM, None)
    return dict(sets)


def set_name(term: str) -> str:
    """Name of a set in the style of MSigDB.

    >>> set_name("DNA damage response, signal transduction by p53")
    'GOBP_DNA_DAMAGE_RESPONSE_SIGNAL_TRANSDUCTION_BY_P53'
    """
    return "GOBP_" + re.sub(r"[^A-Z0-9]+", "_", term.upper()).strip("_")


def is_sampled(symbol: str, one_in: int) -> bool:
    """Whether a gene outside the network is kept: one in so many, by a hash of its symbol."""
    if one_in < 1:
        return False
    return int.from_bytes(hashlib.sha256(symbol.encode()).digest()[:8], "big") % one_in == 0


def select_sets(
    sets: dict[str, set[str]],
    network: set[str],
    *,
    smallest: int,
    largest: int,
    fewest_in_network: int,
    one_in: int,
) -> dict[str, list[str]]:
    """The sets of the right size that touch the network, cut to the genes kept."""
    selected = {}
    for term, genes in sets.items():
        if smallest <= len(genes) <= largest and len(genes & network) >= fewest_in_network:
            selected[term] = sorted(g for g in genes if g in network or is_sampled(g, one_in))
    return selected


def format_gmt(selected: dict[str, list[str]], names: dict[str, str]) -> Iterable[str]:
    """Lines of the GMT, in the order of the GO ids; a name used twice gets its id appended."""
    used: set[str] = set()
    for term in sorted(selected):
        name = set_name(names[term])
        if name in used:
            name = f"{name}_{term.replace(':', '_')}"
        used.add(name)
        yield "\t".join([name, term, *selected[term]]) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write the GMT named by the arguments."""
    parser = argparse.ArgumentParser(description="Build GO biological-process sets of a network.")
    parser.add_argument("go_sqlite", type=Path, help="GO.sqlite of GO.db")
    parser.add_argument("genes_sqlite", type=Path, help="org.Hs.eg.sqlite of org.Hs.eg.db")
    parser.add_argument("--network", type=Path, required=True, help="network table or gene list")
    parser.add_argument("--min-size", type=int, default=5, help="human genes in a term, at least")
    parser.add_argument("--max-size", type=int, default=100, help="human genes in a term, at most")
    parser.add_argument("--min-network", type=int, default=4, help="of them in the network")
    parser.add_argument("--one-in", type=int, default=10, help="sample of other genes; 0 for none")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the GMT to write")
    given = parser.parse_args(arguments)
    network = read_genes(given.network)
    names, ancestors = read_terms(given.go_sqlite)
    selected = select_sets(
        read_sets(given.genes_sqlite, ancestors),
        network,
        smallest=given.min_size,
        largest=given.max_size,
        fewest_in_network=given.min_network,
        one_in=given.one_in,
    )
    given.output.write_text("".join(format_gmt(selected, names)), encoding="utf-8", newline="\n")
    genes = set().union(*selected.values())
    print(
        f"{len(selected)} sets, {len(genes)} genes, {len(genes & network)} of them in the network,"
        f" {given.output.stat().st_size} bytes",
        file=sys.stderr,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
