"""For authors of studies: ask simulated respondents in memory, and see whether what is planted is found as claimed.

A simulated respondent is an instrument of calibration. What it answers says nothing about any language model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import polars as pl
from msgspec import Struct
from scipy.stats import binom

from personae.models.simulated import SimulatedModel
from personae.study.base import OUTCOMES, Settings, Study
from personae.types import Estimate, Response, Trial

LEVEL, ALPHA = 0.95, 0.05


def settings_of(study: type[Study], **given: Any) -> Settings:
    """Settings of a study, its own options among them by their names.

    Parameters
    ----------
    study : type
    **given
        Fields of `personae.study.base.Settings` and options that the study declares.
    """
    own = {name: given.pop(name) for name in list(given) if name in study.options.model_fields}
    return Settings(**given, options=(study.options(**own),))


def simulate(study: Study, respondent: str = "sim/neutral", seeds: Sequence[int] = (0,)) -> pl.DataFrame:
    """Outcomes of a study asked of a simulated respondent, once for each seed of it.

    Parameters
    ----------
    study : Study
    respondent : str
        As on the command line: ``sim/planted?bias=0.4``.
    seeds : sequence of int

    Returns
    -------
    polars.DataFrame
        With the columns of `personae.study.base.OUTCOMES`; ``model`` names respondent and seed.
    """
    return pl.concat([asyncio.run(_series(study, respondent, seed)) for seed in seeds])


async def _series(study: Study, respondent: str, seed: int) -> pl.DataFrame:
    model = SimulatedModel.from_name(respondent, seed)

    async def ask(trial: Trial) -> Response:
        return model.answer(trial)

    rows: list[dict[str, Any]] = []
    for item in study.items():
        outcome, who = await study.run(item, ask), item.condition
        rows.append(
            {
                "key": f"{seed}/{item.id}",
                "study": study.name,
                "model": f"{respondent}, seed {seed}",
                "item": item.id,
                "stimulus": item.stimulus,
                "persona": who.persona,
                "user": who.user,
                "persona_group": who.persona_group,
                "user_group": who.user_group,
                "wording": who.wording,
                "baseline": who.baseline,
                "status": outcome.status,
                "value": outcome.value,
                "label": outcome.label,
                "reason": outcome.reason,
                "facts": msgspec.json.encode(item.facts).decode(),
                "detail": msgspec.json.encode(outcome.detail).decode(),
            }
        )
    return pl.DataFrame(rows, schema=OUTCOMES)


class Audits(Struct, frozen=True, kw_only=True):
    """Simulated audits of one comparison: how many there were, whose interval held the truth, whose p was below 5 %."""

    audits: int
    held: int
    clear: int

    def hold_as_often_as_claimed(self, rare: float = 1e-3) -> bool:
        """Whether intervals hold the truth as often as 95 % says.

        Parameters
        ----------
        rare : float
            So few would come up less often than this if the promise were kept (binomial, one tail).
        """
        return bool(binom.cdf(self.held, self.audits, LEVEL) > rare)

    def alarm_no_oftener_than_claimed(self, rare: float = 1e-3) -> bool:
        """Whether at most 5 % are called different where nothing is; ``rare`` as above."""
        return bool(binom.sf(self.clear - 1, self.audits, ALPHA) > rare)


def audits(
    study: Study, measure: str, respondent: str, truth: float, *, seeds: Sequence[int], persona: str | None = None
) -> Audits:
    """Audit a respondent whose difference from the baseline is known, once for each seed.

    Parameters
    ----------
    study : Study
    measure : str
        Its contrast with the baseline is looked at: of all personas together, or of one.
    respondent : str
    truth : float
        The difference that was planted.
    seeds : sequence of int
    persona : str, optional

    Raises
    ------
    ValueError
        When the study has no such comparison, or one of it has no interval.
    """
    found = [_one(study.estimates(simulate(study, respondent, (seed,))), measure, persona) for seed in seeds]
    held = sum(low <= truth <= high for low, high, _ in found)
    return Audits(audits=len(found), held=held, clear=sum(p < ALPHA for *_, p in found))


def _one(estimates: Sequence[Estimate], measure: str, persona: str | None) -> tuple[float, float, float]:
    cell = {} if persona is None else {"persona": persona}
    for row in _of(estimates, measure):
        if dict(row.cell) == cell and row.ci_low is not None and row.ci_high is not None:
            return row.ci_low, row.ci_high, 1.0 if row.p is None else row.p
    raise ValueError(f"{measure} has no interval of its difference from the baseline in the cell {cell}")


def _of(estimates: Sequence[Estimate], measure: str) -> Iterator[Estimate]:
    return (row for row in estimates if row.measure == measure and row.contrast)
