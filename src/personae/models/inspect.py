"""Ask any provider that inspect_ai knows: ``inspect/<provider>/<model>``.

An extra: ``pip install "personae[inspect]"``. Retries, connections and keys are inspect_ai's; what it gives back is
read into the same words as everything else.
"""

from __future__ import annotations

import asyncio
import contextvars
import importlib.util
import math
import os
import re
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from personae.breaker import Breaker
from personae.coding.reasoning import split_reasoning
from personae.errors import BadInput, ModelError
from personae.models.base import Capabilities
from personae.models.bounds import check_bounds, count_of
from personae.models.dialect import no_logprobs
from personae.models.faults import shortened
from personae.models.prices import Prices
from personae.models.reading import aligned, struck_response, well_formed_response, without_echo
from personae.secrets import IN_USE
from personae.types import Finish, Message, Response, TokenLogprob, Trial

if TYPE_CHECKING:
    from inspect_ai.model import ChatCompletionChoice, ChatMessage, GenerateConfig, Logprobs, Model, ModelOutput

    from personae.models.registry import ModelOptions

_CONCURRENCY = 10
# Alternatives per token, by provider: the comments of inspect_ai.model.GenerateConfig (0.3.285) and its providers.
_TOP_LOGPROBS = {
    "openai": 20,
    "openai-api": 20,
    "google": 20,
    "grok": 8,
    "together": 5,
    "hf": 20,
    "vllm": 20,
    "sglang": 20,
    "openrouter": 20,
    "mockllm": 20,
}
# These pass a last assistant turn on as one to be continued (inspect_ai 0.3.285, model/_providers).
_PREFILL = frozenset({"vllm", "sglang"})
_FINISH: dict[str, Finish] = {
    "stop": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
}


