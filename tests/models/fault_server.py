"""A chat completions server on this machine that misbehaves as a test tells it to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

Behaviour = Callable[[web.Request], Awaitable[web.StreamResponse]]


def body_of(text: Any = "fine", finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    """A well-formed reply."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    return {"id": "x", "choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}


def says(body: Any, status: int = 200, **headers: str) -> Behaviour:
    """Answer with JSON (or bytes as they are), a status and headers (``Retry_After`` for Retry-After)."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def behave(request: web.Request) -> web.StreamResponse:
        return web.Response(body=raw, status=status, headers=named, content_type="application/json")

    return behave


def answers(text: str | None = "fine", finish: str | None = "stop", **message: Any) -> Behaviour:
    """Answer well."""
    return says(body_of(text, finish, **message))


def fails(status: int, message: str = "went wrong", code: str = "", param: str = "", **headers: str) -> Behaviour:
    """Answer with an error in OpenAI's form."""
    return says({"error": {"message": message, "code": code, "param": param}}, status, **headers)


async def resets(request: web.Request) -> web.StreamResponse:
    """Break the connection off."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def half(request: web.Request) -> web.StreamResponse:
    """Promise more bytes than are sent, then close."""
    response = web.StreamResponse(headers={"Content-Length": "10000", "Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(json.dumps(body_of()).encode()[:40])
    assert request.transport is not None
    request.transport.close()
    return response


def slow(seconds: float) -> Behaviour:
    """Answer well, late."""

    async def behave(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return await answers()(request)

    return behave


class FaultServer:
    """Plays one behaviour of ``script`` per request, in order, then ``then`` for ever.

    ``requests`` holds the bodies received, ``headers`` their headers, ``times`` when they came, ``most`` how many were
    in flight at once; ``asked`` is set by the first.
    """

    def __init__(self) -> None:
        self.script: list[Behaviour] = []
        self.then: Behaviour = answers()
        self.models: Behaviour = says({"data": []})
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.paths: list[str] = []
        self.most = self._now = 0
        self.asked = asyncio.Event()
        self._stopping = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def start(self) -> None:
        """Listen on a free port of 127.0.0.1."""
        app = web.Application()
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/{path:.*}/chat/completions", self._chat)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"

    async def stop(self) -> None:
        """Let go of what hangs and stop listening."""
        self._stopping.set()
        if self._runner is not None:
            await self._runner.cleanup()

    async def hangs(self, request: web.Request) -> web.StreamResponse:
        """Never answer; as long as the server lives."""
        await self._stopping.wait()
        return web.Response(status=503)

    async def _models(self, request: web.Request) -> web.StreamResponse:
        self.headers.append(dict(request.headers))
        return await self.models(request)

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(await request.json())
        self.asked.set()
        self.headers.append(dict(request.headers))
        self.times.append(asyncio.get_running_loop().time())
        self.paths.append(request.path)
        behave = self.script.pop(0) if self.script else self.then
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            return await behave(request)
        finally:
            self._now -= 1
