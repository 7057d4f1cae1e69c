"""The web app over real runs: filters, order, links, texts, export, and what it keeps out."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from starlette.testclient import TestClient

from eval_tiers.viewer.app import build_app
from eval_tiers.viewer.queries import Samples
from eval_tiers.viewer.run import open_run
from eval_tiers.viewer.view_state import View, parse_view
from tests.e2e.running import TOY_KG, Record, in_process, write_lines

HOSTILE = '</script><script>alert(1)</script><svg onload=alert(2)> <a href="javascript:alert(3)">'


def run_of(folder: Path, *arguments: object) -> Path:
    """The folder of one run."""
    done = in_process("eval", "-q", *arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    (made,) = (folder / "outputs").iterdir()
    return made


def client_of(run: Path, scratch: Path) -> TestClient:
    """A browser, as far as requests go."""
    return TestClient(build_app(open_run(run), scratch), base_url="http://127.0.0.1:8765")


@pytest.fixture(scope="module")
def chain_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled chains, their hard cases settled by rules."""
    folder = tmp_path_factory.mktemp("chains")
    run = run_of(folder, "--tiers", 1, 2, 3)
    stamp = run.name
    samples = f"outputs/{stamp}/samples_{stamp}.csv"
    rescue = f"outputs/{stamp}/rescue/rescue"
    for words in (
        ("export-rescue", "--samples-csv", samples),
        ("infer", "--backend", "symbolic", "--input", f"{rescue}_requests_{stamp}.jsonl",
         "--output", f"{rescue}_replies_{stamp}.jsonl"),
        ("merge-rescue", "--samples-csv", samples,
         "--rescue-responses", f"{rescue}_replies_{stamp}.jsonl"),
    ):  # fmt: skip
        done = in_process(*words, folder=folder)
        assert done.returncode == 0, done.stderr
    return run


@pytest.fixture(scope="module")
def cited_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled citations."""
    return run_of(tmp_path_factory.mktemp("cited"), "--format", "rr10", "--tiers", 1, 2, 3)


@pytest.fixture(scope="module")
def stated_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty answers: a third states its confidence, a third probabilities, one nonsense."""
    folder = tmp_path_factory.mktemp("stated")
    gold, predictions = [], []
    for n in range(30):
        gold.append({"id": f"Q{n}", "answer": ("up", "down", "unchanged")[n % 3], "gene": "G"})
        row: Record = {"id": f"Q{n}", "output": f"<answer>{'up' if n < 15 else 'down'}</answer>"}
        if n == 27:
            row["confidence"] = "very"
        elif n % 3 == 0:
            row["confidence"] = n / 30
        elif n % 3 == 1:
            row["label_prob"] = {"up": 0.7, "down": 0.2, "unchanged": 0.1}
        predictions.append(row)
    write_lines(folder / "gold.jsonl", gold)
    write_lines(folder / "p.jsonl", predictions)
    return run_of(
        folder, "--gt-file", "gold.jsonl", "--pred-file", "p.jsonl", "--tiers", 1,
        "--batch-size", 7, "--jobs", 1,
    )  # fmt: skip


def confidence_of(n: int) -> float | None:
    """What the answer to question n states, worked by hand."""
    if n == 27 or n % 3 == 2:
        return None
    return n / 30 if n % 3 == 0 else 0.7 if n < 15 else 0.2


