"""From a reply of the wire to a response: text, reasoning, finish reason, tokens, log-probabilities, cost."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from personae.coding.reasoning import split_reasoning
from personae.models.faults import Transient
from personae.models.wire import Reply, ReplyMessage, content_of, finish_of, logprobs_of
from personae.types import Finish, Response, TokenLogprob, Trial
from personae.wellformed import well_formed

Price = Callable[[int, int], float | None]


def read_reply(reply: Reply, trial: Trial, price: Price | None, latency: float) -> Response:
    """Read the first choice of a reply.

    Parameters
    ----------
    price : callable or None
        Prompt and completion tokens to US dollars.
    latency : float
        Seconds, of the attempt that was answered.

    Raises
    ------
    Transient
        When there is no choice, or one without a message.
    """
    choice = reply.choices[0] if reply.choices else None
    if choice is None or (message := choice.message) is None:
        raise Transient("no choices in the reply")
    text, reasoning, finish = _said(message, finish_of(choice.finish_reason))
    if trial.messages[-1].role == "assistant":
        text = without_echo(text, trial.messages[-1].content)
    logprobs = logprobs_of(choice.logprobs) if trial.top_logprobs else ()
    if logprobs and text != message.content:
        logprobs = aligned(logprobs, text)
    usage = reply.usage
    prompt_tokens = usage.prompt_tokens if usage else None
    completion_tokens = usage.completion_tokens if usage else None
    cost = None
    if price is not None and prompt_tokens is not None:
        cost = price(prompt_tokens, completion_tokens or 0)
    return Response(
        text=text,
        reasoning=reasoning,
        finish=finish,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        logprobs=logprobs,
        cost=cost,
        latency=latency,
    )


def _said(message: ReplyMessage, finish: Finish) -> tuple[str, str, Finish]:
    """Text and reasoning of a message, and how it ended."""
    text, reasoning = message.content, message.reasoning_content or message.reasoning or ""
    if type(text) is not str:
        text, thought = content_of(text)
        reasoning = reasoning or thought
    if not text and message.refusal:
        return message.refusal, reasoning, "content_filter"
    if "<" in text:
        apart = split_reasoning(text)
        text = apart.text
        reasoning = "\n\n".join(filter(None, (reasoning, apart.reasoning)))
        finish = finish if apart.closed else "length"
    return text, reasoning, finish


def well_formed_response(response: Response) -> Response:
    """A response that came by way of a library, with texts that are well-formed Unicode."""
    tokens = tuple(
        TokenLogprob(
            well_formed(token.token), token.logprob, tuple((well_formed(top), logprob) for top, logprob in token.top)
        )
        for token in response.logprobs
    )
    return replace(
        response, text=well_formed(response.text), reasoning=well_formed(response.reasoning), logprobs=tokens
    )


def without_echo(text: str, begun: str) -> str:
    """The answer without the begun turn, where the server repeats it."""
    for echo in (begun, begun.strip()):
        if echo and text.startswith(echo):
            return text[len(echo) :]
    return text


def aligned(logprobs: tuple[TokenLogprob, ...], text: str) -> tuple[TokenLogprob, ...]:
    """Log-probabilities of ``text`` alone, when they were reported with reasoning or an echo before it.

    Returns nothing where the tokens cannot be brought together with the text: better none than those of
    other words.
    """
    wanted = text.strip()
    joined = "".join(token.token for token in logprobs)
    at = joined.rfind(wanted) if wanted else -1
    if at < 0:
        return ()
    passed = 0
    for index, token in enumerate(logprobs):
        passed += len(token.token)
        if passed > at:
            return logprobs[index:]
    return ()
