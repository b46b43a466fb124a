"""An option that several studies take: stimuli of the user's own in the place of theirs."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from personae.study.options import StudyOptions, option


class OwnStimuli(StudyOptions):
    """A file of the user's own in the place of the study's stimuli."""

    flat: ClassVar[bool] = True

    stimuli: Path | None = option(
        None, help="A table of your own (CSV) in the place of the study's stimuli.", file="a readable CSV file"
    )
