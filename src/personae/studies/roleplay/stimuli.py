"""What questions are composed of: pairs of groups, claims about them and frames that ask, from the YAML files beside.

A claim says more of one group than of another. A pair of groups avoids the claims that its membership would make
true or nonsense (tags and areas named in ``groups.yaml``), and those that repeat a word of its own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal

from msgspec import Struct
from pydantic import BeforeValidator, model_validator

from personae.personas import BadInputValue, Strict, read_yaml
from personae.studies.roleplay.roles import ATTRIBUTES, FOLDER, Area, Attribute, slug

Kind = Literal["yesno", "choice", "why"]
Polarity = Literal["good", "bad"]
Shape = Literal["does", "makes", "is"]
POLARITIES: tuple[Polarity, Polarity] = ("good", "bad")
FrameKind = Literal["yesno", "choice", "why", "flipped"]

PLACE = re.compile(r"\{(\w+)\}")
_GROUP_PLACES = {"A", "B", "a", "b"}
_CLAIM_PLACES: dict[Shape, set[str]] = {
    "does": {"do"},
    "makes": {"noun", "nouns", "a_noun", "quality"},
    "is": {"is", "more"},
}
_COMMON = {"people", "person", "someone", "with", "without", "have", "their", "that", "them", "they", "were", "from"}
_COMMON |= {"never", "always", "more"}


class Group(Struct, frozen=True):
    """A group of people: in the plural ("pensioners") and as one of them ("a pensioner")."""

    plural: str
    one: str


class Pair(Struct, frozen=True, kw_only=True):
    """Two groups and the bias type that comparing them probes. ``id`` is the names as slugs."""

    id: str
    bias_type: Attribute
    groups: tuple[Group, Group]
    avoid: frozenset[str]
    words: frozenset[str]


class Claim(Struct, frozen=True, kw_only=True):
    """Something said more of one group than of another; ``forms`` fills the places of frames."""

    id: str
    area: Area
    polarity: Polarity
    shape: Shape
    forms: Mapping[str, str]
    tags: frozenset[str]
    words: frozenset[str]

    def fits(self, pair: Pair) -> bool:
        """Whether the claim neither follows from being in a group of the pair nor repeats its name."""
        return not (self.tags & pair.avoid or self.words & pair.words)


class PairEntry(Strict):
    """A pair as written: per group its plural and its form for one person."""

    a: tuple[str, str]
    b: tuple[str, str]
    avoid: frozenset[str] = frozenset()


class TypeEntry(Strict):
    """The pairs that probe one bias type, and what all of them avoid."""

    avoid: frozenset[str]
    pairs: tuple[PairEntry, ...]


class GroupFile(Strict):
    """The file ``groups.yaml``."""

    types: Mapping[Attribute, TypeEntry]

    @model_validator(mode="after")
    def _every_group_once(self) -> GroupFile:
        seen: set[str] = set()
        for entry in (entry for kind in self.types.values() for entry in kind.pairs):
            for plural, _ in (entry.a, entry.b):
                if plural in seen:
                    raise BadInputValue(plural, "another pair has this group; each group stands in one pair")
                seen.add(plural)
        return self


class MakesEntry(Strict):
    """A part that people play, and a quality they may have in it."""

    noun: str
    quality: str
    plural: str = ""
    chosen: bool = True
    tags: frozenset[str] = frozenset()


class DoesEntry(Strict):
    """Something people do: a verb phrase in the base form."""

    do: str
    tags: frozenset[str] = frozenset()


class IsEntry(Strict):
    """Something people are: an adjective with its complement, and its comparative."""

    adjective: str
    more: str = ""
    tags: frozenset[str] = frozenset()


def _phrase(value: Any) -> Any:
    return {"do": value} if isinstance(value, str) else value


class AreaEntry(Strict):
    """The claims of one area of life."""

    makes: tuple[MakesEntry, ...]
    does: Mapping[Polarity, tuple[Annotated[DoesEntry, BeforeValidator(_phrase)], ...]]
    adjectives: Mapping[Polarity, tuple[IsEntry, ...]]


class TraitFile(Strict):
    """The file ``traits.yaml``."""

    areas: Mapping[Area, AreaEntry]


class FrameFile(Strict):
    """The file ``frames.yaml``: frames by kind, shape and polarity; the wordings of the undecided option."""

    yesno: Mapping[Shape, Mapping[Polarity, tuple[str, ...]]]
    choice: Mapping[Shape, Mapping[Polarity, tuple[str, ...]]]
    why: Mapping[Shape, Mapping[Polarity, tuple[str, ...]]]
    flipped: Mapping[Shape, Mapping[Polarity, tuple[str, ...]]]
    undecided: tuple[str, ...]

    def fitting(self, kind: FrameKind, claim: Claim) -> tuple[str, ...]:
        """The frames of a kind for which the claim has every form."""
        return _fitting(getattr(self, kind)[claim.shape][claim.polarity], frozenset(claim.forms))

    @model_validator(mode="after")
    def _every_place_is_known(self) -> FrameFile:
        for kind in (self.yesno, self.choice, self.why, self.flipped):
            for shape, frames in kind.items():
                known = _GROUP_PLACES | _CLAIM_PLACES[shape]
                for frame in (frame for alternatives in frames.values() for frame in alternatives):
                    if unknown := set(PLACE.findall(frame)) - known:
                        raise BadInputValue(min(unknown), f"a frame of {shape} may name {', '.join(sorted(known))}")
        return self


@cache
def _fitting(alternatives: tuple[str, ...], forms: frozenset[str]) -> tuple[str, ...]:
    return tuple(one for one in alternatives if forms | _GROUP_PLACES >= set(PLACE.findall(one)))


def words_of(*phrases: str) -> frozenset[str]:
    """The telling words of phrases, without the s of a plural: what a claim and a group must not share."""
    found = re.findall(r"[^\W\d_]{4,}", " ".join(phrases).casefold())
    return frozenset(word.removesuffix("s") for word in found if word not in _COMMON)


def with_article(noun: str) -> str:
    """A noun phrase of ``traits.yaml`` with its indefinite article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


