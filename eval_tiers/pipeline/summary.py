"""The summary, the table of files and the manifest of a run."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import numpy as np

from eval_tiers import __version__
from eval_tiers.domain.clusterings import fields_of, one_field_of
from eval_tiers.domain.columns import SAMPLE_COLUMNS
from eval_tiers.domain.findings import Finding
from eval_tiers.domain.labels import DOWN, LABELS, UNCHANGED, UP
from eval_tiers.domain.taxonomy import ERROR_LABELS
from eval_tiers.exceptions import SourceRef
from eval_tiers.io.atomic import clean_text
from eval_tiers.pipeline.manifest import environment
from eval_tiers.pipeline.run import RunResult
from eval_tiers.summaries.chain_figures import IMPLIED_HEADLINES, consistency_warnings
from eval_tiers.summaries.cluster_sums import UNIT
from eval_tiers.summaries.figures import slice_figures
from eval_tiers.summaries.interval_figures import (
    BESIDE,
    INTERVAL_NOTES,
    Figures,
    SliceSums,
    add_clustered,
    add_mean_interval,
    add_rate,
    beside,
    cluster_figures,
    clustered_of_rows,
)
from eval_tiers.summaries.label_figures import group_macro
from eval_tiers.summaries.tally import Sides, Tally

METRICS_VERSION: Final = "perturbreason-1"
"""Name of the metric definitions; changes when a score can change."""

_MIN_OVERLAP: Final = 0.05


def metrics_hash() -> str:
    """Return a hash of the metric definitions: their version, and every column's meaning."""
    text = METRICS_VERSION + "".join(
        f"{column.name}\t{column.kind}\t{column.meaning}\n" for column in SAMPLE_COLUMNS
    )
    return hashlib.sha256(text.encode()).hexdigest()


def build_summary(result: RunResult) -> dict[str, Any]:
    """Put a run's tallies into the summary: strict JSON, undefined figures null."""
    tiers = result.plan.tiers | {1}
    whole = result.tallies.slices.get(("all", ""), Tally())
    sums = SliceSums(whole, _clusters(result, "all").get("", ()))
    summary: dict[str, Any] = {
        "eval_tiers_version": __version__,
        "metrics_version": METRICS_VERSION,
        "metrics_hash": metrics_hash(),
        "format": result.format_name,
        "tiers": sorted(tiers),
        "settings": result.plan.settings.as_dict(),
        "cluster": cluster_figures(result.plan.cluster, sums),
        "intervals": INTERVAL_NOTES,
    }
    figures = slice_figures(sums, tiers)
    warnings = consistency_warnings(figures) if 2 in tiers else []
    if warnings:
        _withhold(figures, warnings)
    _add_baselines(figures, result)
    if 2 not in tiers:
        figures["dropped_edge_n"] = whole.count("dropped_edge_n")
    summary |= figures
    summary["macro_over_perturbations"] = group_macro(result.tallies.groups.get("perturbation", {}))
    summary["macro_over_readouts"] = group_macro(result.tallies.groups.get("readout", {}))
    if result.confidence:
        from eval_tiers.summaries.calibration import calibration_figures

        summary["calibration"] = calibration_figures(
            result.confidence,
            LABELS,
            whole.count("row_n"),
            "readout",
            one_field_of(result.plan.cluster, "readout"),
        )
    rollouts = rollout_figures(result, sums)
    if rollouts is not None:
        summary["rollouts"] = rollouts
    for dimension, key in _dimensions(result):
        summary[key] = _slices(result, dimension, tiers, withheld=bool(warnings))
    summary["files"] = file_rows(result)
    summary["ledger"] = result.ledger
    summary["counts"] = dict(sorted(result.counts.items()))
    summary["template_triplet_n"] = result.counts.get("template_triplet_n", 0)
    summary["predictions_without_gold"] = result.without_gold
    summary["warnings"] = warnings
    summary["findings"] = [finding.as_dict() for finding in all_findings(result)]
    return summary


def all_findings(result: RunResult) -> list[Finding]:
    """Return what readers found, and what the run as a whole shows."""
    findings = list(result.findings)
    unreadable = result.ledger["predictions"]["unreadable"]
    listed = sum(finding.code == "unreadable-prediction" for finding in findings)
    if unreadable > listed:
        findings.insert(
            0,
            Finding(
                "unreadable-predictions",
                f"{unreadable:,} prediction rows can't be read; the first {listed} are listed",
                SourceRef(result.paired[0].predictions.path if len(result.paired) == 1 else None),
            ),
        )
    if result.without_gold:
        first = result.without_gold[0]
        findings.append(
            Finding(
                "prediction-without-gold",
                f"{result.ledger['predictions']['without_gold']} prediction(s) have no gold row"
                + ("" if first["sample_id"] is None else f", the first: {first['sample_id']!r}")
                + (f" ({first['hint']})" if "hint" in first else ""),
                SourceRef(str(first["path"]), int(str(first["line"]))),
            )
        )
    if result.confidence:
        from eval_tiers.summaries.calibration import confidence_findings

        only = result.paired[0].predictions.path if len(result.paired) == 1 else None
        findings += confidence_findings(result.confidence, only)
    for name in result.plan.by:
        values = {value for kind, value in result.tallies.slices if kind == f"by:{name}"}
        if values == {""}:
            findings.append(
                Finding(
                    "unknown-field",
                    f"no gold record has a field '{name}' to slice by",
                    fix="give --by a field of the gold records, as it is spelt there",
                )
            )
    whole = result.tallies.slices.get(("all", ""), Tally())
    for resource, path, known in (
        ("knowledge graph", result.plan.graph_paths, "chain_node_in_kg_n"),
        ("gene sets", (result.plan.gene_sets_path,), "chain_gene_in_gmt_n"),
    ):
        total = whole.count(known.replace("_in_kg", "").replace("_in_gmt", ""))
        if known not in whole.sums or total == 0:
            continue
        share = whole.count(known) / total
        if share < _MIN_OVERLAP:
            findings.append(_overlap_finding(result, resource, str(path[0]), share))
    return findings


