"""What simulated respondents answer to a memory: all that was said, in the form that was asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from personae.errors import ModelError
from personae.models.simulated import SimulatedModel
from personae.types import Message, Response, Trial

SAID = 'The nurse was late, the "event" said.\nWhich tea?'


def schema(*required: str, **kinds: str) -> dict[str, Any]:
    return {"required": list(required), "properties": {name: {"type": kind} for name, kind in kinds.items()}}


ARCHIVE = schema("content", "request_heartbeat", content="string", request_heartbeat="boolean", tags="array")
LETTA = {
    "core_memory_append": schema("label", "content", "request_heartbeat", request_heartbeat="boolean"),
    "archival_memory_search": schema("query"),
    "archival_memory_insert": ARCHIVE,
    "send_message": schema("message", message="string"),
}
LANGMEM = {"PatchDoc": schema("json_doc_id", "planned_edits", "patches"), "Memory": schema("content")}


async def answered(name: str = "sim/drifting", prompt: str = "Keep what matters.", **meta: Any) -> Response:
    given = {"kind": "memory", "said": SAID, **meta}
    messages = (Message("system", prompt), Message("user", f"user: {SAID}"))
    return await SimulatedModel.from_name(name).respond(Trial(messages=messages, step="memory/1/1", meta=given))


async def found(**given: Any) -> Any:
    return json.loads((await answered(**given)).text)


async def test_a_list_holds_all_that_was_said() -> None:
    assert await found(form="list") == [SAID]


async def test_json_has_the_keys_that_the_prompt_names() -> None:
    assert await found(json=True, prompt='Answer {"facts": [...]}') == {"facts": [SAID]}
    changed = await found(json=True, prompt='{"facts": []} and {"memory": [{"id": "", "text": "", "event": ""}]}')
    assert changed == {"memory": [{"id": "new", "text": SAID, "event": "ADD"}]}
    (added,) = (await found(json=True, prompt='{"memory": [{"id": "", "text": ""}]}'))["memory"]
    assert (added["text"], added["attributed_to"]) == (SAID, "user")


@pytest.mark.parametrize(
    ("schemas", "name", "arguments"),
    [
        (LANGMEM, "Memory", {"content": SAID}),
        (LETTA, "archival_memory_insert", {"content": SAID, "request_heartbeat": True}),
        (
            {"core_memory_append": LETTA["core_memory_append"]},
            "core_memory_append",
            {"label": "as it was said", "content": SAID, "request_heartbeat": True},
        ),
    ],
)
async def test_the_function_that_keeps_a_text_is_called(schemas: Any, name: str, arguments: Any) -> None:
    assert await found(schemas=schemas) == {"calls": [{"name": name, "arguments": arguments}]}


async def test_after_it_the_user_is_answered() -> None:
    said = await found(schemas=LETTA, returned=True)
    assert said == {"calls": [{"name": "send_message", "arguments": {"message": "Noted."}}]}
    assert (await answered(schemas={"keep": ARCHIVE}, returned=True)).text == "Noted."


async def test_functions_that_keep_nothing_are_an_error() -> None:
    with pytest.raises(ModelError, match="archival_memory_search"):
        await answered(schemas={"archival_memory_search": LETTA["archival_memory_search"]})


async def test_a_trial_that_does_not_tell_what_was_said_is_an_error() -> None:
    with pytest.raises(ModelError, match="does not tell"):
        await answered(said="", form="list")


async def test_refusing_and_mangling_come_without_a_form() -> None:
    for name in ("sim/refuser?rate=1", "sim/garbled?rate=1"):
        text = (await answered(name=name, form="list")).text
        with pytest.raises(ValueError, match="Expecting"):
            json.loads(text)


async def test_words_are_answered_where_no_form_is_wanted() -> None:
    assert (await answered()).text == SAID
