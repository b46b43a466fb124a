"""From the name a user writes to a model that can be asked."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from personae.errors import BadInput
from personae.models.base import Model
from personae.models.presets import api_key, base_url, presets, shown, split_url
from personae.models.prices import Prices
from personae.wellformed import well_formed


class ModelOptions(Struct, frozen=True, kw_only=True):
    """What a user may say about asking, whatever the model.

    ``timeout`` is in seconds and per attempt; ``retries`` counts attempts after the first; ``concurrency``
    and ``base_url`` override what the provider's preset says; ``prices`` is a file of the user's own. A ``dry``
    model is only looked at and needs no key.
    """

    timeout: float = 120.0
    retries: int = 6
    concurrency: int | None = None
    base_url: str | None = None
    seed: int = 0
    prices: Path | None = None
    dry: bool = False


class Provider(Struct, frozen=True, kw_only=True):
    """What can be said of a provider without asking it: for the list of models."""

    name: str
    title: str
    base_url: str
    key_env: str
    key_needed: bool
    key_set: bool


def resolve(name: str, *, options: ModelOptions, field: str = "model") -> Model:
    """The model a name stands for; nothing is opened or asked yet.

    Parameters
    ----------
    name : str
        ``local/smollm2``, ``local/<file.gguf>``, ``sim/<respondent>?<parameters>``,
        ``inspect/<provider>/<model>``, or ``<preset>/<model>``, optionally with ``@http://host:port/v1``
        behind it.
    options : ModelOptions
    field : str
        Where it was named, for what is said when it stands for no model.

    Raises
    ------
    BadInput
        When the provider is not known, its key is missing, or the rest of the name cannot be used.
    """
    if well_formed(name) != name:
        raise BadInput(field, name, "a name in UTF-8")
    provider, _, rest = name.partition("/")
    if provider not in known() or not rest:
        raise BadInput(field, shown(name), f"<provider>/<model>, with a provider out of {', '.join(known())}")
    match provider:
        case "local":
            from personae.models.local import LocalModel

            # Each worker holds the model once, on a core of its own: more of them than cores only cost memory.
            workers = options.concurrency and min(options.concurrency, os.cpu_count() or 1)
            return LocalModel(name, seed=options.seed, workers=workers)
        case "sim":
            from personae.models.simulated import SimulatedModel

            return SimulatedModel.from_name(name, seed=options.seed)
        case "inspect":
            from personae.models.inspect import InspectModel

            return InspectModel.from_name(name, options=options)
        case _:
            return _served(name, provider, rest, options, field)


def known() -> tuple[str, ...]:
    """Every provider that a name may begin with."""
    return ("local", "sim", "inspect", *presets())


def _served(name: str, provider: str, rest: str, options: ModelOptions, field: str) -> Model:
    from personae.models.openai_api import OpenAIModel

    preset = presets()[provider]
    model, url = split_url(rest)
    if not model:
        raise BadInput(field, shown(name), f"{provider}/<model>, with the name by which {preset.title} knows it")
    url = base_url(preset, url or options.base_url)
    return OpenAIModel(
        name,
        model,
        preset,
        base_url=url,
        key=None if options.dry else api_key(preset, name, url),
        timeout=options.timeout,
        retries=options.retries,
        concurrency=options.concurrency,
        price=partial(Prices.load(options.prices).cost, f"{provider}/{model}@{url}"),
    )


def providers() -> tuple[Provider, ...]:
    """Every provider reached over HTTP, and whether its key is set here."""
    return tuple(
        Provider(
            name=name,
            title=preset.title,
            base_url=base_url(preset),
            key_env=preset.key_env,
            key_needed=preset.key_needed,
            key_set=bool(os.environ.get(preset.key_env)),
        )
        for name, preset in presets().items()
    )


async def reachable(urls: tuple[str, ...], *, seconds: float = 1.0) -> dict[str, bool]:
    """Which base URLs answer at all within some seconds; sends no key."""
    listening = await asyncio.gather(*(_listens(url, seconds) for url in urls))
    heard = [url for url, there in zip(urls, listening, strict=True) if there]
    # On most computers no server runs, and then nothing that speaks HTTP needs to be loaded.
    answering = await _answering(heard, seconds) if heard else set()
    return {url: url in answering for url in urls}


async def _listens(url: str, seconds: float) -> bool:
    """Whether anything takes connections there."""
    place = urlsplit(url)
    try:
        async with asyncio.timeout(seconds):
            _, writer = await asyncio.open_connection(
                place.hostname, place.port or {"https": 443}.get(place.scheme, 80)
            )
    except OSError:  # a time that is up is one
        return False
    writer.close()
    return True


async def _answering(urls: Sequence[str], seconds: float) -> set[str]:
    """Which of these answer a request."""
    import aiohttp

    async def one(session: aiohttp.ClientSession, url: str) -> bool:
        try:
            async with session.get(f"{url}/models", allow_redirects=False):
                return True
        except (TimeoutError, aiohttp.ClientError, OSError):
            return False

    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=seconds)) as session:
        found = await asyncio.gather(*(one(session, url) for url in urls))
    return {url for url, there in zip(urls, found, strict=True) if there}
