"""A server in a thread of its own that sends whatever bytes a test wants, well-formed HTTP or not."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

from fault_server import body_of

_SLICE = 1 << 16
Piece = bytes | float
"""Bytes to send, or seconds to wait before the next."""
Asked = dict[str, Any]
Behaviour = Callable[[Asked, int], bytes | Sequence[Piece]]
"""From the body of a request, and how often the very same came before, to what is sent."""


def http(body: Any = None, status: str = "200 OK", version: str = "1.1", **headers: str) -> bytes:
    """A reply: JSON (or bytes as they are) with its length, and headers (``Retry_After`` for Retry-After)."""
    raw = body if isinstance(body, bytes) else json.dumps(body_of() if body is None else body).encode()
    named = {"Content_Type": "application/json", "Content_Length": str(len(raw)), **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in named.items())
    return f"HTTP/{version} {status}\r\n{lines}\r\n".encode() + raw


def fine(asked: Asked, again: int) -> bytes:
    """Answer well."""
    return http()


class RawServer(threading.Thread):
    """Sends what ``behave`` says; after b"" it closes the connection.

    ``asked`` holds the bodies that came, ``heads`` the heads of requests; ``models`` is the answer to GET.
    """

    def __init__(self, behave: Behaviour = fine) -> None:
        super().__init__(daemon=True)
        self.behave, self.models = behave, http({"data": []})
        self.asked: list[Asked] = []
        self.heads: list[str] = []
        self._times: dict[str, int] = {}
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self.port = 0
        self.start()
        assert self._ready.wait(600)

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> RawServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self.join(10)

    def run(self) -> None:
        """Serve."""
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._ended = asyncio.Event()
        self._open: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._ended.wait()
        server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the other side has hung up, or the test is over
        finally:
            self._open.discard(task)
            writer.transport.abort()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.heads.append(head)
        if head.startswith("GET"):
            return await self._send(writer, [self.models])
        length = next(line for line in head.split("\r\n") if line.lower().startswith("content-length:"))
        body = await reader.readexactly(int(length.partition(":")[2]))
        asked = json.loads(body)
        key = json.dumps(asked["messages"])
        self._times[key] = self._times.get(key, -1) + 1
        self.asked.append(asked)
        said = self.behave(asked, self._times[key])
        return await self._send(writer, [said] if isinstance(said, bytes) else said)

    async def _send(self, writer: asyncio.StreamWriter, pieces: Sequence[Piece]) -> bool:
        for piece in pieces:
            if isinstance(piece, bytes):
                if not piece:
                    return False
                for at in range(0, len(piece), _SLICE):
                    writer.write(piece[at : at + _SLICE])
                    await writer.drain()
            else:
                await asyncio.sleep(piece)
        return True
