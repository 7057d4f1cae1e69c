"""The report's sections on RR-10's evidence: citations, error labels, GO focus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eval_tiers.domain.rr10 import CITATION_VERDICTS
from eval_tiers.report.html.figures import count_figure, rate_figure
from eval_tiers.report.html.model import (
    Named,
    Rate,
    Section,
    named,
    rate_of,
    rates_by_name,
)
from eval_tiers.report.html.similarity import Bins, distribution
from eval_tiers.report.lines import number


def citation_section(summary: Mapping[str, Any]) -> Section:
    """Return what the cited evidence is worth."""
    evidence = summary["evidence"]
    told = {
        True: "The evidence was shown to the model.",
        False: "The evidence was not shown to the model.",
        None: "Whether the evidence was shown to the model is not recorded.",
    }[evidence["shown"]]
    if not evidence["expected"]:
        why = "none of the predictions has any" if evidence["asked"] == "auto" else "as asked"
        text = f"Evidence was not judged: {why} (--evidence {evidence['asked']}). {told}"
        return Section("evidence", "Evidence", (), text)
    rows = named(
        summary,
        [
            ("cited_rate", "answers that cite evidence"),
            ("citation_precision", "citations that hold, an answer"),
            ("evidence_recall", "gold datasets cited and held"),
            ("implied_answer_agreement", "answer agrees with own evidence"),
            ("supported_answer_rate", "right, and by its evidence"),
            ("hard_case_rate", "hard cases"),
        ],
    )
    rows += named(
        summary,
        [
            ("fabrication_rate", "fabricated, an answer"),
            ("unverified_rate", "can't be verified, an answer"),
            ("fabricated_or_unverified_rate", "either of the two, an answer"),
        ],
        1,
    )
    notes = []
    band = summary["unsupported_band"]
    if band is not None:
        rows.append(
            Named("band: fabricated to unsupported", "unsupported_band",
                  Rate(None, band[0], band[1]), 3)
        )  # fmt: skip
        notes.append(
            "The band is no interval of an estimate: it runs from what is made up to that plus "
            "what merely can't be found."
        )
    verdicts = {name: summary["citation_verdicts"][name] for name in reversed(CITATION_VERDICTS)}
    figures = [
        rate_figure(
            "citations",
            "Citations",
            "How far the datasets that answers cite bear them out.",
            "Circles are shares and means that should be high (hard cases aside), squares such "
            "that should be low.",
            rows,
            notes=notes,
        ),
        count_figure(
            "verdicts",
            "What becomes of citations",
            "Every distinct citation has one verdict against the published rows.",
            "SUPPORTED holds; the share is of all citations.",
            {name: n for name, n in verdicts.items() if n},
            summary["cited_citation_n"],
            key="citation_verdicts",
            rates=rates_by_name(summary, "citation_verdict_rate"),
        ),
    ]
    edges = {name: n for name, n in summary["mechanism_edges"].items() if n}
    if edges:
        figures.append(
            count_figure(
                "mechanism",
                "Edges of the mechanisms that are told",
                "Edges of the mechanism against the organism's own graph.",
                "no_kg_for_organism: there was no graph to hold them against.",
                edges,
            )
        )
    return Section("evidence", "Evidence", tuple(figures), told)


def rr10_label_section(summary: Mapping[str, Any]) -> Section:
    """Return the error labels of RR-10, and what they rest on."""
    counts = dict(summary["error_distribution"])
    if summary["error_label_null_n"]:
        counts["(right, no evidence asked for)"] = summary["error_label_null_n"]
    details = {name: n for name, n in summary["evidence_detail_distribution"].items() if n}
    return Section(
        "error-labels",
        "Error labels",
        (
            count_figure(
                "labels",
                "Error labels",
                "One label an item: whether the answer is right, and what is wrong with its "
                "evidence.",
                "CORRECT alone is right by its evidence. Shares are of all items.",
                counts,
                summary["row_n"],
                key="error_distribution",
                rates=rates_by_name(summary, "error_rate_by_label"),
            ),
            count_figure(
                "details",
                "What the labels rest on",
                "The finding that decided each item's label.",
                "Names are those of verdicts of citations, and of faults of whole answers.",
                details,
            ),
        ),
    )


def focus_section(summary: Mapping[str, Any], bins: Bins | None) -> Section:
    """Return GO focus: its mean, and its distribution by error label."""
    rows = named(summary, [("go_focus_mean", "mean")])
    rows.append(Named("median", "go_focus_median", rate_of(summary, "go_focus_median"), 2))
    reasons = {name: n for name, n in summary["go_null_reasons"].items() if n}
    notes = [f"Undefined for {n:,}: {name}." for name, n in reasons.items()]
    means = rate_figure(
        "focus-means",
        "GO focus",
        "Similarity of the mechanism's genes to the gene that is asked about, from 0 to 1.",
        "A mechanism of unrelated genes has a low one; it does not say that the mechanism is true.",
        rows,
        number,
        notes,
    )
    return Section("go", "GO focus", (means, distribution(bins, None, "GO focus")))
