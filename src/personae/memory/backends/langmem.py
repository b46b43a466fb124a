"""LangMem in this process, offline: its memory manager over a store in memory, with our models and vectors.

What LangMem asks and decides is unchanged. Two things of the store are settled that it leaves to chance, so that the
same writes give the same memory: writes that come together are done in the order in which they were begun, and keys are
numbers in that order instead of random ones.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from personae.memory.backends.ledger import Ledger
from personae.memory.backends.served import Served
from personae.memory.base import Exchange

_SPACE = ("memories",)
_ALL = 1_000_000
_LOOKED_AT = 5  # notes that the manager may change at a write: LangMem's own number
_PATIENCE = 3600.0  # seconds; how long a model may take is decided where it is asked


class _Kept(Struct):
    """One memory as the store holds it."""

    key: str
    value: dict[str, Any]


class _Saved(Struct):
    """The whole store; ``given`` is how many keys it has ever given."""

    given: int
    items: list[_Kept]


class LangMem(Served):
    """Memories of LangMem; see `Served`."""

    package: ClassVar[str] = "langmem"
    majors: ClassVar[tuple[str, ...]] = ("0",)

    _store: Any = None
    _manager: Any = None
    _http: Any = None

    async def _start(self) -> None:
        line = self._open_line
        library = _library()
        self._http = library.http(trust_env=False, verify=False)
        served = {
            "base_url": line.url,
            "api_key": "none",
            "max_retries": 0,
            "timeout": _PATIENCE,
            "http_async_client": self._http,
        }
        # Without check_embedding_ctx_length=False it would fetch a tokenizer to cut texts that are not too long.
        embed = library.embeddings(
            model=line.encoder.name, dimensions=line.encoder.dim, check_embedding_ctx_length=False, **served
        )
        index = {"dims": line.encoder.dim, "embed": embed, "fields": ["content.content"]}
        self._store = library.store(index=index)
        chat = library.chat(model="personae", **served)
        self._manager = library.manager(chat, namespace=_SPACE, store=self._store, query_limit=_LOOKED_AT)

    async def _stop(self) -> None:
        self._store = self._manager = None
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    async def _keep(self, text: str) -> list[str]:
        await self._store.aput(_SPACE, "new", {"kind": "Memory", "content": {"content": text}})
        return []

    async def _extract(self, exchange: Exchange) -> list[str]:
        messages = [{"role": "user", "content": exchange.user}, {"role": "assistant", "content": exchange.agent}]
        # One call after the other: the steps that they are stored under must not depend on which comes first.
        with _library().traced(enabled=False):
            await self._manager.ainvoke({"messages": messages}, config={"max_concurrency": 1})
        return []

    async def _held(self) -> dict[str, str]:
        return {one.key: _words(one.value) for one in await self._store.asearch(_SPACE, limit=_ALL)}

    async def _search(self, query: str, k: int) -> list[tuple[str, float]]:
        found = await self._store.asearch(_SPACE, query=query, limit=k)
        return [(one.key, float(one.score or 0.0)) for one in found]

    async def _saved(self) -> bytes:
        items = await self._store.asearch(_SPACE, limit=_ALL)
        return msgspec.json.encode(_Saved(self._store.given, [_Kept(one.key, one.value) for one in items]))

    async def _put_back(self, held: bytes, ledger: Ledger) -> None:
        await self._stop()
        await self._start()
        saved = msgspec.json.decode(held, type=_Saved)
        self._store.known = {one.key for one in saved.items}
        for one in saved.items:
            await self._store.aput(_SPACE, one.key, one.value)
        self._store.given = saved.given


def _words(value: dict[str, Any]) -> str:
    content = value["content"]
    return str(content["content"] if isinstance(content, dict) else content)


class _Library(Struct):
    """What is used of LangMem and of what it stands on; Any, for it may not be installed."""

    manager: Any
    chat: Any
    embeddings: Any
    http: Any
    store: Any
    traced: Any


@cache
def _library() -> _Library:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = import_module("langchain_openai")
        return _Library(
            manager=import_module("langmem").create_memory_store_manager,
            chat=models.ChatOpenAI,
            embeddings=models.OpenAIEmbeddings,
            http=import_module("openai").DefaultAsyncHttpxClient,
            store=_ordered(import_module("langgraph.store.memory"), import_module("langgraph.store.base").PutOp),
            # LangSmith would be told of every call where the user's environment asks for it.
            traced=import_module("langsmith.run_helpers").tracing_context,
        )


def _ordered(module: Any, put: type) -> type:
    """LangGraph's store in memory, with keys and an order that are the same every time."""

    class OrderedStore(module.InMemoryStore):  # type: ignore[misc]
        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            self.given, self.known, self._turn = 0, set[str](), asyncio.Lock()

        async def abatch(self, ops: Iterable[Any]) -> list[Any]:
            async with self._turn:
                found: list[Any] = await super().abatch([self._keyed(op) for op in ops])
                return found

        def _keyed(self, op: Any) -> Any:
            if not isinstance(op, put) or op.value is None or op.key in self.known:  # type: ignore[attr-defined]
                return op
            key = f"{self.given:06d}"
            self.given += 1
            self.known.add(key)
            return op._replace(key=key)  # type: ignore[attr-defined]

    return OrderedStore
