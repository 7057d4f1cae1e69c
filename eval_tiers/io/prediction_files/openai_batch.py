"""Replies of a Batch API: OpenAI's output and error files, as ``vllm run-batch`` writes them too.

The content of each reply becomes the model's text. A failed request is a row without text, so that
its sample counts as missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.formats.base import RecordFault
from eval_tiers.io.json_rows import parse_row, unreadable_row
from eval_tiers.io.prediction_files.batch_replies import (
    Failed,
    Reply,
    is_batch_row,
    replies_of,
)
from eval_tiers.io.prediction_files.shape import (
    Head,
    PredictionFile,
    PredictionShape,
    Row,
    json_row,
)
from eval_tiers.io.rows import iter_rows
from eval_tiers.texts.custom_ids import ParsedCustomId, custom_id_of, parse_custom_id
from eval_tiers.texts.stated_confidence import FIELDS as STATED_FIELDS
from eval_tiers.texts.stated_confidence import stated_in_reply


def matches(head: Head) -> int:
    """Tell replies by a custom_id beside a response that is an object, or an error."""
    return 90 if any(map(is_batch_row, head.records)) else 0


def rows(file: PredictionFile) -> Iterator[Row]:
    """Yield a row a choice of each reply.

    Raises
    ------
    BadInputError
        Some requests showed the evidence and others didn't.
    """
    ids = _SampleIds(file)
    failed: list[tuple[int, str]] = []
    for line, raw in iter_rows(file.path, None):
        try:
            record = parse_row(raw)
        except RecordFault:  # a log line: it is no row, and says so itself
            yield line, raw
            continue
        custom_id = record.get("custom_id")
        if not isinstance(custom_id, str) or not custom_id.strip():
            yield line, unreadable_row("the row has no custom_id, others of the file have")
            continue
        sample_id = ids.sample_id_of(custom_id.strip(), line)
        try:
            replies = replies_of(record)
        except Failed as failure:
            failed.append((line, failure.message))
            yield line, json_row({"id": sample_id, "output": None})
        except RecordFault as fault:
            yield line, unreadable_row(fault.message)
        else:
            for reply in replies:
                yield line, json_row(_fields(sample_id, reply, len(replies) > 1, file.reply_text))
    file.notes.evidence_shown = ids.with_evidence
    if failed:
        file.notes.skipped["failed_requests"] = len(failed)
        line, message = failed[0]
        file.notes.findings.append(
            Finding(
                "failed-requests",
                f"{len(failed)} request(s) failed: their samples count as missing; "
                f"the first: {message}",
                SourceRef(str(file.path), line),
                fix="send them again, and put the replies in their place",
            )
        )


def _fields(
    sample_id: str, reply: Reply, is_one_of_several: bool, reply_text: Callable[[str], str]
) -> dict[str, object]:
    content = None if reply.content is None else reply_text(reply.content)
    found: dict[str, object] = {"id": sample_id, "output": content}
    found |= zip(STATED_FIELDS, stated_in_reply(reply.content), strict=True)
    if reply.reasoning is not None:
        found["reasoning_content"] = reply.reasoning
    if is_one_of_several:
        found["rollout"] = reply.index
    found |= {"finish_reason": reply.finish_reason, "model": reply.model}
    return {name: value for name, value in found.items() if name == "output" or value is not None}


class _SampleIds:
    """Reads custom ids; hashed ones are looked up among the gold ids."""

    def __init__(self, file: PredictionFile) -> None:
        self._file = file
        self._by_custom_id: dict[str, str] | None = None
        self._first: tuple[str, int] | None = None
        self.with_evidence: bool | None = None

    def sample_id_of(self, custom_id: str, line: int) -> str:
        parsed = parse_custom_id(custom_id)
        if self._first is None:
            self._first, self.with_evidence = (custom_id, line), parsed.with_evidence
        elif parsed.with_evidence != self.with_evidence:
            raise self._mixed(custom_id, line)
        return self._unhashed(custom_id, parsed) if parsed.hashed else parsed.sample_id

    def _unhashed(self, custom_id: str, parsed: ParsedCustomId) -> str:
        if self._by_custom_id is None:
            self._by_custom_id = {
                custom_id_of(sample_id, parsed.with_evidence): sample_id
                for sample_id in self._file.gold_ids()
            }
        return self._by_custom_id.get(custom_id, custom_id)

    def _mixed(self, custom_id: str, line: int) -> BadInputError:
        first, first_line = self._first or ("", 0)
        shown = ("with evidence", "without") if self.with_evidence else ("without", "with evidence")
        return BadInputError(
            Problem(
                "mixed-evidence-conditions",
                f"some requests showed the evidence and others didn't: '{first}' (line "
                f"{first_line}) is {shown[0]}, '{custom_id}' {shown[1]}",
                SourceRef(str(self._file.path), line, "custom_id"),
                "evaluate the two in separate runs, a file each",
            )
        )


def _example_row(custom_id: str, content: str) -> bytes:
    message: Mapping[str, object] = {"role": "assistant", "content": content}
    body = {"model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    reply = {"custom_id": custom_id, "response": {"status_code": 200, "body": body}, "error": None}
    return json_row(reply) + b"\n"


SHAPE: Final = PredictionShape(
    name="openai_batch",
    title="Replies of a Batch API (OpenAI's output file, vllm run-batch)",
    matches=matches,
    rows=rows,
    advice="each line has a custom_id and a response, as a Batch API writes them",
    example=_example_row("a", "up")
    + b'{"custom_id": "b", "response": null, "error": {"message": "expired"}}\n',
    example_rows=(
        {"id": "a", "output": "up", "finish_reason": "stop", "model": "m"},
        {"id": "b", "output": None},
    ),
    reference="https://platform.openai.com/docs/api-reference/batch/request-output",
)
