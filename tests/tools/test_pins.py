"""Pins are read line by line, written so that pip takes them, and chosen by what wants them."""

from __future__ import annotations

import pytest

from pins import Pin, head, platform, read, resolved_here, selected

ONE, TWO = "1" * 64, "2" * 64
FILE = f"""\
# A file of pins.
# resolved for: {", ".join(platform())}
Alpha_one==1.0 \\
    --hash=sha256:{ONE} \\
    --hash=sha256:{TWO}
    # for: core, dev
beta==2.0rc1
    # for: dev*
gamma==1!3.0+cpu
"""


def test_what_is_written_is_what_was_read() -> None:
    assert head(FILE) + "".join(pin.block() for pin in read(FILE)) == FILE


def test_a_pin_without_a_hash_is_told_from_one_with() -> None:
    assert [len(pin.hashes) for pin in read(FILE)] == [2, 0, 0]


def test_names_are_the_same_as_an_index_takes_them_for() -> None:
    assert Pin("Alpha_one", "1.0").key == Pin("alpha.One", "1.0").key


@pytest.mark.parametrize(
    "line",
    [
        "alpha>=1",
        "-e .",
        "alpha==1 --hash=md5:00",
        "--extra-index-url elsewhere",
        f"    --hash=sha256:{ONE[1:]}",
        "alpha==",
    ],
)
def test_any_other_line_is_refused_with_its_number(line: str) -> None:
    with pytest.raises(ValueError, match=r"hashes\.txt, line 2: "):
        read(f"alpha==1\n{line}\n")


def test_a_hash_belongs_to_a_pin() -> None:
    with pytest.raises(ValueError, match="line 1"):
        read(f"    --hash=sha256:{ONE}\n")


@pytest.mark.parametrize(
    ("groups", "starred", "names"),
    [
        (["core"], True, ["Alpha_one"]),
        (["dev"], True, ["Alpha_one", "beta"]),
        (["dev"], False, ["Alpha_one"]),
        (["docs"], True, []),
    ],
)
def test_what_only_some_platforms_want_is_chosen_where_it_was_resolved(
    groups: list[str], starred: bool, names: list[str]
) -> None:
    assert [pin.name for pin in selected(read(FILE), groups, starred=starred)] == names


def test_another_system_processor_or_python_is_another_platform() -> None:
    assert resolved_here(FILE)
    for part in platform():
        assert not resolved_here(FILE.replace(part, "another", 1))
    assert not resolved_here(FILE.replace("# resolved for", "# made for"))
