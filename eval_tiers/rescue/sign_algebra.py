"""What a chain implies by the product of its signs, one chain at a time.

The same definition as tier 2's (specification of PerturbReason, section 4, M3), which works on
whole batches; here for chains as a prompt shows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from eval_tiers.rescue.cases import Step

VISIT_LIMIT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Implied:
    """What the simple paths of a chain say.

    Attributes
    ----------
    connected : bool
        The end is reached from the start.
    sign : int
        Product of the signs along the paths; 0 without a path, with an unsigned step on one, with
        paths that disagree, or where the search gave up.
    on_path : tuple of Step
        The steps that lie on a path, as given.
    """

    connected: bool
    sign: int
    on_path: tuple[Step, ...]


def implied_by(chain: Sequence[Step], start: str | None, end: str | None) -> Implied:
    """Follow a chain's simple paths from start to end.

    A pair given with several signs counts once, unsigned. Where start and end are the same, paths
    are cycles. The search gives up after 10,000 steps: a chain is text, and can be made to explode.

    Parameters
    ----------
    chain : sequence of Step
    start, end : str or None
        Compared without regard to case.

    Examples
    --------
    >>> implied_by([Step("P", 1, "A"), Step("A", -1, "E"), Step("A", 1, "X")], "p", "e").sign
    -1
    """
    if start is None or end is None:
        return Implied(False, 0, ())
    pairs: dict[tuple[str, str], set[int]] = {}
    for step in chain:
        pairs.setdefault(_pair(step), set()).add(step.sign)
    signs = {pair: seen.pop() if len(seen) == 1 else 0 for pair, seen in pairs.items()}
    ways = _ways_to(end.upper(), signs)
    products: set[int] = set()
    on_path: set[tuple[str, str]] = set()
    if not ways.get(start.upper()):
        return Implied(False, 0, ())
    given_up = not _search(ways, signs, start.upper(), end.upper(), products, on_path)
    sign = products.pop() if len(products) == 1 and not given_up else 0
    return Implied(True, sign, tuple(step for step in chain if _pair(step) in on_path))


def _pair(step: Step) -> tuple[str, str]:
    return step.source.upper(), step.target.upper()


def _ways_to(end: str, signs: dict[tuple[str, str], int]) -> dict[str, list[str]]:
    """Return the next nodes of each node, of steps that can still reach the end."""
    into: dict[str, list[str]] = {}
    for source, target in signs:
        into.setdefault(target, []).append(source)
    reaching, queue = {end}, [end]
    while queue:
        for source in into.get(queue.pop(), ()):
            if source not in reaching:
                reaching.add(source)
                queue.append(source)
    ways: dict[str, list[str]] = {}
    for source, target in signs:
        if target in reaching:
            ways.setdefault(source, []).append(target)
    return ways


def _search(
    ways: dict[str, list[str]],
    signs: dict[tuple[str, str], int],
    start: str,
    end: str,
    products: set[int],
    on_path: set[tuple[str, str]],
) -> bool:
    """Collect the products and pairs of all simple paths, depth first; False past the limit."""
    trail: list[tuple[str, str]] = []
    product = [1]
    visited = {start}
    stack = [iter(ways.get(start, ()))]
    here = [start]
    visits = 0
    while stack:
        target = next(stack[-1], None)
        if target is None:
            stack.pop()
            left = here.pop()
            if trail:
                trail.pop()
                product.pop()
                visited.discard(left)
            continue
        visits += 1
        if visits > VISIT_LIMIT:
            return False
        pair = (here[-1], target)
        if target == end:
            products.add(product[-1] * signs[pair])
            on_path.update(trail)
            on_path.add(pair)
        elif target not in visited:
            trail.append(pair)
            product.append(product[-1] * signs[pair])
            visited.add(target)
            here.append(target)
            stack.append(iter(ways.get(target, ())))
    return True
