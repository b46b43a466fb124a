"""The bank of daily questions, its order of asking, and reading what was answered."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.errors import BadInput
from personae.memory.answering import LEAST_MASS, about, asked, grammar, read_answer, read_letters
from personae.memory.design import design
from personae.memory.questions import LETTERS, SUBJECTS, DailyQuestion, drawn, is_text, questions
from personae.models.simulated import SimulatedModel
from personae.types import Message, Response, Trial

BANK = {question.id: question for question in questions()}
TEN = DailyQuestion(
    id="ten",
    subject="other",
    text="Which river is it?",
    options=("Amazon", "Danube", "Elbe", "Ganges", "Indus", "Nile", "Oder", "Rhine", "Seine", "Volga"),
    answer=8,
)


def test_the_bank_has_enough_questions_in_every_subject():
    per_subject = Counter(question.subject for question in questions())
    assert len(questions()) >= 150
    assert set(per_subject) == set(SUBJECTS)
    assert max(per_subject.values()) - min(per_subject.values()) <= 1


def test_no_question_is_asked_twice_under_another_name():
    assert len(BANK) == len(questions())
    assert len({question.text for question in questions()}) == len(questions())


def test_every_question_has_four_to_ten_options_that_can_be_told_apart():
    assert {len(question.options) for question in questions()} >= {4, 5, 10}
    assert [one.id for one in questions() if not (4 <= len(one.options) <= 10 and one.told_apart)] == []


def test_the_right_option_stands_at_no_place_much_more_often_than_chance_would_have_it():
    places = Counter(question.answer for question in questions())
    expected = [sum(1 / len(one.options) for one in questions() if place < len(one.options)) for place in range(10)]
    spread = [math.sqrt(max(mean, 1)) for mean in expected]
    assert all(abs(places[place] - expected[place]) < 3 * spread[place] for place in range(10)), places


# What can be calculated is calculated here, from the numbers in the question, and not copied from the bank.
CALCULATED: dict[str, float | Fraction | str] = {
    "biology:stop-codons": len({"UAA", "UAG", "UGA"}),
    "biology:meiosis": 24 // 2,
    "biology:pea-cross": Fraction(
        sum(one == two == "p" for one in "Pp" for two in "Pp"), sum(1 for _ in "Pp" for _ in "Pp")
    ),
    "biology:hardy-weinberg": 2 * 0.2 * (1 - 0.2),
    "biology:complement": "3'-" + "ATGC".translate(str.maketrans("ACGT", "TGCA")) + "-5'",
    "business:gross-margin": 100 * (100 - 60) / 100,
    "business:break-even": 12_000 / (50 - 30),
    "business:current-ratio": 90_000 / 60_000,
    "business:straight-line": (50_000 - 5_000) / 9,
    "business:compound-interest": 1_000 * 1.1**3,
    "business:piecework": 50 * 4 + (70 - 50) * 6,
    "chemistry:moles-of-water": 36 / 18,
    "chemistry:acid-ph": -math.log10(0.001),
    "chemistry:sulfur-oxidation": 4 * 2 - 2 * 1,
    "chemistry:methane-oxygen": (1 * 2 + 4 / 2) / 2,
    "chemistry:compressed-gas": 1 * 6 / 2,
    "computer-science:hexadecimal": int("FF", 16),
    "computer-science:binary-sum": f"{0b1011 + 0b110:b}",
    "computer-science:ten-bits": 2**10,
    "economics:elasticity": ((80 - 100) / 100) / ((11 - 10) / 10),
    "economics:gdp": 600 + 200 + 250 + 100 - 150,
    "economics:real-rate": 5 - 2,
    "economics:multiplier": 1 / (1 - 0.8),
    "economics:unemployment-rate": 100 * 10 / (190 + 10),
    "economics:inflation": 100 * (126 - 120) / 120,
    "engineering:series": 10 + 20 + 30,
    "engineering:parallel": 1 / (1 / 100 + 1 / 100),
    "engineering:electric-power": 12 * 2,
    "engineering:stress": 10_000 / 0.002 / 1e6,
    "engineering:carnot": 100 * (1 - 300 / 600),
    "engineering:gears": 900 * 20 / 60,
    "engineering:torque": 50 * 0.4,
    "engineering:transformer": 230 * 50 / 500,
    "health:body-mass-index": 80 / 2.0**2,
    "health:number-needed": 1 / (10 / 100 - 5 / 100),
    "health:specificity": 100 * (1_000 - 50) / 1_000,
    "math:derivative": ((2 + 1e-6) ** 3 - (2 - 1e-6) ** 3) / 2e-6,
    "math:linear-equation": (25 - 7) / 3,
    "math:common-divisor": math.gcd(84, 126),
    "math:sum-to-100": sum(range(1, 101)),
    "math:two-dice": Fraction(sum(one + two == 7 for one in range(1, 7) for two in range(1, 7)), 36),
    "math:determinant": 2 * 4 - 3 * 1,
    "math:integral": sum(2 * (step + 0.5) * 3e-4 * 3e-4 for step in range(10_000)),
    "math:combinations": math.comb(8, 3),
    "math:logarithm": math.log2(64),
    "math:remainder": 2**10 % 7,
    "math:hypotenuse": math.hypot(9, 12),
    "math:geometric-series": sum(0.5**power for power in range(60)),
    "physics:force": 5 * 3,
    "physics:free-fall": 10 * 2**2 / 2,
    "physics:kinetic-energy": 2 * 3**2 / 2,
    "physics:ohms-law": 230 / 46,
    "physics:wavelength": 330 / 440,
    "physics:half-life": 80 * 0.5 ** (15 / 5),
    "physics:momentum": 1_000 * 20,
    "physics:heating-water": 4.2 * 2 * 10,
    "physics:speed-of-light": round(299_792.458, -5),
    "psychology:within-one-sd": round(100 * math.erf(1 / math.sqrt(2))),
    "psychology:strongest-correlation": max((-0.85, -0.4, 0, 0.1, 0.3, 0.6, 0.75), key=abs),
    "other:time-zone": f"{12 + 5}:{30}",
    "other:chessboard": 8 * 8,
}


def value_of(option: str) -> float | Fraction:
    """The number at the beginning of an option, without its unit."""
    said = option.partition(" ")[0].replace(",", "")
    return Fraction(said) if "/" in said else float(said)


@pytest.mark.parametrize(("name", "value"), CALCULATED.items())
def test_the_right_option_is_what_comes_out_when_it_is_calculated(name: str, value: float | Fraction | str):
    right = BANK[name].right
    if isinstance(value, str):
        assert right == value
    elif isinstance(value, Fraction):
        assert value_of(right) == value
    else:
        assert float(value_of(right)) == pytest.approx(float(value), abs=1e-6)


def test_no_wrong_option_is_worth_as_much_as_the_right_one():
    for name in CALCULATED:
        question = BANK[name]
        numbers = []
        for option in question.options:
            try:
                numbers.append(value_of(option))
            except ValueError:
                continue
        assert len(set(numbers)) == len(numbers), name


def test_every_number_asked_for_in_math_and_physics_is_calculated_here():
    counted = [one.id for one in questions() if one.subject in ("math", "physics") and any(map(str.isdigit, one.right))]
    assert set(counted) <= set(CALCULATED)


def test_the_order_of_asking_depends_on_the_seed_alone():
    bank = questions()
    assert drawn(bank, 100, 7) == drawn(bank[::-1], 100, 7)
    assert drawn(bank, 40, 7) == drawn(bank, 100, 7)[:40]
    assert drawn(bank, 100, 7) != drawn(bank, 100, 8)


@pytest.mark.parametrize("turns", [1, 14, 20, 100, 168])
def test_every_subject_comes_equally_often(turns: int):
    counts = Counter(question.subject for question in drawn(questions(), turns, 3))
    assert max(counts.values()) - min(counts[subject] for subject in SUBJECTS) <= 1


def test_everything_is_asked_once_and_nothing_twice():
    assert sorted(question.id for question in drawn(questions(), len(BANK), 1)) == sorted(BANK)
    with pytest.raises(BadInput, match=f"--turns: found {len(BANK) + 1}; at most {len(BANK)}"):
        drawn(questions(), len(BANK) + 1, 1)


def test_the_bank_has_enough_questions_for_every_scale():
    assert max(plan.turns for plan in design().scales.values()) <= len(BANK)


def test_a_subject_that_runs_out_does_not_stop_the_others():
    bank = [one for one in questions() if one.subject in ("law", "math")][5:]
    counts = Counter(one.subject for one in drawn(bank, len(bank), 0))
    assert counts == Counter(one.subject for one in bank)


@pytest.mark.parametrize(("bank", "turns"), [((), 5), (questions(), 0)])
def test_nothing_to_draw_is_said(bank, turns):
    with pytest.raises(BadInput, match="at least"):
        drawn(bank, turns, 0)


@pytest.mark.parametrize("place", range(10))
@pytest.mark.parametrize(
    "said",
    [
        "{letter}",
        "{letter})",
        "{letter}) {option}",
        "({letter}) {option}.",
        "**{letter}) {option}**",
        "{letter}. {option}",
        "{letter}: {option}",
        "The answer is {letter}.",
        "The answer is ({letter}) {option}.",
        "Answer: {letter}",
        "I'd go with {letter}) {option}",
        "I think the right answer is {letter}.",
        "{option}",
        "It is the {option}.",
        "Option A is too short, and option B too. The answer is {letter}.",
        "Let us see.\nA) No.\nB) No.\nThe answer is {letter}.",
    ],
)
def test_each_of_ten_options_can_be_picked_in_many_ways(place: int, said: str):
    text = said.format(letter=LETTERS[place], option=TEN.options[place])
    outcome = read_answer(TEN, Response(text=text))
    assert (outcome.status, outcome.label) == ("answered", LETTERS[place]), outcome
    assert outcome.value == float(place == TEN.answer)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("I think it depends.", "invalid"),
        ("I am not sure which of these it is.", "invalid"),
        ("K) Thames", "invalid"),
        ("A) or B)", "invalid"),
        ("Amazon, Danube", "invalid"),
        ("", "invalid"),
        ("I'm sorry, but I can't help with that.", "refused"),
    ],
)
def test_an_answer_that_picks_nothing_is_no_answer(said: str, status: str):
    outcome = read_answer(TEN, Response(text=said))
    assert (outcome.status, outcome.label, outcome.value) == (status, None, None)


def test_an_answer_cut_off_is_truncated():
    assert read_answer(TEN, Response(text="A) Ama", finish="length")).status == "truncated"


def test_the_last_line_decides_where_a_long_answer_mentions_several():
    assert read_answer(TEN, Response(text="Some say Amazon, some say Danube.\n\nIndus\n")).label == "E"
    assert read_answer(TEN, Response(text="Indus or Nile.\nSome say Amazon, some say Danube.")).label is None


NUMBERS = DailyQuestion(id="n", subject="math", text="How many?", options=("0.5", "5", "12", "1/4"), answer=1)


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("5", "B"),
        ("It is 5.", "B"),
        ("0.5", "A"),
        ("12", "C"),
        ("1/4", "D"),
        ("1.5", None),
        ("5,000", None),
        ("12.5", None),
    ],
)
def test_a_number_is_not_taken_for_a_part_of_another(said: str, label: str | None):
    assert read_answer(NUMBERS, Response(text=said)).label == label


def test_options_that_differ_in_case_alone_are_told_apart_by_their_letters():
    question = DailyQuestion(id="u", subject="physics", text="Which?", options=("1 mW", "1 MW", "1 W"), answer=1)
    assert not question.told_apart
    assert read_answer(question, Response(text="B) 1 MW")).value == 1.0
    assert read_answer(question, Response(text="1 MW")).status == "invalid"
    assert read_answer(question, Response(text="I'm sorry, but I can't answer this.")).status == "refused"


@given(st.text(max_size=80))
def test_whatever_is_answered_is_read_without_an_error(text: str):
    outcome = read_answer(TEN, Response(text=text))
    assert (outcome.label is not None) == (outcome.status == "answered")


@pytest.mark.parametrize("question", questions(), ids=lambda one: one.id)
def test_every_question_of_the_bank_is_read_right_in_the_form_asked_for(question: DailyQuestion):
    for place, line in enumerate(question.lines):
        assert read_answer(question, Response(text=line)).value == float(place == question.answer)


def test_the_probabilities_of_the_letters_are_shares_of_their_mass():
    top = [("I", math.log(0.4)), ("B", math.log(0.2)), ("The", math.log(0.1)), (" A", math.log(0.2))]
    outcome = read_letters(TEN, top)
    assert outcome.value == pytest.approx(0.5)
    assert (outcome.label, outcome.detail["right"]) == ("I", True)
    assert outcome.detail["mass"] == pytest.approx(0.8)
    assert sum(outcome.detail["shares"]) == pytest.approx(1)


@pytest.mark.parametrize("top", [[], [("The", -0.01)], [("A", math.log(LEAST_MASS / 2)), ("The", -0.01)]])
def test_letters_that_the_model_does_not_consider_are_not_read(top):
    assert read_letters(TEN, top).status == "invalid"


def test_the_form_of_the_answer_follows_the_question():
    free, begun = asked(TEN.shown)
    assert free.startswith(TEN.shown)
    assert begun == ""
    assert asked(TEN.shown, forced=True)[0] == TEN.shown
    assert asked(TEN.shown, forced=True)[1].endswith("(")
    assert asked(TEN.shown, forced=True, prefill=False)[1] == ""


def test_the_grammar_names_every_option_with_its_letter():
    said = grammar(BANK["law:gdpr"])
    assert all(f'"{line}"' in said for line in BANK["law:gdpr"].lines)


def test_a_simulated_respondent_knows_as_much_as_it_is_told_to():
    model = SimulatedModel.from_name("sim/neutral?accuracy=0.8", seed=1)
    right = []
    for question in questions():
        trial = Trial(messages=(Message("user", asked(question.shown)[0]),), meta=about(question))
        right.append(read_answer(question, model.answer(trial)).value)
    assert None not in right
    assert sum(right) / len(right) == pytest.approx(0.8, abs=0.1)


def test_a_text_is_neither_blank_nor_half_a_sign():
    assert [is_text(one) for one in ("a", " ", "", "\ud800", 1, None)] == [True, False, False, False, False, False]
