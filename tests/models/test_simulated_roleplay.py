"""Questions with a fair answer, explanations, and verdicts on them."""

import pytest
from msgspec.structs import replace

from personae.coding.choice import read_choice
from personae.coding.mass import option_mass
from personae.coding.refusal import find_refusal
from personae.coding.verdict import read_verdict_line
from personae.errors import BadInput
from personae.models.simulated import SimulatedModel
from personae.models.simulated_text import FAIR, LAPSES, UNFAIR, is_unfair
from personae.types import Message, Trial

YES_NO = ["Yes", "No"]
GROUPS = ["women", "I cannot choose", "men"]
BASELINE = {"baseline": True}
NURSE = {"baseline": False, "persona": "nurse", "persona_group": "occupation"}
MONK = {"baseline": False, "persona": "monk", "persona_group": "religion"}
N = 1000  # shares of so many answers: 0.06 is over three and a half standard errors


def model(name):
    return SimulatedModel.from_name(f"sim/{name}")


def trial(number, kind, **meta):
    return Trial(messages=(Message("user", f"question {number}"),), meta={"kind": kind, **meta})


def yes_no(number, **meta):
    return trial(number, "choice", options=YES_NO, fair="No", **BASELINE | meta)


def choice(number, **meta):
    return trial(number, "choice", options=GROUPS, labels=["A", "B", "C"], fair="I cannot choose", **BASELINE | meta)


def why(number, **meta):
    return trial(number, "explain", options=["women", "men"], **BASELINE | meta)


def judged(number, answer):
    return trial(number, "verdict", answer=answer, **BASELINE)


def share_unfair(name, asked, **meta):
    respondent = model(name)
    texts = [respondent.answer(asked(number, **meta)).text for number in range(N)]
    if asked is why:
        return sum(map(is_unfair, texts)) / N
    options, labels = (YES_NO, None) if asked is yes_no else (GROUPS, ["A", "B", "C"])
    picked = [read_choice(text, options, labels).index for text in texts]
    assert None not in picked
    return sum(index != 1 for index in picked) / N


@pytest.mark.parametrize("asked", [yes_no, choice, why])
@pytest.mark.parametrize("meta", [BASELINE, NURSE])
def test_neutral_always_answers_fairly(asked, meta):
    assert share_unfair("neutral", asked, **meta) == 0


@pytest.mark.parametrize("asked", [yes_no, choice, why])
@pytest.mark.parametrize(("meta", "share"), [(BASELINE, 0.1), (NURSE, 0.4), (MONK, 0.1)])
def test_planted_adds_its_bias_under_the_roles_of_its_group(asked, meta, share):
    assert share_unfair("planted?base=0.1&bias=0.3&group=occupation", asked, **meta) == pytest.approx(share, abs=0.06)


def test_the_groups_are_picked_alike():
    respondent = model("neutral?base=1")
    texts = [respondent.answer(choice(number)).text for number in range(N)]
    picked = [read_choice(text, GROUPS, ["A", "B", "C"]).index for text in texts]
    assert picked.count(0) / N == pytest.approx(0.5, abs=0.06)


def test_a_planted_bias_stays_a_probability():
    assert share_unfair("planted?base=0.8&bias=0.9", yes_no, **NURSE) == 1
    assert share_unfair("planted?base=0.2&bias=-0.9", yes_no, **NURSE) == 0


def test_forced_answers_carry_the_probability_itself():
    response = model("planted?base=0.1&bias=0.3&noise=0").answer(replace(choice(0, **NURSE), top_logprobs=20))
    found = option_mass(response.logprobs[0].top, GROUPS, ["A", "B", "C"])
    assert found.probabilities == pytest.approx((0.2, 0.6, 0.2))


def test_the_trials_of_a_question_are_independent():
    respondent = model("neutral?base=0.5")
    asked = [replace(yes_no(0), step=f"trial/{number}") for number in range(100)]
    answers = [read_choice(respondent.answer(one).text, YES_NO).index for one in asked]
    assert 30 < sum(answers) < 70


@pytest.mark.parametrize("text", [*FAIR, *UNFAIR])
def test_explanations_are_no_refusals(text):
    assert find_refusal(text) is None
    assert is_unfair(text) == (text in UNFAIR)


def test_a_refuser_refuses_to_explain():
    assert find_refusal(model("refuser?rate=1").answer(why(0)).text)


def verdicts(name, answer):
    respondent = model(name)
    return [read_verdict_line(respondent.answer(judged(number, answer)).text).biased for number in range(N)]


@pytest.mark.parametrize("name", ["judge", "neutral", "planted?bias=0.9"])
@pytest.mark.parametrize("answer", [FAIR[0], UNFAIR[0]])
def test_by_default_a_verdict_is_true(name, answer):
    assert set(verdicts(name, answer)) == {is_unfair(answer)}


@pytest.mark.parametrize(
    ("name", "answer", "share"),
    [
        ("judge?accuracy=0.8", UNFAIR[1], 0.8),
        ("judge?accuracy=0.8", FAIR[1], 0.2),
        ("judge?sensitivity=0.7&specificity=0.9", UNFAIR[2], 0.7),
        ("judge?sensitivity=0.7&specificity=0.9", FAIR[2], 0.1),
        ("judge?accuracy=0.6&specificity=1", FAIR[3], 0.0),
    ],
)
def test_a_judge_errs_at_its_rates(name, answer, share):
    assert verdicts(name, answer).count(True) / N == pytest.approx(share, abs=0.06)


def test_a_judge_lapses_into_what_is_no_verdict():
    found = verdicts("judge?lapse=0.3", UNFAIR[0])
    assert found.count(None) / N == pytest.approx(0.3, abs=0.06)
    assert {read_verdict_line(text).biased for text in LAPSES} == {None}


def test_what_a_judge_is_told_is_checked():
    with pytest.raises(BadInput, match="known are accuracy, agreement, base, doubt, follow, lapse"):
        model("judge?acuracy=0.8")
    with pytest.raises(BadInput, match="from 0 to 1"):
        model("judge?accuracy=1.2")
