"""Request and reply files as the tests look at them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def rows_of(path: Path) -> list[Row]:
    """The whole rows of a JSON Lines file; torn lines are left out."""
    found = []
    for line in path.read_bytes().split(b"\n") if path.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def ids_of(rows: Iterable[Row]) -> list[str]:
    """The custom ids, in the order of the rows."""
    return [row["custom_id"] for row in rows]


def faults_of(requests: Iterable[Row], replies: Iterable[Row]) -> list[str]:
    """What keeps the replies from being one valid reply to each request; empty when nothing does."""
    replies = list(replies)
    asked = {request["custom_id"]: request for request in requests}
    times = Counter(ids_of(replies))
    faults = [f"{times[name]} replies to {name}" for name in asked if times[name] != 1]
    faults += [f"reply to {name}, which was not asked" for name in times.keys() - asked.keys()]
    for reply in replies:
        request = asked.get(reply["custom_id"])
        fault = _fault(request, reply) if request else None
        if fault:
            faults.append(f"{reply['custom_id']}: {fault}")
    return faults


def _fault(request: Row, reply: Row) -> str | None:
    """Why a reply does not keep to the schema of its request."""
    if reply["error"] is not None or reply["response"]["status_code"] != 200:
        return f"error {reply['error']}"
    choice = reply["response"]["body"]["choices"][0]
    text = choice["message"]["content"]
    if choice["finish_reason"] != "stop":
        return f"finish_reason {choice['finish_reason']}"
    schema = request["body"]["response_format"]["json_schema"]["schema"]
    try:
        found = json.loads(text)
    except (TypeError, ValueError):
        return f"no JSON: {text!r}"
    if list(found) != list(schema["properties"]):
        return f"fields {list(found)}"
    for name, wanted in schema["properties"].items():
        value = found[name]
        if "enum" in wanted and value not in wanted["enum"]:
            return f"{name} is {value!r}"
        if wanted["type"] == "number" and not wanted["minimum"] <= value <= wanted["maximum"]:
            return f"{name} is {value!r}"
        if "pattern" in wanted and not re.search(wanted["pattern"], value):
            return f"{name} is {value!r}"
    return None
