"""Folders of splits, odd kinds of files, names, and the other files of a run."""

from __future__ import annotations

import gzip
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.robust.samples import (
    COMMAND,
    GENE_SETS,
    GOLD,
    GRAPH,
    PREDICTIONS,
    ROW_N,
    Ran,
    check_refused,
    evaluate_pair,
    run_command,
)

Tree = Mapping[str, bytes]
SPLITS = ("id_test", "cell_ood")
TREE: dict[str, bytes] = {
    f"{side}/{split}/{stem}_{kind}.jsonl": data
    for side, stem, data in (("gt", "pqa", GOLD), ("pred", "model", PREDICTIONS))
    for split in SPLITS
    for kind in ("chemical", "genetic")
}


def evaluate_tree(folder: Path, tree: Tree, *options: object) -> Ran:
    """Write a tree of gold and prediction folders and evaluate it."""
    for name, data in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (folder / "graph.tsv").write_text(GRAPH)
    outputs = folder / "outputs"
    return run_command(
        "eval", "--gt-dir", folder / "gt", "--pred-dir", folder / "pred",
        "--external-kg", folder / "graph.tsv", "-o", outputs, "--json", *options, outputs=outputs,
    )  # fmt: skip


def but(*left_out: str, **more: bytes) -> Tree:
    """Return the tree without some files."""
    return {name: data for name, data in TREE.items() if name not in left_out} | more


def test_a_whole_tree(tmp_path: Path) -> None:
    ran = evaluate_tree(tmp_path, TREE)
    assert ran.ledger() == {"gold": {"scored": 4 * ROW_N}, "predictions": {"matched": 4 * ROW_N}}
    assert list(ran.summary["by_split"]) == sorted(SPLITS)


HARMLESS: dict[str, Tree] = {
    "upper-case names": but("gt/id_test/pqa_chemical.jsonl")
    | {"gt/id_test/PQA_CHEMICAL.JSONL": GOLD},
    "other names": but("pred/id_test/model_genetic.jsonl")
    | {"pred/id_test/a.b-Genetic (1).ndjson": PREDICTIONS},
    "packed": but("pred/id_test/model_genetic.jsonl")
    | {"pred/id_test/model_genetic.jsonl.gz": gzip.compress(PREDICTIONS)},
    "hidden files": TREE
    | {
        "gt/.git/x": b"x",
        "gt/.DS_Store": b"x",
        "gt/__MACOSX/id_test/._pqa_chemical.jsonl": b"x",
        "gt/id_test/._pqa_chemical.jsonl": b"x",
        "gt/id_test/__MACOSX/._pqa_chemical.jsonl": b"x",
        "pred/id_test/.DS_Store": b"x",
        "pred/.ipynb_checkpoints/model_chemical.jsonl": b"x",
    },
    "files of other kinds": TREE
    | {
        "gt/README.md": b"x",
        "gt/id_test/notes_chemical.txt": b"x",
        "gt/id_test/pqa_chemical.jsonl~": b"x",
        "gt/id_test/pqa_chemical.jsonl.bak": b"x",
        "gt/id_test/chemical.jsonl/inside": b"x",
    },
}


@pytest.mark.parametrize("tree", HARMLESS.values(), ids=HARMLESS)
def test_odd_trees_read_as_they_are_meant(tmp_path: Path, tree: Tree) -> None:
    ran = evaluate_tree(tmp_path, tree)
    assert ran.code == 0, ran.err
    assert ran.ledger()["gold"] == {"scored": 4 * ROW_N}


SPOILT: dict[str, tuple[str, str, Tree]] = {
    "split in gold only": (
        "split-on-one-side",
        "gt/pert_ood",
        TREE | {"gt/pert_ood/pqa_chemical.jsonl": GOLD, "gt/pert_ood/pqa_genetic.jsonl": GOLD},
    ),
    "split in predictions only": (
        "split-on-one-side",
        "pred/pert_ood",
        TREE | {"pred/pert_ood/model_chemical.jsonl": PREDICTIONS},
    ),
    "neither word": (
        "file-without-type",
        "gt/id_test",
        TREE | {"gt/id_test/other.jsonl": GOLD},
    ),
    "both words": (
        "file-without-type",
        "gt/id_test",
        TREE | {"gt/id_test/chemical_genetic.jsonl": GOLD},
    ),
    "two of a kind": (
        "two-files-of-a-type",
        "pred/id_test",
        TREE | {"pred/id_test/again_chemical.jsonl": PREDICTIONS},
    ),
    "packed and not": (
        "two-files-of-a-type",
        "pred/id_test",
        TREE | {"pred/id_test/model_chemical.jsonl.gz": gzip.compress(PREDICTIONS)},
    ),
    "none of a kind": ("missing-file", "pred/id_test", but("pred/id_test/model_chemical.jsonl")),
    "a table instead": (
        "missing-file",
        "pred/id_test",
        but("pred/id_test/model_chemical.jsonl") | {"pred/id_test/model_chemical.csv": b"id\n"},
    ),
}


