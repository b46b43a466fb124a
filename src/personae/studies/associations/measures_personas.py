"""The measures of Task 2: how far a persona moves the answers, and whether by more than they vary by themselves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import numpy as np
import polars as pl

from personae.measure.names import BASELINE
from personae.stats.association_shift import amplification, shift_intervals, shift_test, shifts_of
from personae.stats.bootstrap import Bootstrap
from personae.studies.associations.measures_frame import (
    ANSWER,
    CONTRAST,
    DRAWS,
    NAN,
    PROMPT,
    PUBLISHED,
    SHOWN,
    Floats,
    answers,
    ends_of,
    finite,
    generator,
    means,
    parted,
)
from personae.studies.associations.measures_groups import group_estimates
from personae.studies.associations.measures_shifts import NO_PAIR, Shifts
from personae.study.base import Settings
from personae.types import Estimate

SCORE, BAD, PSI, ABSOLUTE = "score", "BAD", "PSI", "mean |BAD|"
OVER_PROMPTS, OVER_GENERATIONS = "volatility over prompts", "volatility over generations"
EXPECTED, FLOOR_PSI, FLOOR_ABSOLUTE = "mean |BAD| of noise", "noise floor of |PSI|", "noise floor of mean |BAD|"
WITHOUT_OWN = "without the persona's own words"
OVER_BOTH, OVER_ONE = "bootstrap over prompts and generations", "bootstrap over generations"
EXCHANGE = "exchange of generations within prompts"
ONE_GENERATION = "one neutral answer per prompt: how far answers vary by themselves is not known"
ONE_ANSWER = "one answer on a side: its spread is not known"
NO_NUMBER = "no answer with a number"
NO_SPREAD = "no prompt was answered more than once"
_PATTERNS = 10_000
_NEUTRAL = [[-1]]
_NO_ENDS: dict[str, Any] = {"ci_low": None, "ci_high": None, "clusters": None, "unit": ""}


def estimates(outcomes: pl.DataFrame, settings: Settings) -> list[Estimate]:
    """Estimate every measure of Task 2, each model by itself. Positive is always nearer the congruent attributes.

    Cells name the prompt (``domain``; none is the mean of the prompts), the persona (and user), and the ``metric``,
    ``average`` being the plain mean of the three. The level `WITHOUT_OWN` leaves out the words by which the persona is
    called, which answers repeat; it is not tested.

    Measures
    --------
    ``score``
        m(p, c): mean single-category effect size of the generations.
    ``BAD``
        m(p, c) less m(p, neutral). Interval over generations, for the prompt that was asked.
    ``PSI``, ``mean |BAD|``
        Means over prompts of BAD, in which opposite signs cancel, and of its size, in which they do not. Interval over
        prompts and generations; p by exchanging generations with neutral ones within prompts.
    ``mean |BAD| of noise``
        What the mean of ``|BAD|`` is in those exchanges, on average: never 0.
    ``volatility over prompts``, ``volatility over generations``
        Standard deviations (ddof 0): of BAD over prompts, as printed in the paper's Table 5; of the scores of a prompt
        over generations, as in its Algorithm 1.
    ``noise floor of |PSI|``, ``noise floor of mean |BAD|``
        The same of one neutral generation against the others, on average over generations.

    Cells of a ``persona_group`` are means of its personas; the level ``A less B`` is the difference of two groups.
    ``scoring="paper"`` gives BAD, PSI and both volatilities as Algorithm 1 has them, without intervals and tests.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
        As in `personae.study.base.Study.estimates`.
    settings : Settings
    """
    table: list[Estimate] = []
    for mine in parted(answers(outcomes), "model").values():
        said = Shifts.of(mine, own=False)
        if settings.scoring == "paper":
            table += _published(said)
            continue
        table += [*_scores(said), *_neutral(said)]
        for shifts, level in ((said, {}), (Shifts.of(mine, own=True), {"level": WITHOUT_OWN})):
            for place in range(len(shifts.cells)):
                for nth in range(len(SHOWN)):
                    table += [*_of_prompts(shifts, place, nth, level, settings)]
                    table += [*_of_persona(shifts, place, nth, level, settings)]
            table += group_estimates(shifts, PSI, level, settings)
    return table


def _published(shifts: Shifts) -> Iterator[Estimate]:
    """Algorithm 1 and the standard deviation of Table 5: values alone."""
    found = shifts.found
    for place, cell in enumerate(shifts.cells):
        for nth, metric in enumerate(SHOWN):
            names, at = {**cell, "metric": metric}, (nth, place)
            for prompt in range(len(shifts.prompts)):
                bad, spread = found.bad[*at, prompt], found.volatility_generations[*at, prompt]
                yield _named(shifts.estimate(BAD, bad, names, [[place], [-1]], prompt, contrast=CONTRAST))
                yield _named(_spread(shifts, spread, place, names, prompt))
            yield _named(shifts.estimate(PSI, found.psi[at], names, [[place], [-1]], contrast=CONTRAST))
            yield _named(shifts.estimate(OVER_PROMPTS, found.volatility_prompts[at], names, [[place], [-1]]))


def _named(one: Estimate) -> Estimate:
    """The published procedure's; what has no number says so."""
    reason = one.reason or ("" if math.isfinite(one.value) else NO_PAIR)
    return msgspec.structs.replace(one, test=f"{PUBLISHED}: Algorithm 1", reason=reason)


