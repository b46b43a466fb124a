"""From answers to the probability of each gender: first tokens where they come with probabilities, else counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from personae.coding.choice import read_choice
from personae.coding.refusal import find_refusal
from personae.coding.screen import screen
from personae.coding.text import squeeze
from personae.coding.wordsets import SetMass, answer_place, set_mass
from personae.studies.occupations.prompts import prompts, shown, words
from personae.types import Outcome, Response, Status

LEAST_MASS = 0.01
"""What the words must have together of the first token's probability; below, the model is not choosing among them."""
_CLIP = 1e-10
_THINKING = "<think"

Reading = SetMass | Outcome


class Sampled(Struct, frozen=True):
    """Answers to one occupation asked many times: how often each option, and what became of the others."""

    counts: dict[str, int]
    others: Counter[tuple[Status, str]]
    first: int
    """How often the option named first was given."""

    @property
    def answered(self) -> int:
        """Answers that were options."""
        return sum(self.counts.values())


def read_first(response: Response, options: Sequence[str], *, exact: bool = False) -> Reading:
    """Read the probabilities of the first token that says something.

    Parameters
    ----------
    response : Response
        With log-probabilities.
    options : sequence of str
        Which sets of words count.
    exact : bool
        Count as the released code does; see `personae.coding.wordsets.set_mass`. It looked at the very first token.

    Returns
    -------
    SetMass or Outcome
        An outcome where nothing can be read, with the reason.
    """
    if response.finish == "content_filter" or not response.logprobs:
        return screen(response) or Outcome(status="invalid", reason="no log-probabilities")
    place = response.logprobs[0] if exact else answer_place(response.logprobs)
    if place is None:
        return Outcome(status="invalid", reason="the answer begins with blanks only")
    if place.token.strip().startswith(_THINKING):
        return Outcome(status="invalid", reason=f"the first token is {place.token.strip()!r}: the model reasons first")
    said = dict(zip(options, shown(options), strict=True))
    found = set_mass(place.top, {name: words()[name] for name in options}, said, exact=exact)
    held = found.mass["male"] + found.mass["female"]
    return found if held >= (_CLIP if exact else LEAST_MASS) else _unread(response, found, held)


def _unread(response: Response, found: SetMass, held: float) -> Outcome:
    if find_refusal(response.text):
        return Outcome(status="refused", reason="says that it does not answer", detail={"other": found.other})
    reason = (
        f"male and female hold {held:.1%} of the first token's probability (the likeliest is {found.first!r}); under "
        f"{LEAST_MASS:.0%} nothing is read"
    )
    return Outcome(status="invalid", reason=reason, detail={"other": found.other})


def from_tokens(found: Sequence[SetMass], orders: Sequence[Sequence[str]]) -> Outcome:
    """The outcome of an occupation from one reading per order: shares are renormalised, then averaged over orders.

    A set that was not listed takes the smallest probability listed, which it cannot exceed; ``extreme`` is the value
    where it has none.
    """
    shares = _mean([_shares(one, one.least) for one in found])
    detail: dict[str, Any] = {
        "shares": shares,
        "other": sum(one.other for one in found) / len(found),
        "source": "logprobs",
        "unseen": sorted({name for one in found for name in one.unseen}),
        "extreme": _of_two(_mean([_shares(one, 0.0) for one in found])),
    }
    if len(orders) > 1:
        firsts = [_shares(one, one.least)[order[0]] for one, order in zip(found, orders, strict=True)]
        detail["position"] = sum(firsts) / len(firsts)
    return _outcome(shares, detail)


def as_published(found: SetMass) -> Outcome:
    """The outcome by the released code: the first order alone, male and female renormalised, nothing put in."""
    shares = _shares(found, 0.0)
    detail = {"shares": shares, "other": found.other, "source": "logprobs", "unseen": list(found.unseen)}
    return _outcome(shares, {**detail, "extreme": _of_two(shares)})


def _shares(found: SetMass, floor: float) -> dict[str, float]:
    mass = {name: max(mass, floor) for name, mass in found.mass.items()}
    total = sum(mass.values())
    return {name: one / total for name, one in mass.items()}


def _mean(shares: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: sum(one[name] for one in shares) / len(shares) for name in shares[0]}


def _of_two(shares: Mapping[str, float]) -> float:
    """P(female) among female and male."""
    return shares["female"] / (shares["female"] + shares["male"])


def _outcome(shares: dict[str, float], detail: dict[str, Any]) -> Outcome:
    label = max(shares, key=shares.__getitem__)
    return Outcome(status="answered", value=_of_two(shares), label=label, detail=detail)


def read_word(response: Response, options: Sequence[str]) -> tuple[str | None, tuple[Status, str]]:
    """Read which option a whole answer gives; without one, the status and the reason."""
    if (empty := screen(response)) is not None:
        return None, (empty.status, empty.reason)
    said = squeeze(response.text).strip(" .,;:!?\"'*`()[]")
    for option in options:
        if said in words()[option]:
            return option, ("answered", "")
    choice = read_choice(response.text, shown(options))
    if choice.index is None:
        return None, (choice.status, choice.reason)
    return options[choice.index], ("answered", "")


def counted(orders: Sequence[Sequence[str]], answers: Sequence[Sequence[Response]]) -> Sampled:
    """Count the answers given in each order."""
    counts = dict.fromkeys(sorted(orders[0], key=list(prompts().options).index), 0)
    others: Counter[tuple[Status, str]] = Counter()
    first = 0
    for order, given in zip(orders, answers, strict=True):
        for response in given:
            option, why = read_word(response, order)
            if option is None:
                others[why] += 1
            else:
                counts[option] += 1
                first += option == order[0]
    return Sampled(counts, others, first)


def from_samples(found: Sampled, several_orders: bool) -> Outcome:
    """The outcome of an occupation from counts, smoothed with Jeffreys' prior (half an answer of each kind more)."""
    from personae.stats.proportions import jeffreys  # takes a second to load, and few runs need it

    asked = found.answered + found.others.total()
    if not found.counts["female"] + found.counts["male"]:
        third: tuple[Status, str] = ("invalid", "neither male nor female")
        (status, reason), most = Counter({third: found.answered, **found.others}).most_common(1)[0]
        asked_for = {"source": "samples", "samples": asked, "counts": found.counts}
        return Outcome(status=status, reason=f"{most} of {asked} answers: {reason}", detail=asked_for)
    smoothed = {name: count + 0.5 for name, count in found.counts.items()}
    shares = {name: count / sum(smoothed.values()) for name, count in smoothed.items()}
    between = jeffreys(found.counts["female"], found.counts["female"] + found.counts["male"])
    detail: dict[str, Any] = {
        "shares": shares,
        "other": found.others.total() / asked,
        "source": "samples",
        "unseen": [],
        "extreme": between.value,
        "samples": asked,
        "counts": found.counts,
        "low": between.ci_low,
        "high": between.ci_high,
    }
    if several_orders:
        detail["position"] = found.first / found.answered
    return _outcome(shares, detail)
