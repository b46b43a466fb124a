"""`personae` in a process of its own that notes what it asks, and dies where it is told to.

Run as ``python dying.py LOG WHERE ARGUMENTS…``. Every ask that goes to a model, and every answer that came, is a line
in LOG. At the first ask whose key WHERE (a regular expression) finds, the process is killed as by ``kill -9``; where
WHERE begins with ``!``, everything answered by then is in the store, otherwise whatever the store happened to write.
Tables are written, but no pages.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

from personae.cli import main
from personae.engine.ask import Asker
from personae.report import figures, page
from personae.types import Response, Trial


def dying(log: Path, where: str) -> None:
    """Have every ask noted, and the one that is named be the last."""
    fresh = Asker.fresh

    async def noted(self: Asker, key: str, trial: Trial) -> Response:
        _note(log, f"asked {key}")
        if where and re.search(where.removeprefix("!"), key):
            if where.startswith("!"):
                self.store.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        response = await fresh(self, key, trial)
        _note(log, f"answered {key}")
        return response

    Asker.fresh = noted  # type: ignore[method-assign]


def _note(log: Path, line: str) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def _nothing(*given: object) -> None:
    """Draw nothing."""


if __name__ == "__main__":
    figures.write_figures = page.write_page = _nothing
    given, place, *arguments = sys.argv[1:]
    dying(Path(given), place)
    sys.argv = ["personae", *arguments]
    main()
