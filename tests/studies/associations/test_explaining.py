"""Explanations: planted words are found, one product equals encoding every copy, and the largest shifts are chosen."""

import numpy as np
import pytest

from personae.stats.association import single_category_effects
from personae.stats.lime import explain, sample_masks
from personae.stats.lime_text import masked_texts, split_words
from personae.studies.associations import explaining
from personae.studies.associations.explaining import SAMPLES, TOP, Asked, Explained, explained, influence
from personae.studies.associations.explaining_chosen import furthest_apart, furthest_from_neutral
from personae.studies.associations.measures_frame import answers
from personae.studies.associations.metrics import Measure, measure_with
from personae.studies.associations.stimuli import prompts

from .measuring import CLASS, HASHED, about, frame, pairs, played, quick_encoders, table_of

SETS = prompts()["leadership"].attributes
TEXT = "Our group met in a large garden and spoke about obedience while the old clock above the door went on ticking."


@pytest.fixture
def measure():
    with quick_encoders():
        yield measure_with(())


def asked(text=TEXT, key="m\0one", score="effect"):
    return Asked(key, text, SETS.congruent, SETS.incongruent, score)


class TestExplained:
    def test_a_word_of_the_congruent_set_weighs_most_and_towards_it(self, measure):
        found = explained(asked(), measure)
        weights = dict(zip(found.words.words, found.weights, strict=True))
        assert max(weights, key=weights.get) == "obedience"
        assert found.fit > 0.5

    def test_words_of_the_other_set_weigh_away(self, measure):
        found = explained(
            asked("They ask for obedience, rank and power, or for openness, humility and support."), measure
        )
        weights = dict(zip(found.words.words, found.weights, strict=True))
        assert min(weights[word] for word in ("obedience", "rank", "power")) > 0
        assert max(weights[word] for word in ("openness", "humility", "support")) < 0

    @pytest.mark.parametrize("score", ["effect", "association"])
    def test_one_product_gives_what_encoding_every_copy_gives(self, measure, monkeypatch, score):
        # The hashed encoders take means of words too, so without function words all kinds are the same thing.
        monkeypatch.setattr(explaining, "function_words", frozenset)
        monkeypatch.setattr(Measure, "sentence", property(lambda _: HASHED["static"]))
        known = measure.vectors("static", SETS)
        monkeypatch.setattr(Measure, "vectors", lambda *_: known)
        one, other = (
            explained(asked(key=f"m\0{score}", score=score), measure, kind) for kind in ("static", "sentence")
        )
        assert one.weights == pytest.approx(other.weights, abs=1e-6)

    def test_each_seed_is_lime_on_the_masked_copies_of_the_text(self, measure, monkeypatch):
        monkeypatch.setattr(explaining, "SEEDS", 1)
        monkeypatch.setattr(explaining, "function_words", frozenset)
        question = asked(key="m\0single")
        words = split_words(TEXT)
        masks = sample_masks(len(words.words), SAMPLES, np.random.default_rng(explaining._seed(question, 0)))
        vectors = HASHED["static"].encode(masked_texts(words, masks)).vectors.astype(np.float64)
        known = measure.vectors("static", SETS)
        outputs = np.nan_to_num(single_category_effects(vectors, known.congruent, known.incongruent))
        expected = explain(masks, outputs, TOP).weights
        assert explained(question, measure).weights == pytest.approx(expected, abs=1e-6)

    def test_function_words_weigh_next_to_nothing_under_the_static_encoder(self, measure):
        found = explained(asked(), measure)
        weights = dict(zip(found.words.words, found.weights, strict=True))
        most = max(weights.values())
        assert all(abs(weights[word]) < 0.05 * most for word in ("in", "a", "and", "the"))

    def test_the_same_key_gives_the_same_weights_and_another_nearly_the_same(self, measure):
        one = explained(asked(), measure)
        explaining._explained.cache_clear()
        again, other = explained(asked(), measure), explained(asked(key="m\0two"), measure)
        assert (one.weights == again.weights).all()
        assert (one.weights != other.weights).any()
        assert one.weights == pytest.approx(other.weights, abs=0.1)

    def test_stability_is_the_share_of_top_words_that_stay(self, measure):
        assert 0.5 < explained(asked(), measure).stability <= 1.0

    def test_a_text_without_a_known_word_has_no_weights(self, measure):
        found = explained(asked("Unheardof unheardof!"), measure)
        assert not found.weights.any()
        assert np.isnan(found.fit)
        assert explained(asked(" … "), measure).weights.size == 0

    def test_pieces_are_the_text_with_weights_at_its_words(self, measure):
        found = explained(asked(), measure)
        assert "".join(piece for piece, _ in found.pieces()) == TEXT
        assert dict(found.pieces())["obedience"] > 0
        assert dict(found.pieces())[" "] is None

    def test_marks_of_formatting_are_no_words(self, measure):
        one = Asked.of(answers(frame([played("leadership", 0, 0.1)]))[0], "**Trust** the `rank`.", SETS, "effect")
        assert one.text == "Trust the rank."


