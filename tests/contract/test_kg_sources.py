"""What every graph format promises, over all that are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tiers.exceptions import BadInputError
from eval_tiers.io.graphs import read_edge_table
from eval_tiers.kg.registry import choose_source, discover_sources, source_names
from eval_tiers.kg.source import Head, KGSource, ReadOptions
from tests.unit.kg.samples import triples

SOURCES = discover_sources()

every_source = pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.name))


def test_names_are_unique_and_those_of_the_files() -> None:
    assert [source.name for source in SOURCES] == list(source_names())
    assert len({source.title for source in SOURCES}) == len(SOURCES)


@every_source
def test_descriptor(source: KGSource) -> None:
    assert source.title and source.description.endswith(".")
    assert source.reference.startswith("https://")
    assert source.uses <= {"consensus", "undirected"}
    assert source.example_edges == tuple(sorted(source.example_edges))
    with pytest.raises(AttributeError):
        source.name = "other"  # type: ignore[misc]


@every_source
def test_example_is_read_as_its_edges(source: KGSource, tmp_path: Path) -> None:
    path = tmp_path / "example"
    path.write_bytes(source.example)
    for options in (None, ReadOptions(source.name)):
        table = read_edge_table(path, options)
        assert table.format_name == source.name
        assert tuple(triples(table)) == source.example_edges
        assert not any(finding.level == "error" for finding in table.findings)


@every_source
def test_example_is_told_from_all_other_formats(source: KGSource) -> None:
    head = Head("example", source.example)
    confidence = source.matches(head)
    assert 0 < confidence <= 100
    assert choose_source(head) is source
    assert all(other.matches(head) < confidence for other in SOURCES if other is not source)


@every_source
def test_nothing_is_made_of_nothing(source: KGSource) -> None:
    assert source.matches(Head("example", b"")) == 0
    for data in (b"", b"\n", b"\0\0\0\0", b"\xff\xfe\xfd"):
        with pytest.raises(BadInputError) as caught:
            source.parse(data, "example", ReadOptions())
        assert "example" in str(caught.value)
