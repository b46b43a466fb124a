"""Figures, tables and the offline page."""

from personae.report.content import Content, Sample, StudySection
from personae.report.figures import draw, write_figures
from personae.report.page import write_page
from personae.report.tables import write_tables

__all__ = ["Content", "Sample", "StudySection", "draw", "write_figures", "write_page", "write_tables"]
