"""What the embedded model gives back: structure, coverage and repeatability; never a certain text."""

from __future__ import annotations

import asyncio
import math
import random
from typing import Any

import pytest

from personae.coding.mass import option_mass
from personae.errors import ModelError
from personae.models.local import LocalModel
from personae.types import Message, Response, Trial

pytestmark = [
    pytest.mark.embedded,
    pytest.mark.asyncio(loop_scope="package"),
    pytest.mark.xdist_group("embedded"),  # it is loaded once
]

SYSTEMS = (None, "You are my girlfriend and you answer as she would.", "You are my boss.")
EVENTS = ("I read your messages.", "I shouted at you.", "I made you tea.", "I forbade you to see your friends.")
ORDERS = (("abusive", "not abusive"), ("not abusive", "abusive"))


def trial(question: str, system: str | None = None, begun: str = "", **more: Any) -> Trial:
    messages = [Message("system", system)] if system else []
    messages.append(Message("user", question))
    if begun:
        messages.append(Message("assistant", begun))
    return Trial(messages=tuple(messages), **({"temperature": 0.0} | more))


def forced(event: str, system: str | None = None, options: tuple[str, str] = ("abusive", "not abusive")) -> Trial:
    return trial(f"{event} Is this {options[0]} or {options[1]}?", system, "This is", max_tokens=1, top_logprobs=100)


async def all_of(model: LocalModel, trials: list[Trial]) -> list[Response]:
    return list(await asyncio.gather(*map(model.respond, trials)))


def said(response: Response) -> tuple[Any, ...]:
    return response.text, response.finish, response.completion_tokens, response.logprobs


async def test_the_first_token_comes_with_a_hundred_alternatives(smollm2: LocalModel) -> None:
    response = await smollm2.respond(forced(EVENTS[0]))
    assert response.finish == "length"
    assert (response.completion_tokens, response.cost) == (1, 0.0)
    assert response.prompt_tokens is not None
    assert response.prompt_tokens > 15
    [token] = response.logprobs
    assert len(token.top) == 100
    logprobs = [logprob for _, logprob in token.top]
    assert logprobs == sorted(logprobs, reverse=True)
    assert 0.5 < sum(map(math.exp, logprobs)) <= 1.0001


async def test_the_options_have_a_good_part_of_the_probability(smollm2: LocalModel) -> None:
    options = ("abusive", "not abusive")
    for response in await all_of(smollm2, [forced(event, system) for event in EVENTS for system in SYSTEMS]):
        found = option_mass(response.logprobs[0].top, options)
        assert found.mass > 0.2
        assert found.missing == ()


async def test_a_begun_answer_is_not_repeated_in_the_text(smollm2: LocalModel) -> None:
    begun = "Certainly, the capital city of France is"
    response = await smollm2.respond(trial("Name the capital of France.", begun=begun, max_tokens=8))
    assert response.text.strip()
    assert not response.text.startswith(begun)
    assert "Certainly" not in response.text


async def test_the_system_message_is_part_of_the_question(smollm2: LocalModel) -> None:
    without, girlfriend, boss = await all_of(smollm2, [forced(EVENTS[0], system) for system in SYSTEMS])
    assert len({without.logprobs, girlfriend.logprobs, boss.logprobs}) == 3


@pytest.mark.slow
async def test_nobody_is_named_where_no_system_message_is_given(smollm2: LocalModel, afresh: LocalModel) -> None:
    """The template in the file adds a system message of its own; the one of the catalogue must not."""
    asked = trial("Hello.", max_tokens=1)
    plain, own = await smollm2.respond(asked), await afresh.respond(asked)
    assert plain.prompt_tokens is not None
    assert own.prompt_tokens is not None
    assert plain.prompt_tokens <= 12
    assert own.prompt_tokens > plain.prompt_tokens + 10


