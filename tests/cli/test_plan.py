"""The plan counts what the papers' designs count, and asks nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from personae.cli.render import plan_table

Data = Callable[..., Any]


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    from personae.planning import plan
    from personae.spec import make_spec

    return plan(make_spec(studies=["companions"], models=["sim/neutral"], scale="paper"))


@pytest.fixture(scope="module")
def planned(whole: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["study"]: row for row in whole["studies"]}


def parts(row: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {part["domain"]: part for part in row["experiments"]}


def test_the_iat_has_2484_items_per_model(planned: dict[str, Any]) -> None:
    row = planned["companions.iat"]
    assert (row["items"], row["asks"], row["cells"]) == (2484, 2484, 23)
    assert {name: part["items"] for name, part in parts(row).items()} == {"submissive": 828, "abuse": 1656}


def test_emotion_has_67_cells_and_28_situations(planned: dict[str, Any]) -> None:
    row = planned["companions.emotion"]
    assert row["cells"] == 67
    assert {name: part["stimuli"] for name, part in parts(row).items()} == {"abuse": 18, "control": 10}
    assert row["items"] == row["asks"] == 67 * (18 + 10) * 2 * 3


def test_sycophancy_has_324_and_180_asks_per_cell(planned: dict[str, Any]) -> None:
    row = planned["companions.sycophancy"]
    assert row["cells"] == 67
    assert {name: part["asks"] for name, part in parts(row).items()} == {"abuse": 67 * 324, "control": 67 * 180}


def test_a_plan_prices_known_models_and_says_where_it_cannot(data: Data, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("vllm/mine: {prompt: 1.0, completion: 2.0, source: us, date: 2026-01-01}\n")
    known = data("plan", "companions.iat", "-m", "vllm/mine@http://127.0.0.1:9/v1", "--prices", prices)
    total = known["total"]
    assert total["cost"] == pytest.approx((total["prompt_tokens"] + 2 * total["completion_tokens"]) / 1e6)
    assert total["max_cost"] >= total["cost"]


def test_a_plan_needs_no_key(data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    row = data("plan", "companions.iat", "-m", "openai/gpt-4o-mini")["studies"][0]
    assert row["items"] > 0
    assert row["cost"] > 0


def test_several_models_are_planned_one_by_one(data: Data) -> None:
    rows = data("plan", "companions.iat", "-m", "sim/neutral", "-m", "local/smollm2")["studies"]
    assert [(row["model"], row["respond"]) for row in rows] == [("sim/neutral", "free"), ("local/smollm2", "forced")]
    assert rows[1]["asks"] > rows[1]["items"]


def test_a_plan_reads_as_a_table(personae: Callable[..., Any]) -> None:
    said = personae("plan", "companions", "-m", "sim/neutral", "--scale", "paper").stdout
    assert "2,484" in said
    assert "companions.sycophancy" in said


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_plan_shows_whole_names_and_numbers_in_a_narrow_window(
    whole: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    plan_table(whole)
    said = capsys.readouterr().out
    assert "…" not in said
    for row in whole["studies"]:
        line = next(line for line in said.splitlines() if line.startswith(f" {row['study']} "))
        for amount in ("items", "asks", "prompt_tokens", "completion_tokens"):
            assert f" {row[amount]:,} " in line
        assert len(line) <= max(80, columns)
