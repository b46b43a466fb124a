"""Take down what a run's folder comes to: nothing is asked, everything is computed anew from its answers.

What is taken down is lines of text in sections, each line a key and what stands there, as JSON: numbers are written so
that no digit of them is lost, and no order of columns or of classes inside matters.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
from threadpoolctl import threadpool_limits

from personae.asking import Silent, ask
from personae.engine.ask import Asker
from personae.engine.keys import answer_key, fingerprint, item_key, prompt_of, sampling
from personae.engine.loop import run_sync
from personae.engine.scheduler import run_items
from personae.pages import content_of
from personae.report.content import Content
from personae.run import Run, open_run
from personae.score import rescore, with_scoring
from personae.spec import make_spec
from personae.types import Figure, Item, Response, Trial

SCORINGS = ("sound", "paper")
OF_THE_DAY = {"Begun", "Ended", "Made with"}
"""Facts on a page that change without a change of the program."""

_SAID = (
    "SELECT model, key, hex(fingerprint) AS fingerprint, messages, params, text, reasoning, finish, prompt_tokens,"
    " completion_tokens, logprobs, cost FROM response JOIN prompt ON hash = prompt"
)

Sections = dict[str, list[str]]


def take(folder: Path) -> Sections:
    """Everything that a run comes to, by section; the run's folder is written to.

    Raises
    ------
    Changed
        When an answer in the store was given to another request than the one now asked.
    """
    taken: Sections = {}
    with threadpool_limits(limits=1, user_api="blas"):
        for scoring in SCORINGS:
            with open_run(folder, writable=True) as run:
                with_scoring(run, scoring)
                if scoring == SCORINGS[0]:
                    taken |= _replayed(run)
                else:
                    rescore(run)
                counted = {"outcomes": _outcomes(run), **_told(run)}
                taken |= {f"{name}/{scoring}": list(lines) for name, lines in counted.items()}
    return taken


def ask_anew(given: Mapping[str, Any], added: Sequence[Path], folder: Path) -> None:
    """Ask into a new folder as a spec says, and lay files there that a user adds to a run."""
    ask(make_spec(**given), folder, Silent()).close()
    for path in added:
        shutil.copyfile(path, folder / path.name)


def lying(store: Path) -> list[str]:
    """Which answers lie in a store, and to which requests: `take` must ask for all of them and for no other."""
    rows = _rows(store, "SELECT model, key, hex(fingerprint) AS digest FROM response")
    return sorted(_line(f"{row['model']} {row['key']}", row["digest"].lower()) for row in rows)


def said(store: Path) -> list[str]:
    """Every answer in a store with all that was sent for it."""
    answers = {f"{row['model']} {row['key']}": row for row in _rows(store, _SAID)}
    return [_line(key, _known(answers[key], "model", "key")) for key in sorted(answers)]


def _rows(store: Path, query: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(store)) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(query)]


def _line(key: str, value: Any) -> str:
    return json.dumps([key, value], ensure_ascii=False)


def _numbered(pairs: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """Lines whose keys are all different."""
    seen: Counter[str] = Counter()
    for key, value in pairs:
        seen[key] += 1
        yield _line(key if seen[key] == 1 else f"{key} ({seen[key]})", value)


def _known(row: dict[str, Any], *without: str) -> dict[str, Any]:
    """What stands in a row, by name: a column that is empty might as well not be there."""
    return {name: row[name] for name in sorted(row) if row[name] is not None and name not in without}


class _Noting(Asker):
    """An asker of stored answers that notes for which of them it was asked, and by which request."""

    def __init__(self, name: str, run: Run) -> None:
        super().__init__(name, run.store, lenient=run.imported)
        self.noted: list[str] = []

    def item(self, key: str) -> Any:
        ask = super().item(key)

        async def noting(trial: Trial) -> Response:
            digest = fingerprint(prompt_of(trial)[0], sampling(trial))
            self.noted.append(_line(f"{self.name} {answer_key(key, trial)}", digest.hex()))
            return await ask(trial)

        return noting


def _replayed(run: Run) -> Sections:
    """The items of a run and every request that they make; their outcomes are kept, as `rescore` keeps them."""
    items: list[str] = []
    noted: list[str] = []
    for model in run.spec.models:
        asker = _Noting(model, run)
        for study in run.studies(model):
            found = {item_key(item, study.version): item for item in run.items(study, model)}
            items += [_line(f"{model} {key}", _item(found[key])) for key in sorted(found)]
            run_sync(run_items(study, found.values(), asker, window=1))
        noted += asker.noted
    run.store.flush()
    return {"items": items, "asked": sorted(noted)}


def _item(item: Item) -> dict[str, Any]:
    told = msgspec.to_builtins(item)
    return {**_known(told), "facts": _known(told.get("facts", {}))}


def _outcomes(run: Run) -> Iterator[str]:
    for row in run.outcomes.sort("model", "key").to_dicts():
        kept = _known(row, "model", "key", "study", "item", "facts")
        yield _line(f"{row['model']} {row['key']}", {**kept, "detail": json.loads(row["detail"])})


def _told(run: Run) -> dict[str, Iterable[str]]:
    content = content_of(run, run.studies(run.spec.models[0]))
    return {
        "estimates": _estimates(content.estimates),
        "findings": [_line(f"{one.study} {one.tone}", one.text) for one in content.findings],
        "figures": _numbered(pair for figure in content.figures for pair in _drawn(figure)),
        "page": _page(content),
    }


def _estimates(table: pl.DataFrame) -> list[str]:
    texts = [
        name for name, kind in table.schema.items() if kind == pl.String and name not in ("test", "unit", "reason")
    ]
    rows = [(_cell({name: row[name] for name in texts}), _known(row, *texts)) for row in table.to_dicts()]
    return list(_numbered(sorted(rows, key=lambda pair: (pair[0], repr(pair[1])))))


def _cell(row: dict[str, Any]) -> str:
    """A name for a row of the estimates: the measure first, then every other column that says which cell it is."""
    named = [row.pop(name) or "itself" for name in ("study", "measure", "contrast")]
    return " ".join([*named, *(f"{name}={value}" for name, value in _known(row).items())])


def _drawn(figure: Figure) -> Iterator[tuple[str, Any]]:
    """A figure's head and its rows. The order of rows, and of the parts of a table, is seen."""
    head = {name: getattr(figure, name) for name in ("title", "caption", "kind")}
    name = f"{figure.study} {figure.id}"
    yield name, {**head, "encode": list(figure.encode.items()), "options": _known(dict(figure.options))}
    for place, row in enumerate(figure.rows):
        yield f"{name} row {place}", {part: row[part] for part in sorted(row)}


def _page(content: Content) -> Iterator[str]:
    """What else the page says, and which answers it shows."""
    yield _line("title", [content.title, content.subtitle, content.simulated, content.answers])
    yield from (_line(f"fact {label}", value) for label, value in content.facts if label not in OF_THE_DAY)
    yield from (_line("note", note) for note in content.notes)
    for row in content.coverage.to_dicts():
        yield _line(f"coverage {row['study']} {row['model']} {row['status']}", row["n"])
    for one in content.samples:
        shown = [one.condition, one.kind, one.about, one.status, one.value, one.label, one.reason]
        yield _line(f"sample {one.model} {one.key}", shown)
