"""A server that fails or cannot do what is needed: why is said, in the terminal and on the page."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import polars as pl
import pytest
from typer.testing import Result

from personae.pages import why_errors

Personae = Callable[..., Result]
ANSWER = {"choices": [{"message": {"role": "assistant", "content": "A"}, "finish_reason": "stop"}]}


class Server(ThreadingHTTPServer):
    """Gives every question the same answer, and counts them."""

    status, asked = 200, 0


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.reply(200, {"data": []})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked += 1
        failed = {"error": {"message": "out of memory"}}
        self.reply(self.server.status, ANSWER if self.server.status == 200 else failed)

    def reply(self, status: int, body: object) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as started:
        thread = threading.Thread(target=started.serve_forever)
        thread.start()
        yield started
        started.shutdown()
        thread.join()


def model(server: Server) -> str:
    return f"vllm/m@http://127.0.0.1:{server.server_address[1]}/v1"


@pytest.mark.slow  # the encoders are loaded
def test_why_every_item_failed_is_said_in_the_terminal_and_on_the_page(
    personae: Personae, server: Server, tmp_path: Path
) -> None:
    server.status = 500
    out = tmp_path / "run"
    result = personae("run", "associations.answers", "-m", model(server), "--retries", "0", "-o", out)
    assert result.exit_code == 3
    why = "36 of 36 items ended in error: HTTP 500: out of memory"
    assert why in result.stderr
    assert why in (out / "report.html").read_text(encoding="utf-8")


def test_the_three_most_frequent_reasons_are_counted() -> None:
    reasons = ["b"] * 2 + ["a"] * 3 + ["c", "d", "e", ""]
    outcomes = pl.DataFrame({"status": ["error"] * 8 + ["answered"], "reason": reasons})
    assert why_errors(outcomes) == [
        "3 of 9 items ended in error: a",
        "2 of 9 items ended in error: b",
        "1 of 9 items ended in error: c (and 2 rarer reasons)",
    ]
    assert why_errors(outcomes.filter(status="answered")) == []


def test_a_server_without_log_probabilities_is_found_out_before_a_folder_is_made(
    personae: Personae, server: Server, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    asked = ("run", "companions.iat", "-m", model(server), "-o", out)
    result = personae(*asked, "--respond", "forced")
    assert (result.exit_code, result.stderr.count("\n"), server.asked) == (2, 1, 1)
    assert "log-probabilities" in result.stderr
    assert not out.exists()
    assert personae(*asked, "--respond", "free").exit_code == 0
