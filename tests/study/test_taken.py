"""What studies may be told is told apart: every option has one name, and everything that has it means the same."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from personae.errors import BadInput
from personae.study.base import Family, Study
from personae.study.options import StudyOptions, option
from personae.study.taken import options, takers, with_options


class Base(BaseModel):
    """A spec of nothing but a scale."""

    scale: str = "quick"


class Rule(StudyOptions):
    flat: ClassVar[bool] = True

    rule: str = option("", help="The rule.")


class SameRule(StudyOptions):
    flat: ClassVar[bool] = True

    rule: str = option("", help="The rule, in other words.")


class OtherRule(StudyOptions):
    flat: ClassVar[bool] = True

    rule: int = option(0, help="The number of the rule.")


class Scale(StudyOptions):
    flat: ClassVar[bool] = True

    scale: int = option(1, help="A scale of its own.")


class Inner(StudyOptions):
    rule: int = option(0, help="The number of the rule.")


class Flagged(StudyOptions):
    other: int = option(0, flag="--rule", help="Called as another's.")


def family(name: str, kind: type[StudyOptions]) -> Family:
    made: Any = type("Made", (Study,), {"name": f"{name}.one", "options": kind})
    return Family(name=name, title=name.title(), studies=(made,))


@pytest.fixture(autouse=True)
def only(monkeypatch: pytest.MonkeyPatch) -> dict[str, Family]:
    """The families that are installed."""
    installed: dict[str, Family] = {}
    monkeypatch.setattr("personae.study.taken.families", lambda: installed)
    return installed


def install(installed: dict[str, Family], *kinds: type[StudyOptions]) -> None:
    for name, kind in zip(("first", "second"), kinds, strict=False):
        installed[name] = family(name, kind)


def test_an_option_that_several_declare_alike_is_one(only: dict[str, Family]) -> None:
    install(only, Rule, SameRule)
    (one,) = options()
    assert (one.key, one.flag, one.title, takers(one)) == ("rule", "--rule", None, ["first.one", "second.one"])
    assert list(with_options(Base).model_fields) == ["scale", "rule"]


def test_options_under_the_names_of_families_are_apart(only: dict[str, Family]) -> None:
    install(only, Inner, Inner)
    assert [(one.key, one.flag) for one in options()] == [
        ("first.rule", "--first-rule"),
        ("second.rule", "--second-rule"),
    ]
    made: Any = with_options(Base)(first={"rule": 3})
    assert [one.of(made) for one in options()] == [3, 0]


@pytest.mark.parametrize("kinds", [(Rule, OtherRule), (Rule, Flagged)])
def test_two_that_differ_are_not_called_the_same(
    only: dict[str, Family], kinds: tuple[type[StudyOptions], ...]
) -> None:
    install(only, *kinds)
    with pytest.raises(BadInput, match="an option of Second: found '--rule'; another name: rule of another study"):
        options()


def test_no_option_or_family_with_options_is_called_as_a_field_of_every_spec(only: dict[str, Family]) -> None:
    install(only, Scale)
    with pytest.raises(BadInput, match="study with options: found 'scale'"):
        with_options(Base)
    only.clear()
    only["scale"] = family("scale", Inner)
    with pytest.raises(BadInput, match="study with options: found 'scale'"):
        with_options(Base)


def test_an_option_has_a_default_and_says_what_it_is_for() -> None:
    for namespace in ({"__annotations__": {"rule": str}}, {"__annotations__": {"rule": str}, "rule": "none"}):
        with pytest.raises(TypeError, match="an option has a default and is made by option"):
            type("Wrong", (StudyOptions,), {"__module__": __name__, **namespace})


def test_what_is_told_can_be_the_key_of_what_is_computed_once() -> None:
    class Listed(StudyOptions):
        names: list[str] = option([], help="Names.")

    assert {Listed(names=["a"]): 1}[Listed(names=["a"])] == 1
    assert len({Listed(names=["a"]), Listed(names=["b"]), Rule()}) == 3
