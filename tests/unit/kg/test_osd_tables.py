"""Tables of OSDR: gene ids, contrasts, numbers, and the real ones."""

from __future__ import annotations

import gzip
import time

import pytest

from eval_tiers.exceptions import BadInputError
from eval_tiers.kg.osd_tables import OsdTable, parse_osd_table
from tests.unit.kg.rr10_samples import HUMAN, MOUSE
from tests.unit.kg.samples import shared_file

PLANT = "arabidopsis_thaliana"
FORWARD = "(Space Flight)v(Ground Control)"
BACKWARD = "(Ground Control)v(Space Flight)"


def head(*contrasts: str, ids: str = "SYMBOL", mark: str = ",") -> str:
    columns = [ids.replace(",", mark)]
    for contrast in contrasts:
        columns += [f"Log2fc_{contrast}", f"P.value_{contrast}", f"Adj.p.value_{contrast}"]
    return mark.join(columns) + "\n"


def parse(text: str, dataset: str = "OSD-48", organisms: tuple[str, ...] = (MOUSE,)) -> OsdTable:
    return parse_osd_table(text.encode(), "folder/t.csv", dataset, organisms)


def refused(text: str, organisms: tuple[str, ...] = (MOUSE,)) -> BadInputError:
    with pytest.raises(BadInputError) as caught:
        parse(text, organisms=organisms)
    return caught.value


def test_one_contrast() -> None:
    table = parse(head(FORWARD) + "Socs2,-1.5,0.001,0.01\nActb,0.25,0.9,1\n")
    (made,) = table.rows_of("Socs2")
    assert (made.log2fc, made.q, made.sign, made.orientation) == (-1.5, 0.01, -1, 1)
    assert (made.dataset, made.organism, made.tissue, made.item_id) == ("OSD-48", MOUSE, None, None)
    assert (made.contrast, made.source_file, made.line) == (FORWARD, "t.csv", 2)
    assert table.rows_of("Actb")[0].line == 3
    assert table.rows_of("SOCS2") == ()
    assert "Actb" in table and "actb" not in table
    assert (table.gene_row_n, table.contrasts, table.findings) == (2, (FORWARD,), ())


def test_every_id_column_is_looked_in() -> None:
    text = head(FORWARD, ids="ENTREZID,TAIR,SYMBOL") + (
        "1,AT1G01010,NAC001,1,0.1,0.2\n2,AT1G01020,NA,-1,0.1,0.2\nNA,,NA,-1,0.1,0.2\n"
    )
    table = parse(text, organisms=(PLANT,))
    assert table.rows_of("AT1G01010") != ()
    assert [made.log2fc for made in table.rows_of("1")] == [1.0]
    assert [made.log2fc for made in table.rows_of("NAC001")] == [1.0]
    assert "NA" not in table and "" not in table
    assert [finding.code for finding in table.findings] == ["no-gene-id"]
    assert [made.gene for made in table.rows()] == ["NAC001", "AT1G01020"]
    assert [made.gene for made in table.rows({"AT1G01010", "2"})] == ["AT1G01010", "2"]


def test_one_name_in_two_columns_is_one_row() -> None:
    table = parse(
        head(FORWARD, ids="ENSEMBL,TAIR") + "AT1G01010,AT1G01010,1,0.1,0.2\n", organisms=(PLANT,)
    )
    assert len(table.rows_of("AT1G01010")) == 1


def test_a_gene_twice_has_both_rows() -> None:
    table = parse(head(FORWARD) + "Socs2,-1,0,0\nActb,1,0,0\nSocs2,2,0,0.5\n")
    assert [(made.log2fc, made.line) for made in table.rows_of("Socs2")] == [(-1.0, 2), (2.0, 4)]


def test_several_genes_in_a_cell() -> None:
    table = parse(head(FORWARD) + "Gm1|Gm2,-1,0,0\n")
    assert len(table.rows_of("Gm1")) == len(table.rows_of("Gm2")) == 1
    assert [made.gene for made in table.rows()] == ["Gm1"]


def test_human_names_in_any_case() -> None:
    table = parse(head(FORWARD) + "Tp53,-1,0,0\n", organisms=(HUMAN,))
    assert table.rows_of("TP53")[0].gene == "TP53"


def test_missing_numbers_are_none() -> None:
    table = parse(head(FORWARD) + "A,NA,NA,NA\nB,-1,0.1,\nC,,0.1,0.2\nD,nan,0,1e-300\n")
    found = {name: table.rows_of(name)[0] for name in "ABCD"}
    assert {name: (made.log2fc, made.q) for name, made in found.items()} == {
        "A": (None, None),
        "B": (-1.0, None),
        "C": (None, 0.2),
        "D": (None, 1e-300),
    }
    assert found["A"].sign == 0


