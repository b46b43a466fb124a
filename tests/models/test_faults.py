"""Whatever a server does, an ask ends: in an answer, in a named error, or in a sentence for the user."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from fault_server import FaultServer, answers, fails, half, resets, says, slow
from hypothesis import given
from hypothesis import strategies as st

from personae.errors import BadInput, ModelError, Unreachable
from personae.models.faults import retry_after, shortened
from personae.models.openai_api import OpenAIModel
from personae.models.presets import presets
from personae.models.wire import error_of
from personae.types import Message, Trial

LEAVES = st.none() | st.booleans() | st.integers(-9, 999) | st.text()
FIELDS = st.sampled_from(["error", "message", "code", "param", "detail", "x"])
ERRORS = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(FIELDS, inner))
KEY = "sk-test-0123456789abcdef"
ASK = Trial(messages=(Message("user", "Which?"),), temperature=0.7, top_k=5, seed=3, max_tokens=20)


def make(server: FaultServer, preset: str = "vllm", **options: object) -> OpenAIModel:
    settings = {"base_url": server.url, "backoff": 0.001, "timeout": 600.0, "retries": 2, "key": KEY, **options}
    return OpenAIModel(f"{preset}/m", "m", presets()[preset], **settings)  # type: ignore[arg-type]


@pytest.fixture
async def model(server: FaultServer) -> AsyncIterator[OpenAIModel]:
    made = make(server)
    yield made
    await made.close()


ONCE = {
    "rate limit": (fails(429, Retry_After="0"), "HTTP 429"),
    "rate limit with a pause": (fails(429, "slow down", retry_after_ms="20"), "HTTP 429: slow down"),
    "request timeout": (fails(408), "HTTP 408"),
    "conflict": (fails(409), "HTTP 409"),
    "too early": (fails(425), "HTTP 425"),
    "server error": (fails(500, "boom"), "HTTP 500: boom"),
    "bad gateway, as a page": (says(b"<html>bad gateway</html>", 502), "HTTP 502: <html>bad gateway"),
    "overloaded": (fails(529), "HTTP 529"),
    "reset": (resets, "connection lost"),
    "broken JSON": (says(b'{"choices": [{"mess'), "broken JSON"),
    "not JSON": (says(b"\xff\xfe hello"), "broken JSON"),
    "JSON of another kind": (says([1, 2]), "broken JSON"),
    "no choices": (says({"choices": []}), "no choices"),
    "null choices": (says({"choices": None}), "no choices"),
    "a choice without message": (says({"choices": [{"finish_reason": "stop"}]}), "no choices"),
    "half a reply": (half, "half a reply"),
    "an upstream's failure": (says({"error": {"code": 502, "message": "upstream"}}), "HTTP 502: upstream"),
    "a failed choice": (says({"choices": [{"error": {"code": 503, "message": "gone"}}]}), "HTTP 503: gone"),
}


@pytest.mark.parametrize("fault", ONCE, ids=str)
async def test_a_passing_fault_becomes_a_retry_and_then_the_answer(
    server: FaultServer, model: OpenAIModel, fault: str
) -> None:
    server.script = [ONCE[fault][0], ONCE[fault][0]]
    response = await model.respond(ASK)
    assert (response.text, response.finish) == ("fine", "stop")
    assert len(server.requests) == 3
    assert server.requests[0] == server.requests[1] == server.requests[2]


@pytest.mark.parametrize("fault", ONCE, ids=str)
async def test_a_lasting_fault_becomes_a_named_error_after_every_attempt(
    server: FaultServer, model: OpenAIModel, fault: str
) -> None:
    server.then, reason = ONCE[fault]
    with pytest.raises(ModelError, match="after 3 attempts") as error:
        await model.respond(ASK)
    assert reason in error.value.reason
    assert len(server.requests) == 3
    assert model.limiter.active == 0


async def test_a_server_that_hangs_is_given_up_and_asked_again(server: FaultServer) -> None:
    patient, model = make(server, timeout=2.0, retries=9), make(server, timeout=0.2, retries=1)
    server.script = [server.hangs]
    assert (await patient.respond(ASK)).text == "fine"
    assert len(server.requests) > 1
    server.then = server.hangs
    with pytest.raises(ModelError, match=r"no answer within 0\.2 s \(after 2 attempts\)"):
        await model.respond(ASK)
    await patient.close()
    await model.close()


async def test_a_slow_answer_is_waited_for(server: FaultServer, model: OpenAIModel) -> None:
    server.then = slow(0.05)
    assert (await model.respond(ASK)).latency >= 0.05


async def test_no_ask_is_made_before_the_pause_the_server_wants_is_over(
    server: FaultServer, model: OpenAIModel
) -> None:
    server.script = [fails(429, retry_after_ms="500")]
    first = asyncio.create_task(model.respond(ASK))
    while not model.limiter.paused_until and not first.done():  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    second = asyncio.create_task(model.respond(ASK))  # another ask waits as well
    assert [(await first).text, (await second).text] == ["fine", "fine"]
    assert min(server.times[1:]) - server.times[0] >= 0.5


async def test_a_refused_request_is_an_error_at_once_in_the_servers_words(
    server: FaultServer, model: OpenAIModel
) -> None:
    server.then = fails(400, "context of 9999 tokens is too long " + "x" * 1000)
    with pytest.raises(ModelError, match="HTTP 400: context of 9999 tokens is too long") as error:
        await model.respond(ASK)
    assert len(error.value.reason) < 320
    assert len(server.requests) == 1


STOP = {
    "key refused": (fails(401, "no such key"), "VLLM_API_KEY"),
    "key without rights": (fails(403, "not yours"), "VLLM_API_KEY"),
    "unknown model": (fails(404, "no model m"), "no model m"),
    "key refused, Google's way": (fails(400, "API key not valid. Please pass one."), "VLLM_API_KEY"),
    "unknown model, OpenRouter's way": (fails(400, "m is not a valid model ID"), "m is not a valid model ID"),
    "unknown model, by its code": (fails(400, "gone", code="model_not_found"), "gone"),
    "moved": (says(b"", 307, Location="http://127.0.0.1:9/v1"), "HTTP 307"),
    "nothing paid": (fails(402, "pay"), "credit"),
    "quota used up": (fails(429, "quota", code="insufficient_quota"), "credit"),
}


@pytest.mark.parametrize("fault", STOP, ids=str)
async def test_what_only_the_user_can_mend_stops_the_run_with_a_sentence(
    server: FaultServer, model: OpenAIModel, fault: str
) -> None:
    server.then, words = STOP[fault]
    with pytest.raises(BadInput, match=words):
        await model.respond(ASK)
    assert len(server.requests) == 1


FILTERED = {
    "finish reason": (answers("", "content_filter"), ""),
    "in the middle of an answer": (answers("It is", "content_filter"), "It is"),
    "refusal": (answers(None, "stop", refusal="I cannot help with that."), "I cannot help with that."),
    "prompt refused": (fails(400, "filtered", code="content_filter"), ""),
    "prompt flagged": (says({"error": {"code": 403, "message": {"flagged_input": "x"}}}, 403), ""),
}


@pytest.mark.parametrize("case", FILTERED, ids=str)
async def test_a_refusal_by_a_filter_is_an_answer_of_its_own_kind(
    server: FaultServer, model: OpenAIModel, case: str
) -> None:
    server.then, text = FILTERED[case]
    response = await model.respond(ASK)
    assert (response.text, response.finish) == (text, "content_filter")
    assert len(server.requests) == 1


async def test_an_empty_answer_is_what_the_model_said(server: FaultServer, model: OpenAIModel) -> None:
    server.then = answers(None, "length")
    response = await model.respond(ASK)
    assert (response.text, response.finish) == ("", "length")


async def test_nobody_listening_is_said_with_the_url() -> None:
    model = OpenAIModel("vllm/m", "m", presets()["vllm"], base_url="http://127.0.0.1:9/v1", retries=0)
    with pytest.raises(Unreachable, match=r"http://127\.0\.0\.1:9/v1"):
        await model.open()
    with pytest.raises(ModelError, match=r"nobody to talk to at http://127\.0\.0\.1:9/v1"):
        await model.respond(ASK)
    await model.close()


async def test_opening_takes_any_answer_but_a_refused_key(server: FaultServer, model: OpenAIModel) -> None:
    server.models = fails(404)
    await model.open()
    server.models = fails(401, f"Incorrect API key provided: {KEY}")
    with pytest.raises(BadInput, match="VLLM_API_KEY") as error:
        await model.open()
    assert KEY not in str(error.value)


async def test_the_key_goes_to_the_server_and_into_no_error(server: FaultServer, model: OpenAIModel) -> None:
    echo = f"bad header 'Authorization: Bearer {KEY}' with {KEY[:12]}***cdef"
    for fault, kind in ((fails(400, echo), ModelError), (fails(500, echo), ModelError), (fails(401, echo), BadInput)):
        server.then = fault
        with pytest.raises(kind) as error:
            await model.respond(ASK)
        said = f"{error.value} {error.value!r} {error.value.__dict__}"
        assert "sk-" not in said
        assert error.value.__cause__ is None
    assert all(headers["Authorization"] == f"Bearer {KEY}" for headers in server.headers)


async def test_an_ask_that_is_given_up_gives_its_slot_back(server: FaultServer) -> None:
    model = make(server, concurrency=1)
    server.script = [server.hangs]
    given_up = asyncio.create_task(model.respond(ASK))
    waiting = asyncio.create_task(model.respond(ASK))
    await server.asked.wait()
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    assert (await waiting).text == "fine"
    await model.close()


async def test_many_asks_of_a_server_that_takes_few_are_all_answered(server: FaultServer) -> None:
    model = make(server, concurrency=32, retries=6, backoff=0.01)

    async def crowded(request: object) -> object:
        if server._now > 4:
            return await fails(429)(request)  # type: ignore[arg-type]
        return await slow(0.005)(request)  # type: ignore[arg-type]

    server.then = crowded  # type: ignore[assignment]
    found = await asyncio.gather(*(model.respond(ASK) for _ in range(200)))
    assert [response.text for response in found] == ["fine"] * 200
    assert model.limiter.limit < 32
    await model.close()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0.0),
        ({"Retry-After": "3"}, 3.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "inf"}, 0.0),
        ({"Retry-After": "nan"}, 0.0),
        ({"Retry-After": "soon"}, 0.0),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 60.0),
        ({"Retry-After": "Wed, 21 Oct 2015 07:26:00 GMT"}, 0.0),
        ({"Retry-After": "Wednesday, 21-Oct-15 07:28:00 GMT"}, 60.0),
        ({"Retry-After": "Wed Oct 21 07:28:00 2015"}, 60.0),
        ({"Retry-After": "Wed, 21 Oct 2015 09:28:00 +0200"}, 60.0),
        ({"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"}, 251956888379.0),
        ({"Retry-After": "Fri, 31 Dec 99999 23:59:59 GMT"}, 0.0),
        ({"Retry-After": "Mon, 00 Jan 0000 00:00:00 GMT"}, 0.0),
        ({"Retry-After": "99999999999"}, 99999999999.0),
        ({"Retry-After": "9" * 400}, 0.0),
        ({"retry-after-ms": "nan", "Retry-After": "2"}, 2.0),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float) -> None:
    assert retry_after(headers, now=1445412420.0) == seconds


@given(st.text())
def test_retry_after_never_fails_and_is_never_negative(value: str) -> None:
    assert retry_after({"Retry-After": value}) >= 0


@given(st.binary())
def test_any_body_of_an_error_gives_a_message(body: bytes) -> None:
    assert isinstance(error_of(body).message, str)


@given(ERRORS)
def test_any_json_of_an_error_gives_a_message(value: object) -> None:
    found = error_of(json.dumps(value).encode())
    assert isinstance(found.message, str)
    assert isinstance(found.code, str)


@given(st.text(), st.text(), st.integers(20, 400))
def test_shortened_words_never_hold_the_key_and_never_pass_the_limit(before: str, after: str, limit: int) -> None:
    said = shortened(f"{before}{KEY}{after}", KEY, limit)
    assert KEY not in said
    assert len(said) <= limit
    assert "\n" not in said


def test_the_forms_of_errors_that_servers_send_are_read() -> None:
    assert error_of(b'[{"error": {"code": 400, "message": "google"}}]').message == "google"
    assert error_of(b'{"error": "ollama"}').message == "ollama"
    assert error_of(b'{"object": "error", "message": "vllm", "code": 404}').status == 404
    assert "extra_forbidden" in error_of(b'{"detail": [{"type": "extra_forbidden", "loc": ["seed"]}]}').message
