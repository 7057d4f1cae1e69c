"""Reads a block of plain rows as columns, with the result that reading row by row has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from zlib import crc32

from eval_tiers.domain.labels import NO_LABEL, REASON_CODES
from eval_tiers.io.batch_rows import CollectedRows
from eval_tiers.io.gold_blocks import GoldBlock
from eval_tiers.io.plain_rows import (
    PlainGold,
    PlainPredictions,
    plain_edges,
    plain_triplets,
    read_plain_gold,
    read_plain_predictions,
)
from eval_tiers.texts.answers import read_texts
from eval_tiers.texts.stated_confidence import CONFIDENCE, LABEL_PROB

_MISSING: Final = REASON_CODES["missing_prediction"]


class PlainReader:
    """Reads blocks of plain rows into collected rows."""

    def __init__(self, rows: CollectedRows) -> None:
        self.rows = rows

    def add(self, block: GoldBlock) -> bool:
        """Add a block of plain rows, each with one prediction or none; False where it isn't."""
        n = len(block.gold)
        if len(block.prediction) < n and not set(map(int.__sub__, block.span[1:], block.span)) <= {
            0,
            1,
        }:
            return False
        if len(block.prediction) > n:
            return False
        gold = read_plain_gold(block.gold, self.rows.benchmark.gold_fields, self.rows.options.by)
        if gold is None or (len(block.prediction) == n and block.span[-1] != n):
            return False
        answered = [i for i in range(n) if block.span[i + 1] > block.span[i]]
        predictions = PlainPredictions(None, [])
        if block.prediction:
            found = read_plain_predictions(block.prediction, self.rows.benchmark.prediction_fields)
            if found is None or not self._ids_agree(gold, found, answered):
                return False
            predictions = found
        self._take_plain(block, gold, predictions, answered)
        return True

    def _ids_agree(self, gold: PlainGold, found: PlainPredictions, answered: Sequence[int]) -> bool:
        if self.rows.paired.by_position:
            return True
        if gold.sample_id is None or found.sample_id is None:
            return False
        return found.sample_id == [gold.sample_id[i] for i in answered]

    def _take_plain(
        self,
        block: GoldBlock,
        gold: PlainGold,
        predictions: PlainPredictions,
        answered: Sequence[int],
    ) -> None:
        n, base = len(block.gold), self.rows.row_n
        default = self.rows.paired.pair.pert_type
        pert_type = [kind or default for kind in gold.pert_type]
        answers = self._plain_answers(predictions.text, [base + i for i in answered])
        text = [
            block.prediction_line,
            block.prediction_offset,
            list(map(len, block.prediction)),
            list(map(crc32, block.prediction)),
        ]
        columns: list[Sequence[Any]] = [*answers, *text]
        if len(answered) < n:
            missing = (NO_LABEL, NO_LABEL, _MISSING, 0, None, None, None, None)
            columns = [
                _spread(values, answered, n, filler)
                for values, filler in zip(columns, missing, strict=True)
            ]
        label, lenient, reason, dropped_n, *text_columns = columns
        scored = sum(code >= 0 for code in label)
        self.rows.ledger["scored"] += scored
        self.rows.ledger["parse_failure"] += len(answered) - scored
        self.rows.ledger["missing_prediction"] += n - len(answered)
        sample_id: Sequence[str] = gold.sample_id or [
            self.rows.made_id(kind, line)
            for kind, line in zip(pert_type, block.gold_line, strict=True)
        ]
        values = (
            sample_id, pert_type, gold.cell_line, gold.perturbation, gold.readout, [None] * n,
            gold.label, label, lenient, reason, dropped_n, block.gold_line, *text_columns,
            list(map(self.rows.perturbation_sign, pert_type, gold.mode)),
            self._end_codes(gold.perturbation), self._end_codes(gold.readout),
            gold.has_chain, range(block.item, block.item + n),
        )  # fmt: skip
        edges = gold.edges
        self.rows.gold.add_many(
            [base + row for row in edges.rows], edges.edge_n, edges.source, edges.sign, edges.target
        )
        for column, added in zip(self.rows.columns.values(), values, strict=True):
            column += added
        if predictions.stated:
            nothing = (None,) * len(answered)
            stated = [predictions.stated.get(name, nothing) for name in (CONFIDENCE, LABEL_PROB)]
            for place, *said in zip(answered, *stated, strict=True):
                self.rows.note_stated(base + place, *said)
        for name, found in gold.by.items():
            self.rows.by[name] += found

    def _end_codes(self, names: list[str | None]) -> list[int]:
        known, code = self.rows.symbols.as_written, self.rows.symbols.code
        return [
            -1 if name is None else known[name] if name in known else code(name) for name in names
        ]

    def _plain_answers(
        self, texts: list[str], rows: list[int]
    ) -> tuple[list[int], list[int], list[int], list[int]]:
        """Read many texts: labels, lenient labels, reasons, dropped elements; add their edges."""
        read = read_texts(texts)
        dropped = [0] * len(texts)
        plain: list[tuple[int, str, list[Any]]] = []
        for place, block in enumerate(read.triplet_block):
            if block is None:
                continue
            lists = plain_triplets(block)
            if lists is None:
                dropped[place] = self.rows.add_triplets(rows[place], block)
            else:
                plain.append((place, block, lists))
        if not self._add_plain_edges([rows[place] for place, _, _ in plain], plain):
            odd = [entry for entry in plain if plain_edges([0], [entry[2]]) is None]
            for place, block, _ in odd:
                dropped[place] = self.rows.add_triplets(rows[place], block)
            still = {place for place, _, _ in odd}
            plain = [entry for entry in plain if entry[0] not in still]
            self._add_plain_edges([rows[place] for place, _, _ in plain], plain)
        return read.label, read.lenient, read.reason, dropped

    def _add_plain_edges(self, rows: list[int], plain: list[tuple[int, str, list[Any]]]) -> bool:
        """Add the edges of many lists; False, and nothing added, where one isn't plain."""
        edges = plain_edges(rows, [lists for _, _, lists in plain])
        if edges is None:
            return False
        self.rows.predicted.add_many(
            edges.rows, edges.edge_n, edges.source, edges.sign, edges.target
        )
        return True


def _spread(values: Sequence[Any], places: Sequence[int], n: int, filler: Any) -> list[Any]:
    """Return ``n`` values: those given at their places, the filler elsewhere."""
    spread = [filler] * n
    for place, value in zip(places, values, strict=True):
        spread[place] = value
    return spread
