"""The command line: one file per group of verbs, no logic."""

from __future__ import annotations

from personae.cli import asking, generating, listing, making, repairing, results
from personae.cli.app import app, main

__all__ = ["app", "asking", "generating", "listing", "main", "making", "repairing", "results"]
