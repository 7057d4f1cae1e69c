"""``compare`` through the real command: numbers, refusals, gates, files, folders that are no run."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from eval_tiers.report.lines import shown_interval
from tests.e2e.running import TOY_KG, Done, in_process, model_text, write_kg, write_lines
from tests.rr10_benchmark import BOTH, UP, answers, build_items, objects_of, write_jsonl

GOLD_CHAIN = [["P", "+", "A"], ["A", "-", "B"], ["B", "+", "E"]]
OTHER_CHAIN = [["P", "+", "C"], ["C", "-", "E"]]
HOSTILE = "<script>alert(1)</script></pre>\u202e"


def record(number: int, split: str = "one") -> dict[str, Any]:
    kind = "chemical" if number % 2 else "genetic"
    return {"id": f"{split}-{number:02d}", "answer": "down", "pert": "P", "gene": f"E{number // 3}",
            "path": GOLD_CHAIN, "pert_type": kind, "perturbation_mode": "overexpression"}  # fmt: skip


def score(
    folder: Path,
    name: str,
    said: Sequence[str | None],
    split: str = "one",
    chain: Sequence[Sequence[str]] = GOLD_CHAIN,
    more: Sequence[object] = ("--tiers", "1", "2"),
    n: int = 24,
) -> Path:
    """Score a run that answers so, the last answer for all that follow; return its folder."""
    gold = write_lines(
        folder / f"gold_{split}.jsonl", [record(number, split) for number in range(n)]
    )
    all_said = [said[min(number, len(said) - 1)] for number in range(n)]
    answered = [
        {"id": f"{split}-{number:02d}", "output": f"{model_text(one, chain)}\n{HOSTILE}"}
        for number, one in enumerate(all_said)
    ]
    predictions = write_lines(folder / f"{name}.jsonl", answered)
    graph = write_kg(folder / "kg.tsv", TOY_KG)
    done = in_process(
        "eval", "--gt-file", gold, "--pred-file", predictions, "--split", split, "-q", "-o",
        folder / name, *(("--external-kg", graph) if "2" in more else ()), *more, folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return only_run(folder / name)


def only_run(parent: Path) -> Path:
    (found,) = parent.iterdir()
    return found


def compare(*arguments: object, folder: Path) -> Done:
    return in_process("compare", *arguments, folder=folder)


def as_json(*arguments: object, folder: Path) -> Any:
    done = compare(*arguments, "--json", folder=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout, parse_constant=lambda word: pytest.fail(word))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of 24 questions: good, worse in the first eight, and without any readable answer."""
    folder = tmp_path_factory.mktemp("compare")
    score(folder, "good", ["down"])
    score(folder, "worse", [*["up"] * 8, "down"], chain=OTHER_CHAIN)
    score(folder, "mute", [None])
    return folder


def run(base: Path, name: str) -> Path:
    return only_run(base / name)


def test_numbers_are_those_of_the_tables(base: Path) -> None:
    good, worse = run(base, "good"), run(base, "worse")
    (found,) = as_json(good, worse, folder=base)["comparisons"]
    accuracy = found["measures"]["accuracy"]
    for side, folder in (("first", good), ("second", worse)):
        summary = json.loads(next(folder.glob("summary_*.json")).read_bytes())
        assert accuracy[side] == pytest.approx(summary["accuracy"])
        shown = shown_interval(summary, "accuracy")
        assert shown == pytest.approx((accuracy[f"{side}_low"], accuracy[f"{side}_high"]))
        assert found["measures"]["edge_f1"][side] == pytest.approx(summary["edge_f1"])
    assert accuracy["difference"] == pytest.approx(-8 / 24)
    assert found["mcnemar"]["right_to_wrong_n"] == 8 == found["flip_n"] == len(found["flips"])
    assert found["mcnemar"]["p"] == pytest.approx(2 / 2**8)
    assert found["cluster_n"] == 8  # readouts E0 to E7, of three questions each
    assert {(part["dimension"], part["value"]) for part in found["slices"]} == {
        ("pert_type", "chemical"), ("pert_type", "genetic"),
    }  # fmt: skip
    labels = found["labels"]
    assert sum(sum(row.values()) for row in labels["matrix"].values()) == 24
    for flip in found["flips"]:
        assert flip["what"] == "right_to_wrong"
        assert flip["first_error_label"].startswith("CORRECT")
        assert flip["second_error_label"].startswith("WRONG")
        assert HOSTILE in flip["first_text"] and "up" in flip["second_text"]
        with (base / "worse.jsonl").open("rb") as handle:
            handle.seek(flip["second_byte_offset"])
            said = json.loads(handle.read(flip["second_byte_length"]))
        assert said["id"] == flip["sample_id"]


