"""The web app over judged rubrics: filters, search, order, links, texts, export."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

from eval_tiers.pipeline.rubrics.scored_results import read_scored_results
from eval_tiers.viewer.app import build_app
from eval_tiers.viewer.rubric_run import JudgedReports, open_rubric_run
from tests.e2e.running import in_process, shared
from tests.rubric_judge import answers, records_of, searching, task, write_data
from tests.rubric_judge import reply as replied

HOSTILE = '</script><script>alert(1)</script><img src="http://x.example/a.png" onerror=alert(2)>'
TASKS = [
    task("r1", (f"Names OSD-47 {HOSTILE} OSD-47", 5), ("Gives a q-value", 4)),
    task("r2", ("Names OSD-47", 5), ("Gives a q-value", 4), ("Claims causality", -4)),
    {**task("r3", ("Names OSD-47", 5), axis="Style"), "exploration": "High"},
]
REPORTS = {
    "r1": f"# Liver\n\nOSD-47 was used.\n{HOSTILE}\u202e\n",
    "r2": "A report.\r\n\r\nIt shows causality.\r\n",
    "r3": "OSD-47.\n",
}
_ROWS = re.compile(r'<a data-row="(\d+)"')


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reports exported, judged, merged and scored; one reply is an error of the server."""
    folder = tmp_path_factory.mktemp("rubrics")
    write_data(folder, TASKS, REPORTS)
    for words in (
        ("export", "processed_data.jsonl", "agent_responses", "-o", "judge/requests.jsonl",
         "--controls", 0),
        ("merge", "--index", "judge/requests.index.csv", "judge/replies.jsonl"),
        ("score", "results", "--data", "processed_data.jsonl", "-o", "scores"),
    ):  # fmt: skip
        if words[0] == "merge":
            requests = records_of(folder / "judge" / "requests.jsonl")
            with (folder / "judge" / "requests.index.csv").open(encoding="utf-8") as handle:
                index = list(csv.DictReader(handle))
            (lost,) = (one["custom_id"] for one in index
                       if (one["sample_id"], one["rubric_index"]) == ("r1", "1"))  # fmt: skip
            found = answers([one for one in requests if one["custom_id"] != lost], searching)
            found.append(replied(lost, "no verdict at all"))
            text = "".join(json.dumps(one) + "\n" for one in found)
            (folder / "judge" / "replies.jsonl").write_text(text, encoding="utf-8")
        done = in_process("rubrics", *words, folder=folder)
        assert done.returncode in (0, 1), done.stderr
    return folder


def client_of(folder: Path, scratch: Path) -> TestClient:
    found = read_scored_results(folder)
    run = open_rubric_run(JudgedReports(folder, found.summary, found.rows), scratch)
    return TestClient(build_app(run, scratch), base_url="http://127.0.0.1:8765")


@pytest.fixture
def pages(judged: Path, tmp_path: Path) -> TestClient:
    return client_of(judged / "scores", tmp_path)


def listed(pages: TestClient, query: str) -> list[int]:
    found = pages.get(f"/?{query}")
    assert found.status_code == 200, found.text
    return list(map(int, _ROWS.findall(found.text)))


# rows: r1 0 S, r1 1 unscored, r2 0 N, r2 1 N, r2 2 S (a penalty: failed), r3 0 S
@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("", [0, 1, 2, 3, 4, 5]),
        ("verdict=Satisfied", [0, 4, 5]),
        ("verdict=-", [1]),
        ("verdict=-&verdict=Satisfied", [0, 1, 4, 5]),
        ("failed=True", [2, 3, 4]),
        ("failed=False", [0, 5]),
        ("state=failed", [1]),
        ("axis=Style", [5]),
        ("exploration=High", [5]),
        ("text=Q-VALUE", [1, 3]),
        ("text=so+it+says", [0, 2, 3, 4, 5]),
        ("text=%25", []),
        ("id=r2&verdict=Satisfied", [4]),
        ("sort=weight", [4, 1, 3, 0, 2, 5]),
        ("sort=-weight", [0, 2, 5, 1, 3, 4]),
        ("size=25&page=2", []),
    ],
)
def test_filters_search_and_order(pages: TestClient, query: str, rows: list[int]) -> None:
    assert listed(pages, query) == rows


def test_the_reason_of_an_unscored_rubric_is_filtered_by(pages: TestClient) -> None:
    reason = re.search(r'<option value="(success is false[^"]*)"', pages.get("/").text)
    assert reason is not None
    found = pages.get("/", params={"unscored_reason": reason[1]})
    assert _ROWS.findall(found.text) == ["1"]


