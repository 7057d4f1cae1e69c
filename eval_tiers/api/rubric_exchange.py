"""Rubrics to an examiner and back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval_tiers.api.paths import Pathname, path_list

if TYPE_CHECKING:
    from eval_tiers.pipeline.rubrics.export import WrittenRubricExport
    from eval_tiers.pipeline.rubrics.merge import MergedRubrics
    from eval_tiers.rubrics.tokens import Ruler


def export_rubrics(
    data: Pathname,
    responses: Pathname,
    output: Pathname,
    *,
    model: str = "judge",
    max_tokens: int = 512,
    chunk_tokens: int = 100_000,
    tokenizer: Pathname | None = None,
    ternary: bool = False,
    repeats: int = 1,
    controls: int = 30,
    seed: int = 0,
    predictor: str | None = None,
    split: bool = False,
    force: bool = False,
) -> WrittenRubricExport:
    """Write the rubrics of every report as requests to an examiner, with controls among them.

    Parameters
    ----------
    data : path-like
        ``processed_data.jsonl``.
    responses : path-like
        Folder of ``<sample_id>.md``.
    output : path-like
        Request file; index, manifest and key of the controls go beside it.
    model : str
        As the engine calls it.
    max_tokens : int
        Longest reply.
    chunk_tokens : int
        A longer report is judged in parts.
    tokenizer : path-like, optional
        The model's folder, or its ``tokenizer.json``; without it a token is four characters.
    ternary : bool
        Whether "Partially Satisfied" may be said.
    repeats, controls, seed, predictor, split, force
        See `eval_tiers.pipeline.rubrics.export.RubricExportOptions`.

    Raises
    ------
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.pipeline.rubrics.export import RubricExportOptions
    from eval_tiers.pipeline.rubrics.export import export_rubrics as export

    options = RubricExportOptions(
        output=Path(output),
        ruler=_ruler(chunk_tokens, tokenizer),
        model=model,
        max_tokens=max_tokens,
        repeats=repeats,
        controls=controls,
        ternary=ternary,
        seed=seed,
        predictor=predictor,
        split=split,
        force=force,
    )
    return export(Path(data), Path(responses), options)


def merge_rubrics(
    replies: Pathname | Sequence[Pathname],
    *,
    index: Pathname | None = None,
    output_dir: Pathname = "results",
    duplicates: str = "unparsable",
    retry_unparsable: bool = False,
    price_in: float | None = None,
    price_out: float | None = None,
    force: bool = False,
) -> MergedRubrics:
    """Merge an examiner's replies into result rows, and write what is to be asked next.

    Parameters
    ----------
    replies : path-like or sequence of them
        Reply files: partial, late, unordered, gzip.
    index : path-like, optional
        ``*.index.csv`` of the export; looked for beside the replies.
    output_dir : path-like
        Folder for rows, summary and requests.
    duplicates, retry_unparsable, force
        See `eval_tiers.pipeline.rubrics.merge.RubricMergeOptions`.
    price_in, price_out : float, optional
        USD a million tokens read and written.

    Raises
    ------
    RepliesError
        There are replies, and none of their ids is known.
    UsageError, BadInputError, MissingResourceError
        See `eval_tiers.exceptions`.
    """
    from eval_tiers.exceptions import Problem, UsageError
    from eval_tiers.pipeline.rubrics.merge import RubricMergeOptions
    from eval_tiers.pipeline.rubrics.merge import merge_rubrics as merge
    from eval_tiers.rubrics.costs import MAX_PRICE
    from eval_tiers.rubrics.replies import Prices

    if (price_in is None) != (price_out is None):
        raise UsageError(
            Problem("one-price", "one price of two is given: no cost could be worked out",
                    fix="give --price-in and --price-out, or none")
        )  # fmt: skip
    for price in (price_in, price_out):
        if price is not None and not 0 <= price <= MAX_PRICE:  # nan isn't either
            raise UsageError(
                Problem("bad-price", f"a price is {price:g}, not 0 to {MAX_PRICE:,.0f} USD",
                        fix="give the price of a million tokens")
            )  # fmt: skip
    options = RubricMergeOptions(
        index=None if index is None else Path(index),
        output_dir=Path(output_dir),
        duplicates=duplicates,
        retry_unparsable=retry_unparsable,
        prices=Prices(price_in, price_out),
        force=force,
    )
    return merge(path_list(replies), options)


def _ruler(chunk_tokens: int, tokenizer: Pathname | None) -> Ruler:
    """Return how parts are measured; raise where the tokenizer that is named can't be used."""
    from eval_tiers.exceptions import MissingResourceError, Problem, SourceRef
    from eval_tiers.inference.model_files import token_counter
    from eval_tiers.rubrics.tokens import Ruler

    if tokenizer is None:
        return Ruler(chunk_tokens)
    path = Path(tokenizer)
    folder = path.parent if path.name == "tokenizer.json" else path
    count, is_own = token_counter(folder)
    if not is_own:
        missing = not (folder / "tokenizer.json").is_file()
        message = (
            "there is no tokenizer.json"
            if missing
            else "the tokenizer can't be used: the package tokenizers is missing, or can't read it"
        )
        fix = "name the model's folder, pip install tokenizers, or leave --tokenizer out"
        raise MissingResourceError(Problem("no-tokenizer", message, SourceRef(str(path)), fix))
    return Ruler(chunk_tokens, count, "the model's tokenizer")
