"""``rubrics validate | score | agree`` and ``report`` as a user runs them."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from scipy import stats

from eval_tiers import api
from tests.e2e.running import command, in_process, shared, strict_json, write_lines
from tests.rubric_rows import row, rows, task

STAMP = "batch_evaluation_20260401_120000.jsonl"


def scored(folder: Path, *arguments: object, code: int = 0) -> dict[str, Any]:
    done = in_process("rubrics", "score", *arguments, "--json", folder=folder)
    assert done.returncode == code, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def values(summary: dict[str, Any]) -> dict[str, float | None]:
    return {one["sample_id"]: one["compliance_score"] for one in summary["samples"]}


def test_the_shared_cases(tmp_path: Path) -> None:
    runner = shared("cases/files/run_cases.py")
    done = subprocess.run(
        [sys.executable, str(runner), "--cmd", f"{sys.executable} -m eval_tiers", "--needs",
         "rubrics and submissions"],
        capture_output=True, text=True, check=False, timeout=600, cwd=tmp_path,
    )  # fmt: skip
    assert re.search(r"\d+ of \d+ runs as expected", done.stdout), done.stdout + done.stderr
    failures = [line for line in done.stdout.splitlines() if line.startswith("FAIL rubrics")]
    assert failures == []


def test_an_outage_is_never_a_score(tmp_path: Path) -> None:
    write_lines(tmp_path / "data.jsonl", [task(name, [5, 3, -4]) for name in ("r1", "r2", "r3")])
    records = rows("r1", "SFN", [5, 3, -4]) + rows("r2", "SSS", [5, 3, -4])
    records += rows("r3", "SNN", [5, 3, -4])
    records[3]["score"] = 0.0  # r2, rubric 0: Satisfied
    write_lines(tmp_path / STAMP, records)
    by_policy = {
        policy: scored(tmp_path, STAMP, "--data", "data.jsonl", "--unscored", policy)
        for policy in ("strict", "exclude", "zero")
    }
    assert values(by_policy["strict"]) == {"r1": None, "r2": None, "r3": 0.625}
    assert values(by_policy["exclude"]) == {"r1": 1.0, "r2": pytest.approx(-1 / 3), "r3": 0.625}
    assert values(by_policy["zero"]) == {"r1": 0.625, "r2": -0.125, "r3": 0.625}
    strict = by_policy["strict"]
    assert (strict["compliance_mean"], strict["compliance_mean_n"]) == (0.625, 1)
    assert strict["compliance_mean_low"] is None
    assert [(one["sample_id"], one["rubric_index"], one["state"]) for one in strict["unscored_pairs"]] == [
        ("r1", 1, "failed"), ("r2", 0, "rejected"),
    ]  # fmt: skip
    assert by_policy["exclude"]["compliance_mean_clipped_at_0"] == pytest.approx(
        (1 + 0 + 0.625) / 3
    )
    text = in_process("rubrics", "score", STAMP, "--data", "data.jsonl", folder=tmp_path).stdout
    for policy in ("strict", "exclude", "zero"):
        assert f"average ({policy})" in text
    assert re.search(r"^r3 +0\.6250", text, re.M)
    assert max(map(len, text.splitlines())) <= 80


def test_where_the_policies_agree_one_is_printed(tmp_path: Path) -> None:
    write_lines(tmp_path / "data.jsonl", [task("r1", [5, -4])])
    write_lines(tmp_path / STAMP, rows("r1", "SN", [5, -4]))
    text = in_process("rubrics", "score", STAMP, "--data", "data.jsonl", folder=tmp_path).stdout
    assert "average (strict)" in text
    assert "average (zero)" not in text


def test_the_mean_has_student_s_interval(tmp_path: Path) -> None:
    letters = ["SSNNNNNNNN", "SSSNNNNNNN", "SSSSNNNNNN", "SSSSSNNNNN", "SSNNNNNNNN", "SSSSNNNNNN"]
    weights = [1.0] * 10
    write_lines(tmp_path / "d.jsonl", [task(f"r{i}", weights) for i in range(len(letters))])
    write_lines(
        tmp_path / STAMP,
        [one for i, text in enumerate(letters) for one in rows(f"r{i}", text, weights)],
    )
    found = scored(tmp_path, STAMP, "--data", "d.jsonl")
    x = [text.count("S") / 10 for text in letters]
    low, high = stats.t.interval(0.95, len(x) - 1, stats.tmean(x), stats.sem(x))
    assert found["compliance_mean"] == pytest.approx(stats.tmean(x))
    assert (found["compliance_mean_low"], found["compliance_mean_high"]) == pytest.approx(
        (low, high)
    )


def test_a_missing_report_is_missing_in_every_number(tmp_path: Path) -> None:
    write_lines(tmp_path / "data.jsonl", [task("r1", [5, -4]), task("gone", [5, -4])])
    write_lines(tmp_path / STAMP, rows("r1", "SN", [5, -4]))
    for policy in ("strict", "exclude", "zero"):
        found = scored(tmp_path, STAMP, "--data", "data.jsonl", "--unscored", policy)
        assert values(found) == {"r1": 1.0, "gone": None}
        assert found["compliance_mean_n"] == 1
        assert found["failures"]["overall"]["failure_rate_n"] == 2
        assert found["coverage"]["sample_without_row_n"] == 1
        assert found["coverage"]["pairs"]["missing"] == 2


def test_a_folder_of_shards_and_a_retry(tmp_path: Path) -> None:
    write_lines(tmp_path / "data.jsonl", [task("r1", [5, 3]), task("r2", [5, 3])])
    results = tmp_path / "results"
    write_lines(results / STAMP, rows("r1", "SF", [5, 3]))
    write_lines(results / STAMP.replace("12", "13"), rows("r2", "NS", [5, 3]))
    write_lines(results / STAMP.replace("120000", "140000"), [row("r1", 1, "S", 3)])
    (results / "notes.txt").write_text("x", encoding="utf-8")
    found = scored(tmp_path, "results", "--data", "data.jsonl")
    assert values(found) == {"r1": 1.0, "r2": 0.375}
    assert [one["code"] for one in found["duplicate_rows"]] == ["retried-row"]
    assert len([one for one in found["inputs"] if one["role"] == "results"]) == 3


def test_costs_tell_how_many_rows_know_them(tmp_path: Path) -> None:
    records = [
        row("r1", 0, "S", tokens_used=2392, cost=0.00299),
        row("r1", 1, "F", tokens_used=2175, cost=0.02175),
    ]
    unknown = row("r1", 2, "N")
    unknown.update(tokens_used=None, cost=None)
    write_lines(tmp_path / STAMP, [*records, unknown, records[0]])
    costs = scored(tmp_path, STAMP)["costs"]
    assert costs == {
        "row_n": 3, "cost": pytest.approx(0.02474), "cost_row_n": 2, "tokens_used": 4567,
        "tokens_used_row_n": 2,
    }  # fmt: skip
    del unknown["tokens_used"], unknown["cost"]
    write_lines(tmp_path / STAMP, [unknown])
    costs = scored(tmp_path, STAMP)["costs"]
    assert (costs["cost"], costs["tokens_used"]) == (None, None)


def test_without_data_coverage_is_unknown_and_said_so(tmp_path: Path) -> None:
    write_lines(tmp_path / STAMP, rows("r1", "SN", [5, -4]))
    found = scored(tmp_path, STAMP)
    assert found["coverage"]["known"] is False
    assert values(found) == {"r1": 1.0}
    assert found["failures"]["by_exploration"] is None
    text = in_process("rubrics", "score", STAMP, folder=tmp_path).stdout
    assert "Coverage is unknown" in text
    assert "not known without --data" in text


def test_tables_open_in_pandas_and_say_what_the_summary_says(tmp_path: Path) -> None:
    tasks = [
        task("=1+1", [5, 3, -4], domain="Biology", exploration="Low"),
        task('a "b", c', [5, -4], domain="Physics", exploration="High"),
        task("größe/1", [1]),
    ]
    write_lines(tmp_path / "data.jsonl", tasks)
    records = rows("=1+1", "SNS", [5, 3, -4]) + rows('a "b", c', "NF", [5, -4])
    write_lines(tmp_path / STAMP, records)
    found = scored(tmp_path, STAMP, "--data", "data.jsonl", "-o", "out", "--unscored", "zero")
    (path,) = (tmp_path / "out").glob("scores_*.csv")
    frame = pd.read_csv(path)
    assert list(frame["sample_id"]) == ["=1+1", 'a "b", c', "größe/1"]
    assert frame["compliance_score"].iloc[0] == pytest.approx(1 / 8)
    assert frame["compliance_score"].iloc[1] == 0
    assert pd.isna(frame["compliance_score"].iloc[2])
    assert frame["compliance_score_strict"].isna().sum() == 2
    (path,) = (tmp_path / "out").glob("failures_*.csv")
    failures = pd.read_csv(path)
    pooled = failures[failures["sample_id"].isna()]
    assert set(pooled["by"]) == {
        "overall", "sign", "axis", "domain", "conceptual_breadth", "logical_nesting", "exploration",
    }  # fmt: skip
    for dimension in ("sign", "axis", "domain", "exploration"):
        assert pooled[pooled["by"] == dimension]["failure_rate_n"].sum() == 4
    physics = pooled[pooled["value"] == "Physics"].iloc[0]
    assert (physics["failure_n"], physics["failure_rate_n"], physics["unscored_n"]) == (1, 1, 1)
    (path,) = (tmp_path / "out").glob("pairs_*.csv")
    pairs = pd.read_csv(path)
    assert pairs["state"].value_counts().to_dict() == {"scored": 4, "failed": 1, "missing": 1}
    (path,) = (tmp_path / "out").glob("rubric_summary_*.json")
    assert strict_json(path)["samples"] == found["samples"]
    done = in_process(
        "rubrics", "score", STAMP, "-o", "safe", "--spreadsheet-safe", folder=tmp_path
    )
    assert done.returncode == 0
    (path,) = (tmp_path / "safe").glob("scores_*.csv")
    with path.open(encoding="utf-8", newline="") as handle:
        assert "'=1+1" in {one["sample_id"] for one in csv.DictReader(handle)}


def test_scale_and_binarize(tmp_path: Path) -> None:
    write_lines(tmp_path / STAMP, rows("r1", "PSP", [5, 5, -4]))
    assert values(scored(tmp_path, STAMP)) == {"r1": None}
    assert values(scored(tmp_path, STAMP, "--scale", "ternary")) == {"r1": pytest.approx(0.55)}
    for more in ([], ["--scale", "ternary"]):
        assert values(scored(tmp_path, STAMP, "--binarize", *more)) == {"r1": 0.5}


def labels_file(folder: Path, form: str) -> str:
    said = [
        ("r1", 0, "Satisfied"),
        ("r1", 1, "not satisfied"),
        ("r2", 0, "Satisfied"),
        ("r2", 1, ""),
    ]
    if form == "jsonl":
        write_lines(folder / "h.jsonl", [
            {"sample_id": a, "rubric_index": b, "rubric_title": f"c{b}", "verdict": c}
            for a, b, c in said
        ])  # fmt: skip
        return "h.jsonl"
    comma = {"csv": ",", "semicolons": ";", "tabs": "\t"}[form]
    by = "rubric_title" if form == "semicolons" else "rubric_index"
    lines = [["Sample_ID", by.upper(), "note", "verdict"]]
    lines += [[a, f"c{b}" if by == "rubric_title" else str(b), '"x, y; z"', c] for a, b, c in said]
    text = "\r\n".join(comma.join(cells) for cells in lines) + "\r\n\r\n"
    head = "sep=;\r\n" if form == "semicolons" else ""
    (folder / "h.csv").write_text("\ufeff" + head + text, encoding="utf-8")
    return "h.csv"


@pytest.mark.parametrize("form", ["jsonl", "csv", "semicolons", "tabs"])
def test_agreement_in_any_shape(tmp_path: Path, form: str) -> None:
    write_lines(tmp_path / "data.jsonl", [task("r1", [5, -4]), task("r2", [5, -4])])
    write_lines(tmp_path / STAMP, rows("r1", "SN", [5, -4]) + rows("r2", "NN", [5, -4]))
    name = labels_file(tmp_path, form)
    done = in_process(
        "rubrics", "agree", STAMP, name, "--data", "data.jsonl", "--json", folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["counts"] == {
        "compared": 3, "without_label": 1, "label_unusable": 0, "without_verdict": 0,
    }  # fmt: skip
    pooled = found["pooled"]
    # people S N S, examiner S N N: raw 2/3, chance (2*1 + 1*2)/9, kappa (2/3-4/9)/(5/9)
    assert pooled["raw_agreement"] == pytest.approx(2 / 3)
    assert pooled["kappa"] == pytest.approx(0.4)
    assert set(found["by_axis"]) == {"Evidence", "Penalty"}
    assert found["by_axis"]["Penalty"]["kappa"] is None  # one category
    assert found["by_axis"]["Evidence"]["mean_over_tasks"]["raw_agreement"] == 0.5
    text = in_process(
        "rubrics", "agree", STAMP, name, "--data", "data.jsonl", folder=tmp_path
    ).stdout
    assert "undefined" in text
    assert max(map(len, text.splitlines())) <= 80


def test_people_s_verdicts_may_be_a_folder_of_results(tmp_path: Path) -> None:
    (tmp_path / "people").mkdir()
    write_lines(tmp_path / STAMP, rows("r1", "SN", [5, 4]) + rows("r2", "S", [5]))
    write_lines(tmp_path / "people" / STAMP, rows("r1", "SS", [5, 4]))
    write_lines(tmp_path / "people" / STAMP.replace("000.", "001."), rows("r2", "S", [5]))
    done = in_process("rubrics", "agree", STAMP, "people", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["pooled"]["n"], found["pooled"]["raw_agreement"]) == (3, pytest.approx(2 / 3))
    assert [one["role"] for one in found["inputs"]] == ["results", "people", "people"]
    (tmp_path / "people" / STAMP).write_text("", encoding="utf-8")
    assert in_process("rubrics", "agree", STAMP, "people", folder=tmp_path).returncode == 3


def test_agreement_with_nothing_in_common(tmp_path: Path) -> None:
    write_lines(tmp_path / STAMP, rows("r1", "S", [5]))
    (tmp_path / "h.csv").write_text(
        "sample_id,rubric_index,verdict\nr9,0,Satisfied\n", encoding="utf-8"
    )
    done = in_process("rubrics", "agree", STAMP, "h.csv", folder=tmp_path)
    assert done.returncode == 3
    assert "nothing-to-compare" in done.stderr
    assert "no task has this sample_id" in done.stderr


def test_validate(tmp_path: Path) -> None:
    write_lines(tmp_path / "data.jsonl", [task("r1", [5, -4]), task("a/b", [6]), task("c d", [1])])
    folder = tmp_path / "agent_responses"
    (folder / "a").mkdir(parents=True)
    (folder / "r1.md").write_bytes(b"\xef\xbb\xbf# R\r\n\r\ntext\r\n")
    (folder / "a" / "b.md").write_text("x", encoding="utf-8")
    (folder / "c d.md").write_text(" \n\t\n", encoding="utf-8")
    (folder / "other.md").write_text("x", encoding="utf-8")
    done = in_process(
        "rubrics", "validate", "data.jsonl", "agent_responses", "--json", folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["task_n"], found["rubric_n"], found["report_n"]) == (3, 4, 2)
    assert [(one["sample_id"], one["code"]) for one in found["missing_reports"]] == [
        ("c d", "report-empty")
    ]
    assert found["reports_without_task"] == ["other.md"]
    assert {one["code"] for one in found["findings"]} == {
        "odd-weight", "report-empty", "report-without-task",
    }  # fmt: skip
    text = in_process(
        "rubrics", "validate", "data.jsonl", "agent_responses", folder=tmp_path
    ).stdout
    assert "Valid: 0 errors, 3 warnings" in text


def test_validate_finds_errors(tmp_path: Path) -> None:
    quoted = task("r2", [5])
    quoted["rubrics"][0]["weight"] = "5"
    write_lines(tmp_path / "data.jsonl", [task("r1", [5]), task("r1", [4]), quoted])
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "r1.md").write_text("x", encoding="utf-8")
    done = in_process("rubrics", "validate", "data.jsonl", "r", "--json", folder=tmp_path)
    assert done.returncode == 1
    errors = [one["code"] for one in json.loads(done.stdout)["findings"] if one["level"] == "error"]
    assert errors == ["duplicate-sample", "bad-weight"]
    # what was not checked is not scored either
    write_lines(tmp_path / STAMP, rows("r1", "S", [5]))
    done = in_process("rubrics", "score", STAMP, "--data", "data.jsonl", folder=tmp_path)
    assert done.returncode == 3


def test_report(tmp_path: Path) -> None:
    write_lines(
        tmp_path / "data.jsonl", [task("r<b>1", [5, -4]), task("r2", [5, -4]), task("r3", [1])]
    )
    write_lines(tmp_path / STAMP, rows("r<b>1", "SN", [5, -4]) + rows("r2", "NS", [5, -4]))
    (tmp_path / "h.csv").write_text(
        "sample_id,rubric_index,verdict\nr2,0,Satisfied\nr2,1,Satisfied\n", encoding="utf-8"
    )
    for arguments in (["score", STAMP], ["agree", STAMP, "h.csv"]):
        done = in_process(
            "rubrics", *arguments, "--data", "data.jsonl", "-o", "out", folder=tmp_path
        )
        assert done.returncode == 0, done.stderr
    done = in_process("report", "out", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    page = Path(tmp_path / json.loads(done.stdout)["written"]).read_text(encoding="utf-8")
    assert "r&lt;b&gt;1" in page
    assert "r<b>1" not in page
    assert 'data-key="compliance_mean"' in page
    for anchor in ("scores", "failures", "coverage", "costs", "agreement", "run"):
        assert f'<section id="{anchor}"' in page
    for name in ("by_axis.Penalty", "by_domain.Biology", "by_logical_nesting.Intermediate"):
        assert f'data-key="failures.{name}.failure_rate"' in page
    assert "-0.8000" in page
    assert re.search(r"[0-9a-f]{64}", page)
    assert not re.search(r"(?:src|href)=.https?:", page)
    # a page is never written over what it is made of
    (summary,) = (tmp_path / "out").glob("rubric_summary_*.json")
    assert in_process("report", "out", "-o", summary, folder=tmp_path).returncode == 2


def test_report_of_another_version(tmp_path: Path) -> None:
    write_lines(tmp_path / STAMP, rows("r1", "S", [5]))
    assert in_process("rubrics", "score", STAMP, "-o", "out", folder=tmp_path).returncode == 0
    (path,) = (tmp_path / "out").glob("rubric_summary_*.json")
    for change in ({"metrics_version": "rubrics-0"}, {"kind": "other"}, {"samples": 3}):
        path.write_text(json.dumps({**strict_json(path), **change}), encoding="utf-8")
        done = in_process("report", "out", folder=tmp_path)
        assert (done.returncode, "bad-summary" in done.stderr) == (3, True)
        assert "Traceback" not in done.stderr


def test_the_api(tmp_path: Path) -> None:
    write_lines(tmp_path / "data.jsonl", [task("r1", [5, -4])])
    write_lines(tmp_path / STAMP, rows("r1", "SN", [5, -4]))
    (tmp_path / "r1.md").write_text("x", encoding="utf-8")
    assert api.check_rubrics(tmp_path / "data.jsonl", tmp_path).ok
    found = api.score_rubrics(tmp_path / STAMP, tmp_path / "data.jsonl")
    assert found.summary["compliance_mean"] == 1.0
    assert found.paths == {}
    agreed = api.agree_rubrics(tmp_path / STAMP, tmp_path / STAMP)
    assert agreed.summary["pooled"]["kappa"] == 1.0


def test_the_real_command(tmp_path: Path) -> None:
    write_lines(tmp_path / STAMP, rows("r1", "SN", [5, -4]))
    done = command("rubrics", "score", STAMP, "-o", "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "r1" in done.stdout
    assert sorted(name.rpartition("_")[0].rpartition("_")[0] for name in os.listdir(tmp_path / "out")) == [
        "failures", "pairs", "rubric_summary", "scores",
    ]  # fmt: skip
    assert done.stdout.splitlines()[-1].endswith("report out")


def test_the_general_validate_knows_tasks(tmp_path: Path) -> None:
    write_lines(tmp_path / "processed_data.jsonl", [task("r1", [5, -4]), task("r2", [6])])
    done = in_process("validate", "processed_data.jsonl", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["ok"], found["records"]) == (True, 2)
    assert [one["code"] for one in found["warnings"]] == ["odd-weight"]
    write_lines(tmp_path / "processed_data.jsonl", [task("r1", [5]), task("r1", [6])])
    done = in_process("validate", "processed_data.jsonl", folder=tmp_path)
    assert done.returncode == 1
    assert "duplicate-sample" in done.stdout
