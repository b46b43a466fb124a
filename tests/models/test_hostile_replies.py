"""Servers may say anything: what a reply costs is limited, and what it says is believed as far as it can be true."""

from __future__ import annotations

import asyncio
import gzip
import json
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from fault_server import body_of
from raw_server import Behaviour, RawServer, http

from personae.errors import BadInput, ModelError, NothingComesBack
from personae.models.openai_api import OpenAIModel
from personae.models.presets import presets
from personae.types import Message, Response, Trial

ASK = Trial(messages=(Message("user", "Which?"),), temperature=0.7, max_tokens=20)
SCORED = Trial(messages=(Message("user", "Which?"),), max_tokens=1, top_logprobs=5)
DEEP = 100_000
Make = Callable[..., OpenAIModel]


def says(*pieces: bytes | float) -> Behaviour:
    return lambda asked, again: pieces


@pytest.fixture
def server() -> Iterator[RawServer]:
    with RawServer() as started:
        yield started


@pytest.fixture
async def make(server: RawServer) -> AsyncIterator[Make]:
    made: list[OpenAIModel] = []

    def model(**options: Any) -> OpenAIModel:
        given = {"base_url": server.url, "backoff": 0.001, "timeout": 600.0, "retries": 1, **options}
        made.append(OpenAIModel("vllm/m", "m", presets()["vllm"], **given))
        return made[-1]

    yield model
    for one in made:
        await one.close()


async def answer(make: Make, server: RawServer, behaviour: Behaviour, trial: Trial = ASK, **options: Any) -> Response:
    server.behave = behaviour
    return await make(**options).respond(trial)


async def reason(make: Make, server: RawServer, behaviour: Behaviour, trial: Trial = ASK, **options: Any) -> str:
    with pytest.raises(ModelError) as error:
        await answer(make, server, behaviour, trial, **options)
    return error.value.reason


# -- how long, how deep, how slow ------------------------------------------------------------------------------------

PLAIN = json.dumps(body_of("x" * 40_000_000)).encode()
BOMBS = {
    "gzip": http(gzip.compress(PLAIN, 1), Content_Encoding="gzip"),
    "deflate": http(zlib.compress(PLAIN, 1), Content_Encoding="deflate"),
    "gzip, of an error": http(gzip.compress(PLAIN, 1), "400 Bad Request", Content_Encoding="gzip"),
    "gzip in gzip members": http(gzip.compress(bytes(4_000_000)) * 500, Content_Encoding="gzip"),
    "plain": http(PLAIN),
    "plain, to the end": b"HTTP/1.1 200 OK\r\n\r\n" + PLAIN,
}


