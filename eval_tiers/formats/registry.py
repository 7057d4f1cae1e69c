"""Finds the formats: every module here that defines ``FORMAT``."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from eval_tiers import formats
from eval_tiers.exceptions import Problem, UsageError
from eval_tiers.formats.base import BenchmarkFormat, ChainFormat


@cache
def known_formats() -> dict[str, BenchmarkFormat]:
    """Return all formats by name, sorted."""
    found = {}
    for module in pkgutil.iter_modules(formats.__path__):
        plug_in = importlib.import_module(f"{formats.__name__}.{module.name}")
        described = getattr(plug_in, "FORMAT", None)
        if isinstance(described, BenchmarkFormat):
            found[described.name] = described
    return dict(sorted(found.items()))


def format_named(name: str) -> BenchmarkFormat:
    """Return a format by its name.

    Raises
    ------
    UsageError
        No such format.
    """
    try:
        return known_formats()[name]
    except KeyError:
        raise UsageError(
            Problem(
                "unknown-format",
                f"there is no format {name!r}",
                fix=f"one of: {', '.join(known_formats())}",
            )
        ) from None


def chain_format_named(name: str) -> ChainFormat:
    """Return a format of signed chains by its name.

    Raises
    ------
    UsageError
        No such format, or one whose answers cite no chains.
    """
    found = format_named(name)
    if not isinstance(found, ChainFormat):
        raise UsageError(
            Problem("no-chain-format", f"the answers of format {name!r} cite no chains")
        )
    return found
