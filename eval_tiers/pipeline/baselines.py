"""Answers that take no model, written as the predictions of one: what a model has to beat."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from eval_tiers.formats.base import BenchmarkFormat, ChainFormat
from eval_tiers.io.hashes import hash_files
from eval_tiers.io.pairs import GoldFile
from eval_tiers.io.prediction_writing import (
    PredictionWriter,
    prediction_path,
    prediction_writers,
    require_new_folder,
)
from eval_tiers.pipeline.baseline_answers import (
    MEANINGS,
    Answers,
    BaselineOptions,
    ChainAnswers,
    ItemAnswers,
)
from eval_tiers.pipeline.manifest import environment
from eval_tiers.summaries.interval_figures import BESIDE

_HEADLINES: Final = (
    "accuracy", "balanced_accuracy", "f1_macro", "parse_failure_rate",
    "accuracy_total", "macro_f1", "paired_directional_robustness",
)  # fmt: skip


@dataclass(slots=True)
class WrittenBaseline:
    """The predictions of one baseline.

    Attributes
    ----------
    name, meaning : str
    path : Path
        Folder for ``--pred-dir``, or file for ``--pred-file``.
    answer_n : dict of str to int
        Rows by answer; ``none`` for those without.
    run_dir : Path or None
        The run that scored them; None where none did.
    figures : dict
        Headline figures of that run, with their intervals and n.
    """

    name: str
    meaning: str
    path: Path
    answer_n: dict[str, int]
    run_dir: Path | None = None
    figures: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class WrittenBaselines:
    """All baselines of a benchmark.

    Attributes
    ----------
    format_name : str
    row_n : int
        Questions.
    baselines : list of WrittenBaseline
    manifest : dict
        What was made of what; ``baselines.json`` holds it.
    """

    format_name: str
    row_n: int
    baselines: list[WrittenBaseline]
    manifest: dict[str, Any]


def write_baseline_files(
    gold: Sequence[GoldFile],
    gold_dir: Path | None,
    benchmark: BenchmarkFormat,
    output: Path,
    options: BaselineOptions,
    arguments: Sequence[str] = (),
) -> WrittenBaselines:
    """Write a prediction file a baseline and gold file.

    Parameters
    ----------
    gold : sequence of GoldFile
        At least one.
    gold_dir : Path or None
        Folder of splits that they lie in; None for a single file.
    benchmark : BenchmarkFormat
    output : Path
        Folder, new or empty. It gets ``<baseline>/<split>/<name>.jsonl``, or of a single file
        ``<baseline>.jsonl``.
    options : BaselineOptions
    arguments : sequence of str
        For the manifest.

    Raises
    ------
    UsageError
        The folder isn't empty, or an option has no meaning for the format.
    BadInputError, MissingResourceError
        An input is bad; then nothing is written.
    """
    require_new_folder(output, gold_dir)
    with tempfile.TemporaryDirectory(prefix="eval_tiers-") as scratch:
        source: ChainAnswers | ItemAnswers
        if isinstance(benchmark, ChainFormat):
            source = ChainAnswers(gold, benchmark, options, Path(scratch))
        else:
            source = ItemAnswers(gold, benchmark, options, Path(scratch))
        answered = {name: Counter[str | None]() for name in source.names}
        for number, file in enumerate(gold):
            paths = {
                name: prediction_path(output, name, file, gold_dir is not None)
                for name in source.names
            }
            with prediction_writers(paths, benchmark) as writers:
                for sample_ids, answers in source.answers(number):
                    _add(writers, answered, sample_ids, answers)
    written = [
        WrittenBaseline(
            name,
            MEANINGS[name],
            output / (name if gold_dir is not None else f"{name}.jsonl"),
            {word: counts[word] for word in source.labels} | {"none": counts[None]},
        )
        for name, counts in answered.items()
    ]
    return WrittenBaselines(
        benchmark.name,
        sum(source.gold_n.values()),
        written,
        _manifest(gold, benchmark, source, options, written, arguments),
    )


def note_run(
    written: WrittenBaselines, made: WrittenBaseline, run_dir: Path, summary: dict[str, Any]
) -> None:
    """Note the run that scored a baseline, in the manifest too."""
    made.run_dir = run_dir
    for name in _HEADLINES:
        keys = (f"{name}{end}" for end in BESIDE)
        made.figures |= {key: summary[key] for key in keys if key in summary}
    written.manifest["baselines"][made.name] |= {"run": str(run_dir), "figures": made.figures}


def _add(
    writers: dict[str, PredictionWriter],
    answered: dict[str, Counter[str | None]],
    sample_ids: Sequence[str | None],
    answers: Answers,
) -> None:
    for name, writer in writers.items():
        writer.add(sample_ids, answers[name])
        answered[name].update(answers[name])


def _manifest(
    gold: Sequence[GoldFile],
    benchmark: BenchmarkFormat,
    source: ChainAnswers | ItemAnswers,
    options: BaselineOptions,
    written: list[WrittenBaseline],
    arguments: Sequence[str],
) -> dict[str, Any]:
    train = () if options.train_path is None else (options.train_path,)
    named = [("gold", file.path, file.split, file.pert_type) for file in gold]
    named += [("training", path, None, None) for path in train]
    named += [("knowledge graph", path, None, None) for path in options.graph_paths]
    hashes = hash_files([path for _, path, _, _ in named])
    about = environment("", list(arguments))
    del about["run_id"]
    return about | {
        "format": benchmark.name,
        "inputs": [
            {"role": role, "path": str(path), "sha256": hashes[str(path)], "split": split,
             "pert_type": kind}
            for role, path, split, kind in named
        ],
        "seed": options.seed,
        "duplicates": options.duplicates,
        "mode_signs": options.mode_signs,
        "row_n": sum(source.gold_n.values()),
        "gold_label_n": {word: source.gold_n[word] for word in source.labels},
        "baselines": {
            made.name: {
                "meaning": made.meaning,
                "path": str(made.path),
                "answer_n": made.answer_n,
            }
            for made in written
        },
    }  # fmt: skip
