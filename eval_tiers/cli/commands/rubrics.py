"""``rubrics``: reports judged criterion by criterion; its subcommands are in `cli.rubrics`."""

from __future__ import annotations

import importlib
import pkgutil

import click

from eval_tiers.cli import rubrics


class _RubricsGroup(click.Group):
    """A group whose commands are the modules of `eval_tiers.cli.rubrics`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands, sorted."""
        return sorted(
            module.name.replace("_", "-") for module in pkgutil.iter_modules(rubrics.__path__)
        )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a subcommand by name, None where there is none; imports only its module."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{rubrics.__name__}.{cmd_name.replace('-', '_')}")
        command = module.command
        if not isinstance(command, click.Command):
            raise TypeError(f"{module.__name__}.command is no click command")
        return command


@click.group("rubrics", cls=_RubricsGroup, short_help="Judge reports criterion by criterion.")
def command() -> None:
    """Judge reports criterion by criterion, and score them by weight.

    Tasks with their rubrics are a processed_data.jsonl, reports a folder of SAMPLE_ID.md. In
    order: validate, export, infer (the command of that name), merge, score; agree compares the
    verdicts with people's.
    """
