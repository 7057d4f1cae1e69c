"""The summary, the table of files, the pairs and the manifest of an RR-10 run."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import pyarrow as pa

from eval_tiers import __version__
from eval_tiers.domain.findings import Finding
from eval_tiers.domain.rr10 import CANONICAL_SHA256, LABELS
from eval_tiers.domain.rr10_columns import CITATION_COLUMNS, RR10_SAMPLE_COLUMNS
from eval_tiers.exceptions import SourceRef
from eval_tiers.io.atomic import clean_text
from eval_tiers.pipeline.manifest import environment
from eval_tiers.pipeline.rr10.run import Rr10Result, input_paths
from eval_tiers.summaries.interval_figures import INTERVAL_NOTES, Figures, beside
from eval_tiers.summaries.rr10_figures import (
    DEFINITIONS,
    ItemTable,
    cluster_of_items,
    context_figures,
    corpus_flags,
    evidence_figures,
    go_focus_figures,
    invalid_reasons,
    label_figures,
    pair_rows,
)
from eval_tiers.summaries.rr10_probe import artefact_probe

METRICS_VERSION: Final = "rr10-1"
"""Name of the metric definitions; changes when a score can change."""

PAIR_SCHEMA: Final = pa.schema(
    [(name, pa.string()) for name in ("pair", "context", "trap_id", "control_id")]
    + [
        (name, pa.float64())
        for name in ("trap_valid", "control_valid", "trap_right", "control_right", "both_right")
    ]
)
_MAX_PAIRS: Final = 1_000  # more of them are in the table of pairs alone

STATUS: Final = (
    "RR-10 is a collaboration pilot, not a benchmark of NASA; an indeterminate gold label says "
    "that the published evidence supports no single direction, not that the biology is unreliable"
)


def metrics_hash() -> str:
    """Return a hash of the metric definitions: version, columns' meanings, report keys."""
    text = METRICS_VERSION
    for column in (*RR10_SAMPLE_COLUMNS, *CITATION_COLUMNS):
        text += f"{column.name}\t{column.kind}\t{column.meaning}\n"
    text += "".join(f"{key}\t{meaning}\n" for key, meaning in DEFINITIONS.items())
    return hashlib.sha256(text.encode()).hexdigest()


def build_rr10_summary(result: Rr10Result) -> dict[str, Any]:
    """Put a run's counts into the summary: strict JSON, undefined figures null."""
    plan, counts = result.plan, result.counts
    tiers = plan.tiers | {1}
    options = plan.citations
    table = ItemTable.build(result.items, counts, plan.cluster)
    gold_hash = result.hashes.get(result.paired.gold.path)
    figures = label_figures(table, options.compat)
    summary: dict[str, Any] = {
        "eval_tiers_version": __version__,
        "metrics_version": METRICS_VERSION,
        "metrics_hash": metrics_hash(),
        "format": plan.format_name,
        "tiers": sorted(tiers),
        "settings": plan.settings.as_dict(),
        "cluster": cluster_of_items(plan.cluster, table),
        "intervals": INTERVAL_NOTES,
        "status": STATUS,
        "benchmark_sha256": gold_hash,
        "benchmark_is_canonical": gold_hash == CANONICAL_SHA256,
        "predictions_sha256": result.hashes.get(result.paired.predictions.path),
        "reading": "compat" if options.compat else "default",
        "n": len(result.items),
        "row_n": int(counts.column("row_n").sum()),
    }
    summary |= figures
    summary["invalid_reasons"] = invalid_reasons(counts)
    summary["readings_differ_n"] = counts.total("differing", "rows")
    summary["readings_differ_right_or_wrong_n"] = counts.total("differing", "right_or_wrong")
    summary["readings_differ"] = counts.differing
    if result.confidence:
        from eval_tiers.summaries.calibration import calibration_figures

        summary["calibration"] = calibration_figures(
            result.confidence, LABELS, summary["row_n"], "gene", plan.cluster
        )
    summary["artefact_probe"] = artefact_probe(table, result.items)
    summary["corpus_flags"] = corpus_flags(figures)
    summary["evidence"] = {
        "asked": options.evidence,
        "found": result.evidence_found,
        "expected": result.evidence_expected if 2 in tiers else None,
        "shown": evidence_shown(result),
    }
    if 2 in tiers:
        summary |= evidence_figures(counts, table, result.evidence_expected)
        summary["provenance"] = _provenance(result)
    if 3 in tiers:
        summary |= go_focus_figures(counts, table)
    summary["per_context"] = context_figures(table)
    if len(table.pairs) <= _MAX_PAIRS:
        summary["per_pair"] = pair_rows(table, result.items)
    summary["definitions"] = DEFINITIONS
    summary["ledger"] = result.ledger
    summary["predictions_without_gold"] = result.paired.without_gold
    summary["warnings"] = []
    summary["findings"] = [finding.as_dict() for finding in all_findings(result)]
    return summary


def evidence_shown(result: Rr10Result) -> bool | None:
    """Whether the model saw the evidence: as the user says, else as the prediction file does."""
    said = result.plan.citations.evidence_shown
    return result.paired.evidence_shown if said is None else said


def _provenance(result: Rr10Result) -> Figures | None:
    graph = result.provenance
    if graph is None:
        return None
    return {
        "gene_n": graph.gene_n,
        "dataset_n": graph.dataset_n,
        "context_n": graph.context_n,
        "row_n": graph.row_n,
        "registry": graph.has_registry,
        "tables": sorted(graph.tables),
        "gene_lists": sorted(graph.gene_lists),
    }


