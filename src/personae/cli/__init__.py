"""The command line: one file per group of verbs, no logic."""

from __future__ import annotations

from personae.cli.app import app, main

__all__ = ["app", "main"]
