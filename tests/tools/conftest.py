"""A server on this computer that says what a test wants it to say."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@dataclass
class Pages:
    """What stands at which path, and who asked for what."""

    address: str
    at: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)


@pytest.fixture
def pages() -> Iterator[Pages]:
    """Pages on 127.0.0.1; 404 where there is none."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.asked.append((self.path, self.headers["Authorization"]))
            status, body = told.at.get(self.path, (404, b"no such page"))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        told = Pages(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield told
        server.shutdown()
        thread.join()
