"""Reading a model's text: the answer, strictly and leniently, and the triplet block."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

LABELS = ("up", "down", "unchanged")


# --------------------------------------------------------------------------- the answer


@dataclass(frozen=True)
class Answer:
    """What the text answers: a label or the reason why there is none, and the lenient label."""

    label: str | None
    reason: str | None
    lenient: str | None


def last_block(text: str, tag: str) -> str | None:
    """Content of the last complete block: a close tag and the nearest open tag before it."""
    pattern = re.compile(rf"<(/?){tag}\s*>", re.IGNORECASE)
    found: str | None = None
    opened_at: int | None = None
    for match in pattern.finditer(text):
        if match.group(1) == "":
            opened_at = match.end()
        elif opened_at is not None:
            found = text[opened_at : match.start()]
            opened_at = None
    return found


ANY_TAG = re.compile(r"</?(?:answer|thinking|think|triplet)\s*>", re.IGNORECASE)


def open_block(text: str, tag: str) -> str | None:
    """From the last open tag to the next tag of any kind; None when there is no open tag."""
    found: str | None = None
    for match in re.finditer(rf"<{tag}\s*>", text, re.IGNORECASE):
        found = ANY_TAG.split(text[match.end() :], maxsplit=1)[0]
    return found


def after_thinking(text: str) -> str:
    """The part of the text after the last closing thinking tag."""
    start = 0
    for match in re.finditer(r"</think(?:ing)?\s*>", text, re.IGNORECASE):
        start = match.end()
    return text[start:]


def is_stripped(char: str) -> bool:
    """White space, punctuation, and $ ` ~ go at both ends of an answer block."""
    return char.isspace() or unicodedata.category(char).startswith("P") or char in "$`~"


def normalise_block(block: str) -> str:
    """NFKC, case-fold, then strip white space and punctuation at both ends."""
    text = unicodedata.normalize("NFKC", block).strip().casefold()
    while text and is_stripped(text[0]):
        text = text[1:]
    while text and is_stripped(text[-1]):
        text = text[:-1]
    return text


def has_word(text: str, word: str) -> bool:
    """Is the word there as a whole word?"""
    return re.search(rf"(?<!\w){word}(?!\w)", text) is not None


def is_template_echo(text: str) -> bool:
    """All three words and between them nothing but / | , or "or"."""
    pieces = re.split(r"[/|,]|(?<!\w)or(?!\w)", text)
    words = [piece.strip() for piece in pieces if piece.strip()]
    return sorted(words) == sorted(LABELS)


def read_answer(text: object) -> Answer:
    """The strict and the lenient reading of a whole model text."""
    if not isinstance(text, str) or text.strip() == "":
        return Answer(None, "empty", None)
    region = after_thinking(text)
    block = last_block(region, "answer")
    if block is None:
        unclosed = open_block(region, "answer")
        if unclosed is None:
            return Answer(None, "no_answer_block", None)
        return Answer(None, "unclosed_block", lenient_label(normalise_block(unclosed)))
    words = normalise_block(block)
    if words == "":
        return Answer(None, "empty", None)
    if words in LABELS:
        return Answer(words, None, words)
    if is_template_echo(words):
        reason = "template_echo"
    elif sum(has_word(words, label) for label in LABELS) >= 2:
        reason = "several_labels"
    else:
        reason = "not_a_label"
    return Answer(None, reason, lenient_label(words))


UNCHANGED_PHRASES = r"no\s+change|not\s+changed|did\s+not\s+change|unchanged|unaffected"
UP_WORDS = "up|increase|increased|increases|upregulated|higher"
DOWN_WORDS = "down|decrease|decreased|decreases|downregulated|lower|reduced"
NEGATION = re.compile(
    r"(?<!\w)(?:not|cannot|no|never|neither|nor|without|fail\s+to|fails\s+to|failed\s+to"
    r"|lack\s+of|hardly|barely)(?!\w)"
    r"|n['\u2019]t(?!\w)"
    r"|(?<!\w)non[-\u2010]"
)


