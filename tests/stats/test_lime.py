"""LIME: stored explanations of lime 0.2.0.1, a fit by plain algebra, many texts at once, words and their copies."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.stats.association import associations
from personae.stats.lime import explain, lime_masks, proximity, sample_masks, top_overlap
from personae.stats.lime_text import masked_scores, masked_texts, masked_vectors, split_words, word_sums

STORED = json.loads((Path(__file__).parent / "lime_explanations.json").read_text(encoding="utf-8"))
SELECTIONS = ["auto", "forward", "highest_weights", "none"]
TEXTS = st.text(st.sampled_from("aAbé1_ .,-'\n"), max_size=30)


def rng(seed=0):
    return np.random.default_rng(seed)


def stored_outputs(masks):
    return np.tanh(masks @ np.array(STORED["values"]) / 4)


def synthetic(seed, words=12, samples=80):
    masks = sample_masks(words, samples, rng(seed))
    return masks, np.tanh(masks @ rng(seed + 1).normal(size=words))


@pytest.mark.parametrize("case", STORED["cases"], ids=lambda case: f"{case['selection']}-{case['num_features']}")
def test_it_is_lime(case):
    words = split_words(STORED["text"]).words
    assert list(words) == STORED["words"]
    masks = lime_masks(len(words), case["samples"], case["seed"])
    found = explain(masks, stored_outputs(masks), case["num_features"], selection=case["selection"])
    expected = dict(case["features"])
    assert {words[place] for place in np.flatnonzero(found.selected)} == set(expected)
    assert found.weights == pytest.approx([expected.get(word, 0.0) for word in words], abs=1e-12)
    assert (found.intercept, found.score, found.local) == pytest.approx(
        (case["intercept"], case["score"], case["local"]), abs=1e-12
    )
    assert [words[place] for place in found.top(3)] == [word for word, _ in case["features"]][:3]


@pytest.mark.parametrize("seed", range(3))
def test_all_words_are_a_weighted_ridge_with_a_free_intercept(seed):
    masks, outputs = synthetic(seed)
    near = proximity(masks)
    design = np.column_stack([np.ones(len(masks)), masks])
    penalty = np.diag([0.0] + [1.0] * masks.shape[1])
    fitted = np.linalg.solve(design.T @ (near[:, None] * design) + penalty, design.T @ (near * outputs))
    found = explain(masks, outputs, selection="none")
    assert [found.intercept, *found.weights] == pytest.approx(fitted)
    assert found.local == pytest.approx(fitted.sum())
    left = near @ (outputs - design @ fitted) ** 2
    assert found.score == pytest.approx(1 - left / (near @ (outputs - near @ outputs / near.sum()) ** 2))


def test_stepwise_selection_takes_the_word_that_explains_most_at_each_step():
    masks, outputs = synthetic(5)
    near, taken = np.sqrt(proximity(masks)), []
    for _ in range(4):
        left = {}
        for word in set(range(masks.shape[1])) - set(taken):
            design = near[:, None] * np.column_stack([np.ones(len(masks)), masks[:, [*taken, word]]])
            fitted = np.linalg.lstsq(design, near * outputs, rcond=None)[0]
            left[word] = ((near * outputs - design @ fitted) ** 2).sum()
        taken.append(min(left, key=left.get))
    found = explain(masks, outputs, 4, selection="forward")
    assert set(np.flatnonzero(found.selected)) == set(taken)
    assert np.array_equal(explain(masks, outputs, 4).weights, found.weights)
    assert not np.array_equal(explain(masks, outputs, 4, selection="highest_weights").weights, found.weights)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_many_texts_at_once_are_each_on_their_own(selection, monkeypatch):
    sizes, samples = [3, 9, 12, 5], 60
    padded, outputs = np.zeros((4, samples, 12), dtype=bool), np.zeros((4, samples))
    alone = []
    for text, size in enumerate(sizes):
        masks, values = synthetic(text, size, samples)
        padded[text, :, :size], outputs[text] = masks, values
        alone.append(explain(masks, values, 4, selection=selection))
    together = explain(padded, outputs, 4, selection=selection, words=sizes)
    monkeypatch.setattr("personae.stats.lime._CELLS", 1)
    one_by_one = explain(padded, outputs, 4, selection=selection, words=sizes)
    for text, size in enumerate(sizes):
        assert together.weights[text, :size] == pytest.approx(alone[text].weights, abs=1e-12)
        assert not together.weights[text, size:].any()
        assert not together.selected[text, size:].any()
        assert together.selected[text, :size].tolist() == alone[text].selected.tolist()
        assert together.score[text] == pytest.approx(alone[text].score)
    assert one_by_one.weights == pytest.approx(together.weights, abs=1e-12)


def test_leading_axes_are_kept():
    masks, outputs = synthetic(6)
    both = explain(np.broadcast_to(masks, (2, 3, *masks.shape)), np.broadcast_to(outputs, (2, 3, len(outputs))), 5)
    assert both.weights.shape == (2, 3, masks.shape[1])
    assert both.top(5).shape == (2, 3, 5)
    assert both.score.shape == both.intercept.shape == (2, 3)
    assert explain(np.ones((0, 4, 3), dtype=bool), np.zeros((0, 4)), 2).weights.shape == (0, 3)


def test_a_word_that_moves_the_score_gets_its_weight_and_others_do_not():
    masks = sample_masks(20, 2000, rng(7))
    found = explain(masks, 0.5 * masks[:, 4] - 0.25 * masks[:, 9], 2)
    assert found.top(2).tolist() == [4, 9]
    assert found.weights[[4, 9]] == pytest.approx([0.5, -0.25], abs=0.01)
    assert found.score > 0.99


def test_equal_outputs_explain_nothing():
    masks = sample_masks(6, 30, rng(8))
    found = explain(masks, np.full(30, 0.7), 3)
    assert found.weights == pytest.approx(np.zeros(6), abs=1e-12)
    assert found.local == pytest.approx(0.7)
    assert np.isnan(found.score)


def test_a_text_of_one_word():
    masks = lime_masks(1, 10, 0)
    assert masks[:, 0].tolist() == [True] + [False] * 9
    assert explain(masks, masks[:, 0].astype(float), 3).selected.tolist() == [True]


@given(st.integers(1, 15), st.integers(1, 40), st.integers(0, 1000))
def test_masks_keep_everything_once_and_remove_at_least_one_word_after(words, samples, seed):
    for masks in (lime_masks(words, samples, seed), sample_masks(words, samples, rng(seed))):
        assert masks.shape == (samples, words)
        assert masks[0].all()
        assert not masks[1:].all(axis=1).any()


def test_both_kinds_of_masks_remove_every_number_of_words_equally_often_and_every_word():
    for masks in (lime_masks(5, 5001, 1), sample_masks(5, 5001, rng(1))):
        removed = np.bincount((~masks[1:]).sum(axis=1), minlength=6)
        assert removed[0] == 0
        assert removed[1:] == pytest.approx(1000, abs=150)
        assert (~masks[1:]).mean(axis=0) == pytest.approx(0.6, abs=0.04)


def test_a_stream_that_goes_on_explains_a_text_differently_the_second_time():
    stream = np.random.RandomState(3)
    one, two = lime_masks(9, 20, stream), lime_masks(9, 20, stream)
    assert np.array_equal(one, lime_masks(9, 20, 3))
    assert not np.array_equal(one, two)


def test_proximity_falls_with_what_is_removed():
    near = proximity([[True] * 4, [True, True, False, False], [False] * 4])
    assert near[0] == 1.0
    assert near[1] == pytest.approx(np.sqrt(np.exp(-((100 * (1 - np.sqrt(0.5))) ** 2) / 625)))
    assert near[2] == pytest.approx(np.exp(-8))
    assert proximity([[[True, False]]], [1])[0] == proximity([[True]])[0]


def test_overlap_of_the_largest_words_over_seeds():
    assert top_overlap([[3.0, -2.0, 1.0, 0.0], [-1.0, 5.0, 0.1, 0.0]], 2) == 1.0
    assert top_overlap([[3.0, 2.0, 0.0, 0.0], [0.0, 2.0, 3.0, 0.0], [0.0, 0.0, 3.0, 2.0]], 2) == pytest.approx(1 / 3)
    assert np.isnan(top_overlap([[1.0, 2.0]], 2))
    with pytest.raises(ValueError, match="1 dimension"):
        top_overlap([1.0, 2.0])


@given(TEXTS, st.booleans())
def test_a_text_is_its_pieces_and_its_words_are_those_of_the_pattern(text, together):
    found = split_words(text, together=together)
    assert "".join(found.pieces) == text
    words = re.findall(r"\w+", text)
    assert list(found.words) == (list(dict.fromkeys(words)) if together else words)
    spans = found.spans()
    assert [{text[start:end] for start, end in places} for places in spans] == [{word} for word in found.words]
    assert sum(map(len, spans)) == len(words)
    width = len(found.words)
    assert masked_texts(found, np.ones((1, width), dtype=bool)) == [text]
    assert re.sub(r"UNKWORDZ", "", masked_texts(found, np.zeros((1, width), dtype=bool))[0]) == re.sub(r"\w+", "", text)


def test_masked_words_vanish_wherever_they_stand_or_are_marked_where_order_matters():
    text = "A dog, a cat; a dog."
    together, apart = split_words(text), split_words(text, together=False)
    assert together.words == ("A", "dog", "a", "cat")
    assert masked_texts(together, [[True, False, True, True]]) == ["A , a cat; a ."]
    assert apart.words == ("A", "dog", "a", "cat", "a", "dog")
    assert masked_texts(apart, [[True, False, True, True, True, True]]) == ["A UNKWORDZ, a cat; a dog."]
    with pytest.raises(ValueError, match="4 words"):
        masked_texts(together, [[True, False]])


def test_one_product_scores_all_copies_as_the_mean_of_their_words_would():
    words = split_words("a dog saw a cat and a bird saw nothing")
    vectors = rng(9).normal(size=(len(words.words), 6))
    vectors[2] = 0.0
    known = {word: vector for word, vector in zip(words.words, vectors, strict=True) if vector.any()}
    first, second = rng(10).normal(size=(2, 4, 6))
    towards = associations(np.eye(6), first, second)
    masks = sample_masks(len(words.words), 50, rng(11))
    masks[-1] = [word == "saw" for word in words.words]
    found = masked_scores(masks, word_sums(words, vectors), towards)
    for copy, score in zip(masked_texts(words, masks), found, strict=True):
        there = [known[word] for word in re.findall(r"\w+", copy) if word in known]
        expected = associations([np.mean(there, axis=0)], first, second)[0] if there else 0.0
        assert score == pytest.approx(expected, abs=1e-12)
    assert masked_vectors(masks, word_sums(words, vectors)).shape == (50, 6)


@pytest.mark.parametrize(
    ("masks", "outputs", "options", "said"),
    [
        ([[True, True]], [1.0, 2.0], {}, "shape"),
        (np.zeros((2, 0), dtype=bool), [1.0, 2.0], {}, "shape"),
        ([[True, False], [True, True]], [1.0, 2.0], {}, "first mask"),
        ([[True, True], [True, False]], [1.0, np.nan], {}, "finite"),
        ([[True, True], [True, False]], [1.0, 2.0], {"num_features": 0}, "num_features"),
        ([[True, True, False], [True, False, True]], [1.0, 2.0], {"words": 2}, "padding"),
    ],
)
def test_misuse_is_refused(masks, outputs, options, said):
    with pytest.raises(ValueError, match=said):
        explain(masks, outputs, **options)


def test_no_words_have_no_masks():
    for make in (lambda: lime_masks(0, 5, 0), lambda: sample_masks(0, 5, rng()), lambda: lime_masks(3, 0, 0)):
        with pytest.raises(ValueError, match="at least one"):
            make()
