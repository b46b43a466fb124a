"""Romantic companions (paper 000): implicit associations, emotions and sycophancy under a persona."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from personae.studies.companions.emotion import Emotion
from personae.studies.companions.iat import Iat
from personae.studies.companions.sycophancy import Sycophancy
from personae.study.base import Family, Recorded


def _read_recorded(path: Path) -> Iterator[Recorded]:
    from personae.studies.companions.recorded import read_recorded

    return read_recorded(path)


FAMILY = Family(
    name="companions",
    title="Romantic companions",
    studies=(Iat, Emotion, Sycophancy),
    importer=_read_recorded,
)
