"""The gateway: OpenAI's own client asks it, and what it asks in turn are our trials."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import aiohttp
import numpy as np
import openai
import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from personae.errors import ModelError, PersonaeError
from personae.memory.gateway import Gateway, Line, scope
from personae.memory.gateway_form import Call, Form
from personae.memory.gateway_ids import StandIns
from personae.models.openai_api import OpenAIModel
from personae.models.presets import presets
from personae.types import Message, Response, Trial

TELL = {"name": "tell", "description": "Tells.", "parameters": {"properties": {"what": {"type": "string"}}}}
TELL["parameters"]["required"] = ["what"]  # type: ignore[index]
TOOLS: Any = [{"type": "function", "function": TELL}]
SAID: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]
CALLS = '{"calls": [{"name": "tell", "arguments": {"what": "tea"}}]}'


@pytest.fixture
async def line(gateway: Gateway, encoders: tuple[str, str]) -> AsyncIterator[Line]:
    opened = await gateway.line(encoders[0])
    yield opened
    opened.close()


@pytest.fixture
async def client(line: Line) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(api_key="none", base_url=line.url) as opened:
        yield opened


async def asked(client: openai.AsyncOpenAI, line: Line, ask: Any, **more: Any) -> Any:
    """One chat completion inside a scope."""
    with scope(ask, "memory/3", seed=11), line.using():
        return await client.chat.completions.create(model="any", messages=more.pop("messages", SAID), **more)


async def test_a_chat_is_a_trial_and_its_answer_a_completion(client: Any, line: Line, scripted: Any) -> None:
    ask = scripted(lambda trial: "Good day")
    found = await asked(client, line, ask, temperature=0.5, max_tokens=90_000, stop="END")
    (trial,) = ask.trials
    assert trial.step == "memory/3/1"
    assert trial.messages == (Message("system", "Be brief."), Message("user", "Hello"))
    assert (trial.temperature, trial.max_tokens, trial.seed, trial.stop) == (0.5, 2048, 11, ("END",))
    assert found.choices[0].message.content == "Good day"
    assert found.choices[0].finish_reason == "stop"
    assert (found.usage.prompt_tokens, found.usage.completion_tokens, found.usage.total_tokens) == (2, 7, 9)


async def test_steps_are_counted_and_another_model_can_be_named(client: Any, line: Line, scripted: Any) -> None:
    ask = scripted(lambda trial: "yes")
    with scope(ask, "memory/9", to="openai/other") as opened, line.using():
        for _ in range(3):
            await client.chat.completions.create(model="any", messages=SAID)
    assert [trial.step for trial in ask.trials] == ["memory/9/1", "memory/9/2", "memory/9/3"]
    assert {trial.to for trial in ask.trials} == {"openai/other"}
    assert opened.asked == 3


async def test_use_is_not_guessed_and_a_cut_answer_is_said_to_be_cut(client: Any, line: Line) -> None:
    async def ask(trial: Trial) -> Response:
        return Response(text="Goo", finish="length")

    found = await asked(client, line, ask)
    assert found.usage is None
    assert found.choices[0].finish_reason == "length"


async def test_use_is_estimated_for_a_library_that_needs_it(client: Any, line: Line) -> None:
    line.counting = True

    async def ask(trial: Trial) -> Response:
        return Response(text="Good day", prompt_tokens=None if trial.seed == 11 else 3, completion_tokens=5)

    found = await asked(client, line, ask)
    assert found.usage.prompt_tokens == len("Be brief.Hello") // 4
    assert found.usage.completion_tokens == len("Good day") // 4
    found = await asked(client, line, ask, seed=12)
    assert (found.usage.prompt_tokens, found.usage.completion_tokens, found.usage.total_tokens) == (3, 5, 8)


async def test_functions_that_come_in_any_order_are_told_in_one(client: Any, line: Line, scripted: Any) -> None:
    asking: Any = [*TOOLS, {"type": "function", "function": {**TELL, "name": "ask"}}]
    told = []
    for line.unordered, tools in ((True, asking), (True, asking[::-1]), (False, asking)):
        ask = scripted(lambda trial: CALLS)
        await asked(client, line, ask, tools=tools)
        told.append(ask.trials[0])
    assert told[0] == told[1]
    assert [trial.meta["functions"] for trial in told] == [["ask", "tell"], ["ask", "tell"], ["tell", "ask"]]


async def test_a_failed_ask_reaches_the_library_once_and_the_writer_as_it_was(client: Any, line: Line) -> None:
    tries = []

    async def ask(trial: Trial) -> Response:
        tries.append(trial)
        raise ModelError("the model is gone")

    async def write() -> None:
        with scope(ask, "memory/1"), line.using():
            for _ in range(2):  # a library that swallows the error and goes on
                with pytest.raises(openai.APIStatusError, match="the model is gone"):
                    await client.chat.completions.create(model="any", messages=SAID)

    with pytest.raises(ModelError, match="the model is gone"):
        await write()
    assert len(tries) == 1


async def test_nobody_is_asked_outside_of_a_scope(client: Any, line: Line, gateway: Gateway) -> None:
    with pytest.raises(openai.ConflictError, match="no memory is being written"):
        await client.chat.completions.create(model="any", messages=SAID)
    with pytest.raises(PersonaeError, match="nobody was named to be asked"), line.using():
        pass
    line.close()
    with pytest.raises(openai.NotFoundError, match="no such line"):
        await client.models.list()


async def test_lines_ask_in_the_scope_of_their_own_writer(gateway: Gateway, encoders: Any, scripted: Any) -> None:
    both = asyncio.Barrier(2)

    async def one(name: str) -> str:
        async def ask(trial: Trial) -> Response:
            await both.wait()  # neither is answered before both are asked
            return Response(text=f"{name} {trial.step}")

        line = await gateway.line(encoders[0])
        async with openai.AsyncOpenAI(api_key="none", base_url=line.url) as client:
            with scope(ask, f"memory/{name}"), line.using():
                found = await client.chat.completions.create(model="any", messages=SAID)
        return str(found.choices[0].message.content)

    assert await asyncio.gather(one("a"), one("b")) == ["a memory/a/1", "b memory/b/1"]


async def test_calls_are_told_in_the_prompt_and_read_from_the_answer(client: Any, line: Line, scripted: Any) -> None:
    ask = scripted(lambda trial: f"```json\n{CALLS}\n```")
    found = await asked(client, line, ask, tools=TOOLS, tool_choice="required")
    (call,) = found.choices[0].message.tool_calls
    assert (call.id, call.function.name, json.loads(call.function.arguments)) == ("call_1_0", "tell", {"what": "tea"})
    assert found.choices[0].finish_reason == "tool_calls"
    system = ask.trials[0].messages[0].content
    assert system.startswith("Be brief.")
    assert json.dumps(TELL) in system
    form = {"functions": ["tell"], "schemas": {"tell": TELL["parameters"]}, "returned": False, "json": False}
    assert ask.trials[0].meta == {"kind": "memory", "said": "", **form}


async def test_an_answer_that_does_not_fit_is_asked_for_once_more(client: Any, line: Line, scripted: Any) -> None:
    ask = scripted(lambda trial: CALLS if trial.step.endswith("2") else '{"calls": [{"name": "sing"}]}')
    found = await asked(client, line, ask, tools=TOOLS)
    assert found.choices[0].message.tool_calls[0].function.name == "tell"
    assert [message.role for message in ask.trials[1].messages] == ["system", "user", "assistant", "user"]
    assert 'not an object with "name" and "arguments"' in ask.trials[1].messages[-1].content
    assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (2 + 4, 7 + 7)


async def test_what_never_fits_is_given_back_as_said_and_counted(client: Any, line: Line, scripted: Any) -> None:
    ask = scripted(lambda trial: "I would rather not.")
    with scope(ask, "memory/1") as opened, line.using():
        found = await client.chat.completions.create(
            model="any", messages=SAID, response_format={"type": "json_object"}
        )
    assert found.choices[0].message.content == "I would rather not."
    assert opened.unread == ["it is not JSON"]
    assert opened.asked == 2


async def test_where_no_call_is_required_plain_words_are_an_answer(client: Any, line: Line, scripted: Any) -> None:
    found = await asked(client, line, scripted(lambda trial: "Fine, thanks."), tools=TOOLS, tool_choice="auto")
    assert found.choices[0].message.content == "Fine, thanks."
    assert found.choices[0].message.tool_calls is None


async def test_a_call_that_was_begun_is_no_plain_word(client: Any, line: Line, scripted: Any) -> None:
    ask = scripted(lambda trial: CALLS if trial.step.endswith("2") else CALLS[:-2])
    found = await asked(client, line, ask, tools=TOOLS, tool_choice="auto")
    assert found.choices[0].message.tool_calls[0].function.name == "tell"


async def test_json_that_is_asked_for_with_a_schema_is_told_and_read(client: Any, line: Line, scripted: Any) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    ask = scripted(lambda trial: '{"n": 3}' if trial.step.endswith("2") else '{"n": "three"}')
    wanted: Any = {"type": "json_schema", "json_schema": {"name": "number", "schema": schema}}
    found = await asked(client, line, ask, response_format=wanted)
    assert found.choices[0].message.content == '{"n": 3}'
    assert json.dumps(schema) in ask.trials[0].messages[0].content
    assert "'n' is not of type integer" in ask.trials[1].messages[-1].content


async def test_earlier_calls_and_their_results_are_told_as_text(client: Any, line: Line, scripted: Any) -> None:
    ask = scripted(lambda trial: "done")
    called = {"id": "call_1_0", "type": "function", "function": {"name": "tell", "arguments": '{"what": "tea"}'}}
    history: Any = [
        *SAID,
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "call_1_0", "content": "told"},
        {"role": "user", "content": [{"type": "text", "text": "And now?"}]},
    ]
    await asked(client, line, ask, messages=history)
    assert ask.trials[0].messages[2:] == (
        Message("assistant", CALLS),
        Message("user", "Result of call_1_0: told\n\nAnd now?"),
    )


async def test_random_identifiers_are_hidden_from_the_model_and_put_back(
    client: Any, line: Line, scripted: Any
) -> None:
    first, second = str(uuid4()), uuid4().hex
    ask = scripted(lambda trial: "id-0002 before id-0001, and id-0007")
    said: Any = [{"role": "user", "content": f"Compare {first} and {second} and {first}."}]
    found = await asked(client, line, ask, messages=said)
    assert ask.trials[0].messages == (Message("user", "Compare id-0001 and id-0002 and id-0001."),)
    assert found.choices[0].message.content == f"{second} before {first}, and id-0007"


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"n": 2}, "one answer at a time"),
        ({"stream": True}, "answers are not streamed here"),
        ({"tools": TOOLS, "tool_choice": {"type": "function", "function": {"name": "sing"}}}, "the tools are tell"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "no text"),
        ({"messages": []}, "without messages"),
        ({"messages": [{"role": "narrator", "content": "Once"}]}, "narrator"),
    ],
)
async def test_what_cannot_be_served_is_said(client: Any, line: Line, scripted: Any, more: Any, sentence: str) -> None:
    ask = scripted(lambda trial: "never")
    with pytest.raises(openai.BadRequestError, match=sentence):
        await asked(client, line, ask, **more)
    assert ask.trials == []


async def test_vectors_are_those_of_the_encoder_in_either_encoding(client: Any, line: Line) -> None:
    texts = ["tea", "the night train", " "]
    plain = await client.embeddings.create(model="any", input=texts, encoding_format="float")
    packed = await client.embeddings.create(model="any", input=texts)  # the client asks for base64
    expected = np.nan_to_num(line.encoder.encode(texts).vectors)
    assert np.allclose([one.embedding for one in plain.data], expected, atol=1e-6)
    assert np.allclose([one.embedding for one in packed.data], expected, atol=1e-6)
    assert not any(plain.data[2].embedding)


async def test_a_width_that_the_encoder_does_not_have_is_one_sentence(client: Any, line: Line) -> None:
    with pytest.raises(openai.BadRequestError) as raised:
        await client.embeddings.create(model="any", input="tea", dimensions=5)
    said = raised.value.body["message"]  # type: ignore[index]
    assert said == f"vectors of 5 numbers are wanted, and encoder {line.encoder.name} makes vectors of 16"


async def test_small_packets_are_not_held_back_and_nobody_else_can_connect(client: Any, gateway: Gateway) -> None:
    assert {one.id for one in (await client.models.list()).data} >= {"personae"}
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", gateway.url)
    assert gateway._runner is not None
    assert gateway._runner.server is not None
    (connection,) = gateway._runner.server.connections
    held = connection.transport.get_extra_info("socket")
    assert held.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1


async def test_work_beside_the_loop_is_cut_off_where_it_is_cancelled(line: Line) -> None:
    asking, ended = asyncio.Event(), []

    async def ask(trial: Trial) -> Response:
        asking.set()
        await asyncio.Event().wait()
        raise AssertionError

    def work() -> None:
        try:
            with openai.OpenAI(api_key="none", base_url=line.url) as client:
                client.chat.completions.create(model="any", messages=SAID)
        except openai.APIStatusError as error:
            ended.append(error.status_code)

    async def write() -> None:
        with scope(ask, "memory/1"), line.using():
            await line.threaded(work)

    task = asyncio.create_task(write())
    await asking.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [503]


FORMS: list[Callable[[], Form]] = [
    lambda: Form({"tell": TELL}, "auto"),
    lambda: Form({"tell": TELL}, "required"),
    lambda: Form({"tell": TELL}, "tell"),
    lambda: Form({}, as_json=True),
    lambda: Form({}),
]
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["calls", "name", "arguments", "what"]), inner),
)


@given(st.sampled_from(FORMS), st.text() | ANY_JSON.map(json.dumps))
def test_every_answer_is_read_as_something_or_its_problem_is_said(form: Callable[[], Form], answer: str) -> None:
    read = form().read(answer)
    assert not (read.problem and (read.calls or read.text))
    assert all(set(call.arguments) >= {"what"} and call.name == "tell" for call in read.calls)


@given(st.lists(st.text(), min_size=1))
def test_every_list_of_calls_comes_back_as_it_was_said(told: list[str]) -> None:
    said = json.dumps({"calls": [{"name": "tell", "arguments": {"what": one}} for one in told]})
    assert Form({"tell": TELL}, "required").read(said).calls == tuple(Call("tell", {"what": one}) for one in told)


@given(st.lists(st.uuids().map(str) | st.uuids().map(lambda one: one.hex) | st.sampled_from(["id-0001", "tea"])))
def test_what_is_hidden_can_be_put_back(words: list[str]) -> None:
    text = " ".join(words)
    names = StandIns(text)
    hidden = names.hide(text)
    assert names.reveal(hidden) == text
    assert len(set(hidden.split())) == len(set(words))


async def test_half_a_character_passes_neither_to_the_library_nor_from_it(
    client: Any, line: Line, scripted: Any
) -> None:
    line.counting = True
    told = json.dumps({"calls": [{"name": "tell", "arguments": {"what": "tea \ud83d"}}]})
    ask = scripted(lambda trial: told if trial.meta["functions"] else told.replace("calls", "facts"))
    found = await asked(client, line, ask, tools=TOOLS)
    (call,) = found.choices[0].message.tool_calls
    assert json.loads(call.function.arguments) == {"what": "tea \ufffd"}
    found = await asked(client, line, scripted(ask.answer), response_format={"type": "json_object"})
    assert json.loads(found.choices[0].message.content)["facts"][0]["arguments"] == {"what": "tea \ufffd"}


async def test_half_a_character_in_a_request_of_a_library_is_replaced(line: Line, scripted: Any) -> None:
    ask = scripted(lambda trial: "yes")
    call = {"id": "1", "type": "function", "function": {"name": "tell", "arguments": json.dumps({"what": "\ud83d"})}}
    asking = [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "user", "content": "\udc00 tea"}]
    async with aiohttp.ClientSession() as session:
        with scope(ask, "memory/3"), line.using():
            raw = json.dumps({"model": "any", "messages": asking}).encode()
            async with session.post(f"{line.url}/chat/completions", data=raw) as reply:
                assert reply.status == 200
        async with session.post(f"{line.url}/embeddings", data=rb'{"input": "tea \ud83d"}') as reply:
            assert reply.status == 200
    (trial,) = ask.trials
    assert trial.messages[-1].content == "\ufffd tea"
    assert json.dumps({"what": "\ufffd"}, ensure_ascii=False) in trial.messages[0].content


async def test_a_server_that_cuts_a_character_is_no_failure_of_the_gateway(client: Any, line: Line) -> None:
    async def cut(request: web.Request) -> web.Response:
        said = {"message": {"role": "assistant", "content": "tea \ud83d"}, "finish_reason": "length"}
        return web.json_response({"choices": [said]})

    async with serving(cut) as url:
        model = OpenAIModel("vllm/m", "m", presets()["vllm"], base_url=url, retries=0)
        found = await asked(client, line, model.respond)
        await model.close()
    assert found.choices[0].message.content == "tea \ufffd"


@asynccontextmanager
async def serving(answer: Any) -> AsyncIterator[str]:
    """A chat completions server on this machine."""
    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    await runner.cleanup()
