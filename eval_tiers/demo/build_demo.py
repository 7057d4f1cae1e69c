"""Build the demo's questions and planted predictions from its network.

The questions are constructed: a chain is taken from the textbook network ``kg_demo.tsv`` and its
sign algebra gives the gold answer, but for a share said to be buffered ('unchanged'). They are no
measurements. The planted predictions are texts with a known fault each; ``planted_labels.tsv``
says which error label each must get.

Standard library only. Every choice is a SHA-256 of a seed and a name, never a random generator,
so the files are the same bytes with any Python. Usage::

    python build_demo.py [--output FOLDER]
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

SEED = "eval_tiers demo 1"
SPLITS = ("id_test", "pert_ood")
KINDS = ("chemical", "genetic")
CELL_LINES = ("A549", "HepG2", "Jurkat", "K562", "MCF7", "RPE1")
ACTIONS = {
    "knockdown": (-1, "{pert} is knocked down with an siRNA"),
    "knockout": (-1, "{pert} is knocked out"),
    "CRISPRi": (-1, "{pert} is silenced with CRISPRi"),
    "activation": (1, "{pert} is activated"),
    "overexpression": (1, "{pert} is overexpressed"),
    "CRISPRa": (1, "{pert} is switched on with CRISPRa"),
    "treatment": (1, "{pert} is added to the medium"),
}
WORDINGS = (
    "In {cell} cells, {action}. Does {gene} (its level or its activity) go up, go down or stay "
    "unchanged? Give the causal chain.",
    "{cell} cells: {action}. What happens to {gene} - up, down or unchanged - and through which "
    "steps?",
    "Suppose that {action} in {cell} cells. Predict the direction of change of {gene} and name "
    "each regulatory step on the way.",
    "A culture of {cell} cells is compared with its control after {action}. Is {gene} up, down or "
    "unchanged? Explain with signed edges.",
)
PER_LENGTH = {1: 5, 2: 12, 3: 10, 4: 7}  # directional questions of a file, by edges of the chain
BUFFERED = 5  # questions of a file with a chain and the answer 'unchanged'
NO_ROUTE = {"chemical": 1, "genetic": 2}  # questions of a file with an empty chain
LABELS = ("down", "unchanged", "up")

Edge = tuple[str, int, str]
Item = TypeVar("Item")


def draw(*name: object) -> int:
    """A large integer that depends on the seed and the name alone."""
    text = "|".join([SEED, *map(str, name)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def choose(options: Sequence[Item], *name: object) -> Item:
    """One of the options."""
    return options[draw(*name) % len(options)]


def shuffled(items: Sequence[Item], *name: object) -> list[Item]:
    """The items in an order of their own, by their text."""
    return sorted(items, key=lambda item: (draw(*name, item), str(item)))


class Network:
    """The signed network, and what the construction asks of it."""

    def __init__(self, path: Path) -> None:
        with path.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines, delimiter="\t"))
        self.signs: dict[tuple[str, str], set[int]] = defaultdict(set)
        self.targets: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            pair = row["source"], row["target"]
            if not self.signs[pair]:
                self.targets[pair[0]].append(pair[1])
            self.signs[pair].add(int(row["sign"]))
        self.chemicals = {r["source"] for r in rows if r["topic"].startswith("pharmacology")}
        nodes = {name for pair in self.signs for name in pair}
        self.genes = sorted(nodes - self.chemicals)

    def routes(self, source: str, longest: int) -> Iterator[tuple[str, ...]]:
        """Simple paths that leave the source, as nodes."""
        stack: list[tuple[str, ...]] = [(source,)]
        while stack:
            route = stack.pop()
            if len(route) > 1:
                yield route
            if len(route) <= longest:
                stack.extend((*route, t) for t in self.targets.get(route[-1], ()) if t not in route)

    def reached(self, source: str) -> set[str]:
        """Every node that some path from the source reaches."""
        found: set[str] = set()
        frontier = [source]
        while frontier:
            new = [t for t in self.targets.get(frontier.pop(), ()) if t not in found]
            found.update(new)
            frontier.extend(new)
        return found

    def edges(self, route: Sequence[str]) -> list[Edge]:
        """The edges along the nodes of a route; a pair with both signs counts as positive."""
        return [(a, max(self.signs[a, b]), b) for a, b in pairwise(route)]

    def route_sign(self, route: Sequence[str]) -> int:
        """Product of the signs, 0 where a pair has both."""
        product = 1
        for a, b in pairwise(route):
            product *= sum(self.signs[a, b])
        return product

    def clear_routes(self, source: str) -> list[tuple[str, ...]]:
        """Routes of 1-4 edges to genes that all routes of up to 4 edges reach with one sign."""
        routes = sorted(r for r in self.routes(source, 4) if r[-1] not in self.chemicals)
        seen: dict[str, set[int]] = defaultdict(set)
        for route in routes:
            seen[route[-1]].add(self.route_sign(route))
        return [r for r in routes if seen[r[-1]] in ({1}, {-1})]


@dataclass(frozen=True)
class Question:
    """One constructed question; ``path`` is None where there is no chain and no end point."""

    sample_id: str
    split: str
    kind: str
    text: str
    answer: str
    path: tuple[Edge, ...] | None
    pert: str
    gene: str
    cell_line: str
    mode: str

    def record(self) -> dict[str, object]:
        """The gold record."""
        ends: dict[str, object] = {}
        if self.path is not None:
            ends["path"] = [[a, "+" if sign > 0 else "-", b] for a, sign, b in self.path]
            ends |= {"pert": self.pert, "gene": self.gene}
        return {
            "id": self.sample_id,
            "question": self.text,
            "answer": self.answer,
            **ends,
            "cell_line": self.cell_line,
            "pert_type": self.kind,
            "perturbation_mode": self.mode,
        }


def implied(path: Sequence[Edge], mode: str) -> str:
    """The label that the signs of a chain and of the perturbation give."""
    product = ACTIONS[mode][0]
    for edge in path:
        product *= edge[1]
    return "up" if product > 0 else "down"


def build_questions(network: Network) -> list[Question]:
    """All questions, file by file."""
    used: Counter[str] = Counter()
    questions = []
    for split in SPLITS:
        for kind in KINDS:
            chains = choose_chains(network, split, kind, used)
            for number, (pert, gene, path, is_buffered) in enumerate(chains, 1):
                name = f"{split}-{kind}-{number:03d}"
                modes = [m for m in ACTIONS if (m == "treatment") == (kind == "chemical")]
                mode, cell = choose(modes, "mode", name), choose(CELL_LINES, "cell", name)
                text = choose(WORDINGS, "wording", name).format(
                    cell=cell, gene=gene, action=ACTIONS[mode][1].format(pert=pert)
                )
                answer = "unchanged" if is_buffered or not path else implied(path, mode)
                questions.append(
                    Question(name, split, kind, text, answer, path, pert, gene, cell, mode)
                )
    return questions + build_open_questions()


def build_open_questions() -> list[Question]:
    """Two questions about a condition: no perturbed gene, no readout field and no chain."""
    ask = "Does {} go up, go down or stay unchanged? Give the causal chain."
    texts = {
        "id_test-genetic-042": ("HepG2 cells are kept at 1 % oxygen for a day. ", "VEGFA"),
        "id_test-genetic-043": ("A549 cells are kept at 42 degrees for an hour. ", "HSPA1A"),
    }
    return [
        Question(name, "id_test", "genetic", scene + ask.format(gene), "up", None, "", gene,
                 scene.split()[0], "activation")
        for name, (scene, gene) in texts.items()
    ]  # fmt: skip


def choose_chains(
    network: Network, split: str, kind: str, used: Counter[str]
) -> list[tuple[str, str, tuple[Edge, ...], bool]]:
    """Perturbation, readout, chain and whether it is buffered, for one file."""
    names = sorted(network.chemicals) if kind == "chemical" else network.genes
    sources = [s for s in names if SPLITS[draw("split", s) % 2] == split and s in network.targets]
    candidates = shuffled([r for s in sources for r in network.clear_routes(s)], "route")
    wanted = dict(PER_LENGTH)
    for extra in range(BUFFERED):
        wanted[1 + extra % 4] += 1
    routes = []
    for limit in (1, 2, 3):  # a perturbation comes back only when the others are used up
        for route in candidates:
            fresh = used[route[0]] < limit and used["to " + route[-1]] < 3 and route not in routes
            if wanted[len(route) - 1] and fresh:
                wanted[len(route) - 1] -= 1
                used.update((route[0], "to " + route[-1]))
                routes.append(route)
    buffered = set(shuffled(routes, "buffered")[:BUFFERED])
    chains = [(r[0], r[-1], tuple(network.edges(r)), r in buffered) for r in routes]
    for source in shuffled(sources, "no route")[: NO_ROUTE[kind]]:
        near = network.reached(source) | {source}
        gene = choose([g for g in network.genes if g not in near], "no route to", source)
        chains.append((source, gene, (), False))
    return shuffled(chains, "order", split, kind)


# Faults: each takes a question and gives the predicted edges, or None where it does not apply.
# Sign 0 is written as a word that has no direction.
Fault = Callable[[Question, Network], list[Edge] | None]


def gold_chain(question: Question, network: Network) -> list[Edge] | None:
    """The gold chain as it is."""
    return list(question.path) if question.path else None


def flip(count: int) -> Fault:
    """The gold chain with the signs of some edges flipped."""

    def fault(question: Question, network: Network) -> list[Edge] | None:
        path = question.path or ()
        if len(path) < count:
            return None
        flipped = set(shuffled(path, "flip", question.sample_id)[:count])
        return [(a, -sign if (a, sign, b) in flipped else sign, b) for a, sign, b in path]

    return fault


def outsider(question: Question, network: Network, salt: str) -> str:
    """A gene that no pair with the question's nodes links, in either direction."""
    nodes = {question.pert, question.gene} | {n for a, _, b in question.path or () for n in (a, b)}
    known = nodes | {b for a in nodes for b in network.targets.get(a, ())}
    far = [
        g for g in network.genes if g not in known and nodes.isdisjoint(network.targets.get(g, ()))
    ]
    return choose(far, "outsider", salt, question.sample_id)


