"""Outcomes of the association studies as answers with what was measured of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Protocol

import msgspec
import numpy as np
import polars as pl
from msgspec import Struct
from numpy.random import Generator
from numpy.typing import NDArray

from personae.measure.names import cell_of
from personae.studies.associations.metrics import METRICS

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

AVERAGE = "average"
PARTS = tuple(METRICS.values())
"""The three metrics, which always stand beside their average."""
SHOWN = (*PARTS, AVERAGE)
CONTRAST = "baseline"
PUBLISHED = "published procedure"
NAN = float("nan")
PERSONA = ("persona", "user")
QUESTION, PROMPT, ANSWER, IDENTITIES = "question", "prompt", "answer", "pair of identities"
"""What intervals go over."""
DRAWS = 2000
"""Resamples of an interval."""


class Interval(Protocol):
    """What has two ends."""

    @property
    def ci_low(self) -> float: ...

    @property
    def ci_high(self) -> float: ...


class Said(Struct, frozen=True, gc=False):
    """One measurement of one text, by metric; None where nothing could be encoded."""

    metrics: dict[str, float | None] = {}
    associations: dict[str, float | None] = {}
    parts: dict[str, list[float | None]] = {}


class Detail(Said, frozen=True, gc=False):
    """What an outcome keeps: the text as it was said, and without what the model was told about people."""

    own: Said = Said()
    missing: dict[str, list[str]] = {}
    sentences: int = 0
    words: int = 0
    text: str = ""
    cut: bool = False


class Facts(Struct, frozen=True, gc=False):
    """What an item says of itself."""

    domain: str = ""
    title: str = ""
    theme: str = ""
    side: str = ""
    identity: str = ""
    question: str = ""
    iteration: int = 0
    told: list[str] | None = None


class Answer(Struct, frozen=True, gc=False):
    """An item and what came of it; ``measured`` says whether it was answered and all three metrics have a number."""

    model: str
    item: str
    stimulus: str
    cell: dict[str, str]
    groups: dict[str, str]
    baseline: bool
    measured: bool
    status: str
    facts: Facts
    detail: Detail

    @property
    def domain(self) -> str:
        """The identity class, or the prompt."""
        return self.facts.domain

    def block(self, own: bool) -> Said:
        """What was measured of the whole text, or of what is left without the words the model was told."""
        return self.detail.own if own else self.detail


def answers(outcomes: pl.DataFrame) -> list[Answer]:
    """Every outcome in order.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
        As in `personae.study.base.Study.estimates`.
    """
    facts, detail = msgspec.json.Decoder(Facts), msgspec.json.Decoder(Detail)
    names = ("model", "item", "stimulus", *PERSONA, "persona_group", "user_group", "baseline", "status")
    return [
        _answer(row, facts.decode(row["facts"] or "{}"), detail.decode(row["detail"] or "{}"))
        for row in outcomes.select(*names, "facts", "detail").iter_rows(named=True)
    ]


def _answer(row: Mapping[str, Any], facts: Facts, detail: Detail) -> Answer:
    groups = {name: row[name] for name in ("persona_group", "user_group") if row[name] is not None}
    return Answer(
        model=row["model"],
        item=row["item"],
        stimulus=row["stimulus"],
        cell=cell_of(row, *PERSONA),
        groups={} if row["baseline"] else groups,
        baseline=row["baseline"],
        measured=row["status"] == "answered" and all(detail.metrics.get(part) is not None for part in PARTS),
        status=row["status"],
        facts=facts,
        detail=detail,
    )


def by_metric(values: Mapping[str, float | None]) -> Floats:
    """The three metrics and their average, shape (4,), in the order of `SHOWN`; nan where there is none."""
    known = [NAN if (value := values.get(part)) is None else value for part in PARTS]
    return np.array([*known, sum(known) / len(known)])


def parted(found: Sequence[Answer], key: str) -> dict[str, list[Answer]]:
    """Answers by one of their properties, in the order of first appearance."""
    parts: dict[str, list[Answer]] = {}
    for one in found:
        parts.setdefault(str(getattr(one, key)), []).append(one)
    return parts


def conditions(found: Sequence[Answer]) -> Iterator[tuple[dict[str, str], list[Answer]]]:
    """Answers by condition: the names of persona and user, or of the baseline, and the answers."""
    parts: dict[tuple[tuple[str, str], ...], list[Answer]] = {}
    for one in found:
        parts.setdefault(tuple(one.cell.items()), []).append(one)
    for key, mine in parts.items():
        yield dict(key), mine


def generator(seed: int, *names: str) -> Generator:
    """A random stream of its own for each thing that is drawn, whatever else is computed."""
    digest = blake2b("\0".join(names).encode(), digest_size=8).digest()
    return np.random.default_rng((seed, int.from_bytes(digest, "little")))


def finite(value: float) -> float | None:
    """A number, or None where there is none."""
    return float(value) if math.isfinite(value) else None


def ends_of(interval: Interval, clusters: int, unit: str) -> dict[str, Any]:
    """The ends of an interval and over what it goes, as fields of an estimate; none where there is no interval."""
    low, high = finite(interval.ci_low), finite(interval.ci_high)
    if low is None or high is None:
        return {}
    return {"ci_low": low, "ci_high": high, "clusters": clusters, "unit": unit}


def means(values: Floats) -> Floats:
    """Means over the last axis of what is there; nan where nothing is."""
    known = np.isfinite(values)
    count = known.sum(axis=-1)
    total = np.where(known, values, 0.0).sum(axis=-1)
    return np.asarray(np.divide(total, count, out=np.full(np.shape(total), NAN), where=count > 0))
