"""What other studies came to at the audits: their own measures, and how the same items moved."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import polars as pl

from personae.measure.names import BASELINE
from personae.memory.checkpoint import Audited, audited, frame
from personae.memory.design import NOTHING
from personae.memory.measures_frame import STIMULUS, STUDY, Groups, Played, over_seeds, paired
from personae.memory.options import MemoryOptions
from personae.study.base import Settings
from personae.types import Estimate

VALUE = "mean value"
_WHO = ("persona", "user", "persona_group", "user_group", "wording")
"""Columns of a study's cells that say who is asked; here it is the agent, whom the arm names."""
OVER_STIMULI = "paired t over stimuli"


class _Cell(NamedTuple):
    """What names a measure of a study: the measure and its cell."""

    measure: str
    cell: tuple[tuple[str, str], ...]


def audits(groups: Groups, settings: Settings) -> Iterator[Estimate]:
    """What studies came to that were audited beside the decisions.

    Measures
    --------
    ``companions.iat: …``
        A measure of that study, of its items without a persona, at an audited ``turn``: the mean over episodes. With
        one episode the interval is the study's own.
    ``companions.iat: mean value``
        The mean of what its items came to.
    ``companions.iat: mean value``, contrast ``baseline``
        The last audit less the first; of an exported memory, with it less without. The same items on both sides, paired
        by stimulus, episodes pooled.
    """
    for one in audited(settings, STUDY):
        for (model, arm), episodes in groups.items():
            shown = _Shown(one, {turn: [frame_of(one, it, turn) for it in episodes] for turn in episodes[0].sets})
            yield from shown.levels(episodes)
            if settings.of(MemoryOptions).exported is None:
                first, last = episodes[0].ends
                yield shown.moved(episodes[0], shown.frames[last], shown.frames[first])
            elif arm[0] != NOTHING and (bare := groups.get((model, (NOTHING, *arm[1:3], "none", arm[4])))):
                yield shown.moved(episodes[0], shown.frames[0], [frame_of(one, it, 0) for it in bare])


def frame_of(one: Audited, episode: Played, turn: int) -> pl.DataFrame:
    """The outcomes of a study at one audit of one episode."""
    name = "/".join((*episode.arm, str(episode.seed), str(turn)))
    return frame(one, episode.studies[turn][one.study.name], episode.model, name)


class _Shown(NamedTuple):
    """A study, and its outcomes at every audit of every episode of an arm."""

    one: Audited
    frames: dict[int, list[pl.DataFrame]]

    def levels(self, episodes: Sequence[Played]) -> Iterator[Estimate]:
        """Every measure at every audit."""
        name = self.one.study.name
        for turn, frames in self.frames.items():
            cell = {**episodes[0].cell, "turn": str(turn)}
            answered = [one.filter(status="answered")["value"].drop_nulls() for one in frames]
            means = [float(values.mean()) if len(values) else math.nan for values in answered]  # type: ignore[arg-type]
            asked = sum(one.height for one in frames)
            n = sum(map(len, answered))
            yield over_seeds(f"{name}: {VALUE}", means, episodes[0].model, cell, n=n, coverage=n / asked)
            found: dict[_Cell, list[Estimate]] = {}
            for one in frames:
                for estimate in self.one.study.estimates(one):
                    if not estimate.contrast:
                        own = {name: value for name, value in estimate.cell.items() if name not in _WHO}
                        key = _Cell(estimate.measure, tuple(sorted(own.items())))
                        found.setdefault(key, []).append(estimate)
            for key, estimates in found.items():
                yield _over(f"{name}: {key.measure}", estimates, episodes[0].model, {**dict(key.cell), **cell})

    def moved(self, one: Played, now: Sequence[pl.DataFrame], before: Sequence[pl.DataFrame]) -> Estimate:
        """How the mean value moved, stimulus by stimulus."""
        ours, theirs = (_answered(frames) for frames in (now, before))
        asked = sum(frame.height for frame in now)
        return paired(
            f"{self.one.study.name}: {VALUE}",
            one,
            _columns(ours),
            _columns(theirs),
            contrast=BASELINE,
            test=OVER_STIMULI,
            unit=STIMULUS,
            coverage=ours.height / asked if asked else None,
        )


def _answered(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(frames).filter(pl.col("status") == "answered", pl.col("value").is_not_null())


def _columns(frame: pl.DataFrame) -> tuple[list[float], list[str]]:
    return frame["value"].to_list(), frame["stimulus"].to_list()


def _over(measure: str, estimates: Sequence[Estimate], model: str, cell: dict[str, str]) -> Estimate:
    """A measure over episodes; of one episode, as its study says it."""
    found = over_seeds(measure, [one.value for one in estimates], model, cell)
    if len(estimates) > 1:
        return found
    one = estimates[0]
    return Estimate(
        study=STUDY,
        measure=measure,
        model=model,
        cell=cell,
        value=one.value,
        ci_low=one.ci_low,
        ci_high=one.ci_high,
        n=one.n,
        clusters=one.clusters,
        unit=one.unit,
        coverage=one.coverage,
        lower=one.lower,
        upper=one.upper,
        reason=one.reason,
    )
