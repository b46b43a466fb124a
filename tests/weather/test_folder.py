"""Somebody else's run folder is opened without harm: nothing in it is run, and no link in it is followed."""

from __future__ import annotations

import os
import pickle
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

import personae
from personae.cli import app
from personae.engine.keys import item_key
from personae.engine.schema import insert, row_sum
from personae.engine.store import Store
from personae.errors import BadInput
from personae.making import make_whole
from personae.run import Run, open_run
from personae.spec import make_spec
from personae.study.base import Settings, select
from personae.types import Condition, Item

pytestmark = pytest.mark.slow


def call(*arguments: object) -> Result:
    """A verb as a person would call it; anything but an exit is an error."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def refused(result: Result, *said: str) -> None:
    """One sentence and exit code 2."""
    assert result.exit_code == 2, (result.exit_code, result.output)
    assert result.stderr.count("\n") == 1
    for part in said:
        assert part in result.stderr


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with its report and an export."""
    out = tmp_path_factory.mktemp("asked") / "run"
    with personae.audit("companions.emotion", model="sim/neutral", out=out):
        assert call("export", out, "--to", "csv").exit_code == 0
    return out


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose answers are measured with encoders, without a report."""
    out = tmp_path_factory.mktemp("measured") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Run, "report", lambda self, path=None: self.path / "report.html")
        personae.audit("associations.personas", model="sim/neutral", repeats=1, out=out).close()
    return out


@pytest.fixture
def run(asked: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(asked, tmp_path / "run"))


@pytest.fixture
def theirs(measured: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(measured, tmp_path / "theirs"))


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What was run or connected to: nothing may be."""
    done: list[str] = []
    monkeypatch.setattr(subprocess, "Popen", lambda *given, **_: done.append(f"process {given}"))
    monkeypatch.setattr(os, "system", lambda command: done.append(f"command {command}"))
    monkeypatch.setattr(socket.socket, "connect", lambda _, where: done.append(f"connection {where}"))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *where, **_: done.append(f"name {where}"))
    yield done
    assert done == []


class Runs:
    """What runs a command when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.mark,)


def dangerous(folder: Path) -> dict[str, str]:
    """Encoders in the folder that would run code, each by the name a spec gives it."""
    loaded = pickle.dumps(Runs(folder / "ran"))
    for name in ("x.kv", "x.bin", "x.kv.vectors.npy"):
        (folder / name).write_bytes(loaded)
    (folder / "torch").mkdir()
    (folder / "torch" / "config.json").write_text('{"auto_map": {"AutoModel": "x.Model"}, "model_type": "x"}')
    (folder / "torch" / "pytorch_model.bin").write_bytes(loaded)
    (folder / "torch" / "x.py").write_text(f"open({str(folder / 'ran')!r}, 'w')")
    (folder / "hub").mkdir()
    (folder / "hub" / "saved_model.pb").write_bytes(loaded)
    names = ("static/{}/x.kv", "static/{}/x.bin", "contextual/{}/torch", "sentence/{}/torch", "sentence/tfhub:{}/hub")
    return {name.format(folder): said for name, said in zip(names, SAID, strict=True)}


SAID = ("gensim's KeyedVectors", "two counts", "--trust contextual/", "--trust sentence/", "--trust sentence/tfhub:")


def set_field(run: Path, **fields: object) -> None:
    """Change a folder's spec, as somebody would by hand, and what its store says of the same."""
    spec = yaml.safe_load((run / "spec.yaml").read_text(encoding="utf-8"))
    (run / "spec.yaml").write_text(yaml.safe_dump({**spec, **fields}), encoding="utf-8")
    connection = sqlite3.connect(run / "run.db")
    with connection:
        connection.execute("DELETE FROM meta WHERE key='encoders'")
    connection.close()


@pytest.mark.parametrize("place", range(5))
def test_no_verb_runs_what_a_folder_or_a_spec_file_names(theirs: Path, closed: list[str], place: int) -> None:
    name, said = list(dangerous(theirs).items())[place]
    set_field(theirs, encoders=[name])
    file = theirs / "spec.yaml"
    for verb in (["score", theirs], ["plan", "--spec", file], ["run", "--spec", file, "-o", theirs.parent / "new"]):
        refused(call(*verb), said)
    for verb in (["report", theirs], ["export", theirs, "--to", "csv"]):
        result = call(*verb)  # they load only what a figure or a measure needs
        assert result.exit_code == 0 or said in result.stderr
    assert not (theirs / "ran").exists()
    assert not (theirs.parent / "new").exists()


def test_what_the_store_says_of_encoders_is_trusted_no_more(theirs: Path) -> None:
    name = list(dangerous(theirs))[-1]
    connection = sqlite3.connect(theirs / "run.db")
    for value, said in ((f'["{name}"]', "--trust"), ("3", "note encoders"), ("[", "note encoders")):
        with connection:
            row = ("encoders", value)
            connection.execute(insert("meta"), (*row, row_sum(row)))
        refused(call("score", theirs), said)
    connection.close()


