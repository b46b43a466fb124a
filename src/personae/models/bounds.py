"""What is believed of a reply: how long it may be, and which of its numbers can be true."""

from __future__ import annotations

from math import isfinite
from typing import Any

from personae.errors import ModelError
from personae.types import Response, TokenLogprob, Trial

MOST_TEXT = 1 << 20
"""Letters of an answer and its reasoning together."""
MOST_COUNTED = 10**9
"""Tokens of a prompt or an answer; a server that counts more counts wrongly."""
LEAST_LOGPROB = -9999.0
"""What OpenAI sends for a probability of 0."""
MOST_TOP = 1000
"""Alternatives of one token."""
_BASE, _PER_TOKEN = 1 << 20, 256  # bytes of a reply: beside its tokens, and for each way to write one of them


def most_bytes(trial: Trial) -> int:
    """How long the reply to a trial may be: a megabyte, and what its tokens with all their alternatives take."""
    return _BASE + trial.max_tokens * _PER_TOKEN * (2 + trial.top_logprobs)


def most_tokens(trial: Trial) -> int:
    """How many tokens the reply to a trial may report; some servers count those of reasoning besides."""
    return 1024 + 2 * trial.max_tokens


def count_of(tokens: Any) -> int | None:
    """A number of tokens, None where it can be none."""
    if type(tokens) is float and tokens.is_integer():
        tokens = int(tokens)
    return tokens if type(tokens) is int and 0 <= tokens <= MOST_COUNTED else None


def cost_of(dollars: Any) -> float | None:
    """A cost, None where it can be none."""
    if type(dollars) not in (int, float) or not isfinite(dollars) or not 0 <= dollars <= MOST_COUNTED:
        return None
    return float(dollars)


def logprob_of(found: float | None) -> float:
    """A log-probability as it can be: none, one that is no number, and one below `LEAST_LOGPROB` stand for 0.

    One above 0 is 0: servers round, and no probability is above 1.
    """
    if found is None or not found >= LEAST_LOGPROB:
        return LEAST_LOGPROB
    return min(found, 0.0)


def check_bounds(response: Response, trial: Trial) -> None:
    """See that an answer is no longer than can be read.

    Raises
    ------
    ModelError
        When its text, or the list of its tokens, is longer.
    """
    letters = len(response.text) + len(response.reasoning)
    if letters > MOST_TEXT:
        raise ModelError(f"an answer of {letters:,} letters; at most {MOST_TEXT:,} are read")
    if response.logprobs:
        if len(response.logprobs) > most_tokens(trial):
            found, asked = len(response.logprobs), trial.max_tokens
            raise ModelError(f"log-probabilities of {found:,} tokens; {asked:,} were asked for")
        if any(len(token.top) > MOST_TOP for token in response.logprobs):
            raise ModelError(f"more than {MOST_TOP:,} alternatives to one token")


def bounded_tokens(tokens: tuple[TokenLogprob, ...]) -> tuple[TokenLogprob, ...]:
    """Tokens whose log-probabilities can be true."""
    return tuple(
        TokenLogprob(
            token.token, logprob_of(token.logprob), tuple((top, logprob_of(logprob)) for top, logprob in token.top)
        )
        for token in tokens
    )
