"""Which answers are explained: those that a persona moved furthest, and those about two identities that differ most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from personae.studies.associations.explaining import LARGEST, STATIC, Asked, Kind, metric_of
from personae.studies.associations.measures_frame import PARTS, Answer, by_metric, conditions, parted
from personae.studies.associations.metrics import without
from personae.studies.associations.stimuli import classes, prompts


class Chosen(Struct, frozen=True):
    """An answer to explain, why (``shift``: what it differs by), and what to ask."""

    answer: Answer
    shift: float
    asked: Asked


def furthest_from_neutral(found: Sequence[Answer], most: int = LARGEST, kind: Kind = STATIC) -> list[Chosen]:
    """For every model and persona the answers that lie furthest from the mean without a persona on the same prompt.

    Parameters
    ----------
    found : sequence of Answer
        Of Task 2.
    most : int
        Answers for each model and persona.
    kind : {"static", "contextual", "sentence"}
        The encoder under which they lie furthest.
    """
    return [
        one for mine in parted(found, "model").values() for one in _of_model(mine, most, PARTS.index(metric_of(kind)))
    ]


def _of_model(mine: Sequence[Answer], most: int, place: int) -> Iterator[Chosen]:
    neutral: dict[str, list[float]] = {}
    for one in mine:
        if one.baseline and one.measured:
            neutral.setdefault(one.domain, []).append(float(by_metric(one.detail.metrics)[place]))
    for _, under in conditions([one for one in mine if not one.baseline]):
        known = [one for one in under if one.measured and one.domain in neutral and one.domain in prompts()]
        shifts = [by_metric(one.detail.metrics)[place] - np.mean(neutral[one.domain]) for one in known]
        for at in np.argsort(-np.abs(shifts), kind="stable")[:most] if shifts else ():
            one = known[at]
            asked = Asked.of(one, one.detail.text, prompts()[one.domain].attributes, "effect")
            yield Chosen(one, float(shifts[at]), asked)


def furthest_apart(found: Sequence[Answer], most: int = LARGEST, kind: Kind = STATIC) -> list[Chosen]:
    """For every model and class, without a persona, both answers to the questions on which they differ most.

    They are explained without the words of the identities, as they are measured.

    Parameters
    ----------
    found : sequence of Answer
        Of Task 1.
    most : int
        Questions for each model and class.
    kind : {"static", "contextual", "sentence"}
        The encoder under which they differ most.
    """
    place = PARTS.index(metric_of(kind))
    chosen: list[Chosen] = []
    for mine in parted([one for one in found if one.baseline and one.domain in classes()], "model").values():
        for group in parted(mine, "domain").values():
            chosen += _of_class(group, most, place)
    return chosen


def _of_class(group: Sequence[Answer], most: int, place: int) -> Iterator[Chosen]:
    sides: dict[tuple[str, int], dict[str, Answer]] = {}
    for one in group:
        if one.measured:
            sides.setdefault((one.stimulus, one.facts.iteration), {})[one.facts.side] = one
    pairs = [(both["target"], both["comparison"]) for both in sides.values() if len(both) == 2]
    apart = [_value(target, place) - _value(comparison, place) for target, comparison in pairs]
    for at in np.argsort(-np.abs(apart), kind="stable")[:most] if apart else ():
        told = [one.facts.identity for one in pairs[at]]
        for one in pairs[at]:
            text = without(one.detail.text, told)
            yield Chosen(one, float(apart[at]), Asked.of(one, text, classes()[one.domain].attributes, "association"))


def _value(one: Answer, place: int) -> float:
    return float(by_metric(one.detail.own.associations)[place])
