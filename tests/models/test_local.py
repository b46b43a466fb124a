"""How llama.cpp is asked and its answers are read; no model is loaded here."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.breaker import FAILURES, SECONDS, Breaker
from personae.errors import BadInput, ModelError, NothingComesBack
from personae.models import llama, local
from personae.models.llama_process import Question, Stopped
from personae.models.local import LocalModel
from personae.types import Message, Response, Trial

SYSTEM = Message("system", "You are my wife.")
FIRST = Message("user", "Is this abusive?")
OTHER = Message("user", "Is this controlling?")
BEGUN = Message("assistant", "This is")
ANSWER = Message("assistant", "This is not abusive.")


def said(text: str) -> Message:
    return Message("assistant", text)


Script = list[dict[str, Any]]


def chunk(content: str | None = None, finish: str | None = None, logprobs: Any = None) -> dict[str, Any]:
    choice: dict[str, Any] = {"index": 0, "delta": {"content": content}, "finish_reason": finish}
    if logprobs:
        choice["logprobs"] = {"content": logprobs}
    return {"choices": [choice]}


USAGE: dict[str, Any] = {"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 2}}


class Scripted:
    """Stands for a process: says which it is, or answers nothing until it is killed."""

    def __init__(self, name: str, stuck: bool = False) -> None:
        self.name, self.stuck = name, stuck
        self.alive = True
        self.begun, self.killed = threading.Event(), threading.Event()
        self.asked: list[Question] = []

    def ask(self, question: Question) -> Response:
        self.asked.append(question)
        self.begun.set()
        if self.killed.wait(60 if self.stuck else 0.01):
            raise ModelError("stopped before its end")
        return Response(text=self.name)

    def kill(self) -> None:
        self.alive = False
        self.killed.set()

    def close_pipes(self) -> None: ...


def trial(**more: Any) -> Trial:
    return Trial(messages=(SYSTEM, FIRST, BEGUN), **more)


def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, processes: list[Scripted], workers: int = 1) -> LocalModel:
    """A model over scripted processes, taken one after the other; not opened yet."""
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF")
    left = iter(processes)
    monkeypatch.setattr(local, "LlamaProcess", lambda setup: next(left))
    return LocalModel(f"local/{path}", workers=workers)


def test_sampling_is_from_the_models_own_distribution() -> None:
    body = llama.request(trial(temperature=0.7, seed=3), seed=0, reuse=False)
    assert (body["temperature"], body["seed"]) == (0.7, 3)
    assert (body["top_k"], body["top_p"], body["min_p"]) == (0, 1.0, 0.0)
    assert "logprobs" not in body
    assert "grammar" not in body
    assert body["cache_prompt"] is False


def test_what_the_trial_asks_for_is_sent() -> None:
    asked = trial(temperature=0.0, top_k=1, max_tokens=5, stop=("\n",), top_logprobs=100, grammar='root ::= "a"')
    body = llama.request(asked, seed=9, reuse=True)
    assert body["messages"][-1] == {"role": "assistant", "content": "This is"}
    assert (body["top_k"], body["max_tokens"], body["stop"], body["seed"]) == (1, 5, ["\n"], 9)
    assert (body["logprobs"], body["top_logprobs"]) == (True, 100)
    assert body["grammar"] == 'root ::= "a"'


@given(st.integers())
def test_no_seed_means_draw_one(seed: int) -> None:
    assert 0 <= llama.request(trial(seed=seed), seed=0, reuse=False)["seed"] < 2**32 - 1


def test_a_streamed_answer_is_put_together() -> None:
    token = {"token": " not", "logprob": -0.5, "top_logprobs": [{"token": " not", "logprob": -0.5}]}
    answer = llama.response([chunk(None), chunk(" not", logprobs=[token]), chunk(" it"), chunk(finish="stop"), USAGE])
    assert (answer.text, answer.finish, answer.cost) == (" not it", "stop", 0.0)
    assert (answer.prompt_tokens, answer.completion_tokens) == (12, 2)
    assert answer.logprobs[0].top == ((" not", -0.5),)


def test_reasoning_is_kept_apart_and_unclosed_reasoning_is_cut_off() -> None:
    closed = llama.response([chunk("<think>A or B?</think>B"), chunk(finish="stop")])
    assert (closed.text, closed.reasoning, closed.finish) == ("B", "A or B?", "stop")
    unclosed = llama.response([chunk("<think>A or"), chunk(finish="stop")])
    assert (unclosed.text, unclosed.finish) == ("", "length")


@pytest.mark.parametrize(("said", "kept"), [("stop", "stop"), ("length", "length"), ("tool_calls", "other")])
def test_the_reason_of_the_end_is_kept(said: str, kept: str) -> None:
    assert llama.response([chunk("x"), chunk(finish=said)]).finish == kept


def test_an_error_that_llama_cpp_returns_is_raised() -> None:
    error = {"error": {"code": 400, "message": "request (3000 tokens) exceeds the available context size"}}
    with pytest.raises(ModelError, match="exceeds the available context size"):
        llama.response([error])


@pytest.mark.parametrize("chunks", [[], [chunk("half an")]])
def test_half_an_answer_is_no_answer(chunks: Script) -> None:
    with pytest.raises(ModelError, match="stopped before its end"):
        llama.response(chunks)


@pytest.mark.parametrize("error", [ValueError("top_logprobs requires logprobs"), RuntimeError("no memory")])
def test_what_llama_cpp_raises_becomes_an_error_of_the_model(error: Exception) -> None:
    class Raising:
        def handle_chat_completions(self, body: Any, callback: Any) -> None:
            raise error

    with pytest.raises(ModelError, match=str(error)):
        llama.ask(Raising(), trial(), seed=0, reuse=False)


@pytest.mark.parametrize(
    ("before", "now", "kept"),
    [
        ((SYSTEM, FIRST), (SYSTEM, OTHER), True),
        ((SYSTEM, FIRST, BEGUN), (SYSTEM, OTHER, BEGUN), True),
        ((FIRST,), (SYSTEM, FIRST), True),
        ((SYSTEM, FIRST), (SYSTEM, FIRST), False),
        ((SYSTEM, FIRST), (SYSTEM, FIRST, BEGUN), False),
        ((SYSTEM, FIRST, BEGUN), (SYSTEM, FIRST, ANSWER), False),
        ((SYSTEM, FIRST, BEGUN), (SYSTEM, FIRST, ANSWER, OTHER), False),
        ((SYSTEM, FIRST), (SYSTEM, FIRST, ANSWER, OTHER), False),
        ((SYSTEM, FIRST, ANSWER, OTHER), (SYSTEM, FIRST, ANSWER, FIRST), True),
        ((), (SYSTEM, FIRST), False),
        ((FIRST, said("To me it is bad")), (FIRST, said("To me this is good")), True),
        ((FIRST, said("To me it is bad")), (FIRST, said("To me it is good")), False),
        ((FIRST, said("To me")), (FIRST, said("To me this is good")), False),
        ((FIRST, said("To me it"), OTHER), (FIRST, said("To me this is good")), False),
        ((FIRST, said("To me it is bad")), (FIRST, said("To me this is so good"), FIRST), False),
    ],
)
def test_state_is_kept_only_of_prompts_that_part_before_an_answer(
    before: tuple[Message, ...], now: tuple[Message, ...], kept: bool
) -> None:
    assert llama.may_reuse(before, now) is kept


async def test_questions_are_shared_among_workers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    processes = [Scripted("a"), Scripted("b")]
    model = opened(monkeypatch, tmp_path, processes, workers=2)
    await model.open()
    answers = await asyncio.gather(*(model.respond(trial(seed=index)) for index in range(8)))
    await model.close()
    assert {answer.text for answer in answers} == {"a", "b"}
    assert all(answer.latency > 0 for answer in answers)
    assert not any(process.alive for process in processes)


async def test_the_same_question_is_computed_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    process = Scripted("a")
    model = opened(monkeypatch, tmp_path, [process])
    await model.open()
    same = [trial(seed=1), trial(seed=1, step="again", repeat=3, meta={"kind": "choice"})]
    first, second = await asyncio.gather(*map(model.respond, same))
    await model.respond(trial(seed=2))
    await model.close()
    assert (first.text, second.text, second.latency) == ("a", "a", 0.0)
    assert [question.trial.seed for question in process.asked] == [1, 2]


async def test_what_a_question_is_about_is_not_sent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    process = Scripted("a")
    model = opened(monkeypatch, tmp_path, [process])
    await model.open()
    await model.respond(trial(meta={"correct": "abusive"}))
    await model.close()
    assert process.asked[0].trial.meta == {}


async def test_a_cancelled_question_is_broken_off_and_the_next_one_answered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stuck = Scripted("stuck", stuck=True)
    model = opened(monkeypatch, tmp_path, [stuck, Scripted("anew")])
    await model.open()
    asked = asyncio.create_task(model.respond(trial()))
    await asyncio.to_thread(stuck.begun.wait)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert not stuck.alive
    assert (await model.respond(trial())).text == "anew"
    await model.close()


async def test_a_process_that_broke_fails_one_question_and_is_started_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = Scripted("broken")
    model = opened(monkeypatch, tmp_path, [broken, Scripted("anew")])
    await model.open()
    broken.ask = lambda question: broken.kill() or raise_(ModelError("exit code -11"))  # type: ignore[method-assign]
    with pytest.raises(ModelError, match="exit code -11"):
        await model.respond(trial())
    assert (await model.respond(trial())).text == "anew"
    await model.close()


async def test_a_process_that_breaks_at_every_question_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = Scripted("broken")
    model = opened(monkeypatch, tmp_path, [broken])
    await model.open()
    clock = [time.monotonic()]
    model._breaker = Breaker(model.name, lambda: clock[0])
    broken.ask = lambda question: raise_(Stopped("stopped before its end"))  # type: ignore[method-assign]
    for _ in range(FAILURES):
        with pytest.raises(Stopped):
            await model.respond(trial())
    clock[0] += 2 * SECONDS
    with pytest.raises(NothingComesBack, match="stopped before its end"):
        await model.respond(trial())
    await model.close()


async def test_closing_ends_a_question_in_hand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stuck = Scripted("stuck", stuck=True)
    model = opened(monkeypatch, tmp_path, [stuck])
    await model.open()
    asked = asyncio.create_task(model.respond(trial()))
    await asyncio.to_thread(stuck.begun.wait)
    await model.close()
    with pytest.raises(ModelError, match="stopped before its end"):
        await asked


async def test_a_closed_model_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    model = opened(monkeypatch, tmp_path, [Scripted("a")])
    with pytest.raises(ModelError, match="is not open"):
        await model.respond(trial())
    await model.open()
    await model.close()
    await model.close()
    with pytest.raises(ModelError, match="is not open"):
        await model.respond(trial())


async def test_a_file_that_cannot_be_loaded_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF and nothing that follows")
    with pytest.raises(BadInput, match=r"a GGUF file that llama\.cpp can load"):
        await LocalModel(f"local/{path}").open()


def raise_(error: Exception) -> Response:
    raise error


async def test_a_model_that_was_not_fetched_is_bad_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PERSONAE_CACHE", str(tmp_path))
    with pytest.raises(BadInput, match="personae models get smollm2"):
        await LocalModel("local/smollm2").open()


def test_two_workers_at_most_and_what_it_can_do_are_known_before_it_is_loaded() -> None:
    model = LocalModel("local/smollm2")
    assert model.workers in (1, 2)
    assert LocalModel("local/smollm2", workers=5).workers == 5
    assert model.capabilities.top_logprobs >= 100
    assert model.capabilities.prefill
    assert model.capabilities.grammar
    assert not model.capabilities.simulated


def test_half_a_character_in_an_answer_of_the_embedded_model_is_replaced() -> None:
    found = llama.response([chunk("tea \ud83d"), chunk(finish="stop")])
    assert found.text == "tea \ufffd"
