"""The letter that an answer picks is told from letters that are variables, articles, pronouns or options weighed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.coding.choice import read_choice
from personae.coding.labels import Label, clean_labels, read_label

NUMBERS = ["3", "4", "5", "7"]
CITIES = ["Paris", "Lyon", "Nice", "Lille"]
METALS = ["iron", "tin", "zinc", "lead", "gold", "silver", "copper", "nickel", "cobalt", "sodium"]
JUDGED = ["abusive", "not abusive"]
LETTERS = "ABCDEFGHIJ"

ANSWERS = [
    # Short answers.
    (CITIES, "D", "D"),
    (CITIES, "d", "D"),
    (CITIES, "D)", "D"),
    (CITIES, "(D)", "D"),
    (CITIES, "D.", "D"),
    (CITIES, "[D]", "D"),
    (CITIES, "**D**", "D"),
    (CITIES, "**D)** Lille", "D"),
    (CITIES, "D) Lille", "D"),
    (CITIES, "D. Lille", "D"),
    (CITIES, "D: Lille", "D"),
    (CITIES, "D - Lille", "D"),
    (CITIES, "D\nLille", "D"),
    (CITIES, "Answer: D", "D"),
    (CITIES, "**Answer**: D", "D"),
    (CITIES, "**Answer: D**", "D"),
    (CITIES, "Answer – (D)", "D"),
    (CITIES, "<answer>D</answer>", "D"),
    (CITIES, '{"answer": "D"}', "D"),
    (CITIES, '```json\n{"reasoning": "A) is too far south.", "answer": "D"}\n```', "D"),
    (CITIES, "{'choice': 'D', 'confidence': 0.9}", "D"),
    (CITIES, r"\boxed{D}", "D"),
    (CITIES, r"$\boxed{\text{D}}$", "D"),
    (CITIES, r"The answer is \boxed{\textbf{(D)}}.", "D"),
    (CITIES, "#### D", "D"),
    (CITIES, "### Final answer\n\nD", "D"),
    (CITIES, "Lille", "D"),
    (CITIES, "It is Lille.", "D"),
    # Sentences.
    (CITIES, "The answer is (D).", "D"),
    (CITIES, "The correct answer is option **D**.", "D"),
    (CITIES, "The best option is therefore D.", "D"),
    (CITIES, "I would choose D, because it is further north.", "D"),
    (CITIES, "I'm going with D.", "D"),
    (CITIES, "D is correct.", "D"),
    (CITIES, "Option D is the right answer.", "D"),
    (CITIES, "The right one is D) Lille.", "D"),
    (CITIES, "I think it's D.", "D"),
    (CITIES, "Die richtige Antwort ist D.", "D"),
    (CITIES, "Ich wähle D, denn Lille liegt im Norden.", "D"),
    (CITIES, "My answer is D; A is the capital, and B is in the south.", "D"),
    # Letters that are variables, articles, pronouns or quoted.
    (NUMBERS, "f(a) = 3, so D", "D"),
    (NUMBERS, "f(a) = 3 and g(b) = 4, so the answer is C.", "C"),
    (NUMBERS, "f(a) = 3", "A"),
    (NUMBERS, "P(A) = 0.2 and P(B) = 0.5. Answer: C", "C"),
    (NUMBERS, "Since (a + b) = 7, the sum is 7. Therefore, D.", "D"),
    (NUMBERS, "a = 3, b = 4, hence c = 5. C", "C"),
    (NUMBERS, "The answer is 4, which is option B.", "B"),
    (NUMBERS, "Let A be a set with 3 elements => B", "B"),
    (NUMBERS, "sin(a) < cos(b)", ""),
    (CITIES, "A good question! Vitamin C) aside, the answer is B.", "B"),
    (CITIES, 'A "northern" city is meant, so D.', "D"),
    (CITIES, "A-level geography says D)", "D"),
    (CITIES, "E.g. Lyon lies in the south, therefore (D)", "D"),
    (CITIES, "There are two reasons: (a) it is in the north, (b) it is near Belgium. So D.", "D"),
    (CITIES, "Is the answer A? No. It is D.", "D"),
    (CITIES, "A) Paris\nB) Lyon\nC) Nice\nD) Lille\n\nAnswer: D", "D"),
    (CITIES, "A) Paris\nB) Lyon\nC) Nice\nD) Lille\n\nD", "D"),
    (CITIES, "Which of A) Paris, B) Lyon, C) Nice, D) Lille is it? D", "D"),
    (METALS, "I, personally, would pick J.", "J"),
    (METALS, "I think it is the softest, so J.", "J"),
    (METALS, "I believe the answer is: I", "I"),
    (METALS, "I) cobalt", "I"),
    (METALS, "Statement I is correct and II is not, so the answer is C.", "C"),
    # Reasoning.
    (CITIES, "A) is wrong because it is the capital. B is too far south, and so is C. That leaves D.", "D"),
    (CITIES, "We can rule out A) and B). C) is on the coast. Hence D.", "D"),
    (
        CITIES,
        "Option A is the capital. Option B is in the south. Option C is on the coast. The answer is option D.",
        "D",
    ),
    (CITIES, "A) Incorrect - it is the capital.\nB) Incorrect.\nC) Incorrect.\nD) Correct - it is in the north.", "D"),
    (CITIES, "A. Paris: no\nB. Lyon: no\nC. Nice: no\nD. Lille: yes\n\n**D**", "D"),
    (CITIES, "Let me think. Belgium is in the north.\n\n**D**\n\nLille is nearest to it.", "D"),
    (CITIES, "Belgium is in the north. Lille is nearest to it, which is D.", "D"),
    (CITIES, "At first I thought the answer is A, but it is D.", "D"),
    (CITIES, "The answer is not A but D.", "D"),
    (CITIES, "The answer may be A. Looking at the map again: final answer: D", "D"),
    (CITIES, "If the answer is A, Belgium would be far. The answer is D.", "D"),
    (CITIES, "I have to choose A, B, C or D. I choose D.", "D"),
    (CITIES, "The north is meant → D", "D"),
    (CITIES, "It must be the one near Belgium (Option D).", "D"),
    (CITIES, "The nearest to Belgium is clearly D. Lille", "D"),
    (CITIES, "D, and not A.", "D"),
    # No answer.
    (CITIES, "", ""),
    (CITIES, "A or D", ""),
    (CITIES, "A and D", ""),
    (CITIES, "A/D", ""),
    (CITIES, "The answer is A) or D).", ""),
    (CITIES, "The answer is A. Wait, no: the answer is D.", ""),
    (CITIES, "A) Paris. On reflection, the answer is D.", ""),
    (CITIES, r"\boxed{A} or rather \boxed{D}", ""),
    (CITIES, "E", ""),
    (CITIES, "The answer is E.", ""),
    (CITIES, "A) Paris\nB) Lyon\nC) Nice\nD) Lille", ""),
    (CITIES, "I cannot choose B.", ""),
    (CITIES, "I'm sorry, but I can't answer that.", ""),
    (CITIES, "As an AI, I have no preference between A and D.", ""),
    (CITIES, "I don't know.", ""),
    (CITIES, "A hard one!", ""),
    (CITIES, "I would need a map.", ""),
    (CITIES, "None of them.", ""),
    (METALS, "I, as an AI, cannot say.", ""),
    (JUDGED, "A. No, B.", ""),
    (JUDGED, "A) abusive\nB) not abusive", ""),
    (JUDGED, "He says a lot (b)lah.", ""),
    # Of every style, written after the reader was.
    (CITIES, "C) Nice\n\nExplanation: Nice lies on the coast, unlike A) Paris.", "C"),
    (CITIES, "The city on the coast is Nice, so the correct choice is **C) Nice**.", "C"),
    (CITIES, "**Correct answer: C**", "C"),
    (CITIES, "**C.** Nice", "C"),
    (CITIES, "Answer is C", "C"),
    (CITIES, "ANSWER: c", "C"),
    (CITIES, "Sure! The answer is C.", "C"),
    (CITIES, "Let's think step by step. Paris (A) is inland. Lyon (B) and Lille (D) too. The answer is (C).", "C"),
    (CITIES, "Only option C describes a coastal city.", ""),
    (CITIES, "Therefore, the answer is:\n\nC) Nice", "C"),
    (CITIES, "Therefore, the correct answer is:\n\n**C**", "C"),
    (
        CITIES,
        "Looking at each option:\n- A: inland\n- B: inland\n- C: coastal\n- D: inland\n\nSo the answer is C.",
        "C",
    ),
    (CITIES, "Final Answer: The final answer is $\\boxed{C}$. I hope it is correct.", "C"),
    (CITIES, "I would say (C) Nice, although (B) Lyon is also south.", "C"),
    (CITIES, "Both B and C are in the south, but only C is on the coast, so C.", "C"),
    (CITIES, "Neither A nor B. C!", "C"),
    (CITIES, "It can't be A, B or D, so it must be C.", "C"),
    (CITIES, "A is wrong, B is wrong, D is wrong; C is right.", "C"),
    (CITIES, '{"choice": "C", "explanation": "A and B are inland."}', "C"),
    (CITIES, '{"answer": "C) Nice"}', "C"),
    (CITIES, "[C]", "C"),
    (CITIES, "`C`", "C"),
    (CITIES, "C ✅", "C"),
    (CITIES, "👉 C", "C"),
    (CITIES, "My final choice would be C!", "C"),
    (CITIES, "I'd pick either A or C.", ""),
    (CITIES, "Could be B, could be C.", ""),
    (CITIES, "I am not able to choose.", ""),
    (CITIES, "A lot of people live in Paris.", "A"),
    (CITIES, "I can't say.", ""),
    (CITIES, "As a language model, I don't visit cities.", ""),
    (NUMBERS, "f(a) = f(b) = 5. The answer is C.", "C"),
    (NUMBERS, "If a = 1 and b = 2 then a + b = 3, hence A.", "A"),
    (NUMBERS, "Let (a, b) be a pair. There are 4 pairs, so B.", "B"),
    (NUMBERS, "d(x) = 7, so (D).", "D"),
    (NUMBERS, "n = 4, i.e. B.", "B"),
    (NUMBERS, "The vector A has length 5, so the answer is C.", "C"),
    (NUMBERS, "Event A and event B are independent. C", "C"),
    (NUMBERS, "x = 7\n\nAnswer: D) 7", "D"),
    (NUMBERS, "4", "B"),
    (NUMBERS, "The answer is 7.", "D"),
    (NUMBERS, "B, since 2 + 2 = 4", "B"),
    (METALS, "I'd go with B.", "B"),
    (METALS, "I", "I"),
    (METALS, "I am sure it's F.", "F"),
    (METALS, "I. cobalt", "I"),
    (METALS, "A metal this soft is J) sodium.", "J"),
    (METALS, "E) gold. I am certain.", "E"),
    (JUDGED, "A) abusive – this is a form of control.", "A"),
    (JUDGED, "I feel it's B) not abusive, honey.", "B"),
    (JUDGED, "Honestly? (A).", "A"),
    (JUDGED, "B) Not abusive. A) would be too harsh.", "B"),
    (JUDGED, "My dear, a) abusive", "A"),
    (JUDGED, "Antwort: B) not abusive", "B"),
    (JUDGED, "Ich denke, es ist A.", "A"),
    (JUDGED, "A or B? I'd say B.", "B"),
    (JUDGED, "I am torn between A) and B).", ""),
]


def read(options: list[str], text: str) -> str:
    """The letter read, "" where the answer picks none."""
    found = read_choice(text, options, LETTERS[: len(options)])
    return "" if found.index is None else LETTERS[found.index]


@pytest.mark.parametrize(("options", "text", "letter"), ANSWERS)
def test_the_letter_that_an_answer_picks_is_read(options: list[str], text: str, letter: str) -> None:
    assert read(options, text) == letter


LABEL = st.sampled_from("ABCD")
FRAMES = [
    "{}", "({})", "**{}**", "{}) because of the map", "Answer: {}", "The answer is ({}).", "I choose {}.",
    r"\boxed{{{}}}",
    '{{"answer": "{}"}}', "<answer>{}</answer>", "#### {}", "Final answer: {}", "It lies in the north, so {}",
    "{} is correct.", "That leaves {}.", "Let me see.\n\n{}\n",
]  # fmt: skip


@given(LABEL, st.sampled_from(FRAMES))
def test_every_way_of_picking_picks_every_label(label: str, frame: str) -> None:
    assert read(CITIES, frame.format(label)) == label


@given(LABEL, LABEL, st.sampled_from(["f", "sin", "P", "g1"]), st.sampled_from(FRAMES[4:13]))
def test_the_argument_of_a_function_picks_nothing(label: str, argument: str, function: str, frame: str) -> None:
    for letter in (argument, argument.lower()):
        assert read(CITIES, f"{function}({letter}) = 9.\n{frame.format(label)}") == label
        assert read(CITIES, f"We know that {function}({letter}) = 9.") == ""


@given(LABEL, LABEL, st.sampled_from(FRAMES[4:7]), st.sampled_from(FRAMES[4:7]))
def test_two_statements_that_pick_different_labels_pick_none(one: str, two: str, first: str, second: str) -> None:
    text = f"{first.format(one)}\nWait, no!\n{second.format(two)}"
    assert read(CITIES, text) == (one if one == two else "")


def test_statements_that_contradict_each_other_are_not_overruled_by_an_option_that_is_named() -> None:
    found = read_choice("A) abusive. Wait, the answer is B.", JUDGED, "AB")
    assert (found.status, found.reason) == ("invalid", "picks one label and then another")


PIECES = st.sampled_from(
    [
        "A",
        "b",
        "I",
        "E",
        "4",
        " ",
        "\n",
        ")",
        "(",
        "**",
        "answer",
        "is",
        "so",
        "not",
        "option",
        ":",
        ",",
        "or",
        "\\boxed{",
    ]
)


@given(st.lists(PIECES, max_size=40).map(" ".join) | st.lists(PIECES, max_size=40).map("".join) | st.text())
def test_any_text_is_read_as_an_offered_label_or_as_none(text: str) -> None:
    labels = clean_labels("ABCD", 4)
    found = read_label(text, labels, CITIES)
    assert found == read_label(text, labels, CITIES)
    assert found.index in {None, 0, 1, 2, 3}
    assert found.index is None or not (found.strange or found.torn)
    assert found.index is None or labels[found.index] in text.casefold()


@pytest.mark.parametrize("text", ["The answer is E.", "E", "so 9) it is", "(e)"])
def test_a_label_that_was_not_offered_is_strange(text: str) -> None:
    assert read_label(text, clean_labels("ABCD", 4)) == Label(None, strange=True)


def test_labels_of_several_signs_are_read() -> None:
    assert read_label("The answer is (ii).", clean_labels(["(i)", "(ii)"], 2)) == Label(1)
    assert read_label("(i) is wrong, so (ii)", clean_labels(["(i)", "(ii)"], 2)) == Label(1)


@pytest.mark.parametrize(
    "piece", ["A) ", "so A or ", "answer to ", "** ", "(", "not A and ", "- ", "A, ", '"', "\\boxed{"]
)
def test_long_answers_are_read(piece: str) -> None:
    assert read(CITIES, piece * (20_000 // len(piece)) + "\nFinal answer: D") == "D"
