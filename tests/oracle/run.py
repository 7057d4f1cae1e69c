"""From files to rows, and the pooled numbers of the rows.

``python -m tests.oracle.run --gt-dir GOLD --pred-dir PREDICTIONS --kg KG.tsv --gmt GO.gmt``
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.oracle.chains import STATUSES, Graph, Value, chain_columns, collapse
from tests.oracle.go import GeneSets, go_columns
from tests.oracle.texts import (
    LABELS,
    Triple,
    from_json,
    read_answer,
    read_block,
    read_outer,
    read_sign,
    read_symbol,
    read_triplets,
)

Row = dict[str, Value]
Record = dict[str, object]

ID_FIELDS = ("id", "sample_id")
ANSWER_FIELDS = ("answer",)
PATH_FIELDS = ("path", "gt_path", "gt_triplets", "triplet")
PERTURBATION_FIELDS = ("pert", "perturbation")
READOUT_FIELDS = ("gene", "effect_gene", "target")
TEXT_FIELDS = ("output", "response", "prediction", "text", "generated_text", "completion")
ROLLOUT_FIELDS = ("rollout", "epoch")
SPLITS = ("id_test", "cell_ood", "pert_ood", "double_ood", "other_test")
KEYWORDS = ("chemical", "genetic")
MODE_SIGNS = {
    "knockdown": -1,
    "knockout": -1,
    "inhibition": -1,
    "crispri": -1,
    "activation": 1,
    "overexpression": 1,
    "crispra": 1,
    "treatment": 1,
}
COLUMNS = (
    "sample_id",
    "split",
    "pert_type",
    "cell_line",
    "perturbation_sign",
    "perturbation",
    "readout",
    "rollout",
    "gold_label",
    "predicted_label",
    "predicted_label_lenient",
    "parse_failure_reason",
    "answer_correct",
    "gold_edge_n",
    "predicted_edge_n",
    "dropped_edge_n",
    "edge_precision",
    "edge_recall",
    "edge_f1",
    "edge_f1_relaxed",
    "connected",
    "kg_connected",
    "chain_coverage",
    "sign_match",
    "sign_flip_n",
    "kg_sign_match",
    "implied_answer",
    "gold_implied_answer",
    "hallucination_rate",
    "hallucination_rate_excl_gold",
    "in_kg_rate",
    *(f"edge_status_{status}_n" for status in STATUSES),
    "off_path_edge_n",
    "error_label",
    "hard_case",
    "chain_validity",
    "go_sim",
    "go_sim_ref",
    "go_trivial",
    "go_null_reason",
    "source_path",
    "source_line",
    "prediction_path",
    "prediction_line",
)


# --------------------------------------------------------------------------- files


def read_bytes(path: Path) -> bytes:
    """The content of a plain or gzipped file, without its byte order mark."""
    data = path.read_bytes()
    if path.name.endswith(".gz"):
        data = gzip.decompress(data)
    return data.removeprefix(b"\xef\xbb\xbf")


@dataclass
class Line:
    """One line of a JSONL file; the record is None when it can't be read."""

    path: Path
    number: int
    record: Record | None

    @property
    def place(self) -> str:
        return f"{self.path}:{self.number}"


def read_lines(path: Path) -> list[Line]:
    """The lines of a JSONL file that are not blank."""
    lines = []
    for number, raw in enumerate(read_bytes(path).split(b"\n"), start=1):
        if raw.strip() == b"":
            continue
        try:
            value = json.loads(raw.decode("utf-8"))
        except (ValueError, RecursionError):
            value = None
        lines.append(Line(path, number, value if isinstance(value, dict) else None))
    return lines


def table_lines(path: Path) -> Iterator[list[str]]:
    """The cells of each line of a tab separated file that is neither blank nor a comment."""
    for raw in read_bytes(path).decode("utf-8").split("\n"):
        line = raw.rstrip("\r")
        if line.strip() and not line.startswith("#"):
            yield line.split("\t")


def read_graph(path: Path) -> Graph:
    """A knowledge graph: source, target, sign; by the header's names when there is one."""
    graph = Graph()
    order = [0, 1, 2]
    for row_n, cells in enumerate(table_lines(path)):
        names = [cell.strip().casefold() for cell in cells]
        if row_n == 0 and "source" in names and "target" in names:
            order = [names.index("source"), names.index("target")]
            order.append(names.index("sign") if "sign" in names else len(names))
            continue
        source, target, sign = (cells[at] if at < len(cells) else "" for at in order)
        if source.strip() and target.strip():
            graph.add(read_symbol(source), read_symbol(target), read_sign(sign))
    return graph


