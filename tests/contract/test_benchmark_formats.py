"""What every benchmark format promises, over all that are found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import eval_tiers
from eval_tiers.domain.labels import LABELS
from eval_tiers.formats.base import BenchmarkFormat, RecordFault
from eval_tiers.formats.registry import format_named, known_formats

FORMATS = tuple(known_formats().values())

every_format = pytest.mark.parametrize("described", FORMATS, ids=lambda found: str(found.name))


@every_format
def test_descriptor(described: BenchmarkFormat) -> None:
    assert format_named(described.name) is described
    assert described.title and described.reference
    assert {"id", "answer", "path"} <= set(described.gold_fields)
    assert {"id", "text"} <= set(described.prediction_fields)
    for table in (described.gold_fields, described.prediction_fields):
        assert all(names and len(set(names)) == len(names) for names in table.values())
    with pytest.raises(AttributeError):
        described.name = "other"  # type: ignore[misc]


@every_format
def test_example_matches_no_other_format(described: BenchmarkFormat) -> None:
    matching = [other.name for other in FORMATS if other.matches(described.example_gold)]
    assert matching == [described.name]


@every_format
def test_example_records_are_read(described: BenchmarkFormat) -> None:
    gold = described.parse_gold(described.example_gold)
    prediction = described.parse_prediction(described.example_prediction)
    assert gold.label in range(len(LABELS))
    assert gold.sample_id is not None
    assert gold.sample_id == prediction.sample_id
    assert gold.sample_id == described.id_of(described.example_gold)
    assert described.perturbation_sign(gold.pert_type, gold.mode) in {-1, 0, 1}


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
    assert found.summary["accuracy"] == float(described.example_answer_correct)


@every_format
def test_a_foreign_record_is_a_fault_and_nothing_else(described: BenchmarkFormat) -> None:
    for record in ({}, {"x": 1}, dict.fromkeys(described.example_gold, 1.5)):
        with pytest.raises(RecordFault) as caught:
            described.parse_gold(record)
        assert caught.value.code and caught.value.message
