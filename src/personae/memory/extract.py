"""Extracting what is worth keeping of an exchange, for the memories of our own: one question to the model, one list."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from msgspec import Struct

from personae.coding.screen import endless
from personae.memory.base import Exchange
from personae.memory.gateway_chat import asked_again
from personae.memory.gateway_form import unfenced
from personae.memory.gateway_scope import writing
from personae.personas import Strict, read_yaml
from personae.types import Message, Trial

TOKENS = 512
TRIES = 2
"""As often as memory systems of others are asked for JSON."""


class ExtractTexts(Strict):
    """The file ``extract.yaml``."""

    system: str
    exchange: str


class Facts(Struct, frozen=True):
    """What was extracted; or, instead, why the answer cannot be read."""

    texts: tuple[str, ...] = ()
    problem: str = ""


@cache
def texts() -> ExtractTexts:
    """What the extracting model is told."""
    return read_yaml(Path(__file__).with_name("extract.yaml"), ExtractTexts)


def extract_messages(exchange: Exchange) -> tuple[Message, ...]:
    """The whole conversation in which a model is asked what to keep of an exchange."""
    before, _, after = texts().exchange.partition("{user}")
    told = before + exchange.user + after.replace("{agent}", exchange.agent)
    return (Message("system", texts().system), Message("user", told))


def read_facts(answer: str) -> Facts:
    """Read an answer strictly: a JSON list of texts, alone or in a code fence.

    Returns
    -------
    Facts
        Each text once, without blanks around it. An empty list is an answer: there was nothing to keep.
    """
    try:
        found = json.loads(unfenced(answer))
    except (ValueError, RecursionError):
        return Facts(problem="it is not JSON")
    if not isinstance(found, list):
        return Facts(problem="it is not a JSON list")
    if not all(isinstance(text, str) and text.strip() for text in found):
        return Facts(problem="not everything in the list is a text with words in it")
    return Facts(tuple(dict.fromkeys(text.strip() for text in found)))


async def extracted(exchange: Exchange) -> tuple[str, ...]:
    """Ask for the facts of an exchange, in the scope of the running write.

    Returns
    -------
    tuple of str
        Nothing where the answer could not be read, not even when asked once more; the scope's ``unread`` says why.

    Raises
    ------
    PersonaeError
        Outside of any `personae.memory.gateway.scope`; what the ask raised.
    """
    scope, messages = writing(), extract_messages(exchange)
    for _ in range(TRIES):
        trial = Trial(messages=messages, temperature=0.0, max_tokens=TOKENS, meta={"form": "list"})
        response = await scope.next(trial)
        said, reason = response.text, endless(response)
        facts = Facts(problem=f"it is {reason}") if reason else read_facts(said)
        if not facts.problem:
            return facts.texts
        messages = asked_again(messages, said, facts.problem)
    scope.unread.append(facts.problem)
    return ()
