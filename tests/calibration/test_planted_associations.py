"""Simulated respondents with a planted association: found as often as it should be, and not where none is planted.

Encoders are quick ones here (hashed words), so that many series can be asked: what is calibrated is the path from
answers to tests and intervals, not an encoder. Hits are compared with a binomial: a test fails when so few (or so many)
would come up less than once in a thousand times if the procedure kept its promise.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

from personae.stats.multiple import adjust
from personae.studies.associations import measures_answers, measures_pairs, measures_personas
from personae.studies.associations.amplification import Amplification
from personae.studies.associations.answers import Answers
from personae.studies.associations.measures_answers import DIFFERENCE, EFFECT
from personae.studies.associations.measures_personas import ABSOLUTE, PSI
from personae.study.base import Settings

from ..studies.associations.measuring import quick_encoders, simulated

pytestmark = pytest.mark.slow

RARE = 1e-3
LEVEL = 0.95
SERIES = 10
METRICS = ("CEAT", "I-WEAT", "I-SEAT", "average")
NEUTRAL, FOLLOWING, PLANTED = "sim/neutral", "sim/neutral?follow=0.7", "sim/planted?bias=0.25"


@cache
def table(kind, name, scale="standard"):
    """Estimates of several series of one respondent, the seed in the place of the model; with fewer draws."""
    study = kind(Settings(scale=scale))
    with quick_encoders(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(measures_pairs, "RESAMPLES", 400)
        patch.setattr(measures_answers, "RESAMPLES", 400)
        patch.setattr(measures_personas, "DRAWS", 500)
        patch.setattr(measures_personas, "_PATTERNS", 2000)
        rows = [simulated(study, name, seed, str(seed)) for seed in range(SERIES)]
        return study.estimates(pl.concat(rows))


def rows(found, measure, contrast="", metric=None, *, by_class=False):
    """Estimates of single models, of the mean of classes or prompts, or of each; no groups and no levels."""
    return [
        one
        for one in found
        if (one.measure, one.contrast, one.cell["metric"]) == (measure, contrast, metric)
        and one.model is not None
        and not {"level", "persona_group"} & one.cell.keys()
        and ("domain" in one.cell) == by_class
    ]


def at_least(hits, share):
    assert binom.cdf(sum(hits), len(hits), share) > RARE, f"{sum(hits)} of {len(hits)}, at least {share} asked"


def at_most(hits, share):
    assert binom.sf(sum(hits) - 1, len(hits), share) > RARE, f"{sum(hits)} of {len(hits)}, at most {share} asked"


def significant(found):
    return [one.p is not None and one.p < 1 - LEVEL for one in found]


@pytest.mark.parametrize("metric", METRICS)
class TestAnswers:
    def test_answers_that_follow_the_stereotype_are_found(self, metric):
        found = rows(table(Answers, FOLLOWING), EFFECT, metric=metric)
        assert len(found) == SERIES
        at_least([one.p < 0.001 and one.value > 0 for one in found], 0.9)

    def test_in_single_classes_too(self, metric):
        found = rows(table(Answers, FOLLOWING), EFFECT, metric=metric, by_class=True)
        assert len(found) == 6 * SERIES
        at_least([one.p < 1 - LEVEL and one.value > 0 for one in found], 0.8)

    def test_without_a_stereotype_no_more_often_than_claimed(self, metric):
        found = rows(table(Answers, NEUTRAL), EFFECT, metric=metric, by_class=True)
        assert len(found) == 6 * SERIES
        at_most(significant(found), 1 - LEVEL)

    def test_intervals_hold_no_difference_where_there_is_none(self, metric):
        found = rows(table(Answers, NEUTRAL), DIFFERENCE, metric=metric, by_class=True)
        at_least([one.ci_low <= 0 <= one.ci_high for one in found], LEVEL)
        # Bootstrap intervals of an effect size over ten questions are too narrow; how much is bounded here.
        found = rows(table(Answers, NEUTRAL), EFFECT, metric=metric, by_class=True)
        at_least([one.ci_low <= 0 <= one.ci_high for one in found], 0.85)


@pytest.mark.parametrize("metric", METRICS)
class TestPersonas:
    def test_personas_that_lean_are_found(self, metric):
        found = rows(table(Amplification, PLANTED), PSI, "baseline", metric)
        assert len(found) == 6 * SERIES
        at_least([one.p < 1 - LEVEL and one.value > 0 for one in found], 0.9)

    @pytest.mark.parametrize("measure", [PSI, ABSOLUTE])
    def test_without_a_lean_no_more_often_than_claimed(self, metric, measure):
        found = rows(table(Amplification, NEUTRAL), measure, "baseline", metric)
        assert len(found) == 6 * SERIES
        # Six personas share their neutral answers, so they are not six tests: a series counts once, by its mean.
        at_most([min(hits) for hits in np.array(significant(found)).reshape(SERIES, -1)], 1 - LEVEL)
        assert np.mean(significant(found)) < 0.2

    def test_the_persona_tested_first_is_found_no_more_often_than_claimed(self, metric):
        found = rows(table(Amplification, NEUTRAL), PSI, "baseline", metric)
        first = found[0].cell["persona"]
        at_most(significant([one for one in found if one.cell["persona"] == first]), 1 - LEVEL)

    def test_intervals_hold_no_shift_where_there_is_none(self, metric):
        found = rows(table(Amplification, NEUTRAL), PSI, "baseline", metric)
        first = found[0].cell["persona"]
        at_least([one.ci_low <= 0 <= one.ci_high for one in found if one.cell["persona"] == first], 0.9)


def test_after_correction_a_whole_audit_finds_nothing():
    for kind in (Answers, Amplification):
        audits = {}
        for one in table(kind, NEUTRAL):
            if one.p is not None:
                audits.setdefault(one.model, []).append(one.p)
        assert len(audits) == SERIES
        at_most([any(p < 1 - LEVEL for p in adjust(found)) for found in audits.values()], 1 - LEVEL)
