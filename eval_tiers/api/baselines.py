"""Answers that take no model, written and scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval_tiers.api.evaluations import write_evaluation
from eval_tiers.api.paths import Pathname, path_list
from eval_tiers.api.plans import make_plan
from eval_tiers.exceptions import Problem, UsageError

if TYPE_CHECKING:
    from eval_tiers.pipeline.baselines import WrittenBaselines


def write_baselines(
    output_dir: Pathname,
    *,
    gt_dir: Pathname | None = None,
    gt_file: Pathname | None = None,
    format: str = "auto",
    train_file: Pathname | None = None,
    external_kg: Pathname | Sequence[Pathname] | None = None,
    consensus: bool = False,
    undirected: str = "skip",
    mode: Mapping[str, int] | None = None,
    duplicates: str = "error",
    seed: int = 0,
    score: bool = False,
    jobs: int = 1,
    arguments: Sequence[str] = (),
) -> WrittenBaselines:
    """Write answers that take no model as prediction files; score them if asked to.

    Parameters
    ----------
    output_dir : path-like
        A new or empty folder.
    gt_dir, gt_file : path-like, optional
        One of them; without either, the bundled demo data.
    format, train_file, external_kg, consensus, undirected, mode, duplicates
        As `evaluate`.
    seed : int
        Of the random answers.
    score : bool
        Whether to evaluate each (tier 1) into ``runs/<baseline>/``.
    jobs : int
        Processes for that; 0: as many as there are processors.
    arguments : sequence of str
        For the manifests.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.io.benchmark_kind import choose_format
    from eval_tiers.io.demo import demo_inputs, rr10_demo_inputs
    from eval_tiers.io.pairs import find_gold, single_gold
    from eval_tiers.io.prediction_writing import write_baselines_manifest
    from eval_tiers.pipeline.baseline_answers import BaselineOptions
    from eval_tiers.pipeline.baselines import note_run, write_baseline_files

    if gt_dir is not None and gt_file is not None:
        told = "gold comes as a folder or as a file"
        fix = "give --gt-dir or --gt-file"
        raise UsageError(Problem("two-golds", told, fix=fix))
    if gt_dir is None and gt_file is None and format == "rr10":
        gt_file = rr10_demo_inputs().gold
    elif gt_dir is None and gt_file is None:
        demo = demo_inputs()
        gt_dir, external_kg = demo.gold, external_kg or demo.graph
    gold = find_gold(gt_dir) if gt_file is None and gt_dir is not None else []
    if gt_file is not None:
        gold = [single_gold(gt_file)]
    output, signs = Path(output_dir), {name.casefold(): sign for name, sign in (mode or {}).items()}
    written = write_baseline_files(
        gold,
        None if gt_dir is None else Path(gt_dir),
        choose_format(gold[0].path, format),
        output,
        BaselineOptions(
            None if train_file is None else Path(train_file),
            () if external_kg is None else tuple(path_list(external_kg)),
            seed, duplicates, signs, consensus, undirected,
        ),
        arguments,
    )  # fmt: skip
    for made in written.baselines if score else ():
        plan = make_plan(
            gt_dir=gt_dir, pred_dir=None if gt_dir is None else made.path,
            gt_file=gt_file, pred_file=None if gt_file is None else made.path,
            tiers=(1,), format=written.format_name, duplicates=duplicates, mode=mode, jobs=jobs,
        )  # fmt: skip
        run = write_evaluation(plan, output / "runs" / made.name, arguments=arguments)
        note_run(written, made, run.run_dir, run.summary)
    write_baselines_manifest(output, written.manifest)
    return written
