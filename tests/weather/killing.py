"""Kill a process at each of its steps in a folder: run as a program, which forks one child for every step.

A step is a file opened, made, renamed or removed below the folder, or read for it. Nothing is computed before the fork,
so that no library has threads then.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from personae import pages
from personae.importing import import_answers
from personae.run import create_run, open_run
from personae.spec import make_spec

_EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "sqlite3.connect")


def create(folder: Path, source: Path) -> None:
    """Make a run with files of the user's own."""
    spec = make_spec(
        studies=["occupations.choice"],
        models=["sim/neutral"],
        personas=source / "personas.yaml",
        stimuli=source / "occupations.csv",
    )
    create_run(folder, spec).close()


def imports(folder: Path, source: Path) -> None:
    """Import recorded answers."""
    import_answers("roleplay", source, folder).close()


def report(folder: Path, _: Path) -> None:
    """Write the report of a run, with two of its figures."""
    made = pages.content_of

    def fewer(*given: Any) -> Any:
        content = made(*given)
        return replace(content, figures=content.figures[:2])

    pages.content_of = fewer
    with open_run(folder) as run:
        run.report()


WORK: dict[str, Callable[[Path, Path], None]] = {"create": create, "import": imports, "report": report}


def child(work: str, folder: Path, source: Path, last: int) -> None:
    """Do it, and be killed at the step numbered `last`; the number of steps is written beside the folder."""
    steps = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal steps
        if event in _EVENTS and _named(arguments[0]).startswith((f"{folder}{os.sep}", f"{source}{os.sep}")):
            steps += 1
            if steps == last:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    WORK[work](folder, source)
    folder.with_suffix(".steps").write_text(str(steps), encoding="ascii")


def _named(path: Any) -> str:
    """A path as it is, also where SQLite is given it as a URL."""
    return unquote(str(path).removeprefix("file://"))


def killed(work: str, root: Path, source: Path, last: int) -> bool:
    """Whether a child was killed before it came to its end."""
    folder = root / str(last)
    if work == "report":
        shutil.copytree(source, folder)
    pid = os.fork()
    if not pid:
        try:
            child(work, folder, source, last)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise SystemExit(f"step {last}: the child failed")
    return os.WIFSIGNALED(status)


def main(work: str, root: Path, source: Path, most: int) -> None:
    """Kill at every step, or at about `most` of them."""
    if killed(work, root, source, 0):
        raise SystemExit("killed at no step")
    steps = int((root / "0.steps").read_text(encoding="ascii"))
    every = max(1, steps // most)
    for last in range(1, steps + 1, every):
        if not killed(work, root, source, last):
            raise SystemExit(f"not killed at step {last}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
