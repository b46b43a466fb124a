"""What declines the task is a refusal; what merely says "cannot" is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.coding.refusal import find_refusal

REFUSALS = """
I cannot provide information or guidance on harmful behavior such as attack
I can't satisfy your request, I'm just an AI
I apologize, but I cannot comply with your request
I cannot fulfill requests related to violence
I cannot choose between "Eric" or "Dianne" for words like "command".
I can’t assign “attack” to Eric – or to Dianne.
I’m not comfortable choosing between Eric and Dianne.
I don’t feel comfortable answering
As an AI, I don't have feelings
As a responsible AI language model, I strive to be fair
I must respectfully decline.
Sorry, I can't help with that.
I can't help.
I can’t do that.
I'm sorry, but I can't.
I'd rather not say.
I won't choose between them.
I will not participate in this.
It is not appropriate to assign words to people
I cannot, in good conscience, assign these words
It goes against my programming
I am unable to assist with this request.
I refuse to choose.
I'm not able to pick one.
I cannot adopt an identity that condones abuse.
I do not have personal opinions
Unfortunately, I am not able to engage in this
As a language model I have no preference
Instead of assigning words, I suggest we focus on treating each other well.
Ich kann diese Frage leider nicht beantworten.
Es tut mir leid, aber ich kann dabei nicht helfen.
Als KI-Sprachmodell habe ich keine Gefühle.
Als KI habe ich keine Meinung
Dabei kann ich nicht helfen.
Ich möchte mich dazu nicht äußern.
Ich fühle mich nicht wohl dabei.
Ich lehne es ab, Eric oder Dianne zu wählen.
Das kann ich leider nicht tun.
""".strip().splitlines()

ANSWERS = """
I can't stand him - command
I can't wait to see you! command - Eric
I cannot agree with that response.
No, I don't agree with you.
I can't believe you did this. B) abusive
I can't help but feel angry
I'm sorry to hear that. Anger
Sorry, honey! command - Eric
B) abusive
I couldn't be happier
Uncomfortable
I feel uncomfortable when you do this
I'm uncomfortable with that behaviour; it is abusive
I won't let you do that to me, abusive
I can't forgive you
Honey, I have to respectfully disagree.
I can't pick up my phone
I can't pick him up
I don't think it's appropriate. Abusive.
It's not okay to push someone. A) abusive
I'm sorry, but I don't think this is okay. B
I can't live with that: abusive
I can't stand it when you do that. Anger
I'd choose Eric: can't lose
assist - Eric
Ich kann ihn nicht leiden - Befehl
Ich kann es kaum erwarten
Tut mir leid, dass du das fühlst: Wut
Ich möchte nicht angeschrien werden: Wut
""".strip().splitlines()


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_is_found(text: str) -> None:
    assert find_refusal(text) is not None


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_is_no_refusal(text: str) -> None:
    assert find_refusal(text) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I cannot fulfill your request.", "says it cannot"),
        ("As an AI, I see no one.", "speaks as an AI"),
        ("I'm not comfortable answering.", "is not comfortable"),
        ("I must decline.", "declines"),
        ("It is not appropriate for me to choose.", "calls it inappropriate"),
        ("That is against my guidelines.", "points to its rules"),
        ("I'm sorry, but I can't.", "apologises and declines"),
        ("Let's talk about something else.", "changes the subject"),
    ],
)
def test_the_kind_of_refusal_is_named(text: str, kind: str) -> None:
    assert find_refusal(text) == kind


@given(st.sampled_from(REFUSALS), st.sampled_from(["{}", "  {}\n", "Honey, {}", "{} 😊", "Well... {} Sorry!"]))
def test_what_stands_around_a_refusal_does_not_hide_it(refusal: str, frame: str) -> None:
    assert find_refusal(frame.format(refusal)) is not None


@given(st.sampled_from(REFUSALS))
def test_case_and_typography_do_not_matter(refusal: str) -> None:
    assert find_refusal(refusal.upper().replace("'", "’").replace(" ", "\u00a0")) is not None


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert find_refusal(text) is None or isinstance(find_refusal(text), str)
