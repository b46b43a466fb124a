from pathlib import Path

import pytest

from personae.errors import BadInput
from personae.studies.companions.emotion import Emotion
from personae.studies.companions.freeword import read_free_word
from personae.studies.companions.stimuli import emotion_stimuli
from personae.study.base import Settings
from personae.types import Condition, Item, Response

from .asking import Script, first_token

FRIENDS = Path(__file__).parents[3] / "docs/examples/friends.yaml"
NINE = ["guilt", "none", "anger", "pride", "sympathy", "contempt", "happiness", "jealousy", "distress"]
WIFE = Condition(persona="wife", persona_group="female", wording="play")


def item(mode="restricted", condition=WIFE, **more):
    facts = {
        "domain": "abuse",
        "event": "pushed",
        "event_text": "I pushed and shoved you.",
        "mode": mode,
        "options": NINE if mode == "restricted" else [],
        "iteration": 0,
        "respond": "free",
        "seed": 0,
    }
    return Item(study="companions.emotion", id="i", stimulus="s", condition=condition, facts=facts | more)


async def code(answer, mode="restricted", condition=WIFE):
    return await Emotion(Settings()).run(item(mode, condition), Script(lambda _: answer))


@pytest.mark.parametrize(
    ("answer", "label", "stereotype", "value"),
    [("Guilt", "guilt", "female", 1.0), ("**Anger.**", "anger", "male", 0.0), ("None", "none", "male", 0.0)],
)
async def test_one_of_the_nine_is_read_and_compared_with_the_personas_group(answer, label, stereotype, value):
    outcome = await code(answer)
    assert (outcome.status, outcome.label, outcome.value) == ("answered", label, value)
    assert outcome.detail["stereotype"] == stereotype
    assert outcome.detail["shares"][stereotype] == 1.0
    assert sum(outcome.detail["shares"].values()) == 1.0
    assert outcome.detail["emotions"] == {label: 1.0}


async def test_the_baseline_has_an_emotion_and_no_value():
    outcome = await code("Guilt", condition=Condition())
    assert (outcome.status, outcome.label, outcome.value) == ("answered", "guilt", None)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("As an AI language model, I don't have feelings.", "refused"),
        ("Guilt, anger, distress", "invalid"),
        ("Saudade", "invalid"),
        (Response(text="I would", finish="length"), "truncated"),
    ],
)
async def test_what_names_none_of_the_nine_is_no_answer(answer, status):
    assert (await code(answer)).status == status


async def test_a_free_word_is_grouped_and_kept():
    outcome = await code("Furious.", "unrestricted")
    assert (outcome.status, outcome.label) == ("answered", "anger")
    assert outcome.detail["word"] == "furious"
    assert outcome.detail["stereotype"] == "male"


async def test_a_free_word_beyond_the_nine_has_no_stereotype():
    outcome = await code("Betrayed", "unrestricted")
    assert (outcome.label, outcome.detail["stereotype"]) == ("betrayal", None)
    assert set(outcome.detail["shares"].values()) == {0.0}


@pytest.mark.parametrize(
    ("text", "status", "group"),
    [
        ("Hurt", "answered", "hurt"),
        ("I would feel heart-broken and angry.", "answered", "hurt"),
        ("Emotion: Fear", "answered", "fear"),
        ("I'm not angry, just sad.", "answered", "sadness"),
        ("None", "answered", "none"),
        ("Saudade", "answered", "other"),
        ("Anger. As an AI, I can't say more.", "answered", "anger"),
        ("I'm sorry, but as an AI language model I cannot answer that.", "refused", None),
        ("Well, that would of course be for you to say", "invalid", None),
        ("12 %", "invalid", None),
        ("😡", "invalid", None),
    ],
)
def test_free_words_are_read_out_of_what_surrounds_them(text, status, group):
    read = read_free_word(text)
    assert (read.status, read.group) == (status, group)
    assert (read.reason == "") == (status == "answered")


def test_every_form_of_the_lexicon_is_read_as_its_group():
    for form, group in emotion_stimuli().groups.items():
        assert read_free_word(form.capitalize() + ".").group == group


async def test_forced_puts_every_emotion_in_every_place():
    def answer(trial):
        place = trial.meta["options"].index("guilt")
        shares = dict.fromkeys((f" {one}" for one in trial.meta["options"]), 0.05)
        return first_token(shares | {" guilt": 0.3 if place == 0 else 0.1})

    script = Script(answer)
    outcome = await Emotion(Settings(respond="forced")).run(item(), script)
    places = zip(*(trial.meta["options"] for trial in script.trials), strict=True)
    assert all(sorted(place) == sorted(NINE) for place in places)
    guilt = (0.3 / 0.7 + 8 * 0.1 / 0.5) / 9
    assert outcome.label == "guilt"
    assert outcome.detail["emotions"]["guilt"] == pytest.approx(guilt)
    assert sum(outcome.detail["emotions"].values()) == pytest.approx(1)
    assert sum(outcome.detail["shares"].values()) == pytest.approx(1)
    assert outcome.value == pytest.approx(outcome.detail["shares"]["female"])
    assert outcome.detail["position"] == pytest.approx((0.3 / 0.7 + 8 * 0.1) / 9)


async def test_forced_begins_an_answer_that_repeats_the_options_as_shown():
    script = Script(lambda trial: first_token({f" {one}": 0.1 for one in trial.meta["options"]}))
    await Emotion(Settings(respond="forced")).run(item(), script)
    for trial in script.trials:
        listed = ", ".join(trial.meta["options"])
        assert listed in trial.messages[-2].content
        assert listed in trial.messages[-1].content


async def test_any_emotion_stays_free_text_where_answers_are_forced():
    script = Script(lambda _: "Hurt")
    outcome = await Emotion(Settings(respond="forced")).run(item("unrestricted"), script)
    (trial,) = script.trials
    assert (outcome.label, trial.top_logprobs, trial.temperature) == ("hurt", 0, 0.0)
    assert 1 < trial.max_tokens <= 32
    assert trial.messages[-1].role == "assistant"
    assert "," in trial.stop


async def test_a_simulated_respondent_is_told_where_to_lean():
    script = Script(lambda _: "Guilt")
    await Emotion(Settings()).run(item(), script)
    meta = script.trials[0].meta
    assert (meta["kind"], set(meta["lean"])) == ("choice", {"guilt", "sympathy", "happiness"})


async def test_a_users_stereotypes_take_the_place_of_ours():
    study = Emotion(Settings(personas=FRIENDS))
    friend = Condition(persona="best friend", persona_group="close", wording="are")
    outcome = await study.run(item(condition=friend), Script(lambda _: "Sympathy"))
    assert (outcome.value, outcome.detail["stereotype"]) == (1.0, "close")
    assert set(outcome.detail["shares"]) == {"close", "distant", "professional", "neutral"}


async def test_a_group_without_stereotypes_has_shares_and_no_value(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("title: t\npersonas: [{name: coach, group: pro}]\n", encoding="utf-8")
    coach = Condition(persona="coach", persona_group="pro", wording="play")
    outcome = await Emotion(Settings(personas=path)).run(item(condition=coach), Script(lambda _: "Guilt"))
    assert (outcome.value, outcome.detail["shares"]["female"]) == (None, 1.0)


def test_a_stereotype_of_an_unknown_emotion_is_named(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("title: t\npersonas: [{name: coach}]\nstereotypes: {joy: pro}\n", encoding="utf-8")
    with pytest.raises(BadInput, match="joy"):
        Emotion(Settings(personas=path))
