"""What a model can write for role-play: roles and questions of its own, into a file for ``--personas``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import ClassVar

import yaml
from pydantic import Field, model_validator

from personae.errors import BadInput
from personae.studies.roleplay.generate import Wanted, Written, as_entries, write_material
from personae.studies.roleplay.roles import ATTRIBUTES
from personae.study.base import Asks, Drafted, MaterialSpec, Told


class RolesSpec(MaterialSpec):
    """Which roles and questions are to be written.

    Parameters
    ----------
    attributes : list of str
        What roles are about; any words.
    roles : int
        Roles of each attribute.
    questions : int
        Questions of each kind for each role.
    """

    attributes: list[str] = Field(default=list(ATTRIBUTES), min_length=1, title="--attribute")
    roles: int = Field(default=5, ge=1, le=1000)
    questions: int = Field(default=4, ge=1, le=200)

    @model_validator(mode="after")
    def _different(self) -> RolesSpec:
        if len({attribute.casefold().strip() for attribute in self.attributes} - {""}) != len(self.attributes):
            raise BadInput("--attribute", ", ".join(self.attributes), "different attributes, none of them blank")
        return self


class RolesMaterial:
    """Roles and questions."""

    version: ClassVar[int] = 1
    spec: ClassVar[type[MaterialSpec]] = RolesSpec
    file: ClassVar[str] = "roles.yaml"
    missing: ClassVar[str] = "lists are not full"
    use: ClassVar[str] = "personae run roleplay --personas"

    async def write(self, spec: RolesSpec, asks: Asks, *, grammar: bool, told: Told) -> Drafted:
        """Have them written."""
        wanted = Wanted(
            attributes=tuple(spec.attributes),
            roles=spec.roles,
            questions=spec.questions,
            tries=spec.tries,
            seed=spec.seed,
            grammar=grammar,
        )
        written = await write_material(asks, wanted, told)
        return Drafted(
            text=_file(spec.model, written),
            counts={"roles": len(written.roles), "questions": written.questions},
            short=written.short,
            faults=written.faults,
        )


def _file(model: str, written: Written) -> str:
    head = (
        f"# Roles and questions of the role-play study, written by {model} on {datetime.now(UTC):%Y-%m-%d}: "
        "`personae generate`.\n# They were checked by rules, and read by nobody yet.\n"
    )
    return head + yaml.safe_dump({"roles": as_entries(written)}, sort_keys=False, allow_unicode=True, width=120)
