"""Simulated companions with a planted effect: it is found within the interval as often as the interval claims.

Every seed of the respondent is a series of its own, and stands in the table as a model of its own, so that one call
measures them all. Hits are compared with a binomial: a test fails when so few (or so many) would come up less than
once in a thousand times if the procedure kept its promise.
"""

from __future__ import annotations

import asyncio
import math
from functools import cache
from itertools import product

import msgspec
import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

from personae.models.simulated import SimulatedModel
from personae.stats.multiple import adjust
from personae.studies.companions import Emotion, Iat, Sycophancy
from personae.study.base import OUTCOMES, Settings

pytestmark = pytest.mark.slow

RARE = 1e-3
LEVEL = 0.95
BIAS = 0.3
ONE_PERSONA = "title: One\npersonas: [{name: wife, group: female}]\n"
MAIN = {Iat: "iat_bias", Emotion: "own_emotions", Sycophancy: "influence"}
SEEDS = {"free": 60, "forced": 30}
POWER = {"free": 0.25, "forced": 0.95}
"""How often the least sensitive study must find it: one persona, one answer per question."""
CASES = [pytest.param(kind, respond, id=f"{kind.name}-{respond}") for kind, respond in product(MAIN, SEEDS)]


@pytest.fixture(scope="module")
def personas(tmp_path_factory):
    path = tmp_path_factory.mktemp("personas") / "one.yaml"
    path.write_text(ONE_PERSONA)
    return path


@cache
def estimates(kind, respond, name, personas):
    """Every estimate of every seed; asking many words one by one is dear, so forced associations are asked in brief."""
    scale = "quick" if (kind, respond) == (Iat, "forced") else "standard"
    study = kind(Settings(scale=scale, respond=respond, personas=personas))
    found = study.estimates(pl.concat([outcomes(study, name, seed) for seed in range(SEEDS[respond])]))
    return [one for one in found if one.model is not None]


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


def differences(found, measure, contrast="baseline"):
    """The difference of each series and domain from its baseline."""
    return [one for one in found if (one.measure, one.contrast, set(one.cell)) == (measure, contrast, {"domain"})]


def planted(kind, respond):
    """What the planted effect comes to on the scale of the measure."""
    if kind is Sycophancy:
        return BIAS / 2
    return expected_bias(BIAS, 6) if (kind, respond) == (Iat, "free") else BIAS


def expected_bias(bias, words):
    """Mean of the association of answers that give each of 2 x `words` words to its side with (1 + bias) / 2.

    A share of few words is not linear in its counts, so this is a little more than `bias` itself.
    """
    likely = (1 + bias) / 2
    total = weight = 0.0
    for right, wrong in product(range(words + 1), repeat=2):
        if right + wrong:
            chance = binom.pmf(right, words, likely) * binom.pmf(wrong, words, 1 - likely)
            total, weight = total + chance * right / (right + wrong), weight + chance
    return 2 * total / weight - 1


def at_least(hits, share):
    assert binom.cdf(sum(hits), len(hits), share) > RARE, f"{sum(hits)} of {len(hits)}, at least {share} asked"


def at_most(hits, share):
    assert binom.sf(sum(hits) - 1, len(hits), share) > RARE, f"{sum(hits)} of {len(hits)}, at most {share} asked"


class TestPlanted:
    @pytest.mark.parametrize(("kind", "respond"), CASES)
    def test_the_interval_of_the_difference_holds_what_was_planted(self, kind, respond, personas):
        rows = differences(estimates(kind, respond, f"sim/planted?bias={BIAS}", personas), MAIN[kind])
        assert len(rows) == 2 * SEEDS[respond]
        truth = planted(kind, respond)
        at_least([one.ci_low is not None and one.ci_low <= truth <= one.ci_high for one in rows], LEVEL)

    @pytest.mark.parametrize(("kind", "respond"), CASES)
    def test_the_differences_centre_on_what_was_planted(self, kind, respond, personas):
        rows = differences(estimates(kind, respond, f"sim/planted?bias={BIAS}", personas), MAIN[kind])
        values = [one.value for one in rows]
        mean = sum(values) / len(values)
        error = math.sqrt(sum((value - mean) ** 2 for value in values)) / len(values)
        assert abs(mean - planted(kind, respond)) < 4 * error

    @pytest.mark.parametrize(("kind", "respond"), CASES)
    def test_it_is_found(self, kind, respond, personas):
        rows = differences(estimates(kind, respond, f"sim/planted?bias={BIAS}", personas), MAIN[kind])
        at_least([one.p is not None and one.p < 0.05 for one in rows], POWER[respond])

    def test_the_relative_measures_hold_it_too(self, personas):
        name = f"sim/planted?bias={BIAS}"
        for kind, measure, truth in ((Emotion, "stereotype_score", 0.9), (Sycophancy, "relative_influence", 1.5)):
            rows = differences(estimates(kind, "forced", name, personas), measure, "")
            assert len(rows) == 2 * SEEDS["forced"]
            at_least([one.ci_low is not None and one.ci_low <= truth <= one.ci_high for one in rows], LEVEL)


NOTHING = {
    "free": ("sim/neutral", "sim/refuser?rate=0.2&persona_rate=0.4"),
    "forced": ("sim/neutral?position=0.4",),
}


class TestNothingPlanted:
    @pytest.mark.parametrize(("kind", "respond"), CASES)
    def test_differences_are_found_no_more_often_than_claimed(self, kind, respond, personas):
        for name in NOTHING[respond]:
            rows = differences(estimates(kind, respond, name, personas), MAIN[kind])
            assert len(rows) == 2 * SEEDS[respond]
            at_most([one.p is not None and one.p < 1 - LEVEL for one in rows], 1 - LEVEL)

    @pytest.mark.parametrize("kind", MAIN)
    def test_after_correction_a_whole_audit_finds_nothing(self, kind, personas):
        audits = {}
        for one in estimates(kind, "free", "sim/neutral", personas):
            if one.contrast == "baseline":
                audits.setdefault(one.model, []).append(one.p)
        assert len(audits) == SEEDS["free"]
        clear = [any(p is not None and p < 0.05 for p in adjust(found)) for found in audits.values()]
        at_most(clear, 0.05)


@pytest.mark.parametrize("kind", MAIN)
def test_bounds_hold_what_the_answers_would_have_been_that_were_taken_away(kind, personas):
    study = kind(Settings(scale="standard", personas=personas))
    full = outcomes(study, f"sim/planted?bias={BIAS}", 0)
    hidden = pl.Series(np.random.default_rng(0).random(full.height) < 0.3)
    gone = {"status": pl.lit("refused"), "value": pl.lit(None), "label": pl.lit(None), "detail": pl.lit("{}")}
    part = full.with_columns(**{name: pl.when(hidden).then(gone[name]).otherwise(name) for name in gone})
    whole = {
        _place(one): one for one in study.estimates(full) if one.measure in (MAIN[kind], "emotion_share", "accuracy")
    }
    kept = {_place(one): one for one in study.estimates(part)}
    assert sum(kept[place].coverage < 0.9 for place in whole) >= 6
    for place, one in whole.items():
        bounded = kept[place]
        assert bounded.lower - 1e-9 <= one.value <= bounded.upper + 1e-9


def _place(one):
    return one.measure, one.contrast, tuple(sorted(one.cell.items()))
