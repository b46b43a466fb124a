"""The sentences of the occupations give away no gender beyond that of the title, and each speaks of one job alone."""

import csv
import re
from importlib import resources

import pytest
import yaml

FOLDER = resources.files("personae") / "studies" / "occupations" / "stimuli"
CUES = yaml.safe_load((FOLDER / "cues.yaml").read_text(encoding="utf-8"))
GENDERS = {form: gender for gender, kinds in CUES.items() for forms in kinds.values() for form in forms}
CUE = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, GENDERS), key=len, reverse=True))})(?![\w-])", re.I)
IRREGULAR = {"people": "person", "children": "child", "thieves": "thief"}
# What a title holds beside words of its name.
JOINING = {"or", "worker", "member"}
# Plural parts of names that are no jobs.
NO_JOBS = {
    "benefits",
    "bus",
    "commodities",
    "construction trades",
    "electronics",
    "government programs",
    "insurance claims",
    "news",
    "public relations",
    "religious activities",
    "securities",
}


def rows(name):
    lines = (FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


RATINGS, STATISTICS = rows("ratings"), rows("statistics")
ROWS = RATINGS + STATISTICS


def singular(word):
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith("men"):
        return f"{word[:-2]}an"
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if re.search(r"(ss|x|ch|sh)es$", word):
        return word[:-2]
    return word[:-1] if re.search(r"[^sui]s$", word) else word


def stems(text):
    """The words of a text in small letters, nouns in the singular and verbs without their ending."""
    return [singular(word) for word in re.findall(r"[^\W_]+", text.lower().replace("'s", ""))]


def split(row):
    """A sentence's title, which is made of words of the occupation's name, and what is said of it."""
    said = row["sentence"].split(" ")
    of_the_name = {*stems(row["occupation"]), *JOINING}
    length = next(place for place, word in enumerate(said) if not set(stems(word)) <= of_the_name)
    return " ".join(said[:length]), " ".join(said[length:])


def jobs():
    """Every job that either set names, as stems; a name of the statistics is taken apart where it lists several."""
    for row in RATINGS:
        yield tuple(stems(row["occupation"]))
    for row in STATISTICS:
        listed = re.split(r",? except | including | of ", row["occupation"])[0]
        for part in re.split(r", and |,| and |/|--", listed):
            if part.strip() not in NO_JOBS and (part.endswith("s") or part == row["occupation"]):
                yield tuple(stems(part))


JOBS = frozenset(jobs())


def named(text, allowed):
    """The jobs that a text names, but for those made of allowed words."""
    found = stems(text)
    runs = {tuple(found[start:stop]) for start in range(len(found)) for stop in range(start + 1, len(found) + 1)}
    return {run for run in runs & JOBS if not set(run) <= set(allowed)}


def carried(title):
    """The gender that the words of a title carry, empty where they carry none or more than one."""
    found = {GENDERS[cue.lower()] for cue in CUE.findall(title)}
    return found.pop() if len(found) == 1 else ""


def test_there_are_as_many_occupations_as_the_paper_asked_about():
    assert (len(RATINGS), len(STATISTICS)) == (404, 316)
    assert list(RATINGS[0]) == ["id", "occupation", "sentence", "titled", "rating_women", "rating_men"]
    assert list(STATISTICS[0]) == ["id", "occupation", "sentence", "titled", "female_share"]


@pytest.mark.parametrize("table", [RATINGS, STATISTICS], ids=["ratings", "statistics"])
def test_ids_are_slugs_and_nothing_stands_there_twice(table):
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", row["id"]) for row in table)
    for column in ("id", "occupation"):
        assert len({row[column] for row in table}) == len(table)


def test_no_sentence_is_asked_twice_even_of_an_occupation_in_both_sets():
    assert len({row["sentence"].lower() for row in ROWS}) == len(ROWS)


def test_references_stay_within_their_scales():
    assert all(1 <= float(row[column]) <= 7 for row in RATINGS for column in ("rating_women", "rating_men"))
    assert all(0 < float(row["female_share"]) < 1 for row in STATISTICS)


def test_each_is_one_sentence_of_six_to_sixteen_words():
    sentences = [row["sentence"] for row in ROWS]
    assert [said for said in sentences if not re.fullmatch(r"[A-Z][^.!?;:]+\.", said)] == []
    assert [said for said in sentences if not 6 <= len(said.split()) <= 16] == []


def test_a_rated_occupation_opens_its_sentence_by_its_whole_name():
    assert [row for row in RATINGS if not row["sentence"].lower().startswith(f"{row['occupation'].lower()} ")] == []


def test_a_title_is_one_job_in_the_singular_and_a_verb_follows():
    parts = [split(row) for row in ROWS]
    assert [title for title, _ in parts if not title or title.split()[-1] != singular(title.split()[-1])] == []
    assert [action for _, action in parts if not re.match(r"\w[\w-]*s,? ", action)] == []


def test_nothing_outside_the_title_says_a_gender():
    assert [row["sentence"] for row in ROWS if CUE.search(split(row)[1])] == []


def test_no_other_pronoun_stands_for_anybody():
    other = re.compile(r"\b(it|its|itself|(some|any|every|no)(one|body)|I|my|me|you|your|we|our|us)\b")
    assert [row["sentence"] for row in ROWS if other.search(row["sentence"])] == []


def test_no_other_occupation_is_named():
    found = {row["sentence"]: named(split(row)[1], allowed=stems(row["occupation"])) for row in ROWS}
    assert {said: jobs for said, jobs in found.items() if jobs} == {}


def test_titled_is_the_gender_of_the_words_of_the_title():
    assert [row for row in ROWS if row["titled"] != carried(split(row)[0])] == []


def test_the_checks_find_what_they_look_for():
    assert CUE.findall("opens Her door to a salesman's wife") == ["Her", "salesman", "wife"]
    assert CUE.findall("reads a manuscript on hygiene, theory and human history") == []
    assert named("cooks for school psychologists", allowed=()) == {("cook",), ("school", "psychologist")}
    assert named("teaches dance", allowed=("dance",)) == set()
    assert carried("Air stewardess") == "female"
    assert carried("Waiter or waitress") == carried("Nurse") == ""


def test_every_cue_stands_in_one_place_in_small_letters():
    forms = [form for kinds in CUES.values() for forms in kinds.values() for form in forms]
    assert set(CUES) == {"female", "male", "neutral"}
    assert len(forms) == len(set(forms))
    assert all(form == form.lower().strip() and " " not in form for form in forms)
