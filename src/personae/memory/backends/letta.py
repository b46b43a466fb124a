"""Letta on a server of its own, over HTTP: an archive, and an agent that keeps in it what is worth keeping.

A memory is one archive and one agent of the server, both made when it is opened and removed when it is closed. Raw
writes put an exchange into the archive. For the others the agent is told of the exchange in a conversation of its own
and calls Letta's archival tools by itself. It has no other tools and no memory blocks, so everything that it remembers
is in the archive, is searched, and is seen: blocks stand in the prompt of Letta's own agent, and here another one
answers.

Letta's prompts are as they are, but for what would differ between two runs of the same: times, how many messages of
earlier writes lie in the server's database (the agent cannot read them), the order of a passage's tags.

A snapshot holds every passage with its words, tags and time. Vectors are made again when it is put back, by the same
encoder. Passages get other identifiers then, which no model is shown (`personae.memory.gateway_ids`).
"""

from __future__ import annotations

import re
from typing import Any, ClassVar
from urllib.parse import quote

import msgspec
from msgspec import Struct

from personae.embedding import Encoder, encoder
from personae.errors import BadInput, ModelError
from personae.memory.backends.ledger import Ledger
from personae.memory.backends.letta_http import Server, version
from personae.memory.backends.served import Served
from personae.memory.base import Exchange
from personae.memory.gateway_scope import entered

TOLD = """\
The following was just said between a user and an assistant. Keep in archival memory what is worth knowing later, one
fact in each passage. If nothing is, keep nothing. The assistant has answered already: do not answer the user.

User: {user}
Assistant: {agent}"""

_WIDEST = 4096  # numbers of a vector in Letta's database
_STEPS = 8  # calls of the model in one write, at most
_PAGE = 500
_MOST = 100_000  # passages of an archive
_WINDOW = 128_000  # tokens; how much a model takes is decided where it is asked
_TOOLS = ("archival_memory_insert", "archival_memory_search")
_ENDED = ("end_turn", "max_steps")
_CLOCK = "2025-01-01 12:00:00 PM UTC+0000"
_TIMES = re.compile(
    r"""(?<=last recompiled: )\d{4}-[^\n]*|(?<="time": ")\d{4}-[^"]*(?=")|(?<='timestamp': ')\d{4}-[^']*(?=')"""
)
_ARGUMENTS = re.compile(r"Error executing function \w+: (Value|Type)Error: ")
_EARLIER = re.compile(r"^- \d+ previous messages between you and the user are stored in recall memory.*$", re.MULTILINE)
_TAGS = re.compile(r"(?<='tags': \[)(?:(?!'tags': \[)[^\]])+(?=\])|(?<=archival memory tags: )[^\n]+")


class _Passage(Struct):
    """A passage of the archive, as the server gives it."""

    id: str
    text: str
    created_at: str
    tags: list[str] | None = None

    @property
    def kept(self) -> dict[str, Any]:
        """All of it that is put back."""
        # Letta gives tags in the order of a set, which is another one in every process.
        return {"text": self.text, "created_at": self.created_at, "tags": self.tags and sorted(self.tags)}


class _Made(Struct):
    """Something of the server, by its identifier."""

    id: str


class _Hit(Struct):
    """A passage that a search found."""

    id: str
    content: str


class _Hits(Struct):
    results: list[_Hit]


class _Returned(Struct):
    """What a tool gave back to Letta's agent."""

    status: str
    stderr: list[str] | None = None
    tool_return: Any = None


class _Message(Struct):
    tool_returns: list[_Returned] | None = None


class _Stopped(Struct):
    stop_reason: str


class _Told(Struct):
    """What Letta's agent did when it was told something, and why it came to an end."""

    messages: list[_Message]
    stop_reason: _Stopped


class _Saved(Struct):
    """A snapshot: keys, and the passages under them."""

    passages: dict[str, dict[str, Any]]


