"""Roles and questions: those of the bank, or those of a file of the user's own, as ``personae generate`` writes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from msgspec import Struct
from pydantic import model_validator

from personae.personas import BadInputValue, Strict, read_yaml
from personae.studies.roleplay.bank import Question, questions
from personae.studies.roleplay.checking import fault_of_groups, fault_of_role, fault_of_text
from personae.studies.roleplay.composition import PER_KIND
from personae.studies.roleplay.paper import Kind
from personae.studies.roleplay.roles import Article, Role, roles, slug


class OwnRole(Struct, frozen=True, kw_only=True):
    """A role of the user's own; see `personae.studies.roleplay.roles.Role`."""

    id: str
    attribute: str
    name: str
    article: str


class OwnQuestion(Struct, frozen=True, kw_only=True):
    """A question of the user's own; see `personae.studies.roleplay.bank.Question`."""

    id: str
    text: str
    bias_type: str
    groups: tuple[str, ...]
    target: str | None
    polarity: str
    options: tuple[str, ...] = ()
    flipped_text: str | None = None

    def blames(self, option: int) -> str | None:
        """The group that picking an option speaks badly of, where there are two groups and so it is known."""
        if len(self.groups) != 2 or option not in (0, 1):
            return None
        return self.groups[option if self.polarity == "bad" else 1 - option]


AnyRole = Role | OwnRole
AnyQuestion = Question | OwnQuestion


class QuestionEntry(Strict):
    """What questions of every kind say. ``polarity``: whether the claim is a praise or a blame."""

    text: str
    bias_type: str
    groups: tuple[str, ...]
    polarity: Literal["good", "bad"]

    def fault(self) -> str | None:
        """What is wrong with it."""
        if not self.bias_type.strip():
            return "bias_type says which attribute of people the question is about"
        return fault_of_groups(self.groups, 1) or fault_of_text(self.text, self.groups)

    @model_validator(mode="after")
    def _fits(self) -> QuestionEntry:
        if fault := self.fault():
            raise BadInputValue(self.text, fault)
        return self


class YesNoEntry(QuestionEntry):
    """A Yes/No question whose fair answer is No; ``flipped`` asks the same so that it is Yes."""

    flipped: str | None = None

    def fault(self) -> str | None:
        """What is wrong with it."""
        return super().fault() or (None if self.flipped is None else fault_of_text(self.flipped, self.groups))


class ChoiceEntry(QuestionEntry):
    """A Choice question; its options are the groups and ``undecided``, which declines to choose."""

    undecided: str

    def fault(self) -> str | None:
        """What is wrong with it."""
        return fault_of_groups([*self.groups, self.undecided], 3, 5) or super().fault()


class WhyEntry(QuestionEntry):
    """A Why question, which takes for granted what no group deserves."""

    def fault(self) -> str | None:
        """What is wrong with it."""
        if not self.text.lower().lstrip().startswith(("why", "how come", "what makes", "what is it that makes")):
            return "a why question begins with why, how come or what makes"
        return super().fault()


class OwnRoleEntry(Strict):
    """A role with its questions."""

    name: str
    attribute: str
    article: Article
    yesno: tuple[YesNoEntry, ...] = ()
    choice: tuple[ChoiceEntry, ...] = ()
    why: tuple[WhyEntry, ...] = ()

    @model_validator(mode="after")
    def _fits(self) -> OwnRoleEntry:
        if fault := fault_of_role(self.name, self.article):
            raise BadInputValue(self.name, fault)
        if not self.attribute.strip():
            raise BadInputValue(self.attribute, "attribute says what kind of role it is, such as occupation")
        return self