@pytest.fixture(scope="module")
def chains(chain_run: Path, tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client_of(chain_run, tmp_path_factory.mktemp("scratch"))


@pytest.fixture(scope="module")
def cited(cited_run: Path, tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return client_of(cited_run, tmp_path_factory.mktemp("scratch"))


@pytest.fixture(scope="module")
def tables(chain_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Samples]:
    samples = Samples(open_run(chain_run), tmp_path_factory.mktemp("scratch"))
    yield samples
    samples.close()


def frame_of(run: Path) -> pd.DataFrame:
    frame: pd.DataFrame = pd.read_parquet(run / f"samples_{run.name}.parquet")
    return frame


def ids_in(page: str) -> list[str]:
    """The ids of a list, as they stand."""
    return re.findall(r'<a data-row="\d+" href="[^"]*"><bdi>(.*?)</bdi>', page)


def get(client: TestClient, address: str, status: int = 200) -> str:
    found = client.get(address)
    assert found.status_code == status, found.text[:1000]
    return str(found.text)


class Tags(HTMLParser):
    """The elements, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        ("error_label=CORRECT", "error_label == 'CORRECT'"),
        ("error_label=CORRECT&error_label=PARSE_FAIL", "error_label in ('CORRECT', 'PARSE_FAIL')"),
        ("predicted_label=-&split=id_test", "predicted_label.isnull() and split == 'id_test'"),
        ("hard_case=True&answer_correct=False", "hard_case == True and answer_correct == False"),
        ("gold_label=up&pert_type=genetic", "gold_label == 'up' and pert_type == 'genetic'"),
        ("gene=tp53", "perturbation.str.contains('TP53') or readout.str.contains('TP53')"),
        ("id=chemical-01", "sample_id.str.contains('chemical-01')"),
    ],
)
def test_filters(chains: TestClient, chain_run: Path, query: str, condition: str) -> None:
    expected = frame_of(chain_run).query(condition, engine="python")["sample_id"].tolist()
    assert 0 < len(expected) < 164
    page = get(chains, f"/?size=200&{query}")
    assert ids_in(page) == expected
    assert f"{len(expected)} samples" in page
    rows = list(csv.DictReader(io.StringIO(get(chains, f"/export.csv?{query}"))))
    assert [row["sample_id"] for row in rows] == expected


@pytest.mark.parametrize("query", ["context=homo_sapiens%3A%3Acells_cultured",
                                   "item_type=fragility_trap", "evidence_detail=OFF_TOPIC"])  # fmt: skip
def test_filters_of_citations(cited: TestClient, cited_run: Path, query: str) -> None:
    name, _, value = query.replace("%3A", ":").partition("=")
    frame = frame_of(cited_run)
    expected = frame[frame[name] == value]["sample_id"].tolist()
    assert expected and ids_in(get(cited, f"/?size=200&{query}")) == expected


def test_counts_by_label_are_those_of_the_other_filters(tables: Samples, chain_run: Path) -> None:
    frame = frame_of(chain_run)
    chosen = frame[frame["split"] == "id_test"]
    view = parse_view(
        [("split", "id_test"), ("error_label", "CORRECT"), ("error_label", "-")],
        tables.vocabulary,
        tables.sortable,
    )
    expected = chosen["error_label"].fillna("-").value_counts().to_dict()
    assert dict(tables.counts(view)) == expected
    assert (
        tables.total(view)
        == expected["CORRECT"] + expected.get("-", 0)
        == len([row for page in (1, 2) for row in tables.page(view.with_page(page))])
    )


def test_rescue_verdicts_are_filtered_by_and_shown(chains: TestClient, chain_run: Path) -> None:
    merged = pd.read_csv(chain_run / f"samples_with_rescue_{chain_run.name}.csv")
    expected = merged[merged["llm_rescue_verdict"] == "NO"]
    assert len(expected)
    page = get(chains, "/?size=200&llm_rescue_verdict=NO")
    assert ids_in(page) == expected["sample_id"].tolist()
    row = int(expected.index[0])
    text = Tags(get(chains, f"/sample/{row}")).text
    assert expected["llm_rescue_explanation"].iloc[0] in text
    exported = pd.read_csv(io.StringIO(get(chains, "/export.csv?llm_rescue_verdict=NO")))
    pd.testing.assert_frame_equal(
        exported, expected[exported.columns].reset_index(drop=True), check_dtype=False
    )


@pytest.mark.parametrize("run", ["chain_run", "cited_run"])
def test_the_export_of_all_is_the_table(
    run: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    folder: Path = request.getfixturevalue(run)
    copied = tmp_path / folder.name
    shutil.copytree(folder, copied)
    for merged in copied.glob("samples_with_rescue_*"):
        merged.unlink()
    found = client_of(copied, tmp_path).get("/export.csv")
    assert found.content == (folder / f"samples_{folder.name}.csv").read_bytes()


@pytest.mark.parametrize(
    "query", ["", "sort=go_sim", "sort=-go_sim", "sort=-readout", "sort=hard_case"]
)
def test_next_and_previous_go_through_the_list(tables: Samples, query: str) -> None:
    pairs = [tuple(one.split("=")) for one in query.split("&") if one]
    view = parse_view(
        [*pairs, ("split", "id_test"), ("size", "25")],  # type: ignore[list-item]
        tables.vocabulary,
        tables.sortable,
    )
    total = tables.total(view)
    rows = [
        int(one["row_number"])
        for page in range(1, total // 25 + 2)
        for one in tables.page(view.with_page(page))
    ]
    assert len(rows) == len(set(rows)) == total > 50
    for place in (*range(0, total, 7), total - 1):
        sample = tables.sample(rows[place])
        assert sample is not None
        near = tables.neighbours(view, rows[place], sample)
        assert near.before_n == place
        assert near.previous == (rows[place - 1] if place else None)
        assert near.following == (rows[place + 1] if place + 1 < total else None)


def test_the_way_from_filter_to_sample_and_back(chains: TestClient) -> None:
    start = get(chains, "/?error_label=CORRECT&sort=-edge_f1&size=25")
    first, second = re.findall(r'data-row="\d+" href="(.*?)"', start)[:2]
    page = get(chains, first.replace("&amp;", "&"))
    following = re.search(r'data-key="next" rel="next" href="(.*?)"', page)
    back = re.search(r'data-key="back" href="(.*?)"', page)
    assert following is not None and back is not None
    assert following[1] == second
    assert ids_in(get(chains, back[1].replace("&amp;", "&"))) == ids_in(start)


def test_a_sample_that_the_filter_leaves_out_says_so(chains: TestClient, chain_run: Path) -> None:
    frame = frame_of(chain_run)
    right = frame.index[frame["error_label"] == "CORRECT"]
    other = int(frame.index[frame["error_label"] == "WRONG_NO_PATH"][0])
    page = get(chains, f"/sample/{other}?error_label=CORRECT")
    assert f"not one of the {len(right)} that fit" in page
    following = int(right[right > other][0])
    assert f'href="/sample/{following}?error_label=CORRECT"' in page
    assert f"1 of {len(right)} that fit" in get(chains, f"/sample/{right[0]}?error_label=CORRECT")
    assert f"{other + 1} of {len(frame)}<" in get(chains, f"/sample/{other}")


def test_every_sample_shows_its_text_and_chain(chains: TestClient, chain_run: Path) -> None:
    frame = frame_of(chain_run)
    edges = pd.read_parquet(chain_run / f"chains_{chain_run.name}.parquet")
    for row in range(0, len(frame), 5):
        sample = frame.iloc[row]
        page = get(chains, f"/sample/{row}")
        tags = Tags(page)
        lines = Path(sample["source_path"]).read_text(encoding="utf-8").split("\n")
        assert json.loads(lines[sample["source_line"] - 1])["question"] in tags.text
        assert "Not shown" not in page
        own = edges[edges["sample_id"] == sample["sample_id"]]
        drawn = re.findall(r'<g class="edge (\w+) status-(\w+)">', page)
        assert drawn == list(zip(own["side"], own["status"], strict=True))
        for status in set(own["status"]):
            assert status.replace("_", " ") in tags.text


def test_the_answer_is_marked(chains: TestClient, chain_run: Path) -> None:
    frame = frame_of(chain_run)
    row = int(frame.index[frame["error_label"] == "WRONG_HALLUCINATED_EDGE"][0])
    page = get(chains, f"/sample/{row}")
    assert re.search(r'<mark class="answer" title="read as the answer">\s*(?i:down)', page)
    assert 'class="triplets status-absent"' in page


def test_citations_with_verdict_and_published_row(cited: TestClient, cited_run: Path) -> None:
    citations = pd.read_parquet(cited_run / f"citations_{cited_run.name}.parquet")
    frame = frame_of(cited_run)
    for row in range(0, 200, 20):
        own = citations[citations["sample_id"] == frame["sample_id"][row]]
        page = get(cited, f"/sample/{row}")
        found = re.findall(r'<span class="verdict verdict-(\w+)">', page)
        assert found == own["verdict"].tolist()
        for source in own["row_source_file"].dropna():
            assert source in page
        assert str(frame["evidence_detail"][row]) in page


@pytest.mark.parametrize("sort", ["confidence", "-confidence"])
def test_samples_by_stated_confidence(stated_run: Path, tmp_path: Path, sort: str) -> None:
    client = client_of(stated_run, tmp_path)
    sign = -1 if sort.startswith("-") else 1
    known = [(sign * value, n) for n in range(30) if (value := confidence_of(n)) is not None]
    order = [n for _, n in sorted(known)]
    order += [n for n in range(30) if confidence_of(n) is None]
    assert ids_in(get(client, f"/?sort={sort}")) == [f"Q{n}" for n in order]
    rows = list(csv.DictReader(io.StringIO(get(client, f"/export.csv?sort={sort}"))))
    assert [row["sample_id"] for row in rows] == [f"Q{n}" for n in order]
    for row, n in zip(rows, order, strict=True):
        stated = confidence_of(n)
        assert row["confidence"] == "" if stated is None else float(row["confidence"]) == stated
    place = order.index(9)
    page = get(client, f"/sample/9?sort={sort}")
    assert f'href="/sample/{order[place + 1]}?sort={sort}"' in page
    assert f'href="/sample/{order[place - 1]}?sort={sort}"' in page


def test_bands_of_confidence_hold_their_lower_end(stated_run: Path, tmp_path: Path) -> None:
    client = client_of(stated_run, tmp_path)

    def chosen(*bands: str) -> list[int]:
        query = "&".join(f"confidence_band={one}" for one in bands)
        return [int(one.removeprefix("Q")) for one in ids_in(get(client, f"/?{query}"))]

    assert chosen("0.7-0.8") == [1, 4, 7, 10, 13, 21]
    assert chosen("0.2-0.3") == [6, 16, 19, 22, 25, 28]
    assert chosen("-") == [n for n in range(30) if confidence_of(n) is None]
    assert chosen("-", "0.7-0.8") == sorted([*chosen("-"), *chosen("0.7-0.8")])
    get(client, "/?confidence_band=0.95-1", 400)


def test_stated_confidence_is_shown(stated_run: Path, tmp_path: Path) -> None:
    client = client_of(stated_run, tmp_path)
    page = " ".join(Tags(get(client, "/sample/16")).text.split())
    assert "confidence0.200 (the probability of its own label)" in page
    assert "probability of up0.700" in page
    page = " ".join(Tags(get(client, "/sample/3")).text.split())
    assert "confidence0.100" in page and "of its own label" not in page
    assert "states none" in get(client, "/sample/2")
    assert "Not read:" in get(client, "/sample/27")


def test_runs_without_confidence_have_none(chains: TestClient) -> None:
    assert "onfidence" not in Tags(get(chains, "/")).text
    get(chains, "/?sort=confidence", 400)
    get(chains, "/?confidence_band=0.9-1", 400)


def test_samples_by_status_of_an_edge(chains: TestClient, chain_run: Path) -> None:
    edges = pd.read_parquet(chain_run / f"chains_{chain_run.name}.parquet")
    own = edges[(edges["side"] == "predicted") & (edges["status"] == "sign_contradicted")]
    frame = frame_of(chain_run)
    expected = frame[frame["sample_id"].isin(own["sample_id"])]["sample_id"].tolist()
    assert expected and ids_in(get(chains, "/?size=200&edge_status=sign_contradicted")) == expected


def test_samples_by_verdict_on_a_citation(cited: TestClient, cited_run: Path) -> None:
    citations = pd.read_parquet(cited_run / f"citations_{cited_run.name}.parquet")
    frame = frame_of(cited_run)
    own = citations[citations["verdict"].isin(["SIGN_MISREAD", "OVERCLAIM"])]
    expected = frame[frame["sample_id"].isin(own["sample_id"])]["sample_id"].tolist()
    query = "size=200&citation_verdict=SIGN_MISREAD&citation_verdict=OVERCLAIM"
    assert expected and ids_in(get(cited, f"/?{query}")) == expected
    exported = csv.DictReader(io.StringIO(get(cited, f"/export.csv?{query}")))
    assert [row["sample_id"] for row in exported] == expected
    without = frame[~frame["sample_id"].isin(citations["sample_id"])]["sample_id"].tolist()
    assert without and ids_in(get(cited, "/?size=200&citation_verdict=-")) == without


def test_the_page_of_an_item_leads_to_its_pair(cited: TestClient, cited_run: Path) -> None:
    frame = frame_of(cited_run)
    pairs = pd.read_csv(cited_run / f"pairs_{cited_run.name}.csv", dtype={"pair": str})
    for row in range(0, 200, 23):
        sample = frame.iloc[row]
        other = frame[(frame["pair"] == sample["pair"]) & (frame.index != row)]
        page = get(cited, f"/sample/{row}?sort=-citation_n")
        assert f'<a href="/sample/{other.index[0]}?sort=-citation_n">' in page
        answered = pairs[pairs["pair"] == sample["pair"]].iloc[0]
        text = " ".join(Tags(page).text.split())
        for name in ("trap_right", "control_valid", "both_right"):
            assert f"{name.replace('_', ' ')}{'yes' if answered[name] else 'no'}" in text


def test_a_table_of_pairs_that_is_damaged_is_told(cited_run: Path, tmp_path: Path) -> None:
    copied = tmp_path / cited_run.name
    shutil.copytree(cited_run, copied)
    path = next(copied.glob("pairs_*.csv"))
    for data, reason in (
        (b"\xff\xfe", "can&#39;t be read"),
        (b'"pair"\n"00001"\n', "can&#39;t be read"),
        (path.read_bytes().split(b"\n")[0], "lacks this pair"),
    ):
        path.write_bytes(data)
        assert reason in get(client_of(copied, tmp_path), "/sample/0")


@pytest.mark.parametrize("query", ["", "sort=-go_sim", "llm_rescue_verdict=NO", "gene=no-such"])
def test_both_exports_have_the_same_rows(chains: TestClient, query: str) -> None:
    found = chains.get(f"/export.parquet?{query}")
    assert re.search(r'filename="samples_\d{8}_\d{6}_filtered\.parquet"',
                     found.headers["content-disposition"])  # fmt: skip
    frame = pd.read_parquet(io.BytesIO(found.content))
    text = get(chains, f"/export.csv?{query}")
    assert len(frame) == len(list(csv.DictReader(io.StringIO(text))))
    rows = pd.read_csv(io.StringIO(text), dtype={"llm_rescue_soft_correct": str})
    assert frame.columns.tolist() == rows.columns.tolist()
    for name in ("sample_id", "go_sim", "error_label", "llm_rescue_explanation"):
        expected = [None if pd.isna(one) else one for one in rows[name]]
        assert [None if pd.isna(one) else one for one in frame[name]] == pytest.approx(expected)


def test_an_export_comes_in_parts(chain_run: Path, tmp_path: Path, monkeypatch: Any) -> None:
    from eval_tiers.viewer import export

    samples = Samples(open_run(chain_run), tmp_path)
    whole = b"".join(samples.export_csv(View(sort="go_sim")))
    monkeypatch.setattr(export, "_ROWS", 10)
    parts = list(samples.export_csv(View(sort="go_sim")))
    assert len(parts) > 5 and b"".join(parts) == whole
    together = list(zip(samples.export_csv(View()), samples.export_csv(View()), strict=True))
    assert all(one == other for one, other in together)
    samples.close()


def test_values_beyond_those_that_are_listed(
    chain_run: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    from eval_tiers.viewer import vocabulary

    monkeypatch.setattr(vocabulary, "MOST_VALUES", 2)
    client = client_of(chain_run, tmp_path)
    page = get(client, "/?error_label=WRONG_NO_PATH&cell_line=")
    frame = frame_of(chain_run)
    assert len(ids_in(page)) == (frame["error_label"] == "WRONG_NO_PATH").sum() > 0
    if frame["cell_line"].nunique(dropna=False) > 2:
        assert 'list="values-cell_line"' in page


@pytest.mark.parametrize("name", ["p.jsonl.gz", "p.csv", "p.json"])
def test_texts_of_packed_and_rewritten_files(tmp_path: Path, name: str) -> None:
    rows = [{"id": f"Q{n}", "output": f"<answer>up</answer> text {n}, é"} for n in range(5)]
    write_lines(tmp_path / "gold.jsonl", [{"id": f"Q{n}", "answer": "up"} for n in range(5)])
    path = tmp_path / name
    if name.endswith("gz"):
        path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    elif name.endswith("csv"):
        pd.DataFrame(rows).to_csv(path, index=False)
    else:
        path.write_text(json.dumps({str(row["id"]): row["output"] for row in rows}))
    run = run_of(tmp_path, "--gt-file", "gold.jsonl", "--pred-file", name, "--tiers", 1)
    (tmp_path / "scratch").mkdir()
    client = client_of(run, tmp_path / "scratch")
    for row in range(5):
        page = get(client, f"/sample/{row}")
        assert f"text {row}, é" in Tags(page).text
    assert "Tier 2 did not run" in page


def test_a_changed_or_lost_file_is_told(tmp_path: Path) -> None:
    write_lines(tmp_path / "gold.jsonl", [{"id": "Q", "answer": "up", "question": "Which?"}])
    path = write_lines(tmp_path / "p.jsonl", [{"id": "Q", "output": "<answer>up</answer>"}])
    run = run_of(tmp_path, "--gt-file", "gold.jsonl", "--pred-file", "p.jsonl", "--tiers", 1)
    path.write_text(path.read_text().replace("up", "ap"))
    assert "was changed since the run" in get(client_of(run, tmp_path), "/sample/0")
    path.unlink()
    (tmp_path / "gold.jsonl").unlink()
    page = get(client_of(run, tmp_path), "/sample/0")
    assert page.count("isn&#39;t there any more") == 2


def hostile_run(folder: Path) -> Path:
    gold: Record = {
        "id": f"Q{HOSTILE}", "question": HOSTILE, "answer": "up", "pert": HOSTILE, "gene": "E",
        "path": [[HOSTILE, "+", "E"]], "pert_type": "chemical", "cell_line": HOSTILE,
    }  # fmt: skip
    text = f'{HOSTILE}\u202e\x00<answer>up</answer><triplet>[[{json.dumps(HOSTILE)}, "+", "E"]]</triplet>'
    rows = [gold, {**gold, "id": "long", "cell_line": "A"}]
    write_lines(folder / "gold.jsonl", rows)
    write_lines(folder / "p.jsonl", [
        {"id": rows[0]["id"], "output": text},
        {"id": "long", "output": "<b>x</b> " * 120_000 + text},
    ])  # fmt: skip
    (folder / "kg.tsv").write_text(
        "source\tsign\ttarget\n" + "".join(f"{a}\t{s}\t{b}\n" for a, s, b in TOY_KG)
    )
    return run_of(
        folder, "--gt-file", "gold.jsonl", "--pred-file", "p.jsonl", "--external-kg", "kg.tsv"
    )


def test_hostile_text_is_inert(tmp_path: Path) -> None:
    client = client_of(hostile_run(tmp_path), tmp_path)
    for address in ("/", "/sample/0", "/sample/1", "/?gene=%3Cscript%3E", "/?bad=%3Cscript%3E"):
        found = client.get(address)
        tags = Tags(found.text)
        assert tags.tags.count("script") == 1  # the app's own
        assert not any(name.startswith("on") for name, _ in tags.attributes)
        assert not any((value or "").startswith("javascript:") for _, value in tags.attributes)
        assert "\u202e" not in found.text and "\x00" not in found.text
        policy = found.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
    page = Tags(get(client, "/sample/0"))
    assert page.text.count("alert(1)") >= 4
    assert "⟨U+202E⟩⟨U+0000⟩" in page.text
    long = get(client, "/sample/1")
    assert len(long) > 1_000_000 and 'class="answer"' in long


@pytest.mark.parametrize(
    "address",
    ["/?page=x", "/?page=0", "/?error_label=X", "/?sort=zzz", "/?bad=1", "/export.csv?size=3",
     "/sample/0?gene=%00", "/?split=id_test%27%20OR%201=1", "/?page=1000000000000", "/?page=-1",
     "/?sort=sample_id%20DESC;--", "/?error_label=%ff", f"/?gene={'A' * 50_000}", "/?edge_status=x",
     "/export.parquet?sort=row_number"],
)  # fmt: skip
def test_bad_addresses_are_told(chains: TestClient, address: str) -> None:
    page = get(chains, address, 400)
    assert "The address can&#39;t be read" in page and "Traceback" not in page


@pytest.mark.parametrize(
    "address",
    ["/sample/164", "/sample/99999999999999999999", f"/sample/{'9' * 5000}", "/sample/%D9%A3", "/sample/-1", "/sample/x", "/nothing",
     "/static/..%2fapp.py", "/static/app.py", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd"],
)  # fmt: skip
def test_there_is_nothing_else(chains: TestClient, address: str) -> None:
    page = get(chains, address, 404)
    assert "Traceback" not in page and "root:" not in page


def test_quotes_in_a_search_are_text(chains: TestClient) -> None:
    assert "No sample fits" in get(chains, "/?gene=%27%20OR%201=1%20--")


def test_a_page_past_the_last_is_empty(chains: TestClient) -> None:
    assert "none on this page" in get(chains, "/?page=1000")


def test_only_this_machine_and_only_reading(chains: TestClient) -> None:
    assert chains.get("/", headers={"host": "evil.example"}).status_code == 400
    assert chains.get("/", headers={"host": "localhost:1"}).status_code == 200
    assert chains.get("/", headers={"host": "[::1]:8765"}).status_code == 200
    for host in ("", "127.0.0.1.evil.example", "0.0.0.0", "localhost@evil.example", "[::1"):
        assert chains.get("/", headers={"host": host}).status_code == 400
    assert chains.post("/").status_code == 405
    assert chains.post("/").headers["allow"] == "GET, HEAD"
    assert chains.head("/").status_code == 200
    for found in (chains.get("/"), chains.get("/", headers={"host": "evil.example"})):
        assert found.headers["x-frame-options"] == "DENY"
        assert "access-control-allow-origin" not in found.headers


def test_pages_name_nothing_outside(chains: TestClient) -> None:
    for address in ("/", "/sample/3"):
        linked = [value or "" for name, value in Tags(get(chains, address)).attributes
                  if name in ("href", "src", "action")]  # fmt: skip
        assert linked and all(one.startswith(("/", "#")) for one in linked)


def serving(run: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "eval_tiers", "view", str(run), "--no-browser", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_it_is_stopped(cited_run: Path, stop: signal.Signals) -> None:
    process = serving(cited_run, "--port", "0")
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
        with urllib.request.urlopen(address, timeout=10) as page:
            assert b"OSDR-FRAG-00001" in page.read()
        foreign = urllib.request.Request(address, headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(foreign, timeout=10)
    finally:
        process.send_signal(stop)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 0 and "Traceback" not in errors


def test_a_port_in_use_is_told(cited_run: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = serving(cited_run, "--port", str(port))
        out, errors = done.communicate(timeout=20)
    assert (done.returncode, out) == (4, "")
    assert "no-port" in errors and "--port 0" in errors and "Traceback" not in errors


def test_what_is_not_installed_is_named(cited_run: Path, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    done = in_process("view", cited_run, "--no-browser", folder=cited_run)
    assert done.returncode == 4
    assert "duckdb" in done.stderr and "pip install 'eval-tiers[view]'" in done.stderr
