"""Associations (paper 003): WEAT, SEAT and CEAT on what was said, and how personas amplify them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from personae.studies.associations.amplification import Amplification
from personae.studies.associations.answers import Answers
from personae.study.base import Family, Recorded


def _read_recorded(path: Path) -> Iterator[Recorded]:
    from personae.studies.associations.recorded import read_recorded

    return read_recorded(path)


FAMILY = Family(
    name="associations",
    title="Associations and their amplification",
    studies=(Answers, Amplification),
    importer=_read_recorded,
    layout="badx",
)
