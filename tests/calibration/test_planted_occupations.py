"""Simulated respondents whose P(female) is known: found within the interval as often as it claims.

Every seed of the respondent is a series of its own, and stands in the table as a model of its own. Hits are compared
with a binomial: a test fails when so few (or so many) would come up less than once in a thousand times if the procedure
kept its promise.
"""

from __future__ import annotations

import asyncio
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

from personae.models.simulated import SimulatedModel
from personae.stats.multiple import adjust
from personae.studies.occupations import Occupations
from personae.studies.occupations.measures import estimates
from personae.studies.occupations.measures_contrasts import contrast_estimates
from personae.studies.occupations.measures_frame import blocks, paired
from personae.studies.occupations.measures_gaps import GAPS, gap_estimates
from personae.studies.occupations.measures_shares import share_estimates
from personae.study.base import OUTCOMES, Settings
from personae.testing import settings_of

pytestmark = pytest.mark.slow

RARE, LEVEL = 1e-3, 0.95
SIZE = 40
TRUTH = np.linspace(0.1, 0.9, SIZE).round(3)
FOLLOW, BIAS = 0.6, 0.12
PLANTED = f"sim/planted?follow={FOLLOW}&bias={BIAS}"
EXPECTED = 0.5 + FOLLOW * (TRUTH - 0.5)
SEEDS = 30


def at_least(hits, share):
    assert binom.cdf(sum(hits), len(hits), share) > RARE, f"{sum(hits)} of {len(hits)}, at least {share} asked"


def at_most(hits, share):
    assert binom.sf(sum(hits) - 1, len(hits), share) > RARE, f"{sum(hits)} of {len(hits)}, at most {share} asked"


def holds(one, truth):
    return one.ci_low is not None and one.ci_low <= truth <= one.ci_high


