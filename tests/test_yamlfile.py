"""YAML of others within limits: what is taken, and what is said of the rest."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yaml import safe_dump

from personae import yamlfile
from personae.errors import BadInput
from personae.yamlfile import load_yaml

LAUGHS = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 16)
)


def load(tmp_path: Path, text: str | bytes) -> object:
    path = tmp_path / "a.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_yaml(path, "--personas")


def refusal(tmp_path: Path, text: str | bytes) -> str:
    with pytest.raises(BadInput) as refused:
        load(tmp_path, text)
    said = str(refused.value)
    assert said.startswith("--personas: found ")
    assert said.isprintable()
    return said


def test_plain_values_are_read(tmp_path: Path) -> None:
    text = "\ufeffa: [1, 0x10, 1.5, yes, ~, 'no', 2024-02-29]\nb: {c: {}, d: []}\ne: |\n  two\n  lines\n"
    assert load(tmp_path, text) == {
        "a": [1, 16, 1.5, True, None, "no", datetime.date(2024, 2, 29)],
        "b": {"c": {}, "d": []},
        "e": "two\nlines\n",
    }
    assert load(tmp_path, "") is None


def test_an_alias_is_what_it_names_each_time(tmp_path: Path) -> None:
    found = load(tmp_path, "a: &a {x: [1]}\nb: [*a, *a]\n")
    assert found == {"a": {"x": [1]}, "b": [{"x": [1]}, {"x": [1]}]}


KEYS = st.text(st.characters(codec="utf-8"), max_size=20)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | KEYS,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
        max_leaves=20,
    )
)
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    path = tmp_path_factory.mktemp("yaml") / "a.yaml"
    path.write_text(safe_dump(value), encoding="utf-8", newline="")
    assert load_yaml(path, "file") == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "it is not valid YAML: .*line 1, column 5"),
        ("a: 1\nb: c: d\n", r"mapping values are not allowed here \(line 2, column 5\)"),
        ("a:\n\t- b\n", r"line 2, column 1\)"),
        ("a: 1\n---\nb: 2\n", "expected a single document.*line 2"),
        ("a: \0", r"the character '\\x00' must not stand there \(line 1, column 4\)"),
        ("a: 1\nb: \x1b[2J", r"the character '\\x1b' must not stand there \(line 2, column 4\)"),
        ('a: "\\UFFFFFFFF"', "an escape or number that means nothing"),
        ("%YAML " + "9" * 5000 + ".1\n---\na: 1\n", "an escape or number that means nothing"),
        (b"a: caf\xe9\n", "byte 7 is not UTF-8"),
        (b"\xff\xfea\0:\0 \x001\0", "byte 1 is not UTF-8"),
        ("a: 1\nb: 2\na: 3\n", r"the key 'a' stands there twice \(line 3, column 1\)"),
        ("a: [{b: 1, b: 2}]", "the key 'b' stands there twice"),
        ("1: a", "the key '1' is no text: set it in quotation marks"),
        ("yes: a", "the key 'yes' is no text"),
        ("? [a]\n: b", "the key a list or mapping is no text"),
        ("a: {<<: {b: 1}}", "the key '<<' is no text"),
        ("a: *nowhere", "undefined alias 'nowhere'"),
        ("a: &a [*a]", r"the alias 'a' stands within what it names \(line 1, column 8\)"),
        ("&a a: &b {c: {d: [*b]}}", "the alias 'b' stands within what it names"),
        ("a: &a 1\nb: &a 2\n", "duplicate anchor 'a'"),
        ("a: !!python/object/apply:os.system [true]", "the tag '.*os.system'; none is taken"),
        ("a: !!binary aGk=", "the tag"),
        ("!!set {a}", "the tag"),
        ("a: !x 1", "the tag '!x'"),
        ("a: =", "could not determine a constructor"),
        ("a: 2024-13-45", r"'2024-13-45' is no date or number \(month must be in 1..12\) \(line 1, column 4\)"),
        ("a: 2024-01-01 10:00:00 +99:99", "is no date or number"),
        ("a: " + "9" * 5000, "a number of 5,000 characters"),
        ("a: 9223372036854775808", "a whole number of more than 64 bits"),
        ("a: -9223372036854775809", "a whole number of more than 64 bits"),
        ("a: 0x" + "f" * 40, "a whole number of more than 64 bits"),
        ("a: " + ":".join(["59"] * 100), "a number of 299 characters"),
        ("a: 1." + "0" * 100, "a number of 102 characters"),
    ],
)
def test_what_is_not_taken_is_refused_with_its_line(tmp_path: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load(tmp_path, text)
    refusal(tmp_path, text)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "- " * 5000 + "a", '{"a":' * 5000, "? " * 5000 + "a", "a: " + "[" * 65]
)
def test_lists_in_lists_without_end_are_refused_where_they_become_too_deep(tmp_path: Path, text: str) -> None:
    assert "more than 64 deep (line 1" in refusal(tmp_path, text)


def test_as_deep_as_is_taken_is_taken(tmp_path: Path) -> None:
    assert load(tmp_path, "[" * 63 + "a" + "]" * 63)


def test_what_aliases_stand_for_is_counted_and_not_unfolded(tmp_path: Path) -> None:
    assert "more than 1,000,000 values" in refusal(tmp_path, LAUGHS)


def test_long_texts_are_counted_as_often_as_an_alias_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "a: &a " + "x" * 10_000 + "\nb: [" + ", ".join(["*a"] * 2000) + "]\n"
    assert "16,777,216 characters, counting what aliases stand for" in refusal(tmp_path, text)
    monkeypatch.setattr(yamlfile, "MOST_VALUES", 20)
    assert "more than 20 values" in refusal(tmp_path, "[" + "a, " * 20 + "a]")
    assert load(tmp_path, "[" + "a, " * 18 + "a]")


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: 1\n" + b"#" * 100)
    with pytest.raises(BadInput, match=r"at most 100 bytes \(105 found\)"):
        load_yaml(path, "file", most=100)


PACKAGE = Path(yamlfile.__file__).parent


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.yaml")), ids=lambda path: path.name)
def test_files_of_the_package_mean_the_same_to_libyaml(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert repr(yamlfile.own_yaml(text)) == repr(load(tmp_path, text))


def test_a_path_that_only_begins_in_the_package_is_one_of_others(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\na: 2\n")
    with pytest.raises(BadInput, match="stands there twice"):
        load_yaml(PACKAGE / Path(*[".."] * len(PACKAGE.parts)) / path.relative_to(path.anchor), "file")
