"""Whether an injected bias spreads to other domains (paper 002, section 5.3): the share of cells that grew."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np

from personae.memory.design import MIXED
from personae.memory.measures_frame import ARM, STUDY, Floats, Groups, Played
from personae.stats.spread import Block, Spread, Way, increases, share_of_increases, shared
from personae.types import Estimate

INCREASES = "cross-domain increases"
BEYOND = "cross-domain increases beyond no injection"
CHANCE = ", by chance"
EACH = "each"
"""What is injected, in the cells of these measures: every domain by itself."""
EXCHANGE = "exchange of audits within matched sets"
ONE_ARM = "fewer than two domains were injected each by itself"
DRAWS = 1000

Compared = tuple[Played, int, Played, int]
"""An episode and the turn of its audit, and those it is compared with."""
_Key = tuple[str, tuple[str, ...]]


def spread(groups: Groups, *, sound: bool = True) -> Iterator[Estimate]:
    """The share of cells, injected domain by another evaluated one, in which groups moved apart.

    Cells have ``injected`` "each"; seeds are averaged before cells are counted, as in the heat map.

    Measures
    --------
    ``cross-domain increases``
        GBV at the last audit above that at the first (paper 002, section 5.3: 70.19 %); p is one-sided.
    ``cross-domain increases beyond no injection``
        GBV at the last audit above that at the last of the same seed without injection, where there is one.
    the same with ``, by chance``
        The mean of what exchanging audits gives, and its middle 95 % as the interval.

    Parameters
    ----------
    groups : Groups
    sound : bool
        Without, only the share itself.
    """
    for (model, arm), arms in _single(groups).items():
        cell = {name: value for name, value in zip(ARM, arm, strict=True) if value}
        episodes = [one for group in arms.values() for one in group]
        if len(arms) < 2:
            yield Estimate(
                study=STUDY, measure=INCREASES, model=model, cell=cell, value=math.nan, n=len(arms), reason=ONE_ARM
            )
            continue
        own = [(one, one.ends[1], one, one.ends[0]) for one in episodes]
        yield from _estimates(INCREASES, model, cell, own, sound)
        calm = {one.seed: one for one in groups.get((model, (arm[0], "0", MIXED, *arm[3:])), ())}
        pairs = [(one, one.ends[1], calm[one.seed], calm[one.seed].ends[1]) for one in episodes if one.seed in calm]
        if pairs and sound:
            yield from _estimates(BEYOND, model, cell, pairs, sound)


def _single(groups: Groups) -> dict[_Key, dict[str, Sequence[Played]]]:
    """Arms with one domain injected, by what else they have in common and by that domain."""
    found: dict[_Key, dict[str, Sequence[Played]]] = {}
    for (model, arm), episodes in groups.items():
        memory, rate, injected, *rest = arm
        if rate != "0" and injected != MIXED:
            found.setdefault((model, (memory, rate, EACH, *rest)), {})[injected] = episodes
    return found


def _estimates(
    measure: str, model: str, cell: Mapping[str, str], compared: Sequence[Compared], sound: bool
) -> Iterator[Estimate]:
    found = _found(measure, compared, sound)
    audits = [audit for one, turn, other, before in compared for audit in ((one, turn), (other, before))]
    answered, asked = (sum(getattr(one, what)[turn] for one, turn in audits) for what in ("answered", "asked"))
    share = Estimate(
        study=STUDY,
        measure=measure,
        model=model,
        cell=cell,
        value=found.value,
        n=found.cells,
        coverage=answered / asked,
        reason=found.reason,
    )
    if not math.isfinite(found.p):
        yield share
        return
    share = msgspec.structs.replace(share, clusters=found.cells, unit="cell")
    yield msgspec.structs.replace(share, p=found.p, test=EXCHANGE)
    yield msgspec.structs.replace(
        share,
        measure=f"{measure}{CHANCE}",
        value=found.null,
        ci_low=found.null_low,
        ci_high=found.null_high,
        test=EXCHANGE,
    )


def _found(measure: str, compared: Sequence[Compared], sound: bool) -> Spread:
    blocks = _blocks(compared)
    if not blocks:
        return Spread(value=math.nan, reason="no matched set was answered for every group")
    if not sound:
        return share_of_increases(blocks)
    rng = np.random.default_rng(min(one.seed for one, *_ in compared))
    # Without injection one episode is what all of its seed are compared with, and all of them were told the same else.
    ways: tuple[Way, ...] = ("all",) if measure == BEYOND else ("ends", "all") if shared(blocks) else ("ends",)
    return increases(blocks, rng, ways=ways, draws=DRAWS)


def _blocks(compared: Sequence[Compared]) -> list[Block]:
    """The audits domain by domain, and seed by seed unless all seeds too compare with the same audit."""
    seeds: dict[int, list[Compared]] = {}
    for pair in compared:
        seeds.setdefault(pair[0].seed, []).append(pair)
    domains = sorted({domain for one, turn, *_ in compared for domain in one.sets[turn]})
    each = [_block(domain, [pairs[0] for pairs in seeds.values()]) for domain in domains]
    apart = seeds.values() if not shared([block for block in each if block is not None]) else [list(compared)]
    found = [_block(domain, pairs) for domain in domains for pairs in apart]
    return [block for block in found if block is not None]


def _block(domain: str, chosen: Sequence[Compared]) -> Block | None:
    sides = [
        [one.sets[turn].get(domain, {}) for one, turn, *_ in chosen],
        [other.sets[before].get(domain, {}) for *_, other, before in chosen],
    ]
    numbers = sorted({number for side in sides for sets in side for number in sets})
    if not numbers:
        return None
    width = next(len(row) for side in sides for sets in side for row in sets.values())
    after, before = (np.array([_rows(sets, numbers, width) for sets in side]) for side in sides)
    injected = [one.arm[2] for one, *_ in chosen]
    cells = tuple(None if name == domain else (name, domain) for name in injected)
    return Block(before=before, after=after, cells=cells)


def _rows(sets: Mapping[int, Sequence[float]], numbers: Sequence[int], width: int) -> Floats:
    """The scores of these sets; nan where one is not whole."""
    missing = [math.nan] * width
    return np.array([sets.get(number, missing) for number in numbers])
