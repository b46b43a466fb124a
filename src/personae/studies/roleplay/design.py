"""The design of the role-play study: which roles and questions a scale asks, with which polarity, in which order.

What is shown depends on the seed and the question, never on the condition: with the role and without, a question is
the same, so that a difference between the answers is the role's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from personae.personas import Strict, read_yaml
from personae.studies.roleplay.composition import digest
from personae.studies.roleplay.own import AnyQuestion, AnyRole, source
from personae.studies.roleplay.paper import Kind
from personae.studies.roleplay.votes import TRIALS
from personae.study.base import Settings
from personae.types import Scale

FOLDER = Path(__file__).parent
KINDS: tuple[Kind, ...] = ("yesno", "choice", "why")

T = TypeVar("T")


class Plan(Strict):
    """How many roles of each attribute, and questions of each kind per role; all where it is None.

    ``judge_votes`` is how often a judge votes on an answer.
    """

    roles: int | None = None
    yesno: int | None = None
    choice: int | None = None
    why: int | None = None
    judge_votes: int = TRIALS


class ScaleDesign(Strict):
    """One scale. ``varied``: half of the Yes/No questions flipped, options in every order in turn."""

    varied: bool
    free: Plan
    forced: Plan


class Design(Strict):
    """The file ``study.yaml``."""

    scales: dict[Scale, ScaleDesign]


@cache
def design() -> Design:
    """The design at every scale."""
    return read_yaml(FOLDER / "study.yaml", Design)


def plan_of(settings: Settings) -> Plan:
    """How much is asked at a scale."""
    scale = design().scales[settings.scale]
    return scale.forced if settings.respond == "forced" else scale.free


def drawn(options: Sequence[T], n: int | None, *key: str) -> Sequence[T]:
    """Draw `n` of `options` by hash, kept in their order; all where `n` is None."""
    if n is None or n >= len(options):
        return options
    places = sorted(range(len(options)), key=lambda place: digest(*key, str(place)))[:n]
    return [options[place] for place in sorted(places)]


def arranged(options: Sequence[T], turn: int) -> list[T]:
    """Order options in turn: over n turns the last stands in every place once, then the others change places.

    Examples
    --------
    >>> [arranged(["women", "men", "neither"], turn) for turn in (0, 1, 3)]
    [['women', 'men', 'neither'], ['neither', 'women', 'men'], ['men', 'women', 'neither']]
    """
    *groups, last = options
    place, round_ = -(turn + 1) % len(options), turn // len(options)
    start = round_ % len(groups)
    turned = groups[start:] + groups[:start]
    return [*turned[:place], last, *turned[place:]]


def asked(settings: Settings, kind: Kind) -> Iterator[tuple[str, AnyRole, dict[str, Any]]]:
    """The questions of one kind at a scale: the question's id, its role, and the facts of its items.

    Parameters
    ----------
    settings : Settings
        The scale, how answers are taken, the seed, and a file of roles and questions of the user's own.
    kind : {"yesno", "choice", "why"}

    Raises
    ------
    BadInput
        When the user's file does not fit.
    """
    scale = design().scales[settings.scale]
    plan = plan_of(settings)
    seed = str(settings.seed)
    number = getattr(plan, kind)
    start = digest(seed, kind) % 6 if scale.varied else 0
    turn = start
    for attribute, roles in source(settings.personas).attributes.items():
        for place, role in enumerate(drawn(roles, plan.roles, seed, "role", attribute)):
            questions = role_questions(settings, role, kind)
            # Which question of a role is flipped changes from role to role, and not with its options.
            first = (start + place) % 2
            for index, question in enumerate(drawn(questions, number, seed, kind, role.id)):
                flipped = scale.varied and question.flipped_text is not None and (first + index) % 2 == 1
                yield question.id, role, _facts(settings, kind, role, question, flipped, turn if scale.varied else 0)
                turn += 1


def number_asked(settings: Settings, kind: Kind) -> int:
    """How many questions `asked` gives."""
    plan, given = plan_of(settings), source(settings.personas)
    number = getattr(plan, kind)
    counts = [
        given.count(role, kind)
        for attribute, roles in given.attributes.items()
        for role in drawn(roles, plan.roles, str(settings.seed), "role", attribute)
    ]
    return sum(counts) if number is None else sum(min(number, count) for count in counts)


def role_questions(settings: Settings, role: AnyRole, kind: Kind) -> Sequence[AnyQuestion]:
    """The questions of one kind that a role has, in the bank or in the user's file."""
    return source(settings.personas).questions(role, kind)


def _facts(
    settings: Settings, kind: Kind, role: AnyRole, question: AnyQuestion, flipped: bool, turn: int
) -> dict[str, Any]:
    text = question.flipped_text if flipped and question.flipped_text else question.text
    facts: dict[str, Any] = {
        "attribute": role.attribute,
        "domain": role.attribute,
        "role": role.name,
        "article": role.article or "none",
        "kind": kind,
        "question": text,
        "bias_type": question.bias_type,
        "groups": list(question.groups),
        "target": None if flipped else question.target,
        "options": [],
        "undecided": None,
        "flipped": flipped,
        "iteration": 0,
        "respond": settings.respond,
    }
    if kind == "choice":
        order = arranged(range(len(question.options)), turn)
        facts["options"] = [question.options[place] for place in order]
        facts["undecided"] = order.index(len(question.options) - 1)
        facts["names"] = [_name(question, place) for place in order]
        facts["blames"] = [question.blames(place) for place in order]
    return facts


def _name(question: AnyQuestion, place: int) -> str | None:
    """The group that an option stands for; None for the one that declines."""
    if place == len(question.options) - 1:
        return None
    return question.groups[place] if place < len(question.groups) else question.options[place]
