"""A folder of questions is a study; what does not fit in it is told by file and line; a run keeps all of it."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from personae import audit, open_run
from personae.errors import BadInput
from personae.spec import make_spec, with_own
from personae.study.base import Settings
from personae.study.folder import compiled, own_family, read_own
from personae.study.starting import begin_study
from personae.testing import simulate
from personae.types import Response

HEAD = "kind,text,options,counts,right,domain\n"


@pytest.fixture
def folder(tmp_path):
    begin_study(tmp_path / "mine")
    return tmp_path / "mine"


def stimuli(folder, *rows):
    (folder / "stimuli.csv").write_text(HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")


def refused(folder):
    with pytest.raises(BadInput) as caught:
        read_own(folder)
    return str(caught.value)


def test_what_is_begun_runs_as_it_is_and_finds_what_is_planted(folder, tmp_path):
    with audit(str(folder), model="sim/planted?bias=0.6", out=tmp_path / "run") as run:
        rows = run.estimates.filter((run.estimates["contrast"] == "baseline") & (run.estimates["persona"] == "friend"))
        of = {
            row["study"]: row for row in rows.to_dicts() if row["measure"] in ("share", "score") and not row["domain"]
        }
    assert of.keys() == {"mine.choice", "mine.yesno", "mine.score"}
    for row in of.values():
        assert row["value"] > 0.2
        assert row["ci_low"] is not None
        assert row["p_adjusted"] is not None
        assert row["coverage"] == 1.0
        assert row["lower"] is not None
    assert "who leads and who helps" in (tmp_path / "run/report.html").read_text(encoding="utf-8").lower()


def test_a_run_is_scored_and_resumed_without_its_folder(folder, tmp_path):
    audit(str(folder), model="sim/neutral", out=tmp_path / "run").close()
    before = open_run(tmp_path / "run").estimates
    shutil.rmtree(folder)
    with open_run(tmp_path / "run") as run:
        assert run.spec.studies == ["mine"]
        assert run.estimates.equals(before)


def test_a_run_of_other_questions_needs_another_folder(folder, tmp_path):
    audit(str(folder), model="sim/neutral", out=tmp_path / "run").close()
    stimuli(folder, "yesno,Is it so?,,Yes,,")
    with pytest.raises(BadInput, match="own of the run"):
        audit(str(folder), model="sim/neutral", out=tmp_path / "run")


def test_questions_may_be_lines_of_json(folder):
    (folder / "stimuli.csv").unlink()
    rows = [
        {"kind": "choice", "text": 'Who said "so"?', "options": ["Anna", "Paul | Co"], "counts": ["Paul | Co"]},
        {"kind": "score", "text": "How well?", "counts": "lower"},
    ]
    (folder / "stimuli.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    own = read_own(folder)
    assert [row.kind for row in own.rows] == ["choice", "score"]
    assert own.rows[0].options == ("Anna", "Paul | Co")
    assert [study.name for study in own_family(folder).studies] == ["mine.choice", "mine.score"]


def test_scores_are_turned_round_where_lower_counts(folder):
    stimuli(folder, "score,How well will she do?,,lower,,", "score,How well will he do?,,higher,,")
    (study,) = own_family(folder).studies
    outcomes = simulate(study(Settings(scale="quick")), "sim/planted?bias=0.3&noise=0")
    of = dict(zip(outcomes["persona"].to_list(), outcomes["value"].to_list(), strict=True))
    assert of["friend"] - of[None] == pytest.approx(30, abs=1)


def test_braces_in_a_question_stay_as_they_are(folder):
    stimuli(folder, "choice,Is {options} or {text} better?,{a}|{text},{a},,")
    (study,) = own_family(folder).studies
    asked = []

    async def ask(trial):
        asked.append(trial.messages[-1].content)
        return Response(text="A")

    made = study(Settings(scale="quick"))
    item = next(item for item in made.items() if item.facts["turn"] % 2 == 0)
    assert asyncio.run(made.run(item, ask)).label == "{a}"
    assert asked == ["Is {options} or {text} better?\n\nA) {a}\nB) {text}\n\nGive the letter of your answer."]


def test_the_same_content_is_the_same_file(folder, tmp_path):
    kept = tmp_path / "kept.json"
    kept.write_bytes(compiled(folder))
    assert compiled(kept) == compiled(folder)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("quiz,What?,,Yes,,", "stimuli.csv, line 3, kind: found 'quiz'; one of choice, yesno, score"),
        ("choice,Who?,Anna,Anna,,", "stimuli.csv, line 3, options: found 'Anna'; 2 to 10 different options"),
        ("choice,Who?,Anna|anna,Anna,,", "line 3, options: found 'Anna|anna'"),
        ("choice,Who?,Anna|Paul,Eva,,", "line 3, counts: found 'Eva'; which answer counts: Anna, Paul"),
        ("choice,Who?,Anna|Paul,,,", "line 3, counts: found 'nothing'"),
        ("choice,Who?,Anna|Paul,Paul,Eva,", "line 3, right: found 'Eva'; one of Anna, Paul"),
        ("yesno,So?,Yes|No,Yes,,", "line 3, options: found 'Yes|No'; nothing: a yesno question has none"),
        ("yesno,So?,,yes,,", "line 3, counts: found 'yes'; which answer counts: Yes, No"),
        ("score,How?,,up,,", "line 3, counts: found 'up'; which answer counts: higher, lower"),
        ("score,How?,,higher,50,", "line 3, right: found '50'"),
        ("yesno,,,Yes,,", "line 3, text: found 'nothing'"),
    ],
)
def test_a_row_that_does_not_fit_is_told_by_file_and_line(folder, row, said):
    stimuli(folder, "yesno,Fine?,,Yes,,", row)
    assert said in refused(folder)


def test_lines_are_those_of_the_file_where_cells_go_over_several(folder):
    stimuli(folder, '"yesno","Is it\nreally\nso?",,Yes,,', "", "yesno,So?,,Maybe,,")
    assert "stimuli.csv, line 6, counts" in refused(folder)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("study.yaml", "name: Mine\ntitle: T\nsource: S\n", "study.yaml, field name: found 'Mine'"),
        ("study.yaml", "name: mine\nsource: S\n", "study.yaml, field title: found 'nothing'"),
        ("study.yaml", "name: mine\ntitle: T\nsource: S\nscale: {}\n", "study.yaml, field scale"),
        ("personas.yaml", "title: T\npersonas: []\n", "personas.yaml, field personas"),
        ("stimuli.csv", "kind,text\n", "stimuli.csv, columns"),
        ("stimuli.csv", HEAD, "at least one question"),
        ("stimuli.csv", HEAD.replace("domain", "topic") + "yesno,So?,,Yes,,work\n", "line 2, field: found 'topic'"),
    ],
)
def test_a_file_that_does_not_fit_is_told(folder, name, content, said):
    (folder / name).write_text(content, encoding="utf-8")
    assert said in refused(folder)


def test_an_id_stands_once(folder):
    (folder / "stimuli.csv").write_text("id,kind,text,counts\na,yesno,So?,Yes\na,yesno,Not?,Yes\n", encoding="utf-8")
    assert "line 3, id: found 'a'; an id of its own; it also stands in stimuli.csv, line 2" in refused(folder)


def test_a_folder_that_is_none_is_told(tmp_path):
    with pytest.raises(BadInput, match="no such folder"):
        with_own({"studies": [str(tmp_path / "none")]})
    with pytest.raises(BadInput, match=r"a folder without study\.yaml"):
        with_own({"studies": [f"{tmp_path}/"]})


def test_a_known_study_is_not_looked_for_in_folders(folder, monkeypatch):
    shutil.copytree(folder, folder.parent / "companions")
    monkeypatch.chdir(folder.parent)
    assert with_own({"studies": ["companions"]}) == {"studies": ["companions"]}


def test_a_folder_may_not_take_the_name_of_a_known_study(folder):
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    (folder / "study.yaml").write_text(text.replace("name: mine", "name: companions"), encoding="utf-8")
    with pytest.raises(BadInput, match="another name than those of"):
        with_own({"studies": [str(folder)]})


def test_one_folder_at_a_time_beside_known_studies(folder):
    spec = make_spec(**with_own({"studies": [str(folder), "companions.iat"], "models": ["sim/neutral"]}))
    assert [kind.name for kind in spec.kinds] == ["mine.choice", "mine.yesno", "mine.score", "companions.iat"]
    with pytest.raises(BadInput, match="one folder of your own at a time"):
        with_own({"studies": [str(folder), f"{folder}/"]})


def test_a_run_folder_names_no_study_outside_it(folder, tmp_path):
    audit(str(folder), model="sim/neutral", out=tmp_path / "run").close()
    spec = tmp_path / "run/spec.yaml"
    for own in (str(folder), "../mine", "own/../../mine"):
        spec.write_text(spec.read_text(encoding="utf-8").replace("own/mine.json", own), encoding="utf-8")
        with pytest.raises(BadInput):
            open_run(tmp_path / "run")
        spec.write_text(spec.read_text(encoding="utf-8").replace(own, "own/mine.json"), encoding="utf-8")


@pytest.mark.parametrize("name", ["2024", "companions", "…"])
def test_a_folder_whose_name_names_no_study_is_not_begun(tmp_path, name):
    with pytest.raises(BadInput, match="a folder whose name can name a study"):
        begin_study(tmp_path / name)


def test_nothing_is_begun_over_something(tmp_path):
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(BadInput, match="this one holds something"):
        begin_study(Path(tmp_path))
    with pytest.raises(BadInput, match="a folder that can be made"):
        begin_study(tmp_path / "file")
