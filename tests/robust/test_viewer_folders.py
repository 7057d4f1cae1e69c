"""Folders that are no run, half a run, a damaged run: one clear error each."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.e2e.running import in_process


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("viewed")
    assert in_process("eval", "-q", "--tiers", 1, 2, folder=folder).returncode == 0
    (made,) = (folder / "outputs").iterdir()
    return made


def table(run: Path, stem: str = "samples") -> Path:
    return next(run.glob(f"{stem}_*.parquet"))


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
