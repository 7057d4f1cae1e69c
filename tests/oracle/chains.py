"""Tier 2 of one sample: the chain metrics, the error label, the chain's validity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tests.oracle.texts import Triple

Pair = tuple[str, str]
Chain = dict[Pair, int]  # the sign of each distinct pair
Value = str | int | float | bool | None

HALLUCINATION_THRESHOLD = 0.5
COVERAGE_THRESHOLD = 0.5
MAX_VISITS = 10_000
STATUSES = (
    "supported",
    "unsigned_in_kg",
    "sign_contradicted",
    "unknown_node",
    "reversed",
    "shortcut",
    "absent",
)
ERROR_LABELS = (
    "CORRECT",
    "CORRECT_HALLUCINATED_EDGE",
    "CORRECT_RIGHT_FOR_WRONG_REASON",
    "CORRECT_SIGN_FLIP",
    "WRONG_CORRECT_CHAIN",
    "WRONG_HALLUCINATED_EDGE",
    "WRONG_NO_PATH",
    "WRONG_SIGN_FLIP",
    "PARSE_FAIL",
    "UNCLASSIFIED",
)
HARD_CASES = (
    "CORRECT_HALLUCINATED_EDGE",
    "CORRECT_RIGHT_FOR_WRONG_REASON",
    "WRONG_CORRECT_CHAIN",
    "PARSE_FAIL",
)


@dataclass
class Graph:
    """The knowledge graph: the set of signs of each pair."""

    signs: dict[Pair, set[int]] = field(default_factory=dict)
    nodes: set[str] = field(default_factory=set)
    targets: dict[str, list[str]] = field(default_factory=dict)

    def add(self, source: str, target: str, sign: int) -> None:
        if (source, target) not in self.signs:
            self.signs[(source, target)] = set()
            self.targets.setdefault(source, []).append(target)
        self.signs[(source, target)].add(sign)
        self.nodes.update((source, target))


def collapse(edges: Iterable[Triple]) -> Chain:
    """Distinct pairs; one given with several different signs is unsigned."""
    given: dict[Pair, set[int]] = {}
    for source, sign, target in edges:
        given.setdefault((source, target), set()).add(sign)
    return {pair: min(signs) if len(signs) == 1 else 0 for pair, signs in given.items()}


# --------------------------------------------------------------------------- M1


def overlap_f1(gold: set[object], predicted: set[object]) -> float:
    """F1 of two sets: 1 when both are empty, 0 when one is."""
    if not gold and not predicted:
        return 1.0
    return 2 * len(gold & predicted) / (len(gold) + len(predicted))


# --------------------------------------------------------------------------- M2


def reaches(pairs: Iterable[Pair], start: str, end: str) -> bool:
    """Is there a walk of at least one edge from start to end?"""
    pairs = list(pairs)
    reached: set[str] = set()
    frontier = {start}
    while frontier:
        step = {b for a, b in pairs if a in frontier}
        frontier = step - reached
        reached |= step
    return end in reached


def simple_paths(pairs: Iterable[Pair], start: str, end: str) -> list[list[Pair]] | None:
    """Every simple path from start to end, or simple cycle where these are one.

    Depth first, over the edges whose head is the end or still reaches it.  Each edge tried is a
    visit; None when there are more than 10,000.
    """
    pairs = list(pairs)
    before_end = {end}  # the nodes that reach the end
    while True:
        more = {a for a, b in pairs if b in before_end} - before_end
        if not more:
            break
        before_end |= more
    leaving: dict[str, list[Pair]] = {}
    for a, b in pairs:
        if b in before_end:
            leaving.setdefault(a, []).append((a, b))
    visits = 0
    paths: list[list[Pair]] = []
    path: list[Pair] = []
    on_path = {start}
    stack: list[Iterator[Pair]] = [iter(leaving.get(start, []))]
    while stack:
        pair = next(stack[-1], None)
        if pair is None:
            stack.pop()
            if path:
                on_path.discard(path.pop()[1])
            continue
        visits += 1
        if visits > MAX_VISITS:
            return None
        head = pair[1]
        if head == end:
            paths.append([*path, pair])
        elif head not in on_path:
            path.append(pair)
            on_path.add(head)
            stack.append(iter(leaving.get(head, [])))
    return paths


# --------------------------------------------------------------------------- M3


def implied_answer(
    chain: Chain, paths: list[list[Pair]] | None, perturbation_sign: int | None
) -> str | None:
    """What the signs along the paths say, times the perturbation's sign."""
    if not paths or perturbation_sign is None:
        return None
    products = set()
    for path in paths:
        product = perturbation_sign
        for pair in path:
            product *= chain[pair]
        products.add(product)
    if products == {1}:
        return "up"
    if products == {-1}:
        return "down"
    return None


