"""Finding formats and choosing one."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tiers.exceptions import BadInputError, MissingResourceError, UsageError
from eval_tiers.io.graphs import read_edge_table
from eval_tiers.kg.registry import load_source, source_names
from eval_tiers.kg.source import Head, ReadOptions
from tests.unit.kg.samples import codes, read


def test_names() -> None:
    assert set(source_names()) >= {
        "carnival",
        "collectri",
        "omnipath",
        "pickle",
        "sif",
        "signed_table",
        "trrust",
    }


def test_no_such_format(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="signed_table"):
        load_source("nonesuch")
    with pytest.raises(UsageError):
        read(tmp_path, "source\ttarget\tsign\nA\tB\t1\n", options=ReadOptions("nonesuch"))


def test_no_such_option() -> None:
    with pytest.raises(UsageError, match="skip"):
        ReadOptions(undirected="maybe")


@pytest.mark.parametrize(
    ("path", "suffix"),
    [
        ("a/b.TSV.gz", ".tsv"),
        ("kg.sif", ".sif"),
        ("a.b/c", ""),
        ("x.zst", ""),
        ("k.csv.zst", ".csv"),
    ],
)
def test_suffix(path: str, suffix: str) -> None:
    assert Head(path, b"").suffix == suffix


def test_a_format_asked_for_is_used(tmp_path: Path) -> None:
    data = "source\tinteraction\ttarget\nA\t-1\tB\n"
    assert read(tmp_path, data).format_name == "carnival"
    assert read(tmp_path, data, options=ReadOptions("signed_table")).format_name == "signed_table"


def test_an_option_without_effect_is_said(tmp_path: Path) -> None:
    data = "source\ttarget\tsign\nA\tB\t1\n"
    assert codes(read(tmp_path, data, options=ReadOptions(consensus=True))) == [
        "option-without-effect"
    ]


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(MissingResourceError):
        read_edge_table(tmp_path / "none.tsv")
    with pytest.raises(BadInputError):
        read_edge_table(tmp_path)
