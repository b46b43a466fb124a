"""Known servers of chat completions: where they are, which key they want, what they take."""

from __future__ import annotations

import ipaddress
import os
import re
from functools import cache
from importlib.resources import files
from typing import Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from yarl import URL

from personae.errors import BadInput
from personae.models.base import Capabilities
from personae.secrets import IN_USE, bare_url
from personae.yamlfile import own_yaml

_AT = re.compile("@(?=https?://)", re.IGNORECASE)
Prefill = Literal["none", "plain", "continue", "prefix"]
Grammar = Literal["grammar", "structured_outputs", "ebnf"]


class Preset(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of one server; see the header of ``presets.yaml`` for the words.

    ``own`` marks servers that users run themselves: no price per token. ``seed`` may name the field the
    seed goes into where it is not called ``seed``.
    """

    title: str
    base_url: str
    base_url_env: str
    key_env: str
    key_needed: bool = True
    own: bool = False
    concurrency: int = 16
    top_k: bool = True
    seed: bool | Literal["random_seed"] = True
    top_logprobs: int = 0
    prefill: Prefill = "none"
    prefill_base_url: str | None = None
    grammar: Grammar | None = None
    max_tokens: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"

    @property
    def capabilities(self) -> Capabilities:
        """What a model behind this server can do."""
        return Capabilities(
            top_logprobs=self.top_logprobs, prefill=self.prefill != "none", grammar=self.grammar is not None
        )


@cache
def presets() -> dict[str, Preset]:
    """Every known server by name."""
    text = files("personae.models").joinpath("presets.yaml").read_text(encoding="utf-8")
    return msgspec.convert(own_yaml(text), dict[str, Preset])


def base_url(preset: Preset, given: str | None = None) -> str:
    """The base URL to use: what was given, else the environment's, else the preset's; no slash at its end.

    Raises
    ------
    BadInput
        When it is no http(s) URL, or carries a user name, password or query.
    """
    if given:
        return _checked("base URL", given)
    if found := os.environ.get(preset.base_url_env):
        return _checked(preset.base_url_env, found)
    return preset.base_url


def split_url(name: str) -> tuple[str, str | None]:
    """A model's name, and the URL behind an ``@`` in it.

    Only a URL ends a name: models may have an @ in theirs (``@cf/meta/llama-3``).
    """
    model, *url = _AT.split(name, maxsplit=1)
    return model, url[0] if url else None


def shown(name: str) -> str:
    """A model's name as it may be shown, without what may be a password in its URL."""
    model, url = split_url(name)
    return model if url is None else f"{model}@{bare_url(url)}"


def _checked(field: str, url: str) -> str:
    url = url.strip()
    IN_USE.add_url(url)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        URL(url.strip())  # what asks by it refuses more than what takes it apart
    except ValueError:
        raise BadInput(field, bare_url(url), "a URL such as http://127.0.0.1:8000/v1") from None
    # Shown without what may be a secret: the name of a model is kept in the store and printed.
    if parts.username is not None or parts.password or parts.query or parts.fragment:
        allowed = "a URL without user name, password or query: keys come from the environment"
        raise BadInput(field, bare_url(url), allowed)
    if not usable:
        raise BadInput(field, bare_url(url), "a URL such as http://127.0.0.1:8000/v1")
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/").removesuffix("/chat/completions")


def is_local(url: str) -> bool:
    """Whether a URL points at this machine or its own network."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host
    return address.is_loopback or address.is_private or address.is_link_local


def api_key(preset: Preset, name: str, url: str) -> str | None:
    """The key from the environment; None where there is none and none is needed.

    A server on this machine or its own network may need none whatever its preset; if it does, it will say so.

    Raises
    ------
    BadInput
        When a key is needed and the variable is not set, or holds what no header can carry.
    """
    key = os.environ.get(preset.key_env, "").strip()
    if not key:
        if preset.key_needed and not is_local(url):
            allowed = f"the API key of {preset.title} in this environment variable, to ask {name}"
            raise BadInput(preset.key_env, None, allowed)
        return None
    if not (key.isascii() and key.isprintable()) or " " in key:
        found = "a value with blanks or unprintable characters"
        raise BadInput(preset.key_env, found, f"the API key of {preset.title}")
    IN_USE.add(key)
    return key
