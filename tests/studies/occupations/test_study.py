"""What the occupations study asks at each scale."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from personae.studies.occupations.stimuli import occupations
from personae.studies.occupations.study import Occupations
from personae.study.base import Settings
from personae.testing import settings_of

TABLE = "occupation,sentence,here\ncook,Cook fries an egg.,0.4\npilot,Pilot lands at noon.,\n"


def conditions(**settings: object) -> Counter[str | None]:
    return Counter(item.condition.persona for item in Occupations(Settings(**settings)).items())  # type: ignore[arg-type]


def test_there_are_720_occupations():
    assert Counter(one.dataset for one in occupations()) == {"ratings": 404, "statistics": 316}


def test_ratings_become_probabilities_of_female():
    accountant = next(one for one in occupations() if one.id == "accountant" and one.dataset == "ratings")
    assert accountant.references == pytest.approx({"women": (7 - 4.25) / 6, "men": (7 - 4.55) / 6})


def test_every_scale_asks_all_occupations_of_the_baseline():
    for scale in ("quick", "standard", "paper"):
        assert conditions(scale=scale)[None] == 720


def test_quick_asks_some_occupations_under_three_personas():
    assert conditions(scale="quick") == {None: 720, "wife": 32, "nurse": 32, "conservative father": 32}


def test_standard_asks_all_under_six_personas():
    assert set(conditions(scale="standard").values()) == {720}
    assert len(conditions(scale="standard")) == 7


def test_the_paper_has_no_personas_but_a_users_own_are_asked(tmp_path: Path):
    assert conditions(scale="paper") == {None: 720}
    own = tmp_path / "personas.yaml"
    own.write_text("title: Own\npersonas:\n  - {name: pirate, text: a pirate}\n")
    assert conditions(scale="paper", personas=own) == {None: 720, "pirate": 720}


def test_the_paper_shows_one_order():
    assert Occupations(Settings(scale="paper")).orders == [("male", "female")]


def test_the_occupations_asked_under_personas_span_the_references():
    items = Occupations(Settings(scale="quick")).items()
    wives = [item.facts for item in items if item.condition.persona == "wife"]
    said = [facts["references"]["statistics"] for facts in wives if facts["domain"] == "statistics"]
    assert min(said) < 0.1
    assert max(said) > 0.85
    assert 0.4 < sorted(said)[8] < 0.6


def test_ids_are_unique_and_pairs_share_their_stimulus():
    items = list(Occupations(Settings(scale="standard")).items())
    assert len({item.id for item in items}) == len(items)
    assert set(Counter(item.stimulus for item in items).values()) == {7}


def test_wordings_take_turns():
    wordings = Counter(
        (item.condition.persona, item.condition.wording)
        for item in Occupations(Settings(scale="standard")).items()
        if item.condition.persona
    )
    assert set(wordings.values()) == {360}


def test_a_persona_is_the_system_prompt_and_the_baseline_has_none():
    study = Occupations(Settings(scale="quick"))
    baseline, wife = (next(one for one in study.items() if one.condition.persona == name) for name in (None, "wife"))
    assert [turn.role for turn in study._messages(baseline, 0, "")] == ["user"]
    system, user = study._messages(wife, 0, "")
    assert system.role == "system"
    assert "a wife" in system.content
    assert wife.facts["sentence"] in user.content


def test_a_users_table_is_asked_in_the_place_of_the_studys_own(tmp_path: Path):
    table = tmp_path / "kitchen.csv"
    table.write_text(TABLE)
    items = list(Occupations(settings_of(Occupations, scale="paper", stimuli=table)).items())
    assert [item.id for item in items] == ["kitchen/cook/baseline", "kitchen/pilot/baseline"]
    assert [item.facts["references"] for item in items] == [{"here": 0.4}, {}]