def _overlap_finding(result: RunResult, resource: str, path: str, share: float) -> Finding:
    from eval_tiers.go.identifiers import likely_kind

    if resource == "gene sets" and result.go is not None:
        theirs = likely_kind(result.go.gene_sets.genes)
    elif result.graph is not None:
        theirs = likely_kind(result.graph.names)
    else:
        theirs = "unknown"
    ours = likely_kind(result.chain_genes)
    return Finding(
        "gmt-overlap" if resource == "gene sets" else "kg-overlap",
        f"only {share:.1%} of the chains' genes are in the {resource}; it looks like "
        f"{theirs}, the chains look like {ours}",
        SourceRef(path),
        "warning",
        "give a file with the same kind of names as the chains, of the same organism",
    )


def _withhold(figures: Figures, warnings: list[str]) -> None:
    """Take headlines that rest on implied answers out of the summary, with the reason."""
    withheld: dict[str, object] = {}
    for name in IMPLIED_HEADLINES:
        for end in BESIDE:
            withheld[f"{name}{end}"] = figures[f"{name}{end}"]
            if end != "_n":
                figures[f"{name}{end}"] = None
    figures["withheld"] = {
        "reason": "gold chains don't reliably imply their gold answers: " + "; ".join(warnings),
        "figures": withheld,
    }


def _add_baselines(figures: Figures, result: RunResult) -> None:
    """Add the KG shortest-path baseline, worked out on the rows drawn for it."""
    baselines = figures["baselines"]
    if result.graph is None or not isinstance(baselines, dict) or not baselines:
        return
    from eval_tiers.kg.shortest import NO_ROUTE, shortest_route_signs

    rows = result.baseline
    index = result.graph.index
    source = np.array([index.get(row.source, -1) for row in rows], np.int64)
    target = np.array([index.get(row.target, -1) for row in rows], np.int64)
    signs = shortest_route_signs(result.graph, source, target)
    perturbation = np.array([row.perturbation_sign for row in rows], np.int8)
    gold = np.array([row.gold_label for row in rows], np.int8)
    product = np.where(signs == NO_ROUTE, 0, signs) * perturbation
    answer = np.select([product == 1, product == -1], [UP, DOWN], -1)
    answer[signs == NO_ROUTE] = UNCHANGED
    of_graph: Figures = {}
    clusters = list(zip(*(row.clusters for row in rows), strict=True))
    for name, found in (
        ("accuracy", answer == gold),
        ("no_route_rate", signs == NO_ROUTE),
        ("no_answer_rate", answer < 0),
    ):
        add_rate(of_graph, name, int(np.count_nonzero(found)), len(rows))
        add_clustered(of_graph, name, clustered_of_rows(found, clusters, rate=True))
    of_graph["drawn"] = (
        f"gold rows with both ends known, up to {result.plan.settings.baseline_sample} drawn by a "
        "hash of their key; no route: unchanged; ambiguous: no answer, wrong"
    )
    baselines["kg_shortest_path"] = of_graph


def rollout_figures(result: RunResult, sums: SliceSums) -> Figures | None:
    """Return pass@k, majority vote and agreement, None where every item has one answer."""
    rollouts = result.tallies.rollouts
    most = max((n for _, n in rollouts), default=1)
    if most < 2:
        return None
    from eval_tiers.metrics.classification import pass_at_k

    right = [key[0] for key, items in rollouts.items() for _ in range(items)]
    total = [key[1] for key, items in rollouts.items() for _ in range(items)]
    counts = sums.tally.sums
    passes: dict[str, Figures] = {}
    for k in _powers(most):
        passes[str(k)] = {"value": pass_at_k(right, total, k), "n": sum(n >= k for n in total)}
        add_mean_interval(passes[str(k)], "value", sums, f"pass_{k}")
    figures: Figures = {
        "items": len(total),
        "rollouts_per_item_max": most,
        "pass_at_k": passes,
    }
    add_rate(figures, "majority_vote_accuracy", counts.get("vote_right_n", 0), len(total))
    add_clustered(figures, "majority_vote_accuracy", sums.clustered_share("vote_right_w", "vote_w"))
    figures["majority_vote_tied_n"] = counts.get("vote_tied_n", 0)
    several = counts.get("agreement_item_n", 0)
    figures["agreement"] = counts.get("agreement_sum", 0) / UNIT / several if several else None
    figures["agreement_n"] = several
    add_mean_interval(figures, "agreement", sums, "vote_agreement")
    return figures


