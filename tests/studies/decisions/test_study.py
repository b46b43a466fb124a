"""What the decisions study asks at each scale."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest

from personae.errors import BadInput
from personae.studies.decisions import FAMILY
from personae.studies.decisions.bank import DOMAINS
from personae.studies.decisions.study import Scores
from personae.study.base import Settings

OWN = "title: Own\npersonas:\n  - {name: pirate, text: a pirate}\n"


def items(**settings):
    return list(Scores(Settings(**settings)).items())


def conditions(**settings):
    return Counter(item.condition.persona for item in items(**settings))


def test_the_family_has_the_study():
    assert [study.name for study in FAMILY.studies] == ["decisions.scores"]


def test_quick_asks_six_sets_of_each_domain_and_four_of_them_under_a_persona():
    asked = items(scale="quick")
    assert conditions(scale="quick") == {None: 174, "cautious manager": 116}
    sets = {(item.facts["domain"], item.facts["set"]) for item in asked}
    assert Counter(domain for domain, _ in sets) == dict.fromkeys(DOMAINS, 6)
    assert len(asked) <= 400


def test_standard_asks_thirty_sets_under_four_personas():
    assert set(conditions(scale="standard").values()) == {30 * 29}
    assert len(conditions(scale="standard")) == 5


def test_the_papers_scale_is_the_whole_benchmark_without_a_persona():
    assert conditions(scale="paper") == {None: 3776}


def test_a_users_personas_are_asked_about_all_of_it(tmp_path: Path):
    own = tmp_path / "own.yaml"
    own.write_text(OWN)
    assert conditions(scale="paper", personas=own) == {None: 3776, "pirate": 3776}
    assert conditions(scale="quick", personas=own) == {None: 174, "pirate": 116}


def test_a_persona_file_that_does_not_fit_is_refused(tmp_path: Path):
    own = tmp_path / "own.yaml"
    own.write_text("title: Own\npersonas: []\n")
    with pytest.raises(BadInput, match="personas"):
        Scores(Settings(personas=own))


def test_ids_are_unique_and_people_of_a_set_share_their_stimulus():
    asked = items(scale="standard")
    assert len({item.id for item in asked}) == len(asked)
    assert {item.stimulus for item in asked if item.facts["domain"] == "race"} == {f"race:{n:03d}" for n in range(30)}
    people = Counter((item.stimulus, item.condition.persona) for item in asked)
    assert all(count in {2, 3, 4} for count in people.values())


def test_people_of_a_set_are_asked_one_after_the_other():
    """They share all words up to the cue, so that a model that keeps them need not read them again."""
    order = [(item.stimulus, item.condition) for item in items(scale="quick")]
    assert len([key for key, _ in groupby(order)]) == len(set(order))


def test_repeats_ask_again_with_another_seed_and_forced_answers_are_not_repeated():
    asked = items(scale="quick", repeats=3)
    assert len(asked) == 3 * 290
    study = Scores(Settings(scale="quick", repeats=3))
    trials = [study.trial(item) for item in asked if item.facts["group"] == "White" and item.facts["set"] == 0][:3]
    assert len({(trial.repeat, trial.seed) for trial in trials}) == 3
    assert len({trial.messages for trial in trials}) == 1
    assert len(items(scale="quick", repeats=3, respond="forced")) == 290


def test_wordings_take_turns():
    worded = Counter(item.condition.wording for item in items(scale="standard") if item.condition.persona)
    assert worded["judge"] == worded["eyes"]


def test_facts_say_what_is_asked():
    facts = next(item for item in items(scale="quick") if item.facts["domain"] == "disability").facts
    assert facts["metric"] == "operational risk score"
    assert facts["higher"] == "riskier"
    assert 0 <= facts["strength"] <= 1
    assert facts["group"] == "None"


def test_items_are_the_same_every_time():
    assert items(scale="quick") == items(scale="quick")


async def test_an_item_is_asked_once_and_read():
    from personae.types import Response

    study = Scores(Settings(scale="quick"))
    asked = []

    async def ask(trial):
        asked.append(trial)
        return Response(text='{"score": 64}')

    found = await study.run(next(study.items()), ask)
    assert (found.value, len(asked)) == (64, 1)
