"""Names of models: what they stand for, and the sentence for those that stand for nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fault_server import FaultServer

from personae.errors import BadInput
from personae.models.openai_api import OpenAIModel
from personae.models.presets import base_url, is_local, presets
from personae.models.prices import Prices
from personae.models.registry import ModelOptions, known, providers, reachable, resolve

OPTIONS = ModelOptions()


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for preset in presets().values():
        monkeypatch.delenv(preset.key_env, raising=False)
        monkeypatch.delenv(preset.base_url_env, raising=False)


def served(name: str, options: ModelOptions = OPTIONS) -> OpenAIModel:
    model = resolve(name, options=options)
    assert isinstance(model, OpenAIModel)
    return model


@pytest.mark.parametrize("name", ["nobody/x", "gpt-4o", "openai", "openai/", "/x", "", "local", "sim/", "inspect"])
def test_an_unknown_provider_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(BadInput, match=r"local, sim, inspect, openai, ollama, .*groq") as error:
        resolve(name, options=OPTIONS)
    assert error.value.found == name


@pytest.mark.parametrize("provider", [name for name, preset in presets().items() if preset.key_needed])
def test_a_missing_key_is_named(provider: str) -> None:
    with pytest.raises(BadInput, match=presets()[provider].key_env):
        resolve(f"{provider}/m", options=OPTIONS)


@pytest.mark.parametrize("provider", ["ollama", "vllm", "llamacpp", "sglang"])
def test_servers_of_ones_own_need_no_key(provider: str) -> None:
    assert served(f"{provider}/llama3:8b").name == f"{provider}/llama3:8b"


def test_a_server_on_this_machine_needs_no_key_whatever_it_speaks() -> None:
    assert served("openai/m@http://127.0.0.1:9/v1").base_url == "http://127.0.0.1:9/v1"
    with pytest.raises(BadInput, match="OPENAI_API_KEY"):
        resolve("openai/m@https://example.com/v1", options=OPTIONS)


@pytest.mark.parametrize("key", ["sk-with blank", "sk-line\nbreak", "schlüssel"])
def test_a_key_no_header_can_carry_is_refused_without_being_shown(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(BadInput, match="OPENAI_API_KEY") as error:
        resolve("openai/m", options=OPTIONS)
    assert key[:4] not in str(error.value)


async def test_the_model_the_server_is_asked_for_is_the_name_without_provider_and_url(server: FaultServer) -> None:
    from personae.types import Message, Trial

    names = {
        f"vllm/org/name@{server.url}": "org/name",
        f"openrouter/@cf/meta/llama@{server.url}/": "@cf/meta/llama",
        f"ollama/llama3:8b@{server.url}/chat/completions": "llama3:8b",
    }
    for name, sent in names.items():
        model = served(name)
        assert model.name == name
        await model.respond(Trial(messages=(Message("user", "Which?"),)))
        await model.close()
        assert server.requests[-1]["model"] == sent


def test_the_base_url_comes_from_the_name_then_the_options_then_the_environment_then_the_preset(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = ModelOptions(base_url="http://10.0.0.1/v1")
    assert served("vllm/m").base_url == "http://127.0.0.1:8000/v1"
    monkeypatch.setenv("VLLM_BASE_URL", "http://10.0.0.2/v1/")
    assert served("vllm/m").base_url == "http://10.0.0.2/v1"
    assert served("vllm/m", given).base_url == "http://10.0.0.1/v1"
    assert served("vllm/m@http://10.0.0.3/v1", given).base_url == "http://10.0.0.3/v1"


@pytest.mark.parametrize(
    "url", ["localhost:8000", "ftp://x/v1", "http://", "http://x:99999/v1", "nonsense", "http://[::1"]
)
def test_a_base_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match="base URL"):
        base_url(presets()["vllm"], url)


@pytest.mark.parametrize("url", ["http://me:secret@h/v1", "http://h/v1?api_key=secret", "http://h/v1#secret"])
def test_a_base_url_may_hold_no_secret_and_shows_none(url: str) -> None:
    with pytest.raises(BadInput, match="keys come from the environment") as error:
        base_url(presets()["vllm"], url)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    "url", ["http://me:secret@h:99999/v1", "http://me:sec/secret@h", "me:secret@h:80", "http://secret@[::1"]
)
def test_a_broken_url_shows_no_secret(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    for given in (f"vllm/m@{url}", f"nobody/m@{url}", f"vllm/@{url}"):
        with pytest.raises(BadInput) as error:
            resolve(given if "//" in url else "vllm/m", options=ModelOptions(base_url=url))
        assert "secret" not in str(error.value)
    monkeypatch.setenv("VLLM_BASE_URL", url)
    with pytest.raises(BadInput, match="VLLM_BASE_URL") as error:
        resolve("vllm/m", options=OPTIONS)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("scheme", ["http", "HTTP", "Https"])
def test_a_url_ends_a_name_in_letters_of_any_case(scheme: str) -> None:
    model = served(f"vllm/org/m@{scheme}://10.0.0.3:8000/v1")
    assert model.base_url == f"{scheme.lower()}://10.0.0.3:8000/v1"
    assert model._dialect.model == "org/m"
    assert Prices.load().cost(f"vllm/m@{scheme}://10.0.0.3/v1", 1, 1) == 0.0
    assert Prices.load().cost(f"vllm/m@{scheme}://example.org/v1", 1, 1) is None


def test_an_empty_model_name_is_refused() -> None:
    with pytest.raises(BadInput, match="vllm/<model>"):
        resolve("vllm/@http://127.0.0.1:9/v1", options=OPTIONS)


def test_options_reach_the_model() -> None:
    model = served("vllm/m", ModelOptions(timeout=7.0, retries=2, concurrency=3))
    assert (model.timeout, model.retries, model.concurrency, model.limiter.maximum) == (7.0, 2, 3, 3)
    assert served("vllm/m").concurrency == presets()["vllm"].concurrency


def test_the_embedded_model_gets_no_more_workers_than_there_are_cores() -> None:
    model = resolve("local/smollm2", options=ModelOptions(concurrency=1000))
    assert model.name == "local/smollm2"
    assert model.workers == os.cpu_count()
    assert resolve("local/smollm2", options=ModelOptions(concurrency=1)).workers == 1


def test_a_simulated_respondent_gets_the_seed() -> None:
    model = resolve("sim/neutral", options=ModelOptions(seed=5))
    assert model.capabilities.simulated
    assert model.name == "sim/neutral"


def test_a_users_prices_are_used(tmp_path: Path) -> None:
    table = tmp_path / "prices.yaml"
    table.write_text("vllm/m: {prompt: 1, completion: 2}\n")
    model = served("vllm/m", ModelOptions(prices=table))
    assert model._price is not None
    assert model._price(1_000_000, 1_000_000) == 3.0


def test_every_preset_is_listed_with_whether_its_key_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk-x")
    found = {provider.name: provider for provider in providers()}
    assert set(found) == set(presets()) == set(known()) - {"local", "sim", "inspect"}
    assert found["groq"].key_set
    assert not found["openai"].key_set


async def test_who_listens_is_found_out_without_a_key(server: FaultServer) -> None:
    dead = "http://127.0.0.1:9/v1"
    assert await reachable((server.url, dead)) == {server.url: True, dead: False}
    assert all("Authorization" not in headers for headers in server.headers)


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://localhost/v1", True),
        ("http://192.168.1.5/v1", True),
        ("http://gpu-box:8000/v1", True),
        ("http://gpu.local/v1", True),
        ("https://api.openai.com/v1", False),
        ("http://8.8.8.8/v1", False),
    ],
)
def test_addresses_of_ones_own_network_are_told_apart(url: str, local: bool) -> None:
    assert is_local(url) is local
