"""A flow chart: how many go from one stage to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from eval_tiers.report.html.svg import box, curve, drawing, label, text_width, words

Way = tuple[tuple[str, ...], int]

_BETWEEN: Final = 220.0
_BAR: Final = 14.0
_TALL: Final = 300.0
_PITCH: Final = 19.0
_TOP: Final = 30.0


def flow(name: str, title: str, description: str, heads: Sequence[str], ways: Sequence[Way]) -> str:
    """Return a flow over three stages; widths are counts, and every stage has the same total.

    Parameters
    ----------
    heads : sequence of str
        Names of the stages.
    ways : sequence of tuple
        (name in each stage, count).
    """
    total = sum(count for _, count in ways) or 1
    scale = _TALL / total
    stages = [_stack(ways, stage, scale) for stage in range(len(heads))]
    left, *_, right = [_room(head, nodes) for head, nodes in zip(heads, stages, strict=True)]
    at_x = [left + _BETWEEN * stage for stage in range(len(heads))]
    parts = []
    for stage in range(len(heads) - 1):
        ends = at_x[stage] + _BAR, at_x[stage + 1]
        parts += _ribbons(ways, stage, stages, scale, ends)
    for stage, (head, nodes) in enumerate(zip(heads, stages, strict=True)):
        x = at_x[stage]
        anchor = ("end", "start", "start")[stage]
        at = x - 8 if stage == 0 else x + _BAR + 8
        parts.append(words(at, 16, head, "strong", anchor))
        for node, (y, count) in nodes.items():
            height = max(count * scale, 2.0)
            parts.append(box(x, y, _BAR, height, f"fill{stage}", f"{node[:80]}: {count:,}"))
            shown = _shown(node, count)
            parts.append(words(at, y + height / 2 + 4, shown, "halo", anchor))
    bottom = max(
        (y + max(count * scale, 2.0) for nodes in stages for y, count in nodes.values()),
        default=_TOP,
    )
    return drawing(name, bottom + 16, title, description, parts, at_x[-1] + _BAR + right)


def _shown(node: str, count: int) -> str:
    return f"{label(node, 40)}  {count:,}"


def _room(head: str, nodes: dict[str, tuple[float, int]]) -> float:
    """Return the width that the names of a stage take."""
    names = [_shown(node, count) for node, (_, count) in nodes.items()]
    return 16 + max(text_width(name) for name in (head, *names))


def _stack(ways: Sequence[Way], stage: int, scale: float) -> dict[str, tuple[float, int]]:
    """Return the upper end and the count of each node of a stage, names in order."""
    counts: dict[str, int] = {}
    for names, count in ways:
        counts[names[stage]] = counts.get(names[stage], 0) + count
    nodes: dict[str, tuple[float, int]] = {}
    y = _TOP
    for node in sorted(counts):
        height = max(counts[node] * scale, 2.0)
        nodes[node] = (y, counts[node])
        y += max(height + 6, _PITCH)
    return nodes


def _ribbons(
    ways: Sequence[Way],
    stage: int,
    stages: Sequence[dict[str, tuple[float, int]]],
    scale: float,
    ends_x: tuple[float, float],
) -> list[str]:
    """Return the ribbons from a stage to the next, stacked in the order of the names."""
    x1, x2 = ends_x
    links: dict[tuple[str, str], int] = {}
    for names, count in ways:
        ends = names[stage], names[stage + 1]
        links[ends] = links.get(ends, 0) + count
    leaving = {node: y for node, (y, _) in stages[stage].items()}
    coming = {node: y for node, (y, _) in stages[stage + 1].items()}
    parts = []
    for (left, right), count in sorted(links.items()):
        height = max(count * scale, 0.8)
        y1, y2 = leaving[left], coming[right]
        leaving[left] += count * scale
        coming[right] += count * scale
        bend = (x1 + x2) / 2
        path = (
            f"M{x1:.1f} {y1:.1f}C{bend:.1f} {y1:.1f} {bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
            f"v{height:.1f}C{bend:.1f} {y2 + height:.1f} {bend:.1f} {y1 + height:.1f} "
            f"{x1:.1f} {y1 + height:.1f}z"
        )
        parts.append(curve(path, "ribbon", f"{left} to {right}: {count:,}"))
    return parts