@pytest.mark.parametrize(("code", "where", "tree"), SPOILT.values(), ids=SPOILT)
def test_spoilt_trees_are_refused(tmp_path: Path, code: str, where: str, tree: Tree) -> None:
    ran = evaluate_tree(tmp_path, tree)
    check_refused(ran, code)
    assert f"where: {tmp_path / where}" in ran.err


def test_all_faults_of_a_tree_are_told(tmp_path: Path) -> None:
    tree = but("gt/id_test/pqa_chemical.jsonl", "pred/cell_ood/model_genetic.jsonl")
    ran = evaluate_tree(tmp_path, tree | {"gt/cell_ood/other.jsonl": b""})
    assert ran.code == 3
    assert sorted(ran.codes) == ["file-without-type", "missing-file", "missing-file"]


def test_one_bad_row_in_one_of_many_files_is_found(tmp_path: Path) -> None:
    bad = GOLD.replace(b'"down"', b'"dwn"', 1)
    ran = evaluate_tree(tmp_path, TREE | {"gt/cell_ood/pqa_genetic.jsonl": bad}, "--jobs", "2")
    check_refused(ran, "unknown-label")
    assert "cell_ood/pqa_genetic.jsonl:1" in ran.err


def test_files_without_a_split_folder_are_refused(tmp_path: Path) -> None:
    ran = evaluate_tree(tmp_path, {"gt/a_chemical.jsonl": GOLD, "pred/b_chemical.jsonl": b""})
    check_refused(ran, "no-split-folder")


def test_empty_split_folders_are_refused(tmp_path: Path) -> None:
    for side in ("gt", "pred"):
        (tmp_path / side / "id_test").mkdir(parents=True)
    check_refused(evaluate_tree(tmp_path, {}), "missing-file", error_n=4)


def test_a_link_that_leads_nowhere_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "gt" / "id_test").mkdir(parents=True)
    (tmp_path / "gt" / "id_test" / "pqa_chemical.jsonl").symlink_to("gone")
    ran = evaluate_tree(tmp_path, but("gt/id_test/pqa_chemical.jsonl"))
    check_refused(ran, "missing-file")


@pytest.mark.parametrize(
    ("name", "code", "exit_code"),
    [
        ("file", "not-a-folder", 3),
        ("gone", "no-such-folder", 4),
        ("link", "no-such-folder", 4),
        ("pipe", "not-a-folder", 3),
        ("x" * 300, "unreadable-path", 4),
        ("file/below", "no-such-folder", 4),
    ],
    ids=["file", "gone", "link", "pipe", "long", "below a file"],
)
@pytest.mark.parametrize("side", ["--gt-dir", "--pred-dir"])
def test_what_is_no_folder_is_refused(
    tmp_path: Path, name: str, code: str, exit_code: int, side: str
) -> None:
    (tmp_path / "file").write_bytes(GOLD)
    (tmp_path / "link").symlink_to("link")
    os.mkfifo(tmp_path / "pipe")
    check_refused(evaluate_tree(tmp_path, TREE, side, tmp_path / name), code, exit_code)


