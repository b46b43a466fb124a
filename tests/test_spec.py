"""Specs: validated, frozen, written and read."""

from __future__ import annotations

from pathlib import Path

import pytest

from personae.audit import default_folder
from personae.errors import BadInput
from personae.memory.options import MemoryOptions
from personae.spec import check_judges, make_spec, read_spec, write_spec
from personae.studies.occupations.options import OccupationsOptions


def test_a_default_folder_is_one_folder_of_a_name_that_file_systems_take() -> None:
    short = make_spec(studies=["companions"], models=["../..\0/x\x1b"])
    assert default_folder(short) == Path("runs/companions-.._..__x_-quick")
    one, other = (
        default_folder(make_spec(studies=["companions"], models=[f"sim/{'ü' * 200}{end}"])).name for end in "ab"
    )
    assert one != other
    assert max(len(one.encode()), len(other.encode())) <= 255


def test_a_spec_written_is_the_spec_read(tmp_path: Path) -> None:
    spec = make_spec(
        studies=["companions"], models=["sim/neutral"], scale="paper", max_cost=2.5, personas=Path("a/b.yaml")
    )
    write_spec(spec, tmp_path / "spec.yaml")
    assert make_spec(**read_spec(tmp_path / "spec.yaml")) == spec


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"studies": [], "models": ["m"]}, "studies: found 'none'; at least one"),
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


def test_a_key_of_a_spec_file_stands_there_once(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text("studies: [companions]\nscale: paper\nscale: quick\n", encoding="utf-8")
    with pytest.raises(BadInput, match="'scale' stands there twice"):
        read_spec(path)


@pytest.mark.parametrize("field", ["repeats", "seed", "turns", "every", "concurrency", "retries"])
@pytest.mark.parametrize("found", [True, "3", 2.5])
def test_a_count_is_a_whole_number_and_nothing_that_passes_for_one(field: str, found: object) -> None:
    with pytest.raises(BadInput, match=f"{field}: found {found!r}; Input should be a valid integer"):
        make_spec(studies=["companions"], models=["sim/neutral"], **{field: found})


def test_a_model_is_named_once() -> None:
    with pytest.raises(BadInput, match="sim/neutral 2 times'; each model once"):
        make_spec(studies=["companions"], models=["sim/neutral", "sim/planted", "sim/neutral"])


@pytest.mark.parametrize("field", ["studies", "models"])
def test_where_none_is_named_it_is_said_what_lists_them(field: str) -> None:
    with pytest.raises(BadInput, match=f"{field}: found 'none'; at least one; `personae {field}` lists"):
        make_spec(**{"studies": ["companions"], "models": ["sim/neutral"], field: []})


def test_options_of_our_studies_stand_by_themselves_or_under_the_name_of_their_family() -> None:
    asked = {"studies": ["occupations", "memory"], "models": ["sim/neutral"]}
    flat = make_spec(**asked, genders=3, memories=["window"])
    assert make_spec(**asked, occupations={"genders": 3}, memory={"memories": ["window"]}) == flat
    assert make_spec(**asked, occupations=OccupationsOptions(genders=3), memories=["window"]) == flat
    assert (flat.model_dump()["genders"], "occupations" in flat.model_dump()) == (3, False)
    settings = flat.settings("sim/neutral", prefill=True, top_logprobs=20)
    assert (settings.of(OccupationsOptions).genders, settings.of(MemoryOptions).memories) == (3, ["window"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"occupations": {"genders": 4}}, "genders: found 4; Input should be 2 or 3"),
        ({"occupations": {"tau": 1}}, "occupations.tau: found 1; the options of occupations are genders, stimuli"),
        ({"occupations": {"genders": 3}, "genders": 3}, "occupations.genders: found 3; once: genders is given too"),
        ({"occupations": 3}, "occupations: found 3; the fields are studies, models"),
    ],
)
def test_an_option_that_is_told_wrongly_is_named(given: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput) as raised:
        make_spec(studies=["occupations"], models=["sim/neutral"], **given)
    assert said in str(raised.value)
