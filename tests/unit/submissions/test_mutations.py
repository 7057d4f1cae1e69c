"""Faults put into an oracle: what is made of a small table, and that every code is met."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from eval_tiers.io.demo import example_task
from eval_tiers.io.oracle_faults import OracleFile
from eval_tiers.io.oracle_mutations import OracleMutation, mutations_by_file
from eval_tiers.io.submission_folder import inspect_submission
from eval_tiers.io.submission_task import load_task
from eval_tiers.pipeline.submissions.mutation_trials import try_mutations
from eval_tiers.submissions import codes
from eval_tiers.submissions.mutations import TableMutation, first_rows, mutate_table
from eval_tiers.submissions.reference import build_reference
from eval_tiers.submissions.tables import check_table
from eval_tiers.submissions.task import (
    ArtifactSpec,
    EvalTask,
    NumericColumn,
    Recomputation,
    Tolerance,
)

SPEC = ArtifactSpec(
    "a.csv",
    ("gene", "n", "log2fc", "trend"),
    ("gene",),
    None,
    (NumericColumn("n", True, 0.0, 0.0), NumericColumn("log2fc", rel=0.1, abs=0.5)),
    ("trend",),
    recompute=(Recomputation("log2fc", table="x.csv", tolerance=Tolerance(0.0, 2.0)),),
)
TABLE = b"gene,n,log2fc,trend\nA,1,-10,up\nB,2,4,down\n"


def mutations(data: bytes = TABLE, spec: ArtifactSpec = SPEC) -> list[TableMutation]:
    return list(mutate_table(data, spec))


def rows_of(name: str, column: str | None = None) -> list[str]:
    """The rows of one mutation, the header included."""
    (one,) = [m for m in mutations() if m.name == name and m.column == column]
    assert one.data is not None
    return one.data.decode().split("\n")[:-1]


@pytest.mark.parametrize(
    ("name", "column", "rows"),
    [
        ("dropped column", None, ["gene,n,log2fc", "A,1,-10", "B,2,4"]),
        # only the names change place: the cells stay where they are
        ("reordered header", None, ["trend,log2fc,n,gene", "A,1,-10,up", "B,2,4,down"]),
        ("extra row", None, ["gene,n,log2fc,trend", "A,1,-10,up", "B,2,4,down",
                             "not-in-the-reference,1,-10,up"]),
        ("short row", None, ["gene,n,log2fc,trend", "A,1,-10", "B,2,4,down"]),
        ("duplicate key", None, ["gene,n,log2fc,trend", "B,2,4,down", "B,2,4,down"]),
        ("nan", "n", ["gene,n,log2fc,trend", "A,nan,-10,up", "B,2,4,down"]),
        ("inf", "log2fc", ["gene,n,log2fc,trend", "A,1,inf,up", "B,2,4,down"]),
        ("fraction", "n", ["gene,n,log2fc,trend", "A,0.5,-10,up", "B,2,4,down"]),
        ("number off", "n", ["gene,n,log2fc,trend", "A,2,-10,up", "B,2,4,down"]),
        # the larger of 3 x 0.5 and 3 x 0.1 x 10, away from 0
        ("number off", "log2fc", ["gene,n,log2fc,trend", "A,1,-13.0,up", "B,2,4,down"]),
        ("off the observations", "log2fc",
         ["gene,n,log2fc,trend", "A,1,-16.0,up", "B,2,4,down"]),  # 3 x 2
        ("sign turned", "log2fc", ["gene,n,log2fc,trend", "A,1,10.0,up", "B,2,4,down"]),
        ("sign turned", "n", ["gene,n,log2fc,trend", "A,1,-10,up", "B,-2,4,down"]),
        ("text changed", "trend", ["gene,n,log2fc,trend", "A,1,-10,up~", "B,2,4,down"]),
    ],
)  # fmt: skip
def test_what_is_done_to_a_table(name: str, column: str | None, rows: list[str]) -> None:
    assert rows_of(name, column) == rows


def test_a_bom_crlf_and_quotes_are_read() -> None:
    spec = replace(SPEC, path="a.tsv", recompute=())
    data = b'\xef\xbb\xbfgene\tn\tlog2fc\ttrend\r\n"A\tB"\t1\t2\tup\r\n'
    (one,) = [m for m in mutations(data, spec) if m.name == "number off" and m.column == "n"]
    assert one.data == b'gene\tn\tlog2fc\ttrend\n"A\tB"\t2\t2\tup\n'


@pytest.mark.parametrize(
    ("data", "spec", "reasons"),
    [
        (b"gene\nA\nB\n", ArtifactSpec("a.csv", ("gene",), ("gene",)), {
            "dropped column": "the table has one column only",
            "reordered header": "the table has one column only",
            "short row": "the table has one column only",
            "nan": "no column is numeric",
            "number off": "no column is numeric",
            "fraction": "no column is of whole numbers",
            "off the observations": "the task has no rule for this file",
            "text changed": "no column has to be exact",
        }),
        (b"gene,n\n", ArtifactSpec("a.csv", ("gene", "n"), ("gene",), None, (NumericColumn("n"),)),
         {
            "extra row": "the table has no rows",
            "dropped row": "the table has no rows",
            "duplicate key": "the table has no rows",
            "nan": "the table has no rows",
            "sign turned": "the column holds nothing but zeros",
        }),
        (b"id,n\n1,0\n", ArtifactSpec("a.csv", ("id", "n"), ("id",), None,
                                      (NumericColumn("id", True), NumericColumn("n"))), {
            "duplicate key": "the table has one row only",
            "number off": "the column is of the key",
            "sign turned": "the column is of the key",
        }),
    ],
    ids=["one column", "no rows", "numeric key"],
)  # fmt: skip
def test_what_cannot_be_made_says_why(
    data: bytes, spec: ArtifactSpec, reasons: dict[str, str]
) -> None:
    found: dict[str, str] = {}
    for one in mutations(data, spec):
        if one.data is None:
            assert one.reason
            found.setdefault(one.name, one.reason)
    assert {name: found.get(name) for name in reasons} == reasons


def test_a_number_at_the_end_of_the_floats() -> None:
    spec = ArtifactSpec("a.csv", ("g", "n"), ("g",), None, (NumericColumn("n", abs=1e308),))
    (one,) = [m for m in mutations(b"g,n\nA,1e308\n", spec) if m.name == "number off"]
    assert one.data is None
    assert one.reason == "a number beyond the tolerance has no place in a float"


def every_mutation(files: int | None = None) -> list[OracleMutation]:
    loaded = load_task(example_task())
    folder = example_task() / "oracle"
    given = [
        OracleFile(spec.path, spec, folder / spec.path, (folder / spec.path).stat().st_size)
        for spec in loaded.task.artifacts
    ]
    groups = mutations_by_file(loaded.task, b"an answer\n", given[:files], loaded.references)
    return [one for group in groups for one in group]


def test_every_code_has_a_mutation() -> None:
    assert {one.code for one in every_mutation()} == set(codes.CODES)


def test_an_oracle_without_files_has_its_answer_and_manifest_alone() -> None:
    made = [one for one in every_mutation(0) if one.make is not None]
    assert {one.code for one in made} == {
        codes.MISSING, codes.EMPTY_ANSWER, codes.NOT_UTF8, codes.NUL_BYTE,
        codes.MANIFEST_MALFORMED, codes.OVERSIZE,
    }  # fmt: skip
    reasons = {one.reason for one in every_mutation(0) if one.make is None}
    assert reasons == {"the oracle declares no file"}


def test_every_mutation_of_the_example_is_found_and_the_oracle_left_alone(tmp_path: Path) -> None:
    loaded = load_task(example_task())
    oracle = example_task() / "oracle"
    before = {path: path.read_bytes() for path in oracle.rglob("*") if path.is_file()}
    found = inspect_submission(oracle, loaded.task, loaded.references)
    told: list[tuple[int, int]] = []
    tried = try_mutations(loaded, oracle, found, tmp_path, lambda *done: told.append(done))
    assert [one for one in tried if one.status == "not found"] == []
    made = {one.code for one in tried if one.status == "found"}
    root = os.geteuid() == 0
    assert made == {*codes.CODES, "leak"} - ({codes.UNREADABLE} if root else set())
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert {path: path.read_bytes() for path in oracle.rglob("*") if path.is_file()} == before
    assert list(tmp_path.iterdir()) == []  # each was removed again


def test_structure_faults_are_found_by_nothing_but_their_code(tmp_path: Path) -> None:
    loaded = load_task(example_task())
    oracle = example_task() / "oracle"
    found = inspect_submission(oracle, loaded.task, loaded.references)
    spoilt = [
        one
        for one in try_mutations(loaded, oracle, found, tmp_path)
        if one.code in codes.STRUCTURE_CODES and one.path not in {"genes.csv", "answer.md"}
    ]
    # a file that isn't declared under its own name is missing under it as well
    extra = {one.name: set(one.found) - {one.code} for one in spoilt}
    assert {name for name, more in extra.items() if more - {codes.MISSING}} == set()


def test_a_tolerance_that_lets_a_wrong_sign_pass_is_not_found(tmp_path: Path) -> None:
    loaded = load_task(example_task())
    oracle = example_task() / "oracle"
    wide = tuple(
        replace(spec, numeric=tuple(replace(one, rel=3.0) for one in spec.numeric), recompute=())
        for spec in loaded.task.artifacts
        if spec.path == "datasets.csv"
    )
    task: EvalTask = replace(loaded.task, artifacts=wide)
    rows = loaded.references["datasets.csv"]
    lax = replace(
        rows,
        expectations=tuple(
            replace(one, tolerance=Tolerance(3.0, 0.0)) for one in rows.expectations
        ),
    )
    loose = replace(loaded, task=task, references={"datasets.csv": lax})
    found = inspect_submission(oracle, task, loose.references)
    missed = [
        (one.name, one.column)
        for one in try_mutations(loose, oracle, found, tmp_path)
        if one.status == "not found"
    ]
    assert missed == [("sign turned", "mean_log2fc")]


def test_the_page_lists_every_mutation_with_its_code() -> None:
    page = Path(__file__).parents[3] / "docs" / "writing_a_task.md"
    listed = {
        (name, code)
        for names, code in re.findall(r"^\| ([^|]+) \| [^|]+ \| `(\w+)` \|$",
                                      page.read_text(encoding="utf-8"), re.M)
        for name in names.split("; ")
    }  # fmt: skip
    assert listed == {(one.name, one.code) for one in every_mutation()}


def test_of_a_long_and_wide_table_the_beginning_is_tried(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(30)]
    numeric = tuple(NumericColumn(name) for name in names)
    spec = ArtifactSpec("a.csv", ("gene", *names), ("gene",), None, numeric)
    rows = [f"g{row}," + ",".join(f"{row + column}.5" for column in range(30))
            for row in range(1000)]  # fmt: skip
    data = ("gene," + ",".join(names) + "\n" + "\n".join(rows) + "\n").encode()
    turned = b"\n".join([data.split(b"\n")[0], *data.split(b"\n")[-2:0:-1], b""])
    reference = build_reference([turned], spec)  # in the opposite order
    begun, kept = first_rows([data], spec, reference)
    assert begun == b"\n".join(data.split(b"\n")[:201]) + b"\n"
    assert list(kept.keys.items()) == [((f"g{row}",), row) for row in range(200)]
    assert list(kept.expectations[3].values) == [row + 3.5 for row in range(200)]
    assert check_table([begun], spec, kept)[0].total == 0
    (tmp_path / "a.csv").write_bytes(data)
    file = OracleFile("a.csv", spec, tmp_path / "a.csv", len(data))
    task = replace(load_task(example_task()).task, artifacts=(spec,))
    groups = mutations_by_file(task, b"x\n", [file], {"a.csv": reference})
    off = [one.column for one in groups[1] if one.name in {"number off", "further columns"}]
    assert off == [*names[:20], None]
    assert file.beginning() == data
    assert replace(file, size=len(data) + 1).beginning().endswith(b"\n")
