"""A task folder read whole, and what a submission is told about each step."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tiers.exceptions import BadInputError, EvalTiersError, MissingResourceError
from eval_tiers.io.submission_folder import inspect_submission
from eval_tiers.io.submission_task import load_task, read_eval_task
from eval_tiers.submissions.inspection import Inspection
from tests.robust.submission_samples import TABLE, TASK, codes_of, write_submission, write_task

RULES = """
[[artifact.recompute]]
column = "n"
from = "observations/all.csv"
group_by = ["symbol"]
function = "count"
[[artifact.recompute]]
column = "log2fc"
from = "observations/all.csv"
group_by = ["symbol"]
function = "mean"
value = "lfc"
"""
RECOMPUTED = TASK.replace("[[conclusion]]", RULES + "[[conclusion]]")
# By hand: the mean is (1.5 + 2) / 2, (-1 - 1.5) / 2, 0.5.
OBSERVATIONS = b"symbol,lfc\nAngptl4,1.5\nCyp4a14,-1\nAngptl4,2\nCyp4a14,-1.5\nHsp70Ba,0.5\n"
MEANS = b"gene,n,log2fc\nAngptl4,2,1.75\nCyp4a14,2,-1.25\nHsp70Ba,1,0.5\n"


def recomputed_task(folder: Path, table: bytes = MEANS) -> Path:
    write_task(folder, RECOMPUTED, table)
    (folder / "observations").mkdir()
    (folder / "observations" / "all.csv").write_bytes(OBSERVATIONS)
    return folder


def inspected(task: Path, submission: Path) -> Inspection:
    loaded = load_task(task)
    return inspect_submission(submission, loaded.task, loaded.references)


def steps_of(found: Inspection) -> dict[tuple[str, str], str]:
    return {(step.name, step.path): step.status for step in found.steps}


def test_a_task_with_rules(tmp_path: Path) -> None:
    task = recomputed_task(tmp_path / "task")
    found = inspected(task, write_submission(tmp_path / "s", {"results.csv": MEANS}))
    assert found.passed
    assert steps_of(found) == {
        ("structure", "analysis_manifest.json"): "passed",
        ("structure", "answer.md"): "passed",
        ("structure", "results.csv"): "passed",
        ("table", "results.csv"): "passed",
        ("recomputation", "results.csv"): "passed",
    }
    wrong = MEANS.replace(b"Cyp4a14,2", b"Cyp4a14,3")
    found = inspected(task, write_submission(tmp_path / "t", {"results.csv": wrong}))
    assert codes_of(found) == {"out_of_tolerance", "recomputation_mismatch"}
    assert steps_of(found)["recomputation", "results.csv"] == "failed"
    assert not found.artifacts and [text.path for text in found.readable] == ["results.csv"]


@pytest.mark.parametrize(
    ("table", "status"),
    [
        (None, ("failed", "not run", "not run")),
        (b"x" + MEANS, ("passed", "failed", "not run")),
        (MEANS.replace(b"1.75", b"nan"), ("passed", "failed", "passed")),
    ],
    ids=["not there", "header", "cell"],
)
def test_steps_that_are_not_made_are_named(
    tmp_path: Path, table: bytes | None, status: tuple[str, str, str]
) -> None:
    task = recomputed_task(tmp_path / "task")
    files = {} if table is None else {"results.csv": table}
    found = inspected(task, write_submission(tmp_path / "s", files))
    steps = steps_of(found)
    names = ("structure", "table", "recomputation")
    assert tuple(steps[name, "results.csv"] for name in names) == status


def test_a_manifest_that_can_not_be_read_is_the_one_fault(tmp_path: Path) -> None:
    task = write_task(tmp_path / "task")
    found = inspected(task, write_submission(tmp_path / "s", manifest=b"{"))
    assert [check.code for check in found.failures] == ["manifest_malformed"]
    assert steps_of(found)["structure", "results.csv"] == "not run"
    assert found.manifest["artifacts"] == [] and found.manifest["size"] == 1
    assert found.answer


def test_the_manifest_as_it_is_reported(tmp_path: Path) -> None:
    task = write_task(tmp_path / "task")
    folder = write_submission(tmp_path / "s", {"results.csv": TABLE, "a.txt": b"x"})
    found = inspected(task, folder)
    listed = found.manifest["artifacts"]
    assert isinstance(listed, list)
    assert [(entry["path"], entry["verified"]) for entry in listed] == [
        ("results.csv", True), ("a.txt", True),
    ]  # fmt: skip


def test_rules_that_contradict_the_reference(tmp_path: Path) -> None:
    task = recomputed_task(tmp_path / "task", MEANS.replace(b"1.75", b"1.8"))
    with pytest.raises(BadInputError, match="rule-contradicts-reference") as error:
        load_task(task)
    assert "the mean of 'lfc' in observations/all.csv is 1.75" in str(error.value)
    task = recomputed_task(tmp_path / "other", MEANS.replace(b"Hsp70Ba", b"Hsp71"))
    with pytest.raises(BadInputError, match="gives no number"):
        load_task(task)


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("eval_task.toml", None, "no-such-file"),
        ("eval_task.toml", b"id = ", "bad-toml"),
        ("eval_task.toml", b"id = 't'\nid = 'u'\n", "bad-toml"),
        ("eval_task.toml", b"x = " + b"[" * 100_000, "bad-toml"),
        ("eval_task.toml", b"", "missing-key"),
        ("eval_task.toml", b"id = 'caf\xe9'\n", "not-utf8"),
        ("eval_task.toml", TASK.encode("utf-16"), "not-utf8"),
        ("eval_task.toml", b"#" * 1_000_001, "oversize"),
        ("eval_task.toml", b"PK\x03\x04", "not-text"),
        ("reference/results.csv", None, "no-such-file"),
        ("reference/results.csv", b"", "header-mismatch"),
        ("reference/results.csv", MEANS.replace(b"gene", b"Gene"), "header-mismatch"),
        ("reference/results.csv", MEANS.replace(b"Cyp4a14", b"Angptl4"), "duplicate-key"),
        ("reference/results.csv", MEANS.replace(b"1.75", b"NA"), "not-a-number"),
        ("reference/results.csv", MEANS[:-14], "row-count"),
        ("reference/results.csv", MEANS.decode().encode("utf-16"), "not-utf8"),
        ("observations/all.csv", None, "no-such-file"),
        ("observations/all.csv", b"gene,lfc\n", "header-mismatch"),
        ("observations/all.csv", OBSERVATIONS.replace(b"1.5", b"-"), "not-a-number"),
    ],
    ids=range(19),
)  # fmt: skip
def test_faults_of_the_task(tmp_path: Path, name: str, data: bytes | None, code: str) -> None:
    task = recomputed_task(tmp_path / "task")
    (task / name).unlink()
    if data is not None:
        (task / name).write_bytes(data)
    with pytest.raises(EvalTiersError) as error:
        load_task(task)
    (problem,) = error.value.problems[:1]
    assert problem.code == code
    assert Path(problem.where.path or "").name == Path(name).name
    assert isinstance(error.value, BadInputError if data is not None else MissingResourceError)


def test_dress_of_the_task_file(tmp_path: Path) -> None:
    task = write_task(tmp_path / "task")
    plain = (task / "eval_task.toml").read_bytes()
    before = read_eval_task(task)
    for dressed in (b"\xef\xbb\xbf" + plain, plain.replace(b"\n", b"\r\n")):
        (task / "eval_task.toml").write_bytes(dressed)
        assert read_eval_task(task) == before


def test_no_task_folder(tmp_path: Path) -> None:
    for place in (tmp_path / "none", Path(__file__)):
        with pytest.raises(MissingResourceError, match="no-such-folder"):
            read_eval_task(place)


def test_lowered_limits(tmp_path: Path) -> None:
    limits = "[limits]\n{}\n"
    for line, path in (
        ("file_bytes = 10", "results.csv"),
        ("total_bytes = 10", "results.csv"),
        ("manifest_bytes = 10", "analysis_manifest.json"),
        ("answer_bytes = 10", "answer.md"),
    ):
        name = line.partition(" ")[0]
        task = write_task(tmp_path / name / "task", TASK + limits.format(line))
        found = inspected(task, write_submission(tmp_path / name / "s"))
        assert [(check.code, check.path) for check in found.failures] == [("oversize", path)]
    files = {"results.csv": TABLE, "a.txt": b"x"}
    task = write_task(tmp_path / "few" / "task", TASK + limits.format("artifacts = 1"))
    found = inspected(task, write_submission(tmp_path / "few" / "s", files))
    assert codes_of(found) == {"manifest_malformed"}


def test_a_text_that_is_asked_for(tmp_path: Path) -> None:
    text = TASK.replace("[[conclusion]]", '[[artifact]]\npath = "methods.md"\n[[conclusion]]')
    task = write_task(tmp_path / "task", text)
    for number, (data, codes) in enumerate(
        [
            (b"We measured.", set()),
            (b"\xff", {"not_utf8"}),
            (b"a\0", {"nul_byte"}),
            (None, {"missing"}),
        ]
    ):
        files = {"results.csv": TABLE} | ({} if data is None else {"methods.md": data})
        found = inspected(task, write_submission(tmp_path / str(number), files))
        assert codes_of(found) == codes


def test_tables_of_tabs(tmp_path: Path) -> None:
    text = TASK.replace("results.csv", "results.tsv")
    task = write_task(tmp_path / "task", text)
    tabs = TABLE.replace(b",", b"\t")
    (task / "reference" / "results.tsv").write_bytes(tabs)
    found = inspected(task, write_submission(tmp_path / "s", {"results.tsv": tabs}))
    assert found.passed
    assert found.artifacts[0].find_row(("Cyp4a14",)) == {
        "gene": "Cyp4a14", "n": "6", "log2fc": "-1.25",
    }  # fmt: skip
    found = inspected(task, write_submission(tmp_path / "t", {"results.tsv": TABLE}))
    assert codes_of(found) == {"header_mismatch"}
