"""What every benchmark format promises, over all that are found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import eval_tiers
from eval_tiers.domain import rr10
from eval_tiers.domain.labels import LABELS
from eval_tiers.formats.base import (
    BenchmarkFormat,
    ChainFormat,
    CitationFormat,
    Record,
    RecordFault,
)
from eval_tiers.formats.registry import format_named, known_formats

FORMATS = tuple(known_formats().values())

CHAIN_FORMATS = tuple(found for found in FORMATS if isinstance(found, ChainFormat))
CITATION_FORMATS = tuple(found for found in FORMATS if isinstance(found, CitationFormat))


def _each(formats: tuple[BenchmarkFormat, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("described", formats, ids=lambda found: str(found.name))


every_format = _each(FORMATS)
every_chain_format = _each(CHAIN_FORMATS)
every_citation_format = _each(CITATION_FORMATS)


def test_a_format_is_of_one_of_two_families() -> None:
    assert CHAIN_FORMATS and CITATION_FORMATS
    assert len(CHAIN_FORMATS) + len(CITATION_FORMATS) == len(FORMATS)


@every_format
def test_descriptor(described: BenchmarkFormat) -> None:
    assert format_named(described.name) is described
    assert described.title and described.reference
    assert "id" in described.gold_fields
    assert "id" in described.prediction_fields
    for table in (described.gold_fields, described.prediction_fields):
        assert all(names and len(set(names)) == len(names) for names in table.values())
    with pytest.raises(AttributeError):
        described.name = "other"  # type: ignore[misc]


@every_chain_format
def test_fields_of_a_chain_format(described: ChainFormat) -> None:
    assert {"answer", "path"} <= set(described.gold_fields)
    assert "text" in described.prediction_fields


@every_citation_format
def test_fields_of_a_citation_format(described: CitationFormat) -> None:
    assert {"answer", "gene", "organism", "provenance"} <= set(described.gold_fields)
    assert {"prediction", "evidence", "text"} <= set(described.prediction_fields)


@every_format
def test_example_matches_no_other_format(described: BenchmarkFormat) -> None:
    matching = [other.name for other in FORMATS if other.matches(described.example_gold)]
    assert matching == [described.name]


@every_chain_format
def test_example_records_of_a_chain_format_are_read(described: ChainFormat) -> None:
    gold = described.parse_gold(described.example_gold)
    prediction = described.parse_prediction(described.example_prediction)
    assert gold.label in range(len(LABELS))
    assert gold.sample_id is not None
    assert gold.sample_id == prediction.sample_id
    assert gold.sample_id == described.id_of(described.example_gold)
    assert described.perturbation_sign(gold.pert_type, gold.mode) in {-1, 0, 1}


@every_citation_format
def test_example_records_of_a_citation_format_are_read(described: CitationFormat) -> None:
    item = described.parse_item(described.example_gold, 7)
    prediction = described.parse_prediction(described.example_prediction)
    assert item.label in range(len(rr10.LABELS))
    assert item.provenance and {row.line for row in item.provenance} == {item.line} == {7}
    assert item.sample_id == prediction.sample_id == described.id_of(described.example_gold)
    assert prediction.claim is not None
    assert prediction.evidence.citations
    assert not any(citation.malformed for citation in prediction.evidence.citations)


@every_format
@pytest.mark.parametrize("named", [True, False], ids=["named", "told from the file"])
def test_example_is_scored(described: BenchmarkFormat, named: bool, tmp_path: Path) -> None:
    files = []
    for name, record in (
        ("gold", described.example_gold),
        ("predictions", described.example_prediction),
    ):
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_text(json.dumps(record) + "\n", encoding="utf-8")
    found = eval_tiers.evaluate(
        gt_file=files[0],
        pred_file=files[1],
        tiers=(1,),
        format=described.name if named else "auto",
    )
    assert found.summary["format"] == described.name
    key = "accuracy" if isinstance(described, ChainFormat) else "accuracy_total"
    assert found.summary[key] == float(described.example_answer_correct)


@every_citation_format
def test_the_evidence_of_the_example_holds(described: CitationFormat, tmp_path: Path) -> None:
    gold, predictions = tmp_path / "gold.jsonl", tmp_path / "predictions.jsonl"
    gold.write_text(json.dumps(described.example_gold) + "\n", encoding="utf-8")
    predictions.write_text(json.dumps(described.example_prediction) + "\n", encoding="utf-8")
    found = eval_tiers.evaluate(gt_file=gold, pred_file=predictions)
    assert found.samples["error_label"].tolist() == ["CORRECT"]
    assert found.samples["citation_precision"].tolist() == [1.0]
    assert found.samples["evidence_recall"].tolist() == [1.0]


def _parse_gold(described: BenchmarkFormat, record: Record) -> None:
    if isinstance(described, CitationFormat):
        described.parse_item(record, 1)
    elif isinstance(described, ChainFormat):
        described.parse_gold(record)


@every_format
def test_a_foreign_record_is_a_fault_and_nothing_else(described: BenchmarkFormat) -> None:
    for record in ({}, {"x": 1}, dict.fromkeys(described.example_gold, 1.5)):
        with pytest.raises(RecordFault) as caught:
            _parse_gold(described, record)
        assert caught.value.code and caught.value.message
