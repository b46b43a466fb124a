"""People's verdicts and capability rankings that a user adds to a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

import personae
from personae.cli import app
from personae.errors import BadInput
from personae.report import write_tables
from personae.run import CAPABILITY, RATINGS, Run
from personae.studies.roleplay.added import read_capability, read_ratings


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    out = tmp_path_factory.mktemp("run") / "out"
    judged = personae.audit(
        "roleplay.why", model="sim/planted?bias=0.4", judges=["sim/judge?accuracy=0.9"], scale="quick", out=out
    )
    yield judged
    judged.close()


def score(run: Run, *arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["score", str(run.path), *map(str, arguments), "--json"])


def test_verdicts_of_people_correct_those_of_judges(run: Run, tmp_path: Path) -> None:
    sample = tmp_path / "people.csv"
    run.outcomes.select("item", biased=pl.col("value").cast(pl.Int64)).write_csv(sample)
    assert score(run, "--ratings", sample).exit_code == 0
    with personae.open_run(run.path) as again:
        overall = again.estimates.filter(pl.col("domain").is_null())
        found = {
            name: overall.filter(measure=name)["value"].to_list() for name in ("judge_sensitivity", "judge_specificity")
        }
        corrected = overall.filter(measure="biased_corrected")
    # The people here agree with every verdict: the judges are found right.
    assert found == {"judge_sensitivity": [1.0], "judge_specificity": [1.0]}
    assert corrected.height > 0
    assert (run.path / RATINGS).is_file()


def test_names_from_a_table_of_ours_are_those_of_the_run(run: Run, tmp_path: Path) -> None:
    """The table that a run writes for people has its formulas defused; what is added by it is about the same items."""
    names = {"=1+1": 1.0, "'=1+1": 2.0, "-x": 3.0, "local/m": 4.0}
    given = pl.DataFrame({"model": list(names), "capability": list(names.values())})
    write_tables({"capability": given}, tmp_path)
    assert "'=1+1,1.0" in (tmp_path / "capability.csv").read_text()
    assert read_capability(tmp_path / "capability.csv") == names
    write_tables({"ratings": given.select(item=pl.lit("@SUM(1)"), biased=1)}, tmp_path)
    assert set(read_ratings(tmp_path / "ratings.csv")["item"]) == {"@SUM(1)"}
    items = run.outcomes.select("item", biased=pl.col("value").cast(pl.Int64)).head(1)
    write_tables({"people": items}, tmp_path)
    assert "1 of 1 rows" in score(run, "--ratings", tmp_path / "people.csv").stderr


def test_what_cannot_be_used_is_named_and_not_kept(run: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("model,strength\nx,1\n")
    result = score(run, "--capability", bad)
    assert result.exit_code == 2
    assert "capability" in result.stderr
    assert not (run.path / CAPABILITY).exists()
    assert score(run).exit_code == 0


def test_how_many_rows_are_about_the_run_is_said(run: Run, tmp_path: Path) -> None:
    sample = tmp_path / "people.csv"
    known = run.outcomes.select("item", "model", biased=pl.lit("1")).head(3)
    strange = pl.DataFrame({"item": ["nowhere", known["item"][0]], "model": [known["model"][0], "sim/other"]})
    pl.concat([known, strange.with_columns(biased=pl.lit("0"))]).write_csv(sample)
    result = score(run, "--ratings", sample)
    assert result.exit_code == 0
    assert "--ratings: 3 of 5 rows name item and model of this run" in result.stderr


def test_rows_about_another_run_are_refused_and_not_kept(run: Run, tmp_path: Path) -> None:
    (run.path / RATINGS).unlink(missing_ok=True)
    sample = tmp_path / "other.csv"
    sample.write_text("item,model,biased\nnowhere,sim/other,1\n")
    result = score(run, "--ratings", sample)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "0 of 1 rows" in result.stderr
    sample.write_text("model,capability\nsim/other,1\n")
    assert "0 of 1 rows" in score(run, "--capability", sample).stderr
    assert not (run.path / RATINGS).exists()
    assert not (run.path / CAPABILITY).exists()


@pytest.mark.parametrize("option", ["--ratings", "--capability"])
def test_a_file_that_no_study_of_the_run_takes_is_refused(tmp_path: Path, option: str) -> None:
    sample = tmp_path / "people.csv"
    sample.write_text("item,biased,model,capability\na,1,b,2\n")
    with personae.audit("companions.sycophancy", model="sim/neutral", out=tmp_path / "run") as other:
        result = score(other, option, sample)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert f"{option}: found" in result.stderr
        assert "roleplay.yesno, roleplay.choice, roleplay.why" in result.stderr
        assert not {RATINGS, CAPABILITY} & {path.name for path in other.path.iterdir()}


@pytest.mark.parametrize(
    ("text", "said"), [("item,biased\na,maybe\n", "maybe"), ("item\na\n", "item, biased"), ("", "CSV")]
)
def test_ratings_are_noughts_and_ones(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "ratings.csv").write_text(text)
    with pytest.raises(BadInput, match=said):
        read_ratings(tmp_path / "ratings.csv")


def test_capability_is_a_number_for_each_model(tmp_path: Path) -> None:
    path = tmp_path / "capability.csv"
    path.write_text("model,capability\na,1\nb,2.5\n")
    assert read_capability(path) == {"a": 1.0, "b": 2.5}
    path.write_text("model,capability\na,strong\n")
    with pytest.raises(BadInput, match="strong"):
        read_capability(path)
