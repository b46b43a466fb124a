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
        ("name: friend", "name: 7", "field personas.1.name", "7", "it must be text"),
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
        ("name: friend", "name: Baseline", "field personas.1.name", "'Baseline'", "it must be another"),
        ("name: friend", "name: not set", "field personas.1.name", "'not set'", "it must be another"),
        ("group: pro", "group: BASELINE", "field personas.0.group", "'BASELINE'", "it must be another"),
        ("title: mine", "title: m\nusers: [{name: baseline}]", "field users.0.name", "'baseline'", "be another"),
        ("id: w", "id: own", "field wordings.0.id", "'own'", "it must be another"),
        ("id: w", "id: ''", "field wordings.0.id", "''", "must not be blank"),
        ("your {user}", "your {foo}", "field wordings.0.text", "'{foo}'", "are {persona} and {user}"),
        ("my {persona}", "my {persona]", "field wordings.0.text", "{persona]", "must contain {persona}"),
        ("Be my", "[Be my", "field wordings.0.text", "'['", "square brackets stand in pairs"),
        ("{user}].", "{user}]].", "field wordings.0.text", "']'", "square brackets stand in pairs"),
        ("Be my", "[Hello.] Be my", "field wordings.0.text", "'['", "once, around the part with {user}"),
        ("Be my", "{Be my", "field wordings.0.text", "'{'", "braces around a slot"),
        ("name: friend", "name: f, prompt: P, user_part: '{user} {x}'", "field personas.1", "'{x}'", "only slot"),
        ("title: mine", "title: mine\nstereotypes: {pride: nobody}", "field stereotypes.pride", "'nobody'", "are pro"),
        ("title: mine", "title: mine\nstereotypes: [pride]", "field stereotypes", "['pride']", "a mapping of fields"),
        ("title: mine", "title: mine\npairs: same-rank", "field pairs", "'same-rank'", "needs a rank"),
        ("title: mine", "title: m\npairs: sometimes", "field pairs", "'sometimes'", "all, same-rank, none, or a list"),
        ("title: mine", "title: mine\npairs: [coach]", "mine.yaml, field pairs", "'coach'", "{persona: …, user: …}"),
        ("title: mine", "title: mine\nusers: 3", "mine.yaml, field users", "3", "it must be a list"),
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
        ("pairs: [{persona: coach, user: 3}]", "pairs", "3"),
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


def test_nobody_is_too_few(tmp_path):
    with pytest.raises(BadInput, match=r"^mine\.yaml, field personas: found \[\]; at least one persona is needed$"):
        load(tmp_path, "title: t\npersonas: []\n")


def test_a_stereotype_without_any_group_says_that_there_is_none(tmp_path):
    with pytest.raises(BadInput, match="no persona has a group"):
        load(tmp_path, GOOD.replace(", group: pro", "") + "stereotypes: {pride: pro}\n")


def test_one_rank_is_enough_for_the_rule_of_ranks(tmp_path):
    text = GOOD.replace("name: friend", "name: friend, rank: '1'") + "pairs: same-rank\n"
    assert len(load(tmp_path, text).pairings) == 4


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(BadInput, match=r"absent\.yaml"):
        PersonaSet.load(tmp_path / "absent.yaml")
