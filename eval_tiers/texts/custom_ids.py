"""The ids that requests carry: short, plain, and telling whether evidence was shown.

A Batch API takes at most 64 characters of ``A-Za-z0-9._:-``. A sample id of that kind is used as it
is, so that replies can be read by eye; any other is replaced by a part of its hash.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Final

MAX_LENGTH: Final = 64
EVIDENCE_SUFFIX: Final = ":with-evidence"

_PLAIN = re.compile(r"[A-Za-z0-9._:-]+")
_HASHED = re.compile(r"q-[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class ParsedCustomId:
    """What a custom id says.

    Attributes
    ----------
    sample_id : str
        The sample's id, or ``hashed_id_of`` it.
    with_evidence : bool
        Whether the request showed the evidence.
    hashed : bool
        Whether `sample_id` is the hashed form.
    """

    sample_id: str
    with_evidence: bool
    hashed: bool


def hashed_id_of(sample_id: str) -> str:
    """``q-`` and the first 32 hexadecimal digits of the id's SHA-256.

    Parameters
    ----------
    sample_id : str

    Returns
    -------
    str

    Examples
    --------
    >>> hashed_id_of("a b")
    'q-c8687a08aa5d6ed2044328fa6a697ab8'
    """
    return "q-" + hashlib.sha256(sample_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def custom_id_of(sample_id: str, with_evidence: bool) -> str:
    """Give the custom id of the request about a sample.

    Parameters
    ----------
    sample_id : str
    with_evidence : bool
        Whether the request shows the evidence.

    Returns
    -------
    str
        At most 64 characters of ``A-Za-z0-9._:-``; different for different samples (but for a
        collision of the hash) and for the two settings.

    Examples
    --------
    >>> custom_id_of("OSDR-FRAG-00001", with_evidence=True)
    'OSDR-FRAG-00001:with-evidence'
    """
    suffix = EVIDENCE_SUFFIX if with_evidence else ""
    is_plain = (
        _PLAIN.fullmatch(sample_id) is not None
        and _HASHED.fullmatch(sample_id) is None
        and not sample_id.endswith(EVIDENCE_SUFFIX)
        and len(sample_id) + len(suffix) <= MAX_LENGTH
    )
    return (sample_id if is_plain else hashed_id_of(sample_id)) + suffix


def parse_custom_id(text: str) -> ParsedCustomId:
    """Read a custom id back.

    Parameters
    ----------
    text : str
        Any text: one that ``custom_id_of`` did not make is a sample id without evidence.

    Returns
    -------
    ParsedCustomId

    Examples
    --------
    >>> parse_custom_id("OSDR-FRAG-00001:with-evidence")
    ParsedCustomId(sample_id='OSDR-FRAG-00001', with_evidence=True, hashed=False)
    """
    sample_id = text.removesuffix(EVIDENCE_SUFFIX)
    if not sample_id:
        sample_id = text
    return ParsedCustomId(
        sample_id=sample_id,
        with_evidence=sample_id != text,
        hashed=_HASHED.fullmatch(sample_id) is not None,
    )