def invented_intermediate(question: Question, network: Network) -> list[Edge] | None:
    """A route over a gene that has nothing to do with it: both edges are invented."""
    middle = outsider(question, network, "middle")
    first, second = (choose((1, -1), "sign", side, question.sample_id) for side in "ab")
    return [(question.pert, first, middle), (middle, second, question.gene)]


def direct_edge(question: Question, network: Network) -> list[Edge] | None:
    """One edge from perturbation to readout that the network does not have."""
    if (
        not question.path
        or len(question.path) < 2
        or (question.pert, question.gene) in network.signs
    ):
        return None
    sign = 1 if question.answer == implied((), question.mode) else -1
    return [(question.pert, sign, question.gene)]


def half_invented(question: Question, network: Network) -> list[Edge] | None:
    """One true and one invented edge: a rate of exactly one half."""
    if not question.path or len(question.path) != 2:
        return None
    return [question.path[0], (outsider(question, network, "half"), 1, question.gene)]


def reversed_chain(question: Question, network: Network) -> list[Edge] | None:
    """Every edge the wrong way round."""
    edges = [(b, sign, a) for a, sign, b in question.path or ()]
    return edges if edges and all((a, b) not in network.signs for a, _, b in edges) else None


def last_edge_reversed(question: Question, network: Network) -> list[Edge] | None:
    """Only the last edge the wrong way round; under half of the chain is outside the network."""
    path = list(question.path or ())
    if len(path) < 3 or (path[-1][2], path[-1][0]) in network.signs:
        return None
    return [*path[:-1], (path[-1][2], path[-1][1], path[-1][0])]


