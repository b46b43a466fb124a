"""What memories did not keep: a write that stored nothing leaves nothing to be shown at an audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec
import polars as pl
from msgspec import Struct

_KEEPS_NOTHING = "none"


class _Facts(Struct):
    memory: str


class _Turn(Struct):
    stored: int = 0
    unread: tuple[str, ...] = ()


class _Detail(Struct):
    turns: tuple[_Turn, ...] = ()


def cautions(outcomes: pl.DataFrame) -> Iterator[str]:
    """Say of every memory how many of its writes stored nothing, and of how many an answer could not be read.

    Parameters
    ----------
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.findings`.
    """
    found: dict[tuple[str, str], list[_Turn]] = {}
    for row in outcomes.iter_rows(named=True):
        memory = msgspec.json.decode(row["facts"], type=_Facts).memory
        if memory != _KEEPS_NOTHING:
            played = msgspec.json.decode(row["detail"] or "{}", type=_Detail).turns
            found.setdefault((row["model"], memory), []).extend(played)
    for (model, memory), turns in found.items():
        empty = sum(turn.stored == 0 for turn in turns)
        problems = Counter(problem for turn in turns for problem in set(turn.unread))
        if not empty and not problems:
            continue
        said = f"{model}, {memory}: {empty} of {len(turns)} writes stored nothing"
        if problems:
            unread = sum(bool(turn.unread) for turn in turns)
            said += (
                f"; in {unread} an answer could not be read, mostly for this reason: {problems.most_common(1)[0][0]}"
            )
        yield f"{said}."
