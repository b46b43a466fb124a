"""What an ask costs, from a table that users can override."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from personae.errors import BadInput
from personae.models.presets import is_local, presets, split_url
from personae.yamlfile import load_yaml, own_yaml

_MOST_BYTES = 1 << 20
_WANTED = "lines such as 'openai/gpt-4o-mini: {prompt: 0.15, completion: 0.6}', USD per million tokens"
_SNAPSHOT = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8})$")


class Price(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars per million tokens, where that was read and when."""

    prompt: float
    completion: float
    source: str = ""
    date: Any = ""  # YAML reads an unquoted one as a date


class Prices:
    """Prices by the name of a model as users write it.

    Parameters
    ----------
    table : mapping
        ``provider/model`` to `Price`.

    Notes
    -----
    A name is looked up as it is, then without ``inspect/`` before it, without a base URL behind it, and
    without the date of a snapshot. Models that run on the user's own machine or network (``local/``,
    ``sim/``, and ``ollama/``, ``vllm/`` … at such an address) cost 0; whatever else is not in the table has
    no known price.
    """

    def __init__(self, table: dict[str, Price]) -> None:
        self.table = table
        self._rates: dict[str, tuple[float, float] | None] = {}

    @classmethod
    def load(cls, path: Path | None = None) -> Prices:
        """The table that comes with the package, with a user's entries over it.

        Raises
        ------
        BadInput
            When the file is not there, is no YAML, or holds an entry that is no price.
        """
        return cls({**_own_table(), **(_user_table(path) if path is not None else {})})

    def cost(self, model: str, prompt_tokens: int, completion_tokens: int) -> float | None:
        """US dollars for these tokens; None where the price is not known."""
        try:
            rate = self._rates[model]
        except KeyError:
            rate = self._rates[model] = self._rate(model)
        if rate is None:
            return None
        return (prompt_tokens * rate[0] + completion_tokens * rate[1]) / 1e6

    def _rate(self, model: str) -> tuple[float, float] | None:
        name, _ = split_url(model)
        plain = name.removeprefix("inspect/")
        for key in (model, name, plain, _SNAPSHOT.sub("", plain)):
            if (price := self.table.get(key)) is not None:
                return price.prompt, price.completion
        return (0.0, 0.0) if _runs_here(model) else None


def _runs_here(model: str) -> bool:
    provider, _, rest = model.partition("/")
    if provider in ("local", "sim"):
        return True
    preset = presets().get(provider)
    if preset is None or not preset.own:
        return False
    _, url = split_url(rest)
    return is_local(url) if url is not None else True


@cache
def _own_table() -> dict[str, Price]:
    text = files("personae.models").joinpath("prices.yaml").read_text(encoding="utf-8")
    return msgspec.convert(own_yaml(text), dict[str, Price])


def _user_table(path: Path) -> dict[str, Price]:
    found = load_yaml(path, "--prices", most=_MOST_BYTES, wanted=_WANTED)
    try:
        table = msgspec.convert(found or {}, dict[str, Price])
    except msgspec.ValidationError as error:
        raise BadInput(f"--prices {path}", str(error), _WANTED) from None
    for name, price in table.items():
        if not (0 <= price.prompt < 1e6 and 0 <= price.completion < 1e6):
            found = [price.prompt, price.completion]
            raise BadInput(f"--prices {path}, {name}", found, "USD per million tokens, 0 or more")
    return table