def lenient_label(words: str) -> str | None:
    """The one kind of answer that a normalised block names, when none is negated."""
    found: list[tuple[str, int]] = []
    rest = words
    for kind, phrases in (("unchanged", UNCHANGED_PHRASES), ("up", UP_WORDS), ("down", DOWN_WORDS)):
        for match in re.finditer(rf"(?<!\w)(?:{phrases})(?!\w)", rest):
            found.append((kind, match.start()))
            # The phrase is taken out, so that the "no" of "no change" negates nothing else.
            blank = "#" * (match.end() - match.start())  # a blank would join "lack" and "of"
            rest = rest[: match.start()] + blank + rest[match.end() :]
    if len({kind for kind, _ in found}) != 1:
        return None
    for _, start in found:
        clause = re.split(r"[,;.]", rest[:start])[-1]
        if NEGATION.search(clause):
            return None
    return found[0][0]


# --------------------------------------------------------------------------- the triplets


@dataclass
class Bracket:
    """A list (square or round) or an object of a triplet block."""

    kind: str
    items: list[Part] = field(default_factory=list)
    holds_list: bool = False


Part = str | None | Bracket
Triple = tuple[str, int, str]


@dataclass
class Triplets:
    """The edges of a block in their order, the number dropped, the prompt's placeholders."""

    edges: list[Triple] = field(default_factory=list)
    dropped: int = 0
    templates: int = 0


PLUS = {"+", "1", "+1", "up", "activates", "activation", "stimulates", "positive", "->", "→"}
PLUS.add("increases")
MINUS = {"-", "-1", "down", "inhibits", "inhibition", "represses", "negative", "-|", "⊣"}
MINUS.add("decreases")
OTHER_MINUS_SIGNS = "\u2212\u02d7\u2043\u2796"


def read_sign(value: object) -> int:
    """+1, -1, or 0 for anything else."""
    if value is None:
        return 0
    text = unicodedata.normalize("NFKC", str(value))
    folded = ""
    for char in text:
        is_dash = unicodedata.category(char) == "Pd" or char in OTHER_MINUS_SIGNS
        folded += "-" if is_dash else char
    folded = folded.strip().casefold()
    if folded in PLUS or re.fullmatch(r"\+?1\.0*", folded):
        return 1
    if folded in MINUS or re.fullmatch(r"-1\.0*", folded):
        return -1
    return 0


def read_symbol(value: object) -> str:
    """Stripped and upper-cased; empty for null."""
    return "" if value is None else str(value).strip().upper()


def read_triplets(text: object) -> Triplets:
    """The last triplet block of a model's text, read."""
    if not isinstance(text, str):
        return Triplets()
    block = last_block(text, "triplet")
    if block is None:
        block = open_block(text, "triplet")
    return Triplets() if block is None else read_block(block)


def read_block(block: str) -> Triplets:
    """Whole where it can be read whole, else its innermost lists."""
    encoded = json_string(block)
    if encoded is not None:  # a list that was encoded twice
        return read_block(encoded) if encoded.strip().startswith("[") else Triplets()
    outer = whole_json(block)
    if outer is None:
        scan = Scan(block, round_lists=not has_square_list(block))
        if not scan.balanced or not scan.plain or len(scan.outer) != 1:
            return read_elements([node for node in scan.lists if not node.holds_list])
        outer = scan.outer[0]
    return read_outer(outer)


def read_outer(outer: Bracket) -> Triplets:
    """The elements of the outer list; three scalars are one triple."""
    if is_triple(outer):
        return read_elements([outer])
    return read_elements(outer.items)


def is_triple(part: Part) -> bool:
    """A list of exactly three scalars?"""
    if not isinstance(part, Bracket) or part.kind == "{":
        return False
    return len(part.items) == 3 and not any(isinstance(item, Bracket) for item in part.items)


def read_elements(elements: Sequence[Part]) -> Triplets:
    """Each element is an edge, a placeholder, or dropped."""
    result = Triplets()
    for element in elements:
        if not isinstance(element, Bracket) or not is_triple(element):
            result.dropped += 1
            continue
        source, sign, target = element.items
        words = [str(part).strip().casefold() for part in (source, sign, target)]
        if words == ["gene_a", "sign", "gene_b"]:
            result.templates += 1
            continue
        a, b = read_symbol(source), read_symbol(target)
        if a == "" or b == "":
            result.dropped += 1
            continue
        result.edges.append((a, read_sign(sign), b))
    return result


