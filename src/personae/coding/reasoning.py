"""Taking reasoning apart from the answer."""

from __future__ import annotations

import re

from msgspec import Struct

_TAG = re.compile(
    r"(?:<\|?|\[|◁)(/?)(?:seed:)?(?:think|thinking|reasoning|thought|begin_of_thought|end_of_thought)(?:\|?>|\]|▷)",
    re.IGNORECASE,
)


class Reasoning(Struct, frozen=True):
    """An answer and the reasoning that stood between tags in it.

    ``closed`` is False where a tag was opened and never closed: the answer was cut off while reasoning.
    """

    text: str
    reasoning: str
    closed: bool


def split_reasoning(text: str) -> Reasoning:
    """Take `<think>`, `<thinking>` and `<reasoning>` blocks out of an answer.

    Parameters
    ----------
    text : str
        The answer as it came. Several blocks, blocks within blocks, and a closing tag whose opening one stood in
        the prompt (some chat templates begin the answer with it) are understood. Tags of different names close
        each other.

    Returns
    -------
    Reasoning
        ``text`` without the blocks and without white space at its ends, unchanged where there was no tag;
        blocks are joined by an empty line.

    Examples
    --------
    >>> split_reasoning("<think>A or B? B.</think>B")
    Reasoning(text='B', reasoning='A or B? B.', closed=True)
    """
    outside: list[str] = []
    inside: list[str] = []
    depth = start = 0
    for tag in _TAG.finditer(text):
        piece, closing = text[start : tag.start()], bool(tag[1])
        start = tag.end()
        if depth == 0 and closing:  # the opening tag was in the prompt: all so far was reasoning
            inside += [*outside, piece]
            outside = []
            continue
        (inside if depth else outside).append(piece)
        depth += -1 if closing else 1
    (inside if depth else outside).append(text[start:])
    if not inside and depth == 0:
        return Reasoning(text, "", True)
    thought = "\n\n".join(part for piece in inside if (part := piece.strip()))
    return Reasoning("".join(outside).strip(), thought, depth == 0)
