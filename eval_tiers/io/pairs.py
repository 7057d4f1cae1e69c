"""Which gold file belongs to which prediction file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from eval_tiers.exceptions import BadInputError, MissingResourceError, Problem, SourceRef
from eval_tiers.io.sources import reason_of, require_file

SPLIT_ORDER: Final = ("id_test", "cell_ood", "pert_ood", "double_ood", "other_test")
PERT_TYPES: Final = ("chemical", "genetic")
_JSONL_SUFFIXES: Final = (".jsonl", ".ndjson", ".json")
_COMPRESSED: Final = (".gz", ".zst")


@dataclass(frozen=True, slots=True)
class FilePair:
    """A gold file and the predictions for it.

    Attributes
    ----------
    gold, predictions : Path
        The files.
    split : str or None
        Name of the split.
    pert_type : str or None
        By the file's name; a record's own field goes before it.
    """

    gold: Path
    predictions: Path
    split: str | None
    pert_type: str | None


@dataclass(frozen=True, slots=True)
class GoldFile:
    """A gold file without predictions; attributes as in `FilePair`."""

    path: Path
    split: str | None
    pert_type: str | None


def pert_type_of_name(name: str) -> str | None:
    """Return ``chemical`` or ``genetic`` when just one of the words is in a file's name."""
    found = [word for word in PERT_TYPES if word in name.casefold()]
    return found[0] if len(found) == 1 else None


def single_pair(
    gold: str | os.PathLike[str], predictions: str | os.PathLike[str], split: str | None = None
) -> FilePair:
    """Return the pair of two named files; the split is the gold file's folder unless given.

    Raises
    ------
    MissingResourceError, BadInputError
        One of them is no readable file.
    """
    gold_path = require_file(gold, "gold file")
    prediction_path = require_file(predictions, "prediction file")
    parent = gold_path.absolute().parent.name
    return FilePair(
        gold_path, prediction_path, split or parent or None, pert_type_of_name(gold_path.name)
    )


def find_pairs(
    gold_dir: str | os.PathLike[str], prediction_dir: str | os.PathLike[str]
) -> list[FilePair]:
    """Pair the files of two folders of splits by split and the word chemical / genetic.

    Splits come in the order of the benchmark, others after them by name.

    Raises
    ------
    MissingResourceError
        A folder does not exist.
    BadInputError
        A split on one side only, or a split folder without exactly one file of each word.
    """
    gold_splits = _split_folders(Path(gold_dir), "gold folder", "--gt-file")
    prediction_splits = _split_folders(Path(prediction_dir), "prediction folder", "--pred-file")
    problems = [
        Problem(
            "split-on-one-side",
            f"the split '{name}' is only in the {side} folder",
            SourceRef(str(folder[name])),
            "add it on the other side, or move it away",
        )
        for side, folder, other in (
            ("gold", gold_splits, prediction_splits),
            ("prediction", prediction_splits, gold_splits),
        )
        for name in folder
        if name not in other
    ]
    if problems:
        raise BadInputError(problems)
    pairs = []
    for split in sorted(gold_splits, key=_split_key):
        gold, predictions = (
            _typed_files(folder[split], problems) for folder in (gold_splits, prediction_splits)
        )
        if not problems:
            pairs += [FilePair(gold[word], predictions[word], split, word) for word in PERT_TYPES]
    if problems:
        raise BadInputError(problems)
    return pairs


def single_gold(gold: str | os.PathLike[str]) -> GoldFile:
    """Return one named gold file; its split is its folder, as in `single_pair`.

    Raises
    ------
    MissingResourceError, BadInputError
        It is no readable file.
    """
    path = require_file(gold, "gold file")
    return GoldFile(path, path.absolute().parent.name or None, pert_type_of_name(path.name))


def find_gold(gold_dir: str | os.PathLike[str]) -> list[GoldFile]:
    """Return the gold files of a folder of splits, in the order of `find_pairs`.

    Raises
    ------
    MissingResourceError
        The folder does not exist.
    BadInputError
        A split folder without exactly one file of each word.
    """
    splits = _split_folders(Path(gold_dir), "gold folder", "--gt-file")
    problems: list[Problem] = []
    files: list[GoldFile] = []
    for split in sorted(splits, key=_split_key):
        typed = _typed_files(splits[split], problems)
        if not problems:
            files += [GoldFile(typed[word], split, word) for word in PERT_TYPES]
    if problems:
        raise BadInputError(problems)
    return files


def _split_key(name: str) -> tuple[int, str]:
    return (SPLIT_ORDER.index(name) if name in SPLIT_ORDER else len(SPLIT_ORDER), name)


def _split_folders(folder: Path, role: str, file_option: str) -> dict[str, Path]:
    where = SourceRef(str(folder))
    with _listing(folder, role):
        if not folder.exists():
            raise MissingResourceError(
                Problem("no-such-folder", f"the {role} does not exist", where, "check the path")
            )
        if not folder.is_dir():
            raise BadInputError(
                Problem(
                    "not-a-folder", f"the {role} is a file", where, f"use {file_option} for a file"
                )
            )
        found = {
            entry.name: entry
            for entry in sorted(folder.iterdir())
            if entry.is_dir() and not entry.name.startswith((".", "__"))
        }
    if not found:
        raise BadInputError(
            Problem(
                "no-split-folder",
                f"the {role} holds no split folder (such as {SPLIT_ORDER[0]}/)",
                where,
                f"put the files into one, or name one file with {file_option}",
            )
        )
    return found


@contextmanager
def _listing(folder: Path, role: str) -> Iterator[None]:
    """Turn a failure to look into a folder into an error that names it."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise MissingResourceError(
            Problem(
                "unreadable-path",
                f"the {role} can't be looked into: {reason_of(error)}",
                SourceRef(str(folder)),
                "check its name and its permissions",
            )
        ) from error


def _is_jsonl(path: Path) -> bool:
    name = path.name.casefold()
    for suffix in _COMPRESSED:
        name = name.removesuffix(suffix)
    return path.is_file() and not path.name.startswith(".") and name.endswith(_JSONL_SUFFIXES)


def _typed_files(folder: Path, problems: list[Problem]) -> dict[str, Path]:
    """Return the chemical and the genetic file of a split folder; note what doesn't fit."""
    found: dict[str, Path] = {}
    where = SourceRef(str(folder))
    with _listing(folder, "split folder"):
        paths = [path for path in sorted(folder.iterdir()) if _is_jsonl(path)]
    for path in paths:
        words = [word for word in PERT_TYPES if word in path.name.casefold()]
        if len(words) != 1:
            which = "both words" if words else "neither word"
            problems.append(
                Problem(
                    "file-without-type",
                    f"'{path.name}' has {which} of 'chemical' and 'genetic' in its name",
                    where,
                    "rename it, or move it away",
                )
            )
        elif words[0] in found:
            problems.append(
                Problem(
                    "two-files-of-a-type",
                    f"'{found[words[0]].name}' and '{path.name}' are both {words[0]}",
                    where,
                    "keep one",
                )
            )
        else:
            found[words[0]] = path
    problems += [
        Problem(
            "missing-file",
            f"no JSON Lines file with '{word}' in its name",
            where,
            "add it, or evaluate one pair with --gt-file and --pred-file",
        )
        for word in PERT_TYPES
        if word not in found and not any(problem.where == where for problem in problems)
    ]
    return found
