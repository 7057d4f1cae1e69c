"""Plain rows read as columns give the batch that the row-wise reader gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eval_tiers.domain.batch import Batch, Chains
from eval_tiers.formats.perturbreason import FORMAT
from eval_tiers.io.batches import ReadBatch, ReadOptions, read_batch
from eval_tiers.io.pairing import ProblemList, pair_rows
from eval_tiers.io.pairs import single_pair
from eval_tiers.io.plain_rows import read_plain_gold, read_plain_predictions

SYMBOL = st.sampled_from(["TP53", "tp53", " MDM2", "NKX2-1", "5'-AMP", "IL2 (human)", "", "A"])
SIGN = st.sampled_from(["+", "-", "1", "-1", "->", "−", "binds", "Inhibits", 1, None])
TRIPLE = st.tuples(SYMBOL, SIGN, SYMBOL).map(list)
CHAIN = st.lists(TRIPLE, max_size=4)
GOLD_TRIPLE = st.tuples(
    st.sampled_from(["TP53", "mdm2", " A "]), st.sampled_from(["+", "-", 1, "?"]), st.just("B")
).map(list)


def spelt(chain: list[list[Any]], style: int) -> str:
    """Write a chain in one of the spellings that models use."""
    if style == 0:
        return json.dumps(chain)
    if style == 1:
        return repr(chain)
    if style == 2:
        return "[" + ", ".join(f"[{a}, {sign}, {b}]" for a, sign, b in chain) + "]"
    return "\n".join(f"{n}. ({a}, {sign}, {b})" for n, (a, sign, b) in enumerate(chain, 1))


TEXT = st.one_of(
    st.builds(
        lambda answer, chain, style: (
            f"<answer>{answer}</answer><triplet>{spelt(chain, style)}</triplet>"
        ),
        st.sampled_from(["up", " Down.", "unchanged", "up or down", "", "not up", "rises"]),
        CHAIN,
        st.integers(0, 3),
    ),
    st.sampled_from(["", "  ", "no idea", "<think>x</think><answer>up", "<triplet>[[", "<answer>"]),
    st.none(),
)
PREDICTION = st.fixed_dictionaries(
    {"output": TEXT},
    optional={
        "reasoning": st.sampled_from(["<answer>up</answer>", None]),
        "rollout": st.integers(0, 2),
        "output2": st.just("x"),
        "confidence": st.sampled_from([0.9, 1, "0.5", None, "high"]),
        "label_prob": st.sampled_from([{"up": 0.9, "down": 0.1}, {"up": 2}, None]),
    },
)
GOLD = st.fixed_dictionaries(
    {"answer": st.sampled_from(["up", "down", "unchanged", "UP "])},
    optional={
        "path": st.one_of(st.none(), st.lists(GOLD_TRIPLE, max_size=3)),
        "pert": st.sampled_from(["TP53", " tp53 ", "", None, 7]),
        "gene": st.sampled_from(["B", "b ", None]),
        "target": st.just("C"),
        "cell_line": st.sampled_from(["K562", None]),
        "pert_type": st.sampled_from(["genetic", "chemical", "other"]),
        "perturbation_mode": st.sampled_from(["knockdown", "CRISPRa", "odd"]),
    },
)


def edges_of(chains: Chains, symbols: list[str]) -> list[list[tuple[str, int, str]]]:
    """Return the edges by sample, in text order, with names for codes."""
    found: dict[int, list[tuple[str, int, str]]] = {}
    for sample, source, sign, target in zip(
        chains.sample.tolist(),
        chains.source.tolist(),
        chains.sign.tolist(),
        chains.target.tolist(),
        strict=True,
    ):
        found.setdefault(sample, []).append((symbols[source], sign, symbols[target]))
    return [found[sample] for sample in sorted(found)]


def content(read: ReadBatch) -> dict[str, Any]:
    """Return all that a batch says, without the numbers of its codes."""
    batch: Batch = read.batch
    names = [*batch.symbols, None]
    columns = {
        name: values.tolist() if isinstance(values, np.ndarray) else list(values)
        for name, values in batch.columns.items()
    }
    return columns | {
        "n": batch.n,
        "gold": edges_of(batch.gold, batch.symbols),
        "predicted": edges_of(batch.predicted, batch.symbols),
        "perturbation_name": [names[code] for code in batch.perturbation.tolist()],
        "readout_name": [names[code] for code in batch.readout.tolist()],
        "has_gold_chain": batch.has_gold_chain.tolist(),
        "item": batch.item.tolist(),
        "counts": batch.counts,
        "ledger": read.ledger,
        "unreadable_n": read.unreadable_n,
        "findings": [finding.message for finding in read.findings],
        "problems": [problem.message for problem in read.problems],
        "stated": read.stated,
    }


def both_readings(folder: Path, gold: list[str], predictions: list[str]) -> list[dict[str, Any]]:
    """Read the same rows as columns where they are plain, and row by row."""
    gold_path, prediction_path = folder / "g_genetic.jsonl", folder / "p_genetic.jsonl"
    gold_path.write_text("\n".join(gold), encoding="utf-8")
    prediction_path.write_text("\n".join(predictions), encoding="utf-8")
    pair = single_pair(gold_path, prediction_path)
    problems = ProblemList()
    paired = pair_rows(pair, FORMAT, folder, problems, "last")
    assert paired is not None, problems.kept
    return [
        content(
            read_batch(
                paired, 0, len(paired.gold_row), FORMAT, ReadOptions(by=("cell_line",), plain=plain)
            )
        )
        for plain in (True, False)
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    rows=st.lists(st.tuples(GOLD, st.one_of(st.none(), PREDICTION)), min_size=1, max_size=6),
    alike=st.booleans(),
)
def test_both_readers_agree(
    tmp_path: Path, rows: list[tuple[dict[str, Any], dict[str, Any] | None]], alike: bool
) -> None:
    """Whatever the rows: same columns, edges, counts, ledger and findings."""
    if alike:  # rows with the keys of the first one are the plain case
        keys = rows[0][0]
        rows = [({k: {**keys, **gold}[k] for k in keys}, found) for gold, found in rows]
    gold = [json.dumps({"id": f"q{n}", **row}) for n, (row, _) in enumerate(rows)]
    predictions = [
        json.dumps({"id": f"q{n}", **found}) for n, (_, found) in enumerate(rows) if found
    ]
    if not predictions:
        predictions = [json.dumps({"id": "none", "output": "x"})]
    plain, slow = both_readings(tmp_path, gold, predictions)
    assert plain == slow


def test_plain_rows_are_read_as_columns() -> None:
    """The plain reader takes plain rows (else it would only cost time)."""
    row = json.dumps({"id": "a", "answer": "up", "path": [["A", "+", "B"]], "pert": "A"}).encode()
    found = read_plain_gold([row, row.replace(b'"a"', b'"b"')], FORMAT.gold_fields, ())
    assert found is not None
    assert found.sample_id == ["a", "b"]
    assert list(found.edges.source) == ["A", "A"]


def test_plain_rows_with_confidence_are_read_as_columns() -> None:
    rows = [
        json.dumps({"id": key, "output": "x", "confidence": 0.5}).encode() for key in ("a", "b")
    ]
    found = read_plain_predictions(rows, FORMAT.prediction_fields)
    assert found is not None
    assert found.stated == {"confidence": (0.5, 0.5)}


@pytest.mark.parametrize(
    "odd",
    [
        b'{"id": "b", "answer": "up", "path": [["A", 1, "B"]], "pert": "A"}',
        b'{"id": "b", "answer": "up", "path": ["A", "+", "B"], "pert": "A"}',
        b'{"id": "b", "answer": "UP", "path": [], "pert": "A"}',
        b'{"id": "b", "answer": "up", "path": [], "pert": ["A"]}',
        b'{"id": "b", "answer": "up", "path": [], "pert": "A", "more": 1}',
        b'{"id": "b", "id": "c", "answer": "up", "path": [], "pert": "A"}',
        b'{"id": "b", "answer": "up", "path": [], "pert": "A"',
        b"[]",
    ],
)
def test_odd_rows_are_left_to_the_other_reader(odd: bytes) -> None:
    """One row that isn't plain is enough."""
    row = b'{"id": "a", "answer": "up", "path": [], "pert": "A"}'
    assert read_plain_gold([row, odd], FORMAT.gold_fields, ()) is None
