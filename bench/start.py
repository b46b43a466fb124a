"""How much processor time the program takes to be there, beside another of its kind.

Each command is a process of its own, and what counts is what the system says it has used, user and system together:
other work on the machine disturbs that less than the time that passes. Bytecode lies ready, as it does wherever a
program was started before. ``python bench/start.py`` prints the table kept in bench/RESULTS.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROUNDS = 7


def seconds(command: Sequence[str], environment: dict[str, str]) -> float:
    """Processor seconds of one process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def commands(folder: Path) -> dict[str, tuple[list[str], str]]:
    """What is measured: its name, its command, and what is asked of it. Each round has a folder of its own."""
    ours = [sys.executable, "-m", "personae"]
    asked = ["run", "companions", "--model", "sim/neutral", "--scale", "quick", "-o", str(folder)]
    return {
        "inspect --help": ([str(Path(sys.executable).with_name("inspect")), "--help"], "the peer"),
        "personae --help": ([*ours, "--help"], "0.4 s"),
        "personae --version": ([*ours, "--version"], "0.4 s"),
        "personae studies": ([*ours, "studies"], "1 s"),
        "personae models": ([*ours, "models"], "1 s"),
        "personae run companions, sim/neutral, quick": ([*ours, *asked], "3.5 s"),
        "personae report of it": ([*ours, "report", str(folder)], "2.5 s"),
    }


def measured(rounds: int) -> dict[str, tuple[float, str]]:
    """The median of each command over so many rounds; one before them leaves its bytecode."""
    with tempfile.TemporaryDirectory() as made:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(Path(made) / "bytecode")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        took: dict[str, list[float]] = {}
        asked: dict[str, str] = {}
        for number in range(rounds + 1):
            for name, (command, most) in commands(Path(made) / f"run-{number}").items():
                used = seconds(command, environment)
                asked[name] = most
                if number:
                    took.setdefault(name, []).append(used)
        return {name: (statistics.median(each), asked[name]) for name, each in took.items()}


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=ROUNDS, help="of every command in turn; the median counts")
    given = arguments.parse_args()
    found = measured(given.rounds)
    base = found["inspect --help"][0]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{machine}; processor seconds, median of {given.rounds} rounds\n")
    print("| what | measured | of the peer | at most |\n|---|---|---|---|")
    for name, (median, most) in found.items():
        print(f"| {name} | {median:.2f} s | {median / base:.2f} | {most} |")


if __name__ == "__main__":
    main()