def truncated(question: Question, network: Network) -> list[Edge] | None:
    """The gold chain without its last edge."""
    return list(question.path[:-1]) if question.path and len(question.path) > 1 else None


def gap(question: Question, network: Network) -> list[Edge] | None:
    """The gold chain without its second edge."""
    path = list(question.path or ())
    return [path[0], *path[2:]] if len(path) > 2 else None


def unrelated(question: Question, network: Network) -> list[Edge] | None:
    """Two true edges from another corner of the network."""
    nodes = {question.pert, question.gene} | {n for a, _, b in question.path or () for n in (a, b)}
    pairs = [p for p in sorted(network.signs) if nodes.isdisjoint(p) and len(network.signs[p]) == 1]
    picked = shuffled(pairs, "unrelated", question.sample_id)[:2]
    return [network.edges(pair)[0] for pair in picked] if question.path else None


def other_route(smallest: float, below: float) -> Fault:
    """Another true route, which shares a given part of the gold chain's pairs."""

    def fault(question: Question, network: Network) -> list[Edge] | None:
        gold = {(a, b) for a, _, b in question.path or ()}
        if not gold:
            return None
        for route in sorted(network.routes(question.pert, 5), key=lambda r: (len(r), r)):
            pairs = set(pairwise(route))
            if route[-1] == question.gene and smallest <= len(pairs & gold) / len(gold) < below:
                return network.edges(route)
        return None

    return fault