# --------------------------------------------------------------------------- M4


def edge_status(pair: Pair, sign: int, graph: Graph) -> str:
    """The status of one predicted pair in the knowledge graph."""
    source, target = pair
    known = graph.signs.get(pair)
    if known is not None:
        if sign != 0 and sign in known:
            return "supported"
        if sign == 0 and known != {0}:
            return "supported"
        if 0 in known:
            return "unsigned_in_kg"
        return "sign_contradicted"
    if source not in graph.nodes or target not in graph.nodes:
        return "unknown_node"
    if (target, source) in graph.signs:
        return "reversed"
    if any((middle, target) in graph.signs for middle in graph.targets.get(source, [])):
        return "shortcut"
    return "absent"


# --------------------------------------------------------------------------- M5


def error_label(
    *,
    predicted_label: str | None,
    correct: bool,
    gold_missing: bool,
    gold_empty: bool,
    predicted_empty: bool,
    ends_known: bool,
    hallucination_rate: float | None,
    connected: bool | None,
    chain_coverage: float | None,
    sign_flip_n: int | None,
) -> str | None:
    """The table of error labels, row by row."""
    flips = 0 if sign_flip_n is None else sign_flip_n
    if predicted_label is None:  # 1
        return "PARSE_FAIL"
    if gold_missing and not ends_known:  # 2
        return None if correct else "UNCLASSIFIED"
    if correct and not gold_missing and gold_empty and predicted_empty:  # 3
        return "CORRECT"
    if hallucination_rate is not None and hallucination_rate >= HALLUCINATION_THRESHOLD:  # 4
        return "CORRECT_HALLUCINATED_EDGE" if correct else "WRONG_HALLUCINATED_EDGE"
    if correct:
        if connected is False:  # 5
            return "CORRECT_RIGHT_FOR_WRONG_REASON"
        if chain_coverage is not None and chain_coverage < COVERAGE_THRESHOLD:  # 5
            return "CORRECT_RIGHT_FOR_WRONG_REASON"
        if flips == 1:  # 6
            return "CORRECT_SIGN_FLIP"
        if flips >= 2:  # 7
            return "CORRECT_RIGHT_FOR_WRONG_REASON"
        return "CORRECT"  # 8
    if connected is False or predicted_empty:  # 9
        return "WRONG_NO_PATH"
    if flips % 2 == 1:  # 10
        return "WRONG_SIGN_FLIP"
    return "WRONG_CORRECT_CHAIN"  # 11


def chain_validity(
    predicted: Chain,
    predicted_label: str | None,
    implied: str | None,
    kg_connected: bool | None,
    paths: list[list[Pair]] | None,
    graph: Graph,
) -> str:
    """valid, invalid or unverifiable, judged on the edges on a path and without the gold chain."""
    if not predicted or predicted_label is None or predicted_label == "unchanged":
        return "unverifiable"
    if implied is None or paths is None:
        return "unverifiable"
    contradicted = False
    for path in paths:
        for pair in path:
            known = graph.signs.get(pair)
            if known in ({1}, {-1}) and predicted[pair] != 0 and predicted[pair] not in known:
                contradicted = True
    if kg_connected and not contradicted and implied == predicted_label:
        return "valid"
    return "invalid"


# --------------------------------------------------------------------------- one sample


