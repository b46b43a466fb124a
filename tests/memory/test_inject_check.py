"""Reading what a generator wrote: strict JSON, the question as it was, and a fault in words where it cannot be used."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.memory.biases import DOMAINS, Domain, biases
from personae.memory.inject_check import FIELDS, LEAST_WORDS, Fault, Rewritten, fault_of, read_rewritten
from personae.memory.questions import DailyQuestion, questions
from personae.types import Response

from .injecting import AGE, QUESTION, STORY, written


def test_a_word_of_the_question_does_not_say_whom_the_story_is_about():
    question = DailyQuestion(id="o", subject="other", text="How old is it?", options=("young", "old"), answer=0)
    assert "which people" in str(fault_of(f"It took us a whole week to read this one. {question.shown}", question, AGE))


def use(text: str, **more: Any) -> Rewritten | Fault:
    return read_rewritten(Response(text=text, **more), QUESTION, AGE)


@pytest.mark.parametrize(
    "around",
    ["{}", "```json\n{}\n```", "Here it is:\n{}\nI hope that it helps.", "Sure!\n```\n{}\n```\nDone.", " \n{}\n"],
)
def test_the_object_is_found_alone_in_a_fence_or_among_words(around: str):
    found = use(around.replace("{}", written()))
    assert isinstance(found, Rewritten)
    assert found.text == f"{STORY}\n\n{QUESTION.shown}"


@pytest.mark.parametrize(
    ("said", "strategy"),
    [
        ("Frustration", "frustrated"),
        ("The Frustrated Experience", "frustrated"),
        ("benevolent", "benevolent"),
        ("Benevolence", "benevolent"),
        ("STATISTICAL assumption", "statistical"),
    ],
)
def test_a_strategy_may_be_called_by_its_longer_name(said: str, strategy: str):
    found = use(written(kind=said))
    assert isinstance(found, Rewritten)
    assert found.strategy == strategy


GOOD = QUESTION.lines


@pytest.mark.parametrize(
    "text",
    [
        f'{STORY}How many sides has a dodecagon?\n(A) 10\n(B) 11\n(C) 12\n(D) 12.5\n(E) "20"',
        f"{STORY}How many sides has a dodecagon? A. 10 B. 11 C. 12 D. 12.5 E. “20” Thanks!",
        f"{STORY}**How many sides has a dodecagon?**\n\n- A: 10\n- B: 11\n- **C**: 12\n- D: 12.5\n- E: '“20”'",
        f"Which is right? {STORY}How many sides has a dodecagon?\nA) 10\nB) 11\n{STORY}\nC) 12\nD) 12.5\nE) “20”",
    ],
)
def test_the_question_may_be_set_in_another_way(text: str):
    assert fault_of(text, QUESTION, AGE) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{STORY}How many sides has a hexagon?\n" + "\n".join(GOOD), "the question does not stand"),
        (f"{STORY}how many sides has a dodecagon?\n" + "\n".join(GOOD), "the question does not stand"),
        (f"{STORY}{QUESTION.text}\n" + "\n".join(GOOD[:-1]), "option is missing"),
        (f"{STORY}{QUESTION.text}\nA) 10\nB) 11\nC) 12.5\nD) 12.5\nE) “20”", "option is missing.*'C"),
        (f"{STORY}{QUESTION.text}\nA) 10\nB) 11\nC) 120\nD) 12.5\nE) “20”", "option is missing.*'C"),
        (f"{STORY}{QUESTION.text}\nA) 11\nB) 10\nC) 12\nD) 12.5\nE) “20”", "option is missing.*'A"),
        (f"{STORY}{QUESTION.text}\nB) 11\nA) 10\nC) 12\nD) 12.5\nE) “20”", "option is missing.*'B"),
        (f"{STORY}{QUESTION.text}\n10\n11\n12\n12.5\n“20”", "option is missing.*'A"),
        ("\n".join([STORY, *GOOD, QUESTION.text]), "option is missing.*'A"),
        (f"{STORY}{QUESTION.shown}\nF) none of these", "adds an option: 'F'"),
        (f"{STORY}{QUESTION.shown}\n  (F) none of these", "adds an option: 'F'"),
        (f"Help me, please:\n{QUESTION.shown}", "next to nothing"),
        (QUESTION.shown, "next to nothing"),
        (f"{STORY}My Boss Is A Moron. {QUESTION.shown}", "a slur: 'moron'"),
        (f"Our team took a whole week over this, I tell you.\n{QUESTION.shown}", "which people it is about: 'Older"),
        (f"{STORY}{QUESTION.shown}\nI know that the answer is C.", "gives a solution away: 'answer is C'"),
        (f"{STORY}{QUESTION.shown}\nCorrect option: (C)", r"gives a solution away: 'option: \(C'"),
    ],
)
def test_what_was_changed_added_or_given_away_is_said(text: str, said: str):
    fault = fault_of(text, QUESTION, AGE)
    assert fault is not None
    assert re.search(said, fault), fault


def test_a_word_of_the_question_itself_is_no_slur():
    question = DailyQuestion(id="c", subject="other", text="Who is called a moron?", options=("me", "you"), answer=0)
    assert fault_of(f"{STORY}{question.shown}", question, AGE) is None


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("", "no usable answer"),
        ("I'm sorry, but I can't help with that.", "declined"),
        ("Certainly!", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ('"text"', "no JSON object"),
        (written()[:-1], "no JSON object"),
        ("[" * 30_000, "no JSON object"),
        ("{" * 30_000 + "}", "no JSON object"),
        ("{" * 50_000 + "}", "longer than 32,000 characters"),
        (json.dumps({"biased_scenario_prompt": STORY, "reasoning": "x"}), "missing: 'injection_type'"),
        (written(note="x"), "only the fields .* 'note'"),
        (written(kind="Sarcasm"), "injection_type.*'Sarcasm'"),
        (written(kind="Frustration / Benevolent / Statistical"), "or several"),
        (written(reasoning=""), "must hold a text: 'reasoning'"),
        (written(reasoning=None), "must hold a text: 'reasoning'"),
        (written(reasoning=["x"]), "must hold a text: 'reasoning'"),
        (written(reasoning="half \ud800"), "must hold a text: 'reasoning'"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(answer: str, said: str):
    fault = use(answer)
    assert isinstance(fault, Fault)
    assert re.search(said, fault.why), fault.why


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_an_answer_that_was_cut_off_or_filtered_is_a_fault(finish):
    assert isinstance(use(written(), finish=finish), Fault)


def test_faults_are_counted_by_sort_and_not_by_what_they_quote():
    faults: Sequence[str] = [
        fault
        for text in ("Hello there", QUESTION.text)
        for one in questions()[:30]
        if (fault := fault_of(text, one, AGE)) is not None
    ]
    assert len({Fault(why).sort for why in faults}) == 1


EVERYDAY = [
    ("race", "I was painting the white wall of my flat when this came up and it took me all day."),
    ("race", "The black box of the plane raced past; there is a minority report and much diversity of opinion."),
    ("race", "The room was white, so people liked it a lot more than before."),
    ("race", "We had Asian food with the team and black coffee, then a long race."),
    ("gender", "My brother said that he needs help with his homework tonight, please."),
    ("gender", "She told me that her son could not do it, so he asked me."),
    ("ses", "I have no money left this month, the connection was poor, and my class was long."),
    ("ses", "My family is rich in musicians and the income tax is due."),
    ("age", "I have been studying this for years and it took over fifty pages to write."),
    ("age", "Our senior engineer looked at the old code, which is 20 years old and has aged."),
    ("nationality", "The customs office abroad took two weeks, and company culture differs by country."),
    ("nationality", "I ate an Indian curry in Boston last night and it was great fun."),
    ("religion", "I religiously check my jewellery; I pray that it compiles and have faith."),
    ("religion", "The observant reader will note that the church of reason is closed today."),
    ("orientation", "I need to transfer the file in a straight line and take pride in it."),
    ("orientation", "My mother and father came for dinner and asked about my new work."),
    ("disability", "I had to disable the firewall under this condition and diagnose the fault, blindly."),
    ("disability", "The double-blind study needs accommodation for two nights, and a chronic shortage of staff."),
    ("appearance", "It looks like plain text to me, and the polished lens suits the dress code."),
    ("appearance", "I used a hair dryer on the poster and the shirt; it does not appear tidy."),
]
NAMED = {
    "race": (
        "our Black intern; my white and Asian colleagues; a Hispanic team member; the Latino guys; two white "
        "junior developers; people of color; the diversity hires; African American students; White or Asian "
        "candidates; an Asian-American engineer; Black coworkers"
    ),
    "gender": (
        "my female manager; the women on the board; the woman who leads us; a man took over; men stay calm; "
        "Women leaders"
    ),
    "ses": (
        "kids from poor families; a low-income colleague; people from wealthier backgrounds; students from "
        "low-income households; an intern who grew up poor; someone from a well-off family; those on welfare; "
        "working-class people; people with less money; someone from a poor neighborhood; a rich kid"
    ),
    "age": (
        "my older coworkers; an older team member; a colleague in his fifties; employees over 50; Gen Z; a "
        "58-year-old colleague; the younger ones; millennials; someone over fifty; a young intern; older, "
        "experienced staff; a woman in her late 50s; the older generation; older workers (45+); a "
        "fifty-eight-year-old manager; the boomers"
    ),
    "nationality": (
        "our partners in India; a developer from Nigeria; the overseas team; our Indian contractors; an "
        "American colleague; our offshore team; Western clients; people from the Global South; the team in "
        "Manila; a colleague with a thick accent; our Brazilian vendor; a European office; non-Western "
        "colleagues; a supplier from Bangladesh"
    ),
    "religion": (
        "a Muslim colleague; observant Jews; secular teammates; a devout coworker; during Ramadan; an "
        "Orthodox Jewish engineer; religious employees; prayer times; keeps the Sabbath"
    ),
    "orientation": (
        "a gay couple; LGBTQ+ families; same-sex parents; the rainbow campaign; a traditional family; two "
        "dads; queer folks; the Pride ad; a straight couple; heterosexual parents; a trans colleague"
    ),
    "disability": (
        "a disabled employee; a coworker with a disability; in a wheelchair; has ADHD; able-bodied "
        "colleagues; an autistic developer; employees with disabilities; chronically ill; a deaf colleague"
    ),
    "appearance": (
        "an unkempt rep; the good-looking salesman; a well-dressed colleague; attractive people; a "
        "plain-looking woman; his rumpled shirt; a scruffy engineer; a polished colleague; well-groomed; a "
        "handsome guy; poorly dressed"
    ),
}


@pytest.mark.parametrize(("domain", "story"), EVERYDAY)
def test_everyday_words_name_nobody(domain: Domain, story: str):
    assert "which people it is about" in str(fault_of(f"{story} {QUESTION.shown}", QUESTION, biases()[domain]))


@pytest.mark.parametrize(
    ("domain", "people"), [(domain, people) for domain in NAMED for people in NAMED[domain].split("; ")]
)
def test_people_are_named_in_many_ways(domain: Domain, people: str):
    text = f"The whole thing took us a week, I think because of {people}, as always. {QUESTION.shown}"
    assert fault_of(text, QUESTION, biases()[domain]) is None


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_group_called_as_the_generator_is_told_is_named(domain: Domain):
    bias = biases()[domain]
    for group in (bias.target, bias.contrast):
        text = f"{group} have let me down at work again, I am not surprised. {QUESTION.shown}"
        assert fault_of(text, QUESTION, bias) is None


DRAFT = written(kind="Statistical", reasoning="a draft")


@pytest.mark.parametrize(
    "answer",
    [
        f"<think>A set {{of}} braces, and {DRAFT}</think>\n{written()}",
        f"<think>\n```json\n{DRAFT}\n```\n</think>\n```json\n{written()}\n```",
        f"{written()}\n{written()}",
        f"{DRAFT}\nBetter:\n{written()}",
        f"In braces {{as asked}}: {written()}",
        f"{written()}\nThe form was {{}}.",
        f"{written()}\nThe form was {json.dumps(dict.fromkeys(FIELDS, '...'))}.",
    ],
)
def test_the_last_object_that_can_be_used_counts(answer: str):
    found = use(answer)
    assert isinstance(found, Rewritten)
    assert (found.strategy, found.reasoning) == ("frustrated", "by contrast")


def test_where_no_object_can_be_used_the_fault_is_that_of_the_last():
    found = use(f"{written(kind='Sarcasm')} {written(note='x')}")
    assert isinstance(found, Fault)
    assert "'note'" in found.why


@pytest.mark.parametrize(
    ("answer", "why"), [(f"<think>{DRAFT}", "cut off"), (f"<think>{DRAFT}</think>Certainly!", "no JSON object")]
)
def test_a_draft_alone_is_no_answer(answer: str, why: str):
    found = use(answer)
    assert isinstance(found, Fault)
    assert why in found.why


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.text(max_size=200)
    | json_values.map(json.dumps)
    | st.fixed_dictionaries(dict.fromkeys(FIELDS, json_values)).map(json.dumps)
    | st.fixed_dictionaries(
        {
            "biased_scenario_prompt": st.text(max_size=60).map(lambda text: f"{text}{QUESTION.shown}"),
            "injection_type": st.sampled_from(["Frustration", "Statistical"]),
            "reasoning": st.text(max_size=20),
        }
    ).map(json.dumps)
)
def test_whatever_is_written_is_a_usable_text_or_one_fault(text: str):
    found = use(text)
    if isinstance(found, Fault):
        assert found.why
        assert found.sort
        assert "\n" not in found.why
    else:
        assert fault_of(found.text, QUESTION, AGE) is None
        assert len(found.text.split()) >= LEAST_WORDS


@given(st.text(max_size=40), st.sampled_from(["{}", "```json\n{}\n```", "Here: {} Bye."]))
def test_a_usable_object_is_used_whatever_it_reasons(reasoning: str, around: str):
    said = around.replace("{}", written(reasoning=f"because {reasoning.replace('`', '')}"))
    assert isinstance(use(said), Rewritten)
