"""The number of asks in flight falls when the server refuses, recovers when it answers, and nobody waits for ever."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from personae.models.limiter import Limiter


class Clock:
    """A clock that stands still until it is moved."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_slots_are_taken_without_waiting_while_there_are_any() -> None:
    limiter = Limiter(2)
    assert limiter.enter_now()
    assert limiter.enter_now()
    assert not limiter.enter_now()
    limiter.leave()
    assert limiter.enter_now()


def test_a_refusal_halves_once_for_all_asks_sent_before_it() -> None:
    clock = Clock()
    limiter = Limiter(64, clock)
    for _ in range(10):
        limiter.refused(sent_at=99.0)
    assert limiter.limit == 32
    clock.now = 101.0
    limiter.refused(sent_at=99.5)  # sent before the cut: no news
    assert limiter.limit == 32
    limiter.refused(sent_at=100.5)
    assert limiter.limit == 16


def test_the_limit_never_falls_below_one() -> None:
    clock = Clock()
    limiter = Limiter(3, clock)
    for _ in range(5):
        clock.now += 1
        limiter.refused(sent_at=clock.now)
    assert limiter.limit == 1


def test_answers_raise_the_limit_by_one_per_window_up_to_the_maximum() -> None:
    limiter = Limiter(16, Clock())
    limiter.refused(sent_at=100.0)
    for _ in range(8):
        limiter.answered()
    assert 8.9 < limiter.limit <= 9
    for _ in range(1000):
        limiter.answered()
    assert limiter.limit == 16


async def test_waiting_asks_go_in_turn_and_refused_ones_first() -> None:
    limiter = Limiter(1)
    order: list[str] = []

    async def ask(name: str, first: bool = False) -> None:
        await limiter.enter(first=first)
        order.append(name)
        await asyncio.sleep(0)
        limiter.leave()

    assert limiter.enter_now()
    tasks = [asyncio.create_task(ask("a")), asyncio.create_task(ask("b"))]
    await asyncio.sleep(0)
    tasks.append(asyncio.create_task(ask("again", first=True)))
    await asyncio.sleep(0)
    assert not limiter.enter_now()
    limiter.leave()
    await asyncio.gather(*tasks)
    assert order == ["again", "a", "b"]
    assert limiter.active == 0


async def test_a_pause_holds_everyone_and_ends() -> None:
    clock = Clock()
    limiter = Limiter(4, clock)
    limiter.refused(sent_at=100.0, pause=30.0)
    limiter.refused(sent_at=100.0, pause=5.0)  # a shorter wish does not shorten it
    assert not limiter.enter_now()
    assert limiter.pause == 30.0
    clock.now = 130.0
    await limiter.enter()
    assert limiter.active == 1
    assert limiter.enter_now()


async def test_one_who_gives_up_waiting_lets_the_next_one_in() -> None:
    limiter = Limiter(1)
    assert limiter.enter_now()
    first, second = asyncio.create_task(limiter.enter()), asyncio.create_task(limiter.enter())
    await asyncio.sleep(0)
    limiter.leave()  # it is the first one's turn now
    first.cancel()
    await second
    assert limiter.active == 1


async def test_one_who_gives_up_during_a_pause_lets_the_next_one_in() -> None:
    limiter = Limiter(1)
    assert limiter.enter_now()
    first, second = asyncio.create_task(limiter.enter()), asyncio.create_task(limiter.enter())
    await asyncio.sleep(0)
    limiter.refused(sent_at=1e12, pause=0.05)
    limiter.leave()
    await asyncio.sleep(0.01)  # the first one sleeps out the pause
    first.cancel()
    await second
    assert limiter.active == 1


@settings(max_examples=50)
@given(st.integers(1, 5), st.lists(st.tuples(st.sampled_from("lrc"), st.integers(0, 3)), min_size=1, max_size=30))
def test_whatever_happens_every_ask_gets_its_turn_and_the_limit_holds(
    maximum: int, script: list[tuple[str, int]]
) -> None:
    async def run() -> None:
        limiter = Limiter(maximum)
        served = 0

        async def ask(kind: str, ticks: int) -> None:
            nonlocal served
            if not limiter.enter_now():
                await limiter.enter(first=kind == "r")
            try:
                assert limiter.active <= maximum
                for _ in range(ticks):
                    await asyncio.sleep(0)
                if kind == "r":
                    limiter.refused(sent_at=1e12)
                else:
                    limiter.answered()
                served += 1
            finally:
                limiter.leave()

        tasks = [asyncio.create_task(ask(kind, ticks)) for kind, ticks in script]
        await asyncio.sleep(0)
        given_up = [task.cancel() for task, (kind, _) in zip(tasks, script, strict=True) if kind == "c"]
        await asyncio.gather(*tasks, return_exceptions=True)
        assert served >= len(tasks) - sum(given_up)
        assert limiter.active == 0

    asyncio.run(run())