def test_the_other_way_round_is_the_mirror_image(base: Path) -> None:
    good, worse = run(base, "good"), run(base, "worse")
    (one,) = as_json(good, worse, folder=base)["comparisons"]
    (other,) = as_json(worse, good, folder=base)["comparisons"]
    for name, measure in one["measures"].items():
        assert other["measures"][name]["difference"] == pytest.approx(-measure["difference"])
    assert one["mcnemar"]["right_to_wrong_n"] == other["mcnemar"]["wrong_to_right_n"]
    assert one["labels"]["bowker"] == other["labels"]["bowker"]


def test_a_run_and_itself(base: Path) -> None:
    good = run(base, "good")
    done = compare(good, good, "--gate", "accuracy -0", folder=base)
    assert done.returncode == 0
    assert "No difference in accuracy is shown." in done.stdout
    assert "four times out of five" in " ".join(done.stdout.split())
    assert "same-predictions" in done.stderr
    (found,) = as_json(good, good, folder=base)["comparisons"]
    assert found["mcnemar"]["p"] == 1 and found["labels"]["bowker"]["p"] == 1
    assert found["minimum_detectable_effect"] == pytest.approx(0.324, abs=1e-3)  # of 8 clusters
    assert found["measures"]["accuracy"]["difference_low"] < 0  # Wilson's room, not [0, 0]
    assert found["flips"] == [] and found["difference_shown"] is False


def test_all_parse_failures(base: Path) -> None:
    mute = run(base, "mute")
    (found,) = as_json(mute, mute, folder=base)["comparisons"]
    assert found["measures"]["accuracy"]["first"] == 0
    assert found["measures"]["parse_failure_rate"]["second"] == 1
    assert found["labels"]["names"] == ["PARSE_FAIL"]
    (found,) = as_json(run(base, "good"), mute, folder=base)["comparisons"]
    assert found["mcnemar"]["right_to_wrong_n"] == 24 and found["difference_shown"] is True
    assert compare(mute, run(base, "good"), folder=base).returncode == 0


def test_three_runs_are_compared_each_with_each(base: Path) -> None:
    runs = [run(base, name) for name in ("good", "worse", "mute")]
    found = as_json(*runs, folder=base)["comparisons"]
    assert [(one["first"], one["second"]) for one in found] == [(0, 1), (0, 2), (1, 2)]
    first = found[0]["mcnemar"]
    assert first["p_holm"] == pytest.approx(first["p"])  # the largest of three
    assert found[1]["mcnemar"]["p_holm"] == pytest.approx(3 * found[1]["mcnemar"]["p"])


@pytest.mark.parametrize(
    ("gates", "code"),
    [
        (["accuracy -0.4"], 0), (["accuracy -0.3"], 1), (["accuracy -0.4", "edge_f1 -0.1"], 1),
        (["accuracy +0"], 0), (["hallucination_rate +0"], 0),
        (["accuracy -0.4", "--gate-interval"], 1), (["accuracy -1", "--gate-interval"], 0),
    ],
)  # fmt: skip
def test_gates(base: Path, gates: list[str], code: int) -> None:
    words = [word for gate in gates for word in
             ([gate] if gate.startswith("--") else ["--gate", gate])]  # fmt: skip
    done = compare(run(base, "good"), run(base, "worse"), *words, folder=base)
    assert done.returncode == code, done.stderr
    assert ("FAILED" in done.stdout) == (code == 1)


