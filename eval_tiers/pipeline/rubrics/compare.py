"""Compares systems' reports on the same tasks, paired by sample and rubric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from pathlib import Path
from typing import Any, Final

from eval_tiers import __version__
from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import Problem, UsageError
from eval_tiers.io.comparison_files import write_comparison_files
from eval_tiers.pipeline.rubrics.compare_checks import (
    FORCIBLE,
    check_comparable,
    check_scales,
    findings_of_reading,
)
from eval_tiers.pipeline.rubrics.compare_matching import match_rubrics
from eval_tiers.pipeline.rubrics.flip_rows import differing_row, flip_row, listed_row
from eval_tiers.pipeline.rubrics.score import render_table
from eval_tiers.pipeline.rubrics.scored_results import (
    ScoredResults,
    files_of,
    read_scored_results,
)
from eval_tiers.rubrics.pairs import words_of
from eval_tiers.rubrics.scored_rows import ScoredRow
from eval_tiers.rubrics.scores import STRICT
from eval_tiers.summaries.flip_ranking import FLIPS_SHOWN
from eval_tiers.summaries.gates import check_gate, parse_gate
from eval_tiers.summaries.rubric_comparison import (
    MatchedRubrics,
    compare_matched,
    finish,
    rank_matched,
)
from eval_tiers.summaries.rubrics import DIMENSIONS

KIND: Final = "rubric_comparison"
MOST_LISTED: Final = 100


@dataclass(frozen=True, slots=True)
class RubricCompareOptions:
    """How results are compared.

    Attributes
    ----------
    forced : tuple of str
        What may differ between them: ``tasks``, ``judge``, ``prompt``.
    gates : tuple of str
        Conditions on the differences to the first: ``compliance -0.02``.
    by_interval : bool
        Gates hold the far end of the interval against their bound.
    """

    forced: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    by_interval: bool = False


@dataclass(slots=True)
class RubricComparison:
    """What a comparison found.

    Attributes
    ----------
    summary : dict
        Strict JSON; keys as in ``docs/rubrics.md``.
    findings : list of Finding
    passed : bool
        No gate failed.
    read_files : list of Path
        What was read: nothing may be written in its place.
    spreadsheet_safe : bool
    changed : list of dict
        All flips, and all rubrics that only one side has or that are unscored in one.
    """

    summary: dict[str, Any]
    findings: list[Finding]
    passed: bool
    read_files: list[Path] = field(default_factory=list)
    spreadsheet_safe: bool = False
    changed: list[dict[str, Any]] = field(default_factory=list, repr=False)


def compare_rubric_results(
    paths: Sequence[Path], options: RubricCompareOptions
) -> RubricComparison:
    """Compare results each with each; of two the one that is named first is the reference.

    Parameters
    ----------
    paths : sequence of Path
        Folders of scored rubrics, of which the newest scores count; results files; folders of them.
    options : RubricCompareOptions

    Raises
    ------
    UsageError
        Fewer than two, different scales, tasks, judges or prompts, an unknown gate.
    BadInputError, MissingResourceError
        A file isn't there, or isn't what it should be.
    """
    gates = [parse_gate(text) for text in options.gates]
    if len(paths) < 2:
        raise UsageError(Problem("one-run", "there is nothing to compare", fix="name two or more"))
    if unknown := sorted(set(options.forced) - set(FORCIBLE)):
        message = f"'{unknown[0]}' can't be forced for judged rubrics"
        raise UsageError(Problem("unknown-kind", message, fix=f"one of: {', '.join(FORCIBLE)}"))
    results = [read_scored_results(path) for path in paths]
    scale = check_scales(results)
    comparisons, changed = [], []
    for one, other in combinations(range(len(results)), 2):
        found, rows = _compare(results[one], results[other])
        comparisons.append({"first": one, "second": other, **found})
        names = {"first_run": str(paths[one]), "second_run": str(paths[other])}
        changed += [names | row for row in rows]
    findings = check_comparable(results, comparisons, options.forced)
    findings += findings_of_reading(results)
    finish(comparisons)
    for found in comparisons:
        found["gates"] = [
            check_gate(gate, found["measures"], options.by_interval)
            for gate in gates
            if found["first"] == 0
        ]
    passed = all(gate["passed"] for found in comparisons for gate in found["gates"])
    summary = {
        "kind": KIND,
        "eval_tiers_version": __version__,
        "scale": scale,
        "forced": sorted(options.forced),
        "gate_by_interval": options.by_interval,
        "passed": passed if gates else None,
        "runs": [_described(one) for one in results],
        "comparisons": comparisons,
        "findings": [finding.as_dict() for finding in findings],
    }
    safe = any(bool(one.summary.get("spreadsheet_safe")) for one in results)
    return RubricComparison(summary, findings, passed, files_of(results), safe, changed)


def write_rubric_comparison(
    compared: RubricComparison, page: str | None, output: Path | None, flips_csv: Path | None
) -> None:
    """Write a comparison's page and its table of flips, where they are asked for.

    See `eval_tiers.io.comparison_files.write_comparison_files`.
    """
    write_comparison_files(
        output,
        page,
        flips_csv,
        lambda: render_table(compared.changed, compared.spreadsheet_safe),
        compared.read_files,
    )


def _described(one: ScoredResults) -> dict[str, Any]:
    return {
        "path": str(one.path),
        "is_scored": one.is_scored,
        "run_id": one.summary["run_id"] if one.is_scored else None,
        "sample_n": one.summary["sample_n"],
        "pair_n": len(one.rows),
        "scored_n": sum(row.score is not None for row in one.rows),
        "data_sha256": one.data_sha256,
        "models": one.said("model"),
        "prompt_versions": one.said("prompt_version"),
        "inputs": one.summary["inputs"],
    }


def _compare(
    first: ScoredResults, second: ScoredResults
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the figures of two results, and the rows of the table of what changed."""
    matched = match_rubrics(first.rows, second.rows)
    pairs = [
        (first.rows[a], second.rows[b])
        for a, b in zip(matched.first.tolist(), matched.second.tolist(), strict=True)
    ]
    other_text = [pair for pair in pairs if not _same_text(*pair)]
    kept = [(_completed(*pair), pair[1]) for pair in pairs if _same_text(*pair)]
    scores = [
        {one["sample_id"]: one["by_unscored"][STRICT] for one in result.summary["samples"]}
        for result in (first, second)
    ]
    spreads = {name: _either(first.spread(name), second.spread(name)) for name in DIMENSIONS}
    alone = {
        "only_first": [first.rows[place] for place in matched.only_first.tolist()],
        "only_second": [second.rows[place] for place in matched.only_second.tolist()],
    }
    reweighed = [pair for pair in kept if pair[1].weight not in (None, pair[0].weight)]
    unlike = {row.sample_id for row in chain(*alone.values(), *other_text, *reweighed)}
    # scores over other rubrics or weights say nothing of each other
    like = [{name: score for name, score in one.items() if name not in unlike} for one in scores]
    rubrics = MatchedRubrics(
        [one for one, _ in kept], [other for _, other in kept], (like[0], like[1]), spreads
    )
    found = compare_matched(rubrics)
    flips = [flip_row(*kept[place], spreads) for place in rank_matched(rubrics)]
    unscored = [pair for pair in kept if None in (pair[0].score, pair[1].score)]
    samples = _samples(rubrics, scores)
    found |= {
        "flip_n": len(flips),
        "flips": flips[:FLIPS_SHOWN],
        "unscored_n": len(unscored),
        "unscored": [differing_row(*pair) for pair in unscored[:MOST_LISTED]],
        "other_text_n": len(other_text),
        "other_text": [differing_row(*pair) for pair in other_text[:MOST_LISTED]],
        "weight_differs_n": len(reweighed),
        "samples": samples,
        "sample_without_score_n": sum(one["difference"] is None for one in samples),
    }
    for what, rows in alone.items():
        found[f"{what}_n"] = len(rows)
        found[what] = [listed_row(row) for row in rows[:MOST_LISTED]]
    table = list(flips)
    table += [flip_row(*pair, spreads, "unscored") for pair in unscored]
    table += [flip_row(*pair, spreads, "other_text") for pair in other_text]
    table += [flip_row(row, None, spreads, "only_first") for row in alone["only_first"]]
    table += [flip_row(None, row, spreads, "only_second") for row in alone["only_second"]]
    return found, table


