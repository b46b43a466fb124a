"""Files of others within limits, files of ours whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from personae.errors import BadInput
from personae.filing import (
    lock,
    own_file,
    own_folder,
    read_bytes,
    read_text,
    remove_parts,
    write_whole,
    written_together,
    written_whole,
)


def test_a_file_that_was_being_written_when_something_failed_is_as_it_was(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    write_whole(page, "old")

    def fails() -> None:
        with written_whole(page) as part:
            part.write_text("half", encoding="utf-8")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()

    assert page.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["page.html"]


def test_files_that_are_written_together_take_their_places_when_all_are_there(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    write_whole(one, "old")

    def fails() -> None:
        with written_together() as part_of:
            part_of(one).write_text("new", encoding="utf-8")
            part_of(two).write_text("new", encoding="utf-8")
            assert one.read_text(encoding="utf-8") == "old"
            assert not two.exists()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    assert (one.read_text(encoding="utf-8"), os.listdir(tmp_path)) == ("old", ["one"])

    with written_together() as part_of:
        for path in (one, two):
            part_of(path).write_text("new", encoding="utf-8")
    assert {path: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {one: "new", two: "new"}


def test_what_a_killed_writer_left_is_removed_and_what_is_being_written_stays(tmp_path: Path) -> None:
    left, other = tmp_path / ".page.html.0123abcd.part", tmp_path / ".other.0123abcd.part"
    for path in (left, other):
        path.touch()
    with written_whole(tmp_path / "page.html") as first:
        assert not left.exists()
        assert other.exists()
        write_whole(tmp_path / "page.html", "second")
        remove_parts(tmp_path)
        first.write_text("first", encoding="utf-8")
    assert os.listdir(tmp_path) == ["page.html"]
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "first"


@pytest.mark.parametrize("name", ["x" * 240, "\N{FIRE}" * 60, "[a-z]*?"])
def test_any_name_that_a_file_can_have_can_be_written(tmp_path: Path, name: str) -> None:
    (tmp_path / f".{name[:60]}.0123abcd.part").touch()
    write_whole(tmp_path / name, "x")
    assert os.listdir(tmp_path) == [name]


def test_a_link_in_place_of_a_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine", encoding="utf-8")
    (tmp_path / "page.html").symlink_to(elsewhere)

    write_whole(tmp_path / "page.html", "page")

    assert elsewhere.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "page.html").is_symlink()


def test_a_new_file_has_the_rights_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_whole(tmp_path / "whole", b"")

    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_pipes_devices_folders_and_large_files_are_refused_without_being_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"x" * 11)

    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path, tmp_path / "large", tmp_path / "none", Path("a\0b")):
        with pytest.raises(BadInput, match="--stimuli"):
            read_bytes(path, "--stimuli", most=10)


def test_text_that_is_none_is_refused_by_the_place_of_the_first_odd_byte(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes(b"caf\xe9")

    with pytest.raises(BadInput, match="byte 4 is not UTF-8"):
        read_text(tmp_path / "latin.csv", "--stimuli")


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "link/inside", "link", "", "a/../../b"])
def test_nothing_that_a_folder_names_leads_out_of_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "link").symlink_to(tmp_path)

    with pytest.raises(BadInput, match="run folder"):
        own_file(tmp_path / "run", name)


def test_what_is_no_file_is_no_file_of_the_folder(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, said in (("pipe", "a pipe"), ("folder", "a folder")):
        with pytest.raises(BadInput, match=said):
            own_file(tmp_path, name)
    assert own_file(tmp_path, "nothing") == tmp_path / "nothing"


def test_a_folder_that_is_a_link_is_not_written_into(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "tables").symlink_to(tmp_path)

    with pytest.raises(BadInput, match="tables"):
        own_folder(tmp_path / "run", "tables")
    assert own_folder(tmp_path / "run", "figures").is_dir()


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"a file that can be looked for \(File name too long\)"):
        own_file(tmp_path, "y" * 5000)


def test_a_lock_is_held_by_one_until_its_file_is_closed_and_nobody_waits_for_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_bytes(b"kept")
    first, second = (os.open(path, os.O_RDWR) for _ in range(2))
    try:
        lock(first)
        with pytest.raises(BlockingIOError):
            lock(second)
        os.close(first)
        lock(second)
    finally:
        os.close(second)
    assert path.read_bytes() == b"kept"


def test_what_has_no_lock_is_an_error_other_than_a_lock_that_is_held(tmp_path: Path) -> None:
    file = os.open(tmp_path / "closed", os.O_RDWR | os.O_CREAT)
    os.close(file)
    with pytest.raises(OSError, match="descriptor") as raised:
        lock(file)
    assert not isinstance(raised.value, BlockingIOError)
