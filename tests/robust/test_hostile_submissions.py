"""Submissions made to harm the grader: each gets its code, quickly, and nothing else happens."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from eval_tiers.exceptions import BadInputError
from eval_tiers.io import submission_files
from eval_tiers.io.submission_folder import inspect_submission
from eval_tiers.io.submission_task import load_task
from tests.robust.submission_samples import (
    ANSWER,
    TABLE,
    codes_of,
    inspect,
    inspect_apart,
    sha256,
    write_submission,
    write_task,
)

SECONDS: Final = 10
MEGABYTES: Final = 500
ZEROS: Final = "0" * 64


def declared(path: str, data: bytes = TABLE) -> dict[str, str]:
    return {"path": path, "sha256": sha256(data)}


@pytest.fixture(autouse=True)
def _time_limit() -> Iterator[None]:
    """Nothing may wait for ever: a blocked open would hang the tests."""
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < 120


def test_the_unspoilt_one_passes(tmp_path: Path) -> None:
    found = inspect(tmp_path, write_submission(tmp_path / "s"))
    assert not found.failures and found.passed
    assert [artifact.path for artifact in found.artifacts] == ["results.csv"]
    assert found.answer == ANSWER.decode()


# ---- links, pipes, devices


def file_link(folder: Path) -> None:
    (folder / "results.csv").rename(folder / "real.csv")
    (folder / "results.csv").symlink_to("real.csv")


def link_out(folder: Path) -> None:
    (folder / "results.csv").unlink()
    (folder.parent / "outside.csv").write_bytes(TABLE)
    (folder / "results.csv").symlink_to(folder.parent / "outside.csv")


def dangling(folder: Path) -> None:
    (folder / "results.csv").unlink()
    (folder / "results.csv").symlink_to("nowhere")


def loop(folder: Path) -> None:
    (folder / "results.csv").unlink()
    (folder / "results.csv").symlink_to("results.csv")


def hard_link_out(folder: Path) -> None:
    (folder / "results.csv").rename(folder.parent / "outside.csv")
    os.link(folder.parent / "outside.csv", folder / "results.csv")


def fifo(folder: Path) -> None:
    (folder / "results.csv").unlink()
    os.mkfifo(folder / "results.csv")


def unix_socket(folder: Path) -> None:
    (folder / "results.csv").unlink()
    here = os.getcwd()
    os.chdir(folder)  # the name of a socket may not be long
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("results.csv")
    finally:
        os.chdir(here)


def device(folder: Path) -> None:
    (folder / "results.csv").unlink()
    try:
        os.mknod(folder / "results.csv", 0o020666, os.makedev(1, 5))  # endless zeros
    except PermissionError:
        pytest.skip("not here: devices can't be made")


def directory(folder: Path) -> None:
    (folder / "results.csv").unlink()
    (folder / "results.csv").mkdir()


def sparse(folder: Path) -> None:
    with open(folder / "results.csv", "r+b") as handle:
        handle.truncate(10**12)


def gone(folder: Path) -> None:
    (folder / "results.csv").unlink()


SPOILT: Final[dict[str, tuple[Callable[[Path], None], str]]] = {
    "link in the folder": (file_link, "symlink"),
    "link out": (link_out, "symlink"),
    "link to nowhere": (dangling, "symlink"),
    "link to itself": (loop, "symlink"),
    "hard link out": (hard_link_out, "hard_link_duplicate"),
    "pipe": (fifo, "not_regular"),
    "socket": (unix_socket, "not_regular"),
    "device": (device, "not_regular"),
    "folder": (directory, "not_regular"),
    "sparse": (sparse, "oversize"),
    "gone": (gone, "missing"),
}


@pytest.mark.parametrize("kind", SPOILT)
def test_what_is_no_plain_file(tmp_path: Path, kind: str) -> None:
    spoil, code = SPOILT[kind]
    folder = write_submission(tmp_path / "s")
    spoil(folder)
    begun = time.monotonic()
    found = inspect(tmp_path, folder)
    assert time.monotonic() - begun < SECONDS
    assert [(check.code, check.path) for check in found.failures] == [(code, "results.csv")]
    assert not found.artifacts


@pytest.mark.parametrize("name", ["answer.md", "analysis_manifest.json"])
@pytest.mark.parametrize("kind", ["link out", "pipe", "folder", "sparse", "gone"])
def test_answer_and_manifest_too(tmp_path: Path, name: str, kind: str) -> None:
    spoil, code = SPOILT[kind]
    folder = write_submission(tmp_path / "s")
    stand_in = tmp_path / "stand-in"
    stand_in.mkdir()
    (folder / name).rename(stand_in / "results.csv")
    spoil(stand_in)
    if os.path.lexists(stand_in / "results.csv"):
        (stand_in / "results.csv").rename(folder / name)
    found = inspect(tmp_path, folder)
    assert (code, name) in {(check.code, check.path) for check in found.failures}
    assert found.answer is None or name != "answer.md"


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_link_in_any_component(tmp_path: Path, depth: int) -> None:
    folder = write_submission(tmp_path / "s", {"a/b/c/r.csv": TABLE, "results.csv": TABLE})
    linked = folder / Path("a/b/c").parents[3 - depth - 1] if depth < 3 else folder / "a/b/c"
    linked.rename(tmp_path / "elsewhere")
    linked.symlink_to(tmp_path / "elsewhere")
    found = inspect(tmp_path, folder)
    assert [(check.code, check.path) for check in found.failures] == [("symlink", "a/b/c/r.csv")]


def test_two_names_of_one_file(tmp_path: Path) -> None:
    folder = write_submission(tmp_path / "s")
    os.link(folder / "results.csv", folder / "copy.csv")
    entries = [declared("results.csv"), declared("copy.csv")]
    (folder / "analysis_manifest.json").write_text(json.dumps({"artifacts": entries}))
    found = inspect(tmp_path, folder)
    assert codes_of(found) == {"hard_link_duplicate"} and not found.artifacts


def test_the_grader_may_name_the_folder_by_a_link(tmp_path: Path) -> None:
    folder = write_submission(tmp_path / "s")
    (tmp_path / "latest").symlink_to(folder)
    assert inspect(tmp_path, tmp_path / "latest").passed


# ---- paths


PATHS: Final = {
    "/etc/passwd": "absolute_path",
    "//server/x": "absolute_path",
    "C:\\x.csv": "absolute_path",
    "c:/x.csv": "absolute_path",
    "\\\\server\\x": "absolute_path",
    "../task/eval_task.toml": "escapes_root",
    "a/../results.csv": "escapes_root",
    "..": "escapes_root",
    "..\\x": "escapes_root",
    "a/b/../../../x": "escapes_root",
    "": "manifest_malformed",
    "  ": "manifest_malformed",
    "a\\b.csv": "manifest_malformed",
    "a\0b": "manifest_malformed",
    "a\nb": "manifest_malformed",
    "x\ud83d": "manifest_malformed",
    "x" * 5_000: "manifest_malformed",
    ".": "not_regular",
    "tables/": "not_regular",
    "x" * 300: "missing",
    "results.csv/x": "missing",
    "~/x": "missing",
    "%2e%2e/x": "missing",
    "file:///etc/passwd": "missing",
}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: ascii(path[:20]))
def test_paths(tmp_path: Path, path: str) -> None:
    entries = [declared("results.csv"), {"path": path, "sha256": ZEROS}]
    found = inspect(tmp_path, write_submission(tmp_path / "s", entries=entries))
    assert codes_of(found) == {PATHS[path]}
    assert [artifact.path for artifact in found.artifacts] == ["results.csv"]
    json.dumps([check.as_dict() for check in found.failures])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("results.csv", "results.csv"),
        ("results.csv", "./results.csv"),
        ("results.csv", "Results.CSV"),
        ("r\u00e9sultats.csv", "re\u0301sultats.csv"),
        ("stra\u00dfe.csv", "STRASSE.csv"),
        ("\u212bngstr\u00f6m.csv", "\u00e5ngstro\u0308m.csv"),
    ],
)
def test_names_that_are_one_name(tmp_path: Path, one: str, other: str) -> None:
    folder = write_submission(tmp_path / "s", {one: TABLE})
    (folder / other).write_bytes(TABLE)
    entries = [declared(one), declared(other)]
    (folder / "analysis_manifest.json").write_text(json.dumps({"artifacts": entries}))
    found = inspect(tmp_path, folder)
    assert "duplicate_declaration" in codes_of(found)
    assert not found.artifacts


def test_a_required_file_under_another_case(tmp_path: Path) -> None:
    found = inspect(tmp_path, write_submission(tmp_path / "s", {"Results.csv": TABLE}))
    (check,) = found.failures
    assert check.code == "missing" and "Results.csv" in check.message


# ---- the manifest


MANIFESTS: Final[dict[str, bytes]] = {
    "empty": b"",
    "blank": b" \n",
    "no JSON": b"artifacts: []",
    "cut off": b'{"artifacts": [{"path": "results.csv"',
    "array": b"[]",
    "text": b'"results.csv"',
    "no list": b'{"artifacts": {"results.csv": 1}}',
    "no artifacts": b"{}",
    "null": b'{"artifacts": null}',
    "NaN": b'{"artifacts": [], "x": NaN}',
    "Infinity": b'{"artifacts": [], "x": -Infinity}',
    "key twice": b'{"artifacts": [], "artifacts": []}',
    "nested": b'{"artifacts": ' + b"[" * 300_000 + b"]" * 300_000 + b"}",
    "nested objects": b'{"artifacts": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}",
    "long number": b'{"artifacts": [' + b"9" * 900_000 + b"]}",
    "UTF-16": '{"artifacts": []}'.encode("utf-16"),
    "cp1252": b'{"artifacts": [], "x": "\xe9"}',
    "two documents": b'{"artifacts": []}\n{"artifacts": []}',
    "entry is text": b'{"artifacts": ["results.csv"]}',
    "no hash": b'{"artifacts": [{"path": "results.csv"}]}',
    "short hash": b'{"artifacts": [{"path": "results.csv", "sha256": "abc"}]}',
    "prefixed hash": b'{"artifacts": [{"path": "results.csv", "sha256": "sha256:%s"}]}'
    % sha256(TABLE).encode(),
    "number for a path": b'{"artifacts": [{"path": 1, "sha256": "%s"}]}' % sha256(TABLE).encode(),
    "description is a list": b'{"artifacts": [{"path": "results.csv", "sha256": "%s", '
    b'"description": []}]}' % sha256(TABLE).encode(),
    "101 entries": json.dumps(
        {"artifacts": [{"path": f"{n}.txt", "sha256": ZEROS} for n in range(101)]}
    ).encode(),
    "300,000 small entries": b'{"artifacts": [' + b"{}," * 300_000 + b"{}]}",
}


@pytest.mark.parametrize("kind", MANIFESTS)
def test_malformed_manifests(tmp_path: Path, kind: str) -> None:
    begun = time.monotonic()
    found = inspect(tmp_path, write_submission(tmp_path / "s", manifest=MANIFESTS[kind]))
    assert time.monotonic() - begun < SECONDS
    assert "manifest_malformed" in codes_of(found)
    assert codes_of(found) <= {"manifest_malformed", "missing"}
    assert not found.artifacts


@pytest.mark.parametrize(
    "dress",
    [
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b" ", b"\r\n"),
        lambda data: data.replace(sha256(TABLE).encode(), sha256(TABLE).upper().encode()),
        lambda data: data.replace(b'"path"', b'"note": [1], "path"'),
    ],
    ids=["BOM", "CRLF", "upper-case hash", "other keys"],
)
def test_manifests_that_are_fine(tmp_path: Path, dress: Callable[[bytes], bytes]) -> None:
    manifest = json.dumps({"artifacts": [declared("results.csv")]}).encode()
    assert dress(manifest) != manifest
    assert inspect(tmp_path, write_submission(tmp_path / "s", manifest=dress(manifest))).passed


def test_a_million_entries(tmp_path: Path) -> None:
    entry = json.dumps({"path": "f", "sha256": ZEROS}).encode()
    manifest = b'{"artifacts": [' + (entry + b",") * 999_999 + entry + b"]}"
    folder = write_submission(tmp_path / "s", manifest=manifest)
    check_within_limits(tmp_path, folder, {"oversize"})


# ---- tables that are too much


def check_within_limits(tmp_path: Path, folder: Path, codes: set[str]) -> None:
    task = write_task(tmp_path / "task")
    before = os.times().children_user
    found = inspect_apart(task, folder)
    used = os.times().children_user - before
    assert used < SECONDS, used  # of the processor: the machine may be busy
    assert found.peak_mb < MEGABYTES
    assert found.codes == codes
    assert not found.verified


def bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("results.csv", b"\0" * 50_000_000)
    return packed.getvalue()


HEADER: Final = b"gene,n,log2fc\n"
HUGE: Final[dict[str, tuple[Callable[[], bytes], set[str]]]] = {
    "a million rows": (
        lambda: HEADER + b"".join(b"G%d,1,0.5\n" % n for n in range(1_000_000)),
        {"unexpected_key", "row_count"},
    ),
    "100,000 columns": (
        lambda: b",".join(b"c%d" % n for n in range(100_000)) + b"\n" + b"1," * 99_999 + b"1\n",
        {"header_mismatch"},
    ),
    "rows of 100,000 columns": (
        lambda: HEADER + (b"1," * 99_999 + b"1\n") * 400,
        {"row_length"},
    ),
    "one cell of 99 MB": (lambda: HEADER + b"A" * 99_000_000, {"too_wide"}),
    "a quote without an end": (lambda: HEADER + b'"' + b"A\n" * 49_000_000, {"too_wide"}),
    "one row of many lines": (lambda: HEADER + b'"\n",' * 19_000_000, {"too_wide"}),
    "blank lines": (lambda: HEADER + b"\n" * 99_000_000, {"row_length", "row_count"}),
    "no line end": (lambda: b"," * 99_000_000, {"too_wide"}),
    "more than fits": (lambda: HEADER + b"A,1,0.5\n" * 12_500_000, {"oversize"}),
    "zip bomb": (bomb, {"not_utf8"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HUGE)
def test_huge_tables(tmp_path: Path, kind: str) -> None:
    make, codes = HUGE[kind]
    folder = write_submission(tmp_path / "s", {"results.csv": make()})
    check_within_limits(tmp_path, folder, codes)
    shutil.rmtree(folder)


@pytest.mark.slow
def test_500_megabytes_in_all(tmp_path: Path) -> None:
    folder = write_submission(tmp_path / "s")
    data = b"a" * 99_999_996 + "\U0001f600".encode()
    entries = [declared("results.csv")]
    for number in range(5):
        (folder / f"{number}.txt").write_bytes(data)
        entries.append(declared(f"{number}.txt", data))
    (folder / "analysis_manifest.json").write_text(json.dumps({"artifacts": entries}))
    task = write_task(tmp_path / "task")
    found = inspect_apart(task, folder)
    shutil.rmtree(folder)
    assert found.peak_mb < MEGABYTES
    assert (found.codes, found.paths) == ({"oversize"}, {"4.txt"})
    assert found.verified == ["results.csv", "0.txt", "1.txt", "2.txt", "3.txt"]


# ---- a file that changes


def test_a_file_that_grows_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_submission(tmp_path / "s")

    def grow(path: Path) -> None:
        with open(path, "ab") as handle:
            handle.write(b"X,1,1\n")

    change_while_read(monkeypatch, folder / "results.csv", grow)
    found = inspect(tmp_path, folder)
    assert [(check.code, check.path) for check in found.failures] == [
        ("changed_while_read", "results.csv")
    ]


@pytest.mark.parametrize("change", ["same size", "shorter"])
def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    folder = write_submission(tmp_path / "s")

    def rewrite(path: Path) -> None:
        with open(path, "r+b") as handle:
            if change == "shorter":
                handle.truncate(10)
            else:
                handle.write(b"GENE")

    change_while_read(monkeypatch, folder / "results.csv", rewrite)
    assert codes_of(inspect(tmp_path, folder)) == {"changed_while_read"}


@pytest.mark.parametrize("stand_in", ["link", "pipe", "file"])
def test_another_file_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stand_in: str
) -> None:
    folder = write_submission(tmp_path / "s")
    path = folder / "results.csv"
    (tmp_path / "outside.csv").write_bytes(TABLE)
    real = os.open

    def swap_then_open(name: str | Path, flags: int, *args: int, **places: int) -> int:
        if name == "results.csv":  # looked at already, not yet opened
            path.unlink()
            if stand_in == "link":
                path.symlink_to(tmp_path / "outside.csv")
            elif stand_in == "pipe":
                os.mkfifo(path)
            else:
                path.write_bytes(TABLE.replace(b"1.75", b"9.75"))
        return real(name, flags, *args, **places)

    monkeypatch.setattr(submission_files.os, "open", swap_then_open)
    found = inspect(tmp_path, folder)
    assert codes_of(found) == {"changed_while_read"} and not found.artifacts


def change_while_read(
    monkeypatch: pytest.MonkeyPatch, path: Path, change: Callable[[Path], None]
) -> None:
    """Change a file after its first piece was read."""
    real, identity, done = os.pread, path.stat().st_ino, threading.Event()

    def read_then_change(descriptor: int, size: int, position: int) -> bytes:
        data = real(descriptor, size, position)
        if os.fstat(descriptor).st_ino == identity and not done.is_set():
            done.set()
            change(path)
        return data

    monkeypatch.setattr(submission_files.os, "pread", read_then_change)


def test_a_file_that_never_stops_growing(tmp_path: Path) -> None:
    folder = write_submission(tmp_path / "s")
    stop, begun_to_write = threading.Event(), threading.Event()

    def grow() -> None:
        with open(folder / "results.csv", "ab", buffering=0) as handle:
            while not stop.is_set():
                handle.write(b"X" * 4_096)
                begun_to_write.set()
                time.sleep(0.0005)

    writer = threading.Thread(target=grow)
    writer.start()
    begun_to_write.wait()
    try:
        begun = time.monotonic()
        found = inspect(tmp_path, folder)
        assert time.monotonic() - begun < SECONDS
    finally:
        stop.set()
        writer.join()
    assert codes_of(found) <= {"changed_while_read", "hash_mismatch"} and found.failures


def test_content_that_changed_since_is_never_quoted(tmp_path: Path) -> None:
    folder = write_submission(tmp_path / "s")
    (artifact,) = inspect(tmp_path, folder).artifacts
    assert artifact.find_row(("Angptl4",)) == {"gene": "Angptl4", "n": "6", "log2fc": "1.75"}
    (folder / "results.csv").write_bytes(TABLE.replace(b"1.75", b"9.75"))
    with pytest.raises(BadInputError, match="changed-while-read"):
        artifact.find_row(("Angptl4",))
    (folder / "results.csv").unlink()
    (folder / "results.csv").symlink_to("/etc/passwd")
    with pytest.raises(BadInputError, match="changed-while-read"):
        list(artifact.texts())


# ---- nothing is run, nothing else is read


HOOK: Final = """
watched = []
def watch(event, arguments, seen=watched):
    if event == "open" or event.startswith(("subprocess", "os.exec", "os.system", "os.posix_spawn",
            "os.fork", "socket", "ctypes", "os.spawn", "pty", "shutil", "os.listdir", "os.scandir",
            "os.walk", "exec", "import", "marshal")):
        seen.append([event, str(arguments[0])])
