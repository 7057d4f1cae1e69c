"""The triplet block in the spellings that models use, kind by kind."""

from __future__ import annotations

import pytest

from eval_tiers.texts.signs import parse_sign
from eval_tiers.texts.triplets import read_chain
from tests.unit.texts.reading import Edge, read, read_block, read_slowly

AB: list[Edge] = [("A", 1, "B")]
BC: list[Edge] = [("B", -1, "C")]
CHAIN = AB + BC

SPELLINGS = [
    '[["A","+","B"],["B","-","C"]]',
    '[ [ "A" , "+" , "B" ] , [ "B" , "-" , "C" ] ]',
    '[\n  ["A", "+", "B"],\n  ["B", "-", "C"]\n]\n',
    "[['A', '+', 'B'], ['B', '-', 'C']]",
    "[('A', '+', 'B'), ('B', '-', 'C')]",
    "(('A', '+', 'B'), ('B', '-', 'C'))",
    "[('A', '+', 'B'), ('B', '-', 'C'),]",
    "[[\"A\", '+', \"B\"], ['B', \"-\", 'C']]",
    "[[“A”, “+”, “B”], [“B”, “-”, “C”]]",
    "[[”A”, ”+”, ”B”], [”B”, ”-”, ”C”]]",
    "[[‘A’, ‘+’, ‘B’], [‘B’, ‘-’, ‘C’]]",
    "[[A, +, B], [B, -, C]]",
    "[[A,+,B],[B,-,C]]",
    "[(A, +, B), (B, -, C)]",
    "[[A, +, B,], [B, -, C,],]",
    '[["A", "+", B], [B, "-", "C"]]',
    '```json\n[["A","+","B"],["B","-","C"]]\n```',
    "```\n[[A, +, B], [B, -, C]]\n```",
    'json\n[["A","+","B"],["B","-","C"]]',
    "Here is the chain: [[A, +, B], [B, -, C]]",
    "[[A, +, B], [B, -, C]] (two edges).",
    '{"triplets": [["A","+","B"],["B","-","C"]]}',
    "[A, +, B], [B, -, C]",
    "(A, +, B), (B, -, C)",
    "[A, +, B]\n[B, -, C]",
    "(A, +, B)\n(B, -, C)",
    "1. [A, +, B]\n2. [B, -, C]",
    "1) [A, +, B]\n2) [B, -, C]",
    "1. (A, +, B)\n2. (B, -, C)",
    "1) (A, +, B)\n2) (B, -, C)",
    "- [A, +, B]\n- [B, -, C]",
    "* (A, +, B)\n* (B, -, C)",
    "#1 [A, +, B]\n#2 [B, -, C]",
    "[1. [A, +, B], 2. [B, -, C]]",
    '[["A","+","B"], // first\n ["B","-","C"] // second\n]',
    '[["A","+","B"], # first\n ["B","-","C"]]',
    '[/* a, b */ ["A","+","B"], ["B","-","C"] /* [x] */]',
    "[['A', '+', 'B'], // it's the first\n ['B', '-', 'C']]",
    "[[A, +, B] [B, -, C]]",
    "[[A, +, B] and [B, -, C]]",
    "[[A, +, B] (first), [B, -, C] (second)]",
    '[["a","+","b"],["b","-","c"]]',
    '[["\\u0041","+","B"],["B","-","C"]]',
    '[[" A ","+","B "],["B"," - ","C"]]',
    '[["A","1","B"],["B","-1","C"]]',
    '[["A",1,"B"],["B",-1,"C"]]',
    '[["A",1.0,"B"],["B",-1.0,"C"]]',
    '[["A","+1","B"],["B","−1","C"]]',
    '[["A","→","B"],["B","⊣","C"]]',
    '[["A","->","B"],["B","-|","C"]]',
    '[["A","activates","B"],["B","Inhibits","C"]]',
    '[["A","up","B"],["B","down","C"]]',
    '[["A","＋","B"],["B","－","C"]]',
    '[["A","+","B"],["B","–","C"]]',
    '[["A","+","B"],["B","—","C"]]',
    '"[[\\"A\\", \\"+\\", \\"B\\"], [\\"B\\", \\"-\\", \\"C\\"]]"',
]


