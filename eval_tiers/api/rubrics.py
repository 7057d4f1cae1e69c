"""Rubric judging: tasks and reports checked, judged rubrics scored and held against people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval_tiers.api.paths import Pathname

if TYPE_CHECKING:
    from eval_tiers.pipeline.rubrics.agree import RubricAgreement
    from eval_tiers.pipeline.rubrics.compare import RubricCompareOptions, RubricComparison
    from eval_tiers.pipeline.rubrics.score import ScoredRubrics
    from eval_tiers.pipeline.rubrics.validate import RubricsCheck


def check_rubrics(data: Pathname, responses: Pathname) -> RubricsCheck:
    """Check a file of tasks and the folder of their reports before they are judged.

    Parameters
    ----------
    data : path-like
        ``processed_data.jsonl``.
    responses : path-like
        Folder with ``<sample_id>.md`` for each task.

    Raises
    ------
    BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.rubrics.validate import check_rubrics as check

    return check(Path(data), Path(responses))


def score_rubrics(
    results: Pathname,
    data: Pathname | None = None,
    *,
    unscored: str = "strict",
    ternary: bool = False,
    binarize: bool = False,
    output_dir: Pathname | None = None,
    spreadsheet_safe: bool = False,
    arguments: Sequence[str] = (),
) -> ScoredRubrics:
    """Score judged rubrics.

    Parameters
    ----------
    results : path-like
        A ``batch_evaluation_*.jsonl``, or the folder with all of them.
    data : path-like, optional
        ``processed_data.jsonl``; without it what is expected is what the rows hold.
    unscored : {"strict", "exclude", "zero"}
        A sample with rubrics that have no score: no score; scored without them; they count as not
        satisfied.
    ternary : bool
        Whether ``Partially Satisfied`` scores .5.
    binarize : bool
        Whether ``Partially Satisfied`` counts as ``Not Satisfied``.
    output_dir : path-like, optional
        Folder for summary and tables; nothing is written without it.
    spreadsheet_safe : bool
        Whether ``'`` goes before cells that a spreadsheet would run.
    arguments : sequence of str
        For the summary.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.rubrics.score import ScoreOptions, score_results

    return score_results(
        ScoreOptions(
            Path(results),
            None if data is None else Path(data),
            unscored,
            ternary,
            binarize,
            None if output_dir is None else Path(output_dir),
            spreadsheet_safe,
            tuple(arguments),
        )
    )


def agree_rubrics(
    results: Pathname,
    human: Pathname,
    data: Pathname | None = None,
    *,
    ternary: bool = False,
    binarize: bool = False,
    output_dir: Pathname | None = None,
    arguments: Sequence[str] = (),
) -> RubricAgreement:
    """Compare an examiner's verdicts with people's, rubric by rubric.

    Parameters
    ----------
    results : path-like
        A ``batch_evaluation_*.jsonl``, or the folder with all of them.
    human : path-like
        Rows of the same shape, or CSV with sample_id, verdict, and rubric_index or rubric_title.
    data : path-like, optional
        ``processed_data.jsonl``: tells rubrics and axes.
    ternary, binarize : bool
        As for `score_rubrics`.
    output_dir : path-like, optional
        Folder for the summary; nothing is written without it.
    arguments : sequence of str
        For the summary.

    Raises
    ------
    BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.rubrics.agree import AgreeOptions, compare_with_people

    return compare_with_people(
        AgreeOptions(
            Path(results),
            Path(human),
            None if data is None else Path(data),
            ternary,
            binarize,
            None if output_dir is None else Path(output_dir),
            tuple(arguments),
        )
    )


def compare_rubrics(
    *paths: Pathname, options: RubricCompareOptions | None = None
) -> RubricComparison:
    """Compare several systems' reports on the same tasks, paired by sample and rubric.

    Parameters
    ----------
    *paths : path-like
        Two or more: folders that scored rubrics were written to, ``batch_evaluation_*.jsonl``, or
        folders of them. The one that is named first is the reference.
    options : eval_tiers.pipeline.rubrics.compare.RubricCompareOptions, optional

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.rubrics.compare import RubricCompareOptions, compare_rubric_results

    return compare_rubric_results([Path(path) for path in paths], options or RubricCompareOptions())


def are_judged_rubrics(paths: Sequence[Pathname]) -> bool:
    """Whether these are judged rubrics, scored or not, and no runs of another kind.

    Raises
    ------
    UsageError
        Some are and some aren't.
    """
    from eval_tiers.exceptions import Problem, SourceRef, UsageError
    from eval_tiers.pipeline.rubrics.scored_results import are_rubric_results, are_sure_results

    found = [are_rubric_results(Path(path)) for path in paths]
    if not all(found):
        found = [are_sure_results(Path(path)) for path in paths]
    if any(found) and not all(found):
        other = Path(paths[found.index(False)])
        if other.exists():
            message = "this holds no judged rubrics, as others that are named do"
            fix = "compare judged rubrics with judged rubrics, runs with runs"
            raise UsageError(Problem("different-format", message, SourceRef(str(other)), fix))
    return any(found)
