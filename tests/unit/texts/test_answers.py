"""The strict and the lenient reading of answers, kind by kind."""

from __future__ import annotations

import pytest

from eval_tiers.domain.labels import LABELS
from eval_tiers.texts.answers import normalise_answer
from tests.unit.texts.reading import read, read_slowly

UP, DOWN, SAME = LABELS

# text, strict, reason, lenient
WHOLE_TEXTS = [
    # which block counts
    ("<answer>up</answer>", UP, None, UP),
    ("<thinking>a</thinking>\n<answer>up</answer>\n<triplet>[]</triplet>", UP, None, UP),
    ("<answer>down</answer> at first.\n<answer>up</answer>", UP, None, UP),
    ("<answer>down</answer>\n<thinking>no</thinking>\n<answer>up</answer>", UP, None, UP),
    ("<answer>up</answer>\n<thinking>and now?</thinking>", None, "no_answer_block", None),
    ("<thinking><answer>up</answer></thinking> I can't tell.", None, "no_answer_block", None),
    ("<think><answer>down</answer>?</think><answer>unchanged</answer>", SAME, None, SAME),
    ("<think>a</think><answer>up</answer><think>b</think><answer>down</answer>", DOWN, None, DOWN),
    ("<thinking>a</think><answer>up</answer>", UP, None, UP),
    # only a closing think tag: the template opened it
    ("so <answer>up</answer>?</think>\n<answer>down</answer>", DOWN, None, DOWN),
    ("so <answer>up</answer>?\n</think>", None, "no_answer_block", None),
    ("so <answer>up</answer>?\n</THINKING>\nup", None, "no_answer_block", None),
    # an unclosed thinking tag hides nothing
    ("<thinking>it is <answer>up</answer> and then", UP, None, UP),
    ("<think><answer>down</answer>", DOWN, None, DOWN),
    ("<think>a</think><think>b <answer>down</answer>", DOWN, None, DOWN),
    # case and white space of tags
    ("<ANSWER>up</ANSWER>", UP, None, UP),
    ("<Answer >\n Up \n</aNSWER\n>", UP, None, UP),
    ("< answer>up</answer>", None, "no_answer_block", None),
    ("<answers>up</answers>", None, "no_answer_block", None),
    ("<answer/>up", None, "no_answer_block", None),
    ("[answer]up[/answer]", None, "no_answer_block", None),
    ("&lt;answer&gt;up&lt;/answer&gt;", None, "no_answer_block", None),
    ("up</answer>", None, "no_answer_block", None),
    ("<think>a</think>up</answer>", None, "no_answer_block", None),
    # nested and repeated tags: the open tag nearest to the close
    ("<answer>down <answer>up</answer>", UP, None, UP),
    ("<answer>up</answer></answer>", UP, None, UP),
    ("<answer><answer>up</answer></answer>", UP, None, UP),
    # unclosed
    ("<thinking>x</thinking><answer>down", None, "unclosed_block", DOWN),
    ("<answer>", None, "unclosed_block", None),
    ("<answer>up or down", None, "unclosed_block", None),
    ("<answer>not up", None, "unclosed_block", None),
    ("<answer>up<triplet>[[A,-,B]]</triplet>", None, "unclosed_block", UP),
    ("<answer>up\n<triplet>\n[[A, down, B]]", None, "unclosed_block", UP),
    ("<answer>up<think>or down?", None, "unclosed_block", UP),
    ("<answer>up<thinking>or down?", None, "unclosed_block", UP),
    ("<answer>up</triplet> or down", None, "unclosed_block", UP),
    ("<answer>down<answer>up", None, "unclosed_block", UP),
    ("<answer>up</b> or down", None, "unclosed_block", None),
    ("<answer>up</answer> then <answer>down", UP, None, UP),
    ("<answer>up</thinking>", None, "no_answer_block", None),
    # nothing there
    ("", None, "empty", None),
    (" \n\t\u3000", None, "empty", None),
    (None, None, "empty", None),
    ("The gene goes up.", None, "no_answer_block", None),
    ("I'm sorry, but I can't help with that.", None, "no_answer_block", None),
]


@pytest.mark.parametrize(("text", "strict", "reason", "lenient"), WHOLE_TEXTS)
def test_whole_texts(
    text: str | None, strict: str | None, reason: str | None, lenient: str | None
) -> None:
    found = read(text)
    assert (found.strict, found.reason, found.lenient) == (strict, reason, lenient)


