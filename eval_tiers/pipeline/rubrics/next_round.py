"""What is to be asked next: the synthesis of parts, and what is owed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import orjson

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.io.atomic import atomic_writer
from eval_tiers.io.rescue_files import write_owed
from eval_tiers.io.rubric_export import RubricExport
from eval_tiers.pipeline.rubrics.judged import JudgedExport, Rows
from eval_tiers.pipeline.rubrics.merge_summary import waiting_syntheses
from eval_tiers.pipeline.rubrics.merged_rows import synthesis_requests
from eval_tiers.rescue.reply_rows import CUT_OFF, ReplyRow
from eval_tiers.rescue.settling import is_unparsable


def write_synthesis(path: Path, export: RubricExport, judged: JudgedExport) -> int:
    """Write the synthesis of every question whose parts are all in, answered or not.

    So the file only grows while parts come in, and a run of it with the same output asks what is
    new. Returns how many were shortened.
    """
    if not judged.ready:
        path.unlink(missing_ok=True)
        return 0
    shortened_n = 0
    with atomic_writer(path) as handle:
        for request, shortened in synthesis_requests(export, judged.ready):
            handle.write(orjson.dumps(request, option=orjson.OPT_APPEND_NEWLINE))
            shortened_n += shortened
    return shortened_n


def owed_requests(judged: JudgedExport, retry_unparsable: bool) -> dict[str, str]:
    """Return the fault of each request that is owed, by id; of the synthesis round too."""
    return {
        custom_id: fault
        for custom_id, fault in judged.faults.items()
        if judged.outcomes[custom_id].owed or (retry_unparsable and is_unparsable(fault))
    }


def write_owed_requests(
    path: Path,
    export: RubricExport,
    judged: JudgedExport,
    rows: Rows,
    owed: Mapping[str, str],
    synthesis_path: Path | None,
    findings: list[Finding],
) -> Path | None:
    """Write what is owed but for the syntheses that stand in their own file as they are.

    Returns its path; None where there is nothing to write, or the request file is gone.
    """
    again = {
        one: fault for one, fault in owed.items() if one not in waiting_syntheses(judged, owed)
    }
    files = export.request_files()
    stated = export.manifest["requests"]
    if again and len(files) < len(stated):
        findings.append(
            Finding("requests-missing",
                    "the request file isn't there any more: what is owed can't be written",
                    SourceRef(str(stated[0]["path"])),
                    fix="put it beside the index of the export, or export again")
        )  # fmt: skip
        path.unlink(missing_ok=True)
        return None
    if synthesis_path is not None:
        files.append(synthesis_path)
    cut_off = {
        custom_id: max(map(_tokens, rows.get(custom_id, ())), default=0)
        for custom_id, fault in again.items()
        if fault == CUT_OFF
    }
    written = write_owed(path, files, again, cut_off)
    if written < len(again):
        findings.append(
            Finding("requests-differ",
                    f"{len(again) - written} of {len(again)} owed requests aren't in the request "
                    "file", SourceRef(str(stated[0]["path"]) if stated else None),
                    fix="put back the request file that was exported, or export again")
        )  # fmt: skip
    return path if written else None


def _tokens(row: ReplyRow) -> int:
    value = (row.usage or {}).get("completion_tokens")
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