def no_edges(question: Question, network: Network) -> list[Edge] | None:
    """No edge where the gold chain has some."""
    return [] if question.path else None


def no_edges_either(question: Question, network: Network) -> list[Edge] | None:
    """No edge where the gold chain has none."""
    return [] if question.path == () else None


def one_more(kind: str) -> Fault:
    """The gold chain and one edge more that leads nowhere."""

    def fault(question: Question, network: Network) -> list[Edge] | None:
        if not question.path or len(question.path) < 2:
            return None
        if kind == "true":
            return [*question.path, *(unrelated(question, network) or [])[:1]]
        first = outsider(question, network, "extra")
        return [*question.path, (first, 1, question.path[0][2])]

    return fault


def unsigned(question: Question, network: Network) -> list[Edge] | None:
    """The gold chain with a last edge that names no direction."""
    path = list(question.path or ())
    return [*path[:-1], (path[-1][0], 0, path[-1][2])] if len(path) > 1 else None


def both_signs(question: Question, network: Network) -> list[Edge] | None:
    """The gold chain with its last edge given twice, once with each sign."""
    path = list(question.path or ())
    return [*path, (path[-1][0], -path[-1][1], path[-1][2])] if path else None


def buffering_missed(question: Question, network: Network) -> list[Edge] | None:
    """The gold chain of a buffered question."""
    return list(question.path) if question.path and question.answer == "unchanged" else None


def anything(question: Question, network: Network) -> list[Edge] | None:
    """The gold chain, or what there is of it, where the end points are known."""
    return list(question.path) if question.path is not None else None


def no_end_points(question: Question, network: Network) -> list[Edge] | None:
    """A chain for a question that has neither a gold chain nor end points."""
    if question.path is not None:
        return None
    source = {"VEGFA": "HIF1A", "HSPA1A": "HSF1"}[question.gene]
    return [(source, 1, question.gene)]


