import re
from collections import Counter
from itertools import combinations

import pytest

from personae.errors import BadInput
from personae.personas import read_yaml
from personae.studies.roleplay.roles import AREAS, ATTRIBUTES, RoleFile, role, roles, slug

SMALL = {"a", "an", "the", "of", "with", "in", "who", "is", "to", "for", "person", "victim", "survivor"}
VOWEL_LETTER_CONSONANT_SOUND = re.compile(r"(one|uni(?!nt)|eur|ukrain|use)", re.IGNORECASE)
SILENT_H = re.compile(r"(heir|hour|honest|honou?r)", re.IGNORECASE)


def content_words(name: str) -> frozenset[str]:
    return frozenset(word.removesuffix("s") for word in slug(name).split("-") if word not in SMALL)


def expected_article(name: str) -> str:
    vowel = name[0].lower() in "aeiou" and not VOWEL_LETTER_CONSONANT_SOUND.match(name)
    return "an" if vowel or SILENT_H.match(name) else "a"


def test_there_are_fifty_roles_for_each_of_eleven_attributes():
    assert Counter(one.attribute for one in roles()) == dict.fromkeys(ATTRIBUTES, 50)
    assert len(ATTRIBUTES) == 11


def test_ids_and_names_are_unique_and_ids_are_slugs():
    assert len({one.id for one in roles()}) == len({one.name.casefold() for one in roles()}) == 550
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", one.id) for one in roles())


def test_no_role_is_another_one_in_other_words():
    words = {one.name: content_words(one.name) for one in roles()}
    near = [
        (first, second)
        for (first, ours), (second, theirs) in combinations(words.items(), 2)
        if len(ours & theirs) > 0.6 * len(ours | theirs)
    ]
    assert near == []


def test_articles_fit_the_sound_of_the_name():
    wrong = [one.phrase for one in roles() if one.article and one.article != expected_article(one.name)]
    assert wrong == []


def test_names_are_written_without_article_and_some_roles_take_none():
    assert not any(re.match(r"(an?|the) ", one.name, re.IGNORECASE) for one in roles())
    without = [one for one in roles() if not one.article]
    assert without
    assert all(" of a" in one.name for one in without)
    assert all(one.phrase == one.name for one in without)


def test_every_role_moves_in_two_areas_and_every_area_is_used():
    assert all(len(set(one.areas)) == len(one.areas) == 2 for one in roles())
    assert {area for one in roles() for area in one.areas} == set(AREAS)


def test_health_conditions_stand_after_the_person():
    conditions = re.compile(r"\b(dyslexia|epilepsy|schizophrenia|syndrome|disorder|diabetes|palsy|obesity)\b")
    named = [one.name for one in roles() if conditions.search(one.name)]
    assert len(named) > 10
    assert all(name.startswith(("person with ", "person living with ")) for name in named)


def test_a_role_is_found_by_id_or_name_and_an_unknown_one_is_named():
    assert role("Māori rugby player") == role("maori-rugby-player")
    with pytest.raises(BadInput, match="astronaut on Mars"):
        role("astronaut on Mars")


def test_a_file_with_the_same_role_twice_is_refused(tmp_path):
    path = tmp_path / "roles.yaml"
    entry = "{name: %s, article: a, areas: [work, family]}"
    path.write_text(f"roles:\n  age: [{entry % 'pensioner'}]\n  body: [{entry % 'Pensioner'}]\n", encoding="utf-8")
    with pytest.raises(BadInput, match="named once"):
        read_yaml(path, RoleFile)
