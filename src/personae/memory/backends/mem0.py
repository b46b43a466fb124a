"""Mem0 in this process, offline: its vectors in a local Qdrant, its history in SQLite, both in a folder of the memory.

Both kinds of Mem0 are driven: 1.x extracts facts from the user's words and then decides which to add, to change and to
delete; 2.x extracts once and only adds. Nothing is changed in what they ask or do, but for what would reach for the
network or would differ between two runs of the same: no telemetry; no spaCy model and no BM25 model, which 2.x would
fetch if it could (it is then what ``pip install mem0ai`` gives without extras); and a fixed day for today's.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, TypeVar

import msgspec

from personae.filing import own_file
from personae.memory.backends.ledger import Ledger
from personae.memory.backends.served import Served
from personae.memory.base import Exchange
from personae.memory.gateway import Line

T = TypeVar("T")
TODAY = "2025-01-01"
"""The day that Mem0 tells its model, whenever it is asked: a memory that is built again is built the same."""

_DATED = re.compile(r"(Today's date is |## (?:Observation|Current) Date\n)\d{4}-\d\d-\d\d")
_USER = "personae"
_ALL = 1_000_000
_PATIENCE = 3600.0  # seconds; how long a model may take is decided where it is asked


class Mem0(Served):
    """Memories of Mem0; see `Served`."""

    package: ClassVar[str] = "mem0ai"
    majors: ClassVar[tuple[str, ...]] = ("1", "2")

    _memory: Any = None
    _place: Path | None = None
    _clients: ExitStack | None = None

    @property
    def first(self) -> bool:
        """Whether this is Mem0 1.x."""
        return self.version.startswith("1.")

    def _tidy(self, text: str) -> str:
        return _DATED.sub(rf"\g<1>{TODAY}", text)

    async def _start(self) -> None:
        self._place = Path(tempfile.mkdtemp(prefix="mem0-", dir=self.folder))
        await self._run(self._begin)

    async def _stop(self) -> None:
        await self._run(self._end)
        if self._place is not None:
            shutil.rmtree(self._place)
            self._place = None

    async def _keep(self, text: str) -> list[str]:
        messages = [{"role": "user", "content": text}]
        return _keys(await self._run(partial(self._memory.add, messages, user_id=_USER, infer=False)))

    async def _extract(self, exchange: Exchange) -> list[str]:
        messages = [{"role": "user", "content": exchange.user}, {"role": "assistant", "content": exchange.agent}]
        return _keys(await self._run(partial(self._memory.add, messages, user_id=_USER)))

    async def _held(self) -> dict[str, str]:
        every = {"user_id": _USER, "limit": _ALL} if self.first else {"filters": {"user_id": _USER}, "top_k": _ALL}
        found = await self._run(partial(self._memory.get_all, **every))
        return {one["id"]: one["memory"] for one in sorted(found["results"], key=_age)}

    async def _search(self, query: str, k: int) -> list[tuple[str, float]]:
        # 1.x takes everything where no threshold is named; 2.x drops hits below 0.1 unless it is told 0, and always
        # what points away from the query (a cosine below 0).
        named = {"user_id": _USER, "limit": k} if self.first else {"filters": {"user_id": _USER}, "top_k": k}
        allowed = {} if self.first else {"threshold": 0.0}
        found = await self._run(partial(self._memory.search, query, **named, **allowed))
        return [(one["id"], float(one["score"])) for one in found["results"]]

    async def _saved(self) -> bytes:
        assert self._place is not None
        place = self._place
        files = [path for path in sorted(place.rglob("*")) if path.is_file() and path.name != ".lock"]
        return msgspec.msgpack.encode({path.relative_to(place).as_posix(): path.read_bytes() for path in files})

    async def _put_back(self, held: bytes, ledger: Ledger) -> None:
        files = msgspec.msgpack.decode(held, type=dict[str, bytes])
        await self._run(self._end)
        assert self._place is not None
        shutil.rmtree(self._place)
        for name, content in files.items():
            path = own_file(self._place, name)  # a snapshot may come from anywhere
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        await self._run(self._begin)

    async def _run(self, work: Callable[[], T]) -> T:
        return await self._open_line.threaded(work)

    def _begin(self) -> None:
        """Open what lies in the folder; nothing there is an empty memory."""
        assert self._place is not None
        line, library = self._open_line, _library()
        self._memory = library.Memory.from_config(_config(self._place, line))
        self._clients = ExitStack()
        # Clients of our own: Mem0's would take the key and the address of OpenRouter, and a proxy, where the
        # environment names them, and would ask again by themselves.
        for part in (self._memory.llm, self._memory.embedding_model):
            part.client.close()
            part.client = self._clients.enter_context(_client(line))
        if hasattr(self._memory.vector_store, "_bm25_encoder"):
            self._memory.vector_store._bm25_encoder = False  # what it sets itself where it cannot fetch the model

    def _end(self) -> None:
        """Let go of every file and connection."""
        if self._memory is not None:
            self._memory.vector_store.client.close()
            self._memory.db.close()
            self._memory = None
        if self._clients is not None:
            self._clients.close()
            self._clients = None


def _config(place: Path, line: Line) -> dict[str, Any]:
    served = {"api_key": "none", "openai_base_url": line.url}
    vectors = {
        "collection_name": "memories",
        "embedding_model_dims": line.encoder.dim,
        "path": str(place / "qdrant"),
        "on_disk": True,  # without it 1.x empties the folder when it opens it
    }
    return {
        "vector_store": {"provider": "qdrant", "config": vectors},
        "llm": {"provider": "openai", "config": {"model": "personae", **served}},
        "embedder": {
            "provider": "openai",
            "config": {"model": line.encoder.name, "embedding_dims": line.encoder.dim, **served},
        },
        "history_db_path": str(place / "history.db"),
    }


def _client(line: Line) -> Any:
    openai = import_module("openai")
    # No certificates are loaded: this is HTTP, on this machine.
    http = openai.DefaultHttpxClient(trust_env=False, verify=False)
    return openai.OpenAI(api_key="none", base_url=line.url, max_retries=0, timeout=_PATIENCE, http_client=http)


def _keys(found: dict[str, Any]) -> list[str]:
    return [one["id"] for one in found["results"]]


def _age(found: dict[str, Any]) -> tuple[str, str]:
    return found.get("created_at") or "", found["memory"]


_IMPORTING = threading.Lock()


def _library() -> ModuleType:
    """Mem0; memories are opened side by side, and none may see it half imported."""
    with _IMPORTING:
        return _imported()


@cache
def _imported() -> ModuleType:
    """Mem0, imported so that it writes nothing to the user's home and tells nobody."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library = _quietly()
        # A connection of Qdrant's is used by one thread at a time, though not always by the same.
        import_module("qdrant_client.local.persistence").CollectionPersistence.CHECK_SAME_THREAD = False
        if find_spec("mem0.utils.spacy_models") is not None:
            models = vars(import_module("mem0.utils.spacy_models"))
            models["_load_failed_full"] = models["_nlp_full"] is None
            models["_load_failed_lemma"] = models["_nlp_lemma"] is None
    return library


def _quietly() -> ModuleType:
    if "mem0" in sys.modules:  # whoever imported it has decided
        return sys.modules["mem0"]
    home = tempfile.mkdtemp(prefix="mem0-home-")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    wanted = {"MEM0_DIR": home, "MEM0_TELEMETRY": "False"}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        return import_module("mem0")
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
