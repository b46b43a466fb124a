"""Taking an answer out of what it came wrapped in: turns, tokens and channels of chat templates, data, tags, marks.

Every reader begins here, so that what one of them understands all do. Two steps: `answer_of` leaves the words of the
answer, for everybody who reads any text of a model; `bare` takes off what stands around a short answer besides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from personae.coding.objects import objects_in
from personae.coding.reasoning import split_reasoning
from personae.coding.sentences import unmarked
from personae.coding.text import plain

_WRAPPED = re.compile(r"[<\[◁\\]|\banalysis|\n[ \t]{0,20}(?:#{1,4}[ \t])?(?:Human|User|Instruction)\b", re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>\s*(?P<name>\w+)[^<]{0,80}<\|message\|>")
_BARE_CHANNELS = re.compile(r"\A\s*analysis(?P<thought>.*?)assistant\s?(?:final|<\|channel\|>final)", re.DOTALL)
_ENDED = re.compile(
    r"<\|(?:im_end|endoftext|eot_id|eom_id|end_of_text|end|return|call|endofprompt|end_of_turn|END_OF_TURN_TOKEN)\|>"
    r"|<｜end▁of▁sentence｜>|<end_of_turn>|<eos>|</s>|\[/?INST\]",
)
_ASKED = re.compile(
    r"<\|im_start\|>\s*user\b|<\|start_header_id\|>\s*user\b|<start_of_turn>\s*user\b|<\|(?:start|USER_TOKEN|user)\|>\s*(?:user\b|<)",
    re.IGNORECASE,
)
"""Where a model goes on with the turn of whoever asks."""
_BEGUN = re.compile(
    r"<\|(?:im_start|start|begin_of_text|startoftext|start_header_id|START_OF_TURN_TOKEN|CHATBOT_TOKEN)\|>"
    r"(?:\s*(?:assistant|model|system)\b\s*)?(?:<\|end_header_id\|>)?|<start_of_turn>(?:model)?|<bos>|<s>"
    r"|<\|message\|>"
)
_NEXT_TURN = re.compile(r"\n[ \t]{0,20}(?:#{1,4}[ \t])?(?:Human|User|Instruction)[ \t]{0,20}:", re.IGNORECASE)
_TAGGED = re.compile(
    r"<(?P<tag>answer|final|final_answer|choice|option|response|output|verdict|result|score|word)>"
    r"(?P<said>[^<]{1,2000})</(?P=tag)>",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*\w{0,20}[ \t]*$", re.MULTILINE)
_TAG = re.compile(r"</?[A-Za-z][\w:-]{1,30}>")
_LATEX = re.compile(
    r"\\(?:boxed|fbox|text|textbf|textit|mathrm|mathbf|mathit|emph|underline)\s?\{(?P<said>[^{}]{0,500})\}"
)
_FIELDS = ("answer", "final_answer", "final", "choice", "option", "selection", "verdict", "response", "result", "label")
_STAGE = re.compile(
    r"""(?P<mark>\*{1,2}|_)(?P<said>[^*_\n]{2,80})(?P=mark) | \((?P<round>[^()\n]{2,80})\)
      | \[(?P<square>[^\[\]\n]{2,80})\]""",
    re.VERBOSE,
)
_ACTS = re.compile(
    r"""(?:(?:softly|gently|slowly|quietly|shyly|playfully|nervously|warmly|sadly|suddenly|\w+ly)\s)?
    (?!yes\b|this\b|his\b|its\b|is\b|was\b|has\b|does\b|always\b|perhaps\b|less\b|unless\b|as\b|us\b|thus\b)
    (?:[a-z]{2,}(?:s|es|ies)|smiling|laughing|sighing|nodding|winking|grinning)\b(?:\s.*)?""",
    re.VERBOSE | re.DOTALL,
)
_DEEPEST = 4
_MOST_OBJECTS = 20


class Answer(NamedTuple):
    """The words of an answer; ``cut`` where thought in it was never closed, so that there is no answer yet."""

    text: str
    cut: bool = False


def answer_of(text: str) -> Answer:
    """The words of an answer, without thought, tokens of chat templates, and turns that a model wrote for others.

    Parameters
    ----------
    text : str
        As it came.

    Examples
    --------
    >>> answer_of("<|channel|>analysis<|message|>A or B?<|end|><|start|>assistant<|channel|>final<|message|>B<|return
      |>")
    Answer(text='B', cut=False)
    >>> answer_of("No\\nHuman: And women?\\nYes").text
    'No'
    """
    if not _WRAPPED.search(text):
        return Answer(text)
    apart = split_reasoning(text)
    if not apart.closed and not apart.text:
        return Answer("", cut=True)
    words, cut = _of_channels(apart.text)
    if asked := _ASKED.search(words):
        words = words[: asked.start()]
    words = _BEGUN.sub("", _ENDED.sub(" ", words))
    if (turn := _NEXT_TURN.search(words)) and words[: turn.start()].strip():
        words = words[: turn.start()]
    return Answer(words, cut or not apart.closed)


def _of_channels(text: str) -> tuple[str, bool]:
    """What a text says in its last channel, where it has channels; and whether that one is thought."""
    if bare := _BARE_CHANNELS.match(text):
        return text[bare.end() :], False
    channels = list(_CHANNEL.finditer(text))
    if not channels:
        return text, False
    last = next((one for one in channels if one["name"] == "final"), None)
    return ("", True) if last is None else (text[last.end() :], False)


def bare(text: str, acts: bool = True) -> str:
    """A short answer without what it stands in: data, tags, fences, formulas, marks of emphasis, what a role does.

    Parameters
    ----------
    text : str
        From `answer_of`.
    acts : bool
        Whether what a role does ("*nods*") is taken off, where words are left without it.

    Examples
    --------
    >>> bare('```json\\n{"answer": "C"}\\n```'), bare("*nods slowly* **No**"), bare("$\\\\boxed{\\\\text{B}}$")
    ('C', 'No', 'B')
    """
    said = plain(_FENCE.sub("", text) if "```" in text or "~~~" in text else text)
    said = _of_data(said) or said
    said = " ".join(one["said"] for one in _TAGGED.finditer(said)) or _TAG.sub(" ", said)
    for _ in range(_DEEPEST):
        before, said = said, _LATEX.sub(lambda found: found["said"], said)
        if before == said:
            break
    said = said.replace("$", " ") if said.count("$") > 1 else said
    if acts:
        without = _STAGE.sub(lambda found: " " if _ACTS.fullmatch(_within(found).strip()) else found[0], said)
        said = without if re.search(r"\w", without) else said
    return unmarked(said).strip()


def _within(found: re.Match[str]) -> str:
    return next(part for part in (found["said"], found["round"], found["square"]) if part is not None)


def _of_data(said: str) -> str:
    """What JSON in an answer says: of its answer by name, or the only value; empty where there is no JSON."""
    if not 0 < said.count("{") <= _MOST_OBJECTS:
        return ""
    values = [value for one in objects_in(said) for value in _values_of(one)]
    return " ".join(values) if values else ""


def _values_of(one: dict[str, Any]) -> Iterator[str]:
    named = [one[name] for name in _FIELDS for key in one if key.strip().lower() == name]
    plain_values = [value for value in one.values() if isinstance(value, str | int | float | bool)]
    chosen = named[:1] or (plain_values if len(plain_values) == 1 else [])
    for value in chosen:
        if isinstance(value, str):
            yield value
        elif isinstance(value, bool):
            yield "yes" if value else "no"
        else:
            yield json.dumps(value)
