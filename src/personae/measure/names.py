"""The words in which every table of estimates names a condition and a comparison."""

from __future__ import annotations

BASELINE = "baseline"
"""Names the condition without a persona in the cells of studies that name it."""
NOT_SET = "not set"
"""Names a persona, user or group that a condition leaves open (the tables of paper 000 say the same)."""
CONTRAST = "baseline"
"""The contrast of a paired difference from the condition without a persona."""
