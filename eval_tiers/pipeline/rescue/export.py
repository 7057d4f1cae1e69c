"""Writes the hard cases of a run, controls among them, as requests for an examiner."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import orjson

from eval_tiers import __version__
from eval_tiers.domain.findings import Finding
from eval_tiers.io.hashes import hash_files
from eval_tiers.io.request_files import RequestFiles
from eval_tiers.io.rescue_files import (
    IndexRow,
    file_name,
    write_controls,
    write_index,
)
from eval_tiers.io.rescue_run import RescueRun, find_run
from eval_tiers.pipeline.rescue.cases import CaseSet, build_cases
from eval_tiers.pipeline.rescue.draw import DrawnControls, draw_run_controls
from eval_tiers.pipeline.rescue.export_places import refuse_other_export, write_copies
from eval_tiers.pipeline.rescue.planned import PlannedRequest, plan_requests
from eval_tiers.pipeline.rescue.routes import both_signs_figures
from eval_tiers.pipeline.rescue.sources import Overrides
from eval_tiers.rescue.files import MANIFEST, REQUESTS
from eval_tiers.rescue.requests import PROMPT_VERSION, RequestOptions, build_request

SPLIT_REQUESTS: Final = 50_000
_GOLDS: Final = 4_000


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What an export is asked to do.

    Attributes
    ----------
    output : Path or None
        Request file; by default ``rescue/rescue_requests_<timestamp>.jsonl`` in the run's folder.
    overrides : Overrides
        Inputs that are named anew.
    max_samples : int or None
        A random sample of the hard cases.
    controls : int
        Controls of each truth; 0: none.
    repeats : int
        How often each request is made, each time with evidence and verdicts in another order.
    split : bool
        Several files, as hosted Batch APIs take them.
    blind : bool
        Leave out gold answer and gold chain.
    seed : int
    model : str
        As the engine calls it.
    max_tokens, budget_chars : int
        Longest reply in tokens, longest prompt in characters.
    predictor : str or None
        The model that gave the answers, to be compared with the examiner's family.
    force : bool
        Whether another export of that name may be replaced.
    """

    output: Path | None = None
    overrides: Overrides = field(default_factory=Overrides)
    max_samples: int | None = None
    controls: int = 100
    repeats: int = 1
    split: bool = False
    blind: bool = False
    seed: int = 0
    model: str = "examiner"
    max_tokens: int = 512
    budget_chars: int = 24_000
    predictor: str | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class WrittenExport:
    """What an export wrote.

    Attributes
    ----------
    manifest : dict
        Also on disk.
    request_paths : list of Path
    manifest_path : Path
    findings : list of Finding
    """

    manifest: dict[str, Any]
    request_paths: list[Path]
    manifest_path: Path
    findings: list[Finding]


def export_run(samples_csv: Path, options: ExportOptions) -> WrittenExport:
    """Export the hard cases of a run.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        Then nothing is left behind.
    """
    run = find_run(samples_csv)
    target = options.output or run.rescue_folder / file_name(REQUESTS, run.timestamp, "jsonl")
    found = build_cases(
        run, options.overrides, options.max_samples, options.seed, options.blind,
        gold_n=_GOLDS if options.controls else 0,
    )  # fmt: skip
    drawn = draw_run_controls(found, run, options.controls, options.seed, options.blind)
    id_key = _id_key(run, options)
    planned = plan_requests(found.cases, drawn.controls, options.repeats, id_key)
    ids = {one.custom_id for one in planned}
    refuse_other_export(target, run, ids, options.force, options.split)
    tally = _Tally()
    with RequestFiles(target, SPLIT_REQUESTS if options.split else None) as files:
        for line in _lines(planned, options, tally):
            files.add(line)
        if not planned:
            files.add(b"")
        folder = target.parent
        files.manifest_path = folder / file_name(MANIFEST, run.timestamp, "json")
        manifest = _manifest(run, found, drawn, options, tally, id_key) | {
            "requests": [
                {"path": str(Path(one.path).absolute()), "sha256": one.sha256,
                 "request_n": one.request_n if planned else 0, "byte_n": one.byte_n}
                for one in files.complete()
            ]
        }  # fmt: skip
        index = [
            IndexRow(one.custom_id, one.case.key, one.case.kind, one.repeat)
            for one in planned
            if one.control is None
        ]
        controls = _controls_key(planned, drawn, options)
        write_index(folder, run.timestamp, index)
        write_controls(folder, run.timestamp, controls)
        paths = [Path(one.path) for one in files.files]
        files.finish(manifest)
    write_copies(run, folder, index, controls, manifest)
    return WrittenExport(manifest, paths, files.manifest_path, found.findings)


