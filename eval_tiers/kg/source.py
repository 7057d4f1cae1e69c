"""What a graph format is: its descriptor, and the head of a file that formats are told apart by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from eval_tiers.exceptions import Problem, UsageError

if TYPE_CHECKING:
    from eval_tiers.kg.edges import EdgeTable

HEAD_BYTES = 1 << 16
SAMPLE_LINES = 50


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Choices that change what is read from a graph file.

    Attributes
    ----------
    format_name : str or None
        Name of the source to read with; None: told from the file.
    consensus : bool
        Take signs and directions from OmniPath's ``consensus_*`` columns instead of ``is_*``.
    undirected : {"skip", "both"}
        Rows without a direction: skipped and counted, or taken unsigned both ways.
    keep_case : bool
        Take names in the case of the file: for any organism but human.
    """

    format_name: str | None = None
    consensus: bool = False
    undirected: str = "skip"
    keep_case: bool = False

    def __post_init__(self) -> None:
        if self.undirected not in ("skip", "both"):
            raise UsageError(
                Problem(
                    "unknown-option",
                    f"undirected is {self.undirected!r}",
                    fix="give 'skip' or 'both'",
                )
            )


@dataclass(frozen=True)
class Head:
    """The first bytes of a decompressed file, for telling formats apart.

    Attributes
    ----------
    path : str
        The file's name; its suffix is a hint, never more.
    data : bytes
        Up to 64 KiB.
    """

    path: str
    data: bytes

    @cached_property
    def suffix(self) -> str:
        """Last suffix before a compression's, lower-case: ``.tsv`` of ``kg.TSV.gz``."""
        name = self.path.replace("\\", "/").rsplit("/", 1)[-1].lower()
        for packed in (".gz", ".zst", ".zstd"):
            name = name.removesuffix(packed)
        return name[name.rindex(".") :] if "." in name else ""

    @cached_property
    def _all_lines(self) -> list[str]:
        lines = self.data.decode("utf-8", errors="replace").split("\n")
        if len(self.data) >= HEAD_BYTES and len(lines) > 1:
            lines.pop()
        return [line.rstrip("\r") for line in lines if line.strip()]

    @cached_property
    def lines(self) -> list[str]:
        """First whole lines as text, without blank ones and ``#`` comments; at most 50."""
        return [line for line in self._all_lines if not line.startswith("#")][:SAMPLE_LINES]

    @cached_property
    def comment(self) -> str:
        """The comment right above the first line; empty where there is none."""
        above = ""
        for line in self._all_lines:
            if not line.startswith("#"):
                return above
            above = line
        return ""

    @cached_property
    def binary(self) -> bool:
        """Whether there are bytes that no text holds."""
        return b"\0" in self.data


@dataclass(frozen=True, slots=True)
class KGSource:
    """A graph format: one file in `eval_tiers.kg.sources`, found by scanning the folder.

    Attributes
    ----------
    name : str
        The ``--format`` choice; also the name of the module.
    title : str
        A few words.
    description : str
        What the format is and how it is read.
    reference : str
        DOI or URL of the source or of the format.
    example : bytes
        A small file.
    example_edges : tuple of (str, int, str)
        What the example reads as: (source, sign, target), sorted.
    matches : callable
        Head -> confidence from 0 (no) to 100. The highest wins.
    parse : callable
        (decompressed bytes, path for messages, options) -> EdgeTable. Raises BadInputError.
    uses : frozenset of str
        The `ReadOptions` it heeds: ``consensus``, ``undirected``.
    binary : bool
        Whether bytes go in as they are (else: UTF-8 without a BOM, lines ending in LF).
    """

    name: str
    title: str
    description: str
    reference: str
    example: bytes
    example_edges: tuple[tuple[str, int, str], ...]
    matches: Callable[[Head], int]
    parse: Callable[[bytes, str, ReadOptions], EdgeTable]
    uses: frozenset[str] = field(default_factory=frozenset)
    binary: bool = False
