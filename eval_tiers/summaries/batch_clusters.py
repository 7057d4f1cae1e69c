"""The clusters of a batch of questions on chains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.clusterings import fields_of
from eval_tiers.summaries.cluster_sums import ClusterCodes, cluster_codes, intersections

ITEM_KEY: Final = ("split", "pert_type", "sample_id")
Coded = tuple[Sequence[str], NDArray[np.integer]]


def batch_clusters(
    clustering: str, columns: Callable[[str], Coded], item: Callable[[int], str]
) -> list[ClusterCodes]:
    """Return the clusters of each row: under one field, or two and their intersections.

    Parameters
    ----------
    clustering : str
        One of `eval_tiers.domain.clusterings.CHAIN_CLUSTERINGS`.
    columns : callable
        Values of a field, and the code of each row's into them; -1: it has none.
    item : callable
        Name of a row's question, the same for all its rollouts: a row without a value belongs to
        no other question.
    """
    fields = fields_of(clustering)
    found = [cluster_codes(name, *columns(name), item) for name in fields if "+" not in name]
    return [*found, intersections(*found)] if len(found) == 2 else found


def item_name(split: str | None, pert_type: str | None, sample_id: str) -> str:
    """Return a name for a question that no other of the run has."""
    return "\x1f".join((split or "", pert_type or "", sample_id))


def coded(values: Sequence[str | None]) -> Coded:
    """Return distinct values and the code of each, -1 for null.

    Examples
    --------
    >>> values, codes = coded(["b", None, "a", "b"])
    >>> values, codes.tolist()
    (['a', 'b'], [1, -1, 0, 1])
    """
    distinct = sorted({value for value in values if value is not None})
    place: dict[str | None, int] = {value: code for code, value in enumerate(distinct)}
    place[None] = -1
    return distinct, np.fromiter(map(place.__getitem__, values), np.int64, len(values))
