"""Items in flight, durable: nothing lost, nothing asked twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from personae.breaker import Breaker
from personae.engine.ask import Asker
from personae.engine.budget import Budget
from personae.engine.frames import outcomes
from personae.engine.keys import prompt_of
from personae.engine.scheduler import run_items
from personae.engine.store import Store
from personae.errors import BadInput, Changed, CostReached, ModelError, NothingComesBack, PersonaeError
from personae.models.base import Capabilities
from personae.types import Item, Message, Outcome, Response, TokenLogprob, Trial


async def go(study: Any, model: Any, store: Store, *, window: int = 4, budget: Budget | None = None) -> Asker:
    asker = Asker("m", store, model=model, concurrency=window, budget=budget)
    await run_items(study, study.items(), asker, window=window)
    store.flush()
    return asker


async def test_every_item_ends_in_an_outcome(tiny: Any, scripted: Any, store: Store) -> None:
    model = scripted()
    await go(tiny(25, asks=3), model, store)
    assert outcomes(store)["status"].to_list() == ["answered"] * 25
    assert len(model.asked) == 75


async def test_a_second_run_asks_nothing_and_says_the_same(tiny: Any, scripted: Any, store: Store) -> None:
    await go(tiny(10), scripted(), store)
    before = outcomes(store)
    model = scripted(lambda trial: "something else")
    await go(tiny(10), model, store)
    assert model.asked == []
    assert outcomes(store).equals(before)


async def test_a_resumed_run_asks_only_what_is_missing(tiny: Any, scripted: Any, store: Store) -> None:
    await go(tiny(4, asks=2), scripted(), store)
    model = scripted()
    await go(tiny(6, asks=3), model, store)
    assert sorted(model.asked) == sorted(
        [f"item {n:06}, ask 2" for n in range(4)] + [f"item {n:06}, ask {s}" for n in (4, 5) for s in range(3)]
    )


async def test_a_changed_request_under_a_known_key_stops_the_run(tiny: Any, scripted: Any, store: Store) -> None:
    await go(tiny(3), scripted(), store)
    with pytest.raises(Changed, match=r"tiny.count@1/00000\d#s0/0 was given to another request: message 1"):
        await go(tiny(3, text="other {} {}"), scripted(), store)


async def test_a_model_that_does_not_answer_is_an_error_and_is_asked_again(
    tiny: Any, scripted: Any, store: Store
) -> None:
    def broken(trial: Trial) -> str:
        return "!half a reply" if "000002" in trial.messages[-1].content else "fine"

    await go(tiny(5), scripted(broken), store)
    row = outcomes(store).row(2, named=True)
    assert (row["status"], row["reason"], row["value"]) == ("error", "half a reply", None)
    assert store.rows("SELECT count(*) FROM response") == [(4,)]
    model = scripted()
    await go(tiny(5), model, store)
    assert model.asked == ["item 000002, ask 0"]
    assert outcomes(store)["status"].to_list() == ["answered"] * 5
    assert store.rows("SELECT count(*) FROM failure") == [(0,)]


async def test_answers_beside_a_failed_one_are_kept(tiny: Any, scripted: Any, store: Store) -> None:
    def broken(trial: Trial) -> str:
        return "!gone" if trial.step == "s0" else "kept"

    await go(tiny(1, asks=3), scripted(broken, delay=0.01), store, window=3)
    assert store.rows("SELECT count(*) FROM response") == [(2,)]


async def test_a_fault_of_the_study_is_raised_and_what_was_answered_is_kept(
    tiny: Any, scripted: Any, store: Store
) -> None:
    class Faulty(tiny):  # type: ignore[misc]
        async def run(self, item: Item, ask: Any) -> Outcome:
            outcome: Outcome = await super().run(item, ask)
            if item.id == "000003":
                raise ZeroDivisionError("a fault")
            return outcome

    with pytest.raises(ZeroDivisionError):
        await go(Faulty(10), scripted(), store, window=1)
    store.flush()
    assert store.rows("SELECT count(*) FROM response") == [(4,)]


async def test_naming_two_trials_alike_is_a_fault(tiny: Any, scripted: Any, store: Store) -> None:
    class Twice(tiny):  # type: ignore[misc]
        async def run(self, item: Item, ask: Any) -> Outcome:
            await ask(self.trial(item, 0))
            await ask(self.trial(item, 0))
            return Outcome(status="answered")

    with pytest.raises(PersonaeError, match="asked twice in one item"):
        await go(Twice(1), scripted(), store)


async def test_no_more_asks_are_in_flight_than_allowed(tiny: Any, scripted: Any, store: Store) -> None:
    model = scripted(delay=0.001)
    await go(tiny(40, asks=5), model, store, window=3)
    assert model.most == 3


async def test_items_are_generated_as_they_are_needed(tiny: Any, scripted: Any, store: Store) -> None:
    study, seen = tiny(200), []

    def watch(trial: Trial) -> str:
        seen.append(study.generated)
        return "x"

    await go(study, scripted(watch), store, window=5)
    assert all(generated <= place + 5 for place, generated in enumerate(seen, start=1))


async def test_a_cancelled_run_keeps_what_was_answered(tiny: Any, scripted: Any, tmp_path: Path) -> None:
    store, model = Store(tmp_path / "run.db"), scripted(delay=0.005)
    running = asyncio.create_task(go(tiny(10_000), model, store))
    while len(model.asked) < 40:  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    store.close()
    again = Store(tmp_path / "run.db")
    assert again.rows("SELECT count(*) FROM response")[0][0] >= 36
    again.close()


class PerToken:
    """A cent per token."""

    def cost(self, model: str, prompt_tokens: int, completion_tokens: int) -> float | None:
        return None if model == "unknown" else 0.01 * (prompt_tokens + completion_tokens)


async def test_the_cost_limit_is_never_passed_and_the_run_can_go_on(tiny: Any, scripted: Any, store: Store) -> None:
    budget = Budget(PerToken(), limit=1.0)
    with pytest.raises(CostReached, match="--max-cost 1"):
        await go(tiny(100), scripted(delay=0.001), store, budget=budget)
    store.flush()
    spent, kept = store.rows("SELECT sum(cost), count(*) FROM response")[0]
    assert 0.7 < spent <= 1.0
    assert budget.spent == pytest.approx(spent)
    model = scripted()
    await go(tiny(100), model, store, budget=Budget(PerToken(), limit=100.0, spent=spent))
    assert len(model.asked) == 100 - kept


def test_a_limit_needs_a_known_price() -> None:
    with pytest.raises(BadInput, match=r"--max-cost: found 1\.0; a model whose price is known; add unknown"):
        Budget(PerToken(), limit=1.0).check("unknown")
    Budget(None).check("unknown")


class Guarded:
    """A model whose server refuses some questions always, and that minds whether it ever answered."""

    capabilities, concurrency = Capabilities(), 2

    def __init__(self, name: str, refused: Callable[[Trial], bool] = lambda trial: False) -> None:
        self.name, self.refused, self.reported = name, refused, False
        self.clock = count(0.0, 1.0)
        self.breaker = Breaker(name, lambda: next(self.clock))

    def has_answered(self, *, logprobs: bool) -> None:
        self.breaker.heard, self.reported = True, logprobs

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def respond(self, trial: Trial) -> Response:
        if self.refused(trial):
            self.breaker.refused("HTTP 403: no", sent=next(self.clock))
            raise ModelError("HTTP 403: no")
        self.breaker.answered(next(self.clock))
        return Response(text="A")


async def test_a_run_that_ends_at_what_is_always_refused_comes_further_each_time(tiny: Any, store: Store) -> None:
    study, sittings = tiny(200), 0
    while sittings < 20:
        sittings += 1
        model = Guarded("m", lambda trial: trial.messages[0].content < "item 000150")
        try:
            await go(study, model, store)
        except NothingComesBack:
            store.flush()
        else:
            break
    assert 1 < sittings < 10
    found = dict(store.rows("SELECT status, count(*) FROM outcome GROUP BY status"))
    assert found == {"error": 150, "answered": 50}


async def test_a_model_is_told_that_it_has_answered_in_an_earlier_sitting(tiny: Any, store: Store) -> None:
    def told() -> list[tuple[bool, bool]]:
        model, judge = Guarded("m"), Guarded("a judge")
        Asker("m", store, model=model, judges={judge.name: judge})
        return [(one.breaker.heard, one.reported) for one in (model, judge)]

    assert told() == [(False, False), (False, False)]
    await go(tiny(3), Guarded("m"), store)
    assert told() == [(True, False), (False, False)]
    trial = Trial(messages=(Message("user", "Which?"),), to="a judge", stop=('"to":"another"',))
    answer = Response(text="A", logprobs=(TokenLogprob("A", -0.1),))
    store.put_response("m", "x#judge/0", trial, prompt_of(trial), answer)
    store.flush()
    assert told() == [(True, False), (True, True)]
