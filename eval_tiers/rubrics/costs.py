"""What a judgement costs."""

from __future__ import annotations

PER: float = 1_000_000
"""Tokens that a price is of."""

MAX_PRICE: float = 1e6
"""USD for so many tokens that no price is over."""


def token_cost(
    prompt_n: int, completion_n: int, prompt_price: float, completion_price: float
) -> float:
    """Return the cost of tokens in USD.

    Parameters
    ----------
    prompt_n, completion_n : int
        Tokens in and out.
    prompt_price, completion_price : float
        USD per million.

    Examples
    --------
    >>> round(token_cost(2_392, 2_175, 1.25, 10), 5)
    0.02474
    """
    return (prompt_n * prompt_price + completion_n * completion_price) / PER
