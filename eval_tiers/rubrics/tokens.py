"""How long a text is to a model: in tokens where its tokenizer is there, else in characters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

CHARACTERS_A_TOKEN: Final = 4
"""What a token is taken for where no tokenizer is named."""

CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Ruler:
    """Measures texts against a limit of tokens.

    Attributes
    ----------
    token_n : int
        Tokens that a part of a report may have.
    count : callable or None
        Counts the tokens of a text; None: characters / 4.
    name : str
        How they are counted, in words.
    """

    token_n: int
    count: CountTokens | None = None
    name: str = f"characters / {CHARACTERS_A_TOKEN}"

    @property
    def limit(self) -> int:
        """The limit in the unit of `measure`."""
        return self.token_n if self.count is not None else self.token_n * CHARACTERS_A_TOKEN

    @property
    def measure(self) -> CountTokens:
        """Count what `limit` limits: tokens, or characters."""
        return self.count if self.count is not None else len

    def tokens(self, text: str) -> int:
        """Return a text's tokens.

        Examples
        --------
        >>> Ruler(100).tokens("12345")
        2
        """
        if self.count is not None:
            return self.count(text)
        return -(-len(text) // CHARACTERS_A_TOKEN)
