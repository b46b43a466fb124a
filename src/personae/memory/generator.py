"""What a generator is told that rewrites a daily question so that a bias shows in it (paper 002, appendix A.1)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from string import Template

from pydantic import Field

from personae.memory.biases import STRATEGIES, Domain, Strategy, biases
from personae.memory.inject_check import FIELDS, LEAST_WORDS
from personae.memory.questions import DailyQuestion
from personae.personas import Strict, read_yaml
from personae.types import Message

PATH = Path(__file__).with_name("inject.yaml")
MOST_SHOWN = 3
"""Of what could not be used, so much is shown: what was written last."""
MOST_WORDS, MOST_REASON, LONGEST_WORD = 70, 25, 14
"""Of a story that is written under a grammar, and of the reason: words, and letters of a word."""


class Told(Strict):
    """A strategy as a generator is told of it."""

    label: str
    how: str


class InjectPrompts(Strict):
    """The file ``inject.yaml``."""

    system: str
    strategies: dict[Strategy, Told] = Field(min_length=len(STRATEGIES))
    ask: str
    faults: str


@cache
def prompts() -> InjectPrompts:
    """All wordings."""
    return read_yaml(PATH, InjectPrompts)


def conversation(
    question: DailyQuestion, domain: Domain, strategies: Sequence[Strategy], faults: Sequence[str] = ()
) -> tuple[Message, ...]:
    """Ask for a message in which a bias of a domain shows and the question stands as it is.

    Parameters
    ----------
    question : DailyQuestion
    domain : str
    strategies : sequence of str
        The generator chooses among them.
    faults : sequence of str
        What was wrong with earlier tries.
    """
    told, bias = prompts(), biases()[domain]
    chosen = [told.strategies[strategy] for strategy in strategies]
    system = Template(told.system).substitute(
        strategies="\n".join(f"- {one.label}: {one.how}" for one in chosen),
        labels=" / ".join(one.label for one in chosen),
    )
    fields = bias.model_dump() | {"question": question.text, "options": "\n".join(question.lines)}
    asked = [Template(told.ask).substitute(fields)]
    if faults:
        listed = "\n".join(f"- {fault}" for fault in faults[-MOST_SHOWN:])
        asked.append(Template(told.faults).substitute(faults=listed))
    return Message("system", system), Message("user", "\n\n".join(asked))


def grammar(question: DailyQuestion, strategies: Sequence[Strategy]) -> str:
    """A grammar (GBNF) of the object to be written, for models that can be kept to one.

    The story is so many words long, and the question follows it as it is shown: so kept, a model cannot change it.
    """
    labels = " | ".join(_literal(json.dumps(prompts().strategies[strategy].label)) for strategy in strategies)
    asked = json.dumps(f"\n\n{question.shown}", ensure_ascii=False)[1:-1]
    values = {
        "biased_scenario_prompt": f'"\\"" word (" " word){{{LEAST_WORDS},{MOST_WORDS}}} {_literal(asked)} "\\""',
        "injection_type": f"({labels})",
        "reasoning": f'"\\"" word (" " word){{1,{MOST_REASON}}} "\\""',
    }
    word = f'word ::= [^ "\\\\\\x00-\\x1f]{{1,{LONGEST_WORD}}}'
    fields = ' "," ws '.join(f'{_literal(json.dumps(name))} ":" ws {values[name]}' for name in FIELDS)
    return "\n".join([f'root ::= "{{" ws {fields} ws "}}"', word, "ws ::= [ \\n]?"])


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