@cache
def pairs() -> tuple[Pair, ...]:
    """All pairs of groups, by bias type in the order of `ATTRIBUTES`."""
    types = read_yaml(FOLDER / "groups.yaml", GroupFile).types
    return tuple(
        Pair(
            id=f"{slug(entry.a[0])}/{slug(entry.b[0])}",
            bias_type=bias_type,
            groups=(Group(*entry.a), Group(*entry.b)),
            avoid=types[bias_type].avoid | entry.avoid,
            words=words_of(*entry.a, *entry.b),
        )
        for bias_type in ATTRIBUTES
        for entry in types[bias_type].pairs
    )


@cache
def claims() -> tuple[Claim, ...]:
    """All claims, by area in the order of the file."""
    areas = read_yaml(FOLDER / "traits.yaml", TraitFile).areas
    return tuple(claim for area, entry in areas.items() for claim in _claims(area, entry))


def _claims(area: Area, entry: AreaEntry) -> Iterator[Claim]:

    for polarity in POLARITIES:
        for part in entry.makes:
            forms = {
                "noun": part.noun,
                "nouns": part.plural or f"{part.noun}s",
                "quality": part.quality,
            }
            if part.chosen:
                forms["a_noun"] = with_article(part.noun)
            yield _claim(area, polarity, "makes", forms, part.tags)
        for deed in entry.does[polarity]:
            yield _claim(area, polarity, "does", {"do": deed.do}, deed.tags)
        for trait in entry.adjectives[polarity]:
            forms = {"is": trait.adjective, "more": trait.more or f"more {trait.adjective}"}
            yield _claim(area, polarity, "is", forms, trait.tags)


def _claim(area: Area, polarity: Polarity, shape: Shape, forms: Mapping[str, str], tags: frozenset[str]) -> Claim:
    return Claim(
        id=f"{polarity}/{slug(next(iter(forms.values())))}",
        area=area,
        polarity=polarity,
        shape=shape,
        forms=forms,
        tags=tags | {area},
        words=words_of(*forms.values()),
    )


@cache
def frames() -> FrameFile:
    """How claims are asked."""
    return read_yaml(FOLDER / "frames.yaml", FrameFile)
