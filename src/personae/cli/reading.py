"""read: what answers say that were written elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from personae.cli import options as o
from personae.cli.terminal import show_line, tell

_SHOWN = 70


def read(
    kind: Annotated[
        str,
        typer.Argument(help="How to read: yesno, choice, word, pairs, score, verdict or refusal.", show_default=False),
    ],
    answers: Annotated[
        Path,
        typer.Option(
            "--answers",
            help="JSONL: a line has `answer` and what is known of its question (options, claim, words and terms, …).",
        ),
    ],
    json: o.Json = False,
) -> None:
    """Read answers written elsewhere: what each says, why, and on which of its words that rests."""
    from personae.readings import readings_of

    counts: dict[str, int] = {}
    for number, answer, reading in readings_of(kind, answers):
        counts[reading.status] = counts.get(reading.status, 0) + 1
        if json:
            show_line(_row(reading))
        else:
            tell(_line(number, answer, reading))
    if not json:
        tell(", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "no answers")


def _row(reading: Any) -> dict[str, Any]:
    return {
        "status": reading.status,
        "value": reading.value,
        "reason": reading.reason,
        "start": reading.start,
        "end": reading.end,
    }


def _line(number: int, answer: str, reading: Any) -> str:
    """One reading for a terminal: what it says, and the words it rests on or why there is nothing."""
    said = reading.status if reading.value is None or reading.status != "answered" else _value(reading.value)
    on = answer[reading.start : reading.end] if reading.start is not None else ""
    because = f"by {on!r}" if on else reading.reason
    shown = " ".join(answer.split())
    shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
    return f"{number}: {said}{f' ({because})' if because else ''}  {shown!r}"


def _value(value: Any) -> str:
    return ", ".join(f"{word} {term}" for word, term in value.items()) if isinstance(value, dict) else str(value)
