"""How much of the memory study is asked: arms, turns, audits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Literal, get_args

from msgspec import Struct

from personae.errors import BadInput
from personae.memory.biases import known_domains
from personae.memory.kinds import extracts
from personae.memory.options import MemoryOptions
from personae.personas import Strict, read_yaml
from personae.study.base import Settings
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
        """The suspicion above which notes are tagged: what the mitigation names itself, else what all others have."""
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
    tau: float | None = None
    for part in query.split("&") if query else ():
        parameter, _, value = part.partition("=")
        if parameter != "tau" or tau is not None or not kind.startswith("tag-"):
            raise BadInput(f"parameter of {kind}", parameter, "tau, once, for tag-write and tag-recall alone")
        tau = _suspicion(f"tau of {kind}", value)
    return kind, tau


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
        When turns, the distance of audits, a rate, tau, a domain or a mitigation does not fit, or something was given
        that would change nothing beside the rest.
    """
    _suspicion("--tau", settings.of(MemoryOptions).tau)
    made = _of_days(settings) if settings.of(MemoryOptions).exported is None else _of_exported(settings)
    _check_tags(made, settings.of(MemoryOptions))
    return made


def _of_days(settings: Settings) -> Plan:
    """The plan of episodes that are played."""
    plan, own = design().scales[settings.scale], settings.of(MemoryOptions)
    changed = {
        "turns": own.turns,
        "every": own.every,
        "seeds": settings.repeats,
        "memories": tuple(dict.fromkeys(own.memories)) or None,
        "injections": _rates(own.injections) or None,
    }
    made = plan.model_copy(update={name: value for name, value in changed.items() if value is not None})
    # An episode shorter than the scale's own is audited at its end.
    if own.every is None and made.every > made.turns >= 1:
        made = made.model_copy(update={"every": made.turns})
    if made.turns < 1:
        raise BadInput("--turns", made.turns, "at least 1")
    if not 1 <= made.every <= made.turns:
        raise BadInput("--every", made.every, f"from 1 to the number of turns, {made.turns}")
    known_domains(own.inject)
    for option, found in (("--inject", ", ".join(own.inject)), ("--generator", own.generator)):
        if found and not any(made.injections):
            raise BadInput(option, found, "nothing where every --injection is 0: no bias is told")
    return made


def _rates(given: Iterable[float]) -> tuple[float, ...]:
    """Every rate once. Arms are named by six digits of theirs, and two of one name would be one arm."""
    named: dict[str, float] = {}
    for rate in given:
        if not 0.0 <= rate <= 1.0:
            raise BadInput("--injection", rate, "a rate from 0 (no turn) to 1 (every turn)")
        if named.setdefault(f"{rate or 0.0:g}", rate or 0.0) != rate:
            raise BadInput("--injection", rate, f"rates that differ in six digits; {named[f'{rate:g}']} is given too")
    return tuple(named.values())


def _check_tags(plan: Plan, own: MemoryOptions) -> None:
    """Refuse tags where no note is kept, and what decides of tags where none are given."""
    tagging = [name for name in own.mitigations if read_mitigation(name)[0].startswith("tag-")]
    if tagging and all(map(_keeps_nothing, plan.memories)):
        raise BadInput("--mitigation", tagging[0], f"none or static with --memory {NOTHING}: no note is there to tag")
    usual = MemoryOptions()
    for option, found, otherwise in (("--tau", own.tau, usual.tau), ("--auditor", own.auditor, usual.auditor)):
        if found != otherwise and not tagging:
            raise BadInput(option, found, "nothing without --mitigation tag-write or tag-recall: no note is tagged")


def _keeps_nothing(memory: str) -> bool:
    return memory.partition("?")[0] == NOTHING


def _of_exported(settings: Settings) -> Plan:
    """The plan of an exported memory: no day and one audit, with the memory and without."""
    own, plan = settings.of(MemoryOptions), design().scales[settings.scale]
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
    if own.memories and all(map(_keeps_nothing, own.memories)):
        raise BadInput("--memory", NOTHING, "with --exported a memory that holds the texts; none is compared by itself")
    memories = tuple(dict.fromkeys((NOTHING, *(own.memories or ("vector",)))))
    changed = {"turns": 0, "every": 1, "seeds": settings.repeats or 1, "memories": memories, "injections": (0.0,)}
    return plan.model_copy(update=changed)


def arms(settings: Settings) -> Iterator[Arm]:
    """Every arm once; where nothing is injected there is one, whatever would have been."""
    plan, own = plan_of(settings), settings.of(MemoryOptions)
    mitigations = tuple(dict.fromkeys(own.mitigations)) or ("none",)
    injected = tuple(dict.fromkeys(name.strip().lower() for name in own.inject)) or (MIXED,)
    for memory, mitigation in product(plan.memories, mitigations):
        if _keeps_nothing(memory) and mitigation.startswith("tag-"):
            continue  # where nothing is kept there is nothing to tag
        for rate in plan.injections:
            for inject in injected if rate else (MIXED,):
                yield Arm(memory=memory, rate=rate, inject=inject, mitigation=mitigation)


def checkpoints(plan: Plan) -> range:
    """The turns after which the agent is audited, 0 (before the first) among them."""
    return range(0, plan.turns + 1, plan.every)
