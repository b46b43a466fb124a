"""How simulated respondents decide: the probability of every option, from stated parameters alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from statistics import NormalDist
from typing import Any
from urllib.parse import parse_qsl

from personae.errors import BadInput

_MIDDLE = 60.0  # of simulated scores
_SUSPICIOUS = 0.9  # suspicion of what is biased; of what is not, as much less than certain


@dataclass(frozen=True, kw_only=True)
class Neutral:
    """Answers by chance, and alike with and without a persona.

    Where a question has a fair answer (to say no, to decline a comparison or its premise), chance has no say: another
    answer is given with probability `base`. Where somebody is scored, `base` is how much worse, as a share of the
    scale, those come off against whom the bias runs that a study looks for.
    """

    accuracy: float = 0.7
    agreement: float = 0.1
    position: float = 0.0
    noise: float = 0.2
    base: float = 0.0
    follow: float = 0.0
    doubt: float = 0.0

    def shares(self, meta: Mapping[str, Any], word: str | None) -> list[float]:
        """Probability of each option, in the order shown; `word` is the one to assign, where there is one."""
        options = meta["options"]
        if (fair := meta.get("fair")) is not None:
            other = self.unfair(meta)
            return [1 - other if option == fair else other / (len(options) - 1) for option in options]
        if word is None and "correct" in meta:
            right = _clip(self.accuracy + self.pull(meta))
            return [right if option == meta["correct"] else (1 - right) / (len(options) - 1) for option in options]
        shift, towards = self.shift(meta, word)
        return _leaning(self._known(meta), [option in towards for option in options], shift)

    def _known(self, meta: Mapping[str, Any]) -> list[float]:
        """Shares before any lean: by chance, and as far as `follow` says those that are expected."""
        options, expected = meta["options"], meta.get("expected", {})
        chance = 1 / len(options)
        return [chance + self.follow * (expected.get(option, chance) - chance) for option in options]

    def pull(self, meta: Mapping[str, Any]) -> float:
        """What the user's suggestion adds to the probability of the right answer."""
        suggested = meta.get("suggested")
        if suggested is None:
            return 0.0
        strength = self.strength(meta)
        return strength if suggested == meta["correct"] else -strength

    def strength(self, meta: Mapping[str, Any]) -> float:
        """How strongly a suggestion pulls."""
        return self.agreement

    def shift(self, meta: Mapping[str, Any], word: str | None) -> tuple[float, Sequence[str]]:
        """How much more probable than by chance, and which options."""
        return 0.0, ()

    def unfair(self, meta: Mapping[str, Any]) -> float:
        """Probability of another than the fair answer, where there is a fair one."""
        return self.base

    def score(self, meta: Mapping[str, Any]) -> float:
        """The score of somebody, 0 to 100: `_MIDDLE`, and as far as `follow` says what the file is worth.

        For those of a group `against` which the bias runs it is worse by `unfair` of the whole scale.
        """
        worth: float = self.follow * (meta.get("strength", 0.5) - 0.5)
        worse = self.unfair(meta) if meta.get("against") else 0.0
        better = -1.0 if meta.get("higher") == "riskier" else 1.0
        return _MIDDLE + 100 * better * (worth - worse)

    def judges_rightly(self, biased: bool) -> float:
        """Probability of the right verdict on an explanation that is biased, or is not."""
        return 1.0

    def suspicion(self, biased: bool, uniform: float) -> float:
        """How suspicious something is that was found biased, or was not: 0.9 or 0.1, spread as far as `doubt` goes.

        The spread is normal on the scale of the normal quantiles, so that every suspicion stays between 0 and 1; it is
        told in hundredths, and never as wholly sure.
        """
        normal = NormalDist()
        middle = normal.inv_cdf(_SUSPICIOUS) * (1 if biased else -1)
        found = normal.cdf(middle + self.doubt * normal.inv_cdf(min(max(uniform, 1e-6), 1 - 1e-6)))
        return min(max(round(found, 2), 0.01), 0.99)

    def refuses(self, meta: Mapping[str, Any], uniform: float) -> bool:
        """Whether this answer is a refusal."""
        return False

    def mangles(self, uniform: float) -> bool:
        """Whether this answer is mangled."""
        return False


@dataclass(frozen=True, kw_only=True)
class Planted(Neutral):
    """Under a persona of `group` (any, where none is given), answers shift by a known amount.

    Parameters
    ----------
    bias : float
        Expected signed IAT bias under the persona, -1 to 1; without it 0. The unit formula moves by half of it.
        Where a question has a fair answer, or somebody is scored: added to `base`.
    lean : float, optional
        Added to the probability of naming an emotion held typical of the persona's group; `bias` if not given.
    influence : float
        Added to `agreement`, and so to (P_correct - P_incorrect) / 2; half of `bias` if not given.
    group : str, optional
        The only persona group that shifts.
    """

    bias: float = 0.3
    lean: float | None = None
    influence: float | None = None
    group: str | None = None

    def _applies(self, meta: Mapping[str, Any]) -> bool:
        return not meta.get("baseline", True) and self.group in {None, meta.get("persona_group")}

    def shift(self, meta: Mapping[str, Any], word: str | None) -> tuple[float, Sequence[str]]:
        if not self._applies(meta):
            return 0.0, ()
        if word is not None:
            return self.bias / 2, (meta["stereotype"][word],)
        return self.bias if self.lean is None else self.lean, meta.get("lean") or ()

    def unfair(self, meta: Mapping[str, Any]) -> float:
        return _clip(self.base + self.bias) if self._applies(meta) else self.base

    def strength(self, meta: Mapping[str, Any]) -> float:
        planted = self.bias / 2 if self.influence is None else self.influence
        return self.agreement + (planted if self._applies(meta) else 0.0)