def _powers(most: int) -> list[int]:
    """Return 1, 2, 4, ... below ``most``, and ``most``."""
    powers, k = [], 1
    while k < most:
        powers.append(k)
        k *= 2
    return [*powers, most]


def _clusters(result: RunResult, dimension: str) -> dict[str, Sides]:
    return result.tallies.clusters_of(dimension, fields_of(result.plan.cluster))


def _dimensions(result: RunResult) -> list[tuple[str, str]]:
    fixed = [("split", "by_split"), ("pert_type", "by_pert_type"), ("cell_line", "by_cell_line")]
    return fixed + [(f"by:{name}", f"by_{name}") for name in result.plan.by]


def _slices(
    result: RunResult, dimension: str, tiers: frozenset[int], withheld: bool
) -> dict[str, Figures]:
    """Return the figures of each slice; what is withheld of the whole is withheld here too."""
    clusters = _clusters(result, dimension)
    slices = {
        value or "(none)": slice_figures(SliceSums(tally, clusters.pop(value, ())), tiers)
        for (kind, value), tally in sorted(result.tallies.slices.items())
        if kind == dimension
    }
    if withheld:
        for figures in slices.values():
            for name in IMPLIED_HEADLINES:
                figures |= {f"{name}{end}": None for end in BESIDE if end != "_n"}
    return slices


def file_rows(result: RunResult) -> list[dict[str, object]]:
    """Return the table of files: one row a file pair, the contract's columns."""
    tiers = result.plan.tiers | {1}
    rows = []
    clusters = _clusters(result, "file")
    for number, paired in enumerate(result.paired):
        file = f"{number:06d}"
        tally = result.tallies.slices.get(("file", file), Tally())
        figures = slice_figures(SliceSums(tally, clusters.pop(file, ())), tiers)
        row: dict[str, object] = {
            "split": None if paired.pair.split is None else clean_text(paired.pair.split),
            "pert_type": paired.pair.pert_type,
            "gold_path": clean_text(paired.gold.path),
            "prediction_path": clean_text(paired.predictions.path),
        }
        names = ["accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "parse_failure_rate"]
        if 2 in tiers:
            names += ["edge_f1", "in_kg_rate", "hallucination_rate", "gold_in_kg_rate"]
        if 3 in tiers:
            names += ["go_sim_mean", "go_sim_median"]
        if 2 in tiers:
            names += ["hard_case_rate"]
        row["n"] = figures["n"]
        for name in names:
            row |= beside(figures, name)
        if 2 in tiers:
            row["hard_case_n"] = figures["hard_case_n"]
            row |= {name: tally.count(f"label_{name}_n") for name in ERROR_LABELS}
        rows.append(row)
    return rows


def evidence_shown(result: RunResult) -> bool | None:
    """Whether the model was shown evidence: as the user says, else as all prediction files do."""
    said = result.plan.citations.evidence_shown
    found = {paired.evidence_shown for paired in result.paired}
    return found.pop() if said is None and len(found) == 1 else said


def build_manifest(
    result: RunResult, arguments: list[str], run_id: str, files: list[str]
) -> dict[str, Any]:
    """Return what was run on what: arguments, versions, inputs with their hashes, row counts."""
    plan = result.plan
    inputs = []
    for paired in result.paired:
        for role, path, rows in (
            ("gold", paired.gold.path, len(paired.gold)),
            ("predictions", paired.predictions.path, len(paired.predictions)),
        ):
            inputs.append(
                {"role": role, "path": path, "sha256": result.hashes.get(path), "row_n": rows,
                 "split": paired.pair.split, "pert_type": paired.pair.pert_type}
            )  # fmt: skip
    resources = [("knowledge graph", path) for path in plan.graph_paths]
    resources += [("gene sets", path) for path in (plan.gene_sets_path,) if path is not None]
    resources += [("training", path) for path in (plan.train_path,) if path is not None]
    inputs += [
        {"role": role, "path": str(path), "sha256": result.hashes.get(str(path))}
        for role, path in resources
    ]
    return environment(run_id, arguments) | {
        "metrics_version": METRICS_VERSION,
        "metrics_hash": metrics_hash(),
        "format": result.format_name,
        "tiers": sorted(plan.tiers | {1}),
        "settings": plan.settings.as_dict(),
        "duplicates": plan.duplicates,
        "pairing": plan.pairing,
        "mode_signs": plan.mode_signs,
        "by": list(plan.by),
        "cluster": plan.cluster,
        "consensus": plan.consensus,
        "undirected": plan.undirected,
        "prediction_shapes": sorted({paired.prediction_shape for paired in result.paired}),
        "evidence_shown": evidence_shown(result),
        "labels": list(LABELS),
        "inputs": inputs,
        "ledger": result.ledger,
        "files": files,
        "seconds": {stage: round(value, 3) for stage, value in result.seconds.items()},
    }
