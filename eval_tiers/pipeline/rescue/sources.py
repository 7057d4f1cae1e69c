"""The inputs of a run as tier 4 reads them again: as stated in its manifest, or named anew."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef, UsageError
from eval_tiers.io.hashes import hash_files
from eval_tiers.io.pairs import FilePair, find_pairs
from eval_tiers.io.rescue_run import RescueRun, find_inputs, locate_input
from eval_tiers.io.sources import require_file

_FILE_FIX = "name the files of the run, one pair or two folders of splits, as eval was given them"


@dataclass(frozen=True, slots=True)
class Overrides:
    """Inputs that are named anew, because they have moved."""

    gt_dir: Path | None = None
    gt_file: Path | None = None
    pred_dir: Path | None = None
    pred_file: Path | None = None
    graphs: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class SourcePair:
    """A pair of files of the run.

    Attributes
    ----------
    pair : FilePair
        Where they lie now.
    stated : str
        The gold file as the run was given it: column source_path of the samples.
    predictions_changed : bool
        The prediction file is not the one that was scored.
    """

    pair: FilePair
    stated: str
    predictions_changed: bool = False


def find_source_pairs(
    run: RescueRun, overrides: Overrides, findings: list[Finding]
) -> list[SourcePair]:
    """Find the pairs of gold and predictions of a run.

    Raises
    ------
    UsageError
        Files are named where the run read folders, or the other way round.
    MissingResourceError
        A file isn't there any more.
    BadInputError
        A file is another by now; a prediction file that is named anew may be (a warning).
    """
    inputs = run.manifest["inputs"]
    gold = [one for one in inputs if one["role"] == "gold"]
    predictions = [one for one in inputs if one["role"] == "predictions"]
    if len(gold) != len(predictions) or not gold:
        raise BadInputError(
            Problem("bad-manifest", "the run's manifest doesn't pair gold and predictions")
        )
    _require_fitting(overrides, len(gold))
    found = []
    for gold_entry, prediction_entry in zip(gold, predictions, strict=True):
        gold_path = _gold_path(run, overrides, gold_entry)
        prediction_path = _prediction_path(run, overrides, prediction_entry, gold_path)
        pair = FilePair(
            gold_path, prediction_path, gold_entry.get("split"), gold_entry.get("pert_type")
        )
        named = overrides.pred_file is not None or overrides.pred_dir is not None
        changed = named and _is_changed(prediction_path, prediction_entry)
        if changed:
            findings.append(
                Finding(
                    "other-predictions",
                    "this prediction file is not the one that was scored; its texts are checked "
                    "against the samples",
                    SourceRef(str(prediction_path)),
                )
            )
        found.append(SourcePair(pair, str(gold_entry["path"]), changed))
    return found


def find_graph_paths(run: RescueRun, overrides: Overrides) -> list[Path]:
    """Return the files of the run's knowledge graph, or those named instead."""
    if overrides.graphs:
        return [require_file(path, "graph file") for path in overrides.graphs]
    return [one.path for one in find_inputs(run, ("knowledge graph",))]


def _require_fitting(overrides: Overrides, pair_n: int) -> None:
    for folder, file, side in (
        (overrides.gt_dir, overrides.gt_file, "gt"),
        (overrides.pred_dir, overrides.pred_file, "pred"),
    ):
        if folder is not None and file is not None:
            raise UsageError(
                Problem("given-twice", f"--{side}-dir and --{side}-file are both given",
                        fix="give one")
            )  # fmt: skip
        if file is not None and pair_n > 1:
            raise UsageError(
                Problem("half-a-run", f"the run read {pair_n} pairs of files, --{side}-file is one",
                        fix=f"name the folder: --{side}-dir")
            )  # fmt: skip


def _gold_path(run: RescueRun, overrides: Overrides, entry: dict[str, object]) -> Path:
    if overrides.gt_file is not None:
        path = require_file(overrides.gt_file, "gold file")
    elif overrides.gt_dir is not None:
        path = overrides.gt_dir / str(entry.get("split") or "") / Path(str(entry["path"])).name
        require_file(path, "gold file")
    else:
        return locate_input(run, entry)
    if _is_changed(path, entry):
        raise BadInputError(
            Problem(
                "input-changed",
                "this is not the gold file of the run: its sha256 is another",
                SourceRef(str(path)),
                "name the gold file that was scored, or evaluate again",
            )
        )
    return path


def _prediction_path(
    run: RescueRun, overrides: Overrides, entry: dict[str, object], gold: Path
) -> Path:
    if overrides.pred_file is not None:
        return require_file(overrides.pred_file, "prediction file")
    if overrides.pred_dir is None:
        return locate_input(run, entry)
    split, kind = entry.get("split"), entry.get("pert_type")
    named = overrides.pred_dir / str(split or "") / Path(str(entry["path"])).name
    if named.is_file():
        return named
    pairs = find_pairs(gold.parent.parent, overrides.pred_dir)
    for pair in pairs:
        if pair.split == split and pair.pert_type == kind:
            return pair.predictions
    raise UsageError(
        Problem("no-such-pair", f"--pred-dir has no predictions for {split}/{kind}", fix=_FILE_FIX)
    )


def _is_changed(path: Path, entry: dict[str, object]) -> bool:
    stated = entry.get("sha256")
    return stated is not None and hash_files([path])[str(path)] != stated
