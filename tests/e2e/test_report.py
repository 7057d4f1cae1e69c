"""``report`` and ``eval --report``: one page of a run, its numbers those of the other outputs."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import (
    TOY_GMT,
    TOY_KG,
    Record,
    Run,
    in_process,
    model_text,
    write_kg,
    write_lines,
)

CHAIN = [["P", "+", "A"], ["A", "-", "B"], ["B", "+", "E"]]
VOID = {"meta", "link", "br", "hr", "img", "input", "path", "rect", "line", "circle"}


class Page(HTMLParser):
    """What a page holds: elements in order, cells by key, and whether its elements close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.faults: list[str] = []
        self.rows: dict[str, list[str]] = {}
        self.exact: dict[str, list[float]] = {}
        self._row: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if tag not in VOID:
            self.open.append(tag)
        if tag in {"tr", "div"} and found.get("data-key"):
            self._row = found["data-key"]
        if self._row is not None and tag in {"td", "dd"}:
            self.rows.setdefault(self._row, []).append("")
            if found.get("data-value") is not None:
                self.exact.setdefault(self._row, []).append(float(str(found["data-value"])))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)
        if tag in {"tr", "div"}:
            self._row = None

    def handle_data(self, data: str) -> None:
        if self._row is not None and self.open and self.open[-1] in {"td", "dd"}:
            self.rows[self._row][-1] += data

    def ids(self) -> list[str]:
        return [str(attrs["id"]) for _, attrs in self.tags if "id" in attrs]


def page_of(path: Path) -> tuple[Page, str]:
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert page.faults == [] and page.open == []
    ids = page.ids()
    assert sorted(ids) == sorted(set(ids)), "an id is there twice"
    assert_offline(page)
    return page, text


def assert_offline(page: Page) -> None:
    """No script, no handler, and nothing that a browser would fetch."""
    assert {tag for tag, _ in page.tags} & {"script", "iframe", "object", "embed", "form"} == set()
    for tag, attrs in page.tags:
        assert not [name for name in attrs if name.startswith("on")], (tag, attrs)
        for name in ("src", "href", "srcset", "xlink:href", "action"):
            target = attrs.get(name)
            assert target is None or target.startswith(("#", "data:,")), (tag, attrs)


