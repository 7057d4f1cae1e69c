"""``pack-submission``: what it writes passes, what would not pass is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from eval_tiers.api.submissions import pack_submission
from eval_tiers.exceptions import EvalTiersError, UsageError
from eval_tiers.io.submission_folder import inspect_submission
from eval_tiers.io.submission_task import load_task
from tests.e2e.running import in_process
from tests.robust.submission_samples import TABLE, sha256, write_task


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """An agent's folder, with more in it than belongs into a submission."""
    folder = tmp_path / "source"
    (folder / "tables").mkdir(parents=True)
    (folder / "answer.md").write_bytes(b"\xef\xbb\xbfAngptl4 rises.\r\n")
    (folder / "results.csv").write_bytes(TABLE)
    (folder / "tables" / "more é.csv").write_bytes(b"a,b\r\n1,2\r\n")
    (folder / "secret.key").write_bytes(b"x")
    os.mkfifo(folder / "pipe")
    (folder / "link.csv").symlink_to("results.csv")
    (folder / "linked").symlink_to("tables")
    (folder / "big.txt").touch()
    os.truncate(folder / "big.txt", 100_000_001)
    os.link(folder / "secret.key", folder / "other.key")
    return folder


def files_of(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_what_is_packed_passes(tmp_path: Path, work: Path) -> None:
    output = tmp_path / "out" / "submission"
    packed = pack_submission(
        output, source=work, artifacts=["./results.csv", "tables/more é.csv"],
        descriptions={"results.csv": "per gene"},
    )  # fmt: skip
    assert packed.path == output
    assert files_of(output) == [
        "analysis_manifest.json", "answer.md", "results.csv", "tables/more é.csv"
    ]  # fmt: skip
    assert (output / "answer.md").read_bytes() == (work / "answer.md").read_bytes()
    assert json.loads((output / "analysis_manifest.json").read_text(encoding="utf-8")) == {
        "artifacts": [
            {"path": "results.csv", "sha256": sha256(TABLE), "description": "per gene"},
            {"path": "tables/more é.csv", "sha256": sha256(b"a,b\r\n1,2\r\n"), "description": ""},
        ]
    }
    assert sorted(path.name for path in output.parent.iterdir()) == ["submission"]
    loaded = load_task(write_task(tmp_path / "task"))
    found = inspect_submission(output, loaded.task, loaded.references)
    assert found.passed and len(found.artifacts) == 2


def test_a_long_name_is_packed(tmp_path: Path, work: Path) -> None:
    name = "n" * 251 + ".csv"
    (work / name).write_bytes(TABLE)
    output = tmp_path / ("o" * 255)
    pack_submission(output, source=work, artifacts=[name])
    assert files_of(output) == ["analysis_manifest.json", "answer.md", name]


def test_the_fix_is_about_what_is_wrong(tmp_path: Path, work: Path) -> None:
    with pytest.raises(EvalTiersError) as twice:
        pack_submission(tmp_path / "o", source=work, artifacts=["results.csv", "./results.csv"])
    assert twice.value.problems[0].fix == "leave one of them"
    draft = tmp_path / "draft.json"
    draft.write_text("{", encoding="utf-8")
    with pytest.raises(EvalTiersError) as broken:
        pack_submission(tmp_path / "o", source=work, manifest=draft)
    (problem,) = broken.value.problems
    assert "analysis_manifest.json" not in problem.message and problem.fix == "mend it"


def test_a_draft_manifest(tmp_path: Path, work: Path) -> None:
    draft = {
        "artifacts": [{"path": "results.csv", "sha256": "old", "description": "per gene"}],
        "software": {"R": "4.4"}, "note": "\ud83d",
    }  # fmt: skip
    (work / "analysis_manifest.json").write_text(json.dumps(draft))
    pack_submission(tmp_path / "out", source=work)
    written = json.loads((tmp_path / "out" / "analysis_manifest.json").read_text())
    draft["artifacts"] = [
        {"path": "results.csv", "sha256": sha256(TABLE), "description": "per gene"}
    ]
    assert written == draft
    pack_submission(tmp_path / "again", source=tmp_path / "out")
    assert (tmp_path / "again" / "analysis_manifest.json").read_bytes() == (
        tmp_path / "out" / "analysis_manifest.json"
    ).read_bytes()


@pytest.mark.parametrize(
    ("artifact", "code"),
    [
        ("none.csv", "missing"),
        ("link.csv", "symlink"),
        ("linked/more é.csv", "symlink"),
        ("pipe", "not-regular"),
        ("tables", "not-regular"),
        ("tables/", "not-regular"),
        ("big.txt", "oversize"),
        ("other.key", "hard-link-duplicate"),
        ("../source/results.csv", "escapes-root"),
        ("/etc/passwd", "absolute-path"),
        ("C:\\x", "absolute-path"),
        ("", "manifest-malformed"),
        ("a\\b", "manifest-malformed"),
        ("\udcff", "manifest-malformed"),
        ("Results.csv", "duplicate-declaration"),
        ("results.csv", "duplicate-declaration"),
        ("answer.md", "reserved-path"),
        ("Analysis_Manifest.json", "reserved-path"),
    ],
)
def test_what_would_be_refused(tmp_path: Path, work: Path, artifact: str, code: str) -> None:
    with pytest.raises(EvalTiersError) as error:
        pack_submission(tmp_path / "out", source=work, artifacts=["results.csv", artifact])
    assert [problem.code for problem in error.value.problems] == [code]
    assert error.value.exit_code == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source"]


@pytest.mark.parametrize(
    ("answer", "code"),
    [(b"", "empty-answer"), (b" \n", "empty-answer"), (b"\xff\xfe", "not-utf8"),
     (b"a\0b", "nul-byte"), (b"\xe9", "not-utf8"), (b"x" * 10_000_001, "oversize"),
     (None, "no-such-file")],
    ids=range(7),
)  # fmt: skip
def test_answers(tmp_path: Path, work: Path, answer: bytes | None, code: str) -> None:
    (work / "answer.md").unlink()
    if answer is not None:
        (work / "answer.md").write_bytes(answer)
    with pytest.raises(EvalTiersError) as error:
        pack_submission(tmp_path / "out", source=work, artifacts=["results.csv"])
    assert [problem.code for problem in error.value.problems] == [code]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"{", "manifest-malformed"),
        (b'{"artifacts": {}}', "manifest-malformed"),
        (b'{"artifacts": [{"path": 1}]}', "manifest-malformed"),
        (b'{"artifacts": [], "artifacts": []}', "manifest-malformed"),
        (b'{"artifacts": [], "x": 1e999}', "bad-json"),
        (b'{"artifacts": [], "x": "' + b"x" * 1_000_000 + b'"}', "oversize"),
        (b'{"artifacts": [], "x": "' + "é".encode() * 400_000 + b'"}', "oversize"),
    ],
    ids=range(7),
)
def test_drafts(tmp_path: Path, work: Path, data: bytes, code: str) -> None:
    (work / "draft.json").write_bytes(data)
    with pytest.raises(EvalTiersError) as error:
        pack_submission(tmp_path / "out", source=work, manifest=work / "draft.json")
    assert [problem.code for problem in error.value.problems] == [code]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source"]