def read_gene_sets(path: Path) -> GeneSets:
    """A GMT: name, description, genes."""
    gene_sets = GeneSets()
    for cells in table_lines(path):
        genes = {cell.split(",")[0].strip().upper() for cell in cells[2:]} - {""}
        gene_sets.add(cells[0].strip(), genes)
    gene_sets.index()
    return gene_sets


# --------------------------------------------------------------------------- records


def first(record: Record, names: Sequence[str]) -> object:
    """The first of the fields that is there and not null."""
    for name in names:
        if record.get(name) is not None:
            return record[name]
    return None


def as_text(value: object) -> str | None:
    return None if value is None else str(value)


def stripped(value: object) -> str | None:
    """The text without white space at its ends; None for null and for a blank text."""
    return None if value is None else str(value).strip() or None


def record_id(record: Record | None) -> str | None:
    """Ids are text: the integer 7 is "7"."""
    return None if record is None else as_text(first(record, ID_FIELDS))


def file_keyword(path: Path) -> str | None:
    """chemical or genetic, when the file's name holds exactly one of the words."""
    found = [word for word in KEYWORDS if word in path.name.casefold()]
    return found[0] if len(found) == 1 else None


def perturbation_sign(record: Record, pert_type: str | None) -> int | None:
    if pert_type is not None and pert_type.strip().casefold() == "chemical":
        return 1
    mode = record.get("perturbation_mode")
    return MODE_SIGNS.get(mode.strip().casefold()) if isinstance(mode, str) else None


def end_point(record: Record, names: Sequence[str]) -> str | None:
    value = first(record, names)
    return read_symbol(value) or None


def gold_edges(record: Record) -> list[Triple] | None:
    """The gold chain's edges; None when there is no path field or it is null."""
    value = first(record, PATH_FIELDS)
    if value is None:
        return None
    if isinstance(value, str):
        return read_block(value).edges
    part = from_json(value)
    if part is None or isinstance(part, str) or part.kind == "{":
        raise ValueError(f"a gold chain is no list: {value!r}")
    return read_outer(part).edges


# --------------------------------------------------------------------------- one sample


@dataclass
class Sample:
    """A gold line, and the prediction's line when there is one."""

    sample_id: str
    split: str
    gold: Line
    prediction: Line | None
    rollout: Value = None


def sample_row(sample: Sample, graph: Graph | None, gene_sets: GeneSets | None) -> Row:
    """All the columns of one sample."""
    record = sample.gold.record
    if record is None:
        raise ValueError(f"{sample.gold.place}: unreadable")
    gold_label = str(first(record, ANSWER_FIELDS)).strip().casefold()
    if gold_label not in LABELS:
        raise ValueError(f"{sample.gold.place}: answer is {gold_label!r}")
    pert_type = as_text(record.get("pert_type")) or file_keyword(sample.gold.path)
    sign = perturbation_sign(record, pert_type)
    start = end_point(record, PERTURBATION_FIELDS)
    end = end_point(record, READOUT_FIELDS)
    edges = gold_edges(record)
    gold = None if edges is None else collapse(edges)

    row: Row = dict.fromkeys(COLUMNS)
    row["sample_id"] = sample.sample_id
    row["split"] = sample.split
    row["pert_type"] = pert_type
    row["cell_line"] = as_text(record.get("cell_line"))
    row["perturbation_sign"] = sign
    row["perturbation"] = stripped(first(record, PERTURBATION_FIELDS))
    row["readout"] = stripped(first(record, READOUT_FIELDS))
    row["rollout"] = sample.rollout
    row["gold_label"] = gold_label
    row["source_path"] = str(sample.gold.path)
    row["source_line"] = sample.gold.number

    if sample.prediction is None or sample.prediction.record is None:
        predicted_label = None
        row["parse_failure_reason"] = "missing_prediction"
        triplets = read_triplets(None)
    else:
        text = first(sample.prediction.record, TEXT_FIELDS)
        answer = read_answer(text)
        predicted_label = answer.label
        row["predicted_label"] = answer.label
        row["predicted_label_lenient"] = answer.lenient
        row["parse_failure_reason"] = answer.reason
        triplets = read_triplets(text)
    if sample.prediction is not None:
        row["prediction_path"] = str(sample.prediction.path)
        row["prediction_line"] = sample.prediction.number
    row["answer_correct"] = predicted_label == gold_label
    row["dropped_edge_n"] = triplets.dropped
    predicted = collapse(triplets.edges)
    row.update(
        chain_columns(
            gold=gold,
            predicted=predicted,
            start=start,
            end=end,
            perturbation_sign=sign,
            gold_label=gold_label,
            predicted_label=predicted_label,
            graph=graph,
        )
    )
    row.update(go_columns(gold, predicted, start, end, gene_sets))
    return row


