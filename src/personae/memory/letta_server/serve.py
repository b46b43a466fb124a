"""Runs in Letta's own environment, not in ours: makes the tables where there are none, then serves.

The package that Letta is published as has no migrations, so the tables are made from its models. Of these, one column
counts by a sequence that only the migrations make.
"""

from __future__ import annotations

import asyncio
import sys
from functools import cache
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


def quickly() -> None:
    """Read the certificates once: for each embedding Letta makes a client anew, and each would read all of them."""
    ssl = import_module("ssl")
    ssl.create_default_context = cache(ssl.create_default_context)  # type: ignore[attr-defined]


if __name__ == "__main__":
    quickly()
    asyncio.run(tables())
    import_module("letta.server.rest_api.app").start_server(host="127.0.0.1", port=int(sys.argv[1]))