# (error label, fault, how many, the edges). The rows with few candidates come first; what is left
# answers right with the gold chain.
PLAN: tuple[tuple[str, str, int, Fault], ...] = (
    ("UNCLASSIFIED", "no_gold_chain_no_end_points", 1, no_end_points),
    ("", "no_gold_chain_no_end_points", 1, no_end_points),
    ("CORRECT", "no_chain_needed", 3, no_edges_either),
    ("WRONG_NO_PATH", "no_chain_where_gold_has_none", 2, no_edges_either),
    ("CORRECT", "detour_sharing_half", 2, other_route(0.5, 1.0)),
    ("CORRECT_RIGHT_FOR_WRONG_REASON", "other_route", 4, other_route(0.0, 0.5)),
    ("WRONG_CORRECT_CHAIN", "other_route", 2, other_route(0.0, 0.5)),
    ("WRONG_CORRECT_CHAIN", "buffering_missed", 6, buffering_missed),
    ("WRONG_SIGN_FLIP", "three_flips", 2, flip(3)),
    ("CORRECT_RIGHT_FOR_WRONG_REASON", "gap", 3, gap),
    ("WRONG_NO_PATH", "gap", 3, gap),
    ("WRONG_NO_PATH", "last_edge_reversed", 2, last_edge_reversed),
    ("CORRECT_HALLUCINATED_EDGE", "half_invented", 3, half_invented),
    ("WRONG_HALLUCINATED_EDGE", "half_invented", 2, half_invented),
    ("CORRECT_RIGHT_FOR_WRONG_REASON", "two_flips", 3, flip(2)),
    ("WRONG_CORRECT_CHAIN", "two_flips", 2, flip(2)),
    ("CORRECT_HALLUCINATED_EDGE", "direct_edge_not_in_network", 3, direct_edge),
    ("WRONG_HALLUCINATED_EDGE", "direct_edge_not_in_network", 3, direct_edge),
    ("CORRECT", "one_invented_edge_more", 5, one_more("invented")),
    ("CORRECT", "one_true_edge_more", 4, one_more("true")),
    ("CORRECT", "unsigned_edge", 3, unsigned),
    ("CORRECT", "edge_with_both_signs", 2, both_signs),
    ("WRONG_NO_PATH", "truncated", 3, truncated),
    ("CORRECT_HALLUCINATED_EDGE", "reversed_chain", 2, reversed_chain),
    ("WRONG_HALLUCINATED_EDGE", "reversed_chain", 2, reversed_chain),
    ("CORRECT_HALLUCINATED_EDGE", "invented_intermediate", 4, invented_intermediate),
    ("WRONG_HALLUCINATED_EDGE", "invented_intermediate", 6, invented_intermediate),
    ("CORRECT_RIGHT_FOR_WRONG_REASON", "unrelated_true_edges", 2, unrelated),
    ("WRONG_NO_PATH", "unrelated_true_edges", 2, unrelated),
    ("CORRECT_RIGHT_FOR_WRONG_REASON", "empty_chain", 3, no_edges),
    ("CORRECT_RIGHT_FOR_WRONG_REASON", "no_triplet_block", 2, no_edges),
    ("WRONG_NO_PATH", "empty_chain", 2, no_edges),
    ("CORRECT_SIGN_FLIP", "one_flip", 9, flip(1)),
    ("WRONG_SIGN_FLIP", "one_flip", 9, flip(1)),
    ("WRONG_CORRECT_CHAIN", "gold_chain", 3, gold_chain),
    ("PARSE_FAIL", "parse:empty", 2, anything),
    ("PARSE_FAIL", "parse:no_answer_block", 3, anything),
    ("PARSE_FAIL", "parse:unclosed_block", 2, anything),
    ("PARSE_FAIL", "parse:template_echo", 2, anything),
    ("PARSE_FAIL", "parse:several_labels", 2, anything),
    ("PARSE_FAIL", "parse:not_a_label", 2, anything),
    ("CORRECT", "none", 10_000, anything),
)

