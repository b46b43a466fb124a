"""Asking through inspect_ai, on its own mock provider."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import pytest

from personae.breaker import FAILURES, SECONDS, Breaker
from personae.errors import BadInput, ModelError, NothingComesBack
from personae.models import inspect
from personae.models.inspect import InspectModel
from personae.models.registry import ModelOptions, resolve
from personae.types import Message, TokenLogprob, Trial

# inspect_ai 0.3.285 calls tenacity by a parameter that tenacity has renamed.
pytestmark = pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning")

ASK = Trial(messages=(Message("system", "Be Ann."), Message("user", "Which?")), max_tokens=20)
SCORED = Trial(messages=(Message("user", "Which?"),), max_tokens=1, top_logprobs=5)
NAME = "inspect/mockllm/model"


def test_without_inspect_ai_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "inspect_ai" else find(name))
    with pytest.raises(BadInput, match=r'pip install "personae\[inspect\]"'):
        resolve("inspect/openai/gpt-4o-mini", options=ModelOptions())


@pytest.mark.parametrize("name", ["inspect/openai", "inspect/openai/"])
def test_a_name_without_provider_or_model_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="inspect/<provider>/<model>"):
        resolve(name, options=ModelOptions())


@pytest.fixture
def ai() -> Any:
    """inspect_ai.model, where it is installed."""
    return pytest.importorskip("inspect_ai.model")


def mock(outputs: Any, **options: Any) -> InspectModel:
    return InspectModel(NAME, model_args={"custom_outputs": outputs}, **options)


def output(ai: Any, text: Any = "fine", stop: str = "stop", **more: Any) -> Any:
    found = ai.ModelOutput.from_content("mockllm/model", text, stop_reason=stop, **more)
    # Without a count of its own the mock counts tokens with a vocabulary that it downloads.
    found.usage = ai.ModelUsage(input_tokens=5, output_tokens=3, total_tokens=10, input_tokens_cache_read=2)
    return found


async def test_messages_and_sampling_arrive_and_the_answer_comes_back(ai: Any) -> None:
    seen: list[Any] = []

    def answer(messages: Any, tools: Any, choice: Any, config: Any) -> Any:
        seen.append(([(turn.role, turn.text) for turn in messages], config))
        return output(ai)

    model = mock(answer, price=lambda prompt, completion: prompt + completion * 0.5, retries=2, timeout=7.5)
    await model.open()
    trial = Trial(messages=ASK.messages, temperature=0.7, top_k=5, seed=3, max_tokens=20, stop=("\n",), top_logprobs=0)
    response = await model.respond(trial)
    await model.close()
    ((messages, config),) = seen
    assert messages == [("system", "Be Ann."), ("user", "Which?")]
    assert (config.temperature, config.top_k, config.seed, config.max_tokens) == (0.7, 5, 3, 20)
    assert config.stop_seqs == ["\n"]
    assert (config.max_retries, config.attempt_timeout, config.logprobs) == (2, 8, None)
    assert (response.text, response.finish) == ("fine", "stop")
    assert (response.prompt_tokens, response.completion_tokens, response.cost) == (7, 3, 8.5)


async def test_log_probabilities_are_read(ai: Any) -> None:
    def answer(messages: Any, tools: Any, choice: Any, config: Any) -> Any:
        assert (config.logprobs, config.top_logprobs) == (True, 5)
        found = output(ai, "A")
        top = [ai.TopLogprob(token="A", logprob=-0.1), ai.TopLogprob(token="B", logprob=-2.0)]
        found.choices[0].logprobs = ai.Logprobs(content=[ai.Logprob(token="A", logprob=-0.1, top_logprobs=top)])
        return found

    response = await mock(answer).respond(SCORED)
    assert response.logprobs == (TokenLogprob("A", -0.1, (("A", -0.1), ("B", -2.0))),)


async def test_missing_log_probabilities_stop_the_run_with_a_sentence(ai: Any) -> None:
    with pytest.raises(BadInput, match="--respond free"):
        await mock([output(ai, "A")]).respond(SCORED)
    with pytest.raises(BadInput, match="--respond free"):
        await InspectModel("inspect/anthropic/x").respond(SCORED)


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        ("stop", "stop"),
        ("max_tokens", "length"),
        ("model_length", "length"),
        ("content_filter", "content_filter"),
        ("tool_calls", "other"),
        ("unknown", "other"),
    ],
)
async def test_stop_reasons_are_read(ai: Any, stop: str, finish: str) -> None:
    response = await mock([output(ai, "It is", stop)]).respond(ASK)
    assert (response.text, response.finish) == ("It is", finish)


async def test_a_refusal_with_an_error_text_is_a_refusal_and_no_error(ai: Any) -> None:
    found = output(ai, "", "content_filter", error="the prompt was filtered")
    assert (await mock([found]).respond(ASK)).finish == "content_filter"


async def test_an_error_in_the_output_is_an_error(ai: Any) -> None:
    with pytest.raises(ModelError, match="too long"):
        await mock([output(ai, "", "stop", error="too long")]).respond(ASK)
    with pytest.raises(ModelError, match="no choices"):
        await mock([ai.ModelOutput(model="mockllm/model", usage=ai.ModelUsage())]).respond(ASK)


async def test_reasoning_is_kept_apart_in_either_form(ai: Any) -> None:
    parts = [ai.ContentReasoning(reasoning="A or B?"), ai.ContentText(text="B")]
    model = mock([output(ai, parts), output(ai, "<think>A or B?</think>B"), output(ai, "<think>A or")])
    first, second, third = [await model.respond(ASK) for _ in range(3)]
    assert (first.text, first.reasoning, first.finish) == ("B", "A or B?", "stop")
    assert (second.text, second.reasoning, second.finish) == ("B", "A or B?", "stop")
    assert (third.text, third.reasoning, third.finish) == ("", "A or", "length")


class Refused(Exception):
    """Such as the exceptions of providers' own packages."""

    def __init__(self, status_code: int, words: str) -> None:
        self.status_code = status_code
        super().__init__(words)


