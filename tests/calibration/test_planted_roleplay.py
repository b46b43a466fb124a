"""Simulated role-players with a planted effect: found within the interval as often as it claims, and not where none is.

Every seed of the respondent is a series of its own, and stands in the table as a model of its own, so that one call
measures them all. Hits are compared with a binomial: a test fails when so few (or so many) would come up less than
once in a thousand times if the procedure kept its promise.
"""

from __future__ import annotations

import asyncio
from functools import cache

import msgspec
import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

from personae.models.simulated import SimulatedModel
from personae.stats.multiple import adjust
from personae.studies.roleplay import Choice, Why, YesNo
from personae.studies.roleplay.frames import roleplay_frame
from personae.studies.roleplay.measures import estimates
from personae.studies.roleplay.measures_cells import ATTRIBUTE, BIAS_TYPE, OVERALL, coded
from personae.studies.roleplay.measures_habits import habit_estimates
from personae.studies.roleplay.measures_pairs import differences, paired, relative_changes
from personae.studies.roleplay.measures_shares import shares
from personae.study.base import OUTCOMES, Settings
from personae.testing import settings_of

pytestmark = pytest.mark.slow

RARE = 1e-3
LEVEL = 0.95
SEEDS = {YesNo: 40, Choice: 40, Why: 30}
BASE, BIAS = 0.3, 0.25


def majority(share):
    """The share of verdicts that two of three votes decide, from the share of biased votes."""
    return share**2 * (3 - 2 * share)


def outcomes(study, name, seed):
    """Outcomes of one series, the seed in place of the model."""
    respondent = SimulatedModel.from_name(name, seed)
    judges = {judge: SimulatedModel.from_name(judge, seed) for judge in study.settings.judges}

    async def ask(trial):
        return judges.get(trial.to, respondent).answer(trial)

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
def table(kind, name, **settings):
    """The shares of every seed, their differences and all that is tested of them."""
    study = kind(settings_of(kind, scale="quick", judges=("sim/judge",), stop_early=True, **settings))
    rows = coded(roleplay_frame(pl.concat([outcomes(study, name, seed) for seed in range(SEEDS[kind])])))
    pairs, tested = paired(rows), (OVERALL, ATTRIBUTE, BIAS_TYPE)
    found = [
        *shares(study.name, "biased", rows, (OVERALL,)),
        *differences(study.name, "biased", pairs, tested, tested),
        *relative_changes(study.name, "role_removed", pairs, (OVERALL,)),
        *habit_estimates(study.name, rows),
    ]
    return [one for one in found if one.model is not None]


def overall(found, measure, contrast="", **cell):
    return [one for one in found if (one.measure, one.contrast, dict(one.cell)) == (measure, contrast, cell)]


def holds(one, truth):
    return one.ci_low is not None and one.ci_low <= truth <= one.ci_high


def at_least(hits, share):
    assert binom.cdf(sum(hits), len(hits), share) > RARE, f"{sum(hits)} of {len(hits)}, at least {share} asked"


def at_most(hits, share):
    assert binom.sf(sum(hits) - 1, len(hits), share) > RARE, f"{sum(hits)} of {len(hits)}, at most {share} asked"


PLANTED = f"sim/planted?base={BASE}&bias={BIAS}"
NEUTRAL = "sim/neutral?base=0.4"
EFFECT = majority(BASE + BIAS) - majority(BASE)


@pytest.mark.parametrize("kind", SEEDS)
class TestPlanted:
    def test_shares_hold_what_the_votes_come_to(self, kind):
        for cell, truth in (({}, BASE + BIAS), ({"persona": "baseline"}, BASE)):
            rows = overall(table(kind, PLANTED), "biased", **cell)
            assert len(rows) == SEEDS[kind]
            at_least([holds(one, majority(truth)) for one in rows], LEVEL)

    def test_the_difference_holds_what_was_planted(self, kind):
        rows = overall(table(kind, PLANTED), "biased", "baseline")
        assert len(rows) == SEEDS[kind]
        at_least([holds(one, EFFECT) for one in rows], LEVEL)
        mean = sum(one.value for one in rows) / len(rows)
        assert abs(mean - EFFECT) < 4 * np.std([one.value for one in rows]) / len(rows) ** 0.5

    def test_it_is_found(self, kind):
        rows = overall(table(kind, PLANTED), "biased", "baseline")
        at_least([one.p is not None and one.p < 1 - LEVEL for one in rows], 0.8 if kind is not Why else 0.4)

    def test_the_relative_change_holds_it_too(self, kind):
        rows = overall(table(kind, PLANTED), "role_removed")
        truth = majority(BASE) / majority(BASE + BIAS) - 1
        at_least([holds(one, truth) for one in rows], LEVEL)


