"""Lays a chain out as a picture: from what is perturbed, left, to what is read out, right.

Positions and curves only; a template draws them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

MOST_EDGES: Final = 60
_COLUMN: Final = 240.0
_ROW: Final = 112.0
_HEIGHT: Final = 32.0
_MARGIN: Final = 60.0
_BOW: Final = 34.0
_LABEL_CHARS: Final = 18
_SIGNS: Final = {1: "+", -1: "−"}


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A gene: the middle of its box, its width, its (maybe shortened) label."""

    name: str
    label: str
    x: float
    y: float
    width: float
    height: float
    role: str


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """An edge: the path of its curve, where its label stands, what is said there."""

    side: str
    status: str
    sign: str
    path: str
    label: str
    label_x: float
    label_y: float
    title: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture, its upper edge and its size; `left_out` edges are in the table alone."""

    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]
    top: float
    width: float
    height: float
    left_out: int


def draw_chain(
    rows: Sequence[Mapping[str, Any]], start: str | None, end: str | None
) -> Drawing | None:
    """Lay out the edges of a sample's chains; None without an edge.

    Parameters
    ----------
    rows : sequence of mapping
        ``source``, ``sign`` (1, -1 or None), ``target``, ``status``; ``side`` (gold or
        predicted) where there are two.
    start, end : str or None
        What is perturbed and what is read out: they are drawn without edges too.
    """
    if not rows:
        return None
    shown = list(rows[:MOST_EDGES])
    names = _names(shown)
    first, last = (_same_node(name, names) for name in (start, end))
    for extra in (first, last):
        if extra is not None and extra not in names:
            names.append(extra)
    pairs = [(str(row["source"]), str(row["target"])) for row in shown]
    layer = _layers(names, pairs, first, last)
    places = _places(names, pairs, layer)
    nodes = {}
    for name in names:
        x, y = places[name]
        role = "start" if name == first else "end" if name == last else "between"
        label = name if len(name) <= _LABEL_CHARS else f"{name[: _LABEL_CHARS - 1]}…"
        nodes[name] = DrawnNode(name, label, x, y, 24 + 8.4 * len(label), _HEIGHT, role)
    edges = tuple(_edge(row, nodes) for row in shown)
    width = max(node.x + node.width / 2 for node in nodes.values()) + _MARGIN / 2
    heights = [*(node.y for node in nodes.values()), *(edge.label_y for edge in edges)]
    top = min(0.0, min(heights) - _HEIGHT)
    height = max(heights) + _HEIGHT - top
    left_out = len(rows) - len(shown)
    return Drawing(tuple(nodes.values()), edges, top, width, height, left_out)


def _names(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(str(row[end]) for row in rows for end in ("source", "target")))


def _same_node(name: str | None, names: Sequence[str]) -> str | None:
    """Return the node that a name stands for, whatever its case; the name where there is none."""
    if name is None:
        return None
    return next((one for one in names if one.casefold() == name.casefold()), name)


def _layers(
    names: Sequence[str], pairs: Sequence[tuple[str, str]], first: str | None, last: str | None
) -> dict[str, int]:
    """Return each node's column: its distance from the start; the readout stands in the last."""
    targets: dict[str, list[str]] = {name: [] for name in names}
    led_to = {target for source, target in pairs if source != target}
    for source, target in pairs:
        targets[source].append(target)
    layer: dict[str, int] = {}
    roots = [first] if first is not None else []
    roots += [name for name in names if name not in led_to and name not in roots]
    for root in (*roots, *names):
        if root in layer or (root == last and root not in roots[:1]):
            continue
        layer[root] = 0
        front = [root]
        while front:
            reached = []
            for name in front:
                for target in targets[name]:
                    if target not in layer:
                        layer[target] = layer[name] + 1
                        reached.append(target)
            front = reached
    if last is not None and last != first:
        others = [depth for name, depth in layer.items() if name != last]
        layer[last] = max([1, *(depth + 1 for depth in others)])
    return layer


