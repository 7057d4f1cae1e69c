"""What a judge's replies on a submission come to: effective statuses, of one reply or several."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from eval_tiers.rescue.settling import Outcome, repeat_agreement
from eval_tiers.submissions.citations import CreditedRow, check_citations, credit_rows
from eval_tiers.submissions.inspection import Inspection
from eval_tiers.submissions.judge_reply import MATCHED, MISSING, PARTIAL, WRONG, JudgeReply
from eval_tiers.submissions.score import Tally

JUDGED: Final = "judged"
NOT_JUDGED: Final = "not judged"
INFRASTRUCTURE: Final = "infrastructure failure"

_ORDER: Final = (WRONG, MISSING, PARTIAL, MATCHED)


@dataclass(frozen=True, slots=True)
class ReplyOutcome:
    """What became of one request to the judge.

    Attributes
    ----------
    custom_id, model, path : str or None
    line : int or None
        Where its reply stands.
    reply : JudgeReply or None
    fault, message : str or None
        Why there is none.
    """

    custom_id: str | None
    reply: JudgeReply | None = None
    fault: str | None = None
    message: str | None = None
    model: str | None = None
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the judge's replies come to.

    Attributes
    ----------
    status : {"judged", "not judged", "infrastructure failure"}
    conclusions, caveats : tuple of CreditedRow
        In the order of the task; empty unless judged.
    leakage_suspected : bool or None
        Null unless judged.
    explanation : str or None
    agreement : dict or None
        Of several replies: how far their effective statuses agree.
    outcomes : tuple of ReplyOutcome
    fault, message : str or None
        Why there is no judgement.
    """

    status: Literal["judged", "not judged", "infrastructure failure"]
    conclusions: tuple[CreditedRow, ...] = ()
    caveats: tuple[CreditedRow, ...] = ()
    leakage_suspected: bool | None = None
    explanation: str | None = None
    agreement: dict[str, float | int | None] | None = None
    outcomes: tuple[ReplyOutcome, ...] = field(default=())
    fault: str | None = None
    message: str | None = None

    @property
    def tally(self) -> Tally:
        """Counts of effective statuses."""
        conclusions = [row.status for row in self.conclusions]
        caveats = [row.status for row in self.caveats]
        return Tally(
            len(conclusions),
            conclusions.count(MATCHED),
            conclusions.count(PARTIAL),
            conclusions.count(WRONG),
            len(caveats),
            caveats.count(MATCHED),
            caveats.count(PARTIAL),
        )


def judge_submission(
    outcomes: Sequence[ReplyOutcome], inspection: Inspection, declared: Collection[str]
) -> Judgement:
    """Bring replies together, their credit bound to citations that hold.

    Parameters
    ----------
    outcomes : sequence of ReplyOutcome
        One a request, in the order of repeats; those without a reply are passed over.
    inspection : Inspection
    declared : collection of str
        Paths that the manifest declares.

    Returns
    -------
    Judgement
        Of several replies, each row has the median of its effective statuses, in the order wrong,
        missing, partial, matched; of an even number, the lower of the two in the middle. Leakage
        is suspected where at least half of the replies suspect it. Without any reply: an
        infrastructure failure, no score.
    """
    replies = [outcome.reply for outcome in outcomes if outcome.reply is not None]
    if not replies:
        first = next(iter(outcomes), None)
        return Judgement(
            "infrastructure failure",
            outcomes=tuple(outcomes),
            fault="no_reply" if first is None else first.fault,
            message="there is no reply to this submission" if first is None else first.message,
        )
    cited = [
        citation
        for reply in replies
        for row in (*reply.conclusions, *reply.caveats)
        for citation in row.citations
    ]
    checked = check_citations(cited, inspection.artifacts, declared, inspection.answer)
    conclusions = [credit_rows(reply.conclusions, checked) for reply in replies]
    caveats = [credit_rows(reply.caveats, checked) for reply in replies]
    return Judgement(
        "judged",
        _medians(conclusions),
        _medians(caveats),
        2 * sum(reply.leakage_suspected for reply in replies) >= len(replies),
        replies[0].explanation,
        _agreement([*zip(*conclusions, strict=True), *zip(*caveats, strict=True)]),
        tuple(outcomes),
    )


def _medians(sets: Sequence[tuple[CreditedRow, ...]]) -> tuple[CreditedRow, ...]:
    """Return, for each expected text, the row of the first reply with the median status."""
    return tuple(_median(rows) for rows in zip(*sets, strict=True))


def _median(rows: Sequence[CreditedRow]) -> CreditedRow:
    ranked = sorted(rows, key=lambda row: _ORDER.index(row.status))
    return ranked[(len(ranked) - 1) // 2]  # the sort is stable: of equals, the first reply's


def _agreement(
    rows: Sequence[Sequence[CreditedRow]],
) -> dict[str, float | int | None] | None:
    if not rows or len(rows[0]) < 2:
        return None
    return repeat_agreement([[Outcome(one.status) for one in repeats] for repeats in rows])
