"""What a memory system of others makes of an answer that is not what it asked for."""

from __future__ import annotations

from typing import ClassVar

import pytest

from personae.errors import ModelError, PersonaeError
from personae.memory.backends.ledger import Ledger
from personae.memory.backends.served import Served
from personae.memory.base import Exchange
from personae.memory.gateway import Gateway, scope
from personae.types import Response, Trial

TURN = Exchange(turn=0, user="tea", agent="green")


class Failing(Served):
    """A system that fails as a test says."""

    package: ClassVar[str] = "msgspec"
    majors: ClassVar[tuple[str, ...]] = ("0",)
    error: Exception = KeyError("facts")

    async def _start(self) -> None: ...

    async def _stop(self) -> None: ...

    async def _keep(self, text: str) -> list[str]:
        return []

    async def _extract(self, exchange: Exchange) -> list[str]:
        raise self.error

    async def _held(self) -> dict[str, str]:
        return {}

    async def _search(self, query: str, k: int) -> list[tuple[str, float]]:
        return []

    async def _saved(self) -> bytes:
        return b""

    async def _put_back(self, held: bytes, ledger: Ledger) -> None: ...


async def nobody(trial: Trial) -> Response:
    return Response(text="")


@pytest.mark.parametrize(
    ("raised", "kind", "words"),
    [
        (KeyError("facts"), ModelError, "msgspec failed at what it was told: KeyError: 'facts'"),
        (RecursionError("too deep"), ModelError, "RecursionError: too deep"),
        (ValueError("x" * 5000), ModelError, r"ValueError: x{300}$"),
        (PersonaeError("of ours"), PersonaeError, "^of ours$"),
    ],
)
async def test_a_system_that_fails_at_an_answer_is_the_error_of_the_item(
    gateway: Gateway, encoders: tuple[str, str], raised: Exception, kind: type[Exception], words: str
) -> None:
    memory = Failing("failing", encoder_name=encoders[0], gateway=gateway)
    memory.error = raised
    await memory.open()
    with scope(nobody, "memory/0"), pytest.raises(kind, match=words):
        await memory.write(TURN)
    await memory.close()
