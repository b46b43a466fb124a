"""Specs: validated, frozen, written and read."""

from __future__ import annotations

from pathlib import Path

import pytest

from personae.errors import BadInput
from personae.spec import check_judges, make_spec, read_spec, write_spec


def test_a_spec_written_is_the_spec_read(tmp_path: Path) -> None:
    spec = make_spec(
        studies=["companions"], models=["sim/neutral"], scale="paper", max_cost=2.5, personas=Path("a/b.yaml")
    )
    write_spec(spec, tmp_path / "spec.yaml")
    assert make_spec(**read_spec(tmp_path / "spec.yaml")) == spec


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"studies": [], "models": ["m"]}, "studies: found []"),
        (
            {"studies": ["s"], "models": ["m"], "scale": "big"},
            "scale: found 'big'; Input should be 'quick', 'standard' or 'paper'",
        ),
        ({"studies": ["s"], "models": ["m"], "colour": 1}, "colour: found 1; the fields are studies, models, scale"),
        ({"studies": ["s"]}, "models"),
        ({"studies": ["s"], "models": ["m"], "repeats": "many"}, "repeats: found 'many'"),
    ],
)
def test_the_first_wrong_field_is_named(given: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput) as raised:
        make_spec(**given)
    assert said in str(raised.value)


@pytest.mark.parametrize("text", ["- a list", "studies: [", "just words", "\x00"])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "spec.yaml").write_text(text)
    with pytest.raises(BadInput, match="spec file"):
        read_spec(tmp_path / "spec.yaml")


def test_embedded_models_are_forced_and_others_are_not() -> None:
    spec = make_spec(studies=["s"], models=["m"])
    assert (spec.respond_to("local/smollm2"), spec.respond_to("ollama/x")) == ("forced", "free")
    assert make_spec(studies=["s"], models=["m"], respond="free").respond_to("local/smollm2") == "free"


def test_only_what_changes_no_request_may_differ_between_sittings() -> None:
    one = make_spec(studies=["s"], models=["m"], concurrency=3, max_cost=1, scoring="paper", timeout=3)
    assert one.identity() == make_spec(studies=["s"], models=["m"]).identity()
    assert one.identity() != make_spec(studies=["s"], models=["m"], seed=1).identity()


@pytest.mark.parametrize(
    ("judges", "respondent", "word"),
    [
        (["a/b", "A/b "], "c/d", "once"),
        (["a/b"], "a/b", "--judge-self"),
        (["vllm/m@http://127.0.0.1:1/v1"], "vllm/m@http://127.0.0.1:2/v1", "--judge-self"),
    ],
)
def test_judges_that_cannot_be_are_named(judges: list[str], respondent: str, word: str) -> None:
    with pytest.raises(BadInput, match=word):
        check_judges(judges, [respondent])


def test_helpers_are_each_model_asked_beside_the_respondents_with_its_option() -> None:
    spec = make_spec(studies=["s"], models=["m"], judges=["a/b", "c/d"], generator="e/f", auditor="g/h")
    assert spec.helpers == {"a/b": "--judge", "c/d": "--judge", "e/f": "--generator", "g/h": "--auditor"}
    assert make_spec(studies=["s"], models=["m"]).helpers == {}


def test_a_model_may_judge_itself_when_that_is_said() -> None:
    check_judges(["a/b"], ["a/b"], allow_self=True)
    check_judges(["a/b", "c/d"], ["e/f"])
    check_judges(["sim/judge?accuracy=0.9"], ["sim/planted?bias=0.3"])
