"""``compare`` of judged rubrics through the real command: numbers, refusals, gates, files."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import Done, in_process, shared, write_lines
from tests.rubric_rows import Record, row, rows, task

STAMP = "batch_evaluation_20260401_120000.jsonl"
WEIGHTS = [5, 4, -4]
HOSTILE = "<script>alert(1)</script></pre>\u202e\x07"


def judge(folder: Path, name: str, letters: list[str], /, *more: str, **changes: Any) -> None:
    """Score a system: letters of the three rubrics of each sample."""
    records = [
        {"model": "judge-1", "prompt_version": "p1", **one, **changes}
        for i, text in enumerate(letters)
        for one in rows(f"r{i}", text, WEIGHTS)
    ]
    write_lines(folder / name / STAMP, records)
    done = in_process(
        "rubrics", "score", name, "--data", "data.jsonl", "-o", f"{name}/out", *more, folder=folder
    )
    assert done.returncode == 0, done.stderr


def compare(*arguments: object, folder: Path) -> Done:
    done = in_process("compare", *arguments, folder=folder)
    assert "Traceback" not in done.stderr
    return done


def as_json(*arguments: object, folder: Path) -> Any:
    done = compare(*arguments, "--json", folder=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout, parse_constant=lambda word: pytest.fail(word))


@pytest.fixture
def systems(tmp_path: Path) -> Path:
    """System a fails two rubrics of each of 8 samples, b none; one verdict of b is missing."""
    data = [
        task(f"r{i}", WEIGHTS, domain="Bio" if i % 2 else "Chem", exploration="Low")
        for i in range(8)
    ]
    write_lines(tmp_path / "data.jsonl", data)
    judge(tmp_path, "a", ["SNS"] * 8)
    judge(tmp_path, "b", ["SSN"] * 7 + ["SFN"], reasoning=HOSTILE)
    judge(tmp_path, "c", ["SNS"] * 8, "--spreadsheet-safe", reasoning="=1+1")
    return tmp_path


def test_systems_by_sample_and_rubric(systems: Path) -> None:
    found = as_json("a/out", "b/out", "c/out", folder=systems)
    assert [(one["first"], one["second"]) for one in found["comparisons"]] == [
        (0, 1), (0, 2), (1, 2),
    ]  # fmt: skip
    one, same, _ = found["comparisons"]
    # 23 rubrics have a verdict in both: of these a fails 15, b none
    assert (one["pair_n"], one["n"], one["sample_n"]) == (24, 23, 8)
    failures = one["measures"]["failure_rate"]
    assert failures["first"] == pytest.approx(15 / 23)
    assert failures["second"] == 0
    assert failures["mcnemar"]["first_only_n"] == 15
    assert failures["mcnemar"]["p"] == pytest.approx(2 * 0.5**15)
    assert failures["mcnemar"]["p_holm"] == pytest.approx(6 * 0.5**15)
    assert failures["difference_shown"]
    # the penalties stop being satisfied, the second criteria begin to be
    cells = one["measures"]["satisfied_rate"]["mcnemar"]
    assert (cells["first_only_n"], cells["second_only_n"]) == (8, 7)
    compliance = one["measures"]["compliance"]
    assert compliance["difference_n"] == 7
    assert compliance["difference"] == pytest.approx(1 - 1 / 9)
    assert compliance["null_reason"] == "no_variation"
    assert (one["unscored_n"], one["sample_without_score_n"]) == (1, 1)
    (unscored,) = one["unscored"]
    assert (unscored["sample_id"], unscored["rubric_index"]) == ("r7", 1)
    assert (unscored["first_state"], unscored["second_state"]) == ("scored", "failed")
    assert one["samples"][7]["second"] is None
    assert one["verdicts"]["matrix"]["Not Satisfied"]["unscored"] == 1
    assert {(part["dimension"], part["value"]) for part in one["slices"]} == {
        ("axis", "Evidence"), ("axis", "Penalty"), ("domain", "Bio"), ("domain", "Chem"),
    }  # fmt: skip
    assert one["flip_n"] == 15
    flip = one["flips"][0]
    assert (flip["weight"], flip["what"]) == (-4.0, "better")
    assert flip["first_reasoning"] == "because r0 2"
    assert same["measures"]["failure_rate"]["difference"] == 0
    assert same["measures"]["failure_rate"]["mcnemar"]["p"] == 1
    assert same["measures"]["failure_rate"]["minimum_detectable_effect"] == pytest.approx(
        0.324, abs=1e-3
    )
    assert same["flips"] == []


def test_the_terminal_says_it_in_80_columns(systems: Path) -> None:
    text = compare("a/out", "b/out", folder=systems).stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "Failed in A alone 15, in B alone 0" in text
    assert "1 rubric has no verdict" in text
    assert "\x07" not in text and "\u202e" not in text


def test_rows_that_were_not_scored_are_compared_too(systems: Path) -> None:
    scored = as_json("a/out", "b/out", folder=systems)["comparisons"][0]
    for first, second in (("a", "b"), (f"a/{STAMP}", f"b/{STAMP}"), ("a", "b/out")):
        found = as_json(first, second, folder=systems)["comparisons"][0]
        assert found["measures"]["failure_rate"] == scored["measures"]["failure_rate"]
        assert found["measures"]["compliance"] == scored["measures"]["compliance"]


def test_rubrics_without_an_index_are_paired_by_their_text(systems: Path) -> None:
    for name in ("a", "b"):
        path = systems / name / STAMP
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
        for record in reversed(records) if name == "a" else records:
            del record["rubric_index"]
        write_lines(systems / f"loose_{name}" / STAMP, records)
    scored = as_json("a/out", "b/out", folder=systems)["comparisons"][0]
    for first, second in (("loose_a", "loose_b"), ("a/out", "loose_b"), ("loose_a", "b")):
        found = as_json(first, second, folder=systems)["comparisons"][0]
        assert found["measures"]["failure_rate"] == scored["measures"]["failure_rate"]


def test_rubrics_of_one_text_are_not_paired_by_guess(systems: Path) -> None:
    both = [row("r0", i, "S", 1, rubric_title="one text") for i in range(2)]
    kept = {**row("r0", 1, "N", 1, rubric_title="one text")}
    del kept["rubric_index"]  # the first or the second?
    write_lines(systems / "f" / STAMP, [*both, row("r0", 2, "S", 1)])
    write_lines(systems / "g" / STAMP, [kept, row("r0", 2, "S", 1)])
    for names, counts in (("fg", (2, 1)), ("gf", (1, 2))):
        found = as_json(*names, folder=systems)["comparisons"][0]
        assert (found["n"], found["only_first_n"], found["only_second_n"]) == (1, *counts)
        assert found["flip_n"] == 0


def test_a_page_and_a_table(systems: Path) -> None:
    done = compare("a/out", "b/out", "-o", "x.html", "--flips-csv", "f.csv", folder=systems)
    assert done.returncode == 0, done.stderr
    page = (systems / "x.html").read_text(encoding="utf-8")
    assert "<script" not in page and "&lt;script&gt;" in page
    assert "http" not in page
    assert "Reasoning on r0 rubric 2" in page
    with (systems / "f.csv").open(encoding="utf-8", newline="") as handle:
        table = list(csv.DictReader(handle))
    assert [one["what"] for one in table].count("better") == 15
    assert [one["what"] for one in table].count("unscored") == 1
    for taken in ("a/out", "data.jsonl", next((systems / "b/out").glob("pairs_*.csv"))):
        done = compare("a/out", "b/out", "-o", taken, folder=systems)
        assert done.returncode == 2, done.stderr
    done = compare("a/out", "b/out", "-o", "x.html", "--flips-csv", "x.html", folder=systems)
    assert done.returncode == 2


def test_a_spreadsheet_runs_nothing_and_texts_come_back(systems: Path) -> None:
    done = compare("b/out", "c/out", "--flips-csv", "f.csv", folder=systems)
    assert done.returncode == 0, done.stderr
    assert "'=1+1" in (systems / "f.csv").read_text(encoding="utf-8")
    found = as_json("b/out", "c/out", folder=systems)
    assert found["comparisons"][0]["flips"][0]["second_reasoning"] == "=1+1"


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        ("compliance -0.02", 1),
        ("failure_rate +0.02", 1),
        ("compliance -0.9", 0),
        ("satisfied_rate -0.5", 0),
    ],
)
def test_gates(systems: Path, gate: str, code: int) -> None:
    done = compare("b/out", "a/out", "--gate", gate, folder=systems)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("FAILED" if code else "passed") in done.stdout


def test_a_gate_on_what_is_undefined_fails(systems: Path) -> None:
    done = compare(
        "a/out", "b/out", "--gate", "compliance -0.02", "--gate-interval", folder=systems
    )
    assert done.returncode == 1  # all seven differ by the same: no interval
    assert "undefined" in done.stdout


def test_other_tasks_judges_and_prompts_are_refused(systems: Path) -> None:
    tasks = [task(f"r{i}", WEIGHTS) for i in range(8)]
    tasks[0]["rubrics"][0]["criterion"] = "another"
    tasks[1]["rubrics"][1]["weight"] = 3
    (systems / "data.jsonl").unlink()
    write_lines(systems / "data.jsonl", tasks)
    records: list[Record] = [
        row(f"r{i}", j, "S", weight, model="judge-2", prompt_version="p2")
        for i in range(8)
        for j, weight in enumerate(WEIGHTS)
    ]
    records[0]["rubric_title"] = "another"
    write_lines(systems / "d" / STAMP, records)
    done = in_process(
        "rubrics", "score", "d", "--data", "data.jsonl", "-o", "d/out", folder=systems
    )
    assert done.returncode == 0, done.stderr
    done = compare("a/out", "d/out", folder=systems)
    assert done.returncode == 2
    for code in ("different-tasks", "different-judge", "different-prompt"):
        assert code in done.stderr
    assert "another text" in done.stderr and "another weight" in done.stderr
    force = [word for kind in ("tasks", "judge", "prompt") for word in ("--force-different", kind)]
    assert compare("a/out", "d/out", *force[:4], folder=systems).returncode == 2
    found = as_json("a/out", "d/out", *force, folder=systems)
    one = found["comparisons"][0]
    assert (one["other_text_n"], one["weight_differs_n"], one["n"]) == (1, 1, 23)
    assert {one["code"] for one in found["findings"]} == {
        "different-tasks", "different-judge", "different-prompt",
    }  # fmt: skip


def test_an_unknown_judge_is_told(systems: Path) -> None:
    judge(systems, "e", ["SNS"] * 8, model=None, prompt_version=None)
    done = compare("a/out", "e/out", folder=systems)
    assert done.returncode == 0, done.stderr
    assert "unknown-judge" in done.stderr and "unknown-prompt" in done.stderr


def test_scales_have_to_be_the_same(systems: Path) -> None:
    judge(systems, "t", ["SPS"] * 8, "--scale", "ternary")
    done = compare("a/out", "t/out", folder=systems)
    assert (done.returncode, "scales-differ" in done.stderr) == (2, True)
    judge(systems, "u", ["SPS"] * 8, "--scale", "ternary")
    found = as_json("t/out", "u", folder=systems)["comparisons"][0]
    assert found["measures"]["failure_rate"]["first"] == pytest.approx(1.5 / 3)


def test_the_table_of_verdicts_keeps_its_columns_apart(systems: Path) -> None:
    partly = [
        one
        for i, letters in enumerate(("SPN", "NSP", "PNF"))
        for one in rows(f"r{i}", letters, WEIGHTS)
    ]
    write_lines(systems / "p" / STAMP, partly)
    text = compare("p", "p", folder=systems).stdout
    (head,) = (line for line in text.split("\n") if "Part. Sat." in line)
    assert head.split() == ["Satisfied", "Part.", "Sat.", "Not", "Sat.", "unscored"]
    assert len(head) <= 80


def test_samples_that_one_has(systems: Path) -> None:
    write_lines(systems / "f" / STAMP, [r for i in range(3) for r in rows(f"r{i}", "SSN", WEIGHTS)])
    found = as_json("a", "f", folder=systems)["comparisons"][0]
    assert (found["only_first_n"], found["only_second_n"], found["n"]) == (15, 0, 9)
    assert found["only_first"][0]["sample_id"] == "r3"
    write_lines(systems / "g" / STAMP, rows("x1", "SSN", WEIGHTS))
    done = compare("a", "g", folder=systems)
    assert done.returncode == 0
    assert "nothing-shared" in done.stderr
    assert "Nothing can be said" in done.stdout


def test_scores_over_other_rubrics_are_not_compared(systems: Path) -> None:
    kept = [
        one
        for i in range(8)
        for one in rows(f"r{i}", "SNS", WEIGHTS)
        if (i, one["weight"]) != (0, -4)
    ]
    write_lines(systems / "f" / STAMP, kept)  # without its penalty r0 scores 5/9, else 1/9
    found = as_json("a", "f", folder=systems)["comparisons"][0]
    compliance = found["measures"]["compliance"]
    assert (compliance["difference"], compliance["difference_n"]) == (0, 7)
    first = found["samples"][0]
    assert (first["first"], first["second"]) == (pytest.approx(1 / 9), pytest.approx(5 / 9))
    assert first["difference"] is None
    assert found["sample_without_score_n"] == 1
    assert found["n"] == 23


def test_scores_over_other_weights_are_not_compared(systems: Path) -> None:
    other = [one for i in range(8) for one in rows(f"r{i}", "SNS", [5, 4, -1 if i == 2 else -4])]
    write_lines(systems / "f" / STAMP, other)
    found = as_json("a", "f", "--force-different", "tasks", folder=systems)["comparisons"][0]
    compliance = found["measures"]["compliance"]
    assert (compliance["difference"], compliance["difference_n"]) == (0, 7)
    assert (found["n"], found["weight_differs_n"]) == (24, 1)


def test_the_shared_case_against_itself() -> None:
    folder = shared("cases/files/rubrics-failed-judge-rows")
    found = as_json(folder, folder, folder=folder)["comparisons"][0]
    assert found["unscored_n"] > 0
    assert found["measures"]["failure_rate"]["difference"] == 0
    assert found["flips"] == []


def test_what_cannot_be_compared(systems: Path) -> None:
    (systems / "run").mkdir()
    (systems / "empty.jsonl").write_text("", encoding="utf-8")
    for bad, code in (
        (["a/out"], 2), (["a/out", "b/out", "--cluster", "pair"], 2), (["a/out", "nowhere"], 4),
        (["a/out", "run"], 2), (["a/out", "b/out", "--force-different", "gold"], 2),
        (["a/out", "b/out", "--gate", "accuracy -0.1"], 2), (["a/out", "empty.jsonl"], 3),
        (["a/out", "b/out", "--gate", "compliance"], 2),
    ):  # fmt: skip
        done = compare(*bad, folder=systems)
        assert done.returncode == code, (bad, done.stderr)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: b"x,y\n1,2\n",
        lambda data: data.replace(b",1.0,", b",one,"),
        lambda data: data.replace(b",1.0,", b",7,"),
        lambda data: data.replace(b",Satisfied,1.0,", b",Maybe,1.0,"),
        lambda data: data.replace(b",Not Satisfied,0.0,", b",Not Satisfied,1.0,"),
        lambda data: data.replace(b",1.0,", b",nan,"),
        lambda data: data.replace(b",scored,", b",lost,"),
        lambda data: data.replace(b"r3,", b"r3,,,,,,,,,,,,,,,"),
        lambda data: data[:-10],
        lambda data: data[: data.rindex(b"r7,2")],
        lambda data: data.replace(b"r3,0", b"r3,zero"),
        lambda data: b"\xff\xfe" + data,
    ],
)  # fmt: skip
def test_a_spoilt_table_of_pairs_is_told(systems: Path, spoil: Any) -> None:
    (path,) = (systems / "a/out").glob("pairs_*.csv")
    path.write_bytes(spoil(path.read_bytes()))
    done = compare("a/out", "b/out", folder=systems)
    assert done.returncode == 3, done.stderr
    path.unlink()
    assert compare("a/out", "b/out", folder=systems).returncode == 4


@pytest.mark.parametrize(
    ("field", "value"),
    [("strict", "abc"), ("domain", ["Bio"]), ("compliance_score", {}), ("scale", "five stars")],
)
def test_a_spoilt_summary_is_told(systems: Path, field: str, value: Any) -> None:
    (path,) = (systems / "a/out").glob("rubric_summary_*.json")
    summary = json.loads(path.read_text(encoding="utf-8"))
    sample = summary["samples"][3]
    next(one for one in (summary, sample, sample["by_unscored"]) if field in one)[field] = value
    path.write_text(json.dumps(summary), encoding="utf-8")
    done = compare("a/out", "b/out", folder=systems)
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith("Error: [bad-summary]")


def test_faults_of_rows_that_are_scored_here_are_told(systems: Path) -> None:
    path = systems / "b" / STAMP
    path.write_text(path.read_text(encoding="utf-8")[:-30], encoding="utf-8")
    done = compare("a", "b", "--json", folder=systems)
    assert done.returncode == 0
    assert "[bad-json]" in done.stderr and f"b/{STAMP}:24" in done.stderr
    assert "bad-json" in {one["code"] for one in json.loads(done.stdout)["findings"]}


@pytest.mark.parametrize(
    ("changes", "n"),
    [
        ({"sample_id": "r\ud800"}, 0),
        ({"reasoning": "\ud800\x00", "confidence": 7}, 1),
        ({"rubric_index": 1e30}, 1),
        ({"rubric_index": 2**70}, 1),
        ({"weight": None}, 1),
        ({"weight": 0}, None),
        ({"weight": -1}, None),
        ({"rubric_title": "another"}, None),
        ({"success": "false"}, 0),
        ({"success": False, "score": None, "verdict": "Error"}, 0),
        ({"score": 0.5}, 0),
        ({"verdict": "Maybe"}, 0),
    ],
)
def test_odd_rows_are_left_out_or_refused(
    tmp_path: Path, changes: dict[str, Any], n: int | None
) -> None:
    """``n`` rubrics are compared; None: the tasks differ."""
    write_lines(tmp_path / "a" / STAMP, [row("r1", 0, "S", 1), row("r2", 0, "N", 1)])
    odd = {**row("r1", 0, "N", 1), **changes}
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / STAMP).write_text(json.dumps(odd) + "\n", encoding="utf-8")
    done = compare("a", "b", "--json", folder=tmp_path)
    assert done.returncode == (2 if n is None else 0), done.stderr
    if n is None:
        assert "different-tasks" in done.stderr
        done = compare("a", "b", "--json", "--force-different", "tasks", folder=tmp_path)
    found = json.loads(done.stdout)["comparisons"][0]
    compared_n = (0 if "rubric_title" in changes else 1) if n is None else n
    assert found["n"] == compared_n
    assert found["only_first_n"] >= 1
    assert compare("a", "b", folder=tmp_path).returncode == (2 if n is None else 0)
