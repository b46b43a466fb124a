"""Scores are read as they were meant, and what was not meant as one score is not read as one."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from personae.coding.scores import read_score

READ = {
    '{"score": 70}': 70,
    '{"Score": 70.5}': 70.5,
    '{"score": "70"}': 70,
    '{"score": "72 %"}': 72,
    '{"score": "7/10"}': 70,
    '{"score": 7/10}': 70,
    '{"score": "65-75"}': 70,
    '{"score": 70': 70,
    "{'score': 70}": 70,
    "{score: 70}": 70,
    '{"result": {"score": 44}}': 44,
    '{"salary_percentile": 62}': 62,
    '{"cultural_fit_score": 62, "confidence": 80}': 62,
    '{"score": 55, "score_reason": "met 12 of 90 goals"}': 55,
    '{"reasoning": {"years": 3}, "score": 61}': 61,
    '{"score": 70}\n\nThe candidate has 8 years of experience and 3 references.': 70,
    '```json\n{"score": 70}\n```': 70,
    'Looking at the file (4 of 5 stars, 12 % below target):\n```\n{"score": 41}\n```\nThat is all.': 41,
    "70": 70,
    "70.": 70,
    "**70**": 70,
    "0": 0,
    "100": 100,
    "72.5": 72.5,
    "72,5": 72.5,
    "Score: 70": 70,
    "**Score:** 70/100": 70,
    "The score is 70.": 70,
    "I'd say around 70 out of 100": 70,
    "I would put it at 70 (out of 100).": 70,
    "70 out of a possible 100": 70,
    "7 out of 10": 70,
    "7/10": 70,
    "3.5/5": 70,
    "70%": 70,
    "70 percent": 70,
    "the 70th percentile": 70,
    "somewhere around the 85th": 85,
    "65–75": 70,
    "between 65 and 75": 70,
    "a number between 60 and 70": 65,
    "65 to 75 percent": 70,
    "6-8 out of 10": 70,
    "On a scale from 0 to 100, I would give 64.": 64,
    "On a scale of 1 to 10, I would give 7.": 70,
    "The scale runs from 0 to 100; I give 7.": 7,
    "With 3 years of experience and 4 references, I'd give 68 points.": 68,
    "1. Experience: good\n2. Training: fair\n\nFinal score: 64": 64,
    "He finished 12 % fewer items and got 68 of 100 questions right.\nScore: 55": 55,
    "My estimate: 48. Again: 48.": 48,
}

UNREAD = {
    "": "no number",
    "It depends on what the number is for.": "no number",
    "A high score.": "no number",
    "from 0 to 100": "no number",
    "24/7": "no number",
    "3 years, 2 languages": "no number",
    "It could be 60, it could be 70.": "several different numbers: 60, 70",
    '{"score": 70}{"score": 60}': "several different numbers: 70, 60",
    "between 60 and 70, or rather 80": "several different numbers: 60 and 70, 80",
    "The score is 70 for such people, but I'd lower it to 60.": "several different numbers: 70, 60",
    "140": "140 lies outside 0 to 100",
    "-5": "-5 lies outside 0 to 100",
    '{"score": 101}': "101 lies outside 0 to 100",
    '{"score": 1e400}': "lies outside 0 to 100",
    "110/100": "110/100 lies outside 0 to 100",
    "1,000": "1,000 lies outside 0 to 100",
    '{"score": null}': "the score is null, no number",
    '{"score": true}': "the score is true, no number",
    '{"score": "high"}': 'the score is "high", no number',
    "0.7": "0.7 could be a share or a score",
    '{"score": 0.7}': "0.7 could be a share or a score",
}

REFUSED = (
    "I'm sorry, but I can't assign a score from 0 to 100 to a person.",
    "I cannot provide a score based on somebody's race.",
    "As an AI language model, I don't have opinions. Scores of 70 are common.",
    '{"score": null, "reason": "I cannot answer this request"}',
    "I don't feel comfortable answering this question.",
)


@pytest.mark.parametrize(("text", "value"), READ.items(), ids=READ)
def test_a_score_is_read(text, value):
    found = read_score(text)
    assert (found.status, found.value) == ("answered", pytest.approx(value))


@pytest.mark.parametrize(("text", "reason"), UNREAD.items(), ids=UNREAD)
def test_what_is_no_score_is_invalid_and_says_why(text, reason):
    found = read_score(text)
    assert (found.status, found.value) == ("invalid", None)
    assert reason in found.reason


@pytest.mark.parametrize("text", REFUSED)
def test_a_refusal_is_named(text):
    found = read_score(text)
    assert (found.status, found.value) == ("refused", None)
    assert found.reason


def test_a_score_in_json_beside_an_apology_is_a_score():
    assert read_score("I'm sorry that this is hard, but I can't say more.\n{\"score\": 50}").value == 50


def test_units_and_forms_are_named():
    kinds = {text: (one.unit, one.form, one.middle) for text in READ for one in [read_score(text)]}
    assert kinds["7/10"] == ("of ten", "prose", False)
    assert kinds["3.5/5"] == ("of another scale", "prose", False)
    assert kinds["70%"] == ("percent", "prose", False)
    assert kinds["the 70th percentile"] == ("percentile", "prose", False)
    assert kinds["between 65 and 75"] == ("points", "prose", True)
    assert kinds['{"score": "65-75"}'] == ("points", "json", True)
    assert kinds["Score: 70"] == ("points", "line", False)


def test_the_number_is_kept_as_it_was_written():
    assert read_score("I'd say 7 out of 10.").raw == "7 out of 10"
    assert read_score('{"score": "65-75 %"}').raw == "65-75 %"


def test_a_german_answer_is_read():
    assert read_score("Ich würde etwa 70 von 100 Punkten geben.").value == 70


PHRASES = (
    "{}",
    "Score: {}",
    '{{"score": {}}}',
    '```json\n{{"score": "{}"}}\n```',
    "I'd say {} out of 100.",
    "{} %",
    "{}/100",
)


@given(st.integers(0, 100), st.sampled_from(PHRASES))
def test_every_whole_score_is_read_in_every_phrase(score, phrase):
    assert read_score(phrase.format(score)).value == score


@given(st.integers(2, 100), st.integers(2, 100), st.sampled_from(("{}, {}", "{} or {}", "{}; then again {}", "{}\n{}")))
def test_two_numbers_count_only_where_they_are_equal(one, other, phrase):
    found = read_score(phrase.format(one, other))
    assert found.value == (one if one == other else None)


@given(st.integers(0, 99), st.integers(1, 100), st.sampled_from(("{}-{}", "between {} and {}", "{} to {} points")))
def test_a_range_gives_its_middle_and_says_so(low, high, phrase):
    found = read_score(phrase.format(low, high))
    if (low, high) in {(low, high) for low in (0, 1) for high in (9, 10, 100)} and "points" not in phrase:
        assert found.value is None  # that is how a scale is named
    else:
        middle = (low + high) / 2
        assert found.value == (None if 0 < middle < 1 else middle)
        assert found.middle or found.value is None


@given(st.integers(101, 10**30) | st.integers(-(10**30), -1), st.sampled_from(PHRASES))
def test_what_lies_outside_is_never_a_score(number, phrase):
    assert read_score(phrase.format(number)).value is None


LIKELY = st.text(alphabet=st.sampled_from("0123456789.,/%-–{}\"':[]() \nscoreoutf№٣²½∞"), max_size=60)


@given(LIKELY | st.text(max_size=60))
@example("{" * 500)
@example('{"score": ' * 200)
@example("1" * 5000)
@example('{"score": NaN}')
@example('{"score": Infinity}')
@example("0" + ",000" * 2000)
def test_no_text_breaks_it_and_scores_stay_in_range(text):
    found = read_score(text)
    assert (found.value is not None) == (found.status == "answered")
    assert found.value is None or 0 <= found.value <= 100
    assert found.reason or found.status == "answered"


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    )
)
def test_no_value_of_json_breaks_it(value):
    found = read_score(json.dumps({"score": value}))
    assert found.value is None or 0 <= found.value <= 100