NAMES = {
    "blanks": "a b",
    "not ASCII": "é→名",
    "a line break": "a\nb",
    "a tab": "a\tb",
    "a formula": "=cmd",
    "a dash": "-x",
    "quotes": "'\"",
    "colours": "a\x1b[31mb",
    "right to left": "a\u202eb",
    "no UTF-8": os.fsdecode(b"a\xffb"),
    "200 letters": "x" * 200,
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_folders_and_files_may_have_any_name(tmp_path: Path, name: str) -> None:
    spoilt = PREDICTIONS.replace(b'"g3"', b'"other"')
    tree = {
        f"{side}/{split}/{name}_{kind}.jsonl": data
        for side, data in (("gt", GOLD), ("pred", spoilt))
        for split in (name, "id_test")
        for kind in ("chemical", "genetic")
    }
    ran = evaluate_tree(tmp_path, tree, "-o", tmp_path / f"out {name}")
    assert ran.code == 0, ran.err
    assert ran.codes == ["prediction-without-gold"]
    assert all(line.startswith(("Warning: ", "  ")) for line in ran.err.rstrip("\n").split("\n"))
    assert "\x1b" not in ran.err + ran.out
    assert len(ran.summary["by_split"]) == 2
    again = run_command(
        "eval", "--gt-dir", tmp_path / "gt", "--pred-dir", tmp_path / "pred", "--tiers", "1",
        "-o", tmp_path / f"out {name}",
    )  # fmt: skip
    assert again.code == 0
    assert "\x1b" not in again.out + again.err


# One pair of files, a graph, gene sets, training questions: what is no file


def _link(path: Path) -> None:
    path.symlink_to(path.name)


ODD: dict[str, tuple[Callable[[Path], object], str, int]] = {
    "folder": (Path.mkdir, "is-a-directory", 3),
    "pipe": (os.mkfifo, "not-a-regular-file", 3),
    "link to itself": (_link, "broken-link", 4),
    "link to nothing": (lambda path: path.symlink_to("gone"), "broken-link", 4),
    "nothing": (lambda path: None, "no-such-file", 4),
}


@pytest.mark.parametrize(("make", "code", "exit_code"), ODD.values(), ids=ODD)
@pytest.mark.parametrize("role", ["gold", "prediction", "graph", "gene-set", "training"])
def test_what_is_no_file_is_refused(
    tmp_path: Path, make: Callable[[Path], object], code: str, exit_code: int, role: str
) -> None:
    odd = tmp_path / "odd_chemical.jsonl"
    make(odd)
    (tmp_path / "gold.jsonl").write_bytes(GOLD)
    (tmp_path / "model.jsonl").write_bytes(PREDICTIONS)
    (tmp_path / "graph.tsv").write_text(GRAPH)
    arguments = {
        "--gt-file": "gold.jsonl", "--pred-file": "model.jsonl", "--external-kg": "graph.tsv",
        "--tiers": "1,2,3", "--go-gmt": "sets.gmt", "-o": "outputs",
    }  # fmt: skip
    (tmp_path / "sets.gmt").write_text(GENE_SETS)
    options = {
        "gold": "--gt-file", "prediction": "--pred-file", "graph": "--external-kg",
        "gene-set": "--go-gmt", "training": "--train-file",
    }  # fmt: skip
    arguments[options[role]] = odd.name
    command = [*COMMAND, "eval", *(word for item in arguments.items() for word in item)]
    if code == "not-a-regular-file" and role not in {"gold", "prediction"}:  # it may hang
        ended = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=10, check=False
        )
        ran = Ran(ended.returncode, ended.stdout, ended.stderr, tmp_path / "outputs")
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path)
            ran = run_command(*command[len(COMMAND) :], outputs=tmp_path / "outputs")
    check_refused(ran, code, exit_code)
    assert f"the {role} file" in ran.err


@pytest.mark.parametrize("name", ["x" * 300, "", "/dev/null"], ids=["long", "empty", "device"])
def test_file_names_that_are_none(tmp_path: Path, name: str) -> None:
    path = tmp_path / name if name.startswith("x") else name
    (tmp_path / "model.jsonl").write_bytes(PREDICTIONS)
    ran = run_command(
        "eval", "--gt-file", path, "--pred-file", tmp_path / "model.jsonl", "--tiers", "1",
        "-o", tmp_path / "outputs",
    )  # fmt: skip
    assert ran.code in (3, 4)
    assert len(ran.codes) == 1
    assert "Errno" not in ran.err


def test_files_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval_tiers.io.sources.os.access", lambda path, mode: False)
    check_refused(evaluate_pair(tmp_path), "no-permission", 4)


