"""A user's own table of occupations: what is read, and what is said of one that does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from personae.errors import BadInput
from personae.studies.occupations.generate import _table
from personae.studies.occupations.generate_names import Named
from personae.studies.occupations.stimuli import own_occupations


def read(tmp_path: Path, text: str):
    path = tmp_path / "mine.csv"
    path.write_text(text, encoding="utf-8")
    return own_occupations(path)


def test_columns_beside_occupation_and_sentence_are_references(tmp_path: Path):
    one, other = read(
        tmp_path,
        "# from here\noccupation,here,sentence,there\n cook ,0.4,Cook fries an egg.,\nwaitress,1,Waitress pours.,0\n",
    )
    assert (one.name, one.dataset, one.references) == ("cook", "mine", {"here": 0.4})
    assert other.references == {"here": 1.0, "there": 0.0}
    assert (one.titled, other.titled) == (None, "female")


def test_a_table_that_was_generated_reads_as_it_was_written(tmp_path: Path):
    names = (Named(occupation="=HYPERLINK(cook)", references={"@here": 0.4}), Named(occupation="+cook, -1"))
    written = {"=HYPERLINK(cook)": "=HYPERLINK(cook) fries an egg;=1.", "+cook, -1": "+Cook boils."}
    text = _table(names, written)
    assert text.splitlines()[1] == "'=HYPERLINK(cook),'=HYPERLINK(cook) fries an egg;'=1.,0.4"
    one, other = read(tmp_path, text)
    assert (one.name, one.sentence, one.references) == (
        names[0].occupation,
        written[names[0].occupation],
        {"@here": 0.4},
    )
    assert (other.name, other.sentence) == ("+cook, -1", "+Cook boils.")


def test_no_reference_is_needed(tmp_path: Path):
    (one,) = read(tmp_path, 'occupation,sentence\ncook,"Cook fries an egg, then another."\n')
    assert one.references == {}
    assert one.sentence == "Cook fries an egg, then another."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "columns: found 'nothing'"),
        ("occupation,rate\ncook,0.5\n", "columns: found 'occupation, rate'"),
        ("occupation,sentence,a,a\n", "each once"),
        ("occupation,sentence\n", "no occupation"),
        ("occupation,sentence,a\ncook,Cook fries.\n", "row 1: found '2 values'"),
        ("occupation,sentence,a\ncook,Cook fries.,1.2\n", "row 1, a: found '1.2'"),
        ("occupation,sentence,a\ncook,Cook fries.,half\n", "row 1, a: found 'half'"),
        ("occupation,sentence,a\ncook,Cook fries.,nan\n", "row 1, a: found 'nan'"),
        ("occupation,sentence\ncook,Cook fries.\nCook,Cook boils.\n", "row 2, occupation: found 'Cook'"),
        ("occupation,sentence\ncook,\n", "row 1, sentence"),
        ("occupation,sentence,half\ncook,Cook fries.,0.5\n", "column half"),
        ('occupation,sentence\ncook,"Cook\n', "CSV"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, text: str, said: str):
    with pytest.raises(BadInput) as error:
        read(tmp_path, text)
    assert said in str(error.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path):
    with pytest.raises(BadInput, match=r"nowhere\.csv"):
        own_occupations(tmp_path / "nowhere.csv")
    path = tmp_path / "latin.csv"
    path.write_bytes("occupation,sentence\ncafé,Café opens.\n".encode("latin-1"))
    with pytest.raises(BadInput, match="UTF-8"):
        own_occupations(path)