# --------------------------------------------------------------------------- pairing


def pair_lines(gold: list[Line], predictions: list[Line], split: str) -> list[Sample]:
    """Gold and prediction lines paired by id, or by position when neither side has ids."""
    for line in gold:
        if line.record is None:
            raise ValueError(f"{line.place}: unreadable")
    gold_has = {record_id(line.record) is not None for line in gold}
    readable = [line for line in predictions if line.record is not None]
    predictions_have = {record_id(line.record) is not None for line in readable}
    if gold_has | predictions_have == {True}:
        return pair_by_id(gold, readable, split)
    if True in gold_has | predictions_have:
        raise ValueError(f"{split}: ids in one place and none in another")
    samples = []
    for at, line in enumerate(gold):
        pert_type = as_text((line.record or {}).get("pert_type")) or file_keyword(line.path)
        prediction = predictions[at] if at < len(predictions) else None
        samples.append(Sample(f"{split}/{pert_type}/{line.number}", split, line, prediction))
    return samples


def pair_by_id(gold: list[Line], predictions: list[Line], split: str) -> list[Sample]:
    by_id: dict[str, list[Line]] = {}
    for line in predictions:
        by_id.setdefault(record_id(line.record) or "", []).append(line)
    samples = []
    places: dict[str, str] = {}
    for line in gold:
        sample_id = record_id(line.record) or ""
        if sample_id in places:
            raise ValueError(f"{line.place}: the id of {places[sample_id]} again: {sample_id}")
        places[sample_id] = line.place
        found = by_id.get(sample_id, [])
        rollouts = [first(other.record or {}, ROLLOUT_FIELDS) for other in found]
        texts = [as_text(rollout) for rollout in rollouts]
        if len(found) > 1 and (None in texts or len(set(texts)) < len(texts)):
            raise ValueError(f"several predictions of {sample_id}: {found[1].place}")
        if not found:
            samples.append(Sample(sample_id, split, line, None))
        for other, rollout in zip(found, rollouts, strict=True):
            value = rollout if isinstance(rollout, str | int | float) else as_text(rollout)
            samples.append(Sample(sample_id, split, line, other, value))
    return samples


def score_files(
    gold: Path,
    prediction: Path,
    split: str | None = None,
    graph: Graph | None = None,
    gene_sets: GeneSets | None = None,
) -> list[Row]:
    """The rows of one gold and one prediction file."""
    name = gold.resolve().parent.name if split is None else split
    samples = pair_lines(read_lines(gold), read_lines(prediction), name)
    return [sample_row(sample, graph, gene_sets) for sample in samples]