def _places(
    names: Sequence[str], pairs: Sequence[tuple[str, str]], layer: Mapping[str, int]
) -> dict[str, tuple[float, float]]:
    """Return where each node stands: in its column, near the nodes that lead to it."""
    columns: dict[int, list[str]] = {}
    for name in names:
        columns.setdefault(layer[name], []).append(name)
    tallest = max(len(column) for column in columns.values())
    height: dict[str, float] = {}
    used = sorted(columns)
    for depth in used:
        column = columns[depth]
        near = {
            name: [height[source] for source, target in pairs
                   if target == name and source in height]
            for name in column
        }  # fmt: skip
        column.sort(key=lambda name: sum(near[name]) / len(near[name]) if near[name] else 0.0)
        for number, name in enumerate(column):
            height[name] = (number + (tallest - len(column)) / 2) * _ROW
    return {
        name: (_MARGIN + 30 + used.index(layer[name]) * _COLUMN, _MARGIN + height[name])
        for name in names
    }


def _edge(row: Mapping[str, Any], nodes: Mapping[str, DrawnNode]) -> DrawnEdge:
    side = str(row.get("side") or "predicted")
    status = str(row.get("status") or "unknown")
    sign = _SIGNS.get(row["sign"], "?")
    source, target = nodes[str(row["source"])], nodes[str(row["target"])]
    words = status.replace("_", " ")
    title = f"{side}: {source.name} {sign} {target.name}, {words}"
    bow = -_BOW if side == "gold" else _BOW
    if source is target:
        path, x, y = _loop(source, bow)
    else:
        path, x, y = _curve(source, target, bow)
    return DrawnEdge(side, status, sign, path, f"{sign} {words}", x, y, title)


def _loop(node: DrawnNode, bow: float) -> tuple[str, float, float]:
    turn = -1 if bow < 0 else 1
    y = node.y + turn * node.height / 2
    top = y + turn * 40
    path = (
        f"M{node.x - 12:.1f},{y:.1f} C{node.x - 40:.1f},{top:.1f} "
        f"{node.x + 40:.1f},{top:.1f} {node.x + 12:.1f},{y:.1f}"
    )
    return path, node.x, y + turn * 30


def _curve(source: DrawnNode, target: DrawnNode, bow: float) -> tuple[str, float, float]:
    """Return a curve from border to border that is bowed up (gold) or down (predicted)."""
    middle_x, middle_y = (source.x + target.x) / 2, (source.y + target.y) / 2
    span = math.hypot(target.x - source.x, target.y - source.y) or 1.0
    bow *= min(max(1.0, span / 360), 3.0)
    if target.x > source.x or abs(target.x - source.x) < 1:
        shift_x = -bow * (target.y - source.y) / span
    else:
        shift_x, bow = 0.0, 1.6 * bow
    control = (middle_x + 2 * shift_x, middle_y + 2 * bow)
    x1, y1 = _border(source, *control, gap=2)
    x2, y2 = _border(target, *control, gap=9)
    path = f"M{x1:.1f},{y1:.1f} Q{control[0]:.1f},{control[1]:.1f} {x2:.1f},{y2:.1f}"
    label_x = (x1 + 2 * control[0] + x2) / 4
    label_y = (y1 + 2 * control[1] + y2) / 4
    return path, label_x, label_y + (-9 if bow < 0 else 17)


def _border(node: DrawnNode, x: float, y: float, gap: float) -> tuple[float, float]:
    """Return where the line from a node's middle towards a point leaves its box."""
    dx, dy = x - node.x, y - node.y
    if not dx and not dy:
        return node.x, node.y
    scale = min(
        (node.width / 2 + gap) / abs(dx) if dx else math.inf,
        (node.height / 2 + gap) / abs(dy) if dy else math.inf,
    )
    return node.x + dx * scale, node.y + dy * scale
