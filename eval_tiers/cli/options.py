"""Option groups in the help, and ``--tiers 1 2 3``: an option with several values."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    _Tiers = click.ParamType[tuple[int, ...]]
    _Sign = click.ParamType[tuple[str, int]]
else:  # older click has no type of a parameter type
    _Tiers = _Sign = click.ParamType

_TIER_WORD = re.compile(r"\d+(?:,\d+)*,?")


class GroupedOption(click.Option):
    """An option that belongs to a group of the help."""

    def __init__(self, *args: Any, group: str = "Options", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.group = group


class GroupedCommand(click.Command):
    """A command whose help lists options by group, in the order of their definition."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, a section a group."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                group = getattr(parameter, "group", "Other")
                groups.setdefault(group, []).append(record)
        for name, records in groups.items():
            with formatter.section(name):
                formatter.write_dl(records, col_max=28)


class TiersCommand(GroupedCommand):
    """A command that takes ``--tiers 1 2 3``, ``--tiers 1,2`` and ``--tiers=1``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command line, the tiers joined into one."""
        return super().parse_args(ctx, join_tiers(args))


def join_tiers(args: list[str]) -> list[str]:
    """Join the words after ``--tiers`` into one value.

    Examples
    --------
    >>> join_tiers(["--tiers", "1", "2", "-o", "out"])
    ['--tiers', '1,2', '-o', 'out']
    """
    joined: list[str] = []
    position = 0
    while position < len(args):
        word = args[position]
        joined.append(word)
        position += 1
        if word == "--":
            return joined + args[position:]
        if word != "--tiers":
            continue
        values = []
        while position < len(args) and _TIER_WORD.fullmatch(args[position]):
            values.append(args[position].strip(","))
            position += 1
        if values:
            joined.append(",".join(values))
    return joined


class TierList(_Tiers):
    """Tiers as a sorted tuple of numbers from 1 to 3."""

    name = "tiers"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return how the help spells a value."""
        return "1 2 3"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the tiers, sorted; fail with a usage error on any other word."""
        if isinstance(value, tuple):
            return value
        words = [word for word in re.split(r"[,\s]+", str(value)) if word]
        if not words or any(word not in {"1", "2", "3"} for word in words):
            self.fail(f"{value!r}: give any of 1 2 3", param, ctx)
        return tuple(sorted({int(word) for word in words}))


class ModeSign(_Sign):
    """``genetic=-1``: the perturbation sign of a type."""

    name = "type=sign"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """Return (type, sign); fail with a usage error on anything else."""
        name, _, sign = str(value).partition("=")
        if not name.strip() or sign.strip() not in {"1", "+1", "-1"}:
            self.fail(f"{value!r}: write TYPE=1 or TYPE=-1, such as genetic=-1", param, ctx)
        if name.strip().casefold() == "chemical":
            self.fail(
                f"{value!r}: a chemical is always +1; its first edge has the sign", param, ctx
            )
        return name.strip(), int(sign)


_ORGANISM = re.compile(r"[a-z]+(?:_[a-z0-9]+)+")


def by_organism(option: str, values: Sequence[str]) -> dict[str, list[str]]:
    """Sort ``FILE`` and ``mus_musculus=FILE`` by organism; ``""`` holds files for all.

    A part before ``=`` that is no organism's name (genus and species, lower-case, with ``_``)
    belongs to the file's name.

    Raises
    ------
    UsageError
        Two files of one organism.

    Examples
    --------
    >>> by_organism("--go-gmt", ["a=b.gmt", "mus_musculus=m.gmt"])
    {'': ['a=b.gmt'], 'mus_musculus': ['m.gmt']}
    """
    from eval_tiers.exceptions import Problem, UsageError

    found: dict[str, list[str]] = {}
    for value in values:
        organism, equals, path = value.partition("=")
        if equals and _ORGANISM.fullmatch(organism):
            if organism in found:
                raise UsageError(
                    Problem("given-twice", f"{option} is given twice for {organism}",
                            fix="give one file an organism")
                )  # fmt: skip
            found[organism] = [path]
        else:
            found.setdefault("", []).append(value)
    return found


class FiniteRange(click.FloatRange):
    """A number in a range that is neither nan, which lies in any range for click, nor infinite."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; fail with a usage error."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number
