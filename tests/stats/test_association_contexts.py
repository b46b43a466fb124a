"""CEAT: WEAT draw by draw, one context per word, its invalid and its valid test, and bounded memory."""

from __future__ import annotations

import math

import numpy as np
import pytest

from personae.stats.association import associations, weat
from personae.stats.association_contexts import Stacked, ceat, draw_effects, effects_of
from personae.stats.random_effects import random_effects


def rng(seed=0):
    return np.random.default_rng(seed)


def pools(seed, words=5, contexts=6, width=8, shift=0.0):
    """Four sets of words with contexts of unequal number; the first targets lean to the first attributes."""
    numbers = rng(seed)
    sets = [
        [numbers.normal(size=width) + 0.6 * numbers.normal(size=(contexts + word, width)) for word in range(words)]
        for _ in range(4)
    ]
    toward = np.mean([word.mean(axis=0) for word in sets[2]], axis=0)
    sets[0] = [word + shift * toward for word in sets[0]]
    return sets


def test_every_draw_is_weat_on_the_drawn_contexts():
    sets = pools(1)
    stacked = [Stacked(words) for words in sets]
    drawn = [one.draw(rng(2), 20) for one in stacked]
    effects, variances = effects_of(stacked, drawn)
    for draw in range(20):
        x, y, a, b = (one.rows[rows[draw]] for one, rows in zip(stacked, drawn, strict=True))
        assert effects[draw] == pytest.approx(weat(x, y, a, b, rng()).value)
        assert variances[draw] == pytest.approx(np.var(associations(np.vstack([x, y]), a, b), ddof=1))


def test_a_draw_takes_one_context_of_every_word_each_equally_often():
    stacked = Stacked(pools(3)[0])
    drawn = stacked.draw(rng(4), 6000)
    for word, (start, count) in enumerate(zip(stacked.starts, stacked.counts, strict=True)):
        seen = np.bincount(drawn[:, word] - start, minlength=count)
        assert seen.size == count
        assert seen == pytest.approx(6000 / count, abs=5 * math.sqrt(6000 / count))


def test_draws_are_combined_by_random_effects_and_their_spread_is_told():
    found = ceat(*pools(5, shift=0.5), rng(6), draws=400)
    assert found.combined == random_effects(found.effects, found.variances)
    assert found.spread == pytest.approx(found.effects.std(ddof=1))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(found.effects, [0.025, 0.975])))
    assert found.combined.value > 0
    assert (found.draws, found.undefined, found.contexts) == (400, 0, 4 * (6 + 7 + 8 + 9 + 10))


def test_words_are_tested_with_their_means_over_all_contexts():
    sets = pools(7)
    units = [[word / np.linalg.norm(word, axis=1, keepdims=True) for word in words] for words in sets]
    means = [np.array([word.mean(axis=0) for word in words]) for words in units]
    towards = means[2].mean(axis=0) - means[3].mean(axis=0)
    found = ceat(*sets, rng(8), draws=50).words
    both = np.concatenate([means[0] @ towards, means[1] @ towards])
    assert found.value == pytest.approx((both[:5].mean() - both[5:].mean()) / both.std(ddof=1))
    assert (found.exact, found.partitions) == (True, 252)


def test_exchanging_targets_changes_the_sign():
    x, y, a, b = pools(9, shift=0.4)
    one, two = ceat(x, y, a, b, rng(1), draws=3000), ceat(y, x, a, b, rng(1), draws=3000)
    assert two.combined.value == pytest.approx(-one.combined.value, abs=0.05)
    assert two.words.value == pytest.approx(-one.words.value)


def test_under_a_null_the_combined_p_rejects_nearly_always_and_the_words_do_not():
    found = [ceat(*pools(100 + seed, words=4), rng(seed), draws=300) for seed in range(60)]
    assert np.mean([each.combined.p <= 0.05 for each in found]) > 0.6
    assert np.mean([each.words.p <= 0.05 for each in found]) < 0.17


def test_few_at_a_time_gives_the_same_shapes_and_nearly_the_same_result(monkeypatch):
    sets = [Stacked(words) for words in pools(10)]
    whole = draw_effects(sets, rng(11), 3000)
    monkeypatch.setattr("personae.stats.association_contexts._CELLS", 2000)
    parts = draw_effects(sets, rng(11), 3000)
    assert parts[0].shape == whole[0].shape == (3000,)
    assert parts[0].mean() == pytest.approx(whole[0].mean(), abs=0.05)


def test_one_context_each_is_weat_again_and_again():
    sets = [[word[:1] for word in words] for words in pools(12)]
    found = ceat(*sets, rng(), draws=10)
    expected = weat(*[np.vstack(words) for words in sets], rng())
    assert found.combined.value == pytest.approx(expected.value)
    assert found.spread == pytest.approx(0.0, abs=1e-12)
    assert found.words.p == expected.p


def test_draws_without_an_effect_size_are_counted_and_left_out():
    same = np.array([[1.0, 0.0], [0.0, 1.0]])
    sets = [[same], [same], [np.array([[1.0, 0.2]])], [np.array([[0.3, 1.0]])]]
    found = ceat(*sets, rng(), draws=200)
    assert 60 < found.undefined < 140
    assert found.effects.size + found.undefined == found.draws == 200
    assert not found.reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda sets: [sets[0], [], *sets[2:]], "no values"),
        (lambda sets: [[sets[0][0], sets[0][1][:0]], *sets[1:]], "no values"),
        (lambda sets: [[0.0 * sets[0][0]], *sets[1:]], "missing or not finite"),
        (lambda sets: [[sets[0][0][:1]], [sets[0][0][:1]], *sets[2:]], "all words have the same association"),
    ],
)
def test_what_cannot_be_drawn_is_nan_with_its_reason(change, reason):
    found = ceat(*change(pools(13)), rng(), draws=10)
    assert reason in found.reason
    assert math.isnan(found.combined.value)
    assert math.isnan(found.words.value)
    assert math.isnan(found.low)


def test_misuse_is_refused():
    with pytest.raises(ValueError, match="draws"):
        ceat(*pools(14), rng(), draws=1)
    with pytest.raises(ValueError, match="level"):
        ceat(*pools(14), rng(), draws=2, level=95.0)
