"""Folders that are no run, half a run, a damaged run: one clear error each."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eval_tiers.rescue.files import MERGED_COLUMNS
from tests.e2e.running import in_process


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("viewed")
    assert in_process("eval", "-q", "--tiers", 1, 2, folder=folder).returncode == 0
    (made,) = (folder / "outputs").iterdir()
    return made


def table(run: Path, stem: str = "samples") -> Path:
    return next(run.glob(f"{stem}_*.parquet"))


def write_other(path: Path, **changes: object) -> None:
    """Write a table in which these columns are others, or (None) aren't there."""
    found = pq.read_table(path)
    for name, values in changes.items():
        found = found.drop_columns(name)
        if values is not None:
            found = found.append_column(name, pa.array([values] * len(found)))
    pq.write_table(found, path)


def manifest(run: Path) -> Path:
    return next(run.glob("manifest_*.json"))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def spoil(path: Path) -> None:
    """Keep the end, where the columns are listed, and spoil what is before."""
    data = bytearray(path.read_bytes())
    data[4 : len(data) // 2] = b"\xff" * (len(data) // 2 - 4)
    path.write_bytes(bytes(data))


def change_manifest(run: Path, **changes: object) -> None:
    found = json.loads(manifest(run).read_text())
    manifest(run).write_text(json.dumps(found | changes))


def spoil_rescue(run: Path) -> None:
    stamp = manifest(run).stem.partition("_")[2]
    (run / f"samples_with_rescue_{stamp}.csv").write_text('"sample_id"\n"Q1"\n')


def cut_rescue(run: Path) -> None:
    """A merged table whose last rows are gone, each line of it whole."""
    stamp = manifest(run).stem.partition("_")[2]
    lines = (run / f"samples_{stamp}.csv").read_text().split("\n")[:-5]
    head = lines[0] + "".join(f',"{name}"' for name in MERGED_COLUMNS)
    rows = [line + "," * len(MERGED_COLUMNS) for line in lines[1:]]
    (run / f"samples_with_rescue_{stamp}.csv").write_text("\n".join([head, *rows, ""]))


def add_confidence(run: Path, data: bytes) -> None:
    (run / f"confidence_{manifest(run).stem.partition('_')[2]}.parquet").write_bytes(data)


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


FAULTS: list[tuple[str, int, Callable[[Path], object]]] = [
    ("no-run", 4, lambda run: manifest(run).unlink()),
    ("half-a-run", 4, lambda run: table(run).unlink()),
    ("damaged-file", 3, lambda run: cut(table(run))),
    ("damaged-file", 3, lambda run: spoil(table(run))),
    ("damaged-file", 3, lambda run: cut(table(run, "chains"))),
    ("damaged-file", 3, lambda run: table(run).write_bytes(b"")),
    ("bad-table", 3, lambda run: pq.write_table(pa.table({"sample_id": ["Q"]}), table(run))),
    ("bad-manifest", 3, lambda run: manifest(run).write_text("{")),
    ("bad-manifest", 3, lambda run: manifest(run).write_text("[]")),
    ("bad-manifest", 3, lambda run: change_manifest(run, inputs=[1])),
    ("bad-manifest", 3, lambda run: change_manifest(run, settings=[1])),
    ("unknown-format", 3, lambda run: change_manifest(run, format="next")),
    ("unknown-format", 3, lambda run: change_manifest(run, format=["a"])),
    ("several-runs", 3, lambda run: shutil.copy(manifest(run), run / "manifest_20200101_000000.json")),
    ("bad-table", 3, spoil_rescue),
    ("bad-table", 3, cut_rescue),
    ("bad-table", 3, lambda run: write_other(table(run, "chains"), status=None)),
    ("bad-table", 3, lambda run: write_other(table(run, "texts"), crc32=None)),
    ("bad-table", 3, lambda run: write_other(table(run, "texts"), sample_id=1)),
    ("bad-table", 3, lambda run: write_other(table(run), sample_id=1)),
    ("damaged-file", 3, lambda run: table(run, "texts").write_bytes(b"")),
    ("damaged-file", 3, lambda run: add_confidence(run, b"PAR1")),
    ("bad-table", 3, lambda run: shutil.copy(table(run, "chains"), run / table(run, "chains").name
                                             .replace("chains", "confidence"))),
    ("is-a-directory", 3, lambda run: make_folder(table(run, "chains"))),
]  # fmt: skip


@pytest.mark.parametrize(("code", "exit_code", "spoiling"), FAULTS)
def test_a_faulty_run_is_one_error(
    run: Path, tmp_path: Path, code: str, exit_code: int, spoiling: Callable[[Path], object]
) -> None:
    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    spoiling(copied)
    done = in_process("view", copied, "--no-browser", "--port", 0, folder=tmp_path)
    assert done.returncode == exit_code, done.stderr
    assert f"[{code}]" in done.stderr and str(copied) in done.stderr
    assert done.stderr.count("Error:") == 1 and "Traceback" not in done.stderr
    assert done.stdout == ""


def test_no_folder_and_a_file(tmp_path: Path) -> None:
    done = in_process("view", "nothing", "--no-browser", folder=tmp_path)
    assert (done.returncode, "[no-such-folder]" in done.stderr) == (4, True)
    (tmp_path / "file").write_text("")
    done = in_process("view", "file", "--no-browser", folder=tmp_path)
    assert (done.returncode, "[not-a-folder]" in done.stderr) == (3, True)


def test_the_folder_above_names_the_run(run: Path) -> None:
    done = in_process("view", run.parent, "--no-browser", folder=run)
    assert done.returncode == 4
    assert str(run) in done.stderr.replace("\n         ", "")


def test_the_folder_of_an_export_names_the_run(run: Path, tmp_path: Path) -> None:
    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    (copied / "rescue").mkdir()
    done = in_process("view", copied / "rescue", "--no-browser", folder=tmp_path)
    assert done.returncode == 4 and "[no-run]" in done.stderr
    assert f"the folder above: {copied}" in " ".join(done.stderr.split())


def test_a_table_that_was_taken_away_is_told(run: Path, tmp_path: Path) -> None:
    from starlette.testclient import TestClient

    from eval_tiers.viewer.app import build_app
    from eval_tiers.viewer.run import open_run

    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    table(copied, "chains").unlink()
    client = TestClient(build_app(open_run(copied), tmp_path), base_url="http://127.0.0.1")
    assert "The table of chains isn&#39;t there any more" in client.get("/sample/0").text


def test_tables_that_go_while_they_are_looked_at_are_told(run: Path, tmp_path: Path) -> None:
    from starlette.testclient import TestClient

    from eval_tiers.viewer.app import build_app
    from eval_tiers.viewer.run import open_run

    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    client = TestClient(build_app(open_run(copied), tmp_path), base_url="http://127.0.0.1")
    assert client.get("/sample/0").status_code == 200
    table(copied).unlink()
    for address in ("/sample/0", "/?error_label=CORRECT", "/export.csv", "/export.parquet"):
        found = client.get(address)
        assert found.status_code == 500 and "can&#39;t be read any more" in found.text


def test_an_export_that_fails_half_way_is_broken_off(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import asyncio

    from eval_tiers.viewer.guards import Guards

    sent: list[dict[str, object]] = []

    async def fails(scope: object, receive: object, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"a", "more_body": True})
        raise RuntimeError("begun") from pa.ArrowInvalid("no page there")

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    scope = {"type": "http", "path": "/export.csv", "headers": [(b"host", b"localhost:1")]}
    guards = Guards(fails, (pa.ArrowException,))
    asyncio.run(guards(scope, None, send))  # type: ignore[arg-type]
    assert [one["type"] for one in sent] == ["http.response.start", "http.response.body"]
    assert sent[-1]["more_body"] is True  # the server closes the connection: it isn't whole
    assert capsys.readouterr().err == "'/export.csv' was broken off: no page there\n"


@pytest.mark.parametrize("name", ["a[1]b", "what?*", "it's", "sp ace"])
def test_folders_of_odd_names_can_be_looked_at(run: Path, tmp_path: Path, name: str) -> None:
    from eval_tiers.viewer.queries import Samples
    from eval_tiers.viewer.run import open_run
    from eval_tiers.viewer.view_state import View

    shutil.copytree(run, tmp_path / name)
    samples = Samples(open_run(tmp_path / name), tmp_path)
    assert len(samples.page(View())) == 50
    samples.close()


def test_the_database_reads_nothing_else(run: Path, tmp_path: Path) -> None:
    import duckdb

    from eval_tiers.viewer.database import open_database
    from eval_tiers.viewer.run import open_run

    other = tmp_path / "other.csv"
    other.write_text("a\n1\n")
    (tmp_path / "scratch").mkdir()
    database = open_database(open_run(run), tmp_path / "scratch")
    for query in (
        f"SELECT * FROM read_csv('{other}')",
        "SELECT * FROM read_text('/etc/passwd')",
        f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
    ):
        with pytest.raises(duckdb.Error):
            database.execute(query)
    database.close()


def test_a_table_that_is_damaged_inside_is_told_on_its_page(run: Path, tmp_path: Path) -> None:
    from starlette.testclient import TestClient

    from eval_tiers.viewer.app import build_app
    from eval_tiers.viewer.run import open_run

    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    spoil(table(copied, "chains"))
    client = TestClient(build_app(open_run(copied), tmp_path), base_url="http://127.0.0.1")
    assert client.get("/").status_code == 200
    found = client.get("/sample/0")
    assert found.status_code == 500
    assert "can&#39;t be read" in found.text and "Traceback" not in found.text
