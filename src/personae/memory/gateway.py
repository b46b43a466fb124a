"""Our models and encoders as an OpenAI-compatible server on this machine, for memory systems that know nothing else.

A memory system asks its model and its encoder over HTTP. Here it gets both: a chat request becomes a `Trial` that is
asked through the ``ask`` of the item whose memory is being written, so that the system's inner calls are stored,
counted and replayed like every other; an embedding comes from `personae.embedding`. The server listens on 127.0.0.1
alone, in this process, and every memory has a `Line` of its own: a path that nobody else knows.

Who writes says for whom::

    with scope(ask, f"memory/{turn}"):
        await memory.write(exchange)

The trials are then named ``memory/<turn>/1``, ``memory/<turn>/2`` …
"""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec
import numpy as np
from aiohttp import web
from msgspec import Struct
from numpy.typing import NDArray

from personae.coding.screen import endless
from personae.embedding import Encoder, encoder
from personae.errors import PersonaeError
from personae.memory.gateway_chat import Unusable, asked_again, conversation, estimated, parse, reply
from personae.memory.gateway_form import Form, Read
from personae.memory.gateway_ids import StandIns
from personae.memory.gateway_scope import Scope, scope, writing
from personae.types import Response
from personae.wellformed import well_formed_body

__all__ = ["Gateway", "Line", "Scope", "Tidy", "scope", "width_sentence"]

T = TypeVar("T")
Tidy = Callable[[str], str]
"""Takes out of a prompt what differs between two runs of the same: today's date."""

_LONGEST = 64 * 1024 * 1024  # bytes of a request
_THREADS = 64
_SAVED = 6  # digits of a vector: what follows depends on which texts were encoded together


