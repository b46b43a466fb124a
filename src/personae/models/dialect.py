"""How one model behind one server wants to be asked: the preset, and what the server has taught since."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence

from msgspec import UNSET

from personae.errors import BadInput
from personae.models.presets import Preset
from personae.models.wire import BegunTurn, ChatRequest, ServerError, encode
from personae.shown import shown
from personae.types import Message, Trial

log = logging.getLogger(__name__)

_UNWANTED = re.compile("support|unrecognized|unknown|unexpected|not permitted|not allowed|extra|deprecated")
_DROPPABLE = ("temperature", "top_k", "top_p", "seed")


class Dialect:
    """Builds requests for one model.

    Attributes
    ----------
    omitted : dict of str to str
        Sampling parameters that trials set and the server does not take, each with the reason. What is
        omitted is logged once; a report should show it.
    lessons : int
        How often the server has corrected us; a request built before the last lesson is built anew.
    """

    def __init__(self, name: str, model: str, preset: Preset) -> None:
        self.name, self.model, self.preset = name, model, preset
        self.omitted: dict[str, str] = {}
        self.lessons = 0
        self._max_tokens: str = preset.max_tokens
        self._swapped = False
        self._seed = "random_seed" if preset.seed == "random_seed" else "seed"
        self._refused: set[str] = set()
        if not preset.top_k:
            self._refused.add("top_k")
        if not preset.seed:
            self._refused.add("seed")
        self._differs = self._deviates()

    def request(self, trial: Trial) -> bytes:
        """The body of the request for a trial.

        Raises
        ------
        BadInput
            When the trial needs what the server cannot do: log-probabilities, a begun turn, a grammar.
        """
        temperature, top_k, seed = trial.temperature, trial.top_k, trial.seed
        request = ChatRequest(
            model=self.model,
            messages=trial.messages,
            temperature=UNSET if temperature is None else temperature,
            top_k=UNSET if top_k is None else top_k,
            top_p=UNSET if trial.top_p is None else trial.top_p,
            max_tokens=trial.max_tokens,
            seed=UNSET if seed is None else seed,
            stop=trial.stop or UNSET,
        )
        if trial.top_logprobs:
            self._logprobs(request, trial)
        if trial.messages[-1].role == "assistant":
            self._begun(request, trial.messages)
        if trial.grammar is not None:
            self._grammar(request, trial.grammar)
        if self._differs:
            self._adapt(request)
        return encode(request)

    def _adapt(self, request: ChatRequest) -> None:
        """Bring a request in OpenAI's form into the server's."""
        for parameter in self._refused:
            if parameter != "logprobs" and getattr(request, parameter) is not UNSET:
                setattr(request, parameter, UNSET)
                self._omit(parameter)
        if self._seed != "seed":
            request.random_seed, request.seed = request.seed, UNSET
        if self._max_tokens != "max_tokens":
            request.max_completion_tokens, request.max_tokens = request.max_tokens, UNSET

    def _deviates(self) -> bool:
        return bool(self._refused) or self._seed != "seed" or self._max_tokens != "max_tokens"

    def _omit(self, parameter: str) -> None:
        if parameter not in self.omitted:
            self.omitted[parameter] = f"{self.name} does not take {parameter}: asked without it"
            log.warning("%s", shown(self.omitted[parameter]))

    def _logprobs(self, request: ChatRequest, trial: Trial) -> None:
        if self.preset.top_logprobs and "logprobs" not in self._refused:
            request.logprobs = True
            request.top_logprobs = min(trial.top_logprobs, self.preset.top_logprobs)
        elif trial.logprobs_needed:
            raise no_logprobs(self.name)
        else:
            self._omit("logprobs")

    def _begun(self, request: ChatRequest, messages: Sequence[Message]) -> None:
        match self.preset.prefill:
            case "none":
                allowed = "a server that continues a begun answer, such as vllm or ollama"
                raise BadInput("model", self.name, allowed)
            case "continue":
                request.add_generation_prompt = False
                request.continue_final_message = True
            case "prefix":
                request.messages = (*messages[:-1], BegunTurn(content=messages[-1].content))

    def _grammar(self, request: ChatRequest, grammar: str) -> None:
        match self.preset.grammar:
            case "grammar":
                request.grammar = grammar
            case "ebnf":
                request.ebnf = grammar
            case "structured_outputs":
                request.structured_outputs = {"grammar": grammar}
            case None:
                raise BadInput("model", self.name, "a server that takes a grammar, such as vllm or llamacpp")

    def learn(self, error: ServerError, trial: Trial, taken: Trial | None = None, *, reported: bool = False) -> bool:
        """Learn from a refused request; True when asking anew makes sense.

        Nothing is learned of what the server took a moment ago: what it says then is about this one request, and all
        that are asked after it are asked as those before.

        Parameters
        ----------
        taken : Trial, optional
            The last one that was answered.
        reported : bool
            Whether the server has reported log-probabilities.

        Raises
        ------
        BadInput
            When the server refuses log-probabilities that the trial needs.
        """
        said = f"{error.param} {error.message}".lower()
        unwanted = bool(_UNWANTED.search(said)) or "unsupported" in error.code
        if unwanted and "logprobs" in said:
            if reported or not trial.top_logprobs:
                return False
            if trial.logprobs_needed or "logprobs" in self._refused:
                raise no_logprobs(self.name, error.message)
            self._refused.add("logprobs")
            return self._learned()
        if taken is None and self._learn_max_tokens(said):
            return self._learned()
        for parameter in _DROPPABLE:
            field = self._seed if parameter == "seed" else parameter
            known = taken is not None and getattr(taken, parameter) is not None
            about = unwanted and field in said and getattr(trial, parameter) is not None
            if about and parameter not in self._refused and not known:
                self._refused.add(parameter)
                return self._learned()
        return False

    def _learn_max_tokens(self, said: str) -> bool:
        refused = self._max_tokens
        if self._swapped or refused not in said:
            return False
        other = "max_tokens" if refused == "max_completion_tokens" else "max_completion_tokens"
        # Only a server that names both, or does not know the newer field, means the field and not its value.
        if other in said or (refused == "max_completion_tokens" and _UNWANTED.search(said)):
            self._max_tokens, self._swapped = other, True
        return self._swapped

    def _learned(self) -> bool:
        self.lessons += 1
        self._differs = self._deviates()
        return True


def no_logprobs(name: str, found: str = "no log-probabilities") -> BadInput:
    """The sentence for a model that does not report log-probabilities."""
    allowed = "a model that reports them, or --respond free, which needs none"
    return BadInput(f"log-probabilities of {name}", found, allowed)