def test_gates_hold_against_the_first_run_alone(base: Path) -> None:
    runs = [run(base, name) for name in ("mute", "good", "worse")]
    assert compare(*runs, "--gate", "accuracy -0.01", folder=base).returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--gate", "accuracy 0.01"], "bad-gate"), (["--gate", "acc -0.01"], "unknown-measure"),
        (["--cluster", "nothing"], "unknown-field"), (["--cluster", "edge_f1"], "unknown-field"),
        (["--cluster", "readout+readout"], "unknown-field"),
        (["--cluster", "readout+"], "unknown-field"),
        (["--cluster", "split+readout+pert_type"], "unknown-field"),
        (["--gate", "accuracy -5"], "bad-gate"), (["--force-different", "all"], "Invalid"),
    ],
)  # fmt: skip
def test_options_that_mean_nothing(base: Path, words: list[str], said: str) -> None:
    done = compare(run(base, "good"), run(base, "worse"), *words, folder=base)
    assert done.returncode == 2 and said in done.stderr and not done.stdout


def test_one_cluster(base: Path) -> None:
    words = [run(base, "good"), run(base, "worse"), "--cluster", "perturbation"]
    (found,) = as_json(*words, folder=base)["comparisons"]
    accuracy = found["measures"]["accuracy"]
    assert found["cluster_n"] == 1 and accuracy["difference_low"] is None
    assert accuracy["null_reason"] == "one_cluster"
    done = compare(*words, "--gate", "accuracy -0.9", "--gate-interval", folder=base)
    assert done.returncode == 1 and "all rows are one cluster" in done.stdout


def test_clusters_in_one_way_two_ways_and_none(base: Path) -> None:
    words = [run(base, "good"), run(base, "worse")]
    found = {}
    for cluster in ("readout", "pert_type", "pert_type+readout", "none"):
        report = as_json(*words, "--cluster", cluster, folder=base)
        assert report["cluster"] == cluster
        accuracy = report["comparisons"][0]["measures"]["accuracy"]
        found[cluster] = accuracy["cluster_n"], accuracy["difference_high"]
    assert [found[name][0] for name in found] == [8, 2, 2, 24]
    # Eight of 24 fell: rows alone have the standard error of a mean of 24 independent ones.
    share = 8 / 24
    error = (share * (1 - share) / 23) ** 0.5
    assert found["none"][1] == pytest.approx(-share + 2.0686576 * error)
    shown = compare(*words, "--cluster", "pert_type+readout", folder=base).stdout
    assert "clustered by pert_type and readout" in shown


def test_the_terminal_shows_what_was_written(base: Path) -> None:
    shown = compare(run(base, "good"), run(base, "worse"), folder=base).stdout
    assert shown.count("<answer>down</answer>") >= 8 and "<answer>up</answer>" in shown
    assert "\u202e" not in shown


