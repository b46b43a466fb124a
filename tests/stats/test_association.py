"""Associations: the definition word by word, invariances, templates as repeats, and what is not defined."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from personae.stats.association import (
    association_test,
    associations,
    average_by,
    effect_size,
    iibs,
    seat,
    single_category,
    single_category_effects,
    weat,
)

SHAPES = st.tuples(*[st.integers(2, 5)] * 4)


def rng(seed=0):
    return np.random.default_rng(seed)


def four(seed, sizes=(4, 5, 3, 6), width=7):
    numbers = rng(seed)
    return [numbers.normal(size=(size, width)) for size in sizes]


def cosine(one, two):
    return sum(a * b for a, b in zip(one, two, strict=True)) / math.sqrt(
        sum(a * a for a in one) * sum(b * b for b in two)
    )


def by_hand(word, first, second):
    return sum(cosine(word, a) for a in first) / len(first) - sum(cosine(word, b) for b in second) / len(second)


@pytest.mark.parametrize("seed", range(3))
def test_weat_is_its_definition(seed):
    x, y, a, b = four(seed)
    ours, theirs = [by_hand(word, a, b) for word in x], [by_hand(word, a, b) for word in y]
    both = ours + theirs
    mean = sum(both) / len(both)
    spread = math.sqrt(sum((each - mean) ** 2 for each in both) / (len(both) - 1))
    found = weat(x, y, a, b, rng())
    assert associations(x, a, b) == pytest.approx(ours, abs=1e-12)
    assert found.difference == pytest.approx(sum(ours) / len(ours) - sum(theirs) / len(theirs), abs=1e-12)
    assert found.value == pytest.approx(found.difference / spread, abs=1e-12)
    assert found.statistic == pytest.approx(sum(ours) - sum(theirs), abs=1e-12)
    assert (found.n_first, found.n_second, found.exact, found.partitions) == (4, 5, True, math.comb(9, 4))


@given(SHAPES, st.integers(0, 10_000))
def test_exchanging_either_pair_of_sets_changes_the_sign_alone(sizes, seed):
    x, y, a, b = four(seed, sizes)
    found, targets, attributes = weat(x, y, a, b, rng()), weat(y, x, a, b, rng()), weat(x, y, b, a, rng())
    assert targets.value == pytest.approx(-found.value)
    assert attributes.value == pytest.approx(-found.value)
    assert targets.p == pytest.approx(attributes.p)
    assert 0.0 < found.p <= 1.0


@given(SHAPES, st.integers(0, 10_000), st.floats(0.01, 100.0))
def test_lengths_and_rotations_of_vectors_do_not_matter(sizes, seed, scale):
    sets = four(seed, sizes)
    turn = np.linalg.qr(rng(seed).normal(size=(7, 7)))[0]
    found, turned = weat(*sets, rng()), weat(*[scale * each @ turn for each in sets], rng())
    assert turned.value == pytest.approx(found.value, abs=1e-9)
    assert turned.p == found.p


def test_a_planted_association_is_found_and_its_sign_is_that_of_the_first_sets():
    x, y, a, b = four(2, (8, 8, 8, 8))
    found = weat(x + 3 * a.mean(axis=0), y + 3 * b.mean(axis=0), a, b, rng())
    assert found.value > 1.5
    assert found.p == pytest.approx(1 / 12870)
    assert found.p_strict == 0.0


def test_the_deviation_is_over_the_union_with_ddof_1_unless_asked_otherwise():
    assert effect_size([1.0, 2.0], [3.0, 5.0]) == pytest.approx(-2.5 / math.sqrt(8.75 / 3))
    assert effect_size([1.0, 2.0], [3.0, 5.0], ddof=0) == pytest.approx(-2.5 / math.sqrt(8.75 / 4))


def test_one_category_is_the_mean_association_over_the_spread_of_attributes():
    x, _, a, b = four(3)
    found = single_category(x, a, b, rng())
    cosines = [np.mean([cosine(word, each) for word in x]) for each in [*a, *b]]
    assert found.difference == pytest.approx(associations(x, a, b).mean())
    assert found.value == pytest.approx(found.difference / np.std(cosines, ddof=1))
    assert (found.n_first, found.n_second, found.partitions) == (3, 6, math.comb(9, 3))


def test_effects_of_single_texts_are_one_category_each():
    x, _, a, b = four(4)
    assert single_category_effects(x, a, b) == pytest.approx(
        [single_category(row[None], a, b, rng()).value for row in x]
    )
    assert np.isnan(single_category_effects(np.vstack([x[0], 0 * x[0]]), a, b)).tolist() == [False, True]
    assert np.isnan(single_category_effects(x, a[:0], b)).all()
    assert np.isnan(single_category_effects(x, a[:1], a[:1])).all()


def sentences(words, numbers, templates=6):
    return np.repeat(words, templates, axis=0) + 0.5 * numbers.normal(size=(templates * len(words), words.shape[1]))


def test_seat_by_sentences_is_weat_on_sentences():
    sets = four(5)
    labels = tuple([f"w{place}" for place in range(len(each))] for each in sets)
    for unit in ("sentences", "words"):
        assert seat(*sets, labels, rng(), unit=unit) == weat(*sets, rng())


def test_seat_by_words_averages_the_sentences_of_a_word_first():
    numbers = rng(6)
    words = four(7)
    sets = [sentences(each, numbers) for each in words]
    labels = tuple(np.repeat(np.arange(len(each)), 6) for each in words)
    found = seat(*sets, labels, rng())
    mean = associations(sets[0], sets[2], sets[3]).reshape(-1, 6).mean(axis=1)
    other = associations(sets[1], sets[2], sets[3]).reshape(-1, 6).mean(axis=1)
    assert found.value == pytest.approx(effect_size(mean, other))
    assert (found.n_first, found.n_second) == (4, 5)
    assert seat(*sets, labels, rng(), unit="sentences", draws=99).n_first == 24


def test_a_word_with_more_sentences_does_not_count_for_more():
    x, y, a, b = four(8)
    labels = [list(range(len(each))) for each in (x, y, a, b)]
    twice = np.vstack([a, a[:2]])
    found = seat(x, y, twice, b, (labels[0], labels[1], [0, 1, 2, 0, 1], labels[3]), rng())
    assert found.value == pytest.approx(weat(x, y, a, b, rng()).value)


def test_sentences_as_units_reject_a_true_null_far_too_often_and_words_do_not():
    numbers = rng(9)
    labels = tuple([np.repeat(np.arange(6), 6)] * 4)
    rejected = {"words": 0, "sentences": 0}
    for _ in range(150):
        sets = [sentences(numbers.normal(size=(6, 15)), numbers) for _ in range(4)]
        for unit in rejected:
            rejected[unit] += seat(*sets, labels, numbers, unit=unit, draws=199).p <= 0.05
    assert rejected["words"] / 150 < 0.11
    assert rejected["sentences"] / 150 > 0.18


def test_averages_keep_the_order_of_first_appearance():
    rows = np.array([[1.0, 0.0], [3.0, 2.0], [5.0, 4.0]])
    assert average_by(rows, ["b", "a", "b"]).tolist() == [[3.0, 2.0], [3.0, 2.0]]
    with pytest.raises(ValueError, match="2 labels for 3"):
        average_by(rows, ["b", "a"])


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([], [1.0], "no values"),
        ([1.0], [], "no values"),
        ([1.0, math.nan], [1.0], "missing or not finite"),
        ([0.1, 0.1], [0.1], "all values are equal"),
    ],
)
def test_what_is_not_defined_is_nan_with_its_reason(first, second, reason):
    found = association_test(first, second, rng())
    assert reason in found.reason
    assert math.isnan(found.value)
    assert math.isnan(found.p)


def test_a_word_without_a_vector_is_not_passed_over():
    x, y, a, b = four(10)
    x[1] = 0.0
    found = weat(x, y, a, b, rng())
    assert "missing or not finite" in found.reason


def test_empty_attributes_have_no_association():
    x, y, a, b = four(11)
    assert np.isnan(associations(x, a[:0], b)).all()
    assert weat(x, y, a[:0], b, rng()).reason


def test_vectors_that_are_no_table_are_refused():
    with pytest.raises(ValueError, match="1 dimension"):
        associations([1.0, 2.0], [[1.0, 2.0]], [[1.0, 2.0]])


@given(hnp.arrays(np.int64, st.integers(1, 30), elements=st.integers(0, 4)), st.data())
def test_iibs_is_the_share_of_all_sentences_with_a_pattern_about_two_identities(identities, data):
    patterns = data.draw(hnp.arrays(np.bool_, identities.size))
    found = iibs(identities, patterns)
    wanted = sum(bool(flag and count >= 2) for count, flag in zip(identities, patterns, strict=True))
    assert found.value == pytest.approx(wanted / identities.size)
    assert found.ci_low <= found.value <= found.ci_high


def test_iibs_of_other_lengths_is_refused():
    with pytest.raises(ValueError, match="patterns"):
        iibs([1, 2], [True])
