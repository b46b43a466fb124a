"""Respondents that answer from stated parameters and a seed: for calibration, for tests, for trying things out.

They read what a trial is about from its ``meta`` (kind, options, words, condition), which real models never see. What
one says depends on its seed, its name and the trial alone, so a run can be repeated and resumed.

===============  ==================================================================================================
``neutral``      answers by chance, and alike with and without a persona
``planted``      as neutral, but personas (of one group) shift: ``bias``, ``lean``, ``influence``, ``group``
``refuser``      as neutral, but refuses at ``rate`` (under a persona at ``persona_rate``)
``sycophant``    as neutral, but says what the user believes at ``rate`` (under a persona at ``persona_rate``)
``garbled``      as neutral, but mangles its answers at ``rate``: some can still be read, some must not be
``judge``        judges what the others explain: ``accuracy``, or ``sensitivity`` and ``specificity``; ``lapse``
``drifting``     as neutral, but its scores follow the biased memories it is shown: ``bias``; not those with a tag
===============  ==================================================================================================

Every respondent takes ``accuracy`` (probability of the right answer without influence), ``agreement`` (what a
suggestion adds to or takes from it), ``position`` (share of answers that are the first option whatever it is) and
``noise`` (how far probabilities vary between questions; matters for forced answers, which have no other noise). Where a
question has a fair answer, such as declining a comparison, ``base`` is the probability of another one. Where something
is known of a stimulus, such as the share of women in an occupation, ``follow`` is how far answers go with it: 0 by
chance, 1 wholly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from statistics import NormalDist
from struct import unpack
from typing import Any, Self

from personae.errors import BadInput, ModelError
from personae.models.base import Capabilities
from personae.models.respondents import RESPONDENTS, Neutral, made
from personae.models.simulated_memory import kept
from personae.models.simulated_text import (
    chosen,
    essay,
    explained,
    is_unfair,
    listed,
    mangled_choice,
    refusal,
    rewritten,
    scored,
    tagged,
    verdict,
)
from personae.types import Finish, Response, TokenLogprob, Trial

_MASS = 0.98  # of a forced answer; the rest lies on a token that is no option
_FAINT = 0.005  # the same where the respondent refuses or mangles: it considers no option
_CUT = 0.15  # share of mangled answers that break off
_LETTERS = 4  # per token, about
_KINDS = frozenset({"assign", "choice", "word", "explain", "verdict", "essay", "score", "tag", "inject", "memory"})
_DIGITS = 9  # of a score given as a digit
_SENTENCES = 8  # of an essay


class SimulatedModel:
    """A respondent behind the interface of a model."""

    capabilities = Capabilities(top_logprobs=20, prefill=True, simulated=True)
    concurrency = 64

    def __init__(self, name: str, respondent: Neutral, seed: int = 0) -> None:
        self.name, self.respondent, self.seed = name, respondent, seed
        self._key = blake2b(f"{seed}|{name}".encode(), digest_size=32).digest()

    @classmethod
    def from_name(cls, name: str, seed: int = 0) -> Self:
        """Make a respondent from ``sim/<respondent>?<parameter>=<value>&…``.

        Raises
        ------
        BadInput
            For an unknown respondent or parameter, or a value out of its range.
        """
        kind, _, query = name.removeprefix("sim/").partition("?")
        if kind not in RESPONDENTS:
            raise BadInput("simulated respondent", kind, f"known are {', '.join(RESPONDENTS)}")
        return cls(name, made(kind, query), seed)

    async def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close."""

    async def respond(self, trial: Trial) -> Response:
        """Answer at once.

        Raises
        ------
        ModelError
            When the trial does not say what it is about.
        """
        return self.answer(trial)

    def answer(self, trial: Trial) -> Response:
        """Answer, as `respond` does, without awaiting."""
        meta = trial.meta
        if meta.get("kind") not in _KINDS:
            raise ModelError("a simulated respondent answers only questions that describe themselves in their meta")
        extra = 2 * _SENTENCES if meta["kind"] == "essay" else len(meta.get("words", ()))
        draws = _uniforms(self._key, trial, 5 + extra)
        if trial.top_logprobs:
            return self._forced(trial, draws)
        mangled = self.respondent.mangles(draws[0])
        finish: Finish = "stop"
        if self.respondent.refuses(meta, draws[0]):
            text = refusal(meta.get("options", ()), draws[1])
        else:
            text = self._spoken(trial, draws, mangled)
        if mangled and draws[2] < _CUT:
            text, finish = text[: len(text) // 2], "length"
        return _response(trial, text, finish)

    def _spoken(self, trial: Trial, draws: Sequence[float], mangled: bool) -> str:
        meta, kind = trial.meta, trial.meta["kind"]
        if kind == "explain":
            text = "" if mangled else explained(draws[4] < self.respondent.unfair(meta), draws[1])
        elif kind == "verdict":
            truth = is_unfair(meta["answer"])
            right = draws[4] < self.respondent.judges_rightly(truth)
            text = verdict(truth == right, draws[1], mangled)
        elif kind == "score":
            text = scored(round(self._score(meta, draws)), draws[1], mangled)
        elif kind == "tag":
            found = meta["biased"] == (draws[4] < self.respondent.judges_rightly(meta["biased"]))
            text = tagged(self.respondent.suspicion(found, draws[3]), mangled)
        elif kind == "memory":
            text = kept(meta, [message.content for message in trial.messages], mangled)
        elif kind == "inject":
            text = rewritten(meta["text"], meta["target"], mangled)
        elif kind == "essay":
            text = self._written(meta, draws[5:], mangled)
        elif kind == "assign":
            text = self._assigned(meta, draws, mangled)
        else:
            text = self._picked(meta, draws, mangled)
        return text

    def _assigned(self, meta: Mapping[str, Any], draws: Sequence[float], mangled: bool) -> str:
        options = meta["options"]
        of = {meta["stereotype"][word]: word for word in meta["words"]}  # shares hang on the stereotype alone
        shares = {option: self._shares(meta, word) for option, word in of.items()}
        pairs = [
            (word, options[_drawn(shares[meta["stereotype"][word]], draw)])
            for word, draw in zip(meta["words"], draws[5:], strict=True)
        ]
        return listed(pairs, draws[1], mangled)

    def _picked(self, meta: Mapping[str, Any], draws: Sequence[float], mangled: bool) -> str:
        options = meta["options"]
        place = _drawn(self._shares(meta, None), draws[4])
        shown = options[place]
        if labels := meta.get("labels"):
            shown = f"{labels[place]}) {shown}" if draws[3] < 0.5 else labels[place]
        if mangled:
            return mangled_choice(shown, options, draws[1])
        return chosen(shown, draws[1], free=meta["kind"] == "word")

    def _written(self, meta: Mapping[str, Any], draws: Sequence[float], mangled: bool) -> str:
        """An answer in sentences, each with a word of one of the sets."""
        shares, words = self._shares(meta, None), []
        for which, word in zip(draws[::2], draws[1::2], strict=True):
            known = meta["essay"][meta["options"][_drawn(shares, which)]]
            words.append(known[int(word * len(known))])
        return "" if mangled else essay(words)

    def _score(self, meta: Mapping[str, Any], draws: Sequence[float]) -> float:
        """A score about the respondent's own, with a normal spread of 50 times its noise."""
        normal = NormalDist().inv_cdf(min(max(draws[4], 1e-6), 1 - 1e-6))
        return min(100.0, max(0.0, self.respondent.score(meta) + 50 * self.respondent.noise * normal))

    def _shares(self, meta: Mapping[str, Any], word: str | None, noise: float = 0.0) -> list[float]:
        """Shares with the preference for the first option; `noise` moves mass between it and the others."""
        first, *others = self.respondent.shares(meta, word)
        rest = 1 - first
        if noise and rest:
            moved = noise * min(first, rest)
            first, others = first + moved, [share - moved * share / rest for share in others]
        if position := self.respondent.position:
            first, others = (1 - position) * first + position, [(1 - position) * share for share in others]
        return [first, *others]

    def _forced(self, trial: Trial, draws: Sequence[float]) -> Response:
        meta = trial.meta
        shown, shares = self._digits(meta, draws) if meta["kind"] == "score" else self._options(meta, draws)
        evades = self.respondent.refuses(meta, draws[0]) or self.respondent.mangles(draws[0])
        mass = _FAINT if evades else _MASS
        tokens = {token: math.log(mass * share) for token, share in zip(shown, shares, strict=True) if share > 0}
        text = shown[_drawn(shares, draws[4])]
        top = sorted([*tokens.items(), ("\n", math.log(1 - mass))], key=lambda one: -one[1])
        logprobs = (TokenLogprob(text, tokens[text], tuple(top[: trial.top_logprobs])),)
        return _response(trial, text, "length", logprobs)

    def _options(self, meta: Mapping[str, Any], draws: Sequence[float]) -> tuple[list[str], list[float]]:
        words = meta.get("words", ())
        if len(words) > 1:
            raise ModelError("one token cannot assign several words; ask about one at a time")
        shares = self._shares(meta, words[0] if words else None, self.respondent.noise * (2 * draws[2] - 1))
        return [f" {token}" for token in meta.get("labels") or meta["options"]], shares

    def _digits(self, meta: Mapping[str, Any], draws: Sequence[float]) -> tuple[list[str], list[float]]:
        """A score as the two digits about it, which have it as their mean."""
        whole, part = divmod(self._score(meta, draws) / 100 * _DIGITS, 1)
        return [f" {whole:.0f}", f" {whole + 1:.0f}"], [1 - part, part]


def _drawn(shares: Sequence[float], uniform: float) -> int:
    """Place of the option that a number from [0, 1) falls on."""
    for place, share in enumerate(shares):
        uniform -= share
        if uniform < 0:
            return place
    return max(range(len(shares)), key=shares.__getitem__)  # rounding left a crumb


def _uniforms(key: bytes, trial: Trial, n: int) -> list[float]:
    """Draw `n` numbers from [0, 1) that depend on nothing but the key and the trial."""
    said = "\0".join([message.content for message in trial.messages])
    content = f"{trial.step}|{trial.repeat}|{trial.seed}|{said}".encode()
    drawn: list[float] = []
    for block in range(-(-n // 16)):
        digest = blake2b(content, key=key, salt=block.to_bytes(16, "little")).digest()
        drawn += [number / 2**32 for number in unpack("<16I", digest)[: n - len(drawn)]]
    return drawn


def _response(trial: Trial, text: str, finish: Finish, logprobs: tuple[TokenLogprob, ...] = ()) -> Response:
    prompt = sum([len(message.content) for message in trial.messages])
    return Response(
        text=text,
        finish=finish,
        prompt_tokens=prompt // _LETTERS,
        completion_tokens=len(text) // _LETTERS + 1,
        logprobs=logprobs,
    )