def test_page_terminal_json_and_csv_say_the_same(base: Path) -> None:
    out = base / "written"
    words = [run(base, "good"), run(base, "worse"), "-o", out / "c.html", "--flips-csv",
             out / "f.csv"]  # fmt: skip
    (found,) = as_json(*words, folder=base)["comparisons"]
    shown = compare(*words, folder=base).stdout
    page = (out / "c.html").read_text(encoding="utf-8")
    text = _text(page)
    for number in ("-33.3", "66.7%", "100.0%", ".008"):
        assert number in shown and number in text, number
    low, high = (f"{100 * found['measures']['accuracy'][f'difference_{end}']:+.1f}"
                 for end in ("low", "high"))  # fmt: skip
    assert f"[{low}, {high}]" in shown and f"[{low}, {high}]" in text
    with (out / "f.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert [row["sample_id"] for row in rows] == [flip["sample_id"] for flip in found["flips"]]
    assert all(len(line) <= 80 for line in shown.splitlines() if "/" not in line)


def test_the_page_is_inert_and_whole(base: Path) -> None:
    done = compare(run(base, "good"), run(base, "worse"), "-o", base / "page.html", folder=base)
    assert done.returncode == 0
    page = (base / "page.html").read_text(encoding="utf-8")
    checker = _Checker()
    checker.feed(page)
    assert checker.open == [] and "script" not in checker.seen
    assert not re.search(r"(src|href|url)\s*[=(]", page)  # nothing from elsewhere
    assert HOSTILE.split("\u202e")[0] in _text(page) and "\u202e" not in page


class _Checker(HTMLParser):
    """Notes tags, and that each that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _text(page: str) -> str:
    parts: list[str] = []
    parser = HTMLParser()
    parser.handle_data = parts.append  # type: ignore[method-assign]
    parser.feed(page)
    return "".join(parts)


def test_rows_of_one_side_are_counted_and_listed(base: Path, tmp_path: Path) -> None:
    for name, kept in (("a", slice(0, 20)), ("b", slice(5, 24))):
        shutil.copytree(run(base, "good"), tmp_path / name)
        path = next((tmp_path / name).glob("samples_*.parquet"))
        table = pq.read_table(path)
        pq.write_table(table.slice(kept.start, kept.stop - kept.start), path)
    words = [tmp_path / "a", tmp_path / "b", "--flips-csv", tmp_path / "f.csv"]
    (found,) = as_json(*words, folder=base)["comparisons"]
    assert (found["n"], found["only_first_n"], found["only_second_n"]) == (15, 5, 4)
    assert [row["sample_id"] for row in found["only_first"]] == [f"one-{n:02d}" for n in range(5)]
    with (tmp_path / "f.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert [row["what"] for row in rows] == ["only_first"] * 5 + ["only_second"] * 4
    assert rows[-1]["second_predicted_label"] == "down" and not rows[-1]["first_predicted_label"]
    assert "Only A has 5 rows: one-00" in compare(*words, folder=base).stdout


def test_order_of_rows_changes_nothing(base: Path, tmp_path: Path) -> None:
    shutil.copytree(run(base, "worse"), tmp_path / "turned")
    path = next((tmp_path / "turned").glob("samples_*.parquet"))
    table = pq.read_table(path)
    pq.write_table(table.take(list(range(table.num_rows))[::-1]), path)
    good = run(base, "good")
    one = as_json(good, run(base, "worse"), folder=base)["comparisons"]
    assert as_json(good, tmp_path / "turned", folder=base)["comparisons"] == one


def test_order_of_rows_of_both_runs_changes_no_digit(base: Path, tmp_path: Path) -> None:
    folders = [run(base, "good"), run(base, "worse")]
    turned = []
    for number, folder in enumerate(folders):
        shutil.copytree(folder, tmp_path / str(number))
        path = next((tmp_path / str(number)).glob("samples_*.parquet"))
        table = pq.read_table(path)
        order = [(7 * row + 3 * number) % 24 for row in range(24)]
        pq.write_table(table.take(order), path)
        turned.append(tmp_path / str(number))
    for cluster in ("readout", "pert_type+readout", "none"):
        one, other = (as_json(*both, "--cluster", cluster, folder=base)["comparisons"][0]
                      for both in (folders, turned))  # fmt: skip
        for found in (one, other):
            for part in (found, *found["slices"]):
                ids = {flip["sample_id"] for flip in part.pop("flips")}
                assert len(ids) == min(10, part["mcnemar"]["right_to_wrong_n"])
        assert one == other


def test_nothing_in_common(base: Path, tmp_path: Path) -> None:
    other = score(tmp_path, "other", ["down"], split="two")
    good = run(base, "good")
    refused = compare(good, other, folder=base)
    assert refused.returncode == 2 and "different-gold" in refused.stderr
    words = [good, other, "--force-different", "gold"]
    done = compare(*words, "-o", tmp_path / "c.html", folder=base)
    assert done.returncode == 0 and "no row is in both runs" in done.stdout
    (found,) = as_json(*words, folder=base)["comparisons"]
    assert (found["n"], found["only_first_n"], found["only_second_n"]) == (0, 24, 24)
    assert found["measures"]["accuracy"]["difference"] is None
    assert compare(*words, "--gate", "accuracy -1", folder=base).returncode == 1


def test_runs_of_other_conditions_are_refused(base: Path, tmp_path: Path) -> None:
    good = run(base, "good")
    changes: list[tuple[str, Any]] = [
        ("metrics", lambda m: m.update(metrics_hash="0" * 64)),
        ("metrics", lambda m: m["settings"].update(coverage_threshold=0.7)),
        ("metrics", lambda m: m.update(reading="compat")),
        ("evidence", lambda m: m.update(evidence_shown=True)),
        ("gold", lambda m: m["inputs"][0].update(sha256="0" * 64)),
    ]
    for number, (kind, change) in enumerate(changes):
        copy = _changed(good, tmp_path / str(number), change)
        refused = compare(good, copy, folder=base)
        assert refused.returncode == 2 and not refused.stdout, kind
        assert f"[different-{kind}]" in refused.stderr and "--force-different" in refused.stderr
        assert str(copy) in refused.stderr
        forced = compare(good, copy, "--force-different", kind, folder=base)
        assert forced.returncode == 0 and f"Warning: [different-{kind}]" in forced.stderr
    other = _changed(good, tmp_path / "format", lambda m: m.update(format="other"))
    words = ["--force-different", "gold", "--force-different", "metrics"]
    refused = compare(good, other, *words, folder=base)
    assert refused.returncode == 2 and "different-format" in refused.stderr
    told = _changed(good, tmp_path / "kg", lambda m: m["inputs"][2].update(sha256="0" * 64))
    done = compare(good, told, folder=base)
    assert done.returncode == 0 and "different-input" in done.stderr


def _changed(run_folder: Path, to: Path, change: Any) -> Path:
    shutil.copytree(run_folder, to)
    path = next(to.glob("manifest_*.json"))
    manifest = json.loads(path.read_bytes())
    change(manifest)
    path.write_text(json.dumps(manifest))
    return to


def test_a_run_without_tier_2(base: Path, tmp_path: Path) -> None:
    plain = score(tmp_path, "plain", ["down", "up"], more=("--tiers", "1"))
    (found,) = as_json(run(base, "good"), plain, folder=base)["comparisons"]
    assert found["labels_are"] == "outcome"
    assert found["labels"]["matrix"] == {
        "right": {"right": 1, "wrong": 23}, "wrong": {"right": 0, "wrong": 0},
    }  # fmt: skip
    assert "edge_f1" not in found["measures"]


def _damage(folder: Path, stem: str, data: bytes | None) -> None:
    path = next(folder.glob(f"{stem}_*"))
    if data is None:
        path.unlink()
    else:
        path.write_bytes(data)


@pytest.mark.parametrize(
    ("stem", "data", "code"),
    [
        ("summary", None, 4), ("summary", b"{", 3), ("summary", b"[]", 3), ("manifest", None, 4),
        ("manifest", b"{}", 3), ("samples_*.parquet", b"PAR1", 3), ("samples_*.parquet", None, 4),
    ],
)  # fmt: skip
def test_damaged_runs(base: Path, tmp_path: Path, stem: str, data: bytes | None, code: int) -> None:
    good, copy = run(base, "good"), tmp_path / "copy"
    shutil.copytree(good, copy)
    if "*" in stem:
        path = next(copy.glob(stem))
        path.unlink() if data is None else path.write_bytes(data)
    else:
        _damage(copy, stem, data)
    done = compare(good, copy, folder=base)
    assert done.returncode == code, done.stderr
    assert done.stderr.count("Error: [") == 1 and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("stem", "column", "values"),
    [
        ("samples", "sample_id", [[1]]), ("samples", "answer_correct", ["yes"]),
        ("samples", "edge_f1", ["high"]), ("samples", "split", [b"\xff"]),
        ("samples", "error_label", [7]), ("texts", "byte_offset", ["x"]),
        ("texts", "prediction_path", [7]),
    ],
)  # fmt: skip
def test_columns_of_another_kind(
    base: Path, tmp_path: Path, stem: str, column: str, values: list[object]
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run(base, "worse"), copy)
    path = next(copy.glob(f"{stem}_*.parquet"))
    table = pq.read_table(path)
    place = table.schema.get_field_index(column)
    pq.write_table(table.set_column(place, column, [values * table.num_rows]), path)
    done = compare(run(base, "good"), copy, folder=base)
    assert done.returncode == 3 and f"column {column}" in done.stderr
    assert done.stderr.count("Error: [bad-table]") == 1 and "Traceback" not in done.stderr


def test_rollouts_on_one_side_share_nothing_and_it_is_told(base: Path, tmp_path: Path) -> None:
    shutil.copytree(run(base, "good"), tmp_path / "many")
    path = next((tmp_path / "many").glob("samples_*.parquet"))
    table = pq.read_table(path)
    place = table.schema.get_field_index("rollout")
    pq.write_table(table.set_column(place, "rollout", [["0"] * table.num_rows]), path)
    done = compare(tmp_path / "many", run(base, "good"), folder=base)
    assert done.returncode == 0 and "nothing-shared" in done.stderr and "rollouts" in done.stderr


def test_folders_that_are_no_run(base: Path, tmp_path: Path) -> None:
    good = run(base, "good")
    (tmp_path / "empty").mkdir()
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / ".summary_20260101_000000.json.part").touch()
    for folder, said in (
        (tmp_path / "none", "no such"), (tmp_path / "empty", "no run"), (base / "good.jsonl", "no"),
        (tmp_path / "half", "finished"), (base / "good", good.name),
    ):  # fmt: skip
        done = compare(good, folder, folder=base)
        assert done.returncode in (3, 4), folder
        assert done.stderr.count("Error: [") == 1 and said in done.stderr
    assert compare(good, folder=base).returncode == 2
    assert compare(folder=base).returncode == 2


def test_nothing_is_written_over_a_run(base: Path) -> None:
    good, worse = run(base, "good"), run(base, "worse")
    summary = next(good.glob("summary_*.json"))
    before = summary.read_bytes()
    for words in (["-o", summary], ["--flips-csv", summary], ["-o", base],
                  ["-o", base / "x", "--flips-csv", base / "x"]):  # fmt: skip
        assert compare(good, worse, *words, folder=base).returncode == 2, words
    assert summary.read_bytes() == before and not (base / "x").exists()


def test_texts_that_are_gone_or_changed(base: Path, tmp_path: Path) -> None:
    one = score(tmp_path, "one", ["up"])
    two = score(tmp_path, "two", ["down"])
    (tmp_path / "one.jsonl").unlink()
    path = tmp_path / "two.jsonl"
    path.write_bytes(path.read_bytes().replace(b"down", b"DOWN"))
    flips = as_json(one, two, folder=tmp_path)["comparisons"][0]["flips"]
    reasons = {(f["first_text_null_reason"], f["second_text_null_reason"]) for f in flips}
    assert reasons == {("file_gone", "file_changed")}
    next(two.glob("texts_*.parquet")).unlink()
    flips = as_json(one, two, folder=tmp_path)["comparisons"][0]["flips"]
    assert {flip["second_text_null_reason"] for flip in flips} == {"no_prediction"}


def test_rr10(tmp_path: Path) -> None:
    items = build_items(20, 9)
    gold = write_jsonl(tmp_path / "gold.jsonl", items)
    runs = []
    for name, label in (("right", lambda item: item["expected"]), ("both", lambda _: BOTH),
                        ("up", lambda _: UP)):  # fmt: skip
        said = write_jsonl(tmp_path / f"{name}.jsonl", answers(items, label, objects_of))
        done = in_process("eval", "--gt-file", gold, "--pred-file", said, "-q", "-o",
                          tmp_path / name, folder=tmp_path)  # fmt: skip
        assert done.returncode == 0, done.stderr
        runs.append(only_run(tmp_path / name))
    found = as_json(*runs, folder=tmp_path)
    assert found["cluster"] == "pair"
    first = found["comparisons"][0]
    assert (first["n"], first["cluster_n"]) == (40, 20)
    assert first["measures"]["accuracy"]["difference"] == pytest.approx(-0.5)
    for one, number in zip(found["runs"], range(3), strict=True):
        summary = json.loads(next(Path(one["folder"]).glob("summary_*.json")).read_bytes())
        side, place = (("first", 0), ("second", 0), ("second", 1))[number]
        measures = found["comparisons"][place]["measures"]
        for ours, theirs in (("accuracy", "accuracy_total"),
                             ("paired_directional_robustness",) * 2):  # fmt: skip
            assert measures[ours][side] == pytest.approx(summary[theirs])
    assert {part["dimension"] for part in first["slices"]} == {"context", "item_type"}
    traps = [part for part in first["slices"] if part["value"] == "fragility_trap"]
    assert traps[0]["measures"]["accuracy"]["difference"] == 0
    for cluster, n in (("none", 40), ("gene", None), ("pair+gene", None)):
        other = as_json(*runs[:2], "--cluster", cluster, folder=tmp_path)["comparisons"][0]
        assert other["measures"]["accuracy"]["difference"] == pytest.approx(-0.5)
        assert other["cluster_n"] == (n or other["cluster_n"])
    compat = in_process(
        "eval", "--gt-file", gold, "--pred-file", tmp_path / "up.jsonl", "--rr10-compat", "-q",
        "-o", tmp_path / "compat", folder=tmp_path,
    )  # fmt: skip
    assert compat.returncode == 0
    done = compare(runs[0], only_run(tmp_path / "compat"), folder=tmp_path)
    assert done.returncode == 2 and "different-metrics" in done.stderr
