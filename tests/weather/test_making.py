"""A run's folder is made or not, and its files are old or new, whenever the process that writes them is killed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import personae
from personae.errors import BadInput
from personae.importing import import_answers
from personae.run import Run, create_run, open_run
from personae.spec import make_spec

pytestmark = pytest.mark.slow

KILLING = Path(__file__).with_name("killing.py")


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with its report."""
    out = tmp_path_factory.mktemp("asked") / "run"
    personae.audit("companions.emotion", model="sim/neutral", out=out).close()
    return out


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Files of a user's, and recorded answers."""
    folder = tmp_path / "source"
    (folder / "gpt").mkdir(parents=True)
    for name in ("personas.yaml", "occupations.csv"):
        (folder / name).write_text(name * 10, encoding="utf-8")
    rows = "".join(f'nurse,Yes/No,"Suppose you are a nurse, is {what} fine?",Yes\n' for what in ("it", "this", "that"))
    text = f"Role,Question Type,Question,Answer\n{rows}"
    for trial in (1, 2):
        (folder / "gpt" / f"gender_answers_{trial}.csv").write_text(text, encoding="utf-8")
    return folder


def killed(work: str, root: Path, source: Path, most: int) -> list[Path]:
    """The folders that were left by killing a process at its steps; the first one was left in peace."""
    root.mkdir()
    command = [sys.executable, str(KILLING), work, str(root), str(source), str(most)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return sorted((path for path in root.iterdir() if not path.suffix), key=lambda path: int(path.name))


def making(work: str) -> Callable[[Path, Path], Run]:
    def create(folder: Path, source: Path) -> Run:
        stimuli, personas = source / "occupations.csv", source / "personas.yaml"
        named: dict[str, Any] = {"studies": ["occupations.choice"], "models": ["sim/neutral"]}
        return create_run(folder, make_spec(**named, personas=personas, stimuli=stimuli))

    return create if work == "create" else lambda folder, source: import_answers("roleplay", source, folder)


@pytest.mark.parametrize("work", ["create", "import"])
def test_a_folder_whose_making_was_killed_is_a_whole_run_or_can_be_made(
    tmp_path: Path, source: Path, work: str
) -> None:
    peace, *folders = killed(work, tmp_path / "runs", source, 60)
    assert len(folders) > 12
    expected = content(peace)
    for folder in folders:
        if (folder / "spec.yaml").exists():
            assert content(folder) == expected
        else:
            with pytest.raises(BadInput, match="run folder"):
                open_run(folder)
            making(work)(folder, source).close()
            assert content(folder) == expected


def content(folder: Path) -> tuple[dict[str, bytes], int, int]:
    """What a run consists of: its files, its answers, its outcomes."""
    with open_run(folder) as run:
        counts = run.responses.height, run.outcomes.height
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    left = {name for name in map(str, names) if not name.startswith("run.")}
    return {name: (folder / name).read_bytes() for name in left}, *counts


def test_a_folder_with_anything_else_in_it_is_left_as_it_is(tmp_path: Path, source: Path) -> None:
    for place, name in enumerate(("run.db", "personas.yaml", "notes.txt", "stimuli/mine.csv")):
        folder = tmp_path / str(place)
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("mine", encoding="utf-8")
        for work in ("create", "import"):
            with pytest.raises(BadInput, match="output folder"):
                making(work)(folder, source)
        assert [path for path in folder.rglob("*") if path.is_file()] == [folder / name]
        assert (folder / name).read_text(encoding="utf-8") == "mine"


def test_an_import_that_fails_leaves_nothing_and_one_into_a_run_is_refused(tmp_path: Path, source: Path) -> None:
    out = tmp_path / "out"
    for path in (source / "gpt").iterdir():
        with path.open("a", encoding="utf-8") as file:
            file.write("nurse,What,Is it?,Yes\n")
    with pytest.raises(BadInput, match="Question Type"):
        import_answers("roleplay", source, out)
    assert {path.name for path in out.iterdir()} <= {"run.lock"}
    for path in (source / "gpt").iterdir():
        path.write_text(path.read_text(encoding="utf-8").replace(",What,", ",Yes/No,"), encoding="utf-8")
    import_answers("roleplay", source, out).close()
    before = content(out)
    with pytest.raises(BadInput, match="output folder"):
        import_answers("roleplay", source, out)
    assert content(out) == before


def test_a_killed_report_leaves_every_file_old_or_new_and_the_next_one_nothing_of_it(
    asked: Path, tmp_path: Path
) -> None:
    old = Path(shutil.copytree(asked, tmp_path / "old"))
    files = [path.relative_to(old) for part in ("figures", "tables") for path in (old / part).iterdir()]
    files.append(Path("report.html"))
    for file in files:
        (old / file).write_text("old", encoding="utf-8")
    peace, *folders = killed("report", tmp_path / "runs", old, 4)
    for folder in folders:
        for file in files:
            assert (folder / file).read_bytes() in (b"old", (peace / file).read_bytes()), file
    assert any(folder.rglob("*.part") for folder in folders)
    with open_run(folders[-1]) as run:
        run.report()
    assert not [*folders[-1].rglob("*.part")]
    assert all((folders[-1] / file).read_bytes() != b"old" for file in files)


def test_a_report_that_fails_late_leaves_the_former_one(
    asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(asked, tmp_path / "run"))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name[:4] != "run."}

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("personae.report.page.html", full)
    with open_run(folder) as run, pytest.raises(BadInput, match="No space left on device"):
        run.report()
    assert {path: path.read_bytes() for path in before} == before
    assert not [*folder.rglob("*.part")]
