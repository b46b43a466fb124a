"""When a server is given up, and when it is not: in a time that tests make up."""

from __future__ import annotations

import random

import pytest

from personae.breaker import CROWDED_SECONDS, FAILURES, SECONDS, Breaker, expected_to_fail
from personae.errors import NothingComesBack


class Time:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def breaker(time: Time) -> Breaker:
    return Breaker("vllm/m", time)


def fail(breaker: Breaker, time: Time, times: int, *, every: float = 0.0, reason: str = "HTTP 500: boom") -> None:
    for _ in range(times):
        sent = time.now
        time.now += every
        breaker.failed(reason, sent=sent)


@pytest.mark.parametrize("answered", [False, True])
def test_where_nothing_comes_back_the_run_ends_and_says_with_what_all_failed(
    breaker: Breaker, time: Time, answered: bool
) -> None:
    if answered:
        breaker.answered(time.now)
    fail(breaker, time, FAILURES, every=1.0)
    fail(breaker, time, 1, reason="connection lost")
    time.now += SECONDS
    with pytest.raises(NothingComesBack) as ended:
        fail(breaker, time, 1)
    assert str(ended.value) == (
        "no answer comes from vllm/m: 20 attempts in 48 s failed: HTTP 500: boom (19 times); connection lost"
    )


def test_many_failures_at_once_are_no_reason_and_few_over_a_long_time_are_none(breaker: Breaker, time: Time) -> None:
    fail(breaker, time, 10 * FAILURES)
    breaker.answered(time.now)
    fail(breaker, time, FAILURES - 1, every=120.0)
    breaker.answered(time.now)
    fail(breaker, time, FAILURES - 1, every=120.0)


CYCLE = [0.375 * (2**tries - 1) for tries in range(7)]
"""Seconds after which an ask is made again, and once more: its attempts with the usual back-off."""


@pytest.mark.parametrize("at_once", [1, 4, 64])
def test_a_server_that_is_back_in_twenty_seconds_is_waited_for_and_otherwise_given_up_in_a_minute(
    breaker: Breaker, time: Time, at_once: int
) -> None:
    down = time.now
    attempts = sorted(down + ask * CYCLE[-1] + at for at in CYCLE for ask in range(9) for _ in range(at_once))
    for at in attempts:
        time.now = at
        if at - down <= 20:
            breaker.failed("connection lost", sent=at)
    breaker.answered(time.now)
    later = [at + time.now - down for at in attempts]
    down = time.now
    with pytest.raises(NothingComesBack):
        fail_at(breaker, time, later)
    assert time.now - down < 60


def fail_at(breaker: Breaker, time: Time, attempts: list[float]) -> None:
    for at in attempts:
        time.now = at
        breaker.failed("connection lost", sent=at)


def test_an_answer_begins_the_count_anew(breaker: Breaker, time: Time) -> None:
    for _ in range(50):
        fail(breaker, time, FAILURES + 5, every=SECONDS / (FAILURES + 6))
        breaker.answered(time.now)
    assert breaker.heard


def test_time_counts_from_the_last_answer_and_not_from_when_a_slow_ask_was_made(breaker: Breaker, time: Time) -> None:
    sent = time.now
    time.now += 119.0
    breaker.answered(time.now)
    time.now += 1.0
    for _ in range(2 * FAILURES):
        breaker.failed("no answer within 120 s", sent=sent)


def test_an_ask_that_was_made_before_all_failed_is_waited_for(breaker: Breaker, time: Time) -> None:
    slow = time.now
    time.now += 1.0
    breaker.failed("HTTP 503: full", sent=time.now, others=2)
    fail(breaker, time, 100, every=1.0)
    breaker.failed("no answer within 120 s", sent=slow)
    fail(breaker, time, 100, every=1.0)
    with pytest.raises(NothingComesBack):
        breaker.failed("no answer within 120 s", sent=slow)


def test_a_server_that_fails_every_second_time_is_not_given_up(breaker: Breaker, time: Time) -> None:
    chance = random.Random(5)
    for _ in range(100_000):
        sent = time.now
        time.now += 0.25
        if chance.random() < 0.5:
            breaker.answered(time.now)
        else:
            breaker.failed("HTTP 500: boom", sent=sent)


def test_a_crowded_server_is_given_the_time_of_a_limit_and_of_its_pauses(breaker: Breaker, time: Time) -> None:
    for _ in range(3 * FAILURES):
        breaker.failed("HTTP 429: slow down", sent=time.now, patience=CROWDED_SECONDS + 60)
    time.now += CROWDED_SECONDS + 59
    fail(breaker, time, 1)
    time.now += 2
    with pytest.raises(NothingComesBack):
        fail(breaker, time, 1)


def test_what_needs_no_repeating_ends_the_run_the_second_time(breaker: Breaker, time: Time) -> None:
    breaker.failed("asked to wait 9,000 s", sent=time.now, enough=2)
    time.now += SECONDS + 1
    with pytest.raises(NothingComesBack, match="2 attempts"):
        breaker.failed("asked to wait 9,000 s", sent=time.now, enough=2)


def test_what_failed_in_an_earlier_sitting_says_nothing_of_the_server(breaker: Breaker, time: Time) -> None:
    with expected_to_fail():
        for _ in range(1000):
            time.now += 1.0
            breaker.refused("HTTP 403: no", sent=time.now)
    for number in range(59):
        breaker.refused("HTTP 403: no", sent=time.now + number * 0.5)
    time.now += SECONDS
    with pytest.raises(NothingComesBack, match="60 attempts"):
        breaker.refused("HTTP 403: no", sent=time.now)


def test_reasons_that_differ_each_time_take_no_more_room(breaker: Breaker, time: Time) -> None:
    for number in range(9_999):
        breaker.failed(f"fault {number}", sent=time.now)
    assert len(breaker._reasons) == 50
    time.now += SECONDS
    with pytest.raises(NothingComesBack, match="failed: fault 0; fault 1; fault 2; and 9,997 more"):
        breaker.failed("fault", sent=time.now)
