"""Asking the occupations study from a script, without a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log

from personae.studies.occupations.study import Occupations
from personae.testing import settings_of
from personae.types import Finish, Item, Outcome, Response, TokenLogprob, Trial

Script = Callable[[Trial], Response]


def tokens(shares: Mapping[str, float], text: str | None = None, finish: Finish = "stop") -> Response:
    """A response whose first token has these probabilities."""
    top = tuple(sorted(((token, log(share)) for token, share in shares.items()), key=lambda one: -one[1]))
    return Response(
        text=top[0][0] if text is None else text, finish=finish, logprobs=(TokenLogprob(top[0][0], top[0][1], top),)
    )


def first_item(study: Occupations, persona: str | None = None) -> Item:
    return next(item for item in study.items() if item.condition.persona == persona)


async def asked(script: Script, **settings: object) -> tuple[Outcome, list[Trial]]:
    """The outcome of the first item, and every trial that was asked."""
    study = Occupations(settings_of(Occupations, **settings))
    trials: list[Trial] = []

    async def ask(trial: Trial) -> Response:
        trials.append(trial)
        return script(trial)

    return await study.run(first_item(study), ask), trials
