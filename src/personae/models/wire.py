"""The wire format of chat completions: requests out, replies in, nothing decoded that is not used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from personae.models.bounds import logprob_of
from personae.types import Finish, Message, TokenLogprob
from personae.wellformed import well_formed_body

_FINISH: dict[str | None, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
}


class BegunTurn(Struct, frozen=True, kw_only=True):
    """A begun assistant turn for servers that want it marked."""

    content: str
    role: str = "assistant"
    prefix: bool = True


class ChatRequest(Struct, kw_only=True):
    """A request; what is not set is not sent."""

    model: str
    messages: Sequence[Message | BegunTurn]
    temperature: float | UnsetType = UNSET
    top_k: int | UnsetType = UNSET
    top_p: float | UnsetType = UNSET
    max_tokens: int | UnsetType = UNSET
    max_completion_tokens: int | UnsetType = UNSET
    seed: int | UnsetType = UNSET
    random_seed: int | UnsetType = UNSET
    stop: Sequence[str] | UnsetType = UNSET
    logprobs: bool | UnsetType = UNSET
    top_logprobs: int | UnsetType = UNSET
    add_generation_prompt: bool | UnsetType = UNSET
    continue_final_message: bool | UnsetType = UNSET
    grammar: str | UnsetType = UNSET
    ebnf: str | UnsetType = UNSET
    structured_outputs: dict[str, str] | UnsetType = UNSET


class Part(Struct):
    """A piece of a content that comes as a list (Mistral): text, or thinking made of pieces."""

    type: str = "text"
    text: str = ""
    thinking: list[Part] | str | None = None


class ReplyMessage(Struct):
    """The turn the model gave."""

    content: str | list[Part] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None


class TopToken(Struct):
    """A token that could have stood there."""

    token: str
    logprob: float | None = None


class Token(Struct):
    """A token that stands there, and what could have."""

    token: str
    logprob: float | None = None
    top_logprobs: list[TopToken] | None = None


class ReplyLogprobs(Struct):
    """Log-probabilities of a reply; servers of the older format leave ``content`` out."""

    content: list[Token] | None = None


class Choice(Struct):
    """One answer; only the first is ever asked for."""

    message: ReplyMessage | None = None
    finish_reason: str | None = None
    logprobs: ReplyLogprobs | None = None
    error: Any = None


class Usage(Struct):
    """Tokens as the server counted them."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Reply(Struct):
    """A reply with status 200; ``error`` is set by gateways that pass an upstream's failure on."""

    choices: list[Choice] | None = None
    usage: Usage | None = None
    error: Any = None


class Uncounted(Struct):
    """A reply whose counts of tokens are none; they may be of any form."""

    choices: list[Choice] | None = None
    error: Any = None


encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Reply).decode
_decode_uncounted = msgspec.json.Decoder(Uncounted).decode


def decode(body: bytes) -> Reply:
    """Read a reply; halves of surrogate pairs and bytes that are no UTF-8 become U+FFFD.

    Counts of tokens that are no whole numbers are left out.

    Raises
    ------
    msgspec.DecodeError
        When it is no JSON, or not of this form.
    RecursionError
        When it is nested too deeply.
    """
    try:
        return _decode(body)
    except msgspec.DecodeError:
        body = well_formed_body(body)
    try:
        return _decode(body)
    except msgspec.ValidationError:
        found = _decode_uncounted(body)
        return Reply(found.choices, None, found.error)


def finish_of(reason: str | None) -> Finish:
    """The finish reason in our words."""
    return _FINISH.get(reason.lower() if reason else None, "other")


def content_of(content: str | list[Part] | None) -> tuple[str, str]:
    """Text and reasoning of a content in either form."""
    if isinstance(content, str):
        return content, ""
    text: list[str] = []
    reasoning: list[str] = []
    for part in content or ():
        (reasoning if part.thinking is not None else text).append(_flat(part))
    return "".join(text), "".join(reasoning)


def _flat(part: Part) -> str:
    if isinstance(part.thinking, list):
        return "".join(_flat(inner) for inner in part.thinking)
    return part.text if part.thinking is None else part.thinking


def logprobs_of(reply: ReplyLogprobs | None) -> tuple[TokenLogprob, ...]:
    """Log-probabilities in our form; a missing number (probability 0) is -9999, as OpenAI sends it.

    They are what they can be: see `personae.models.bounds.logprob_of`.
    """
    if reply is None or reply.content is None:
        return ()
    return tuple(
        TokenLogprob(
            token.token,
            logprob_of(token.logprob),
            tuple((top.token, logprob_of(top.logprob)) for top in token.top_logprobs or ()),
        )
        for token in reply.content
    )


class ServerError(Struct, frozen=True):
    """What a server says went wrong: its message, its code, the parameter it names."""

    message: str
    code: str = ""
    param: str = ""
    status: int | None = None


def error_of(body: bytes) -> ServerError:
    """Read the error of a reply, whichever of the usual forms it has; any other body is its own message."""
    try:
        found = msgspec.json.decode(well_formed_body(body))
    except (msgspec.DecodeError, RecursionError):
        return ServerError(body[:2000].decode("utf-8", "replace"))
    if isinstance(found, list) and found:  # Google wraps its errors in a list
        found = found[0]
    inner = found.get("error", found) if isinstance(found, dict) else found
    return error_in(inner)


def error_in(inner: Any) -> ServerError:
    """Read an error object, a message, or whatever stands in its place."""
    if not isinstance(inner, dict):
        return ServerError(inner if isinstance(inner, str) else _json(inner))
    message = inner.get("message") or inner.get("detail") or inner
    code = inner.get("code")
    return ServerError(
        message if isinstance(message, str) else _json(message),
        code=_word(code or inner.get("type")),
        param=_word(inner.get("param")),
        status=code if isinstance(code, int) and 100 <= code <= 599 else None,
    )


def _word(value: Any) -> str:
    return str(value) if isinstance(value, str | int) and value else ""


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except RecursionError:
        return "JSON nested too deeply"
