"""The published procedures of paper 003, where it says what was done, and those of the tests it names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from personae.stats.association import association_test
from personae.studies.associations.measures_frame import (
    AVERAGE,
    NAN,
    PARTS,
    PUBLISHED,
    Answer,
    conditions,
    ends_of,
    finite,
    generator,
    parted,
)
from personae.studies.associations.measures_pairs import CEAT, CONTEXT_DRAWS, TOO_FEW, Effects, Pairs, effects
from personae.study.base import Settings
from personae.types import Estimate

_PROCEDURES = {
    CEAT: "random effects, two-sided p",
    "I-WEAT": "permutation of answers, one-sided p",
    "I-SEAT": "permutation of answers, one-sided p",
}


def published_answers(found: Sequence[Answer], settings: Settings, study: str, measure: str) -> Iterator[Estimate]:
    """Effect sizes of Task 1 as the tests were published, of answers as they were said.

    CEAT has the p and the interval of its random effects over draws (Guo and Caliskan 2021, section 4), which are no
    valid test of a difference; I-WEAT and I-SEAT the one-sided permutation p of WEAT (Caliskan et al. 2017), answers
    being the units; the average, which paper 003 draws in its figure 2, has none.
    """
    for model, mine in parted(found, "model").items():
        for cell, under in conditions(mine):
            for domain, group in parted(under, "domain").items():
                pairs = Pairs.of(group, own=False)
                counts = {"n": pairs.n, "coverage": pairs.coverage}
                for metric, fields in _published(pairs, settings, domain):
                    names = {"domain": domain, **cell, "metric": metric}
                    yield Estimate(study=study, measure=measure, model=model, cell=names, **{**counts, **fields})


def _published(pairs: Pairs, settings: Settings, domain: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if len(pairs.questions) < 2:
        for metric in (*PARTS, AVERAGE):
            yield metric, {"value": NAN, "reason": TOO_FEW, "test": PUBLISHED}
        return
    once = np.arange(len(pairs.questions))[None, :]
    found: Effects = effects(pairs, generator(settings.seed, "sentences", domain), once)
    values: list[float] = []
    for place, metric in enumerate(PARTS):
        fields = _combined(found) if metric == CEAT else _permuted(pairs, place, settings, domain)
        values.append(fields["value"])
        yield metric, {**fields, "test": f"{PUBLISHED}: {_PROCEDURES[metric]}"}
    yield AVERAGE, {"value": float(np.mean(values)), "test": f"{PUBLISHED}: plain mean of the three, not tested"}


def _combined(found: Effects) -> dict[str, Any]:
    one = found.combined
    return {
        "value": one.value,
        **ends_of(one, CONTEXT_DRAWS, "draw"),
        "p": finite(one.p),
        "statistic": finite(one.statistic),
        "reason": one.reason,
    }


def _permuted(pairs: Pairs, place: int, settings: Settings, domain: str) -> dict[str, Any]:
    target, comparison = pairs.values[:, :, place]
    found = association_test(target, comparison, generator(settings.seed, "partitions", domain))
    return {"value": found.value, "p": finite(found.p), "statistic": finite(found.statistic), "reason": found.reason}
