"""The documentation says what the code does: tables, names, commands, the Python example."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import click
import pytest

from eval_tiers.cli.main import cli
from eval_tiers.domain.columns import GO_NULL_REASONS, SAMPLE_COLUMNS
from eval_tiers.domain.labels import PARSE_FAILURE_REASONS
from eval_tiers.domain.taxonomy import CHAIN_VALIDITIES, EDGE_STATUSES, ERROR_LABELS
from eval_tiers.kg.registry import discover_sources
from eval_tiers.settings import Settings

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DEFINITIONS = ROOT / "docs" / "perturbreason.md"
INPUTS = ROOT / "docs" / "inputs.md"
PAGES = (
    README,
    ROOT / "CONTRIBUTING.md",
    ROOT / "kg" / "README.md",
    ROOT / "gmt" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
)
_CODES = {"count": "whole number", "sign": "1 or -1", "flag": "True or False", "number": "number"}


def columns_table() -> str:
    """Return the table of columns as the page has it."""
    lines = ["| column | tier | holds | meaning |", "|---|---|---|---|"]
    for column in SAMPLE_COLUMNS:
        holds = _CODES.get(column.kind, "text")
        if column.kind == "code" and len(column.words) <= 3:
            holds = ", ".join(column.words)
        lines.append(f"| `{column.name}` | {column.tier} | {holds} | {column.meaning} |")
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
    [(DEFINITIONS, "columns", columns_table()), (INPUTS, "graph formats", graph_formats_table())],
    ids=["columns", "graph formats"],
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
                r"(?:\s+|\$ |\.venv/bin/)*(?:\.venv/bin/)?(?:eval-tiers|python -m eval_tiers) (.+)",
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
