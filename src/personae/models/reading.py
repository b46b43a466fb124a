"""From a reply of the wire to a response: text, reasoning, finish reason, tokens, log-probabilities, cost."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from personae.coding.reasoning import split_reasoning
from personae.models.bounds import bounded_tokens, check_bounds, cost_of, count_of
from personae.models.faults import Transient
from personae.models.wire import Reply, ReplyMessage, content_of, finish_of, logprobs_of
from personae.secrets import IN_USE
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
    ModelError
        When it is longer than can be read.
    RecursionError
        When the pieces of its text are nested too deeply.
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
    prompt_tokens = count_of(usage.prompt_tokens) if usage else None
    completion_tokens = count_of(usage.completion_tokens) if usage else None
    cost = None
    if price is not None and prompt_tokens is not None:
        cost = price(prompt_tokens, completion_tokens or 0)
    response = Response(
        text=text,
        reasoning=reasoning,
        finish=finish,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        logprobs=logprobs,
        cost=cost,
        latency=latency,
    )
    check_bounds(response, trial)
    return struck_response(response) if IN_USE else response


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
    """A response that came by way of a library: texts are well-formed Unicode, numbers are such as can be true."""
    tokens = tuple(
        TokenLogprob(
            well_formed(token.token), token.logprob, tuple((well_formed(top), logprob) for top, logprob in token.top)
        )
        for token in bounded_tokens(response.logprobs)
    )
    return replace(
        response,
        text=well_formed(response.text),
        reasoning=well_formed(response.reasoning),
        prompt_tokens=count_of(response.prompt_tokens),
        completion_tokens=count_of(response.completion_tokens),
        logprobs=tokens,
        cost=cost_of(response.cost),
    )


def struck_response(response: Response) -> Response:
    """A response without keys that are in use, wherever it says one; also one that goes over several tokens."""
    if not response.logprobs:
        return replace(response, text=IN_USE.struck(response.text), reasoning=IN_USE.struck(response.reasoning))
    pieces = IN_USE.struck_pieces([token.token for token in response.logprobs])
    tokens = tuple(
        TokenLogprob(piece, token.logprob, tuple((IN_USE.struck(top), logprob) for top, logprob in token.top))
        for piece, token in zip(pieces, response.logprobs, strict=True)
    )
    text, reasoning = IN_USE.struck(response.text), IN_USE.struck(response.reasoning)
    return replace(response, text=text, reasoning=reasoning, logprobs=tokens)


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
    # Backwards, for str.rfind takes the product of both lengths where a text repeats itself, and str.find the sum.
    after = joined[::-1].find(wanted[::-1]) if wanted else -1
    if after < 0:
        return ()
    at = len(joined) - after - len(wanted)
    passed = 0
    for index, token in enumerate(logprobs):
        passed += len(token.token)
        if passed > at:
            return logprobs[index:]
    return ()