def test_both_directions_give_the_forward_one() -> None:
    table = parse(head(BACKWARD, FORWARD) + "A,-1,0.1,0.2,1,0.1,0.3\n")
    (made,) = table.rows_of("A")
    assert (made.log2fc, made.q, made.orientation, made.contrast) == (1.0, 0.3, 1, FORWARD)


def test_a_reversed_contrast_alone_is_turned() -> None:
    table = parse(head(BACKWARD) + "A,-1,0.1,0.2\nB,0,0.1,0.2\nC,NA,0.1,0.2\n")
    (made,) = table.rows_of("A")
    assert (made.log2fc, made.sign, made.q, made.orientation) == (1.0, 1, 0.2, -1)
    assert made.contrast == BACKWARD
    assert str(table.rows_of("B")[0].log2fc) == "0.0"
    assert table.rows_of("C")[0].log2fc is None


def test_each_sub_group_is_a_row() -> None:
    text = head(
        "(Space Flight & WT)v(Ground Control & WT)",
        "(Ground Control & WT)v(Space Flight & WT)",
        "(Ground Control & KO)v(Space Flight & KO)",
        "(Space Flight & WT)v(Ground Control & KO)",
        "(Space Flight & WT)v(Space Flight & KO)",
        "(Space Flight & WT)v(Vivarium Control & WT)",
    )
    table = parse(text + "A," + ",".join(f"{number},0,0.{number}" for number in range(1, 7)) + "\n")
    found = [(made.log2fc, made.q, made.orientation, made.number) for made in table.rows_of("A")]
    assert found == [(1.0, 0.1, 1, 0), (-3.0, 0.3, -1, 1)]


@pytest.mark.parametrize("mark", [",", "\t", ";"])
def test_delimiters_quotes_and_case(mark: str) -> None:
    cells = ['"Symbol"', f'"LOG2FC_{FORWARD}"', f'"adj.p.value_{FORWARD}"']
    table = parse(mark.join(cells) + "\n" + mark.join(['"Socs2"', '"-1"', '"0.5"']) + "\n")
    assert table.rows_of("Socs2")[0].log2fc == -1.0


def test_an_r_table_with_row_names() -> None:
    table = parse(f"SYMBOL\tLog2fc_{FORWARD}\tAdj.p.value_{FORWARD}\n1\tSocs2\t-1\t0.5\n")
    assert table.rows_of("Socs2")[0].q == 0.5
    assert "1" not in table


def test_lines_count_blank_and_broken_ones() -> None:
    table = parse(head(FORWARD, ids="SYMBOL,GENENAME") + '\nA,"two\nlines",-1,0,0\n\nB,one,1,0,0\n')
    assert [table.rows_of(name)[0].line for name in "AB"] == [3, 6]


def test_the_organism_is_told_from_the_ids_where_the_benchmark_does_not_say() -> None:
    text = head(FORWARD, ids="ENSEMBL") + "ENSG00000141510,1,0,0\n"
    assert parse(text, organisms=()).organism == HUMAN
    assert parse(text, organisms=(MOUSE, HUMAN)).organism == HUMAN
    plant = head(FORWARD, ids="TAIR") + "AT1G01010,1,0,0\n"
    assert parse(plant, organisms=()).organism == PLANT
    assert parse(head(FORWARD) + "Socs2,1,0,0\n").organism == MOUSE


def test_ids_of_another_organism() -> None:
    error = refused(head(FORWARD, ids="ENSEMBL") + "ENSG00000141510,1,0,0\n")
    assert error.problems[0].code == "organism-mismatch"
    assert "homo_sapiens" in error.problems[0].message and MOUSE in error.problems[0].message


@pytest.mark.parametrize("organisms", [(), (MOUSE, HUMAN)])
def test_an_organism_that_nothing_tells(organisms: tuple[str, ...]) -> None:
    error = refused(head(FORWARD) + "Socs2,1,0,0\n", organisms)
    assert error.problems[0].code == "unknown-organism"


def test_no_flight_contrast_lists_those_there_are() -> None:
    basal, mixed = "(Space Flight)v(Basal Control)", "(Space Flight & A)v(Ground Control & B)"
    problem = refused(head(basal, mixed) + "A,1,0,0,1,0,0\n").problems[0]
    assert problem.code == "no-flight-contrast"
    assert basal in problem.message and mixed in problem.message


