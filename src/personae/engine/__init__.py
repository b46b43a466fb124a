"""Durable asking: the store, the ask, the scheduler."""
