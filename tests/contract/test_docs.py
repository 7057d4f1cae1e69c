"""The documentation says what the code does: tables, names, commands, the Python example."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path

import click
import pytest

import eval_tiers
from eval_tiers.cli.main import cli
from eval_tiers.domain import rr10, rr10_columns
from eval_tiers.domain.columns import GO_NULL_REASONS, SAMPLE_COLUMNS, Column
from eval_tiers.domain.labels import PARSE_FAILURE_REASONS
from eval_tiers.domain.taxonomy import CHAIN_VALIDITIES, EDGE_STATUSES, ERROR_LABELS
from eval_tiers.kg.registry import discover_sources
from eval_tiers.settings import Settings
from eval_tiers.texts.claims import read_claim
from eval_tiers.tiers.citations import CitationFacts
from eval_tiers.tiers.evidence_labels import evidence_label, is_hard

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DEFINITIONS = ROOT / "docs" / "perturbreason.md"
RR10 = ROOT / "docs" / "rr10.md"
INPUTS = ROOT / "docs" / "inputs.md"
PAGES = (
    README,
    ROOT / "CONTRIBUTING.md",
    ROOT / "kg" / "README.md",
    ROOT / "gmt" / "README.md",
    ROOT / "slurm" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
)
_CODES = {"count": "whole number", "sign": "1 or -1", "flag": "True or False", "number": "number"}


def columns_table(columns: Sequence[Column], with_tier: bool = True) -> str:
    """Return a table of columns as the page has it."""
    lines = ["| column | tier | holds | meaning |", "|---|---|---|---|"]
    if not with_tier:
        lines = ["| column | holds | meaning |", "|---|---|---|"]
    for column in columns:
        holds = _CODES.get(column.kind, "text")
        if column.kind == "code" and len(column.words) <= 3:
            holds = ", ".join(column.words)
        cells = [f"`{column.name}`", *([str(column.tier)] if with_tier else ()), holds]
        lines.append(f"| {' | '.join(cells)} | {column.meaning} |")
    return "\n".join(lines)


def graph_formats_table() -> str:
    """Return the table of graph formats as the page has it."""
    lines = ["| `--format` | what | how it is read |", "|---|---|---|"]
    for source in discover_sources():
        description = " ".join(source.description.split()).replace("|", "\\|")
        lines.append(f"| `{source.name}` | [{source.title}]({source.reference}) | {description} |")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("page", "name", "table"),
    [
        (DEFINITIONS, "columns", columns_table(SAMPLE_COLUMNS)),
        (INPUTS, "graph formats", graph_formats_table()),
        (RR10, "rr10 samples", columns_table(rr10_columns.RR10_SAMPLE_COLUMNS)),
        (RR10, "rr10 citations", columns_table(rr10_columns.CITATION_COLUMNS, with_tier=False)),
        (RR10, "rr10 mechanism", columns_table(rr10_columns.MECHANISM_COLUMNS, with_tier=False)),
    ],
    ids=["columns", "graph formats", "rr10 samples", "rr10 citations", "rr10 mechanism"],
)
def test_generated_tables(
    page: Path, name: str, table: str, request: pytest.FixtureRequest
) -> None:
    text = page.read_text(encoding="utf-8")
    found = re.search(rf"(<!-- {name}: begin[^\n]*-->\n)(.*?)(<!-- {name}: end -->)", text, re.S)
    assert found is not None, f"{page.name} has no place for the {name}"
    if request.config.getoption("--update-golden"):
        new = text[: found.start(2)] + table + "\n" + text[found.end(2) :]
        page.write_text(new, encoding="utf-8")
        return
    assert found.group(2).strip() == table, "pytest --update-golden tests/contract/test_docs.py"


def test_every_word_of_the_vocabulary_is_explained() -> None:
    text = DEFINITIONS.read_text(encoding="utf-8")
    words = (*PARSE_FAILURE_REASONS, *EDGE_STATUSES, *ERROR_LABELS, *GO_NULL_REASONS)
    assert [word for word in words if f"`{word}`" not in text] == []
    assert [word for word in CHAIN_VALIDITIES if f"*{word}*" not in text] == []


def test_every_word_of_rr10_is_explained() -> None:
    text = RR10.read_text(encoding="utf-8")
    words = (
        *rr10.LABELS,
        *rr10.ITEM_TYPES,
        *rr10.INVALID_REASONS,
        *rr10.CITATION_VERDICTS,
        *rr10.EVIDENCE_DETAILS,
        *ERROR_LABELS,
        *rr10_columns.GO_FOCUS_NULL_REASONS,
    )
    assert [word for word in words if f"`{word}`" not in text] == []
    assert "`no_kg_for_organism`" in text
    assert rr10.CANONICAL_SHA256 in text


def rows_after(text: str, header: str) -> list[list[str]]:
    """Return the cells of the table under a header line, without its two lines of heading."""
    _, found, rest = text.partition(f"\n{header}\n")
    assert found, f"there is no table {header}"
    lines = rest.split("\n")[1:]
    rows = lines[: next(n for n, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_rr10_vocabulary_reads_as_its_table_says() -> None:
    text = RR10.read_text(encoding="utf-8")
    rows = rows_after(text, "| label | spellings |")
    said = [(word, label) for label, cell in rows for word in re.findall("`(.+?)`", cell)]
    assert len(said) > 30
    assert [
        word
        for word, label in said
        if read_claim(word) != (rr10.LABEL_CODES[label.strip("`")], None)
    ] == []


def test_rr10_invalid_reasons_are_those_of_their_examples() -> None:
    rows = rows_after(RR10.read_text(encoding="utf-8"), "| reason | meaning | example |")
    examples = {reason.strip("`"): example.strip("`") for reason, _, example in rows}
    assert set(examples) == set(rr10.INVALID_REASONS)
    shown = {reason: example for reason, example in examples.items() if example}
    assert len(shown) == 4
    assert {reason: read_claim(example)[1] for reason, example in shown.items()} == {
        reason: reason for reason in shown
    }


def test_rr10_label_table_names_what_each_rule_gives() -> None:
    """Rules 1 to 13: facts that the rule is the first to hold for, and its row of the page."""
    up, down, trap = rr10.UP, rr10.DOWN, rr10.INDETERMINATE
    cases = {
        1: [(up, rr10.NO_LABEL, facts())],
        2: [(up, down, facts(), False)],
        3: [(up, up, facts()), (up, down, facts())],
        4: [(up, up, facts(MALFORMED=1, SUPPORTED=1)), (up, down, facts(FABRICATED_DATASET=1))],
        5: [(up, up, facts(OFF_TOPIC=1))],
        6: [(trap, trap, facts(SUPPORTED=1, implied=up))],
        7: [(up, up, facts(SUPPORTED=2, SIGN_MISREAD=1, implied=up))],
        8: [
            (up, up, facts(SUPPORTED=2, SIGN_MISREAD=2, implied=up)),
            (up, up, facts(SUPPORTED=1, implied=up, recall=0.25)),
        ],
        9: [
            (up, up, facts(SUPPORTED=1, implied=up)),
            (up, up, facts(SUPPORTED=2, OFF_TOPIC=1, implied=up)),
        ],
        10: [(up, down, facts(SIGN_MISREAD=1, repaired=up))],
        11: [(up, down, facts(SUPPORTED=1, implied=up))],
        12: [(trap, up, facts(SUPPORTED=1, implied=up))],
        13: [(up, down, facts(OFF_TOPIC=1)), (up, down, facts(SUPPORTED=1, implied=down))],
    }
    rows = rows_after(
        RR10.read_text(encoding="utf-8"), "| # | condition | `error_label` | `evidence_detail` |"
    )
    assert [int(row[0]) for row in rows] == list(cases)
    for number, _, labels, details in rows:
        for case in cases[int(number)]:
            label, detail = evidence_label(*case)
            wanted, said = rr10.EVIDENCE_DETAILS[detail], f"{labels} {details}"
            if number not in {"5", "13"}:
                assert f"`{wanted}`" in details, (number, wanted)
            assert label < 0 or f"`{ERROR_LABELS[label]}`" in said, (number, case)
    cherry_picked = evidence_label(*cases[12][0])
    assert not is_hard(*cherry_picked)


def facts(
    implied: int = rr10.NO_LABEL, repaired: int | None = None, recall: float = 1.0, **verdicts: int
) -> CitationFacts:
    """Return what so many citations of each verdict add up to."""
    n = sum(verdicts.values())
    made = sum(verdicts.get(name, 0) for name in rr10.FABRICATED_VERDICTS)
    found = CitationFacts(n, recall=recall, fabrication_rate=made / n if n else None)
    for name, count in verdicts.items():
        found.verdict_n[rr10.VERDICT_CODES[name]] = count
    found.implied, found.repaired = implied, implied if repaired is None else repaired
    return found


def test_rr10_page_names_every_key_of_the_summary() -> None:
    text = RR10.read_text(encoding="utf-8")
    beside = re.compile(r"(.+?)(?:_clustered)?_(?:n|low|high)")
    summary = eval_tiers.evaluate(format="rr10", tiers=(1, 2, 3)).summary
    missing = []
    for key in summary:
        found = beside.fullmatch(key)
        name = found[1] if found is not None and found[1] in summary else key
        if f"`{name}`" not in text:
            missing.append(key)
    assert missing == []


def test_rr10_is_never_called_official() -> None:
    for page in (*PAGES, ROOT / "CHANGELOG.md", ROOT / "eval_tiers" / "demo" / "README.md"):
        text = " ".join(page.read_text(encoding="utf-8").split())
        assert "official" not in text.replace("not an official NASA benchmark", "").lower(), page


def test_settings_table() -> None:
    text = DEFINITIONS.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \| (?:`(--[\w-]+)`)? *\|", text, re.M)
    assert {name: default for name, default, _ in rows} == {
        field.name: str(getattr(Settings(), field.name)) for field in fields(Settings)
    }
    options = option_names(["eval"])
    assert [option for _, _, option in rows if option and option not in options] == []


def shown_commands() -> Iterator[tuple[str, str]]:
    """Yield page and command line of every command of ours in an indented or fenced block."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for line in text.split("\n"):
            found = re.match(
                r"(?:\s|\$ |\.venv/bin/)*(?:\.venv/bin/)?(?:eval-tiers|python -m eval_tiers) (.+)",
                line,
            )
            if found and (line.startswith((" ", "\t", "$")) or "-->" not in line):
                yield page.name, re.split(r"\s{3,}|\s#\s", found.group(1))[0]


