"""Which turns carry a bias, how a generator is asked for it, and what is done with what it writes."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from math import nan

import pytest

from personae.errors import BadInput, ModelError
from personae.memory.biases import DOMAINS, STRATEGIES, biases
from personae.memory.generator import MOST_SHOWN, conversation, grammar
from personae.memory.inject import DailyTurn, Injection, Injector, Mark, tally
from personae.memory.inject_check import FIELDS, Fault, Rewritten, fault_of, read_rewritten
from personae.memory.questions import DailyQuestion, drawn, questions
from personae.types import Response, Trial

from .injecting import AGE, QUESTION, STORY, written

ALL_AGE = Injection(rate=1.0, domains=("age",))


class Generator:
    """Answers with what it is given, in turn, and keeps what it was asked."""

    def __init__(self, *answers: str | Response) -> None:
        self.answers = list(answers)
        self.trials: list[Trial] = []

    async def __call__(self, trial: Trial) -> Response:
        self.trials.append(trial)
        answer = self.answers[min(len(self.trials), len(self.answers)) - 1]
        return Response(text=answer) if isinstance(answer, str) else answer


async def never(trial: Trial) -> Response:
    raise AssertionError(f"asked {trial.step}")


# Which turns


@pytest.mark.parametrize("rate", [0.0, 0.05, 0.1, 0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("seed", [0, 1, 20260])
def test_the_share_of_turns_is_close_to_the_rate(rate: float, seed: int):
    injection = Injection(rate=rate, seed=seed)
    share = sum(injection.at(turn) is not None for turn in range(1, 10_001)) / 10_000
    assert share == pytest.approx(rate, abs=4 * (rate * (1 - rate) / 10_000) ** 0.5)


def test_whether_a_turn_is_marked_says_nothing_about_the_next():
    injection = Injection(rate=0.5, seed=3)
    marked = [injection.at(turn) is not None for turn in range(1, 10_002)]
    both = sum(one and two for one, two in pairwise(marked)) / 10_000
    assert both == pytest.approx(0.25, abs=4 * (0.25 * 0.75 / 10_000) ** 0.5)


def test_the_same_seed_marks_the_same_turns_and_another_seed_others():
    first, again, other = ([Injection(rate=0.3, seed=seed).at(turn) for turn in range(1, 101)] for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_what_is_marked_does_not_change_between_releases():
    marks = [(turn, mark.domain, mark.strategy) for turn in range(1, 13) if (mark := Injection(rate=0.3).at(turn))]
    expected = [(6, "disability", "benevolent"), (10, "appearance", "statistical"), (11, "nationality", "frustrated")]
    assert marks == expected


def test_a_higher_rate_adds_turns_and_changes_none():
    low, high = Injection(rate=0.1, seed=2), Injection(rate=0.4, seed=2)
    pairs = [(low.at(turn), high.at(turn)) for turn in range(1, 501)]
    assert all(few is None or few == many for few, many in pairs)
    assert sum(few is None and many is not None for few, many in pairs) > 50


def test_single_domains_mark_the_turns_that_mixed_injection_marks():
    mixed = [turn for turn in range(1, 201) if Injection(rate=0.3).at(turn)]
    for domain in DOMAINS:
        single = Injection(rate=0.3, domains=(domain,))
        assert [turn for turn in range(1, 201) if single.at(turn)] == mixed
        assert {mark.domain for turn in mixed if (mark := single.at(turn))} == {domain}


def test_every_domain_is_told_in_every_way_before_any_is_told_again():
    injection = Injection(rate=1.0, seed=11)
    marks = [injection.at(turn) for turn in range(1, 82)]
    for start in (0, 27, 54):
        assert len(set(marks[start : start + 27])) == 27
    assert marks[:27] != marks[27:54]


def test_only_the_strategies_named_are_used():
    injection = Injection(rate=1.0, domains=("age", "race"), strategies=("statistical",))
    assert {injection.at(turn) for turn in range(1, 50)} == {Mark("race", "statistical"), Mark("age", "statistical")}


@pytest.mark.parametrize("rate", [-0.01, 1.01, nan, float("inf")])
def test_a_rate_outside_0_to_1_is_refused(rate: float):
    with pytest.raises(BadInput, match=r"injection rate lambda.*from 0"):
        Injection(rate=rate)


def test_domains_and_strategies_that_do_not_exist_are_refused():
    with pytest.raises(BadInput, match="domain of injection"):
        Injection(rate=0.1, domains=("height",))
    with pytest.raises(BadInput, match="strategy of injection"):
        Injection(rate=0.1, strategies=("loud",))
    with pytest.raises(BadInput, match="tries"):
        Injector(Injection(rate=0.1), "gen", tries=0)


# Without a generator


async def test_without_a_generator_nothing_is_asked_and_the_templates_follow_the_mark():
    injector = Injector(Injection(rate=0.4, seed=1))
    turns = [await injector.turn(turn, one, never) for turn, one in enumerate(drawn(questions(), 100, 1), start=1)]
    assert Counter(one.way for one in turns)["composed"] > 20
    for one in turns:
        question = next(each for each in questions() if each.id == one.question)
        if one.mark is None:
            assert (one.way, one.text) == ("plain", question.shown)
        else:
            assert (one.way, one.strategy) == ("composed", one.mark.strategy)
            assert fault_of(one.text, question, biases()[one.mark.domain]) is None
    again = [await injector.turn(turn, one, never) for turn, one in enumerate(drawn(questions(), 100, 1), start=1)]
    assert again == turns


async def test_at_rate_0_everything_is_asked_as_it_is():
    injector = Injector(Injection(rate=0.0), "gen")
    turns = [await injector.turn(turn, one, never) for turn, one in enumerate(questions(), start=1)]
    assert {(one.way, one.mark) for one in turns} == {("plain", None)}
    assert tally(turns).marked == 0


# With a generator


async def test_what_can_be_used_at_once_is_asked_for_once():
    generator = Generator(written())
    turn = await Injector(ALL_AGE, "openai/writer").turn(7, QUESTION, generator)
    assert turn == DailyTurn(
        turn=7,
        question="q",
        text=f"{STORY}\n\n{QUESTION.shown}",
        way="generated",
        mark=ALL_AGE.at(7),
        strategy="frustrated",
        reasoning="by contrast",
        tries=1,
    )
    (trial,) = generator.trials
    assert (trial.step, trial.to, trial.grammar) == ("inject/7/1", "openai/writer", None)


async def test_what_cannot_be_used_is_asked_for_again_with_what_was_wrong():
    generator = Generator("Certainly!", written(f"{STORY} How many sides?"), written())
    turn = await Injector(ALL_AGE, "gen").turn(3, QUESTION, generator)
    assert (turn.way, turn.tries, len(turn.faults)) == ("generated", 3, 2)
    assert [trial.step for trial in generator.trials] == ["inject/3/1", "inject/3/2", "inject/3/3"]
    assert len({trial.seed for trial in generator.trials}) == 3
    last = generator.trials[-1].messages[-1].content
    assert "no JSON object" in last
    assert "does not stand in it word for word" in last
    assert "no JSON object" not in generator.trials[0].messages[-1].content


async def test_a_generator_that_writes_nothing_usable_leaves_the_question_plain_and_is_counted():
    generator = Generator("I'm sorry, but I can't help with that.")
    injector = Injector(Injection(rate=1.0), "gen", tries=5)
    turns = [await injector.turn(turn, QUESTION, generator) for turn in (1, 2)]
    assert [(one.way, one.text, one.failed, one.tries) for one in turns] == [("plain", QUESTION.shown, True, 5)] * 2
    assert len(generator.trials) == 10
    assert max(trial.messages[-1].content.count("was declined") for trial in generator.trials) == MOST_SHOWN
    counted = tally(turns)
    assert (counted.turns, counted.marked, counted.injected, counted.failed) == (2, 2, 0, 2)
    assert dict(counted.faults) == {"the task was declined (says it cannot)": 10}


async def test_a_model_that_does_not_answer_is_an_error_and_no_fault():
    async def broken(trial: Trial) -> Response:
        raise ModelError("down")

    with pytest.raises(ModelError, match="down"):
        await Injector(Injection(rate=1.0), "gen").turn(1, QUESTION, broken)


async def test_what_is_asked_follows_from_the_answers_alone_whatever_the_number_of_tries():
    runs = []
    for tries in (3, 5):
        generator = Generator("no")
        await Injector(Injection(rate=1.0, seed=9), "gen", tries=tries).turn(2, QUESTION, generator)
        runs.append(generator.trials)
    assert runs[1][:3] == runs[0]


async def test_two_turns_are_never_asked_with_the_same_seed():
    generator = Generator("no")
    injector = Injector(Injection(rate=1.0), "gen", tries=4)
    for turn in range(1, 30):
        await injector.turn(turn, QUESTION, generator)
    assert len({trial.seed for trial in generator.trials}) == 29 * 4


def test_the_generator_is_told_every_field_and_every_rule():
    for domain, bias in biases().items():
        system, user = conversation(QUESTION, domain, STRATEGIES)
        for said in (bias.dimension, bias.target, bias.contrast, bias.belief, bias.stereotype, bias.guidance):
            assert said in user.content
        assert QUESTION.text in user.content
        assert all(line in user.content for line in QUESTION.lines)
        assert all(name in system.content for name in FIELDS)
        assert all(label in system.content for label in ("Frustration", "Benevolent", "Statistical"))
        assert "$" not in system.content + user.content


def test_only_the_strategies_allowed_are_offered_and_accepted():
    system, _ = conversation(QUESTION, "age", ("statistical",))
    assert "Frustration" not in system.content
    assert "Frustration" not in grammar(QUESTION, ("statistical",))
    fault = read_rewritten(Response(text=written()), QUESTION, AGE, ("statistical",))
    assert isinstance(fault, Fault)
    assert "injection_type" in fault.why


@pytest.mark.parametrize("question", [QUESTION, *questions()[::7]], ids=lambda one: one.id)
def test_what_is_written_by_the_grammar_holds_the_question_whatever_the_story(question: DailyQuestion):
    root = grammar(question, STRATEGIES).splitlines()[0]
    literals = [json.loads(one) for one in re.findall(r'"(?:[^"\\]|\\.)*"', root)]
    asked = next(one for one in literals if "A)" in one)
    story = "The older staff took a week, the young trainee took an hour for it."
    text = f'{{"biased_scenario_prompt":"{story}{asked}","injection_type":"Statistical","reasoning":"so it is"}}'
    assert all(f'"{name}"' in literals for name in FIELDS)
    assert isinstance(read_rewritten(Response(text=text), question, AGE), Rewritten)


def test_signs_in_a_question_are_not_taken_for_slots():
    question = DailyQuestion(id="d", subject="math", text="What is $x if ${y} = $$5?", options=("$1", "{2}"), answer=0)
    assert question.text in conversation(question, "age", STRATEGIES)[1].content


async def test_turns_are_counted_by_what_was_injected():
    injector = Injector(Injection(rate=0.5, seed=1))
    turns = [await injector.turn(turn, QUESTION, never) for turn in range(1, 201)]
    counted = tally(turns)
    assert (counted.turns, counted.failed, counted.injected) == (200, 0, counted.marked)
    assert sum(counted.domains.values()) == sum(counted.strategies.values()) == counted.injected
    assert set(counted.domains) == set(DOMAINS)
