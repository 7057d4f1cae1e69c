"""The hard rows of a run as cases: which are asked about, and what goes into each."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from eval_tiers.domain.findings import Finding
from eval_tiers.formats.base import ChainFormat
from eval_tiers.formats.registry import format_named
from eval_tiers.io.rescue_run import RescueRun
from eval_tiers.pipeline.rescue.sources import Overrides
from eval_tiers.rescue.cases import Case
from eval_tiers.rescue.golds import GoldChain
from eval_tiers.rescue.registry import kind_for

if TYPE_CHECKING:
    from eval_tiers.domain.rr10 import Item
    from eval_tiers.kg.graph import SignedGraph
    from eval_tiers.kg.provenance import ProvenanceGraph

_NO_TEXT = frozenset({"missing_prediction", "empty", "missing", "blank"})


@dataclass(frozen=True, slots=True)
class Asked:
    """A hard row that is asked about: its place in the samples, its kind of question."""

    row: int
    kind: str


@dataclass(slots=True)
class CaseSet:
    """The cases of an export, and what controls are made from.

    Attributes
    ----------
    cases : list of Case
        In the order of the samples.
    hard_n : int
        Hard rows of the samples.
    left_out : dict of str to int
        Hard rows that no question is asked about, by reason.
    golds : list of GoldChain
        Samples that controls can be made from; chains only.
    graph : SignedGraph or None
    items, provenance
        The same for citations.
    findings : list of Finding
    """

    cases: list[Case]
    hard_n: int
    left_out: dict[str, int] = field(default_factory=dict)
    golds: list[GoldChain] = field(default_factory=list)
    graph: SignedGraph | None = None
    items: list[Item] = field(default_factory=list)
    provenance: ProvenanceGraph | None = None
    findings: list[Finding] = field(default_factory=list)


def choose_rows(
    run: RescueRun, max_samples: int | None, seed: int, kinds: Collection[str] | None = None
) -> tuple[list[Asked], int, dict[str, int]]:
    """Return the hard rows that are asked about, how many hard rows there are, what is left out.

    Parameters
    ----------
    run : RescueRun
    max_samples : int or None
        A random sample of so many, drawn by the seed; all when None.
    seed : int
    kinds : collection of str, optional
        Only these kinds of question.
    """
    samples = run.samples
    named = "parse_failure_reason" if "parse_failure_reason" in samples else "invalid_reason"
    reasons = samples.column(named)
    asked: list[Asked] = []
    left_out: Counter[str] = Counter()
    hard_n = 0
    for row, (hard, label) in enumerate(
        zip(samples.column("hard_case"), samples.column("error_label"), strict=True)
    ):
        if (hard or "").casefold() not in ("true", "1"):
            continue
        hard_n += 1
        kind = kind_for(label or "", reasons[row] not in _NO_TEXT)
        if kind is None:
            left_out["no_text" if label == "PARSE_FAIL" else "no_question"] += 1
        elif kinds is not None and kind.name not in kinds:
            left_out["other_kind"] += 1
        else:
            asked.append(Asked(row, kind.name))
    if max_samples is not None and len(asked) > max_samples:
        left_out["not_drawn"] = len(asked) - max_samples
        drawn = random.Random(f"{seed} samples").sample(range(len(asked)), max_samples)
        asked = [asked[number] for number in sorted(drawn)]
    return asked, hard_n, dict(left_out)


def build_cases(
    run: RescueRun,
    overrides: Overrides,
    max_samples: int | None = None,
    seed: int = 0,
    blind: bool = False,
    kinds: Collection[str] | None = None,
    gold_n: int = 0,
) -> CaseSet:
    """Build the cases of a run's hard rows.

    Parameters
    ----------
    run : RescueRun
    overrides : Overrides
        Inputs that are named anew.
    max_samples, seed, kinds
        As `choose_rows`.
    blind : bool
        Whether evidence may show nothing of the gold chain.
    gold_n : int
        How many samples to read for controls to be made from, at most.

    Raises
    ------
    MissingResourceError, BadInputError, UsageError
        An input isn't there or is another by now; the run has no tier 2.
    """
    asked, hard_n, left_out = choose_rows(run, max_samples, seed, kinds)
    found = CaseSet([], hard_n, left_out)
    with tempfile.TemporaryDirectory(prefix="eval_tiers-") as folder:
        scratch = Path(folder)
        if isinstance(format_named(run.benchmark), ChainFormat):
            from eval_tiers.pipeline.rescue.chain_cases import add_chain_cases

            add_chain_cases(found, run, overrides, asked, scratch, seed, blind, gold_n)
        else:
            from eval_tiers.pipeline.rescue.citation_cases import add_citation_cases

            add_citation_cases(found, run, overrides, asked, scratch)
    return found