def test_a_user_who_trusts_what_a_folder_names_says_so(theirs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = list(dangerous(theirs))[-1]
    set_field(theirs, encoders=[name])
    seen: list[str] = []

    def loads(*_: object) -> None:
        seen.append("loaded")
        raise BadInput("encoder", name, "loaded")

    monkeypatch.setattr("personae.embedding.sentence.need", loads)
    for option in (["--trust", name], ["--encoder", name]):
        monkeypatch.setattr("personae.trusted._TRUSTED", set())
        refused(call("score", theirs, *option), "loaded")
    assert seen == ["loaded", "loaded"]


@pytest.mark.parametrize(
    "memory", ["vector?encoder=sentence/tfhub:{}/hub", "mem0?encoder=contextual/{}/torch", "letta"]
)
@pytest.mark.parametrize("imported", [False, True])
def test_a_memory_that_a_folder_names_runs_and_reaches_nothing_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: str, imported: bool
) -> None:
    out = tmp_path / "run"
    out.mkdir()
    dangerous(out)
    name = memory.format(out)
    source = "imported: memory" if imported else "asked"
    spec = make_spec(studies=["memory.episode"], models=["sim/neutral"], turns=1, memories=[name], source=source)
    if imported:
        spec = spec.model_copy(update={"memories": []})
        item = Item(study="memory.episode", id="x", stimulus="x", condition=Condition(), facts=facts(name))
        store = Store(out / "run.db")
        store.put_recorded("sim/neutral", item_key(item, 1), item)
        store.close()
    Store(out / "run.db").close()
    make_whole(out, spec)
    monkeypatch.setattr("personae.memory.backends.letta_http.build_opener", lambda *_: pytest.fail("a connection"))
    monkeypatch.setattr("personae.trusted._TRUSTED", set())

    result = call("score", out)
    if result.exit_code == 0:  # what one item raises is that item's outcome
        with open_run(out) as again:
            said = " ".join(again.outcomes["reason"].to_list())
    else:
        said = result.stderr
    # The items of an import say which memory they are about; one that searches nothing yet loads nothing.
    assert "--trust" in said or (imported and memory.startswith("vector"))
    assert not (out / "ran").exists()


def facts(memory: str) -> dict[str, Any]:
    study = select(["memory.episode"])[0](Settings(scale="quick"))
    return {**next(study.items()).facts, "memory": memory}


def test_nothing_in_the_package_loads_pickles_or_code_of_a_folder(root: Path) -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in (root / "src" / "personae").rglob("*.py")}
    calls = ("pickle.load", "allow_pickle=True", "joblib", "torch.load", "unsafe_load", '"trust_remote_code": True')
    assert [(name, call) for name, text in texts.items() for call in (*calls, "marshal") if call in text] == []
    assert [name for name, text in texts.items() if "import pickle" in text] == ["keyedvectors.py"]


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A file of the user's outside of the run."""
    path = tmp_path / "mine.txt"
    path.write_text("mine", encoding="utf-8")
    return path


WRITTEN = ["report.html", "tables/outcomes.csv", "tables/estimates.parquet", "figures", "tables", "export"]
WRITTEN += ["export/outcomes.csv", "ratings.csv"]


@pytest.mark.parametrize("name", WRITTEN)
def test_no_verb_writes_through_a_link(run: Path, mine: Path, tmp_path: Path, name: str) -> None:
    path = run / name
    folder = path.is_dir()
    if folder:
        shutil.rmtree(path)
        (tmp_path / "outside").mkdir()
    path.unlink(missing_ok=True) if not folder else None
    path.symlink_to(tmp_path / "outside" if folder else mine)

    results = [call("score", run), call("report", run), call("export", run, "--to", "csv")]

    assert mine.read_text(encoding="utf-8") == "mine"
    assert not folder or not any((tmp_path / "outside").iterdir())
    for result in results:
        assert result.exit_code == 0 or "remove the link" in result.stderr
    assert any(result.exit_code for result in results) or not path.is_symlink()


@pytest.mark.parametrize("verb", [["score"], ["report"], ["export", "--to", "csv"]])
@pytest.mark.parametrize("name", ["spec.yaml", "run.db", "run.db-wal", "ratings.csv"])
def test_no_verb_reads_through_a_link(run: Path, tmp_path: Path, name: str, verb: list[str]) -> None:
    moved = tmp_path / "moved"
    moved.write_bytes((run / name).read_bytes() if (run / name).exists() else b"")
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(moved)
    refused(call(verb[0], run, *verb[1:]), "remove the link", name)


@pytest.mark.parametrize("field", ["personas", "stimuli", "questions", "exported"])
@pytest.mark.parametrize(
    "named", ["../mine.txt", "{}/mine.txt", "link.txt", "folder/../../mine.txt", "pipe", "figures"]
)
def test_nothing_beyond_the_folder_is_read_by_name(
    run: Path, mine: Path, tmp_path: Path, field: str, named: str
) -> None:
    (run / "link.txt").symlink_to(mine)
    os.mkfifo(run / "pipe")
    set_field(run, **{field: named.format(tmp_path)})
    refused(call("report", run), "run folder")


@pytest.mark.parametrize("name", ["spec.yaml", "run.db", "run.lock"])
def test_a_pipe_in_a_folder_is_not_waited_for(run: Path, name: str) -> None:
    (run / name).unlink(missing_ok=True)
    os.mkfifo(run / name)
    refused(call("run", "companions.emotion", "-m", "sim/neutral", "-o", run), name, "a pipe")


def test_a_folder_that_is_itself_reached_by_a_link_is_a_folder(run: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(run)
    assert call("report", tmp_path / "link").exit_code == 0
    assert call("export", tmp_path / "link", "--to", "csv").exit_code == 0


def test_a_lock_that_is_a_link_is_not_taken(run: Path, mine: Path) -> None:
    (run / "run.lock").unlink(missing_ok=True)
    (run / "run.lock").symlink_to(mine)
    refused(call("run", "companions.emotion", "-m", "sim/neutral", "-o", run), "run.lock", "remove the link")
