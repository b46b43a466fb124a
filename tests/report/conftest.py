"""The demonstration page serves as the realistic content of the tests."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def demo() -> ModuleType:
    """The script beside this file, found as it finds its own second half: in its folder."""
    sys.path.insert(0, str(Path(__file__).parent))
    try:
        return import_module("demo")
    finally:
        sys.path.pop(0)
