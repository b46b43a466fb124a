"""What the whole suite shares: how hypothesis looks, where recorded material lies, what a missing part means."""

from __future__ import annotations

import os
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent


# What is found is tested, not how fast: a busy computer fails nothing. `searching` looks elsewhere each time and begins
# with what it found before; `steady`, of `make test`, tries the same few examples every time.
settings.register_profile("searching", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", settings.get_profile("searching"), derandomize=True, database=None, max_examples=10)
settings.load_profile("searching")


def reference_folder() -> Path | None:
    """The folder of recorded material: ``PERSONAE_REFERENCE``, else ``shared/reference`` beside the checkout."""
    named = os.environ.get("PERSONAE_REFERENCE")
    folder = Path(named) if named else ROOT.parent / "shared" / "reference"
    if named and not folder.is_dir():
        raise pytest.UsageError(f"PERSONAE_REFERENCE names {named}, which is no folder")
    return folder if folder.is_dir() else None


LONG = "PERSONAE_LONG"
"""Set in the environment to run what is marked ``long`` too; a second ``-m`` would take the place of a first."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked ``long`` unless it is wanted; skip ``reference`` where there is no recorded material."""
    if not os.environ.get(LONG):
        long = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if not item.get_closest_marker("long")]
    if reference_folder() is not None:
        return
    absent = pytest.mark.skip(reason="no recorded material: set PERSONAE_REFERENCE to its folder")
    for item in items:
        if item.get_closest_marker("reference"):
            item.add_marker(absent)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give a file that is marked with an ``xdist_group`` to one process: xdist 3.8 forgets it under pytest 9.2."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class ByFile(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return file if grouped(file) else str(super()._split_scope(nodeid))

    return ByFile(config, log)


@cache
def grouped(file: str) -> bool:
    """Whether all tests of a file share what one process makes for them."""
    return "pytest.mark.xdist_group(" in (ROOT / file).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder of recorded material; for tests marked ``reference``."""
    folder = reference_folder()
    if folder is None:
        pytest.skip("no recorded material")
    return folder


@pytest.fixture(scope="session")
def companions_recorded(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The released tree of the companions paper, unpacked once per test process."""
    folder = tmp_path_factory.mktemp("companions")
    with tarfile.open(reference / "companions" / "companions-recorded.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder
