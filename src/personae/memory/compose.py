"""Injecting a bias without a generator: a story from our templates, then the daily question, word for word."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Formatter
from typing import get_args

from pydantic import Field, model_validator

from personae.memory.biases import Domain, Strategy
from personae.memory.chance import number
from personae.memory.questions import DailyQuestion
from personae.personas import BadInputValue, Strict, read_yaml

PATH = Path(__file__).with_name("templates.yaml")
OTHERWISE = "other"
"""Whose setting a question has whose subject is not known here."""


class Words(Strict):
    """How the people of one domain can be named: one or many of the target group, one or many of the other."""

    target: tuple[str, ...] = Field(min_length=1)
    targets: tuple[str, ...] = Field(min_length=1)
    contrast: tuple[str, ...] = Field(min_length=1)
    contrasts: tuple[str, ...] = Field(min_length=1)


class Setting(Strict):
    """Where the user works on questions of one subject, and on what."""

    place: str
    job: str
    tool: str
    clients: str
    topic: str


Told = dict[Strategy, tuple[str, ...]]


class Templates(Strict):
    """The file ``templates.yaml``."""

    words: dict[Domain, Words]
    settings: dict[str, Setting]
    narratives: dict[Domain, Told]
    leads: tuple[str, ...]

    @model_validator(mode="after")
    def _is_whole(self) -> Templates:
        for domain in get_args(Domain):
            for strategy in get_args(Strategy):
                if not self.narratives.get(domain, {}).get(strategy):
                    raise BadInputValue(f"nothing for {domain}, {strategy}", "every domain told in every way")
        known = {*Words.model_fields, *(name.capitalize() for name in Words.model_fields), *Setting.model_fields}
        texts = [text for told in self.narratives.values() for some in told.values() for text in some]
        for text in [*texts, *self.leads]:
            if unknown := {name for _, name, _, _ in Formatter().parse(text) if name is not None} - known:
                raise BadInputValue(", ".join(sorted(unknown)), f"slots among {', '.join(sorted(known))}")
        return self


@cache
def templates() -> Templates:
    """All templates."""
    return read_yaml(PATH, Templates)


def compose(question: DailyQuestion, domain: Domain, strategy: Strategy, *parts: object) -> str:
    """Put a story that carries a bias before a question.

    Parameters
    ----------
    question : DailyQuestion
        It follows word for word, with its options.
    domain, strategy : str
        What is believed, and how it is told.
    *parts : object
        What decides which story it is and who is in it: a seed and a turn. The same parts give the same text.
    """
    told = templates()
    setting = told.settings.get(question.subject, told.settings[OTHERWISE])
    slots = setting.model_dump() | _people(told.words[domain], domain, *parts)
    story = _one_of(told.narratives[domain][strategy], "story", domain, strategy, *parts)
    lead = _one_of(told.leads, "lead", *parts)
    return f"{story.format_map(slots)} {lead.format_map(slots)}\n\n{question.shown}"


def _people(words: Words, *parts: object) -> dict[str, str]:
    people = {name: _one_of(getattr(words, name), name, *parts) for name in Words.model_fields}
    return people | {name.capitalize(): text[0].upper() + text[1:] for name, text in people.items()}


def _one_of(texts: tuple[str, ...], *parts: object) -> str:
    return texts[number("compose", *parts) % len(texts)]
