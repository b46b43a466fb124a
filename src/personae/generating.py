"""Material written by a model: asked durably, into a folder that holds the answers and what became of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from personae.engine.ask import Asker
from personae.engine.budget import Budget
from personae.engine.keys import escaped
from personae.engine.loop import run_sync
from personae.engine.store import Store
from personae.errors import BadInput
from personae.filing import own_file, remove_parts, write_whole
from personae.making import STORE, make_folder
from personae.models.base import Model
from personae.models.prices import Prices
from personae.models.registry import ModelOptions, resolve
from personae.spec import read_spec
from personae.study.base import Drafted, Material, MaterialSpec, Told, families

SPEC = "generate.yaml"
_FIRST, _LAST = ("family", "model"), ("tries", "seed")


class Generated(BaseModel):
    """What came of it: where it lies, how much there is of each sort (by name), and what is missing and why."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]

    path: Path
    asked: int
    short: dict[str, str]
    faults: dict[str, int]

    @property
    def counts(self) -> Mapping[str, int]:
        """How much there is of each sort."""
        return self.__pydantic_extra__


def materials() -> dict[str, Material]:
    """What a model can write, by family."""
    return {name: family.material() for name, family in families().items() if family.material}


def material_of(family: str) -> Material:
    """What a model can write for a family.

    Raises
    ------
    BadInput
        When there is nothing to be written for it.
    """
    known = materials()
    if not isinstance(family, str) or family not in known:  # a file may say anything
        raise BadInput("what to generate", family, " or ".join(known))
    return known[family]


def make_generate_spec(family: str = "roleplay", **given: Any) -> MaterialSpec:
    """Validate what is to be generated.

    Parameters
    ----------
    family : str
        Whose material.
    **given
        Its options: the fields of its `MaterialSpec`.

    Raises
    ------
    BadInput
        Naming the first field that is wrong.
    """
    wanted = material_of(family).spec
    try:
        return wanted(family=family, **given)
    except ValidationError as errors:
        raise _bad_input(wanted, family, errors.errors()[0]) from None


def _bad_input(wanted: type[MaterialSpec], family: str, error: ErrorDetails) -> BadInput:
    field, found = ".".join(map(str, error["loc"])), error["input"]
    if error["type"] == "extra_forbidden":
        taken = ", ".join(_option(name) for name in _ordered(wanted.model_fields) if name not in _FIRST)
        said = ", ".join(map(str, found)) if isinstance(found, list) else str(found)
        return BadInput(_option(field), said, f"generate {family} takes {taken}")
    if error["type"] == "missing":
        return BadInput(_option(field), "nothing", f"generate {family} needs it")
    return BadInput(field, found, error["msg"])


def _option(field: str) -> str:
    """How the command line calls a field, whichever family has it."""
    named = (material.spec.model_fields.get(field) for material in materials().values())
    return next((known.title for known in named if known and known.title), f"--{field}")


def _ordered(fields: Iterable[str]) -> list[str]:
    """Fields as they are listed: whose and by whom, what, how often."""
    own = [name for name in fields if name not in (*_FIRST, *_LAST)]
    return [*_FIRST, *own, *_LAST]


def generate(
    spec: MaterialSpec, out: Path, *, options: ModelOptions, max_cost: float | None = None, told: Told | None = None
) -> Generated:
    """Write a family's material into a folder, or go on where that broke off.

    Parameters
    ----------
    spec : MaterialSpec
        From `make_generate_spec`.
    out : Path
        The folder, new, empty, or of the same generation. It will hold what was written (``roles.yaml``, for
        ``--personas``; ``occupations.csv``, for ``--stimuli``), every answer (``run.db``) and the spec
        (``generate.yaml``).
    options : ModelOptions
        How the model is asked.
    max_cost : float, optional
        US dollars.
    told : callable, optional
        Told of every unit that is done, and how much there is of it or what it says.

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
    if model.capabilities.simulated:
        raise BadInput("--model", spec.model, "a model that writes; a simulated respondent only answers questions")
    prices = Prices.load(options.prices)
    return run_sync(_generate(spec, out, model, prices, max_cost, told or (lambda _unit, _done: None)))


async def _generate(
    spec: MaterialSpec, out: Path, model: Model, prices: Prices, max_cost: float | None, told: Told
) -> Generated:
    Budget(prices, max_cost).check(model.name)
    material = material_of(spec.family)
    try:
        await model.open()
        _claim(spec, out)
        store = Store(own_file(out, STORE))
        try:
            spent = store.rows("SELECT coalesce(sum(cost), 0) FROM response")[0][0]
            asker = Asker(
                model.name,
                store,
                model=model,
                concurrency=model.concurrency,
                budget=Budget(prices, max_cost, spent),
            )
            drafted = await material.write(
                spec,
                lambda unit: asker.item(f"{spec.family}.generate@{material.version}/{escaped(unit)}"),
                grammar=model.capabilities.grammar,
                told=told,
            )
        finally:
            # Cancelled asks may still be on their way to the store.
            await asyncio.sleep(0)
            store.close()
        path = own_file(out, material.file)
        write_whole(path, drafted.text)
        return _generated(path, asker.asked, drafted)
    finally:
        await model.close()


def _generated(path: Path, asked: int, drafted: Drafted) -> Generated:
    known = {"path": path, "asked": asked, "short": drafted.short, "faults": drafted.faults}
    return Generated.model_validate(known | dict(drafted.counts))


def _claim(spec: MaterialSpec, out: Path) -> None:
    """Make the folder, or check that it is of this very generation."""
    path = own_file(out, SPEC)
    if path.exists():
        known, wanted = make_generate_spec(**read_spec(path)).model_dump(), spec.model_dump()
        for name, value in known.items():
            if name not in spec.sitting and wanted.get(name) != value:
                allowed = f"the same to go on with it (now {wanted.get(name)!r}), or another folder"
                raise BadInput(f"{name} of the generation in {out}", value, allowed)
    elif out.is_dir():
        remove_parts(out, SPEC)  # of a making that was broken off: all there was of it
        if any(out.iterdir()):
            raise BadInput("output folder", str(out), "an empty or new folder, or one with a generation in it")
    make_folder(out)
    fields = spec.model_dump(mode="json")
    text = yaml.safe_dump({name: fields[name] for name in _ordered(fields)}, sort_keys=False, allow_unicode=True)
    write_whole(path, text)