SIGN_WORDS = {
    "symbol": {1: "+", -1: "-", 0: "regulates"},
    "arrow": {1: "->", -1: "-|", 0: "binds"},
    "unicode": {1: "\u2192", -1: "\u22a3", 0: "regulates"},
    "minus": {1: "+1", -1: "\u22121", 0: "?"},
    "verb": {1: "activates", -1: "inhibits", 0: "regulates"},
    "verb_2": {1: "Increases", -1: "Decreases", 0: "modulates"},
    "verb_3": {1: "stimulates", -1: "represses", 0: "binds"},
    "adjective": {1: "positive", -1: "negative", 0: "unknown"},
    "direction": {1: "up", -1: "down", 0: "affects"},
}
STYLES = ("json",) * 5 + (
    "single", "bare", "round", "round_quoted", "fenced", "curly", "numbered", "trailing", "lower",
)  # fmt: skip
SPEECH = {
    1: ("{a} activates {b}", "{a} switches {b} on", "{a} raises {b}", "{b} follows {a} upwards"),
    -1: ("{a} inhibits {b}", "{a} holds {b} back", "{a} lowers {b}", "{b} is repressed by {a}"),
    0: ("{a} acts on {b}",),
}
ENDINGS = {
    "up": ("So {gene} should rise.", "Taken together the readout {gene} goes up."),
    "down": ("So {gene} should fall.", "The signs multiply to a drop of {gene}."),
    "unchanged": ("Feedback should hold {gene} where it is.", "No net effect on {gene} expected."),
}


def format_triplets(edges: Sequence[Edge], name: str) -> str:
    """The edges in one of many spellings."""
    words = SIGN_WORDS[choose(sorted(SIGN_WORDS), "words", name)]
    style = choose(STYLES, "style", name)
    if style.startswith("round") and any("(" in a + b for a, _, b in edges):
        style = "json"
    quote = {"single": "''", "curly": "\u201c\u201d", "round_quoted": '""'}.get(style, '""')
    if style in ("bare", "round", "numbered"):
        quote = "  "
    opening, closing = "()" if style.startswith("round") else "[]"
    lists = []
    for a, sign, b in edges:
        parts = [a.lower(), words[sign], b.lower()] if style == "lower" else [a, words[sign], b]
        quoted = [f"{quote[0]}{part}{quote[1]}".strip() for part in parts]
        lists.append(opening + ", ".join(quoted) + closing)
    if style == "numbered" and lists:
        return "\n" + "\n".join(f"{n}. {one}" for n, one in enumerate(lists, 1)) + "\n"
    if len(lists) == 1 and choose((True, False), "lone", name):
        return lists[0]
    text = ", ".join(lists)
    if style == "round":
        return text or "[]"
    text = f"[{text},]" if style == "trailing" and lists else f"[{text}]"
    return f"\n```json\n{text}\n```\n" if style == "fenced" else text


def format_thinking(question: Question, edges: Sequence[Edge], answer: str) -> str:
    """A few short sentences that argue from the predicted edges to the predicted answer."""
    name = question.sample_id
    opening = ACTIONS[question.mode][1].format(pert=question.pert)
    steps = [choose(SPEECH[sign], "speech", name, a, b).format(a=a, b=b) for a, sign, b in edges]
    body = "; ".join(steps) if steps else choose(
        ("No link between the two comes to mind", "The effect is well described"), "bare", name
    )  # fmt: skip
    ending = choose(ENDINGS[answer], "ending", name).format(gene=question.gene)
    starts = [f"Here {opening}. ", "Step by step: ", "Known biology: ", ""]
    return choose(starts[question.path is None :], "start", name) + f"{body}. {ending}"


def format_answer(label: str, fault: str, name: str) -> str:
    """The answer block, broken where the fault is one of parsing."""
    inner = {
        "parse:empty": " ",
        "parse:template_echo": choose(
            ("up | down | unchanged", "up / down / unchanged", "up, down or unchanged"),
            "echo",
            name,
        ),
        "parse:several_labels": choose(
            ("up or down", f"{label}, maybe both up and down"), "two", name
        ),
        "parse:not_a_label": choose(
            ("increased", "lower", "it depends on the dose"), "other", name
        ),
    }.get(fault)
    if fault == "parse:no_answer_block":
        return choose((f"The answer is {label}.", f"Answer: {label}", label), "prose", name)
    if fault == "parse:unclosed_block":
        return f"<answer>{label}"
    plain = (label,) * 8
    spellings = (
        f" {label} ",
        label.capitalize(),
        label.upper(),
        f"{label}.",
        f"**{label}**",
        f"`{label}`",
    )
    return f"<answer>{inner or choose(plain + spellings, 'spelling', name)}</answer>"


