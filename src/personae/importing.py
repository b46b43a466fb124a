"""Recorded answers become a run: scored, reported and compared like one that was asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from personae.engine.keys import answer_key, item_key, prompt_of
from personae.engine.sitting import Sitting
from personae.engine.store import Store
from personae.errors import BadInput
from personae.making import STORE, begin_making, make_new_folder, make_whole, unmake
from personae.run import Run
from personae.score import rescore
from personae.spec import AuditSpec, make_spec
from personae.study.base import Family, families


def import_answers(layout: str, path: Path, out: Path, scoring: str = "sound") -> Run:
    """Read a released layout into a run folder and code it.

    Parameters
    ----------
    layout : str
        The family whose layout it is.
    path : Path
        One model's folder, or the whole released tree.
    out : Path
        The run's folder, new or empty.
    scoring : {'sound', 'paper'}
        How the answers are counted.

    Raises
    ------
    BadInput
        When no importer of that name is known, or the path does not hold its layout.
    """
    able = {name: family for known in families().values() if known.importer for name, family in _named(known)}
    if layout not in able:
        raise BadInput("import format", layout, f"one of {', '.join(able)}")
    if not path.exists():
        raise BadInput("import path", str(path), "an existing folder")
    new = "a new or empty folder: recorded answers are never mixed with others"
    make_new_folder(out, new)
    with Sitting(out) as sitting:
        sitting.begin()
        make_new_folder(out, new)  # another import may have ended meanwhile
        return _imported(able[layout], path, scoring, out)


def _imported(family: Family, path: Path, scoring: str, out: Path) -> Run:
    """A run that is one only when all of it is read and coded: half a run is none."""
    begin_making(out)
    try:
        spec = _keep(family, path, scoring, out)
        run = Run(out, spec, Store(out / STORE))
        try:
            rescore(run)
            make_whole(out, spec)
        except BaseException:
            run.close()
            raise
    except BaseException:
        unmake(out)
        raise
    return run


def _named(family: Family) -> Iterator[tuple[str, Family]]:
    yield family.name, family
    if family.layout:
        yield family.layout, family


def _keep(family: Family, path: Path, scoring: str, out: Path) -> AuditSpec:
    """Put every answer into a new store; returns the spec of what was found."""
    assert family.importer is not None
    versions = {study.name: study.version for study in family.studies}
    models: set[str] = set()
    studies: set[str] = set()
    store = Store(out / STORE)
    try:
        for answer in family.importer(path):
            models.add(answer.model)
            studies.add(answer.item.study)
            key = item_key(answer.item, versions[answer.item.study])
            store.put_recorded(answer.model, key, answer.item)
            store.put_response(
                answer.model,
                answer_key(key, answer.trial),
                answer.trial,
                prompt_of(answer.trial),
                answer.response,
            )
        store.set("scoring", scoring)
    finally:
        store.close()
    if not models:
        raise BadInput(
            "import path", str(path), f"a folder with recorded answers in the released layout of {family.name}"
        )
    return make_spec(
        studies=[name for name in versions if name in studies],
        models=sorted(models),
        scoring=scoring,
        scale="paper",
        source=f"imported: {family.name}",
    )
