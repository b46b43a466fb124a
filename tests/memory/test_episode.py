"""Episodes: what is remembered, what is shown, and that audits change nothing."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from personae.errors import BadInput, PersonaeError
from personae.memory.answering import prompts
from personae.memory.backends import memory
from personae.memory.base import Exchange, digest
from personae.memory.episode import Episode
from personae.memory.options import MemoryOptions
from personae.memory.sets import average_variance, sets_of
from personae.memory.study import Memories
from personae.models.simulated import SimulatedModel
from personae.study.base import Settings
from personae.types import Item, Outcome, Response, Trial

SHORT = {"memories": ("window",), "injections": (0.5,), "turns": 8, "every": 4}


def study(**episode: Any) -> Memories:
    return Memories(Settings(scale="quick", options=(MemoryOptions(**{**SHORT, **episode}),)))


class Asked:
    """A durable ask over a simulated respondent: what was answered once is not asked again."""

    def __init__(self, name: str = "sim/drifting?bias=0.4", kept: dict[str, Response] | None = None) -> None:
        self.model = SimulatedModel.from_name(name)
        self.kept = {} if kept is None else kept
        self.trials: list[Trial] = []
        self.fresh = 0

    async def __call__(self, trial: Trial) -> Response:
        key = f"{trial.step}/{trial.repeat}"
        assert key not in {f"{one.step}/{one.repeat}" for one in self.trials}
        self.trials.append(trial)
        if key not in self.kept:
            self.fresh += 1
            self.kept[key] = await self.model.respond(trial)
        return self.kept[key]

    def of(self, step: str) -> list[Trial]:
        return [trial for trial in self.trials if trial.step.startswith(f"{step}/")]


def items(made: Memories, **facts: object) -> list[Item]:
    return [item for item in made.items() if all(item.facts[name] == value for name, value in facts.items())]


async def played(made: Memories, ask: Callable[[Trial], Any], **facts: object) -> Outcome:
    return await made.run(items(made, **facts)[0], ask)


async def test_turns_are_asked_one_after_the_other_and_remembered():
    ask = Asked()
    outcome = await played(study(), ask)
    assert [trial.step for trial in ask.of("turn")] == [f"turn/{turn}" for turn in range(1, 9)]
    assert [note["turn"] for note in outcome.detail["memory"]] == list(range(1, 9))
    first, second = ask.of("turn")[:2]
    assert "notes" not in first.messages[0].content
    assert first.messages[-1].content.split("\n")[0] in second.messages[0].content


async def test_audits_come_before_the_first_turn_and_every_so_many():
    ask = Asked()
    outcome = await played(study(), ask)
    assert [audit["turn"] for audit in outcome.detail["audits"]] == [0, 4, 8]
    asked = {step.split("/")[1] for step in (trial.step for trial in ask.of("audit"))}
    assert asked == {"0", "4", "8"}
    assert all(len(audit["scores"]) == 58 for audit in outcome.detail["audits"])


async def test_an_audit_is_shown_what_the_memory_recalls():
    ask = Asked()
    await played(study(injections=(1.0,)), ask)
    early, late = (next(t for t in ask.of("audit") if t.step.startswith(f"audit/{turn}/")) for turn in (0, 8))
    assert early.meta["shown"] == 0
    assert late.meta["shown"] == 1
    assert "From your notes of earlier conversations" in late.messages[0].content
    assert "From your notes of earlier conversations" not in early.messages[0].content


async def test_a_memory_that_an_audit_changes_ends_the_episode():
    made = study()
    item = items(made)[0]
    kept = memory("window")
    recall = kept.recall

    async def leaky(query: str, k: int):
        if query.startswith("At turn") or len(await kept.notes()) == 4:
            await kept.write(Exchange(turn=99, user=query, agent="read"))
        return await recall(query, k)

    kept.recall = leaky  # type: ignore[method-assign]
    with pytest.raises(PersonaeError, match="was changed by the audit at turn 4"):
        await Episode(made._setup(item), kept, Asked()).play()


async def test_nothing_is_injected_at_rate_0_and_everything_at_rate_1():
    calm = await played(study(injections=(0.0,)), Asked())
    full = await played(study(injections=(1.0,)), Asked())
    assert {turn["way"] for turn in calm.detail["turns"]} == {"plain"}
    assert {turn["way"] for turn in full.detail["turns"]} == {"composed"}
    assert all(note["biased"] for note in full.detail["memory"])


async def test_a_single_domain_can_be_injected_by_itself():
    outcome = await played(study(inject=("age",), injections=(1.0,)), Asked(), injected="age")
    assert {turn["domain"] for turn in outcome.detail["turns"]} == {"age"}


async def test_a_generator_writes_what_is_injected():
    ask = Asked()
    outcome = await played(study(generator="sim/neutral", injections=(1.0,)), ask)
    assert {trial.to for trial in ask.of("inject")} == {"sim/neutral"}
    assert {turn["way"] for turn in outcome.detail["turns"]} == {"generated"}


async def test_scores_drift_with_the_memories_and_a_guard_stops_it():
    bare = await played(study(injections=(1.0,)), Asked())
    calm = await played(study(injections=(0.0,)), Asked())
    guarded = await played(study(injections=(1.0,), mitigations=("tag-write",)), Asked())
    recalled = await played(study(injections=(1.0,), mitigations=("tag-recall",)), Asked())
    assert bare.value > 8
    for outcome in (calm, guarded, recalled):
        assert abs(outcome.value) < 6
    assert all(note["tag"] for note in guarded.detail["memory"])
    assert not any(note.get("tag") for note in recalled.detail["memory"])


async def test_the_auditor_is_asked_about_one_note_and_nothing_else():
    ask = Asked()
    await played(study(mitigations=("tag-write",), auditor="sim/judge"), ask)
    tags = ask.of("tag")
    assert len(tags) == 8
    assert {trial.to for trial in tags} == {"sim/judge"}
    assert all([message.role for message in trial.messages] == ["system", "user"] for trial in tags)


async def test_a_tag_is_shown_with_the_note():
    ask = Asked()
    await played(study(mitigations=("tag-write",), injections=(1.0,)), ask)
    late = ask.of("audit")[-1]
    assert '"bias_type": "some group"' in late.messages[0].content
    assert late.meta["tagged"] == late.meta["shown"] == 1


def carried(told: str, note: str) -> dict[str, Any] | None:
    """The tag that a note carries in a system prompt: what JSON stands in the line before it."""
    above = told[: told.index(note)].splitlines()[-1:]
    found = re.search(r"\{.*\}", above[0]) if above else None
    return json.loads(found[0]) if found else None


@pytest.mark.parametrize("name", ["window", "vector"])
@pytest.mark.parametrize("tagging", ["tag-write", "tag-recall"])
async def test_the_notes_and_tags_that_an_audit_counts_stand_in_its_prompt(name: str, tagging: str):
    ask = Asked("sim/drifting?bias=0.4&doubt=1")
    episode = MemoryOptions(
        **SHORT | {"memories": (name,), "turns": 16, "every": 8, "mitigations": (tagging,), "tau": 0.8}
    )
    outcome = await played(Memories(Settings(scale="standard", options=(episode,))), ask)
    injected = [
        f"User: {trial.messages[-1].content.removesuffix(prompts().free).strip()}"[:1000]
        for trial, turn in zip(ask.of("turn"), outcome.detail["turns"], strict=True)
        if turn["way"] == "composed"
    ]
    assert 0 < len(set(injected)) == len(injected) < 16
    auditor = {trial.messages[-1].content: json.loads(ask.kept[f"{trial.step}/0"].text) for trial in ask.of("tag")}
    counts: set[tuple[int, int]] = set()
    for trial in ask.of("audit"):
        told = trial.messages[0].content
        tags = {note: carried(told, note) for note in injected if note in told}
        for note, tag in tags.items():
            said = next(answer for asked, answer in auditor.items() if note in asked)
            suspicious = said["suspicion"] >= 0.8
            assert tag == ({**said, "suspicion": round(said["suspicion"], 2)} if suspicious else None)
        tagged = sum(tag is not None for tag in tags.values())
        assert (len(tags), tagged) == (trial.meta["shown"], trial.meta["tagged"])
        counts.add((len(tags), tagged))
    assert (0, 0) in counts
    assert any(tagged for _, tagged in counts)
    assert any(tagged < shown for shown, tagged in counts)


async def test_an_arm_can_have_a_tau_of_its_own():
    made = study(mitigations=("tag-write?tau=0.2", "tag-write?tau=1", "tag-recall"), tau=0.7)
    taus = {item.facts["mitigation"]: made._setup(item).tau for item in made.items()}
    assert taus == {"tag-write?tau=0.2": 0.2, "tag-write?tau=1": 1.0, "tag-recall": 0.7}


def test_an_episode_shorter_than_the_scales_own_is_audited_at_its_end():
    assert study(turns=4, every=None).plan.every == 4
    assert study(turns=20, every=None).plan.every == 6


async def test_the_static_prompt_stands_in_every_ask():
    ask = Asked()
    await played(study(mitigations=("static",)), ask)
    assert all("Stay neutral." in trial.messages[0].content for trial in [*ask.of("turn"), *ask.of("audit")])


@pytest.mark.parametrize("name", ["window", "vector"])
async def test_a_broken_off_episode_is_rebuilt_without_a_new_ask(name: str):
    made = study(memories=(name,), mitigations=("tag-write",))
    kept: dict[str, Response] = {}
    whole = await played(made, Asked(kept=kept))

    class Broken(Exception):
        pass

    class Stopping(Asked):
        async def __call__(self, trial: Trial) -> Response:
            if len(self.trials) >= stop:
                raise Broken
            return await super().__call__(trial)

    for stop in (3, 70, len(kept) - 1):
        own: dict[str, Response] = {}
        with pytest.raises(Broken):
            await played(made, Stopping(kept=own))
        again = Asked(kept=own)
        outcome = await played(made, again)
        assert again.fresh == len(kept) - stop
        assert msgspec.json.encode(outcome) == msgspec.json.encode(whole)


async def test_episodes_of_one_seed_ask_the_same_questions():
    made = study(memories=("none", "window"), injections=(0.0, 0.5))
    asked = [[turn["question"] for turn in (await made.run(item, Asked())).detail["turns"]] for item in made.items()]
    assert len(asked) == 4
    assert all(one == asked[0] for one in asked)


async def test_many_episodes_run_side_by_side():
    made = study(injections=(0.0, 0.5), mitigations=("none", "static"))
    outcomes = await asyncio.gather(*(made.run(item, Asked()) for item in made.items()))
    assert len(outcomes) == 4
    assert {outcome.status for outcome in outcomes} == {"answered"}


async def test_without_a_whole_matched_set_there_is_no_value():
    ask = Asked("sim/refuser?rate=1")
    outcome = await played(study(), ask)
    assert outcome.status == "invalid"
    assert "no matched set was answered for every group" in outcome.reason


def test_the_average_variance_is_that_of_group_means():
    scores = [
        ["race", 0, "a", 50.0, "answered"],
        ["race", 0, "b", 70.0, "answered"],
        ["race", 1, "a", 60.0, "answered"],
        ["race", 1, "b", None, "refused"],
        ["age", 0, "x", 10.0, "answered"],
        ["age", 0, "y", 10.0, "answered"],
    ]
    assert average_variance(sets_of(scores)) == pytest.approx((10.0 + 0.0) / 2)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"injections": (1.5,)}, "--injection: found 1.5"),
        ({"tau": -0.1}, "--tau: found -0.1"),
        ({"turns": 0}, "--turns: found 0"),
        ({"every": 9}, "--every: found 9"),
        ({"mitigations": ("prayer",)}, "--mitigation: found 'prayer'"),
        ({"mitigations": ("static?tau=0.3",)}, "parameter of static: found 'tau'"),
        ({"mitigations": ("tag-write?tua=0.3",)}, "parameter of tag-write: found 'tua'"),
        ({"mitigations": ("tag-write?tau=0.3&x=1",)}, "parameter of tag-write: found 'x'"),
        ({"mitigations": ("tag-write?tau=0.3&tau=0.4",)}, "parameter of tag-write: found 'tau'"),
        ({"mitigations": ("tag-recall?tau=2",)}, "tau of tag-recall: found '2'"),
        ({"mitigations": ("tag-recall?tau=high",)}, "tau of tag-recall: found 'high'"),
        ({"memories": ("brain",)}, "--memory: found 'brain'"),
        ({"memories": ("window?turns=0",)}, "turns of window?turns=0: found '0'"),
        ({"inject": ("zodiac",)}, "found 'zodiac'"),
        ({"injections": (0.0,), "inject": ("race", "age")}, "--inject: found 'race, age'"),
        ({"injections": (0.0,), "generator": "sim/neutral"}, "--generator: found 'sim/neutral'"),
        ({"injections": (0.12345678, 0.12345679)}, "--injection: found 0.12345679"),
        ({"tau": 0.3}, "--tau: found 0.3"),
        ({"tau": 0.3, "mitigations": ("none", "static")}, "--tau: found 0.3"),
        ({"auditor": "sim/judge"}, "--auditor: found 'sim/judge'"),
        ({"memories": ("none",), "mitigations": ("none", "tag-write")}, "--mitigation: found 'tag-write'"),
    ],
)
def test_what_does_not_fit_is_named(settings: dict[str, Any], said: str):
    with pytest.raises(BadInput) as error:
        study(**settings)
    assert said in str(error.value)


def test_whatever_is_given_twice_is_played_once():
    made = study(
        memories=("window", "window"),
        injections=(0.5, 0.0, 0.5, -0.0),
        inject=("race", "Race "),
        mitigations=("none", "none", "tag-write?tau=0.3", "tag-write?tau=0.3"),
    )
    assert [arm.id for arm in made.arms] == [
        "window/0.5/race/none",
        "window/0/mixed/none",
        "window/0.5/race/tag-write?tau=0.3",
        "window/0/mixed/tag-write?tau=0.3",
    ]


def test_nothing_is_tagged_where_nothing_is_kept():
    made = study(memories=("none", "window"), mitigations=("static", "tag-write", "tag-recall"), tau=0.3)
    assert [(arm.memory, arm.mitigation) for arm in made.arms] == [
        ("none", "static"),
        ("window", "static"),
        ("window", "tag-write"),
        ("window", "tag-recall"),
    ]


@pytest.mark.parametrize("settings", [{"auditor": "sim/judge"}, {"tau": 0.2}])
def test_a_tag_with_a_tau_of_its_own_is_one(settings: dict[str, Any]):
    assert study(mitigations=("tag-write?tau=0.3",), **settings).arms


async def test_the_digest_follows_the_notes():
    kept = memory("window")
    before = await digest(kept)
    await kept.write(Exchange(turn=1, user="a", agent="b"))
    after = await digest(kept)
    assert before != after
    await kept.wipe()
    assert await digest(kept) == before
