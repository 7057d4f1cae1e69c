"""Ways in which a file of rows can be odd or spoilt, by name."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from typing import Final

import zstandard

from tests.robust.samples import Spoil

_pack = zstandard.ZstdCompressor(write_checksum=True).compress
_BOM: Final = b"\xef\xbb\xbf"
_SKIPPABLE: Final = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"


def _records(data: bytes) -> list[object]:
    return [json.loads(line) for line in data.splitlines()]


def _flip(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]


def _halves(data: bytes) -> tuple[bytes, bytes]:
    lines = data.splitlines(keepends=True)
    return b"".join(lines[:2]), b"".join(lines[2:])


HARMLESS: Final[dict[str, Spoil]] = {
    "as it is": lambda data: data,
    "BOM": lambda data: _BOM + data,
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "CR only": lambda data: data.replace(b"\n", b"\r"),
    "no final newline": lambda data: data[:-1],
    "blank lines": lambda data: b"\n \t\n" + data.replace(b"\n", b"\n\n  \n\r\n"),
    "white space around rows": lambda data: data.replace(b"{", b" \t{").replace(b"\n", b"  \n"),
    "NaN, Infinity and 1e999 in a field that isn't read": lambda data: data.replace(
        b'{"id"', b'{"x": [NaN, -Infinity, 1e999], "id"', 2
    ),
    "5 MB on one line": lambda data: data.replace(
        b'{"id": "g2"', b'{"id": "g2", "junk": "' + b"x" * 5_000_000 + b'"'
    ),
    "line separators inside a string": lambda data: data.replace(
        b'{"id"', '{"note": "a\u2028b\u2029c\u0085d\\u2028", "id"'.encode(), 3
    ),
    "array": lambda data: b"[" + b",".join(data.splitlines()) + b"]",
    "pretty-printed array": lambda data: json.dumps(_records(data), indent=2).encode(),
    "array with a BOM and CRLF": lambda data: (
        _BOM + json.dumps(_records(data), indent=1).encode().replace(b"\n", b"\r\n")
    ),
}

PACKED: Final[dict[str, tuple[str, Spoil]]] = {
    "gzip": (".gz", gzip.compress),
    "gzip, two members": (".gz", lambda data: b"".join(map(gzip.compress, _halves(data)))),
    "gzip, zeros after the end": (".gz", lambda data: gzip.compress(data) + bytes(512)),
    "gzip without the suffix": ("", gzip.compress),
    "gzip of an array": (
        ".gz",
        lambda data: gzip.compress(_BOM + b"\n[" + b",\n".join(data.splitlines()) + b"]"),
    ),
    "plain with the suffix": (".gz", lambda data: data),
    "zstd": (".zst", _pack),
    "zstd without a size": (
        ".zst",
        lambda data: zstandard.ZstdCompressor(write_content_size=False).compress(data),
    ),
    "zstd, two frames": (".zst", lambda data: b"".join(map(_pack, _halves(data)))),
    "zstd, a frame to skip first": (".zst", lambda data: _SKIPPABLE + _pack(data)),
    "zstd, a frame to skip last": (".zst", lambda data: _pack(data) + _SKIPPABLE),
}

BROKEN: Final[dict[str, tuple[str, str, Spoil]]] = {
    "gzip cut off": (".gz", "truncated-file", lambda data: gzip.compress(data)[:-30]),
    "gzip without its checksum": (".gz", "truncated-file", lambda data: gzip.compress(data)[:-4]),
    "gzip, five bytes": (".gz", "truncated-file", lambda data: gzip.compress(data)[:5]),
    "gzip, one byte": (".gz", "truncated-file", lambda data: gzip.compress(data)[:1]),
    "gzip, no byte": (".gz", "truncated-file", lambda data: b""),
    "gzip, a bit turned": (".gz", "damaged-file", lambda data: _flip(gzip.compress(data), 40)),
    "gzip, wrong checksum": (".gz", "damaged-file", lambda data: _flip(gzip.compress(data), -6)),
    "gzip, more after the end": (".gz", "damaged-file", lambda data: gzip.compress(data) + b"xx"),
    "gzip twice": (".gz", "not-text", lambda data: gzip.compress(gzip.compress(data))),
    "zstd cut off": (".zst", "truncated-file", lambda data: _pack(data)[:-10]),
    "zstd, second frame cut off": (
        ".zst",
        "truncated-file",
        lambda data: b"".join(map(_pack, _halves(data)))[:-10],
    ),
    "zstd, three bytes": (".zst", "truncated-file", lambda data: _pack(data)[:3]),
    "zstd, no byte": (".zst", "truncated-file", lambda data: b""),
    "zstd, a bit turned": (".zst", "damaged-file", lambda data: _flip(_pack(data), 60)),
    "zstd, more after the end": (".zst", "damaged-file", lambda data: _pack(data) + b"junk"),
    "bzip2": ("", "not-text", bz2.compress),
    "xz": ("", "not-text", lzma.compress),
    "zip": ("", "not-text", lambda data: b"PK\x03\x04" + data),
    "UTF-16 with a mark": ("", "not-utf8", lambda data: data.decode().encode("utf-16")),
    "UTF-16 without one": ("", "not-utf8", lambda data: data.decode().encode("utf-16-le")),
    "UTF-16, the other way round": ("", "not-utf8", lambda data: data.decode().encode("utf-16-be")),
    "UTF-32": ("", "not-utf8", lambda data: data.decode().encode("utf-32")),
    "UTF-32 without a mark": ("", "not-utf8", lambda data: data.decode().encode("utf-32-le")),
    "UTF-16, packed": (
        ".gz",
        "not-utf8",
        lambda data: gzip.compress(data.decode().encode("utf-16")),
    ),
    "NUL bytes alone": ("", "nul-byte", lambda data: bytes(500)),
    "array cut off": (
        "",
        "bad-json-array",
        lambda data: json.dumps(_records(data), indent=2).encode()[:-100],
    ),
    "array not closed": (
        "",
        "bad-json-array",
        lambda data: json.dumps(_records(data), indent=2).encode()[:-2],
    ),
    "more after the array": (
        "",
        "bad-json-array",
        lambda data: json.dumps(_records(data), indent=2).encode() + b"\n{}",
    ),
    "array nested too deep": (
        "",
        "bad-json-array",
        lambda data: b"[" * 100_000 + b"]" * 100_000,
    ),
}

NO_ROWS: Final[dict[str, tuple[str, Spoil]]] = {
    "empty": ("", lambda data: b""),
    "BOM alone": ("", lambda data: _BOM),
    "blank lines alone": ("", lambda data: b"\n\n \r\n\t"),
    "empty array": ("", lambda data: b" [ ] "),
    "gzip of nothing": (".gz", lambda data: gzip.compress(b"")),
    "zstd of nothing": (".zst", lambda data: _pack(b"")),
}

NO_RECORDS: Final[dict[str, Spoil]] = {
    "CSV": lambda data: b"id,question,answer,output\n" + b"g1,?,up,x\n" * 40,
    "web page": lambda data: b"<!DOCTYPE html>\n<html>\n<head></head>\n</html>\n",
    "pretty-printed records": lambda data: b"\n".join(
        json.dumps(record, indent=2).encode() for record in _records(data)
    ),
    "binary": lambda data: bytes(range(1, 256)) * 20,
    "array of numbers": lambda data: b"[1, 2, 3]",
    "texts": lambda data: b'"g1"\n"g2"\n',
}

SPOILT_ROW: Final[dict[str, Spoil]] = {
    "torn last line": lambda data: data[:-30],
    "NUL bytes": lambda data: data.replace(b'"g5"', b'"g5\x00\x00"'),
    "Latin-1": lambda data: data.replace(b'"g5"', '"gé5"'.encode("latin-1")),
    "not JSON": lambda data: data.replace(b'{"id": "g5"', b"{'id': 'g5'"),
    "two records on a line": lambda data: data[:-1] + b'{"id": "g6"}\n',
    "a list": lambda data: b"\n".join([*data.splitlines()[:-1], b'["g5"]', b""]),
    "null": lambda data: b"\n".join([*data.splitlines()[:-1], b"null", b""]),
    "nested too deep": lambda data: data.replace(
        b'{"id": "g5"', b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b', "id": "g5"'
    ),
    "id is a list": lambda data: data.replace(b'"g5"', b'["g5"]'),
    "id is a truth value": lambda data: data.replace(b'"g5"', b"true"),
    "id is a fraction": lambda data: data.replace(b'"g5"', b"5.0"),
    "id is not a number": lambda data: data.replace(b'"g5"', b"NaN"),
    "id is endless": lambda data: data.replace(b'"g5"', b"1e999"),
    "id given twice": lambda data: data.replace(b'"id": "g5"', b'"id": "x", "id": "g5"'),
}
