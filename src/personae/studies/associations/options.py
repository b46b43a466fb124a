"""What the association studies can be told."""

from __future__ import annotations

from typing import ClassVar

from personae.study.options import StudyOptions, option


class AssociationsOptions(StudyOptions):
    """Encoders of answers in the place of the studies' own, at most one of each kind."""

    flat: ClassVar[bool] = True

    encoders: list[str] = option(
        [],
        flag="--encoder",
        help="What turns answers into vectors: static/…, contextual/…, sentence/…; repeatable.",
        sitting=True,
        trusts=lambda name: (name,),
    )
