"""The table of wrong answers, byte by byte."""

from __future__ import annotations

import io

import pyarrow as pa

from eval_tiers.io.errors_csv import HEADER, ErrorsCsv


def samples(rows: list[tuple[str, str, str, str, str | None, bool]]) -> pa.Table:
    names = ("sample_id", "item_type", "context", "gold_label", "predicted_label",
             "answer_correct")  # fmt: skip
    return pa.table({name: [row[n] for row in rows] for n, name in enumerate(names)})


def test_only_wrong_rows_in_the_reference_columns() -> None:
    handle = io.BytesIO()
    errors = ErrorsCsv(handle)
    errors.add(
        samples(
            [
                ("OSDR-FRAG-00001", "fragility_trap", "m::liver", "indeterminate",
                 "indeterminate", True),
                ("OSDR-CTRL-00001", "concordant_control", "m::liver", "upregulated",
                 "downregulated", False),
            ]
        )
    )  # fmt: skip
    errors.add(
        samples([("OSDR-CTRL-00002", "concordant_control", "m::liver", "upregulated", None,
                  False)])
    )  # fmt: skip
    assert handle.getvalue().decode() == (
        "id,item_type,context,expected,prediction,correct\n"
        "OSDR-CTRL-00001,concordant_control,m::liver,upregulated,downregulated,False\n"
        "OSDR-CTRL-00002,concordant_control,m::liver,upregulated,INVALID/MISSING,False\n"
    )


def test_the_header_alone_where_all_is_right() -> None:
    handle = io.BytesIO()
    ErrorsCsv(handle)
    assert handle.getvalue().decode() == ",".join(HEADER) + "\n"


def test_ids_with_commas_quotes_and_surrogates() -> None:
    handle = io.BytesIO()
    row = ('a,"b"', "fragility_trap", "m::ü", "indeterminate", None, False)
    ErrorsCsv(handle).add(samples([row]))
    assert handle.getvalue().decode().split("\n")[1].startswith('"a,""b""",fragility_trap,m::ü,')
