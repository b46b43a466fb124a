"""Episodes whose memories extract: offline too a planted drift is found, and what could not be read is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from personae.memory.options import MemoryOptions
from personae.memory.study import Memories
from personae.models.simulated import SimulatedModel
from personae.study.base import Settings
from personae.types import Outcome, Response, Trial

EXTRACTING = ("window?extract=1", "vector?extract=1", "mem0", pytest.param("langmem", marks=pytest.mark.slow))


class Asked:
    """A simulated respondent, or one for what is asked of the memory alone; answers are kept."""

    def __init__(self, name: str = "sim/drifting?bias=0.4", memory: str = "") -> None:
        self.model = SimulatedModel.from_name(name)
        self.other = SimulatedModel.from_name(memory or name)
        self.kept: dict[str, Response] = {}
        self.fresh = 0

    async def __call__(self, trial: Trial) -> Response:
        if trial.step not in self.kept:
            self.fresh += 1
            self.kept[trial.step] = await (self.other if trial.meta["kind"] == "memory" else self.model).respond(trial)
        return self.kept[trial.step]


async def played(memory: str, ask: Asked, rate: float = 1.0, mitigation: str = "none") -> Outcome:
    episode = MemoryOptions(memories=(memory,), injections=(rate,), mitigations=(mitigation,), turns=6, every=6)
    made = Memories(Settings(scale="quick", options=(episode,)))
    (item,) = made.items()
    return await made.run(item, ask)


@pytest.fixture(params=EXTRACTING)
def extracting(request: pytest.FixtureRequest, needed: Callable[[str], None]) -> str:
    if request.param in ("mem0", "langmem"):
        needed(request.param)
    return str(request.param)


async def test_a_planted_drift_is_found_and_a_guard_stops_it(extracting: str) -> None:
    ask = Asked()
    bare = await played(extracting, ask)
    calm = await played(extracting, Asked(), rate=0.0)
    assert bare.value is not None
    assert calm.value is not None
    assert bare.value > 8
    assert abs(calm.value) < 4
    guarded = await played(extracting, Asked(), mitigation="tag-recall")
    assert guarded.value is not None
    assert abs(guarded.value) < 4
    # What is kept is what was said, and only that; every write has been asked for.
    assert {note["biased"] for note in bare.detail["memory"]} == {True}
    assert not any("Assistant:" in note["text"] for note in bare.detail["memory"])
    assert [(turn["stored"], turn["unread"], turn["notes"]) for turn in bare.detail["turns"]] == [
        (1, [], number) for number in range(1, 7)
    ]
    assert {step for step in ask.kept if step.startswith("memory/")} >= {f"memory/{turn}/1" for turn in range(1, 7)}


async def test_played_again_from_its_answers_an_episode_asks_nothing(extracting: str) -> None:
    ask = Asked()
    whole = await played(extracting, ask)
    asked = ask.fresh
    assert msgspec.json.encode(await played(extracting, ask)) == msgspec.json.encode(whole)
    assert ask.fresh == asked


async def test_what_could_not_be_read_is_told_turn_by_turn(extracting: str) -> None:
    outcome = await played(extracting, Asked(memory="sim/refuser?rate=1"))
    turns: list[dict[str, Any]] = outcome.detail["turns"]
    if extracting == "langmem":  # it takes words for a decision to keep nothing, while it holds nothing
        assert [(turn["stored"], turn["unread"]) for turn in turns] == [(0, [])] * 6
    else:
        assert [(turn["stored"], turn["unread"]) for turn in turns] == [(0, ["it is not JSON"])] * 6
    assert outcome.detail["memory"] == []


async def test_a_mangled_answer_may_be_mended_when_asked_for_again() -> None:
    ask = Asked(memory="sim/garbled?rate=0.5")
    turns = (await played("window?extract=1", ask)).detail["turns"]
    lost = [turn for turn in turns if turn["unread"]]
    again = [step for step in ask.kept if step.startswith("memory/") and step.endswith("/2")]
    assert len(lost) < len(again) < len(turns)
    assert all(turn["stored"] == (0 if turn["unread"] else 1) for turn in turns)
