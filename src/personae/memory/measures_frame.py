"""Episodes as the measures of the memory study take them, and what seeds of one arm have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from personae.measure.names import BASELINE
from personae.measure.results import estimate_of
from personae.memory.checkpoint import Coded
from personae.memory.sets import sets_of
from personae.stats._base import Tested
from personae.stats.gbv import group_variance
from personae.stats.means import mean_test
from personae.stats.paired import paired_difference
from personae.types import Estimate

Floats = NDArray[np.float64]

STUDY = "memory.episode"
EPISODE, SET, QUESTION, NOTE, STIMULUS = "episode", "set", "question", "note", "stimulus"
"""What intervals and tests go over."""
AGBV, FLOOR, EXCESS, GBV = "AGBV", "AGBV, permutation floor", "AGBV, excess over the floor", "GBV"
CHANGE, CHANGE_DOMAIN, POTENCY = "change of AGBV", "change of GBV", "mitigation"
ACCURACY, SHOWN, NOTES = "accuracy", "biased notes shown", "notes"
DRAWS = 1000
OVER_SEEDS = "Student's t over seeds"
LEAST_SEEDS = 3
"""Episodes from which an interval over them is formed: of two, Student's has one degree of freedom and says nothing."""
EXCHANGE = {1: "exchange within matched sets of one episode", 2: "exchange within matched sets of two episodes"}
PAPER_END = 80
"""The audit that paper 002 takes for the last in Figure 3 and Table 2."""
ONE_SEED = "one episode only: how far episodes differ is not known"
TWO_SEEDS = "two episodes only: how far episodes differ is hardly known"
ONE_PASS = "asked once: how far repeated asking differs is not known"
ARM = ("memory", "injection", "injected", "mitigation", "persona")


def arm_cell(arm: Sequence[str]) -> dict[str, str]:
    """The columns that name an arm, whose parts are those of `ARM`: an agent without a persona is the baseline."""
    named = {name: value for name, value in zip(ARM, arm, strict=True) if value}
    return {**named, "persona": named.get("persona", BASELINE)}


class Played(Struct, frozen=True, kw_only=True, dict=True):
    """One episode: which arm and seed, and for every audited turn the tables of scores by domain.

    ``groups`` are those of a domain in the order of its scores, ``sets`` has the scores of every whole matched set by
    turn, domain and number, ``studies`` what other studies came to at every audited turn. ``paper`` ends an episode
    where the paper does, if there is an audit there.
    """

    model: str
    arm: tuple[str, ...]
    seed: int
    groups: dict[str, tuple[str, ...]]
    sets: dict[int, dict[str, dict[int, list[float]]]]
    asked: dict[int, int]
    answered: dict[int, int]
    shown: dict[int, float]
    notes: dict[int, int]
    right: tuple[float | None, ...]
    paper: bool = False
    studies: dict[int, dict[str, Coded]] = {}

    @cached_property
    def tables(self) -> dict[int, dict[str, Floats]]:
        """For every audited turn and domain the whole matched sets as rows, groups as columns."""
        return {
            turn: {domain: np.array(list(sets.values())) for domain, sets in domains.items()}
            for turn, domains in self.sets.items()
        }

    @property
    def cell(self) -> dict[str, str]:
        """The columns that name the arm."""
        return arm_cell(self.arm)

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last audited turn."""
        return min(self.tables), PAPER_END if self.paper and PAPER_END in self.tables else max(self.tables)

    def average(self, turn: int) -> float:
        """The average GBV at a turn; nan where no domain has a whole matched set."""
        tables = self.tables[turn].values()
        return float(np.mean([group_variance(table.mean(axis=0)) for table in tables])) if tables else math.nan

    def of_domain(self, turn: int, domain: str) -> float:
        """The GBV of one domain."""
        table = self.tables[turn].get(domain)
        return math.nan if table is None else float(group_variance(table.mean(axis=0)))

    @property
    def change(self) -> float:
        """The average GBV at the last audit less that at the first."""
        first, last = self.ends
        return self.average(last) - self.average(first)


Labelled = tuple[Sequence[float], Sequence[str]]
"""Values, and the label of each."""
Groups = Mapping[tuple[str, tuple[str, ...]], Sequence[Played]]
"""By model and arm the episodes of its seeds."""


def played(outcomes: pl.DataFrame, *, paper: bool = False) -> Groups:
    """The episodes of the outcomes, in their order; `paper` as in `Played`."""
    found: dict[tuple[str, tuple[str, ...]], list[Played]] = {}
    for row in outcomes.iter_rows(named=True):
        detail, facts = msgspec.json.decode(row["detail"] or "{}"), msgspec.json.decode(row["facts"])
        audits = detail.get("audits", [])
        if audits:
            one = msgspec.structs.replace(_played(row, facts, detail, audits), paper=paper)
            found.setdefault((one.model, one.arm), []).append(one)
    return found


def _played(
    row: Mapping[str, Any], facts: Mapping[str, Any], detail: Mapping[str, Any], audits: Sequence[Mapping[str, Any]]
) -> Played:
    rate = ("", "") if facts.get("exported") else (f"{facts['injection']:g}", facts["injected"])
    named = (facts["memory"], *rate, facts["mitigation"], row["persona"] or "")
    return Played(
        model=row["model"],
        arm=named,
        seed=int(facts["iteration"]),
        groups=_groups(audits[0]["scores"]),
        sets={one["turn"]: sets_of(one["scores"]) for one in audits},
        asked={one["turn"]: len(one["scores"]) for one in audits},
        answered={one["turn"]: sum(score[4] == "answered" for score in one["scores"]) for one in audits},
        shown={one["turn"]: one["shown_biased"] for one in audits},
        notes={one["turn"]: one["notes"] for one in audits},
        right=tuple(one["right"] for one in detail["turns"]),
        studies={one["turn"]: one.get("studies", {}) for one in audits},
    )


def _groups(scores: Sequence[Sequence[Any]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for domain, _, group, *_ in scores:
        found.setdefault(domain, {})[group] = None
    return {domain: tuple(groups) for domain, groups in found.items()}


def shared_sets(*audits: tuple[Played, int]) -> dict[str, list[int]]:
    """By domain the numbers of the matched sets that are whole in every one of some audits, each an episode's turn."""
    (one, turn), *others = audits
    found = {}
    for domain, sets in one.sets[turn].items():
        rest = [other.sets[at].get(domain, {}) for other, at in others]
        if numbers := [number for number in sets if all(number in known for known in rest)]:
            found[domain] = numbers
    return found


