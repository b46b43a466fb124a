"""A scripted ask for tests of the companion studies."""

from collections.abc import Callable
from math import log

from personae.types import Response, TokenLogprob, Trial


class Script:
    """Answers trials by a function, and keeps them."""

    def __init__(self, answer: Callable[[Trial], Response | str]) -> None:
        self.answer, self.trials = answer, []

    async def __call__(self, trial: Trial) -> Response:
        self.trials.append(trial)
        answer = self.answer(trial)
        return Response(text=answer) if isinstance(answer, str) else answer


def first_token(shares: dict[str, float]) -> Response:
    """A response whose first token has these probabilities."""
    top = tuple((token, log(share)) for token, share in shares.items() if share > 0)
    return Response(text=top[0][0], finish="length", logprobs=(TokenLogprob(*top[0], top),))
