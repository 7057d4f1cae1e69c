"""Text of a benchmark as data in a prompt: cleaned, and in a fence that it can't close."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

_LINE_BREAK = re.compile("\r\n|[\r\x85\u2028\u2029]")
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs"})  # control, format (bidi, zero width), surrogates
_BACKTICKS = re.compile("`+")
_MARKER = re.compile(r"<(?=[|\uff5c]|/?[A-Za-z_]\w*>)|\[(?=/?INST\])")


def clean_text(text: str) -> str:
    """Return a text as a prompt may hold it.

    Control and format characters and lone surrogates are removed (line breaks and tabs stay); what
    a chat template could take for its own marker, such as ``<|im_end|>``, gets a blank inside.

    Examples
    --------
    >>> clean_text("a" + chr(7) + "b <|im_end|> p < 0.05")
    'ab < |im_end|> p < 0.05'
    """
    if not text.isprintable():
        text = _LINE_BREAK.sub("\n", text)
        unseen = (char for char in set(text) if unicodedata.category(char) in _UNSEEN)
        text = text.translate({ord(char): None for char in unseen if char not in "\n\t"})
    return _MARKER.sub(lambda match: match[0] + " ", text).strip()


def clean_line(text: str) -> str:
    """Return a text cleaned and on one line.

    Examples
    --------
    >>> clean_line("Fos\\n Jun")
    'Fos Jun'
    """
    return " ".join(clean_text(text).split())


def fenced(lines: Iterable[str]) -> str:
    """Return lines between two rows of backticks longer than any row of them within.

    Examples
    --------
    >>> fenced(["a ``` b"]).split()
    ['````', 'a', '```', 'b', '````']
    """
    text = "\n".join(lines)
    longest = max(map(len, _BACKTICKS.findall(text)), default=0) if "`" in text else 0
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
