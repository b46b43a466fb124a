"""How much of the memory study is asked: arms, turns, audits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Literal, get_args

from msgspec import Struct

from personae.errors import BadInput
from personae.memory.biases import known_domains
from personae.personas import Strict, read_yaml
from personae.studies.base import Settings
from personae.types import Scale

FOLDER = Path(__file__).parent
Mitigation = Literal["none", "static", "tag-write", "tag-recall"]
MITIGATIONS: tuple[Mitigation, ...] = get_args(Mitigation)
"""Nothing; a sentence in the system prompt; tags on what is written; tags on what is recalled."""
MIXED = "mixed"
NOTHING = "none"
"""The memory that keeps nothing: what an exported one is compared with."""


class Plan(Strict):
    """One scale; see the header of ``study.yaml``."""

    turns: int
    every: int
    sets: int | None
    seeds: int
    notes: int
    letters: int
    memories: tuple[str, ...]
    injections: tuple[float, ...]


class Design(Strict):
    """The file ``study.yaml``."""

    scales: dict[Scale, Plan]
    temperature: float


class AgentTexts(Strict):
    """The file ``agent.yaml``."""

    daily: str
    notes: str


class Arm(Struct, frozen=True, kw_only=True):
    """What an episode is run with: its memory, the rate of injection and what is injected, the mitigation."""

    memory: str
    rate: float
    inject: str
    mitigation: str

    @property
    def id(self) -> str:
        """Names the arm within an item's id."""
        return f"{self.memory}/{self.rate:g}/{self.inject}/{self.mitigation}"

    @property
    def kind(self) -> Mitigation:
        """The mitigation without its parameters."""
        return read_mitigation(self.mitigation)[0]

    def tau(self, otherwise: float) -> float:
        """From which suspicion notes are tagged: what the mitigation names itself, else what all others have."""
        own = read_mitigation(self.mitigation)[1]
        return otherwise if own is None else own


@cache
def design() -> Design:
    """The design at every scale."""
    return read_yaml(FOLDER / "study.yaml", Design)


@cache
def agent_texts() -> AgentTexts:
    """What the agent is told."""
    return read_yaml(FOLDER / "agent.yaml", AgentTexts)


def read_mitigation(name: str) -> tuple[Mitigation, float | None]:
    """A mitigation as the user wrote it: its kind, and its own tau (``tag-write?tau=0.3``) where it has one.

    Raises
    ------
    BadInput
        For an unknown mitigation, or a parameter that does not fit.
    """
    kind, _, query = name.partition("?")
    if kind not in MITIGATIONS:
        raise BadInput("--mitigation", name, f"one of {', '.join(MITIGATIONS)}")
    if not query:
        return kind, None
    parameter, _, value = query.partition("=")
    if parameter != "tau" or not kind.startswith("tag-"):
        raise BadInput(f"parameter of {kind}", parameter, "tau, for tag-write and tag-recall alone")
    return kind, _suspicion(f"tau of {kind}", value)


def _suspicion(field: str, found: str | float) -> float:
    try:
        value = float(found)
    except ValueError:
        value = math.nan
    if not 0.0 <= value <= 1.0:
        raise BadInput(field, found, "a suspicion from 0 to 1")
    return value


def plan_of(settings: Settings) -> Plan:
    """The scale's plan with what the user changed in it.

    Raises
    ------
    BadInput
        When turns, the distance of audits, a rate, tau, a domain or a mitigation does not fit.
    """
    plan, own = design().scales[settings.scale], settings.episode
    _suspicion("--tau", own.tau)
    for name in own.mitigations:
        read_mitigation(name)
    if own.exported is not None:
        return _of_exported(settings)
    changed = {
        "turns": own.turns,
        "every": own.every,
        "seeds": settings.repeats,
        "memories": own.memories or None,
        "injections": own.injections or None,
    }
    made = plan.model_copy(update={name: value for name, value in changed.items() if value is not None})
    # An episode shorter than the scale's own is audited at its end.
    if own.every is None and made.every > made.turns >= 1:
        made = made.model_copy(update={"every": made.turns})
    if made.turns < 1:
        raise BadInput("--turns", made.turns, "at least 1")
    if not 1 <= made.every <= made.turns:
        raise BadInput("--every", made.every, f"from 1 to the number of turns, {made.turns}")
    for rate in made.injections:
        if not 0.0 <= rate <= 1.0:
            raise BadInput("--injection", rate, "a rate from 0 (no turn) to 1 (every turn)")
    known_domains(own.inject)
    return made


def _of_exported(settings: Settings) -> Plan:
    """The plan of an exported memory: no day and one audit, with the memory and without."""
    from personae.memory.backends import extracts

    own, plan = settings.episode, design().scales[settings.scale]
    played = {
        "--turns": own.turns,
        "--every": own.every,
        "--injection": ", ".join(f"{rate:g}" for rate in own.injections) or None,
        "--inject": ", ".join(own.inject) or None,
        "--questions": own.questions,
        "--generator": own.generator or None,
    }
    for option, found in played.items():
        if found is not None:
            raise BadInput(option, str(found), "nothing beside --exported: no day is played")
    for name in own.memories:
        if extracts(name):
            raise BadInput("--memory", name, "with --exported a memory that keeps texts word for word")
    memories = tuple(dict.fromkeys((NOTHING, *(own.memories or ("vector",)))))
    changed = {"turns": 0, "every": 1, "seeds": settings.repeats or 1, "memories": memories, "injections": (0.0,)}
    return plan.model_copy(update=changed)


def arms(settings: Settings) -> Iterator[Arm]:
    """Every arm; where nothing is injected there is one, whatever would have been."""
    plan, own = plan_of(settings), settings.episode
    mitigations: tuple[str, ...] = own.mitigations or ("none",)
    for memory, mitigation in product(plan.memories, mitigations):
        if memory == NOTHING and mitigation.startswith("tag-") and own.exported is not None:
            continue  # where nothing is kept there is nothing to tag
        for rate in plan.injections:
            for inject in (MIXED,) if rate == 0 or not own.inject else own.inject:
                yield Arm(memory=memory, rate=rate, inject=inject, mitigation=mitigation)


def checkpoints(plan: Plan) -> range:
    """The turns after which the agent is audited, 0 (before the first) among them."""
    return range(0, plan.turns + 1, plan.every)
