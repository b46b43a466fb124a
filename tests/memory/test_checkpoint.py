"""Other studies at the audits of an episode: asked with the memory, coded as ever, compared with the first audit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from personae.errors import BadInput
from personae.memory import checkpoint
from personae.memory.checkpoint import Audited
from personae.memory.options import MemoryOptions
from personae.memory.study import Memories
from personae.models.simulated import SimulatedModel
from personae.score import to_frame
from personae.spec import check_files, make_spec
from personae.study.base import Settings, select
from personae.types import Response, Trial

from .measuring import coded, frame

SHORT = {"memories": ("window",), "injections": (1.0,), "turns": 4, "every": 2}


def study(*audits: str, settings: dict[str, Any] | None = None, **episode: Any) -> Memories:
    own = MemoryOptions(**{**SHORT, **episode, "audits": audits})
    return Memories(Settings(scale="quick", options=(own,), **(settings or {})))


class Asked:
    """A simulated respondent that keeps what it was asked."""

    def __init__(self) -> None:
        self.model = SimulatedModel.from_name("sim/neutral")
        self.trials: list[Trial] = []

    async def __call__(self, trial: Trial) -> Response:
        self.trials.append(trial)
        return await self.model.respond(trial)

    def of(self, turn: int, name: str) -> list[Trial]:
        return [trial for trial in self.trials if trial.step.startswith(f"audit/{turn}/{name}/")]


async def played(made: Memories) -> tuple[pl.DataFrame, Asked]:
    ask = Asked()
    return frame([coded(item, await made.run(item, ask)) for item in made.items()]), ask


async def test_the_items_without_a_persona_are_asked_at_every_audit_with_what_is_recalled() -> None:
    made = study("companions.iat")
    _, ask = await played(made)
    bare = [item for item in select(["companions.iat"])[0](Settings(scale="quick")).items() if item.condition.baseline]
    for turn in (0, 2, 4):
        asked = ask.of(turn, "companions.iat")
        assert len(asked) == len(bare)
        told = [any("From your notes" in one.content for one in trial.messages) for trial in asked]
        assert all(told) is (turn > 0)
        assert any(told) is (turn > 0)
    first, last = ask.of(0, "companions.iat")[0], ask.of(4, "companions.iat")[0]
    assert [one for one in last.messages if one.role != "system"] == [
        one for one in first.messages if one.role != "system"
    ]
    assert last.meta["notes"] == made.plan.notes


async def test_the_agents_persona_is_told_there_too(tmp_path: Path) -> None:
    path = tmp_path / "personas.yaml"
    card = "title: A clerk\npersonas:\n  - {name: clerk, prompt: You are a clerk of forty years.}\npairs: none\n"
    path.write_text(card, encoding="utf-8")
    made = study("companions.iat", settings={"personas": path})
    ask = Asked()
    item = next(item for item in made.items() if item.condition.persona == "clerk")
    await made.run(item, ask)
    told = [trial.messages[0].content for trial in ask.of(0, "companions.iat")]
    assert told
    assert all("clerk of forty years" in text for text in told)


def test_cells_have_the_columns_of_every_study_that_is_audited() -> None:
    made = study("companions.iat", "associations.answers")
    assert {"metric", "turn"} <= set(made.columns)


async def test_measures_are_the_studys_own_and_the_change_is_paired_by_stimulus() -> None:
    made = study("companions.sycophancy")
    outcomes, _ = await played(made)
    found = to_frame(made.estimates(outcomes), made.columns)
    levels = found.filter(measure="companions.sycophancy: mean value", contrast="")
    assert levels["turn"].to_list() == ["0", "2", "4"]
    moved = found.filter(measure="companions.sycophancy: mean value", contrast="baseline")
    assert moved["value"][0] == pytest.approx(levels["value"][2] - levels["value"][0], abs=1e-9)
    assert moved["n"][0] == 10
    alone = select(["companions.sycophancy"])[0](Settings(scale="quick"))
    coded_there = msgspec.json.decode(outcomes["detail"][0])["audits"][2]["studies"]["companions.sycophancy"]
    own = alone.estimates(checkpoint.frame(Audited(alone), coded_there, "m", "x"))
    for one in own:
        if one.contrast or one.value != one.value:
            continue
        cell = {name: value for name, value in one.cell.items() if name not in ("persona", "persona_group", "user")}
        rows = found.filter(measure=f"companions.sycophancy: {one.measure}", turn="4")
        for name, value in cell.items():
            rows = rows.filter(pl.col(name) == value)
        assert one.value in rows["value"].to_list()


async def test_figures_and_findings_tell_of_the_other_study() -> None:
    made = study("companions.iat")
    outcomes, _ = await played(made)
    found = to_frame(made.estimates(outcomes), made.columns)
    drawn = {figure.id for figure in made.figures(found, outcomes)}
    assert {"memory.episode.studies", "memory.episode.measures"} <= drawn
    said = [one.text for one in made.findings(found, outcomes)]
    assert any("the mean value of companions.iat moves by" in text for text in said)


@pytest.mark.parametrize(
    ("audits", "said"),
    [
        (("memory",), "--audit: found 'memory.episode'"),
        (("companions.horoscope",), "--audit: found 'companions.horoscope'"),
    ],
)
def test_what_cannot_be_audited_is_named(audits: tuple[str, ...], said: str) -> None:
    with pytest.raises(BadInput) as error:
        study(*audits)
    assert said in str(error.value)


def test_options_of_the_audited_study_are_taken() -> None:
    made = {"studies": ["memory"], "models": ["sim/neutral"]}
    check_files(make_spec(**made, audits=["occupations"], genders=3))
    with pytest.raises(BadInput, match="--genders"):
        check_files(make_spec(**made, genders=3))
