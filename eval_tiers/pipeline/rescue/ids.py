"""Opaque ids: a control must not be told from a case by its id."""

from __future__ import annotations

import hashlib

import orjson


def custom_id_of(id_key: str, *parts: object) -> str:
    """Return an opaque id: ``c-`` and 24 hexadecimal digits of a keyed hash.

    Parameters
    ----------
    id_key : str
        Of the export's manifest, hexadecimal.
    *parts : object
        What the id stands for: sample key and repeat, or number of the control and repeat.

    Examples
    --------
    >>> custom_id_of("00", "sample", 1) == custom_id_of("00", "sample", 1)
    True
    >>> len(custom_id_of("00", "sample", 2))
    26
    """
    digest = hashlib.blake2b(orjson.dumps(parts), key=bytes.fromhex(id_key)[:64], digest_size=12)
    return f"c-{digest.hexdigest()}"