@pytest.mark.parametrize("block", SPELLINGS)
def test_spellings_of_one_chain(block: str) -> None:
    found = read_block(block)
    assert (list(found.edges), found.dropped_n, found.template_n) == (CHAIN, 0, 0)
    assert found.strict == "up"


# block, edges, dropped
READINGS: list[tuple[str, list[Edge], int]] = [
    # nothing there
    ("", [], 0),
    ("[]", [], 0),
    ("  [ ]  ", [], 0),
    ("()", [], 0),
    ("none", [], 0),
    ("None", [], 0),
    ("N/A", [], 0),
    ("null", [], 0),
    ("{}", [], 0),
    ("A + B", [], 0),
    ("A, +, B", [], 0),
    # a lone triple
    ('["A", "+", "B"]', AB, 0),
    ("['A', '+', 'B']", AB, 0),
    ("[A, +, B]", AB, 0),
    ("(A, +, B)", AB, 0),
    ("('A', '+', 'B')", AB, 0),
    ("[“A”, “+”, “B”]", AB, 0),
    # symbols
    ("[[NKX2-1, +, SFTPC], [HLA-DRB1, -, CD4]]", [("NKX2-1", 1, "SFTPC"), ("HLA-DRB1", -1, "CD4")], 0),
    ('[["NKX2-1","-","HLA-A"]]', [("NKX2-1", -1, "HLA-A")], 0),
    ("[[A.1, +, Ens.2/3]]", [("A.1", 1, "ENS.2/3")], 0),
    ("[[COMPLEX:A_B, +, mir:1]]", [("COMPLEX:A_B", 1, "MIR:1")], 0),
    ("[[5'-AMP, +, PRKAA1]]", [("5'-AMP", 1, "PRKAA1")], 0),
    ("[['5\\'-AMP', '+', \"PRKAA1\"]]", [("5'-AMP", 1, "PRKAA1")], 0),
    ("[['3'-UTR', '+', '5'-AMP']]", [("3'-UTR", 1, "5'-AMP")], 0),
    ('[["5\'-AMP", "+", "3\'-UTR"]]', [("5'-AMP", 1, "3'-UTR")], 0),
    ("[[‘5’-AMP’, ‘+’, ‘B’]]", [("5’-AMP", 1, "B")], 0),
    ('[["say \\"hi\\"", "+", "B"]]', [('SAY "HI"', 1, "B")], 0),
    ("[[MAPK1 (ERK2), +, B]]", [("MAPK1 (ERK2)", 1, "B")], 0),
    ("[[(R)-warfarin, -, VKORC1]]", [("(R)-WARFARIN", -1, "VKORC1")], 0),
    ('[["(R)-warfarin", "-", "VKORC1"],]', [("(R)-WARFARIN", -1, "VKORC1")], 0),
    ("[['MAPK1 (ERK2)', '+', 'B (C)']]", [("MAPK1 (ERK2)", 1, "B (C)")], 0),
    ('[["1,25-dihydroxyvitamin D3","+","VDR"]]', [("1,25-DIHYDROXYVITAMIN D3", 1, "VDR")], 0),
    ("[['1,25-D', '+', 'VDR']]", [("1,25-D", 1, "VDR")], 0),
    ("[[“1,25-D”, “+”, “VDR”]]", [("1,25-D", 1, "VDR")], 0),
    ("[('2,4-D', '+', 'AUX1')]", [("2,4-D", 1, "AUX1")], 0),
    ('[["D3 (1,25-D)", "+", "VDR"],]', [("D3 (1,25-D)", 1, "VDR")], 0),
    ("[[A//B, +, C#1]]", [("A//B", 1, "C#1")], 0),
    ("[['A[1]', '+', 'B']]", [("A[1]", 1, "B")], 0),
    ("[[IL-1β, +, NF-κB]]", [("IL-1Β", 1, "NF-ΚB")], 0),
    ("[[tgfb1 receptor, +, SMAD2]]", [("TGFB1 RECEPTOR", 1, "SMAD2")], 0),
    ("[[NA, +, NAN]]", [("NA", 1, "NAN")], 0),
    ('[[7157, "+", 1026]]', [("7157", 1, "1026")], 0),
    # signs that are none
    ('[["A","binds","B"]]', [("A", 0, "B")], 0),
    ('[["A","","B"]]', [("A", 0, "B")], 0),
    ('[["A",null,"B"]]', [("A", 0, "B")], 0),
    ('[["A",0,"B"]]', [("A", 0, "B")], 0),
    ('[["A","+/-","B"]]', [("A", 0, "B")], 0),
    ('[["A","not up","B"]]', [("A", 0, "B")], 0),
    ('[["A","upstream","B"]]', [("A", 0, "B")], 0),
    ('[["A","inhibitor","B"]]', [("A", 0, "B")], 0),
    # repeats stay: they collapse later
    ("[[A,+,B],[A,+,B]]", AB + AB, 0),
    # dropped and counted
    ('[["A","+","B","PMID:1"],["B","-","C"]]', BC, 1),
    ('[["A","+"],["B","-","C"],["C"],[]]', BC, 3),
    ('[["A","+","B"],"C",null,7]', AB, 3),
    ('[["A","+","B"],["B","-",["C"]]]', AB, 1),
    ('[["A","+","B"],[["B","-","C"]]]', AB, 1),
    ('[["A","+","B"],{"source":"B","sign":"-","target":"C"}]', AB, 1),
    ('[["","+","B"],["A","+"," "],[null,"+","B"]]', [], 3),
    ("[[A, +, B], [, +, B], [A, +, ]]", AB, 2),
    ("[[A, +, B], ...]", AB, 1),
    ("[['A', '+', 'B'], ['B', '-']]", AB, 1),
    ("[(A, +, B), (B, -)]", AB, 1),
    ("[[A, +, 1,25-D]]", [], 1),
    # not whole: innermost lists of three parts
    ('[["A","+","B"],["B","-","C"', AB, 0),
    ('[["A","+","B"],["B","-","C"]', CHAIN, 0),
    ('[["A","+","B"],["B","-","C"]]]', CHAIN, 0),
    ('["A","+","B"],["B","-","C"]]', CHAIN, 0),
    ('[["A","+","B"], [["B","-","C"]', CHAIN, 0),
    ('[["A","+",', [], 0),
    ("[[", [], 0),
    ("[[A, +, B], [B, -, C], [C", CHAIN, 0),
    ("(A, +, B), (B, -, C", AB, 0),
    ("[A, +, B], [B, -, C], [C, +]", CHAIN, 1),
    ("[[A, +, B] then [[B, -, C]]]", CHAIN, 0),
    ('[["A","+","B"],[["B","-","C"],["C","+","D"]]"]', [*CHAIN, ("C", 1, "D")], 0),
    ("[[A, +, B]; [B, -, C]]", CHAIN, 0),
    ("[[A, +, B], x [[B, -, C]]]", CHAIN, 0),
    # whole: a list in a list is one element, and no edge
    ("[[A, +, B], [[B, -, C]]]", AB, 1),
    ("[[A, +, B], /* x */ [[B, -, C]]]", AB, 1),
]  # fmt: skip


