"""Decisions (paper 002): scores for people who differ in one attribute alone."""

from __future__ import annotations

from personae.studies.decisions.study import Scores
from personae.study.base import Family

FAMILY = Family(name="decisions", title="Decisions about people", studies=(Scores,))
