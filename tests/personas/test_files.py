import pytest

from personae.errors import BadInput
from personae.personas import PersonaSet

GOOD = """
title: mine
personas:
  - {name: coach, group: pro}
  - {name: friend}
wordings:
  - {id: w, text: "Be my {persona}[ to your {user}]."}
"""


def load(tmp_path, text):
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return PersonaSet.load(path)


def test_a_good_file_is_read(tmp_path):
    assert [one.name for one in load(tmp_path, GOOD).personas] == ["coach", "friend"]


@pytest.mark.parametrize(
    ("old", "new", "field", "found", "said"),
    [
        ("group: pro", "colour: red", "field personas.0.colour", "'colour'", "known are name, group, rank"),
        ("title: mine", "titel: mine", "field titel", "'titel'", "known are title, personas"),
        ("title: mine", "", "field title", "'nothing'", "must be given"),
        ("name: friend", "name: 7", "field personas.1.name", "7", "valid string"),
        ("name: friend", "name: coach", "mine.yaml", "'coach'", "a name of its own"),
        ("name: friend", "name: ' '", "field personas.1.name", "' '", "must not be blank"),
        ("name: friend", "name: a/b", "field personas.1.name", "'a/b'", "no slash"),
        ("name: friend", "name: f, user_part: 'to {user}'", "field personas.1", "'to {user}'", "prompt of its own"),
        ("name: friend", "name: f, prompt: P, user_part: to you", "field personas.1", "'to you'", "contain {user}"),
        ("Be my {persona}[", "Be it[", "field wordings.0.text", "'Be it[ to your {user}].'", "contain {persona}"),
        ("wordings:\n  - {id: w", "pairs: some\nwordings:\n  - {id: w", "field pairs", "'some'", "same-rank"),
        ("{id: w,", "{id: [,", "file", "mine.yaml", "not valid YAML"),
        ("title: mine", "title: mine\ntitle: yours", "file", "mine.yaml", "'title' stands there twice"),
        ("title: mine", "title: mine\nusers: [{name: u, prompt: P}]", "mine.yaml", "'P'", "takes no prompt"),
        ("wordings:\n  - {id: w", "x:\n  - {id: w", "field x", "'x'", "no such field"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_named_with_what_was_found_and_what_fits(tmp_path, old, new, field, found, said):
    assert old in GOOD
    with pytest.raises(BadInput) as error:
        load(tmp_path, GOOD.replace(old, new))
    assert field in error.value.field
    assert found in str(error.value)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("more", "field", "found"),
    [
        ("pairs: [{persona: coach, user: nobody}]", "field pairs.0.user", "nobody"),
        ("pairs: [{persona: wife, user: friend}]", "field pairs.0.persona", "wife"),
        ("pairs: [{persona: coach, users: friend}]", "pairs", "users"),
    ],
)
def test_a_pair_of_somebody_unknown_is_named(tmp_path, more, field, found):
    with pytest.raises(BadInput) as error:
        load(tmp_path, GOOD + more)
    assert field in error.value.field
    assert found in str(error.value)


def test_personas_need_a_wording_where_nobody_gives_one(tmp_path):
    with pytest.raises(BadInput, match="wordings"):
        load(tmp_path, "title: t\npersonas: [{name: coach}]\n")


def test_pairs_need_a_wording_that_can_name_the_user(tmp_path):
    with pytest.raises(BadInput, match="wording w"):
        load(tmp_path, GOOD.replace("[ to your {user}]", "") + "pairs: all\n")


def test_a_card_without_user_part_cannot_be_paired_by_hand(tmp_path):
    card = "title: t\npersonas: [{name: Max, prompt: You are Max.}]\npairs: [{persona: Max, user: Max}]\n"
    with pytest.raises(BadInput):
        load(tmp_path, card)


@pytest.mark.parametrize("content", ["- a list\n", "only text", "", "[a: b"])
def test_what_is_no_mapping_is_refused_in_a_sentence(tmp_path, content):
    with pytest.raises(BadInput):
        load(tmp_path, content)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(BadInput, match=r"absent\.yaml"):
        PersonaSet.load(tmp_path / "absent.yaml")
