"""The application object, and how errors become exit codes.

0 done, 1 a gate failed, 2 bad input, 3 finished with items in error or damaged, or stopped where a limit was reached or
no answer came any more (resumable), 130 interrupted, 143 ended by SIGTERM, 129 by SIGHUP (all three resumable), 141
nobody reads what is printed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from personae.cli.ending import ending
from personae.cli.terminal import UNREAD, guard, say, tell
from personae.cli.verbs import Commands, one_lines
from personae.errors import CostReached, NothingComesBack, NotKept, PersonaeError

BAD_INPUT, UNFINISHED, INTERRUPTED = 2, 3, 130


class Verbs(TyperGroup):
    """Turns errors meant for a person into one sentence and an exit code; any other error shows its trace.

    A verb's module is imported when the verb is called, none for the list of them.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**{**given, "commands": Commands()})

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(one_lines())

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        if not args:  # the help is shown by way of an error
            return super().make_context(info_name, args, parent, **extra)
        with _said():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: Any) -> Any:
        with _said():
            return super().invoke(ctx)


@contextmanager
def _said() -> Iterator[None]:
    try:
        yield
    except CostReached as error:
        say(f"{error}; everything answered is kept: run the same command with a higher --max-cost to go on")
        raise typer.Exit(UNFINISHED) from None
    except NotKept as error:
        say(f"{error}; everything written before it is kept: run the same command again to go on")
        raise typer.Exit(UNFINISHED) from None
    except NothingComesBack as error:
        say(f"{error}; everything answered is kept: run the same command to go on")
        raise typer.Exit(UNFINISHED) from None
    except PersonaeError as error:
        say(str(error))
        raise typer.Exit(BAD_INPUT) from None
    except TyperException as error:  # a word on the command line that no option takes
        context = getattr(error, "ctx", None)
        verb = context.command_path if context is not None else "personae"
        say(f"{error.format_message().rstrip('.')}; {verb} --help says what is allowed")
        raise typer.Exit(BAD_INPUT) from None


app = typer.Typer(
    cls=Verbs,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Plain: rich would take half a second to lay it out, and takes the [default: …] of an option for a style.
    rich_markup_mode=None,
)


def _say_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        tell(f"personae {version('personae')}")
        raise typer.Exit


@app.callback()
def personae(
    version: Annotated[
        bool, typer.Option("--version", help="Say the version.", is_eager=True, callback=_say_version)
    ] = False,
) -> None:
    """Measure how a persona changes the bias of a language model, against the same model without it."""


def main() -> None:
    """Run a verb."""
    guard()
    ended = ending()
    code = UNREAD
    try:
        app()
    except KeyboardInterrupt:  # before the verb had begun
        code = ended.code
        ended.say()
    except SystemExit as left:
        if left.code not in (INTERRUPTED, UNREAD) and ended.by is None:
            raise
        if left.code != UNREAD or ended.by is not None:
            code = ended.code
            ended.say()
            sys.stdout.flush()
    # A model in this process may be in the middle of a long answer that nothing can stop: leave it behind. And what
    # nobody reads is not written once more.
    os._exit(code)
