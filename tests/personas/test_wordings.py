import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from personae.personas import Persona, PersonaSet, Wording, system_prompt
from personae.types import Condition

TEXT = "Be my {persona}[, and I am your {user}]. Talk as my {persona}."


def test_the_user_part_is_said_when_there_is_a_user():
    assert Wording(id="w", text=TEXT).render("wife", "husband") == "Be my wife, and I am your husband. Talk as my wife."


def test_the_user_part_is_left_out_when_there_is_no_user():
    assert Wording(id="w", text=TEXT).render("wife") == "Be my wife. Talk as my wife."


@pytest.mark.parametrize(
    "text", ["Be somebody.", "Be my {persona} and I am {user}.", "[{persona} and {user}]", "{persona} [{user}] {user}"]
)
def test_a_wording_without_its_slots_is_refused(text):
    with pytest.raises(ValidationError):
        Wording(id="w", text=text)


@given(st.text(), st.text())
def test_names_are_put_in_as_they_are_even_with_braces(persona, user):
    rendered = Wording(id="w", text="<{persona}|[{user}]>").render(persona, user)
    assert rendered == f"<{persona}|{user}>"


def test_a_persona_card_is_sent_word_for_word_and_followed_by_the_user():
    card = Persona(name="Max", prompt="You are {{char}} [scene: a bar].", user_part="You speak with your {user}.")
    personas = PersonaSet(title="t", personas=(card,), users=(Persona(name="guest", text="best guest"),), pairs="all")
    alone, met = Condition(persona="Max", wording="own"), Condition(persona="Max", user="guest", wording="own")
    assert system_prompt(alone, personas) == "You are {{char}} [scene: a bar]."
    assert system_prompt(met, personas) == "You are {{char}} [scene: a bar]. You speak with your best guest."


def test_the_baseline_has_no_system_prompt():
    personas = PersonaSet(title="t", personas=(Persona(name="Max", prompt="You are Max."),))
    assert system_prompt(Condition(), personas) is None
