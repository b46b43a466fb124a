"""Run verbs as a person would, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from personae.cli import app

Personae = Callable[..., Result]


@pytest.fixture
def personae() -> Personae:
    """Call ``personae`` with arguments."""

    def call(*arguments: object) -> Result:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return call


@pytest.fixture
def data(personae: Personae) -> Callable[..., Any]:
    """Call ``personae … --json`` and read what it prints."""

    def call(*arguments: object) -> Any:
        result = personae(*arguments, "--json")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return call
