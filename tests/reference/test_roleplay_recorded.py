"""The recorded answers of paper 001 give the published tables by the released rules; what the sound reading changes.

Which answers are read differently, and why, is told in ``docs/recorded-roleplay.md``; its numbers are checked here.
"""

import csv
import tarfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest

from personae.studies.roleplay.oracles import read_answer
from personae.studies.roleplay.paper import Kind, final_biased, paper_biased, paper_vote
from personae.studies.roleplay.recorded import ATTRIBUTES, read_recorded
from personae.studies.roleplay.votes import Decision, Vote, decide
from personae.study.base import Recorded

pytestmark = [pytest.mark.reference, pytest.mark.slow]

KINDS: dict[str, Kind] = {"Yes/No": "yesno", "Choice": "choice", "Why": "why"}
ROLE, LLAMA, PLAIN = "role/gpt4omini", "role/llama3_8b", "without_role/gpt4omini"
TREES = {ROLE: "table2", LLAMA: "table2", PLAIN: "table3"}
ROWS = {name: stem.capitalize() for stem, name in ATTRIBUTES.items()}


class Question(NamedTuple):
    """One recorded question, counted both ways; ``texts`` are what the released rule reads."""

    tree: str
    attribute: str
    kind: Kind
    stimulus: str
    texts: list[str | None]
    votes: list[Vote]
    paper: bool
    sound: Decision


def question(answers: Sequence[Recorded]) -> Question:
    item = answers[0].item
    finals = {one.trial.step.rpartition("/")[2]: one.response.text for one in answers if "judge" in one.trial.step}
    texts: list[str | None] = []
    votes = []
    for one in answers:
        step, _, trial = one.trial.step.rpartition("/")
        if step == "trial":
            text = finals.get(trial) if item.facts["kind"] == "why" else one.response.text
            texts.append(text)
            votes.append(read_answer(item.facts, one.response) or judged(text))
    tree = f"{'without_role' if item.condition.baseline else 'role'}/{answers[0].model}"
    kind = item.facts["kind"]
    biased = paper_biased(kind, texts)
    return Question(tree, item.facts["attribute"], kind, item.stimulus, texts, votes, biased, decide(votes))


def judged(final: str | None) -> Vote:
    if final is None:
        return Vote("unjudged")
    return Vote("biased" if final_biased(final) else "unbiased")


def grouped(path: Path) -> Iterator[Question]:
    for _, answers in groupby(read_recorded(path), key=lambda one: (one.model, one.item.id)):
        yield question(list(answers))


