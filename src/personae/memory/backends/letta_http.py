"""A Letta server's own interface: where it is, what it is asked, what is said when it does not answer."""

from __future__ import annotations

import asyncio
import os
from typing import Any
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener
from weakref import WeakKeyDictionary

import aiohttp
import msgspec
from msgspec import Struct

from personae.errors import BadInput, PersonaeError

ADDRESS, PASSWORD = "PERSONAE_LETTA_URL", "PERSONAE_LETTA_PASSWORD"
"""Environment variables: where the server is, and its password where it wants one."""
USUAL = "http://127.0.0.1:8283"
_HERE = ("127.0.0.1", "localhost", "::1")
_PATIENCE = aiohttp.ClientTimeout(total=3600, sock_connect=10)  # seconds; a write waits for the model
_SOON = 10  # seconds
_SHOWN = 300  # letters of what a server says


def address() -> str:
    """Where the server is.

    Raises
    ------
    BadInput
        When it is not on this computer: the server gets its model and its encoder at an address of 127.0.0.1.
    """
    found = os.environ.get(ADDRESS) or USUAL
    parts = urlsplit(found)
    if parts.scheme not in ("http", "https") or parts.hostname not in _HERE:
        allowed = f"an address on this computer such as {USUAL}, for the server gets its model from 127.0.0.1"
        raise BadInput(ADDRESS, found, allowed)
    return found.rstrip("/")


def version() -> str:
    """The version of the server, of which nothing else is asked.

    Raises
    ------
    BadInput
        When there is none at its address.
    """
    where = address()
    opener = build_opener(ProxyHandler({}))
    try:
        with opener.open(f"{where}/v1/health/", timeout=_SOON) as response:
            return msgspec.json.decode(response.read(), type=_Health).version
    except msgspec.DecodeError:
        raise _nobody(where, "what answers is no Letta server") from None
    except OSError as error:
        raise _nobody(where, str(error)) from None


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
        self._session: aiohttp.ClientSession | None = None

    async def ask(self, method: str, path: str, body: Any = None, *, query: Any = None) -> Any:
        """Ask, and read the answer; None where it is empty.

        Raises
        ------
        BadInput
            When nobody answers there.
        PersonaeError
            When the server refuses, with what it says.
        """
        if self._session is None:
            password = os.environ.get(PASSWORD)
            headers = {"Authorization": f"Bearer {password}"} if password else {}
            self._session = aiohttp.ClientSession(timeout=_PATIENCE, headers=headers)
        try:
            url = f"{self.address}/v1{path}"
            async with _turn(), self._session.request(method, url, json=body, params=query) as response:
                status, said = response.status, await response.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise _nobody(self.address, str(error) or type(error).__name__) from None
        if status >= 400:
            raise PersonaeError(f"Letta refused {method} {path} ({status}): {said.decode('utf-8', 'replace')[:_SHOWN]}")
        try:
            return msgspec.json.decode(said) if said else None
        except msgspec.DecodeError:
            raise _nobody(self.address, "what answers is no Letta server") from None

    async def close(self) -> None:
        """Let go of the connection."""
        if self._session is not None:
            await self._session.close()
            self._session = None
