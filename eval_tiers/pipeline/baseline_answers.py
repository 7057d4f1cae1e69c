"""What each baseline answers to the questions of a benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from eval_tiers.domain import labels as chain_labels
from eval_tiers.domain import rr10
from eval_tiers.domain.batch import Batch, SignArray
from eval_tiers.exceptions import Problem, UsageError
from eval_tiers.formats.base import BenchmarkFormat, ChainFormat
from eval_tiers.io.batches import ReadOptions
from eval_tiers.io.gold_alone import index_gold_alone, iter_gold_batches
from eval_tiers.io.paired_rows import PairedRows
from eval_tiers.io.pairs import GoldFile
from eval_tiers.io.rr10_benchmark import read_items

if TYPE_CHECKING:
    from eval_tiers.io.training import TrainingMajority
    from eval_tiers.kg.graph import SignedGraph

MAJORITY: Final = "majority"
RANDOM: Final = "random"
INDETERMINATE: Final = "indeterminate"
TRAIN_MAJORITY: Final = "train_readout_majority"
SHORTEST_PATH: Final = "kg_shortest_path"
MEANINGS: Final = {
    MAJORITY: "always the commonest gold label of all files together",
    RANDOM: "each label equally often, by a hash of seed and question",
    INDETERMINATE: "always 'indeterminate'",
    TRAIN_MAJORITY: "the readout gene's commonest label in the training file; genes it lacks: "
    "the file's commonest label",
    SHORTEST_PATH: "sign of the shortest routes in the knowledge graph, times the perturbation's; "
    "no route: unchanged; ambiguous, or an end or its sign not known: no answer",
}
"""What each baseline answers; names as in ``baselines`` of the summary."""

_BATCH_ROWS: Final = 1 << 15
_NO_ANSWER: Final = -1


@dataclass(frozen=True, slots=True)
class BaselineOptions:
    """What baselines are made of.

    Attributes
    ----------
    train_path : Path or None
        Training questions; adds the baseline of readout majorities.
    graph_paths : tuple of Path
        Knowledge graph (several files are united); adds that of shortest routes.
    seed : int
        Of the random answers.
    duplicates : {"error", "first", "last"}
        What to do with a gold id that is given twice.
    mode_signs : dict of str to int
        Perturbation sign by type, case-folded, for records that give none.
    consensus, undirected : bool, {"skip", "both"}
        How graph files are read.
    """

    train_path: Path | None = None
    graph_paths: tuple[Path, ...] = ()
    seed: int = 0
    duplicates: str = "error"
    mode_signs: dict[str, int] = field(default_factory=dict)
    consensus: bool = False
    undirected: str = "skip"


Answers = dict[str, Sequence[str | None]]


class ChainAnswers:
    """Answers to the questions of a benchmark of chains; all rows are checked before the first.

    Attributes
    ----------
    labels : tuple of str
    names : list of str
        Baselines.
    gold_n : dict of str to int
        Questions by gold label.
    """

    labels = chain_labels.LABELS

    def __init__(
        self,
        gold: Sequence[GoldFile],
        benchmark: ChainFormat,
        options: BaselineOptions,
        scratch: Path,
    ) -> None:
        self._benchmark, self._seed = benchmark, options.seed
        self._read = ReadOptions(options.mode_signs)
        self._rows = [
            index_gold_alone(file, benchmark, scratch, options.duplicates) for file in gold
        ]
        counts = np.zeros(len(self.labels), np.int64)
        for rows in self._rows:
            for batch in self._batches(rows):
                counts += np.bincount(batch.columns["gold_label"], minlength=len(self.labels))
        self.gold_n = dict(zip(self.labels, counts.tolist(), strict=True))
        self._majority = int(counts.argmax())
        self._training = _read_training(options, benchmark, scratch)
        self._graph = _read_graph(options)
        self.names = [MAJORITY, RANDOM]
        self.names += [] if self._training is None else [TRAIN_MAJORITY]
        self.names += [] if self._graph is None else [SHORTEST_PATH]

    def _batches(self, rows: PairedRows) -> Iterator[Batch]:
        return iter_gold_batches(rows, self._benchmark, self._read, _BATCH_ROWS)

    def answers(self, number: int) -> Iterator[tuple[Sequence[str | None], Answers]]:
        """Yield (ids, answers by baseline) of a gold file, batch by batch."""
        rows = self._rows[number]
        for batch in self._batches(rows):
            ids: list[str] = batch.columns["sample_id"]
            kinds: list[str | None] = batch.columns["pert_type"]
            keys = [
                f"{rows.pair.split}\0{kind}\0{sample_id}"
                for kind, sample_id in zip(kinds, ids, strict=True)
            ]
            codes = {
                MAJORITY: np.full(batch.n, self._majority),
                RANDOM: random_codes(keys, len(self.labels), self._seed),
            }
            if self._training is not None:
                codes[TRAIN_MAJORITY], _ = self._training.predict(batch.symbols, batch.readout)
            if self._graph is not None:
                codes[SHORTEST_PATH] = shortest_path_codes(batch, self._graph)
            yield ids if rows.gold_has_ids else [None] * batch.n, _words(codes, self.labels)


class ItemAnswers:
    """Answers to the items of a benchmark of cited datasets; attributes as `ChainAnswers`."""

    labels = rr10.LABELS

    def __init__(
        self,
        gold: Sequence[GoldFile],
        benchmark: BenchmarkFormat,
        options: BaselineOptions,
        scratch: Path,
    ) -> None:
        for name, given in (
            ("--train-file", options.train_path is not None),
            ("--external-kg", bool(options.graph_paths)),
            ("--mode", bool(options.mode_signs)),
        ):
            if given:
                told = f"{name} has no meaning for the baselines of format {benchmark.name}"
                raise UsageError(Problem("option-without-effect", told, fix="leave it out"))
        if len(gold) != 1:
            told = f"format {benchmark.name} is one benchmark file"
            raise UsageError(Problem("one-pair-only", told, fix="give --gt-file"))
        self._seed = options.seed
        self._items = [
            read_items(file.path, scratch, benchmark.name, options.duplicates) for file in gold
        ]
        counts = Counter(item.label for items in self._items for item in items)
        self.gold_n = {word: counts[code] for code, word in enumerate(self.labels)}
        self._majority = max(range(len(self.labels)), key=lambda code: (counts[code], -code))
        self.names = [MAJORITY, RANDOM, INDETERMINATE]

    def answers(self, number: int) -> Iterator[tuple[Sequence[str | None], Answers]]:
        """Yield (ids, answers by baseline) of a gold file."""
        ids = [item.sample_id for item in self._items[number]]
        codes = {
            MAJORITY: np.full(len(ids), self._majority),
            RANDOM: random_codes(ids, len(self.labels), self._seed),
            INDETERMINATE: np.full(len(ids), rr10.INDETERMINATE),
        }
        yield ids, _words(codes, self.labels)


def random_codes(keys: Sequence[str], label_n: int, seed: int) -> NDArray[np.int64]:
    """Return a code below ``label_n`` a question, by a hash: whatever the order of questions."""
    start = blake2b(f"{seed}\0".encode(), digest_size=8)
    found = []
    for key in keys:
        digest = start.copy()
        digest.update(key.encode("utf-8", "surrogatepass"))
        found.append(int.from_bytes(digest.digest(), "little") % label_n)
    return np.array(found, np.int64)


def shortest_path_codes(batch: Batch, graph: SignedGraph) -> SignArray:
    """Return the label codes that the shortest routes of a batch's questions give, -1 none."""
    from eval_tiers.kg.shortest import NO_ROUTE, shortest_route_signs

    index: Callable[..., int] = graph.index.get
    node = np.fromiter(
        (index(symbol, -1) for symbol in (*batch.symbols, "")), np.int64, len(batch.symbols) + 1
    )
    has_ends = (batch.perturbation >= 0) & (batch.readout >= 0)
    # Questions of one pair are asked once.
    ends = np.stack([node[batch.perturbation], node[batch.readout]])
    pairs, of_row = np.unique(ends, axis=1, return_inverse=True)
    signs = shortest_route_signs(graph, pairs[0], pairs[1])[of_row.reshape(-1)]
    product = np.where(signs == NO_ROUTE, 0, signs) * batch.columns["perturbation_sign"]
    codes = np.select(
        [product == 1, product == -1], [chain_labels.UP, chain_labels.DOWN], _NO_ANSWER
    )
    codes[signs == NO_ROUTE] = chain_labels.UNCHANGED
    codes[~has_ends] = _NO_ANSWER
    return codes.astype(np.int8)


def _words(codes: dict[str, NDArray[Any]], labels: tuple[str, ...]) -> Answers:
    words: tuple[str | None, ...] = (*labels, None)  # -1 reads the last one: no answer
    return {name: [words[code] for code in column.tolist()] for name, column in codes.items()}


def _read_training(
    options: BaselineOptions, benchmark: ChainFormat, scratch: Path
) -> TrainingMajority | None:
    if options.train_path is None:
        return None
    from eval_tiers.io.training import read_training_majority

    return read_training_majority(options.train_path, benchmark, scratch)


def _read_graph(options: BaselineOptions) -> SignedGraph | None:
    if not options.graph_paths:
        return None
    from eval_tiers.io.graphs import read_graph
    from eval_tiers.kg.source import ReadOptions as GraphOptions

    found = GraphOptions(consensus=options.consensus, undirected=options.undirected)
    return read_graph(options.graph_paths, found)
