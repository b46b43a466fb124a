"""What the study of occupations can be told."""

from __future__ import annotations

from typing import Literal

from personae.study.options import option
from personae.study.own_stimuli import OwnStimuli


class OccupationsOptions(OwnStimuli):
    """A table of the user's own in the place of the study's occupations, and a third choice beside male and female."""

    genders: Literal[2, 3] = option(2, help="2, or 3: offer non-binary beside male and female. [default: 2]")
