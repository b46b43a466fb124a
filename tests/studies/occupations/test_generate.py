"""Sentences that a model writes for occupations: checked by rules, asked for again with the fault, never made up."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.errors import BadInput, ModelError
from personae.studies.occupations.generate import MOST_SHOWN, SentencesMaterial, SentencesSpec, prompts
from personae.studies.occupations.generate_check import LEAST, MOST, fault_of, grammar, openings, singular
from personae.studies.occupations.generate_names import Named, read_names
from personae.studies.occupations.stimuli import occupations, own_occupations, slug
from personae.types import Response

GOOD = {
    "surgeons": "Surgeon closes the wound with fine stitches.",
    "models, demonstrators, and product promoters": "Product promoter hands out samples at the entrance of a shop.",
    "U.S. marshals": "U.S. marshal brings prisoners to court.",
    "x-ray technicians": "X-ray technician asks the patient to hold still for the picture.",
    "policewomen": "Policewoman writes a report after a break-in.",
    "driver/sales workers": "Driver delivers bread to shops before dawn.",
    "Human resources managers": "Human resources manager interviews applicants for a vacancy.",
    "women's shoe makers": "Women's shoe maker sews soles onto leather uppers.",
    "chief of police": "Chief of police directs the officers of a whole city.",
}


@pytest.mark.parametrize(("title", "sentence"), GOOD.items())
def test_a_sentence_about_one_person_at_work_can_be_used(title, sentence):
    assert fault_of(sentence, title) is None


def test_the_sentences_of_the_study_pass_the_check_for_written_ones():
    faults = {(one.name, fault) for one in occupations() if (fault := fault_of(one.sentence, one.name))}
    # One of the study's own keeps both words of its title, since either alone would say a gender.
    assert {name for name, _ in faults} <= {"waiters and waitresses"}, faults


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Surgeon closes the wound. Then the nurse leaves.", "more than one sentence"),
        ("Surgeon closes the wound\nwith fine stitches.", "more than one sentence"),
        ("- Surgeon closes the wound with stitches.", "not plain text: '-'"),
        ("1. Surgeon closes the wound with stitches.", "more than one sentence"),
        ("2) Surgeon closes the wound with stitches.", "not plain text: '2)'"),
        ("**Surgeon** closes the wound with stitches.", "not plain text: '*'"),
        ("Surgeon: closes the wound with stitches.", "not plain text: ':'"),
        ("Surgeon - closes the wound with stitches.", "not plain text: '-'"),
        ("Surgeon closes the wound with fine stitches", "full stop"),
        ("Surgeon closes wounds.", "4 to 25 words: '3'"),
        (f"Surgeon closes {'very ' * 25}small wounds.", "4 to 25 words: '29'"),
        ("A surgeon closes the wound with stitches.", "does not begin with a word of the title: 'a'"),
        ("Doctor closes the wound with fine stitches.", "does not begin with a word of the title: 'doctor'"),
        ("... ... ... ....", "more than one sentence"),
        ("' ' ' '.", "does not begin with a word of the title: ''"),
        ("Surgeons close wounds with fine stitches.", "about one person, in the singular: 'surgeons'"),
        ("Surgeon is a doctor who closes wounds.", "what the person does, not with 'is a'"),
        ("Surgeon, after the operation, closes the wound.", "what the person does, not with ','"),
        ("Surgeon and nurse close the wound together.", "what the person does, not with 'and'"),
        ("Surgeon washes his hands before the operation.", "gives away a gender: 'his'"),
        ("Surgeon says that she’ll close the wound.", "gives away a gender: 'she'"),
        ("Surgeon calls a patient's mother after the operation.", "gives away a gender: 'mother'"),
        ("Surgeon cleans their hands before the operation.", "without this word: 'their'"),
    ],
)
def test_what_is_wrong_with_a_sentence_is_said(sentence, said):
    assert said in fault_of(sentence, "surgeons")


def test_a_word_that_says_a_gender_may_stand_in_the_title_alone():
    assert fault_of("Policewoman writes a report about a break-in.", "policewomen") is None
    assert "'policewoman'" in fault_of("Policewoman asks another policewoman to write the report.", "policewomen")


@given(sentence=st.text(max_size=60) | st.text("surgeon .,-'s\n", max_size=40), title=st.text(min_size=1, max_size=40))
def test_whatever_is_written_for_whatever_title_is_checked_without_an_error(sentence, title):
    assert fault_of(sentence, title) is None or fault_of(sentence, title)
    assert fault_of(sentence, "surgeons") is None or fault_of(sentence, "surgeons")
    grammar(title)


@pytest.mark.parametrize(
    ("title", "begun"),
    [
        ("surgeons", ["Surgeon"]),
        ("bakers and pastry cooks", ["Baker", "Pastry cook"]),
        ("first-line supervisors of mechanics", ["First-line supervisor", "Mechanic"]),
        ("models, demonstrators, and product promoters", ["Model", "Demonstrator", "Product promoter"]),
        ("policemen", ["Policeman"]),
        ("X-ray technician", ["X-ray technician"]),
        ("the other", ["The other"]),
    ],
)
def test_a_grammar_begins_with_the_parts_of_the_title_in_the_singular(title, begun):
    assert list(openings(title)) == begun
    root = grammar(title).splitlines()[0]
    assert all(f'"{opening}"' in root for opening in begun)


def test_the_rules_of_spelling_give_the_singular():
    for many, one in {"women": "woman", "CHILDREN": "Child", "bus": "bus", "boxes": "box", "ties": "tie"}.items():
        assert singular(many).casefold() == one.casefold()


def test_the_examples_are_good_sentences_about_none_of_the_studys_occupations():
    known = {slug(one.name) for one in occupations()} | {slug(f"{one.name}s") for one in occupations()}
    for example in prompts().examples:
        assert fault_of(example.sentence, example.title) is None
        assert slug(example.title) not in known


class Writer:
    """Writes what a function of title and call says."""

    def __init__(self, answer):
        self.answer, self.trials = answer, {}

    def __call__(self, title):
        async def ask(trial):
            asked = self.trials.setdefault(title, [])
            asked.append(trial)
            said = self.answer(title, len(asked))
            return said if isinstance(said, Response) else Response(text=said)

        return ask


def spec(*titles, **more):
    names = [Named(occupation=title) for title in titles]
    return SentencesSpec(family="occupations", model="fake/writer", names=names, **more)


async def write(writer, wanted, grammar=False):
    told = {}
    drafted = await SentencesMaterial().write(wanted, writer, grammar=grammar, told=told.__setitem__)
    return drafted, told


async def test_every_title_is_asked_for_once_where_its_sentence_is_good():
    writer = Writer(lambda title, _: GOOD[title])
    drafted, told = await write(writer, spec(*GOOD))
    assert (drafted.counts, drafted.short, drafted.faults) == ({"sentences": len(GOOD)}, {}, {})
    assert told == GOOD
    for title, (trial,) in writer.trials.items():
        assert trial.messages[0].role == "system"
        assert f"{LEAST} to {MOST} words" in trial.messages[0].content
        assert trial.messages[-1].content == f"Title: {title}"
        assert trial.grammar is None


async def test_what_could_not_be_used_is_named_and_asked_for_again():
    answers = ["Certainly! Surgeon operates.", Response(text="Surgeon cl", finish="length"), GOOD["surgeons"]]
    writer = Writer(lambda _, call: answers[call - 1])
    drafted, _ = await write(writer, spec("surgeons"))
    first, second, third = writer.trials["surgeons"]
    assert "could not be used" not in first.messages[-1].content
    assert "- 'Certainly! Surgeon operates.': it is more than one sentence" in second.messages[-1].content
    assert "- cut off at the token limit" in third.messages[-1].content
    assert len({trial.seed for trial in (first, second, third)}) == 3
    assert len({trial.step for trial in (first, second, third)}) == 3
    assert drafted.faults == {"it is more than one sentence": 1, "cut off at the token limit": 1}
    assert drafted.counts == {"sentences": 1}


async def test_what_stays_missing_is_said_and_not_made_up():
    def answer(title, call):
        return GOOD[title] if title == "surgeons" else f"I would rather not, for the {call}th time."

    writer = Writer(answer)
    drafted, told = await write(writer, spec("surgeons", "U.S. marshals", tries=MOST_SHOWN + 2))
    assert len(writer.trials["U.S. marshals"]) == MOST_SHOWN + 2
    assert writer.trials["U.S. marshals"][-1].messages[-1].content.count("rather not") == MOST_SHOWN
    assert list(drafted.short) == ["U.S. marshals"]
    assert "none after 7 asks; last: 'I would rather not, for the 7th time.'" in drafted.short["U.S. marshals"]
    assert drafted.text == f"occupation,sentence\nsurgeons,{GOOD['surgeons']}\n"
    assert told["U.S. marshals"] == "nothing that can be used"


async def test_quotation_marks_and_blanks_around_a_sentence_are_no_part_of_it():
    drafted, _ = await write(Writer(lambda *_: f" “{GOOD['surgeons']}”\n"), spec("surgeons"))
    assert drafted.text.splitlines()[1] == f"surgeons,{GOOD['surgeons']}"


async def test_a_model_that_takes_a_grammar_is_given_that_of_the_title():
    writer = Writer(lambda title, _: GOOD[title])
    await write(writer, spec(*GOOD), grammar=True)
    assert {title: trials[0].grammar for title, trials in writer.trials.items()} == {one: grammar(one) for one in GOOD}


async def test_a_model_that_fails_fails_the_whole_after_the_others_are_done():
    def answer(title, call):
        if title == "surgeons":
            raise ModelError("gone")
        return GOOD[title]

    writer = Writer(answer)
    with pytest.raises(ModelError, match="gone"):
        await write(writer, spec(*GOOD))
    assert len(writer.trials) == len(GOOD)


def names(tmp_path: Path, text: str, name: str = "jobs.txt") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_text_holds_one_title_a_line_whatever_commas_it_has(tmp_path):
    path = names(tmp_path, "\ufeff# mine\nsurgeons\n\n  models, demonstrators,  and product promoters \n")
    assert [one.occupation for one in read_names(path)] == ["surgeons", "models, demonstrators, and product promoters"]
    assert all(not one.references for one in read_names(path))


@pytest.mark.parametrize("name", ["jobs.csv", "jobs.txt"])
def test_a_table_holds_titles_and_references(tmp_path, name):
    path = names(tmp_path, 'mine,occupation,census\n0.25,surgeons,\n1,"bakers, pastry",0\n', name)
    assert read_names(path) == (
        Named(occupation="surgeons", references={"mine": 0.25, "census": None}),
        Named(occupation="bakers, pastry", references={"mine": 1.0, "census": 0.0}),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "--names: found .*at least one title"),
        ("# nothing\n\n", "at least one title"),
        ("surgeons\nSurgeons\n", "title 2: found 'Surgeons'; every occupation once"),
        ("surgeons\n42\n", "title 2: found '42'; a title in letters"),
        ("x" * 201, "at most 200"),
        ("occupation,mine\n", "at least one title below"),
        ("occupation,mine\nsurgeons,1.2\n", "row 1, mine: found '1.2'; a probability of female from 0 to 1, or blank"),
        ("occupation,mine\nsurgeons,nan\n", "row 1, mine: found 'nan'"),
        ("occupation,mine\nsurgeons,many\n", "row 1, mine: found 'many'"),
        ("occupation,mine\nsurgeons,-0.1\n", "row 1, mine: found '-0.1'"),
        ("occupation,mine\nsurgeons\n", "row 1: found '1 values'; 2, one for each"),
        ("occupation,mine\n,0.5\n", "title 1: found 'nothing'"),
        ("occupation,mine,mine\nsurgeons,1,1\n", "names for all columns, each once"),
        ("occupation,\nsurgeons,1\n", "names for all columns, each once"),
        ("occupation,half\nsurgeons,1\n", "column half: .*another name"),
        ("occupation,sentence\nsurgeons,x\n", "column sentence: .*are to be written"),
        ('occupation,mine\n"surgeons,1\n', "a CSV file"),
    ],
)
def test_a_file_that_does_not_fit_is_bad_input_in_one_sentence(tmp_path, text, said):
    with pytest.raises(BadInput, match=said):
        read_names(names(tmp_path, text))


def test_a_file_that_is_not_there_or_no_text_or_no_table_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match=r"--names: found .*absent\.txt.*a readable file"):
        read_names(tmp_path / "absent.txt")
    with pytest.raises(BadInput, match="columns: found 'job, share'; the column occupation"):
        read_names(names(tmp_path, "job,share\nsurgeons,1\n", "jobs.csv"))
    (tmp_path / "latin.txt").write_bytes("infirmière\n".encode("latin-1"))
    with pytest.raises(BadInput, match="UTF-8"):
        read_names(tmp_path / "latin.txt")


async def test_the_table_is_what_a_run_takes_with_the_references_as_given(tmp_path):
    models = "models, demonstrators, and product promoters"
    text = f'occupation,mine,census\nsurgeons,0.25,\n"{models}",,0.7\nU.S. marshals,1,0\n'
    wanted = SentencesSpec(family="occupations", model="fake/writer", names=names(tmp_path, text), tries=1)
    drafted, _ = await write(Writer(lambda title, _: GOOD[title] if title[0] != "U" else "No."), wanted)
    path = names(tmp_path, drafted.text, "occupations.csv")
    assert [(one.name, one.sentence, one.references) for one in own_occupations(path)] == [
        (title, GOOD[title], references)
        for title, references in [
            ("surgeons", {"mine": 0.25}),
            (models, {"census": 0.7}),
        ]
    ]
