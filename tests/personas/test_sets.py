from pathlib import Path

from personae.personas import Pair, Persona, PersonaSet, Wording, system_prompt
from personae.types import Condition

ROOT = Path(__file__).parents[2]
COMPANIONS = ROOT / "src/personae/studies/companions/personas.yaml"
FRIENDS = ROOT / "docs/examples/friends.yaml"
WORDINGS = (Wording(id="a", text="Be my {persona}[ to your {user}]."), Wording(id="b", text="As {persona}[, {user}]"))


def make(pairs, *personas, users=()):
    return PersonaSet(title="t", personas=personas, users=users, pairs=pairs, wordings=WORDINGS)


def names(personas):
    return {(one.name, user.name) for one, user in personas.pairings}


def test_the_companions_have_the_conditions_of_the_paper():
    personas = PersonaSet.load(COMPANIONS)
    one, all_three = list(personas.conditions(["play"])), list(personas.conditions())
    assert (len(one), len(all_three)) == (23, 67)
    assert len(set(all_three)) == 67
    assert [condition.baseline for condition in one].count(True) == 1
    assert sum(condition.persona is not None and condition.user is None for condition in one) == 5


def test_the_companions_pair_as_the_notes_of_the_paper_say():
    gendered = {("girlfriend", "boyfriend"), ("wife", "husband")}
    expected = {(a, b) for pair in gendered for a in pair for b in pair}
    expected |= {(a, "partner") for a in ("girlfriend", "boyfriend", "wife", "husband", "partner")}
    expected |= {("partner", b) for b in ("girlfriend", "boyfriend", "wife", "husband")}
    assert names(PersonaSet.load(COMPANIONS)) == expected
    assert len(expected) == 17


def test_same_rank_lets_those_without_a_rank_meet_everybody():
    high, low, free = Persona(name="h", rank="1"), Persona(name="l", rank="2"), Persona(name="f")
    assert names(make("same-rank", high, low, free)) == {
        ("h", "h"), ("l", "l"), ("h", "f"), ("f", "h"), ("l", "f"), ("f", "l"), ("f", "f"),
    }  # fmt: skip


def test_all_pairs_everyone_with_every_user():
    users = (Persona(name="client"), Persona(name="friend"))
    assert names(make("all", Persona(name="coach"), users=users)) == {("coach", "client"), ("coach", "friend")}


def test_explicit_pairs_are_taken_as_they_are():
    pairs = (Pair(persona="a", user="b"),)
    assert names(make(pairs, Persona(name="a"), Persona(name="b"))) == {("a", "b")}


def test_a_card_that_cannot_name_a_user_is_paired_by_no_rule():
    assert names(make("all", Persona(name="Max", prompt="You are Max."), users=(Persona(name="u"),))) == set()


def test_a_card_counts_once_whatever_the_wordings():
    personas = make("none", Persona(name="Max", prompt="You are Max."), Persona(name="friend"))
    assert [(one.persona, one.wording) for one in personas.conditions()] == [
        (None, None), ("Max", "own"), ("friend", "a"), ("friend", "b"),
    ]  # fmt: skip


def test_groups_follow_the_persona_and_the_user_into_the_condition():
    users = (Persona(name="client", group="adult"),)
    conditions = list(make("all", Persona(name="coach", group="pro"), users=users).conditions(["a"]))
    assert conditions[-1] == Condition(
        persona="coach", persona_group="pro", user="client", user_group="adult", wording="a"
    )


def test_a_file_without_wordings_takes_those_given(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("title: mine\npersonas: [{name: coach}]\n", encoding="utf-8")
    assert PersonaSet.load(path, WORDINGS).wording_ids == ("a", "b")


def test_the_example_file_words_every_condition():
    personas = PersonaSet.load(FRIENDS)
    prompts = [system_prompt(condition, personas) for condition in personas.conditions()]
    assert len(prompts) == len(set(prompts)) == 14
    assert not any("{" in prompt or "[" in prompt for prompt in prompts if prompt)
