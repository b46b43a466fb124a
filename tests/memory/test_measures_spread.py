"""The share of cross-domain increases: which cells count, what is compared with what, when there is none."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from personae.memory.measures_spread import ONE_ARM
from personae.score import to_frame

from .measuring import episode, measured, only

DOMAINS = ("race", "age", "gender")


def played(gaps, *, injected="mixed", rate=0.5, seed=0, sets=3, noise=0.0, **more):
    """An episode with one gap per domain at every audit, and a number for the noise."""
    row = episode([0.0] * len(gaps), rate=rate, seed=seed, injected=injected, **more)
    detail = json.loads(row["detail"])
    draw = np.random.default_rng((seed, len(injected)))
    for audit, gap in zip(detail["audits"], gaps, strict=True):
        audit["scores"] = [
            [domain, number, group, 50.0 + (group == "b") * one + noise * draw.normal(), "answered"]
            for domain, one in zip(DOMAINS, gap, strict=True)
            for number in range(sets)
            for group in ("a", "b")
        ]
    return {**row, "detail": json.dumps(detail)}


START = (4.0, 4.0, 4.0)
RACE = played([START, (0.0, 8.0, 8.0)], injected="race")
AGE = played([START, (8.0, 8.0, 2.0)], injected="age")


def test_cells_off_the_diagonal_are_counted():
    # race -> age, race -> gender and age -> race grew, age -> gender did not; race -> race and age -> age do not count.
    one = only(measured(RACE, AGE), "cross-domain increases", injected="each")
    assert (one.value, one.n, one.coverage) == (0.75, 4, 1.0)
    assert one.cell == {"memory": "vector", "injection": "0.5", "injected": "each", "mitigation": "none"}
    assert one.test
    assert 0 < one.p <= 1


def test_chance_has_a_mean_and_a_middle():
    by_chance = only(measured(RACE, AGE), "cross-domain increases, by chance")
    assert by_chance.ci_low <= by_chance.value <= by_chance.ci_high
    assert by_chance.value == pytest.approx(0.5, abs=0.1)
    assert by_chance.p is None


def test_a_cell_that_stays_is_half_an_increase():
    age = played([START, (8.0, 8.0, 4.0)], injected="age")
    assert only(measured(RACE, age), "cross-domain increases").value == pytest.approx(3.5 / 4)


def test_seeds_are_averaged_before_cells_are_counted():
    again = [
        played([START, (0.0, 0.0, 8.0)], injected="race", seed=1),
        played([START, (3.0, 8.0, 5.0)], injected="age", seed=1),
    ]
    # race -> age: +4 and -4, a tie; race -> gender grew; age -> race: +4 and -1; age -> gender: -2 and +1.
    one = only(measured(RACE, AGE, *again), "cross-domain increases")
    assert (one.value, one.n) == (pytest.approx(2.5 / 4), 4)


def test_arms_without_injection_and_mixed_ones_are_no_cells():
    calm, mixed = played([START, START], rate=0.0), played([START, (9.0, 9.0, 9.0)])
    one = only(measured(RACE, AGE, calm, mixed), "cross-domain increases")
    assert (one.value, one.n) == (0.75, 4)


def test_the_last_audit_is_compared_with_that_without_injection():
    calm = played([START, (8.5, 7.0, 1.0)], rate=0.0)
    # race -> age and race -> gender lie above it, age -> race below, age -> gender above.
    found = measured(RACE, AGE, calm)
    one = only(found, "cross-domain increases beyond no injection", injected="each")
    assert (one.value, one.n) == (0.75, 4)
    assert 0 < one.p <= 1
    assert only(found, "cross-domain increases beyond no injection, by chance").ci_low is not None


def test_another_seed_without_injection_is_no_comparison():
    calm = played([START, START], rate=0.0, seed=7)
    assert not [one for one in measured(RACE, AGE, calm) if "beyond" in one.measure]


def test_mitigations_rates_and_memories_have_shares_of_their_own():
    guarded = [
        played([START, (0.0, 1.0, 1.0)], injected="race", mitigation="static"),
        played([START, (1.0, 1.0, 8.0)], injected="age", mitigation="static"),
    ]
    found = measured(RACE, AGE, *guarded)
    assert only(found, "cross-domain increases", mitigation="none").value == 0.75
    assert only(found, "cross-domain increases", mitigation="static").value == 0.25


def test_one_injected_domain_has_no_share_and_says_why():
    one = only(measured(RACE), "cross-domain increases")
    assert math.isnan(one.value)
    assert (one.n, one.reason) == (1, ONE_ARM)


def test_where_all_domains_are_mixed_nothing_is_said():
    assert not [one for one in measured(played([START, START])) if "cross-domain" in one.measure]


def test_paper_scoring_gives_the_share_alone():
    calm = played([START, START], rate=0.0)
    found = [one for one in measured(RACE, AGE, calm, scoring="paper") if "cross-domain" in one.measure]
    assert [(one.measure, one.value, one.p) for one in found] == [("cross-domain increases", 0.75, None)]


def test_sets_that_miss_a_score_leave_both_audits_of_their_cell():
    rows = []
    for row in (RACE, AGE):
        detail = json.loads(row["detail"])
        for score in detail["audits"][1]["scores"][:2]:
            score[3:] = [None, "refused"]
        for score in detail["audits"][0]["scores"][:2]:
            score[3] += 40.0 * (score[2] == "b")
        rows.append({**row, "detail": json.dumps(detail)})
    one = only(measured(*rows), "cross-domain increases")
    assert (one.value, one.n) == (0.75, 4)
    assert one.coverage == pytest.approx(34 / 36)


def test_nothing_answered_is_no_share():
    rows = []
    for row in (RACE, AGE):
        detail = json.loads(row["detail"])
        for score in detail["audits"][1]["scores"]:
            score[3:] = [None, "refused"]
        rows.append({**row, "detail": json.dumps(detail)})
    one = only(measured(*rows), "cross-domain increases")
    assert math.isnan(one.value)
    assert one.reason


def test_a_first_audit_of_all_seeds_is_exchanged_with_all_of_them(monkeypatch):
    """A model that answers alike whenever it remembers nothing gives every seed the same first audit."""
    made = []
    from personae.memory import measures_spread

    real = measures_spread.increases

    def spied(blocks, rng, **options):
        made.append((len(blocks), [len(block.cells) for block in blocks], options["ways"]))
        return real(blocks, rng, **options)

    monkeypatch.setattr(measures_spread, "increases", spied)
    ends = [START, (9.0, 8.0, 2.0)]
    measured(*(played(ends, injected=name, seed=seed) for name in ("race", "age") for seed in (0, 1)))
    assert made == [(3, [4, 4, 4], ("ends", "all"))]
    made.clear()
    noisy = [played(ends, injected=name, seed=seed, noise=9.0) for name in ("race", "gender") for seed in (0, 1)]
    measured(*noisy)
    assert made == [(6, [2] * 6, ("ends",))]


def test_estimates_fit_in_the_table():
    table = to_frame(measured(RACE, AGE), ("memory", "injection", "injected", "mitigation", "turn"))
    assert "each" in table["injected"].to_list()
