"""The main results of the companion experiments in sentences, each with its numbers.

A sentence states a measured difference with its interval, its adjusted p, the answers behind it and their coverage;
where nothing differs it says how wide the intervals are. What an experiment only explores (single emotions) has
intervals and no p, and is told as that.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from statistics import median

import polars as pl
from msgspec import Struct

from personae.measure.avoidance import ALONE, ANY, AVOIDANCE, POSITION
from personae.measure.names import BASELINE, CONTRAST
from personae.studies.companions import measures_emotion as emotion
from personae.studies.companions import measures_iat as iat
from personae.studies.companions import measures_sycophancy as sycophancy
from personae.studies.companions.frames import offered
from personae.studies.companions.measures_sycophancy import LEAST
from personae.tell.table import Row, models, pick
from personae.types import Finding

ALPHA = 0.05
LOW_COVERAGE = 0.8
COVERAGE_GAP = 0.1
POSITION_GAP = 0.1
DOMAINS = {
    "abuse": "abuse",
    "control": "control",
    "submissive": "submissiveness",
}


SAID = {
    iat.STUDY: "the implicit association test",
    emotion.STUDY: "the emotion experiment",
    sycophancy.STUDY: "the sycophancy experiment",
}


class Subject(Struct, frozen=True):
    """How a measure is spoken of: its study, its name in the table, and what it is in words."""

    study: str
    measure: str
    said: str


BIAS = Subject(iat.STUDY, iat.BIAS, "implicit association (-1 to 1)")
OWN = Subject(emotion.STUDY, emotion.OWN, "share of emotions held typical of the persona's own group")
NAMED = Subject(emotion.STUDY, emotion.NAMED, "share of")
INFLUENCE = Subject(sycophancy.STUDY, sycophancy.INFLUENCE, "influence of the user's opinion (-0.5 to 0.5)")


def iat_findings(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
    """Say what the implicit association test found.

    Parameters
    ----------
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with ``p_adjusted`` filled and the cell as columns.
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.
    """
    return [
        *unanswered(outcomes, iat.STUDY),
        *_by_size(differences(estimates, BIAS)),
        *_zeros(estimates),
        *coverage_cautions(estimates, iat.STUDY, silent(outcomes)),
        *position_cautions(estimates, iat.STUDY, 0.5),
    ]


def emotion_findings(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
    """Say what the emotion experiment found; parameters as in `iat_findings`."""
    options = offered(outcomes)
    return [
        *unanswered(outcomes, emotion.STUDY),
        *_by_size(differences(estimates, OWN)),
        *_emotions(estimates),
        *coverage_cautions(estimates, emotion.STUDY, silent(outcomes)),
        *(position_cautions(estimates, emotion.STUDY, 1 / len(options)) if options else ()),
    ]


def sycophancy_findings(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
    """Say what the sycophancy experiment found; parameters as in `iat_findings`."""
    return [
        *unanswered(outcomes, sycophancy.STUDY),
        *_by_size(differences(estimates, INFLUENCE)),
        *_no_ratio(estimates),
        *coverage_cautions(estimates, sycophancy.STUDY, silent(outcomes)),
        *position_cautions(estimates, sycophancy.STUDY, 0.5),
    ]


def silent(outcomes: pl.DataFrame) -> dict[str, int]:
    """Models that answered no item, with how many they were asked."""
    counts = outcomes.group_by("model", maintain_order=True).agg(
        asked=pl.len(), answered=(pl.col("status") == "answered").sum()
    )
    return {row["model"]: row["asked"] for row in counts.filter(pl.col("answered") == 0).to_dicts()}


def unanswered(outcomes: pl.DataFrame, study: str) -> Iterator[Finding]:
    """Say where nothing was answered, and so nothing found."""
    for model, asked in silent(outcomes).items():
        text = f"{model}: none of the {asked:,} items of {SAID[study]} was answered, so nothing can be said of it."
        yield Finding(text=text, study=study)


Sized = tuple[float, Finding]


def differences(estimates: pl.DataFrame, subject: Subject) -> Iterator[Sized]:
    """One sentence per domain: the persona that differs most from the baseline, or what could have been seen."""
    rows = pick(estimates, subject.measure, "domain", "persona", contrast=CONTRAST, pooled=False)
    for domain in dict.fromkeys(row["domain"] for row in rows):
        here = [row for row in rows if row["domain"] == domain and math.isfinite(row["value"])]
        clear = [row for row in here if _clear(row)]
        if clear:
            most = max(clear, key=lambda row: abs(row["value"]))
            yield abs(most["value"]), _difference(estimates, subject, most, len(clear), len(here))
        elif here:
            yield 0.0, _nothing(estimates, subject, domain, here)


def _difference(estimates: pl.DataFrame, subject: Subject, row: Row, clear: int, all_: int) -> Finding:
    levels = pick(estimates, subject.measure, "domain", "persona", pooled=False)
    found = {one["persona"]: one["value"] for one in levels if _same(one, row, "model", "domain")}
    both = [found.get(BASELINE), found.get(row["persona"])]
    moved = f" (from {plain(both[0])} to {plain(both[1])})" if both[0] is not None and both[1] is not None else ""
    text = (
        f"{_who(row)}, as {row['persona']}: the {subject.said} on {_on(row)} differs from the same model"
        f" without a persona by {numbers(row)}{moved}. {_of(clear, all_, estimates)} clearly from the baseline here."
    )
    return Finding(text=text + _average(estimates, subject, row["domain"]), study=subject.study)


def _nothing(estimates: pl.DataFrame, subject: Subject, domain: str, rows: Sequence[Row]) -> Finding:
    halves = [(row["ci_high"] - row["ci_low"]) / 2 for row in rows if row["ci_low"] is not None]
    who = "No persona" if len(models(estimates)) < 2 else "No persona of any model"
    text = f"{who} differs clearly from the baseline in the {subject.said} on {DOMAINS.get(domain, domain)}"
    if halves:
        text += f": {len(rows)} compared, the 95 % intervals reach {median(halves):.2f} to each side (median)"
        text += f"{_by_themselves(rows)}."
    else:
        text += f": {len(rows)} compared, and none could be tested ({rows[0]['reason']})."
    return Finding(text=text + _average(estimates, subject, domain), study=subject.study)


def _by_themselves(rows: Sequence[Row]) -> str:
    """What the intervals of differences say that were not called clear.

    The verdict counts every test of the audit, an interval only itself: it may leave out 0 and not be clear.
    """
    apart = [row for row in rows if _leaves_out_zero(row)]
    if not apart:
        return ", and a difference smaller than that cannot be called clear"
    least = min(row["p_adjusted"] for row in apart)
    one = "leaves" if len(apart) == 1 else "leave"
    return (
        f"; {len(apart)} of them {one} out 0, which with all tests of the audit counted is too often chance (least"
        f" adjusted p = {least:.3f})"
    )


def _leaves_out_zero(row: Row) -> bool:
    return row["ci_low"] is not None and row["ci_low"] * row["ci_high"] > 0


def _average(estimates: pl.DataFrame, subject: Subject, domain: str) -> str:
    """The difference averaged over personas (and models), as a sentence to append."""
    rows = pick(estimates, subject.measure, "domain", contrast=CONTRAST, pooled=True)
    for row in rows:
        if row["domain"] == domain and row["ci_low"] is not None:
            over = "personas and models" if row["model"] is None else "personas"
            return f" Averaged over {over}: {numbers(row)}."
    return ""


def _emotions(estimates: pl.DataFrame) -> Iterator[Finding]:
    """How many single emotions' shares moved beyond their interval; none is named, since none is tested."""
    rows = pick(estimates, NAMED.measure, "domain", "persona", "level", contrast=CONTRAST, pooled=False)
    known = [row for row in rows if row["ci_low"] is not None]
    if not known:
        return
    apart = [row for row in known if _leaves_out_zero(row)]
    text = (
        f"Of {len(known)} differences of a single emotion's share under a persona from the baseline, the 95 % intervals"
        f" of {len(apart)} leave out 0, where about {len(known) * ALPHA:.0f} would on average if personas changed"
        " nothing. They share one baseline, so chance alone can make that many more or fewer; single emotions are"
        " explored, not tested."
    )
    yield Finding(text=text, study=emotion.STUDY)


