"""The fields of an item: one table that the checks and the JSON schema are both made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from eval_tiers.domain.rr10 import ITEM_TYPES, LABELS

Kind = Literal["text", "texts", "number", "integer", "boolean", "object", "rows"]

ID_PATTERN: Final = "OSDR-(FRAG|CTRL)-[0-9]{5}"
OSD_PATTERN: Final = "OSD-[1-9][0-9]*"


@dataclass(frozen=True, slots=True)
class Field:
    """One required field.

    Attributes
    ----------
    name : str
    kind : str
        JSON type; ``texts``: an array of texts, ``rows``: one of objects. Neither may be empty.
    meaning : str
        For the schema.
    pattern : str or None
        The whole text (or each text) has to fit it.
    words : tuple
        The only values there are; empty: any.
    misfit_code : str
        Code of a value that fits neither pattern nor words.
    least, most : float or None
        Bounds of a number, inclusive.
    unique : bool
        Whether a text may come only once.
    fields : tuple of Field
        Of an object or of each row.
    """

    name: str
    kind: Kind
    meaning: str
    pattern: str | None = None
    words: tuple[str | int, ...] = ()
    misfit_code: str = "wrong_type"
    least: float | None = None
    most: float | None = None
    unique: bool = False
    fields: tuple[Field, ...] = ()


EVIDENCE_FIELDS: Final = (
    Field("n_datasets", "integer", "distinct datasets of the provenance", least=1),
    Field("datasets", "texts", "these datasets", pattern=OSD_PATTERN,
          misfit_code="osd_pattern", unique=True),
    Field("min_abs_log2FC", "number", "smallest |log2FC| of the provenance", least=0),
    Field("max_abs_log2FC", "number", "largest |log2FC| of the provenance", least=0),
    Field("max_q", "number", "largest q of the provenance", least=0, most=1),
    Field("discordant", "boolean", "whether both signs are there"),
)  # fmt: skip

PROVENANCE_FIELDS: Final = (
    Field("osd", "text", "dataset", pattern=OSD_PATTERN, misfit_code="osd_pattern"),
    Field("log2FC_SF_vs_GC", "number", "log2 fold change, space flight minus ground control"),
    Field("q", "number", "adjusted p value", least=0, most=1),
    Field("contrast", "text", "contrast as the source states it"),
    Field("orientation_sign_applied", "integer", "-1 where the source's sign was turned",
          words=(1, -1), misfit_code="orientation"),
    Field("source_file", "text", "table that the row is from"),
    Field("gene_id_column", "text", "column of the table that holds the gene"),
)  # fmt: skip

ITEM_FIELDS: Final = (
    Field("id", "text", "OSDR-FRAG-00001 is paired with OSDR-CTRL-00001", pattern=ID_PATTERN,
          misfit_code="id_pattern"),
    Field("item_type", "text", "trap or control", words=ITEM_TYPES,
          misfit_code="unknown_item_type"),
    Field("prompt", "text", "the question"),
    Field("gene", "text", "gene that is asked about"),
    Field("organism", "text", "such as mus_musculus"),
    Field("tissue", "text", "such as liver"),
    Field("context", "text", "organism::tissue"),
    Field("expected", "text", "gold label", words=LABELS, misfit_code="unknown_label"),
    Field("accept", "texts", "answers that are right, the gold label among them"),
    Field("reject", "texts", "answers that are wrong"),
    Field("evidence", "object", "what the provenance amounts to", fields=EVIDENCE_FIELDS),
    Field("provenance", "rows", "what each dataset says", fields=PROVENANCE_FIELDS),
)  # fmt: skip

ITEM_FIELD_NAMES: Final = frozenset(field.name for field in ITEM_FIELDS)
