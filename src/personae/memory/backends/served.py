"""What memories of other projects have in common here: a line of the gateway, a ledger, snapshots, one at a time."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from typing import ClassVar, Self

import msgspec
from msgspec import Struct

from personae.embedding import encoder
from personae.errors import BadInput, ModelError, PersonaeError
from personae.memory.backends.ledger import Ledger
from personae.memory.base import Exchange, InContext, Written, check_k
from personae.memory.gateway import Gateway, Line, width_sentence
from personae.memory.notes import Note

_SHOWN = 300  # letters of what a library says


class _State(Struct):
    """A snapshot: of which system, in which version, with vectors of which encoder, and all that it held."""

    package: str
    version: str
    encoder: str
    dim: int
    ledger: Ledger
    held: bytes


class Served(InContext):
    """A memory system behind our protocol.

    Parameters
    ----------
    name : str
        What the user wrote.
    raw : bool
        Keep every exchange word for word, without a model; otherwise the system has its facts extracted.
    encoder_name : str
        See `personae.embedding.encoder`.
    gateway : Gateway, optional
        An open one to share; None makes one of its own.
    folder : Path, optional
        Where its files lie while it is open; None means the system's temporary folder.

    Attributes
    ----------
    unread : list of str
        What was wrong with answers of the extracting model that could not be read: the reason why a write stored
        nothing, where it is this.
    """

    package: ClassVar[str]
    majors: ClassVar[tuple[str, ...]]
    """First numbers of the versions that are known here."""

    def __init__(
        self,
        name: str,
        *,
        raw: bool = False,
        encoder_name: str = "sentence/use-small",
        gateway: Gateway | None = None,
        folder: Path | None = None,
    ) -> None:
        self.name, self.raw, self.encoder_name, self.folder = name, raw, encoder_name, folder
        self.version = _version(self.package)
        self.unread: list[str] = []
        self._given, self._own = gateway, None if gateway else Gateway()
        self._line: Line | None = None
        self._ledger = Ledger()
        self._lock = asyncio.Lock()

    def check(self) -> None:
        """See that the system is there in a version that is known here, and the encoder.

        Raises
        ------
        BadInput
            When it is not installed, in a version that is not known here, or there is no such encoder.
        """
        self._check_version()
        encoder(self.encoder_name).encode(["ready"])  # some weights are read at the first text only

    async def open(self) -> None:
        """Start the system.

        Raises
        ------
        BadInput
            As `check` does.
        """
        # Beside the loop, for a server may have to be asked.
        await asyncio.get_running_loop().run_in_executor(self._gateway.threads, self._check_version)
        if self._own:
            await self._own.open()
        try:
            self._line = await self._gateway.line(self.encoder_name, self._tidy)
            await self._start()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Stop the system and remove its files."""
        async with self._lock:
            if self._line is not None:
                await self._stop()
                self._line.close()
                self._line = None
            if self._own:
                await self._own.close()

    async def write(self, exchange: Exchange) -> Written:
        """Keep an exchange word for word, or what the system extracts from it.

        Raises
        ------
        PersonaeError
            What the ask raised; an extracting write outside of any `personae.memory.gateway.scope`.
        ModelError
            When the system fails at what its model said.
        """
        async with self._lock:
            before = len(self._ledger.notes)
            if self.raw:
                order = await self._keep(exchange.text)
            else:
                with self._open_line.using() as scope:
                    order = await self._extracted(exchange)
                self.unread += scope.unread
            stored = self._ledger.settle(await self._held(), exchange, order)
            return Written(stored=stored, before=before, after=len(self._ledger.notes))

    async def _extracted(self, exchange: Exchange) -> list[str]:
        try:
            return await self._extract(exchange)
        except PersonaeError:
            raise
        except Exception as error:  # libraries fail in their own ways at an answer that is not what they asked for
            said = " ".join(str(error).split())[:_SHOWN]
            raise ModelError(f"{self.package} failed at what it was told: {type(error).__name__}: {said}") from error

    async def recall(self, query: str, k: int) -> list[Note]:
        """The `k` notes that the system's own search finds, highest first; the oldest for a blank query."""
        check_k(k)
        async with self._lock:
            if not query.strip() or not self._ledger.notes:
                return list(self._ledger.shown(await self._held())[:k])
            return self._ledger.ranked(await self._search(query, len(self._ledger.notes)), k)

    async def notes(self) -> tuple[Note, ...]:
        """Everything the system holds, oldest first."""
        async with self._lock:
            return self._ledger.shown(await self._held())

    async def snapshot(self) -> bytes:
        """Everything it holds, and with vectors of which encoder."""
        async with self._lock:
            encoder = self._open_line.encoder
            held = await self._saved()
        state = _State(self.package, self.version, encoder.identity, encoder.dim, self._ledger, held)
        return msgspec.msgpack.encode(state)

    async def restore(self, state: bytes) -> None:
        """Hold what a snapshot held.

        Raises
        ------
        BadInput
            For a snapshot of another system or version, or with vectors of another encoder.
        """
        try:
            found = msgspec.msgpack.decode(state, type=_State)
        except msgspec.DecodeError as error:
            raise BadInput("snapshot", f"{len(state)} bytes", f"a snapshot of {self.package}: {error}") from None
        encoder = self._open_line.encoder
        if (found.package, found.version) != (self.package, self.version):
            raise BadInput("snapshot", f"{found.package} {found.version}", f"one of {self.package} {self.version}")
        if found.dim != encoder.dim:
            raise BadInput("encoder", self.encoder_name, width_sentence(encoder, found.dim))
        if found.encoder != encoder.identity:
            raise BadInput("encoder", self.encoder_name, "the encoder that the vectors of the snapshot come from")
        async with self._lock:
            await self._put_back(found.held, found.ledger)
            self._ledger = found.ledger

    async def fork(self) -> Self:
        """Another memory with the same notes, in a folder of its own."""
        other = type(self)(
            self.name, raw=self.raw, encoder_name=self.encoder_name, gateway=self._given, folder=self.folder
        )
        await other.open()
        try:
            await other.restore(await self.snapshot())
        except BaseException:
            await other.close()
            raise
        return other

    async def wipe(self) -> None:
        """Forget everything; also what is not shown: histories, the numbers of notes."""
        async with self._lock:
            await self._stop()
            await self._start()
            self._ledger = Ledger()

    def _check_version(self) -> None:
        if not self.version:
            needed = f'it needs an extra that is not installed: pip install "personae[memory]" (package {self.package})'
            raise BadInput("--memory", self.name, needed)
        if not any(f"{self.version}.".startswith(f"{known}.") for known in self.majors):
            raise BadInput(self.package, self.version, f"version {' or '.join(self.majors)}")

    @property
    def _gateway(self) -> Gateway:
        gateway = self._given or self._own
        assert gateway is not None
        return gateway

    @property
    def _open_line(self) -> Line:
        assert self._line is not None, "the memory is not open"
        return self._line

    def _tidy(self, text: str) -> str:
        """A prompt without what differs between two runs of the same."""
        return text

    @abstractmethod
    async def _start(self) -> None:
        """Start the system, empty."""

    @abstractmethod
    async def _stop(self) -> None:
        """Stop it and remove what it kept, also where it did not start wholly."""

    @abstractmethod
    async def _keep(self, text: str) -> list[str]:
        """Store words as they are; gives the keys that the system says it stored."""

    @abstractmethod
    async def _extract(self, exchange: Exchange) -> list[str]:
        """Have facts extracted and stored; gives the same."""

    @abstractmethod
    async def _held(self) -> dict[str, str]:
        """Every key and its words."""

    @abstractmethod
    async def _search(self, query: str, k: int) -> list[tuple[str, float]]:
        """Keys that the system's search finds, with their score."""

    @abstractmethod
    async def _saved(self) -> bytes:
        """Everything it holds."""

    @abstractmethod
    async def _put_back(self, held: bytes, ledger: Ledger) -> None:
        """Hold it again."""


def _version(package: str) -> str:
    try:
        return installed(package)
    except PackageNotFoundError:
        return ""
