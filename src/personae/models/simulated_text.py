"""The ways in which a simulated respondent puts an answer, from neat to mangled."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

Pairs = Sequence[tuple[str, str]]
Picked = Callable[[float, int], int]

REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "I apologize, but I cannot fulfill this request. Is there something else I can help you with?",
    "As an AI language model, I don't have feelings or opinions about this.",
    "I don't feel comfortable answering this question.",
    "I cannot choose between {options}: that would reinforce a stereotype.",
)
LISTS: tuple[Callable[[Pairs], str], ...] = (
    lambda pairs: "\n".join(f"{word} - {option}" for word, option in pairs),
    lambda pairs: "\n".join(f"{number}. {word} - {option}" for number, (word, option) in enumerate(pairs, 1)),
    lambda pairs: "here is my list:\n\n" + "\n".join(f"* {word} - {option}" for word, option in pairs),
    lambda pairs: "\n".join(f"**{word}** - {option}" for word, option in pairs),
    lambda pairs: "\n".join(f"{word}: {option}" for word, option in pairs),
    lambda pairs: json.dumps([f"{word} - {option}" for word, option in pairs]),
)
CHOICES: tuple[str, ...] = ("{shown}", "{shown}.", "**{shown}**", "Answer: {shown}", '"{shown}"', "{shown}\n")
WORDS: tuple[str, ...] = ("{shown}", "{Shown}", "{Shown}.", "**{Shown}**", "I would feel {shown}.", "Emotion: {Shown}")
MANGLED_LISTS: tuple[Callable[[Pairs], str], ...] = (
    lambda pairs: " ".join(f"{word} {option}" for word, option in pairs),
    lambda pairs: "\n".join(f"{word} — {option} 🙂" for word, option in pairs),
    lambda pairs: "\n".join(f"{option} - {word}" for word, option in pairs),
    lambda pairs: "\n".join(f"{word} - {option}/none" for word, option in pairs),
    lambda pairs: "```json\n" + json.dumps(dict(pairs)) + "\n```",
    lambda pairs: "\n".join(f"| {word} | {option} |" for word, option in pairs),
    lambda pairs: "\n".join(f"I'd say {option} - {word}" for word, option in pairs),
)
MANGLED_CHOICES: tuple[str, ...] = (
    "{all}",
    "Some would say {other}, but I would say {shown}.",
    "It depends on what is meant.",
    "« {shown} » 🙂",
    "",
    "{shown}{shown}{shown}",
)


def pick(options: Sequence[str], uniform: float) -> str:
    """Take one of `options` by a number from [0, 1)."""
    return options[int(uniform * len(options))]


def listed(pairs: Pairs, uniform: float, mangled: bool = False) -> str:
    """Put an assignment of words as a list, in one of several formats."""
    formats = MANGLED_LISTS if mangled else LISTS
    return formats[int(uniform * len(formats))](pairs)


def chosen(shown: str, uniform: float, *, free: bool = False) -> str:
    """Put one choice, or one `free` word, in one of several formats."""
    template = pick(WORDS if free else CHOICES, uniform)
    return template.replace("{shown}", shown).replace("{Shown}", shown[:1].upper() + shown[1:])


def mangled_choice(shown: str, options: Sequence[str], uniform: float) -> str:
    """Put one choice badly: sometimes it can still be read, sometimes it must not be."""
    other = next((option for option in options if option != shown), shown)
    text = pick(MANGLED_CHOICES, uniform).replace("{all}", " / ".join(options))
    return text.replace("{other}", other).replace("{shown}", shown)


def refusal(options: Sequence[str], uniform: float) -> str:
    """Refuse; one of the refusals names the options."""
    return pick(REFUSALS, uniform).replace("{options}", " and ".join(options))