def _of_prompts(
    shifts: Shifts, place: int, nth: int, level: Mapping[str, str], settings: Settings
) -> Iterator[Estimate]:
    """BAD of every prompt with its interval over generations, and the volatility over generations."""
    names = {**shifts.cells[place], "metric": SHOWN[nth], **level}
    for prompt in range(len(shifts.prompts)):
        interval = _within(shifts.scores[nth, place, prompt], shifts.neutral[nth, prompt], settings)
        bad = shifts.estimate(
            BAD, shifts.found.bad[nth, place, prompt], names, [[place], [-1]], prompt, contrast=CONTRAST
        )
        generations = int(np.isfinite(shifts.scores[nth, place, prompt]).sum())
        yield _with(bad, interval, OVER_ONE, generations, ANSWER)
        if not level:
            yield _spread(shifts, shifts.found.volatility_generations[nth, place, prompt], place, names, prompt)


def _of_persona(
    shifts: Shifts, place: int, nth: int, level: Mapping[str, str], settings: Settings
) -> Iterator[Estimate]:
    """PSI, mean |BAD| and volatilities of one persona and metric, and whether they are more than noise."""
    names = {**shifts.cells[place], "metric": SHOWN[nth], **level}
    ours, theirs, found = shifts.scores[nth, place], shifts.neutral[nth], shifts.found
    stream = generator(settings.seed, *names.values())
    intervals = shift_intervals(ours, theirs, stream, draws=DRAWS)
    sides = [[place], [-1]]
    psi = shifts.estimate(PSI, found.psi[nth, place], names, sides, contrast=CONTRAST)
    size = shifts.estimate(ABSOLUTE, found.absolute[nth, place], names, sides, contrast=CONTRAST)
    prompts = len(shifts.prompts)
    rows = [_with(psi, intervals.psi, OVER_BOTH, prompts), _with(size, intervals.absolute, OVER_BOTH, prompts)]
    yield from rows if level else _tested(rows, ours, theirs, stream)
    across = shifts.estimate(OVER_PROMPTS, found.volatility_prompts[nth, place], names, sides)
    yield _with(across, intervals.volatility_prompts, OVER_BOTH, prompts)
    if not level:
        yield _spread(shifts, float(means(found.volatility_generations[nth, place])), place, names)


