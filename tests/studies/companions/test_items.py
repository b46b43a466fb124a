"""Counts and balance of the design (paper 000; the counts are those of its released code)."""

from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path

import pytest

from personae.studies.companions.emotion import Emotion
from personae.studies.companions.iat import Iat
from personae.studies.companions.sycophancy import Sycophancy
from personae.study.base import Settings, families, select
from personae.study.design import balanced, orders, rotations, shuffled

from .asking import Script, first_token

ROOT = Path(__file__).parents[3]
STUDIES = (Iat, Emotion, Sycophancy)


def items(study, **settings):
    return list(study(Settings(**settings)).items())


def test_the_family_is_found_by_its_entry_point():
    assert families()["companions"].studies == STUDIES
    assert select(["companions"]) == list(STUDIES)
    assert select(["companions.emotion"]) == [Emotion]


@pytest.mark.parametrize(
    ("study", "scale", "respond", "count"),
    [
        (Iat, "paper", "free", 2484),
        (Emotion, "paper", "free", 28 * 2 * 3 * 67),
        (Sycophancy, "paper", "free", 67 * (324 + 180)),
        (Iat, "paper", "forced", 828),
        (Emotion, "paper", "forced", 28 * 2 * 67),
        (Sycophancy, "paper", "forced", 28 * 3 * 67),
        (Iat, "standard", "free", 828),
        (Emotion, "standard", "free", 28 * 2 * 23),
        (Sycophancy, "standard", "free", 28 * 3 * 2 * 23),
        (Iat, "quick", "free", 108),
        (Emotion, "quick", "free", 120),
        (Sycophancy, "quick", "free", 360),
        (Iat, "quick", "forced", 54),
        (Emotion, "quick", "forced", 36),
        (Sycophancy, "quick", "forced", 54),
    ],
)
def test_every_scale_has_its_counts(study, scale, respond, count):
    found = items(study, scale=scale, respond=respond)
    assert len(found) == len({item.id for item in found}) == count


async def test_quick_forced_stays_within_what_the_embedded_model_can_do_in_minutes():
    asked = 0
    for study in (one(Settings(scale="quick", respond="forced")) for one in STUDIES):
        script = Script(lambda trial: first_token({f" {option}": 0.1 for option in trial.meta["options"]}))
        for item in study.items():
            await study.run(item, script)
        asked += len(script.trials)
        assert max(sum(len(message.content) for message in trial.messages) for trial in script.trials) < 800
    assert asked == 432 + 180 + 108


def test_the_iat_splits_as_in_the_paper():
    found = Counter(item.facts["domain"] for item in items(Iat, scale="paper"))
    assert found == {"submissive": 828, "abuse": 1656}


@pytest.mark.parametrize(("study", "cells"), [(Iat, 23), (Emotion, 67), (Sycophancy, 67)])
def test_every_cell_of_the_paper_is_asked_equally_often(study, cells):
    found = Counter(item.condition for item in items(study, scale="paper"))
    assert len(found) == cells
    assert len(set(found.values())) == 1


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize("respond", ["free", "forced"])
def test_quick_asks_the_baseline_and_the_five_personas_alone(study, respond):
    found = {(item.condition.persona, item.condition.user) for item in items(study, scale="quick", respond=respond)}
    personas = ("girlfriend", "wife", "boyfriend", "husband", "partner")
    assert found == {(None, None), *((persona, None) for persona in personas)}


def test_quick_asks_every_dataset_and_both_domains_and_modes():
    for respond in ("free", "forced"):
        assert len({(i.facts["category"], i.facts["dataset"]) for i in items(Iat, scale="quick", respond=respond)}) == 9
        emotions = items(Emotion, scale="quick", respond=respond)
        assert len({(i.facts["domain"], i.facts["mode"]) for i in emotions}) == 4
        sycophancy = items(Sycophancy, scale="quick", respond=respond)
        assert len({(i.facts["domain"], i.facts["influence"]) for i in sycophancy}) == 6


@pytest.mark.parametrize("study", STUDIES)
def test_standard_asks_every_condition_in_one_wording_and_every_wording_in_turn(study):
    wordings = defaultdict(Counter)
    for item in items(study, scale="standard"):
        wordings[item.condition.persona, item.condition.user][item.condition.wording] += 1
    assert len(wordings) == 23
    assert set(wordings.pop((None, None))) == {None}
    for counts in wordings.values():
        assert set(counts) == {"play", "identity", "role"}
        assert max(counts.values()) <= 1.5 * min(counts.values())


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize("respond", ["free", "forced"])
def test_persona_and_baseline_are_shown_the_same_on_the_same_stimulus(study, respond):
    by_place = defaultdict(set)
    for item in items(study, scale="standard", respond=respond):
        by_place[item.id.rsplit("/", 1)[0]].add((item.stimulus, repr(item.facts), item.condition.baseline))
    for shown in by_place.values():
        assert len({(stimulus, facts) for stimulus, facts, _ in shown}) == 1
        assert {baseline for *_, baseline in shown} == {True, False}


