"""Whether systems' judged rubrics may be compared: what has to be the same, what has to be told."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import Problem, SourceRef, UsageError
from eval_tiers.pipeline.rubrics.scored_results import ScoredResults

FORCIBLE: Final = ("tasks", "judge", "prompt")
"""What may differ between results when it is said so."""

MOST_FINDINGS: Final = 100
_FIELDS: Final = {"judge": ("model", "judge model"), "prompt": ("prompt_version", "prompt version")}


def check_scales(results: Sequence[ScoredResults]) -> str:
    """Return the scale of all results.

    Raises
    ------
    UsageError
        They are of several.
    """
    scales = sorted({one.scale for one in results if one.scale is not None})
    if len(scales) > 1:
        message = f"the results are scored on different scales: {', '.join(scales)}"
        raise UsageError(Problem("scales-differ", message, fix="score them alike"))
    return scales[0] if scales else "binary"


def check_comparable(
    results: Sequence[ScoredResults],
    comparisons: Sequence[Mapping[str, Any]],
    forced: Collection[str],
) -> list[Finding]:
    """Return what differs and has to be told; raise where it wasn't said that it may.

    Parameters
    ----------
    results : sequence of ScoredResults
        Each is held against the first.
    comparisons : sequence of mapping
        With ``first``, ``second``, ``n``, ``other_text_n`` and ``weight_differs_n``.
    forced : collection of str
        Of `FORCIBLE`.

    Raises
    ------
    UsageError
    """
    findings: list[Finding] = []
    problems: list[Problem] = []
    for place, one in enumerate(results[1:], 1):
        where = SourceRef(str(one.path))
        (found,) = (c for c in comparisons if (c["first"], c["second"]) == (0, place))
        differing = [("tasks", message) for message in _other_tasks(results[0], one, found)]
        for kind, (name, title) in _FIELDS.items():
            ours, theirs = results[0].said(name), one.said(name)
            if bool(ours) != bool(theirs):
                known = "first result" if ours else "result"
                message = f"the {title} is known of the {known} alone: it may be another"
                findings.append(Finding(f"unknown-{kind}", message, where))
            elif ours != theirs:
                shown = (", ".join(said)[:120] for said in (theirs, ours))
                differing.append((kind, "its {} is {}, that of the first {}".format(title, *shown)))
        for kind, message in differing:
            if kind in forced:
                findings.append(Finding(f"different-{kind}", message, where))
            else:
                fix = f"--force-different {kind} compares them nevertheless"
                problems.append(Problem(f"different-{kind}", message, where, fix))
        if bool(results[0].data_sha256) != bool(one.data_sha256):
            message = "only one of this result and the first was scored with --data"
            fix = "score both with the same --data: weights and axes are then those of the tasks"
            findings.append(Finding("data-unknown", message, where, fix=fix))
    if problems:
        raise UsageError(problems)
    return findings + _nothing_shared(results, comparisons)


def findings_of_reading(results: Sequence[ScoredResults]) -> list[Finding]:
    """Return what was found in rows that are scored here, the first `MOST_FINDINGS` of each result.

    Rows of scored folders were told of when they were scored.
    """
    found = {
        str(one.path): [*one.summary["rejected_rows"], *one.summary["findings"]][:MOST_FINDINGS]
        for one in results
        if not one.is_scored
    }
    return [
        Finding(one["code"], one["message"], SourceRef(one["path"], one["line"]), one["level"],
                one["fix"])
        for listed in found.values()
        for one in listed
    ]  # fmt: skip


def _other_tasks(first: ScoredResults, other: ScoredResults, found: Mapping[str, Any]) -> list[str]:
    messages = []
    ours, theirs = first.data_sha256, other.data_sha256
    if ours and theirs and ours != theirs:
        shown = [", ".join(f"{one[:12]}..." for one in hashes) for hashes in (theirs, ours)]
        messages.append("its data has sha256 {}, that of the first {}".format(*shown))
    if found["other_text_n"]:
        message = f"{_rubrics_have(found['other_text_n'])} another text than in the first"
        messages.append(f"{message}: in no number")
    if found["weight_differs_n"]:
        message = f"{_rubrics_have(found['weight_differs_n'])} another weight than in the first"
        message = f"{message}, which says what a failure is; their samples' compliance"
        messages.append(f"{message} is not compared")
    return messages


def _rubrics_have(n: int) -> str:
    return "1 rubric has" if n == 1 else f"{n:,} rubrics have"


def _nothing_shared(
    results: Sequence[ScoredResults], comparisons: Sequence[Mapping[str, Any]]
) -> list[Finding]:
    return [
        Finding("nothing-shared",
                f"no rubric has a verdict both here and in {results[one['first']].path}",
                SourceRef(str(results[one["second"]].path)))
        for one in comparisons
        if not one["n"]
    ]  # fmt: skip
