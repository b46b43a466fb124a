"""What is said of who gained and who lost, and of an auditor that could not be read."""

from __future__ import annotations

import json
import re

from personae.memory.findings import findings
from personae.memory.study import Memories
from personae.score import to_frame
from personae.study.base import Settings

from .measuring import episode, frame, measured


def said(*rows) -> str:
    made = Memories(Settings())
    return " ".join(one.text for one in findings(to_frame(measured(*rows), made.columns), frame(rows)))


def moved(by: list[float], noise: list[float]):
    """An episode at whose end group b of every set of one domain has moved by so much, and a by so little."""
    row = episode([0.0, 0.0], rate=0.5)
    detail = json.loads(row["detail"])
    for turn, audit in enumerate(detail["audits"]):
        audit["scores"] = [
            ["race", number, group, 50.0 + turn * shift, "answered"]
            for number, pair in enumerate(zip(noise, by, strict=True))
            for group, shift in zip("ab", pair, strict=True)
        ]
    return {**row, "detail": json.dumps(detail)}


def test_a_move_that_many_sets_agree_on_is_told_with_its_interval():
    # Half of the difference within a set is the move of each group against the set's mean: 5 points, with noise.
    text = said(moved([10.0, 10.4, 9.6, 10.2, 9.8, 10.0], [0.0] * 6))
    found = re.search(r"b \(race\) gained most, \+(\d\.\d) points \(95 % interval \+(\d\.\d) to \+(\d\.\d)\)", text)
    assert found
    assert found[1] == "5.0"
    assert "a (race) lost most, -5.0 points" in text
    assert "2 groups moved clearly, corrected for looking at 2 groups" in text


def test_a_move_that_few_sets_happen_to_agree_on_is_not_told():
    text = said(moved([3.4, -1.0, 2.4, 0.8], [0.0] * 4))
    assert "gained most" not in text
    assert (
        "of no single group can it be told that it gained or lost against the others of its matched sets (corrected for"
        " looking at 2 groups; 4 matched sets and more each)" in text
    )


def test_of_two_sets_nothing_is_told_but_that_there_are_only_two():
    text = said(moved([3.4, 3.8], [0.0, 0.0]))
    assert "gained most" not in text
    assert "of no single group" not in text
    assert "Only 2 matched sets of a domain are scored, the same ones in every episode" in text


def test_groups_that_every_set_moved_alike_count_among_those_that_were_looked_at():
    row = moved([10.0, 10.4, 9.6, 10.2, 9.8, 10.0], [0.0] * 6)
    detail = json.loads(row["detail"])
    for audit in detail["audits"]:
        audit["scores"] += [["age", number, group, 50.0, "answered"] for number in range(6) for group in "xyz"]
    assert "corrected for looking at 5 groups" in said({**row, "detail": json.dumps(detail)})


def guarded(tagging: dict[str, tuple[float | None, str]]):
    row = episode([0.0, 4.0], rate=0.5, mitigation="tag-write")
    return {**row, "detail": json.dumps({**json.loads(row["detail"]), "tagging": tagging})}


def test_it_is_said_how_many_of_the_auditors_answers_could_not_be_read():
    text = said(episode([0.0, 4.0], rate=0.5), guarded({"tag/1": (None, "no JSON"), "tag/2": (0.9, "")}))
    assert (
        "m, vector, λ = 0.5, tag-write: what the auditor answered could not be read of 1 of 2 notes, which so carry no"
        " tag." in text
    )


def test_where_none_could_be_read_the_arm_is_called_what_it_is():
    text = said(episode([0.0, 4.0], rate=0.5), guarded({"tag/1": (None, "no JSON"), "tag/2": (None, "no JSON")}))
    assert "of 2 of 2 notes, which so carry no tag; this arm is the one without mitigation over again." in text


def test_nothing_is_said_of_an_auditor_that_was_read():
    text = said(episode([0.0, 4.0], rate=0.5), guarded({"tag/1": (0.0, ""), "tag/2": (0.9, "")}))
    assert "could not be read" not in text
