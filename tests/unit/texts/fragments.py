"""Hypothesis strategies for texts as models write them, built from fragments."""

from __future__ import annotations

import json
from collections.abc import Callable

from hypothesis import strategies as st

TAGS = (
    "<answer>", "</answer>", "<thinking>", "</thinking>", "<think>", "</think>", "<triplet>",
    "</triplet>", "<ANSWER>", "</Answer >", "< answer>", "<triplets>", "</THINK\n>",
)  # fmt: skip
WORDS = (
    "up down unchanged UP Down ＵＰ increase increased increases decrease decreased decreases "
    "upregulated downregulated higher lower reduced changed change unaffected not no never n't "
    "doesn't doesn’t cannot without neither nor did non- hardly fails to lack of and or / | , . ; "
    "** $ ` ~ \" ' “ ” upstream NOTCH1 updated up-regulated 。 、 ！ （ ） « » <b> </b> - – ↑ 🧬"
).split()
SPACES = ("", " ", " ", "\n", "\u3000")

answer_words = st.tuples(st.sampled_from(WORDS), st.sampled_from(SPACES)).map("".join)
answer_blocks = st.lists(answer_words, max_size=7).map("".join)
tagged_texts = st.lists(st.one_of(st.sampled_from(TAGS), answer_words), max_size=12).map("".join)

SYMBOLS = (
    "A", "B", "C", "NKX2-1", "HLA/D", "a_b", "K:1", "A.1", "5'-AMP", "it's", "A//B", "C#1",
    "gene_a", "gene_b", "IL-1β",
)  # fmt: skip
WITH_ROUND = ("MAPK1 (ERK2)", "(R)-W")
QUOTED_ONLY = ("1,25-D", "")
SIGNS = (
    "+", "-", "up", "inhibits", "→", "−", "–", "⊣", "->", "-|", "1", "-1", "+1", "binds", "sign",
    "0",
)  # fmt: skip
SEPARATORS = (",", ", ", " , ", ",\n")
QUOTES: dict[str, Callable[[str], str]] = {
    "json": json.dumps,
    "single": lambda text: "'" + text.replace("'", "\\'") + "'",
    "curly": lambda text: f"“{text}”",
    "curly single": lambda text: f"‘{text}’",
    "bare": str,
}


@st.composite
def elements(draw: st.DrawFn, quote: str, brackets: str) -> str:
    """One element of a list: mostly a triple."""
    square = brackets == "[]"
    sizes = st.sampled_from([3] * 9 + ([2, 4, 1, 0] if square else [2, 4, 5]))
    parts = []
    for place in range(draw(sizes)):
        style = draw(st.sampled_from([quote] * 8 + ["json", "single", "bare"]))
        pool: tuple[str, ...] = SIGNS if place == 1 else SYMBOLS
        if place != 1 and square:
            pool += WITH_ROUND
        if place != 1 and style != "bare":
            pool += QUOTED_ONLY
        if square and draw(st.integers(0, 29)) == 0:
            parts.append(draw(elements(quote, brackets)))
        else:
            parts.append(QUOTES[style](draw(st.sampled_from(pool))))
    last = draw(st.sampled_from(["", "", "", ","])) if parts else ""
    return brackets[0] + draw(st.sampled_from(SEPARATORS)).join(parts) + last + brackets[1]


@st.composite
def triplet_blocks(draw: st.DrawFn) -> str:
    """A triplet block: the spellings of the contract, with what models add and lose."""
    quote = draw(st.sampled_from(sorted(QUOTES)))
    brackets = draw(st.sampled_from(["[]", "[]", "()"]))
    square = brackets == "[]"
    rare = st.integers(0, 14)
    separator = draw(st.sampled_from([", ", ",", ",\n", "\n", " "]))
    found = []
    for _ in range(draw(st.integers(0, 4))):
        if "," in separator and draw(rare) == 0:  # what is no list
            junk = ["x", '"x"', "...", "", "null"]
            found.append(draw(st.sampled_from([*junk, "{'a': 'A', 'b': 'B'}"] if square else junk)))
            continue
        element = draw(elements(quote, brackets))
        if draw(rare) == 0:
            numbers = ["1. ", "2. ", "2) ", "3: ", "- "] if square else ["1. ", "2. "]
            element = draw(st.sampled_from(numbers)) + element
        if square and draw(rare) == 0:
            element += draw(st.sampled_from([" (first)", " note", " (in vitro)", '"']))
        if square and element[-1:] == "]" and draw(rare) == 0:
            remarks = [
                " // c\n",
                " # c\n",
                *([" // c, [d]\n", " /* [c, d, e] */"] if square else []),
            ]
            element += draw(st.sampled_from(remarks))
        found.append(element)
    text = separator.join(found)
    text += draw(st.sampled_from(["", "", "", ","]))
    outer = draw(st.sampled_from(["[]"] * 6 + ["", "[]" if square else "()"]))
    if outer:
        text = outer[0] + text + outer[1]
    if draw(rare) == 0:
        text = draw(st.sampled_from(["```json\n", "chain: ", "Here's it: ", "- ", "1. "])) + text
    if draw(rare) == 0:
        text += draw(st.sampled_from(["\n```", " done.", " (ok)", '"', " it's", "]", "[", ")"]))
    if draw(rare) == 0:
        text = text[: draw(st.integers(0, len(text)))]
    return text


@st.composite
def whole_texts(draw: st.DrawFn) -> str:
    """Thinking, answer and triplets, in any order, some of them missing or cut off."""
    parts = [
        draw(st.sampled_from(["<thinking>so</thinking>", "<think>so</think>", "so</think>", ""])),
        f"<answer>{draw(answer_blocks)}" + draw(st.sampled_from(["</answer>"] * 4 + [""])),
        f"<triplet>{draw(triplet_blocks())}" + draw(st.sampled_from(["</triplet>"] * 4 + [""])),
    ]
    return draw(st.sampled_from(["", "\n", " "])).join(draw(st.permutations(parts)))
