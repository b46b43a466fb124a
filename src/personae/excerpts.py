"""Choose the answers of a run that its page shows word for word."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl

from personae.report.content import Sample
from personae.report.samples import MOST, in_turn
from personae.study.base import Excerpt, Study
from personae.types import Message

if TYPE_CHECKING:
    from personae.run import Run

_AT_HAND = 2 * MOST
_decode_messages = msgspec.json.Decoder(tuple[Message, ...]).decode


def samples_of(run: Run, studies: Sequence[Study], outcomes: pl.DataFrame) -> tuple[Sample, ...]:
    """Answers from every study, model, status and label (a biased verdict is one), the same ones each time.

    Parameters
    ----------
    run : Run
    studies : sequence of Study
        Where an item has many answers, its study says which of them are worth reading.
    outcomes : polars.DataFrame
        With the columns of `personae.study.base.OUTCOMES`.
    """
    known = {study.name: study for study in studies}
    chosen = _chosen(outcomes, run.spec.seed)
    share = max(1, MOST // max(1, len(chosen)))
    return tuple(sample for row in chosen for sample in _of_item(run, known[row["study"]], row, share))


def _chosen(outcomes: pl.DataFrame, seed: int) -> list[dict[str, Any]]:
    parts = outcomes.sort("key").group_by(["study", "model", "status", "label"], maintain_order=True)
    kinds = [part for _, part in parts]
    share = max(1, _AT_HAND // max(1, len(kinds)))
    chosen: list[dict[str, Any]] = []
    for part in kinds:
        places = random.Random(seed).sample(range(part.height), min(share, part.height))
        chosen += part[places].to_dicts()
    return chosen


def _of_item(run: Run, study: Study, row: Mapping[str, Any], share: int) -> Iterator[Sample]:
    """The answers of one item: its first, or of those that its study names some of every kind and status."""
    told = study.excerpts(row)
    if not told:
        yield from _read(run, row, "", _whole(row))
        return
    groups: dict[tuple[str, str], list[int]] = {}
    for place, one in enumerate(told):
        groups.setdefault((one.kind, one.status), []).append(place)
    for places in groups.values():
        random.Random(run.spec.seed).shuffle(places)
    for place in sorted(in_turn(list(groups.values()))[:share]):
        yield from _read(run, row, told[place].step, told[place])


def _whole(row: Mapping[str, Any]) -> Excerpt:
    facts, detail = (msgspec.json.decode(row[name]) for name in ("facts", "detail"))
    return Excerpt(
        step="",
        kind="",
        about="",
        condition=_condition(row),
        status=row["status"],
        value=row["value"],
        label=row["label"],
        reason=row["reason"],
        facts={**facts, **detail},
    )


def _read(run: Run, row: Mapping[str, Any], step: str, told: Excerpt) -> Iterator[Sample]:
    """The first answer whose step is this one or begins with it; none where the item failed before it was asked."""
    begin, slash = (f"{row['key']}#{step}", "/") if step else (row["key"], "#")
    answers = run.store.rows(
        "SELECT key, text, reasoning, messages FROM response JOIN prompt ON hash = prompt"
        " WHERE model = ? AND (key = ? OR key > ? AND key < ?) ORDER BY key LIMIT 1",
        (row["model"], begin, begin + slash, begin + chr(ord(slash) + 1)),
    )
    damaged = run.store.damage.of("response")
    for key, text, reasoning, messages in answers:
        if (row["model"], key) in damaged:
            continue
        yield Sample(
            key=begin,
            study=row["study"],
            model=row["model"],
            condition=told.condition,
            prompt=tuple((message.role, message.content) for message in _decode_messages(messages.encode())),
            text=text,
            reasoning=reasoning,
            status=told.status,
            value=told.value,
            label=told.label,
            reason=told.reason,
            facts=dict(told.facts),
            kind=told.kind,
            about=told.about,
        )


def _condition(row: Mapping[str, Any]) -> str:
    if row["persona"] is None and row["user"] is None:
        return "baseline"
    said = row["persona"] or "no persona"
    if row["user"]:
        said += f", user: {row['user']}"
    return said + (f" ({row['wording']})" if row["wording"] else "")
