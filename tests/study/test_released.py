"""Which files of a released tree are read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from personae.errors import BadInput
from personae.study import released
from personae.study.released import released_files


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "b").mkdir(parents=True)
    for name in ("b/two.csv", "one.csv", "readme.md"):
        (root / name).write_text("x", encoding="utf-8")
    return root


def test_files_are_given_in_the_order_of_their_names(tree: Path, tmp_path: Path) -> None:
    assert released_files(tree, ".csv") == [tree / "b" / "two.csv", tree / "one.csv"]
    assert released_files(tree / "one.csv", ".csv") == [tree / "one.csv"]
    (tmp_path / "link").symlink_to(tree)
    assert len(released_files(tmp_path / "link", ".csv")) == 2


def test_a_link_to_a_file_of_the_tree_is_followed(tree: Path) -> None:
    (tree / "again.csv").symlink_to("b/two.csv")
    assert tree / "again.csv" in released_files(tree, ".csv")


@pytest.mark.parametrize("target", ["/dev/zero", "/etc/passwd", "..", "b", "mine.csv", "../mine.csv"])
def test_a_link_that_leads_out_or_in_circles_or_to_a_folder_is_refused(tree: Path, tmp_path: Path, target: str) -> None:
    (tmp_path / "mine.csv").write_text("x", encoding="utf-8")
    (tree / "mine.csv").symlink_to(target)
    with pytest.raises(BadInput, match=r"mine\.csv"):
        released_files(tree, ".csv")


def test_a_pipe_and_a_file_too_large_are_refused(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tree / "pipe.csv")
    with pytest.raises(BadInput, match="a pipe"):
        released_files(tree, ".csv")
    (tree / "pipe.csv").unlink()
    monkeypatch.setattr(released, "MOST_BYTES", 0)
    with pytest.raises(BadInput, match="at most 0 bytes"):
        released_files(tree, ".csv")
