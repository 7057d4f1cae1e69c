"""``gmt``: what a gene-set file holds, and what is wrong with it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, cast

import click

from eval_tiers.cli.console import print_findings, print_json, program_name

if TYPE_CHECKING:
    from eval_tiers.domain.findings import Finding

_LEVELS: tuple[Literal["error", "warning", "note"], ...] = ("error", "warning", "note")


@click.group("gmt")
def command() -> None:
    """Look at and check gene-set files (GMT) for tier 3."""


@command.command("info")
@click.argument("file", type=click.Path(readable=False))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def info(file: str, as_json: bool) -> None:
    """Tell what a GMT file holds: sets, genes, kind of identifier, faults.

    FILE may be plain, gzip or zstd.
    """
    from eval_tiers.io.gene_sets import describe_gene_set_file

    described = describe_gene_set_file(file)
    if as_json:
        print_json(described)
    else:
        click.echo("\n".join(_info_lines(described)))


@command.command("lint")
@click.argument("file", type=click.Path(readable=False))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, all findings.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Findings to print; the rest are counted.",
)
@click.pass_context
def lint(ctx: click.Context, file: str, as_json: bool, limit: int) -> None:
    """Check a GMT file line by line.

    Exit code 1 when there is any error or warning; notes alone (comments, blank lines, a BOM,
    CRLF) give 0.
    """
    from eval_tiers.io.gene_sets import check_gene_set_file

    findings = sorted(check_gene_set_file(file), key=lambda found: _LEVELS.index(found.level))
    level_n = Counter(found.level for found in findings)
    if as_json:
        print_json(
            {
                "path": file,
                "error_n": level_n["error"],
                "warning_n": level_n["warning"],
                "note_n": level_n["note"],
                "finding_n": dict(sorted(Counter(found.code for found in findings).items())),
                "findings": [found.as_dict() for found in findings],
            }
        )
    else:
        print_findings(findings, limit, err=False)
        click.echo("\n".join(_verdict_lines(file, findings)))
    if level_n["error"] or level_n["warning"]:
        ctx.exit(1)


def _info_lines(described: dict[str, object]) -> list[str]:
    organism = described["likely_organism"]
    style = described["symbol_case"]
    kind = str(described["likely_identifier"])
    if style:
        kind += f", {style} case" + (f" ({organism}, it seems)" if organism else "")
    lines = [
        f"file           {described['path']}",
        f"sha256         {described['sha256']}",
        f"sets           {described['set_n']:,}",
        f"genes          {described['gene_n']:,}",
        f"memberships    {described['membership_n']:,}",
        f"genes are      {kind}",
        "               " + "".join(f"{name:>8}" for name in _columns(described)),
        "genes a set    " + _row(described, "set_size"),
        "sets a gene    " + _row(described, "gene_annotation_n"),
    ]
    if described["matches_reference"]:
        lines.append("reference      sets and genes are as many as in PerturbReason's own GMT")
    finding_n = cast("dict[str, int]", described["finding_n"])
    if finding_n:
        lines.append("findings")
        lines += [f"  {count:>8,}  {code}" for code, count in finding_n.items()]
        lines.append(f"Next: {program_name()} gmt lint {described['path']}")
    else:
        lines.append("findings       none")
    return lines


def _columns(described: dict[str, object]) -> list[str]:
    return list(cast("dict[str, float]", described["set_size"]))


def _row(described: dict[str, object], key: str) -> str:
    values = cast("dict[str, float]", described[key])
    return "".join(
        f"{value:>8,.0f}" if value.is_integer() else f"{value:>8,.1f}" for value in values.values()
    )


def _verdict_lines(file: str, findings: list[Finding]) -> list[str]:
    level_n = Counter(found.level for found in findings)
    counts = ", ".join(
        f"{level_n[level]:,} {level}{'' if level_n[level] == 1 else 's'}"
        for level in _LEVELS
        if level_n[level]
    )
    lines = [f"Found {counts}." if counts else "No faults found."]
    if len(findings) > 1:
        code_n = Counter(found.code for found in findings)
        lines += [f"  {count:>8,}  {code}" for code, count in sorted(code_n.items())]
    if level_n["error"] or level_n["warning"]:
        lines.append(f"Next: mend the file, then: {program_name()} gmt lint {file}")
    else:
        lines.append(f"Next: {program_name()} eval --tiers 1 2 3 --go-gmt {file} ...")
    return lines
