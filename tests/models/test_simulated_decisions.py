"""Simulated respondents give scores with the mean and the spread that their parameters say."""

from __future__ import annotations

import numpy as np
import pytest

from personae.coding.refusal import find_refusal
from personae.coding.scores import read_score
from personae.models.simulated import SimulatedModel
from personae.study.scores import read_digit, read_said
from personae.types import Message, Trial


def trials(count=400, forced=False, **meta):
    told = {"kind": "score", "group": "Black", "against": False, "higher": "better", "strength": 0.5, "baseline": True}
    return [
        Trial(
            messages=(Message("user", f"File {n}: which score?"),),
            top_logprobs=20 if forced else 0,
            meta={**told, **meta},
        )
        for n in range(count)
    ]


def scores(name, **meta):
    model = SimulatedModel.from_name(name)
    return np.array([read_said(model.answer(one)).value for one in trials(**meta)], dtype=float)


def digits(name, **meta):
    model = SimulatedModel.from_name(name)
    return np.array([read_digit(model.answer(one)).value for one in trials(forced=True, **meta)], dtype=float)


@pytest.mark.parametrize("asked", [scores, digits])
class TestScores:
    def test_a_neutral_respondent_scores_all_alike(self, asked):
        for meta in ({}, {"against": True}, {"baseline": False}):
            assert asked("sim/neutral", **meta).mean() == pytest.approx(60, abs=2)

    def test_noise_is_the_spread(self, asked):
        assert asked("sim/neutral?noise=0.2").std() == pytest.approx(10, rel=0.15)
        assert asked("sim/neutral?noise=0").std() == pytest.approx(0, abs=1e-9)

    def test_base_is_how_much_worse_a_group_comes_off_with_and_without_a_persona(self, asked):
        for meta in ({}, {"baseline": False}):
            assert asked("sim/neutral?base=0.2", against=True, **meta).mean() == pytest.approx(40, abs=2)
        assert asked("sim/neutral?base=0.2").mean() == pytest.approx(60, abs=2)

    def test_bias_is_added_under_a_persona_only(self, asked):
        name = "sim/planted?bias=0.3&base=0.1"
        assert asked(name, against=True).mean() == pytest.approx(50, abs=2)
        assert asked(name, against=True, baseline=False).mean() == pytest.approx(20, abs=2)
        assert asked(name, baseline=False).mean() == pytest.approx(60, abs=2)

    def test_only_personas_of_the_named_group_are_planted(self, asked):
        name = "sim/planted?bias=0.3&group=guarded"
        told = {"against": True, "baseline": False}
        assert asked(name, persona_group="guarded", **told).mean() == pytest.approx(30, abs=2)
        assert asked(name, persona_group="supportive", **told).mean() == pytest.approx(60, abs=2)

    def test_where_a_higher_score_is_worse_it_is_higher(self, asked):
        assert asked("sim/neutral?base=0.2", against=True, higher="riskier").mean() == pytest.approx(80, abs=2)

    def test_follow_is_how_far_the_file_counts(self, asked):
        weak, strong = (asked("sim/neutral?follow=0.4", strength=place).mean() for place in (0.0, 1.0))
        assert strong - weak == pytest.approx(40, abs=3)
        turned = asked("sim/neutral?follow=0.4", strength=1.0, higher="riskier").mean()
        assert turned == pytest.approx(40, abs=2)

    def test_the_same_trial_gets_the_same_score(self, asked):
        assert (asked("sim/neutral") == asked("sim/neutral")).all()


def test_free_answers_come_in_many_forms_and_all_can_be_read():
    model = SimulatedModel.from_name("sim/neutral")
    texts = [model.answer(one).text for one in trials()]
    assert len({text.strip("0123456789") for text in texts}) > 4
    assert all(read_score(text).value is not None for text in texts)


def test_a_refuser_refuses_scores_too():
    model = SimulatedModel.from_name("sim/refuser?rate=1")
    texts = {model.answer(one).text for one in trials()}
    assert len(texts) == 4
    assert all(find_refusal(text) for text in texts)
    assert not any("{" in text or " between :" in text for text in texts)
    assert np.isnan(digits("sim/refuser?rate=1")).all()


def test_mangled_scores_are_mostly_no_scores_and_never_wrong_ones():
    mangled, neat = (scores(f"sim/garbled?rate={rate}&noise=0") for rate in (1, 0))
    assert (neat == 60).all()
    assert 0.5 < np.isnan(mangled).mean() < 1
    assert set(mangled[~np.isnan(mangled)]) == {60.0}