def raising(error: Exception) -> Callable[..., Any]:
    def answer(*_: Any) -> Any:
        raise error

    return answer


@pytest.mark.usefixtures("ai")
@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (Refused(401, "bad key sk-abcdef0123456789"), BadInput, "API key of mockllm"),
        (Refused(404, "no such model"), BadInput, "no such model"),
        (Refused(400, "too long"), ModelError, "too long"),
        (ValueError("odd"), ModelError, "ValueError: odd"),
    ],
)
async def test_what_a_provider_raises_is_sorted(error: Exception, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words) as found:
        await mock(raising(error), retries=0).respond(ASK)
    assert "sk-" not in str(found.value)


async def test_after_an_answer_a_refusal_is_the_error_of_its_ask(ai: Any) -> None:
    refusals = [Refused(status, "not this one") for status in (401, 403, 404)]
    script: list[Any] = [output(ai), *refusals, output(ai)]

    def answer(*_: Any) -> Any:
        now = script.pop(0)
        if isinstance(now, Exception):
            raise now
        return now

    model = mock(answer, retries=0)
    await model.respond(ASK)
    for _ in refusals:
        with pytest.raises(ModelError, match="Refused: not this one"):
            await model.respond(ASK)
    assert (await model.respond(ASK)).text == "fine"


@pytest.mark.usefixtures("ai")
async def test_in_a_later_sitting_the_first_refusal_is_the_error_of_its_ask() -> None:
    model = mock(raising(Refused(403, "not this one")), retries=0)
    model.has_answered(logprobs=False)
    with pytest.raises(ModelError, match="not this one"):
        await model.respond(ASK)


