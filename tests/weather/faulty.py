"""A server on this machine that answers well, and in one of ten requests shows one of fourteen kinds of fault.

Run as a script in a process of its own: ``python faulty.py LOG SEED`` prints its port and serves until standard input
closes; then LOG holds a line for every request: who asked (`name_of` its messages), which kind of fault it met, and
when. Which it meets is drawn from the seed, the messages and how often the same came before, so it does not depend on
who is faster; the first requests meet none, for a server that has not yet answered may be the wrong one.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

SHARE = 0.1
WARM = 16
STALL = 20.0
DEEP = 100_000

ANSWER, FILTERED, AGAIN, REFUSED = "answer", "filtered", "again", "refused"
"""What is to become of a reply: an answer, an answer without words, another attempt, an error of its item."""


class Kind(NamedTuple):
    """A kind of fault: what is to become of it, and what the reason of an error that comes of it says."""

    becomes: str
    says: str = ""


FINE = "none"
KINDS = {
    "429, Retry-After or retry-after-ms": Kind(AGAIN, "HTTP 429"),
    "500": Kind(AGAIN, "HTTP 500"),
    "503": Kind(AGAIN, "HTTP 503"),
    "closed before a reply": Kind(AGAIN, "connection lost"),
    "closed within the body": Kind(AGAIN, "half a reply"),
    "gzip that is cut": Kind(AGAIN, "broken JSON"),
    "broken JSON": Kind(AGAIN, "broken JSON"),
    "empty body": Kind(AGAIN, "broken JSON"),
    "HTML with status 200": Kind(AGAIN, "broken JSON"),
    "JSON nested 100,000 deep": Kind(AGAIN, "nested too deeply"),
    "20 s without a word": Kind(AGAIN, "no answer within"),
    "usage of 2^63 and more": Kind(ANSWER),
    "content_filter, null content": Kind(FILTERED),
    "403": Kind(REFUSED, "HTTP 403"),
    FINE: Kind(ANSWER),
}
"""By name, in the order in which they are drawn; the last is no fault."""


class Met(NamedTuple):
    """What a request met: a name of `KINDS`, and when it came, in seconds of the monotonic clock."""

    kind: str
    at: float


def name_of(messages: object) -> str:
    """A short name of a request's messages, whoever encoded them."""
    return blake2b(json.dumps(messages, sort_keys=True).encode(), digest_size=8).hexdigest()


def said_to(name: str) -> str:
    """The answer: another one for each request, so that none can be taken for another's."""
    return f"{'AB'[int(name[0], 16) % 2]}) said to {name}"


class Log:
    """The address of a server, and when it has ended what each request met, in the order in which they came."""

    url = ""
    met: dict[str, list[Met]]


@contextmanager
def serving(folder: Path, seed: int) -> Iterator[Log]:
    """The server, for as long as the context lasts."""
    path, log = folder / f"requests-{seed}.jsonl", Log()
    server = subprocess.Popen(
        [sys.executable, __file__, str(path), str(seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        log.url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        yield log
    finally:
        server.stdin.close()
        try:
            server.wait(timeout=600)
        finally:
            server.kill()
            server.wait()
            server.stdout.close()
    log.met = {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            name, kind, at = json.loads(line)
            log.met.setdefault(name, []).append(Met(kind, at))


# -- in the server's own process -----------------------------------------------------------------------------------


def _http(body: bytes, status: str = "200 OK", length: int | None = None, **headers: str) -> bytes:
    named = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\n{lines}Content-Length: {size}\r\n\r\n".encode() + body


def _body(text: str | None, finish: str = "stop", tokens: int = 7) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": tokens, "completion_tokens": tokens}}).encode()


def _error(status: str, **headers: str) -> bytes:
    return _http(json.dumps({"error": {"message": "not now", "code": "none"}}).encode(), status, **headers)


def _reply(kind: str, name: str) -> bytes:
    """What is sent: nothing of a stall, and nothing before a connection is closed."""
    odd, good = int(name[-1], 16) % 2, _body(said_to(name))
    pauses: Sequence[dict[str, str]] = ({"Retry_After": "0"}, {"retry_after_ms": "5"})
    replies = {
        "429, Retry-After or retry-after-ms": lambda: _error("429 Too Many Requests", **pauses[odd]),
        "500": lambda: _error("500 Internal Server Error"),
        "503": lambda: _error("503 Service Unavailable"),
        "closed within the body": lambda: _http(good[:40], length=len(good)),
        "gzip that is cut": lambda: _http(gzip.compress(good)[: len(good) // 3], Content_Encoding="gzip"),
        "broken JSON": lambda: _http(good[:-9]),
        "empty body": lambda: _http(b""),
        "HTML with status 200": lambda: _http(b"<html><body>Please log in.</body></html>", Content_Type="text/html"),
        "JSON nested 100,000 deep": lambda: _http(b'{"more": ' + b"[" * DEEP + b"]" * DEEP + b", " + good[1:]),
        "usage of 2^63 and more": lambda: _http(_body(said_to(name), tokens=10**30 if odd else 2**63)),
        "content_filter, null content": lambda: _http(_body(None, "content_filter")),
        "403": lambda: _error("403 Forbidden"),
        FINE: lambda: _http(good),
    }
    return replies[kind]() if kind in replies else b""


class Faulty:
    """Draws what requests meet, and notes it."""

    def __init__(self, seed: str) -> None:
        self._seed, self._before = seed.encode(), Counter[str]()
        self.lines: list[str] = []

    def meets(self, name: str) -> str:
        """The kind of fault of the next request of this name."""
        self._before[name] += 1
        drawn = blake2b(f"{name}/{self._before[name]}".encode(), digest_size=12, key=self._seed).digest()
        faulty = len(self.lines) >= WARM and int.from_bytes(drawn[:8]) < SHARE * 2**64
        kind = list(KINDS)[int.from_bytes(drawn[8:]) % (len(KINDS) - 1)] if faulty else FINE
        self.lines.append(json.dumps([name, kind, time.monotonic()]))
        return kind


class Connection(asyncio.Protocol):
    """One connection: a reply for every request, as it was drawn."""

    def __init__(self, faulty: Faulty) -> None:
        self._faulty, self._waiting = faulty, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._waiting += data
        end = self._waiting.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self._waiting[:end].lower()
        at = head.find(b"content-length:")
        length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
        if len(self._waiting) >= end + 4 + length:
            body, self._waiting = self._waiting[end + 4 : end + 4 + length], self._waiting[end + 4 + length :]
            self._answer(body)

    def _answer(self, body: bytes) -> None:
        if not body:  # GET /models
            self._transport.write(_http(b'{"data": []}'))
            return
        name = name_of(json.loads(body)["messages"])
        kind = self._faulty.meets(name)
        self._transport.write(_reply(kind, name))
        if kind == "closed before a reply":
            self._transport.abort()
        elif kind == "closed within the body":
            self._transport.close()
        elif kind == "20 s without a word":
            asyncio.get_running_loop().call_later(STALL, self._transport.abort)


async def _serve(faulty: Faulty) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(faulty), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    drawing = Faulty(sys.argv[2])
    asyncio.run(_serve(drawing))
    Path(sys.argv[1]).write_text("".join(f"{line}\n" for line in drawing.lines), encoding="utf-8")
