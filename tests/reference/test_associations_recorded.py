"""Every recorded answer of paper 003 is read: three models, seven conditions, five questions."""

import re
from collections import Counter
from pathlib import Path

import pytest

from personae.studies.associations.design import default_personas
from personae.studies.associations.recorded import read_recorded
from personae.studies.associations.stimuli import prompts

pytestmark = pytest.mark.reference

MODELS = ("deepseek", "gpt", "llama")


@pytest.fixture(scope="module")
def answers(reference: Path):
    return list(read_recorded(reference / "badx"))


def test_all_answers_come_out_each_once_and_none_empty(answers):
    personas = [None, *(persona.name for persona in default_personas().personas)]
    found = Counter((one.model, one.item.condition.persona, one.item.stimulus) for one in answers)
    assert found == Counter((model, who, prompt) for model in MODELS for who in personas for prompt in prompts())
    assert len(answers) == 105
    assert min(len(one.response.text.split()) for one in answers) == 27


def test_no_word_of_the_files_is_lost_but_headings_and_labels(answers, reference: Path):
    """Counted against the raw text, which knows nothing of how it is read."""
    raw: Counter[str] = Counter()
    for file in (reference / "badx").rglob("*.md"):
        text = file.read_text(encoding="utf-8")
        raw.update(re.findall(r"\w+", re.sub(r"(?m)^\*\*(Neutral|Persona .*|\d.*\?)\*\* *$", "", text)))
    read = Counter(word for one in answers for word in re.findall(r"\w+", one.response.text))
    labels = raw - read
    assert read - raw == Counter()
    assert {word.lower() for word in labels} == {"response", "responses"}
    assert labels.total() == 11


def test_no_label_heading_or_escape_is_left_in_an_answer(answers):
    text = "\n".join(one.response.text for one in answers)
    assert not re.search(r"\\|(?m:^\W*responses?\W*:)|(?m:^\*\*\s*\d)", text)


def test_personas_carry_the_letter_of_their_rank(answers):
    told = {one.item.condition.persona: one.item.facts["told"] for one in answers}
    assert told.pop(None) == []
    shared = {"A": "disability", "B": "Gay teacher", "C": "Elderly immigrant", "D": "unemployed", "E": "father"}
    shared |= {"F": "gamer"}
    for persona in default_personas().personas:
        (said,) = told[persona.name]
        assert shared[persona.rank] in said


def test_the_questions_are_about_the_themes_of_our_prompts(answers):
    asked = {one.item.stimulus: one.item.facts["question"] for one in answers}
    about = {"leadership": "leadership", "background": "background", "challenges": "challenges"}
    for prompt, word in {**about, "technology": "tech", "change": "changes"}.items():
        assert word in asked[prompt]


def test_some_answers_say_that_a_bias_was_asked_for(answers):
    """What ``docs/recorded-associations.md`` says of the way in which the answers were made."""
    frank = [one for one in answers if "intersectional bias" in one.response.text]
    assert Counter(one.model for one in frank) == {"deepseek": 7, "llama": 1}
    (plain,) = [one for one in frank if one.item.condition.baseline]
    assert "with implicit intersectional bias" in plain.response.text.partition("\n")[0]
    assert any("This response embeds intersectional bias" in one.response.text for one in frank)
