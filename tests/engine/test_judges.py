"""Judges: other models asked in an item, durably, in the respondent's run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import personae
from personae.asking import Silent, ask
from personae.engine.ask import Asker
from personae.engine.budget import Budget
from personae.engine.scheduler import run_items
from personae.engine.store import Store
from personae.errors import BadInput
from personae.spec import make_spec
from personae.study.base import Ask
from personae.types import Condition, Item, Message, Outcome, Trial


@pytest.fixture
def judged(tiny: Any) -> Any:
    """A study whose items ask once, and then two judges about the answer."""

    class Judged(tiny):  # type: ignore[misc]
        def items(self) -> Iterator[Item]:
            for number in range(5):
                yield Item(study=self.name, id=str(number), stimulus="s", condition=Condition())

        async def run(self, item: Item, ask: Ask) -> Outcome:
            answer = await ask(Trial(messages=(Message("user", f"ask {item.id}"),)))
            trials = [
                Trial(messages=(Message("user", answer.text),), step=f"judge/{to}", to=to) for to in ("one", "two")
            ]
            verdicts = await asyncio.gather(*map(ask, trials))
            return Outcome(status="answered", value=float(sum(len(one.text) for one in verdicts)))

    return Judged()


def asker(store: Store, scripted: Any, **more: Any) -> tuple[Asker, dict[str, Any]]:
    models = {
        "respondent": scripted(lambda trial: f"said {trial.messages[-1].content}"),
        "one": scripted(lambda trial: "y"),
        "two": scripted(lambda trial: "yes"),
    }
    judges = {name: models[name] for name in ("one", "two")}
    return Asker("respondent", store, model=models["respondent"], judges=judges, concurrency=3, **more), models


async def test_a_judge_is_asked_in_the_respondents_place(store: Store, scripted: Any, judged: Any) -> None:
    one, models = asker(store, scripted)
    await run_items(judged, judged.items(), one, window=2)
    asked = {name: sorted(model.asked) for name, model in models.items()}
    assert asked["respondent"] == [f"ask {number}" for number in range(5)]
    assert asked["one"] == asked["two"] == [f"said ask {number}" for number in range(5)]


async def test_what_judges_said_is_kept_with_the_item_and_not_asked_again(
    store: Store, scripted: Any, judged: Any
) -> None:
    first, _ = asker(store, scripted)
    await run_items(judged, judged.items(), first, window=2)
    store.flush()
    keys = [key for (key,) in store.rows("SELECT key FROM response WHERE model='respondent' ORDER BY key")]
    assert keys[:3] == ["tiny.count@1/0#answer/0", "tiny.count@1/0#judge/one/0", "tiny.count@1/0#judge/two/0"]
    assert store.rows("SELECT count(*) FROM response")[0][0] == 15
    again, models = asker(store, scripted)
    await run_items(judged, judged.items(), again, window=2)
    assert again.asked == 0
    assert not any(model.asked for model in models.values())


async def test_judges_cost_their_own_price_and_count_in_the_same_budget(
    store: Store, scripted: Any, judged: Any
) -> None:
    class Prices:
        def cost(self, model: str, prompt_tokens: int, completion_tokens: int) -> float | None:
            return {"respondent": 0.01, "one": 0.1, "two": 1.0}[model]

    budget = Budget(Prices())
    one, _ = asker(store, scripted, budget=budget)
    await run_items(judged, judged.items(), one, window=2)
    assert budget.spent == pytest.approx(5 * 1.11)


async def test_asks_of_judges_count_among_those_in_flight(store: Store, scripted: Any, judged: Any) -> None:
    one, models = asker(store, scripted)
    for model in models.values():
        model.delay = 0.002
    await run_items(judged, judged.items(), one, window=5)
    assert max(model.most for model in models.values()) <= 3


PLANTED = "sim/planted?bias=1"


def why(run: personae.Run) -> dict[str, pl.DataFrame]:
    return {"outcomes": run.outcomes, "responses": run.responses}


def test_answers_can_be_judged_in_a_later_sitting(tmp_path: Path) -> None:
    given: dict[str, Any] = {"studies": ["roleplay.why"], "models": [PLANTED]}
    with ask(make_spec(**given), tmp_path / "run", Silent()) as run:
        before = why(run)
    assert before["outcomes"]["reason"].unique().to_list() == ["no judge was given"]
    with ask(make_spec(**given, judges=["sim/judge"]), tmp_path / "run", Silent()) as run:
        after = why(run)
    kept = after["responses"].filter(~pl.col("step").str.starts_with("judge/"))
    assert kept.equals(before["responses"])
    assert after["responses"].height == kept.height * 4
    assert after["outcomes"]["status"].unique().to_list() == ["answered"]
    assert after["outcomes"].filter(~pl.col("baseline"))["value"].mean() == 1.0
    assert after["outcomes"].filter(pl.col("baseline"))["value"].mean() == 0.0
    with personae.open_run(tmp_path / "run") as run:
        assert run.spec.judges == ["sim/judge"]


def test_stopping_early_gives_the_same_verdicts_for_less(tmp_path: Path) -> None:
    given: dict[str, Any] = {
        "studies": ["roleplay"],
        "models": ["sim/planted?bias=0.5&base=0.2"],
        "judges": ["sim/judge?accuracy=0.8"],
    }
    found = []
    for early in (False, True):
        with ask(make_spec(**given, stop_early=early), tmp_path / str(early), Silent()) as run:
            found.append((run.outcomes.select("key", "status", "value", "label"), run.responses.height))
    (whole, asked), (early_ones, fewer) = found
    assert whole.equals(early_ones)
    assert fewer < 0.9 * asked


def test_a_model_judges_itself_only_when_told_to(tmp_path: Path) -> None:
    given: dict[str, Any] = {"studies": ["roleplay.why"], "models": [PLANTED], "judges": [PLANTED]}
    with pytest.raises(BadInput, match="--judge-self"):
        ask(make_spec(**given), tmp_path / "run", Silent())
    assert not (tmp_path / "run").exists()
    with ask(make_spec(**given, judge_self=True), tmp_path / "run", Silent()) as run:
        assert run.outcomes["status"].unique().to_list() == ["answered"]