def format_output(question: Question, edges: Sequence[Edge], answer: str, fault: str) -> str:
    """The whole text of a prediction."""
    name = question.sample_id
    if fault == "parse:empty" and choose((True, False), "silent", question.kind):
        return ""
    thinking = format_thinking(question, edges, answer)
    block = format_answer(answer, fault, name)
    if draw("draft", name) % 16 == 0:  # an answer inside the thinking is a draft, not the answer
        thinking += f" First guess: <answer>{choose(LABELS, 'guess', name)}</answer>."
    tag = choose(("thinking",) * 7 + ("think",), "tag", name)
    parts = [f"<{tag}>{thinking}</{tag}>", block]
    if fault != "no_triplet_block":
        parts.append(f"<triplet>{format_triplets(edges, name)}</triplet>")
    return choose(("\n", "\n", " "), "glue", name).join(parts)


def plant(
    questions: Sequence[Question], network: Network
) -> Iterator[tuple[Question, str, str, str]]:
    """Question, output, error label and fault, one for each question."""
    left = {q.sample_id: q for q in shuffled(questions, "plant")}
    for label, fault, count, edges_of in PLAN:
        for question in list(left.values()):
            edges = edges_of(question, network)
            if edges is None or count == 0:
                continue
            count -= 1
            del left[question.sample_id]
            answer = question.answer
            if label.startswith(("WRONG", "UNCLASSIFIED")):
                others = [word for word in LABELS if word != question.answer]
                answer = choose(others, "wrong", question.sample_id)
            if fault == "buffering_missed":
                answer = implied(edges, question.mode)
            yield question, format_output(question, edges, answer, fault), label, fault


def format_json(record: dict[str, object]) -> str:
    """One line of JSON."""
    return json.dumps(record, ensure_ascii=False)


def write_lines(path: Path, lines: Sequence[str]) -> None:
    """Write lines with line feeds, whatever the platform."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")


def write_demo(network: Network, folder: Path) -> Counter[str]:
    """Write questions, planted predictions and their labels; count the labels."""
    questions = build_questions(network)
    planted = {row[0].sample_id: row for row in plant(questions, network)}
    labels = ["sample_id\tsplit\tpert_type\terror_label\tfault"]
    for split in SPLITS:
        for kind in KINDS:
            rows = [q for q in questions if (q.split, q.kind) == (split, kind)]
            gold = [format_json(q.record()) for q in rows]
            write_lines(folder / "questions" / "gt" / split / f"pqa_{kind}.jsonl", gold)
            texts = [
                format_json({"id": q.sample_id, "output": planted[q.sample_id][1]})
                for q in shuffled(rows, "prediction order")
            ]
            write_lines(folder / "predictions" / "planted" / split / f"model_{kind}.jsonl", texts)
            for question in rows:
                label, fault = planted[question.sample_id][2:]
                labels.append("\t".join((question.sample_id, split, kind, label, fault)))
    write_lines(folder / "predictions" / "planted" / "planted_labels.tsv", labels)
    return Counter(row[2] for row in planted.values())


def main(arguments: list[str] | None = None) -> int:
    """Write the demo's questions and planted predictions."""
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description="Build the demo's questions and predictions.")
    parser.add_argument("--output", type=Path, default=here, help="folder to write into")
    given = parser.parse_args(arguments)
    counts = write_demo(Network(here / "kg_demo.tsv"), given.output)
    for label, count in sorted(counts.items()):
        print(f"{label or '(none)'}\t{count}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
