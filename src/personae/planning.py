"""What an audit would take, before it is asked."""

from __future__ import annotations

from typing import Any

from personae.engine.loop import run_sync
from personae.engine.plan import Tally, count, describe
from personae.models.base import Model
from personae.models.prices import Prices
from personae.models.registry import ModelOptions, resolve
from personae.spec import AuditSpec, check_files
from personae.study.base import Study


def plan(spec: AuditSpec) -> dict[str, Any]:
    """Count items and asks of every study and model, and say what they cost.

    Returns
    -------
    dict
        ``studies``: one row per model and study with ``items, asks, cells, stimuli``, tokens, ``seconds``, ``cost``
        (US dollars; None where the price is not known), ``max_cost`` and the same per experiment; ``total``.

    Raises
    ------
    BadInput
        When the spec does not fit, or names a model that is none.
    """
    check_files(spec)
    prices = Prices.load(spec.prices)
    options = ModelOptions(concurrency=spec.concurrency, seed=spec.seed, prices=spec.prices, dry=True)
    answerer = resolve("sim/neutral", options=options)
    for name, option in spec.helpers.items():
        resolve(name, options=options, field=option)  # a name that is none is said here as it is when it is asked
    rows: list[dict[str, Any]] = []
    for name in spec.models:
        model = resolve(name, options=options)
        can = model.capabilities
        settings = spec.settings(model.name, prefill=can.prefill, top_logprobs=can.top_logprobs)
        for kind in spec.kinds:
            rows.append(_row(kind(settings), model, answerer, prices))
    return {"scale": spec.scale, "seed": spec.seed, "studies": rows, "total": _total(rows)}


def _row(study: Study, model: Model, answerer: Model, prices: Prices) -> dict[str, Any]:
    parts = run_sync(count(study.dry(), answerer))
    whole = Tally()
    for part in parts.values():
        whole.add(part)
    experiments = [
        {"domain": domain, **describe(part, model, prices)}
        for domain, part in parts.items()
        if domain or len(parts) > 1
    ]
    return {
        "study": study.name,
        "version": study.version,
        "model": model.name,
        "respond": study.settings.respond,
        **describe(whole, model, prices),
        "experiments": experiments,
    }


def _total(rows: list[dict[str, Any]]) -> dict[str, Any]:
    total: dict[str, Any] = {
        name: sum(row[name] for row in rows)
        for name in (
            "items",
            "asks",
            "prompt_tokens",
            "completion_tokens",
            "max_completion_tokens",
            "seconds",
        )
    }
    for name in ("cost", "max_cost"):
        known = [row[name] for row in rows]
        total[name] = None if any(cost is None for cost in known) else sum(known)
    return total
