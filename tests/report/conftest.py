"""The demonstration page serves as the realistic content of the tests."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def demo() -> ModuleType:
    found = importlib.util.spec_from_file_location("report_demo", Path(__file__).parent / "demo.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module
