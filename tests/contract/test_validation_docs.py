"""The page of ``validate`` and the shipped schema say what the rules are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from eval_tiers.formats.registry import known_formats
from eval_tiers.formats.rr10_rules.codes import RULES
from eval_tiers.formats.rr10_rules.schema import item_schema

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "rr10_validation.md"
SCHEMA = ROOT / "eval_tiers" / "formats" / "schemas" / "rr10_item.schema.json"


def rules_table() -> str:
    """Return the table of rules as the page has it."""
    lines = ["| code | level | of | meaning |", "|---|---|---|---|"]
    lines += [f"| `{r.code}` | {r.level} | {r.scope} | {r.meaning} |" for r in RULES]
    return "\n".join(lines)


def test_rules_table(request: pytest.FixtureRequest) -> None:
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(
        r"(<!-- rr10 rules: begin[^\n]*-->\n)(.*?)(<!-- rr10 rules: end -->)", text, re.S
    )
    assert found is not None, f"{PAGE.name} has no place for the rules"
    if request.config.getoption("--update-golden"):
        new = text[: found.start(2)] + rules_table() + "\n" + text[found.end(2) :]
        PAGE.write_text(new, encoding="utf-8")
        return
    assert found.group(2).strip() == rules_table(), "pytest --update-golden"


def test_shipped_schema(golden: Callable[[Path, bytes], None]) -> None:
    text = json.dumps(item_schema(), indent=2, ensure_ascii=False) + "\n"
    golden(SCHEMA, text.encode())


def test_codes_are_unique_snake_case_and_explained() -> None:
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes) > 40
    assert [code for code in codes if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", code)] == []
    assert {rule.level for rule in RULES} == {"error", "warning"}
    assert [rule.code for rule in RULES if not rule.meaning.endswith(".")] == []


def test_every_code_in_the_source_is_a_rule() -> None:
    """A fault with a code that isn't in the table would have no level."""
    folder = ROOT / "eval_tiers"
    files = [*(folder / "formats" / "rr10_rules").glob("*.py"),
             *(folder / "io" / "validation").glob("rr10*.py")]  # fmt: skip
    used = set()
    for path in files:
        text = path.read_text(encoding="utf-8")
        used |= set(re.findall(r'Fault\(\s*"(\w+)"', text))
        used |= set(re.findall(r'misfit_code="(\w+)"', text))
    assert len(used) > 30
    assert used - {rule.code for rule in RULES} - {"unreadable"} == set()


def test_the_rules_are_no_format() -> None:
    assert "rr10_rules" not in known_formats()
