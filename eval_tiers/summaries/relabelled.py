"""What a run's summary says after its labels were given anew under other thresholds.

Only figures that rest on what the thresholds decide are worked out again; all others stay as they
were, to the last digit.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain.taxonomy import ERROR_LABELS

NO_LABEL: Final = "none"
"""How a row without an error label is called among labels."""

LABEL_FIGURES: Final = (
    "error_distribution", "error_label_null_n", "error_rate_by_label",
    "wrong_correct_chain_to_wrong_no_path", "hard_case_n", "hard_case_rate", "correct_clean_rate",
    "go_sim_by_error_label", "evidence_detail_distribution", "supported_answer_rate",
)  # fmt: skip
"""Figures that rest on error labels, of either benchmark."""

KG_FIGURES: Final = (
    "hallucination_rate", "hallucination_rate_excl_gold", "in_kg_rate", "gold_in_kg_rate",
)  # fmt: skip
"""Figures that rest on what becomes of pairs with an unknown node."""

_BESIDE: Final = ("", "_n", "_low", "_high", "_clustered_low", "_clustered_high")


def figures_named(figures: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the figures of these names, with what stands beside them.

    Examples
    --------
    >>> figures_named({"a": 1, "a_n": 2, "ab": 3}, ["a"])
    {'a': 1, 'a_n': 2}
    """
    wanted = {f"{name}{beside}" for name in names for beside in _BESIDE}
    return {key: value for key, value in figures.items() if key in wanted}


def transitions(before: NDArray[np.int8], after: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return rows by label before and label after, ``none`` last on both sides.

    Parameters
    ----------
    before, after : int8[n]
        Codes of error labels, -1 for none.

    Returns
    -------
    int64[11, 11]
    """
    n = len(ERROR_LABELS) + 1
    pair = before.astype(np.int64) % n * n + after.astype(np.int64) % n  # -1 is the last
    return np.bincount(pair, minlength=n * n).reshape(n, n)


def transition_rows(matrix: NDArray[np.int64]) -> dict[str, dict[str, int]]:
    """Return a matrix of `transitions` as label -> label -> rows, without what is 0."""
    names = (*ERROR_LABELS, NO_LABEL)
    return {
        names[row]: {names[column]: int(matrix[row, column]) for column in np.flatnonzero(counts)}
        for row, counts in enumerate(matrix)
        if counts.any()
    }


def replaced(
    summary: Mapping[str, Any], pooled: Mapping[str, Any], by_slice: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, Any], list[str]]:
    """Return a summary with new figures in the place of the old ones, and what had to be nulled.

    Parameters
    ----------
    summary : mapping
        Left as it is.
    pooled : mapping
        New figures of the whole run.
    by_slice : mapping of str to mapping of str to figures
        Key of the summary (``by_split``) to slice to new figures. Slices by a field that the
        samples table doesn't have are absent: their figures become null.

    Returns
    -------
    dict, list of str
        The summary; the keys whose figures became null.
    """
    new = copy.deepcopy(dict(summary))
    new |= pooled
    nulled = []
    for key, slices in new.items():
        if not key.startswith("by_") or not isinstance(slices, dict):
            continue
        found = by_slice.get(key)
        if found is None:
            nulled.append(key)
        for name, figures in slices.items():
            old = [figure for figure in pooled if figure in figures]
            figures |= dict.fromkeys(old) if found is None else found.get(name, {})
    return new, nulled


def replace_file_rows(
    rows: Sequence[dict[str, Any]], by_file: Mapping[str, Mapping[str, Any]]
) -> None:
    """Put new figures into the rows of the table of files, in place; found by ``gold_path``."""
    for row in rows:
        figures = by_file.get(str(row.get("gold_path")), {})
        distribution = figures.get("error_distribution")
        known = dict(figures) | (distribution if isinstance(distribution, dict) else {})
        row |= {name: known[name] for name in row if name in known}


def changed_figures(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain figures that differ: name -> before and after."""
    return {
        name: {"before": before.get(name), "after": value}
        for name, value in after.items()
        if not isinstance(value, dict) and before.get(name) != value
    }
