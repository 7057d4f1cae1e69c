"""Small gene sets, and where real files are when they are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tiers.go.gene_sets import parse_gmt
from eval_tiers.go.profiles import GoProfiles

WORKED_GMT = b"T1\t\tA\tB\nT2\t\tB\tC\nT3\t\tC\tD\tE\n"
REAL_GMT = Path(__file__).parents[3].parent / "shared" / "data" / "gmt"
HUMAN = "GOBP_human_GO2022-07-01.symbols.gmt.gz"


def worked_profiles() -> GoProfiles:
    """Profiles of the specification's worked example."""
    return GoProfiles.from_gene_sets(parse_gmt(WORKED_GMT, "worked.gmt")[0])


def real_file(name: str) -> Path:
    """Return a real GMT file, or skip."""
    path = REAL_GMT / name
    if not path.exists():
        pytest.skip(f"the real file {name} is not beside this repository")
    return path
