"""Romantic companions (paper 000)."""
