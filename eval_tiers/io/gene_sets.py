"""Gene-set files: reading and checking a GMT file on disk, plain or compressed."""

from __future__ import annotations

import hashlib
import os

from eval_tiers.domain.findings import Finding
from eval_tiers.go.describe import describe_gmt
from eval_tiers.go.gene_sets import GeneSets, parse_gmt
from eval_tiers.go.gmt_table import GeneCase
from eval_tiers.go.lint import check_gmt
from eval_tiers.io.sources import read_bytes

_ROLE = "gene-set file"


def read_gene_sets(
    path: str | os.PathLike[str], case: GeneCase = "upper"
) -> tuple[GeneSets, tuple[Finding, ...]]:
    """Read a GMT file (plain, gzip or zstd); see `eval_tiers.go.gene_sets.parse_gmt`.

    Raises
    ------
    MissingResourceError
        The file isn't there or can't be read.
    BadInputError
        It is cut off, or no GMT file.
    """
    return parse_gmt(read_bytes(path, _ROLE), str(path), case)


def check_gene_set_file(path: str | os.PathLike[str]) -> list[Finding]:
    """Return every fault of a GMT file; see `eval_tiers.go.lint.check_gmt`.

    Raises
    ------
    MissingResourceError, BadInputError
        The file can't be read or is cut off.
    """
    return check_gmt(read_bytes(path, _ROLE), str(path))


def describe_gene_set_file(path: str | os.PathLike[str]) -> dict[str, object]:
    """Return what a GMT file holds; `eval_tiers.go.describe.describe_gmt` and ``sha256``.

    The hash is that of the file as it is on disk, compressed or not.

    Raises
    ------
    MissingResourceError, BadInputError
        As `read_gene_sets`.
    """
    described = describe_gmt(read_bytes(path, _ROLE), str(path))
    with open(path, "rb") as handle:
        return {**described, "sha256": hashlib.file_digest(handle, "sha256").hexdigest()}