@pytest.fixture(scope="module")
def questions(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Question]:
    folder = tmp_path_factory.mktemp("biaslens")
    with tarfile.open(reference / "biaslens" / "biaslens-answers.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return list(grouped(folder))


def table(reference: Path, name: str) -> list[dict[str, str]]:
    with (reference / "biaslens" / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_every_model_has_every_question_in_three_trials(questions: list[Question]) -> None:
    assert Counter(one.tree for one in questions) == dict.fromkeys(TREES, 32_864)
    assert Counter(one.kind for one in questions if one.tree == ROLE) == {
        "yesno": 10_975,
        "choice": 10_917,
        "why": 10_972,
    }
    assert {len(one.texts) for one in questions} == {3}


def test_role_and_baseline_share_every_stimulus(questions: list[Question]) -> None:
    stimuli = [{one.stimulus for one in questions if one.tree == tree} for tree in TREES]
    assert all(len(found) == 32_864 for found in stimuli)
    assert stimuli[0] == stimuli[1] == stimuli[2]


@pytest.mark.parametrize(("tree", "name"), TREES.items())
def test_the_released_rules_give_the_published_counts(
    questions: list[Question], reference: Path, tree: str, name: str
) -> None:
    ours = Counter((ROWS[one.attribute], one.kind) for one in questions if one.tree == tree and one.paper)
    model = tree.rpartition("/")[2]
    published = {
        (row["Attribute"], kind): int(row[f"{model}_{column}"])
        for row in table(reference, name)
        for column, kind in KINDS.items()
    }
    totals = {kind: published.pop(("Total", kind)) for kind in KINDS.values()}
    assert len(published) == 33
    assert ours == published
    assert {kind: sum(count for (_, one), count in ours.items() if one == kind) for kind in totals} == totals


@pytest.mark.parametrize(
    ("tree", "column"),
    [(ROLE, "Yes/No"), (ROLE, "Choice"), (ROLE, "Wh"), (LLAMA, "Yes/No"), (LLAMA, "Wh")],
)
def test_the_released_rules_give_the_published_consistency(
    questions: list[Question], reference: Path, tree: str, column: str
) -> None:
    row = next(row for row in table(reference, "table5") if row["Model"] == tree.rpartition("/")[2])
    for name, share in consistency(questions, tree, column).items():
        # The published shares of a row add up to 100, so the last of them may be off by a tenth.
        assert share == pytest.approx(float(row[f"{column} {name}"].rstrip("%")), abs=0.101)


def test_one_published_consistency_does_not_come_out_of_the_released_rules(
    questions: list[Question], reference: Path
) -> None:
    row = next(row for row in table(reference, "table5") if row["Model"] == "llama3_8b")
    assert row["Choice Consistent"] == "91.2%"
    assert consistency(questions, LLAMA, "Choice")["Consistent"] == pytest.approx(89.9, abs=0.05)


def consistency(questions: list[Question], tree: str, column: str) -> dict[str, float]:
    """Percentages of questions with three equal votes, two biased and one biased, by the released rules."""
    kind = {"Wh": "why"}.get(column) or KINDS[column]
    counts = Counter(
        sum(paper_vote(one.kind, text) for text in one.texts)
        for one in questions
        if (one.tree, one.kind) == (tree, kind)
    )
    shares = {number: 100 * count / counts.total() for number, count in counts.items()}
    return {"Consistent": shares[0] + shares[3], "Two Biased": shares[2], "One Biased": shares[1]}


@pytest.mark.parametrize(
    ("tree", "kind", "changed"),
    [
        (ROLE, "yesno", {("unbiased", "invalid"): 1}),
        (ROLE, "choice", {("unbiased", "biased"): 77}),
        (ROLE, "why", {("unbiased", "invalid"): 2, ("unbiased", "refused"): 1}),
        (LLAMA, "yesno", {("unbiased", "refused"): 595, ("unbiased", "invalid"): 6}),
        (
            LLAMA,
            "choice",
            {
                ("unbiased", "biased"): 165,
                ("unbiased", "refused"): 24,
                ("unbiased", "invalid"): 13,
                ("biased", "invalid"): 2,
            },
        ),
        (
            LLAMA,
            "why",
            {
                ("unbiased", "refused"): 763,
                ("unbiased", "invalid"): 35,
                ("biased", "refused"): 4,
                ("biased", "invalid"): 2,
            },
        ),
        (PLAIN, "yesno", {}),
        (PLAIN, "choice", {("unbiased", "biased"): 53, ("biased", "invalid"): 1}),
        (PLAIN, "why", {("biased", "invalid"): 1}),
    ],
)
def test_verdicts_that_the_sound_reading_changes(
    questions: list[Question], tree: str, kind: str, changed: dict[tuple[str, str], int]
) -> None:
    found: Counter[tuple[str, str]] = Counter()
    for one in questions:
        if (one.tree, one.kind) == (tree, kind) and one.sound.biased is not one.paper:
            sound = {True: "biased", False: "unbiased", None: one.sound.status}[one.sound.biased]
            found["biased" if one.paper else "unbiased", sound] += 1
    assert found == changed


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        (
            "yesno",
            {
                ("unbiased", "refusal"): 1780,
                ("unbiased", "hedge"): 9,
                ("unbiased", "error"): 9,
                ("unbiased", "echo"): 7,
                ("unbiased", "none"): 3,
            },
        ),
        (
            "choice",
            {
                ("unbiased", "biased"): 927,
                ("unbiased", "refusal"): 124,
                ("unbiased", "echo"): 16,
                ("unbiased", "none"): 7,
                ("unbiased", "error"): 4,
                ("biased", "none"): 22,
                ("biased", "both"): 13,
                ("unbiased", "both"): 3,
            },
        ),
        ("why", {("unbiased", "refusal"): 2354, ("biased", "refusal"): 26, ("biased", "error"): 10}),
    ],
)
def test_answers_that_are_read_differently_by_reason(
    questions: list[Question], kind: str, changed: dict[tuple[str, str], int]
) -> None:
    found: Counter[tuple[str, str]] = Counter()
    for one in questions:
        if one.kind == kind:
            for text, vote in zip(one.texts, one.votes, strict=True):
                counted = paper_vote(one.kind, text)
                if vote.biased is not counted:
                    found["biased" if counted else "unbiased", vote.name] += 1
    assert found == changed


def test_the_final_verdict_on_an_answer_is_the_majority_of_its_three_judge_calls(
    reference: Path, tmp_path: Path
) -> None:
    with tarfile.open(reference / "biaslens" / "biaslens-answers.tar.xz") as archive:
        wanted = [member for member in archive.getmembers() if "llama3_8b/race_answers" in member.name]
        archive.extractall(tmp_path, wanted, filter="data")
    checked = 0
    for one in read_recorded(tmp_path):
        if "judge" in one.trial.step:
            place = one.item.facts["judged"].index(int(one.trial.step.rpartition("/")[2]))
            votes = one.item.facts["judge_votes"][place]
            assert final_biased(one.response.text) == (votes.count(1) >= 2)
            checked += 1
    assert checked == 3 * 980
