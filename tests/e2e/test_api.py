"""The Python API gives what the command writes."""

from __future__ import annotations

import doctest
from pathlib import Path

import pandas as pd
import pytest

import eval_tiers
from eval_tiers import api, evaluate
from eval_tiers.exceptions import BadInputError, EvalTiersError, MissingResourceError, UsageError
from eval_tiers.io.demo import demo_inputs
from eval_tiers.settings import Settings
from tests.e2e.running import Run, evaluated, without_run_facts

INPUTS = demo_inputs()


@pytest.fixture(scope="module")
def found() -> api.Evaluation:
    return evaluate(
        gt_dir=INPUTS.gold, pred_dir=str(INPUTS.predictions), external_kg=INPUTS.graph,
        go_gmt=INPUTS.gene_sets, tiers=(1, 2, 3),
    )  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return evaluated(
        "--gt-dir", INPUTS.gold, "--pred-dir", INPUTS.predictions, "--external-kg", INPUTS.graph,
        "--go-gmt", INPUTS.gene_sets, "--tiers", 1, 2, 3, folder=tmp_path_factory.mktemp("api"),
    )  # fmt: skip


def test_frames_equal_the_command_s_files(found: api.Evaluation, written: Run) -> None:
    pd.testing.assert_frame_equal(found.samples, written.samples, check_exact=True)
    pd.testing.assert_frame_equal(found.chains, written.chains, check_exact=True)
    files = pd.read_csv(written.path("file_summary", "csv"))
    pd.testing.assert_frame_equal(found.files, files, check_dtype=False)
    assert len(found.samples) == 164


def test_summary_equals_the_command_s(found: api.Evaluation, written: Run) -> None:
    expected = without_run_facts(written.summary)
    assert without_run_facts(found.summary) == expected
    assert found.manifest["inputs"] == written.manifest["inputs"]
    assert (found.paths, found.run_dir) == ({}, None)


def test_output_dir_writes_the_same(found: api.Evaluation, written: Run, tmp_path: Path) -> None:
    again = evaluate(
        gt_dir=INPUTS.gold, pred_dir=INPUTS.predictions, external_kg=[INPUTS.graph],
        go_gmt=INPUTS.gene_sets, tiers=[3, 2, 1], output_dir=tmp_path / "runs", jobs=2,
    )  # fmt: skip
    assert again.run_dir is not None
    assert again.run_dir.parent == tmp_path / "runs"
    pd.testing.assert_frame_equal(again.samples, found.samples, check_exact=True)
    pd.testing.assert_frame_equal(again.chains, found.chains, check_exact=True)
    assert without_run_facts(again.summary) == without_run_facts(found.summary)
    csv = again.paths["samples.csv"].read_bytes()
    assert csv == written.path("samples", "csv").read_bytes()
    assert {path.parent for path in again.paths.values()} == {again.run_dir}


def test_without_paths_it_is_the_demo(found: api.Evaluation) -> None:
    again = evaluate(tiers=(1, 2, 3))
    pd.testing.assert_frame_equal(again.samples, found.samples)
    assert again.summary["accuracy"] == found.summary["accuracy"]


def test_docstring_example() -> None:
    results = [
        doctest.DocTestRunner().run(example)
        for example in doctest.DocTestFinder().find(api.evaluate, globs={})
    ]
    assert sum(result.attempted for result in results) >= 3
    assert sum(result.failed for result in results) == 0


def test_settings_reach_the_scores(found: api.Evaluation) -> None:
    strict = evaluate(tiers=(1, 2), settings=Settings(hallucination_threshold=0.01))
    label = "CORRECT_HALLUCINATED_EDGE"
    assert strict.summary["error_distribution"][label] > found.summary["error_distribution"][label]
    assert strict.summary["settings"]["hallucination_threshold"] == 0.01


def test_errors_are_the_project_s_own(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        evaluate(gt_dir=INPUTS.gold)
    with pytest.raises(UsageError):
        evaluate(gt_dir=INPUTS.gold, pred_dir=INPUTS.predictions, tiers=(1, 2))
    with pytest.raises(UsageError):
        evaluate(tiers=(1, 4))
    with pytest.raises(UsageError):
        evaluate(tiers=())
    with pytest.raises(MissingResourceError):
        evaluate(gt_dir=tmp_path / "none", pred_dir=INPUTS.predictions, tiers=(1,))
    (tmp_path / "gt_genetic.jsonl").write_text('{"id": "1", "answer": "upp"}\n')
    (tmp_path / "pred_genetic.jsonl").write_text('{"id": "1", "output": "x"}\n')
    with pytest.raises(BadInputError) as caught:
        evaluate(
            gt_file=tmp_path / "gt_genetic.jsonl", pred_file=tmp_path / "pred_genetic.jsonl",
            tiers=(1,),
        )  # fmt: skip
    assert issubclass(caught.type, EvalTiersError)
    where = caught.value.problems[0].where
    assert (where.line, where.sample, caught.value.problems[0].code) == (1, "1", "unknown-label")


def test_the_package_s_door_is_typed_and_small() -> None:
    assert (Path(eval_tiers.__file__).parent / "py.typed").is_file()
    assert eval_tiers.evaluate is api.evaluate
