"""A run: a folder with a frozen spec and a store, and everything derived from them."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import msgspec
import polars as pl

from personae.engine import frames
from personae.engine.store import Store
from personae.errors import BadInput
from personae.models.base import Capabilities
from personae.spec import AuditSpec, make_spec, read_spec, write_spec
from personae.studies.base import Settings, Study, select
from personae.types import Item

ENCODERS = "encoders"
FILES = ("personas", "stimuli", "questions", "exported")
"""Fields of a spec that name files which decide what is asked."""
PERSONAS, RATINGS, CAPABILITY = "personas.yaml", "ratings.csv", "capability.csv"


class Run:
    """A run folder, opened.

    ``responses``, ``outcomes`` and ``estimates`` are polars frames; see the store's page of the documentation for
    their columns. Use as a context manager, or call `close`.
    """

    def __init__(self, path: Path, spec: AuditSpec, store: Store) -> None:
        self.path, self.spec, self.store = path, spec, store

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what is left and close the store."""
        self.store.close()

    @property
    def responses(self) -> pl.DataFrame:
        """Every answer, word for word."""
        return frames.responses(self.store)

    @property
    def outcomes(self) -> pl.DataFrame:
        """What each item came to."""
        return frames.outcomes(self.store)

    @cached_property
    def estimates(self) -> pl.DataFrame:
        """Every measure in every cell, computed from the outcomes."""
        from personae.score import estimate

        return estimate(self)

    def report(self, path: str | Path | None = None) -> Path:
        """Write the page, its figures and tables; returns where the page is."""
        from personae.score import write_report

        return write_report(self, Path(path) if path else self.path / "report.html")

    @property
    def counted_as_said(self) -> bool:
        """Whether the outcomes in the store were counted as the spec now says."""
        encoders = msgspec.json.decode(self.store.get(ENCODERS) or "[]")
        return self.store.get("scoring") == self.spec.scoring and encoders == self.spec.encoders

    @property
    def how_counted(self) -> dict[str, str]:
        """How outcomes are counted as the spec now says, as the store keeps it beside them."""
        return {"scoring": self.spec.scoring, ENCODERS: msgspec.json.encode(self.spec.encoders).decode()}

    @property
    def imported(self) -> bool:
        """Whether the answers were recorded elsewhere."""
        return self.spec.source != "asked"

    def settings(self, model: str) -> Settings:
        """What studies are told for this model."""
        stored = self.store.get(f"capabilities/{model}")
        can = msgspec.json.decode(stored, type=Capabilities) if stored else Capabilities()
        added = {"ratings": self._added(RATINGS), "capability": self._added(CAPABILITY)}
        return self.spec.settings(model, prefill=can.prefill, top_logprobs=can.top_logprobs, **added)

    def _added(self, name: str) -> Path | None:
        path = self.path / name
        return path if path.is_file() else None

    @contextmanager
    def adding(self, files: Mapping[str, Path | None]) -> Iterator[None]:
        """Keep copies of a user's files in the run, by the names `RATINGS` and `CAPABILITY`.

        What cannot be used while the context is open is not kept.

        Raises
        ------
        BadInput
            When there is no such file.
        """
        before = {name: path.read_bytes() if (path := self._added(name)) else None for name in files}
        try:
            for name, source in files.items():
                if source is not None:
                    if not source.is_file():
                        raise BadInput(f"--{Path(name).stem}", str(source), "a readable CSV file")
                    (self.path / name).write_bytes(source.read_bytes())
            yield
        except BadInput:
            for name, content in before.items():
                if content is None:
                    (self.path / name).unlink(missing_ok=True)
                else:
                    (self.path / name).write_bytes(content)
            raise

    def studies(self, model: str) -> list[Study]:
        """The studies of this run, set up for one of its models."""
        return [study(self.settings(model)) for study in select(self.spec.studies)]

    def items(self, study: Study, model: str) -> Iterator[Item]:
        """The items of a study: generated, or as they were recorded."""
        return self.store.recorded(model, study.name) if self.imported else study.items()


