"""A Letta server's own interface: where it is, what it is asked, what is said when it does not answer."""

from __future__ import annotations

import asyncio
import os
from http.client import HTTPException
from time import monotonic
from typing import Any, TypeVar, overload
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, build_opener
from weakref import WeakKeyDictionary

import aiohttp
import msgspec
from msgspec import Struct

from personae.bodies import SAID, TooLong, read_beginning, read_body
from personae.breaker import Breaker
from personae.errors import BadInput, ModelError, PersonaeError
from personae.secrets import IN_USE, bare_url

T = TypeVar("T")
ADDRESS, PASSWORD = "PERSONAE_LETTA_URL", "PERSONAE_LETTA_PASSWORD"
"""Environment variables: where the server is, and its password where it wants one."""
USUAL = "http://127.0.0.1:8283"
_HERE = ("127.0.0.1", "localhost", "::1")
_PATIENCE = aiohttp.ClientTimeout(total=3600, sock_connect=10)  # seconds; a write waits for the model
_SOON = 10  # seconds
_SHOWN = 300  # letters of what a server says
_LONGEST = 64 << 20  # bytes of an answer


def address() -> str:
    """Where the server is.

    Raises
    ------
    BadInput
        When it is not on this computer: the server gets its model and its encoder at an address of 127.0.0.1.
    """
    found = os.environ.get(ADDRESS) or USUAL
    allowed = f"an address on this computer such as {USUAL}, for the server gets its model from 127.0.0.1"
    try:
        parts = urlsplit(found)
        here = parts.scheme in ("http", "https") and parts.hostname in _HERE and parts.port != 0
    except ValueError:
        here = False
    if not here or parts.username is not None:
        allowed += f"; a password comes from {PASSWORD}" if "@" in found else ""
        raise BadInput(ADDRESS, bare_url(found), allowed)
    return found.rstrip("/")


def version() -> str:
    """The version of the server, of which nothing else is asked.

    Raises
    ------
    BadInput
        When there is none at its address, and nobody has answered there.
    ModelError
        When one has answered there before.
    """
    where, sent = address(), monotonic()
    opener = build_opener(ProxyHandler({}), _NoRedirect())
    said, until = bytearray(), monotonic() + _SOON
    try:
        with opener.open(f"{where}/v1/health/", timeout=_SOON) as response:
            while len(said) < SAID and monotonic() < until and (piece := response.read1(SAID)):
                said += piece
        return msgspec.json.decode(said, type=_Health).version
    except (msgspec.DecodeError, RecursionError, HTTPException):
        raise _gone(where, "what answers is no Letta server", sent) from None
    except OSError as error:
        raise _gone(where, _clean(str(error)), sent) from None


class _NoRedirect(HTTPRedirectHandler):
    """What answers elsewhere is no server of this computer."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _gone(where: str, why: str, sent: float) -> PersonaeError:
    """Nobody was ever there, which the user can mend; or nobody is there now, which is the error of an item."""
    breaker = _breaker(where)
    if not breaker.heard:
        return _nobody(where, why)
    reason = f"no answer from the Letta server at {where}: {why}"
    breaker.failed(reason, sent=sent)
    return ModelError(reason)


def _breaker(where: str) -> Breaker:
    return _BREAKERS.setdefault(where, Breaker(f"the Letta server at {where}"))


def _nobody(where: str, why: str) -> BadInput:
    allowed = f"a Letta server that is running there ({why}): `make letta` installs one, `make letta-server` runs it"
    return BadInput(ADDRESS, where, allowed)


_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


def _turn() -> asyncio.Lock:
    """Whose turn it is to ask a server.

    Memories side by side take turns: asked several things at once the server now and then waits half a minute for a
    connection to its database, and a tool of its agent then gives up.
    """
    return _TURNS.setdefault(asyncio.get_running_loop(), asyncio.Lock())


_BREAKERS: dict[str, Breaker] = {}
"""By address: whether a server has ever answered, and what failed since."""


class _Health(Struct):
    version: str


class Server:
    """A connection to the server that `address` names; opened at the first request.

    Raises
    ------
    BadInput
        See `address`.
    """

    def __init__(self) -> None:
        self.address = address()
        self.breaker = _breaker(self.address)
        self._session: aiohttp.ClientSession | None = None

    @overload
    async def ask(self, method: str, path: str, body: Any = ..., *, query: Any = ..., form: type[T]) -> T: ...

    @overload
    async def ask(self, method: str, path: str, body: Any = ..., *, query: Any = ..., form: None = ...) -> None: ...

    async def ask(
        self, method: str, path: str, body: Any = None, *, query: Any = None, form: type[T] | None = None
    ) -> T | None:
        """Ask, and read the answer as what it is to be; what is said beside that is passed over.

        Parameters
        ----------
        form : type, optional
            None where nothing is to be read.

        Raises
        ------
        BadInput
            When nobody answers there, and nobody ever did.
        ModelError
            The same of a server that has answered before: what is being done fails, and a later run does it again.
        PersonaeError
            When the server refuses, with what it says.
        NothingComesBack
            When every request has failed for a while.
        """
        sent = monotonic()
        try:
            status, said = await self._exchange(method, path, body, query)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _gone(self.address, _clean(str(error)) or type(error).__name__, sent) from None
        except TooLong as error:
            raise _gone(self.address, str(error), sent) from None
        if status >= 300:
            words = _clean(said.decode("utf-8", "replace"))
            refusal = f"Letta refused {method} {path} ({status}): {words}"
            if not self.breaker.heard:
                raise PersonaeError(refusal)
            self.breaker.failed(refusal, sent=sent)
            raise ModelError(refusal)
        try:
            found = None if form is None else msgspec.json.decode(_without_keys(said), type=form)
        except (msgspec.DecodeError, RecursionError):
            raise _gone(self.address, "what answers is no Letta server", sent) from None
        self.breaker.answered(monotonic())
        return found

    async def _exchange(self, method: str, path: str, body: Any, query: Any) -> tuple[int, bytes]:
        if self._session is None:
            password = os.environ.get(PASSWORD)
            IN_USE.add(password)
            headers = {"Authorization": f"Bearer {password}"} if password else {}
            self._session = aiohttp.ClientSession(timeout=_PATIENCE, headers=headers)
        url = f"{self.address}/v1{path}"
        given = {"json": body, "params": query, "allow_redirects": False}
        async with _turn(), self._session.request(method, url, **given) as response:
            good = response.status < 300
            return response.status, await (read_body(response, _LONGEST) if good else read_beginning(response))

    async def close(self) -> None:
        """Let go of the connection."""
        if self._session is not None:
            await self._session.close()
            self._session = None


def _without_keys(said: bytes) -> bytes:
    """An answer whose texts, which are kept, hold no key; where a key has a quotation mark, it may be JSON no more."""
    return IN_USE.struck(said.decode("utf-8", "replace")).encode() if IN_USE else said


def _clean(text: str) -> str:
    return " ".join(IN_USE.struck(text[: 4 * _SHOWN]).split())[:_SHOWN]