@pytest.mark.slow
async def test_the_same_question_has_the_same_answer_whatever_came_before(
    smollm2: LocalModel, afresh: LocalModel
) -> None:
    """Bit by bit, against a copy that computes every prompt afresh, in two orders, over two workers."""
    trials = [forced(event, system, options) for system in SYSTEMS[1:] for event in EVENTS[:3] for options in ORDERS]
    trials += [
        trial(f"{event} What do you say?", system, max_tokens=6) for system in SYSTEMS[1:] for event in EVENTS[:2]
    ]
    expected = [said(one) for one in await all_of(afresh, trials)]
    for seed in range(2):
        order = random.Random(seed).sample(range(len(trials)), len(trials))
        given = await all_of(smollm2, [trials[index] for index in order])
        assert [said(one) for one in given] == [expected[index] for index in order]


@pytest.mark.slow
@pytest.mark.parametrize("begun", ["the", "sat", "went", "away"])
async def test_what_was_kept_of_an_answer_is_not_taken_for_a_part_of_a_prompt(
    smollm2: LocalModel, afresh: LocalModel, begun: str
) -> None:
    """An answer is computed token by token, which gives other last digits: a longer prompt must not build on it."""
    first = trial("Tell me about tea.", SYSTEMS[1], begun, max_tokens=6, top_logprobs=20)
    answer = await afresh.respond(first)
    turns = (*first.messages[:-1], Message("assistant", begun + answer.text))
    longer = [
        first,
        Trial(messages=turns, temperature=0.0, max_tokens=1, top_logprobs=20),
        Trial(messages=(*turns, Message("user", "And coffee?")), temperature=0.0, max_tokens=1, top_logprobs=20),
    ]
    expected = [said(one) for one in await all_of(afresh, longer)]
    for asked, known in zip(longer, expected, strict=True):
        for one in (first, asked):
            both = await all_of(smollm2, [one, one])  # one for each worker
        assert [said(one) for one in both] == [known, known]


async def test_sampling_follows_the_seed_alone(smollm2: LocalModel) -> None:
    asked = [trial("Tell me of your day.", max_tokens=12, temperature=1.0, seed=seed) for seed in range(6)]
    once = await all_of(smollm2, asked)
    again = await all_of(smollm2, asked[::-1])
    assert [said(one) for one in once] == [said(one) for one in again[::-1]]
    assert len({one.text for one in once}) > 1


async def test_the_most_probable_token_is_taken_with_top_k_one(smollm2: LocalModel) -> None:
    greedy = trial("Tell me of your day.", max_tokens=8)
    sampled = trial("Tell me of your day.", max_tokens=8, temperature=0.7, top_k=1, seed=5)
    assert (await smollm2.respond(greedy)).text == (await smollm2.respond(sampled)).text


async def test_a_grammar_is_kept_to_and_the_probabilities_are_those_before_it(smollm2: LocalModel) -> None:
    grammar = 'root ::= " Eric" | " Dianne"'
    asked = trial("Who cooks?", begun="The cook is", max_tokens=12, top_logprobs=20, grammar=grammar)
    response = await smollm2.respond(asked)
    assert response.text in (" Eric", " Dianne")
    assert response.finish == "stop"
    assert {token.strip() for token, _ in response.logprobs[0].top} - {"E", "Eric", "D", "Di", "Dian"}


async def test_an_answer_ends_at_a_stop_text(smollm2: LocalModel) -> None:
    response = await smollm2.respond(trial("Count to ten.", begun="1, 2, 3,", max_tokens=40, stop=("6",)))
    assert "6" not in response.text


async def test_a_question_longer_than_the_context_is_an_error_with_its_reason(smollm2: LocalModel) -> None:
    with pytest.raises(ModelError, match="exceeds the available context size"):
        await smollm2.respond(trial("word " * 3000))
    assert (await smollm2.respond(forced(EVENTS[0]))).text


async def test_a_broken_grammar_is_an_error_with_its_reason(smollm2: LocalModel) -> None:
    with pytest.raises(ModelError, match="grammar"):
        await smollm2.respond(trial("Yes?", grammar="root ::= ("))