def test_the_page_of_a_rubric(pages: TestClient, judged: Path) -> None:
    text = pages.get("/rubric/4?verdict=Satisfied").text
    assert "Claims causality" in text and "(a penalty)" in text
    assert "✗ yes" in text  # a penalty that is satisfied is a failure
    assert "so it says" in text
    assert "Report on the liver in space, r2." in text
    assert "It shows causality." in text
    assert str(judged / "agent_responses" / "r2.md") in text
    assert "-0.444" in text  # its compliance: -4 / 9
    assert 'href="/rubric/2?verdict=Satisfied"' in text  # its other rubrics
    assert 'rel="prev" href="/rubric/0?verdict=Satisfied"' in text
    assert 'rel="next" href="/rubric/5?verdict=Satisfied"' in text
    assert 'href="/?verdict=Satisfied#s4"' in text
    assert "2 of 3 that fit" in text


def test_an_unscored_rubric_says_why_and_is_no_failure(pages: TestClient) -> None:
    text = pages.get("/rubric/1").text
    assert "never counted as not satisfied" in text
    assert "rubrics without a score" in text  # why the sample has no compliance score


def test_texts_are_inert(pages: TestClient) -> None:
    for address in ("/", "/rubric/0", "/?text=%3Cscript%3E"):
        text = pages.get(address).text
        assert text.count("<script") == 1  # the page's own
        assert "<img" not in text and "\u202e" not in text
    assert "&lt;script&gt;alert(1)" in pages.get("/rubric/0").text


def test_exports_hold_what_is_filtered(pages: TestClient) -> None:
    found = pages.get("/export.csv?failed=True")
    assert "rubrics_" in found.headers["content-disposition"]
    table = list(csv.DictReader(io.StringIO(found.text, newline="")))
    assert [(one["sample_id"], one["rubric_index"]) for one in table] == [
        ("r2", "0"), ("r2", "1"), ("r2", "2"),
    ]  # fmt: skip
    whole = pq.read_table(io.BytesIO(pages.get("/export.parquet").content))
    assert whole["verdict"].to_pylist()[1] is None
    assert whole["failed"].to_pylist() == [False, None, True, True, True, False]


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/rubric/6", 404),
        ("/rubric/x", 404),
        ("/sample/0", 404),
        ("/?gene=TP53", 400),
        ("/?verdict=Maybe", 400),
        ("/?sort=reasoning", 400),
        ("/?text=" + "x" * 201, 400),
    ],
)
def test_bad_addresses_are_told(pages: TestClient, address: str, status: int) -> None:
    assert pages.get(address).status_code == status


def test_rows_that_were_not_scored_are_shown_too(judged: Path, tmp_path: Path) -> None:
    (file,) = (judged / "results").glob("batch_evaluation_*.jsonl")
    for place in (judged / "results", file):
        pages = client_of(place, tmp_path)
        assert listed(pages, "failed=True") == [2, 3, 4]
        text = pages.get("/rubric/4").text
        assert "the scores were made without --data" in text
        assert "It shows causality." in text


def test_what_is_lost_or_changed_is_told(judged: Path, tmp_path: Path) -> None:
    moved = judged / "moved"
    data, reports = judged / "processed_data.jsonl", judged / "agent_responses"
    kept = data.read_bytes()
    reports.rename(moved)
    data.write_bytes(kept + b"\n")
    try:
        text = client_of(judged / "scores", tmp_path).get("/rubric/0").text
        assert "the folder of reports isn&#39;t there any more" in text
    finally:
        moved.rename(reports)
        data.write_bytes(kept)
    (report,) = (one for one in reports.iterdir() if one.name == "r3.md")
    report.rename(judged / "r3.md")
    try:
        text = client_of(judged / "scores", tmp_path).get("/rubric/5").text
        assert "there is no report" in text
    finally:
        (judged / "r3.md").rename(report)


def test_the_shared_case_is_shown(tmp_path: Path) -> None:
    pages = client_of(shared("cases/files/rubrics-failed-judge-rows"), tmp_path)
    assert pages.get("/").status_code == 200
    assert listed(pages, "verdict=-")


@pytest.mark.parametrize("place", ["scores", "results"])
def test_the_command_serves_until_it_is_stopped(judged: Path, place: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "eval_tiers", "view", place, "--port", "0", "--no-browser"],
        cwd=judged, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:")
            with urllib.request.urlopen(address, timeout=60) as answer:
                assert b"6 rubrics" in answer.read()
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
    assert process.returncode == 0


def test_folders_that_hold_nothing_to_show(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "rubric_summary_20260101_000000.json").write_text("{", encoding="utf-8")
    (tmp_path / "old").mkdir()
    summary = {"kind": "rubric_scores", "metrics_version": "rubrics-1"}
    (tmp_path / "old" / "rubric_summary_20260101_000000.json").write_text(
        json.dumps(summary), encoding="utf-8"
    )
    for name, code in (("empty", 4), ("torn", 3), ("old", 3), ("nowhere", 4)):
        done = in_process("view", name, "--port", "0", "--no-browser", folder=tmp_path)
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
