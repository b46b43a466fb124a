"""Answers in sentences: their words come from two sets, in shares that are known."""

import re

import pytest

from personae.coding.refusal import find_refusal
from personae.coding.sentences import sentences
from personae.models.simulated import SimulatedModel
from personae.types import Message, Trial

SETS = {"congruent": ["dominance", "rank", "pedigree"], "incongruent": ["dialogue", "access"]}
PERSONA = {"baseline": False, "persona": "gamer", "persona_group": "advantaged"}
OTHER = {"baseline": False, "persona": "teacher", "persona_group": "marginalised"}
TARGET = {"congruent": 0.9, "incongruent": 0.1}
N, SENTENCES = 250, 8  # shares of 2,000 sentences: 0.04 is over three and a half standard errors


def trial(number=0, *, seed=None, **meta):
    told = {
        "kind": "essay",
        "options": list(SETS),
        "essay": SETS,
        "expected": {},
        "lean": [] if meta.get("baseline", True) else ["congruent"],
        "baseline": True,
        **meta,
    }
    return Trial(messages=(Message("user", f"What of number {number}?"),), meta=told, seed=seed)


def words(text, known=SETS):
    return [word for word in re.findall(r"\w+", text) if any(word in some for some in known.values())]


def answers(name, **meta):
    respondent = SimulatedModel.from_name(f"sim/{name}")
    return [respondent.answer(trial(number, **meta)) for number in range(N)]


def share(name, **meta):
    said = [word for one in answers(name, **meta) for word in words(one.text)]
    assert len(said) == N * SENTENCES
    return sum(word in SETS["congruent"] for word in said) / len(said)


def test_an_answer_is_sentences_with_a_word_each():
    for one in answers("neutral")[:20]:
        said = sentences(one.text)
        assert [len(words(sentence)) for sentence in said] == [1] * SENTENCES
        assert one.finish == "stop"
        assert find_refusal(one.text) is None


def test_every_word_of_both_sets_is_used_alike():
    said = [word for one in answers("neutral") for word in words(one.text)]
    for some in SETS.values():
        counts = [said.count(word) for word in some]
        assert max(counts) - min(counts) < 0.25 * max(counts)


@pytest.mark.parametrize("meta", [{}, PERSONA, {"expected": TARGET}])
def test_neutral_takes_from_either_set_by_chance(meta):
    assert share("neutral", **meta) == pytest.approx(0.5, abs=0.04)


@pytest.mark.parametrize(
    ("name", "meta", "expected"),
    [
        ("planted?bias=0.3", {}, 0.5),
        ("planted?bias=0.3", PERSONA, 0.8),
        ("planted?bias=-0.3", PERSONA, 0.2),
        ("planted?bias=0.8", PERSONA, 1.0),
        ("planted?bias=0.3&lean=0.1", PERSONA, 0.6),
        ("planted?bias=0.3&group=advantaged", PERSONA, 0.8),
        ("planted?bias=0.3&group=advantaged", OTHER, 0.5),
        ("neutral?follow=1", {"expected": TARGET}, 0.9),
        ("neutral?follow=0.5", {"expected": TARGET}, 0.7),
        ("planted?bias=0.05&follow=1", {**PERSONA, "expected": TARGET}, 0.95),
        ("neutral?position=0.5", {}, 0.75),
    ],
)
def test_the_planted_share_of_congruent_words_comes_out(name, meta, expected):
    assert share(name, **meta) == pytest.approx(expected, abs=0.04)


def test_the_same_question_is_answered_alike_and_another_generation_is_not():
    respondent = SimulatedModel.from_name("sim/neutral")
    texts = [respondent.answer(trial(seed=seed)).text for seed in (42, 42, 43)]
    assert texts[0] == texts[1] != texts[2]
    assert respondent.answer(trial(1, seed=42)).text != texts[0]


def test_what_the_respondent_is_told_of_the_question_changes_only_what_it_leans_to():
    """Persona and baseline draw the same numbers, so their answers differ by the bias and by no other chance."""
    plain, leaning = (answers("planted?bias=0.3", **meta) for meta in ({}, PERSONA))
    for one, other in zip(plain[:50], leaning[:50], strict=True):
        for before, after in zip(words(one.text), words(other.text), strict=True):
            assert before == after or (before in SETS["incongruent"] and after in SETS["congruent"])


def test_refusals_are_refusals_and_come_at_their_rate():
    said = answers("refuser?rate=0.2&persona_rate=0.6", **PERSONA)
    refused = [one for one in said if find_refusal(one.text)]
    assert len(refused) / N == pytest.approx(0.6, abs=0.12)
    assert not any(words(one.text) for one in refused)


def test_mangled_answers_are_empty():
    empty = [one for one in answers("garbled?rate=0.5") if not one.text.strip()]
    assert len(empty) / N == pytest.approx(0.5, abs=0.12)