def all_findings(result: Rr10Result) -> list[Finding]:
    """Return what readers found, and what the run as a whole shows."""
    findings = list(result.findings)
    paired = result.paired
    unreadable = result.ledger["predictions"]["unreadable"]
    listed = sum(finding.code == "unreadable-prediction" for finding in findings)
    path = paired.predictions.path
    if unreadable > listed:
        findings.insert(
            0,
            Finding(
                "unreadable-predictions",
                f"{unreadable:,} prediction rows can't be read; the first {listed} are listed",
                SourceRef(path),
            ),
        )
    for found in paired.without_gold[:10]:
        hint = f" ({found['hint']})" if "hint" in found else ""
        findings.append(
            Finding(
                "prediction-without-gold",
                f"no item has the id {found['sample_id']!r}{hint}",
                SourceRef(str(found["path"]), int(str(found["line"]))),
            )
        )
    unknown = result.ledger["predictions"]["without_gold"]
    if unknown > 10:
        findings.append(
            Finding(
                "predictions-without-gold",
                f"{unknown:,} predictions have an id that no item has; the first 10 are listed",
                SourceRef(path),
            )
        )
    readable = result.ledger["predictions"]["matched"]
    if readable and not result.counts.column("valid_n").any():
        reasons = invalid_reasons(result.counts)
        told = ", ".join(f"{name} {n:,}" for name, n in reasons.items() if n)
        findings.append(
            Finding(
                "no-valid-answer",
                f"none of {readable:,} predictions that were read gives a label ({told})",
                SourceRef(path),
                fix="is the answer in a field that is read? see eval --help-formats",
            )
        )
    if result.confidence:
        from eval_tiers.summaries.calibration import confidence_findings

        findings += confidence_findings(result.confidence, path)
    differ = result.counts.total("differing", "rows")
    if differ:
        first = result.counts.differing[0]
        findings.append(
            Finding(
                "readings-differ",
                f"{differ:,} row(s) are read differently by the reference scorer, "
                f"{result.counts.total('differing', 'right_or_wrong'):,} of them right by one "
                f"reading and wrong by the other; the first: {first['sample_id']}",
                SourceRef(path),
                "note",
                "see readings_differ in the summary; --rr10-compat scores as the reference does",
            )
        )
    return findings


def rr10_pair_table(result: Rr10Result) -> pa.Table:
    """Return the table of pairs, one row each."""
    table = ItemTable.build(result.items, result.counts)
    rows = pair_rows(table, result.items)
    for row in rows:
        row["context"] = clean_text(str(row["context"]))
    return pa.Table.from_pylist(rows, PAIR_SCHEMA)


def rr10_file_rows(result: Rr10Result) -> list[dict[str, object]]:
    """Return the table of files: one row, the headline figures."""
    table = ItemTable.build(result.items, result.counts, result.plan.cluster)
    figures = label_figures(table, result.plan.citations.compat)
    row: dict[str, object] = {
        "gold_path": clean_text(result.paired.gold.path),
        "prediction_path": clean_text(result.paired.predictions.path),
    }
    row["n_items"] = figures["n_items"]
    for name in (
        "coverage", "accuracy_total", "trap_accuracy", "control_accuracy", "trap_overclaim_rate",
        "overall_abstention_rate", "control_abstention_rate", "paired_directional_robustness",
        "pair_complete_rate", "macro_f1",
    ):  # fmt: skip
        row |= beside(figures, name)
    if 2 in result.plan.tiers:
        found = evidence_figures(result.counts, table, result.evidence_expected)
        for name in ("citation_precision", "evidence_recall", "fabrication_rate"):
            row |= beside(found, name)
        row |= beside(found, "hard_case_rate")
        row["hard_case_n"] = found["hard_case_n"]
        distribution = found["error_distribution"]
        row |= distribution if isinstance(distribution, dict) else {}
    return [row]


def build_rr10_manifest(
    result: Rr10Result, arguments: list[str], run_id: str, files: list[str]
) -> dict[str, Any]:
    """Return what was run on what: arguments, versions, inputs with their hashes, row counts."""
    plan, paired, options = result.plan, result.paired, result.plan.citations
    rows = {paired.gold.path: len(paired.gold), paired.predictions.path: len(paired.predictions)}
    roles = {str(plan.pairs[0].gold): "gold", str(plan.pairs[0].predictions): "predictions"}
    if options.registry_path is not None:
        roles[str(options.registry_path)] = "registry"
    if plan.gene_sets_path is not None:
        roles[str(plan.gene_sets_path)] = "gene sets"
    for role, named in (
        ("knowledge graph", options.graph_paths), ("gene sets", options.gene_set_paths),
        ("table", options.table_paths), ("genes", options.gene_list_paths),
    ):  # fmt: skip
        roles |= {str(path): f"{role} of {name}" for name, path in named.items()}
    inputs = [
        {
            "role": roles.get(str(path), "knowledge graph"),
            "path": str(path),
            "sha256": result.hashes.get(str(path)),
            "row_n": rows.get(str(path)),
        }
        for path in dict.fromkeys(input_paths(plan))
    ]
    return environment(run_id, arguments) | {
        "metrics_version": METRICS_VERSION,
        "metrics_hash": metrics_hash(),
        "format": plan.format_name,
        "tiers": sorted(plan.tiers | {1}),
        "settings": plan.settings.as_dict(),
        "reading": "compat" if options.compat else "default",
        "duplicates": plan.duplicates,
        "pairing": plan.pairing,
        "prediction_shape": paired.prediction_shape,
        "evidence_asked": options.evidence,
        "evidence_found": result.evidence_found,
        "evidence_expected": result.evidence_expected,
        "evidence_shown": evidence_shown(result),
        "cluster": plan.cluster,
        "labels": list(LABELS),
        "inputs": inputs,
        "ledger": result.ledger,
        "files": files,
        "seconds": {stage: round(value, 3) for stage, value in result.seconds.items()},
    }
