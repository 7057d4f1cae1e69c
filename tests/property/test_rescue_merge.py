"""Laws of merging: nothing, twice, any order, only what was asked, hard stays hard, rates are rates."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.domain.labels import LABELS
from eval_tiers.rescue.cases import Step
from eval_tiers.rescue.effects import Facts, Merged, merge_one
from eval_tiers.rescue.merging import Asked, Outcome, settle
from eval_tiers.rescue.rates import rescue_counts, rescue_rates
from eval_tiers.rescue.registry import known_kinds
from eval_tiers.rescue.reply_rows import ReplyRow, parse_reply_row
from eval_tiers.rescue.sign_algebra import implied_by
from eval_tiers.tiers.edges import EdgeSet
from eval_tiers.tiers.paths import trace_paths

IDS = [f"r-{n}" for n in range(5)]
KINDS = sorted(known_kinds())
WORDS = ["ANSWER_BUG", "ALTERNATE", "CHAIN_BUG", "YES", "no", "up", "Down", "NONE", "dunno"]

contents = st.one_of(
    st.builds(
        lambda verdict, confidence: json.dumps(
            {"verdict": verdict, "confidence": confidence, "explanation": "e"}
        ),
        st.sampled_from(WORDS),
        st.sampled_from([0.1, 0.5, 1, None, 7]),
    ),
    st.sampled_from(
        ["", "prose", '{"verdict": "YES"', "{'verdict': 'NO',}", "I'm sorry, I can't."]
    ),
)
ids = st.sampled_from([*IDS, "stranger"])
records = st.one_of(
    st.builds(lambda name, content: {"custom_id": name, "response": content}, ids, contents),
    st.builds(
        lambda name, content, finish: {
            "custom_id": name, "error": None,
            "response": {"status_code": 200, "body": {"model": "m", "choices": [
                {"finish_reason": finish, "message": {"content": content}}]}},
        },
        ids, contents, st.sampled_from(["stop", "length", "content_filter", None]),
    ),
    st.builds(lambda name: {"custom_id": name, "response": None, "error": "expired"}, ids),
)  # fmt: skip
reply_lists = st.lists(records, max_size=12)


@st.composite
def exports(draw: st.DrawFn) -> dict[str, tuple[Asked, Facts]]:
    found = {}
    for name in draw(st.lists(st.sampled_from(IDS), unique=True)):
        kind = draw(st.sampled_from(KINDS))
        label = sorted(known_kinds()[kind].error_labels)[0]
        gold = draw(st.sampled_from(LABELS))
        facts = Facts(
            kind, label, gold, kind == "correct_wrong_reason",
            draw(st.sampled_from([None, 0.5, 1.0])), draw(st.integers(0, 1)),
            draw(st.sampled_from([None, "up", "down"])),
        )  # fmt: skip
        found[name] = (Asked(kind, "perturbreason", LABELS, gold), facts)
    return found


def rows_of(replies: Sequence[dict[str, object]]) -> dict[str, list[ReplyRow]]:
    found: dict[str, list[ReplyRow]] = {}
    for record in replies:
        row = parse_reply_row(record)
        if row is not None and row.custom_id is not None:
            found.setdefault(row.custom_id, []).append(row)
    return found


def merge(
    export: dict[str, tuple[Asked, Facts]], replies: Sequence[dict[str, object]]
) -> dict[str, Merged]:
    outcomes = settle(rows_of(replies), {name: asked for name, (asked, _) in export.items()})
    return {name: merge_one(facts, outcomes[name]) for name, (_, facts) in export.items()}


def without_counts(found: dict[str, Merged]) -> list[object]:
    return [(name, one.outcome.verdict, one.outcome.fault, one.outcome.confidence, one.soft,
             one.error_label_after, one.rescued_answer) for name, one in found.items()]  # fmt: skip


@given(exports())
def test_merging_nothing_changes_nothing(export: dict[str, tuple[Asked, Facts]]) -> None:
    for one in merge(export, []).values():
        assert one == Merged(
            one.facts, Outcome(None, "missing"), False, False, None, one.facts.error_label
        )


@given(exports(), reply_lists)
def test_merging_twice_is_merging_once(
    export: dict[str, tuple[Asked, Facts]], replies: list[dict[str, object]]
) -> None:
    assert without_counts(merge(export, replies)) == without_counts(
        merge(export, replies + replies)
    )


@given(exports(), reply_lists, st.integers())
def test_order_does_not_matter(
    export: dict[str, tuple[Asked, Facts]], replies: list[dict[str, object]], seed: int
) -> None:
    shuffled = list(replies)
    random.Random(seed).shuffle(shuffled)
    assert merge(export, shuffled) == merge(export, replies)


@given(exports(), reply_lists)
def test_only_what_was_asked_changes(
    export: dict[str, tuple[Asked, Facts]], replies: list[dict[str, object]]
) -> None:
    found = merge(export, replies)
    assert found.keys() == export.keys()
    for name, one in found.items():
        assert one.facts == export[name][1]
        mine = [record for record in replies if record["custom_id"] == name]
        assert merge({name: export[name]}, mine) == {name: one}


@given(exports(), reply_lists, st.integers(0, 50), st.integers(0, 50))
def test_hard_never_changes_and_rates_are_rates(
    export: dict[str, tuple[Asked, Facts]], replies: list[dict[str, object]], right: int, wrong: int
) -> None:
    found = merge(export, replies)
    right += sum(one.facts.answer_correct for one in found.values())
    total = right + wrong + sum(not one.facts.answer_correct for one in found.values())
    counts = rescue_counts(found.values())
    rates = rescue_rates(
        total, right, counts["soft"], counts["soft_ref"], counts["recovered"], counts["alternate"]
    )
    before = rescue_rates(total, right, 0, 0, 0, 0)
    assert rates["hard_correct_rate"] == before["hard_correct_rate"]
    for name, value in rates.items():
        if name.endswith("_rate") or name.endswith("_rate_ref"):
            assert value is None if total == 0 else value is not None and 0 <= value <= 1
    assert counts["soft"] <= counts["soft_ref"] <= len(found)


edges = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from([-1, 0, 1]), st.integers(0, 4)),
    max_size=9, unique_by=lambda edge: (edge[0], edge[2]),
)  # fmt: skip


@given(edges, st.integers(0, 4), st.integers(0, 4))
def test_sign_algebra_of_one_chain_is_that_of_tier_2(
    chain: list[tuple[int, int, int]], start: int, end: int
) -> None:
    chain = sorted(chain, key=lambda edge: (edge[0], edge[2]))
    batch = EdgeSet(
        sample=np.zeros(len(chain), np.int32),
        source=np.array([a for a, _, _ in chain], np.int32),
        target=np.array([b for _, _, b in chain], np.int32),
        sign=np.array([sign for _, sign, _ in chain], np.int8),
        n_samples=1,
        n_symbols=5,
        key=np.array([5 * a + b for a, _, b in chain], np.int64),
        conflict=np.zeros(len(chain), np.bool_),
        first=np.arange(len(chain)),
    )
    traced = trace_paths(batch, np.array([start], np.int32), np.array([end], np.int32), 10_000)
    steps = [Step(f"G{a}", sign, f"g{b}") for a, sign, b in chain]
    found = implied_by(steps, f"g{start}", f"G{end}")
    assert found.connected == (traced.connected[0] == 1)
    assert found.sign == traced.sign[0]
    assert list(found.on_path) == [
        step for step, on in zip(steps, traced.on_path, strict=True) if on == 1
    ]