@pytest.mark.parametrize(("block", "edges", "dropped_n"), READINGS)
def test_readings(block: str, edges: list[Edge], dropped_n: int) -> None:
    found = read_block(block)
    assert (list(found.edges), found.dropped_n, found.template_n) == (edges, dropped_n, 0)
    assert found.strict == "up"


@pytest.mark.parametrize("block", SPELLINGS + [block for block, *_ in READINGS])
def test_slow_reading_agrees(block: str) -> None:
    text = f"<answer>up</answer><triplet>{block}</triplet>"
    assert read(text) == read_slowly(text)


@pytest.mark.parametrize(
    ("block", "edges", "template_n", "dropped_n"),
    [
        ("[[gene_a, sign, gene_b]]", [], 1, 0),
        ("[[gene_a, sign, gene_b], ...]", [], 1, 1),
        ('[["gene_a", "sign", "gene_b"], ["A", "+", "B"]]', AB, 1, 0),
        ("[['GENE_A', 'Sign', 'Gene_B']]", [], 1, 0),
        ("[gene_a, sign, gene_b]", [], 1, 0),
        ("[[gene_a, sign, gene_b], [gene_a, sign, gene_b]]", [], 2, 0),
        ("[[gene_a, +, gene_b]]", [("GENE_A", 1, "GENE_B")], 0, 0),
        ("[[gene_b, sign, gene_a]]", [("GENE_B", 0, "GENE_A")], 0, 0),
    ],
)
def test_template(block: str, edges: list[Edge], template_n: int, dropped_n: int) -> None:
    found = read_block(block)
    assert (list(found.edges), found.template_n, found.dropped_n) == (edges, template_n, dropped_n)


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("<triplet>[[A,+,B]]</triplet><triplet>[[B,-,C]]</triplet>", BC),
        ("<triplet>[[A,+,B]]</triplet> again: <triplet>[[B,-,C]]", AB),
        ("<think><triplet>[[A,+,B]]</triplet></think><answer>up</answer>", AB),
        ("<triplet>[[A,+,B]]</triplet></think><answer>up</answer>", AB),
        ("<TRIPLET>[[A,+,B]]</Triplet >", AB),
        ("<triplet>[[A,+,B]]", AB),
        ("<triplet>[[A,+,B], [B,-", AB),
        ("<triplet>[[A,+,B]]<answer>up</answer> [B,-,C]", AB),
        ("<triplet>[[A,+,B]]</answer>[[B,-,C]]", AB),
        ("<triplet>[[A,+,B]]<think>[[B,-,C]]", AB),
        ("<triplet>[[A,+,B]]<triplet>[[B,-,C]]</triplet>", BC),
        ("<triplet>[[A,+,B]]<triplet>[[B,-,C]]", BC),
        ("<triplet>[[A,+,B]]<b>[[B,-,C]]", CHAIN),
        ("[[A,+,B]]</triplet>", []),
        ("[[A,+,B]]", []),
        ("<triplets>[[A,+,B]]</triplets>", []),
        ("<triplet></triplet>", []),
    ],
)
def test_which_block_counts(text: str, edges: list[Edge]) -> None:
    assert list(read(text).edges) == edges
    assert read(text) == read_slowly(text)