def _no_ratio(estimates: pl.DataFrame) -> Iterator[Finding]:
    """Where the baseline is hardly influenced, the ratio of the paper means little."""
    rows = pick(estimates, sycophancy.INFLUENCE, "domain", "persona", pooled=False)
    for row in rows:
        if row["persona"] == BASELINE and math.isfinite(row["value"]) and abs(row["value"]) < LEAST:
            text = (
                f"{_who(row)}: without a persona the user's opinion moves the answers on {_on(row)} by only"
                f" {row['value']:+.3f}; an influence relative to that means little, so read the difference."
            )
            yield Finding(text=text, study=sycophancy.STUDY, tone="caution")


def _zeros(estimates: pl.DataFrame) -> Iterator[Finding]:
    """How much of the published mean was answers counted as zero."""
    for unread in pick(estimates, iat.ZEROS, "domain", level=iat.UNREAD, pooled=True):
        beside = {
            row["level"]: row
            for row in pick(estimates, iat.ZEROS, "domain", "level", pooled=True)
            if _same(row, unread, "domain")
        }
        text = (
            f"Of {unread['n']:,} recorded answers on {_on(unread)}, the published reading scores"
            f" {percent(beside[iat.ZERO]['value'])} as 0: {percent(unread['value'])} of all because they were refused,"
            " unreadable or held one unknown pair."
            f" Its mean over all is {beside[iat.PAPER_ALL]['value']:+.3f}, over those it could read"
            f" {beside[iat.PAPER_READ]['value']:+.3f}; the sound reading gives {beside[iat.SOUND]['value']:+.3f} over"
            f" {beside[iat.SOUND]['n']:,} answers (coverage {percent(beside[iat.SOUND]['coverage'])})."
        )
        yield Finding(text=text, study=iat.STUDY, tone="method")


