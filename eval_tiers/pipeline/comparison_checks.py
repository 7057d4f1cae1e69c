"""Whether runs may be compared: what has to be the same, and what only has to be told."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import Problem, SourceRef, UsageError
from eval_tiers.io.run_tables import ComparedRun

FORCIBLE: Final = ("gold", "metrics", "evidence")
"""What may differ between runs when it is said so."""

_LABEL_SETTINGS: Final = (
    "hallucination_threshold",
    "coverage_threshold",
    "unknown_nodes",
    "path_visit_limit",
)
_TOLD: Final = {
    "knowledge graph": (2, "knowledge graph", "statuses of edges and error labels"),
    "gene sets": (3, "gene sets file", "GO similarities"),
    "registry": (2, "registry of datasets", "verdicts on citations"),
    "table of": (2, "table of a dataset", "verdicts on citations"),
    "genes of": (2, "list of genes", "verdicts on citations"),
}
_TOLD_KEYS: Final = {
    "evidence_expected": "error labels of answers that cite nothing",
    "mode_signs": "implied answers and error labels",
    "consensus": "statuses of edges and error labels",
    "undirected": "statuses of edges and error labels",
    "duplicates": "which answer to a question counts",
    "pairing": "which answer belongs to which question",
}


def check_comparable(runs: Sequence[ComparedRun], forced: Collection[str]) -> list[Finding]:
    """Return what differs and has to be told; raise where a comparison would mean nothing.

    Every run is held against the first.

    Parameters
    ----------
    runs : sequence of ComparedRun
        At least two.
    forced : collection of str
        Of `FORCIBLE`: may differ, and is then told.

    Raises
    ------
    UsageError
        Runs are of different formats; or of different gold files, metric definitions (with the
        thresholds of labels and the reading of answers) or evidence conditions, and it wasn't said
        that they may be.
    """
    findings: list[Finding] = []
    problems: list[Problem] = []
    for run in runs[1:]:
        where = SourceRef(str(run.folder))
        if (message := _other_format(runs[0], run)) is not None:
            problems.append(Problem("different-format", message, where, "compare runs of one"))
            continue
        for kind, found in (
            ("gold", _other_gold(runs[0], run)),
            ("metrics", _other_metrics(runs[0], run)),
            ("evidence", _other_evidence(runs[0], run)),
        ):
            for message in found:
                if kind in forced:
                    findings.append(Finding(f"different-{kind}", message, where, "warning"))
                else:
                    fix = f"--force-different {kind} compares them nevertheless"
                    problems.append(Problem(f"different-{kind}", message, where, fix))
        findings += _told(runs[0], run)
    if problems:
        raise UsageError(problems)
    for run in runs:
        if run.rescued:
            message = "an examiner's verdicts were merged into it: labels here are the rules' own"
            findings.append(Finding("before-rescue", message, SourceRef(str(run.folder)), "note"))
    return findings


def _other_format(first: ComparedRun, other: ComparedRun) -> str | None:
    for key in ("format", "labels"):
        ours, theirs = first.manifest[key], other.manifest[key]
        if ours != theirs:
            return f"its {key} is {theirs}, that of the first run {ours}"
    return None


def _hashes(run: ComparedRun, role: str) -> dict[tuple[str, str], list[str]]:
    """Return the sha256 of inputs of a role (by its beginning), by split and perturbation type."""
    found: dict[tuple[str, str], list[str]] = {}
    for entry in run.manifest["inputs"]:
        if isinstance(entry, Mapping) and str(entry.get("role")).startswith(role):
            place = str(entry.get("split") or ""), str(entry.get("pert_type") or "")
            found.setdefault(place, []).append(str(entry.get("sha256")))
    return {place: sorted(hashes) for place, hashes in found.items()}


def _other_gold(first: ComparedRun, other: ComparedRun) -> list[str]:
    ours, theirs = _hashes(first, "gold"), _hashes(other, "gold")
    shared = sorted(set(ours) & set(theirs))
    if not shared:
        return ["it has no gold file of a split and perturbation type that the first run has too"]
    return [
        f"its gold file{_of(place)} has sha256 {_short(theirs[place])}, "
        f"that of the first run {_short(ours[place])}"
        for place in shared
        if ours[place] != theirs[place]
    ]


def _of(place: tuple[str, str]) -> str:
    named = "/".join(part for part in place if part)
    return f" of {named}" if named else ""


def _short(hashes: Sequence[str]) -> str:
    return ", ".join(f"{one[:12]}..." for one in hashes)


def _other_metrics(first: ComparedRun, other: ComparedRun) -> list[str]:
    found = []
    ours, theirs = first.manifest, other.manifest
    if ours["metrics_hash"] != theirs["metrics_hash"]:
        names = [str(one.get("metrics_version")) for one in (theirs, ours)]
        found.append(
            f"its metric definitions are others: {names[0]}, hash "
            f"{str(theirs['metrics_hash'])[:12]}..., those of the first run {names[1]}, "
            f"{str(ours['metrics_hash'])[:12]}..."
        )
    if ours.get("reading") != theirs.get("reading"):
        found.append(
            f"its answers were read in the {theirs.get('reading')} reading, those of the first "
            f"run in the {ours.get('reading')} one"
        )
    for name in _LABEL_SETTINGS:
        one, two = (run["settings"].get(name) for run in (ours, theirs))
        if one != two:
            found.append(f"its {name} is {two}, that of the first run {one}")
    return found


def _other_evidence(first: ComparedRun, other: ComparedRun) -> list[str]:
    ours, theirs = (run.manifest.get("evidence_shown") for run in (first, other))
    if "item_type" not in first.columns:  # questions without published evidence: none is shown
        ours, theirs = ours or False, theirs or False
    if ours == theirs:
        return []
    words: dict[object, str] = {True: "yes", False: "no"}
    return [
        f"was the published evidence shown to its model: {words.get(theirs, 'unknown')}; to that "
        f"of the first run: {words.get(ours, 'unknown')}"
    ]


def _told(first: ComparedRun, other: ComparedRun) -> list[Finding]:
    where = SourceRef(str(other.folder))
    found = []
    both = set(first.manifest["tiers"]) & set(other.manifest["tiers"])
    for role, (tier, named, touched) in _TOLD.items():
        if tier in both and _hashes(first, role) != _hashes(other, role):
            message = f"its {named} is another than in the first run: this touches {touched}"
            found.append(Finding("different-input", message, where, "warning"))
    for key, touched in _TOLD_KEYS.items():
        ours, theirs = first.manifest.get(key), other.manifest.get(key)
        if ours != theirs:
            message = f"its {key} is {theirs}, that of the first run {ours}; this touches {touched}"
            found.append(Finding("different-condition", message, where, "warning"))
    ours, theirs = first.manifest["tiers"], other.manifest["tiers"]
    if ours != theirs:
        message = f"its tiers are {theirs}, those of the first run {ours}: only what both have"
        found.append(Finding("different-tiers", f"{message} is compared", where, "note"))
    if _hashes(first, "predictions") == _hashes(other, "predictions"):
        message = "it scored the same prediction files as the first run"
        found.append(Finding("same-predictions", message, where, "note"))
    return found


def describe_run(run: ComparedRun) -> dict[str, Any]:
    """Return what a report says of one of the runs."""
    keys = ("run_id", "format", "metrics_version", "metrics_hash", "eval_tiers_version", "tiers")
    return {
        "folder": str(run.folder),
        **{key: run.manifest.get(key) for key in keys},
        "predictions": [
            str(entry.get("path"))
            for entry in run.manifest["inputs"]
            if isinstance(entry, Mapping) and entry.get("role") == "predictions"
        ],
    }
