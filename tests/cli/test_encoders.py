"""``--encoder``: whose vectors are measured, in a run and when its answers are counted again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import Result

from personae.run import Run, open_run
from personae.spec import make_spec
from personae.studies.associations.options import AssociationsOptions
from personae.studies.associations.stimuli import prompts

Personae = Callable[..., Result]
WORDS = sorted({word for prompt in prompts().values() for words in prompt.attributes for word in words[1]})


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """Word vectors of one's own: the attributes but the first, each a direction of its own, and no other word."""
    file = tmp_path / "mine.txt"
    rows = [[str(int(at == place)) for at in range(len(WORDS))] for place in range(len(WORDS))]
    lines = [f"{word} {' '.join(row)}" for word, row in zip(WORDS, rows, strict=True)]
    file.write_text("\n".join(lines[1:]) + "\n", encoding="utf-8")
    return file


def spec(**given: Any) -> Any:
    return make_spec(studies=["associations"], models=["sim/neutral"], **given)


def test_encoders_are_part_of_the_spec_and_not_of_what_is_asked() -> None:
    one = spec(encoders=["static/a.txt"])
    assert make_spec(**yaml.safe_load(yaml.safe_dump(one.model_dump(mode="json")))) == one
    assert one.identity() == spec().identity()
    told = one.settings("sim/neutral", prefill=True, top_logprobs=20).of(AssociationsOptions)
    assert told.encoders == ["static/a.txt"]


@pytest.mark.parametrize(
    ("study", "encoders", "said"),
    [
        ("companions.emotion", ["static/glove-50d"], ["--encoder", "associations.answers", "associations.personas"]),
        ("associations.personas", ["word2vec"], ["--encoder", "'word2vec'", "static/", "contextual/", "sentence/"]),
        ("associations.personas", ["static/glove-50d", "static/a.txt"], ["--encoder", "one static encoder"]),
        ("associations.answers", ["parser/en-core-web-sm"], ["--encoder", "parser/en-core-web-sm"]),
    ],
)
def test_an_encoder_that_cannot_be_is_named_and_nothing_is_begun(
    personae: Personae, tmp_path: Path, study: str, encoders: list[str], said: list[str]
) -> None:
    options = [part for encoder in encoders for part in ("--encoder", encoder)]
    result = personae("run", study, "-m", "sim/neutral", *options, "-o", tmp_path / "run")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    for part in said:
        assert part in result.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("encoder", "said"),
    [("static/nowhere.txt", "nowhere.txt"), ("contextual/nowhere", "nowhere"), ("sentence/unheard", "use-small")],
)
def test_weights_that_are_not_there_are_named(
    personae: Personae, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = personae("run", "associations.personas", "-m", "sim/neutral", "--encoder", encoder, "-o", "run")
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "run").exists()


def measured(run: Path) -> dict[str, list[float]]:
    """Each metric of every answer."""
    with open_run(run) as opened:
        frame = opened.outcomes.sort("key")
    details = [json.loads(detail) for detail in frame["detail"]]
    return {metric: [one["metrics"][metric] for one in details] for metric in ("CEAT", "I-WEAT", "I-SEAT")}


def missing(run: Path, metric: str) -> set[str]:
    with open_run(run) as opened:
        return {word for one in opened.outcomes["detail"] for word in json.loads(one)["missing"].get(metric, [])}


@pytest.mark.slow
def test_another_encoder_changes_its_own_metric_alone_and_asks_nothing(
    personae: Personae, data: Callable[..., Any], tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Run, "report", lambda self, path=None: self.path / "report.html")  # not what is tested
    run = tmp_path / "run"
    asked = ["run", "associations.personas", "-m", "sim/planted?bias=0.4", "--repeats", "1", "-o", run]
    data(*asked)
    before = measured(run)
    stored = (run / "run.db").stat().st_ino, len(open_run(run).responses)

    data("score", run, "--encoder", f"static/{vectors}")
    after = measured(run)
    assert after["CEAT"] == before["CEAT"]
    assert after["I-SEAT"] == before["I-SEAT"]
    assert after["I-WEAT"] != before["I-WEAT"]
    assert WORDS[0] in missing(run, "I-WEAT")
    assert not missing(run, "CEAT")
    assert open_run(run).spec.model_dump()["encoders"] == [f"static/{vectors}"]

    assert personae("score", run, "--encoder", "static/nowhere.txt").exit_code == 2
    assert measured(run) == after
    data(*asked)
    assert measured(run) == before
    assert ((run / "run.db").stat().st_ino, len(open_run(run).responses)) == stored
