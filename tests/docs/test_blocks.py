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
from pathlib import Path

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
SHOWN = {"text", "bibtex"}


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
    if language == "bash":
        return parse_script(source) if kind == "parse only" else run_script(source)
    if language == "python":
        code = compile("\n" * example.line + source, example.path, "exec")
        if kind != "parse only":
            exec(code, example.namespace)
        return None
    return read_data(language, source)


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
        words = shlex.split(line, comments=True)
        while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
            words = words[1:]
        if words[:1] == ["personae"]:
            parse_command(words[1:])
        if words[:1] == ["make"]:
            unknown = [word for word in words[1:] if "=" not in word and word not in make_targets()]
            if unknown:
                return f"no such make target: {', '.join(unknown)}"
    return None


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


@pytest.mark.parametrize("page", PAGES)
def test_blocks_of_the_page_run(page: str, folder: Path) -> None:
    for example in Sybil(parsers=[blocks]).parse(ROOT / page):
        example.evaluate()


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