@cache
def answered(name, seeds=SEEDS, **settings):
    """Outcomes of forty invented occupations in every series, the seed in place of the model."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "invented.csv")
        lines = [f"occupation {n},Occupation {n} goes to work.,{share}" for n, share in enumerate(TRUTH)]
        path.write_text("\n".join(["occupation,sentence,truth", *lines]) + "\n", encoding="utf-8")
        study = Occupations(
            settings_of(Occupations, **{"scale": "standard", "respond": "forced", "stimuli": path, **settings})
        )
        items = list(study.items())
    rows = []
    for seed in range(seeds):
        respondent = SimulatedModel.from_name(name, seed)

        async def ask(trial, respondent=respondent):
            return respondent.answer(trial)

        async def series(ask=ask):
            return [(item, await study.run(item, ask)) for item in items]

        rows += [stored(study, str(seed), item, found) for item, found in asyncio.run(series())]
    return pl.DataFrame(rows, schema=OUTCOMES, orient="row")


def stored(study, model, item, found):
    who = item.condition
    condition = (who.persona, who.user, who.persona_group, who.user_group, who.wording, who.baseline)
    texts = [msgspec.json.encode(one).decode() for one in (item.facts, found.detail)]
    coded = (found.status, found.value, found.label, found.reason)
    return (item.id, study.name, model, item.id, item.stimulus, *condition, *coded, *texts)


@cache
def contrasts(name):
    return [one for ours, base in paired(blocks(answered(name))) for one in contrast_estimates(ours, base)]


@cache
def level(name, seeds=SEEDS, **settings):
    """What is measured without a persona."""
    known = [block for block in blocks(answered(name, seeds, **settings)) if block.baseline]
    return [one for block in known for one in (*share_estimates(block), *gap_estimates(block))]


def of(found, measure, **cell):
    return [one for one in found if one.measure == measure and cell.items() <= dict(one.cell).items()]


class TestPersonas:
    def test_the_shift_holds_what_was_planted_and_is_found(self):
        rows = of(contrasts(PLANTED), "female share")
        assert len(rows) == 6 * SEEDS
        at_least([holds(one, BIAS) for one in rows], LEVEL)
        assert all(one.p < 1e-6 for one in rows)
        assert abs(np.mean([one.value for one in rows]) - BIAS) < 0.003

    def test_the_change_of_the_gap_holds_what_the_shift_makes_of_it(self):
        rows = of(contrasts(PLANTED), "absolute gap", reference="truth")
        change = np.mean(np.abs(EXPECTED + BIAS - TRUTH) - np.abs(EXPECTED - TRUTH))
        assert abs(np.mean([one.value for one in rows]) - change) < 0.005
        at_least([holds(one, change) for one in rows], LEVEL)

    def test_without_a_shift_none_is_found_more_often_than_claimed(self):
        rows = of(contrasts("sim/neutral?follow=0.6"), "female share")
        assert len(rows) == 6 * SEEDS
        at_most([one.p < 1 - LEVEL for one in rows], 1 - LEVEL)

    def test_after_correction_a_whole_audit_finds_nothing(self):
        audits = {}
        for one in contrasts("sim/neutral?follow=0.6"):
            if one.p is not None:
                audits.setdefault(one.model, []).append(one.p)
        assert len(audits) == SEEDS
        at_most([any(p < 1 - LEVEL for p in adjust(found)) for found in audits.values()], 1 - LEVEL)


class TestLevel:
    @pytest.mark.parametrize(
        ("measure", "truth"),
        [
            ("female share", float(EXPECTED.mean())),
            ("signed gap", float((EXPECTED - TRUTH).mean())),
            ("calibration slope", FOLLOW),
            ("calibration intercept", 0.5 * (1 - FOLLOW)),
        ],
    )
    def test_intervals_hold_what_the_respondent_follows(self, measure, truth):
        rows = [
            one
            for one in of(level(PLANTED), measure)
            if one.cell.get("reference") != "half" and "level" not in one.cell
        ]
        assert len(rows) == SEEDS
        at_least([holds(one, truth) for one in rows], LEVEL)

    def test_the_pull_of_the_first_place_is_found_and_moves_nothing(self):
        rows = level("sim/neutral?follow=0.6&position=0.3")
        # First shares are 0.7 p + 0.3: in the mean over both orders 0.35 + 0.3.
        at_least([holds(one, 0.15) for one in of(rows, "position effect")], LEVEL)
        at_least([holds(one, float(EXPECTED.mean())) for one in of(rows, "female share")], LEVEL)
        calm = of(level(PLANTED), "position effect")
        at_most([one.p < 1 - LEVEL for one in calm], 1 - LEVEL)


class TestSamples:
    """Answers counted where there are no probabilities; the same respondent, the same truth."""

    @pytest.mark.parametrize(
        ("measure", "truth"),
        [
            ("female share", float(EXPECTED.mean())),
            ("signed gap", float((EXPECTED - TRUTH).mean())),
            *((name, float(gap.of(EXPECTED, TRUTH).mean())) for name, gap in GAPS.items() if name != "signed gap"),
        ],
    )
    def test_intervals_hold_what_endless_sampling_would_give(self, measure, truth):
        rows = level("sim/neutral?follow=0.6", 25, scale="paper", respond="free", repeats=12)
        rows = [one for one in of(rows, measure) if one.cell.get("reference") != "half" and "level" not in one.cell]
        assert len(rows) == 25
        assert all("samples" in one.test for one in rows)
        at_least([holds(one, truth) for one in rows], LEVEL)


def drawn(size, seed):
    """Occupations drawn from an endless population: a reference, and a model that sharpens it with noise."""
    rng = np.random.default_rng((17, seed))
    reference = rng.uniform(0.05, 0.95, size)
    leaning = 1.7 * np.log(reference / (1 - reference)) + rng.normal(0, 0.6, size)
    return reference, 1 / (1 + np.exp(-leaning))


@cache
def population():
    """Sixty series of eighty occupations each, asked of nobody: what a model would say is drawn too."""
    rows = []
    for series in range(60):
        for n, (reference, value) in enumerate(zip(*drawn(80, series), strict=True)):
            facts = {"domain": "d", "occupation": f"o{n}", "references": {"truth": reference}}
            known = {"model": str(series), "stimulus": f"{series}/{n}", "value": value, "facts": json.dumps(facts)}
            rows.append({**dict.fromkeys(OUTCOMES), **known, "baseline": True, "status": "answered", "detail": "{}"})
    return estimates(pl.DataFrame(rows, schema=OUTCOMES), Settings())


@pytest.mark.parametrize("measure", [*GAPS, "absolute gap, median", "absolute gap, SD", "correlation"])
def test_intervals_hold_the_mean_over_all_occupations_of_the_kind(measure):
    reference, value = drawn(400_000, 60)
    name, _, part = measure.partition(", ")
    middle = {"": np.mean, "median": np.median, "SD": np.std}[part]
    truth = np.corrcoef(reference, value)[0, 1] if name == "correlation" else middle(GAPS[name].of(value, reference))
    rows = of(population(), measure, reference="truth")
    assert len(rows) == 60
    # With eighty occupations a bootstrap interval is known to be a little too narrow.
    at_least([holds(one, truth) for one in rows], 0.92)

    @pytest.mark.parametrize(
        ("measure", "truth"), [("calibration slope", FOLLOW), ("calibration intercept", 0.5 * (1 - FOLLOW))]
    )
    def test_the_prior_does_not_flatten_the_line(self, measure, truth):
        rows = level("sim/neutral?follow=0.6", 25, scale="paper", respond="free", repeats=12)
        rows = [one for one in of(rows, measure) if one.cell.get("reference") != "half"]
        assert len(rows) == 25
        at_least([holds(one, truth) for one in rows], LEVEL)