DRESSED = [
    "{}", " {} ", "\n{}\n", "**{}**", "**{}**.", "*{}*", "__{}__", "_{}_", "`{}`", "``{}``", "~{}~",
    "${}$", "$${}$$", '"{}"', "'{}'", "“{}”", "‘{}’", "«{}»", "„{}“", "{}.", "{}!", "{}?!", "{}...",
    "{}…", "{}。", "{}、", "{}！", "「{}」", "【{}】", "（{}）", "({})", "[{}]", "{{{}}}", "- {}",
    "– {} –", "• {}", ": {}", "/{}/", "\u3000{}\u3000", "\u00a0{}", "`~{}~`", "**$`{}`$**.", "# {}",
]  # fmt: skip


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("dress", DRESSED)
def test_punctuation_at_both_ends_is_stripped(label: str, dress: str) -> None:
    for word in (label, label.upper(), label.title()):
        found = read(f"<answer>{dress.format(word)}</answer>")
        assert (found.strict, found.reason, found.lenient) == (label, None, label)


@pytest.mark.parametrize(
    ("block", "label"),
    [
        ("ＵＰ", UP),
        ("ｄｏｗｎ", DOWN),
        ("Ｕｎｃｈａｎｇｅｄ", SAME),
        ("𝐮𝐩", UP),
        ("𝑑𝑜𝑤𝑛", DOWN),
        ("ⓤⓟ", UP),
    ],
)
def test_full_width_and_styled_letters_are_folded(block: str, label: str) -> None:
    assert read(f"<answer>{block}</answer>").strict == label


# content of the answer block, reason, lenient
NO_LABEL = [
    # HTML, emoji and symbols other than $ ` ~ stay
    ("<b>up</b>", "not_a_label", UP),
    ("up ⬆", "not_a_label", UP),
    ("⬆️ up", "not_a_label", UP),
    ("up +", "not_a_label", UP),
    ("^up^", "not_a_label", UP),
    ("up = 1", "not_a_label", UP),
    ("↑", "not_a_label", None),
    ("+", "not_a_label", None),
    ("上调", "not_a_label", None),
    # nothing but what is stripped
    ("", "empty", None),
    (" \n ", "empty", None),
    ("**", "empty", None),
    ("...", "empty", None),
    ("$$ `~` $$", "empty", None),
    ("。", "empty", None),
    # the template, in any order and with any separator
    ("up / down / unchanged", "template_echo", None),
    ("up/down/unchanged", "template_echo", None),
    ("up | down | unchanged", "template_echo", None),
    ("down, up, unchanged", "template_echo", None),
    ("unchanged or up or down", "template_echo", None),
    ("up, down, or unchanged", "template_echo", None),
    ("up, down or unchanged?", "template_echo", None),
    ("[up/down/unchanged]", "template_echo", None),
    ("Up / Down / Unchanged", "template_echo", None),
    ("**up | down | unchanged**", "template_echo", None),
    ("unchanged\n|\ndown\n|\nup", "template_echo", None),
    # near misses of the template
    ("up / up / down", "several_labels", None),
    ("up / down", "several_labels", None),
    ("up down unchanged", "several_labels", None),
    ("up / down / unchanged / up", "several_labels", None),
    ("one of up / down / unchanged", "several_labels", None),
    ("up and down and unchanged", "several_labels", None),
    # several labels
    ("up or down", "several_labels", None),
    ("up, then down", "several_labels", None),
    ("down (not up)", "several_labels", None),
    ("unchanged, maybe up", "several_labels", None),
    ("neither up nor down", "several_labels", None),
    ("up\ndown", "several_labels", None),
    ("UP&DOWN", "several_labels", None),
    # the same label twice is one kind, and not a label by itself
    ("up, up", "not_a_label", UP),
    ("up (increased)", "not_a_label", UP),
    ("down, i.e. reduced", "not_a_label", DOWN),
    ("up (decreased later)", "not_a_label", None),
    # sentences
    ("The expression goes down", "not_a_label", DOWN),
    ("It goes up because TP53 falls", "not_a_label", UP),
    ("answer: up", "not_a_label", UP),
    ("up-regulated", "not_a_label", UP),
    ("CDKN1A is unchanged here", "not_a_label", SAME),
    # synonyms
    ("increase", "not_a_label", UP),
    ("increases", "not_a_label", UP),
    ("Increased.", "not_a_label", UP),
    ("upregulated", "not_a_label", UP),
    ("higher", "not_a_label", UP),
    ("decrease", "not_a_label", DOWN),
    ("decreases", "not_a_label", DOWN),
    ("decreased", "not_a_label", DOWN),
    ("downregulated", "not_a_label", DOWN),
    ("lower", "not_a_label", DOWN),
    ("reduced", "not_a_label", DOWN),
    ("no change", "not_a_label", SAME),
    ("No  change", "not_a_label", SAME),
    ("not changed", "not_a_label", SAME),
    ("did not change", "not_a_label", SAME),
    ("unaffected", "not_a_label", SAME),
    ("There is no change in MYC", "not_a_label", SAME),
    # no synonyms
    ("increasing", "not_a_label", None),
    ("upregulation", "not_a_label", None),
    ("reduces", "not_a_label", None),
    ("changed", "not_a_label", None),
    ("no changes", "not_a_label", None),
    ("elevated", "not_a_label", None),
    # words inside words
    ("upstream regulators dominate", "not_a_label", None),
    ("downstream of TP53", "not_a_label", None),
    ("updated", "not_a_label", None),
    ("update: increased", "not_a_label", UP),
    ("NOTCH1 increases", "not_a_label", UP),
    ("NOTCH1 goes up", "not_a_label", UP),
    ("NODAL goes down", "not_a_label", DOWN),
    ("NOX4 is higher", "not_a_label", UP),
    ("the group is lower", "not_a_label", DOWN),
    ("up_regulated", "not_a_label", None),
    ("setup", "not_a_label", None),
    ("a breakdown", "not_a_label", None),
    ("up2", "not_a_label", None),
    ("following the lowered dose", "not_a_label", None),
    # negation
    ("not up", "not_a_label", None),
    ("Not Down", "not_a_label", None),
    ("not increased", "not_a_label", None),
    ("is not upregulated", "not_a_label", None),
    ("does not increase", "not_a_label", None),
    ("did not increase", "not_a_label", None),
    ("doesn't go up", "not_a_label", None),
    ("doesn’t go up", "not_a_label", None),
    ("isn't lower", "not_a_label", None),
    ("won't decrease", "not_a_label", None),
    ("cannot go up", "not_a_label", None),
    ("can't increase", "not_a_label", None),
    ("never higher", "not_a_label", None),
    ("no increase", "not_a_label", None),
    ("non-increased", "not_a_label", None),
    ("without being reduced", "not_a_label", None),
    ("fails to increase", "not_a_label", None),
    ("neither increased nor higher", "not_a_label", None),
    ("not unchanged", "not_a_label", None),
    ("not really going up", "not_a_label", None),
    ("neither increased nor decreased", "not_a_label", None),
    # what is negated is another clause
    ("not sure, but it goes up", "not_a_label", UP),
    ("no, up", "not_a_label", UP),
    ("TP53 doesn't matter; increased", "not_a_label", UP),
]  # fmt: skip