class Line:
    """One memory's way to a model and an encoder.

    Attributes
    ----------
    url : str
        The base URL for OpenAI's client.
    encoder : Encoder
        Where its vectors come from.
    unordered : bool
        Whether the library lists its functions in another order each time: they are told in that of their names.
    counting : bool
        Whether the library cannot do without a count of tokens: it is estimated where the model says none.
    """

    def __init__(self, gateway: Gateway, found: Encoder, tidy: Tidy) -> None:
        self.encoder, self.tidy = found, tidy
        self.unordered = self.counting = False
        self.token = secrets.token_urlsafe(16)
        self.url = f"{gateway.url}/{self.token}/v1"
        self._gateway = gateway
        self._scope: Scope | None = None
        self._answering: set[asyncio.Task[web.Response]] = set()

    @contextmanager
    def using(self) -> Iterator[Scope]:
        """Let the library ask in the scope of whoever writes; raises what an ask raised, whatever the library did.

        Raises
        ------
        PersonaeError
            Outside of any `scope`.
        """
        current = self._scope = writing()
        try:
            yield current
        except Exception as error:
            if current.failed is not None and error is not current.failed:
                raise current.failed from error
            raise
        finally:
            self._scope = None
        if current.failed is not None:
            raise current.failed

    async def threaded(self, work: Callable[[], T]) -> T:
        """Run what blocks beside the event loop, to its end: cancelled, it is not left behind but cut off first."""
        # Not asyncio's own threads: libraries that wait in all of them for an answer would keep a model from giving it.
        future = asyncio.get_running_loop().run_in_executor(self._gateway.threads, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            self._scope = None
            for task in self._answering:
                task.cancel()
            await asyncio.wait([future])
            raise

    async def answer(self, what: Awaitable[web.Response]) -> web.Response:
        """Answer a request unless the line is cut off meanwhile."""
        task = asyncio.ensure_future(what)
        self._answering.add(task)
        try:
            await asyncio.wait([task])
        finally:
            self._answering.discard(task)
            task.cancel()
        return _wrong(503, "cut off") if task.cancelled() else task.result()

    async def chat(self, body: bytes, most: int) -> web.Response:
        """A chat completion."""
        if (current := self._scope) is None:
            return _wrong(409, "no memory is being written, so nobody can be asked")
        chat = parse(body)
        if self.unordered and chat.tools:
            chat.tools.sort(key=lambda tool: str(tool.get("function", {}).get("name")))
        names = StandIns(body.decode("utf-8"))
        form = chat.form
        messages = conversation(chat, form.instruction, lambda text: names.hide(self.tidy(text)))
        responses = [await current(messages, chat, most)]
        number = current.asked
        read = _read(form, names, responses[0])
        if read.problem:
            again = asked_again(messages, responses[0].text, read.problem)
            responses.append(await current(again, chat, most))
            read = _read(form, names, responses[1])
        if read.problem:
            # Given back as it was said: what a library makes of it is the library's doing, and counted here.
            current.unread.append(read.problem)
            read = Read(names.reveal(responses[-1].text))
        return web.json_response(
            reply(chat, number, read, responses, estimated(messages, responses) if self.counting else None)
        )

    def embeddings(self, body: bytes) -> web.Response:
        """Vectors, each text encoded alone, so that it does not matter what it came with."""
        try:
            asked = msgspec.json.decode(body, type=_Texts)
        except (msgspec.DecodeError, RecursionError) as error:
            raise Unusable(f"not a request for embeddings of texts: {error}") from None
        if asked.dimensions not in (None, self.encoder.dim):
            raise Unusable(width_sentence(self.encoder, asked.dimensions))
        texts = [asked.input] if isinstance(asked.input, str) else asked.input
        data = [
            {"object": "embedding", "index": at, "embedding": _written(self._vector(text), asked.encoding_format)}
            for at, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}  # no model was asked
        return web.json_response({"object": "list", "data": data, "model": self.encoder.name, "usage": usage})

    def close(self) -> None:
        """Answer no more."""
        self._gateway.forget(self)

    def _vector(self, text: str) -> NDArray[np.float32]:
        # A text without a vector is near to nothing: 0 has no direction, and its cosine with anything counts as 0.
        vector: NDArray[np.float32] = np.nan_to_num(self.encoder.encode([text]).vectors[0]).round(_SAVED)
        return vector


def _read(form: Form, names: StandIns, response: Response) -> Read:
    """An answer in its form; of one that is longer than is read, only the words of a text."""
    reason = endless(response)
    if reason and (form.functions or form.as_json):
        return Read(problem=f"it is {reason}")
    return form.read(names.reveal(response.text))


class Gateway:
    """The server.

    Parameters
    ----------
    most_tokens : int
        The longest answer that any library gets, whatever it asks for.
    """

    scope = staticmethod(scope)

    def __init__(self, *, most_tokens: int = 2048) -> None:
        self.most_tokens, self.url = most_tokens, ""
        self.threads = ThreadPoolExecutor(_THREADS, "memory")
        self._lines: dict[str, Line] = {}
        self._runner: web.AppRunner | None = None

    async def open(self) -> None:
        """Listen, on a free port of 127.0.0.1."""
        app = web.Application(client_max_size=_LONGEST)
        app.router.add_post("/{line}/v1/chat/completions", self._chat)
        app.router.add_post("/{line}/v1/embeddings", self._embeddings)
        app.router.add_get("/{line}/v1/models", self._models)
        # aiohttp sets TCP_NODELAY on its connections; without it each call of a library would wait 40 ms.
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"

    async def close(self) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        self.threads.shutdown(wait=False)

    async def line(self, encoder_name: str, tidy: Tidy = str) -> Line:
        """A new line.

        Raises
        ------
        BadInput
            When there is no such encoder.
        """
        if self._runner is None:
            raise PersonaeError("the gateway is not open")
        # Beside the loop, for weights are read from disk, some of them only at the first text.
        found = await asyncio.get_running_loop().run_in_executor(self.threads, _loaded, encoder_name)
        opened = Line(self, found, tidy)
        self._lines[opened.token] = opened
        return opened

    def forget(self, line: Line) -> None:
        """Close a line."""
        self._lines.pop(line.token, None)

    async def _chat(self, request: web.Request) -> web.Response:
        body = well_formed_body(await request.read())
        return await self._served(request, lambda line: line.answer(line.chat(body, self.most_tokens)))

    async def _embeddings(self, request: web.Request) -> web.Response:
        body = well_formed_body(await request.read())

        async def encoded(line: Line) -> web.Response:
            return line.embeddings(body)

        return await self._served(request, encoded)

    async def _models(self, request: web.Request) -> web.Response:
        async def listed(line: Line) -> web.Response:
            models = [{"id": name, "object": "model", "created": 0, "owned_by": "personae"} for name in _model(line)]
            return web.json_response({"object": "list", "data": models})

        return await self._served(request, listed)

    async def _served(self, request: web.Request, serve: Callable[[Line], Awaitable[web.Response]]) -> web.Response:
        line = self._lines.get(request.match_info["line"])
        if line is None:
            return _wrong(404, "there is no such line")
        try:
            return await serve(line)
        except Unusable as error:
            return _wrong(400, str(error))
        except Exception as error:
            return _wrong(502, f"{type(error).__name__}: {error}")


class _Texts(Struct):
    input: str | list[str]
    dimensions: int | None = None
    encoding_format: str | None = None


def width_sentence(found: Encoder, wanted: Any) -> str:
    """What is said where vectors of one width meet those of another."""
    return f"vectors of {wanted} numbers are wanted, and encoder {found.name} makes vectors of {found.dim}"


def _loaded(encoder_name: str) -> Encoder:
    found = encoder(encoder_name)
    found.encode(["ready"])
    return found


def _model(line: Line) -> tuple[str, str]:
    return "personae", line.encoder.name


def _written(vector: NDArray[np.float32], form: str | None) -> Any:
    if form == "base64":
        return base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")
    return [round(float(number), _SAVED) for number in vector]


def _wrong(status: int, message: str) -> web.Response:
    """An error in OpenAI's form, which its client does not try again: whatever was worth retrying has been retried."""
    error = {"error": {"message": message, "type": "personae", "param": None, "code": None}}
    return web.json_response(error, status=status, headers={"x-should-retry": "false"})
