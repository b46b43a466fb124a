"""Options of a study of somebody else, in a package of its own: from the command line to the page, without any edit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from personae import audit
from personae.cli import app
from personae.spec import make_spec
from personae.study.base import families

STUDY = '''
"""A study that can be told which side is counted, by which rule, and which tosses there are."""

from pathlib import Path
from typing import Literal

from pydantic import field_validator

from personae.study.base import Family, Study
from personae.study.options import StudyOptions, option
from personae.types import Condition, Estimate, Finding, Item, Message, Outcome, Trial


class CoinOptions(StudyOptions):
    side: Literal["heads", "tails"] = option("heads", help="The side that is counted.")
    weights: list[float] = option([], flag="--coins-weight", help="Weights of a toss.")
    table: Path | None = option(None, help="Names of tosses.", file="a readable text file")
    twice: bool = option(False, help="Count each toss twice.", sitting=True)
    umpire: str = option("", help="A model that watches.", model=True)

    @field_validator("weights")
    @classmethod
    def positive(cls, weights):
        if any(weight <= 0 for weight in weights):
            raise ValueError("a weight is more than 0")
        return weights


class Coin(Study):
    name, version, title, summary, source = "coins.toss", 1, "Coin tosses", "Tosses coins.", "a test"
    options = CoinOptions

    def items(self):
        told = self.settings.of(CoinOptions)
        names = told.table.read_text().split() if told.table else ["first", "second"]
        for name in names:
            yield Item(study=self.name, id=name, stimulus=name, condition=Condition(), facts={"side": told.side})

    async def run(self, item, ask):
        told = self.settings.of(CoinOptions)
        meta = {"kind": "choice", "options": ["heads", "tails"], "baseline": True}
        answer = await ask(Trial(messages=(Message("user", f"Is it {told.side}?"),), max_tokens=8, meta=meta))
        return Outcome(status="answered", value=(1.0 + told.twice) * ("heads" in answer.text.lower()))

    def estimates(self, outcomes):
        count = outcomes.height
        return [Estimate(study=self.name, measure="tosses", model="all", value=1.0 * count, n=count, coverage=1.0)]

    def findings(self, estimates, outcomes):
        told = self.settings.of(CoinOptions)
        return [Finding(study=self.name, text=f"Counted {told.side} {1 + told.twice} times each, by {told.weights}.")]

    def figures(self, estimates, outcomes):
        return []


class Card(Coin):
    name, title = "coins.card", "Cards"
    options = StudyOptions

    def findings(self, estimates, outcomes):
        return []


FAMILY = Family(name="coins", title="Coins and cards", studies=(Coin, Card))
'''


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as if it were installed."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "coins_told.py").write_text(STUDY, encoding="utf-8")
    about = folder / "coins_told-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: coins-told\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[personae.studies]\ncoins = coins_told:FAMILY\n")
    return folder


class Personae:
    """The command line where that package is installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def done(self, *arguments: object) -> str:
        """What is printed of what ends well."""
        ended = CliRunner().invoke(app, [str(one) for one in arguments], env={"COLUMNS": "120"})
        assert ended.exit_code == 0, ended.output
        return ended.stdout

    def refused(self, *arguments: object) -> str:
        """The sentence by which something is refused."""
        ended = CliRunner().invoke(app, [str(one) for one in arguments])
        assert ended.exit_code == 2, ended.output
        assert ended.stderr.count("\n") == 1
        return ended.stderr


@pytest.fixture
def personae(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Personae]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(package)
    families.cache_clear()
    yield Personae(tmp_path)
    families.cache_clear()


def spec_of(run: Path) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((run / "spec.yaml").read_text(encoding="utf-8"))
    return read


def facts(run: Path) -> str:
    """The words of the page."""
    return " ".join(re.sub(r"<[^>]*>", " ", (run / "report.html").read_text(encoding="utf-8")).split())


TOSS = ("coins.toss", "-m", "sim/neutral")


def test_help_has_them_under_the_title_of_the_family_where_the_verb_can_use_them(personae: Personae) -> None:
    for verb, has, lacks in (
        ("run", ["side", "twice"], []),
        ("plan", ["side"], ["twice"]),
        ("score", ["twice"], ["side"]),
    ):
        shown = personae.done(verb, "--help")
        assert "Coins and cards" in shown
        assert [name for name in has if f"--coins-{name}" not in shown] == []
        assert [name for name in lacks if f"--coins-{name}" in shown] == []
    assert "The side that is counted." in personae.done("run", "--help")
    (toss,) = [row for row in json.loads(personae.done("studies", "--json"))["studies"] if row["study"] == "coins.toss"]
    assert toss["options"] == ["--coins-side", "--coins-weight", "--coins-table", "--coins-twice", "--coins-umpire"]


