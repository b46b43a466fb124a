"""Replies that are hardly HTTP, and replies that say a key again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

import pytest
from fault_server import body_of
from raw_server import Behaviour, RawServer, http

from personae.errors import ModelError
from personae.models import openai_api
from personae.models.openai_api import OpenAIModel
from personae.models.presets import presets
from personae.secrets import IN_USE
from personae.types import Message, Response, Trial

ASK = Trial(messages=(Message("user", "Which?"),), temperature=0.7, max_tokens=20)
KEY = "sk-proj-Zx81Xk37Vw55Tt90Qr42"
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
        given = {"base_url": server.url, "backoff": 0.001, "timeout": 5.0, "retries": 1, **options}
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


async def failure(model: OpenAIModel, trial: Trial = ASK) -> str:
    with pytest.raises(ModelError) as error:
        await model.respond(trial)
    return error.value.reason


# -- odd HTTP --------------------------------------------------------------------------------------------------------


async def test_no_redirect_is_followed_and_no_key_sent_on(make: Make, server: RawServer) -> None:
    with RawServer() as other:
        model = make(key=KEY)
        await model.respond(ASK)
        for status in ("301 Moved", "302 Found", "303 Other", "307 Elsewhere", "308 For ever"):
            server.models = http(b"", status, Location=f"{other.url}/models")
            await model.open()
            server.behave = says(http(b"", status, Location=f"{other.url}/chat/completions"))
            await failure(model)
        assert not other.heads


FINE = {
    "HTTP/1.0": (http(version="1.0"), b""),
    "a NUL": (http(body_of("a\0b")),),
    "half of a character": (http(json.dumps(body_of("a?b")).replace("?", "\\ud83d").encode()),),
    "bytes that are no UTF-8": (http(json.dumps(body_of("a?b")).encode().replace(b"?", b"\xff")),),
    "a line of 5,000 letters in the head": (http(X="y" * 5000),),
}
BROKEN = {
    "10 MB of headers": (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1_700_000 + b"\r\n", b""),
    "one header of 10 MB": (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 10_000_000 + b"\r\n\r\n", b""),
    "no HTTP": (b"220 mail.example.org ESMTP\r\n", b""),
    "a length that is none": (b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", b""),
    "two lengths": (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", b""),
    "a chunk that is none": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b""),
    "an encoding that is none": (http(Content_Encoding="gzip"),),
    "a status of its own": (b"HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n", b""),
    "a hundred provisional replies": (b"HTTP/1.1 100 Continue\r\n\r\n" * 100, b""),
    "nothing": (b"",),
}


@pytest.mark.parametrize("odd", FINE)
async def test_an_answer_in_odd_http_is_an_answer(make: Make, server: RawServer, odd: str) -> None:
    response = await answer(make, server, says(*FINE[odd]))
    assert response.text in ("fine", "a\0b", "a\ufffdb")


@pytest.mark.parametrize("odd", BROKEN)
async def test_what_is_no_http_is_an_error_of_this_ask(make: Make, server: RawServer, odd: str) -> None:
    said = await reason(make, server, says(*BROKEN[odd]))
    assert said.endswith("(after 2 attempts)")
    assert len(said) < 400


async def test_a_second_reply_behind_the_first_answers_nobody(make: Make, server: RawServer) -> None:
    model = make(concurrency=1)
    server.behave = says(http() + http(body_of("smuggled")))
    assert [(await model.respond(ASK)).text for _ in range(5)] == ["fine"] * 5


# -- keys ------------------------------------------------------------------------------------------------------------


def pieces(text: str, size: int) -> Sequence[dict[str, Any]]:
    found = [text[at : at + size] for at in range(0, len(text), size)]
    return [{"token": one, "logprob": -1.0, "top_logprobs": [{"token": KEY, "logprob": -2.0}]} for one in found]


async def test_a_key_is_struck_out_of_answers_reasoning_and_tokens(make: Make, server: RawServer) -> None:
    echo = f"A) Bearer {KEY} {KEY[4:14].upper()}"
    body = body_of(echo, reasoning_content=KEY.encode().hex())
    body["choices"][0]["logprobs"] = {"content": pieces(echo, 3)}
    trial = Trial(messages=ASK.messages, max_tokens=60, top_logprobs=1)
    response = await answer(make, server, says(http(body)), trial, key=KEY)
    assert (response.text, response.reasoning) == ("A) Bearer *** ***", "***")
    assert "".join(one.token for one in response.logprobs) == response.text
    assert {top for one in response.logprobs for top, _ in one.top} == {"***"}


async def test_a_key_is_struck_out_of_what_becomes_of_an_ask(make: Make, server: RawServer) -> None:
    body = {"error": {"message": f"who is {KEY.encode().hex()}, or {KEY[6:20]}?"}}
    for status in ("400 No", "403 No", "500 No", "429 No"):
        model = make(key=KEY)
        model.has_answered(logprobs=False)
        server.behave = says(http(body, status))
        assert await failure(model) in (
            f"HTTP {status[:3]}: who is ***, or ***?",
            f"HTTP {status[:3]}: who is ***, or ***? (after 2 attempts)",
        )


async def test_the_password_of_a_proxy_is_struck_out(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_api, "getproxies", lambda: {"http": "http://me:pass4word9X@127.0.0.1:9"})
    monkeypatch.setattr(openai_api, "proxy_bypass", lambda host: False)
    assert "pass4word9X" not in await failure(make())
    assert IN_USE.struck("pass4word9X") == "***"
