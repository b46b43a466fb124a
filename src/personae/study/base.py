"""What a study must say of itself, and where studies are found.

A study is a family member such as ``companions.iat``: its items, how an item is asked and coded, its measures, its
figures. A family is a folder and an entry point of the group ``personae.studies``, so others can add their own.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field

from personae.errors import BadInput
from personae.study.options import StudyOptions
from personae.types import Estimate, Figure, Finding, Item, Outcome, Respond, Response, Scale, Scoring, Status, Trial

if TYPE_CHECKING:
    import polars as pl

    from personae.study.outcomes import OUTCOMES as OUTCOMES  # noqa: PLC0414 - so that others may import it from here

T = TypeVar("T")
Options = TypeVar("Options", bound=StudyOptions)


def __getattr__(name: str) -> Any:
    if name != "OUTCOMES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from personae.study.outcomes import OUTCOMES

    return OUTCOMES


class Ask(Protocol):
    """Ask the respondent, durably: an answer already in the store is returned, not asked again."""

    def __call__(self, trial: Trial) -> Awaitable[Response]: ...


class Settings(Struct, frozen=True, kw_only=True):
    """What of a user's spec reaches a study. ``repeats`` None means what the scale says.

    ``judges`` are names a study may put into ``Trial.to``. ``ratings`` (people's own verdicts on a sample of items) and
    ``capability`` (a number for each model) are CSV files a user adds to a run. ``options`` are those that studies
    declare; see `of`.
    """

    scale: Scale = "standard"
    respond: Respond = "free"
    scoring: Scoring = "sound"
    repeats: int | None = None
    seed: int = 0
    personas: Path | None = None
    prefill: bool = True
    top_logprobs: int = 20
    judges: tuple[str, ...] = ()
    ratings: Path | None = None
    capability: Path | None = None
    options: tuple[StudyOptions, ...] = ()

    def of(self, kind: type[Options]) -> Options:
        """The options that a study declares, as the user gave them; what he did not give is as declared."""
        return next((one for one in self.options if type(one) is kind), None) or kind()


class Excerpt(Struct, frozen=True, kw_only=True):
    """One answer of an item that has many, as a reader meets it.

    Attributes
    ----------
    step : str
        The step of its trial, or what the steps of its trials begin with, up to a slash.
    kind, about : str
        Which sort of question it was ("decision"), and which one, in words ("turn 20, race: Asian").
    condition : str
        Under which condition it was asked, in words.
    status, value, label, reason
        How it was coded.
    facts : mapping
        What else is worth showing beside it.
    """

    step: str
    kind: str
    about: str
    condition: str
    status: Status
    value: float | None = None
    label: str | None = None
    reason: str = ""
    facts: Mapping[str, Any] = {}


class Study(ABC):
    """One study. Instances are cheap and hold no answers.

    ``columns`` names the columns of its cells that are not every study's; ``options`` declares what else it can be told
    (``self.settings.of(MyOptions)`` is what it was told); ``takes`` names what every audit can be given and only some
    studies know what to do with: ``judges``, ``ratings``, ``capability``.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    title: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]
    columns: tuple[str, ...] = ()
    options: ClassVar[type[StudyOptions]] = StudyOptions
    takes: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def prepare(self) -> None:  # noqa: B027 - most studies have nothing to load
        """Load what answers are read with, where that can fail: it is done before anything is asked or counted anew.

        Raises
        ------
        BadInput
            When something is missing that the user can mend.
        """

    def dry(self) -> Study:
        """The study as a dry run takes it: without what takes long and changes nothing of how much is asked."""
        return self

    @abstractmethod
    def items(self) -> Iterator[Item]:
        """Generate the items lazily, always in the same order for the same settings."""

    def count(self) -> int:
        """How many items there are; for a study that can tell without making them, to say so at once."""
        return sum(1 for _ in self.items())

    @abstractmethod
    async def run(self, item: Item, ask: Ask) -> Outcome:
        """Ask what the item needs and code it. Deterministic given the answers."""

    def excerpts(self, outcome: Mapping[str, Any]) -> Sequence[Excerpt]:
        """Answers to choose from for the page, of an item that has many; where there are none, its first one is shown.

        Parameters
        ----------
        outcome : mapping
            One row of the outcomes.
        """
        return ()

    @abstractmethod
    def estimates(self, outcomes: pl.DataFrame) -> list[Estimate]:
        """Compute every measure of the study from the outcomes of all models.

        Parameters
        ----------
        outcomes : polars.DataFrame
            One row per item and model, with the columns of `OUTCOMES`.
        """

    @abstractmethod
    def findings(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
        """Say the main results in sentences with numbers."""

    @abstractmethod
    def figures(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
        """Give the figures of the study as data."""


class Recorded(Struct, frozen=True, kw_only=True):
    """One recorded answer read by an importer: the item it belongs to, the trial as sent, what came back."""

    model: str
    item: Item
    trial: Trial
    response: Response


class MaterialSpec(BaseModel):
    """What a model is to write: everything that decides what is asked. A family adds options of its own.

    Options named in ``sitting`` may differ when the same generation is gone on with. An option that the command line
    calls otherwise than its field has that as its title.

    Parameters
    ----------
    family : str
        Whose material.
    model : str
        The model that writes.
    tries : int
        How often what could not be used is asked for.
    seed : int
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    sitting: ClassVar[frozenset[str]] = frozenset()

    family: str
    model: str
    tries: int = Field(default=4, ge=1, le=100)
    seed: int = 0


class Drafted(Struct, frozen=True, kw_only=True):
    """What a model has written.

    ``text`` is the file's content, ``counts`` what is in it ({"roles": 5, "questions": 60}), ``short`` what is missing
    and why, ``faults`` how often what could not be used had which fault.
    """

    text: str
    counts: Mapping[str, int]
    short: Mapping[str, str]
    faults: Mapping[str, int]


Asks = Callable[[str], Ask]
"""From the name of a unit of what is written to its ask."""
Told = Callable[[str, int | str], None]
"""Told of every unit that is done, and how much there is of it, or what it says."""


class Material(Protocol):
    """What a family can have a model write, as ``personae generate`` does.

    ``spec`` are its options and ``file`` is the name of what comes of it. ``missing`` says in words what a gap is, and
    ``use`` what to do with the file. Another ``version`` asks anew.
    """

    version: ClassVar[int]
    spec: ClassVar[type[MaterialSpec]]
    file: ClassVar[str]
    missing: ClassVar[str]
    use: ClassVar[str]

    async def write(self, spec: Any, asks: Asks, *, grammar: bool, told: Told) -> Drafted:
        """Have it written. `grammar` says that the model can be kept to one.

        What is asked follows from the answers alone, so that it can be gone on with.
        """
        ...


async def together(work: Iterable[Awaitable[T]]) -> list[T]:
    """Run beside each other; where some fail, the others go on to their end, and then the first failure is raised."""
    found: list[T] = []
    for one in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(one, BaseException):
            raise one
        found.append(one)
    return found


class Family(Struct, frozen=True, kw_only=True):
    """A folder of studies that share personas and stimuli.

    ``importer`` reads a released layout: a path in, `Recorded` answers out, lazily. ``layout`` is the name under which
    ``personae import`` also knows that layout. ``overview`` draws figures over several studies of the family, from the
    estimates of all of them. ``material`` is what a model can write for it.
    """

    name: str
    title: str
    studies: tuple[type[Study], ...]
    importer: Callable[[Path], Iterator[Recorded]] | None = None
    layout: str | None = None
    overview: Callable[[pl.DataFrame], list[Figure]] | None = None
    material: Callable[[], Material] | None = None


@cache
def families() -> dict[str, Family]:
    """Every installed family by name."""
    found = {point.name: point.load() for point in entry_points(group="personae.studies")}
    return dict(sorted(found.items()))


def select(names: Sequence[str], field: str = "study", own: Family | None = None) -> list[type[Study]]:
    """Studies named by the user, each once, in the order given.

    ``companions`` means the whole family, ``companions.iat`` one study; ``field`` is where they were named, and ``own``
    a family that is not installed.

    Raises
    ------
    BadInput
        When a name is neither a family nor a study.
    """
    every = families() | ({own.name: own} if own else {})
    known = {study.name: study for family in every.values() for study in family.studies}
    chosen: dict[str, type[Study]] = {}
    for name in names:
        if name in every:
            chosen |= {study.name: study for study in every[name].studies}
        elif name in known:
            chosen[name] = known[name]
        else:
            raise BadInput(field, name, f"known are {', '.join([*every, *known])}")
    if not chosen:
        raise BadInput("study", "nothing", f"name at least one of {', '.join(every)}")
    return list(chosen.values())
