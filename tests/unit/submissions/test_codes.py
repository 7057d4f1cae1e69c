"""Every code is documented, and made by something."""

from __future__ import annotations

from pathlib import Path

from eval_tiers.submissions import codes

ROOT = Path(__file__).parents[3]


def test_every_code_is_in_the_documentation_with_its_meaning() -> None:
    text = (ROOT / "docs" / "submissions.md").read_text(encoding="utf-8")
    rows = [line for line in text.split("\n") if line.startswith("| `") and line.endswith(" |")]
    assert [row for row in rows if row.count("|") == 3 and row.split("`")[1] in codes.CODES] == [
        f"| `{code}` | {meaning} |" for code, meaning in codes.CODES.items()
    ]


def test_every_constant_is_a_code() -> None:
    constants = {
        value for name, value in vars(codes).items() if name.isupper() and isinstance(value, str)
    }
    assert constants == set(codes.CODES)
    parts = (codes.STRUCTURE_CODES, codes.TABLE_CODES, codes.RECOMPUTATION_CODES)
    assert sum(map(len, parts)) == len(codes.CODES)
