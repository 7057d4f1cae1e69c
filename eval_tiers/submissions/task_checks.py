"""What a task says that a judge or an agent would stumble over."""

from __future__ import annotations

from collections.abc import Iterator

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.submissions.leaks import find_leaks, folded
from eval_tiers.submissions.task import EvalTask


def check_statements(task: EvalTask, where: SourceRef) -> Iterator[Finding]:
    """Yield statements that can't be told apart, and leak markers that a right answer holds.

    Examples
    --------
    >>> task = EvalTask("t", (), ("A rises.", "a  rises"), leak_markers=("rises",))
    >>> [finding.code for finding in check_statements(task, SourceRef())]
    ['similar-statements', 'marker-in-statement', 'marker-in-statement']
    """
    seen: dict[bytes, str] = {}
    statements = [*task.conclusions, *task.caveats]
    for text in statements:
        other = seen.setdefault(b" ".join(folded(text).split()), text)
        if other != text:
            told = f"two statements differ by no letter or digit: {text[:80]!r}, {other[:80]!r}"
            yield Finding("similar-statements", told, where, "warning", "word them apart")
    shown = [*statements, task.question or ""]
    for number, text in enumerate(shown):
        for leak in find_leaks(task.leak_markers, "", text):
            role = "the question" if number == len(statements) else f"{text[:80]!r}"
            told = f"the leak marker {leak.marker!r} stands in {role}: a right answer may hold it"
            yield Finding("marker-in-statement", told, where, "warning", "take another marker")
