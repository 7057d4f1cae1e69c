"""Faulty task folders: each fault is an error with its place, and none a traceback or a pass."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from eval_tiers.exceptions import BadInputError, EvalTiersError
from eval_tiers.io.demo import example_task
from eval_tiers.io.task_provenance import read_provenance
from eval_tiers.pipeline.submissions.validate_task import TaskValidation, validate_task

HEADER = "source_path\tsize\tsha256\n"
DATA = b"gene\nA\n"
DIGEST = hashlib.sha256(DATA).hexdigest()
ROW = f"observations/a.csv\t7\t{DIGEST}\n"
PAGE = "## Citation\nx\n\n## Transformations\ny\n\n## Terms\nz\n"


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A copy of the example that may be spoilt."""
    return Path(shutil.copytree(example_task(), tmp_path / "task"))


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A folder with one observation, its table and its page."""
    (tmp_path / "observations").mkdir()
    (tmp_path / "observations/a.csv").write_bytes(DATA)
    (tmp_path / "provenance.tsv").write_text(HEADER + ROW, encoding="utf-8")
    (tmp_path / "PROVENANCE.md").write_text(PAGE, encoding="utf-8")
    return tmp_path


def errors_of(result: TaskValidation) -> list[tuple[str, str | None]]:
    """Code and field of each error."""
    return [(one.code, one.where.field) for one in result.findings if one.level == "error"]


@pytest.mark.parametrize(
    ("old", "new", "code", "field"),
    [
        ('id = "liver-two-way-genes"', "", "missing-key", "id"),
        ('id = "liver-two-way-genes"', "id = 5", "wrong-type", "id"),
        ("leak_markers = [", "leakmarkers = [", "unknown-key", "leakmarkers"),
        ('path = "datasets.csv"', 'path = "genes.csv"', "repeated-path", "artifact[2].path"),
        ('path = "datasets.csv"', 'path = "../d.csv"', "unsafe-path", "artifact[2].path"),
        ('path = "datasets.csv"', 'path = "/d.csv"', "unsafe-path", "artifact[2].path"),
        ('key = ["dataset"]', 'key = ["set"]', "no-such-column", "artifact[2].key"),
        ('key = ["dataset"]', "", "no-key", "artifact[2].key"),
        ("[artifact.numeric.gene_n]", "[artifact.numeric.genes]", "no-such-column",
         "artifact[2].numeric.genes"),
        ("abs = 1e-9", "abs = -1.0", "bad-tolerance", "artifact[1].numeric.mean_log2fc.abs"),
        ("abs = 1e-9", "abs = nan", "bad-tolerance", "artifact[1].numeric.mean_log2fc.abs"),
        ("rows = 46", 'rows = "46"', "wrong-type", "artifact[1].rows"),
        ('function = "mean"', 'function = "median"', None, None),
        ("max_bytes = 100000", "max_bytes = 1000000000", None, None),
        ('text = "OSD-168 reports the most genes, 21 of 46."', 'text = " "', "empty-text",
         "conclusion[3].text"),
    ],
)  # fmt: skip
def test_a_faulty_task_file(
    task: Path, old: str, new: str, code: str | None, field: str | None
) -> None:
    path = task / "eval_task.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    result = validate_task(task)
    found = errors_of(result)
    assert found and not result.ok
    if code is not None:
        assert (code, field) in found
    assert result.mutations == [] and result.oracle is None
    assert result.provenance.file_n == 3  # looked at all the same
    places = [one.where.path for one in result.findings if one.level == "error"]
    assert places == [str(path)] * len(places)


def test_no_conclusion_at_all(task: Path) -> None:
    path = task / "eval_task.toml"
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition("[[conclusion]]")
    path.write_text(head + rest[rest.index("[execution]"):], encoding="utf-8")  # fmt: skip
    assert errors_of(validate_task(task)) == [("no-conclusion", "conclusion")]


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (HEADER + ROW.replace("\t7\t", "\t8\t"), ["size-mismatch"]),
        (HEADER + ROW.replace(DIGEST[:8], "00000000"), ["hash-mismatch"]),
        (HEADER + ROW.replace("observations", "/observations"), ["absolute-path", "unlisted-file"]),
        (HEADER + ROW.replace("observations", "C:/observations"),
         ["absolute-path", "unlisted-file"]),
        (HEADER + ROW.replace("observations", "../observations"),
         ["escapes-root", "unlisted-file"]),
        (HEADER + ROW[:20], ["row-length", "unlisted-file"]),  # torn in the last line
        (HEADER + ROW[:60], ["bad-hash"]),
        (HEADER + ROW + ROW, ["repeated-source"]),
        (HEADER + ROW + f"observations/b.csv\t7\t{DIGEST}\n", ["no-such-file"]),
        (HEADER + ROW.replace("a.csv", ""), ["not-regular", "unlisted-file"]),
        (HEADER + ROW.replace("\t7\t", "\t7.0\t"), ["bad-size"]),
        (HEADER + ROW.replace("\t7\t", "\t-7\t"), ["bad-size"]),
        (HEADER + ROW.replace("\t7\t", "\t" + "7" * 5000 + "\t"), ["bad-size"]),
        (HEADER + ROW.replace("\t7\t", "\t٧\t"), ["bad-size"]),
        (HEADER, ["no-source"]),
        ("", ["no-source"]),
        (ROW, ["missing-column"]),
        ((HEADER + ROW).replace("\t", ","), ["missing-column"]),
        ((HEADER + ROW).encode("utf-16"), ["utf-16"]),
        ((HEADER + ROW).encode() + b"\xff\t7\t0\n", ["not-utf8"]),
        (b"\x1f\x8b\x08\0", ["not-text"]),
        (HEADER + ROW.replace("a.csv", "a\0.csv"), ["bad-path", "unlisted-file"]),
    ],
    ids=range(22),
)  # fmt: skip
def test_a_faulty_table_of_sources(sources: Path, data: str | bytes, codes: list[str]) -> None:
    table = sources / "provenance.tsv"
    table.write_bytes(data.encode() if isinstance(data, str) else data)
    found = read_provenance(sources)
    assert len(found.findings) == len(codes)
    told = [one.code for one in found.findings]
    if codes[0] not in {"utf-16", "not-utf8"}:  # named by the readers of all text files
        assert told == codes
    assert any(one.level == "error" for one in found.findings)
    assert all(one.where.path == str(table) for one in found.findings)


@pytest.mark.parametrize(
    "data",
    [
        "\ufeff" + HEADER + ROW,
        (HEADER + ROW).replace("\n", "\r\n"),
        (HEADER + ROW).rstrip("\n"),
        HEADER + "\n" + ROW.replace(DIGEST, DIGEST.upper()) + "\n\n",
        HEADER.replace("source_path", "Source path").replace("sha256", "SHA-256") + ROW,
        "note\tsha256\tbytes\tpath\n" + f"x\t{DIGEST}\t7\tobservations/a.csv\n",
        HEADER + ROW.replace("observations", "./observations/"),
    ],
    ids=["bom", "crlf", "no end", "blank lines, upper case", "names", "order", "dots"],
)
def test_a_table_of_sources_that_will_do(sources: Path, data: str) -> None:
    (sources / "provenance.tsv").write_bytes(data.encode())
    found = read_provenance(sources)
    assert (found.findings, found.file_n, found.byte_n, found.row_n) == ([], 1, 7, 1)


def test_the_line_is_named(sources: Path) -> None:
    data = HEADER + "\n" + ROW.replace("\t7\t", "\t1,000\t")
    (sources / "provenance.tsv").write_text(data, encoding="utf-8")
    (one,) = read_provenance(sources).findings
    assert (one.where.line, one.where.field) == (3, "size")


@pytest.mark.parametrize("kind", ["pipe", "folder", "link out", "broken link", "device"])
def test_a_source_that_is_no_file_of_the_task(sources: Path, kind: str, tmp_path: Path) -> None:
    target = sources / "observations/a.csv"
    target.unlink()
    if kind == "pipe":
        os.mkfifo(target)
    elif kind == "folder":
        target.mkdir()
    elif kind == "device":
        target.symlink_to("/dev/zero")
    else:
        outside = tmp_path.parent / f"{tmp_path.name}-outside"
        if kind == "link out":
            outside.write_bytes(DATA)
        target.symlink_to(outside)
    found = read_provenance(sources)
    assert found.file_n == 0
    assert any(one.level == "error" and one.where.line == 2 for one in found.findings)


@pytest.mark.parametrize(
    ("page", "codes"),
    [
        (PAGE.replace("Citation", "Source"), [("no-section", "citation")]),
        (PAGE.replace("\ny\n", "\n \n"), [("empty-section", "transformations")]),
        (PAGE.replace("\nz\n", "\nTODO\n"), [("empty-section", "terms")]),
        ("", [("no-section", "citation"), ("no-section", "transformations"),
              ("no-section", "terms")]),
        ("Citation: a\nTransformations:\nTerms: TBD\n",
         [("empty-section", "transformations"), ("empty-section", "terms")]),
        (PAGE.replace("## ", "#"), [("no-section", name) for name in
                                    ("citation", "transformations", "terms")]),
    ],
)  # fmt: skip
def test_a_faulty_page(sources: Path, page: str, codes: list[tuple[str, str]]) -> None:
    (sources / "PROVENANCE.md").write_text(page, encoding="utf-8")
    found = [(one.code, one.where.field) for one in read_provenance(sources).findings]
    assert found == codes


@pytest.mark.parametrize(
    "page",
    [
        PAGE.replace("\n", "\r\n"),
        "\ufeff" + PAGE,
        PAGE.replace("Terms", "Licence").replace("## ", "### "),
        "Citation\n===\na\n\nTransformations\n---\nnone\n\nTerms of use\n----\nc\n",
        "**Citation:** a. **Transformations:** none. **Terms:** CC0.",
        "# All\n\n## 1. How to cite\n\n### Data\nx\n\n## 2. Transformations\n* y\n\n## Terms ##\nz",
    ],
)
def test_a_page_that_will_do(sources: Path, page: str) -> None:
    (sources / "PROVENANCE.md").write_bytes(page.encode())
    assert read_provenance(sources).findings == []


def replace_in(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


def pipe_for(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda path: path.unlink(), "no-such-file"),
        (lambda path: replace_in(path, b"gene_n", b"genes_n"), "header-mismatch"),
        (lambda path: replace_in(path, b"OSD-47", b"OSD-25"), "duplicate-key"),
        (lambda path: replace_in(path, b"0.7666133333", b"nan"), "not-finite"),
        (lambda path: replace_in(path, b"0.7666133333", b"inf"), "not-finite"),
        (lambda path: replace_in(path, b"0.7666133333", b""), "not-a-number"),
        (lambda path: replace_in(path, b"OSD-25,15,", b"OSD-25,15.5,"), "not-integer"),
        (lambda path: replace_in(path, b"OSD-25,15,", b"OSD-25,"), "row-length"),
        (lambda path: replace_in(path, b"OSD-25", b"OSD-\xff"), "not-utf8"),
        (lambda path: replace_in(path, b"OSD-25", b"OSD-\0"), "nul-byte"),
        (lambda path: replace_in(path, b"OSD-25,", b'"OSD-25,'), "malformed-csv"),
        (lambda path: replace_in(path, b"0.7666133333", b"0.7676133333"),
         "rule-contradicts-reference"),
        (lambda path: path.write_bytes(path.read_bytes().rpartition(b"OSD")[0]), "row-count"),
        (lambda path: path.write_bytes(b""), "header-mismatch"),
        (pipe_for, "not-a-regular-file"),
    ],
)  # fmt: skip
def test_a_faulty_reference_table(task: Path, spoil: Callable[[Path], object], code: str) -> None:
    spoil(task / "reference/datasets.csv")
    result = validate_task(task)
    mine = [
        one for one in result.findings
        if one.where.path == str(task / "reference/datasets.csv") and one.level == "error"
    ]  # fmt: skip
    assert [one.code for one in mine] == [code]
    assert result.mutations == []


def test_all_faults_of_all_files_are_told_at_once(task: Path) -> None:
    (task / "reference/genes.csv").unlink()
    replace_in(task / "reference/datasets.csv", b"gene_n", b"n")
    (task / "PROVENANCE.md").unlink()
    codes = {code for code, _ in errors_of(validate_task(task))}
    assert {"no-such-file", "header-mismatch", "hash-mismatch", "size-mismatch"} <= codes


@pytest.mark.parametrize("name", ["answer.md", "analysis_manifest.json", "genes.csv"])
def test_an_oracle_that_would_block_or_lead_out(task: Path, name: str) -> None:
    path = task / "oracle" / name
    path.unlink()
    os.mkfifo(path)
    codes = [code for code, _ in errors_of(validate_task(task))]
    assert "not-regular" in codes
    path.unlink()
    path.symlink_to("/etc/passwd")
    codes = [code for code, _ in errors_of(validate_task(task))]
    assert "symlink" in codes


def test_trajectory_and_reply_that_cannot_be_read(task: Path) -> None:
    (task / "trajectory.jsonl").write_bytes(b"\xff\xfe\0\0")
    (task / "judge_reply.json").write_bytes(b"\xff\xfe\0\0")
    codes = [code for code, _ in errors_of(validate_task(task))]
    assert "oracle-not-executed" in codes
    assert "bad-judge-reply" in codes


@pytest.mark.parametrize("text", ["id = 1\nid = 2\n", "[" * 5000, "\x00", "a = 1e\n"])
def test_what_is_no_toml_is_raised(tmp_path: Path, text: str) -> None:
    (tmp_path / "eval_task.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError):
        validate_task(tmp_path)


def test_a_file_for_a_folder(tmp_path: Path) -> None:
    (tmp_path / "task").write_text("x", encoding="utf-8")
    with pytest.raises(EvalTiersError, match="folder"):
        validate_task(tmp_path / "task")