def open_run(path: str | Path, *, writable: bool = False) -> Run:
    """Open a run folder.

    Parameters
    ----------
    path : path
        The folder that ``personae run -o`` made.
    writable : bool
        True to ask, score or report into it.

    Raises
    ------
    BadInput
        When the folder holds no run, or one of another version.
    """
    folder = Path(path)
    if not (folder / "spec.yaml").exists():
        raise BadInput(
            "run folder",
            str(folder),
            "a folder made by `personae run` or `personae import`: it has a spec.yaml",
        )
    spec, store = _read(folder), Store(folder / "run.db", writable=writable)
    counted: dict[str, object] = {"scoring": store.get("scoring") or spec.scoring}
    if (encoders := store.get(ENCODERS)) is not None:
        counted["encoders"] = msgspec.json.decode(encoders)
    return Run(folder, spec.model_copy(update=counted), store)


def create_run(path: str | Path, spec: AuditSpec) -> Run:
    """Make a run folder, or open it again for the same spec.

    Raises
    ------
    BadInput
        When the folder holds a run of another spec, or something else, or nothing can be written there.
    """
    folder = Path(path)
    if folder.is_dir() and (folder / "spec.yaml").exists():
        _compare(_read(folder), spec, folder)
    elif folder.is_dir() and any(folder.iterdir()):
        raise BadInput("output folder", str(folder), "an empty or new folder, or one with a run in it")
    make_folder(folder)
    kept = {name: Path(_kept_as(name, source)) for name, source in _files(spec).items()}
    for name, source in _files(spec).items():
        _keep(source, folder / kept[name])
    store = Store(folder / "run.db")
    write_spec(spec.model_copy(update=kept), folder / "spec.yaml")
    return Run(folder, spec.model_copy(update={name: folder / own for name, own in kept.items()}), store)


def make_folder(folder: Path) -> None:
    """Make a folder that can be written to; one that is there is kept as it is.

    Raises
    ------
    BadInput
        When there is a file in its place or on the way to it, or the user may not write there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "a file is there" if isinstance(error, FileExistsError) else error.strerror
        raise BadInput("output folder", str(folder), f"a folder that can be made and written to ({why})") from None
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise BadInput("output folder", str(folder), "a folder that can be written to")


def _read(folder: Path) -> AuditSpec:
    spec = make_spec(**read_spec(folder / "spec.yaml"))
    return spec.model_copy(update={name: folder / path for name, path in _files(spec).items()})


def _files(spec: AuditSpec) -> dict[str, Path]:
    """The user's own files that decide what is asked."""
    named: dict[str, Path | None] = {name: getattr(spec, name) for name in FILES}
    return {name: path for name, path in named.items() if path is not None}


def _kept_as(name: str, path: Path) -> str:
    """Where in a run a file is kept; stimuli keep their name, which names their data set."""
    return PERSONAS if name == "personas" else f"{name}/{path.name}"


def _keep(source: Path, own: Path) -> None:
    """Copy a file into the run, so that the run can be resumed and scored without the original."""
    if source.resolve() != own.resolve():
        own.parent.mkdir(exist_ok=True)
        shutil.copyfile(source, own)


def _compare(known: AuditSpec, wanted: AuditSpec, folder: Path) -> None:
    nothing = dict.fromkeys(FILES)
    was, now = ({**spec.identity(), **nothing, **_contents(spec)} for spec in (known, wanted))
    for field, value in was.items():
        if now[field] != value:
            allowed = f"the same to resume it (now {_short(now[field])}), or another folder"
            raise BadInput(f"{field} of the run in {folder}", value, allowed)


def _contents(spec: AuditSpec) -> dict[str, str]:
    """The user's files by name and hash: what stands in them, such as a memory, is not for a terminal."""
    return {
        name: f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}, {Path(_kept_as(name, path)).name}"
        for name, path in _files(spec).items()
    }


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
