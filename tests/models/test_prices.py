"""What tokens cost: known prices, none where none is known, and a user's own over both."""

from __future__ import annotations

from pathlib import Path

import pytest

from personae.errors import BadInput
from personae.models.prices import Prices

MILLION = 1_000_000


@pytest.fixture(scope="module")
def prices() -> Prices:
    return Prices.load()


def test_every_built_in_price_says_where_and_when_it_was_read(prices: Prices) -> None:
    assert len(prices.table) >= 40
    for name, price in prices.table.items():
        assert price.source.startswith("https://"), name
        assert len(price.date) == 10, name
        assert 0 < price.prompt <= price.completion < 1000, name


def test_tokens_of_prompt_and_answer_are_priced_apart(prices: Prices) -> None:
    assert prices.cost("openai/gpt-4o-mini", 2 * MILLION, MILLION) == pytest.approx(2 * 0.15 + 0.6)
    assert prices.cost("openai/gpt-4o-mini", 0, 0) == 0.0


@pytest.mark.parametrize(
    "name",
    [
        "openai/gpt-4o-mini-2024-07-18",
        "inspect/openai/gpt-4o-mini",
        "openai/gpt-4o-mini@http://127.0.0.1:9/v1",
        "inspect/openai/gpt-4o-mini-2024-07-18",
    ],
)
def test_the_same_model_under_another_name_costs_the_same(prices: Prices, name: str) -> None:
    assert prices.cost(name, MILLION, MILLION) == prices.cost("openai/gpt-4o-mini", MILLION, MILLION)


def test_a_snapshot_with_a_price_of_its_own_keeps_it(prices: Prices) -> None:
    assert prices.cost("openai/gpt-4o-2024-05-13", MILLION, 0) == 5.0
    assert prices.cost("openai/gpt-4o-2024-08-06", MILLION, 0) == 2.5


@pytest.mark.parametrize("name", ["local/smollm2", "sim/neutral", "ollama/llama3:8b", "vllm/m@http://10.0.0.5:8000/v1"])
def test_what_runs_at_home_costs_nothing(prices: Prices, name: str) -> None:
    assert prices.cost(name, MILLION, MILLION) == 0.0


@pytest.mark.parametrize(
    "name", ["openai/gpt-99", "openrouter/openai/gpt-4o", "vllm/m@https://example.com/v1", "inspect/mockllm/model", "x"]
)
def test_an_unknown_price_is_unknown_and_not_nothing(prices: Prices, name: str) -> None:
    assert prices.cost(name, MILLION, MILLION) is None


def test_a_users_table_goes_over_the_built_in_one(tmp_path: Path) -> None:
    table = tmp_path / "mine.yaml"
    table.write_text(
        "openai/gpt-4o-mini: {prompt: 9, completion: 1}\n"
        "vllm/m@https://example.com/v1: {prompt: 3, completion: 1, source: contract, date: '2026-01-01'}\n"
        "ollama/llama3:8b: {prompt: 0.5, completion: 0.5}\n"
    )
    mine = Prices.load(table)
    assert mine.cost("openai/gpt-4o-mini", MILLION, 0) == 9.0
    assert mine.cost("vllm/m@https://example.com/v1", MILLION, 0) == 3.0
    assert mine.cost("ollama/llama3:8b", MILLION, 0) == 0.5
    assert mine.cost("openai/gpt-4o", MILLION, 0) == 2.5
    assert Prices.load().cost("openai/gpt-4o-mini", MILLION, 0) == 0.15


def test_an_empty_table_changes_nothing(tmp_path: Path) -> None:
    table = tmp_path / "empty.yaml"
    table.write_text("# nothing yet\n")
    assert Prices.load(table).table == Prices.load().table


@pytest.mark.parametrize(
    "text",
    [
        "- a list",
        "openai/x: 3",
        "openai/x: {prompt: 1}",
        "openai/x: {prompt: cheap, completion: 1}",
        "openai/x: {prompt: 1, completion: 1, currency: EUR}",
        "openai/x: {prompt: -1, completion: 1}",
        "openai/x: {prompt: .nan, completion: 1}",
        "a: b: c",
        "!!python/object:os.system {}",
    ],
)
def test_a_table_that_is_none_is_refused_with_a_sentence(tmp_path: Path, text: str) -> None:
    table = tmp_path / "bad.yaml"
    table.write_text(text)
    with pytest.raises(BadInput, match=r"bad\.yaml.*USD per million tokens"):
        Prices.load(table)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"gone\.yaml"):
        Prices.load(tmp_path / "gone.yaml")
