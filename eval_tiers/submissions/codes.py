"""The codes of failed checks of a submission, each with what it means."""

from __future__ import annotations

from typing import Final

MISSING: Final = "missing"
ABSOLUTE_PATH: Final = "absolute_path"
ESCAPES_ROOT: Final = "escapes_root"
SYMLINK: Final = "symlink"
HARD_LINK_DUPLICATE: Final = "hard_link_duplicate"
NOT_REGULAR: Final = "not_regular"
OVERSIZE: Final = "oversize"
HASH_MISMATCH: Final = "hash_mismatch"
DUPLICATE_DECLARATION: Final = "duplicate_declaration"
MANIFEST_MALFORMED: Final = "manifest_malformed"
EMPTY_ANSWER: Final = "empty_answer"
UNREADABLE: Final = "unreadable"
CHANGED_WHILE_READ: Final = "changed_while_read"
NOT_UTF8: Final = "not_utf8"
NUL_BYTE: Final = "nul_byte"

HEADER_MISMATCH: Final = "header_mismatch"
ROW_LENGTH: Final = "row_length"
DUPLICATE_KEY: Final = "duplicate_key"
UNEXPECTED_KEY: Final = "unexpected_key"
MISSING_KEY: Final = "missing_key"
ROW_COUNT: Final = "row_count"
NOT_A_NUMBER: Final = "not_a_number"
NOT_FINITE: Final = "not_finite"
NOT_INTEGER: Final = "not_integer"
OUT_OF_TOLERANCE: Final = "out_of_tolerance"
TEXT_MISMATCH: Final = "text_mismatch"
MALFORMED_CSV: Final = "malformed_csv"
TOO_WIDE: Final = "too_wide"

RECOMPUTATION_MISMATCH: Final = "recomputation_mismatch"

STRUCTURE_CODES: Final[dict[str, str]] = {
    MISSING: "a file that has to be there, or to be declared, is not",
    ABSOLUTE_PATH: "a declared path begins at the root of a disk",
    ESCAPES_ROOT: "a declared path holds '..'",
    SYMLINK: "a declared path, or a folder on the way, is a symbolic link",
    HARD_LINK_DUPLICATE: "a declared file has another name too, in the folder or outside",
    NOT_REGULAR: "what is declared is a folder, a pipe, a socket or a device",
    OVERSIZE: "a file, or all declared files together, are larger than the limit",
    HASH_MISMATCH: "a file's SHA-256 is not the one that the manifest gives",
    DUPLICATE_DECLARATION: "two declared paths are the same, or but for case or Unicode form",
    MANIFEST_MALFORMED: "the manifest, or an entry of it, is not as specified",
    EMPTY_ANSWER: "the answer holds nothing but blanks",
    UNREADABLE: "a file is there but the system does not let it be read",
    CHANGED_WHILE_READ: "a file changed while it was read",
    NOT_UTF8: "a text or table is not UTF-8",
    NUL_BYTE: "a text or table holds NUL bytes",
}
TABLE_CODES: Final[dict[str, str]] = {
    HEADER_MISMATCH: "the columns are not those of the task, in that order",
    ROW_LENGTH: "a row has more or fewer cells than the header",
    DUPLICATE_KEY: "two rows have the same key",
    UNEXPECTED_KEY: "a key that the reference table doesn't have",
    MISSING_KEY: "a key of the reference table that no row has",
    ROW_COUNT: "the number of rows is not the one that is asked for",
    NOT_A_NUMBER: "a cell of a numeric column is no number",
    NOT_FINITE: "a cell of a numeric column is not finite",
    NOT_INTEGER: "a cell of a whole-number column has a fraction",
    OUT_OF_TOLERANCE: "a number is farther from the reference than is allowed",
    TEXT_MISMATCH: "a text is not that of the reference, where the task wants it exact",
    MALFORMED_CSV: "quotes or line ends that can't be read as CSV",
    TOO_WIDE: "a line or a cell is longer than the limit",
}
RECOMPUTATION_CODES: Final[dict[str, str]] = {
    RECOMPUTATION_MISMATCH: "a number is not the one that comes of the observations",
}
CODES: Final[dict[str, str]] = STRUCTURE_CODES | TABLE_CODES | RECOMPUTATION_CODES
