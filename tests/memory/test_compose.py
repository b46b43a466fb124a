"""Stories from our own templates before a daily question: every domain in every way, and the question left alone."""

from __future__ import annotations

import re
from itertools import product
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.coding.text import fold
from personae.errors import BadInput
from personae.memory.biases import DOMAINS, SLURS, STRATEGIES, biases, find_slur, known_domains, known_strategies
from personae.memory.compose import PATH, Templates, compose, templates
from personae.memory.inject_check import fault_of
from personae.memory.questions import SUBJECTS, DailyQuestion, questions
from personae.personas import read_yaml

KINDS = list(product(DOMAINS, STRATEGIES))


@pytest.mark.parametrize(("domain", "strategy"), KINDS)
def test_every_domain_is_told_in_every_way_in_at_least_four_stories(domain, strategy):
    stories = templates().narratives[domain][strategy]
    assert len(set(stories)) >= 4
    seen = {compose(questions()[0], domain, strategy, "seed", turn).splitlines()[0] for turn in range(60)}
    assert len(seen) >= 30, "too few different texts for an episode"


@pytest.mark.parametrize(("domain", "strategy"), KINDS)
def test_a_composed_text_passes_the_check_for_generated_ones(domain, strategy):
    faults = {
        (question.id, fault)
        for turn, question in enumerate(questions())
        if (fault := fault_of(compose(question, domain, strategy, turn), question, biases()[domain]))
    }
    assert faults == set()


@pytest.mark.parametrize(("domain", "strategy"), KINDS)
def test_every_story_names_who_is_believed_of_and_nothing_is_left_unfilled(domain, strategy):
    words = templates().words[domain]
    for story in templates().narratives[domain][strategy]:
        slots = {name for _, name, _, _ in Formatter().parse(story) if name}
        named = slots & {"target", "targets", "Target", "Targets", "contrasts"}
        assert named, story
        assert slots & {"place", "job", "tool", "clients"}, story
    for turn in range(40):
        text = compose(questions()[turn], domain, strategy, turn).splitlines()[0]
        assert not re.search(r"[{}]|  | [.,:]", text), text
        assert any(fold(word) in fold(text) for word in (*words.target, *words.targets, *words.contrasts)), text


def test_sentences_begin_with_capital_letters():
    for turn, (domain, strategy) in enumerate(KINDS * 4):
        text = compose(questions()[turn], domain, strategy, turn).splitlines()[0]
        assert text[0].isupper(), text
        assert not re.search(r"[.!?] [a-z]", text), text


def test_the_question_follows_as_it_is_shown_without_a_bias():
    for turn, question in enumerate(questions()):
        text = compose(question, *KINDS[turn % len(KINDS)], turn)
        story, _, rest = text.partition("\n\n")
        assert rest == question.shown
        assert story.strip()


def test_the_same_seed_and_turn_give_the_same_text():
    question = questions()[3]
    assert compose(question, "age", "statistical", 1, 2) == compose(question, "age", "statistical", 1, 2)
    assert len({compose(question, "age", "statistical", 1, turn) for turn in range(30)}) > 10


def test_the_user_works_on_what_the_question_is_about():
    assert set(templates().settings) == set(SUBJECTS)
    chemistry = next(one for one in questions() if one.subject == "chemistry")
    assert any("the test lab" in compose(chemistry, "age", "frustrated", turn) for turn in range(20))


def test_a_question_of_an_unknown_subject_has_a_setting_too():
    question = DailyQuestion(id="x", subject="abstract_algebra", text="Which?", options=("this", "that"), answer=0)
    assert fault_of(compose(question, "race", "benevolent", 0), question, biases()["race"]) is None


@given(
    text=st.text(min_size=1, max_size=60),
    options=st.lists(st.text(min_size=1, max_size=20), min_size=2, max_size=10),
    kind=st.sampled_from(KINDS),
    turn=st.integers(1, 1000),
)
def test_whatever_is_asked_stands_in_the_text_to_the_letter(text, options, kind, turn):
    question = DailyQuestion(id="x", subject="other", text=text, options=tuple(options), answer=0)
    assert compose(question, *kind, turn).endswith(f"\n\n{question.shown}")


def test_a_template_with_an_unknown_slot_or_a_missing_kind_is_refused(tmp_path):
    content = PATH.read_text(encoding="utf-8")
    path = tmp_path / "templates.yaml"
    path.write_text(content.replace(" {tool} ", " {toll} ", 1), encoding="utf-8")
    with pytest.raises(BadInput, match="toll"):
        read_yaml(path, Templates)
    path.write_text(content.replace("    benevolent:\n", "    frustrated2:\n", 1), encoding="utf-8")
    with pytest.raises(BadInput):
        read_yaml(path, Templates)


def test_there_is_one_belief_for_every_domain():
    assert tuple(biases()) == DOMAINS
    assert all(bias.domain == domain for domain, bias in biases().items())
    assert len({bias.dimension for bias in biases().values()}) == 9


def test_a_domain_or_a_strategy_that_does_not_exist_is_named():
    assert known_domains(()) == DOMAINS
    assert known_domains(["Age", "race", "age"]) == ("race", "age")
    assert known_strategies(["Statistical"]) == ("statistical",)
    with pytest.raises(BadInput, match="'height'; known are race"):
        known_domains(["height"])
    with pytest.raises(BadInput, match="'loud'; known are frustrated"):
        known_strategies(["loud"])


def test_no_template_and_no_belief_holds_a_slur():
    texts = [PATH.read_text(encoding="utf-8"), *(bias.model_dump_json() for bias in biases().values())]
    assert [find_slur(text) for text in texts] == [None, None, None, None, None, None, None, None, None, None]


def test_slurs_are_found_as_whole_words_in_any_case_and_number():
    listed = re.findall(r"[\w -]+", SLURS.read_text(encoding="utf-8").partition("slurs: [")[2].replace("\n", " "))
    words = [word.strip() for word in listed if word.strip()]
    assert len(words) > 40
    for word in words:
        assert find_slur(f"They said {word.upper()}S, no less.") is not None
        assert find_slur(f"x{word}") is None
        assert find_slur(f"{word}x") is None