@pytest.mark.parametrize("bomb", BOMBS)
async def test_a_reply_without_end_is_given_up_before_it_takes_memory(make: Make, server: RawServer, bomb: str) -> None:
    server.behave = says(BOMBS[bomb], b"")
    model = make(retries=0)
    tracemalloc.start()
    try:
        found = await asyncio.gather(*(model.respond(ASK) for _ in range(4)), return_exceptions=True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    told = "HTTP 400: " if "error" in bomb else "a reply of more than 1,058,816 bytes"
    assert all(isinstance(one, ModelError) and told in one.reason for one in found), found
    # Eight megabytes for each of four at most, their text and the buffers on the way; all of it would be 160 and more.
    assert peak < 32_000_000


async def test_a_reply_may_be_as_long_as_its_tokens_with_all_their_alternatives(make: Make, server: RawServer) -> None:
    top = [
        {"token": f"alternative {number}", "logprob": -1.0, "bytes": list(b"alternative 12")} for number in range(20)
    ]
    content = [{"token": "word", "logprob": -1.0, "top_logprobs": top}] * 1000
    body = body_of("word" * 1000)
    body["choices"][0]["logprobs"] = {"content": content}
    assert len(json.dumps(body)) > 2_000_000
    trial = Trial(messages=ASK.messages, max_tokens=1000, top_logprobs=20)
    assert len((await answer(make, server, says(http(body)), trial)).logprobs) == 1000


async def test_a_reply_that_drips_is_given_up_when_its_time_is_over(make: Make, server: RawServer) -> None:
    whole = http()
    drips = [piece for at in range(len(whole)) for piece in (whole[at : at + 1], 0.05)]
    assert (
        await reason(make, server, says(*drips), timeout=0.4, retries=0) == "no answer within 0.4 s (after 1 attempt)"
    )


NESTED = {
    "lists": b'{"choices": ' + b"[" * DEEP + b"]" * DEEP + b"}",
    "objects": b'{"a": ' * DEEP + b"1" + b"}" * DEEP,
    "beside the answer": json.dumps(body_of())[:-1].encode() + b', "more": ' + b"[" * DEEP + b"]" * DEEP + b"}",
    "thinking": b'{"choices":[{"message":{"content":' + b'[{"thinking":' * 450 + b'"x"' + b"}]" * 450 + b"}}]}",
    "an error, deep": b'{"error": {"message": ' + b"[" * DEEP + b"]" * DEEP + b"}}",
    "an error, less deep": b'{"error": {"message": ' + b"[" * 900 + b"]" * 900 + b"}}",
    "an error's code": b'{"error": {"message": "no", "code": ' + b"[" * 900 + b"]" * 900 + b"}}",
}


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request", "500 No"])
@pytest.mark.parametrize("nested", NESTED)
async def test_a_deeply_nested_reply_is_an_error_of_this_ask(
    make: Make, server: RawServer, nested: str, status: str
) -> None:
    said = await reason(make, server, says(http(NESTED[nested], status)))
    assert len(said) < 400
    assert "HTTP" in said or "JSON" in said


@pytest.mark.parametrize("nested", NESTED)
async def test_a_deeply_nested_list_of_models_keeps_nobody_from_asking(
    make: Make, server: RawServer, nested: str
) -> None:
    server.models = http(NESTED[nested], "401 No")
    with pytest.raises(BadInput, match="VLLM_API_KEY"):
        await make().open()
    server.models = http(NESTED[nested])
    await make().open()


# -- numbers ---------------------------------------------------------------------------------------------------------

COUNTS = ["9223372036854775808", "1e300", "-1", "7.5", '"7"', "null", "[7]", "true", "9" * 4000, "1e999", "10000000001"]


@pytest.mark.parametrize("count", COUNTS)
async def test_a_count_of_tokens_that_can_be_none_is_left_out_and_the_answer_kept(
    make: Make, server: RawServer, count: str
) -> None:
    raw = json.dumps(body_of("kept")).replace(": 7", f": {count}").encode()
    response = await answer(make, server, says(http(raw)), price=lambda prompt, completion: 1.0)
    assert (response.text, response.prompt_tokens, response.cost) == ("kept", None, None)


@pytest.mark.parametrize("usage", ["[]", "7", '"many"', '{"prompt_tokens": {}}'])
async def test_usage_of_any_form_costs_no_answer(make: Make, server: RawServer, usage: str) -> None:
    raw = json.dumps({**body_of("kept"), "usage": 0}).replace('"usage": 0', f'"usage": {usage}').encode()
    assert (await answer(make, server, says(http(raw)))).text == "kept"


@pytest.mark.parametrize(
    ("logprob", "read"),
    [("-0.5", -0.5), ("null", -9999.0), ("-1e300", -9999.0), ("1e300", 0.0), ("0.0001", 0.0), ("-10000", -9999.0)],
)
async def test_log_probabilities_are_read_as_they_can_be(
    make: Make, server: RawServer, logprob: str, read: float
) -> None:
    body = body_of("A")
    body["choices"][0]["logprobs"] = {"content": [{"token": "A", "logprob": 0, "top_logprobs": []}]}
    raw = json.dumps(body).replace('"logprob": 0', f'"logprob": {logprob}').encode()
    assert [one.logprob for one in (await answer(make, server, says(http(raw)), SCORED)).logprobs] == [read]


@pytest.mark.parametrize("logprob", ["1e999", "-1e999", "NaN", "-Infinity", "9" * 400, '"x"'])
async def test_log_probabilities_that_are_no_numbers_are_asked_for_again(
    make: Make, server: RawServer, logprob: str
) -> None:
    body = body_of("A")
    body["choices"][0]["logprobs"] = {"content": [{"token": "A", "logprob": 0, "top_logprobs": []}]}
    raw = json.dumps(body).replace('"logprob": 0', f'"logprob": {logprob}').encode()
    assert await reason(make, server, says(http(raw)), SCORED) == "broken JSON (after 2 attempts)"


async def test_more_tokens_or_alternatives_than_can_have_been_asked_for_are_an_error(
    make: Make, server: RawServer
) -> None:
    body = body_of("A" * 2000)
    body["choices"][0]["logprobs"] = {"content": [{"token": "A", "logprob": -1.0}] * 2000}
    assert "log-probabilities of 2,000 tokens; 1 were asked for" in await reason(make, server, says(http(body)), SCORED)
    top = [{"token": "B", "logprob": -1.0}] * 1001
    body["choices"][0]["logprobs"] = {"content": [{"token": "A" * 2000, "logprob": -1.0, "top_logprobs": top}]}
    assert "more than 1,000 alternatives" in await reason(make, server, says(http(body)), SCORED)


async def test_an_answer_of_more_letters_than_can_be_read_is_an_error(make: Make, server: RawServer) -> None:
    long = Trial(messages=ASK.messages, max_tokens=100_000)
    said = await reason(make, server, says(http(body_of("word " * 300_000))), long)
    assert said == "an answer of 1,500,000 letters; at most 1,048,576 are read"
    assert len((await answer(make, server, says(http(body_of("word " * 200_000))), long)).text) == 1_000_000


# -- refusals --------------------------------------------------------------------------------------------------------

REFUSALS = ["400 No", "401 No", "402 No", "403 No", "404 No", "405 No", "410 No", "422 No", "307 Elsewhere", "301 Gone"]


@pytest.mark.parametrize("status", REFUSALS)
@pytest.mark.parametrize("earlier", [True, False], ids=["in an earlier sitting", "in this sitting"])
async def test_after_an_answer_a_refusal_is_the_error_of_its_ask(
    make: Make, server: RawServer, status: str, earlier: bool
) -> None:
    model = make()
    if earlier:
        model.has_answered(logprobs=False)
    else:
        await model.respond(ASK)
    server.behave = says(http({"error": {"message": "not this one"}}, status, Location="http://127.0.0.1:9/"))
    with pytest.raises(ModelError, match=f"HTTP {status[:3]}: not this one"):
        await model.respond(ASK)
    server.behave = says(http())
    assert (await model.respond(ASK)).text == "fine"


@pytest.mark.parametrize("status", ["401 No", "402 No", "404 No", "405 No", "307 Elsewhere"])
async def test_a_refusal_of_everybody_may_be_a_slip_and_is_asked_again(
    make: Make, server: RawServer, status: str
) -> None:
    model = make()
    await model.respond(ASK)
    slips = iter([http({"error": {"message": "slip"}}, status), http()])
    server.behave = lambda asked, again: next(slips)
    assert (await model.respond(ASK)).text == "fine"


async def test_what_a_server_took_before_it_is_not_believed_to_refuse(make: Make, server: RawServer) -> None:
    model = make()
    await model.respond(ASK)
    server.behave = says(http({"error": {"message": "temperature is not supported"}}, "400 No"))
    with pytest.raises(ModelError, match="temperature is not supported"):
        await model.respond(ASK)
    assert not model.omitted
    server.behave = says(http())
    await model.respond(ASK)
    assert server.asked[-1]["temperature"] == 0.7


async def test_log_probabilities_that_were_reported_once_are_never_believed_to_be_missing(
    make: Make, server: RawServer
) -> None:
    model = make()
    model.has_answered(logprobs=True)
    assert "no log-probabilities in the reply (after 2 attempts)" in await failure(model, SCORED)
    server.behave = says(http({"error": {"message": "logprobs are not supported"}}, "400 No"))
    assert "logprobs are not supported" in await failure(model, SCORED)


async def failure(model: OpenAIModel, trial: Trial = ASK) -> str:
    with pytest.raises(ModelError) as error:
        await model.respond(trial)
    return error.value.reason


# -- pauses ----------------------------------------------------------------------------------------------------------


class Hurried:
    """A clock and a wait in which a second takes a thousandth of one."""

    def __init__(self) -> None:
        self.waited: list[float] = []

    def clock(self) -> float:
        return asyncio.get_running_loop().time() * 1000

    async def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        await asyncio.sleep(seconds / 1000)


LONG = http({"error": {"message": "later"}}, "429 Later", Retry_After="99999999999")


async def test_one_pause_without_end_holds_up_the_ask_alone_that_was_told_it(make: Make, server: RawServer) -> None:
    time = Hurried()
    model = make(clock=time.clock, sleep=time.sleep)
    server.behave = lambda asked, again: LONG if len(server.asked) == 3 else http()
    found = await asyncio.gather(*(model.respond(ASK) for _ in range(50)))
    assert [one.text for one in found] == ["fine"] * 50
    assert [round(seconds) for seconds in time.waited] == [40]


async def test_a_pause_without_end_that_is_said_again_ends_the_run(make: Make, server: RawServer) -> None:
    time = Hurried()
    model = make(clock=time.clock, sleep=time.sleep)
    server.behave = says(LONG)
    with pytest.raises(NothingComesBack, match=r"2 attempts in \d+ s failed: HTTP 429: later; asked to wait for ever"):
        await model.respond(ASK)


async def test_a_pause_that_is_honoured_is_said(
    make: Make, server: RawServer, caplog: pytest.LogCaptureFixture
) -> None:
    time = Hurried()
    model = make(clock=time.clock, sleep=time.sleep)
    server.behave = lambda asked, again: http({}, "429 Later", Retry_After="200") if len(server.asked) == 1 else http()
    assert (await model.respond(ASK)).text == "fine"
    assert caplog.messages == ["vllm/m wants no asks for 200 s: waiting"]
