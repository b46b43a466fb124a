"""Material written by a model: asked durably, into a folder that holds the answers and what became of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from personae.engine.ask import Asker
from personae.engine.budget import Budget
from personae.engine.loop import run_sync
from personae.engine.store import Store
from personae.errors import BadInput
from personae.models.base import Model
from personae.models.prices import Prices
from personae.models.registry import ModelOptions, resolve
from personae.spec import read_spec
from personae.studies.roleplay.generate import Wanted, Written, as_entries, write_material
from personae.studies.roleplay.roles import ATTRIBUTES

SPEC, MATERIAL = "generate.yaml", "roles.yaml"
VERSION = 1
"""Part of the key of every answer: another version asks anew."""

Told = Callable[[str, int], None]


class GenerateSpec(BaseModel):
    """What is to be written, by which model. Everything that decides what is asked.

    Parameters
    ----------
    family : str
        ``roleplay``.
    model : str
        The model that writes.
    attributes : list of str
        What roles are about; any words.
    roles : int
        Roles of each attribute.
    questions : int
        Questions of each kind for each role.
    tries : int
        How often a list that is not full is asked for again.
    seed : int
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    family: str = "roleplay"
    model: str
    attributes: list[str] = Field(default=list(ATTRIBUTES), min_length=1)
    roles: int = Field(default=5, ge=1, le=1000)
    questions: int = Field(default=4, ge=1, le=200)
    tries: int = Field(default=4, ge=1, le=100)
    seed: int = 0


class Generated(BaseModel):
    """What came of it: where it lies, how much, and what is missing and why."""

    path: Path
    roles: int
    questions: int
    asked: int
    short: dict[str, str]
    faults: dict[str, int]


def make_generate_spec(**given: Any) -> GenerateSpec:
    """Validate what is to be generated.

    Raises
    ------
    BadInput
        Naming the first field that is wrong.
    """
    try:
        spec = GenerateSpec(**given)
    except ValidationError as errors:
        first = errors.errors()[0]
        raise BadInput(".".join(map(str, first["loc"])), first.get("input"), first["msg"]) from None
    if spec.family != "roleplay":
        raise BadInput("what to generate", spec.family, "roleplay")
    if len({attribute.casefold().strip() for attribute in spec.attributes} - {""}) != len(spec.attributes):
        raise BadInput("--attribute", ", ".join(spec.attributes), "different attributes, none of them blank")
    return spec


def generate(
    spec: GenerateSpec, out: Path, *, options: ModelOptions, max_cost: float | None = None, told: Told | None = None
) -> Generated:
    """Write roles and questions into a folder, or go on where that broke off.

    Parameters
    ----------
    spec : GenerateSpec
    out : Path
        The folder, new, empty, or of the same generation. It will hold ``roles.yaml``, for ``--personas``, every answer
        (``run.db``) and the spec (``generate.yaml``).
    options : ModelOptions
        How the model is asked.
    max_cost : float, optional
        US dollars.
    told : callable, optional
        Told of every list that is done, and how many entries it has.

    Raises
    ------
    BadInput
        When the folder holds something else, or the model cannot be asked.
    ModelError
        When the model did not answer everything; what it answered is kept.
    CostReached
        When the next ask could pass `max_cost`.
    """
    model = resolve(spec.model, options=options)
    prices = Prices.load(options.prices)
    return run_sync(_generate(spec, out, model, prices, max_cost, told or (lambda _name, _entries: None)))


async def _generate(
    spec: GenerateSpec, out: Path, model: Model, prices: Prices, max_cost: float | None, told: Told
) -> Generated:
    Budget(prices, max_cost).check(model.name)
    try:
        await model.open()
        _claim(spec, out)
        store = Store(out / "run.db")
        try:
            spent = store.rows("SELECT coalesce(sum(cost), 0) FROM response")[0][0]
            asker = Asker(
                model.name,
                store,
                model=model,
                concurrency=model.concurrency,
                budget=Budget(prices, max_cost, spent),
            )
            written = await write_material(
                lambda unit: asker.item(f"{spec.family}.generate@{VERSION}/{unit}"), _wanted(spec, model), told
            )
        finally:
            # Cancelled asks may still be on their way to the store.
            await asyncio.sleep(0)
            store.close()
        _write(spec, written, out / MATERIAL)
        return Generated(
            path=out / MATERIAL,
            roles=len(written.roles),
            questions=written.questions,
            asked=asker.asked,
            short=written.short,
            faults=written.faults,
        )
    finally:
        await model.close()


def _wanted(spec: GenerateSpec, model: Model) -> Wanted:
    return Wanted(
        attributes=tuple(spec.attributes),
        roles=spec.roles,
        questions=spec.questions,
        tries=spec.tries,
        seed=spec.seed,
        grammar=model.capabilities.grammar,
    )


def _claim(spec: GenerateSpec, out: Path) -> None:
    """Make the folder, or check that it is of this very generation."""
    path = out / SPEC
    if path.exists():
        known, wanted = make_generate_spec(**read_spec(path)).model_dump(), spec.model_dump()
        for name, value in known.items():
            if wanted[name] != value:
                allowed = f"the same to go on with it (now {wanted[name]!r}), or another folder"
                raise BadInput(f"{name} of the generation in {out}", value, allowed)
    elif out.exists() and any(out.iterdir()):
        raise BadInput("output folder", str(out), "an empty or new folder, or one with a generation in it")
    out.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(spec.model_dump(), sort_keys=False, allow_unicode=True), encoding="utf-8")


def _write(spec: GenerateSpec, written: Written, path: Path) -> None:
    head = (
        f"# Roles and questions of the role-play study, written by {spec.model} on {datetime.now(UTC):%Y-%m-%d}: "
        "`personae generate`.\n# They were checked by rules, and read by nobody yet.\n"
    )
    entries: Sequence[dict[str, Any]] = as_entries(written)
    text = yaml.safe_dump({"roles": list(entries)}, sort_keys=False, allow_unicode=True, width=120)
    path.write_text(head + text, encoding="utf-8")
