"""What both association studies ask at each scale, how answers become outcomes, and what simulated respondents do."""

from collections import Counter

import pytest

from personae.errors import BadInput
from personae.studies.associations.amplification import Amplification
from personae.studies.associations.answers import Answers
from personae.studies.associations.metrics import Measure, average, measure_with, without
from personae.studies.associations.stimuli import classes, prompts
from personae.study.base import Settings
from personae.types import Response

from .measuring import PARTS, quick_encoders

OWN = """\
title: Own
personas:
  - {name: pirate, text: a one-legged pirate}
wordings:
  - {id: be, text: "You are {persona}."}
"""


@pytest.fixture(autouse=True, scope="module")
def quick():
    with quick_encoders():
        yield


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text(OWN)
    return path


async def outcome_of(study, text, finish="stop", item=None):
    """The outcome of an item that is answered like this."""
    asked = []

    async def ask(trial):
        asked.append(trial)
        return Response(text=text, finish=finish)

    chosen = next(study.items()) if item is None else item
    return await study.run(chosen, ask), asked


def first(study, persona):
    return next(item for item in study.items() if item.condition.persona == persona)


class TestItems:
    @pytest.mark.parametrize(("scale", "asked"), [("quick", 3), ("standard", 10), ("paper", 10)])
    def test_every_question_is_asked_of_both_identities(self, scale, asked):
        items = list(Answers(Settings(scale=scale)).items())
        assert len(items) == 6 * asked * 2
        assert set(Counter(item.stimulus for item in items).values()) == {2}
        assert len({item.id for item in items}) == len(items)
        assert {item.condition.baseline for item in items} == {True}

    def test_the_two_questions_of_a_pair_differ_in_the_identity_alone(self):
        items = list(Answers(Settings(scale="standard")).items())
        for one, other in zip(items[::2], items[1::2], strict=True):
            assert (one.facts["side"], other.facts["side"]) == ("target", "comparison")
            swapped = one.facts["question"].replace(one.facts["identity"], other.facts["identity"])
            assert swapped == other.facts["question"] != one.facts["question"]

    @pytest.mark.parametrize(("scale", "generations"), [("quick", 3), ("standard", 5), ("paper", 5)])
    def test_every_prompt_is_asked_of_six_personas_and_of_none(self, scale, generations):
        items = list(Amplification(Settings(scale=scale)).items())
        assert len(items) == 5 * 7 * generations
        counts = Counter(item.condition.persona for item in items)
        assert set(counts.values()) == {5 * generations}
        assert len(counts) == 7
        assert {item.stimulus for item in items} == set(prompts())

    def test_repeats_of_a_spec_win(self):
        assert len(list(Amplification(Settings(repeats=2)).items())) == 5 * 7 * 2
        assert len(list(Answers(Settings(repeats=2, scale="quick")).items())) == 6 * 3 * 2 * 2

    def test_generations_differ_in_their_seed_and_in_nothing_else(self):
        study = Amplification(Settings())
        items = [item for item in study.items() if item.stimulus == "change" and item.condition.baseline]
        trials = [study.trial(item) for item in items]
        assert [trial.seed for trial in trials] == [42, 43, 44, 45, 46]
        assert len({trial.messages for trial in trials}) == 1
        assert {(trial.temperature, trial.top_p, trial.max_tokens) for trial in trials} == {(0.7, 0.9, 512)}

    def test_a_users_personas_are_asked_in_both_studies(self, own):
        for study in (Answers(Settings(personas=own, scale="quick")), Amplification(Settings(personas=own))):
            assert {item.condition.persona for item in study.items()} == {None, "pirate"}

    def test_a_persona_is_told_in_the_system_prompt_and_the_baseline_has_none(self, own):
        study = Answers(Settings(personas=own, scale="quick"))
        roles = [[turn.role for turn in study.trial(first(study, who)).messages] for who in (None, "pirate")]
        assert roles == [["user"], ["system", "user"]]
        assert "one-legged pirate" in study.trial(first(study, "pirate")).messages[0].content


class TestOutcomes:
    async def test_an_answer_is_measured_by_three_metrics_with_and_without_the_identities(self):
        study = Answers(Settings(scale="quick"))
        item = next(study.items())
        found, asked = await outcome_of(study, f"{item.facts['identity']} are met with suspicion. So it is.")
        assert found.status == "answered"
        assert set(found.detail["associations"]) == set(PARTS) == set(found.detail["own"]["associations"])
        assert found.detail["associations"] != found.detail["own"]["associations"]
        assert found.value == pytest.approx(average(found.detail["own"]["associations"]))
        assert len(found.detail["parts"]["CEAT"]) == found.detail["sentences"] == 2
        assert len(asked) == 1

    async def test_under_a_persona_the_effect_size_of_what_was_said_counts(self):
        study = Amplification(Settings())
        item = first(study, "young competitive gamer")
        found, _ = await outcome_of(study, "Rank and power matter to a young man.", item=item)
        assert found.value == pytest.approx(average(found.detail["metrics"]))
        assert found.detail["own"]["metrics"] != found.detail["metrics"]
        assert found.label == ("congruent" if found.value > 0 else "incongruent")

    @pytest.mark.parametrize(
        ("text", "finish", "status"),
        [
            ("", "stop", "invalid"),
            ("I'm sorry, but I can't help with that.", "stop", "refused"),
            ("Something.", "content_filter", "refused"),
            ("… !", "stop", "invalid"),
        ],
    )
    async def test_what_cannot_be_measured_says_why(self, text, finish, status):
        found, _ = await outcome_of(Answers(Settings(scale="quick")), text, finish)
        assert found.status == status
        assert found.reason
        assert found.value is None

    async def test_a_cut_answer_is_measured_as_far_as_it_goes(self):
        found, _ = await outcome_of(Answers(Settings(scale="quick")), "Suspicion is what", "length")
        assert found.status == "answered"
        assert found.detail["cut"] is True

    async def test_a_long_answer_that_apologises_first_is_an_answer(self):
        text = "I'm sorry, but I can't speak for everyone. " + "Trust and suspicion both play their part here. " * 12
        found, _ = await outcome_of(Answers(Settings(scale="quick")), text)
        assert found.status == "answered"


class TestMeasure:
    def test_words_of_the_congruent_set_are_positive_under_every_encoder(self):
        sets = classes()["class-age-career-wealth"].attributes
        for words, sign in ((sets.congruent, 1), (sets.incongruent, -1)):
            found = measure_with(()).measure(" ".join(words), sets)
            assert all(sign * value > 0 for value in (*found.effect.values(), *found.association.values()))

    def test_words_without_a_vector_are_told(self):
        found = measure_with(()).measure("Unheardof suspicion.", classes()["class-age-career-wealth"].attributes)
        assert found.missing["I-WEAT"] == ["Unheardof"]

    def test_one_encoder_of_each_kind_can_be_given(self):
        assert Measure(["static/mine.txt"]).names["static"] == "static/mine.txt"
        for names in (["static/a.txt", "static/b.txt"], ["pictures/clip"]):
            with pytest.raises(BadInput, match="--encoder"):
                Measure(names)

    def test_words_the_model_was_told_are_taken_out_whatever_their_case(self):
        assert without("The old Weavers weave; an old WEAVER.", ["old weavers of the town"]).split() == [
            "The",
            "weave;",
            "an",
            "WEAVER.",
        ]
