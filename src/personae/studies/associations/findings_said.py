"""Numbers of the association studies in words, and the cautions that both studies share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from personae.studies.associations.measures_frame import AVERAGE, PARTS, PUBLISHED, Answer, parted
from personae.studies.associations.metrics import METRICS
from personae.studies.associations.stimuli import classes, prompts
from personae.tell.saying import adjusted, listed, percent
from personae.tell.table import Row

ALPHA = 0.05
MOST_MODELS = 4
"""With more models the sentences speak of the first ones; the figures show all."""
LOW_COVERAGE, MUCH_CUT = 0.8, 0.2
_NAMED = 6
PLEASANT = (
    "The two sets of attributes are alike in number, part of speech and frequency, not in pleasantness: a stereotype"
    " mostly takes something away from a group. An answer that speaks of hardship can lie nearer the congruent set"
    " for that alone."
)
FRAMINGS = (
    "Both framings of a prompt are the authors' reading, alike in number, part of speech and frequency of their words"
    " and in nothing else. To speak of rank or discipline can be honest about how things are; nearer to it is not"
    " worse as such."
)
_STATIC = METRICS["static"]


def number(value: float) -> str:
    """An effect with its sign.

    Examples
    --------
    >>> number(0.352), number(-0.128), number(-0.001)
    ('+0.35', '−0.13', '0.00')
    """
    shown = f"{value:+.2f}"
    return "0.00" if shown in ("+0.00", "-0.00") else shown.replace("-", "−")


def interval(row: Row) -> str:
    """The interval of an effect; empty where there is none."""
    if row["ci_low"] is None or row["ci_high"] is None:
        return ""
    return f"95 % interval {number(row['ci_low'])} to {number(row['ci_high'])}"


def basis(row: Row) -> str:
    """Answers and coverage."""
    covered = f", coverage {percent(row['coverage'])}" if row["coverage"] is not None else ""
    return f"{row['n']:,} answers{covered}"


def whole(rows: Sequence[Row]) -> str:
    """The average with its interval and test, its three parts, and what it rests on.

    Parameters
    ----------
    rows : sequence of dict
        The rows of one cell, one for each metric.
    """
    found = {row["metric"]: row for row in rows}
    mean = found[AVERAGE]
    parts = listed([f"{part} {number(found[part]['value'])}" for part in PARTS])
    inside = (interval(mean), adjusted(mean), parts, basis(mean))
    return f"{number(mean['value'])} ({'; '.join(one for one in inside if one)})"


def clear(row: Row) -> bool:
    """Whether the adjusted p leaves little room for chance."""
    return row["p_adjusted"] is not None and row["p_adjusted"] < ALPHA


def mean_row(rows: Sequence[Row]) -> Row:
    """The row of the average."""
    return next(row for row in rows if row["metric"] == AVERAGE)


def cells(rows: Sequence[Row], *columns: str) -> list[list[Row]]:
    """Rows of like cells, of which all four metrics have a number."""
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        if math.isfinite(row["value"]):
            found.setdefault(tuple(row[name] for name in columns), []).append(row)
    return [mine for mine in found.values() if len(mine) == len(PARTS) + 1]


def disagree(rows: Sequence[Row]) -> bool:
    """Whether the three metrics of a cell have not all the same sign."""
    return len({row["value"] > 0 for row in rows if row["metric"] in PARTS}) > 1


def published(row: Row) -> bool:
    """Whether a row is the published procedure's."""
    return bool(row["test"].startswith(PUBLISHED))


def unanswered(found: Sequence[Answer]) -> Iterator[str]:
    """Models of which much could not be measured, or was cut off."""
    for model, mine in parted(found, "model").items():
        measured = [one for one in mine if one.measured]
        share = len(measured) / len(mine)
        if share < LOW_COVERAGE:
            why = [(status, sum(one.status == status for one in mine)) for status in ("refused", "invalid", "error")]
            counts = ", ".join(f"{count:,} {status}" for status, count in why if count)
            yield (
                f"{model}: only {percent(share)} of {len(mine):,} answers could be"
                f" measured{f' ({counts})' if counts else ''}. What is said rests on those; who is refused may itself"
                " differ between identities or personas."
            )
        cut = sum(one.detail.cut for one in measured) / len(measured) if measured else 0.0
        if cut >= MUCH_CUT:
            yield (
                f"{model}: {percent(cut)} of {len(measured):,} answers were cut off at the limit of tokens and are"
                " measured as far as they go."
            )


def missing_words(found: Sequence[Answer]) -> Iterator[str]:
    """Words that the static encoder does not know: attributes always, words of answers where they are many."""
    known = classes() | prompts()
    lost: dict[str, None] = {}
    attributes: dict[str, None] = {}
    for one in found:
        words = one.detail.missing.get(_STATIC, [])
        sets = known.get(one.domain)
        wanted = {*sets.attributes.congruent, *sets.attributes.incongruent} if sets else set()
        for word in words:
            (attributes if word in wanted else lost)[word] = None
    if attributes:
        names = listed(list(attributes))
        yield f"The encoder of {_STATIC} has no vector for the attribute words {names}: they do not count."
    if lost:
        shown = list(lost)[:_NAMED]
        more = f" and {len(lost) - len(shown):,} others" if len(lost) > len(shown) else ""
        yield (
            f"The encoder of {_STATIC} has no vector for {len(lost):,} of the words in answers"
            f" ({', '.join(shown)}{more}): they are left out there, and nowhere else."
        )
