"""Tasks with reports for rubric tests, and examiners that answer their requests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.openai_server import Said, completion

Record = dict[str, Any]
Judge = Callable[["Asked"], str]

_FENCED = r"\n(?P<fence>`{3,})\n(?P<text>.*?)\n(?P=fence)(?:\n|\Z)"


class Asked:
    """What a request shows.

    Attributes
    ----------
    criterion, shown : str
        ``shown``: the report, the part of it, or what was found in the parts.
    is_synthesis : bool
    part : str
        Such as ``part 2 of 7``; "" of a whole report.
    verdicts : list of str
        In the order shown.
    """

    def __init__(self, body: Record) -> None:
        user = body["messages"][-1]["content"]
        report = re.search(r"## Report(?:, ([^\n]+))?" + _FENCED, user, re.DOTALL)
        found = re.search(r"## Found in the parts" + _FENCED, user, re.DOTALL)
        *_, criterion = re.finditer(r"## Criterion" + _FENCED, user, re.DOTALL)
        assert (report is None) != (found is None)
        self.criterion: str = criterion["text"]
        self.is_synthesis = found is not None
        self.shown: str = (found or report)["text"]  # type: ignore[index]
        self.part: str = (report[1] or "") if report is not None else ""
        self.verdicts = re.findall(r'^- "([^"]+)":', user.rsplit("## Verdicts\n", 1)[1], re.M)


def searching(asked: Asked) -> str:
    """Satisfied where the report has the criterion's last word; at the end, where any part has."""
    if asked.is_synthesis:
        return "Satisfied" if re.search(r"^Parts? .*: Satisfied", asked.shown, re.M) else NOT
    return "Satisfied" if asked.criterion.split()[-1].strip(".") in asked.shown else NOT


NOT = "Not Satisfied"


def content(verdict: str, confidence: float = 0.9, reasoning: str = "so it says") -> str:
    """What an examiner writes."""
    return json.dumps({"verdict": verdict, "confidence": confidence, "reasoning": reasoning})


def reply(custom_id: str, text: str | None, **more: Any) -> Record:
    """A row of a reply file: 2,392 tokens read, 2,175 written."""
    body = completion(text, more.pop("finish_reason", "stop"))
    body |= {"model": "m", "usage": {"prompt_tokens": 2392, "completion_tokens": 2175}}
    return {
        "custom_id": custom_id, "error": None, "response": {"status_code": 200, "body": body},
    } | more  # fmt: skip


def plan(judge: Judge) -> Callable[[str, int, Record], Said]:
    """A server's plan that lets a judge answer."""
    return lambda text, times, body: Said(completion(content(judge(Asked(body)))))


def records_of(path: Path) -> list[Record]:
    """The objects of a JSON Lines file."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]


def answers(requests: Iterable[Record], judge: Judge, **more: Any) -> list[Record]:
    """Rows with a judge's answers to requests."""
    return [reply(one["custom_id"], content(judge(Asked(one["body"]))), **more) for one in requests]


def task(sample_id: str, *rubrics: tuple[str, float], axis: str = "Evidence") -> Record:
    """A task of ``processed_data.jsonl``."""
    return {
        "prompt": f"Report on the liver in space, {sample_id}.", "sample_id": sample_id,
        "domain": "Biology", "conceptual_breadth": "Simple", "logical_nesting": "Simple",
        "exploration": "Low",
        "rubrics": [{"criterion": text, "weight": w, "axis": axis} for text, w in rubrics],
    }  # fmt: skip


def write_data(folder: Path, tasks: Iterable[Record], reports: dict[str, str]) -> None:
    """Write ``processed_data.jsonl`` and ``agent_responses/``."""
    (folder / "agent_responses").mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(one) + "\n" for one in tasks]
    (folder / "processed_data.jsonl").write_text("".join(lines), encoding="utf-8")
    for sample_id, text in reports.items():
        (folder / "agent_responses" / f"{sample_id}.md").write_bytes(text.encode())
