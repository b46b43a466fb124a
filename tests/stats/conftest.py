"""Examples of hypothesis are not timed: a busy computer must not fail a test of arithmetic."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
