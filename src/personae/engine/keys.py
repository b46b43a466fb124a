"""Keys and fingerprints: under which name an answer is kept, and to which request it belongs."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b

import msgspec

from personae.types import Item, Message, Trial

_encode = msgspec.json.Encoder().encode
_decode_messages = msgspec.json.Decoder(tuple[Message, ...]).decode
_ESCAPE = re.compile("%(?=23|25)")
_SHOWN, _LED_BY = 60, 20  # characters of an excerpt, and how many of them the two texts share


def item_key(item: Item, version: int) -> str:
    """Name an item over all runs: ``study@version/item``; ``#`` is kept for what follows the item."""
    return f"{item.study}@{version}/{escaped(item.id)}"


def escaped(name: str) -> str:
    """A name without ``#``, another one for every name: what would read as an escape is escaped itself."""
    return _ESCAPE.sub("%25", name).replace("#", "%23") if "#" in name or "%2" in name else name


def answer_key(item: str, trial: Trial) -> str:
    """Name an answer: the item's key, the step, the repeat."""
    return f"{item}#{trial.step}/{trial.repeat}"


@lru_cache(maxsize=4096)
def _params(
    temperature: float | None,
    top_k: int | None,
    top_p: float | None,
    max_tokens: int,
    seed: int | None,
    stop: tuple[str, ...],
    top_logprobs: int,
    grammar: str | None,
    to: str,
) -> str:
    named = {
        "temperature": temperature,
        "top_k": top_k,
        "top_p": top_p,
        "max_tokens": max_tokens,
        "seed": seed,
        "stop": stop or None,
        "top_logprobs": top_logprobs or None,
        "grammar": grammar,
        "to": to or None,
    }
    return _encode({name: value for name, value in named.items() if value is not None}).decode()


def sampling(trial: Trial) -> str:
    """Everything that is sent beside the messages, as JSON text."""
    return _params(
        trial.temperature,
        trial.top_k,
        trial.top_p,
        trial.max_tokens,
        trial.seed,
        trial.stop,
        trial.top_logprobs,
        trial.grammar,
        trial.to,
    )


def prompt_of(trial: Trial) -> tuple[bytes, bytes]:
    """Hash and JSON text of the messages: prompts are stored once, by hash."""
    text = _encode(trial.messages)
    return blake2b(text, digest_size=16).digest(), text


def fingerprint(prompt: bytes, params: str) -> bytes:
    """Hash of the whole request: what was said and how it was sampled."""
    return blake2b(params.encode(), digest_size=16, key=prompt).digest()


def describe_change(stored_messages: bytes, stored_params: str, trial: Trial) -> str:
    """Say in words what differs between a stored request and the one asked now."""
    said: list[str] = []
    old, new = _decode_messages(stored_messages), trial.messages
    if len(old) != len(new):
        said.append(f"messages: {len(old)} became {len(new)}")
    for number, (was, now) in enumerate(zip(old, new, strict=False), start=1):
        if was != now:
            before, after = _where_they_differ(was.content, now.content)
            said.append(f"message {number} ({was.role}) {before!r} became ({now.role}) {after!r}")
    sent: dict[str, object] = msgspec.json.decode(stored_params)
    wanted: dict[str, object] = msgspec.json.decode(sampling(trial))
    for name in sorted(sent.keys() | wanted.keys()):
        if sent.get(name) != wanted.get(name):
            said.append(f"{name} {sent.get(name)!r} became {wanted.get(name)!r}")
    return "; ".join(said) or "the way requests are hashed"


def _where_they_differ(was: str, now: str) -> tuple[str, str]:
    """Excerpts of two texts from a few words before their first difference on."""
    alike = next((place for place, pair in enumerate(zip(was, now, strict=False)) if pair[0] != pair[1]), None)
    begin = max(0, (min(len(was), len(now)) if alike is None else alike) - _LED_BY)
    return _excerpt(was, begin), _excerpt(now, begin)


def _excerpt(text: str, begin: int) -> str:
    end = begin + _SHOWN
    return ("…" if begin else "") + text[begin:end] + ("…" if end < len(text) else "")