def test_usage(tmp_path: Path, work: Path) -> None:
    with pytest.raises(UsageError, match="no-artifact"):
        pack_submission(tmp_path / "out", source=work)
    with pytest.raises(UsageError, match="two-lists"):
        pack_submission(tmp_path / "out", source=work, artifacts=["a"], manifest=work / "x")
    with pytest.raises(UsageError, match="output-exists"):
        pack_submission(work, source=work, artifacts=["results.csv"])
    with pytest.raises(EvalTiersError, match="unknown-path"):
        pack_submission(
            tmp_path / "out", source=work, artifacts=["results.csv"], descriptions={"x": "y"}
        )
    with pytest.raises(EvalTiersError, match="no-such-folder"):
        pack_submission(tmp_path / "out", source=tmp_path / "none", answer=work / "answer.md",
                        artifacts=["a"])  # fmt: skip
    (tmp_path / "empty").mkdir()
    pack_submission(tmp_path / "empty", source=work, artifacts=["results.csv"])
    assert (tmp_path / "empty" / "results.csv").read_bytes() == TABLE


def test_the_command(tmp_path: Path, work: Path) -> None:
    arguments = ["pack-submission", "--artifact", "results.csv", "-o", tmp_path / "out"]
    done = in_process(*arguments, "--describe", "results.csv=a = b", folder=work)
    assert done.returncode == 0, done.stderr
    assert (
        f"packed   answer.md and 1 declared file\n  {sha256(TABLE)[:12]}  results.csv\n"
        in done.stdout
    )
    done = in_process(*arguments, folder=work)
    assert done.returncode == 2 and "[output-exists]" in done.stderr
    done = in_process(
        "pack-submission", "--from", tmp_path / "out", "-o", tmp_path / "p", "--json", folder=work
    )
    assert json.loads(done.stdout)["artifacts"] == [
        {"path": "results.csv", "sha256": sha256(TABLE), "description": "a = b"}
    ]
    done = in_process(
        "pack-submission", "--artifact", "pipe", "--artifact", "link.csv", "-o", "x", folder=work
    )
    assert done.returncode == 3 and done.stderr.count("Error: [") == 2
    done = in_process(*arguments[:3], "-o", "y", "--describe", "results.csv", folder=work)
    assert done.returncode == 2 and "bad-description" in done.stderr
    assert "Traceback" not in done.stderr
