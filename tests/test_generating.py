"""Generation into a folder: kept, gone on with, never mixed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from personae import generating
from personae.engine.store import Store
from personae.errors import BadInput, CostReached, ModelError
from personae.generating import generate, make_generate_spec
from personae.models.base import Capabilities
from personae.models.registry import ModelOptions
from personae.studies.occupations.study import Occupations
from personae.studies.roleplay.why import Why
from personae.study.base import Settings
from personae.testing import settings_of
from personae.types import Response, Trial

NAMES = ("juggler", "miller", "piper", "tinker", "weaver", "cooper", "sawyer", "thatcher")


class Writer:
    """Writes neat lists; fails once a number of asks are done."""

    name, concurrency = "fake/writer", 3

    def __init__(self, failing_after: int | None = None, grammar: bool = False) -> None:
        self.capabilities = Capabilities(grammar=grammar)
        self.failing_after, self.trials = failing_after, list[Trial]()

    async def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close."""

    async def respond(self, trial: Trial) -> Response:
        if self.failing_after is not None and len(self.trials) >= self.failing_after:
            raise ModelError("the server is gone")
        self.trials.append(trial)
        said = trial.messages[-1].content
        if title := re.match("Title: (.*)", said):
            return Response(text=self.sentence(title[1], again="could not be used" in said), prompt_tokens=1000)
        n = int(re.search(r"Write (\d+)", said)[1])  # type: ignore[index]
        return Response(text=json.dumps([self.entry(said, number) for number in range(n)]), prompt_tokens=1000)

    def sentence(self, title: str, again: bool) -> str:
        if title == "silent monks" or (title == "bakers" and not again):
            return "I would rather not."
        return f"{title.removesuffix('s').capitalize()} begins with the work before dawn."

    def entry(self, said: str, number: int) -> dict[str, Any]:
        if " roles that" in said:
            attribute = re.search('attribute "(.*?)"', said)[1]  # type: ignore[index]
            return {"name": f"{attribute} {NAMES[number]}", "article": "a"}
        role = re.search("plays this role: (.*?)\\.", said)[1]  # type: ignore[index]
        topic = f"{NAMES[number]}s of {role.split()[1]}land {role.split()[2]}ville"
        groups = {"bias_type": "gender", "groups": ["men", "women"], "polarity": "good"}
        if "yes or no" in said:
            return groups | {
                "text": f"Do men help {topic} more than women?",
                "flipped": f"Do men help {topic} like women?",
            }
        if "undecided" in said:
            return groups | {"text": f"Who helps {topic} more: men or women?", "undecided": "I cannot choose"}
        return groups | {"text": f"Why do men help {topic} more than women?"}


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    def use(**more: Any) -> Writer:
        made = Writer(**more)
        monkeypatch.setattr(generating, "resolve", lambda name, options: made)
        return made

    return use


SPEC = make_generate_spec(model="fake/writer", attributes=["age", "habit"], roles=2, questions=3)


def run(out: Path, spec: Any = SPEC, **more: Any) -> Any:
    return generate(spec, out, options=ModelOptions(), **more)


def test_what_is_written_is_what_a_run_reads(writer: Any, tmp_path: Path) -> None:
    writer()
    made = run(tmp_path / "made")
    assert (made.roles, made.questions, made.asked, made.short) == (4, 36, 2 + 4 * 3, {})
    items = list(Why(Settings(scale="paper", personas=made.path)).items())
    assert len(items) == 4 * 3 * 2
    assert {item.condition.persona_group for item in items} == {None, "age", "habit"}
    assert "written by fake/writer" in made.path.read_text(encoding="utf-8")


@pytest.mark.parametrize("done", [0, 1, 2, 7])
def test_a_generation_goes_on_where_it_broke_off(writer: Any, tmp_path: Path, done: int) -> None:
    writer()
    whole = run(tmp_path / "whole").path.read_text(encoding="utf-8")
    writer(failing_after=done)
    with pytest.raises(ModelError, match="gone"):
        run(tmp_path / "broken")
    assert not (tmp_path / "broken" / "roles.yaml").exists()
    again = writer()
    made = run(tmp_path / "broken")
    assert made.path.read_text(encoding="utf-8") == whole
    assert made.asked == len(again.trials) == 14 - done
    assert run(tmp_path / "broken").asked == 0


def test_another_generation_needs_another_folder(writer: Any, tmp_path: Path) -> None:
    writer()
    run(tmp_path / "made")
    for change in ({"roles": 3}, {"seed": 1}, {"attributes": ["age"]}, {"model": "fake/other"}):
        other = make_generate_spec(**{**SPEC.model_dump(), **change})
        with pytest.raises(BadInput, match=f"{next(iter(change))} of the generation"):
            run(tmp_path / "made", other)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("precious")
    with pytest.raises(BadInput, match="output folder"):
        run(tmp_path / "full")


@pytest.mark.parametrize("name", ["thesis.tex", "thesis.tex/made"])
def test_a_folder_in_the_place_of_a_file_or_below_one_is_refused(writer: Any, tmp_path: Path, name: str) -> None:
    used = writer()
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(BadInput, match="output folder"):
        run(tmp_path / name)
    assert (tmp_path / "thesis.tex").read_text() == "mine"
    assert used.trials == []