def keyword_file(folder: Path, keyword: str) -> Path:
    """The one JSONL file of the folder whose name holds the keyword."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.name.endswith((".jsonl", ".jsonl.gz")) and keyword in path.name.casefold():
            found.append(path)
    if len(found) != 1 or file_keyword(found[0]) is None:
        raise ValueError(f"{folder}: not exactly one {keyword} file")
    return found[0]


def score_folders(
    gold: Path,
    prediction: Path,
    graph: Graph | None = None,
    gene_sets: GeneSets | None = None,
) -> list[Row]:
    """The rows of two folders of splits: the known splits first, chemical before genetic."""
    splits = {path.name for path in gold.iterdir() if path.is_dir()}
    if splits != {path.name for path in prediction.iterdir() if path.is_dir()}:
        raise ValueError("the split folders differ")
    known = [split for split in SPLITS if split in splits]
    rows: list[Row] = []
    for split in known + sorted(splits - set(known)):
        for keyword in KEYWORDS:
            gold_file = keyword_file(gold / split, keyword)
            prediction_file = keyword_file(prediction / split, keyword)
            rows += score_files(gold_file, prediction_file, split, graph, gene_sets)
    return rows


# --------------------------------------------------------------------------- pooled numbers


@dataclass
class Score:
    """The pooled numbers of the rows as they stand, each row once; NaN where there is none."""

    n: int
    accuracy: float
    balanced_accuracy: float
    f1_macro: float
    f1_weighted: float
    f1_macro_present: float
    class_f1: dict[str, float]
    parse_failure_n: int
    error_distribution: dict[str, int]
    hard_case_n: int
    edge_f1: float
    hallucination_rate: float
    hallucination_rate_n: int
    in_kg_rate: float
    grounded_accuracy: float
    grounded_accuracy_upper: float
    lucky_right_rate: float


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def mean(rows: Sequence[Row], column: str) -> float:
    """The mean over the rows where the column is not null."""
    values = [row[column] for row in rows]
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    return ratio(math.fsum(numbers), len(numbers))


def score(rows: Sequence[Row]) -> Score:
    """Sections 3 and 4 of the contract, pooled."""
    n = len(rows)

    def count(test: Callable[[Row], bool]) -> int:
        return sum(1 for row in rows if test(row))

    class_f1: dict[str, float] = {}
    recall: dict[str, float] = {}
    support: dict[str, int] = {}
    for label in LABELS:
        true = [row for row in rows if row["gold_label"] == label]
        said = [row for row in rows if row["predicted_label"] == label]
        hit = len([row for row in true if row["predicted_label"] == label])
        support[label] = len(true)
        class_f1[label] = 2 * hit / (len(true) + len(said)) if true or said else 0.0
        if true:
            recall[label] = hit / len(true)
    present = [label for label in LABELS if support[label]]

    right = [row for row in rows if row["answer_correct"] is True]
    valid_n = len([row for row in right if row["chain_validity"] == "valid"])
    unverifiable_n = len([row for row in right if row["chain_validity"] == "unverifiable"])
    invalid_n = len([row for row in right if row["chain_validity"] == "invalid"])
    distribution: dict[str, int] = {}
    for row in rows:
        if isinstance(row["error_label"], str):
            name = row["error_label"]
            distribution[name] = distribution.get(name, 0) + 1
    return Score(
        n=n,
        accuracy=ratio(len(right), n),
        balanced_accuracy=ratio(sum(recall.values()), len(recall)),
        f1_macro=sum(class_f1.values()) / len(LABELS),
        f1_weighted=ratio(sum(class_f1[label] * support[label] for label in LABELS), n),
        f1_macro_present=ratio(sum(class_f1[label] for label in present), len(present)),
        class_f1=class_f1,
        parse_failure_n=count(lambda row: row["predicted_label"] is None),
        error_distribution=distribution,
        hard_case_n=count(lambda row: row["hard_case"] is True),
        edge_f1=mean(rows, "edge_f1"),
        hallucination_rate=mean(rows, "hallucination_rate"),
        hallucination_rate_n=count(lambda row: row["hallucination_rate"] is not None),
        in_kg_rate=mean(rows, "in_kg_rate"),
        grounded_accuracy=ratio(valid_n, n),
        grounded_accuracy_upper=ratio(valid_n + unverifiable_n, n),
        lucky_right_rate=ratio(invalid_n, len(right)),
    )


# --------------------------------------------------------------------------- command line


def write_rows(rows: Sequence[Row], path: Path) -> None:
    """Write the rows as CSV; null is an empty cell."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as handle:
        writer = csv.DictWriter(handle, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Score two folders or two files and print how many rows, the time, the pooled numbers."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    for option in ("--gt-dir", "--pred-dir", "--gt-file", "--pred-file", "--kg", "--gmt"):
        parser.add_argument(option, type=Path)
    parser.add_argument("--split")
    parser.add_argument("-o", "--output", type=Path, help="write the rows as CSV")
    given = parser.parse_args(arguments)
    begun = time.perf_counter()
    graph = read_graph(given.kg) if given.kg else None
    gene_sets = read_gene_sets(given.gmt) if given.gmt else None
    loaded = time.perf_counter()
    if given.gt_dir and given.pred_dir:
        rows = score_folders(given.gt_dir, given.pred_dir, graph, gene_sets)
    elif given.gt_file and given.pred_file:
        rows = score_files(given.gt_file, given.pred_file, given.split, graph, gene_sets)
    else:
        parser.error("give --gt-dir and --pred-dir, or --gt-file and --pred-file")
    ended = time.perf_counter()
    if given.output:
        write_rows(rows, given.output)
    print(f"n {len(rows)}, loading {loaded - begun:.2f} s, scoring {ended - loaded:.2f} s")
    for name, value in vars(score(rows)).items():
        print(f"{name} {value}")


if __name__ == "__main__":
    main()
