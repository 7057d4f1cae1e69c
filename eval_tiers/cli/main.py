"""The entry point: finds the commands, turns errors into messages and exit codes."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import click

from eval_tiers import __version__
from eval_tiers.cli import commands
from eval_tiers.cli.console import run_reporting_errors

CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 80}


class DiscoveredGroup(click.Group):
    """A group whose commands are the modules of `eval_tiers.cli.commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted."""
        return sorted(module.name.replace("_", "-") for module in _modules())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name, None where there is none; imports only its module."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{commands.__name__}.{cmd_name.replace('-', '_')}")
        command = module.command
        if not isinstance(command, click.Command):
            raise TypeError(f"{module.__name__}.command is no click command")
        return command


def _modules() -> list[pkgutil.ModuleInfo]:
    return list(pkgutil.iter_modules(commands.__path__))


@click.group(cls=DiscoveredGroup, context_settings=CONTEXT_SETTINGS)
@click.version_option(__version__, "--version", "-V", prog_name="eval_tiers")
@click.option("--debug", is_flag=True, help="Show the traceback of our own errors too.")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """Tell whether a model's biological answer is right, for the right reason.

    Start with `eval --tiers 1 2 3`: without paths it runs on bundled data.
    """
    ctx.ensure_object(dict)["debug"] = debug


def main(args: list[str] | None = None, program: str = "eval-tiers") -> None:
    """Run the command line and exit with a code that says how it went.

    Parameters
    ----------
    args : list of str, optional
        What follows the program's name; the process's own by default.
    program : str
        How it was started, for usage lines and for what to type next.

    Notes
    -----
    Exit codes: 0 done, 1 findings, 2 usage, 3 bad input, 4 missing resource, 5 replies don't fit,
    6 infrastructure, 70 a bug of ours.
    """
    argv = sys.argv[1:] if args is None else args
    sys.exit(run_reporting_errors(cli, argv, program))
