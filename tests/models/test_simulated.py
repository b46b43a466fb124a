from collections import Counter
from math import exp, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from personae.coding.choice import read_choice
from personae.coding.mass import option_mass
from personae.coding.pairs import read_pairs
from personae.coding.refusal import find_refusal
from personae.errors import BadInput, ModelError
from personae.models import simulated_text
from personae.models.simulated import RESPONDENTS, SimulatedModel
from personae.types import Message, Trial

WORDS = ["command", "timid", "loud", "weak"]
STEREOTYPE = {"command": "Eric", "loud": "Eric", "timid": "Dianne", "weak": "Dianne"}
WIFE = {"baseline": False, "persona": "wife", "persona_group": "female"}
HUSBAND = {"baseline": False, "persona": "husband", "persona_group": "male"}
BASELINE = {"baseline": True}
NINE = ["pride", "anger", "none", "contempt", "jealousy", "distress", "guilt", "sympathy", "happiness"]


def trial(number, **meta):
    return Trial(messages=(Message("user", f"question {number}"),), meta=meta)


def assign(number, words=WORDS, **more):
    meta = {"words": words, "stereotype": STEREOTYPE, **BASELINE, **more}
    return trial(number, kind="assign", options=["Eric", "Dianne"], **meta)


def emotion(number, **more):
    female = ["guilt", "sympathy", "happiness"]
    return trial(number, kind="choice", options=NINE, lean=female, **BASELINE | more)


def judge(number, suggested=None, **more):
    options = ["abusive", "not abusive"]
    meta = {"labels": ["A", "B"], "correct": "abusive", "suggested": suggested, **BASELINE, **more}
    return trial(number, kind="choice", options=options, **meta)


def model(name, seed=0):
    return SimulatedModel.from_name(f"sim/{name}", seed)


def share_of_stereotype(name, n=500, **more):
    respondent = model(name)
    told = 0
    for number in range(n):
        pairs = read_pairs(respondent.answer(assign(number, **more)).text, WORDS, ["Eric", "Dianne"])
        told += sum(["Eric", "Dianne"][place] == STEREOTYPE[word] for word, place in pairs.assigned.items())
    return told / n / len(WORDS)


def share_right(name, suggested, n=1000, **more):
    respondent = model(name)
    options = ["abusive", "not abusive"]
    read = [
        read_choice(respondent.answer(judge(number, suggested, **more)).text, options, ["A", "B"])
        for number in range(n)
    ]
    return sum(one.index == 0 for one in read) / n


# Shares below are of 2,000 words or 1,000 answers: 0.06 is over four standard errors.


@pytest.mark.parametrize("meta", [BASELINE, WIFE, HUSBAND])
def test_neutral_assigns_by_chance_with_and_without_a_persona(meta):
    assert share_of_stereotype("neutral", **meta) == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize(("meta", "share"), [(BASELINE, 0.5), (WIFE, 0.7), (HUSBAND, 0.5)])
def test_planted_shifts_the_persona_group_and_nobody_else(meta, share):
    found = share_of_stereotype("planted?bias=0.4&group=female", **meta)
    assert found == pytest.approx(share, abs=0.06)


def test_planted_without_a_group_shifts_every_persona():
    assert share_of_stereotype("planted?bias=-0.4", **HUSBAND) == pytest.approx(0.3, abs=0.06)


@pytest.mark.parametrize(("meta", "share"), [(BASELINE, 1 / 3), (WIFE, 1 / 3 + 0.2), (HUSBAND, 1 / 3)])
def test_planted_leans_towards_the_emotions_of_the_group(meta, share):
    respondent = model("planted?lean=0.2&group=female")
    read = [read_choice(respondent.answer(emotion(number, **meta)).text, NINE).index for number in range(1000)]
    assert None not in read
    assert sum(place >= 6 for place in read) / 1000 == pytest.approx(share, abs=0.06)


@pytest.mark.parametrize(
    ("suggested", "meta", "share"),
    [
        (None, WIFE, 0.6),
        ("abusive", BASELINE, 0.7),
        ("not abusive", BASELINE, 0.5),
        ("abusive", WIFE, 0.9),
        ("not abusive", WIFE, 0.3),
    ],
)
def test_planted_influence_adds_to_the_agreement_of_everyone(suggested, meta, share):
    found = share_right("planted?accuracy=0.6&agreement=0.1&influence=0.2", suggested, **meta)
    assert found == pytest.approx(share, abs=0.06)


