"""The report's sections on what was run: the ledger, inputs and hashes, settings, findings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from eval_tiers.report.html.figures import count_figure, plain_table
from eval_tiers.report.html.model import (
    Figure,
    Section,
)


def ledger_section(summary: Mapping[str, Any]) -> Section:
    """Return where every row of gold and predictions ended."""
    figures = []
    for side, name in (("gold", "Gold rows"), ("predictions", "Prediction rows")):
        buckets = {key.replace("_", " "): n for key, n in summary["ledger"][side].items()}
        rows = buckets.pop("rows")
        figures.append(
            count_figure(
                f"ledger-{side}",
                f"{name}: {rows:,}",
                "Every row ends in exactly one bucket.",
                "The buckets add up to all rows; a parse failure and a missing prediction are "
                "scored as wrong.",
                buckets,
                rows,
                key=f"ledger.{side}",
            )
        )
    return Section("ledger", "Ledger", tuple(figures))


def run_section(summary: Mapping[str, Any], manifest: Mapping[str, Any]) -> Section:
    """Return inputs with their hashes, versions, settings, and what was found on the way."""
    figures = [
        _listing("Inputs", "What was read; the hash tells whether a file is the same.",
                 ("role", "path", "sha256", "rows"), _inputs(manifest)),
        _listing("Versions and arguments", "What ran, and how it was started.",
                 ("", "value"), _versions(summary, manifest)),
        _listing("Settings", "Thresholds and seeds.", ("setting", "value"),
                 [(key, [_plain(value)]) for key, value in summary["settings"].items()]),
    ]  # fmt: skip
    findings = [
        (str(found["code"]), [str(found["level"]), str(found["message"]), _place(found)])
        for found in summary.get("findings", ())
    ]
    if findings:
        figures.append(
            _listing("Findings", "Faults that were counted and gone on from.",
                     ("code", "level", "what", "where"), findings)
        )  # fmt: skip
    return Section("run", "What was run", tuple(figures))


def _listing(title: str, shows: str, columns: tuple[str, ...], rows: Any) -> Figure:
    return Figure(title, shows, "", "", (plain_table(title, columns, rows),))


def _inputs(manifest: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    return [
        (
            str(entry.get("role")),
            [
                str(entry.get("path")),
                str(entry.get("sha256") or ""),
                "" if entry.get("row_n") is None else f"{entry['row_n']:,}",
            ],
        )
        for entry in manifest.get("inputs", ())
    ]


def _versions(
    summary: Mapping[str, Any], manifest: Mapping[str, Any]
) -> list[tuple[str, list[str]]]:
    rows = [
        ("run", summary.get("run_id")),
        ("eval_tiers", summary.get("eval_tiers_version")),
        ("metric definitions", summary.get("metrics_version")),
        ("their hash", summary.get("metrics_hash")),
        ("arguments", " ".join(map(str, manifest.get("arguments", ())))),
        ("Python", manifest.get("python_version")),
        ("platform", manifest.get("platform")),
        *(manifest.get("library_versions") or {}).items(),
        *((f"seconds: {name}", n) for name, n in (manifest.get("seconds") or {}).items()),
    ]
    return [(str(name), [_plain(value)]) for name, value in rows if value not in (None, "")]


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _place(found: Mapping[str, Any]) -> str:
    path, line = found.get("path"), found.get("line")
    return "" if path is None else str(path) if line is None else f"{path}:{line}"
