"""One run at a time asks into a folder, and nobody else is kept out of it."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from pathlib import Path

import pytest

import personae
from personae.engine.sitting import LOCK, Sitting
from personae.errors import BadInput, PersonaeError
from personae.models.simulated import SimulatedModel
from personae.run import open_run
from personae.types import Response, Trial


def test_a_second_sitting_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    with Sitting(tmp_path) as first, Sitting(tmp_path) as second:
        first.begin()
        first.begin()
        with pytest.raises(BadInput, match="another run is asking into this folder"):
            second.begin()
        first.end()
        second.begin()


def hold(folder: Path, held: multiprocessing.synchronize.Event) -> None:
    Sitting(folder).begin()
    held.set()
    signal.pause()


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    held = context.Event()
    other = context.Process(target=hold, args=(tmp_path, held))
    other.start()
    assert held.wait(600)
    with Sitting(tmp_path) as mine:
        with pytest.raises(BadInput, match="another run"):
            mine.begin()
        assert other.pid is not None
        os.kill(other.pid, signal.SIGKILL)
        other.join()
        mine.begin()


def test_a_folder_that_cannot_hold_a_lock_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="run folder"):
        Sitting(tmp_path / "nowhere").begin()


@pytest.mark.parametrize("how", ["removed", "replaced", "folder removed", "folder replaced", "link"])
def test_a_sitting_notices_that_its_lock_is_no_longer_the_one_in_the_folder(tmp_path: Path, how: str) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    with Sitting(folder) as sitting:
        sitting.check()
        sitting.begin()
        sitting.check()
        if how.startswith("folder"):
            folder.rename(tmp_path / "away")
        else:
            (folder / LOCK).rename(tmp_path / "away")
        if how == "folder replaced":
            folder.mkdir()
            (folder / LOCK).touch()
        elif how == "link":
            (folder / LOCK).symlink_to(tmp_path / "away")
        elif how == "replaced":
            Sitting(folder).begin()
        with pytest.raises(PersonaeError, match=r"run\.lock is (gone|no longer)"):
            sitting.check()


def test_while_a_run_asks_another_is_refused_and_changes_nothing_but_reading_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, seen = tmp_path / "run", []
    given = {"model": "sim/neutral", "out": out}
    answer = SimulatedModel.answer

    async def respond(self: SimulatedModel, trial: Trial) -> Response:
        if not seen:
            seen.append((out / "spec.yaml").read_bytes())
            with pytest.raises(BadInput, match="another run is asking into this folder"):
                await asyncio.to_thread(personae.audit, "companions.iat", **given, retries=1)
            assert (out / "spec.yaml").read_bytes() == seen[0]
            with open_run(out) as reading:
                assert reading.spec.models == ["sim/neutral"]
        return answer(self, trial)

    monkeypatch.setattr(SimulatedModel, "respond", respond)
    personae.audit("companions.iat", **given).close()
    assert seen
    personae.audit("companions.iat", **given, retries=1).close()
