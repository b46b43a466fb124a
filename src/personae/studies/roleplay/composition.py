"""Which claim about which pair of groups each question of each role makes: the plan of the bank.

Half of a role's questions probe the bias type of its own attribute, the other half each of the other ten once per
kind. Pairs take turns; each time a pair comes up, the next of its two groups is the one the claim favours, and every
second time the claim changes between good and bad. So each group is spoken badly of as often as the other, and of
a pair's claims half are good. Within that, claims from the role's areas of life are taken first in every second
question. A pair meets a claim once per kind (for yes/no and why once in each direction), so no question is another
one in other words. Orders come from blake2b digests of the names, never from a random state.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import blake2b
from itertools import chain

from msgspec import Struct

from personae.errors import BadInput
from personae.studies.roleplay.roles import ATTRIBUTES, Area, Attribute, Role, roles
from personae.studies.roleplay.stimuli import POLARITIES, Claim, Kind, Pair, Polarity, claims, pairs

KINDS: tuple[Kind, ...] = ("yesno", "choice", "why")
PER_KIND = 20
"""Questions of each kind per role (paper 001, section 2.A)."""
OWN = PER_KIND // 2
"""Of these, how many probe the bias type of the role's own attribute."""


class Cell(Struct, frozen=True):
    """One question before it is worded. ``first`` is the group of the pair that the claim says more of (0 or 1)."""

    pair: Pair
    first: int
    claim: Claim


def digest(*parts: str) -> int:
    """A number that depends on nothing but the parts."""
    return int.from_bytes(blake2b("\x1f".join(parts).encode(), digest_size=8).digest(), "big")


def cells(kind: Kind, role_index: int) -> Iterator[Cell]:
    """The 20 cells of one kind for the role at a place in `roles`, in the order asked."""
    start = role_index * PER_KIND
    for code in _plan(kind)[start : start + PER_KIND]:
        pair, rest = divmod(code, 2 * len(claims()))
        first, claim = divmod(rest, len(claims()))
        yield Cell(pairs()[pair], first, claims()[claim])


@cache
def _plan(kind: Kind) -> array[int]:
    """Every cell of one kind as a number: 11,000 of them, all that is kept of the plan."""
    planner = _Planner(kind)
    return array("L", chain.from_iterable(planner.row(role) for role in roles()))


@cache
def _orders() -> Sequence[dict[Polarity, tuple[int, ...]]]:
    """For every pair, by polarity, the claims that fit it in the order in which they are tried."""
    found: list[dict[Polarity, tuple[int, ...]]] = []
    for pair in pairs():
        fitting = [index for index, claim in enumerate(claims()) if claim.fits(pair)]
        fitting.sort(key=lambda index: digest(pair.id, claims()[index].id))
        good = tuple(index for index in fitting if claims()[index].polarity == "good")
        bad = tuple(index for index in fitting if claims()[index].polarity == "bad")
        found.append({"good": good, "bad": bad})
    return found


class _Planner:
    """Takes the roles in turn and remembers what is taken."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.starts = [digest(kind, pair.id) for pair in pairs()]
        self.turns: dict[Attribute, list[int]] = {attribute: [] for attribute in ATTRIBUTES}
        for index in sorted(range(len(pairs())), key=self.starts.__getitem__):
            self.turns[pairs()[index].bias_type].append(index)
        self.asked = dict.fromkeys(ATTRIBUTES, 0)
        self.free: dict[tuple[int, int, Polarity], list[int]] = {}

    def row(self, role: Role) -> list[int]:
        """The cells of one role."""
        others = [attribute for attribute in ATTRIBUTES if attribute != role.attribute]
        types = [bias_type for other in others for bias_type in (role.attribute, other)]
        made: set[int] = set()
        row = [self._cell(bias_type, role, place, made) for place, bias_type in enumerate(types)]
        return sorted(row, key=lambda code: digest(self.kind, role.id, str(code)))

    def _cell(self, bias_type: Attribute, role: Role, place: int, made: set[int]) -> int:
        turn = self.turns[bias_type]
        round_, seat = divmod(self.asked[bias_type], len(turn))
        self.asked[bias_type] += 1
        pair = turn[seat]
        step = round_ + self.starts[pair]
        first, polarity = step % 2, POLARITIES[step // 2 % 2]
        claim = _first(self._untold(pair, first, polarity), role.areas if place // 2 % 2 else (), made)
        made.add(claim)
        return (pair * 2 + first) * len(claims()) + claim

    def _untold(self, pair: int, first: int, polarity: Polarity) -> list[int]:
        # Who is named first does not make another choice, so a choice is taken in both directions at once.
        key = (pair, 0 if self.kind == "choice" else first, polarity)
        if key not in self.free:
            self.free[key] = list(_orders()[pair][polarity])
        if not self.free[key]:
            raise BadInput("groups.yaml", pairs()[pair].id, f"it avoids too much: more {polarity} claims must fit it")
        return self.free[key]


def _first(untold: list[int], areas: Sequence[Area], made: set[int]) -> int:
    """Take the first claim that is new to the role, from its areas if any of them has one."""
    here = (index for index in untold if index not in made and claims()[index].area in areas)
    fresh = (index for index in untold if index not in made)
    claim = next(chain(here, fresh, untold) if areas else chain(fresh, untold))
    untold.remove(claim)
    return claim