class OwnFile(Strict):
    """A file of roles and questions."""

    roles: tuple[OwnRoleEntry, ...]

    @model_validator(mode="after")
    def _nothing_twice(self) -> OwnFile:
        if not any(entry.yesno or entry.choice or entry.why for entry in self.roles):
            raise BadInputValue("no question", "at least one role has at least one question")
        names, texts = set[str](), set[str]()
        for entry in self.roles:
            if slug(entry.name) in names:
                raise BadInputValue(entry.name, "another role has this name; each role is named once")
            names.add(slug(entry.name))
            for question in (*entry.yesno, *entry.choice, *entry.why):
                if question.text.casefold() in texts:
                    raise BadInputValue(question.text, "this question stands there twice; each is asked once")
                texts.add(question.text.casefold())
        return self


class Source(Struct, frozen=True):
    """Where roles and questions come from: ``attributes`` maps an attribute to its roles."""

    attributes: Mapping[str, Sequence[AnyRole]]
    own: Mapping[tuple[str, Kind], Sequence[OwnQuestion]] | None = None

    def questions(self, role: AnyRole, kind: Kind) -> Sequence[AnyQuestion]:
        """The questions of one kind of a role."""
        if self.own is not None:
            return self.own[role.id, kind]
        return _banked(role.id)[kind]

    def count(self, role: AnyRole, kind: Kind) -> int:
        """How many questions of one kind a role has."""
        return PER_KIND if self.own is None else len(self.own[role.id, kind])


@lru_cache(maxsize=1024)
def _banked(role: str) -> Mapping[Kind, tuple[Question, ...]]:
    """The bank's questions of a role by kind; kept, since each of the three studies asks for its own kind."""
    found: dict[Kind, list[Question]] = {"yesno": [], "choice": [], "why": []}
    for question in questions(role):
        found[question.kind].append(question)
    return {kind: tuple(one) for kind, one in found.items()}


def source(path: Path | None) -> Source:
    """The bank, or a file of the user's own.

    Raises
    ------
    BadInput
        When the file cannot be read or does not fit; the place in it is named.
    """
    if path is None:
        return _bank()
    # The same file is read by three studies, and more than once by each.
    stat = path.stat() if path.is_file() else None
    return _own(path, stat.st_mtime_ns if stat else 0, stat.st_size if stat else 0)


@lru_cache(maxsize=1)
def _bank() -> Source:
    return Source(_by_attribute(roles()))


@lru_cache(maxsize=8)
def _own(path: Path, _changed: int, _size: int) -> Source:
    entries = read_yaml(path, OwnFile).roles
    found: dict[tuple[str, Kind], tuple[OwnQuestion, ...]] = {}
    for entry in entries:
        kinds: tuple[Kind, ...] = ("yesno", "choice", "why")
        for kind in kinds:
            found[slug(entry.name), kind] = tuple(_asked(slug(entry.name), kind, getattr(entry, kind)))
    return Source(_by_attribute([_role(entry) for entry in entries]), found)


def _role(entry: OwnRoleEntry) -> OwnRole:
    article = "" if entry.article == "none" else entry.article
    return OwnRole(id=slug(entry.name), attribute=entry.attribute, name=entry.name, article=article)


def _asked(role: str, kind: Kind, entries: Sequence[QuestionEntry]) -> Iterator[OwnQuestion]:
    for number, entry in enumerate(entries, start=1):
        yield OwnQuestion(
            id=f"{role}-{kind}-{number:02}",
            text=entry.text,
            bias_type=entry.bias_type,
            groups=entry.groups,
            target=_target(kind, entry),
            polarity=entry.polarity,
            options=(*entry.groups, entry.undecided) if isinstance(entry, ChoiceEntry) else (),
            flipped_text=entry.flipped if isinstance(entry, YesNoEntry) else None,
        )


def _target(kind: Kind, entry: QuestionEntry) -> str | None:
    """The group a biased answer speaks badly of: the first named is said to be more so than the second."""
    if kind == "choice":
        return None
    if entry.polarity == "bad":
        return entry.groups[0]
    return entry.groups[1] if len(entry.groups) == 2 else None


def _by_attribute(known: Sequence[AnyRole]) -> Mapping[str, Sequence[AnyRole]]:
    found: dict[str, list[AnyRole]] = {}
    for role in known:
        found.setdefault(role.attribute, []).append(role)
    return found
