"""Small valid inputs to spoil, and runs of the command on them."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval_tiers.cli.console import run_reporting_errors
from eval_tiers.cli.main import cli

Row = dict[str, Any]
Spoil = Callable[[bytes], bytes]

GRAPH = "source\ttarget\tsign\nP\tA\t1\nA\tB\t-1\nB\tE\t1\nP\tC\t1\nC\tE\t-1\nA\tE\t1\n"
GENE_SETS = "T1\tx\tA\tB\nT2\tx\tB\tC\nT3\tx\tC\tD\tE\n"
CHAIN = [["P", "+", "A"], ["A", "-", "B"], ["B", "+", "E"]]
TEXT = f"<answer>down</answer> <triplet>{json.dumps(CHAIN)}</triplet>"
ROW_N = 5
COMMAND = [sys.executable, "-m", "eval_tiers"]


def gold_row(sample_id: object, **fields: object) -> Row:
    """Return a gold record; its chain implies its answer."""
    return {
        "id": sample_id, "question": "?", "answer": "down", "path": CHAIN, "pert": "P",
        "gene": "E", "pert_type": "chemical",
    } | fields  # fmt: skip


def prediction_row(sample_id: object, output: object = TEXT, **fields: object) -> Row:
    """Return a prediction record, right unless told otherwise."""
    return {"id": sample_id, "output": output} | fields


def json_lines(rows: Sequence[Row]) -> bytes:
    """Return JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def without_ids(data: bytes) -> bytes:
    """Return the rows without their ids."""
    rows = [json.loads(line) for line in data.splitlines()]
    return json_lines([{key: row[key] for key in row if key != "id"} for row in rows])


GOLD = json_lines([gold_row(f"g{number}") for number in range(1, ROW_N + 1)])
PREDICTIONS = json_lines([prediction_row(f"g{number}") for number in range(1, ROW_N + 1)])


@dataclass
class Ran:
    """How a run ended."""

    code: int
    out: str
    err: str
    outputs: Path

    @property
    def summary(self) -> dict[str, Any]:
        """What it printed; only strict JSON is taken."""
        return json.loads(self.out, parse_constant=_refuse)  # type: ignore[no-any-return]

    @property
    def codes(self) -> list[str]:
        """Codes of all errors and findings on stderr, in order."""
        heads = ("Error: [", "Warning: [", "Note: [")
        lines = [line for line in self.err.split("\n") if line.startswith(heads)]
        return [line.partition("[")[2].partition("]")[0] for line in lines]

    @property
    def said(self) -> str:
        """Its messages without their line breaks."""
        return " ".join(self.err.split())

    def ledger(self) -> dict[str, dict[str, int]]:
        """Buckets that aren't empty, after checking that both sides add up."""
        ledger = self.summary["ledger"]
        for side in ledger.values():
            assert side["rows"] == sum(side.values()) - side["rows"], ledger
        return {
            name: {bucket: n for bucket, n in side.items() if n and bucket != "rows"}
            for name, side in ledger.items()
        }

    def samples(self) -> list[dict[str, Any]]:
        """Rows of the samples table."""
        import pyarrow.parquet as pq

        (path,) = self.outputs.rglob("samples_*.parquet")
        rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
        return rows


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def run_command(*arguments: object, outputs: Path = Path()) -> Ran:
    """Run the command line in this process."""
    out, err = (
        io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n", write_through=True) for _ in range(2)
    )
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run_reporting_errors(cli, [str(argument) for argument in arguments])
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return Ran(code, *texts, outputs)


def evaluate_pair(
    folder: Path,
    gold: bytes | Path = GOLD,
    predictions: bytes | Path = PREDICTIONS,
    *options: object,
    gold_name: str = "gold_chemical.jsonl",
    prediction_name: str = "model_chemical.jsonl",
) -> Ran:
    """Evaluate one pair of files, given by their bytes or as they lie there."""
    paths = []
    for name, data in ((gold_name, gold), (prediction_name, predictions)):
        path = data if isinstance(data, Path) else folder / name
        if isinstance(data, bytes):
            path.write_bytes(data)
        paths.append(path)
    graph = folder / "graph.tsv"
    graph.write_text(GRAPH)
    outputs = folder / "outputs"
    return run_command(
        "eval", "--gt-file", paths[0], "--pred-file", paths[1], "--external-kg", graph,
        "-o", outputs, "--json", *options, outputs=outputs,
    )  # fmt: skip


def check_refused(ran: Ran, code: str, exit_code: int = 3, error_n: int = 1) -> None:
    """Check for a clear error (what, where, how to mend it) and that nothing was left."""
    assert ran.code == exit_code, ran.err
    assert ran.codes == [code] * error_n, ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""
    assert "  where: " in ran.err
    assert not list(ran.outputs.rglob("*_*.*")), "something was left"


def check_counted(
    ran: Ran, gold: dict[str, int], predictions: dict[str, int], codes: Sequence[str] = ()
) -> None:
    """Check that the run ended well with this ledger and these findings."""
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err
    assert ran.ledger() == {"gold": gold, "predictions": predictions}
    assert ran.codes == list(codes), ran.err


def all_well(ran: Ran) -> None:
    """Check that every row was read and is right."""
    check_counted(ran, {"scored": ROW_N}, {"matched": ROW_N})
    assert ran.summary["accuracy"] == 1
    assert [row["error_label"] for row in ran.samples()] == ["CORRECT"] * ROW_N
