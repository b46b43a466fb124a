"""Figures, tables and the offline page."""
