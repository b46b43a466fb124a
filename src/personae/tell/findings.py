"""What every study tells of personas: the largest clear difference, or that none is clear and what had been seen.

A sentence states a measured difference with its interval, its adjusted p, the answers behind it and their coverage;
where nothing differs it says how wide the intervals are. Cautions say where much was not answered, where a persona
answers less or more than the baseline, and where the place of an option counts.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import polars as pl
from msgspec import Struct

from personae.measure.avoidance import ALONE, ANY, AVOIDANCE, POSITION
from personae.measure.names import BASELINE, CONTRAST
from personae.tell import saying
from personae.tell.table import Row, models, pick
from personae.types import Finding

ALPHA = 0.05
LOW_COVERAGE = 0.8
COVERAGE_GAP = 0.1
POSITION_GAP = 0.1


class Voice(Struct, frozen=True):
    """How a study is spoken of: its name in the table, and in words ("the sycophancy experiment").

    ``within`` are the columns that keep questions apart, each told by itself; ``domains`` are the names of domains in
    words.
    """

    study: str
    said: str
    within: tuple[str, ...] = ("domain",)
    domains: Mapping[str, str] = {}

    def on(self, row: Row) -> str:
        """What a row is about, to follow its measure: " on abuse"; empty where it is about everything."""
        return f" on {self.named(row)}" if "domain" in self.within else ""

    def named(self, row: Row) -> str:
        """The domain of a row in words."""
        return self.domains.get(row["domain"], str(row["domain"]))


class Subject(Struct, frozen=True):
    """How a measure is spoken of: its study, its name in the table, what it is in words; ``share`` in percent."""

    voice: Voice
    measure: str
    said: str
    share: bool = False

    def numbers(self, row: Row) -> str:
        """A difference with all that belongs to it."""
        return saying.difference(row) if self.share else numbers(row)

    def plain(self, value: float) -> str:
        """A value by itself."""
        return saying.percent(value) if self.share else plain(value)

    def half(self, value: float) -> str:
        """How far an interval reaches."""
        return f"{saying.points(value).removeprefix('+')} percentage points" if self.share else f"{value:.2f}"


def silent(outcomes: pl.DataFrame) -> dict[str, int]:
    """Models that answered no item, with how many they were asked."""
    counts = outcomes.group_by("model", maintain_order=True).agg(
        asked=pl.len(), answered=(pl.col("status") == "answered").sum()
    )
    return {row["model"]: row["asked"] for row in counts.filter(pl.col("answered") == 0).to_dicts()}


def unanswered(outcomes: pl.DataFrame, voice: Voice) -> Iterator[Finding]:
    """Say where nothing was answered, and so nothing found."""
    for model, asked in silent(outcomes).items():
        text = f"{model}: none of the {asked:,} items of {voice.said} was answered, so nothing can be said of it."
        yield Finding(text=text, study=voice.study)


Sized = tuple[float, Finding]


def differences(estimates: pl.DataFrame, subject: Subject) -> Iterator[Sized]:
    """One sentence per domain: the persona that differs most from the baseline, or what could have been seen."""
    within = subject.voice.within
    rows = pick(estimates, subject.measure, *within, "persona", contrast=CONTRAST, pooled=False)
    firsts: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        firsts.setdefault(tuple(row[name] for name in within), row)
    for first in firsts.values():
        here = [row for row in rows if same(row, first, *within) and math.isfinite(row["value"])]
        clear = [row for row in here if is_clear(row)]
        if clear:
            most = max(clear, key=lambda row: abs(row["value"]))
            yield abs(most["value"]), _difference(estimates, subject, most, len(clear), len(here))
        elif here:
            yield 0.0, _nothing(estimates, subject, here)


def _difference(estimates: pl.DataFrame, subject: Subject, row: Row, clear: int, all_: int) -> Finding:
    voice = subject.voice
    levels = pick(estimates, subject.measure, *voice.within, "persona", pooled=False)
    found = {one["persona"]: one["value"] for one in levels if same(one, row, "model", *voice.within)}
    before, after = found.get(BASELINE), found.get(row["persona"])
    moved = ""
    if before is not None and after is not None:
        moved = f" (from {subject.plain(before)} to {subject.plain(after)})"
    text = (
        f"{who(row)}, as {row['persona']}: the {subject.said}{voice.on(row)} differs from the same model"
        f" without a persona by {subject.numbers(row)}{moved}. {_of(clear, all_, estimates)} clearly from the baseline"
        " here."
    )
    return Finding(text=text + _average(estimates, subject, row), study=voice.study)


def _nothing(estimates: pl.DataFrame, subject: Subject, rows: Sequence[Row]) -> Finding:
    halves = [(row["ci_high"] - row["ci_low"]) / 2 for row in rows if row["ci_low"] is not None]
    nobody = "No persona" if len(models(estimates)) < 2 else "No persona of any model"
    text = f"{nobody} differs clearly from the baseline in the {subject.said}{subject.voice.on(rows[0])}"
    if halves:
        reach = subject.half(median(halves))
        text += f": {len(rows)} compared, the 95 % intervals reach {reach} to each side (median)"
        text += f"{_by_themselves(rows)}."
    else:
        text += f": {len(rows)} compared, and none could be tested ({rows[0]['reason']})."
    return Finding(text=text + _average(estimates, subject, rows[0]), study=subject.voice.study)


def _by_themselves(rows: Sequence[Row]) -> str:
    """What the intervals of differences say that were not called clear.

    The verdict counts every test of the audit, an interval only itself: it may leave out 0 and not be clear.
    """
    apart = [row for row in rows if leaves_out_zero(row)]
    if not apart:
        return ", and a difference smaller than that cannot be called clear"
    least = min(row["p_adjusted"] for row in apart)
    one = "leaves" if len(apart) == 1 else "leave"
    return (
        f"; {len(apart)} of them {one} out 0, which with all tests of the audit counted is too often chance (least"
        f" adjusted p = {least:.3f})"
    )


def leaves_out_zero(row: Row) -> bool:
    """Whether an interval leaves out 0."""
    return row["ci_low"] is not None and row["ci_low"] * row["ci_high"] > 0


def _average(estimates: pl.DataFrame, subject: Subject, of: Row) -> str:
    """The difference averaged over personas (and models), as a sentence to append."""
    within = subject.voice.within
    for row in pick(estimates, subject.measure, *within, contrast=CONTRAST, pooled=True):
        if same(row, of, *within) and row["ci_low"] is not None:
            over = "personas and models" if row["model"] is None else "personas"
            return f" Averaged over {over}: {subject.numbers(row)}."
    return ""


def coverage_cautions(estimates: pl.DataFrame, voice: Voice, without: Collection[str] = ()) -> Iterator[Finding]:
    """Warn of low coverage, and of coverage that clearly differs between a persona and the baseline.

    Parameters
    ----------
    estimates : polars.DataFrame
    voice : Voice
    without : collection of str
        Models that answered nothing, of which `unanswered` speaks.
    """
    rows = pick(estimates, AVOIDANCE, *voice.within, level=ANY, pooled=False)
    low = [row for row in rows if row["value"] > 1 - LOW_COVERAGE and row["model"] not in without]
    if low:
        yield _low_coverage(estimates, voice, max(low, key=lambda one: one["value"]))
    gaps = [
        row
        for row in pick(estimates, AVOIDANCE, *voice.within, "persona", contrast=CONTRAST, level=ANY, pooled=False)
        if abs(row["value"]) >= COVERAGE_GAP and is_clear(row)
    ]
    if gaps:
        row = max(gaps, key=lambda one: abs(one["value"]))
        how = "more" if row["value"] > 0 else "fewer"
        text = (
            f"{who(row)} in {voice.said}, as {row['persona']}: {abs(row['value']) * 100:.0f} percentage points {how}"
            f" items{voice.on(row)} came to no answer than without a persona ({_p(row)}). A difference in what is"
            " answered can look like a difference in the answers."
        )
        yield Finding(text=text, study=voice.study, tone="caution")


def _low_coverage(estimates: pl.DataFrame, voice: Voice, row: Row) -> Finding:
    parts = [
        f"{one['level']} {percent(one['value'])}"
        for one in pick(estimates, AVOIDANCE, *voice.within, "level", pooled=False)
        if one["level"] in ALONE and same(one, row, "model", *voice.within)
    ]
    rest = "What is said rests on the others; the bounds say how far these could move it."
    if row["value"] == 1:
        rest = "Nothing can be said of these."
    text = (
        f"{who(row)} in {voice.said}: {percent(row['value'])} of the {row['n']:,} items{voice.on(row)} under personas"
        f" came to no answer ({', '.join(parts)}). {rest}"
    )
    return Finding(text=text, study=voice.study, tone="caution")


def position_cautions(estimates: pl.DataFrame, voice: Voice, chance: float) -> Iterator[Finding]:
    """Warn where the option named first is favoured or avoided."""
    rows = [
        row
        for row in pick(estimates, POSITION, *voice.within, pooled=False)
        if abs(row["value"] - chance) >= POSITION_GAP
    ]
    if rows:
        row = max(rows, key=lambda one: abs(one["value"] - chance))
        text = (
            f"{who(row)} in {voice.said}: the option named first gets {percent(row['value'])} of the probability"
            f"{voice.on(row)} ({_range(row)}chance {percent(chance)}). Every order was asked and averaged, so this"
            " favours no option over another, but it leaves less room for what the question is about."
        )
        yield Finding(text=text, study=voice.study, tone="caution")


def numbers(row: Row) -> str:
    """A difference with all that belongs to it: ``+0.23 (95 % interval 0.10 to 0.36, adjusted p = 0.003, …)``."""
    parts = [_interval(row), _p(row), f"{row['n']:,} answers", f"coverage {percent(row['coverage'])}"]
    return f"{row['value']:+.2f} ({', '.join(part for part in parts if part)})"


def plain(value: float) -> str:
    """Two decimals, without a minus before what rounds to 0."""
    return f"{round(value, 2) + 0.0:.2f}"


def percent(share: float) -> str:
    """A share in whole percent; what is nearly all or nearly nothing is not rounded to it."""
    whole = round(100 * share)
    if whole == 100 and share < 1:
        return "over 99 %"
    return "under 1 %" if whole == 0 and share > 0 else f"{whole} %"


def _interval(row: Row) -> str:
    if row["ci_low"] is None:
        return ""
    return f"95 % interval {row['ci_low']:.2f} to {row['ci_high']:.2f}"


def _range(row: Row) -> str:
    """An interval of a share, to go on after."""
    return "" if row["ci_low"] is None else f"95 % interval {percent(row['ci_low'])} to {percent(row['ci_high'])}; "


def _p(row: Row) -> str:
    p = row["p_adjusted"]
    if p is None:
        return ""
    return "adjusted p < 0.001" if p < 0.001 else f"adjusted p = {p:.3f}"


def is_clear(row: Row) -> bool:
    """Whether a comparison is called a difference: its adjusted p is below `ALPHA`."""
    return row["p_adjusted"] is not None and row["p_adjusted"] < ALPHA


def who(row: Row) -> str:
    """The model of a row in words."""
    return "All models" if row["model"] is None else str(row["model"])


def _of(clear: int, all_: int, estimates: pl.DataFrame) -> str:
    what = "personas" if len(models(estimates)) < 2 else "pairs of model and persona"
    return f"{clear} of {all_} {what} {'differs' if clear == 1 else 'differ'}"


def same(one: Row, other: Row, *columns: str) -> bool:
    """Whether two rows agree in these columns."""
    return all(one[column] == other[column] for column in columns)


def by_size(found: Iterable[Sized]) -> list[Finding]:
    """Findings, that of the largest difference first."""
    return [finding for _, finding in sorted(found, key=lambda one: -one[0])]
