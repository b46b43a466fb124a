"""Fixtures of the tests of backends."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fault_server import FaultServer

# Test files are imported by path, so what they share has to be made importable by name.
for _name in ("fault_server", "raw_server"):
    if _name not in sys.modules:
        _spec = importlib.util.spec_from_file_location(_name, Path(__file__).with_name(f"{_name}.py"))
        assert _spec is not None
        assert _spec.loader is not None
        _module = importlib.util.module_from_spec(_spec)
        sys.modules[_name] = _module
        _spec.loader.exec_module(_module)


@pytest.fixture
async def server() -> AsyncIterator[FaultServer]:
    """A chat completions server that misbehaves as told."""
    from fault_server import FaultServer

    started = FaultServer()
    await started.start()
    yield started
    await started.stop()