@pytest.mark.parametrize(
    ("header", "code", "word"),
    [
        ("SYMBOL,baseMean,P.value", "missing-column", "baseMean"),
        (f"probe,Log2fc_{FORWARD},Adj.p.value_{FORWARD}", "missing-column", "probe"),
        (f"SYMBOL,Log2fc_{FORWARD},P.value_{FORWARD}", "missing-column", "Adj.p.value_"),
        (
            f"SYMBOL,Log2fc_{FORWARD},Log2fc_{FORWARD},Adj.p.value_{FORWARD}",
            "duplicate-column",
            "2",
        ),
        ("SYMBOL", "missing-column", "Log2fc_"),
    ],
)
def test_columns_that_are_not_there(header: str, code: str, word: str) -> None:
    cells = ",".join(["1"] * (header.count(",") + 1))
    problem = refused(f"{header}\n{cells}\n").problems[0]
    assert problem.code == code
    assert word in problem.message and problem.where.line == 1


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        ("abc,0,0", "Log2fc"),
        ("inf,0,0", "Log2fc"),
        ("1_0,0,0", "Log2fc"),
        ("1e999,0,0", "Log2fc"),
        ("1,0,1.5", "Adj"),
        ("1,0,-0.1", "Adj"),
        ('1,0,"0,05"', "Adj"),
    ],
)
def test_what_is_no_number(cells: str, name: str) -> None:
    error = refused(head(FORWARD) + f"A,1,0,0\nB,{cells}\nC,1,0,0\n")
    (problem,) = error.problems
    assert (problem.code, problem.where.line) == ("bad-number", 3)
    assert str(problem.where.field).startswith(name)


def test_many_bad_numbers_are_counted() -> None:
    error = refused(head(FORWARD) + "".join(f"G{n},x{n},0,0\n" for n in range(50)))
    assert len(error.problems) == 20
    assert error.total == 50
    assert [problem.where.line for problem in error.problems[:2]] == [2, 3]


def test_a_bad_number_in_a_contrast_that_does_not_count_is_let_be() -> None:
    table = parse(head(FORWARD, "(A)v(B)") + "Socs2,1,0,0,abc,0,0\n")
    assert len(table.rows_of("Socs2")) == 1


def test_names_that_a_spreadsheet_changed() -> None:
    table = parse(head(FORWARD) + "2-Sep,1,0,0\n1-Mar,1,0,0\nNkx2-1,1,0,0\n")
    assert [finding.code for finding in table.findings] == ["excel-date"]
    assert table.findings[0].message.startswith("2 genes")


@pytest.mark.parametrize("text", ["", "\n\n", head(FORWARD)])
def test_no_rows(text: str) -> None:
    assert refused(text).problems[0].code in {"empty-file", "no-rows"}


@pytest.mark.parametrize(("number", "gene_n"), [(104, 21_759), (137, 20_833), (168, 21_400)])
def test_whole_tables(number: int, gene_n: int) -> None:
    path = shared_file(f"data/osdr/OSD-{number}_full_osdr_columns.derived.csv.gz")
    data = gzip.decompress(path.read_bytes())
    parse(head(FORWARD) + "A,1,0,0\n")  # the imports
    begun = time.process_time()
    table = parse_osd_table(data, str(path), f"OSD-{number}", [MOUSE])
    assert time.process_time() - begun < 5
    assert (table.gene_row_n, table.organism) == (gene_n, MOUSE)
    assert table.contrasts == (FORWARD,)
    lines = data.decode().split("\n")
    for place in (1, 2, gene_n // 2, gene_n):
        ensembl, symbol, _, log2fc, _, q = lines[place].split(",")
        found = [made for made in table.rows_of(ensembl) if made.line == place + 1]
        assert [(made.log2fc, made.q) for made in found] == [
            (float(log2fc), float(q) if q not in ("", "NA") else None)
        ]
        if symbol:
            assert any(made.line == place + 1 for made in table.rows_of(symbol))
    assert sum(1 for _ in table.rows()) == gene_n


@pytest.mark.parametrize("name", ["OSD-101_excerpt", "OSD-104_excerpt"])
def test_excerpts(name: str) -> None:
    data = shared_file(f"data/osdr/{name}_osdr_columns.csv").read_bytes()
    table = parse_osd_table(data, name, name[:7])
    assert table.organism == MOUSE
    assert {made.sign for made in table.rows_of("Rsad2")} == {1}


def test_a_table_with_other_columns_is_refused() -> None:
    data = shared_file("data/osdr/gzy2520_Table_S2_Kidney_Common12_DEGs.csv").read_bytes()
    with pytest.raises(BadInputError, match="missing-column"):
        parse_osd_table(data, "gzy.csv", "OSD-163", [MOUSE])
