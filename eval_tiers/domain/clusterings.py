"""Which rows belong together where intervals are worked out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from eval_tiers.exceptions import Problem, UsageError

NONE: Final = "none"
"""Rows count as independent of each other."""

CHAIN_CLUSTERINGS: Final = {
    "readout": "rows that share the gene that is read out (default)",
    "perturbation": "rows that share what is perturbed",
    "perturbation+readout": "both at once (two-way)",
    "cell_line": "rows that share the cell line",
    NONE: "rows count as independent",
}
"""Of PerturbReason, the default first."""

CITATION_CLUSTERINGS: Final = {
    "pair": "a trap and its control (default)",
    "gene": "items that share the gene",
    "context": "items that share organism and tissue",
    NONE: "items count as independent",
}
"""Of RR-10, the default first."""


def clustering_named(name: str | None, known: Mapping[str, str]) -> str:
    """Return a clustering of a benchmark, its default for None.

    Raises
    ------
    UsageError
        It is none of the known ones.
    """
    if name is None:
        return next(iter(known))
    wanted = "+".join(sorted(name.split("+")))
    if wanted not in known:
        raise UsageError(
            Problem(
                "unknown-field",
                f"answers of this benchmark can't be clustered by {name!r}",
                fix=f"--cluster takes one of: {', '.join(known)}",
            )
        )
    return wanted


def one_field_of(clustering: str, default: str) -> str:
    """Return the one field of a clustering; the default's of a two-way one; `NONE` stays.

    Examples
    --------
    >>> one_field_of("gene", "pair"), one_field_of("perturbation+readout", "readout")
    ('gene', 'readout')
    """
    return default if "+" in clustering else clustering


def fields_of(clustering: str) -> tuple[str, ...]:
    """Return the names under which sums by cluster are kept: of two-way ones, three.

    Examples
    --------
    >>> fields_of("readout"), fields_of("none")
    (('readout',), ())
    >>> fields_of("perturbation+readout")
    ('perturbation', 'readout', 'perturbation+readout')
    """
    if clustering == NONE:
        return ()
    fields = tuple(clustering.split("+"))
    return fields if len(fields) == 1 else (*fields, clustering)