def ran(folder: Path, *arguments: object) -> tuple[Run, str]:
    """``eval`` with these arguments; the run and what was printed."""
    done = in_process("eval", "-q", "--jobs", 1, *arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    (run_folder,) = (folder / "outputs").iterdir()
    return Run(run_folder, done.stdout, done.stderr), done.stdout


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Run:
    run, _ = ran(tmp_path_factory.mktemp("demo"), "--tiers", 1, 2, 3, "--report")
    return run


@pytest.fixture(scope="module")
def rr10(tmp_path_factory: pytest.TempPathFactory) -> Run:
    run, _ = ran(tmp_path_factory.mktemp("rr10"), "--format", "rr10", "--tiers", 1, 2, 3,
                 "--report")  # fmt: skip
    return run


def toy(folder: Path, records: list[tuple[Record, str | None]], *more: object) -> tuple[Run, str]:
    """A run of a few questions over the toy graph; None leaves a prediction out."""
    gold = write_lines(folder / "gold_genetic.jsonl", [record for record, _ in records])
    predictions = write_lines(
        folder / "predictions_genetic.jsonl",
        [{"id": record["id"], "output": text} for record, text in records if text is not None],
    )
    kg = write_kg(folder / "kg.tsv", TOY_KG)
    gmt = folder / "sets.gmt"
    gmt.write_text(TOY_GMT, encoding="utf-8")
    return ran(folder, "--gt-file", gold, "--pred-file", predictions, "--external-kg", kg,
               "--go-gmt", gmt, "--report", *more)  # fmt: skip


def question(name: str, answer: str = "down", **more: Any) -> Record:
    return {"id": name, "answer": answer, "path": CHAIN, "pert": "P", "gene": "E", **more}


def test_the_demo_has_every_section_and_figure(demo: Run) -> None:
    page, text = page_of(demo.path("report", "html"))
    for anchor in ("answers", "error-labels", "chains", "go", "slices", "ledger", "run"):
        assert anchor in page.ids(), anchor
    assert text.count("<svg") >= 14
    titles = [attrs for tag, attrs in page.tags if tag == "svg"]
    for attrs in titles:
        assert attrs["role"] == "img"
        assert set(str(attrs["aria-labelledby"]).split()) <= set(page.ids())
    assert text.count("<table") >= text.count("<svg"), "a table under each chart"
    for entry in demo.manifest["inputs"]:
        assert entry["sha256"] in text
    assert "undefined" not in page.rows["accuracy"]


def test_rr10_has_traps_controls_pairs_and_verdicts(rr10: Run) -> None:
    page, text = page_of(rr10.path("report", "html"))
    for anchor in ("answers", "contexts", "evidence", "error-labels", "go", "ledger", "run"):
        assert anchor in page.ids(), anchor
    summary = rr10.summary
    for name, n in summary["citation_verdicts"].items():
        if n:
            assert page.exact[f"citation_verdicts.{name}"][0] == n
    for context in summary["per_context"]:
        assert f"per_context.{context}.paired_directional_robustness" in page.rows
    assert "not the canonical file" in text


def shown(text: str, name: str) -> tuple[str, str, str]:
    """Value, interval and n that a terminal's table shows under a name."""
    (line,) = [line for line in text.split("\n") if line.startswith(f"  {name}  ")]
    value, low, high, n = line.removeprefix(f"  {name}").split()
    return value, f"{low} {high}", n


def wanted_interval(figures: Record, key: str, decimals: bool) -> str:
    """The interval that is shown of a figure: clustered where there is one."""
    kind = "" if figures[f"{key}_clustered_low"] is None else "_clustered"
    ends = (figures[f"{key}{kind}_{end}"] for end in ("low", "high"))
    return f"[{', '.join(f'{100 * end:.1f}%' if decimals else f'{end:.3f}' for end in ends)}]"


@pytest.mark.parametrize(
    ("key", "name", "in_terminal"),
    [
        ("accuracy", "accuracy", "accuracy"),
        ("parse_failure_rate", "no answer found", "no answer found (parse failures)"),
        ("hard_case_rate", "hard cases", "hard cases"),
        ("grounded_accuracy", "grounded accuracy", "grounded accuracy"),
        ("grounded_accuracy_upper", "upper", "... upper bound"),
        ("lucky_right_rate", "lucky", "lucky right, of the right"),
        ("edge_f1", "edge F1", "edge F1, with signs"),
        ("hallucination_rate", "hallucinated", "hallucinated pairs (not in the KG)"),
        ("go_sim_mean", "GO similarity", "mean"),
    ],
)
def test_terminal_json_csv_and_html_show_one_number(
    demo: Run, key: str, name: str, in_terminal: str
) -> None:
    """The number of summary.json is in the page to the last digit, and as the terminal writes it.

    What rows of samples.csv add up to, in plain arithmetic, is the same number again.
    """
    page, _ = page_of(demo.path("report", "html"))
    exact = demo.summary[key]
    assert page.exact[key][0] == exact
    value, interval, shown_n = shown(demo.stdout, in_terminal)
    assert page.rows[key][0] == value
    n = demo.summary[f"{key}_n"]
    assert interval == wanted_interval(demo.summary, key, value.endswith("%"))
    assert interval in page.rows[key]
    assert demo.summary[f"{key}_clustered_low"] is not None  # the one that is shown
    assert shown_n == f"{n:,}"
    assert [cell for cell in page.rows[key] if cell in {f"{n:,}", f"n {n:,}"}]
    assert mean_of_rows(demo.csv, key) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("cluster", ["readout", "perturbation+readout", "none"])
def test_the_table_of_files_has_the_intervals_of_terminal_json_and_html(
    tmp_path: Path, cluster: str
) -> None:
    """Of one pair of files, so that its row is the whole run."""
    texts = [model_text("down", CHAIN), model_text("up", CHAIN), "no tag", model_text("down", [])]
    records: list[tuple[Record, str | None]] = [
        (question(f"q{n}", pert=f"P{n % 5}", gene=f"E{n % 7}"), texts[n * n % 4 if n % 3 else 1])
        for n in range(60)
    ]
    run, text = toy(tmp_path, records, "--tiers", 1, 2, 3, "--cluster", cluster)
    with open(run.path("file_summary", "csv"), encoding="utf-8", newline="") as rows:
        (row,) = csv.DictReader(rows)
    page, html = page_of(run.path("report", "html"))
    summary = run.summary
    assert run.manifest["cluster"] == summary["cluster"]["field"] == cluster
    for key, in_terminal in (
        ("accuracy", "accuracy"), ("parse_failure_rate", "no answer found (parse failures)"),
        ("hard_case_rate", "hard cases"), ("edge_f1", "edge F1, with signs"),
        ("hallucination_rate", "hallucinated pairs (not in the KG)"),
        ("balanced_accuracy", "balanced accuracy"), ("f1_macro", "F1, macro"),
    ):  # fmt: skip
        for end in ("", "_n", "_low", "_high", "_clustered_low", "_clustered_high"):
            cell, exact = row[f"{key}{end}"], summary[f"{key}{end}"]
            assert cell == "" if exact is None else float(cell) == exact, f"{key}{end}"
            assert summary["files"][0][f"{key}{end}"] == exact
        value, interval, _ = shown(text, in_terminal)
        assert interval == wanted_interval(summary, key, value.endswith("%"))
        if key in page.rows:
            cells = page.rows[key]
            assert wanted_interval(summary, key, cells[0].endswith("%")) in cells, key
    clustered = [end for key, end in summary.items() if key.endswith("_clustered_low")]
    assert any(isinstance(end, float) for end in clustered) is (cluster != "none")
    told = "independent of each other" if cluster == "none" else f"clustered by {cluster}"
    assert told in " ".join(text.split()) and told in html


def mean_of_rows(rows: list[dict[str, str]], key: str) -> float:
    """A figure of the summary worked out from the cells of samples.csv."""
    means = {"edge_f1": "edge_f1", "hallucination_rate": "hallucination_rate",
             "go_sim_mean": "go_sim"}  # fmt: skip
    if key in means:
        values = [float(row[means[key]]) for row in rows if row[means[key]]]
        return sum(values) / len(values)
    right = [row for row in rows if row["answer_correct"] == "True"]
    of = rows
    counts: dict[str, Callable[[dict[str, str]], bool]] = {
        "accuracy": lambda row: row in right,
        "parse_failure_rate": lambda row: not row["predicted_label"],
        "hard_case_rate": lambda row: row["hard_case"] == "True",
        "grounded_accuracy": lambda row: row in right and row["chain_validity"] == "valid",
        "grounded_accuracy_upper": lambda row: row in right and row["chain_validity"] != "invalid",
        "lucky_right_rate": lambda row: row["chain_validity"] == "invalid",
    }
    if key == "lucky_right_rate":
        of = right
    return sum(map(counts[key], of)) / len(of)


def test_error_labels_of_json_csv_and_html_agree(demo: Run) -> None:
    page, _ = page_of(demo.path("report", "html"))
    summary = demo.summary
    for label, n in summary["error_distribution"].items():
        assert n == sum(row["error_label"] == label for row in demo.csv)
        count, of, share = page.exact[f"error_distribution.{label}"]
        assert (count, of) == (n, summary["n"])
        assert share == summary["error_rate_by_label"][label]


def test_go_histogram_counts_the_rows_of_the_samples(demo: Run) -> None:
    page, _ = page_of(demo.path("report", "html"))
    seen = 0
    for label, figures in demo.summary["go_sim_by_error_label"].items():
        row = page.rows[f"go_sim_by_error_label.{label}"]
        values = [float(r["go_sim"]) for r in demo.csv if r["error_label"] == label and r["go_sim"]]
        bins = [0] * 20
        for value in values:
            bins[min(int(value * 20), 19)] += 1
        assert row[-1] == " ".join(map(str, bins))
        assert page.exact[f"go_sim_by_error_label.{label}"][0] == figures["n"] == len(values)
        seen += len(values)
    assert seen > 100


def test_slices_show_the_shares_of_the_summary(demo: Run) -> None:
    page, _ = page_of(demo.path("report", "html"))
    for split, figures in demo.summary["by_split"].items():
        assert page.exact[f"by_split.{split}.accuracy"][0] == figures["accuracy"]
    _, text = page_of(demo.path("report", "html"))
    split = demo.summary["by_split"]["id_test"]
    n, share = split["error_distribution"]["CORRECT"], split["error_rate_by_label"]["CORRECT"]
    assert f">{n} ({100 * share:.1f}%)</td>" in text


def test_rescue_shows_flow_controls_and_all_rates(demo: Run, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(demo.folder, folder)
    run = Run(folder)
    samples = run.path("samples", "csv")
    stamp = samples.stem.removeprefix("samples_")
    requests = folder / "rescue" / f"rescue_requests_{stamp}.jsonl"
    replies = folder / "rescue" / "replies.jsonl"
    for words in (
        ("export-rescue", "--samples-csv", samples, "--controls", 10),
        ("infer", "--backend", "symbolic", "--input", requests, "--output", replies),
        ("merge-rescue", "--samples-csv", samples, "--rescue-responses", replies),
        ("report", folder, "-o", tmp_path / "page.html"),
    ):
        done = in_process(*words, folder=tmp_path)
        assert done.returncode == 0, done.stderr
    page, text = page_of(tmp_path / "page.html")
    merged = json.loads(run.path("samples_with_rescue", "json").read_text(encoding="utf-8"))
    for key in ("hard_correct_rate", "effective_symbolic_rate", "effective_correct_rate"):
        assert page.exact[key][0] == merged["headline"][key]
    assert page.rows["effective_corrected_rate"][0] == "undefined"
    assert "Not corrected: fewer than 30 controls" in text
    with run.path("samples_with_rescue", "csv").open(encoding="utf-8", newline="") as lines:
        changed = [row for row in csv.DictReader(lines) if row["llm_rescue_verdict"] == "ALTERNATE"]
    assert changed
    cell = f'<td class="num" data-value="{len(changed)}.0" title="{len(changed)}.0">{len(changed)}'
    way = text.split("<td>ALTERNATE</td><td>WRONG_CORRECT_CHAIN_ALTERNATE</td>")[1]
    assert way.startswith(cell)


def test_enrichment_and_other_thresholds_are_in_the_page(demo: Run, tmp_path: Path) -> None:
    pytest.importorskip("gseapy")
    from eval_tiers.io.demo import demo_inputs

    done = in_process("relabel", demo.folder, "--coverage", 0.7, "-o", "other", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "other").iterdir()
    gmt = demo_inputs().gene_sets
    done = in_process("enrich", folder, "--go-gmt", gmt, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert in_process("report", folder, folder=tmp_path).returncode == 0
    run = Run(folder)
    page, text = page_of(run.path("report", "html"))
    assert "enrichment" in page.ids()
    assert f"Labels of run {demo.summary['run_id']} under other settings" in text
    with run.path("enrichment", "csv").open(encoding="utf-8", newline="") as lines:
        best = min(csv.DictReader(lines), key=lambda row: float(row["q_value"]))
    assert f">{best['term']}</th>" in text
    run.path("enrichment", "json").write_text('{"run_id": "other"}', encoding="utf-8")
    done = in_process("report", folder, folder=tmp_path)
    assert done.returncode == 3 and "[enrichment-of-another-run]" in done.stderr


def test_stated_confidence_is_held_against_accuracy(tmp_path: Path) -> None:
    gold = write_lines(tmp_path / "g_genetic.jsonl", [question(f"q{n}") for n in range(8)])
    predictions = write_lines(
        tmp_path / "p_genetic.jsonl",
        [
            {"id": f"q{n}", "confidence": 0.55 + 0.05 * n,
             "output": model_text("down" if n > 2 else "up", CHAIN)}
            for n in range(8)
        ],
    )  # fmt: skip
    run, _ = ran(tmp_path, "--gt-file", gold, "--pred-file", predictions, "--external-kg",
                 write_kg(tmp_path / "kg.tsv", TOY_KG), "--report")  # fmt: skip
    page, _ = page_of(run.path("report", "html"))
    assert "confidence" in page.ids()
    found = run.summary["calibration"]
    assert page.exact["brier"][0] == found["brier"]
    assert page.exact["mean_confidence"][0] == pytest.approx(0.725)


def test_all_parse_failures_and_missing_predictions(tmp_path: Path) -> None:
    run, _ = toy(tmp_path, [(question("a"), "no idea"), (question("b"), None)], "--tiers", 1, 2, 3)
    page, text = page_of(run.path("report", "html"))
    assert page.rows["accuracy"][0] == "0.0%"
    assert "No answer could be read" in text
    assert page.rows["hallucination_rate"][0] == "undefined"
    assert page.rows["lucky_right_rate"][0] == "undefined"


def test_one_question_and_tier_1_alone(tmp_path: Path) -> None:
    run, printed = toy(tmp_path, [(question("a"), model_text("down", CHAIN))], "--tiers", 1)
    page, _ = page_of(run.path("report", "html"))
    assert page.rows["accuracy"][0] == "100.0%"
    assert "chains" not in page.ids() and "error-labels" not in page.ids()
    assert re.search(r"report_\S+\.html +all of it to look at", printed)


def test_rollouts_and_fractional_counts(tmp_path: Path) -> None:
    gold = write_lines(tmp_path / "g_genetic.jsonl", [question("a"), question("b")])
    predictions = write_lines(
        tmp_path / "p_genetic.jsonl",
        [
            {"id": name, "rollout": number, "output": model_text(said, CHAIN)}
            for name, answers in (("a", ["down", "up", "up"]), ("b", ["down", "down"]))
            for number, said in enumerate(answers)
        ],
    )
    run, _ = ran(tmp_path, "--gt-file", gold, "--pred-file", predictions, "--external-kg",
                 write_kg(tmp_path / "kg.tsv", TOY_KG), "--report")  # fmt: skip
    page, _ = page_of(run.path("report", "html"))
    assert page.exact["rollouts.pass_at_k.1"][0] == pytest.approx((1 / 3 + 1) / 2)


def test_withheld_figures_say_why(tmp_path: Path) -> None:
    wrong_gold = [
        (question(f"q{n}", "up", perturbation_mode="overexpression"), model_text("up", CHAIN))
        for n in range(12)
    ]
    run, _ = toy(tmp_path, wrong_gold, "--tiers", 1, 2)
    assert "withheld" in run.summary
    page, text = page_of(run.path("report", "html"))
    assert page.rows["grounded_accuracy"][0] == "undefined"
    assert "are withheld" in text and "Warning:" in text


HOSTILE = [
    "<script>alert(1)</script>",
    "</title></style></svg><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    '" onmouseover="alert(1)',
    "{{ 7 * 7 }}{% raw %}",
    "\u202eright to left\u202c",
    "&lt;b&gt;\x00\x1b[31m",
    "long" * 3_000,
]


def test_hostile_names_are_inert(tmp_path: Path) -> None:
    """Gene names, cell lines, sliced fields, split and path are all a user's."""
    records = [
        (
            question(f"{text}{number}", pert=text, gene=text, cell_line=text, batch=text,
                     path=[[text, "+", text]]),
            model_text("down", [[text, "+", "A"]]) + text,
        )
        for number, text in enumerate(HOSTILE)
    ]  # fmt: skip
    run, _ = toy(tmp_path, records, "--tiers", 1, 2, 3, "--by", "batch",
                 "--split", "<script>alert(2)</script>")  # fmt: skip
    page, text = page_of(run.path("report", "html"))
    assert "<script" not in text.lower() and "<img" not in text
    assert "49" not in page.rows.get("by_batch.{{ 7 * 7 }}{% raw %}.accuracy", ["49"])[0]
    assert "\u202e" not in text and "\x1b" not in text and "\x00" not in text
    assert r"\u202e" in text
    assert len(text) < 1_000_000


def test_many_slices_are_cut_and_counted(tmp_path: Path) -> None:
    records = [
        (question(f"q{n}", batch=f"batch {n}"), model_text("down", CHAIN)) for n in range(300)
    ]
    run, _ = toy(tmp_path, records, "--tiers", 1, 2, "--by", "batch")
    _, text = page_of(run.path("report", "html"))
    assert re.search(r"\d+ rows more are in the summary file", text)
    assert len(text) < 1_000_000


def test_forty_thousand_samples_make_no_larger_page(demo: Run, tmp_path: Path) -> None:
    """What grows with the run is counted in bins: only the samples table is longer."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path / "run"
    shutil.copytree(demo.folder, folder)
    path = Run(folder).path("samples", "parquet")
    table = pq.read_table(path)
    times = 40_000 // len(table) + 1
    pq.write_table(pa.concat_tables([table] * times), path)
    done = in_process("report", folder, "-o", "page.html", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    page, text = page_of(tmp_path / "page.html")
    n = demo.summary["go_sim_by_error_label"]["CORRECT"]["n"]
    assert page.exact["go_sim_by_error_label.CORRECT"][0] == n * times
    assert len(text) < 1_000_000
