"""From nodes and edges with attributes (stored graphs of any kind) to an edge table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.kg.coded import encode_column
from eval_tiers.kg.columns import SIGN_NAMES
from eval_tiers.kg.edges import EdgeTable, ReadCounts, build_edge_table
from eval_tiers.kg.flags import flag_of_word
from eval_tiers.kg.naming import normalise_symbol
from eval_tiers.kg.signs import is_clear_sign, read_signs, sign_of_word
from eval_tiers.kg.source import ReadOptions
from eval_tiers.kg.wording import LINES_SHOWN

Attributes = Mapping[object, object]
Node = tuple[object, Attributes]
Edge = tuple[object, object, Attributes]

NAME_ATTRIBUTES = ("name", "shared name", "label", "symbol", "gene_symbol", "genesymbol")
SAMPLE_EDGES = 1000

_NUMERIC = re.compile(r"\d+\Z")


def build_from_attributes(
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    *,
    directed: bool,
    format_name: str,
    path: str,
    options: ReadOptions,
) -> EdgeTable:
    """Assemble an edge table out of a graph whose nodes and edges carry attributes.

    Parameters
    ----------
    nodes : sequence of (id, attributes)
        All nodes. Where every id is a number, the first of `NAME_ATTRIBUTES` that gives each
        node a name of its own is used in its place, and a finding says so.
    edges : sequence of (id, id, attributes)
        One an edge (parallel ones too).
    directed : bool
        An undirected graph's edges are skipped and counted, or taken unsigned both ways.
    format_name, path : str
        As in `EdgeTable`.
    options : ReadOptions
        ``consensus`` and ``undirected`` are heeded.
    """
    names, findings = _names(nodes, path)
    picker = _SignPicker.of(edges, options.consensus)
    sources: list[str] = []
    targets: list[str] = []
    cells: list[str] = []
    undirected_n = 0
    for a, b, attributes in edges:
        source, target = names.get(a, ""), names.get(b, "")
        if not directed or picker.is_undirected(attributes):
            undirected_n += 1
            if options.undirected == "both":
                sources += (source, target)
                targets += (target, source)
                cells += ("0", "0")
            continue
        for cell in picker.cells(attributes):
            sources.append(source)
            targets.append(target)
            cells.append(cell)
    skipped_n = 0 if options.undirected == "both" else undirected_n
    if skipped_n:
        findings.append(
            Finding(
                "undirected-skipped",
                f"{skipped_n} of {len(edges)} edges skipped: undirected",
                SourceRef(path),
                "warning" if skipped_n == len(edges) else "note",
                "take them both ways, unsigned: --undirected both",
            )
        )
    signs = encode_column(cells)
    if picker.found_none and cells and undirected_n < len(edges):
        sign = np.zeros(len(cells), dtype=np.int8)
        unknown_n = 0
        findings.append(
            Finding(
                "no-sign-attribute",
                "no edge has an attribute for its sign: every edge is counted unsigned"
                + picker.say_attributes(),
                SourceRef(path),
                fix="name the attribute 'sign', with 1, -1 or 0",
            )
        )
    else:
        sign, found, unknown_n = read_signs(
            signs, path=path, field=picker.field, line_of=lambda row: None
        )
        findings += found
    return build_edge_table(
        encode_column(sources),
        encode_column(targets),
        sign,
        format_name=format_name,
        path=path,
        counts=ReadCounts(
            row_n=len(edges),
            undirected_n=undirected_n,
            undirected_skipped_n=skipped_n,
            unknown_sign_n=unknown_n,
        ),
        findings=findings,
        lone_nodes=names.values(),
        keep_case=options.keep_case,
    )


def text_of(value: object) -> str:
    """Return a node id or attribute as text; empty for what is neither text nor a number.

    Examples
    --------
    >>> [text_of(value) for value in ("TP53", 7157, 7157.0, None, ["A"])]
    ['TP53', '7157', '7157', '', '']
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return str(value) if -(1 << 63) <= value < 1 << 64 else ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return ""


