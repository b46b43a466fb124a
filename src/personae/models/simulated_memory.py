"""What a simulated respondent keeps that a memory asks: all that the user said, word for word, in the form asked for.

It cannot tell what is worth keeping, so that nothing that was told in passing is lost in a simulation; what a memory
system makes of it is that system's own doing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from personae.errors import ModelError

_DONE = "Noted."
_KEEPS, _SAYS = "content", "message"
"""The argument by which functions that keep something, or that answer the user, are known."""


def kept(meta: Mapping[str, Any], prompts: Sequence[str], mangled: bool) -> str:
    """What is answered to a memory.

    Parameters
    ----------
    meta : mapping
        Of the trial: ``said`` (by the user), and the form: ``form`` "list" for a list of texts, ``schemas`` (functions
        that can be called, with the JSON Schema of their arguments), ``returned`` (one has been called, and this is
        asked after it), ``json``.
    prompts : sequence of str
        The texts of its messages: libraries name the keys of their JSON nowhere else.
    mangled : bool
        Answer in no form at all.

    Raises
    ------
    ModelError
        When the trial does not tell what the user said, or none of the functions keeps anything.
    """
    said = meta.get("said")
    if not said:
        raise ModelError("a simulated respondent keeps what the user said, and this trial does not tell")
    if mangled:
        return f"I would keep this: {said}"
    if meta.get("form") == "list":
        return _written([said])
    if schemas := meta.get("schemas"):
        return _called(schemas, said, bool(meta.get("returned")))
    return _written(_keyed("\n".join(prompts).replace(said, ""), said)) if meta.get("json") else said


def _keyed(prompt: str, said: str) -> dict[str, Any]:
    """The JSON object of Mem0: in 1.x of its first question or of its second, in 2.x of its only one."""
    if '"event"' in prompt:
        return {"memory": [{"id": "new", "text": said, "event": "ADD"}]}
    if '"facts"' in prompt:
        return {"facts": [said]}
    return {"memory": [{"id": "0", "text": said, "attributed_to": "user"}]}


def _called(schemas: Mapping[str, Mapping[str, Any]], said: str, returned: bool) -> str:
    """A call of the function that keeps a text; after it, of the one that answers the user, or plain words."""
    wanted, value = (_SAYS, _DONE) if returned else (_KEEPS, said)
    able = [name for name, schema in schemas.items() if wanted in schema.get("required", ())]
    if not able:
        if returned:
            return _DONE
        raise ModelError(f"none of the functions keeps a text under {_KEEPS}: {', '.join(schemas)}")
    # The one that wants least besides: Letta's archive needs no label, its blocks do.
    name = min(able, key=lambda one: len(schemas[one]["required"]))
    filled = {argument: _filled(schemas[name], argument) for argument in schemas[name]["required"]}
    return _written({"calls": [{"name": name, "arguments": {**filled, wanted: value}}]})


def _filled(schema: Mapping[str, Any], argument: str) -> Any:
    """Something that fits an argument that does not matter."""
    kind = schema.get("properties", {}).get(argument, {}).get("type", "string")
    return {"boolean": True, "integer": 0, "number": 0, "array": [], "object": {}}.get(kind, "as it was said")


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
