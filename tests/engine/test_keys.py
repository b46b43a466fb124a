"""Keys are unique and stay what they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from personae.engine.keys import answer_key, fingerprint, item_key, prompt_of, sampling
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
