"""The rules of the house that no other tool checks: size, words, paths, unfinished work, sources of data."""

from __future__ import annotations

import ast
import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = {"__pycache__", "_build", "build", "dist", "runs"}
TEXT = {".py", ".md", ".toml", ".yaml", ".yml", ".csv", ".txt", ".html", ".css", ".js", ".json", ""}
LONGEST_FILE, LONGEST_FUNCTION = 400, 40


def files(*folders: str, suffixes: set[str] = TEXT) -> Iterator[Path]:
    """The project's own text files below some folders."""
    for folder in folders or (".",):
        for at, below, names in os.walk(ROOT / folder):
            below[:] = [
                name
                for name in below
                if name not in SKIPPED and not name.endswith(".egg-info") and (name == ".ci" or name[0] != ".")
            ]
            yield from (Path(at, name) for name in names if Path(name).suffix in suffixes)


def hits(pattern: str, *folders: str, suffixes: set[str] = TEXT) -> list[str]:
    """Where a pattern stands: file, line number and line."""
    found = re.compile(pattern)
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files(*folders, suffixes=suffixes)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if found.search(line)
    ]


def test_no_file_names_a_path_of_somebodys_computer() -> None:
    # /home/me stands for anybody.
    assert hits(r"(?<![\w.}])/(?:work|root|Users|tmp|home)/(?!me\b)\w") == []


def test_nothing_is_left_for_later() -> None:
    assert hits(r"\b(TODO|FIXME|XXX)\b|NotImplemented" + "Error", "src", "docs", "bench", "tools", ".ci") == []


def test_errors_are_not_swallowed() -> None:
    silent = [
        f"{path.relative_to(ROOT)}:{handler.lineno}"
        for path in files("src", "tools", suffixes={".py"})
        for handler in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(handler, ast.ExceptHandler) and all(isinstance(line, ast.Pass) for line in handler.body)
    ]
    assert silent == []


def test_rows_are_grouped_and_joined_in_their_order() -> None:
    # Without it polars gives another order each time, and with it other last digits of what is summed.
    loose = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in files("src", suffixes={".py"})
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and _regroups(call)
        and "maintain_order" not in {word.arg for word in call.keywords}
    ]
    assert loose == []


def _regroups(call: ast.Call) -> bool:
    """Whether a call groups a frame, or joins it with another so that rows come from both."""
    if not isinstance(call.func, ast.Attribute):
        return False
    how = next((word.value for word in call.keywords if word.arg == "how"), None)
    joins = call.func.attr == "join" and isinstance(how, ast.Constant) and how.value not in ("semi", "anti")
    return joins or call.func.attr == "group_by"


def test_files_stay_readable_in_one_sitting() -> None:
    lengths = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n")
        for path in files("src", "tests", "bench", "tools", suffixes={".py"})
    }
    assert {path: lines for path, lines in lengths.items() if lines > LONGEST_FILE} == {}


def test_functions_stay_short() -> None:
    lengths = dict(functions())
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FUNCTION} == {}


def functions() -> Iterator[tuple[str, int]]:
    """Every function of the package and its tools with its length in lines, without its docstring."""
    for path in files("src", "tools", suffixes={".py"}):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0  # type: ignore[operator]
                yield f"{path.relative_to(ROOT)}:{node.name}", lines


DATA = sorted(files("src", suffixes={".yaml", ".yml", ".csv"}))


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.name)
def test_data_says_where_it_comes_from(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    head = " ".join(line[1:].strip() for line in itertools.takewhile(lambda line: line.startswith("#"), lines))
    assert re.search(r"paper \d{3}|https?://|arXiv|[Oo]ur own|this project|the notes|the design", head), head


def test_models_are_not_called_biased_or_unbiased() -> None:
    # docs/language.md says why; it, the citations of papers and this test may name the words.
    said = hits(
        r"(?i)\bde-?bias|\b(un)?biased (language )?models?\b", "src", "docs", suffixes={".py", ".md", ".yaml", ".html"}
    )
    assert [line for line in said if not line.startswith(("docs/language.md", "docs/recorded-"))] == []
