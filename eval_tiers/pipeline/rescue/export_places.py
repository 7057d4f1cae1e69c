"""Where the files of an export lie, and which export of a run a folder keeps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from eval_tiers.exceptions import BadInputError, Problem, SourceRef, UsageError
from eval_tiers.io.request_files import validate_target
from eval_tiers.io.rescue_files import (
    IndexRow,
    file_name,
    read_export,
    read_rescue_manifest,
    write_controls,
    write_index,
    write_manifest,
)
from eval_tiers.io.rescue_run import RescueRun
from eval_tiers.rescue.files import INDEX


def refuse_other_export(
    target: Path, run: RescueRun, planned: Collection[str], force: bool, split: bool
) -> None:
    """Raise where the folder holds an export of this run that asks what this one doesn't."""
    validate_target(target, run.samples.path, force=True)
    index_path = target.parent / file_name(INDEX, run.timestamp, "csv")
    if force or not index_path.is_file():
        return
    earlier = read_export(index_path)
    asked = {row.custom_id for row in earlier.index}
    asked |= {str(control["custom_id"]) for control in earlier.controls}
    names = {Path(str(one["path"])).name for one in earlier.manifest.get("requests", ())}
    if asked <= set(planned) and (split or target.name in names):
        return
    raise UsageError(
        Problem(
            "output-exists",
            "this folder holds another export of this run, whose replies could not be merged any "
            "more",
            SourceRef(str(index_path)),
            "name another folder with -o, or replace it with --force",
        )
    )


def _lives_in(folder: Path, timestamp: str) -> bool:
    """Whether a folder holds an export with its requests."""
    try:
        manifest = read_rescue_manifest(folder, timestamp)
    except BadInputError:
        return False
    if manifest is None:
        return False
    paths = [Path(str(one["path"])) for one in manifest.get("requests", ())]
    return any(path.parent == folder.absolute() for path in paths)


def write_copies(
    run: RescueRun,
    folder: Path,
    index: Sequence[IndexRow],
    controls: Mapping[str, Any],
    manifest: Mapping[str, Any],
) -> None:
    """Put index, key and manifest into the run's folder too, unless an export lives there."""
    home = run.rescue_folder
    if home.absolute() == folder.absolute():
        return
    if _lives_in(home, run.timestamp):
        return
    write_index(home, run.timestamp, index)
    write_controls(home, run.timestamp, controls)
    write_manifest(home, run.timestamp, manifest)