@pytest.mark.parametrize(
    "block", ['[["A","+",', "[[", "}{", "[[A", '["', "\x00", "[" * 5000, "]" * 5000, "\\"]
)
def test_a_broken_block_is_no_parse_failure(block: str) -> None:
    found = read_block(block)
    assert (found.strict, found.reason, found.edges) == ("up", None, ())


POSITIVE = "+ 1 +1 up activates activation stimulates positive -> → increases"
NEGATIVE = "- -1 down inhibits inhibition represses negative -| ⊣ decreases"


@pytest.mark.parametrize("word", POSITIVE.split())
@pytest.mark.parametrize("form", ["{}", " {} ", "\t{}\n"])
def test_positive_signs(word: str, form: str) -> None:
    for spelt in (word, word.upper(), word.title()):
        assert parse_sign(form.format(spelt)) == 1


@pytest.mark.parametrize("word", NEGATIVE.split())
@pytest.mark.parametrize("form", ["{}", " {} ", "\u3000{}"])
def test_negative_signs(word: str, form: str) -> None:
    for spelt in (word, word.upper(), word.title()):
        assert parse_sign(form.format(spelt)) == -1


DASHES = "-‐‑‒–—―−﹘﹣－⁻₋⸺⸻"


@pytest.mark.parametrize("dash", DASHES)
def test_dashes_and_minus_signs_are_folded(dash: str) -> None:
    assert parse_sign(dash) == -1
    assert parse_sign(f"{dash}1") == -1
    assert parse_sign(f"{dash}|") == -1
    assert parse_sign(f"{dash}>") == 1


@pytest.mark.parametrize("sign", ["＋", "１", "＋１", "⁺", "¹", "ＵＰ", "－＞", 1, 1.0])
def test_positive_forms(sign: object) -> None:
    assert parse_sign(sign) == 1


