"""Personas, pairing rules and wordings."""
