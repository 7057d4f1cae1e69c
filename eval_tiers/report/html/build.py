"""Puts a report together, of whatever tiers and formats a run has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eval_tiers.exceptions import BadInputError, Problem
from eval_tiers.report.html.answers import answer_section, rollout_section, slice_section
from eval_tiers.report.html.chains import evidence_section, label_section
from eval_tiers.report.html.citations import (
    citation_section,
    focus_section,
    rr10_label_section,
)
from eval_tiers.report.html.claims import claim_section, context_section
from eval_tiers.report.html.confidence import confidence_section
from eval_tiers.report.html.enrichment import Enriched, enrichment_section
from eval_tiers.report.html.examiner import Ways, rescue_section
from eval_tiers.report.html.model import Report, Section, Tile, tile
from eval_tiers.report.html.provenance import ledger_section, run_section
from eval_tiers.report.html.similarity import Bins, go_section
from eval_tiers.report.lines import count_text, interval_note, number


def build_report(
    summary: Mapping[str, Any],
    manifest: Mapping[str, Any],
    bins: Bins | None = None,
    rescue: Mapping[str, Any] | None = None,
    ways: Ways | None = None,
    enrichment: Enriched | None = None,
) -> Report:
    """Put the report of a run together.

    Parameters
    ----------
    summary, manifest : mapping
        As the run's folder has them.
    bins : mapping, optional
        Counts of GO similarity in bins of equal width from 0 to 1, by error label.
    rescue : mapping, optional
        The summary of a merge.
    ways : sequence, optional
        Cases by error label, kind, verdict and final label.
    enrichment : tuple, optional
        What was tested, and the sets that error labels are enriched in.

    Raises
    ------
    BadInputError
        The figures aren't as this version writes them.
    """
    try:
        return _report(summary, manifest, bins, rescue, ways, enrichment)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        message = (
            f"the run's figures aren't as this version writes them ({_why(error)}); they were "
            f"written by version "
            f"{str(summary.get('eval_tiers_version'))[:40]}"
        )
        raise BadInputError(Problem("bad-summary", message, fix="run eval again")) from error


def _why(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{str(error)[:80]} is lacking"
    return str(error)[:200]


def _report(
    summary: Mapping[str, Any],
    manifest: Mapping[str, Any],
    bins: Bins | None,
    rescue: Mapping[str, Any] | None,
    ways: Ways | None,
    enrichment: Enriched | None,
) -> Report:
    if summary["format"] == "rr10":
        tiles, sections = _rr10_tiles(summary), _rr10_sections(summary, bins)
    else:
        tiles, sections = _chain_tiles(summary), _chain_sections(summary, bins)
    sections.append(confidence_section(summary))
    if enrichment is not None:
        sections.append(enrichment_section(*enrichment))
    if rescue is not None:
        sections.append(rescue_section(rescue, ways))
    sections += [ledger_section(summary), run_section(summary, manifest)]
    return Report(
        title=f"Run {summary.get('run_id', '')}".strip(),
        lead=_lead(summary),
        warnings=tuple(map(str, summary.get("warnings") or ())),
        tiles=tuple(tiles),
        sections=tuple(section for section in sections if section is not None),
        version=str(summary.get("eval_tiers_version", "")),
    )


def _lead(summary: Mapping[str, Any]) -> tuple[str, ...]:
    tiers = " ".join(map(str, summary["tiers"]))
    what = "items" if summary["format"] == "rr10" else "questions"
    lines = [f"{count_text(summary['n'])} {what}, format {summary['format']}, tiers {tiers}."]
    if "reading" in summary:
        file = "" if summary["benchmark_is_canonical"] else "not "
        lines.append(f"The benchmark is {file}the canonical file; {summary['reading']} reading.")
    if "relabelled" in summary:
        found = summary["relabelled"]
        changes = ", ".join(
            f"{name} {change['before']} to {change['after']}"
            for name, change in found["settings"].items()
        )
        lines.append(
            f"Labels of run {found['from_run_id']} under other settings ({changes}): "
            f"{count_text(found['changed_n'])} of {count_text(found['row_n'])} changed."
        )
    lines.append(" ".join(interval_note(summary)))
    if not summary["n"]:
        lines.append("Nothing was scored: every rate below is undefined.")
    elif _without_answer(summary) == summary["n"]:
        lines.append("No answer could be read: what rests on answers is 0 or undefined below.")
    return tuple(lines)


def _without_answer(summary: Mapping[str, Any]) -> int:
    gold = summary["ledger"]["gold"]
    return int(gold.get("parse_failure", 0)) + int(gold.get("missing_prediction", 0))


def _chain_tiles(summary: Mapping[str, Any]) -> list[Tile]:
    wanted = (
        ("accuracy", "accuracy"),
        ("grounded_accuracy", "grounded accuracy"),
        ("grounded_accuracy_upper", "... upper bound"),
        ("hallucination_rate", "hallucinated pairs"),
        ("hard_case_rate", "hard cases"),
        ("parse_failure_rate", "no answer found"),
    )
    tiles = [tile(summary, key, name) for key, name in wanted if key in summary]
    if "go_sim_mean" in summary:
        tiles.append(tile(summary, "go_sim_mean", "GO similarity, mean", number))
    return tiles


def _chain_sections(summary: Mapping[str, Any], bins: Bins | None) -> list[Section | None]:
    sections: list[Section | None] = [answer_section(summary)]
    if "error_distribution" in summary:
        sections += [label_section(summary), evidence_section(summary)]
    if "go_sim_mean" in summary:
        sections.append(go_section(summary, bins))
    return [*sections, slice_section(summary), rollout_section(summary)]


def _rr10_tiles(summary: Mapping[str, Any]) -> list[Tile]:
    wanted = (
        ("paired_directional_robustness", "pairs with both right (PDR)"),
        ("trap_accuracy", "traps right"),
        ("control_accuracy", "controls right"),
        ("trap_overclaim_rate", "traps overclaimed"),
        ("control_abstention_rate", "controls abstained on"),
        ("accuracy_total", "accuracy, all items"),
        ("supported_answer_rate", "right, and by its evidence"),
    )
    return [tile(summary, key, name) for key, name in wanted if key in summary]


def _rr10_sections(summary: Mapping[str, Any], bins: Bins | None) -> list[Section | None]:
    sections: list[Section | None] = [claim_section(summary), context_section(summary)]
    if "error_distribution" in summary:
        sections += [citation_section(summary), rr10_label_section(summary)]
    if "go_focus_mean" in summary:
        sections.append(focus_section(summary, bins))
    return sections
