"""All faults of a GMT file, in the form that ``gmt lint`` prints."""

from __future__ import annotations

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import BadInputError
from eval_tiers.go.faults import find_faults
from eval_tiers.go.gmt_table import parse_gmt_table


def check_gmt(data: bytes, path: str) -> list[Finding]:
    """Return every fault of a GMT file, one a kind and line, in line order.

    Parameters
    ----------
    data : bytes
        The decompressed file as it is on disk (a BOM and CRLF are faults to be found).
    path : str
        Its name, for messages.

    Returns
    -------
    list of Finding
        Empty for a clean file. A file that is something else altogether (an HTML page, JSON,
        UTF-16, no text, empty) gives the one error that reading it would raise.

    References
    ----------
    docs/inputs.md, "Gene sets".

    Examples
    --------
    >>> [(found.code, found.where.line) for found in check_gmt(b"T1\\t\\tA\\tB\\tA\\n", "toy.gmt")]
    [('duplicate-gene', 1)]
    """
    try:
        table = parse_gmt_table(data, path, case="keep")
    except BadInputError as error:
        return [
            Finding(problem.code, problem.message, problem.where, "error", problem.fix)
            for problem in error.problems
        ]
    return find_faults(table)
