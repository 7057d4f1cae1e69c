"""Names of nodes: how they are matched, and which node each gets."""

from __future__ import annotations

import re

import numpy as np

from eval_tiers.domain.findings import Finding
from eval_tiers.exceptions import SourceRef
from eval_tiers.kg.coded import CodedColumn, Int32Array
from eval_tiers.kg.wording import LINES_SHOWN, plural

_BREAKS = re.compile(r"[\t\n\r]+")
_ODD = re.compile(r"[\t\n\r\0]")
_TITLE_CASE = re.compile(r"[A-Z][a-z]{0,5}\d*[a-z0-9-]{0,5}\Z")
_ORF = re.compile(r"C(\d+|X|Y)orf\d+\Z")
_MONTH = r"(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|SEPT|OCT|NOV|DEC)"
_EXCEL_DATE = re.compile(rf"(\d{{1,2}}-{_MONTH}|{_MONTH}-\d{{1,2}})\Z")


def normalise_symbol(name: str, keep_case: bool = False) -> str:
    """Return a node name as it is matched: stripped and upper-cased (human symbols).

    ``keep_case``: not upper-cased, for organisms whose symbols differ by case alone.

    Tabs and line breaks inside become one space, NUL becomes ``?``; nothing else is changed.

    Examples
    --------
    >>> normalise_symbol(" Nkx2-1 ")
    'NKX2-1'
    """
    name = name.strip() if keep_case else name.strip().upper()
    if _ODD.search(name):
        name = _BREAKS.sub(" ", name).replace("\0", "?")
    return name


class NodeNames:
    """Gives each normalised name one code, and remembers how names were spelled.

    Parameters
    ----------
    keep_case : bool
        Whether names that differ by case alone are different nodes.

    Attributes
    ----------
    nodes : list of str
        Names in order of first use; a code is a place in it.
    title_case : list of bool
        Whether each was spelled like a mouse symbol.
    """

    def __init__(self, keep_case: bool = False) -> None:
        self.keep_case = keep_case
        self.nodes: list[str] = []
        self.title_case: list[bool] = []
        self._index: dict[str, int] = {}
        self._spelling: list[str] = []
        self._merged: dict[str, str] = {}

    def code(self, raw: str) -> int:
        """Return the code of a name as spelled in the file; -1 for an empty one."""
        spelled = raw.strip()
        name = spelled if self.keep_case else spelled.upper()
        code = self._index.get(name)
        if code is None:
            if not name:
                return -1
            name = normalise_symbol(name, self.keep_case)
            if not name.isascii():
                name = name.encode("utf-8", "replace").decode("utf-8")
            code = self._index.setdefault(name, len(self.nodes))
            if code == len(self.nodes):
                self.nodes.append(name)
                self._spelling.append(spelled)
                self.title_case.append(spelled != name and _looks_like_mouse(spelled))
        elif spelled != self._spelling[code]:
            self._merged.setdefault(name, f"{self._spelling[code]}/{spelled}")
        return code

    def codes(self, column: CodedColumn) -> Int32Array:
        """Intern the values that the column uses (not those of rows left out)."""
        used = np.zeros(len(column.values), dtype=np.bool_)
        used[column.codes] = True
        table = np.full(len(column.values), -1, dtype=np.int32)
        for place in np.flatnonzero(used).tolist():
            table[place] = self.code(column.values[place])
        return table[column.codes]

    def findings(self, path: str) -> list[Finding]:
        """Return findings on names that a spreadsheet or upper-casing has changed."""
        found = []
        dates = [name for name in self.nodes if "-" in name and _EXCEL_DATE.match(name)]
        if dates:
            found.append(
                Finding(
                    "excel-date",
                    f"{len(dates)} {plural(len(dates), 'name')} that a spreadsheet turned into a "
                    f"date, left as {'it is' if len(dates) == 1 else 'they are'}: "
                    + ", ".join(dates[:LINES_SHOWN]),
                    SourceRef(path),
                    fix="get the original file: which gene 2-Sep or 1-Mar was can't be told",
                )
            )
        if self._merged:
            count = len(self._merged)
            found.append(
                Finding(
                    "case-merged",
                    f"{count} {plural(count, 'name')} in several spellings (upper and lower case) "
                    "taken for one node: " + ", ".join(list(self._merged.values())[:LINES_SHOWN]),
                    SourceRef(path),
                    "note",
                )
            )
        return found


def _looks_like_mouse(spelled: str) -> bool:
    return (
        _TITLE_CASE.match(spelled) is not None
        and any(letter.islower() for letter in spelled)
        and _ORF.match(spelled) is None
    )
