"""Which rubrics of two systems are the same ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from eval_tiers.io.run_rows import Matched, match_rows
from eval_tiers.rubrics.pairs import words_of
from eval_tiers.rubrics.scored_rows import ScoredRow

Names = list[tuple[str, str]]


def match_rubrics(first: Sequence[ScoredRow], second: Sequence[ScoredRow]) -> Matched:
    """Pair rubrics by sample and index; by sample and text where one side has no index.

    Rubrics of one text are told apart by their order. Where one side has more of them than the
    other, which is which isn't known: none of them is paired.
    """
    by_index = all(row.rubric_index is not None for rows in (first, second) for row in rows)
    names = [_names(rows, by_index) for rows in (first, second)]
    counts = [Counter(one) for one in names]
    unsure = {
        name for name in counts[0] if counts[0][name] != counts[1][name] and name in counts[1]
    }
    tables = [_keys(one, unsure, side) for side, one in enumerate(names)]
    return match_rows(tables[0], tables[1], ["sample_id", "rubric", "turn"])


def _names(rows: Sequence[ScoredRow], by_index: bool) -> Names:
    return [
        (row.sample_id, str(row.rubric_index) if by_index else words_of(row.criterion))
        for row in rows
    ]


def _keys(names: Names, unsure: set[tuple[str, str]], side: int) -> pa.Table:
    """Return what tells rows apart: an unsure one is odd on one side, even on the other."""
    seen: Counter[tuple[str, str]] = Counter()
    turns = []
    for name in names:
        seen[name] += 1
        turns.append(-2 * seen[name] - side if name in unsure else seen[name])
    samples, rubrics = ([name[place] for name in names] for place in (0, 1))
    return pa.table(
        {
            "sample_id": pa.array(samples, pa.string()),
            "rubric": pa.array(rubrics, pa.string()),
            "turn": pa.array(turns, pa.int64()),
        }
    )
