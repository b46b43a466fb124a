"""Ask any server that speaks OpenAI chat completions.

What can go wrong on the way becomes one of four things: another attempt, a `ModelError` that names the
reason (the item ends in error and is asked again by a later run), a `BadInput` that stops the run because only a
person can mend it, which nothing is any more once there was an answer, or a `NothingComesBack` where everything goes
wrong. The path of an ask that goes well is kept short: see ``bench/engine.py``.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import NoReturn
from urllib.request import getproxies, proxy_bypass

import aiohttp
import msgspec
from yarl import URL

from personae.bodies import TooLong, read_beginning, read_body
from personae.breaker import CROWDED_SECONDS, FAILURES, Breaker
from personae.errors import BadInput, ModelError, Unreachable
from personae.models.bounds import most_bytes
from personae.models.dialect import Dialect, no_logprobs
from personae.models.faults import (
    Refused,
    Transient,
    of_everyone,
    retry_after,
    shortened,
    spent,
    told,
    unknown_key,
    unknown_model,
)
from personae.models.limiter import Limiter
from personae.models.presets import Preset
from personae.models.reading import read_reply
from personae.models.wire import ServerError, decode, error_in, error_of
from personae.secrets import IN_USE
from personae.types import Response, Trial

log = logging.getLogger(__name__)

_AGAIN = frozenset({408, 409, 425, 429})
_OPEN_SECONDS = 8.0
_LONGEST_PAUSE = 300.0
"""Seconds that a server is believed to want no asks; a longer time has to be said again, after `_DOUBTED`."""
_DOUBTED = 40.0
_PAUSE_TOLD = 30.0
_BACKOFF, _BACKOFF_CAP = 0.5, 60.0


class OpenAIModel:
    """A model behind a chat completions server; implements `personae.models.base.Model`.

    Parameters
    ----------
    name : str
        What the user wrote; stands in the store.
    model : str
        What the server calls it.
    preset : Preset
        What is known of the server.
    base_url : str
        Without a trailing slash; ``/chat/completions`` is added.
    key : str, optional
        Sent as a bearer token and kept nowhere else.
    timeout : float
        Seconds one attempt may take.
    retries : int
        Attempts after the first.
    concurrency : int, optional
        Asks in flight at most; by default the preset's.
    price : callable, optional
        ``(prompt_tokens, completion_tokens)`` to US dollars, or None where it is not known.
    backoff : float
        Seconds before the first retry; doubled for each further one, with jitter.
    clock, sleep : callable
        Seconds, monotonic, and waiting for some of them.

    Attributes
    ----------
    breaker : Breaker
        Ends the run where nothing comes back any more.
    """

    def __init__(
        self,
        name: str,
        model: str,
        preset: Preset,
        *,
        base_url: str,
        key: str | None = None,
        timeout: float = 120.0,
        retries: int = 6,
        concurrency: int | None = None,
        price: Callable[[int, int], float | None] | None = None,
        backoff: float = _BACKOFF,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.name, self.base_url, self.preset = name, base_url, preset
        self.capabilities = preset.capabilities
        self.concurrency = concurrency or preset.concurrency
        self.retries, self.timeout, self.backoff = retries, timeout, backoff
        self.limiter = Limiter(self.concurrency, clock, sleep)
        self.breaker = Breaker(name, clock)
        self._clock, self._sleep = clock, sleep
        self._dialect = Dialect(name, model, preset)
        self._key, self._price = key, price
        self._url = URL(f"{base_url}/chat/completions")
        self._begun_url = self._url
        if preset.prefill_base_url and base_url == preset.base_url:
            self._begun_url = URL(f"{preset.prefill_base_url}/chat/completions")
        self._session: aiohttp.ClientSession | None = None
        self._logprobs_seen = False
        self._taken: Trial | None = None
        IN_USE.add(key)

    def has_answered(self, *, logprobs: bool) -> None:
        """Be told that this model answered in an earlier sitting, and whether with log-probabilities."""
        self.breaker.heard = True
        self._logprobs_seen = self._logprobs_seen or logprobs

    @property
    def omitted(self) -> Mapping[str, str]:
        """Sampling parameters asked for that the server does not take, each with a sentence."""
        return self._dialect.omitted

    async def open(self) -> None:
        """Open the session and see that somebody answers with this key.

        Raises
        ------
        Unreachable
            When nobody answers at the base URL within 8 seconds.
        BadInput
            When the server does not accept the key.
        """
        session = self._open_session()
        patience = aiohttp.ClientTimeout(total=_OPEN_SECONDS)
        try:
            url = f"{self.base_url}/models"
            async with session.get(url, timeout=patience, allow_redirects=False) as reply:
                status, body = reply.status, await read_beginning(reply)
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            await self.close()
            why = self._why(error, _OPEN_SECONDS)
            raise Unreachable("base URL", self.base_url, f"a server that answers: {why}") from None
        if status >= 400 and unknown_key(status, said := error_of(body)):
            await self.close()
            self._not_allowed(status, said)

    async def close(self) -> None:
        """Close the session; may be opened again."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def respond(self, trial: Trial) -> Response:
        """Ask, again where that makes sense.

        Raises
        ------
        ModelError
            When the server has not answered after every attempt, or does not take this request.
        BadInput
            When only a person can mend it, and there was no answer yet: key, model name, quota; or what the server
            cannot do.
        NothingComesBack
            When every attempt of every ask has failed for a while.
        """
        lessons, attempt = self._dialect.lessons, 0
        body = self._dialect.request(trial)
        while True:
            try:
                return await self._attempt(trial, body, attempt > 0)
            except Transient as fault:
                attempt += 1
                await self._back_off(fault, attempt)
            except Refused as refusal:
                # Another ask's refusal may have taught it meanwhile: then this one's is old news.
                if self._dialect.lessons == lessons and not self._learned(refusal, trial):
                    self.breaker.refused(refusal.reason, sent=refusal.sent, others=self.limiter.active)
                    raise ModelError(refusal.reason) from None
                lessons = self._dialect.lessons
                body = self._dialect.request(trial)

    def _learned(self, refusal: Refused, trial: Trial) -> bool:
        said = refusal.error
        return said is not None and self._dialect.learn(said, trial, self._taken, reported=self._logprobs_seen)

    async def _attempt(self, trial: Trial, body: bytes, again: bool) -> Response:
        limiter = self.limiter
        if not limiter.enter_now():
            await limiter.enter(first=again)
        begun = self._clock()
        session = self._session or self._open_session()
        url = self._begun_url if trial.messages[-1].role == "assistant" else self._url
        try:
            try:
                # Without ``async with``: a body read to its end, or failing to be, has let go of its connection.
                reply = await session.post(url, data=body, allow_redirects=False)
                good = reply.status < 300
                raw = await (read_body(reply, most_bytes(trial)) if good else read_beginning(reply))
            except (TimeoutError, aiohttp.ClientError, OSError) as error:
                raise Transient(self._why(error, self.timeout)) from None
            except TooLong as error:
                raise Refused(str(error)) from None
            finally:
                limiter.leave()
            if good:
                response = self._read(trial, raw, begun)
                limiter.answered()
            else:
                response = self._refused(reply.status, error_of(raw), begun, reply.headers)
        except (Transient, Refused) as fault:
            fault.sent = begun
            raise
        self.breaker.answered(begun + response.latency)
        self._taken = trial
        return response

    def _read(self, trial: Trial, raw: bytes, begun: float) -> Response:
        try:
            reply = decode(raw)
            choice = reply.choices[0] if reply.choices else None
            if error := reply.error or (choice and choice.error):
                said = error_in(error)
                return self._refused(said.status or 502, said, begun, {})
            response = read_reply(reply, trial, self._price, self._clock() - begun)
        except msgspec.DecodeError:
            raise Transient("broken JSON") from None
        except RecursionError:
            raise Transient("JSON nested too deeply") from None
        except ModelError as error:
            raise Refused(error.reason) from None
        if trial.top_logprobs and not response.logprobs and response.text:
            if trial.logprobs_needed or self._logprobs_seen:
                self._missed_logprobs(response)
        elif response.logprobs:
            self._logprobs_seen = True
        return response

    def _missed_logprobs(self, response: Response) -> None:
        if response.finish == "content_filter":
            return
        if not self._logprobs_seen:
            raise no_logprobs(self.name, "none in the reply")
        raise Transient("no log-probabilities in the reply")

    def _refused(self, status: int, error: ServerError, begun: float, headers: Mapping[str, str]) -> Response:
        """Sort a reply that is no answer; returns only where the refusal is itself an answer."""
        pause = retry_after(headers)
        if error.code in ("content_filter", "content_policy_violation") or "flagged_input" in error.message:
            return Response(text="", finish="content_filter", latency=self._clock() - begun)
        reason = f"HTTP {status}: {self._clean(error.message)}"
        if not self.breaker.heard:
            self._stop(status, error, reason)
        elif spent(status, error) or of_everyone(status):
            # It may be a slip, or hold for whatever is asked from now on: then the breaker ends the run.
            raise Transient(reason)
        if status in _AGAIN or status >= 500:
            raise self._again(status, reason, begun, pause)
        raise Refused(reason, error)

    def _stop(self, status: int, error: ServerError, reason: str) -> None:
        """Stop the run for what only a person can mend; once there was an answer it is no longer that."""
        if spent(status, error):
            said = self._clean(error.message)
            raise BadInput(f"account of {self.preset.title}", said, "an account with credit left")
        if status in _AGAIN or status >= 500:
            return
        if unknown_key(status, error):
            self._not_allowed(status, error)
        if unknown_model(status, error):
            raise BadInput("model", self.name, f"a model that {self.base_url} knows ({reason})")

    def _again(self, status: int, reason: str, begun: float, pause: float) -> Transient:
        """A refusal for now, after which to ask again."""
        if pause > _LONGEST_PAUSE:
            # One such header may be wrong, and no reason to let everybody wait; said twice it is believed.
            self.limiter.refused(begun)
            return Transient(f"{reason}; asked to wait {told(pause)}", pause)
        if status != 429 and not pause:
            return Transient(reason)
        if pause > max(self.limiter.pause, _PAUSE_TOLD):
            log.warning("%s wants no asks for %s: waiting", self.name, told(pause))
        self.limiter.refused(begun, pause)
        return Transient(reason, pause, CROWDED_SECONDS + pause)

    async def _back_off(self, fault: Transient, attempt: int) -> None:
        doubted = fault.pause > _LONGEST_PAUSE
        self.breaker.failed(
            fault.reason,
            sent=fault.sent,
            others=self.limiter.active,
            patience=fault.patience,
            enough=2 if doubted else FAILURES,
        )
        if attempt > self.retries:
            tries = "1 attempt" if attempt == 1 else f"{attempt} attempts"
            raise ModelError(f"{fault.reason} (after {tries})") from None
        wait = min(_BACKOFF_CAP, self.backoff * 2 ** (attempt - 1)) * random.uniform(0.5, 1.0)
        pause = _DOUBTED if doubted else fault.pause
        await self._sleep(pause + random.uniform(0, 0.1) if pause else wait)

    def _not_allowed(self, status: int, error: ServerError) -> NoReturn:
        said = self._clean(error.message)
        raise BadInput(
            self.preset.key_env,
            "a key that is refused" if self._key else None,
            f"an API key that {self.base_url} accepts for {self.name} (HTTP {status}: {said})",
        )

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            headers = {"Content-Type": "application/json", "User-Agent": "personae"}
            if self._key:
                headers["Authorization"] = f"Bearer {self._key}"
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self.concurrency + 1, keepalive_timeout=30),
                timeout=aiohttp.ClientTimeout(total=self.timeout, sock_connect=min(self.timeout, 30)),
                headers=headers,
                cookie_jar=aiohttp.DummyCookieJar(),
                proxy=_proxy(self._url),
            )
        return self._session

    def _why(self, error: BaseException, seconds: float) -> str:
        """Name what happened on the way, in words that carry no header."""
        if isinstance(error, aiohttp.ClientConnectorError):
            # Certificate errors are of this kind too, but carry no error of the system.
            system = getattr(error, "os_error", None)
            said = (system and system.strerror) or str(system or error)
            return f"nobody to talk to at {self.base_url} ({self._clean(said)})"
        if isinstance(error, TimeoutError):
            return f"no answer within {seconds:g} s"
        if isinstance(error, aiohttp.ClientPayloadError):
            return "half a reply"
        return f"connection lost ({self._clean(str(error)) or type(error).__name__})"

    def _clean(self, text: str) -> str:
        return shortened(text, self._key)


def _proxy(url: URL) -> str | None:
    # Looked up once: aiohttp's trust_env would look again for every request, and take keys out of ~/.netrc.
    if url.host is None or proxy_bypass(url.host):
        return None
    found = getproxies().get(url.scheme)
    if found:
        IN_USE.add_url(found)
    return found