def _either(
    first: Mapping[str, str | None], second: Mapping[str, str | None]
) -> dict[str, str | None]:
    """Return a field by sample as the first knows it, else the second."""
    return {**second, **{name: value for name, value in first.items() if value}}


def _completed(one: ScoredRow, other: ScoredRow) -> ScoredRow:
    """Return the first's row, what it doesn't know of its rubric filled in from the second's."""
    return replace(
        one,
        weight=other.weight if one.weight is None else one.weight,
        axis=one.axis or other.axis,
        criterion=one.criterion or other.criterion,
    )


def _same_text(one: ScoredRow, other: ScoredRow) -> bool:
    """Whether two rubrics say the same; an unknown text is none that differs."""
    texts = [words_of(row.criterion) for row in (one, other)]
    return texts[0] == texts[1] or not all(texts)


def _samples(
    rubrics: MatchedRubrics, scores: Sequence[Mapping[str, float | None]]
) -> list[dict[str, Any]]:
    """Return both compliance scores of each sample that both have.

    The difference is null where one is, and where they are over other rubrics or weights.
    """
    found = []
    for name in dict.fromkeys(row.sample_id for row in rubrics.first):
        one, other = (like.get(name) for like in rubrics.scores)
        difference = None if one is None or other is None else other - one
        first, second = (own.get(name) for own in scores)
        found.append(
            {"sample_id": name, "first": first, "second": second, "difference": difference}
        )
    return found
