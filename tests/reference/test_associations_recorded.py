"""Every recorded answer of paper 003 is read, and measures what ``docs/recorded-associations.md`` says."""

import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from personae.coding.sentences import unmarked
from personae.stats.association import single_category_effects
from personae.studies.associations.design import default_personas
from personae.studies.associations.metrics import METRICS, Measure
from personae.studies.associations.recorded import read_recorded
from personae.studies.associations.stimuli import function_words, prompts

pytestmark = [pytest.mark.reference, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
MODELS = ("deepseek", "gpt", "llama")
PAGE_MODELS = ("gpt", "deepseek", "llama")


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


# What the page of the documentation says, held against the answers.


@pytest.fixture(scope="module")
def scores(answers):
    """Effect sizes of the answers by metric: arrays of models × questions × conditions, nobody in particular first."""
    scores = {metric: np.empty((3, 5, 7)) for metric in METRICS.values()}
    personas = [None, *(persona.name for persona in default_personas().personas)]
    measure, names = Measure(), list(prompts())
    for one in answers:
        sets = prompts()[one.item.stimulus].attributes
        at = PAGE_MODELS.index(one.model), names.index(one.item.stimulus), personas.index(one.item.condition.persona)
        for kind, metric in METRICS.items():
            known, row = measure.vectors(kind, sets), vector(measure, kind, one.response.text)
            scores[metric][at] = single_category_effects(row, known.congruent, known.incongruent)[0]
    return {**scores, "average": sum(scores.values()) / 3}


@pytest.fixture(scope="module")
def shifts(scores):
    """BAD as measured, by metric: arrays of models × questions × personas, in the order of the page."""
    return {metric: values[..., 1:] - values[..., :1] for metric, values in scores.items()}


def vector(measure: Measure, kind: str, text: str):
    bare = unmarked(text)
    if kind == "static":
        bare = " ".join(word for word in measure.static.words(bare) if word.casefold() not in function_words())
    return getattr(measure, kind).encode([bare]).vectors.astype(float)


@pytest.fixture(scope="module")
def printed():
    """Table 4 of the paper as the page has it, in brackets."""
    cells = [[float(cell.partition("(")[2].rstrip(")")) for cell in row[2:]] for row in table(0)]
    return np.array(cells).reshape(3, 5, 6)


def table(number: int) -> list[list[str]]:
    """The rows of a table of the page with letters over its columns, cells by column."""
    text = (ROOT / "docs" / "recorded-associations.md").read_text(encoding="utf-8").replace(r"\|", "¦")
    found = re.findall(r"\| A \| B \| C \| D \| E \| F \|\n\|[-|]+\n((?:\|.*\n)+)", text)[number]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found.splitlines()]


def near(shown: str, value: float) -> bool:
    return abs(float(shown) - value) <= 0.0051


def test_the_page_shows_the_shifts_that_are_measured(shifts):
    rows = table(0)
    assert [row[1] for row in rows] == list(prompts()) * 3
    for row, values in zip(rows, shifts["average"].reshape(15, 6), strict=True):
        assert all(near(cell.partition(" ")[0], value) for cell, value in zip(row[2:], values, strict=True)), row


def test_the_page_shows_psi_and_volatility_as_measured(shifts):
    rows, average = table(1), shifts["average"]
    expected = {f"PSI, {metric}": found.mean(axis=1) for metric, found in shifts.items()}
    expected["mean ¦BAD¦, average"] = np.abs(average).mean(axis=1)
    expected["volatility over questions, average"] = average.std(axis=1)
    for place, row in enumerate(rows):
        if not row[1].endswith("printed"):
            values = expected[row[1]][place // 8]
            assert all(near(cell, value) for cell, value in zip(row[2:], values, strict=True)), row
    assert sum(row[1] in expected for row in rows) == 3 * 6


def test_the_printed_psi_is_the_mean_of_the_printed_shifts_and_volatility_their_deviation(printed):
    rows = [[float(cell) for cell in row[2:]] for row in table(1) if row[1].endswith("printed")]
    assert np.abs(np.array(rows[::2]) - printed.mean(axis=1)).max() < 0.001
    assert np.abs(np.array(rows[1::2]) - printed.std(axis=1)).max() < 0.001


def test_what_the_page_says_of_signs_and_correlations(shifts, printed):
    average = shifts["average"]
    agree = np.sign(average) == np.sign(printed)
    assert agree.sum(axis=(1, 2)).tolist() == [18, 20, 23]
    assert (printed[..., :3] < 0).all()
    assert (printed[..., 3:] > 0).all()
    correlations = [np.corrcoef(average[at].ravel(), printed[at].ravel())[0, 1] for at in range(3)]
    assert correlations == pytest.approx([0.23, 0.03, 0.53], abs=0.0051)
    assert np.corrcoef(average.ravel(), printed.ravel())[0, 1] == pytest.approx(0.22, abs=0.0051)
    groups = average[..., 3:].mean(axis=(1, 2)) - average[..., :3].mean(axis=(1, 2))
    assert groups == pytest.approx([0.09, 0.19, 0.44], abs=0.0051)
    assert np.abs(average).mean() == pytest.approx(0.32, abs=0.0051)
    assert np.abs(printed).mean() == pytest.approx(0.10, abs=0.0051)


def test_what_the_page_says_of_neutral_answers_of_two_models(scores):
    plain = scores["average"][..., 0]
    differences = [np.abs(plain[one] - plain[other]).mean() for one, other in combinations(range(3), 2)]
    assert np.mean(differences) == pytest.approx(0.18, abs=0.0051)


def test_what_the_page_says_of_the_three_metrics(shifts):
    parts = [shifts[metric] for metric in METRICS.values()]
    assert (np.abs(sum(np.sign(part) for part in parts)) == 3).sum() == 43
    pairs = [np.corrcoef(one.ravel(), other.ravel())[0, 1] for one, other in combinations(parts, 2)]
    assert (min(pairs), max(pairs)) == pytest.approx((0.52, 0.65), abs=0.0051)


def test_one_neutral_answer_stands_in_a_whole_row(shifts):
    row = shifts["average"][PAGE_MODELS.index("deepseek"), list(prompts()).index("technology")]
    assert (row.min(), row.max()) == pytest.approx((0.40, 0.90), abs=0.0051)
