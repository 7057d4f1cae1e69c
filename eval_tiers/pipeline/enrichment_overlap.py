"""Whether gene sets know the genes of a run's chains."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.go.gene_sets import GeneSets
from eval_tiers.go.identifiers import likely_kind

_LEAST: Final = 0.05
_FIX: Final = "give gene sets with names of the same kind, of the same organism"


def check_overlap(genes: Collection[str], sets: GeneSets, gmt: str) -> list[Finding]:
    """Return a warning where the sets know under 5 % of the genes, with the kinds of names.

    Raises
    ------
    BadInputError
        They know none.
    """
    names = sorted(genes)
    known = int(np.count_nonzero(sets.codes(names) >= 0))
    if known and known >= _LEAST * len(names):
        return []
    kinds = f"they look like {likely_kind(sets.genes)}, the chains like {likely_kind(names)}"
    if not known:
        message = f"none of the run's {len(names):,} chain genes is in the gene sets; {kinds}"
        raise BadInputError(Problem("gmt-overlap", message, SourceRef(gmt), _FIX))
    message = f"only {known:,} of {len(names):,} chain genes are in the gene sets; {kinds}"
    return [Finding("gmt-overlap", message, SourceRef(gmt), "warning", _FIX)]