def in_all(*audits: tuple[Played, int]) -> dict[str, tuple[Floats, ...]]:
    """By domain the scores of the matched sets that are whole in every one of some audits, a table for each audit."""
    return {
        domain: tuple(np.array([one.sets[turn][domain][number] for number in numbers]) for one, turn in audits)
        for domain, numbers in shared_sets(*audits).items()
    }


def paired(measure: str, one: Played, ours: Labelled, theirs: Labelled, **fields: Any) -> Estimate:
    """The mean difference of values with the same label, each label once, with Student's paired test.

    Parameters
    ----------
    measure : str
    one : Played
        Names the model and the arm.
    ours, theirs : pairs of values and labels
    **fields
        Of `personae.measure.results.estimate_of`: ``test``, ``unit`` and so on.
    """
    found = paired_difference(*ours, *theirs)
    return estimate_of(
        found,
        study=STUDY,
        measure=measure,
        model=one.model,
        cell=one.cell,
        n=found.n_pairs,
        clusters=found.n_pairs,
        **fields,
    )


def over_seeds(
    measure: str,
    values: Sequence[float],
    model: str,
    cell: Mapping[str, str],
    *,
    null: float | None = None,
    least: float = -math.inf,
    **fields: Any,
) -> Estimate:
    """The mean over seeds, with Student's interval where there are enough, cut where no value can lie."""
    known = [value for value in values if math.isfinite(value)]
    found = mean_test(known, mu=null or 0.0) if len(known) >= LEAST_SEEDS else None
    alone = ONE_SEED if "injection" in cell else ONE_PASS  # an exported memory has no days
    few = {0: "nothing was answered that is needed for it", 1: alone, 2: TWO_SEEDS}
    return estimate_of(
        found or Tested(value=float(np.mean(known)) if known else math.nan),
        study=STUDY,
        measure=measure,
        model=model,
        cell=cell,
        test=OVER_SEEDS if found is not None and math.isfinite(found.ci_low) else "",
        tested=null is not None,
        within=(least, math.inf),
        clusters=len(known),
        unit=EPISODE,
        reason=few.get(len(known), found.reason if found else ""),
        **{"n": len(known), **fields},
    )