class Letta(Served):
    """Memories of Letta; see `Served`. ``folder`` is not used: its files lie where its server is."""

    package: ClassVar[str] = "letta"
    majors: ClassVar[tuple[str, ...]] = ("0.16",)

    _server: Server | None = None
    _agent = ""
    _archive = ""

    def check(self) -> None:
        """See that the server is there, in a version that is known here, and an encoder that fits its database."""
        super().check()
        self._check_width(encoder(self.encoder_name))

    def _check_width(self, found: Encoder) -> None:
        if found.dim > _WIDEST:
            allowed = f"an encoder of at most {_WIDEST} numbers, for that is what Letta keeps"
            raise BadInput("encoder", f"{self.encoder_name} with {found.dim}", allowed)

    def _check_version(self) -> None:
        self.version = version()
        super()._check_version()

    async def _start(self) -> None:
        line = self._open_line
        self._check_width(line.encoder)
        line.unordered = line.counting = True
        self._server = Server()
        vectors = {
            "embedding_endpoint_type": "openai",
            "embedding_endpoint": line.url,
            "embedding_model": line.encoder.name,
            "embedding_dim": line.encoder.dim,
        }
        name = f"personae-{line.token}"
        ask = self._open_server.ask
        archive = await ask("POST", "/archives/", {"name": name, "embedding_config": vectors}, form=_Made)
        self._archive = _part(archive.id)
        agent = await ask("POST", "/agents/", _agent(name, line.url, vectors), form=_Made)
        self._agent = _part(agent.id)
        await ask("PATCH", f"/agents/{self._agent}/archives/attach/{self._archive}")

    async def _stop(self) -> None:
        if self._server is None:
            return
        try:
            if self._agent:
                await self._server.ask("DELETE", f"/agents/{self._agent}")
            if self._archive:
                await self._server.ask("DELETE", f"/archives/{self._archive}")
        finally:
            await self._server.close()
            self._server, self._agent, self._archive = None, "", ""

    async def _keep(self, text: str) -> list[str]:
        path = f"/agents/{self._agent}/archival-memory"
        stored = await self._open_server.ask("POST", path, {"text": text}, form=list[_Made])
        return [passage.id for passage in stored]

    async def _extract(self, exchange: Exchange) -> list[str]:
        # What a write does depends on what is in the archive, not on how it came there.
        ask, agent = self._open_server.ask, f"/agents/{self._agent}"
        await ask("PATCH", f"{agent}/reset-messages", {"add_default_initial_messages": False})
        await ask("POST", f"{agent}/recompile")
        told = TOLD.replace("{user}", exchange.user).replace("{agent}", exchange.agent)
        try:
            said = await ask("POST", f"{agent}/messages", {"input": told, "max_steps": _STEPS}, form=_Told)
            if (scope := entered()) is not None and scope.failed is not None:
                raise scope.failed
            self.unread += _refused(said.messages)
        except Exception:
            await self._take_back()
            raise
        reason = said.stop_reason.stop_reason
        if reason not in _ENDED:
            self.unread.append(f"Letta stopped: {reason}")
        return []

    async def _take_back(self) -> None:
        """Remove what a write stored that then failed."""
        for passage in await self._passages():
            if passage.id not in self._ledger.notes:
                path = f"/agents/{self._agent}/archival-memory/{_part(passage.id)}"
                await self._open_server.ask("DELETE", path)

    async def _held(self) -> dict[str, str]:
        return {passage.id: passage.text for passage in await self._passages()}

    async def _search(self, query: str, k: int) -> list[tuple[str, float]]:
        path = f"/agents/{self._agent}/archival-memory/search"
        hits = await self._open_server.ask("GET", path, query={"query": query, "top_k": k}, form=_Hits)
        # Letta says an order and no scores; passages of the same words are as near.
        first: dict[str, int] = {}
        for place, one in enumerate(hits.results):
            first.setdefault(one.content, place)
        return [(one.id, -float(first[one.content])) for one in hits.results]

    async def _saved(self) -> bytes:
        return msgspec.json.encode(_Saved({one.id: one.kept for one in await self._passages()}))

    async def _put_back(self, held: bytes, ledger: Ledger) -> None:
        saved = msgspec.json.decode(held, type=_Saved).passages
        await self._stop()
        await self._start()
        if not saved:
            return
        path = f"/archives/{self._archive}/passages/batch"
        made = await self._open_server.ask("POST", path, {"passages": list(saved.values())}, form=list[_Made])
        if len(made) != len(saved):
            raise ModelError(f"Letta made {len(made)} passages where {len(saved)} were put back")
        renamed = {old: new.id for old, new in zip(saved, made, strict=True)}
        ledger.notes = {renamed[old]: note for old, note in ledger.notes.items()}

    def _tidy(self, text: str) -> str:
        text = _EARLIER.sub("- 0 previous messages between you and the user are stored in recall memory", text)
        return _TAGS.sub(lambda tags: ", ".join(sorted(tags[0].split(", "))), _TIMES.sub(_CLOCK, text))

    async def _passages(self) -> list[_Passage]:
        """The whole archive, oldest first."""
        found: list[_Passage] = []
        while True:
            query = {"limit": _PAGE, **({"after": found[-1].id} if found else {})}
            path = f"/agents/{self._agent}/archival-memory"
            page = await self._open_server.ask("GET", path, query=query, form=list[_Passage])
            found += page
            if len(page) < _PAGE:
                return found
            if len(found) > _MOST:
                raise ModelError(f"more than {_MOST:,} passages in Letta's archive")

    @property
    def _open_server(self) -> Server:
        assert self._server is not None, "the memory is not open"
        return self._server


def _part(identifier: str) -> str:
    """An identifier as a part of a path, for it is the server that made it."""
    return quote(identifier, safe="")


def _refused(messages: list[_Message]) -> list[str]:
    """What the model called in a way that Letta's tools do not take.

    Raises
    ------
    ModelError
        When a tool failed for another reason: what it was to keep would be lost, and Letta's agent goes on. The episode
        ends in error, and a later run plays it again.
    """
    found = []
    returned = [one for message in messages for one in message.tool_returns or ()]
    for one in returned:
        if one.status == "error":
            why = " ".join(one.stderr or [str(one.tool_return)])
            if not _ARGUMENTS.search(why):
                raise ModelError(f"Letta could not do what its agent called: {why}")
            found.append(why)
    return found


def _agent(name: str, url: str, vectors: dict[str, Any]) -> dict[str, Any]:
    """What is asked for: Letta's own agent and prompt, with the archival tools alone."""
    return {
        "name": name,
        "agent_type": "letta_v1_agent",
        "memory_blocks": [],
        "include_base_tools": False,
        "include_base_tool_rules": False,
        "tools": list(_TOOLS),
        "initial_message_sequence": [],
        "timezone": "UTC",
        "llm_config": {
            "model": "personae",
            "model_endpoint_type": "openai",
            "model_endpoint": url,
            "context_window": _WINDOW,
            "parallel_tool_calls": True,  # without, all calls of an answer but the first are lost silently
        },
        "embedding_config": vectors,
    }