@pytest.mark.parametrize(
    ("name", "suggested", "meta", "share"),
    [
        ("sycophant?rate=1", "not abusive", BASELINE, 0.0),
        ("sycophant?rate=1", "abusive", BASELINE, 1.0),
        ("sycophant?rate=0.5&accuracy=0.8", "not abusive", BASELINE, 0.4),
        ("sycophant?rate=0&persona_rate=1", "not abusive", WIFE, 0.0),
        ("sycophant?rate=1&accuracy=0.8", None, BASELINE, 0.8),
    ],
)
def test_a_sycophant_says_what_the_user_believes_at_its_rate(name, suggested, meta, share):
    assert share_right(name, suggested, **meta) == pytest.approx(share, abs=0.06)


@pytest.mark.parametrize(("meta", "rate"), [(BASELINE, 0.2), (WIFE, 0.6)])
def test_a_refuser_refuses_at_its_rate(meta, rate):
    respondent = model("refuser?rate=0.2&persona_rate=0.6")
    refused = sum(find_refusal(respondent.answer(judge(number, **meta)).text) is not None for number in range(1000))
    assert refused / 1000 == pytest.approx(rate, abs=0.06)


def test_garbled_answers_are_sometimes_readable_and_sometimes_not():
    respondent = model("garbled?rate=1")
    answers = [respondent.answer(judge(number)) for number in range(300)]
    read = Counter(read_choice(one.text, ["abusive", "not abusive"], ["A", "B"]).status for one in answers)
    assert min(read["answered"], read["invalid"]) > 30
    assert Counter(one.finish for one in answers).keys() == {"stop", "length"}


@pytest.mark.parametrize("uniform", [place / 6 for place in range(6)])
def test_every_neat_list_is_read_in_full(uniform):
    text = simulated_text.listed(list(STEREOTYPE.items()), uniform)
    pairs = read_pairs(text, WORDS, ["Eric", "Dianne"])
    assert {word: ["Eric", "Dianne"][place] for word, place in pairs.assigned.items()} == STEREOTYPE


def test_no_mangled_list_is_read_as_something_else():
    formats = len(simulated_text.MANGLED_LISTS)
    for place in range(formats):
        text = simulated_text.listed(list(STEREOTYPE.items()), place / formats, mangled=True)
        for word, index in read_pairs(text, WORDS, ["Eric", "Dianne"]).assigned.items():
            assert ["Eric", "Dianne"][index] == STEREOTYPE[word], text


def test_no_mangled_choice_is_read_as_another():
    formats = len(simulated_text.MANGLED_CHOICES)
    for place in range(formats):
        for shown in NINE:
            text = simulated_text.mangled_choice(shown, NINE, place / formats)
            assert read_choice(text, NINE).index in {None, NINE.index(shown)}, text


@pytest.mark.parametrize("text", simulated_text.REFUSALS)
def test_every_refusal_is_found(text):
    assert find_refusal(text.replace("{options}", "Eric and Dianne"))


def test_forced_answers_carry_the_probabilities_themselves():
    respondent = model("planted?bias=0.4&noise=0")
    one = replace(assign(0, ["command"], **WIFE), top_logprobs=20, max_tokens=1)
    response = respondent.answer(one)
    mass = option_mass(response.logprobs[0].top, ["Eric", "Dianne"])
    assert mass.probabilities == pytest.approx((0.7, 0.3))
    assert mass.mass == pytest.approx(0.98)
    assert response.logprobs[0].token == response.text
    assert exp(response.logprobs[0].logprob) == pytest.approx(0.98 * (0.7 if "Eric" in response.text else 0.3))


@pytest.mark.parametrize("name", ["refuser?rate=1", "garbled?rate=1"])
def test_forced_refusals_put_hardly_any_probability_on_the_options(name):
    response = model(name).answer(replace(emotion(0), top_logprobs=20))
    assert option_mass(response.logprobs[0].top, NINE).mass == pytest.approx(0.005)


def test_forced_probabilities_vary_between_questions_around_the_planted_ones():
    respondent = model("planted?bias=0.4&noise=0.2")
    shares = [
        option_mass(
            respondent.answer(replace(assign(n, ["weak"], **WIFE), top_logprobs=20)).logprobs[0].top,
            ["Eric", "Dianne"],
        ).probabilities[1]
        for n in range(300)
    ]
    assert sum(shares) / len(shares) == pytest.approx(0.7, abs=0.01)
    assert max(shares) - min(shares) == pytest.approx(2 * 0.2 * 0.3, abs=0.02)


