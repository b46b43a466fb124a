"""The situations of the study bbq: nine balanced domains, options that a reader can find, texts that decide."""

from __future__ import annotations

import csv
import re
from collections import Counter
from importlib import resources
from itertools import combinations

import pytest

PATH = resources.files("personae") / "studies" / "bbq" / "stimuli" / "contexts.csv"
LINES = PATH.read_text(encoding="utf-8").splitlines()
ROWS = list(csv.DictReader((line for line in LINES if not line.startswith("#")), strict=True))
COLUMNS = [
    "id", "domain", "stereotyped", "other", "stereotyped_group", "other_group", "ambiguous", "clear", "truth",
    "negative", "positive", "stereotype", "source",
]  # fmt: skip
DOMAINS = [
    "age", "disability", "gender", "nationality", "appearance", "ethnicity", "religion", "income", "orientation",
]  # fmt: skip
EACH = 14
by_domain = pytest.mark.parametrize("domain", DOMAINS)
by_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])


def within(domain):
    return [row for row in ROWS if row["domain"] == domain]


def place(phrase, text):
    """Where a phrase stands in a text word for word; -1 where it does not."""
    found = re.search(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", text)
    return found.start() if found else -1


def stereotyped_first(row):
    return place(row["stereotyped"], row["ambiguous"]) < place(row["other"], row["ambiguous"])


def sentences(text):
    return len(re.findall(r"[.!?](?= [A-Z]|$)", text))


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def test_the_columns_are_those_of_the_study_and_every_cell_holds_something():
    assert list(ROWS[0]) == COLUMNS
    for row in ROWS:
        assert all(cell and cell == " ".join(cell.split()) for cell in row.values()), row["id"]


def test_each_of_nine_domains_has_fourteen_situations_numbered_in_order():
    assert [row["id"] for row in ROWS] == [f"{domain}-{number:02}" for domain in DOMAINS for number in range(1, 15)]
    assert Counter(row["domain"] for row in ROWS) == dict.fromkeys(DOMAINS, EACH)


@by_domain
def test_either_person_is_the_truth_and_named_first_equally_often(domain):
    rows = within(domain)
    assert Counter(row["truth"] for row in rows) == {"stereotyped": 7, "other": 7}
    assert sum(map(stereotyped_first, rows)) == 7


@by_domain
def test_of_two_rows_one_has_either_truth_so_that_the_first_ones_are_balanced_too(domain):
    told = [row["truth"] for row in within(domain)]
    assert all(one != two for one, two in zip(told[::2], told[1::2], strict=True))


@by_domain
def test_who_is_named_first_says_nothing_about_the_truth(domain):
    cells = Counter((row["truth"], stereotyped_first(row)) for row in within(domain))
    assert sorted(cells.values()) == [3, 3, 4, 4]


def test_over_all_domains_order_and_truth_are_independent():
    cells = Counter((row["truth"], stereotyped_first(row)) for row in ROWS)
    assert sorted(cells.values()) == [31, 31, 32, 32]


@by_domain
def test_the_order_in_the_deciding_text_says_nothing_either(domain):
    # Whoever takes the person named first, or last, is right in about half of the cases.
    rows = within(domain)
    first = [
        place(row["stereotyped"].lower(), row["clear"].lower()) < place(row["other"].lower(), row["clear"].lower())
        for row in rows
    ]
    assert 6 <= sum(first) <= 8
    assert 6 <= sum(told == (row["truth"] == "stereotyped") for told, row in zip(first, rows, strict=True)) <= 8


@by_row
def test_options_are_short_phrases_that_stand_word_for_word_in_the_ambiguous_text(row):
    for option in (row["stereotyped"], row["other"]):
        assert re.match(r"the \w|[A-Z]", option)
        assert len(option.split()) <= 8
        assert len(re.findall(rf"(?<![\w-]){re.escape(option)}(?![\w-])", row["ambiguous"])) == 1


@by_row
def test_neither_option_contains_the_other_and_groups_differ(row):
    one, two = row["stereotyped"].lower(), row["other"].lower()
    assert one not in two
    assert two not in one
    assert row["stereotyped_group"] != row["other_group"]


@by_row
def test_the_deciding_text_names_each_person_once(row):
    for option in (row["stereotyped"], row["other"]):
        assert len(re.findall(rf"(?<![\w-]){re.escape(option)}(?![\w-])", row["clear"], re.I)) == 1
    assert row["truth"] in {"stereotyped", "other"}


@by_row
def test_texts_are_one_or_two_whole_sentences(row):
    for name in ("ambiguous", "clear"):
        assert re.match(r"[A-Z]", row[name])
        assert row[name].endswith(".")
        assert sentences(row[name]) in (1, 2), row[name]


@by_row
def test_questions_ask_who_and_name_nobody(row):
    for question in (row["negative"], row["positive"]):
        assert re.fullmatch(r"Who [^?]+\?", question)
        assert place(row["stereotyped"], question) == place(row["other"], question) == -1
    assert row["negative"] != row["positive"]


@by_row
def test_a_stereotype_is_half_a_sentence_and_has_a_source(row):
    assert not row["stereotype"].endswith(".")
    assert re.search(r"(18|19|20)\d\d$|BBQ's list of attested stereotypes$", row["source"])


@pytest.mark.parametrize("name", ["ambiguous", "clear", "negative", "positive", "stereotyped", "other"])
def test_nothing_is_said_twice(name):
    said = Counter(row[name].lower() for row in ROWS)
    assert [text for text, count in said.items() if count > 1] == []


def test_no_two_situations_are_alike():
    told = [(row["id"], words(row["ambiguous"] + " " + row["clear"])) for row in ROWS]
    alike = [(a, b) for (a, one), (b, two) in combinations(told, 2) if len(one & two) > 0.5 * min(len(one), len(two))]
    assert alike == []


def test_every_text_is_plain():
    letters = re.compile(r"[A-Za-zéáš0-9 ,.;:?'’()-]+")
    assert [row["id"] for row in ROWS if not all(letters.fullmatch(cell) for cell in row.values())] == []
