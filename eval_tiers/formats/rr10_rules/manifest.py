"""The figures of a package's manifest, under whatever names they come, against the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from eval_tiers.domain.rr10 import CONTROL, TRAP
from eval_tiers.formats.rr10_rules.codes import Fault
from eval_tiers.formats.rr10_rules.corpus import Corpus
from eval_tiers.formats.rr10_rules.shapes import shortened, shown

_NAMES: Final = {
    "records": "record records item items question questions line lines entry entries sample "
    "samples benchmark_items",
    "traps": "trap traps fragility fragility_trap fragility_traps frag",
    "controls": "control controls concordant concordant_control concordant_controls ctrl",
    "pairs": "pair pairs matched_pair matched_pairs item_pairs complete_pairs",
    "contexts": "context contexts organism_tissue_contexts",
    "datasets": "datasets osd osds osd_dataset osd_datasets osdr_datasets studies "
    "osd_studies source_datasets accession accessions osd_accessions osd_ids dataset_ids",
    "rows": "provenance provenance_row provenance_rows provenance_record provenance_records "
    "provenance_entries evidence_rows",
    "upregulated": "up upregulated",
    "downregulated": "down downregulated",
    "indeterminate": "indeterminate",
}
_MEANING: Final = {name: noun for noun, names in _NAMES.items() for name in names.split()}
_COUNTING: Final = frozenset({"count", "n", "total", "number", "num", ""})
_AFFIXES: Final = re.compile(
    r"^(?:n|num|number_of|no_of|total|count_of|expected|unique|distinct)_|"
    r"_(?:n|num|count|counts|total|number)$"
)
_ELSEWHERE: Final = frozenset(
    {"scoring", "metrics", "baseline", "baselines", "results", "thresholds", "limits", "example",
     "examples", "tolerances"}
)  # fmt: skip
_WHOLE: Final = frozenset({"counts", "summary", "totals", "benchmark", "statistics", "stats"})
_PARTS: Final = frozenset(
    {"traps", "controls", "rows", "upregulated", "downregulated", "indeterminate"}
)
_SHA256: Final = re.compile(r"(?:sha-?256:)?([0-9a-f]{64})", re.IGNORECASE)
_FILE_NAME: Final = re.compile(
    r"\S+\.(?:jsonl|ndjson|json|md|txt|csv|tsv|py|gz|zst|ya?ml|toml|pdf|html?|sh)", re.IGNORECASE
)
_SIZES: Final = frozenset({"bytes", "size", "size_bytes", "bytesize", "filesize", "file_size"})
_OTHER_FILES: Final = (
    "validator", "scorer", "script", "readme", "manifest", "prompt", "prediction", "archive",
)  # fmt: skip
_FILE_KEYS: Final = ("path", "name", "file", "filename")


@dataclass(frozen=True, slots=True)
class PackageFile:
    """A file beside the manifest."""

    sha256: str
    size: int


@dataclass(slots=True)
class ManifestCheck:
    """What came of comparing a manifest.

    Attributes
    ----------
    checked_n : int
        Figures that were compared.
    unchecked : list of str
        Numbers whose name says nothing that could be compared.
    """

    corpus: Corpus
    benchmark: str
    files: Mapping[str, PackageFile]
    checked_n: int = 0
    unchecked: list[str] = field(default_factory=list)

    def run(self, manifest: Mapping[str, Any]) -> Iterator[Fault]:
        """Yield the figures that are not the file's."""
        yield from self._walk(manifest, (), None, None)

    def _walk(
        self, value: Any, path: tuple[str, ...], noun: str | None, context: str | None
    ) -> Iterator[Fault]:
        if len(path) > 20:
            return
        if isinstance(value, dict):
            for key, item in value.items():
                yield from self._entry(value, str(key), item, path, noun, context)
        elif isinstance(value, list):
            yield from self._list(value, path, noun, context)

    def _entry(
        self,
        holder: Mapping[str, Any],
        key: str,
        value: Any,
        path: tuple[str, ...],
        noun: str | None,
        context: str | None,
    ) -> Iterator[Fault]:
        name = _plain(key)
        here = (*path, key)
        if name in _ELSEWHERE:
            return
        if isinstance(value, str):
            found = _SHA256.fullmatch(value.strip())
            if found is not None:
                yield from self._hash(found[1].lower(), here, _file_of(holder, key, path))
            return
        is_count = isinstance(value, int) and not isinstance(value, bool)
        if name in _SIZES and is_count:
            yield from self._size(value, here, _file_of(holder, key, path))
            return
        meant = self._meaning(name, path, noun)
        if key in self.corpus.context_n or "::" in key:
            context, meant = key, "records"
        if not is_count:
            yield from self._walk(value, here, meant or noun, context)
        elif meant is None:
            self.unchecked.append(".".join(here))
        else:
            yield from self._compare(value, self._figure(meant, context), here)

    def _meaning(self, name: str, path: tuple[str, ...], noun: str | None) -> str | None:
        """Return what a key counts; a bare ``count`` counts what the key above it names."""
        if name in _COUNTING:
            whole = all(_plain(above) in _WHOLE for above in path)
            return noun or ("records" if whole else None)
        meant = _MEANING.get(name, "records" if name == "rows" and noun in _PARTS else None)
        return noun if meant == "records" and noun in _PARTS else meant

    def _figure(self, noun: str, context: str | None) -> int | None:
        corpus = self.corpus
        if context is not None:
            return {
                "records": corpus.context_n[context],
                "traps": corpus.type_in_context_n[context, TRAP],
                "controls": corpus.type_in_context_n[context, CONTROL],
            }.get(noun)
        figures = {
            "records": corpus.record_n,
            "traps": corpus.type_n[TRAP],
            "controls": corpus.type_n[CONTROL],
            "pairs": corpus.pair_n,
            "contexts": len(corpus.context_n),
            "datasets": len(corpus.datasets),
            "rows": corpus.row_n,
        }
        return figures[noun] if noun in figures else corpus.label_n[noun]

    def _compare(self, stated: int, found: int | None, path: tuple[str, ...]) -> Iterator[Fault]:
        if found is None:
            self.unchecked.append(".".join(path))
            return
        self.checked_n += 1
        if stated != found:
            yield _mismatch(path, shown(stated), f"{found}")

    def _list(
        self, values: list[Any], path: tuple[str, ...], noun: str | None, context: str | None
    ) -> Iterator[Fault]:
        if noun == "datasets" and values and all(_osd(value) for value in values):
            self.checked_n += 1
            stated = {str(_osd(value)) for value in values}
            if stated != self.corpus.datasets:
                odd = sorted(stated ^ self.corpus.datasets)
                yield _mismatch(path, f"{len(stated)} datasets", f"others: {', '.join(odd[:10])}")
        elif noun == "contexts" and values and all(isinstance(value, str) for value in values):
            self.checked_n += 1
            if set(values) != set(self.corpus.context_n):
                odd = sorted(set(values) ^ set(self.corpus.context_n))
                yield _mismatch(path, f"{len(set(values))} contexts", f"others: {odd[:5]}")
        else:
            for place, value in enumerate(values):
                stated_context = _context_of(value) if noun == "contexts" else None
                yield from self._walk(
                    value,
                    (*path, str(place)),
                    "records" if stated_context else noun,
                    stated_context or context,
                )

    def _hash(self, stated: str, path: tuple[str, ...], file: str | None) -> Iterator[Fault]:
        name = self._named(file, path)
        if name is None:
            self.unchecked.append(".".join(path))
        elif name not in self.files:
            yield Fault("manifest_file_missing", f"manifest.json names {shown(name)}, which is "
                        "not there", ".".join(path))  # fmt: skip
        else:
            self.checked_n += 1
            if stated != self.files[name].sha256:
                yield _mismatch(path, stated[:12] + "...", f"{self.files[name].sha256[:12]}...")

    def _size(self, stated: int, path: tuple[str, ...], file: str | None) -> Iterator[Fault]:
        name = self._named(file, path)
        known = self.files.get(name) if name is not None else None
        yield from self._compare(stated, None if known is None else known.size, path)

    def _named(self, file: str | None, path: tuple[str, ...]) -> str | None:
        """Return the file that a hash or size is of, None where that can't be told."""
        words = _plain(path[-1])
        by_words = None if _FILE_NAME.fullmatch(path[-1]) else _file_by_words(words)
        if by_words is not None:
            return by_words
        if file is not None:
            last = file.rsplit("/", 1)[-1]
            same = [name for name in self.files if name.rsplit("/", 1)[-1] == last]
            return file if file in self.files or not same else same[0]
        above = "_".join(map(_plain, path))
        return None if any(word in above for word in _OTHER_FILES) else (
            _file_by_words(above) or self.benchmark
        )  # fmt: skip


