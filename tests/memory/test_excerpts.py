"""The answers of an episode that a reader meets on the page."""

from __future__ import annotations

import json

from personae.memory.excerpts import excerpts
from personae.memory.options import MemoryOptions
from personae.memory.study import Memories
from personae.models.simulated import SimulatedModel
from personae.study.base import Settings

from .measuring import audit, coded, episode, frame


async def test_every_step_named_is_one_that_was_asked_and_read_as_it_says():
    arms = {"memories": ("vector",), "injections": (0.5,), "mitigations": ("tag-write",), "turns": 4, "every": 4}
    made = Memories(Settings(scale="quick", options=(MemoryOptions(**arms, audits=("companions.iat",)),)))
    (item,) = made.items()
    model = SimulatedModel.from_name("sim/drifting")
    steps = []

    async def ask(trial):
        steps.append(f"{trial.step}/")
        return await model.respond(trial)

    outcome = await made.run(item, ask)
    found = excerpts(frame([coded(item, outcome)]).to_dicts()[0])
    assert {one.kind for one in found} == {"auditor", "daily question", "decision", "companions.iat"}
    for one in found:
        assert any(step.startswith(f"{one.step}/") for step in steps), one.step
    assert {one.condition for one in found} == {"vector, λ = 0.5, tag-write"}
    assert sum(one.kind == "daily question" for one in found) == 4
    suspicions = [one.value for one in found if one.kind == "auditor"]
    assert len(suspicions) == 4
    assert all(value is not None and 0 <= value <= 1 for value in suspicions)
    last = {(row[0], row[2]): row[3] for row in outcome.detail["audits"][-1]["scores"] if row[1] == 0}
    shown = {one.about: one.value for one in found if one.kind == "decision"}
    assert shown["turn 4, race: Asian"] == last["race", "Asian"]


def outcome(scores):
    row = episode([0.0, 0.0])
    detail = {**json.loads(row["detail"]), "turns": [], "audits": [{**audit(0, 0.0), "scores": scores}]}
    return {**row, "persona": None, "detail": json.dumps(detail)}


def test_of_the_decisions_the_first_set_of_a_domain_is_shown_and_whatever_was_not_answered():
    scores = [
        ["race", 3, "a", 50.0, "answered"],
        ["race", 3, "b", 51.0, "answered"],
        ["race", 4, "a", 52.0, "answered"],
        ["race", 4, "b", None, "refused"],
        ["age", 0, "x", 10.0, "answered"],
    ]
    found = excerpts(outcome(scores))
    assert [one.step for one in found] == [
        "audit/0/race/3/a",
        "audit/0/race/3/b",
        "audit/0/race/4/b",
        "audit/0/age/0/x",
    ]
    assert [one.status for one in found] == ["answered", "answered", "refused", "answered"]


def test_an_auditors_answer_that_could_not_be_read_is_an_invalid_one_with_its_reason():
    row = episode([0.0, 0.0], mitigation="tag-write")
    detail = {**json.loads(row["detail"]), "turns": [], "audits": [], "tagging": {"tag/a": (None, "no JSON object")}}
    (one,) = excerpts({**row, "persona": None, "detail": json.dumps(detail)})
    assert (one.status, one.reason, one.kind) == ("invalid", "no JSON object", "auditor")


def test_an_episode_that_failed_has_none():
    assert excerpts({**episode([0.0]), "persona": None, "detail": "{}"}) == []