def from_json(value: object) -> Part:
    """A JSON value as a part: numbers keep their text, objects are opaque."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return Bracket("[", [from_json(item) for item in value])
    if isinstance(value, dict):
        return Bracket("{")
    return str(value)


def whole_json(block: str) -> Bracket | None:
    """The block as one JSON list; None when it is no such thing."""
    try:
        value = json.loads(block, parse_int=str, parse_float=str, parse_constant=str)
        part = from_json(value)
    except (ValueError, RecursionError):
        return None
    return part if isinstance(part, Bracket) and part.kind == "[" else None


def json_string(block: str) -> str | None:
    """What the block encodes when it is one JSON string; None when it is no such thing."""
    try:
        value = json.loads(block)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, str) else None


def has_square_list(block: str) -> bool:
    """Does the block hold a square list anywhere outside strings?"""
    return any(node.kind == "[" for node in Scan(block, round_lists=True).lists)


PARTNER = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": "\u201d",  # curly double quotes
    "\u201d": "\u201d",
    "\u2018": "\u2019",  # curly single quotes
    "\u2019": "\u2019",
}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\"}


def skip_blanks(text: str, at: int) -> int:
    """The next place that is neither white space nor a comment."""
    while at < len(text):
        end = comment_end(text, at)
        if end is not None:
            at = end
        elif text[at].isspace():
            at += 1
        else:
            break
    return at


def comment_end(text: str, at: int) -> int | None:
    """Where the comment that begins here ends; None when none begins here.

    A comment begins at white space, a bracket, a comma or a quote: A//B and C#1 are symbols.
    """
    if at > 0 and not text[at - 1].isspace() and text[at - 1] not in "[](){},\"'\u201d\u2019":
        return None
    if text.startswith("/*", at):
        end = text.find("*/", at + 2)
        return None if end < 0 else end + 2  # nothing closes it: no comment
    if text.startswith("//", at) or text.startswith("#", at):
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    return None


def string_end(text: str, at: int, in_object: bool = False) -> int | None:
    """The place of the quote that closes the string opened here; None when nothing does."""
    close = PARTNER[text[at]]
    followers = ",])}:" if in_object else ",])"
    here = at + 1
    while here < len(text):
        if text[here] == "\\":
            here += 2
            continue
        if text[here] == close:
            after = skip_blanks(text, here + 1)
            if after >= len(text) or text[after] in followers:
                return here
        here += 1
    return None


def unescape(text: str) -> str:
    """Backslash escapes; one that means nothing stays as it is."""
    result = ""
    at = 0
    while at < len(text):
        code = re.match(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})", text[at : at + 6])
        if code:
            result += chr(int(code.group(1) or code.group(2), 16))
            at += code.end()
        elif text[at] == "\\" and at + 1 < len(text):
            char = text[at + 1]
            result += char if char in PARTNER else ESCAPES.get(char, "\\" + char)
            at += 2
        else:
            result += text[at]
            at += 1
    return result


def opens_round_list(text: str, at: int) -> bool:
    """Is the round bracket here a list inside a square one, as in [('A', '+', 'B'), ...]?

    It is one when it holds a comma and is closed.
    """
    depth = 0
    commas = 0
    at_start = True
    while at < len(text):
        char = text[at]
        if char in PARTNER and at_start:
            end = string_end(text, at)
            if end is not None:
                at = end
        elif char in "[]":
            return False
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                return commas > 0
        elif char == ",":
            commas += 1
        if not char.isspace():
            at_start = char in "(,"
        at += 1
    return False


class Scan:
    """A tolerant reading of the brackets of a block.

    outer    the lists that stand in no other list
    lists    every closed list, in the order of the closing
    balanced whether every bracket that delimits a list found its partner
    plain    whether nothing but commas, comments and lists stands between the lists of a list
    """

    def __init__(self, text: str, round_lists: bool) -> None:
        self.text = text
        self.round_lists = round_lists
        self.outer: list[Bracket] = []
        self.lists: list[Bracket] = []
        self.balanced = True
        self.plain = True
        self.stack: list[Bracket] = []
        self.word = ""  # the bare token so far
        self.quoted: str | None = None  # the quoted string of this part
        self.has_bracket = False  # this part is a list or an object
        self.read()

    def read(self) -> None:
        at = 0
        while at < len(self.text):
            at = self.step(at)
        if self.stack:
            self.balanced = False

    def step(self, at: int) -> int:
        """Take what stands here; the next place."""
        char = self.text[at]
        inside = self.stack[-1].kind if self.stack else ""
        end = comment_end(self.text, at)
        if end is not None and (inside or char != "#"):  # outside the lists "#1" is a number
            return end
        remark = re.compile(r"\([^()\[\],]*\)").match(self.text, at)
        if remark and self.round_lists:  # (R), (ERK2), (first): a list of round brackets has commas
            self.word += remark.group()
            return remark.end()
        opens_object = char == "{" and inside != "" and self.at_part_start()
        if char == "[" or opens_object or (char == "(" and self.opens_round(at)):
            self.open(char)
        elif char == "]" or (char == ")" and (self.round_lists or inside == "(")):
            self.close("[" if char == "]" else "(")
        elif char == "}" and inside == "{":
            self.close("{")
        elif not inside:
            pass  # prose around the lists
        elif char == ",":
            self.end_part()
        elif char in PARTNER and self.at_part_start():
            quote_end = string_end(self.text, at, in_object=inside == "{")
            if quote_end is None:
                self.word += char
            else:
                self.quoted = unescape(self.text[at + 1 : quote_end])
                return quote_end + 1
        else:
            self.word += char
        return at + 1

    def at_part_start(self) -> bool:
        """Nothing of this part has been read yet."""
        return self.word.strip() == "" and self.quoted is None and not self.has_bracket

    def opens_round(self, at: int) -> bool:
        if self.round_lists:
            return True
        if not self.stack or self.stack[-1].kind == "{":
            return False
        if self.has_bracket and not self.after_round_list():
            return False  # [A, +, B] (a, b): a remark
        numbered = re.fullmatch(r"(?:\d+[.:)])?", self.word.strip()) is not None
        if not self.has_bracket and (not numbered or self.quoted is not None):
            return False  # D3 (1,25-D): a symbol
        return opens_round_list(self.text, at)

    def after_round_list(self) -> bool:
        """Is the last element a list in round brackets?"""
        last = self.stack[-1].items[-1]
        return isinstance(last, Bracket) and last.kind == "("

    def open(self, kind: str) -> None:
        node = Bracket(kind)
        if self.stack:
            self.plain = self.plain and self.at_part_start()  # [1. [A, +, B]], [[A, +, B] [...]]
            self.stack[-1].items.append(node)
        elif kind != "{":
            self.outer.append(node)
        if kind != "{":
            for above in reversed(self.stack):
                above.holds_list = True
                if above.kind != "{":  # the lists further out hold this one already
                    break
        self.stack.append(node)
        self.clear_part()

    def close(self, kind: str) -> None:
        if not any(node.kind == kind for node in reversed(self.stack)):
            self.balanced = False
            return
        while self.stack[-1].kind != kind:  # an unclosed bracket inside: it is no list
            self.balanced = False
            self.stack.pop()
        if not self.at_part_start():
            self.end_part()  # a trailing comma makes no part
        node = self.stack.pop()
        if kind != "{":
            self.lists.append(node)
        self.clear_part()
        self.has_bracket = True

    def end_part(self) -> None:
        """Add the scalar read so far; text beside a list (a number, a remark) is no part."""
        if not self.has_bracket:
            self.stack[-1].items.append(self.scalar())
        elif self.word.strip() or self.quoted is not None:
            self.plain = False  # [[A, +, B] (first), ...]
        self.clear_part()

    def scalar(self) -> str | None:
        word = self.word.strip()
        if self.quoted is not None:
            return self.quoted + word
        if word in ("null", "None"):
            return None
        return word.strip('"').strip()

    def clear_part(self) -> None:
        self.word = ""
        self.quoted = None
        self.has_bracket = False
