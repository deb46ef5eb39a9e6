"""The commands and the options that all of them have."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated, Any

import typer

from aucbench.cli.auc import auc
from aucbench.cli.catalogue import (
    cite,
    guide,
    list_names,
    list_plugins,
    show,
    warn_of_broken_plugins,
)
from aucbench.cli.check import check, new
from aucbench.cli.data import data
from aucbench.cli.groups import CommandsByGroup, GroupedCommand
from aucbench.cli.judge import judge
from aucbench.cli.messages import say
from aucbench.cli.model import explain, fit, predict
from aucbench.cli.report import report
from aucbench.cli.reproduce import reproduce
from aucbench.cli.run import compare, export, run, status
from aucbench.cli.study import study
from aucbench.cli.surroundings import CUT_OFF, lost
from aucbench.errors import INTERRUPTED, AucbenchError, ParameterError

__all__ = ["app"]


class CommandGroup(CommandsByGroup):
    """Prints one sentence for a mistake of the user; a bug keeps its traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; exit code 2 when it raises `AucbenchError`, 130 after Ctrl-C."""
        try:
            return super().invoke(ctx)
        except AucbenchError as error:
            say(f"error: {error.lines[0]}", err=True)
            for line in error.lines[1:]:
                say(f"  {line}", err=True)
            warn_of_broken_plugins()
            raise typer.Exit(2) from error
        except OSError as error:
            if why := lost(error):
                typer.echo(f"error: {why}", err=True)
                raise typer.Exit(CUT_OFF) from error
            raise
        except KeyboardInterrupt as error:
            typer.echo("interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from error


app = typer.Typer(
    cls=CommandGroup,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
COMMANDS: dict[str, dict[str, Callable[..., Any]]] = {  # in the order in which people use them
    "You have a table": {"fit": fit, "predict": predict, "explain": explain, "auc": auc},
    "You have a solver": {
        "new": new,
        "check": check,
        "compare": compare,
        "study": study,
        "run": run,
        "status": status,
    },
    "You have results": {"judge": judge, "report": report, "export": export, "cite": cite},
    "What there is": {
        "list": list_names,
        "show": show,
        "guide": guide,
        "plugins": list_plugins,
        "reproduce": reproduce,
    },
}
for title, commands in COMMANDS.items():
    for name, command in commands.items():
        app.command(name, cls=GroupedCommand, rich_help_panel=title)(command)
app.add_typer(data, name="data", rich_help_panel=title)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"aucbench {version('aucbench')}")
        raise typer.Exit


def _check_simd() -> None:
    """Refuse a wrong AUCBENCH_SIMD by a sentence; kernels, which know nothing of ours, cannot."""
    try:
        from aucbench.kernels import simd  # noqa: F401  its import is the check
    except ImportError as error:
        raise ParameterError(str(error)) from error


@app.callback()
def common(
    *,
    no_plugins: Annotated[
        bool, typer.Option("--no-plugins", help="Load what comes with aucbench only.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print it."),
    ] = False,
) -> None:
    """Compare solvers that maximise the area under the ROC curve."""
    if os.environ.get("AUCBENCH_SIMD"):
        _check_simd()
    if no_plugins:
        from aucbench.registry.discovery import ALLOWED

        os.environ[ALLOWED] = ""  # an empty list, which processes started from here inherit
