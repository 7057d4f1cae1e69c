from __future__ import annotations

import math
from typing import Any

import pytest

from eval_tiers.texts.choice_probability import choice_probability

VERDICTS = ["ANSWER_BUG", "ALTERNATE", "CHAIN_BUG"]


def token(text: str, **others: float) -> dict[str, Any]:
    """A token that was written, first of those listed, with the probabilities of all."""
    shares = {text: 1.0 - sum(others.values())} | others
    listed = [{"token": name, "logprob": math.log(share)} for name, share in shares.items()]
    return {"token": text, "logprob": math.log(shares[text]), "top_logprobs": listed}


HEAD = [token("{"), token('"'), token("verdict"), token('":'), token(' "')]
TAIL = [token('"'), token(","), token(' "explanation": "no"'), token("}")]


def test_masses_at_the_first_token() -> None:
    written = [*HEAD, token("CHAIN", ANSWER=0.3, ALTER=0.1), token("_BUG"), *TAIL]
    found = choice_probability(written, "verdict", VERDICTS)
    assert found == {"ANSWER_BUG": 0.3, "ALTERNATE": 0.1, "CHAIN_BUG": 0.6}


def test_a_shared_beginning_is_followed_to_where_it_parts() -> None:
    # "A" .8 then "NSWER" .75: .6 ANSWER_BUG; "A" .8 then "LTER" .25: .2; "CHAIN" .2
    written = [*HEAD, token("A", CHAIN=0.2), token("NSWER", LTER=0.25), token("_BUG"), *TAIL]
    found = choice_probability(written, "verdict", VERDICTS)
    assert found == {"ANSWER_BUG": 0.6, "ALTERNATE": 0.2, "CHAIN_BUG": 0.2}


def test_mass_that_fits_several_is_left_out_up_to_a_tenth() -> None:
    written = [*HEAD, token("CHAIN", ANSWER=0.45, A=0.05), token("_BUG"), *TAIL]
    found = choice_probability(written, "verdict", VERDICTS)
    assert found == {
        "ANSWER_BUG": pytest.approx(0.45 / 0.95, abs=1e-6), "ALTERNATE": 0.0,
        "CHAIN_BUG": pytest.approx(0.5 / 0.95, abs=1e-6),
    }  # fmt: skip
    written = [*HEAD, token("CHAIN", ANSWER=0.35, A=0.15), token("_BUG"), *TAIL]
    assert choice_probability(written, "verdict", VERDICTS) is None


def test_tokens_that_hold_the_quote_too() -> None:
    written = [
        *HEAD[:3], token('": "YES', **{'": "NO': 0.25}), token('"}'),
    ]  # fmt: skip
    assert choice_probability(written, "verdict", ["YES", "NO"]) == {"YES": 0.75, "NO": 0.25}
    written = [*HEAD[:4], token(' "', **{' "NO': 0.5}), token("YES", NO=0.5), *TAIL]
    assert choice_probability(written, "verdict", ["YES", "NO"]) == {"YES": 0.25, "NO": 0.75}


def test_one_value_that_begins_another() -> None:
    written = [*HEAD, token("up"), token('"', wards=0.25), token("}")]
    found = choice_probability(written, "verdict", ["up", "upwards"])
    assert found == {"up": 0.75, "upwards": 0.25}


def test_the_last_field_counts_and_quoted_ones_are_text() -> None:
    thought = token('I think {"verdict": "NO"} or so. ')
    said = token(',"explanation":"it is \\"verdict\\": \\"NO\\""}')
    written = [thought, *HEAD, token("YES", NO=0.25), token('"'), said]
    assert choice_probability(written, "verdict", ["YES", "NO"]) == {"YES": 0.75, "NO": 0.25}


@pytest.mark.parametrize(
    "written",
    [
        [],
        [token('{"answer": "YES"}')],
        [*HEAD],
        [*HEAD, token("MAYBE"), *TAIL],
        [*HEAD, token("YE")],
        [{"token": None, "logprob": 0.0}],
        [*HEAD, {"token": "YES"}, *TAIL],
    ],
    ids=["none", "no-field", "cut", "other", "cut-in-value", "no-text", "no-logprob"],
)  # fmt: skip
def test_null_where_it_is_not_known(written: list[dict[str, Any]]) -> None:
    assert choice_probability(written, "verdict", ["YES", "NO"]) is None


def test_no_choices() -> None:
    assert choice_probability([*HEAD, token("YES"), *TAIL], "verdict", []) is None
