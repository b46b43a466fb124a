"""What can be asked of: embedded models, simulated respondents, providers and whether they can be reached."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from typing import Any

from personae.models.catalog import catalogue
from personae.models.registry import Provider, providers, reachable


async def known_models() -> list[dict[str, Any]]:
    """One row for each kind of model: ``model, kind, state, how``.

    Servers on this machine are tried; no key is sent and no other server is contacted.
    """
    served = providers()
    local = tuple(found.base_url for found in served if not found.key_needed)
    answering = await reachable(local)
    rows = [
        {
            "model": f"local/{entry.name}",
            "kind": "embedded",
            "state": "ready" if entry.path else "not fetched",
            "how": entry.title if entry.path else f"personae models get {entry.name}",
        }
        for entry in await asyncio.to_thread(catalogue)
    ]
    rows.append({"model": "local/<file.gguf>", "kind": "embedded", "state": "ready", "how": "a GGUF file of your own"})
    rows.append(
        {
            "model": "sim/<respondent>",
            "kind": "simulated",
            "state": "ready",
            "how": "for calibration: neutral, planted, refuser …",
        }
    )
    installed = find_spec("inspect_ai") is not None
    rows.append(
        {
            "model": "inspect/<provider>/<model>",
            "kind": "inspect",
            "state": "installed" if installed else "not installed",
            "how": "any provider of inspect_ai" if installed else 'pip install "personae[inspect]"',
        }
    )
    return rows + [_served(found, answering) for found in served]


def _served(found: Provider, answering: dict[str, bool]) -> dict[str, Any]:
    if found.key_needed:
        state = "key set" if found.key_set else "no key"
        how = f"{found.title}, {found.base_url}" if found.key_set else f"set {found.key_env}"
    else:
        state = "reachable" if answering[found.base_url] else "not reachable"
        how = f"{found.title}, {found.base_url}"
    return {"model": f"{found.name}/<model>", "kind": "served", "state": state, "how": how}