def _names(nodes: Sequence[Node], path: str) -> tuple[dict[object, str], list[Finding]]:
    """Name each node: by its id, or by an attribute where all ids are numbers."""
    ids = {node: text_of(node) for node, _ in nodes}
    if not ids or not all(_NUMERIC.match(text) for text in ids.values()):
        return ids, []
    repeated = []
    for attribute in NAME_ATTRIBUTES:
        named = {node: text_of(attributes.get(attribute, "")) for node, attributes in nodes}
        texts = {normalise_symbol(text) for text in named.values()}
        if "" in texts or all(_NUMERIC.match(text) for text in texts):
            continue
        if len(texts) == len(named):
            finding = Finding(
                "names-from-attribute",
                f"the {len(ids)} node ids are numbers: nodes are named by their attribute "
                f"'{attribute}'",
                SourceRef(path),
                "note",
            )
            return named, [finding]
        repeated.append(attribute)
    if not repeated:
        return ids, []
    finding = Finding(
        "names-not-unique",
        "the node ids are numbers, and several nodes share a name in attribute "
        f"'{repeated[0]}': nodes are named by their ids",
        SourceRef(path),
        fix="give each node a name of its own",
    )
    return ids, [finding]


@dataclass(frozen=True, slots=True)
class _SignPicker:
    """Takes an edge's sign from the attributes that this graph keeps it in.

    Attributes
    ----------
    attributes : tuple of str
        Those to look at, best first.
    up, down, direction : str or None
        Flags for stimulation, inhibition and being directed.
    seen : tuple of str
        Some attributes that edges have, for messages.
    """

    attributes: tuple[str, ...]
    up: str | None
    down: str | None
    direction: str | None
    seen: tuple[str, ...]

    @classmethod
    def of(cls, edges: Sequence[Edge], consensus: bool) -> _SignPicker:
        """Look at up to 1,000 edges, spread over all."""
        values: dict[str, list[str]] = {}
        spellings: dict[str, str] = {}
        for _, _, attributes in edges[:: max(1, len(edges) // SAMPLE_EDGES)]:
            for key, value in attributes.items():
                if isinstance(key, str):
                    spellings.setdefault(key.strip().lower(), key)
                    parts = value if isinstance(value, (list, tuple)) else (value,)
                    values.setdefault(key.strip().lower(), []).extend(map(text_of, parts))
        usual = [name for name in SIGN_NAMES if name in values]
        clear = [name for name in usual if _is_clear(values[name])]
        rest = [
            name
            for name in usual
            if name not in clear and any(sign_of_word(text) is not None for text in values[name])
        ]
        kinds = ("consensus", "is") if consensus else ("is", "consensus")
        kind = next((kind for kind in kinds if f"{kind}_stimulation" in values), "")
        direction = "consensus_direction" if kind == "consensus" else "is_directed"
        return cls(
            attributes=tuple(spellings[name] for name in (*clear, *rest)),
            up=spellings.get(f"{kind}_stimulation"),
            down=spellings.get(f"{kind}_inhibition"),
            direction=spellings.get(direction),
            seen=tuple(spellings.values())[:LINES_SHOWN],
        )

    @property
    def field(self) -> str:
        """The attribute that messages name."""
        return self.attributes[0] if self.attributes else (self.up or "sign")

    @property
    def found_none(self) -> bool:
        """Whether there is nothing to take a sign from."""
        return not self.attributes and self.up is None

    def say_attributes(self) -> str:
        """Name attributes that edges do have."""
        return f" (they have: {', '.join(self.seen)})" if self.seen else ""

    def is_undirected(self, attributes: Attributes) -> bool:
        """Tell whether a flag says that the edge has no direction."""
        if self.direction is None or self.direction not in attributes:
            return False
        return flag_of_word(text_of(attributes[self.direction])) is False

    def cells(self, attributes: Attributes) -> Iterable[str]:
        """Return the edge's signs as cells; one empty cell where it has none."""
        fallback = ""
        for name in self.attributes:
            value = attributes.get(name)
            if isinstance(value, (list, tuple)):
                found = [text for text in map(text_of, value) if sign_of_word(text) is not None]
                if found:
                    return found
            text = text_of(value)
            if text and sign_of_word(text) is not None:
                return (text,)
            fallback = fallback or text
        if self.up is not None:
            return tuple(self._flagged(attributes)) or ("0",)
        return (fallback,)

    def _flagged(self, attributes: Attributes) -> Iterator[str]:
        for name, cell in ((self.up, "1"), (self.down, "-1")):
            if name is not None and flag_of_word(text_of(attributes.get(name))):
                yield cell


def _is_clear(texts: Sequence[str]) -> bool:
    signs = [text for text in texts if sign_of_word(text) is not None]
    return bool(signs) and all(map(is_clear_sign, signs)) and any(map(sign_of_word, signs))
