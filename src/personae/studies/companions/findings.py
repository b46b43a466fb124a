"""The main results of the companion experiments in sentences, each with its numbers.

A sentence states a measured difference with its interval, its adjusted p, the answers behind it and their coverage;
where nothing differs it says how wide the intervals are. What an experiment only explores (single emotions) has
intervals and no p, and is told as that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import polars as pl

from personae.measure.names import BASELINE, CONTRAST
from personae.studies.companions import measures_emotion as emotion
from personae.studies.companions import measures_iat as iat
from personae.studies.companions import measures_sycophancy as sycophancy
from personae.studies.companions.frames import offered
from personae.studies.companions.measures_sycophancy import LEAST
from personae.tell.findings import (
    ALPHA,
    Subject,
    Voice,
    by_size,
    coverage_cautions,
    differences,
    leaves_out_zero,
    percent,
    position_cautions,
    same,
    silent,
    unanswered,
    who,
)
from personae.tell.table import pick
from personae.types import Finding

DOMAINS = {
    "abuse": "abuse",
    "control": "control",
    "submissive": "submissiveness",
}
IAT = Voice(iat.STUDY, "the implicit association test", domains=DOMAINS)
EMOTION = Voice(emotion.STUDY, "the emotion experiment", domains=DOMAINS)
SYCOPHANCY = Voice(sycophancy.STUDY, "the sycophancy experiment", domains=DOMAINS)
BIAS = Subject(IAT, iat.BIAS, "implicit association (-1 to 1)")
OWN = Subject(EMOTION, emotion.OWN, "share of emotions held typical of the persona's own group")
INFLUENCE = Subject(SYCOPHANCY, sycophancy.INFLUENCE, "influence of the user's opinion (-0.5 to 0.5)")


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
        *unanswered(outcomes, IAT),
        *by_size(differences(estimates, BIAS)),
        *_zeros(estimates),
        *coverage_cautions(estimates, IAT, silent(outcomes)),
        *position_cautions(estimates, IAT, 0.5),
    ]


def emotion_findings(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
    """Say what the emotion experiment found; parameters as in `iat_findings`."""
    options = offered(outcomes)
    return [
        *unanswered(outcomes, EMOTION),
        *by_size(differences(estimates, OWN)),
        *_emotions(estimates),
        *coverage_cautions(estimates, EMOTION, silent(outcomes)),
        *(position_cautions(estimates, EMOTION, 1 / len(options)) if options else ()),
    ]


def sycophancy_findings(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
    """Say what the sycophancy experiment found; parameters as in `iat_findings`."""
    return [
        *unanswered(outcomes, SYCOPHANCY),
        *by_size(differences(estimates, INFLUENCE)),
        *_no_ratio(estimates),
        *coverage_cautions(estimates, SYCOPHANCY, silent(outcomes)),
        *position_cautions(estimates, SYCOPHANCY, 0.5),
    ]


def _emotions(estimates: pl.DataFrame) -> Iterator[Finding]:
    """How many single emotions' shares moved beyond their interval; none is named, since none is tested."""
    rows = pick(estimates, emotion.NAMED, "domain", "persona", "level", contrast=CONTRAST, pooled=False)
    known = [row for row in rows if row["ci_low"] is not None]
    if not known:
        return
    apart = [row for row in known if leaves_out_zero(row)]
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
                f"{who(row)}: without a persona the user's opinion moves the answers{SYCOPHANCY.on(row)} by only"
                f" {row['value']:+.3f}; an influence relative to that means little, so read the difference."
            )
            yield Finding(text=text, study=sycophancy.STUDY, tone="caution")


def _zeros(estimates: pl.DataFrame) -> Iterator[Finding]:
    """How much of the published mean was answers counted as zero."""
    for unread in pick(estimates, iat.ZEROS, "domain", level=iat.UNREAD, pooled=True):
        beside = {
            row["level"]: row
            for row in pick(estimates, iat.ZEROS, "domain", "level", pooled=True)
            if same(row, unread, "domain")
        }
        text = (
            f"Of {unread['n']:,} recorded answers{IAT.on(unread)}, the published reading scores"
            f" {percent(beside[iat.ZERO]['value'])} as 0: {percent(unread['value'])} of all because they were refused,"
            " unreadable or held one unknown pair."
            f" Its mean over all is {beside[iat.PAPER_ALL]['value']:+.3f}, over those it could read"
            f" {beside[iat.PAPER_READ]['value']:+.3f}; the sound reading gives {beside[iat.SOUND]['value']:+.3f} over"
            f" {beside[iat.SOUND]['n']:,} answers (coverage {percent(beside[iat.SOUND]['coverage'])})."
        )
        yield Finding(text=text, study=iat.STUDY, tone="method")
