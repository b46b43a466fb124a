"""The measures of the memory study, by hand."""

from __future__ import annotations

import json
import math

import pytest

from personae.memory.figures import figures
from personae.memory.findings import findings
from personae.memory.measures import estimates
from personae.memory.study import Memories
from personae.score import to_frame
from personae.study.base import Settings

from .measuring import episode, frame, measured, only


def test_the_average_variance_is_the_mean_over_domains():
    found = measured(episode([8.0, 20.0]))
    assert only(found, "AGBV", turn="0").value == pytest.approx((4.0 + 0.0) / 2)
    assert only(found, "GBV", turn="10", domain="race").value == pytest.approx(10.0)
    assert only(found, "change of AGBV").value == pytest.approx(3.0)
    assert only(found, "change of GBV", domain="race").value == pytest.approx(6.0)


def test_one_episode_has_no_interval_and_says_so():
    one = only(measured(episode([8.0, 20.0])), "change of AGBV")
    assert one.ci_low is None
    assert "one episode only" in one.reason


def test_seeds_give_students_interval():
    found = measured(episode([0.0, 4.0]), episode([0.0, 8.0], seed=1), episode([0.0, 12.0], seed=2))
    one = only(found, "change of AGBV")
    assert one.value == pytest.approx(2.0)
    # Changes 1, 2, 3: standard error 1 / sqrt(3), t(2; 0.975) = 4.302653.
    assert one.ci_high == pytest.approx(2.0 + 4.302653 / math.sqrt(3), rel=1e-5)
    assert (one.n, one.df) == (3, 2)


def test_an_arm_is_compared_with_the_same_seeds_without_injection():
    rows = [episode([0.0, 4.0 * seed], seed=seed) for seed in (1, 2)]
    rows += [episode([0.0, 4.0 * seed + 8.0], seed=seed, rate=0.3) for seed in (1, 2)]
    one = only(measured(*rows), "change of AGBV", "baseline", injection="0.3")
    assert one.value == pytest.approx(2.0)
    assert one.cell["injected"] == "mixed"


def test_a_single_domain_is_compared_with_the_arm_without_injection_too():
    rows = [episode([0.0, 0.0]), episode([0.0, 8.0], rate=0.3, injected="race")]
    assert only(measured(*rows), "change of AGBV", "baseline", injected="race").value == pytest.approx(2.0)


def test_the_mitigation_is_that_of_the_paper():
    # MP = (mitigated - original) / |original|: Table 2 gives -44.8 % for 3.12 beside 5.65.
    rows = [episode([0.0, 4 * 5.65], rate=0.3), episode([0.0, 4 * 3.12], rate=0.3, mitigation="static")]
    one = only(measured(*rows), "mitigation", mitigation="static")
    assert one.value == pytest.approx(-44.8, abs=0.05)


def test_a_mitigation_of_nothing_has_no_number():
    rows = [episode([4.0, 4.0], rate=0.3), episode([4.0, 8.0], rate=0.3, mitigation="static")]
    one = only(measured(*rows), "mitigation", mitigation="static")
    assert math.isnan(one.value)
    assert one.reason


def test_accuracy_counts_what_was_answered_and_says_how_much():
    found = measured(episode([0.0, 0.0], right=(1.0, 0.0, None, 1.0)))
    one = next(one for one in found if one.measure == "accuracy" and "turn" not in one.cell)
    assert one.value == pytest.approx(2 / 3)
    assert (one.n, one.coverage) == (3, 0.75)


def test_how_sure_an_accuracy_is_rests_on_its_questions_whatever_the_episodes():
    right = (1.0,) * 7 + (0.0,) * 3
    found = measured(episode([0.0, 0.0], right=right), episode([0.0, 0.0], right=right, seed=1))
    one = next(one for one in found if one.measure == "accuracy" and "turn" not in one.cell)
    # Wilson for 14 of 20, z = 1.959964: (0.7 + z²/40 -+ z sqrt(0.7 * 0.3 / 20 + z²/1600)) / (1 + z²/20).
    assert (one.ci_low, one.ci_high) == (pytest.approx(0.4810, abs=1e-4), pytest.approx(0.8545, abs=1e-4))
    assert one.n == 20


