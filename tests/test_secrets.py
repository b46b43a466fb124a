"""Keys are struck out in whichever way somebody writes them, and nothing else is."""

from __future__ import annotations

import json
import random
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.secrets import STRUCK, Secrets, bare_url

KEY = "sk-proj-Ab3dE6gH9jKlMn0pQrSt/UvWx+Yz12"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_/+"
WAYS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "upper case": str.upper,
    "lower case": str.lower,
    "base64": lambda key: b64encode(key.encode()).decode(),
    "base64 of the header": lambda key: b64encode(f"Bearer {key}".encode()).decode(),
    "base64, one letter before": lambda key: b64encode(f"x{key}zz".encode()).decode(),
    "base64, two letters before": lambda key: b64encode(f"xx{key}zz".encode()).decode(),
    "base64 for URLs": lambda key: urlsafe_b64encode(key.encode()).decode(),
    "hexadecimal": lambda key: key.encode().hex(),
    "hexadecimal, upper case": lambda key: key.encode().hex().upper(),
    "in a URL": lambda key: quote(key, safe=""),
    "in a URL, every letter": lambda key: "".join(f"%{ord(letter):02X}" for letter in key),
    "in JSON": lambda key: json.dumps(key).replace("/", r"\/"),
    "in JSON, every letter": lambda key: "".join(f"\\u{ord(letter):04x}" for letter in key),
}


def secrets_of(*keys: str) -> Secrets:
    made = Secrets()
    for key in keys:
        made.add(key)
    return made


def parts_of(written: str, size: int) -> set[str]:
    low = written.lower()
    return {low[at : at + size] for at in range(len(low) - size + 1)}


@pytest.mark.parametrize("way", WAYS)
def test_a_key_is_struck_out_however_it_is_written(way: str) -> None:
    written = WAYS[way](KEY)
    said = secrets_of(KEY).struck(f"You sent {written}, did you?")
    assert said.startswith("You sent ")
    assert said.endswith(", did you?")
    assert STRUCK in said
    # What is left of an encoding that began before the key or ended behind it tells no eight letters.
    assert not parts_of(written, 12) & parts_of(said, 12)


@given(st.text(LETTERS, min_size=12, max_size=80), st.data())
def test_any_part_of_eight_letters_of_a_key_is_struck_out(key: str, data: st.DataObject) -> None:
    key = f"k7Q{key}9x"
    begin = data.draw(st.integers(0, len(key) - 8))
    part = key[begin : data.draw(st.integers(begin + 8, len(key)))]
    if any(letter.isdigit() for letter in part):
        assert secrets_of(key).struck(f"<{part}> {part[:7]}") == f"<{STRUCK}> {part[:7]}"


@pytest.mark.parametrize("key", ["", "none", "EMPTY", "sk-1234", "password", "Changeme", None])
def test_what_is_too_short_or_an_ordinary_word_is_no_key(key: str | None) -> None:
    secrets = Secrets()
    secrets.add(key)
    assert not secrets
    assert (
        secrets.struck(f"none EMPTY sk-1234 password Changeme {key}") == f"none EMPTY sk-1234 password Changeme {key}"
    )


def test_ordinary_words_in_a_key_are_left_unless_they_stand_in_it_so_or_are_long() -> None:
    secrets = secrets_of("sk-anthropic-api03-Zx9", "correct-horse-battery-staple", "open-sesame-please")
    said = "Anthropic, a sk-anthropic thing; a horse-battery; open sesame"
    assert secrets.struck(said) == said
    assert secrets.struck("anthropic-api03") == STRUCK
    assert secrets.struck("horse-battery-staple") == STRUCK
    assert secrets.struck("Open-Sesame-Please!") == f"{STRUCK}!"
    assert secrets_of("swordfish-two").struck("It is swordfish-two.") == f"It is {STRUCK}."


def test_every_key_in_use_is_struck_out() -> None:
    secrets = secrets_of("key-one-11111", "key-two-22222")
    assert secrets.struck("key-one-11111 key-two-22222") == f"{STRUCK} {STRUCK}"


def test_places_stay_where_letters_change_their_number_in_lower_case() -> None:
    assert secrets_of(KEY).struck(f"İİİ {KEY} İ") == f"İİİ {STRUCK} İ"


@pytest.mark.parametrize(
    ("pieces", "left"),
    [
        (["You ", KEY, " sent"], ["You ", STRUCK, " sent"]),
        (["a", KEY[:5], KEY[5:9], KEY[9:], "b"], ["a", STRUCK, "", "", "b"]),
        (["a" + KEY[:20], KEY[20:] + "b"], ["a" + STRUCK, "b"]),
        ([f"a{KEY}b{KEY}c"], [f"a{STRUCK}b{STRUCK}c"]),
        (["nothing", " here"], ["nothing", " here"]),
    ],
)
def test_a_key_that_goes_over_several_tokens_is_struck_out_of_all(pieces: list[str], left: list[str]) -> None:
    secrets = secrets_of(KEY)
    assert secrets.struck_pieces(pieces) == left
    assert "".join(left) == secrets.struck("".join(pieces))


@given(st.lists(st.text(max_size=12)), st.integers(0, 2**32))
def test_pieces_are_struck_as_the_whole_and_stay_as_many(words: list[str], seed: int) -> None:
    chance, secrets = random.Random(seed), secrets_of(KEY)
    text = "".join(
        one for word in words for one in (word, KEY[chance.randrange(30) :] if chance.random() < 0.4 else "")
    )
    cuts = sorted(chance.choices(range(len(text) + 1), k=chance.randrange(9)))
    pieces = [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    struck = secrets.struck_pieces(pieces)
    assert len(struck) == len(pieces)
    assert "".join(struck) == secrets.struck(text)


@given(st.text(max_size=300))
def test_a_text_without_a_key_is_left_as_it_is(text: str) -> None:
    assert secrets_of("Zq81-Xk37-Vw55-Tt90").struck(text) == text


def test_passwords_of_urls_and_named_variables_are_keys() -> None:
    secrets = Secrets()
    secrets.add_url("http://me:pass4word9@proxy:3128")
    secrets.add_url("http://[broken")
    secrets.add_named({"GROK_API_KEY": "gk-111222333", "AWS_SECRET": "aws-444555666", "EDITOR": "nano-99887766"})
    said = secrets.struck("pass4word9 gk-111222333 aws-444555666 nano-99887766")
    assert said == f"{STRUCK} {STRUCK} {STRUCK} nano-99887766"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("http://me:secret@host:99999/v1", "http://…@host:99999/v1"),
        ("HTTPS://secret@host", "HTTPS://…@host"),
        ("http://me:sec/ret@host", "http://…@host"),
        ("http://me:sec?r#et@host/v1", "http://…@host/v1"),
        ("me:secret@host:80", "…@host:80"),
        ("http://host/v1?key=secret#secret", "http://host/v1?…"),
    ],
)
def test_a_url_is_shown_without_what_may_be_a_key(url: str, shown: str) -> None:
    assert bare_url(url) == shown
    assert "secret" not in shown