def test_a_preference_for_the_first_option_is_a_share_of_the_answers():
    respondent = model("neutral?position=0.5&noise=0")
    response = respondent.answer(replace(emotion(0), top_logprobs=20))
    shares = option_mass(response.logprobs[0].top, NINE).probabilities
    assert shares[0] == pytest.approx(0.5 + 0.5 / 9)


def test_no_more_log_probabilities_are_given_than_asked_for():
    assert len(model("neutral").answer(replace(emotion(0), top_logprobs=3)).logprobs[0].top) == 3


def test_an_impossible_option_is_never_picked_and_has_no_log_probability():
    respondent = model("sycophant?rate=1&noise=0")
    for number in range(50):
        response = respondent.answer(replace(judge(number, "not abusive"), top_logprobs=20))
        assert response.text == " B"


async def test_answers_hang_on_seed_name_and_trial_alone():
    one, same, seed, name = (model("neutral"), model("neutral"), model("neutral", 1), model("neutral?noise=0.1"))
    trials = [assign(number) for number in range(20)]
    texts = [[(await each.respond(trial)).text for trial in trials] for each in (one, same, seed, name)]
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]
    assert texts[0] != texts[3]
    assert [(await one.respond(trial)).text for trial in reversed(trials)] == texts[0][::-1]


def test_repeats_and_seeds_of_a_trial_are_answered_anew():
    respondent = model("neutral")
    texts = {respondent.answer(replace(assign(0), repeat=repeat, seed=repeat)).text for repeat in range(10)}
    assert len(texts) > 5


def test_a_simulated_model_says_that_it_is_one():
    assert model("neutral").capabilities.simulated
    assert model("neutral").name == "sim/neutral"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nobody", "known are neutral, planted"),
        ("planted?bais=0.3", "known are accuracy, agreement, base, bias"),
        ("planted?bias=much", "number from -1 to 1"),
        ("refuser?rate=1.5", "number from 0 to 1"),
        ("refuser?rate=nan", "number from 0 to 1"),
        ("refuser?rate", "number from 0 to 1"),
        ("refuser?&", "name=value"),
        ("", "known are neutral"),
    ],
)
def test_what_cannot_be_simulated_is_bad_input(name, said):
    with pytest.raises(BadInput, match=said):
        model(name)


def test_a_trial_that_does_not_describe_itself_cannot_be_answered():
    with pytest.raises(ModelError, match="meta"):
        model("neutral").answer(Trial(messages=(Message("user", "How are you?"),)))


def test_one_token_cannot_assign_several_words():
    with pytest.raises(ModelError, match="one at a time"):
        model("neutral").answer(replace(assign(0), top_logprobs=5))


@given(
    st.sampled_from(sorted(RESPONDENTS)),
    st.sampled_from([BASELINE, WIFE, HUSBAND]),
    st.integers(),
    st.sampled_from([None, "abusive", "not abusive"]),
)
def test_shares_are_probabilities_whatever_is_asked(kind, meta, number, suggested):
    respondent = model(f"{kind}?agreement=0.9&position=0.3&noise=1")
    for asked in (emotion(number, **meta), judge(number, suggested, **meta)):
        response = respondent.answer(replace(asked, top_logprobs=20))
        mass = sum(exp(logprob) for _, logprob in response.logprobs[0].top)
        assert isclose(mass, 1.0)


def gendered(number, order=("male", "female"), **more):
    meta = {"expected": {"female": 0.9, "male": 0.1}, "lean": ["female"], **BASELINE, **more}
    return replace(trial(number, kind="choice", options=list(order), **meta), top_logprobs=10, max_tokens=1)


def female(name, **more):
    found = [model(name).answer(gendered(number, **more)).logprobs[0].top for number in range(40)]
    shares = [option_mass(top, ["male", "female"]).probabilities[1] for top in found]
    return sum(shares) / len(shares)


def test_neutral_takes_either_gender_to_be_as_likely():
    assert isclose(female("neutral?noise=0"), 0.5)


def test_answers_follow_what_is_known_as_far_as_they_are_told_to():
    assert isclose(female("neutral?noise=0&follow=1"), 0.9)
    assert isclose(female("neutral?noise=0&follow=0.5"), 0.7)


def test_a_persona_shifts_what_is_known_by_the_planted_bias():
    assert isclose(female("planted?noise=0&follow=0.5&bias=0.2", **WIFE), 0.9)
    assert isclose(female("planted?noise=0&follow=0.5&bias=0.2&group=male", **WIFE), 0.7)
    assert isclose(female("planted?noise=0&follow=0.5&bias=0.2"), 0.7)
