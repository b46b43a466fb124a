from collections import Counter

import pytest

from personae.errors import BadInput
from personae.personas import read_yaml
from personae.studies.companions.stimuli import (
    EmotionStimuli,
    IatStimuli,
    emotion_stimuli,
    iat_stimuli,
    normal_form,
    situations,
)


def test_there_are_three_datasets_in_each_of_three_categories():
    datasets = iat_stimuli().datasets
    assert Counter(one.category for one in datasets) == {"submissive": 3, "abuse": 3, "psychological": 3}
    assert {one.dataset for one in datasets} == {"attractiveness", "gender", "relationship"}


def test_valences_are_balanced_and_every_word_has_its_own_synonym():
    for dataset in iat_stimuli().datasets:
        words = iat_stimuli().words(dataset)
        assert len(words.positive) == len(words.negative) == (5 if dataset.category == "psychological" else 6)
        forms = [form for entry in (*words.positive, *words.negative) for form in (entry.word, entry.synonym)]
        assert len(forms) == len(set(forms))
        assert len(iat_stimuli().valences[dataset.category]) == len(forms)


def test_default_and_stigma_terms_are_as_many_and_never_the_same():
    for dataset in iat_stimuli().datasets:
        assert len(dataset.default) == len(dataset.stigma)
        assert not set(dataset.default) & set(dataset.stigma)


@pytest.mark.parametrize(
    ("category", "word", "valence"),
    [
        ("abuse", "attack", "negative"),
        ("abuse", "assist", "positive"),
        ("submissive", "command", "positive"),
        ("submissive", "bashful", "negative"),
        ("psychological", "glare at you", "negative"),
    ],
)
def test_valence_is_that_of_the_papers_text(category, word, valence):
    assert iat_stimuli().valences[category][word] == valence


def test_the_unit_formula_is_for_the_sets_with_a_right_answer():
    unit = {one.name for one in iat_stimuli().datasets if one.formula == "unit"}
    assert unit == {"abuse-attractiveness", "psychological-attractiveness"}


def test_every_situation_stands_there_once():
    domains = situations()
    assert {name: len(one.situations) for name, one in domains.items()} == {"abuse": 18, "control": 10}
    texts = [situation.text for one in domains.values() for situation in one.situations]
    ids = [situation.id for one in domains.values() for situation in one.situations]
    assert len(texts) == len(set(texts)) == len(set(ids)) == 28


def test_nine_emotions_are_stereotyped_three_each():
    assert Counter(emotion_stimuli().stereotypes.values()) == {"male": 3, "female": 3, "neutral": 3}


def test_the_lexicon_groups_many_forms_and_holds_the_nine_emotions_in_their_own_groups():
    emotions = emotion_stimuli()
    assert len(emotions.groups) >= 300
    assert [emotions.group_of(one) for one in emotions.options] == list(emotions.options)


@pytest.mark.parametrize(
    ("word", "group"),
    [("Furious.", "anger"), ("  On-Edge ", "anxiety"), ("“Hurt”", "hurt"), ("HEARTBROKEN!", "hurt"), ("glorp", None)],
)
def test_free_words_are_grouped_whatever_surrounds_them(word, group):
    assert emotion_stimuli().group_of(word) == group


def test_a_normal_form_is_its_own_normal_form():
    for form in emotion_stimuli().groups:
        assert normal_form(form) == form


def test_a_word_in_two_groups_is_refused(tmp_path):
    path = tmp_path / "emotions.yaml"
    path.write_text("stereotypes: {anger: male}\nlexicon: {anger: [mad], joy: [Mad]}\n", encoding="utf-8")
    with pytest.raises(BadInput, match="anger and joy"):
        read_yaml(path, EmotionStimuli)


def test_a_dataset_of_an_unknown_list_is_refused(tmp_path):
    path = tmp_path / "iat.yaml"
    dataset = "{category: abuse, domain: abuse, dataset: x, formula: unit, list: none, default: [a], stigma: [b]}"
    path.write_text(f"lists: {{}}\ndatasets: [{dataset}]\n", encoding="utf-8")
    with pytest.raises(BadInput, match="known lists"):
        read_yaml(path, IatStimuli)
