"""Finds the kinds of question: every module of `eval_tiers.rescue.kinds` that defines ``KIND``."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from eval_tiers.exceptions import BadInputError, Problem
from eval_tiers.rescue import kinds
from eval_tiers.rescue.kind import Kind


@cache
def known_kinds() -> dict[str, Kind]:
    """Return the kinds by name, sorted."""
    found = {}
    for module in pkgutil.iter_modules(kinds.__path__):
        described = getattr(
            importlib.import_module(f"{kinds.__name__}.{module.name}"), "KIND", None
        )
        if isinstance(described, Kind):
            found[described.name] = described
    return dict(sorted(found.items()))


def kind_named(name: str) -> Kind:
    """Return a kind by name.

    Raises
    ------
    BadInputError
        There is none of that name: an index, key or request of another version, or edited.
    """
    kind = known_kinds().get(name)
    if kind is None:
        known = ", ".join(known_kinds())
        raise BadInputError(
            Problem(
                "unknown-kind", f"there is no kind of question {name!r}", fix=f"one of: {known}"
            )
        )
    return kind


def kind_for(error_label: str, has_text: bool) -> Kind | None:
    """Return the kind of question that a case of an error label is sent for.

    Parameters
    ----------
    error_label : str
    has_text : bool
        Whether the model wrote anything at all.

    Returns
    -------
    Kind or None
        None: rules settle it, or there is no text to ask about.
    """
    for kind in known_kinds().values():
        if error_label in kind.error_labels:
            return kind if has_text or not kind.needs_text else None
    return None
