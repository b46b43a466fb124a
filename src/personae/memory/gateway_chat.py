"""Between OpenAI's chat completions and our trials: a request becomes messages and a form, answers become a reply."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec
from msgspec import Struct

from personae.errors import PersonaeError
from personae.memory.gateway_form import Call, Form, Read, texts
from personae.types import Message, Response
from personae.wellformed import well_formed_json

_ROLES: Mapping[str, str] = {"system": "system", "developer": "system", "user": "user", "tool": "user"}


class Unusable(PersonaeError):
    """A request that the gateway cannot serve; the library is told why."""


class Chat(Struct, kw_only=True):
    """A request as it comes; what is not listed here does not change what is asked."""

    messages: list[dict[str, Any]]
    model: str = ""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: str | dict[str, Any] | None = None
    response_format: dict[str, Any] | None = None
    n: int | None = None
    stream: bool | None = None

    @property
    def tokens(self) -> int | None:
        """The longest answer that is wanted."""
        return self.max_completion_tokens or self.max_tokens

    @property
    def stops(self) -> tuple[str, ...]:
        """Where an answer is to end."""
        return (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())

    @property
    def returned(self) -> bool:
        """Whether a function has been called since the user last spoke, so that its result is what is answered to."""
        roles = [message.get("role") for message in self.messages]
        return "tool" in roles[max((at for at, role in enumerate(roles) if role == "user"), default=0) :]

    @property
    def form(self) -> Form:
        """What the answer is to be."""
        functions = {one["function"]["name"]: one["function"] for one in self.tools or () if "function" in one}
        choice = self.tool_choice or "auto"
        if isinstance(choice, dict):
            choice = str(choice.get("function", {}).get("name", "required"))
        choice = "required" if choice == "any" else choice
        if functions and choice not in ("none", "auto", "required", *functions):
            raise Unusable(f"tool_choice names {choice!r}, and the tools are {', '.join(functions)}")
        wanted = self.response_format or {}
        schema = wanted.get("json_schema", {}).get("schema")
        return Form(functions, choice, as_json=wanted.get("type") in ("json_object", "json_schema"), schema=schema)


def parse(body: bytes) -> Chat:
    """Read a request.

    Raises
    ------
    Unusable
        When it is none, has no messages, or wants a stream or several answers.
    """
    try:
        chat = msgspec.json.decode(body, type=Chat)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Unusable(f"not a chat request: {error}") from None
    if not chat.messages:
        raise Unusable("a chat request without messages")
    if chat.stream:
        raise Unusable("answers are not streamed here")
    if chat.n not in (None, 1):
        raise Unusable("one answer at a time")
    return chat


def conversation(chat: Chat, instruction: str, tidy: Callable[[str], str]) -> tuple[Message, ...]:
    """The messages of a request as ours, with what is to be said of the form at the end of the system prompt.

    Calls and their results, which our messages have no place for, are told as text. Neighbours of one role are one
    message, for many models know only turns.
    """
    said = [_told(message) for message in chat.messages]
    if instruction:
        at = next((place for place, one in enumerate(said) if one.role == "system"), None)
        if at is None:
            said.insert(0, Message("system", instruction))
        else:
            said[at] = Message("system", f"{said[at].content}\n\n{instruction}")
    return merged(Message(one.role, tidy(one.content)) for one in said)


def merged(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Messages without empty ones, neighbours of one role as one."""
    said = (message for message in messages if message.content)
    turns = groupby(said, key=lambda message: message.role)
    return tuple(Message(role, "\n\n".join(message.content for message in turn)) for role, turn in turns)


def asked_again(messages: Sequence[Message], answer: str, problem: str) -> tuple[Message, ...]:
    """The conversation with an answer in it that did not fit, and what was wrong with it."""
    complaint = Message("user", texts().again.replace("{problem}", problem))
    return merged((*messages, Message("assistant", answer), complaint))


def reply(
    chat: Chat, number: int, read: Read, responses: Sequence[Response], otherwise: dict[str, int] | None = None
) -> dict[str, Any]:
    """A chat completion; ``number`` makes its identifiers the same whenever the same is asked.

    ``otherwise`` is its count of tokens where the model says none.
    """
    message: dict[str, Any] = {"role": "assistant", "content": read.text}
    finish = "length" if responses[-1].finish == "length" else "stop"
    if responses[-1].finish == "content_filter":
        finish = "content_filter"
    if read.calls:
        message = {"role": "assistant", "content": None}
        message["tool_calls"] = [_called(call, f"call_{number}_{at}") for at, call in enumerate(read.calls)]
        finish = "tool_calls"
    found: dict[str, Any] = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": chat.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
    }
    if (usage := _usage(responses) or otherwise) is not None:
        found["usage"] = usage
    return found


def _usage(responses: Sequence[Response]) -> dict[str, int] | None:
    """What all asks together took; None where a model did not say, for a guess is not counted."""
    prompt = [one.prompt_tokens for one in responses if one.prompt_tokens is not None]
    completion = [one.completion_tokens for one in responses if one.completion_tokens is not None]
    if len(prompt) < len(responses) or len(completion) < len(responses):
        return None
    return _count(sum(prompt), sum(completion))


def estimated(messages: Sequence[Message], responses: Sequence[Response]) -> dict[str, int]:
    """About how many tokens all asks together took: four bytes of text for each, as Letta itself estimates."""
    prompt = sum(len(message.content.encode()) for message in messages) * len(responses)
    return _count(prompt // 4, sum(len(one.text.encode()) for one in responses) // 4)


def _count(prompt: int, completion: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _called(call: Call, name: str) -> dict[str, Any]:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return {"id": name, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _told(message: Mapping[str, Any]) -> Message:
    role, content = str(message.get("role")), _text(message.get("content"))
    if role == "assistant":
        calls = [_as_told(call) for call in message.get("tool_calls") or ()]
        if not calls:
            return Message("assistant", content)
        told = texts().called.replace("{calls}", json.dumps(calls, ensure_ascii=False))
        return Message("assistant", "\n\n".join(filter(None, (content, told))))
    if role not in _ROLES:
        raise Unusable(f"a message of role {role!r}")
    if role == "tool":
        told = texts().result.replace("{call}", str(message.get("tool_call_id", "a call")))
        return Message("user", told.replace("{content}", content))
    return Message("system" if _ROLES[role] == "system" else "user", content)


def _as_told(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call.get("function", {})
    try:
        arguments = json.loads(well_formed_json(function.get("arguments") or "{}"))
    except (ValueError, RecursionError):
        arguments = function["arguments"]
    return {"name": function.get("name"), "arguments": arguments}


def _text(content: Any) -> str:
    """The words of a message, given as text or in parts.

    Raises
    ------
    Unusable
        For a part that is no text.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise Unusable("a message whose content is neither text nor parts")
    parts = []
    for part in content:
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, dict) and part.get("type") == "text":
            parts.append(str(part["text"]))
        else:
            raise Unusable("a part of a message that is no text")
    return "\n".join(parts)
