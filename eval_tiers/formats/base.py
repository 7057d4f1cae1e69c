"""What a benchmark format has to say about itself, and what its records become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from eval_tiers.domain.rr10 import Item
from eval_tiers.texts.citations import Evidence
from eval_tiers.texts.stated_confidence import FIELDS

Record = Mapping[str, object]
FieldTable = Mapping[str, tuple[str, ...]]


class RecordFault(Exception):
    """A record that can't be used: a stable code, the field, what is wrong, how to mend it."""

    def __init__(
        self, code: str, message: str, field: str | None = None, fix: str | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.fix = fix


@dataclass(slots=True)
class GoldRecord:
    """One question with its gold answer and chain.

    Attributes
    ----------
    sample_id : str or None
        None where the record carries none.
    label : int
        Code of the gold label.
    chain : list of (str, int, str) or None
        Gold edges as written; None: no gold chain (an empty list is an empty one).
    perturbation, readout, cell_line, pert_type, mode : str or None
        As written, stripped; None where absent or blank.
    unsigned_n : int
        Edges of the chain whose sign says nothing.
    """

    sample_id: str | None
    label: int
    chain: list[tuple[str, int, str]] | None
    perturbation: str | None
    readout: str | None
    cell_line: str | None
    pert_type: str | None
    mode: str | None
    unsigned_n: int = 0


@dataclass(slots=True)
class PredictionRecord:
    """One answer of a model.

    Attributes
    ----------
    sample_id : str or None
        None where the record carries none.
    text : str or None
        What the model wrote; None for null.
    rollout : str or None
        Which of several answers to one question this is.
    from_reasoning : bool
        The text was null or blank and was taken from a reasoning field.
    """

    sample_id: str | None
    text: str | None
    rollout: str | None
    from_reasoning: bool = False


@dataclass(slots=True)
class AnswerRecord:
    """One answer to a question whose evidence is cited datasets.

    Attributes
    ----------
    sample_id, rollout : str or None
        As in `PredictionRecord`.
    claim : object
        What is read as the answer: most often text; None where there is none.
    compat_claim : object
        What the reference scorer would read as the answer.
    evidence : Evidence
        What the answer cites.
    """

    sample_id: str | None
    rollout: str | None
    claim: object
    compat_claim: object
    evidence: Evidence


class Answered(Protocol):
    """What every prediction record says: which question, and which of several answers."""

    @property
    def sample_id(self) -> str | None:
        """Id of the question; None where the record carries none."""

    @property
    def rollout(self) -> str | None:
        """Which of several answers; None for the only one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkFormat:
    """A benchmark format: its fields, how its records are read, and one worked example.

    A format is a `ChainFormat` or a `CitationFormat`, by the evidence that it asks for.

    Attributes
    ----------
    name : str
        As in ``--format``.
    title : str
        One line for the help.
    gold_fields, prediction_fields : mapping of str to tuple of str
        Accepted names of each field, in the order in which they are tried.
    id_of : callable
        Id of a gold or prediction record as text, None without one; raises `RecordFault`.
    matches : callable
        Whether a gold record looks like this format.
    parse_prediction : callable
        Record to prediction; raises `RecordFault`.
    example_gold, example_prediction : dict
        One record of each kind that belong together.
    example_answer_correct : bool
        Whether the example's answer is right.
    reference : str
        Source of the format.
    reply_text : callable
        Content of a Batch reply, which a schema may have bound to JSON, to text as it is read.
    stated_fields : mapping of str to tuple of str
        As ``prediction_fields``: where a record, or the JSON of a reply, states how sure it is.
    """

    name: str
    title: str
    gold_fields: FieldTable
    prediction_fields: FieldTable
    id_of: Callable[[Record], str | None]
    matches: Callable[[Record], bool]
    parse_prediction: Callable[[Record], Answered]
    example_gold: Record
    example_prediction: Record
    example_answer_correct: bool
    reference: str
    reply_text: Callable[[str], str] = str
    stated_fields: FieldTable = field(default_factory=lambda: {name: (name,) for name in FIELDS})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainFormat(BenchmarkFormat):
    """A format whose answers cite chains of signed gene edges.

    Attributes
    ----------
    parse_gold : callable
        Record to `GoldRecord`; raises `RecordFault`.
    parse_prediction : callable
        Record to `PredictionRecord`; raises `RecordFault`.
    perturbation_sign : callable
        (pert_type, mode) to +1, -1 or 0 (not known).
    """

    parse_prediction: Callable[[Record], PredictionRecord]
    parse_gold: Callable[[Record], GoldRecord]
    perturbation_sign: Callable[[str | None, str | None], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationFormat(BenchmarkFormat):
    """A format whose answers cite datasets.

    Attributes
    ----------
    parse_item : callable
        (record, line) to `Item`; raises `RecordFault`.
    parse_prediction : callable
        Record to `AnswerRecord`; raises `RecordFault`.
    """

    parse_prediction: Callable[[Record], AnswerRecord]
    parse_item: Callable[[Record, int], Item]


class FieldReader:
    """Looks up the fields of records by a table of accepted names.

    Records of a file share their keys, so which names are there is worked out once a set of keys.

    Parameters
    ----------
    table : mapping of str to tuple of str
        Field to accepted names, in the order in which they are tried.
    """

    def __init__(self, table: FieldTable) -> None:
        self._table = table
        self._known: dict[tuple[str, ...], tuple[str, ...] | None] = {}

    def values(self, record: Record) -> tuple[object, ...]:
        """Return the value of each field, in the order of the table; None where it is absent.

        Of several accepted names that are there, the first with a value that is neither null nor
        blank counts, else the first that is blank.
        """
        keys = tuple(record)
        names = self._known.get(keys)
        if names is None:
            names = self._single_names(record)
            if names is None:
                return tuple(_first_filled(record, names) for names in self._table.values())
            if len(self._known) < 1000:
                self._known[keys] = names
        return tuple(map(record.get, names))

    def name_of(self, record: Record, field: str) -> str | None:
        """Return the name under which the record has a field, None where it hasn't."""
        names = [name for name in self._table[field] if name in record]
        return next(
            (name for name in names if record[name] is not None), names[0] if names else None
        )

    def _single_names(self, record: Record) -> tuple[str, ...] | None:
        """Return the one name of each field that is there (any, if none), None if one has two."""
        found = []
        for names in self._table.values():
            present = [name for name in names if name in record]
            if len(present) > 1:
                return None
            found.append(present[0] if present else names[0])
        return tuple(found)


def _first_filled(record: Record, names: tuple[str, ...]) -> object:
    given = [record[name] for name in names if record.get(name) is not None]
    filled = (value for value in given if not isinstance(value, str) or value.strip())
    return next(filled, given[0] if given else None)


def id_text(value: object) -> str | None:
    """Return an id as text: integers by their digits, strings stripped; None for null or blank.

    Raises
    ------
    RecordFault
        The id is neither text nor a number.
    """
    if isinstance(value, str):
        return value.strip() or None
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise RecordFault(
        "bad-id", f"the id is {value!r}, neither text nor a whole number", "id", "quote it"
    )


def rollout_text(value: object) -> str | None:
    """Return a rollout as text; 1.0, as data frames write it, is 1."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip() or None


def content_text(value: object, field: str | None) -> str | None:
    """Return a text, or the text parts of a list of content parts joined."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [
            part if isinstance(part, str) else part.get("text")
            for part in value
            if isinstance(part, str) or (isinstance(part, dict) and part.get("type") == "text")
        ]
        if len(parts) == len(value) and all(isinstance(part, str) for part in parts):
            return "".join(str(part) for part in parts)
    raise RecordFault(
        "text-not-a-string", f"the model's text is a {type(value).__name__}", field, "quote it"
    )