@pytest.mark.parametrize("sign", ["－１", "ｄｏｗｎ", "－｜", -1, -1.0])
def test_negative_forms(sign: object) -> None:
    assert parse_sign(sign) == -1


@pytest.mark.parametrize(
    "sign",
    ["", " ", "0", "±", "+-", "-+", "++", "--", "11", "2", "-2", "binds", "regulates", "unchanged",
     "upregulates", "not up", "up/down", "⟂", "=>", "sign", "activate", None, 0, 2, -2, 0.5,
     True, False, [], {}],
)  # fmt: skip
def test_anything_else_is_unsigned(sign: object) -> None:
    assert parse_sign(sign) == 0


@pytest.mark.parametrize(
    ("value", "edges", "dropped_n"),
    [
        ([["A", "+", "B"]], AB, 0),
        (["A", "+", "B"], AB, 0),
        ([], [], 0),
        ([["A", "+", "B"], ["B", "-"]], AB, 1),
        ([["A", "+", None]], [], 1),
        ([["A", "+", {}]], [], 1),
        ([["A", ["+"], "B"]], [], 1),
        ([["A", -1, "B"]], [("A", -1, "B")], 0),
        ([1, 1, 2], [("1", 1, "2")], 0),
    ],
)
def test_a_chain_that_came_as_json(value: list[object], edges: list[Edge], dropped_n: int) -> None:
    found = read_chain(value)
    assert (found.edges, found.dropped_n) == (edges, dropped_n)


# --------------------------------------------------------------------------- once wrong


# What the slow reading got right before the package did: block, edges, dropped.
ONCE_WRONG: dict[str, tuple[str, list[Edge], int]] = {
    "round brackets in the first quoted symbol of a list of round brackets":
        ('[("MAPK1 (ERK2)", "+", "B")]', [("MAPK1 (ERK2)", 1, "B")], 0),
    "numbered round lists in a square one": ("[1. (A, +, B), 2. (B, -, C)]", CHAIN, 0),
    "round lists in a square one, the first too short": ("[(A, +), (A, +, B)]", AB, 1),
    "round lists in a square one, after what is no list": ("[..., (A, +, B)]", AB, 1),
    "an object with single quotes becomes an edge":
        ("[{'source': 'B', 'sign': '-', 'target': 'C'}]", [], 1),
    "an object becomes an edge when a trailing comma makes the JSON invalid":
        ('[{"source": "B", "sign": "-", "target": "C"},]', [], 1),
    "null becomes the gene NULL when a trailing comma makes the JSON invalid":
        ('[["A","+",null],]', [], 1),
    "None becomes the gene NONE": ("[['A', '+', None], ['A', '+', 'B']]", AB, 1),
    "a comment before the list is read as a list": ("// [source, sign, target]\n[[A, +, B]]", AB, 0),
    "a comment after a bare symbol is split at its commas":
        ("[[A, +, B // direct, known\n], [B, -, C /* a, b */]]", CHAIN, 0),
    "words between round lists in a square one": ("[(A, +, B) and (B, -, C)]", CHAIN, 0),
    "semicolons between round lists in a square one": ("[(A, +, B); (B, -, C)]", CHAIN, 0),
    "arrows between round lists in a square one":
        ('[("A", "+", "B") -> ("B", "-", "C")]', CHAIN, 0),
    "round lists in a square one, numbered with a colon":
        ("[1: (A, +, B), 2: (B, -, C)]", CHAIN, 0),
    "the bracket of a number is an element": ("[1) (A, +, B), 2) (B, -, C)]", CHAIN, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", ONCE_WRONG)
def test_what_was_once_wrong(name: str) -> None:
    block, edges, dropped_n = ONCE_WRONG[name]
    found = read_block(block)
    assert (list(found.edges), found.dropped_n) == (edges, dropped_n)


@pytest.mark.parametrize("name", ONCE_WRONG)
def test_slow_reading_of_what_was_once_wrong(name: str) -> None:
    block, edges, dropped_n = ONCE_WRONG[name]
    found = read_slowly(f"<answer>up</answer><triplet>{block}</triplet>")
    assert (list(found.edges), found.dropped_n) == (edges, dropped_n)
