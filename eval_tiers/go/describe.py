"""What a GMT file holds, as one strict-JSON object."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from eval_tiers.go.faults import find_faults
from eval_tiers.go.gene_sets import build_gene_sets
from eval_tiers.go.gmt_table import parse_gmt_table
from eval_tiers.go.identifiers import SYMBOL, likely_kind, symbol_style

REFERENCE_SET_N = 7_647
REFERENCE_GENE_N = 17_959
"""Fingerprint of PerturbReason's GMT (docs/perturbreason.md, section 7)."""

_ORGANISM = {"upper": "human", "title": "mouse or rat"}


def describe_gmt(data: bytes, path: str) -> dict[str, object]:
    """Return what a GMT file holds.

    Parameters
    ----------
    data : bytes
        The decompressed file.
    path : str
        Its name, for messages.

    Returns
    -------
    dict
        ``set_n, gene_n`` (as spelled), ``membership_n``; ``set_size`` (genes a set) and
        ``gene_annotation_n`` (sets a gene), each with ``min, q25, median, q75, max, mean``;
        ``likely_identifier``; ``symbol_case`` (upper, title, mixed; null for ids);
        ``likely_organism`` (by case alone; null when unclear); ``matches_reference``;
        ``finding_n`` (code to count, all levels).

    Raises
    ------
    BadInputError
        As `eval_tiers.go.gene_sets.parse_gmt`.
    """
    table = parse_gmt_table(data, path, case="keep")
    sets = build_gene_sets(table)
    kind = likely_kind(sets.genes)
    style = symbol_style(sets.genes) if kind == SYMBOL else None
    set_n, gene_n = len(sets.set_names), len(sets.genes)
    return {
        "path": path,
        "set_n": set_n,
        "gene_n": gene_n,
        "membership_n": len(sets.indices),
        "set_size": _quantiles(sets.set_size),
        "gene_annotation_n": _quantiles(sets.gene_annotation_n),
        "likely_identifier": kind,
        "symbol_case": style,
        "likely_organism": _ORGANISM.get(style) if style else None,
        "matches_reference": (set_n, gene_n) == (REFERENCE_SET_N, REFERENCE_GENE_N),
        "finding_n": dict(sorted(Counter(found.code for found in find_faults(table)).items())),
    }


def _quantiles(counts: npt.NDArray[np.int64]) -> dict[str, float]:
    names = ("min", "q25", "median", "q75", "max")
    values = np.quantile(counts, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return {**dict(zip(names, values, strict=True)), "mean": float(counts.mean())}
