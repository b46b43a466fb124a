"""The family of the memory study, for the entry point."""

from __future__ import annotations

from personae.memory.study import Memories
from personae.study.base import Family

FAMILY = Family(name="memory", title="Bias in long-term memory", studies=(Memories,))