async def test_a_provider_that_answers_no_more_ends_the_run(ai: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model, clock = mock(lambda *_: output(ai, "", error="boom")), [0.0]
    model.breaker = Breaker(NAME, lambda: clock[0])
    monkeypatch.setattr(inspect, "monotonic", lambda: clock[0])
    for _ in range(FAILURES):
        with pytest.raises(ModelError, match="boom"):
            await model.respond(ASK)
    clock[0] += SECONDS
    with pytest.raises(NothingComesBack, match=rf"no answer comes from {NAME}: 19 attempts in 30 s failed: .*boom"):
        await model.respond(ASK)


async def test_numbers_and_texts_are_believed_as_far_as_they_can_be_true(ai: Any) -> None:
    found = output(ai, "A")
    top = [ai.TopLogprob(token="B", logprob=float("-inf")), ai.TopLogprob(token="C", logprob=7.0)]
    token = ai.Logprob(token="A", logprob=float("nan"), top_logprobs=top)
    found.choices[0].logprobs = ai.Logprobs(content=[token])
    found.usage = ai.ModelUsage(input_tokens=2**70, output_tokens=-1, total_tokens=0, total_cost=float("nan"))
    response = await mock([found], price=lambda prompt, completion: 1.0).respond(SCORED)
    assert response.logprobs == (TokenLogprob("A", -9999.0, (("B", -9999.0), ("C", 0.0))),)
    assert (response.prompt_tokens, response.completion_tokens, response.cost) == (None, None, None)
    with pytest.raises(ModelError, match="an answer of 2,000,000 letters"):
        await mock([output(ai, "x" * 2_000_000)]).respond(ASK)


async def test_a_key_of_the_environment_is_struck_out_of_answers_and_errors(
    ai: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOMEBODYS_API_KEY", "zz-55Qk81Xw37Vt90")
    model = mock([output(ai, "It is zz-55Qk81Xw37Vt90.")])
    assert (await model.respond(ASK)).text == "It is ***."
    with pytest.raises(ModelError, match=r"ValueError: \*\*\*"):
        await mock(raising(ValueError("zz-55Qk81Xw37Vt90")), retries=0).respond(ASK)


@pytest.mark.usefixtures("ai")
async def test_a_provider_that_is_not_known_is_said_when_opened() -> None:
    with pytest.raises(BadInput, match="nobody"):
        await InspectModel("inspect/nobody/x").open()


@pytest.mark.usefixtures("ai")
async def test_what_the_provider_cannot_do_is_said() -> None:
    model = InspectModel(NAME)
    with pytest.raises(BadInput, match="continues a begun answer"):
        await model.respond(Trial(messages=(Message("user", "x"), Message("assistant", "y"))))
    with pytest.raises(BadInput, match="takes a grammar"):
        await model.respond(Trial(messages=(Message("user", "x"),), grammar="root ::= x"))


async def test_calls_are_not_kept_in_a_transcript(ai: Any) -> None:
    from inspect_ai.log import transcript

    model = mock([output(ai) for _ in range(5)])
    for _ in range(5):
        await model.respond(ASK)
    assert len(transcript().events) == 0


@pytest.mark.usefixtures("ai")
def test_options_and_prices_reach_the_model() -> None:
    model = resolve("inspect/openai/gpt-4o-mini", options=ModelOptions(concurrency=3, timeout=5, retries=1))
    assert isinstance(model, InspectModel)
    assert (model.concurrency, model.timeout, model.retries) == (3, 5, 1)
    assert model.capabilities.top_logprobs == 20
    assert model._price is not None
    assert model._price(1_000_000, 0) == 0.15


async def test_half_a_character_in_an_answer_is_replaced(ai: Any) -> None:
    def answer(messages: Any, tools: Any, choice: Any, config: Any) -> Any:
        found = output(ai, "tea \ud83d")
        top = [ai.TopLogprob(token="\udc00", logprob=-0.1)]
        token = ai.Logprob(token="tea \ud83d", logprob=-0.1, top_logprobs=top)
        found.choices[0].logprobs = ai.Logprobs(content=[token])
        return found

    model = mock(answer)
    await model.open()
    response = await model.respond(SCORED)
    await model.close()
    assert response.text == "tea \ufffd"
    assert response.logprobs == (TokenLogprob("tea \ufffd", -0.1, (("\ufffd", -0.1),)),)
