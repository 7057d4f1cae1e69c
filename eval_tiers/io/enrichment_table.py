"""Reading again which gene sets a run's error labels are enriched in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.go.enrichment import EnrichedTerm
from eval_tiers.io.run_reading import FinishedRun, damaged, read_object

_TEXTS: Final = ("error_label", "term", "description", "gene")
_COUNTS: Final = ("overlap_n", "label_gene_n", "term_gene_n", "background_gene_n")
_NUMBERS: Final = ("expected_n", "odds_ratio", "p_value", "q_value")


def read_enrichment(run: FinishedRun) -> tuple[Mapping[str, Any], list[EnrichedTerm]] | None:
    """Return what was tested, and the table's rows; None where the run has no such table.

    Raises
    ------
    BadInputError
        The table can't be read, or is of another run.
    """
    import pyarrow as pa
    import pyarrow.csv as csv

    tested_path, path = (run.path_of("enrichment", suffix) for suffix in ("json", "csv"))
    if tested_path is None or path is None:
        return None
    tested = read_object(tested_path, "enrichment")
    if tested.get("run_id") != run.summary.get("run_id"):
        message = "this enrichment is of another run"
        fix = "run enrich again, or take the file away"
        where = SourceRef(str(tested_path))
        raise BadInputError(Problem("enrichment-of-another-run", message, where, fix))
    types = dict.fromkeys(_TEXTS, pa.string()) | dict.fromkeys(_COUNTS, pa.int64())
    types |= dict.fromkeys(_NUMBERS, pa.float64())
    try:
        table = csv.read_csv(
            path,
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(include_columns=list(types), column_types=types),
        )
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, "enrichment", error) from error
    return tested, [_row(row) for row in table.to_pylist()]


def _row(row: Mapping[str, Any]) -> EnrichedTerm:
    infinite = float("inf")
    return EnrichedTerm(
        row["error_label"],
        row["term"],
        row["description"],
        row["overlap_n"],
        row["label_gene_n"],
        row["term_gene_n"],
        row["background_gene_n"],
        row["expected_n"],
        infinite if row["odds_ratio"] is None else row["odds_ratio"],
        row["p_value"],
        row["q_value"],
        tuple(row["gene"].split(";")),
    )
