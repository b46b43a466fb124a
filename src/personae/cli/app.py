"""The application object, and how errors become exit codes.

0 done, 1 a gate failed, 2 bad input, 3 finished with items in error or damaged, or stopped where a limit was reached or no
answer came any more (resumable), 130 interrupted (resumable).
"""

from __future__ import annotations

import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from personae.errors import CostReached, NotKept, NothingComesBack, PersonaeError

BAD_INPUT, UNFINISHED, INTERRUPTED = 2, 3, 130


class Verbs(TyperGroup):
    """Turns errors meant for a person into one sentence and an exit code; any other error shows its trace."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
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


def say(sentence: str) -> None:
    """Tell the person something that is no data: on standard error, one line."""
    typer.echo(f"personae: {' '.join(sentence.split())}", err=True)


app = typer.Typer(
    cls=Verbs,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Measure how a persona changes the bias of a language model, against the same model without it.",
)


def main() -> None:
    """Run a verb."""
    try:
        app()
    except SystemExit as ended:
        if ended.code != INTERRUPTED:
            raise
        say("interrupted; everything answered is kept: run the same command to go on")
        sys.stdout.flush()
        # A model in this process may be in the middle of a long answer that nothing can stop: leave it behind.
        os._exit(INTERRUPTED)
