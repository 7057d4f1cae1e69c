"""A plan of an evaluation from what a caller names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval_tiers.api.paths import Pathname, path_list
from eval_tiers.exceptions import Problem, UsageError
from eval_tiers.settings import Settings

if TYPE_CHECKING:
    from eval_tiers.pipeline.plan import Plan


def make_plan(
    *,
    gt_dir: Pathname | None = None,
    pred_dir: Pathname | None = None,
    gt_file: Pathname | None = None,
    pred_file: Pathname | None = None,
    external_kg: Pathname | Sequence[Pathname] | Mapping[str, Pathname] | None = None,
    go_gmt: Pathname | Mapping[str, Pathname] | None = None,
    tiers: Iterable[int] = (1, 2),
    format: str = "auto",
    split: str | None = None,
    settings: Settings | None = None,
    duplicates: str | None = None,
    pair: str = "auto",
    mode: Mapping[str, int] | None = None,
    by: Sequence[str] = (),
    cluster: str | None = None,
    train_file: Pathname | None = None,
    consensus: bool = False,
    undirected: str = "skip",
    rr10_compat: bool = False,
    evidence: str = "auto",
    evidence_shown: bool | None = None,
    osd_registry: Pathname | None = None,
    osd_table: Mapping[str, Pathname] | None = None,
    genes: Mapping[str, Pathname] | None = None,
    jobs: int = 1,
    batch_rows: int | None = None,
) -> Plan:
    """Return the plan of an evaluation; parameters as `evaluate`.

    Raises
    ------
    UsageError
        Paths or options that don't fit together.
    BadInputError, MissingResourceError
        Folders or files that aren't there or can't be paired.
    """
    from eval_tiers.domain.clusterings import (
        CHAIN_CLUSTERINGS,
        CITATION_CLUSTERINGS,
        clustering_named,
    )
    from eval_tiers.formats.base import ChainFormat
    from eval_tiers.io.benchmark_kind import choose_format
    from eval_tiers.io.demo import demo_inputs, rr10_demo_inputs
    from eval_tiers.io.pairs import find_pairs, single_pair
    from eval_tiers.pipeline.plan import (
        ALWAYS_SLICED,
        BATCH_ROWS,
        CitationOptions,
        Plan,
        require_chain_resources,
    )

    graphs, organism_graphs = _split_by_organism(external_kg)
    sets, organism_sets = _split_by_organism(go_gmt)
    given = [gt_dir, pred_dir, gt_file, pred_file]
    if all(path is None for path in given) and format == "rr10":
        bundled = rr10_demo_inputs()
        pairs = [single_pair(bundled.gold, bundled.predictions, split)]
        osd_registry = bundled.registry if osd_registry is None else osd_registry
        osd_table = bundled.tables if osd_table is None else osd_table
        genes = bundled.genes if genes is None else genes
    elif all(path is None for path in given):
        demo = demo_inputs()
        pairs = find_pairs(demo.gold, demo.predictions)
        graphs = graphs or [demo.graph]
        sets = sets or [demo.gene_sets]
    elif gt_dir is not None and pred_dir is not None and gt_file is None and pred_file is None:
        pairs = find_pairs(gt_dir, pred_dir)
    elif gt_file is not None and pred_file is not None and gt_dir is None and pred_dir is None:
        pairs = [single_pair(gt_file, pred_file, split)]
    else:
        raise UsageError(
            Problem(
                "half-a-pair",
                "gold and predictions come as two folders or as two files",
                fix="give --gt-dir with --pred-dir, or --gt-file with --pred-file",
            )
        )
    benchmark = choose_format(pairs[0].gold, format)
    citations = CitationOptions(
        compat=rr10_compat,
        evidence=evidence,
        evidence_shown=evidence_shown,
        registry_path=None if osd_registry is None else Path(osd_registry),
        table_paths={name: Path(path) for name, path in (osd_table or {}).items()},
        gene_list_paths={name: Path(path) for name, path in (genes or {}).items()},
        graph_paths=organism_graphs,
        gene_set_paths=organism_sets,
    )
    plan = Plan(
        pairs=tuple(pairs),
        tiers=frozenset(tiers),
        format_name=benchmark.name,
        graph_paths=tuple(graphs),
        gene_sets_path=sets[0] if sets else None,
        settings=settings or Settings(),
        duplicates=duplicates or ("last" if rr10_compat else "error"),
        pairing=pair,
        mode_signs={name.casefold(): sign for name, sign in (mode or {}).items()},
        by=tuple(name for name in dict.fromkeys(by) if name not in ALWAYS_SLICED),
        cluster=clustering_named(
            cluster,
            CHAIN_CLUSTERINGS if isinstance(benchmark, ChainFormat) else CITATION_CLUSTERINGS,
        ),
        train_path=None if train_file is None else Path(train_file),
        consensus=consensus,
        undirected=undirected,
        citations=citations,
        jobs=jobs,
        batch_rows=batch_rows or BATCH_ROWS,
    )
    if isinstance(benchmark, ChainFormat):
        require_chain_resources(plan)
    return plan


def _split_by_organism(
    paths: Pathname | Sequence[Pathname] | Mapping[str, Pathname] | None,
) -> tuple[list[Path], dict[str, Path]]:
    """Return files for all organisms, and files by organism (``""``: for all the others)."""
    if paths is None:
        return [], {}
    if isinstance(paths, Mapping):
        named = {name: Path(path) for name, path in paths.items()}
        rest = named.pop("", None)
        return [] if rest is None else [rest], named
    return path_list(paths), {}