def chain_columns(
    *,
    gold: Chain | None,
    predicted: Chain,
    start: str | None,
    end: str | None,
    perturbation_sign: int | None,
    gold_label: str,
    predicted_label: str | None,
    graph: Graph | None,
) -> dict[str, Value]:
    """The columns of tier 2 of one sample, from ``edge_precision`` to ``chain_validity``."""
    row: dict[str, Value] = {}
    row["gold_edge_n"] = None if gold is None else len(gold)
    row["predicted_edge_n"] = len(predicted)
    row.update(gold_columns(gold, predicted))

    # The ends' columns: null when an end is not known.
    connected: bool | None = None
    kg_connected: bool | None = None
    implied: str | None = None
    gold_implied: str | None = None
    off_path_n: int | None = None
    paths: list[list[Pair]] | None = None
    if start is not None and end is not None:
        connected = reaches(predicted, start, end)
        if graph is not None:
            kg_connected = reaches([p for p in predicted if p in graph.signs], start, end)
        paths = simple_paths(predicted, start, end)
        implied = implied_answer(predicted, paths, perturbation_sign)
        if paths is not None:
            on_path = {pair for path in paths for pair in path}
            off_path_n = len(predicted) - len(on_path)
        if gold is not None:
            gold_paths = simple_paths(gold, start, end)
            gold_implied = implied_answer(gold, gold_paths, perturbation_sign)
    row["connected"] = connected
    row["kg_connected"] = kg_connected
    row["implied_answer"] = implied
    row["gold_implied_answer"] = gold_implied
    row["off_path_edge_n"] = off_path_n

    rates = graph_columns(gold, predicted, graph)
    row.update(rates)
    hallucination = rates["hallucination_rate"]
    coverage = row["chain_coverage"]
    flips = row["sign_flip_n"]
    label = error_label(
        predicted_label=predicted_label,
        correct=predicted_label == gold_label,
        gold_missing=gold is None,
        gold_empty=gold is not None and not gold,
        predicted_empty=not predicted,
        ends_known=start is not None and end is not None,
        hallucination_rate=hallucination if isinstance(hallucination, float) else None,
        connected=connected,
        chain_coverage=coverage if isinstance(coverage, float) else None,
        sign_flip_n=flips if isinstance(flips, int) else None,
    )
    row["error_label"] = label
    row["hard_case"] = label in HARD_CASES
    row["chain_validity"] = None
    if graph is not None:
        row["chain_validity"] = chain_validity(
            predicted, predicted_label, implied, kg_connected, paths, graph
        )
    return row


def gold_columns(gold: Chain | None, predicted: Chain) -> dict[str, Value]:
    """What compares the two chains; all null without a gold chain."""
    names = ("edge_precision", "edge_recall", "edge_f1", "edge_f1_relaxed", "chain_coverage")
    row: dict[str, Value] = dict.fromkeys((*names, "sign_match", "sign_flip_n"))
    if gold is None:
        return row
    gold_signed = {(pair, sign) for pair, sign in gold.items()}
    predicted_signed = {(pair, sign) for pair, sign in predicted.items()}
    common = len(gold_signed & predicted_signed)
    if predicted:
        row["edge_precision"] = common / len(predicted)
    if gold:
        row["edge_recall"] = common / len(gold)
    row["edge_f1"] = overlap_f1(set(gold_signed), set(predicted_signed))
    row["edge_f1_relaxed"] = overlap_f1(set(gold), set(predicted))
    shared = [pair for pair in predicted if pair in gold]
    row["chain_coverage"] = len(shared) / len(gold) if gold else 1.0
    # Signs disagree when both are there and opposite: their product is -1.
    flips = sum(gold[pair] * predicted[pair] == -1 for pair in shared)
    row["sign_flip_n"] = flips
    if shared:
        row["sign_match"] = (len(shared) - flips) / len(shared)
    return row


def graph_columns(gold: Chain | None, predicted: Chain, graph: Graph | None) -> dict[str, Value]:
    """What compares the predicted chain with the knowledge graph."""
    row: dict[str, Value] = dict.fromkeys(
        ("kg_sign_match", "hallucination_rate", "hallucination_rate_excl_gold", "in_kg_rate")
    )
    for status in STATUSES:
        row[f"edge_status_{status}_n"] = None
    if graph is None:
        return row
    statuses = [edge_status(pair, sign, graph) for pair, sign in predicted.items()]
    for status in STATUSES:
        row[f"edge_status_{status}_n"] = statuses.count(status)
    outside = [pair for pair in predicted if pair not in graph.signs]
    inside = [pair for pair in predicted if pair in graph.signs]
    if predicted:
        not_gold = [pair for pair in outside if gold is None or pair not in gold]
        row["hallucination_rate"] = len(outside) / len(predicted)
        row["hallucination_rate_excl_gold"] = len(not_gold) / len(predicted)
        row["in_kg_rate"] = len(inside) / len(predicted)
    if inside:
        agreeing = 0
        for pair in inside:
            sign, known = predicted[pair], graph.signs[pair]
            agreeing += sign == 0 or 0 in known or sign in known
        row["kg_sign_match"] = agreeing / len(inside)
    return row
