"""Simulated scorers with a planted difference: found within the interval as often as it claims, and not where none is.

Every seed of the respondent is a series of its own. Hits are compared with a binomial: a test fails when so few (or so
many) would come up less than once in a thousand times if the procedure kept its promise.
"""

from __future__ import annotations

import asyncio
from functools import cache

import msgspec
import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

from personae.measure.names import BASELINE
from personae.models.simulated import SimulatedModel
from personae.stats.gbv import group_variance
from personae.stats.multiple import adjust
from personae.studies.decisions.bank import DOMAINS, domain
from personae.studies.decisions.measures import estimates
from personae.studies.decisions.measures_checks import FOLLOWS, check_estimates
from personae.studies.decisions.measures_frame import blocks
from personae.studies.decisions.study import Scores
from personae.study.base import OUTCOMES, Settings

pytestmark = pytest.mark.slow

RARE, LEVEL, SEEDS = 1e-3, 0.95, 30
BASE, BIAS = 0.04, 0.12
PLANTED, NEUTRAL = f"sim/planted?base={BASE}&bias={BIAS}&noise=0.16&follow=0.3", "sim/neutral?noise=0.16&follow=0.3"


def outcomes(study, name, seed):
    """Outcomes of one series, the seed in place of the model."""
    respondent = SimulatedModel.from_name(name, seed)

    async def ask(trial):
        return respondent.answer(trial)

    async def series():
        return [(item, await study.run(item, ask)) for item in study.items()]

    rows = []
    for item, found in asyncio.run(series()):
        who = item.condition
        condition = (who.persona, who.user, who.persona_group, who.user_group, who.wording, who.baseline)
        texts = [msgspec.json.encode(one).decode() for one in (item.facts, found.detail)]
        coded = (found.status, found.value, found.label, found.reason)
        rows.append((item.id, study.name, str(seed), item.id, item.stimulus, *condition, *coded, *texts))
    return pl.DataFrame(rows, schema=OUTCOMES, orient="row")


@cache
def found(name, respond="free"):
    """The estimates of every seed."""
    study = Scores(Settings(scale="quick", respond=respond))
    return estimates(pl.concat([outcomes(study, name, seed) for seed in range(SEEDS)]), study.settings)


def rows(name, measure, contrast="", respond="free", **cell):
    cell = cell if contrast else {"persona": BASELINE, **cell}
    hits = [
        one for one in found(name, respond) if (one.measure, one.contrast, dict(one.cell)) == (measure, contrast, cell)
    ]
    assert len(hits) == SEEDS
    return hits


def true(shift, name):
    """The GBV of a domain in which the groups that a bias runs against score so many points worse."""
    made = domain(name)
    return float(group_variance([100 * shift * (group in made.against) for group in made.groups]))


def average(shift):
    return float(np.mean([true(shift, name) for name in DOMAINS]))


def at_least(hits, share):
    assert binom.cdf(sum(hits), len(hits), share) > RARE, f"{sum(hits)} of {len(hits)}, at least {share} asked"


def at_most(hits, share):
    assert binom.sf(sum(hits) - 1, len(hits), share) > RARE, f"{sum(hits)} of {len(hits)}, at most {share} asked"


def holds(one, truth):
    return one.ci_low is not None and one.ci_low <= truth <= one.ci_high


@pytest.mark.parametrize("respond", ["free", "forced"])
class TestPlanted:
    def test_the_average_holds_what_was_planted(self, respond):
        for cell, shift in (({}, BASE), ({"persona": "cautious manager"}, BASE + BIAS)):
            hits = rows(PLANTED, "AGBV", respond=respond, **cell)
            at_least([holds(one, average(shift)) for one in hits], LEVEL)

    def test_what_a_persona_adds_is_held_and_found(self, respond):
        hits = rows(PLANTED, "AGBV", "baseline", respond=respond, persona="cautious manager")
        at_least([holds(one, average(BASE + BIAS) - average(BASE)) for one in hits], LEVEL)
        at_least([one.p is not None and one.p < 1 - LEVEL for one in hits], 0.9)

    def test_the_planted_groups_stand_below_the_mean_of_their_sets(self, respond):
        for name, group in (("race", "Black"), ("ses", "Low Income"), ("disability", "Physical")):
            made = domain(name)
            share = len(made.against) / len(made.groups)
            sign = 1 if name == "disability" else -1
            truth = sign * 100 * (BASE + BIAS) * (1 - share)
            cell = {"domain": name, "persona": "cautious manager", "level": group}
            at_least(
                [holds(one, truth) for one in rows(PLANTED, "difference from the set", respond=respond, **cell)], LEVEL
            )

    def test_the_average_under_the_persona_exceeds_its_floor(self, respond):
        hits = rows(PLANTED, "AGBV", respond=respond, persona="cautious manager")
        at_least([one.p < 0.01 for one in hits], LEVEL)


@pytest.mark.parametrize("respond", ["free", "forced"])
class TestNothingPlanted:
    def test_the_gbv_is_above_0_and_yet_no_finding(self, respond):
        hits = rows(NEUTRAL, "AGBV", respond=respond)
        assert min(one.value for one in hits) > 0.5
        at_most([one.p < 1 - LEVEL for one in hits], 1 - LEVEL)
        excess = [one.value for one in rows(NEUTRAL, "AGBV, excess", respond=respond)]
        assert abs(np.mean(excess)) < 4 * np.std(excess) / len(excess) ** 0.5

    def test_the_floor_holds_its_level_in_every_domain(self, respond):
        hits = [one.p < 1 - LEVEL for name in DOMAINS for one in rows(NEUTRAL, "GBV", respond=respond, domain=name)]
        at_most(hits, 1 - LEVEL)
        at_least([not hit for hit in hits], LEVEL)

    def test_no_persona_is_found_to_change_anything(self, respond):
        hits = rows(NEUTRAL, "AGBV", "baseline", respond=respond, persona="cautious manager")
        at_most([one.p < 1 - LEVEL for one in hits], 1 - LEVEL)

    def test_after_correction_a_whole_audit_finds_nothing(self, respond):
        audits = {}
        for one in found(NEUTRAL, respond):
            if one.p is not None:
                audits.setdefault(one.model, []).append(one.p)
        assert len(audits) == SEEDS
        at_most([any(p < 1 - LEVEL for p in adjust(some)) for some in audits.values()], 1 - LEVEL)


@pytest.mark.parametrize(("follow", "share"), [(0.3, 0.9), (0.0, 0.025)])
def test_scores_that_follow_the_file_are_told_from_such_that_do_not(follow, share):
    study = Scores(Settings(scale="quick"))
    hits = []
    for seed in range(SEEDS):
        some = blocks(outcomes(study, f"sim/neutral?noise=0.16&follow={follow}", seed))
        one = next(check_estimates([block for block in some if block.baseline], {}))
        assert one.measure == FOLLOWS
        hits.append(one.ci_low > 0)
    (at_least if follow else at_most)(hits, share)
