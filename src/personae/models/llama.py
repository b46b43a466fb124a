"""llama.cpp: how it is set up, what it is sent, and what its answers mean."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from personae.coding.reasoning import split_reasoning
from personae.errors import ModelError
from personae.models.reading import well_formed_response
from personae.types import Finish, Message, Response, TokenLogprob, Trial

CONTEXT = 2048
"""Tokens of prompt and answer together."""

TOP_LOGPROBS = 100
"""Alternatives reported per token; llama.cpp would give the whole vocabulary, at a price."""

# llama.cpp takes the largest 32-bit number for "draw a seed", which must never happen here.
_SEEDS = 2**32 - 1
# A word is a token at least, and the first of three may have begun before the others part.
_WORDS_LEFT = 3
_FINISH: dict[str, Finish] = {"stop": "stop", "length": "length"}

Messages = tuple[Message, ...]


def load(path: Path, template: str = "") -> Any:
    """A llama.cpp server on one thread, for one question at a time; with the template in the file where none is given.

    One thread, because two on a busy machine wait for each other; one question at a time, because batched questions
    change each other's last digits. The whole prompt is one batch and flash attention is off, because then the
    result does not depend on where a kept beginning ends (see `may_reuse`).

    Raises
    ------
    RuntimeError
        When llama.cpp cannot use the file.
    """
    import xllamacpp  # here, because only the process that runs the model needs it

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.offline = True
    params.verbosity = 0
    params.n_ctx = params.n_batch = params.n_ubatch = CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.cache_ram_mib = 0
    params.fit_params = False
    params.warmup = False
    if template:
        params.chat_template = template
    # Its listener cannot be turned off: it hears 127.0.0.1 only, and without this key nobody.
    params.api_keys = [secrets.token_hex(32)]
    params.ui = params.endpoint_slots = False
    return xllamacpp.Server(params)


def ask(server: Any, trial: Trial, *, seed: int, reuse: bool) -> Response:
    """Ask one question and wait for the answer.

    Parameters
    ----------
    seed : int
        Used where the trial has none.
    reuse : bool
        Keep the state of what this prompt and the one before have in common.

    Raises
    ------
    ModelError
        When llama.cpp refuses the question: too long, a broken grammar.
    """
    chunks: list[Mapping[str, Any]] = []
    try:
        server.handle_chat_completions(request(trial, seed=seed, reuse=reuse), chunks.append)
    except (ValueError, RuntimeError) as error:
        raise ModelError(f"llama.cpp: {error}") from error
    return response(chunks)


def request(trial: Trial, *, seed: int, reuse: bool) -> dict[str, Any]:
    """What llama.cpp is sent.

    Sampling is from the model's own distribution: no top-p, min-p or repetition penalty beside what the trial asks
    for. The answer is streamed, because only then it does not repeat a begun turn.
    """
    body: dict[str, Any] = {
        "messages": [{"role": message.role, "content": message.content} for message in trial.messages],
        "temperature": 1.0 if trial.temperature is None else trial.temperature,
        "top_k": trial.top_k or 0,
        "top_p": 1.0 if trial.top_p is None else trial.top_p,
        "min_p": 0.0,
        "seed": (seed if trial.seed is None else trial.seed) % _SEEDS,
        "max_tokens": trial.max_tokens,
        "stop": list(trial.stop),
        "cache_prompt": reuse,
        "reasoning_format": "none",
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if trial.top_logprobs:
        body |= {"logprobs": True, "top_logprobs": trial.top_logprobs}
    if trial.grammar:
        body["grammar"] = trial.grammar
    return body


def response(chunks: Sequence[Mapping[str, Any]]) -> Response:
    """Put a streamed answer together.

    Raises
    ------
    ModelError
        When llama.cpp reported an error, or the stream ended before the answer did.
    """
    text: list[str] = []
    tokens: list[TokenLogprob] = []
    finish: str | None = None
    usage: Mapping[str, Any] = {}
    for chunk in chunks:
        if error := chunk.get("error"):
            raise ModelError(f"llama.cpp: {error.get('message', error)}")
        usage = chunk.get("usage") or usage
        for choice in chunk["choices"]:
            text.append(choice["delta"].get("content") or "")
            tokens += [_token(one) for one in (choice.get("logprobs") or {}).get("content") or ()]
            finish = choice.get("finish_reason") or finish
    if finish is None:
        raise ModelError("llama.cpp: the answer was stopped before its end")
    parted = split_reasoning("".join(text))
    found = Response(
        text=parted.text,
        reasoning=parted.reasoning,
        finish=_FINISH.get(finish, "other") if parted.closed else "length",
        prompt_tokens=usage.get("prompt_tokens"),
        completion_tokens=usage.get("completion_tokens"),
        logprobs=tuple(tokens),
        cost=0.0,
    )
    return well_formed_response(found)


def _token(one: Mapping[str, Any]) -> TokenLogprob:
    top = tuple((other["token"], other["logprob"]) for other in one.get("top_logprobs") or ())
    return TokenLogprob(one["token"], one["logprob"], top)


def may_reuse(before: Messages, now: Messages) -> bool:
    """Whether the state of a common beginning may be kept without changing the answer in its last digit.

    llama.cpp computes several tokens at once in another order than one alone. So what is kept must have been part of a
    prompt, not of an answer (generated token by token), and more than one token must be left to compute. Both hold
    when two prompts part at or before the last turn of the user in either (the end of that turn and the beginning of
    the next are several tokens), and when they part within the begun answer of both with some words to go.

    Parameters
    ----------
    before, now : tuple of Message
        The conversation asked last, and the one to be asked.
    """
    for index, (was, is_) in enumerate(zip(before, now, strict=False)):
        if was != is_:
            return index <= min(_last_user(before), _last_user(now)) or (
                index == len(before) - 1 == len(now) - 1
                and was.role == is_.role == "assistant"
                and _part_early(was.content, is_.content)
            )
    return False


def _part_early(was: str, is_: str) -> bool:
    """Whether two begun answers part before the end of the first, with words of the second left, so tokens."""
    differing = (at for at, (one, other) in enumerate(zip(was, is_, strict=False)) if one != other)
    at = next(differing, None)
    return at is not None and len(is_[at:].split()) >= _WORDS_LEFT


def _last_user(messages: Messages) -> int:
    return max((index for index, message in enumerate(messages) if message.role == "user"), default=-1)


def next_asked(last: Messages, others: Sequence[Messages], waiting: Sequence[Messages]) -> int:
    """Which of the conversations that wait to ask a copy of the model next, so that the least is read again.

    First what begins like the question this copy was asked last, for half of its length or more, unless another copy
    was asked what it begins like still more. Then what begins like nothing else that waits: it may be a turn that
    others wait for. Then what has most in common with the last question, and least with what other copies are at. Of
    equals, the one that waits longest.

    Parameters
    ----------
    last : tuple of Message
        What this copy was asked last; empty where nothing was.
    others : sequence of tuples of Message
        The same of other copies.
    waiting : sequence of tuples of Message
        Not empty, the longest waiting first.
    """
    beginnings = Counter(messages[:1] for messages in waiting)

    def worth(place: int) -> tuple[bool, bool, int]:
        asked = waiting[place]
        own = _kept(last, asked)
        best = max((_kept(other, asked) for other in others), default=0)
        goes_on = own >= best and 2 * own >= sum(len(message.content) for message in asked)
        return goes_on, beginnings[asked[:1]] == 1, own if own >= best else own - best

    return max(range(len(waiting)), key=worth)


def _kept(before: Messages, now: Messages) -> int:
    """Letters at the beginning that need not be read again."""
    if not may_reuse(before, now):
        return 0
    total = 0
    for was, is_ in zip(before, now, strict=False):
        if was != is_:
            return total + _shared(was.content, is_.content)
        total += len(is_.content)
    return total


def _shared(was: str, is_: str) -> int:
    low, high = 0, min(len(was), len(is_))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if was[:middle] == is_[:middle] else (low, middle - 1)
    return low
