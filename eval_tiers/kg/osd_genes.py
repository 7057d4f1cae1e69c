"""The genes of an OSDR table: their names, row by row, and the organism that the ids tell."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.kg.coded import CodedColumn
from eval_tiers.kg.provenance import gene_key
from eval_tiers.kg.wording import LINES_SHOWN, plural

_NO_GENE = frozenset({"", "NA", "-", "---"})
_EXCEL_DATE = re.compile(
    r"\d{1,2}-(?:Mar|Sep|Sept|Dec|Oct|Nov|Apr)|(?:Mar|Sep|Sept|Dec|Oct|Nov|Apr)-\d{1,2}",
    re.IGNORECASE,
)
_ORGANISM_OF_ID = {
    "homo_sapiens": re.compile(r"ENSG\d{11}"),
    "mus_musculus": re.compile(r"ENSMUSG\d{11}"),
    "rattus_norvegicus": re.compile(r"ENSRNOG\d{11}"),
    "danio_rerio": re.compile(r"ENSDARG\d{11}"),
    "arabidopsis_thaliana": re.compile(r"AT[1-5CM]G\d{5}", re.IGNORECASE),
    "drosophila_melanogaster": re.compile(r"FBgn\d{7}"),
    "caenorhabditis_elegans": re.compile(r"WBGene\d{8}"),
}
_IDS_LOOKED_AT = 500


def organism_of(
    ids: Sequence[CodedColumn], organisms: Collection[str], dataset: str, path: str
) -> str:
    """Return the organism that a dataset is of, checked against the gene ids.

    Parameters
    ----------
    ids : sequence of CodedColumn
    organisms : collection of str
        Those that the dataset can be of; empty where nothing is known.
    dataset, path : str
        For messages.

    Raises
    ------
    BadInputError
        ``organism-mismatch`` for ids of another one, ``unknown-organism`` where nothing tells it.
    """
    told = _told_organism(ids)
    if len(organisms) == 1 and told in (None, *organisms):
        return next(iter(organisms))
    if told is not None and (not organisms or told in organisms):
        return told
    listed = " or ".join(sorted(organisms))
    if told is not None:
        raise BadInputError(
            Problem(
                "organism-mismatch",
                f"the gene ids are of {told}, the dataset {dataset} is of {listed}",
                SourceRef(path),
                f"give the table of {dataset}",
            )
        )
    raise BadInputError(
        Problem(
            "unknown-organism",
            f"of which organism the genes are can't be told: {dataset} is "
            + (f"of {listed}" if organisms else "not in the benchmark")
            + ", and there are no ids of Ensembl, TAIR, FlyBase or WormBase",
            SourceRef(path),
            "give the table with its column of ids",
        )
    )


def _told_organism(ids: Sequence[CodedColumn]) -> str | None:
    """Return the organism of most ids of a column; None where no column tells it."""
    for column in ids:
        sample = [name for name in column.values[:_IDS_LOOKED_AT] if name.strip() not in _NO_GENE]
        for organism, pattern in _ORGANISM_OF_ID.items():
            hits = sum(pattern.match(name.strip()) is not None for name in sample)
            if hits > len(sample) / 2:
                return organism
    return None


def names_by_row(ids: Sequence[CodedColumn], organism: str, row_n: int) -> list[tuple[str, ...]]:
    """Return each row's names as `gene_key` spells them, the one it goes by first."""
    split = [[_keys_of(value, organism) for value in column.values] for column in ids]
    codes = [column.codes.tolist() for column in ids]
    return [
        tuple(
            dict.fromkeys(
                key for keys, code in zip(split, codes, strict=True) for key in keys[code[row]]
            )
        )
        for row in range(row_n)
    ]


def _keys_of(cell: str, organism: str) -> tuple[str, ...]:
    """Return the names in a cell; several are separated by ``|``."""
    parts = (part.strip() for part in cell.split("|"))
    return tuple(gene_key(organism, part) for part in parts if part not in _NO_GENE)


def check_names(names: Sequence[Sequence[str]], path: str) -> list[Finding]:
    """Return findings on rows without a gene, and on genes that a spreadsheet changed."""
    found = []
    nameless_n = sum(not keys for keys in names)
    if nameless_n:
        found.append(
            Finding(
                "no-gene-id",
                f"{nameless_n} {plural(nameless_n, 'row')} without any gene id: left out",
                SourceRef(path),
                "note",
            )
        )
    dates = [keys[0] for keys in names if keys and _EXCEL_DATE.fullmatch(keys[0])]
    if dates:
        found.append(
            Finding(
                "excel-date",
                f"{len(dates)} {plural(len(dates), 'gene')} that a spreadsheet turned into a date: "
                + ", ".join(dates[:LINES_SHOWN]),
                SourceRef(path),
                fix="get the original file: which gene 2-Sep or 1-Mar was can't be told",
            )
        )
    return found
