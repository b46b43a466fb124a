"""Ask what a run wants to know of its models, and code each item as soon as it is answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import msgspec

from personae.engine.ask import Asker
from personae.engine.budget import Budget
from personae.engine.counting import check_stored, check_whole
from personae.engine.loop import run_sync
from personae.engine.scheduler import run_items
from personae.engine.sitting import Sitting
from personae.errors import BadInput, ModelError
from personae.making import is_run
from personae.models.base import Model
from personae.models.prices import Prices
from personae.models.registry import ModelOptions, resolve
from personae.run import Run, claim_folder, create_run
from personae.score import rescore
from personae.spec import (
    AuditSpec,
    check_files,
    check_judges,
    prepare,
)
from personae.types import Message, Outcome, Trial


class Progress(Protocol):
    """Told how an audit goes on."""

    def begin(self, model: str, study: str, items: int, budget: Budget) -> None: ...

    def answer(self) -> None: ...

    def outcome(self, outcome: Outcome) -> None: ...

    def end(self) -> None: ...


class Silent:
    """A progress that shows nothing."""

    def begin(self, model: str, study: str, items: int, budget: Budget) -> None:
        """Do nothing."""

    def answer(self) -> None:
        """Do nothing."""

    def outcome(self, outcome: Outcome) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


def ask(spec: AuditSpec, out: Path, progress: Progress) -> Run:
    """Ask what is not yet in the run's store; returns the run, open for writing.

    An item is a coroutine that ends in its outcome (`personae.coding`, inside a study's ``run``), so what was said is
    coded while the rest is asked; outcomes that were counted otherwise than the spec now says are coded again.

    Parameters
    ----------
    spec : AuditSpec
    out : path
        The run's folder, new or of the same spec.
    progress : Progress
        Told how it goes on.

    Raises
    ------
    BadInput
        For what the user can mend.
    CostReached
        When ``max_cost`` stopped it.
    """
    check_files(spec)  # what does not fit is said before a model is opened
    prepare(spec)
    options = ModelOptions(
        timeout=spec.timeout,
        retries=spec.retries,
        concurrency=spec.concurrency,
        seed=spec.seed,
        prices=spec.prices,
    )
    check_judges(spec.judges, spec.models, spec.judge_self)
    models = [resolve(name, options=options) for name in spec.models]
    known = {model.name: model for model in models}
    helpers = {
        name: known.get(name) or resolve(name, options=options, field=option) for name, option in spec.helpers.items()
    }
    with Sitting(out) as sitting:
        if is_run(out):
            sitting.begin()  # first of all: a run that is refused leaves what stands in the folder as it is
        run = run_sync(_ask(spec, sitting, models, helpers, progress))
        if not run.counted_as_said:
            rescore(run)
    return run


async def _ask(
    spec: AuditSpec, sitting: Sitting, models: Sequence[Model], helpers: Mapping[str, Model], progress: Progress
) -> Run:
    try:
        # All models first: what the user can mend is said before a folder is made or anything is asked.
        budget = Budget(Prices.load(spec.prices), spec.max_cost)
        for name in (*spec.models, *spec.helpers):
            budget.check(name)
        for model in models:
            _check_forced(spec, model)
            await model.open()
        for helper in helpers.values():
            if helper not in models:
                await helper.open()
        for model in models:
            if spec.respond_to(model.name) == "forced" and not (sitting.folder / "run.db").exists():
                await _probe(model)
        claim_folder(sitting.folder)
        sitting.begin()
        run = create_run(sitting.folder, spec)
        run.store.writer.guards.append(sitting.check)
        try:
            await _ask_all(run, models, helpers, progress)
        except BaseException:
            run.close()
            raise
        return run
    finally:
        progress.end()
        for model in {id(model): model for model in (*models, *helpers.values())}.values():
            await model.close()


async def _ask_all(run: Run, models: Sequence[Model], helpers: Mapping[str, Model], progress: Progress) -> None:
    store = run.store
    check_whole(store)
    if store.empty:
        for note, value in run.how_counted.items():
            store.set(note, value)
        store.set("begun", datetime.now(UTC).isoformat(timespec="seconds"))
    spent = store.rows("SELECT coalesce(sum(cost), 0) FROM response")[0][0]
    budget = Budget(Prices.load(run.spec.prices), run.spec.max_cost, spent)
    for model in models:
        _remember(run, model)
    for model in models:
        for study in run.studies(model.name):
            asker = _asker(run, model, helpers, budget, progress)
            progress.begin(model.name, study.name, study.count(), budget)
            before = store.count("response", model.name, f"{study.name}@{study.version}")
            done = await run_items(study, study.items(), asker, window=_width(run, model), progress=progress)
            check_stored(store, model.name, study, before=before, asked=asker.asked, done=done)
        # Servers differ in what they take; a page must say what a question lost on the way.
        if omitted := getattr(model, "omitted", None):
            store.set(f"omitted/{model.name}", msgspec.json.encode(omitted).decode())
    store.set("ended", datetime.now(UTC).isoformat(timespec="seconds"))
    store.flush()


def _check_forced(spec: AuditSpec, model: Model) -> None:
    if spec.respond_to(model.name) == "forced" and model.capabilities.top_logprobs == 0:
        raise BadInput(
            "--respond",
            "forced",
            f"a model that reports log-probabilities; {model.name} does not: use --respond free",
        )


async def _probe(model: Model) -> None:
    """See by one token, which is not kept, that log-probabilities come: a server's kind alone does not tell."""
    if model.capabilities.simulated or model.name.startswith("local/"):
        return
    trial = Trial(
        messages=(Message("user", "Say yes."),),
        temperature=0.0,
        max_tokens=1,
        top_logprobs=model.capabilities.top_logprobs,
    )
    with suppress(ModelError):  # a server that does not answer now may do so later: the run says what became of it
        await model.respond(trial)


def _remember(run: Run, model: Model) -> None:
    """Keep what the model could do when it was first asked: prompts depend on it, so a resumed run must too."""
    key = f"capabilities/{model.name}"
    if run.store.get(key) is None:
        run.store.set(key, msgspec.json.encode(model.capabilities).decode())
        run.store.flush()


def _width(run: Run, model: Model) -> int:
    return run.spec.concurrency or model.concurrency


def _asker(run: Run, model: Model, helpers: Mapping[str, Model], budget: Budget, progress: Progress) -> Asker:
    return Asker(
        model.name,
        run.store,
        model=model,
        concurrency=_width(run, model),
        budget=budget,
        judges=helpers,
        answered=progress.answer,
    )
