"""Injecting implicit bias into daily questions (paper 002, section 4.2): when, which bias, written by whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import isfinite
from typing import Literal

from msgspec import Struct

from personae.errors import BadInput
from personae.memory.biases import Domain, Strategy, biases, known_domains, known_strategies
from personae.memory.chance import shuffled, uniform
from personae.memory.compose import compose
from personae.memory.generator import conversation, grammar
from personae.memory.inject_check import Fault, Rewritten, read_rewritten
from personae.memory.questions import DailyQuestion
from personae.types import Response, Trial

TRIES = 4
SEEDS = 1000
"""Of one turn, so that more tries ask nothing twice and change nothing."""
TEMPERATURE = 0.8
TOKENS = 700
"""Room for the story; the question has room of its own."""

Ask = Callable[[Trial], Awaitable[Response]]
Way = Literal["plain", "composed", "generated"]


class Mark(Struct, frozen=True):
    """What is to be injected at a turn."""

    domain: Domain
    strategy: Strategy


class Injection(Struct, frozen=True, kw_only=True):
    """How many turns of an episode carry a bias, and which.

    Parameters
    ----------
    rate : float
        Lambda: the probability of each turn to be rewritten, from 0 to 1.
    seed : int
    domains : tuple of str
        Those to inject; all nine where none is named (mixed), one for injection of a single domain.
    strategies : tuple of str
        How it is told; all three where none is named.

    Raises
    ------
    BadInput
        For a rate outside [0, 1], or a domain or strategy that does not exist.
    """

    rate: float
    seed: int = 0
    domains: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isfinite(self.rate) or not 0.0 <= self.rate <= 1.0:
            raise BadInput("injection rate lambda", self.rate, "a number from 0 (no turn) to 1 (every turn)")
        known_domains(self.domains)
        known_strategies(self.strategies)

    def at(self, turn: int) -> Mark | None:
        """What is injected at a turn, counted from 1; None where the question stays as it is.

        Which turns are marked depends on the seed and the rate alone: those of a lower rate are among those of a higher
        one, and they are the same whatever is injected. What a turn carries does not depend on the rate: in a row of
        turns every domain is told in every way once before any is told again.
        """
        if uniform(self.seed, "inject", turn) >= self.rate:
            return None
        domains, strategies = known_domains(self.domains), known_strategies(self.strategies)
        block, place = divmod(turn - 1, len(domains) * len(strategies))
        return _row(self.seed, domains, strategies, block)[place]


@lru_cache(maxsize=64)
def _row(seed: int, domains: tuple[Domain, ...], strategies: tuple[Strategy, ...], block: int) -> list[Mark]:
    return [Mark(*kind) for kind in shuffled(product(domains, strategies), seed, "kinds", block)]


class DailyTurn(Struct, frozen=True, kw_only=True):
    """What the user says at a turn, and how it came about.

    ``mark`` is what was to be injected. ``way`` is "plain" where the question stands alone: nothing was to be injected,
    or the generator wrote nothing that could be used. ``faults`` says what was wrong with each try.
    """

    turn: int
    question: str
    text: str
    way: Way
    mark: Mark | None = None
    strategy: Strategy | None = None
    reasoning: str = ""
    tries: int = 0
    faults: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether a bias should have been injected and was not."""
        return self.mark is not None and self.way == "plain"


class Injector:
    """Writes what the user says, turn by turn.

    Parameters
    ----------
    injection : Injection
    generator : str
        The name of the model that rewrites questions (`Trial.to`); without one, our own templates do.
    tries : int
        How often what cannot be used is asked for.
    grammar : bool
        Whether the generator can be kept to a grammar.
    """

    def __init__(self, injection: Injection, generator: str = "", tries: int = TRIES, grammar: bool = False) -> None:
        if not 1 <= tries < SEEDS:
            raise BadInput("tries of the generator", tries, f"from 1 to {SEEDS - 1}")
        self.injection, self.generator, self.tries, self.grammar = injection, generator, tries, grammar
        self.strategies = known_strategies(injection.strategies)

    async def turn(self, turn: int, question: DailyQuestion, ask: Ask) -> DailyTurn:
        """What the user says at a turn.

        Parameters
        ----------
        turn : int
            Counted from 1.
        question : DailyQuestion
        ask : callable
            A durable ask; its steps are ``inject/<turn>/<try>``. The generator chooses among the strategies, as in the
            paper; the templates follow the mark.
        """
        mark = self.injection.at(turn)
        if mark is None:
            return DailyTurn(turn=turn, question=question.id, text=question.shown, way="plain")
        if self.generator:
            return await self._generated(turn, question, mark, ask)
        text = compose(question, mark.domain, mark.strategy, self.injection.seed, turn)
        return DailyTurn(turn=turn, question=question.id, text=text, way="composed", mark=mark, strategy=mark.strategy)

    async def _generated(self, turn: int, question: DailyQuestion, mark: Mark, ask: Ask) -> DailyTurn:
        faults: list[str] = []
        while len(faults) < self.tries:
            response = await ask(self._trial(turn, question, mark, faults))
            found = read_rewritten(response, question, biases()[mark.domain], self.strategies)
            if isinstance(found, Rewritten):
                return DailyTurn(
                    turn=turn,
                    question=question.id,
                    text=found.text,
                    way="generated",
                    mark=mark,
                    strategy=found.strategy,
                    reasoning=found.reasoning,
                    tries=len(faults) + 1,
                    faults=tuple(faults),
                )
            faults.append(found.why)
        return DailyTurn(
            turn=turn,
            question=question.id,
            text=question.shown,
            way="plain",
            mark=mark,
            tries=len(faults),
            faults=tuple(faults),
        )

    def _trial(self, turn: int, question: DailyQuestion, mark: Mark, faults: Sequence[str]) -> Trial:
        number = len(faults) + 1
        return Trial(
            messages=conversation(question, mark.domain, self.strategies, faults),
            step=f"inject/{turn}/{number}",
            temperature=TEMPERATURE,
            max_tokens=TOKENS + len(question.shown) // 2,
            seed=self.injection.seed + SEEDS * turn + number,
            grammar=grammar(question, self.strategies) if self.grammar else None,
            to=self.generator,
            meta={
                "kind": "inject",
                "stimulus": question.id,
                "domain": mark.domain,
                "target": biases()[mark.domain].target,
                "turn": turn,
                "text": question.shown,
            },
        )


class Tally(Struct, frozen=True, kw_only=True):
    """What became of the turns of an episode.

    ``marked`` were to carry a bias; ``injected`` do; ``failed`` were asked plainly, since the generator wrote nothing
    that could be used. ``faults`` counts what was wrong with its tries, by sort.
    """

    turns: int
    marked: int
    injected: int
    failed: int
    domains: Mapping[str, int]
    strategies: Mapping[str, int]
    faults: Mapping[str, int]


def tally(turns: Iterable[DailyTurn]) -> Tally:
    """Count what was injected."""
    all_turns = list(turns)
    done = [one for one in all_turns if one.way != "plain"]
    return Tally(
        turns=len(all_turns),
        marked=sum(one.mark is not None for one in all_turns),
        injected=len(done),
        failed=sum(one.failed for one in all_turns),
        domains=Counter(one.mark.domain for one in done if one.mark),
        strategies=Counter(one.strategy for one in done if one.strategy),
        faults=Counter(Fault(fault).sort for one in all_turns for fault in one.faults),
    )