def test_accuracy_is_told_for_the_questions_between_two_audits():
    found = measured(episode([0.0, 0.0, 0.0], right=(1.0,) * 10 + (0.0,) * 5 + (1.0,) * 5))
    assert only(found, "accuracy", turn="10").value == 1.0
    late = only(found, "accuracy", turn="20")
    assert (late.value, late.n, late.coverage) == (0.5, 10, 1.0)


def test_what_a_mitigation_costs_is_counted_on_the_same_questions():
    bare = episode([0.0, 0.0], right=(1.0, 1.0, 1.0, 0.0, None))
    static = episode([0.0, 0.0], right=(1.0, 0.0, 0.0, 0.0, 1.0), mitigation="static")
    found = only(measured(bare, static), "accuracy, mitigation less none", mitigation="static")
    assert found.value == pytest.approx(-0.5)
    assert (found.n, found.coverage) == (4, 1.0)
    assert found.p == pytest.approx(0.18169, abs=1e-4)  # t = -1.732 on three degrees of freedom


def test_unanswered_people_leave_their_matched_set_and_lower_the_coverage():
    row = episode([8.0, 8.0])
    detail = json.loads(row["detail"])
    detail["audits"][1]["scores"][0][3:] = [None, "refused"]
    found = measured({**row, "detail": json.dumps(detail)})
    one = only(found, "AGBV", turn="10")
    assert one.coverage == pytest.approx(5 / 6)
    assert one.value == pytest.approx(2.0)


def test_paper_scoring_gives_no_floor():
    names = {one.measure for one in measured(episode([8.0, 20.0]), scoring="paper")}
    assert names == {"AGBV", "GBV", "change of AGBV", "change of GBV"}


def test_findings_name_numbers_and_what_one_episode_cannot_say():
    rows = [episode([8.0, 8.0]), episode([8.0, 20.0], rate=0.3)]
    outcomes = frame(rows)
    table = to_frame(estimates(outcomes, Settings()), Memories.columns)
    texts = [one.text for one in findings(table, outcomes)]
    assert any("AGBV goes from 2.00 at turn 0 to 5.00 at turn 10, change +3.00 points" in text for text in texts)
    assert any(
        "is not told apart from that without injection: +3.00 points, 1 episode, 3 matched sets" in one for one in texts
    )
    assert any("--repeats" in text for text in texts)


def test_figures_show_trajectories_and_the_memory():
    rows = [episode([8.0, 8.0]), episode([8.0, 20.0], rate=0.3)]
    outcomes = frame(rows)
    table = to_frame(estimates(outcomes, Settings()), Memories.columns)
    made = {figure.id: figure for figure in figures(table, outcomes)}
    assert {row["arm"] for row in made["memory.episode.trajectories"].rows} == {
        "λ = 0",
        "λ = 0.3",
        "by chance",
    }
    assert [row["biased"] for row in made["memory.episode.memory"].rows] == [None, "injected"]
    assert {row["change"] for row in made["memory.episode.spread"].rows} == {0.0, 6.0}


def test_of_the_embedded_model_the_page_says_what_it_can_show():
    rows = [episode([8.0, 8.0], model=model) for model in ("local/smollm2", "m")]
    told = {}
    for model in ("local/smollm2", "m"):
        outcomes = frame([row for row in rows if row["model"] == model])
        table = to_frame(estimates(outcomes, Settings()), Memories.columns)
        told[model] = [one.text for one in findings(table, outcomes) if one.tone == "caution"]
    assert any("clears no larger model" in text for text in told["local/smollm2"])
    assert not any("clears no larger model" in text for text in told["m"])
