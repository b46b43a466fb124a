"""The answers of a run that its page shows word for word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import polars as pl
import pytest

import personae
from personae.excerpts import samples_of
from personae.memory.study import Memories
from personae.pages import content_of
from personae.report.samples import MOST
from personae.run import Run, open_run
from personae.study.base import Settings, Study


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    out = tmp_path_factory.mktemp("run") / "out"
    arms = {"memories": ["vector"], "injections": [0.0, 0.5], "mitigations": ["none", "tag-write"], "turns": 2}
    personae.audit("memory", model="sim/drifting", scale="quick", out=out, **arms).close()
    with open_run(out) as run:
        yield run


def studies(run: Run) -> list[Study]:
    return run.studies(run.spec.models[0])


def test_of_an_item_with_many_answers_those_its_study_names_are_shown_with_what_was_asked(played: Run) -> None:
    found = samples_of(played, studies(played), played.outcomes)
    kinds = Counter(one.kind for one in found)
    assert set(kinds) == {"decision", "daily question", "auditor"}
    assert kinds["daily question"] == 2 * played.outcomes.height
    assert {one.condition for one in found} == {
        f"vector, λ = {rate}{mitigation}" for rate in ("0", "0.5") for mitigation in ("", ", tag-write")
    }
    decisions = [one for one in found if one.kind == "decision"]
    assert all(one.facts["group"] in one.about for one in decisions)
    # What was asked is that scenario's own: the age that is told stands in the question.
    old = next(one for one in decisions if one.facts["group"] == "Boomer")
    young = next(one for one in decisions if one.facts["group"] == "GenZ (20s)")
    assert old.prompt[-1] != young.prompt[-1]
    assert all(str(round(one.value)) in one.text for one in decisions if one.value is not None)


def test_the_page_counts_all_answers_and_names_no_personas_where_nobody_plays_one(played: Run) -> None:
    content = content_of(played, studies(played))
    assert content.answers == played.responses.height > len(content.samples)
    assert dict(content.facts)["Personas"] == "none"


def test_the_same_answers_are_chosen_every_time_and_no_more_than_a_page_has_room_for(played: Run) -> None:
    found = samples_of(played, studies(played), played.outcomes)
    assert found == samples_of(played, studies(played), played.outcomes)
    assert len(found) <= MOST


def test_an_item_of_which_nothing_was_stored_is_left_out(played: Run) -> None:
    outcomes = played.outcomes.head(1).with_columns(key=pl.col("key") + "x", detail=pl.lit("{}"))
    assert samples_of(played, studies(played), outcomes) == ()


def test_where_a_study_names_none_the_first_answer_of_an_item_is_shown(played: Run) -> None:
    class Whole(Memories):
        excerpts = Study.excerpts

    (one,) = samples_of(played, [Whole(Settings())], played.outcomes.head(1))
    assert (one.kind, one.about, one.condition) == ("", "", "baseline")
    assert one.facts["memory"]
