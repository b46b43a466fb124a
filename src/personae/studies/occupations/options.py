"""What the study of occupations can be told."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

from personae.study.options import StudyOptions, option


class OccupationsOptions(StudyOptions):
    """A table of the user's own in the place of the study's occupations, and a third choice beside male and female."""

    flat: ClassVar[bool] = True

    stimuli: Path | None = option(
        None, help="A table of your own (CSV) in the place of the study's stimuli.", file="a readable CSV file"
    )
    genders: Literal[2, 3] = option(2, help="2, or 3: offer non-binary beside male and female. [default: 2]")
