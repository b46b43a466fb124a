"""A score from 0 to 100: a number that was said, or the mean of the digits that a model considers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from personae.coding.refusal import find_refusal
from personae.coding.scores import read_score
from personae.coding.screen import screen, unread
from personae.types import Outcome, Response, TokenLogprob

TOP_DIGIT = 9
DIGITS = frozenset("0123456789")
LEAST_MASS = 0.01
"""What the digits must have together of the first token's probability; below, the model is not giving a number."""
_BESIDE = " \t\n▁ĠĊ\"'*`"


def read_said(response: Response) -> Outcome:
    """The score that an answer says; one in JSON counts also where the answer was cut off after it."""
    found = read_score(response.text)
    if (empty := unread(response, whole=found.whole and found.form == "json" and found.value is not None)) is not None:
        return empty
    if found.value is None:
        return Outcome(status=found.status, reason=found.reason, detail={"raw": found.raw} if found.raw else {})
    detail = {"raw": found.raw, "unit": found.unit, "form": found.form, **({"middle": True} if found.middle else {})}
    return Outcome(status="answered", value=found.value, detail=detail)


def read_digit(response: Response) -> Outcome:
    """The mean of the digits that a model considers for its answer, 0 standing for 0 and 9 for 100.

    The mean keeps what a single digit would round away: how probable the neighbours are.
    """
    if response.finish == "content_filter" or not response.logprobs:
        return screen(response) or Outcome(status="invalid", reason="no log-probabilities")
    place = next((one for one in response.logprobs if one.token.strip(_BESIDE)), response.logprobs[0])
    shares = digit_shares(place)
    mass = math.fsum(shares)
    if mass < LEAST_MASS:
        return _undecided(response, place, mass)
    mean = math.fsum(digit * share for digit, share in enumerate(shares)) / mass
    square = math.fsum(digit**2 * share for digit, share in enumerate(shares)) / mass
    detail = {
        "raw": str(max(range(len(shares)), key=shares.__getitem__)),
        "unit": "digit",
        "mass": mass,
        "spread": _scaled(math.sqrt(max(square - mean**2, 0.0))),
    }
    return Outcome(status="answered", value=_scaled(mean), detail=detail)


def digit_shares(place: TokenLogprob) -> Sequence[float]:
    """Probability of each digit as this token, blanks and quotes about it left aside."""
    shares = [0.0] * (TOP_DIGIT + 1)
    for token, logprob in dict(place.top or ((place.token, place.logprob),)).items():
        said = token.strip(_BESIDE)
        if said in DIGITS:
            shares[int(said)] += math.exp(logprob)
    return shares


def _scaled(digit: float) -> float:
    return 100.0 * digit / TOP_DIGIT


def _undecided(response: Response, place: TokenLogprob, mass: float) -> Outcome:
    if find_refusal(response.text):
        return Outcome(status="refused", reason="says that it does not answer", detail={"mass": mass})
    reason = (
        f"digits hold {mass:.1%} of the first token's probability (the likeliest is {place.token.strip()!r}); under"
        f" {LEAST_MASS:.0%} nothing is read"
    )
    return Outcome(status="invalid", reason=reason, detail={"mass": mass})
