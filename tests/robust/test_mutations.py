"""Bytes of small valid files are turned, cut out and put in: only our own errors come of it."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Sequence
from pathlib import Path

import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

import eval_tiers
from eval_tiers.exceptions import EvalTiersError
from tests.robust.samples import CHAIN, GRAPH, TEXT, gold_row, json_lines, prediction_row

GOLD = json_lines([gold_row(1), gold_row("b", cell_line="x"), gold_row("c", path=[])])
PREDICTIONS = json_lines(
    [
        prediction_row(1, rollout=1),
        prediction_row("b", [{"type": "text", "text": TEXT}]),
        prediction_row("c", None, reasoning_content=str(CHAIN)),
    ]
)
Edit = tuple[str, int, int, bytes]
PACKING = {
    "": lambda data: data,
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".zst": zstandard.ZstdCompressor().compress,
}
PIECES = st.one_of(
    st.binary(min_size=1, max_size=6),
    st.sampled_from(
        [b"\n", b"\r", b"\x00", b"\xef\xbb\xbf", b"\xff\xfe", b"[", b"]", b"{", b"}", b'"', b",",
         b"NaN", b"1e999", b"null", b"\\ud83d", b'"id":1,', b'"answer":"up",', b"\xe2\x80\xa8",
         b"</triplet>", b"<answer>", b"-0", b"99999999999999999999999", b"/*", b"\\"]
    ),
)  # fmt: skip
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["turn", "cut", "put", "double", "end"]),
        st.integers(0, 2000),
        st.integers(1, 40),
        PIECES,
    ),
    min_size=1,
    max_size=4,
)


def edited(data: bytes, edits: Sequence[Edit]) -> bytes:
    """Return the bytes after some edits."""
    for kind, at, length, piece in edits:
        place = at % (len(data) + 1)
        if kind == "turn" and place < len(data):
            data = data[:place] + bytes([data[place] ^ (1 << length % 8)]) + data[place + 1 :]
        elif kind == "cut":
            data = data[:place] + data[place + length :]
        elif kind == "put":
            data = data[:place] + piece + data[place:]
        elif kind == "double":
            data = data[:place] + data[place : place + length] * 2 + data[place + length :]
        elif kind == "end":
            data = data[:place]
    return data


def check_run(gold: bytes, predictions: bytes, suffix: str, pair: str, duplicates: str) -> None:
    """Evaluate; only our own errors may be raised, and the ledger must add up."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / f"gold_chemical.jsonl{suffix}").write_bytes(gold)
        (folder / f"model_chemical.jsonl{suffix}").write_bytes(predictions)
        (folder / "graph.tsv").write_text(GRAPH)
        try:
            found = eval_tiers.evaluate(
                gt_file=folder / f"gold_chemical.jsonl{suffix}",
                pred_file=folder / f"model_chemical.jsonl{suffix}",
                external_kg=folder / "graph.tsv",
                pair=pair,
                duplicates=duplicates,
                by=("cell_line", "x"),
                output_dir=folder / "outputs",
            )
        except EvalTiersError as error:
            refused = error
        else:
            refused = None
        if refused is not None:
            assert refused.exit_code in (3, 4)
            assert refused.problems
            assert all(problem.code and problem.message for problem in refused.problems)
            assert all(problem.where.path for problem in refused.problems)
            assert not list((folder / "outputs").iterdir())
            return
        for side in found.summary["ledger"].values():
            assert side["rows"] == sum(side.values()) - side["rows"]
            assert min(side.values()) >= 0
        assert len(found.samples) >= found.summary["n"]
        assert 0 <= found.summary["accuracy"] <= 1


RUNS = {
    "edits": EDITS,
    "suffix": st.sampled_from(sorted(PACKING)),
    "pair": st.sampled_from(["auto", "auto", "auto", "position"]),
    "duplicates": st.sampled_from(["error", "first", "last"]),
    "packed_first": st.booleans(),
}


def spoil(data: bytes, edits: Sequence[Edit], suffix: str, packed_first: bool) -> bytes:
    """Edit the bytes before or after they are packed."""
    pack = PACKING[suffix]
    return edited(pack(data), edits) if packed_first else pack(edited(data, edits))


@given(**RUNS)
@example(edits=[("put", 0, 1, b"\xff\xfe")], suffix="", pair="auto", duplicates="error",
         packed_first=False)  # fmt: skip
def test_spoilt_gold(
    edits: list[Edit], suffix: str, pair: str, duplicates: str, packed_first: bool
) -> None:
    predictions = PACKING[suffix](PREDICTIONS)
    check_run(spoil(GOLD, edits, suffix, packed_first), predictions, suffix, pair, duplicates)


@given(**RUNS)
@example(edits=[("double", 0, 40, b" ")], suffix="", pair="auto", duplicates="error",
         packed_first=False)  # fmt: skip
def test_spoilt_predictions(
    edits: list[Edit], suffix: str, pair: str, duplicates: str, packed_first: bool
) -> None:
    gold = PACKING[suffix](GOLD)
    check_run(gold, spoil(PREDICTIONS, edits, suffix, packed_first), suffix, pair, duplicates)
