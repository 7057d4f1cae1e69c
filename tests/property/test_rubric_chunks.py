"""Laws of splitting a report: joined it is the report; no part is over the limit, nor empty."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.rubrics.chunks import normal_newlines, split_report
from eval_tiers.rubrics.tokens import Ruler

reports = st.text(
    st.one_of(st.sampled_from("ab \n\r\t\u0301\u200d\u2028\U0001f469\ud83d"), st.characters()),
    max_size=200,
)
counters = st.sampled_from([None, lambda text: len(text.encode("utf-8", "surrogatepass"))])


@given(reports, st.integers(4, 40), counters)
def test_parts_are_the_report_and_none_is_too_long(text: str, limit: int, count: object) -> None:
    ruler = Ruler(limit, count)  # type: ignore[arg-type]
    parts = split_report(text, ruler)
    assert "".join(parts) == normal_newlines(text)
    assert all(parts)
    assert all(ruler.tokens(part) <= limit for part in parts)


@given(reports, st.integers(1, 40))
def test_splitting_again_changes_nothing(text: str, limit: int) -> None:
    for part in split_report(text, Ruler(limit)):
        assert split_report(part, Ruler(limit)) == [part]
