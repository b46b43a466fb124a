"""What a memory study can be told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from personae.study.options import StudyOptions, option


def _named(memory: str) -> Iterator[str]:
    """What a memory's name stands for that could run code or reach a server: itself, and its encoder."""
    kind, _, query = memory.partition("?")
    yield kind
    yield from (part.removeprefix("encoder=") for part in query.split("&"))


class MemoryOptions(StudyOptions):
    """What decides the episodes of a memory study; what is empty is as the scale says.

    Every list spans arms that are compared: ``memories`` by name, ``injections`` (rates lambda), ``inject`` (domains,
    each by itself; none means all nine mixed), ``mitigations``. ``generator`` and ``auditor`` are names that the study
    may put into ``Trial.to``. ``questions`` is a file of daily questions of the user's own. ``audits`` names other
    studies that are asked at every audit. ``exported`` is a file of texts that a memory holds from the beginning, and
    then no day is played.
    """

    flat: ClassVar[bool] = True

    memories: list[str] = option(
        [],
        flag="--memory",
        help="A memory: none, window, vector …; may be given several times.",
        trusts=_named,
    )
    injections: list[float] = option(
        [], flag="--injection", help="Rate of daily questions with a bias in them, 0 to 1; repeatable."
    )
    inject: list[str] = option([], help="A domain to inject by itself; repeatable. [default: all mixed]")
    mitigations: list[str] = option(
        [],
        flag="--mitigation",
        help="none, static, tag-write or tag-recall, the last two also as tag-write?tau=0.3; repeatable.",
    )
    turns: int | None = option(None, help="Turns of an episode. [default: what the scale says]", strict=True)
    every: int | None = option(None, help="Turns between audits. [default: what the scale says]", strict=True)
    tau: float = option(0.5, help="Suspicion above which a note is tagged. [default: 0.5]")
    generator: str = option("", help="A model that writes biases into questions. [default: templates]", model=True)
    auditor: str = option("", help="A model that tags memories. [default: the one that is asked]", model=True)
    questions: Path | None = option(
        None,
        help="Daily questions of your own: a file of MMLU-Pro (parquet, JSONL).",
        file="a readable file: parquet, JSON or JSONL",
    )
    audits: list[str] = option(
        [],
        flag="--audit",
        help="Another study to ask at every audit, such as companions.iat; repeatable.",
        studies=True,
    )
    exported: Path | None = option(
        None,
        help="A memory to audit without any day: texts, one in a line (JSONL).",
        file="a readable file: JSONL or JSON",
    )
