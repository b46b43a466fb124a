"""personae generate, as a person calls it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from personae import generating
from personae.errors import ModelError
from personae.generating import Generated

Personae = Callable[..., Any]
CALL = ("generate", "roleplay", "-m", "fake/writer", "-o", "made")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Stand in for the generation; keeps what it was told."""
    given: list[Any] = []

    def use(**fields: Any) -> list[Any]:
        known: dict[str, Any] = {"path": Path("made/roles.yaml"), "roles": 2, "questions": 9, "asked": 8}

        def generate(spec: Any, out: Path, **more: Any) -> Generated:
            given.append((spec, out, more))
            return Generated(**{**known, "short": {}, "faults": {}, **fields})

        monkeypatch.setattr(generating, "generate", generate)
        return given

    return use


def test_options_reach_the_generation(personae: Personae, made: Any) -> None:
    given = made()
    result = personae(*CALL, "--attribute", "age", "--attribute", "habit", "--roles", 7, "--seed", 3, "--retries", 0)
    assert result.exit_code == 0
    ((spec, out, more),) = given
    assert (spec.attributes, spec.roles, spec.questions, spec.seed) == (["age", "habit"], 7, 4, 3)
    assert (out, more["options"].retries, more["options"].timeout) == (Path("made"), 0, 120.0)
    assert "2 roles, 9 questions" in result.stdout
    assert "--personas made/roles.yaml" in result.stdout


def test_data_is_printed_as_data(personae: Personae, made: Any) -> None:
    made(faults={"it repeats": 3})
    found = json.loads(personae(*CALL, "--json").stdout)
    assert (found["roles"], found["faults"]) == (2, {"it repeats": 3})


def test_what_is_missing_is_said_and_is_not_success(personae: Personae, made: Any) -> None:
    made(short={"roles of age": "1 of 2 missing after 4 asks; last: the answer is no JSON list"})
    result = personae(*CALL)
    assert result.exit_code == 3
    assert "1 lists are not full: roles of age, 1 of 2 missing" in result.stderr


def test_a_model_that_fails_can_be_gone_on_with(personae: Personae, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> Generated:
        raise ModelError("the server is gone")

    monkeypatch.setattr(generating, "generate", fails)
    result = personae(*CALL)
    assert result.exit_code == 3
    assert "run the same command" in result.stderr


def test_another_family_is_bad_input(personae: Personae) -> None:
    result = personae("generate", "companions", "-m", "sim/neutral", "-o", "made")
    assert result.exit_code == 2
    assert "roleplay" in result.stderr


JOBS = ("generate", "occupations", "-m", "fake/writer", "-o", "made")


def test_occupations_are_read_from_a_file(personae: Personae, made: Any, tmp_path: Path) -> None:
    names = tmp_path / "jobs.txt"
    names.write_text("surgeons\nbakers and pastry cooks\n")
    given = made(path=Path("made/occupations.csv"), short={"surgeons": "none after 4 asks; last: empty answer"})
    result = personae(*JOBS, "--names", names, "--tries", 2)
    assert result.exit_code == 3
    ((spec, _, _),) = given
    assert ([one.occupation for one in spec.names], spec.tries) == (["surgeons", "bakers and pastry cooks"], 2)
    assert "personae run occupations --stimuli made/occupations.csv" in result.stdout
    assert "1 occupations have no sentence: surgeons, none after 4 asks" in result.stderr


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (JOBS, "--names: found 'nothing'; generate occupations needs it"),
        ((*JOBS, "--names", "absent.txt"), "--names: found 'absent.txt'; a readable file"),
        (
            (*JOBS, "--names", "jobs.txt", "--roles", "5"),
            "--roles: found '5'; generate occupations takes --names, --tries, --seed",
        ),
        ((*JOBS, "--names", "jobs.txt", "--attribute", "age"), "--attribute: found 'age'"),
        ((*JOBS, "--names", "empty.txt"), "at least one title"),
        ((*JOBS, "--names", "twice.txt"), "every occupation once"),
        (
            (*JOBS, "--names", "shares.csv"),
            "shares.csv, row 1, census: found '40'; a probability of female from 0 to 1",
        ),
        ((*CALL, "--names", "jobs.txt"), "--names: found 'jobs.txt'; generate roleplay takes"),
        ((*CALL, "--roles", "0"), "roles: found 0; Input should be greater than or equal to 1"),
    ],
)
def test_what_a_family_does_not_take_is_refused_in_one_sentence(
    personae: Personae, made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: tuple[str, ...], said: str
) -> None:
    given = made()
    monkeypatch.chdir(tmp_path)
    files = {
        "jobs.txt": "surgeons",
        "empty.txt": "",
        "twice.txt": "cook\nCook",
        "shares.csv": "occupation,census\ncook,40",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    result = personae(*call)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert given == []
