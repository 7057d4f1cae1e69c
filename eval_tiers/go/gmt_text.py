"""From the bytes of a GMT file to clean UTF-8 lines, or to an error that says what the file is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from eval_tiers.exceptions import BadInputError, Problem, SourceRef

_BOM = b"\xef\xbb\xbf"
_MARKUP = re.compile(rb"\s*<\s*(!doctype|!--|html|head|body|\?xml)\b", re.IGNORECASE)
_JSON = re.compile(rb'\s*(\{\s*(["}]|$)|\[\s*(["\[{\]]|$))')
_DOWNLOAD = "download it again (MSigDB needs a login), and look at the file's first lines"


@dataclass(frozen=True, slots=True)
class GmtText:
    """The text of a GMT file.

    Attributes
    ----------
    data : bytes
        Valid UTF-8 without a BOM, lines ended by LF, the last one too.
    had_bom, had_carriage_return : bool
        What was taken away.
    """

    data: bytes
    had_bom: bool
    had_carriage_return: bool


def parse_gmt_text(data: bytes, path: str) -> GmtText:
    """Return the clean text of a GMT file.

    Parameters
    ----------
    data : bytes
        The file as it is on disk, decompressed.
    path : str
        Its name, for messages.

    Raises
    ------
    BadInputError
        ``not-utf8`` (UTF-16, Latin-1, cp1252), ``nul-byte``, ``empty-file``, ``html-page``,
        ``not-a-gmt`` (JSON, or no tab in any line that isn't blank or a comment); each names the
        file and the line.

    References
    ----------
    docs/inputs.md, "Files" and "Gene sets".
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or _looks_like_utf16(data[:400]):
        raise _refusal(
            "not-utf8",
            "the file is UTF-16, not UTF-8",
            path,
            1,
            "convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW",
        )
    had_bom = data.startswith(_BOM)
    text = data.removeprefix(_BOM)
    had_carriage_return = b"\r" in text
    if had_carriage_return:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\0" in text:
        line = text.count(b"\n", 0, text.index(b"\0")) + 1
        raise _refusal(
            "nul-byte", "the line holds a NUL byte: this is no text", path, line, "make it again"
        )
    _require_utf8(text, path)
    if not text.endswith(b"\n"):
        text += b"\n"
    _require_sets(text, path)
    return GmtText(text, had_bom, had_carriage_return)


def _looks_like_utf16(head: bytes) -> bool:
    return max(head[0::2].count(0), head[1::2].count(0)) > max(1, len(head) // 4)


def _require_utf8(text: bytes, path: str) -> None:
    if text.isascii():
        return
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise _refusal(
            "not-utf8",
            f"byte 0x{text[error.start]:02x} is not UTF-8 (Latin-1 or cp1252, it seems)",
            path,
            line,
            "convert it: iconv -f CP1252 -t UTF-8 FILE > NEW",
        ) from error


def _require_sets(text: bytes, path: str) -> None:
    """Raise unless some line that isn't blank or a comment holds a tab."""
    start, line, first = 0, 0, (0, b"")
    while start < len(text):
        stop = text.index(b"\n", start)
        line += 1
        content = text[start:stop]
        start = stop + 1
        if not content.strip() or content.startswith(b"#"):
            continue
        if not first[0]:
            first = (line, content)
            if _MARKUP.match(content):
                raise _refusal(
                    "html-page",
                    "this is an HTML or XML page, not a GMT file",
                    path,
                    line,
                    _DOWNLOAD,
                )
            if _JSON.match(content):
                raise _refusal(
                    "not-a-gmt",
                    "this is JSON, not a GMT file",
                    path,
                    line,
                    "write one set a line: name, description, genes, with tabs between",
                )
        if b"\t" in content:
            return
    if not first[0]:
        raise _refusal("empty-file", "the file holds no gene set", path, 1, _DOWNLOAD)
    spaced = len(first[1].split()) > 2
    raise _refusal(
        "spaces-instead-of-tabs" if spaced else "not-a-gmt",
        "fields are separated by spaces, not tabs: no line holds a tab"
        if spaced
        else "no line holds a tab: this is not a GMT file",
        path,
        first[0],
        "write one set a line: name, description, genes, with tabs between",
    )


def _refusal(code: str, message: str, path: str, line: int, fix: str) -> BadInputError:
    return BadInputError(Problem(code, message, SourceRef(path, line), fix))
