"""Which of a judge's replies are about a submission, and what each of them says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from eval_tiers.rescue.reply_rows import MISSING as NO_REPLY_ROW
from eval_tiers.rescue.reply_rows import ReplyRow
from eval_tiers.rescue.settling import CONFLICTING
from eval_tiers.submissions.judge_reply import ReplyFault, parse_judge_reply
from eval_tiers.submissions.judgement import ReplyOutcome

NO_REPLY: Final = "no_reply"
OTHER_SUBMISSION: Final = "other_submission"

_MEANINGS: Final = {
    "http_error": "the request failed",
    "over_length": "the prompt is longer than the model takes",
    "cut_off": "the reply was cut off at max_tokens",
    "empty": "the reply is empty",
    "withheld": "the reply was withheld by a filter",
    "refusal": "the judge refused",
}

Placed = tuple[ReplyRow, str, int]
"""A reply row, its file and line."""


def settle_replies(
    placed: Sequence[Placed],
    base_id: str,
    task_id: str,
    conclusions: Sequence[str],
    caveats: Sequence[str],
) -> list[ReplyOutcome]:
    """Return what became of each request about a submission, in the order of repeats.

    Parameters
    ----------
    placed : sequence of (ReplyRow, str, int)
    base_id : str
        What the custom ids of this submission's requests begin with. A row without an id, and one
        whose id is the task's, are about this submission too.
    task_id : str
    conclusions, caveats : sequence of str
        The expected texts.

    Returns
    -------
    list of ReplyOutcome
        One outcome that says why where no reply is about this submission. Replies to one request
        that differ count as none.
    """
    groups: dict[str, list[Placed]] = {}
    for number, one in enumerate(placed):
        said = (one[0].custom_id, one[0].sample_id)
        if said == (None, None):
            groups.setdefault(f"\0{number}", []).append(one)
            continue
        for name in said:
            if name is not None and _is_about(name, base_id, task_id):
                groups.setdefault(name, []).append(one)
                break
    if not groups:
        return [_none_of(placed, task_id)]
    ordered = sorted(groups, key=lambda name: (len(name), name))
    return [_settled(name, groups[name], conclusions, caveats) for name in ordered]


def _is_about(name: str, base_id: str, task_id: str) -> bool:
    return name in (base_id, task_id) or name.startswith(f"{base_id}:r")


def _none_of(placed: Sequence[Placed], task_id: str) -> ReplyOutcome:
    if not placed:
        return ReplyOutcome(None, None, NO_REPLY, "there is no reply about this submission")
    row, path, line = placed[0]
    shown = row.custom_id or row.sample_id
    return ReplyOutcome(
        None,
        None,
        OTHER_SUBMISSION,
        f"none of {len(placed):,} replies is about this submission to {task_id!r} as it is now: "
        f"the first is to {shown!r}",
        path=path,
        line=line,
    )


def _settled(
    name: str, rows: Iterable[Placed], conclusions: Sequence[str], caveats: Sequence[str]
) -> ReplyOutcome:
    outcomes = [_outcome(name, one, conclusions, caveats) for one in rows]
    told = [outcome for outcome in outcomes if outcome.reply is not None]
    if not told:
        return outcomes[0]
    if any(outcome.reply != told[0].reply for outcome in told):
        first = told[0]
        return ReplyOutcome(
            first.custom_id, None, CONFLICTING, f"{len(told)} replies to one request differ",
            first.model, first.path, first.line,
        )  # fmt: skip
    return told[0]


def _outcome(
    name: str, placed: Placed, conclusions: Sequence[str], caveats: Sequence[str]
) -> ReplyOutcome:
    row, path, line = placed
    custom_id = None if name.startswith("\0") else name
    fault, message = row.fault, None
    if fault is None and row.content is not None:
        try:
            reply = parse_judge_reply(row.content, conclusions, caveats)
        except ReplyFault as error:
            fault, message = error.code, error.message
        else:
            return ReplyOutcome(custom_id, reply, None, None, row.model, path, line)
    if fault is None or fault == NO_REPLY_ROW:
        fault = NO_REPLY
    message = message or _MEANINGS.get(fault, "there is no reply")
    return ReplyOutcome(custom_id, None, fault, message, row.model, path, line)
