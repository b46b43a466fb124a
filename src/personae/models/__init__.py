"""Backends that can be asked, one file each."""
