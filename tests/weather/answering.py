"""A server on this machine that answers each prompt always in the same way, and knows when it gave which answer."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from contextlib import suppress
from hashlib import blake2b

from aiohttp import web


def plain(messages: object) -> str:
    """Messages as one text, whoever encoded them."""
    return json.dumps(messages, sort_keys=True)


class Asked:
    """A request: its messages as JSON, and when it was answered."""

    __slots__ = ("answered", "prompt")

    def __init__(self, prompt: str) -> None:
        self.prompt = prompt
        self.answered: float | None = None


class Loopback(threading.Thread):
    """Answer with one of two letters, which the prompt decides, after a moment.

    ``asked`` holds every request in the order in which they came.
    """

    def __init__(self, latency: float) -> None:
        super().__init__(daemon=True)
        self.latency = latency
        self.asked: list[Asked] = []
        self.url = ""
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()

    def __enter__(self) -> Loopback:
        self.start()
        assert self._ready.wait(600)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self.join(20)

    def run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        application = web.Application()
        application.router.add_post("/v1/chat/completions", self._answer)
        application.router.add_get("/v1/models", self._models)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        self._ready.set()
        await self._over.wait()
        await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        prompt = plain((await request.json())["messages"])
        asked = Asked(prompt)
        self.asked.append(asked)
        await asyncio.sleep(self.latency)
        letter = "AB"[blake2b(prompt.encode()).digest()[0] % 2]
        said = {"message": {"role": "assistant", "content": f"{letter})"}, "finish_reason": "stop"}
        body = json.dumps({"choices": [said], "usage": {"prompt_tokens": 50, "completion_tokens": 2}}).encode()
        reply = web.Response(body=body, content_type="application/json")
        with suppress(ConnectionError):  # whoever asked may be dead
            await reply.prepare(request)
            await reply.write_eof()
            asked.answered = time.monotonic()
        return reply

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"data": []})


class Given:
    """The answers that a server has given, and those of them that a killed process may lose."""

    def __init__(self, server: Loopback) -> None:
        self._server, self._from = server, len(server.asked)
        self.safe: Counter[str] = Counter()
        self.in_danger = 0

    def end_sitting(self, at: float, held: float) -> None:
        """A process was killed: what it was answered longer than so many seconds before must be kept."""
        sitting = self._server.asked[self._from :]
        self._from += len(sitting)
        for asked in sitting:
            if asked.answered is not None and asked.answered < at - held:
                self.safe[asked.prompt] += 1
            else:
                self.in_danger += 1

    def lost(self, stored: Counter[str]) -> int:
        """Answers that are not stored though they were given in time."""
        return (self.safe - stored).total()

    doubled = lost
    """Answers that were asked for though they were stored: more were given in time than there are keys for them."""
