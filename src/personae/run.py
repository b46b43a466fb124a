"""A run: a folder with a frozen spec and a store, and everything derived from them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from personae.engine import frames
from personae.engine.notes import foreign, note_of
from personae.engine.store import Store
from personae.errors import BadInput
from personae.filing import own_file, own_folder, read_bytes, size_of, write_whole, written_whole
from personae.making import (
    PERSONAS,
    SPEC,
    STORE,
    begin_making,
    broken_off,
    is_run,
    make_folder,
    make_new_folder,
    make_whole,
)
from personae.models.base import Capabilities
from personae.spec import AuditSpec, file_fields, make_spec, read_spec, write_spec
from personae.study.base import Settings, Study
from personae.study.folder import compiled, own_family
from personae.study.taken import counting, joined, nested
from personae.types import Item

OWN = "own"
RATINGS, CAPABILITY = "ratings.csv", "capability.csv"
_MOST_KEPT = 1 << 30
"""Bytes of a user's file that is copied into a run."""


class Run:
    """A run folder, opened.

    ``responses``, ``outcomes`` and ``estimates`` are polars frames; see the store's page of the documentation for
    their columns. Use as a context manager, or call `close`.
    """

    def __init__(self, path: Path, spec: AuditSpec, store: Store) -> None:
        self.path, self.spec, self.store = path, spec, store
        self._adding: dict[str, Path] = {}

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
        noted = _noted(self.store)
        same = all(noted.get(one.key, one.default) == one.of(self.spec) for one in counting())
        return same and self.store.get("scoring") == self.spec.scoring

    @property
    def how_counted(self) -> dict[str, str]:
        """How outcomes are counted as the spec now says, as the store keeps it beside them."""
        return {"scoring": self.spec.scoring, **{one.key: one.written(self.spec) for one in counting()}}

    @property
    def imported(self) -> bool:
        """Whether the answers were recorded elsewhere."""
        return self.spec.source != "asked"

    def settings(self, model: str) -> Settings:
        """What studies are told for this model."""
        can = note_of(self.store, f"capabilities/{model}", Capabilities) or Capabilities()
        added = {"ratings": self._added(RATINGS), "capability": self._added(CAPABILITY)}
        return self.spec.settings(model, prefill=can.prefill, top_logprobs=can.top_logprobs, **added)

    def _added(self, name: str) -> Path | None:
        path = self._adding.get(name) or own_file(self.path, name)
        return path if path.is_file() else None

    @contextmanager
    def adding(self, files: Mapping[str, Path | None]) -> Iterator[None]:
        """Use a user's files, and keep copies of them in the run, by the names `RATINGS` and `CAPABILITY`.

        What cannot be used while the context is open is not kept.

        Raises
        ------
        BadInput
            When there is no such file.
        """
        self._adding = {name: source for name, source in files.items() if source is not None}
        try:
            contents = {
                name: read_bytes(source, f"--{Path(name).stem}", allowed="a readable CSV file")
                for name, source in self._adding.items()
            }
            yield
        finally:
            self._adding = {}
        for name, content in contents.items():
            write_whole(own_file(self.path, name), content)

    def studies(self, model: str) -> list[Study]:
        """The studies of this run, set up for one of its models."""
        return [study(self.settings(model)) for study in self.spec.kinds]

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
    if not is_run(folder):
        how = "a folder made by `personae run` or `personae import`: it has a spec.yaml"
        left = "; making this one was broken off: run the same command again"
        raise BadInput("run folder", str(folder), how + left * broken_off(folder))
    spec, store = spec_in(folder), _readable(Store(_own_store(folder), writable=writable))
    try:
        return Run(folder, _as_counted(spec, store), store)
    except BaseException:
        store.close()
        raise


def _readable(store: Store) -> Store:
    """A store that can be read to its end: whoever reads a part of it later need not ask."""
    try:
        _ = store.damage
    except BaseException:
        store.close()
        raise
    return store


def _as_counted(spec: AuditSpec, store: Store) -> AuditSpec:
    """The spec with how the outcomes in the store were counted."""
    counted: dict[str, object] = {"scoring": store.get("scoring") or spec.scoring}
    return make_spec(**joined(spec.model_dump(), {**counted, **nested(_noted(store))}))


