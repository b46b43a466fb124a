"""Answers of Task 2 as arrays: scores by metric, condition, prompt and generation, of one model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct

from personae.measure.names import is_baseline
from personae.stats.association_shift import Amplification, amplification
from personae.studies.associations.measures_frame import NAN, SHOWN, Answer, Floats, Integers, by_metric, conditions
from personae.types import Estimate

STUDY = "associations.personas"
NO_PAIR = "no prompt was answered both with the persona and without one"


class Shifts(Struct, frozen=True, dict=True):
    """What one model scored under every condition.

    Attributes
    ----------
    model : str
    prompts : tuple of str
    cells : tuple of dict
        The persona and user of every condition; the baseline is none of them.
    groups : tuple of str
        The group of each condition's persona; empty where it has none.
    scores : ndarray, shape (4, conditions, prompts, generations)
        The single-category effect size by metric and on average; nan where an answer has none.
    neutral : ndarray, shape (4, prompts, generations)
        The same without a persona.
    asked : ndarray of int, shape (conditions + 1, prompts)
        Answers asked for, the baseline's last.
    """

    model: str
    prompts: tuple[str, ...]
    cells: tuple[dict[str, str], ...]
    groups: tuple[str, ...]
    scores: Floats
    neutral: Floats
    asked: Integers

    @classmethod
    def of(cls, mine: Sequence[Answer], own: bool) -> Shifts:
        """The scores of one model's answers; `own` leaves out the words of what the persona is called."""
        prompts = tuple(dict.fromkeys(one.domain for one in mine))
        parts = list(conditions(mine))
        personas = [(cell, under) for cell, under in parts if not is_baseline(cell)]
        baseline = [one for cell, under in parts if is_baseline(cell) for one in under]
        generations = 1 + max(one.facts.iteration for one in mine)
        shape = (len(SHOWN), len(personas), len(prompts), generations)
        tables = [_table(under, prompts, generations, own) for _, under in personas]
        asked = [[sum(one.domain == name for one in under) for name in prompts] for _, under in personas]
        return cls(
            model=mine[0].model,
            prompts=prompts,
            cells=tuple(cell for cell, _ in personas),
            groups=tuple(under[0].groups.get("persona_group", "") for _, under in personas),
            scores=np.stack(tables, axis=1) if tables else np.empty(shape),
            neutral=_table(baseline, prompts, generations, own),
            asked=np.array([*asked, [sum(one.domain == name for one in baseline) for name in prompts]], dtype=np.intp),
        )

    @cached_property
    def found(self) -> Amplification:
        """BAD and what is made of it; the leading axis of every array is the metric."""
        return amplification(self.scores, self.neutral)

    @cached_property
    def answered(self) -> Integers:
        """Answers with a number, the baseline's last; shape (conditions + 1, prompts)."""
        with_persona = np.isfinite(self.scores[-1]).sum(axis=-1).reshape(-1, len(self.prompts))
        return np.concatenate([with_persona, np.isfinite(self.neutral[-1]).sum(axis=-1)[None, :]]).astype(np.intp)

    @cached_property
    def single(self) -> bool:
        """Whether no prompt was answered more than once without a persona."""
        return bool((self.answered[-1] < 2).all())

    def counted(self, sides: Sequence[Sequence[int]], prompt: int | None = None) -> dict[str, Any]:
        """How many answers of some conditions there are, and the answered share of the side that has the smaller one.

        The place -1 is the baseline.
        """
        at = slice(None) if prompt is None else slice(prompt, prompt + 1)
        got = [int(self.answered[list(side), at].sum()) for side in sides]
        asked = [int(self.asked[list(side), at].sum()) for side in sides]
        covered = [one / all_ for one, all_ in zip(got, asked, strict=True) if all_]
        return {"n": sum(got), "coverage": min(covered, default=None)}

    def estimate(
        self,
        measure: str,
        value: float,
        cell: Mapping[str, str],
        sides: Sequence[Sequence[int]],
        prompt: int | None = None,
        **fields: Any,
    ) -> Estimate:
        """A measure of some conditions, on one prompt or on all of them."""
        where = {} if prompt is None else {"domain": self.prompts[prompt]}
        return Estimate(
            study=STUDY,
            measure=measure,
            model=self.model,
            value=float(value),
            cell={**where, **cell},
            **{**self.counted(sides, prompt), **fields},
        )


def _table(under: Sequence[Answer], prompts: Sequence[str], generations: int, own: bool) -> Floats:
    """Scores of one condition, shape (4, prompts, generations)."""
    table = np.full((len(SHOWN), len(prompts), generations), NAN)
    for one in under:
        if one.measured:
            table[:, prompts.index(one.domain), one.facts.iteration] = by_metric(one.block(own).metrics)
    return table