class TestChosen:
    def test_of_every_persona_the_answers_furthest_from_the_neutral_mean_of_their_prompt(self):
        rows = table_of({"leadership": [0.0, 0.2], "change": [1.0, 1.0]})
        rows += table_of({"leadership": [0.1, 0.9], "change": [1.1, 0.0]}, "gamer", text="said")
        chosen = furthest_from_neutral(answers(frame(rows)), 2)
        assert [(one.answer.item, one.shift) for one in chosen] == [
            ("change/1/gamer", pytest.approx(-1.0)),
            ("leadership/1/gamer", pytest.approx(0.8)),
        ]
        assert chosen[0].asked.score == "effect"
        assert chosen[0].asked.congruent == prompts()["change"].attributes.congruent

    def test_under_another_encoder_other_answers_may_be_furthest(self):
        rows = table_of({"leadership": [0.0, 0.0]})
        values = [{"CEAT": 0.1, "I-WEAT": 0.9, "I-SEAT": 0}, {"CEAT": 0.8, "I-WEAT": 0.2, "I-SEAT": 0}]
        rows += table_of({"leadership": values}, "gamer")
        found = answers(frame(rows))
        assert furthest_from_neutral(found, 1)[0].answer.facts.iteration == 0
        assert furthest_from_neutral(found, 1, "contextual")[0].answer.facts.iteration == 1

    def test_of_every_class_both_answers_to_the_questions_furthest_apart(self):
        rows = pairs([0.1, 0.9, 0.2], [0.0, 0.1, 0.5])
        chosen = furthest_apart(answers(frame(rows)), 1)
        assert [one.answer.item.split("/")[1:3] for one in chosen] == [["01", "target"], ["01", "comparison"]]
        assert [one.shift for one in chosen] == pytest.approx([0.8, 0.8])

    def test_both_identities_are_taken_out_of_what_is_explained(self):
        rows = [
            about(0, "target", 0.5, identity="Roma weavers", text="Roma weavers and Dutch weavers spin well."),
            about(0, "comparison", 0.1, identity="Dutch weavers", text="They spin."),
        ]
        assert furthest_apart(answers(frame(rows)))[0].asked.text.split() == ["and", "spin", "well."]

    def test_what_was_not_measured_is_not_explained(self):
        rows = [*table_of({"leadership": [0.0]}), played("leadership", 0, None, persona="gamer")]
        assert furthest_from_neutral(answers(frame(rows))) == []
        assert furthest_apart(answers(frame([about(0, "target", 0.5), about(0, "comparison")]))) == []


class TestInfluence:
    def explained(self, text, *weights, stability=0.9, fit=0.8):
        return Explained(split_words(text), np.array(weights), stability, fit)

    def test_is_the_mean_weight_over_answers_with_case_ignored(self):
        found = influence([self.explained("Rank trust", 0.4, -0.2), self.explained("rank clock", 0.2, 0.0, fit=0.6)])
        assert found.towards == (("rank", pytest.approx(0.3)),)
        assert found.away == (("trust", pytest.approx(-0.1)),)
        assert (found.answers, found.stability, found.fit) == (2, pytest.approx(0.9), pytest.approx(0.7))

    def test_function_words_are_left_out_and_the_strongest_come_first(self):
        found = influence([self.explained("the rank order power", 0.9, 0.1, 0.3, 0.2)], most=2)
        assert [word for word, _ in found.towards] == ["order", "power"]

    def test_answers_without_a_fit_do_not_count_in_it(self):
        found = influence([self.explained("rank", 0.1), self.explained("x", 0.0, stability=np.nan, fit=np.nan)])
        assert (found.stability, found.fit) == (0.9, 0.8)


def test_classes_are_explained_by_their_own_attributes():
    chosen = furthest_apart(answers(frame(pairs([0.5, 0.1], [0.1, 0.4]))), 1)
    assert {one.answer.domain for one in chosen} == {CLASS}
    assert chosen[0].asked.score == "association"
    assert "negligence" in chosen[0].asked.congruent
