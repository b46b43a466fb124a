"""What is sent to each kind of server, and how its replies are read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from fault_server import FaultServer, answers, body_of, fails, says

from personae.errors import BadInput, ModelError
from personae.models.openai_api import OpenAIModel
from personae.models.presets import presets
from personae.models.reading import aligned, without_echo
from personae.types import Message, TokenLogprob, Trial

SYSTEM, USER, BEGUN = Message("system", "Be Ann."), Message("user", "Which?"), Message("assistant", "I pick")
ASK = Trial(messages=(SYSTEM, USER), max_tokens=20)
FULL = Trial(messages=(SYSTEM, USER), temperature=0.7, top_k=5, top_p=0.9, seed=3, max_tokens=20, stop=("\n",))
PREFILLED = Trial(messages=(SYSTEM, USER, BEGUN), max_tokens=20)
SCORED = Trial(messages=(USER,), max_tokens=1, top_logprobs=5)


class Bench:
    """Makes models of any preset against one server and closes them."""

    def __init__(self, server: FaultServer) -> None:
        self.server = server
        self.made: list[OpenAIModel] = []

    def model(self, preset: str = "vllm", **options: Any) -> OpenAIModel:
        settings = {"base_url": self.server.url, "backoff": 0.001, "timeout": 600.0, "retries": 1, **options}
        self.made.append(OpenAIModel(f"{preset}/m", "m", presets()[preset], **settings))
        return self.made[-1]

    async def sent(self, preset: str, trial: Trial) -> dict[str, Any]:
        """What a preset sends for a trial."""
        await self.model(preset).respond(trial)
        return self.server.requests[-1]


@pytest.fixture
async def bench(server: FaultServer) -> AsyncIterator[Bench]:
    made = Bench(server)
    yield made
    for model in made.made:
        await model.close()


@pytest.mark.parametrize("preset", presets())
async def test_every_preset_sends_model_and_messages_and_nothing_that_was_not_asked_for(
    bench: Bench, preset: str
) -> None:
    assert await bench.sent(preset, ASK) == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be Ann."}, {"role": "user", "content": "Which?"}],
        "max_tokens": 20,
    }


SAMPLING = {
    "vllm": {"temperature": 0.7, "top_k": 5, "top_p": 0.9, "seed": 3, "stop": ["\n"]},
    "openai": {"temperature": 0.7, "top_p": 0.9, "seed": 3, "stop": ["\n"]},
    "mistral": {"temperature": 0.7, "top_p": 0.9, "random_seed": 3, "stop": ["\n"]},
    "google": {"temperature": 0.7, "top_p": 0.9, "stop": ["\n"]},
}


@pytest.mark.parametrize("preset", SAMPLING)
async def test_sampling_goes_into_the_fields_the_server_takes(bench: Bench, preset: str) -> None:
    sent = await bench.sent(preset, FULL)
    assert {name: sent[name] for name in sent if name not in ("model", "messages", "max_tokens")} == SAMPLING[preset]


async def test_what_a_server_does_not_take_is_left_out_and_said(bench: Bench) -> None:
    model = bench.model("google")
    await model.respond(FULL)
    assert set(model.omitted) == {"top_k", "seed"}
    assert model.omitted["seed"] == "google/m does not take seed: asked without it"
    assert not bench.model("vllm").omitted


PREFILL = {
    "vllm": ({}, {"add_generation_prompt": False, "continue_final_message": True}),
    "sglang": ({}, {"add_generation_prompt": False, "continue_final_message": True}),
    "ollama": ({}, {}),
    "mistral": ({"prefix": True}, {}),
    "deepseek": ({"prefix": True}, {}),
}


@pytest.mark.parametrize("preset", PREFILL)
async def test_a_begun_answer_is_marked_as_the_server_wants_it(bench: Bench, preset: str) -> None:
    sent = await bench.sent(preset, PREFILLED)
    mark, extra = PREFILL[preset]
    assert sent["messages"][-1] == {"role": "assistant", "content": "I pick", **mark}
    assert {name: sent[name] for name in sent if name not in ("model", "messages", "max_tokens")} == extra


async def test_deepseek_continues_answers_at_its_beta_url_only(server: FaultServer) -> None:
    from msgspec.structs import replace

    root = server.url.removesuffix("/v1")
    preset = replace(presets()["deepseek"], base_url=f"{root}/v1", prefill_base_url=f"{root}/beta")
    model = OpenAIModel("deepseek/m", "m", preset, base_url=f"{root}/v1")
    await model.respond(ASK)
    await model.respond(PREFILLED)
    await model.close()
    assert server.paths == ["/v1/chat/completions", "/beta/chat/completions"]


async def test_a_server_that_cannot_continue_an_answer_is_not_asked_to(bench: Bench) -> None:
    with pytest.raises(BadInput, match="continues a begun answer"):
        await bench.model("openai").respond(PREFILLED)
    assert not bench.server.requests


GRAMMAR = {
    "llamacpp": {"grammar": 'root ::= "A"'},
    "sglang": {"ebnf": 'root ::= "A"'},
    "vllm": {"structured_outputs": {"grammar": 'root ::= "A"'}},
}


@pytest.mark.parametrize("preset", GRAMMAR)
async def test_a_grammar_goes_into_the_field_of_the_server(bench: Bench, preset: str) -> None:
    sent = await bench.sent(preset, Trial(messages=(USER,), grammar='root ::= "A"'))
    assert {name: sent[name] for name in GRAMMAR[preset]} == GRAMMAR[preset]
    assert presets()[preset].capabilities.grammar


async def test_a_server_without_grammars_is_not_sent_one(bench: Bench) -> None:
    with pytest.raises(BadInput, match="takes a grammar"):
        await bench.model("openai").respond(Trial(messages=(USER,), grammar="root ::= x"))


MAX_TOKENS = fails(
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    code="unsupported_parameter",
    param="max_tokens",
)
TEMPERATURE = fails(
    400,
    "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.",
    code="unsupported_value",
    param="temperature",
)


async def test_what_a_400_teaches_is_learned_once_and_costs_no_retry(bench: Bench) -> None:
    model = bench.model("openai", retries=0)
    bench.server.script = [MAX_TOKENS, TEMPERATURE]
    assert (await model.respond(FULL)).text == "fine"
    await model.respond(FULL)
    assert len(bench.server.requests) == 4
    for sent in bench.server.requests[2:]:
        assert sent["max_completion_tokens"] == 20
        assert "max_tokens" not in sent
        assert "temperature" not in sent
    assert "temperature" in model.omitted


async def test_asks_in_flight_while_a_lesson_is_learned_are_made_anew(bench: Bench) -> None:
    model = bench.model("openai", retries=0)

    async def taught(request: Any) -> Any:
        old = "max_tokens" in await request.json()
        while old and len(bench.server.requests) < 10:  # noqa: ASYNC110 - until all are in flight
            await asyncio.sleep(0.001)
        return await (MAX_TOKENS if old else answers())(request)

    bench.server.then = taught
    found = await asyncio.gather(*(model.respond(ASK) for _ in range(10)))
    assert [response.text for response in found] == ["fine"] * 10
    assert len(bench.server.requests) == 20


async def test_an_unknown_field_named_by_a_422_is_left_out(bench: Bench) -> None:
    body = {"detail": [{"type": "extra_forbidden", "loc": ["body", "top_k"], "msg": "Extra inputs are not permitted"}]}
    bench.server.script = [says(body, 422)]
    model = bench.model("together")
    assert (await model.respond(FULL)).text == "fine"
    assert set(model.omitted) == {"top_k"}


async def test_a_complaint_that_comes_again_is_an_error_and_no_endless_loop(bench: Bench) -> None:
    bench.server.then = TEMPERATURE
    with pytest.raises(ModelError, match="HTTP 400: Unsupported value"):
        await bench.model("openai").respond(FULL)
    assert len(bench.server.requests) == 2


async def test_a_server_that_wants_neither_field_is_given_up(bench: Bench) -> None:
    bench.server.then = fails(400, "max_tokens and max_completion_tokens are not supported")
    with pytest.raises(ModelError, match="not supported"):
        await bench.model("openai").respond(ASK)
    assert len(bench.server.requests) == 2


async def test_a_complaint_about_the_content_teaches_nothing(bench: Bench) -> None:
    bench.server.then = fails(400, "max_tokens is too large: 20. This model takes at most 10 tokens.")
    model = bench.model("openai")
    with pytest.raises(ModelError, match="too large"):
        await model.respond(FULL)
    assert len(bench.server.requests) == 1
    assert not {"temperature", "seed"} & set(model.omitted)


def scored(*tokens: tuple[str, float | None]) -> dict[str, Any]:
    """A reply with log-probabilities; every token has the same two alternatives."""
    body = body_of("".join(token for token, _ in tokens))
    top = [{"token": "A", "logprob": -0.1}, {"token": "B", "logprob": None}]
    content = [{"token": token, "logprob": number, "bytes": [1], "top_logprobs": top} for token, number in tokens]
    body["choices"][0]["logprobs"] = {"content": content, "refusal": None}
    return body


async def test_log_probabilities_are_asked_for_and_read(bench: Bench) -> None:
    bench.server.then = says(scored(("A", -0.1)))
    response = await bench.model("openai").respond(SCORED)
    assert bench.server.requests[0]["logprobs"] is True
    assert bench.server.requests[0]["top_logprobs"] == 5
    assert response.logprobs == (TokenLogprob("A", -0.1, (("A", -0.1), ("B", -9999.0))),)


async def test_no_more_alternatives_are_asked_for_than_the_server_reports(bench: Bench) -> None:
    bench.server.then = says(scored(("A", -0.1)))
    await bench.model("openai").respond(Trial(messages=(USER,), top_logprobs=100))
    assert bench.server.requests[0]["top_logprobs"] == 20


NO_LOGPROBS = {
    "by preset": ("groq", answers(), 0),
    "silently": ("vllm", answers(), 1),
    "in the older format": ("vllm", says({"choices": [{**body_of()["choices"][0], "logprobs": {"tokens": ["A"]}}]}), 1),
    "by a 400": ("openai", fails(400, "This model does not support logprobs.", code="unsupported_parameter"), 1),
}


@pytest.mark.parametrize("case", NO_LOGPROBS, ids=str)
async def test_missing_log_probabilities_stop_the_run_with_a_sentence(bench: Bench, case: str) -> None:
    preset, bench.server.then, asked = NO_LOGPROBS[case]
    with pytest.raises(BadInput, match="--respond free"):
        await bench.model(preset).respond(SCORED)
    assert len(bench.server.requests) == asked


async def test_log_probabilities_that_fail_once_are_asked_for_again(bench: Bench) -> None:
    good = says(scored(("A", -0.1)))
    bench.server.script = [good, answers("A"), good]
    model = bench.model()
    assert (await model.respond(SCORED)).logprobs
    assert (await model.respond(SCORED)).logprobs
    assert len(bench.server.requests) == 3


async def test_a_filtered_answer_needs_no_log_probabilities(bench: Bench) -> None:
    bench.server.then = answers("No", "content_filter")
    assert (await bench.model().respond(SCORED)).finish == "content_filter"


REASONING = {
    "reasoning_content": (answers("B", reasoning_content="A or B?"), "B", "A or B?", "stop"),
    "reasoning": (answers("B", reasoning="A or B?"), "B", "A or B?", "stop"),
    "think tags": (answers("<think>A or B?</think>\n\nB"), "B", "A or B?", "stop"),
    "an unclosed think tag": (answers("<think>A or B? Let me"), "", "A or B? Let me", "length"),
    "both": (answers("<think>b</think>B", reasoning_content="a"), "B", "a\n\nb", "stop"),
    "thinking parts": (
        says(body_of([{"type": "thinking", "thinking": [{"text": "A or B?"}]}, {"type": "text", "text": "B"}])),
        "B",
        "A or B?",
        "stop",
    ),
    "none, with a smaller sign": (answers("a < b"), "a < b", "", "stop"),
}


@pytest.mark.parametrize("case", REASONING, ids=str)
async def test_reasoning_is_kept_apart(bench: Bench, case: str) -> None:
    bench.server.then, text, reasoning, finish = REASONING[case]
    response = await bench.model().respond(ASK)
    assert (response.text, response.reasoning, response.finish) == (text, reasoning, finish)


async def test_log_probabilities_of_reasoning_are_not_those_of_the_answer(bench: Bench) -> None:
    bench.server.then = says(scored(("<think>", -1), ("A", -2), ("</think>", -3), ("\n\n", -4), ("B", -5)))
    response = await bench.model().respond(SCORED)
    assert [token.logprob for token in response.logprobs] == [-5.0]


@pytest.mark.parametrize("text", ["I pick Ann", " Ann", "Ann"])
async def test_a_repeated_begun_turn_is_taken_off(bench: Bench, text: str) -> None:
    bench.server.then = answers(text)
    assert (await bench.model("mistral").respond(PREFILLED)).text.strip() == "Ann"


def test_an_echo_is_taken_off_even_when_trimmed_but_nothing_else_is() -> None:
    assert without_echo("I pick Ann", "I pick ") == "Ann"
    assert without_echo("I pick", "I pick ") == ""
    assert without_echo("I picked", "We pick") == "I picked"
    assert without_echo("Ann", "") == "Ann"


def test_tokens_that_do_not_make_up_the_text_are_dropped() -> None:
    tokens = tuple(TokenLogprob(token, -1.0) for token in ("x", "y", "z"))
    assert aligned(tokens, "yz") == tokens[1:]
    assert aligned(tokens, "other") == ()
    assert aligned(tokens, "") == ()


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", "stop"),
        ("STOP", "stop"),
        ("eos", "stop"),
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("tool_calls", "other"),
        (None, "other"),
    ],
)
async def test_finish_reasons_are_read(bench: Bench, reason: str | None, finish: str) -> None:
    bench.server.then = answers("x", reason)
    assert (await bench.model().respond(ASK)).finish == finish


async def test_tokens_cost_and_latency_are_kept(bench: Bench) -> None:
    model = bench.model(price=lambda prompt, completion: prompt * 2.0 + completion)
    response = await model.respond(ASK)
    assert (response.prompt_tokens, response.completion_tokens, response.cost) == (7, 3, 17.0)
    assert response.latency > 0


async def test_without_usage_there_is_no_cost(bench: Bench) -> None:
    body = body_of()
    del body["usage"]
    bench.server.then = says(body)
    response = await bench.model(price=lambda prompt, completion: 1.0).respond(ASK)
    assert (response.prompt_tokens, response.completion_tokens, response.cost) == (None, None, None)


async def test_no_more_asks_are_in_flight_than_allowed(bench: Bench) -> None:
    from fault_server import slow

    bench.server.then = slow(0.01)
    model = bench.model(concurrency=3)
    await asyncio.gather(*(model.respond(ASK) for _ in range(12)))
    assert bench.server.most == 3


async def test_one_connection_is_used_again_and_no_key_is_made_up(bench: Bench) -> None:
    model = bench.model(concurrency=1)
    await model.open()
    for _ in range(3):
        await model.respond(ASK)
    assert all("Authorization" not in headers for headers in bench.server.headers)
    await model.close()
    await model.close()  # closing twice is no error
    assert (await model.respond(ASK)).text == "fine"  # and it may be asked again


@pytest.fixture
def proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")


@pytest.mark.usefixtures("proxies")
async def test_a_proxy_of_the_environment_is_used_except_for_whom_it_says(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError, match="nobody to talk to"):
        await bench.model(retries=0).respond(ASK)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert (await bench.model().respond(ASK)).text == "fine"