@dataclass(slots=True)
class _Tally:
    """What was met while requests were made."""

    longest_n: int = 0
    shortened: set[str] = field(default_factory=set)


def _id_key(run: RescueRun, options: ExportOptions) -> str:
    """Return the key of the ids: another one for what would be asked in other words."""
    inputs = [entry.get("sha256") for entry in run.manifest["inputs"]]
    asked = [run.manifest.get("run_id"), inputs, options.seed, options.blind, options.budget_chars,
             list(hash_files(options.overrides.graphs).values()), PROMPT_VERSION]  # fmt: skip
    return hashlib.sha256(orjson.dumps(asked)).hexdigest()


def _lines(
    planned: Sequence[PlannedRequest], options: ExportOptions, tally: _Tally
) -> Iterator[bytes]:
    base = RequestOptions(
        model=options.model, blind=options.blind, max_tokens=options.max_tokens,
        budget_chars=options.budget_chars, seed=options.seed,
    )  # fmt: skip
    by_order = [replace(base, order=repeat) for repeat in range(options.repeats)]
    for one in planned:
        request, shortened = build_request(one.case, one.custom_id, by_order[one.repeat])
        if shortened:
            tally.shortened.add(one.custom_id)
        tally.longest_n = max(tally.longest_n, _prompt_length(request))
        yield orjson.dumps(request, option=orjson.OPT_APPEND_NEWLINE)


def _prompt_length(request: Any) -> int:
    return sum(len(message["content"]) for message in request["body"]["messages"])


def _controls_key(
    planned: Sequence[PlannedRequest], drawn: DrawnControls, options: ExportOptions
) -> dict[str, Any]:
    return {
        "wanted_of_each_truth": options.controls,
        "shortfalls": drawn.shortfalls,
        "controls": [
            {
                "custom_id": one.custom_id,
                "number": one.number,
                "kind": one.case.kind,
                "truth": one.control.truth,
                "variant": one.control.variant,
                "repeat": one.repeat,
                "error_label": one.case.error_label,
                "gold_answer": one.case.gold_answer,
                "cluster": one.case.cluster,
                "made_from": one.case.key[0],
            }
            for one in planned
            if one.control is not None
        ],
    }


def _manifest(
    run: RescueRun,
    found: CaseSet,
    drawn: DrawnControls,
    options: ExportOptions,
    tally: _Tally,
    id_key: str,
) -> dict[str, Any]:
    by_kind = Counter(case.kind for case in found.cases)
    controls: dict[str, Counter[str]] = {}
    for control in drawn.controls:
        controls.setdefault(control.case.kind, Counter())[control.truth] += 1
    return {
        "eval_tiers_version": __version__,
        "run_id": run.manifest.get("run_id"),
        "format": run.benchmark,
        "labels": list(run.labels),
        "samples": {
            "path": str(run.samples.path.absolute()), "sha256": run.samples.sha256,
            "row_n": len(run.samples),
        },
        "prompt_version": PROMPT_VERSION,
        "predictor": options.predictor,
        "settings": {
            "blind": options.blind, "repeats": options.repeats, "controls": options.controls,
            "max_samples": options.max_samples, "seed": options.seed, "model": options.model,
            "max_tokens": options.max_tokens, "budget_chars": options.budget_chars,
        },
        "hard_n": found.hard_n,
        "left_out": found.left_out,
        "case_n": dict(sorted(by_kind.items())),
        "control_n": {kind: dict(sorted(n.items())) for kind, n in sorted(controls.items())},
        "control_shortfalls": drawn.shortfalls,
        "request_n": (len(found.cases) + len(drawn.controls)) * options.repeats,
        "expected_n": {kind: n * options.repeats for kind, n in sorted(by_kind.items())},
        "longest_prompt_n": tally.longest_n,
        "shortened_n": len(tally.shortened),
        "shortened": sorted(tally.shortened)[:100],
        "id_key": id_key,
        **both_signs_figures(run, found.graph),
    }  # fmt: skip
