"""The outcomes of the companion experiments as typed columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec
import polars as pl
from msgspec import Struct

from personae.measure.frame import Columns, decoded, joined

SHARE, EMOTION = "share:", "emotion:"

T = TypeVar("T", bound=Struct)
U = TypeVar("U", bound=Struct)


class IatFacts(Struct, gc=False):
    """Design factors of an IAT item."""

    domain: str
    category: str
    dataset: str
    formula: str = "signed"
    prompt: str = ""


class IatDetail(Struct, gc=False):
    """What an IAT outcome keeps beside its value; ``paper_*`` only where the answer was recorded."""

    position: float | None = None
    paper_value: float | None = None
    paper_zero: bool | str | None = None


class EmotionFacts(Struct, gc=False):
    """Design factors of an emotion item."""

    domain: str
    event: str
    mode: str
    options: list[str] = []


class EmotionDetail(Struct, gc=False):
    """What an emotion outcome keeps beside its label."""

    word: str | None = None
    shares: dict[str, float] | None = None
    emotions: dict[str, float] | None = None
    position: float | None = None


class SycophancyFacts(Struct, gc=False):
    """Design factors of a sycophancy item."""

    domain: str
    event: str
    influence: str
    order: str = ""


class SycophancyDetail(Struct, gc=False):
    """What a sycophancy outcome keeps beside its value."""

    position: float | None = None


def iat_frame(outcomes: pl.DataFrame) -> pl.DataFrame:
    """IAT outcomes with ``dataset`` (``category-dataset``), ``formula``, ``position`` and the paper's reading.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
        As in `personae.study.base.Study.estimates`.

    Returns
    -------
    polars.DataFrame, shape (n, 18)
        ``paper_zero`` says why the paper's reading counted the answer as zero, and is empty where it was read.
    """

    def facts(found: list[IatFacts]) -> Columns:
        return {
            "domain": [one.domain for one in found],
            "dataset": [f"{one.category}-{one.dataset}" for one in found],
            "formula": [one.formula for one in found],
        }

    def detail(found: list[IatDetail]) -> Columns:
        return {
            "position": [one.position for one in found],
            "paper_value": [one.paper_value for one in found],
            "paper_zero": [_why_zero(one.paper_zero) for one in found],
        }

    return _typed(outcomes, (IatFacts, facts), (IatDetail, detail))


def emotion_frame(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Emotion outcomes with ``dataset`` (the mode), ``word`` and one column per group and per emotion.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)

    Returns
    -------
    polars.DataFrame
        ``share:<group>`` and ``emotion:<name>`` hold probabilities (0 or 1 where an answer was given freely) and are
        null where nothing was answered; ``stimulus`` is the situation.
    """

    def facts(found: list[EmotionFacts]) -> Columns:
        return {
            "domain": [one.domain for one in found],
            "dataset": [one.mode for one in found],
            "stimulus": [one.event for one in found],
        }

    def detail(found: list[EmotionDetail]) -> Columns:
        return {
            "word": [one.word for one in found],
            "position": [one.position for one in found],
            **_spread(SHARE, [one.shares for one in found]),
            **_spread(EMOTION, [one.emotions for one in found]),
        }

    return _typed(outcomes, (EmotionFacts, facts), (EmotionDetail, detail))


def offered(outcomes: pl.DataFrame) -> tuple[str, ...]:
    """The emotions offered in the restricted experiment, sorted; none where it was not asked."""
    decoder = msgspec.json.Decoder(EmotionFacts)
    found = {option for text in outcomes["facts"].unique().to_list() for option in decoder.decode(text or "{}").options}
    return tuple(sorted(found))


def sycophancy_frame(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Sycophancy outcomes with ``level`` (the influence) and ``order``; ``stimulus`` is the situation.

    Parameters
    ----------
    outcomes : polars.DataFrame, shape (n, any)
    """

    def facts(found: list[SycophancyFacts]) -> Columns:
        return {
            "domain": [one.domain for one in found],
            "dataset": [None] * len(found),
            "stimulus": [one.event for one in found],
            "level": [one.influence for one in found],
            "order": [one.order for one in found],
        }

    def detail(found: list[SycophancyDetail]) -> Columns:
        return {"position": [one.position for one in found]}

    return _typed(outcomes, (SycophancyFacts, facts), (SycophancyDetail, detail))


def columns_with(frame: pl.DataFrame, prefix: str) -> list[str]:
    """Names behind a prefix (`SHARE`, `EMOTION`), without it, in the order of the frame."""
    return [name.removeprefix(prefix) for name in frame.columns if name.startswith(prefix)]


def _typed(
    outcomes: pl.DataFrame,
    facts: tuple[type[T], Callable[[list[T]], Columns]],
    detail: tuple[type[U], Callable[[list[U]], Columns]],
) -> pl.DataFrame:
    return joined(
        outcomes, decoded(outcomes, "facts", *facts, _is_number), decoded(outcomes, "detail", *detail, _is_number)
    )


def _is_number(column: str) -> bool:
    return column in ("position", "paper_value") or column.startswith((SHARE, EMOTION))


def _why_zero(found: bool | str | None) -> str | None:
    """An importer may say why an answer counted as zero, or only that it did."""
    if found is None or isinstance(found, str):
        return found
    return "not readable" if found else ""


def _spread(prefix: str, found: Sequence[Mapping[str, float] | None]) -> Columns:
    """Probabilities by name as one column per name."""
    names: dict[str, None] = {}
    for one in found:
        if one:
            names.update(dict.fromkeys(one))
    return {prefix + name: [one.get(name, 0.0) if one else None for one in found] for name in sorted(names)}
