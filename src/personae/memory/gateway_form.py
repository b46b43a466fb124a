"""Forms of an answer that a library asks for and our trials do not know: function calls and JSON.

What is wanted is told in the prompt and the answer is read strictly; what does not fit is named, so that the model can
be asked once more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from personae.personas import Strict, read_yaml
from personae.wellformed import well_formed_json

_FENCE = "```"
_FENCED = re.compile(rf"{_FENCE}(?:json)?[^\S\n]*\n")
_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "array": list,
    "object": dict,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}


class FormTexts(Strict):
    """The file ``gateway.yaml``."""

    functions: str
    may: str
    must: str
    one: str
    fitting: str
    again: str
    called: str
    result: str


@cache
def texts() -> FormTexts:
    """What the gateway adds to prompts."""
    return read_yaml(Path(__file__).with_name("gateway.yaml"), FormTexts)


class Call(Struct, frozen=True):
    """A function that the model calls."""

    name: str
    arguments: Mapping[str, Any]


class Read(Struct, frozen=True):
    """An answer as it was read: text, or calls; or, instead of both, why it does not fit."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    problem: str = ""


class Form:
    """What a chat request wants its answer to be.

    Parameters
    ----------
    functions : mapping of str to mapping
        Every function that may be called by its name: ``name``, ``description``, ``parameters`` (a JSON Schema).
    choice : str
        ``none``, ``auto``, ``required`` or the name of the one function to call.
    as_json : bool
        Whether text must be a JSON object.
    schema : mapping, optional
        That this object must fit. The model is told; that it is an object with the required members is checked.
    """

    def __init__(
        self,
        functions: Mapping[str, Mapping[str, Any]],
        choice: str = "auto",
        *,
        as_json: bool = False,
        schema: Mapping[str, Any] | None = None,
    ) -> None:
        chosen = {choice: functions[choice]} if choice in functions else functions
        self.functions = {} if choice == "none" else dict(chosen)
        self.choice, self.as_json, self.schema = choice, as_json, schema

    @property
    def instruction(self) -> str:
        """What the prompt says of it; empty where any text will do, or where a library's own prompt asks for JSON."""
        parts = []
        if self.functions:
            listed = "\n".join(json.dumps(function, ensure_ascii=False) for function in self.functions.values())
            said = {"auto": texts().may, "required": texts().must}.get(self.choice, texts().one)
            parts = [texts().functions.replace("{functions}", listed), said.replace("{name}", self.choice)]
        elif self.schema is not None:
            parts = [texts().fitting.replace("{schema}", json.dumps(self.schema, ensure_ascii=False))]
        return "\n".join(parts)

    def read(self, answer: str) -> Read:
        """Read an answer.

        Returns
        -------
        Read
            With a problem where the answer is not what was wanted. A code fence around the whole of it is no problem.
        """
        text = well_formed_json(unfenced(answer))  # a library reads it as JSON, with whatever its escapes mean
        if self.functions:
            return self._calls(answer, text)
        if not self.as_json:
            return Read(answer)
        found = _object(text)
        if isinstance(found, str):
            return Read(problem=found)
        return Read(problem=_unfit(found, self.schema or {})) if _unfit(found, self.schema or {}) else Read(text)

    def _calls(self, answer: str, text: str) -> Read:
        found = _object(text)
        if self.choice == "auto" and '"calls"' not in text:
            return Read(answer)
        if isinstance(found, str):
            return Read(problem=found)
        listed = found.get("calls")
        if set(found) != {"calls"} or not isinstance(listed, list):
            return Read(problem='it is not an object with "calls", a list, and nothing else')
        if not listed and self.choice != "auto":
            return Read(problem="it calls nothing")
        calls = [self._call(one) for one in listed]
        problems = [one for one in calls if isinstance(one, str)]
        return Read(problem=problems[0]) if problems else Read(calls=tuple(c for c in calls if isinstance(c, Call)))

    def _call(self, found: Any) -> Call | str:
        if not isinstance(found, dict) or set(found) != {"name", "arguments"}:
            return 'a call is not an object with "name" and "arguments"'
        name, arguments = found["name"], found["arguments"]
        if not isinstance(name, str) or name not in self.functions:
            return f"there is no function {name!r}, only {', '.join(self.functions)}"
        if not isinstance(arguments, dict):
            return f"the arguments of {name} are no object"
        unfit = _unfit(arguments, self.functions[name].get("parameters") or {})
        return f"{name}: {unfit}" if unfit else Call(name, arguments)


def unfenced(answer: str) -> str:
    """An answer without blanks, and without a code fence, around the whole of it."""
    text = answer.strip()
    fenced, end = _FENCED.match(text), len(text) - len(_FENCE)
    return text[fenced.end() : end].strip() if fenced and fenced.end() <= end and text.endswith(_FENCE) else text


def _object(text: str) -> dict[str, Any] | str:
    """The JSON object that a text is, or what it is instead."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return "it is not JSON"
    return found if isinstance(found, dict) else "it is not a JSON object"


def _unfit(found: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Where an object does not fit its schema at the first level; libraries check the rest themselves."""
    for name in schema.get("required", ()):
        if name not in found:
            return f"{name!r} is missing"
    for name, part in schema.get("properties", {}).items():
        kind = _TYPES.get(part.get("type", "")) if isinstance(part, Mapping) else None
        # JSON's true is no number, though Python's is.
        mixed = isinstance(found.get(name), bool) and kind is not bool
        if name in found and kind is not None and (mixed or not isinstance(found[name], kind)):
            return f"{name!r} is not of type {part['type']}"
    return ""
