"""The floor of Task 1: what the phrases that name the identities are associated with, without any answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from personae.stats.association_contexts import effects_of_drawn
from personae.stats.bootstrap import drawn_interval
from personae.studies.associations.measures_frame import (
    IDENTITIES,
    NAN,
    SHOWN,
    Answer,
    Floats,
    Integers,
    by_metric,
    ends_of,
    generator,
    parted,
)
from personae.studies.associations.measures_pairs import FEWEST, NO_INTERVAL, RESAMPLES, SIDES, TOO_FEW
from personae.studies.associations.metrics import measure_of
from personae.studies.associations.stimuli import classes
from personae.study.base import Settings
from personae.types import Estimate

FLOOR = "identities alone"
_BOOTSTRAP = "bootstrap over pairs of identities"


def identity_estimates(found: Sequence[Answer], settings: Settings, study: str) -> Iterator[Estimate]:
    """Effect sizes between the names of the identities that were asked about, for every class and metric.

    Whatever an answer says, an encoder may hold its subject nearer to one set of attributes; answers that repeat their
    subject inherit that. These rows are of the encoders and the stimuli, and of no model.
    """
    for domain, mine in parted(found, "domain").items():
        values = _identities(mine, settings)
        if values.shape[1] < 2:
            for metric in SHOWN:
                yield Estimate(
                    study=study,
                    measure=FLOOR,
                    value=NAN,
                    n=int(2 * values.shape[1]),
                    reason=TOO_FEW,
                    cell={"domain": domain, "metric": metric},
                )
            continue
        yield from _effects(values, domain, settings, study)


def _effects(values: Floats, domain: str, settings: Settings, study: str) -> Iterator[Estimate]:
    size = values.shape[1]
    at = generator(settings.seed, "questions", domain).integers(0, size, (RESAMPLES, size))
    without = np.array([[place for place in range(size) if place != left] for left in range(size)])
    value, drawn, left = (_sizes(values, places) for places in (np.arange(size)[None, :], at, without))
    for place, metric in enumerate(SHOWN):
        interval = drawn_interval(float(value[0, place]), drawn[:, place], left[:, place])
        enough = size >= FEWEST
        yield Estimate(
            study=study,
            measure=FLOOR,
            value=interval.value,
            n=2 * size,
            test=_BOOTSTRAP if enough else "",
            reason=interval.reason if enough else NO_INTERVAL,
            cell={"domain": domain, "metric": metric},
            **(ends_of(interval, size, IDENTITIES) if enough else {}),
        )


def _identities(mine: Sequence[Answer], settings: Settings) -> Floats:
    """Associations of the identities of every question, shape (2, questions, 3)."""
    named = {(one.stimulus, one.facts.side): one.facts.identity for one in mine if one.facts.identity}
    questions = sorted({stimulus for stimulus, _ in named})
    both = [name for name in questions if all((name, side) in named for side in SIDES)]
    measure, sets = measure_of(settings), classes()[mine[0].domain].attributes
    phrases = list(named.values())
    for encoder in (measure.contextual, measure.sentence):
        encoder.encode(phrases)  # all at once; what is asked for below is then known
    found = [[by_metric(measure.measure(named[name, side], sets).association) for name in both] for side in SIDES]
    return np.array(found).reshape(2, len(both), len(SHOWN))[:, :, :-1]


def _sizes(values: Floats, at: Integers) -> Floats:
    """Effect sizes of chosen pairs of identities, by metric and on average."""
    parts = np.column_stack(
        [effects_of_drawn(values[0, :, place][at], values[1, :, place][at])[0] for place in range(values.shape[2])]
    )
    return np.column_stack([parts, parts.mean(axis=1)])