COMMANDS = sorted(set(shown_commands()))


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """Return the command that words name, and the words after it."""
    command: click.Command = cli
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(click.Context(command), words[0])
        assert found is not None, f"there is no command {words[0]!r}"
        command, words = found, words[1:]
    return command, words


def option_names(words: list[str]) -> set[str]:
    """Return all spellings of the options of a command."""
    command, _ = command_of(words)
    parameters = command.get_params(click.Context(command))
    return {
        name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)
    }


def test_commands_are_found_in_the_pages() -> None:
    assert len(COMMANDS) > 10


@pytest.mark.parametrize(("page", "line"), COMMANDS, ids=lambda value: str(value)[:60])
def test_shown_command_exists_with_its_options(page: str, line: str) -> None:
    words = shlex.split(line.replace("...", ""))
    known = option_names(words)
    used = [word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)]
    assert [option for option in used if option not in known] == []


def test_python_example_runs(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    result = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "PARSE_FAIL" in result.stdout or "HALLUCINATED" in result.stdout


def test_links_lead_somewhere() -> None:
    broken = []
    for page in (*PAGES, ROOT / "CHANGELOG.md"):
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")
    assert broken == []


def test_modules_that_docs_name_exist() -> None:
    for page in PAGES:
        for name in re.findall(r"`(eval_tiers(?:\.\w+)+)`", page.read_text(encoding="utf-8")):
            module, _, attribute = name.rpartition(".")
            try:
                importlib.import_module(name)
            except ModuleNotFoundError:
                assert hasattr(importlib.import_module(module), attribute), f"{page.name}: {name}"
