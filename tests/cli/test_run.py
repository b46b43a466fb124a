"""From the command line to a page: run, resume, score, report, export."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import personae as package
from personae.run import open_run

Data = Callable[..., Any]
PROMISED = {
    "responses": ["key", "study", "model", "text"],
    "outcomes": ["key", "study", "status", "value", "reason"],
    "estimates": [
        "study",
        "measure",
        "model",
        "value",
        "ci_low",
        "ci_high",
        "p",
        "p_adjusted",
        "statistic",
        "df",
        "effect_size",
        "n",
        "coverage",
        "lower",
        "upper",
        "reason",
    ],
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "out"
    package.audit("companions", model="sim/planted?bias=0.4", scale="quick", out=out).close()
    return out


def test_a_run_leaves_what_the_design_promises(ran: Path) -> None:
    assert {path.name for path in ran.iterdir()} >= {"spec.yaml", "run.db", "report.html", "tables", "figures"}
    with open_run(ran) as run:
        for name, columns in PROMISED.items():
            frame = getattr(run, name)
            assert frame.height > 0
            assert set(columns) <= set(frame.columns)
        assert run.responses["key"].n_unique() == run.responses.height
        assert set(run.outcomes["study"]) == {"companions.iat", "companions.emotion", "companions.sycophancy"}


def test_every_estimate_says_how_sure_it_is_or_why_not(ran: Path) -> None:
    with open_run(ran) as run:
        frame = run.estimates
    unsure = frame.filter(pl.col("ci_low").is_null() & (pl.col("reason") == ""))
    assert unsure.height == 0, unsure.select("study", "measure", "value", "n").head(5)
    tested = frame.filter(pl.col("p").is_not_null())
    assert tested.height > 10
    assert (tested["p_adjusted"] >= tested["p"] - 1e-12).all()


def test_a_simulated_respondent_is_named_in_the_title(ran: Path) -> None:
    page = (ran / "report.html").read_text(encoding="utf-8")
    title = page.split("<title>")[1].split("</title>")[0]
    assert "simulated" in title.lower()


def test_running_again_asks_nothing(ran: Path) -> None:
    with open_run(ran) as run:
        before = run.responses
    package.audit("companions", model="sim/planted?bias=0.4", scale="quick", out=ran).close()
    with open_run(ran) as run:
        assert run.responses.equals(before)


@pytest.mark.slow
def test_scoring_again_gives_the_same_estimates(ran: Path, data: Data) -> None:
    with open_run(ran) as run:
        before = run.estimates
    data("score", ran)
    with open_run(ran) as run:
        assert run.estimates.equals(before)


@pytest.mark.slow
def test_score_prints_the_rows_of_the_table(ran: Path, data: Data) -> None:
    rows = data("score", ran)
    table = pl.read_parquet(ran / "tables" / "estimates.parquet")
    assert len(rows) == table.height
    assert list(rows[0]) == table.columns
    assert json.dumps(rows, allow_nan=False)


@pytest.mark.slow
def test_paper_scoring_is_remembered_and_taken_back(ran: Path, data: Data) -> None:
    data("score", ran, "--scoring", "paper")
    with open_run(ran) as run:
        assert run.spec.scoring == "paper"
        paper = run.estimates
    data("score", ran, "--scoring", "sound")
    with open_run(ran) as run:
        assert run.spec.scoring == "sound"
        assert not run.estimates.equals(paper)


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_exports_hold_every_row(ran: Path, data: Data, tmp_path: Path, form: str) -> None:
    files = data("export", ran, "--to", form, "--out", tmp_path)["files"]
    read = {
        "parquet": pl.read_parquet,
        "csv": lambda path: pl.read_csv(path, infer_schema_length=None),
        "jsonl": lambda path: pl.read_ndjson(path, infer_schema_length=None),
    }[form]
    with open_run(ran) as run:
        for file, frame in zip(files, (run.responses, run.outcomes, run.estimates), strict=True):
            assert read(file).height == frame.height


def test_studies_and_models_list_what_there_is(data: Data) -> None:
    rows = {row["study"]: row for row in data("studies")["studies"]}
    assert rows["companions.iat"]["items"]["paper"] == 2484
    assert "arXiv:2502.20231" in rows["companions.iat"]["source"]
    listed = data("models")
    names = [row["model"] for row in listed["models"]]
    assert "static/glove-50d" in [row["encoder"] for row in listed["encoders"]]
    assert "local/smollm2" in names
    assert "openai/<model>" in names


@pytest.mark.parametrize("columns", ["40", pytest.param("80", marks=pytest.mark.slow)])
def test_names_and_numbers_are_whole_in_a_narrow_window(
    personae: Callable[..., Any], data: Data, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    rows, listed = data("studies")["studies"], data("models")
    monkeypatch.setenv("COLUMNS", columns)
    said = personae("studies").stdout
    assert "…" not in said
    for row in rows:
        assert f" {row['study']} " in said
        assert f"{row['items']['paper']:,} " in said
        assert row["source"] in said
        assert "paper 0" not in row["source"]
    shown = personae("models").stdout
    for name in [row["model"] for row in listed["models"]] + [row["encoder"] for row in listed["encoders"]]:
        assert f" {name} " in shown


@pytest.mark.slow
def test_a_persona_file_of_ones_own_works_throughout(data: Data, tmp_path: Path) -> None:
    out = tmp_path / "run"
    friends = Path(__file__).parents[2] / "docs" / "examples" / "friends.yaml"
    summary = data("run", "companions", "-m", "sim/planted?bias=0.5", "--personas", friends, "-o", out)
    assert summary["outcomes"]["answered"] > 0
    with open_run(out) as run:
        groups = set(run.outcomes["persona_group"].drop_nulls())
        assert groups.isdisjoint({"female", "male"})
        assert run.estimates.filter(pl.col("persona").is_not_null()).height > 0
    friends_again = tmp_path / "moved.yaml"
    friends_again.write_text(friends.read_text())
    assert data("run", "companions", "-m", "sim/planted?bias=0.5", "--personas", friends_again, "-o", out)


def test_an_audit_runs_where_an_event_loop_is_running_already(tmp_path: Path) -> None:
    import asyncio

    async def notebook() -> int:
        with package.audit("companions.sycophancy", model="sim/neutral", scale="quick", out=tmp_path / "run") as run:
            return run.outcomes.height

    assert asyncio.run(notebook()) > 0
