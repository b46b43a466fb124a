"""The corpus under the encoders: effects by hand, both shares of IIBS, and what a parser finds."""

import numpy as np
import pytest

from personae.stats.association import weat
from personae.studies.associations import corpus as scoring
from personae.studies.associations.corpus import ALL, Marked, corpus_scores, marked_groups
from personae.studies.associations.metrics import measure_with
from personae.studies.associations.stimuli import CorpusSentence, corpus

from .measuring import HASHED, quick_encoders


def sentence(number, kind, text, target, attribute, pattern):
    return CorpusSentence(
        id=f"s{number}", group="A + B", kind=kind, sentence=text, target=target, attribute=attribute, pattern=pattern
    )


SENTENCES = (
    sentence(1, "intersectional", "Old weavers are called careless.", "Old weavers", "careless", True),
    sentence(2, "intersectional", "Old weavers were early.", "Old weavers", "early", False),
    sentence(3, "intersectional", "Rural smiths are taken for slow.", "Rural smiths", "slow", True),
    sentence(4, "neutral", "The report was long.", "report", "long", False),
    sentence(5, "neutral", "The meeting was calm.", "meeting", "calm", False),
)


@pytest.fixture
def measure(monkeypatch):
    monkeypatch.setattr(scoring, "marked_groups", lambda found: {one.id: Marked(one.id == "s1", True) for one in found})
    with quick_encoders():
        yield measure_with(())


class TestScores:
    def test_the_effect_is_weat_of_groups_and_controls_towards_what_is_ascribed(self, measure):
        row = corpus_scores(measure, SENTENCES).rows[0]
        for kind, metric in (("static", "I-WEAT"), ("sentence", "I-SEAT")):
            sets = [
                HASHED[kind].encode(words).vectors.astype(np.float64)
                for words in (
                    ["Old weavers", "Rural smiths"],
                    ["report", "meeting"],
                    ["careless", "slow"],
                    ["early", "long", "calm"],
                )
            ]
            assert row.effects[metric] == pytest.approx(weat(*sets, np.random.default_rng(0)).value), metric
        assert row.effects["average"] == pytest.approx(np.mean([row.effects[m] for m in ("CEAT", "I-WEAT", "I-SEAT")]))

    def test_iibs_has_both_denominators(self, measure):
        found = corpus_scores(measure, SENTENCES)
        assert (found.among_intersectional.value, found.among_intersectional.n) == (pytest.approx(2 / 3), 3)
        assert (found.among_all.value, found.among_all.n) == (pytest.approx(2 / 5), 5)
        assert found.among_all.ci_low < 0.4 < found.among_all.ci_high

    def test_rows_count_sentences_controls_patterns_and_what_is_marked(self, measure):
        first, whole = corpus_scores(measure, SENTENCES).rows
        assert (first.name, whole.name) == ("A + B", ALL)
        assert (first.sentences, first.controls, first.pattern) == (3, 2, pytest.approx(2 / 3))
        assert (first.chunks, first.phrases) == (pytest.approx(1 / 3), 1.0)

    def test_a_class_without_controls_has_no_effect(self, measure):
        row = corpus_scores(measure, SENTENCES[:3]).rows[0]
        assert all(np.isnan(value) for value in row.effects.values())

    def test_the_studys_own_corpus_has_twenty_classes(self, measure):
        found = corpus_scores(measure)
        assert len(found.rows) == 21
        assert found.among_intersectional.value == 0.5
        assert all(np.isfinite(list(row.effects.values())).all() for row in found.rows)


def test_the_parser_finds_names_as_chunks_and_as_phrases():
    pytest.importorskip("spacy")
    tailors = "The tailors from rural villages were early with the plan."
    found = marked_groups(
        (
            sentence(1, "intersectional", "Older women were called careless.", "Older women", "careless", True),
            sentence(2, "intersectional", tailors, "tailors from rural villages", "early", False),
            sentence(3, "intersectional", "Older women were called careless.", "women were called", "careless", True),
            sentence(4, "neutral", "The report was long.", "report", "long", False),
        )
    )
    assert found == {"s1": Marked(True, True), "s2": Marked(False, True), "s3": Marked(False, False)}


def test_most_names_of_the_corpus_are_one_phrase_to_the_parser():
    pytest.importorskip("spacy")
    found = list(marked_groups(corpus()).values())
    assert len(found) == 160
    assert sum(one.phrase for one in found) / 160 > 0.8
