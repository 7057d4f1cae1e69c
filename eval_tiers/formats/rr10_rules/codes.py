"""Every finding of the rules: a stable code, how bad it is, what it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding.

    Attributes
    ----------
    code : str
        Stable, snake_case.
    level : {"error", "warning"}
    scope : str
        What is looked at: ``line``, ``field``, ``item``, ``provenance``, ``file``, ``canonical``
        (only where the file is, or has to be, the canonical one), ``package``.
    meaning : str
        One sentence.
    """

    code: str
    level: Level
    scope: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Fault:
    """One place that breaks a rule.

    Attributes
    ----------
    code : str
        Of `RULES`.
    message : str
        What is wrong, with the value.
    field : str or None
        Such as ``provenance[2].q``.
    sample_id, line
        Where a check of the whole file found it; None: the record at hand, or the file.
    """

    code: str
    message: str
    field: str | None = None
    sample_id: str | None = None
    line: int | None = None


RULES: Final = (
    Rule("bad_json", "error", "line", "The line is not JSON."),
    Rule("not_utf8", "error", "line", "The line is not UTF-8."),
    Rule("not_an_object", "error", "line", "The line is JSON, but no object."),
    Rule("repeated_key", "error", "line", "An object gives a key twice."),
    Rule("json_array", "error", "line", "The file is one JSON array, not one object a line."),
    Rule("missing_field", "error", "field", "A required field is not there."),
    Rule("extra_field", "error", "field", "There is a field that the format has not."),
    Rule("wrong_type", "error", "field", "A value is of another JSON type (null, text, ...)."),
    Rule("empty_text", "error", "field", "A text is empty or blank."),
    Rule("empty_list", "error", "field", "`accept`, `reject` or `datasets` is empty."),
    Rule("empty_provenance", "error", "field", "`provenance` has no row."),
    Rule("out_of_range", "error", "field", "A number is too small or too large (q: 0 to 1)."),
    Rule("not_finite", "error", "field", "A number is NaN or infinite."),
    Rule("id_pattern", "error", "field", "The id is not OSDR-FRAG- or OSDR-CTRL- and 5 digits."),
    Rule("osd_pattern", "error", "field", "A dataset is not OSD- and a number."),
    Rule("unknown_item_type", "error", "field", "`item_type` is none of the two."),
    Rule("unknown_label", "error", "field", "`expected` is none of the three labels."),
    Rule("orientation", "error", "field", "`orientation_sign_applied` is neither 1 nor -1."),
    Rule("duplicate_dataset", "error", "field", "`evidence.datasets` names a dataset twice."),
    Rule("duplicate_id", "error", "item", "An id is given twice."),
    Rule("id_type_mismatch", "error", "item", "The id's prefix contradicts `item_type`."),
    Rule("context_mismatch", "error", "item", "`context` is not organism::tissue."),
    Rule("expected_not_accepted", "error", "item", "`expected` is missing from `accept`."),
    Rule("expected_rejected", "error", "item", "`expected` is in `reject`."),
    Rule("n_datasets_mismatch", "error", "item",
         "`n_datasets` is not the number of distinct datasets of the provenance."),
    Rule("datasets_mismatch", "error", "item",
         "`evidence.datasets` are not the datasets of the provenance."),
    Rule("min_abs_log2fc_mismatch", "error", "item",
         "`min_abs_log2FC` is off the provenance by more than 1e-4."),
    Rule("max_abs_log2fc_mismatch", "error", "item",
         "`max_abs_log2FC` is off the provenance by more than 1e-4."),
    Rule("max_q_mismatch", "error", "item", "`max_q` is off the provenance by more than 5e-6."),
    Rule("discordant_mismatch", "error", "item",
         "`discordant` contradicts the signs: true means that both are there."),
    Rule("trap_label", "error", "item", "A fragility trap expects a direction."),
    Rule("trap_not_discordant", "error", "item", "The evidence of a trap is not discordant."),
    Rule("control_label", "error", "item", "A concordant control expects no direction."),
    Rule("control_sign", "error", "item",
         "A row of a control is zero or against the expected direction."),
    Rule("compound_contrast", "warning", "provenance",
         "More than flight differs between the sides of a contrast."),
    Rule("orientation_contradicts_contrast", "warning", "provenance",
         "The orientation sign contradicts the text of the contrast."),
    Rule("pair_context", "error", "file", "The two items of a pair differ in context."),
    Rule("pair_incomplete", "warning", "file", "An item has no other half."),
    Rule("hash_mismatch", "error", "canonical", "The file is not the canonical one."),
    Rule("record_count", "error", "canonical", "There are not 200 records."),
    Rule("item_type_count", "error", "canonical", "There are not 100 traps and 100 controls."),
    Rule("pair_missing", "error", "canonical", "A pair of 00001 to 00100 is missing a half."),
    Rule("label_count", "error", "canonical", "There are not 44 up and 56 down."),
    Rule("context_count", "error", "canonical", "The contexts are not the six, as often."),
    Rule("dataset_set", "error", "canonical", "The datasets are not the 22."),
    Rule("provenance_row_count", "error", "canonical", "There are not 501 provenance rows."),
    Rule("manifest_unreadable", "error", "package", "`manifest.json` is no JSON object."),
    Rule("manifest_mismatch", "error", "package", "A figure of the manifest is not the file's."),
    Rule("manifest_file_missing", "warning", "package", "The manifest names a file not there."),
    Rule("payload_differs", "error", "package", "The transport copy is not the benchmark."),
    Rule("schema_unreadable", "error", "package", "`schema.json` is no JSON object."),
    Rule("schema_differs", "warning", "package",
         "`schema.json` asks for fields that items don't have."),
    Rule("not_listed", "error", "file", "So many findings more are counted, not listed."),
)  # fmt: skip
"""In the order of the documentation."""

_LEVELS: Final[dict[str, Level]] = {rule.code: rule.level for rule in RULES}


def level_of(code: str) -> Level:
    """Return how bad a finding of that code is.

    Examples
    --------
    >>> level_of("compound_contrast")
    'warning'
    """
    return _LEVELS[code]
