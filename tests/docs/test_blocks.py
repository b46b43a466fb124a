"""Every code block of the documentation does what the page says: it is run, page by page, in an empty folder.

``bash`` blocks run as one script, ``python`` blocks in the page's namespace, ``yaml``, ``json`` and ``toml`` must be
valid; ``text`` and ``bibtex`` are shown only. Two comments on the line before a block change that:

- ``<!-- file: NAME -->`` also writes the block into the page's folder, for the blocks after it;
- ``<!-- parse only: REASON -->`` parses commands and compiles code without running them (a server, a key, a long run).
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from types import CodeType

import pytest
import yaml
from sybil import Document, Example, Region, Sybil
from sybil.parsers.markdown.lexers import FencedCodeBlockLexer
from typer.main import get_command

from personae.cli import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md"))
    if "_build" not in page.parts
)
COMMENT = re.compile(r"<!-- (file|parse only): (.+?) -->\s*\Z")
RUN, SHOWN = {"bash", "python"}, {"text", "bibtex"}
LENGTHY = {
    "README.md",
    "docs/associations.md",
    "docs/bbq.md",
    "docs/cli.md",
    "docs/decisions.md",
    "docs/guide/extending.md",
    "docs/guide/models.md",
    "docs/guide/own.md",
    "docs/guide/personas.md",
    "docs/guide/respond.md",
    "docs/guide/results.md",
    "docs/guide/running.md",
    "docs/guide/scoring.md",
    "docs/memory.md",
    "docs/occupations.md",
    "docs/roleplay.md",
    "docs/security.md",
    "docs/start.md",
    "docs/store.md",
}
"""Pages of many commands: `make test` only parses them."""
OF_THEIR_OWN = {"docs/guide/extending.md"}
"""Of these, pages with options of a study that they bring themselves: nobody else can parse them."""


def blocks(document: Document) -> Iterator[Region]:
    """The fenced blocks of a page; directives in braces belong to the page's builder."""
    for region in FencedCodeBlockLexer(language=r"[^\n]*")(document):
        if not region.lexemes["language"].startswith("{"):
            region.evaluator = evaluate
            yield region


def evaluate(example: Example) -> str | None:
    """Run, parse or read one block; returns what is wrong with it."""
    language, source = example.region.lexemes["language"], str(example.region.lexemes["source"])
    kind, said = directive(example)
    if kind == "file":
        Path(said).parent.mkdir(parents=True, exist_ok=True)
        Path(said).write_text(source, encoding="utf-8")
    if kind == "parse only" or language not in RUN:
        return parse(example)
    if language == "bash":
        return run_script(source)
    exec(code_of(example), example.namespace)
    return None


def parse(example: Example) -> str | None:
    """Parse or read one block and run nothing; returns what is wrong with it."""
    language, source = example.region.lexemes["language"], str(example.region.lexemes["source"])
    if language == "bash":
        return parse_script(source)
    if language == "python":
        code_of(example)
        return None
    return read_data(language, source)


def code_of(example: Example) -> CodeType:
    """A block of Python with the lines of its page."""
    return compile("\n" * example.line + str(example.region.lexemes["source"]), example.path, "exec")


def directive(example: Example) -> tuple[str, str]:
    """The comment before a block: what kind, and what it says."""
    found = COMMENT.search(example.document.text[: example.start])
    return (found[1], found[2]) if found else ("", "")


def read_data(language: str, source: str) -> str | None:
    """Whether a block that is data is valid."""
    readers = {"yaml": yaml.safe_load, "json": json.loads, "toml": tomllib.loads}
    if language in readers:
        readers[language](source)
        return None
    return None if language in SHOWN else f"no one checks blocks of language {language!r}"


def run_script(source: str) -> str | None:
    """Run a block as a user would paste it."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", source],
        env={**os.environ, "PATH": path, "COLUMNS": "120", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return f"exit {ended.returncode}\n{ended.stdout}{ended.stderr}" if ended.returncode else None


def parse_script(source: str) -> str | None:
    """Parse a block's commands: the shell's syntax, every option of every verb, every make target."""
    subprocess.run(["bash", "-n", "-c", source], check=True, capture_output=True)
    for line in source.replace("\\\n", " ").splitlines():
        words = words_of(line)
        while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
            words = words[1:]
        if words[:1] == ["personae"]:
            parse_command(words[1:])
        if words[:1] == ["make"]:
            unknown = [word for word in words[1:] if "=" not in word and word not in make_targets()]
            if unknown:
                return f"no such make target: {', '.join(unknown)}"
    return None


def words_of(line: str) -> list[str]:
    """The words of the first command of a line, without where its output goes and what follows it."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    return list(takewhile(lambda word: not set(word) <= set("<>|&;()"), lexer))


def parse_command(arguments: list[str]) -> None:
    """Let the command line read the arguments without doing anything."""
    verbs = get_command(app)
    context = verbs.make_context("personae", list(arguments), resilient_parsing=True)
    name, verb, rest = verbs.resolve_command(context, list(arguments))  # type: ignore[attr-defined]
    verb.make_context(name, rest, parent=context)


def make_targets() -> set[str]:
    """The targets of the Makefile that it explains."""
    return set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.slow] if page in LENGTHY else []) for page in PAGES]
)
def test_blocks_of_the_page_run(page: str, folder: Path) -> None:
    for example in Sybil(parsers=[blocks]).parse(ROOT / page):
        example.evaluate()


@pytest.mark.parametrize("page", sorted(LENGTHY - OF_THEIR_OWN))
def test_blocks_of_a_lengthy_page_can_be_parsed(page: str, folder: Path) -> None:
    examples = list(Sybil(parsers=[blocks]).parse(ROOT / page))
    assert [wrong for example in examples if (wrong := parse(example))] == []
    assert any(example.region.lexemes["language"] in RUN for example in examples)


BAD_PAGES = {
    "a command that fails": "```bash\npersonae score nowhere\n```\n",
    "an option that is not there": "<!-- parse only: long -->\n```bash\npersonae run companions --scael quick\n```\n",
    "a verb that is not there": "<!-- parse only: long -->\n```bash\npersonae rum companions\n```\n",
    "a target that is not there": "<!-- parse only: long -->\n```bash\nmake adit\n```\n",
    "code that raises": "```python\nassert 1 == 2\n```\n",
    "code that is no code": "<!-- parse only: long -->\n```python\nx = = 2\n```\n",
    "data that cannot be read": "```yaml\na: [1\n```\n",
    "a language nobody checks": "```klingon\nqapla\n```\n",
}


@pytest.mark.parametrize("page", BAD_PAGES.values(), ids=BAD_PAGES.keys())
def test_a_wrong_block_is_noticed(page: str, folder: Path) -> None:
    (folder / "page.md").write_text(page, encoding="utf-8")
    (example,) = Sybil(parsers=[blocks]).parse(folder / "page.md")
    with pytest.raises(Exception):  # noqa: B017, PT011 - the kind differs; that it is noticed is the point
        example.evaluate()


def test_a_file_block_is_there_for_the_next_block(folder: Path) -> None:
    page = "<!-- file: a.yaml -->\n```yaml\nx: 1\n```\n\n```bash\ngrep -q 'x: 1' a.yaml\n```\n"
    (folder / "page.md").write_text(page, encoding="utf-8")
    for example in Sybil(parsers=[blocks]).parse(folder / "page.md"):
        example.evaluate()
    assert (folder / "a.yaml").read_text() == "x: 1\n"