def coverage_cautions(estimates: pl.DataFrame, study: str, without: Collection[str] = ()) -> Iterator[Finding]:
    """Warn of low coverage, and of coverage that clearly differs between a persona and the baseline.

    Parameters
    ----------
    estimates : polars.DataFrame
    study : str
    without : collection of str
        Models that answered nothing, of which `unanswered` speaks.
    """
    rows = pick(estimates, AVOIDANCE, "domain", level=ANY, pooled=False)
    low = [row for row in rows if row["value"] > 1 - LOW_COVERAGE and row["model"] not in without]
    if low:
        yield _low_coverage(estimates, study, max(low, key=lambda one: one["value"]))
    gaps = [
        row
        for row in pick(estimates, AVOIDANCE, "domain", "persona", contrast=CONTRAST, level=ANY, pooled=False)
        if abs(row["value"]) >= COVERAGE_GAP and _clear(row)
    ]
    if gaps:
        row = max(gaps, key=lambda one: abs(one["value"]))
        how = "more" if row["value"] > 0 else "fewer"
        text = (
            f"{_who(row)} in {SAID[study]}, as {row['persona']}: {abs(row['value']) * 100:.0f} percentage points {how}"
            f" items on {_on(row)} came to no answer than without a persona ({_p(row)}). A difference in what is"
            " answered can look like a difference in the answers."
        )
        yield Finding(text=text, study=study, tone="caution")


def _low_coverage(estimates: pl.DataFrame, study: str, row: Row) -> Finding:
    parts = [
        f"{one['level']} {percent(one['value'])}"
        for one in pick(estimates, AVOIDANCE, "domain", "level", pooled=False)
        if one["level"] in ALONE and _same(one, row, "model", "domain")
    ]
    rest = "What is said rests on the others; the bounds say how far these could move it."
    if row["value"] == 1:
        rest = "Nothing can be said of these."
    text = (
        f"{_who(row)} in {SAID[study]}: {percent(row['value'])} of the {row['n']:,} items on {_on(row)} under personas"
        f" came to no answer ({', '.join(parts)}). {rest}"
    )
    return Finding(text=text, study=study, tone="caution")


def position_cautions(estimates: pl.DataFrame, study: str, chance: float) -> Iterator[Finding]:
    """Warn where the option named first is favoured or avoided."""
    rows = [
        row for row in pick(estimates, POSITION, "domain", pooled=False) if abs(row["value"] - chance) >= POSITION_GAP
    ]
    if rows:
        row = max(rows, key=lambda one: abs(one["value"] - chance))
        text = (
            f"{_who(row)} in {SAID[study]}: the option named first gets {percent(row['value'])} of the probability on"
            f" {_on(row)} ({_range(row)}chance {percent(chance)}). Every order was asked and averaged, so this"
            " favours no option over another, but it leaves less room for what the question is about."
        )
        yield Finding(text=text, study=study, tone="caution")


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


def _clear(row: Row) -> bool:
    return row["p_adjusted"] is not None and row["p_adjusted"] < ALPHA


def _who(row: Row) -> str:
    return "All models" if row["model"] is None else str(row["model"])


def _on(row: Row) -> str:
    return DOMAINS.get(row["domain"], str(row["domain"]))


def _of(clear: int, all_: int, estimates: pl.DataFrame) -> str:
    what = "personas" if len(models(estimates)) < 2 else "pairs of model and persona"
    return f"{clear} of {all_} {what} {'differs' if clear == 1 else 'differ'}"


def _same(one: Row, other: Row, *columns: str) -> bool:
    return all(one[column] == other[column] for column in columns)


def _by_size(found: Iterator[Sized]) -> list[Finding]:
    return [finding for _, finding in sorted(found, key=lambda one: -one[0])]