"""


def hostile_in_every_way(tmp_path: Path) -> tuple[Path, Path]:
    task = write_task(tmp_path / "task")
    files = {
        "results.csv": TABLE.replace(b"Angptl4", b"=cmd|' /C calc'!A0"),
        "notes.txt": b"@SUM(1)\n$(touch pwned)\n",
        "module.py": b"open('pwned', 'w')\n",
        "x.zip": bomb(),
    }
    folder = write_submission(tmp_path / "s", files)
    (folder / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    (folder / "undeclared.csv").write_bytes(b"x")
    (folder / "sitecustomize.py").write_bytes(b"open('pwned', 'w')\n")
    (folder / "eval_tiers.py").write_bytes(b"raise SystemExit('shadowed')\n")
    os.mkfifo(folder / "pipe")
    (tmp_path / "secret.csv").write_bytes(TABLE)
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    entries = [declared(name, data) for name, data in files.items()]
    entries += [declared("link.csv"), declared("../secret.csv"), declared("pipe", b"")]
    entries += [declared(str(tmp_path / "secret.csv"))]
    (folder / "analysis_manifest.json").write_text(json.dumps({"artifacts": entries}))
    return task, folder


def test_nothing_is_run_and_nothing_outside_is_opened(tmp_path: Path) -> None:
    task, folder = hostile_in_every_way(tmp_path)
    found = inspect_apart(
        task, folder, before=HOOK, ready="sys.addaudithook(watch)", extra="watched"
    )
    assert {"symlink", "escapes_root", "absolute_path", "not_regular"} <= found.codes
    opened = [name for event, name in found.extra if event == "open"]
    allowed = {str(task / "eval_task.toml"), str(task / "reference" / "results.csv")}
    within = {
        str(folder), "answer.md", "analysis_manifest.json", "results.csv", "notes.txt", "module.py",
        "x.zip",
    }  # fmt: skip
    ours = (sys.prefix, sys.base_prefix, "/proc/self/status")
    strange = [
        name for name in opened if name not in allowed | within and not name.startswith(ours)
    ]
    assert not strange
    assert set(opened) >= allowed | within
    others = {event for event, _ in found.extra} - {"open", "import", "marshal.loads", "exec"}
    assert not others
    run = {name for event, name in found.extra if event == "exec"}
    assert not any(str(tmp_path) in name for name in run)
    assert not list(tmp_path.rglob("pwned"))


def test_system_calls_name_nothing_outside(tmp_path: Path) -> None:
    if shutil.which("strace") is None:
        pytest.skip("not here: no strace")
    task, folder = hostile_in_every_way(tmp_path)
    log = tmp_path / "calls"
    script = (
        "import sys; from pathlib import Path;"
        "from eval_tiers.pipeline.submissions.inspect import inspect_folders;"
        "inspect_folders(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    done = subprocess.run(
        ["strace", "-f", "-e", "trace=open,openat,openat2,execve,connect,creat", "-o", str(log),
         sys.executable, "-c", script, str(task), str(folder)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if done.returncode != 0 and "ptrace" in done.stderr:
        pytest.skip("not here: strace may not trace")
    assert done.returncode == 0, done.stderr
    calls = log.read_text(encoding="utf-8", errors="replace").split("\n")
    assert sum("execve(" in call for call in calls) == 1  # Python itself
    assert not any("connect(" in call for call in calls)
    mine = [call for call in calls if str(tmp_path) in call and "execve(" not in call]
    assert {name.split('"')[1] for name in mine} == {
        str(task / "eval_task.toml"),
        str(task / "reference" / "results.csv"),
        str(folder),
    }
    for never in ("secret", "undeclared", "DS_Store", "sitecustomize.py", '"pipe"', '"link.csv"'):
        assert not any(never in call for call in mine)
    relative = [call for call in calls if "openat(" in call and "AT_FDCWD" not in call]
    names = {call.split('"')[1] for call in relative if '"' in call}
    assert names == {
        "answer.md", "analysis_manifest.json", "results.csv", "notes.txt", "module.py", "x.zip"
    }  # fmt: skip
    assert all("O_NOFOLLOW" in call and "O_NONBLOCK" in call for call in relative if '"' in call)


# ---- hashes, text, undeclared files


def test_undeclared_files_never_matter(tmp_path: Path) -> None:
    folder = write_submission(tmp_path / "s")
    (folder / ".DS_Store").write_bytes(b"\0")
    (folder / "__MACOSX").mkdir()
    (folder / "__MACOSX" / "._results.csv").write_bytes(b"\0")
    (folder / "._results.csv").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe")
    (folder / "RESULTS.csv").write_bytes(b"other")
    assert inspect(tmp_path, folder).passed


def test_wrong_hashes(tmp_path: Path) -> None:
    crlf = TABLE.replace(b"\n", b"\r\n")
    folder = write_submission(
        tmp_path / "s", {"results.csv": crlf}, entries=[declared("results.csv")]
    )
    found = inspect(tmp_path, folder)
    (check,) = found.failures
    assert check.code == "hash_mismatch" and "matches with LF line endings" in check.message
    other = write_submission(tmp_path / "t", entries=[{"path": "results.csv", "sha256": ZEROS}])
    shutil.rmtree(tmp_path / "task")
    (check,) = inspect(tmp_path, other).failures
    assert check.code == "hash_mismatch" and "LF" not in check.message


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (None, "missing"),
        (b"", "empty_answer"),
        (b" \r\n\t\n", "empty_answer"),
        (b"\xef\xbb\xbf\n", "empty_answer"),
        ("\u00a0\u2003\n".encode(), "empty_answer"),
        (b"caf\xe9", "not_utf8"),
        ("ris\u00e9".encode("utf-16"), "not_utf8"),
        (b"a\0b", "nul_byte"),
        (b"a" * 10_000_001, "oversize"),
    ],
    ids=[
        "none",
        "empty",
        "blank",
        "BOM alone",
        "Unicode blanks",
        "Latin-1",
        "UTF-16",
        "NUL",
        "10 MB",
    ],
)
def test_answers(tmp_path: Path, answer: bytes | None, code: str) -> None:
    found = inspect(tmp_path, write_submission(tmp_path / "s", answer=answer))
    assert [(check.code, check.path) for check in found.failures] == [(code, "answer.md")]
    assert found.answer is None
    assert [artifact.path for artifact in found.artifacts] == ["results.csv"]


def test_the_answer_is_no_evidence_for_itself(tmp_path: Path) -> None:
    entries = [declared("results.csv"), declared("answer.md", ANSWER)]
    found = inspect(tmp_path, write_submission(tmp_path / "s", entries=entries))
    assert found.passed and [artifact.path for artifact in found.artifacts] == ["results.csv"]
    assert any("answer.md" in note for note in found.notes)


def test_a_wrong_hash_of_the_answer(tmp_path: Path) -> None:
    entries = [declared("results.csv"), declared("answer.md")]
    found = inspect(tmp_path, write_submission(tmp_path / "s", entries=entries))
    assert codes_of(found) == {"hash_mismatch"}


def test_a_manifest_that_declares_itself(tmp_path: Path) -> None:
    entries = [declared("results.csv"), declared("analysis_manifest.json")]
    found = inspect(tmp_path, write_submission(tmp_path / "s", entries=entries))
    assert codes_of(found) == {"hash_mismatch"}


def test_other_files_may_be_of_any_kind(tmp_path: Path) -> None:
    files = {"results.csv": TABLE, "plot.png": b"\x89PNG\r\n\0\xff", "notes.txt": "α\n".encode()}
    found = inspect(tmp_path, write_submission(tmp_path / "s", files))
    assert found.passed
    kinds = {artifact.path: artifact.kind for artifact in found.artifacts}
    assert kinds == {"results.csv": "table", "plot.png": "binary", "notes.txt": "text"}
    binary = next(item for item in found.artifacts if item.kind == "binary")
    assert binary.head == "" and list(binary.texts()) == [] and list(binary.rows()) == []


def test_a_file_that_the_system_keeps_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_submission(tmp_path / "s")
    real = os.open

    def refuse(name: str | Path, flags: int, *args: int, **places: int) -> int:
        if name == "results.csv":
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(name, flags, *args, **places)

    monkeypatch.setattr(submission_files.os, "open", refuse)
    assert codes_of(inspect(tmp_path, folder)) == {"unreadable"}


def test_a_disk_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_submission(tmp_path / "s")

    def fail(descriptor: int, size: int, position: int) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(submission_files.os, "pread", fail)
    assert codes_of(inspect(tmp_path, folder)) == {"unreadable"}


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    task, folder = hostile_in_every_way(tmp_path)
    loaded = load_task(task)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        found = inspect_submission(folder, loaded.task, loaded.references)
        for artifact in found.artifacts:
            next(artifact.texts(), None)
        del found
    assert len(os.listdir("/proc/self/fd")) <= before


def test_the_command_keeps_the_limits_too(tmp_path: Path) -> None:
    data = HEADER + b"".join(b"G%d,1,0.5\n" % n for n in range(1_000_000))
    folder = write_submission(tmp_path / "s", {"results.csv": data})
    (folder / "link.csv").symlink_to("/etc/passwd")
    entries = [declared("results.csv", data), declared("link.csv"), declared("/etc/passwd")]
    (folder / "analysis_manifest.json").write_text(json.dumps({"artifacts": entries}))
    task, output = write_task(tmp_path / "task"), tmp_path / "judge.json"
    script = (
        "import sys; from eval_tiers.cli.main import main\n"
        "try:\n    main()\n"
        "finally:\n    print(next(line for line in open('/proc/self/status') if 'VmHWM' in line),"
        " file=sys.stderr)"
    )
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-c", script, "grade-submission", "--task", str(task),
         "--submission", str(folder), "-o", str(output)],
        capture_output=True, text=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    after = os.times()
    assert done.returncode == 0, done.stderr
    used = after.children_user + after.children_system
    assert used - before.children_user - before.children_system < SECONDS
    peak = int(done.stderr.split("VmHWM:")[1].split()[0])
    assert peak < MEGABYTES * 1000
    record = json.loads(output.read_text(encoding="utf-8"))
    assert record["score"] is None
    told = json.dumps(record)
    for code in ("symlink", "absolute_path", "row_count", "unexpected_key"):
        assert f'"{code}"' in told and code in done.stdout
    assert "root:" not in told
