"""Tables of others within limits."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.csvfile import read_table
from personae.errors import BadInput

CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0")).map(str.strip).filter(lambda cell: cell != "#")


def read(tmp_path: Path, text: str | bytes, **more: object) -> object:
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_table(path, "--ratings", **more)  # type: ignore[arg-type]


@given(st.lists(st.tuples(CELLS.filter(bool), CELLS), max_size=5))
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]) -> None:
    path = tmp_path_factory.mktemp("table") / "a.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("a", "b"), *rows])
    assert read_table(path, "file").rows == [{"a": one, "b": other} for one, other in rows]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_ends_marks_and_blanks_do_not_matter(tmp_path: Path, ends: str) -> None:
    text = "\ufeff" + ends.join(["a, b", "1 ,2", " , ", "", '"3', 'more",4'])
    columns, rows = read(tmp_path, text)  # type: ignore[misc]
    assert columns == ["a", "b"]
    assert rows == [{"a": "1", "b": "2"}, {"a": f"3{ends}more", "b": "4"}]


def test_lines_may_be_comments_where_that_is_said(tmp_path: Path) -> None:
    assert read(tmp_path, "# x, y\na\n#b\nc\n", comments=True) == (["a"], [{"a": "c"}])
    assert read(tmp_path, "a\n#b\n") == (["a"], [{"a": "#b"}])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a.csv, columns: found 'nothing'; a CSV file with the columns a, b; missing: a, b"),
        ("a,c\n", "columns: found 'a, c'; .*missing: b"),
        ("a,b,a\n", "names for all columns, each once"),
        ("a,b,\n", "names for all columns, each once"),
        ("a,b\n1,2\n1\n", "a.csv, row 2: found '1 values'; 2, one for each column"),
        ("a,b\n1,2,3\n", "row 1: found '3 values'"),
        ('a,b\n"1,2\n', "a CSV file that can be read .line 2: unexpected end of data"),
        ('a,b\n"1"x,2\n', "line 2: ',' expected after '\"'"),
        ("a,b\n1,\0\n", "line 2: a NUL"),
        ("a,b\n1," + "x" * 140_000, "line 2: field larger than field limit"),
        (b"a,b\n1,\xff\n", "byte 7 is not UTF-8"),
        (b"\xff\xfea\0,\0b\0", "byte 1 is not UTF-8"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read(tmp_path, text, needed=("a", "b"))