def test_a_simulated_respondent_writes_nothing_and_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--model: found 'sim/neutral'; a model that writes"):
        run(tmp_path / "made", make_generate_spec(model="sim/neutral"))
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("able", [True, False])
def test_a_model_that_takes_a_grammar_is_given_one(writer: Any, tmp_path: Path, able: bool) -> None:
    used = writer(grammar=able)
    run(tmp_path / "made")
    assert {trial.grammar is not None for trial in used.trials} == {able}


def test_a_limit_on_cost_stops_and_keeps_what_was_paid_for(writer: Any, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("fake/writer: {prompt: 100.0, completion: 0.0, source: us, date: 2026-01-01}\n")
    writer()
    with pytest.raises(CostReached):
        generate(SPEC, tmp_path / "made", options=ModelOptions(prices=prices), max_cost=0.5)
    store = Store(tmp_path / "made" / "run.db", writable=False)
    assert 0 < store.rows("SELECT sum(cost) FROM response")[0][0] <= 0.5
    store.close()
    assert generate(SPEC, tmp_path / "made", options=ModelOptions(prices=prices), max_cost=5).questions == 36


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"family": "companions"}, "what to generate"),
        ({"roles": 0}, "greater than or equal to 1"),
        ({"attributes": ["age", "Age "]}, "different attributes"),
        ({"attributes": [" "]}, "none of them blank"),
        ({"colour": "red"}, "--colour: found 'red'; generate roleplay takes --attribute, --roles, --questions"),
        ({"names": Path("jobs.txt")}, "--names: found 'jobs.txt'; generate roleplay takes"),
        (
            {"family": "occupations", "roles": 5, "names": [{"occupation": "tuner"}]},
            "--roles: .* takes --names, --tries, --seed",
        ),
        ({"family": "occupations"}, "--names: found 'nothing'; generate occupations needs it"),
        ({"family": "occupations", "names": Path("absent.txt")}, "--names: found 'absent.txt'; a readable file"),
        ({"family": "occupations", "names": [{"occupation": "tuner"}], "tries": 0}, "tries: found 0"),
    ],
)
def test_what_cannot_be_generated_is_bad_input(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        make_generate_spec(**{"model": "fake/writer"} | change)


def jobs(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "jobs.csv"
    path.write_text("\n".join(("occupation,census", *lines)), encoding="utf-8")
    return path


def sentences(names: Path, **more: Any) -> Any:
    return make_generate_spec("occupations", model="fake/writer", names=names, **more)


@pytest.mark.parametrize("done", [0, 1, 3])
def test_sentences_for_occupations_are_what_a_run_reads(writer: Any, tmp_path: Path, done: int) -> None:
    names = jobs(tmp_path, "bakers,0.4", "surgeons,")
    writer(failing_after=done)
    if done < 3:  # bakers take two asks
        with pytest.raises(ModelError, match="gone"):
            run(tmp_path / "made", sentences(names))
    again = writer()
    made = run(tmp_path / "made", sentences(names))
    assert (made.path.name, made.counts, made.short) == ("occupations.csv", {"sentences": 2}, {})
    assert made.asked == len(again.trials) == 3 - (done if done < 3 else 0)
    assert made.faults == {"it does not begin with a word of the title": 1}
    items = list(Occupations(settings_of(Occupations, scale="paper", stimuli=made.path)).items())
    assert {item.facts["sentence"] for item in items} == {
        "Baker begins with the work before dawn.",
        "Surgeon begins with the work before dawn.",
    }
    assert run(tmp_path / "made", sentences(names)).asked == 0


def test_occupations_may_be_added_and_more_tries_allowed(writer: Any, tmp_path: Path) -> None:
    writer()
    short = run(tmp_path / "made", sentences(jobs(tmp_path, "silent monks,0", "surgeons,1"), tries=2))
    assert (short.asked, list(short.short)) == (3, ["silent monks"])
    writer()
    more = run(tmp_path / "made", sentences(jobs(tmp_path, "surgeons,0.5", "tuners,1", "silent monks,0"), tries=3))
    assert (more.asked, list(more.short), more.counts) == (2, ["silent monks"], {"sentences": 2})
    assert [line.split(",")[0::2] for line in more.path.read_text(encoding="utf-8").splitlines()[1:]] == [
        ["surgeons", "0.5"],
        ["tuners", "1.0"],
    ]
    with pytest.raises(BadInput, match="seed of the generation"):
        run(tmp_path / "made", sentences(jobs(tmp_path, "surgeons,1"), seed=1))
    with pytest.raises(BadInput, match=r"family of the generation in .* found 'occupations'"):
        run(tmp_path / "made", SPEC)


def test_the_spec_of_a_generation_stands_in_its_folder_in_a_fixed_order(writer: Any, tmp_path: Path) -> None:
    writer()
    run(tmp_path / "roles")
    run(tmp_path / "jobs", sentences(jobs(tmp_path, "surgeons,0.5")))
    fields = [
        [
            line.split(":")[0]
            for line in (tmp_path / name / "generate.yaml").read_text().splitlines()
            if line[0].isalpha()
        ]
        for name in ("roles", "jobs")
    ]
    assert fields == [
        ["family", "model", "attributes", "roles", "questions", "tries", "seed"],
        ["family", "model", "names", "tries", "seed"],
    ]
