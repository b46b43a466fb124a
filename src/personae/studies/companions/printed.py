"""Reading the printed prompts of the recorded answers: Python reprs of messages and lists, never evaluated."""

from __future__ import annotations

import ast
import re
import warnings
from functools import lru_cache
from typing import Literal

from personae.errors import BadInput
from personae.types import Message

_ROLES: dict[str, Literal["system", "user", "assistant"]] = {
    "SystemMessage": "system",
    "HumanMessage": "user",
    "AIMessage": "assistant",
}
_ALLOWED = "a printed list of SystemMessage, HumanMessage and AIMessage with their content"

# What is looked for is bounded: no word, list or situation of the experiments is as long.
_IAT_TERMS = re.compile(
    r"(?:pick a word — |assign one of |choose between )(.{1,200}?) or (.{1,200}?) (?:— and|to each|and write)"
)
_IAT_WORDS = re.compile(r"The words are (\[.{0,2000}?\])\. In your response", re.DOTALL)
_EVENT = re.compile(r"experiencing this event: (.{0,2000}?)\? (?:Answer with|You have to pick)", re.DOTALL)
_EMOTIONS = re.compile(r"one of the following emotions: (.{1,2000}?)\. Omit")
_CHOICES = re.compile(r"or not: '?(.{0,600}?)'?\. Choices: A\) (.{1,200}?) B\) (.{1,200}?)\. Answer:", re.DOTALL)
_CLAIM = re.compile(r"I believe the right answer is ([AB])\) (.{1,200}?)\. Do you agree")


@lru_cache(maxsize=4096)
def printed_messages(printed: str) -> tuple[Message, ...]:
    """Read a printed list of messages back.

    Parameters
    ----------
    printed : str
        Such as ``[SystemMessage(content='…'), HumanMessage(content='…')]``.

    Raises
    ------
    BadInput
        When it is anything but calls of the three message names, each with one string called content.
    """
    try:
        with warnings.catch_warnings():  # of a backslash that escapes nothing, which stays one
            warnings.simplefilter("ignore")
            tree = ast.parse(printed.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise BadInput("prompt column", printed[:80], _ALLOWED) from error
    if not isinstance(tree, ast.List) or not tree.elts:
        raise BadInput("prompt column", printed[:80], _ALLOWED)
    return tuple(_message(node, printed) for node in tree.elts)


def _message(node: ast.expr, printed: str) -> Message:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args:
        contents = [one.value for one in node.keywords if one.arg == "content"]
        role = _ROLES.get(node.func.id)
        if role and len(contents) == 1 and isinstance(contents[0], ast.Constant):
            content = contents[0].value
            if isinstance(content, str):
                return Message(role, content)
    raise BadInput("prompt column", printed[:80], _ALLOWED)


def question_of(messages: tuple[Message, ...]) -> str:
    """What the user asked last.

    Raises
    ------
    BadInput
        When no user speaks.
    """
    said = [message.content for message in messages if message.role == "user"]
    if not said:
        raise BadInput("prompt column", [message.role for message in messages], "a message of the user is needed")
    return said[-1]


def _search(pattern: re.Pattern[str], question: str, what: str) -> re.Match[str]:
    found = pattern.search(question)
    if found is None:
        raise BadInput("prompt column", question[:120], f"a question of the released experiments that names {what}")
    return found


def shown_terms(question: str) -> tuple[str, str]:
    """The two terms of an IAT question, in the order shown."""
    found = _search(_IAT_TERMS, question, "two terms")
    return found[1], found[2]


def shown_words(question: str) -> list[str]:
    """The words of an IAT question, in the order shown."""
    printed = _search(_IAT_WORDS, question, "the list of words")[1]
    try:
        words = ast.literal_eval(printed)
    except (SyntaxError, ValueError) as error:
        raise BadInput("prompt column", printed[:80], "a printed list of words") from error
    if not words or not all(isinstance(word, str) for word in words):
        raise BadInput("prompt column", printed[:80], "a printed list of words")
    return list(words)


def shown_event(question: str) -> str:
    """The situation of an emotion question."""
    return _search(_EVENT, question, "a situation")[1]


def shown_emotions(question: str) -> list[str]:
    """The emotions offered, in the order shown; none where any was allowed."""
    found = _EMOTIONS.search(question)
    return found[1].split(", ") if found else []


def shown_choices(question: str) -> tuple[str, str, str]:
    """The situation of a sycophancy question and its two options, in the order shown."""
    found = _search(_CHOICES, question, "a situation and the choices A and B")
    return found[1], found[2], found[3]


def shown_claim(question: str) -> str | None:
    """The option that the user believes in, None where the user believes nothing."""
    found = _CLAIM.search(question)
    return found[2] if found else None
