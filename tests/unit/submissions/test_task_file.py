"""``eval_task.toml``: what it says, and all that is wrong with it at once."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from eval_tiers.exceptions import BadInputError, SourceRef
from eval_tiers.submissions.task import (
    ArtifactSpec,
    EvalTask,
    Limits,
    NumericColumn,
    Recomputation,
    Tolerance,
)
from eval_tiers.submissions.task_file import parse_task

REF = SourceRef("task/eval_task.toml")
WHOLE = """
id = " toy "
question = "What rises?"
leak_markers = ["GSE00000"]

[[artifact]]
path = "./tables/results.csv"
header = ["gene", "trend", "n", "log2fc"]
key = ["gene"]
rows = 3
exact = ["trend"]
max_bytes = 5000
[artifact.numeric.log2fc]
rel = 1e-3
[artifact.numeric.n]
integer = true
[[artifact.recompute]]
column = "n"
from = "observations/x.csv"
group_by = ["symbol"]
function = "count"
[[artifact.recompute]]
column = "log2fc"
from = "observations/x.csv"
function = "mean"
value = "lfc"
abs = 0.01
[[artifact.recompute]]
column = "n"
table = "reference/n.csv"

[[artifact]]
path = "notes.md"

[[conclusion]]
text = "Angptl4 rises."
[[caveat]]
text = "Three animals."
[execution]
required_events = ["fit_model"]
[limits]
file_bytes = 1000000
"""
SMALL = """
id = "t"
[[artifact]]
path = "r.csv"
header = ["gene", "n"]
key = ["gene"]
[artifact.numeric.n]
[[conclusion]]
text = "x"
"""


def parsed(text: str) -> EvalTask:
    return parse_task(tomllib.loads(text), REF)[0]


def problems_of(text: str) -> list[tuple[str, str | None]]:
    with pytest.raises(BadInputError) as error:
        parsed(text)
    assert all(problem.where.path == REF.path for problem in error.value.problems)
    return [(problem.code, problem.where.field) for problem in error.value.problems]


def test_a_whole_task() -> None:
    log2fc = NumericColumn("log2fc", False, 1e-3, 1e-9)
    table = ArtifactSpec(
        "tables/results.csv", ("gene", "trend", "n", "log2fc"), ("gene",), 3,
        (NumericColumn("n", True, 0.0, 0.0), log2fc), ("trend",), 5000,
        (
            Recomputation("n", None, "observations/x.csv", ("symbol",), "count", None,
                          Tolerance(0.0, 0.0)),
            Recomputation("log2fc", None, "observations/x.csv", ("gene",), "mean", "lfc",
                          Tolerance(1e-3, 0.01)),
            Recomputation("n", "reference/n.csv", tolerance=Tolerance(0.0, 0.0)),
        ),
    )  # fmt: skip
    assert parsed(WHOLE) == EvalTask(
        "toy",
        (table, ArtifactSpec("notes.md", max_bytes=1_000_000)),
        ("Angptl4 rises.",),
        ("Three animals.",),
        ("GSE00000",),
        ("fit_model",),
        Limits(file_bytes=1_000_000),
        "What rises?",
    )
    assert table.reference_path == "reference/tables/results.csv"
    assert table.is_table and not ArtifactSpec("notes.md").is_table


def test_defaults() -> None:
    (spec,) = parsed(SMALL).artifacts
    assert spec.rows is None and spec.max_bytes == 100_000_000
    (column,) = spec.numeric
    assert (column.rel, column.abs, column.integer) == (1e-6, 1e-9, False)
    assert parsed(SMALL).caveats == () and parsed(SMALL).limits == Limits()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('id = "t"', "", ("missing-key", "id")),
        ('id = "t"', 'id = " "', ("empty-text", "id")),
        ('id = "t"', "id = 7", ("wrong-type", "id")),
        ('id = "t"', 'id = "t"\nmarkers = ["x"]', ("unknown-key", "markers")),
        ('id = "t"', 'id = "t"\nleak_markers = "x"', ("wrong-type", "leak_markers")),
        ('id = "t"', 'id = "t"\nleak_markers = [""]', ("empty-text", "leak_markers")),
        ('id = "t"', 'id = "t"\nleak_markers = ["a", "a"]', ("repeated-name", "leak_markers")),
        ('id = "t"', 'id = "t"\ncaveat = "x"', ("wrong-type", "caveat")),
        ('id = "t"', 'id = "t"\nexecution = 1', ("wrong-type", "execution")),
        ('[[conclusion]]\ntext = "x"', "", ("no-conclusion", "conclusion")),
        ('text = "x"', "", ("missing-key", "conclusion[1].text")),
        ('text = "x"', 'text = ""', ("empty-text", "conclusion[1].text")),
        ('text = "x"', 'txt = "x"', ("unknown-key", "conclusion[1].txt")),
        (
            'text = "x"', 'text = "x"\n[[conclusion]]\ntext = "x "',
            ("repeated-statement", "conclusion[2].text"),
        ),
        ('"r.csv"', '"/r.csv"', ("unsafe-path", "artifact[1].path")),
        ('"r.csv"', '"../r.csv"', ("unsafe-path", "artifact[1].path")),
        ('"r.csv"', '"a\\\\r.csv"', ("unsafe-path", "artifact[1].path")),
        ('"r.csv"', '"r/"', ("unsafe-path", "artifact[1].path")),
        ('"r.csv"', '"Answer.md"', ("reserved-path", "artifact[1].path")),
        ('path = "r.csv"', "", ("missing-key", "artifact[1].path")),
        ("[artifact.numeric.n]", 'rows = -1', ("out-of-range", "artifact[1].rows")),
        ("[artifact.numeric.n]", 'rows = true', ("wrong-type", "artifact[1].rows")),
        ("[artifact.numeric.n]", 'rows = 3.0', ("wrong-type", "artifact[1].rows")),
        ("[artifact.numeric.n]", "max_bytes = 0", ("out-of-range", "artifact[1].max_bytes")),
        (
            "[artifact.numeric.n]", "max_bytes = 100000001",
            ("limit-too-high", "artifact[1].max_bytes"),
        ),
        ('header = ["gene", "n"]\n', "", ("no-header", "artifact[1].header")),
        ('["gene", "n"]', '["gene", "n", "n"]', ("repeated-name", "artifact[1].header")),
        ('["gene", "n"]', '["gene", ""]', ("empty-text", "artifact[1].header")),
        ('key = ["gene"]\n', "", ("no-key", "artifact[1].key")),
        ('key = ["gene"]', 'key = ["Gene"]', ("no-such-column", "artifact[1].key")),
        ('key = ["gene"]', 'key = "gene"', ("wrong-type", "artifact[1].key")),
        ('key = ["gene"]', 'key = ["gene", "n"]', ("column-twice", "artifact[1].key")),
        ('key = ["gene"]', 'key = ["gene"]\nexact = ["x"]', ("no-such-column", "artifact[1].exact")),
        ("numeric.n]", "numeric.m]", ("no-such-column", "artifact[1].numeric.m")),
        ("numeric.n]", "numeric.n]\nrel = -1", ("bad-tolerance", "artifact[1].numeric.n.rel")),
        ("numeric.n]", "numeric.n]\nrel = nan", ("bad-tolerance", "artifact[1].numeric.n.rel")),
        ("numeric.n]", "numeric.n]\nabs = inf", ("bad-tolerance", "artifact[1].numeric.n.abs")),
        ("numeric.n]", 'numeric.n]\nabs = "1"', ("wrong-type", "artifact[1].numeric.n.abs")),
        ("numeric.n]", "numeric.n]\nabs = true", ("wrong-type", "artifact[1].numeric.n.abs")),
        ("numeric.n]", "numeric.n]\ninteger = 1", ("wrong-type", "artifact[1].numeric.n.integer")),
        (
            "numeric.n]", "numeric.n]\ninteger = true\nrel = 0.1",
            ("bad-tolerance", "artifact[1].numeric.n.rel"),
        ),
        ("numeric.n]", "numeric.n]\ntolerance = 1", ("unknown-key", "artifact[1].numeric.n.tolerance")),
        ('text = "x"', 'text = "x"\n[limits]\nartifacts = 101', ("limit-too-high", "limits.artifacts")),
        ('text = "x"', 'text = "x"\n[limits]\nfile = 1', ("unknown-key", "limits.file")),
    ],
)  # fmt: skip
def test_faults(old: str, new: str, problem: tuple[str, str]) -> None:
    assert old in SMALL
    assert problem in problems_of(SMALL.replace(old, new, 1))


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ('column = "m"\ntable = "t.csv"', ("no-such-column", ".column")),
        ('table = "t.csv"', ("missing-key", ".column")),
        ('column = "n"', ("bad-rule", "")),
        ('column = "n"\ntable = "t.csv"\nfrom = "o.csv"', ("bad-rule", "")),
        ('column = "n"\ntable = "t.csv"\nvalue = "x"', ("bad-rule", ".value")),
        ('column = "n"\ntable = "/t.csv"', ("unsafe-path", ".table")),
        ('column = "n"\nfrom = "../o.csv"\nfunction = "count"', ("unsafe-path", ".from")),
        ('column = "n"\nfrom = "o.csv"', ("missing-key", ".function")),
        ('column = "n"\nfrom = "o.csv"\nfunction = "median"\nvalue = "x"',
         ("unknown-function", ".function")),
        ('column = "n"\nfrom = "o.csv"\nfunction = "mean"', ("missing-key", ".value")),
        ('column = "n"\nfrom = "o.csv"\nfunction = "count"\ngroup_by = ["a", "b"]',
         ("bad-rule", ".group_by")),
        ('column = "n"\nfrom = "o.csv"\nfunction = "count"\nabs = -1', ("bad-tolerance", ".abs")),
        ('column = "n"\nfrom = "o.csv"\nfunction = "count"\nwhere = "x"', ("unknown-key", ".where")),
    ],
)  # fmt: skip
def test_faults_of_rules(rule: str, problem: tuple[str, str]) -> None:
    text = SMALL.replace("[[conclusion]]", f"[[artifact.recompute]]\n{rule}\n[[conclusion]]")
    code, place = problem
    assert (code, f"artifact[1].recompute[1]{place}") in problems_of(text)


def test_two_artifacts_that_are_one() -> None:
    text = SMALL + '[[artifact]]\npath = "R.csv"\nheader = ["a"]\nkey = ["a"]\n'
    assert problems_of(text) == [("repeated-path", "artifact[2].path")]


def test_all_problems_are_counted() -> None:
    text = 'id = "t"\n' + "".join(f'[[conclusion]]\nt{n} = "x"\n' for n in range(30))
    with pytest.raises(BadInputError) as error:
        parsed(text)
    assert len(error.value.problems) == 20 and error.value.total == 60
    assert "and 40 more" in str(error.value)


@pytest.mark.parametrize("value", ["1979-05-27", "[1]", "{a = 1}", "1.5", "[[1], [2]]"])
@pytest.mark.parametrize(
    "name",
    ["id", "question", "leak_markers", "artifact", "conclusion", "caveat", "execution", "limits"],
)
def test_any_value_anywhere_is_a_fault_of_ours(name: str, value: str) -> None:
    table: dict[str, Any] = tomllib.loads(SMALL)
    table[name] = tomllib.loads(f"x = {value}")["x"]
    with pytest.raises(BadInputError):
        parse_task(table, REF)


def test_findings() -> None:
    _, findings = parse_task(
        {"id": "t", "conclusion": [{"text": "x"}], "caveat": [{"text": "x"}]}, REF
    )
    assert [finding.code for finding in findings] == ["no-artifact", "statement-twice"]
    text = SMALL.replace('["gene", "n"]', '["gene", "n", "trend", "note"]')
    _, (finding,) = parse_task(tomllib.loads(text), REF)
    assert (finding.code, finding.level) == ("column-not-compared", "note")
    assert "trend, note" in finding.message and finding.where.field == "artifact[1].header"
    assert parse_task(tomllib.loads(SMALL), REF)[1] == []
    _, (finding,) = parse_task(tomllib.loads('leak_markers = ["p5"]\n' + SMALL), REF)
    assert (finding.code, finding.where.field) == ("short-leak-marker", "leak_markers")