def _file_by_words(words: str) -> str | None:
    if "schema" in words:
        return "schema.json"
    return "benchmark_JSONL_PAYLOAD.md" if "payload" in words else None


def _mismatch(path: tuple[str, ...], stated: str, found: str) -> Fault:
    name = ".".join(path)
    return Fault("manifest_mismatch", f"manifest.json says {shortened(name, 80)} is {stated}; the "
                 f"file has {found}", name)  # fmt: skip


def _file_of(holder: Mapping[str, Any], key: str, path: tuple[str, ...]) -> str | None:
    """Return the file name that a figure goes with: its key, one beside it, or one above it."""
    if _FILE_NAME.fullmatch(key):
        return key
    for name in _FILE_KEYS:
        value = holder.get(name)
        if isinstance(value, str) and _FILE_NAME.fullmatch(value):
            return value
    return next((name for name in reversed(path) if _FILE_NAME.fullmatch(name)), None)


def _context_of(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    context, organism, tissue = (value.get(name) for name in ("context", "organism", "tissue"))
    if isinstance(context, str):
        return context
    return f"{organism}::{tissue}" if isinstance(organism, str) and tissue else None


def _osd(value: Any) -> str | None:
    """Return OSD-n for ``OSD-n``, ``n`` and ``"n"``; None for anything else."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    found = re.fullmatch(r"(?:OSD-)?0*([0-9]+)", text) if isinstance(text, str) else None
    return f"OSD-{found[1]}" if found else None


def _plain(key: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", key.casefold()).strip("_")
    while (shorter := _AFFIXES.sub("", name)) != name:
        name = shorter
    return name