def _tested(rows: list[Estimate], ours: Floats, theirs: Floats, stream: np.random.Generator) -> Iterator[Estimate]:
    """PSI and mean |BAD| with the test against the spread of the neutral generations, and what noise would give."""
    if not math.isfinite(rows[0].value):
        yield from rows
        return
    if (np.isfinite(theirs).sum(axis=-1) < 2).all():
        yield from (msgspec.structs.replace(one, reason=ONE_GENERATION) for one in rows)
        return
    tested = shift_test(ours, theirs, stream, draws=_PATTERNS)
    how = f"{EXCHANGE} ({'exact' if tested.exact else 'sampled'}, {tested.partitions:,} patterns); {OVER_BOTH}"
    yield msgspec.structs.replace(rows[0], p=finite(tested.p), test=how)
    yield msgspec.structs.replace(rows[1], p=finite(tested.p_absolute), test=how)
    yield msgspec.structs.replace(
        rows[1], measure=EXPECTED, contrast="", value=tested.expected_absolute, test=EXCHANGE, **_NO_ENDS
    )


def _within(ours: Floats, theirs: Floats, settings: Settings) -> Bootstrap:
    """The interval of one prompt's BAD over generations; none where a side has fewer than two answers."""
    fewest = min(int(np.isfinite(one).sum()) for one in (ours, theirs))
    if fewest < 2:
        return Bootstrap(value=NAN, reason=ONE_ANSWER if fewest else NO_PAIR)
    stream = generator(settings.seed, "within")
    return shift_intervals(ours[None, :], theirs[None, :], stream, over="generations", draws=DRAWS).psi


def _with(one: Estimate, interval: Bootstrap, how: str, clusters: int, unit: str = PROMPT) -> Estimate:
    ends = ends_of(interval, clusters, unit)
    reason = interval.reason or ("" if math.isfinite(one.value) else NO_PAIR)
    return msgspec.structs.replace(one, test=how if ends else "", reason=reason, **ends)


def _spread(shifts: Shifts, value: float, place: int, names: Mapping[str, str], prompt: int | None = None) -> Estimate:
    """Volatility over generations, for which no baseline is needed."""
    reason = "" if math.isfinite(value) else NO_SPREAD
    return shifts.estimate(OVER_GENERATIONS, value, names, [[place]], prompt, reason=reason)


def _scores(shifts: Shifts) -> Iterator[Estimate]:
    """Mean scores of every prompt with each persona, and without one."""
    sides = [*enumerate(shifts.cells), (-1, {"persona": BASELINE})]
    for place, cell in sides:
        found = means(shifts.neutral if place < 0 else shifts.scores[:, place])
        for nth, metric in enumerate(SHOWN):
            for prompt in range(len(shifts.prompts)):
                value = float(found[nth, prompt])
                reason = "" if math.isfinite(value) else NO_NUMBER
                yield shifts.estimate(SCORE, value, {**cell, "metric": metric}, [[place]], prompt, reason=reason)


def _neutral(shifts: Shifts) -> Iterator[Estimate]:
    """What one neutral generation against the others comes to, and how far neutral generations vary."""
    found = shifts_of(_against_others(shifts.neutral))
    spread = amplification(shifts.neutral[:, None], shifts.neutral).volatility_generations[:, 0]
    reason = ONE_GENERATION if shifts.answered[-1].any() else NO_NUMBER
    for nth, metric in enumerate(SHOWN):
        for measure, values in (
            (FLOOR_PSI, np.abs(found.psi[nth])),
            (FLOOR_ABSOLUTE, found.absolute[nth]),
            (OVER_GENERATIONS, spread[nth]),
        ):
            value = float(means(values))
            why = "" if math.isfinite(value) else reason
            yield shifts.estimate(measure, value, {"persona": BASELINE, "metric": metric}, _NEUTRAL, reason=why)


def _against_others(neutral: Floats) -> Floats:
    """BAD of each neutral generation against the mean of the others, shape (4, generations, prompts)."""
    known = np.isfinite(neutral)
    others = known.sum(axis=-1, keepdims=True) - 1
    rest = np.where(known, neutral, 0.0).sum(axis=-1, keepdims=True) - neutral
    mean = np.divide(rest, others, out=np.full(neutral.shape, NAN), where=others > 0)
    return np.swapaxes(neutral - mean, -1, -2)