def _noted(store: Store) -> dict[str, Any]:
    """By which options of studies the outcomes in the store were counted, as far as the store says."""
    found: dict[str, Any] = {}
    for one in counting():
        if (stored := store.get(one.key)) is not None:
            try:
                found[one.key] = one.read(stored)
            except (ValueError, RecursionError):
                raise foreign(one.key, stored) from None
    return found


def create_run(path: str | Path, spec: AuditSpec) -> Run:
    """Make a run folder, or open it again for the same spec.

    Whoever may not be alone holds the folder's `Sitting`.

    Raises
    ------
    BadInput
        When the folder holds a run of another spec, or something else, or nothing can be written there.
    """
    folder = Path(path)
    claim_folder(folder)
    kept = {name: Path(_kept_as(name, source)) for name, source in spec.files.items()}
    told = spec.changed(kept)
    if is_run(folder):
        _compare(spec_in(folder), spec, folder)
        store = _readable(Store(_own_store(folder)))
        write_spec(told, own_file(folder, SPEC))
    else:
        begin_making(folder)
        for name, source in spec.files.items():
            _keep(source, name, folder, kept[name])
        store = Store(folder / STORE)
        make_whole(folder, told)
    return Run(folder, spec.changed({name: folder / own for name, own in kept.items()}), store)


def claim_folder(folder: Path) -> None:
    """Make a folder for a run, or see that there is one with a run in it.

    Raises
    ------
    BadInput
        When the folder holds something else, or cannot be made or written to.
    """
    if is_run(folder):
        make_folder(folder)
    else:
        make_new_folder(folder, "an empty or new folder, or one with a run in it")


def _own_store(folder: Path) -> Path:
    """The store's file in a folder; neither it nor what SQLite reads beside it is a link."""
    for beside in ("-wal", "-shm", "-journal"):
        own_file(folder, STORE + beside)
    return own_file(folder, STORE)


def spec_in(folder: Path) -> AuditSpec:
    """The spec in a folder; what it names lies in the folder.

    Raises
    ------
    BadInput
        When it cannot be read, or names something outside.
    """
    spec = make_spec(**read_spec(own_file(folder, SPEC)))
    return spec.changed({name: own_file(folder, str(path)) for name, path in spec.files.items()})


def _kept_as(name: str, path: Path) -> str:
    """Where in a run a file is kept; stimuli keep their name, which names their data set."""
    if name == OWN:
        return f"{OWN}/{own_family(path).name}.json"
    return PERSONAS if name == "personas" else f"{name}/{path.name}"


def _keep(source: Path, name: str, folder: Path, own: Path) -> None:
    """Copy a file into the run, so that the run can be resumed and scored without the original."""
    if name == OWN:
        own_folder(folder, OWN)
        write_whole(own_file(folder, str(own)), compiled(source))
        return
    size_of(source, name, most=_MOST_KEPT)
    own_folder(folder, *own.parts[:-1])
    with written_whole(own_file(folder, str(own))) as part:
        shutil.copyfile(source, part)


def _compare(known: AuditSpec, wanted: AuditSpec, folder: Path) -> None:
    nothing = dict.fromkeys(file_fields())
    was, now = ({**spec.identity(), **nothing, **_contents(spec)} for spec in (known, wanted))
    for field, value in was.items():
        if now[field] != value:
            allowed = f"the same to resume it (now {_short(now[field])}), or another folder"
            raise BadInput(f"{field} of the run in {folder}", value, allowed)


def _contents(spec: AuditSpec) -> dict[str, str]:
    """The user's files by name and hash: what stands in them, such as a memory, is not for a terminal."""
    return {
        name: f"sha256 {_hash(path, name)[:16]}, {Path(_kept_as(name, path)).name}" for name, path in spec.files.items()
    }


def _hash(path: Path, name: str) -> str:
    if name == OWN:
        return hashlib.sha256(compiled(path)).hexdigest()
    return hashlib.sha256(read_bytes(path, name, most=_MOST_KEPT)).hexdigest()


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