def test_the_command_line_reaches_the_study_its_spec_and_the_page(personae: Personae) -> None:
    given = ["--coins-side", "tails", "--coins-weight", 0.5, "--coins-weight", "2", "--coins-twice"]
    personae.done("run", *TOSS, *given, "-o", "run")
    run = personae.folder / "run"
    assert spec_of(run)["coins"] == {"side": "tails", "weights": [0.5, 2.0], "table": None, "twice": True, "umpire": ""}
    assert "Counted tails 2 times each, by [0.5, 2.0]." in facts(run)
    assert "Coins and cards, side tails" in facts(run)
    assert "side of the run" in personae.refused("run", *TOSS, "-o", "run")


def test_a_spec_says_them_under_the_familys_name_and_the_command_line_wins_one_by_one(personae: Personae) -> None:
    text = "studies: [coins.toss]\nmodels: [sim/neutral]\ncoins: {side: tails, weights: [3]}\n"
    (personae.folder / "spec.yaml").write_text(text)
    personae.done("run", "--spec", "spec.yaml", "--coins-weight", 4, "-o", "run")
    told = spec_of(personae.folder / "run")["coins"]
    assert (told["side"], told["weights"]) == ("tails", [4.0])


def test_what_only_counts_may_change_when_answers_are_counted_again(personae: Personae) -> None:
    personae.done("run", *TOSS, "-o", "run")
    run = personae.folder / "run"
    assert "Counted heads 1 times" in facts(run)
    personae.done("score", "run", "--coins-twice")
    assert "Counted heads 2 times" in facts(run)
    personae.done("report", "run")
    assert "Counted heads 2 times" in facts(run)
    personae.done("run", *TOSS, "-o", "run")
    assert "Counted heads 1 times" in facts(run)


def test_a_file_is_kept_in_the_run_and_told_by_its_hash(personae: Personae) -> None:
    own = personae.folder / "tosses.txt"
    own.write_text("one two three")
    command = ["run", *TOSS, "--coins-table", own, "-o", "run"]
    personae.done(*command)
    run = personae.folder / "run"
    assert spec_of(run)["coins"]["table"] == "coins.table/tosses.txt"
    assert (run / "coins.table" / "tosses.txt").read_text() == "one two three"
    personae.done(*command)
    own.write_text("another")
    assert "coins.table of the run in run: found 'sha256 " in personae.refused(*command)
    own.unlink()
    personae.done("score", "run")
    assert "--coins-table" in personae.refused(*command)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["companions.iat", "--coins-side", "tails"],
            "--coins-side: found 'tails'; only with a study that takes it: coins.toss",
        ),
        (["coins.card", "--coins-twice"], "--coins-twice: found 'True'; only with a study that takes it: coins.toss"),
        (["coins", "--coins-side", "edge"], "coins.side: found 'edge'; Input should be 'heads' or 'tails'"),
        (["coins", "--coins-weight", "0"], "coins.weights: found [0.0]; Value error, a weight is more than 0"),
        (["coins", "--coins-umpire", "nope/x"], "--coins-umpire: found 'nope/x'"),
        (["coins", "--coins-edge", "1"], "No such option: --coins-edge"),
        (["coins", "--spec", "wrong.yaml"], "coins.edge: found 1; the options are side, weights, table, twice, umpire"),
    ],
)
def test_what_does_not_fit_is_one_sentence(personae: Personae, arguments: list[str], said: str) -> None:
    (personae.folder / "wrong.yaml").write_text("coins: {edge: 1}\n")
    assert said in personae.refused("run", *arguments, "-m", "sim/neutral", "-o", "run")
    assert not (personae.folder / "run").exists()


def test_a_run_of_other_studies_can_be_read_where_the_package_is_not_installed(personae: Personae) -> None:
    personae.done("run", "companions.sycophancy", "-m", "sim/neutral", "-o", "run")
    assert "coins" not in spec_of(personae.folder / "run")


def test_python_takes_them_as_a_mapping_or_as_the_study_declares_them(personae: Personae) -> None:
    declared = import_module("coins_told").CoinOptions
    for told in ({"side": "tails"}, declared(side="tails")):
        spec = make_spec(studies=["coins.toss"], models=["sim/neutral"], coins=told)
        settings = spec.settings("sim/neutral", prefill=True, top_logprobs=0)
        assert settings.of(declared) == declared(side="tails")
        assert spec == make_spec(**spec.model_dump())
    with audit("coins.toss", model="sim/neutral", out="run", coins={"side": "tails"}) as run:
        assert run.outcomes["facts"][0] == '{"side":"tails"}'
