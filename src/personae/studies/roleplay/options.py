"""What the role-play studies can be told."""

from __future__ import annotations

from typing import ClassVar

from personae.study.options import StudyOptions, option


class RolePlayOptions(StudyOptions):
    """Whether a third trial or vote is left out that could not change the verdict."""

    flat: ClassVar[bool] = True

    stop_early: bool = option(False, help="Ask a third time only where the first two differ.")