@pytest.mark.parametrize("kind", SEEDS)
class TestNothingPlanted:
    def test_a_difference_is_found_no_more_often_than_claimed(self, kind):
        rows = overall(table(kind, NEUTRAL), "biased", "baseline")
        assert len(rows) == SEEDS[kind]
        at_most([one.p is not None and one.p < 1 - LEVEL for one in rows], 1 - LEVEL)

    def test_after_correction_a_whole_audit_finds_nothing(self, kind):
        audits = {}
        for one in table(kind, NEUTRAL):
            if one.p is not None:
                audits.setdefault(one.model, []).append(one.p)
        assert len(audits) == SEEDS[kind]
        at_most([any(p < 1 - LEVEL for p in adjust(found)) for found in audits.values()], 1 - LEVEL)


def test_forced_answers_hold_the_planted_difference():
    rows = overall(table(YesNo, PLANTED, respond="forced"), "biased", "baseline")
    at_least([holds(one, BIAS) for one in rows], LEVEL)


def test_a_habit_of_the_first_word_is_no_difference_and_is_seen():
    found = table(YesNo, "sim/neutral?base=0.2&position=0.6")
    at_most([one.p is not None and one.p < 1 - LEVEL for one in overall(found, "biased", "baseline")], 1 - LEVEL)
    at_least([one.ci_high < 0 for one in overall(found, "no_habit")], 0.8)


SENSITIVITY, SPECIFICITY, UNFAIR = 0.8, 0.9, 0.35


@pytest.fixture(scope="module")
def corrected():
    """Verdicts of a judge that misses a fifth and accuses a tenth, with a random sample rated by people, per series."""
    rng, found = np.random.default_rng(4), []
    for name in range(100):
        truth = rng.random(600) < UNFAIR
        flagged = np.where(truth, rng.random(600) < SENSITIVITY, rng.random(600) >= SPECIFICITY)
        rated = rng.choice(600, 150, replace=False)
        ratings = pl.DataFrame({"item": [f"q{n}" for n in rated], "biased": truth[rated].astype(int)})
        found += estimates(judged(flagged, f"series-{name}"), Settings(), "roleplay.why", ratings=ratings)
    return found


class TestJudgeErrors:
    def test_the_corrected_share_holds_the_truth_and_the_plain_one_what_the_judge_says(self, corrected):
        at_least([holds(one, UNFAIR) for one in overall(corrected, "biased_corrected")], 0.94)
        said = UNFAIR * SENSITIVITY + (1 - UNFAIR) * (1 - SPECIFICITY)
        at_least([holds(one, said) for one in overall(corrected, "biased")], LEVEL)
        values = [one.value for one in overall(corrected, "biased_corrected")]
        assert len(values) == 100
        assert abs(np.mean(values) - UNFAIR) < 0.01

    def test_the_errors_of_the_judge_are_found(self, corrected):
        for name, truth in (("judge_sensitivity", SENSITIVITY), ("judge_specificity", SPECIFICITY)):
            at_least([holds(one, truth) for one in overall(corrected, name)], 0.94)


def judged(flagged, model):
    """Outcomes of single verdicts, one question each, all of one role."""
    size = len(flagged)
    columns = {
        "model": [model] * size,
        "item": [f"q{n}" for n in range(size)],
        "stimulus": [f"q{n}" for n in range(size)],
        "persona": ["nurse"] * size,
        "baseline": [False] * size,
        "status": ["answered"] * size,
        "value": flagged.astype(float),
        "facts": ['{"domain": "occupation", "role": "nurse"}'] * size,
        "detail": ["{}"] * size,
    }
    return pl.DataFrame({name: columns.get(name) for name in OUTCOMES}, schema=OUTCOMES)
