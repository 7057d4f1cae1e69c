"""Two rates against each other, in a square from 0 to 1."""

from __future__ import annotations

from eval_tiers.report.html.model import Rate
from eval_tiers.report.html.svg import drawing, line, mark, words


def trade_off(name: str, title: str, description: str, upwards: Rate, across: Rate) -> str:
    """Return one point in a square from 0 to 1, with its intervals and the line of no skill."""
    left, top, side = 250.0, 14.0, 260.0
    parts = []
    for tick in (0, 0.25, 0.5, 0.75, 1):
        x, y = left + side * tick, top + side * (1 - tick)
        parts += [line(x, top, x, top + side, "grid"), line(left, y, left + side, y, "grid")]
        parts.append(words(x, top + side + 16, f"{100 * tick:.0f}%", "small", "middle"))
        parts.append(words(left - 6, y + 4, f"{100 * tick:.0f}%", "small", "end"))
    parts.append(line(left, top, left + side, top + side, "axis dashed"))
    parts.append(words(left + side / 2, top + side + 36, "controls abstained on", "", "middle"))
    parts.append(words(left - 44, top + side / 2, "traps overclaimed", "", "end"))
    parts.append(words(left + 30, top + 14, "always a direction", "small"))
    parts.append(words(left + side - 30, top + side - 8, "always indeterminate", "small", "end"))
    if upwards.value is not None and across.value is not None:
        x, y = left + side * across.value, top + side * (1 - upwards.value)
        if across.low is not None and across.high is not None:
            ends = left + side * across.low, left + side * across.high
            parts.append(line(ends[0], y, ends[1], y, "stroke0 whisker"))
        if upwards.low is not None and upwards.high is not None:
            ends = top + side * (1 - upwards.low), top + side * (1 - upwards.high)
            parts.append(line(x, ends[0], x, ends[1], "stroke0 whisker"))
        parts.append(mark(x, y, 0))
    return drawing(name, top + side + 46, title, description, parts)
