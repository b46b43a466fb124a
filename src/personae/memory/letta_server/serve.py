"""Runs in Letta's own environment, not in ours: makes the tables where there are none, then serves.

The package that Letta is published as has no migrations, so the tables are made from its models. Of these, one column
counts by a sequence that only the migrations make.
"""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module

_COUNTED = (
    "CREATE SEQUENCE IF NOT EXISTS messages_sequence_id_seq OWNED BY messages.sequence_id",
    "ALTER TABLE messages ALTER COLUMN sequence_id SET DEFAULT nextval('messages_sequence_id_seq')",
)


async def tables() -> None:
    """Make what is missing in the database that ``LETTA_PG_URI`` names."""
    text = import_module("sqlalchemy").text
    models, engine = import_module("letta.orm"), import_module("letta.server.db").engine
    async with engine.begin() as connection:
        await connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
        await connection.run_sync(models.Base.metadata.create_all)
        for statement in _COUNTED:
            await connection.execute(text(statement))
    await engine.dispose()


def offline() -> None:
    """Keep the server from fetching a tokenizer for uploaded files, which nobody here uploads."""

    def download(*_: object, **__: object) -> bool:
        return False

    import_module("nltk").download = download  # type: ignore[attr-defined]


if __name__ == "__main__":
    offline()
    asyncio.run(tables())
    import_module("letta.server.rest_api.app").start_server(host="127.0.0.1", port=int(sys.argv[1]))
