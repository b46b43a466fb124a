"""Keys are unique and stay what they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.engine.keys import answer_key, describe_change, fingerprint, item_key, prompt_of, sampling
from personae.types import Condition, Item, Message, Trial


def test_an_item_is_named_by_study_version_and_id() -> None:
    item = Item(study="companions.iat", id="x/y", stimulus="s", condition=Condition())
    assert item_key(item, 3) == "companions.iat@3/x/y"
    assert (
        answer_key("companions.iat@3/x/y", Trial(messages=(), step="word/weak", repeat=2))
        == "companions.iat@3/x/y#word/weak/2"
    )


@given(st.text(max_size=20), st.text(max_size=20))
def test_no_item_is_a_part_of_another(first: str, second: str) -> None:
    one, two = (item_key(Item(study="s", id=text, stimulus="", condition=Condition()), 1) for text in (first, second))
    assert "#" not in one
    assert not (two + "#").startswith(one + "#") or one == two


def test_fingerprints_are_those_of_earlier_versions() -> None:
    # A change here makes every stored answer unusable: raise the schema's version with it.
    trial = Trial(messages=(Message("system", "s"), Message("user", "u")), temperature=0.7, top_k=1, max_tokens=9)
    assert sampling(trial) == '{"temperature":0.7,"top_k":1,"max_tokens":9}'
    digest, text = prompt_of(trial)
    assert text == b'[{"role":"system","content":"s"},{"role":"user","content":"u"}]'
    assert fingerprint(digest, sampling(trial)).hex() == "de3f16e0ceab6093e734bb9dffdd4e4b"


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("in the middle", "on the middle", "'in the middle' became (user) 'on the middle'"),
        ("a" * 300 + "old end", "a" * 300 + "new end", f"'…{'a' * 20}old end' became (user) '…{'a' * 20}new end'"),
        ("a" * 100, "a" * 100 + "b" * 100, f"'…{'a' * 20}' became (user) '…{'a' * 20}{'b' * 40}…'"),
        ("a" * 20 + "c" + "d" * 99, "a" * 20 + "b", f"'{'a' * 20}c{'d' * 39}…' became (user) '{'a' * 20}b'"),
    ],
)
def test_texts_that_begin_alike_are_shown_from_where_they_differ(was: str, now: str, said: str) -> None:
    stored = Trial(messages=(Message("user", was),))
    found = describe_change(prompt_of(stored)[1], sampling(stored), Trial(messages=(Message("user", now),)))
    assert found == f"message 1 (user) {said}"
