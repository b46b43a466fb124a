"""What a user trusts."""

from __future__ import annotations

import pytest

from personae.errors import BadInput
from personae.spec import trust_named
from personae.trusted import check_trusted, trust


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("personae.trusted._TRUSTED", set())


def test_what_nobody_named_is_refused_with_how_to_name_it() -> None:
    with pytest.raises(BadInput, match=r"it can run: if you trust it, add --trust 'sentence/a b'"):
        check_trusted("encoder", "sentence/a b", "it can run")
    trust("sentence/a b")
    check_trusted("encoder", "sentence/a b", "it can run")


def test_who_names_a_memory_names_its_server_and_its_encoder() -> None:
    trust_named({"memories": ["letta?raw=1&encoder=sentence/tfhub:use"], "encoders": None})
    for name in ("letta", "sentence/tfhub:use"):
        check_trusted("--memory", name, "")
    with pytest.raises(BadInput):
        check_trusted("encoder", "contextual/other", "")