def test_folders_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", refuse)
    check_refused(evaluate_tree(tmp_path, TREE), "unreadable-path", 4)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"<!DOCTYPE html>\n<html></html>\n", "html-page"),
        (b"", "empty-file"),
        (b"\n\n", "empty-file"),
        (b'{"a": 1}\n', "json-not-read"),
        (bytes(range(256)) * 10, "nul-byte"),
        (GRAPH.encode("utf-16"), "not-utf8"),
        (gzip.compress(GRAPH.encode() * 50)[:-9], "truncated-file"),
        (GOLD, "json-not-read"),
    ],
    ids=["page", "empty", "blank", "JSON", "binary", "UTF-16", "cut off", "gold"],
)
def test_graphs_that_are_none_are_refused(tmp_path: Path, data: bytes, code: str) -> None:
    odd = tmp_path / "odd.tsv"
    odd.write_bytes(data)
    ran = evaluate_pair(tmp_path, GOLD, PREDICTIONS, "--external-kg", odd)
    check_refused(ran, code)
    assert "odd.tsv" in ran.err


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"<!DOCTYPE html>\n<html></html>\n", "html-page"),
        (b"", "empty-file"),
        (b"\n\n", "empty-file"),
        (b'{"a": 1}\n', "not-a-gmt"),
        (b"A\nB\n", "not-a-gmt"),
        (bytes(range(256)) * 10, "nul-byte"),
        (GENE_SETS.encode("utf-16"), "not-utf8"),
        (gzip.compress(GENE_SETS.encode() * 50)[:-9], "truncated-file"),
    ],
    ids=["page", "empty", "blank", "JSON", "one column", "binary", "UTF-16", "cut off"],
)
def test_gene_sets_that_are_none_are_refused(tmp_path: Path, data: bytes, code: str) -> None:
    odd = tmp_path / "odd.gmt"
    odd.write_bytes(data)
    options = ("--tiers", "1", "2", "3", "--go-gmt", odd)
    ran = evaluate_pair(tmp_path, GOLD, PREDICTIONS, *options)
    check_refused(ran, code)
    assert "odd.gmt" in ran.err


USAGE: dict[str, tuple[str, ...]] = {
    "gold file alone": ("--gt-file", "g"),
    "gold folder alone": ("--gt-dir", "g"),
    "prediction folder alone": ("--pred-dir", "g"),
    "prediction file alone": ("--pred-file", "g"),
    "a folder and a file": ("--gt-dir", "g", "--pred-file", "p"),
    "all four": ("--gt-dir", "g", "--pred-dir", "p", "--gt-file", "g", "--pred-file", "p"),
    "split of folders": ("--gt-dir", "g", "--pred-dir", "p", "--split", "x"),
    "split of the demo": ("--split", "x"),
    "no such tier": ("--tiers", "4"),
    "no tier": ("--tiers",),
    "a word for a tier": ("--tiers", "all"),
    "no sign": ("--mode", "genetic"),
    "no type": ("--mode", "=1"),
    "no such format": ("--format", "nope"),
    "no such option": ("--nope",),
    "an argument": ("nope",),
    "a threshold that is none": ("--coverage-threshold", "nan"),
    "a threshold above 1": ("--hallucination-threshold", "1.1"),
    "a seed below 0": ("--seed", "-1"),
    "a seed of 20 digits": ("--seed", "9" * 20),
    "no batch": ("--batch-size", "0"),
    "no process": ("--jobs", "-1"),
}


@pytest.mark.parametrize("options", USAGE.values(), ids=USAGE)
def test_options_that_dont_fit(tmp_path: Path, options: tuple[str, ...]) -> None:
    ran = run_command("eval", "-o", tmp_path / "outputs", *options)
    assert ran.code == 2, ran.err
    assert ran.err.count("Error: ") == 1
    assert "Traceback" not in ran.err
    assert not (tmp_path / "outputs").exists() or not list((tmp_path / "outputs").iterdir())


@pytest.mark.parametrize(
    ("options", "named"),
    [((), "--external-kg"), (("--tiers", "1", "3"), "--go-gmt")],
    ids=["graph", "gene sets"],
)
def test_a_tier_without_its_file_names_the_option(
    tmp_path: Path, options: tuple[str, ...], named: str
) -> None:
    (tmp_path / "gold.jsonl").write_bytes(GOLD)
    (tmp_path / "model.jsonl").write_bytes(PREDICTIONS)
    ran = run_command(
        "eval", "--gt-file", tmp_path / "gold.jsonl", "--pred-file", tmp_path / "model.jsonl",
        "-o", tmp_path / "outputs", *options,
    )  # fmt: skip
    assert ran.code == 2
    assert named in ran.err