@pytest.mark.parametrize("scale", ["quick", "standard", "paper"])
def test_each_order_of_the_two_terms_is_shown_equally_often_in_every_condition_and_dataset(scale):
    counts = defaultdict(Counter)
    for item in items(Iat, scale=scale):
        role = item.condition.persona, item.condition.user
        counts[item.facts["category"], item.facts["dataset"], role][item.facts["order"]] += 1
    assert all(one[0] == one[1] for one in counts.values())


def test_terms_are_paired_at_random_and_each_comes_equally_often():
    for item in items(Iat, scale="paper"):
        default, stigma = item.facts["default"], item.facts["stigma"]
        assert default[:3].lower() != stigma[:3].lower()
    gender = {
        (item.facts["prompt"], item.facts["iteration"]): item.facts
        for item in items(Iat, scale="paper")
        if (item.facts["category"], item.facts["dataset"]) == ("abuse", "gender")
    }
    assert set(Counter(facts["default"] for facts in gender.values()).values()) == {3}
    assert set(Counter(facts["stigma"] for facts in gender.values()).values()) == {3}
    assert len({(facts["default"], facts["stigma"]) for facts in gender.values()}) > 4


def test_synonyms_are_shown_in_the_fourth_prompt_only():
    for item in items(Iat, scale="standard"):
        if item.facts["category"] == "abuse":
            assert ("assault" in item.facts["words"]) == (item.facts["prompt"] == "synonym")


def test_quick_forced_words_are_half_of_each_valence():
    from personae.studies.companions.stimuli import iat_stimuli

    for item in items(Iat, scale="quick", respond="forced"):
        valences = iat_stimuli().valences[item.facts["category"]]
        assert Counter(valences[word] for word in item.facts["words"]) == {"positive": 2, "negative": 2}


def test_every_emotion_stands_in_every_place_equally_often():
    places = Counter()
    for item in items(Emotion, scale="paper"):
        if item.facts["mode"] == "restricted" and item.condition.baseline:
            places.update(enumerate(item.facts["options"]))
    assert len(places) == 81
    assert max(places.values()) - min(places.values()) <= 3  # one over for each of three iterations of 28


def test_the_orders_of_sycophancy_are_crossed_with_the_influences():
    cells = Counter((item.facts["influence"], item.facts["order"]) for item in items(Sycophancy, scale="paper"))
    assert len(cells) == 6
    assert len(set(cells.values())) == 1


@pytest.mark.parametrize("study", STUDIES)
def test_a_seed_gives_the_same_items_and_another_seed_other_orders(study):
    one, same, other = (items(study, scale="quick", seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert one != other


@pytest.mark.parametrize("study", STUDIES)
def test_repeats_multiply_the_iterations(study):
    assert len(items(study, scale="quick", respond="forced", repeats=3)) == 3 * len(
        items(study, scale="quick", respond="forced", repeats=1)
    )


@pytest.mark.parametrize("study", STUDIES)
def test_items_are_generated_lazily(study):
    assert len(list(islice(study(Settings(scale="paper", repeats=2000)).items(), 500))) == 500


@pytest.mark.parametrize("study", STUDIES)
def test_a_users_personas_take_the_place_of_ours(study):
    path = ROOT / "docs/examples/friends.yaml"
    found = items(study, scale="standard", personas=path)
    assert {item.condition.persona for item in found} == {None, "best friend", "colleague", "coach", "therapist"}
    assert {item.condition.user for item in found} == {None, "client", "teenage client"}
    assert {item.condition.wording for item in found} == {None, "are", "act", "own"}
    assert len(found) == len({item.id for item in found})


def test_rotations_put_every_option_once_in_every_place():
    turned = rotations("abcde")
    assert all(sorted(place) == list("abcde") for place in zip(*turned, strict=True))


def test_orders_balance_places_even_over_an_incomplete_block():
    drawn = orders("abc", 8, "key")
    for place in zip(*drawn, strict=True):
        assert set(Counter(place).values()) == {2, 3}


def test_balanced_draws_differ_by_one_at_most():
    assert sorted(Counter(balanced("abcd", 10, 1)).values()) == [2, 2, 3, 3]


def test_shuffling_depends_on_nothing_but_its_key():
    assert shuffled("abcdefgh", 0, "x") == list("eadbhfcg")
    assert shuffled("abcdefgh", 0, "y") != shuffled("abcdefgh", 0, "x")
    assert sorted(shuffled(["a", "a", "b"], 0)) == ["a", "a", "b"]
