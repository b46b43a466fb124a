"""The measures of Task 1: associations of what is said about the target identities, compared with the others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from personae.measure.names import is_baseline
from personae.stats.bootstrap import drawn_interval
from personae.stats.paired import paired_difference, paired_permutation
from personae.studies.associations.measures_floor import identity_estimates
from personae.studies.associations.measures_frame import (
    CONTRAST,
    QUESTION,
    SHOWN,
    Answer,
    Floats,
    answers,
    conditions,
    ends_of,
    finite,
    generator,
    parted,
)
from personae.studies.associations.measures_pairs import (
    CEAT,
    FEWEST,
    NO_INTERVAL,
    RESAMPLES,
    TOO_FEW,
    Effects,
    Pairs,
    deviations,
    effects,
)
from personae.studies.associations.measures_published import published_answers
from personae.study.base import Settings
from personae.types import Estimate

STUDY = "associations.answers"
EFFECT, DIFFERENCE, SPREAD = "effect size", "mean difference", "spread over draws"
WITH_IDENTITIES = "with the words of the identities"
BOOTSTRAP = "bootstrap over questions"
T_INTERVAL = "t interval over questions"
FLIPS = 10_000
_ONE = "one question only: the spread between questions is unknown"


def estimates(outcomes: pl.DataFrame, settings: Settings) -> list[Estimate]:
    """Estimate every measure of Task 1. Positive is always nearer the stereotype-congruent attributes.

    Cells name the identity class (``domain``; none is the mean of the classes), the ``metric``, and the persona where
    one was asked. Answers are measured without the words of the identities, which carry associations of their own; the
    level `WITH_IDENTITIES` leaves them in and is not tested.

    Measures
    --------
    ``effect size``
        d between the answers about the target and about the comparison. ``CEAT``: random effects over draws of one
        sentence per answer. ``average``: plain mean of the three. p (two-sided) by exchanging the two answers of a
        question; interval by resampling questions, where there are at least `FEWEST`. With ten questions and nothing
        planted 91 to 93 % of 95 % intervals held 0 (120 simulated classes), and 5 to 7 % of p lay below 0.05.
    ``mean difference``
        The same in cosines, of whole answers; t interval over questions. Not tested a second time.
    ``spread over draws``
        Standard deviation of CEAT's d over its draws.
    ``identities alone``
        The effect size of the phrases that name the identities, without any answer: of the encoders, of no model.

    Differences of a persona from the baseline (``contrast="baseline"``) are made of ``effect size``.
    ``scoring="paper"`` gives `measures_published.published_answers` and nothing else.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
        As in `personae.study.base.Study.estimates`.
    settings : Settings
    """
    found = answers(outcomes)
    if settings.scoring == "paper":
        return list(published_answers(found, settings, STUDY, EFFECT))
    table: list[Estimate] = []
    for model, mine in parted(found, "model").items():
        table += _of_model(model, mine, settings)
    return [*table, *identity_estimates(found, settings, STUDY)]


def _of_model(model: str, mine: Sequence[Answer], settings: Settings) -> Iterator[Estimate]:
    base: dict[str, tuple[Pairs, Effects]] = {}
    for cell, under in sorted(conditions(mine), key=lambda one: not is_baseline(one[0])):
        told: dict[str, tuple[Pairs, Effects]] = {}
        for domain, group in parted(under, "domain").items():
            for own in (True, False):
                pairs = Pairs.of(group, own)
                names = {"domain": domain, **cell, **({} if own else {"level": WITH_IDENTITIES})}
                if len(pairs.questions) < 2:
                    yield from _nothing(model, names, pairs)
                    continue
                measured = _measured(pairs, settings, domain)
                yield from _of_class(model, names, pairs, measured, settings)
                if own:
                    told[domain] = (pairs, measured)
        yield from _overall(model, cell, told, settings)
        if not is_baseline(cell):
            yield from _contrasts(model, cell, told, base, settings)
        else:
            base = told


def _measured(pairs: Pairs, settings: Settings, domain: str) -> Effects:
    """Effect sizes; the same questions make the same resamples under every model and condition."""
    size = len(pairs.questions)
    at = generator(settings.seed, "questions", domain).integers(0, size, (RESAMPLES, size))
    return effects(pairs, generator(settings.seed, "sentences", domain), at)


def _of_class(
    model: str, names: Mapping[str, str], pairs: Pairs, measured: Effects, settings: Settings
) -> Iterator[Estimate]:
    own = "level" not in names
    for place, metric in enumerate(SHOWN):
        cell = {**names, "metric": metric}
        columns = (measured.value[place], measured.drawn[:, place], measured.left[:, place])
        flipped = pairs.differences[:, place] if own else None
        fields = _effect_fields(*columns, flipped, [len(pairs.questions)], settings, names["domain"])
        yield _estimate(EFFECT, model, cell, pairs, **fields)
        yield _estimate(DIFFERENCE, model, cell, pairs, **_difference_fields(pairs, place))
        if metric == CEAT and own:
            yield _estimate(SPREAD, model, cell, pairs, value=measured.spread)


def _effect_fields(
    value: float,
    drawn: Floats,
    left: Floats | None,
    flipped: Floats | None,
    questions: Sequence[int],
    settings: Settings,
    *names: str,
) -> dict[str, Any]:
    """Value, interval over questions, and the test by exchange where there is something to exchange.

    ``questions`` says how many there are, of each class.
    """
    fields: dict[str, Any] = {"value": float(value), "test": "", "reason": NO_INTERVAL}
    if min(questions) >= FEWEST:
        interval = drawn_interval(value, drawn, left)
        fields |= {"test": BOOTSTRAP, "reason": interval.reason}
        fields |= ends_of(interval, sum(questions), QUESTION)
    if flipped is None:
        return fields
    tested = paired_permutation(flipped, FLIPS, generator(settings.seed, "exchange", *names))
    how = "exact" if tested.exact else "sampled"
    said = [f"exchange within questions ({how}, {tested.draws:,} patterns)"] if math.isfinite(tested.p) else []
    return {**fields, "p": finite(tested.p), "test": "; ".join([*said, *filter(None, [fields["test"]])])}


def _difference_fields(pairs: Pairs, place: int) -> dict[str, Any]:
    target, comparison = pairs.values[:, :, place]
    found = paired_difference(target, pairs.questions, comparison, pairs.questions)
    known = math.isfinite(found.ci_low)
    fields = {"value": found.value, "test": T_INTERVAL if known else "", "reason": found.reason}
    return {**fields, **ends_of(found, found.n_pairs, QUESTION), "df": finite(found.df)}


def _overall(
    model: str, cell: Mapping[str, str], told: Mapping[str, tuple[Pairs, Effects]], settings: Settings
) -> Iterator[Estimate]:
    """The mean of the classes, where there are several."""
    if len(told) < 2:
        return
    pairs, measured = zip(*told.values(), strict=True)
    value = np.mean([one.value for one in measured], axis=0)
    drawn = np.mean([one.drawn for one in measured], axis=0)
    flipped = np.concatenate([one.differences / len(one.questions) for one in pairs])
    for place, metric in enumerate(SHOWN):
        columns = (float(value[place]), drawn[:, place], None, flipped[:, place])
        fields = _effect_fields(*columns, [len(one.questions) for one in pairs], settings, "classes")
        counts = {"n": sum(one.n for one in pairs), "coverage": sum(one.n for one in pairs) / _asked(pairs)}
        yield Estimate(
            study=STUDY, measure=EFFECT, model=model, cell={**cell, "metric": metric}, **{**fields, **counts}
        )


def _contrasts(
    model: str,
    cell: Mapping[str, str],
    told: Mapping[str, tuple[Pairs, Effects]],
    base: Mapping[str, tuple[Pairs, Effects]],
    settings: Settings,
) -> Iterator[Estimate]:
    """What a persona changes: the effect size with it less that without, over the questions answered under both.

    Tested by exchanging persona and baseline within questions: signs of the change of the difference, in standard
    deviations of all answers of the metric.
    """
    for domain in [name for name in told if name in base]:
        both = _shared(told[domain][0], base[domain][0])
        if both is None:
            continue
        ours, theirs = both
        measured = [_measured(one, settings, domain) for one in both]
        change = _changes(ours, theirs)
        for place, metric in enumerate(SHOWN):
            parts = [getattr(measured[0], name) - getattr(measured[1], name) for name in ("value", "drawn", "left")]
            columns = (float(parts[0][place]), parts[1][:, place], parts[2][:, place])
            fields = _effect_fields(*columns, change[:, place], [len(ours.questions)], settings, "persona", domain)
            yield Estimate(
                study=STUDY,
                measure=EFFECT,
                model=model,
                contrast=CONTRAST,
                cell={"domain": domain, **cell, "metric": metric},
                n=ours.n + theirs.n,
                coverage=min(ours.coverage, theirs.coverage),
                **fields,
            )


def _shared(ours: Pairs, theirs: Pairs) -> tuple[Pairs, Pairs] | None:
    """Both sides on the questions they share; None where there are fewer than two."""
    both = [name for name in ours.questions if name in theirs.questions]
    return (ours.only(both), theirs.only(both)) if len(both) > 1 else None


def _changes(ours: Pairs, theirs: Pairs) -> Floats:
    """Change of the difference between the identities of each question, shape (questions, 4)."""
    spread = deviations(np.stack([ours.units, theirs.units]))
    change = (ours.units[0] - ours.units[1] - theirs.units[0] + theirs.units[1]) / spread
    return np.column_stack([change, change.mean(axis=1)])


def _asked(pairs: Sequence[Pairs]) -> int:
    return sum(one.asked for one in pairs)


def _estimate(measure: str, model: str, cell: Mapping[str, str], pairs: Pairs, **fields: Any) -> Estimate:
    return Estimate(
        study=STUDY, measure=measure, model=model, cell=dict(cell), n=pairs.n, coverage=pairs.coverage, **fields
    )


def _nothing(model: str, names: Mapping[str, str], pairs: Pairs) -> Iterator[Estimate]:
    for metric in SHOWN:
        cell = {**names, "metric": metric}
        yield _estimate(EFFECT, model, cell, pairs, value=math.nan, reason=TOO_FEW)
        if len(pairs.questions) == 1:
            place = SHOWN.index(metric)
            value = float(pairs.values[0, 0, place] - pairs.values[1, 0, place])
            yield _estimate(DIFFERENCE, model, cell, pairs, value=value, reason=_ONE)
