"""What is printed: foreign text spelt out and no markup, in sentences, lines, tables, bars, logs and traces."""

from __future__ import annotations

import ast
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from personae.cli import progress, terminal
from personae.cli.render import print_whole
from personae.cli.sheet import Sheet
from personae.cli.terminal import Guarded, say, show, styled, tell
from personae.engine.budget import Budget
from personae.errors import PersonaeError

HOSTILE = "a\x1b]52;c;aGk=\x07\x9b2J\u202e[bold]x[/bold][link=file:///etc]y[/z]:smile:\nb"
SPELT = r"a\x1b]52;c;aGk=\x07\x9b2J\u202e[bold]x[/bold][link=file:///etc]y[/z]:smile:\nb"
BEGUN = SPELT.partition("[bold]")[0]
CLI = Path(terminal.__file__).parent


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_sentence_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    say(f"{HOSTILE}\n\tmore")
    assert capsys.readouterr().err == f"personae: {SPELT.replace(chr(92) + 'n', ' ')} more\n"


def test_each_line_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    tell("first", HOSTILE)
    assert capsys.readouterr().out == f"first\n{SPELT}\n"


def test_data_are_the_same_to_programs(capsys: pytest.CaptureFixture[str]) -> None:
    show({"name": HOSTILE, "path": Path("a\u2028")})
    said = capsys.readouterr().out
    assert json.loads(said) == {"name": HOSTILE, "path": "a\u2028"}
    assert said.replace("\n", "").isprintable()


def test_cells_are_no_markup_and_no_sequences(capsys: pytest.CaptureFixture[str]) -> None:
    sheet = Sheet(HOSTILE)
    sheet.add_column("name", no_wrap=True)
    sheet.add_column("more")
    sheet.add_row(HOSTILE, None)
    print_whole(sheet)
    said = capsys.readouterr().out
    assert said.splitlines()[0].strip() == SPELT
    assert any(line.startswith(f" {SPELT} ") for line in said.splitlines())
    assert said.replace("\n", "").isprintable()


def test_a_bar_shows_names_as_they_may_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "300")
    written = Terminal()
    monkeypatch.setattr(sys, "stderr", Guarded(written))
    bar = progress.make_progress(quiet=False)
    assert isinstance(bar, progress.Bar)
    bar.begin(HOSTILE, "s", 1, Budget())
    print("beside \x1b]0;title\x07 the bar", file=sys.stderr)
    bar.end()
    said = written.getvalue()
    assert SPELT in said
    assert "\x1b[" in said  # the bar itself is drawn
    assert styled(said) == said
    assert "\x07" not in said


def test_of_what_rich_writes_only_its_own_sequences_pass() -> None:
    bar = "\x1b[1;31mred\x1b[0m\r\x1b[2K\x1b[1A\x1b[?25l"
    assert styled(bar) == bar
    assert styled("\x1b]8;;http://a.b\x1b\\x\x1b[6n\x9b1m") == r"\x1b]8;;http://a.b\x1b\x\x1b[6n\x9b1m"


def test_a_stream_that_nobody_reads_ends_the_program_once() -> None:
    class Closed(io.StringIO):
        def write(self, _text: str) -> int:
            raise BrokenPipeError

    stream = Guarded(Closed())
    with pytest.raises(SystemExit) as ended:
        stream.write("x")
    assert ended.value.code == terminal.UNREAD
    stream.write("what is written while it ends")
    stream.flush()


def test_a_stream_on_a_full_disk_is_a_sentence() -> None:
    class Full(io.StringIO):
        def write(self, _text: str) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(PersonaeError, match="what is printed cannot be written: No space left on device"):
        Guarded(Full()).writelines(["x"])


@pytest.mark.parametrize("file", sorted(CLI.glob("*.py")), ids=lambda file: file.name)
def test_nothing_is_printed_but_by_the_terminal(file: Path) -> None:
    if file.name in ("terminal.py", "sheet.py"):
        return
    calls = [node.func for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call)]
    names = {ast.unparse(call) for call in calls}
    assert not names & {
        "print",
        "typer.echo",
        "typer.secho",
        "Console",
        "Table",
        "sys.stdout.write",
        "sys.stderr.write",
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "companions", "--repeats", HOSTILE], "--repeats"),
        (["run", "companions", f"--{HOSTILE}"], r"--a\x1b]52;c;aGk"),
        ([HOSTILE], BEGUN),
        (["export", "x"], "--to"),
        (["run", "companions", "--scale", HOSTILE], "scale"),
        (["run", HOSTILE], "study"),
        (["score", HOSTILE], BEGUN),
    ],
)
def test_a_word_of_the_command_line_is_said_back_in_one_sentence(
    personae: Callable[..., Result], arguments: list[str], said: str
) -> None:
    result = personae(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("personae: ")
    assert result.stderr.count("\n") == 1
    assert result.stderr[:-1].isprintable()
    assert said in result.stderr


def test_a_study_of_others_is_listed_as_it_may_be_shown(
    personae: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    from personae.cli import listing

    row: dict[str, Any] = {"study": HOSTILE, "title": HOSTILE, "source": HOSTILE, "items": dict.fromkeys(SCALES, 1)}
    monkeypatch.setattr(listing, "_studies", lambda: [row])
    said = personae("studies").stdout
    assert said.replace("\n", "").isprintable()
    assert f"{SPELT}: {SPELT}" in said


SCALES = ("quick", "standard", "paper")
