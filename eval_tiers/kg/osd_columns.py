"""Which columns of an OSDR table hold gene ids, and which a flight contrast."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from eval_tiers.exceptions import BadInputError, Problem, SourceRef
from eval_tiers.kg.contrasts import Contrast, parse_contrast

ID_COLUMNS = (
    "symbol",
    "gene_symbol",
    "gene",
    "gene_name",
    "tair",
    "agi",
    "locus",
    "flybase",
    "wormbase",
    "orf",
    "sgd",
    "ensembl",
    "ensembl_id",
    "ensembl_gene_id",
    "gene_id",
    "entrezid",
    "entrez",
    "entrez_id",
    "refseq",
    "genename",
)
"""Names of columns with gene ids, in lower case; a gene goes by the first that it has."""

_LOG2FC = re.compile(r"log2fc_(\(.+)", re.IGNORECASE | re.DOTALL)
_Q = re.compile(r"adj\.?p\.?value_(\(.+)", re.IGNORECASE | re.DOTALL)
_NAMES_SHOWN = 30


@dataclass(frozen=True, slots=True)
class FlightColumns:
    """The two columns of one simple flight contrast.

    Attributes
    ----------
    text : str
        The contrast as written.
    orientation : int
        -1 where it is ground against flight.
    log2fc, q : int
        Places of the columns.
    """

    text: str
    orientation: int
    log2fc: int
    q: int


def find_id_columns(header: Sequence[str]) -> list[int]:
    """Return the places of all gene id columns, the name that a gene goes by first."""
    places = {name: place for place, name in reversed(list(enumerate(map(_plain, header))))}
    return [places[name] for name in ID_COLUMNS if name in places]


def find_flight_columns(header: Sequence[str], path: str) -> list[FlightColumns]:
    """Return the contrasts of flight against ground in which nothing else differs.

    One that is there only the other way round is returned with orientation -1.

    Raises
    ------
    BadInputError
        ``missing-column``: there is no column of gene ids or of fold changes, or a contrast has
        no adjusted p; ``no-flight-contrast``; ``duplicate-column``.
    """
    folds = _by_contrast(header, _LOG2FC)
    if not folds or not find_id_columns(header):
        lacking = "of fold changes, Log2fc_(A)v(B)" if not folds else "of gene ids, such as SYMBOL"
        raise BadInputError(
            Problem(
                "missing-column",
                f"there is no column {lacking}; the header is: {_listed(header)}",
                SourceRef(path, 1),
                "give a differential-expression table with the columns of OSDR",
            )
        )
    contrasts = {text: parse_contrast(text) for text in folds}
    simple = {
        text: contrast
        for text, contrast in contrasts.items()
        if contrast is not None and contrast.orientation and not contrast.is_compound
    }
    forward = {_key(contrast) for contrast in simple.values() if contrast.orientation > 0}
    used = [
        (text, contrast.orientation)
        for text, contrast in simple.items()
        if contrast.orientation > 0 or _key(contrast.reversed) not in forward
    ]
    if not used:
        raise BadInputError(
            Problem(
                "no-flight-contrast",
                "no contrast is space flight against ground control with nothing else differing; "
                f"the contrasts are: {_listed(list(folds))}",
                SourceRef(path, 1),
                "give the table of another contrast of this dataset",
            )
        )
    adjusted = _by_contrast(header, _Q)
    return [_columns_of(text, sign, folds, adjusted, header, path) for text, sign in used]


def _columns_of(
    text: str,
    orientation: int,
    folds: dict[str, list[int]],
    adjusted: dict[str, list[int]],
    header: Sequence[str],
    path: str,
) -> FlightColumns:
    for places, name in ((folds[text], "Log2fc_"), (adjusted.get(text, []), "Adj.p.value_")):
        if len(places) == 1:
            continue
        code = "duplicate-column" if places else "missing-column"
        what = f"there are {len(places)} columns" if places else "there is no column"
        raise BadInputError(
            Problem(
                code,
                f"{what} {name}{text}; the header is: {_listed(header)}",
                SourceRef(path, 1),
                "give the table as OSDR has it, each contrast with one Log2fc and one Adj.p.value",
            )
        )
    return FlightColumns(text, orientation, folds[text][0], adjusted[text][0])


def _by_contrast(header: Sequence[str], pattern: re.Pattern[str]) -> dict[str, list[int]]:
    """Return the places of the columns of a kind by the contrast in their name."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(header):
        found = pattern.fullmatch(name.strip())
        if found is not None:
            places.setdefault(found[1].strip(), []).append(place)
    return places


def _key(contrast: Contrast) -> tuple[str, ...]:
    return tuple(
        " ".join(side.casefold().split()) for side in (contrast.treatment, contrast.control)
    )


def _plain(name: str) -> str:
    return re.sub(r"[\s.\-]+", "_", name.strip().casefold())


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(
        name if len(name) <= 80 else name[:77] + "..." for name in names[:_NAMES_SHOWN]
    )
    hidden = len(names) - _NAMES_SHOWN
    return (shown or "(empty)") + (f", ... and {hidden} more" if hidden > 0 else "")