class InspectModel:
    """A model behind inspect_ai; implements `personae.models.base.Model`.

    Parameters
    ----------
    name : str
        What the user wrote: ``inspect/<provider>/<model>``.
    timeout : float
        Seconds one attempt may take.
    retries : int
        Attempts after the first, made by inspect_ai.
    concurrency : int, optional
        Asks in flight at most.
    price : callable, optional
        ``(prompt_tokens, completion_tokens)`` to US dollars, or None where it is not known.
    model_args : dict
        Passed on to ``inspect_ai.model.get_model``.

    Attributes
    ----------
    breaker : Breaker
        Ends the run where nothing comes back any more.

    Raises
    ------
    BadInput
        When inspect_ai is not installed, or the name lacks a provider or a model.
    """

    def __init__(
        self,
        name: str,
        *,
        timeout: float = 120.0,
        retries: int = 6,
        concurrency: int | None = None,
        base_url: str | None = None,
        price: Callable[[int, int], float | None] | None = None,
        model_args: dict[str, Any] | None = None,
    ) -> None:
        self.name = name
        self._spec = name.removeprefix("inspect/")
        self.provider, _, model = self._spec.partition("/")
        if not self.provider or not model:
            raise BadInput("model", name, "inspect/<provider>/<model>, such as inspect/anthropic/claude-haiku-4-5")
        if importlib.util.find_spec("inspect_ai") is None:
            raise BadInput("model", name, 'inspect_ai, which is an extra: pip install "personae[inspect]"')
        self.capabilities = Capabilities(
            top_logprobs=_TOP_LOGPROBS.get(self.provider, 0), prefill=self.provider in _PREFILL
        )
        self.concurrency = concurrency or _CONCURRENCY
        self.timeout, self.retries, self.base_url = timeout, retries, base_url
        self._price, self._args = price, model_args or {}
        self._model: Model | None = None
        self.breaker = Breaker(name)
        self._active, self._logprobs_seen = 0, False

    def has_answered(self, *, logprobs: bool) -> None:
        """Be told that this model answered in an earlier sitting, and whether with log-probabilities."""
        self.breaker.heard = True
        self._logprobs_seen = self._logprobs_seen or logprobs

    @classmethod
    def from_name(cls, name: str, *, options: ModelOptions) -> InspectModel:
        """The model of a name, asked as the options say."""
        return cls(
            name,
            timeout=options.timeout,
            retries=options.retries,
            concurrency=options.concurrency,
            base_url=options.base_url,
            price=partial(Prices.load(options.prices).cost, name),
        )

    async def open(self) -> None:
        """Have inspect_ai make its client.

        Raises
        ------
        BadInput
            When the provider is not known, its package is not installed, or its key is missing.
        """
        self._opened()

    def _opened(self) -> Model:
        if self._model is None:
            from inspect_ai.model import GenerateConfig, get_model

            IN_USE.add_named(os.environ)  # which of them a provider sends is known to inspect_ai alone
            config = GenerateConfig(
                max_retries=self.retries,
                attempt_timeout=math.ceil(self.timeout),
                max_connections=self.concurrency,
            )
            try:
                self._model = get_model(self._spec, config=config, base_url=self.base_url, memoize=False, **self._args)
            except Exception as error:  # each provider fails in its own way, and all of it is for the user to mend
                raise BadInput("model", self.name, f"a model that inspect_ai can open: {_said(error)}") from None
        return self._model

    async def close(self) -> None:
        """Close inspect_ai's client."""
        if self._model is not None:
            await self._model.api.aclose()
            self._model = None

    async def respond(self, trial: Trial) -> Response:
        """Ask through inspect_ai.

        Raises
        ------
        ModelError
            When it has not answered after inspect_ai's retries, or refuses the request.
        BadInput
            When the key or the model name is not accepted and there was no answer yet, or the trial needs what the
            provider cannot do.
        NothingComesBack
            When every ask has failed for a while.
        """
        if trial.grammar is not None:
            raise BadInput("model", self.name, "a server that takes a grammar, such as vllm or llamacpp")
        if trial.top_logprobs and trial.logprobs_needed and not self.capabilities.top_logprobs:
            raise no_logprobs(self.name)
        if trial.messages[-1].role == "assistant" and not self.capabilities.prefill:
            raise BadInput("model", self.name, "a server that continues a begun answer, such as vllm or ollama")
        begun = monotonic()
        self._active += 1
        try:
            output = await self._generate(trial)
            response = self._read(output, trial, monotonic() - begun)
            self._check_logprobs(response, trial)
        except ModelError as error:
            self.breaker.refused(error.reason, sent=begun, others=self._active - 1)
            raise
        finally:
            self._active -= 1
        self.breaker.answered(monotonic())
        return response

    def _check_logprobs(self, response: Response, trial: Trial) -> None:
        self._logprobs_seen = self._logprobs_seen or bool(response.logprobs)
        missed = trial.top_logprobs and not response.logprobs and response.text
        if missed and trial.logprobs_needed and response.finish != "content_filter":
            if self._logprobs_seen:
                raise ModelError("no log-probabilities in the reply")
            raise no_logprobs(self.name, "none in the reply")

    async def _generate(self, trial: Trial) -> ModelOutput:
        model = self._opened()
        asked = model.generate([_message(turn) for turn in trial.messages], config=self._config(trial))
        # inspect_ai keeps every call in the transcript of the context it is made in; a context of its own for each
        # call lets go of it, so that memory does not grow with the run.
        task = asyncio.create_task(asked, context=contextvars.copy_context())
        try:
            return await task
        except asyncio.CancelledError:
            task.cancel()
            raise
        except Exception as error:  # providers raise their own SDK's exceptions
            raise self._sorted(error) from None

    def _config(self, trial: Trial) -> GenerateConfig:
        from inspect_ai.model import GenerateConfig

        return GenerateConfig(
            temperature=trial.temperature,
            top_k=trial.top_k,
            top_p=trial.top_p,
            max_tokens=trial.max_tokens,
            seed=trial.seed,
            stop_seqs=list(trial.stop) or None,
            logprobs=True if trial.top_logprobs and self.capabilities.top_logprobs else None,
            top_logprobs=min(trial.top_logprobs, self.capabilities.top_logprobs) or None,
        )

    def _sorted(self, error: Exception) -> BadInput | ModelError:
        attempt = getattr(error, "last_attempt", None)
        if attempt is not None and isinstance(inner := attempt.exception(), Exception):
            error = inner
        status = getattr(error, "status_code", None) or getattr(error, "code", None)
        said = _said(error)
        if self.breaker.heard:
            return ModelError(f"{type(error).__name__}: {said}")
        if status in (401, 403):
            return BadInput(f"API key of {self.provider}", "a key that is refused", f"one that it accepts ({said})")
        if status == 404:
            return BadInput("model", self.name, f"a model that {self.provider} knows ({said})")
        return ModelError(f"{type(error).__name__}: {said}")

    def _read(self, output: ModelOutput, trial: Trial, latency: float) -> Response:
        if not output.choices:
            raise ModelError((output.error and shortened(output.error)) or "no choices in the reply")
        choice = output.choices[0]
        finish = _FINISH.get(choice.stop_reason, "other")
        if output.error and finish != "content_filter":
            raise ModelError(shortened(output.error))
        text, reasoning, closed = _parts(choice)
        if trial.messages[-1].role == "assistant":
            text = without_echo(text, trial.messages[-1].content)
        logprobs = _logprobs(choice.logprobs) if trial.top_logprobs else ()
        if logprobs and text != choice.message.text:
            logprobs = aligned(logprobs, text)
        prompt_tokens, completion_tokens, cost = self._spent(output)
        found = Response(
            text=text,
            reasoning=reasoning,
            finish=finish if closed else "length",
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            logprobs=logprobs,
            cost=cost,
            latency=latency,
        )
        found = well_formed_response(found)
        check_bounds(found, trial)
        return struck_response(found)

    def _spent(self, output: ModelOutput) -> tuple[int | None, int | None, float | None]:
        usage = output.usage
        if usage is None:
            return None, None, None
        # inspect_ai counts cached tokens of the prompt apart.
        counted = usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        prompt, completion, cost = count_of(counted), count_of(usage.output_tokens), usage.total_cost
        if cost is None and self._price is not None and prompt is not None:
            cost = self._price(prompt, completion or 0)
        return prompt, completion, cost


def _message(turn: Message) -> ChatMessage:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    match turn.role:
        case "system":
            return ChatMessageSystem(content=turn.content)
        case "user":
            return ChatMessageUser(content=turn.content)
        case "assistant":
            return ChatMessageAssistant(content=turn.content)


def _parts(choice: ChatCompletionChoice) -> tuple[str, str, bool]:
    """Text, reasoning, and whether the reasoning came to an end."""
    content = choice.message.content
    thoughts: list[str] = []
    if not isinstance(content, str):
        thoughts = [part.reasoning for part in content if part.type == "reasoning" and not part.redacted]
    apart = split_reasoning(choice.message.text)
    return apart.text, "\n\n".join(filter(None, [*thoughts, apart.reasoning])), apart.closed


def _logprobs(found: Logprobs | None) -> tuple[TokenLogprob, ...]:
    if found is None:
        return ()
    return tuple(
        TokenLogprob(token.token, token.logprob, tuple((top.token, top.logprob) for top in token.top_logprobs or ()))
        for token in found.content
    )


def _said(error: Exception) -> str:
    # PrerequisiteError carries its words, with rich markup, in ``message`` and not as a string.
    words = re.sub(r"\[/?[a-z ]+\]", "", str(getattr(error, "message", None) or error))
    return shortened(words) or type(error).__name__
