"""Decisions (paper 002): scores for people who differ in one attribute alone."""

from __future__ import annotations

from personae.studies.base import Family
from personae.studies.decisions.study import Scores

FAMILY = Family(name="decisions", title="Decisions about people", studies=(Scores,))