@pytest.mark.parametrize(("block", "reason", "lenient"), NO_LABEL)
def test_blocks_without_a_label(block: str, reason: str, lenient: str | None) -> None:
    found = read(f"<thinking>x</thinking><answer>{block}</answer>")
    assert (found.strict, found.reason, found.lenient) == (None, reason, lenient)


@pytest.mark.parametrize("text", [text for text, *_ in WHOLE_TEXTS])
def test_slow_reading_agrees_on_texts(text: str | None) -> None:
    assert read(text) == read_slowly(text)


@pytest.mark.parametrize("block", [block for block, *_ in NO_LABEL])
def test_slow_reading_agrees_on_blocks(block: str) -> None:
    text = f"<answer>{block}</answer>"
    assert read(text) == read_slowly(text)


@pytest.mark.parametrize(
    ("block", "normal"),
    [
        (" **Down**. ", "down"),
        ("<b>up</b>", "<b>up</b>"),
        ("≥up≤", "≥up≤"),
        ("ＵＰ！", "up"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("don't", "don't"),
        ("«»", ""),
    ],
)
def test_normalise_answer(block: str, normal: str) -> None:
    assert normalise_answer(block) == normal


def test_a_triplet_block_in_the_thinking_counts_but_an_answer_there_does_not() -> None:
    found = read("<think><answer>up</answer><triplet>[[A,+,B]]</triplet></think>")
    assert (found.reason, found.edges) == ("no_answer_block", (("A", 1, "B"),))


def test_long_answers_are_read_like_short_ones() -> None:
    padding = "the gene " * 50
    assert read(f"<answer>{padding}goes up</answer>").lenient == UP
    assert read(f"<answer>{padding}does not go up</answer>").lenient is None
    assert read(f"<answer>{' ' * 500}up{'.' * 500}</answer>").strict == UP
    assert read("<think>" * 40 + "</think>" + "<answer>down</answer>" * 40).strict == DOWN