@dataclass(frozen=True, kw_only=True)
class _Rated(Neutral):
    rate: float = 0.3
    persona_rate: float | None = None

    def _rate(self, meta: Mapping[str, Any]) -> float:
        return self.rate if meta.get("baseline", True) or self.persona_rate is None else self.persona_rate


@dataclass(frozen=True, kw_only=True)
class Refuser(_Rated):
    """Refuses at `rate`, under a persona at `persona_rate`."""

    def refuses(self, meta: Mapping[str, Any], uniform: float) -> bool:
        return uniform < self._rate(meta)


@dataclass(frozen=True, kw_only=True)
class Sycophant(_Rated):
    """Says what the user believes at `rate`, under a persona at `persona_rate`; otherwise as neutral."""

    agreement: float = 0.0
    rate: float = 0.8

    def shares(self, meta: Mapping[str, Any], word: str | None) -> list[float]:
        own = super().shares(meta, word)
        if word is not None or meta.get("suggested") is None:
            return own
        rate = self._rate(meta)
        said = [float(option == meta["suggested"]) for option in meta["options"]]
        return [rate * says + (1 - rate) * share for says, share in zip(said, own, strict=True)]


@dataclass(frozen=True, kw_only=True)
class Garbled(Neutral):
    """Mangles its answers at `rate`."""

    rate: float = 0.5

    def mangles(self, uniform: float) -> bool:
        return uniform < self.rate


@dataclass(frozen=True, kw_only=True)
class Judge(Neutral):
    """Gives a verdict on what simulated respondents explain, and knows the truth; asked anything else, it is neutral.

    Parameters
    ----------
    accuracy : float
        Probability of the right verdict.
    sensitivity : float, optional
        The same where the explanation is biased; `accuracy` if not given.
    specificity : float, optional
        The same where it is not.
    lapse : float
        Share of answers without a verdict on their last line.
    """

    accuracy: float = 1.0
    sensitivity: float | None = None
    specificity: float | None = None
    lapse: float = 0.0

    def judges_rightly(self, biased: bool) -> float:
        rate = self.sensitivity if biased else self.specificity
        return self.accuracy if rate is None else rate

    def mangles(self, uniform: float) -> bool:
        return uniform < self.lapse


@dataclass(frozen=True, kw_only=True)
class Drifting(Neutral):
    """Scores as the biased memories it is shown have it; what carries a tag it does not follow.

    Parameters
    ----------
    bias : float
        How much worse, as a share of the scale, those come off against whom the bias runs where all that was recalled
        is biased.
    """

    bias: float = 0.3

    def unfair(self, meta: Mapping[str, Any]) -> float:
        followed = meta.get("shown", 0) - meta.get("tagged", 0)
        return _clip(self.base + self.bias * followed / max(1, meta.get("recalled", 1)))


RESPONDENTS: dict[str, type[Neutral]] = {
    "neutral": Neutral,
    "planted": Planted,
    "refuser": Refuser,
    "sycophant": Sycophant,
    "garbled": Garbled,
    "judge": Judge,
    "drifting": Drifting,
}
_SIGNED = {"bias", "lean", "influence", "agreement"}


def made(kind: str, query: str) -> Neutral:
    """Make a respondent of the parameters in a query.

    Raises
    ------
    BadInput
        For an unknown parameter, or a value out of its range.
    """
    respondent = RESPONDENTS[kind]
    known = {field.name for field in fields(respondent)}
    given: dict[str, Any] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in known:
            raise BadInput(f"parameter of sim/{kind}", name, f"known are {', '.join(sorted(known))}")
        given[name] = value if name == "group" else _number(kind, name, value)
    if query and not given:
        raise BadInput(f"parameters of sim/{kind}", query, "they are written name=value and joined by &")
    return respondent(**given)


def _number(kind: str, name: str, value: str) -> float:
    low = -1.0 if name in _SIGNED else 0.0
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not low <= number <= 1:
        raise BadInput(f"parameter {name} of sim/{kind}", value, f"it must be a number from {low:g} to 1")
    return number


def _leaning(shares: Sequence[float], inside: Sequence[bool], shift: float) -> list[float]:
    """The shares, but `shift` more for the options inside and so much less for the others, each in proportion."""
    held = sum(share for share, is_in in zip(shares, inside, strict=True) if is_in)
    if not 0.0 < held < 1.0:
        return list(shares)
    moved = _clip(held + shift)
    factors = (1 - moved) / (1 - held), moved / held
    return [share * factors[is_in] for share, is_in in zip(shares, inside, strict=True)]


def _clip(share: float) -> float:
    return min(1.0, max(0.0, share))
