"""Chance that depends on nothing but names: the same seed gives the same draws on every computer."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def number(*parts: object) -> int:
    """A whole number from 0 to 2**64 - 1 that depends on the parts alone, as they read in words."""
    return int.from_bytes(blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest(), "big")


def uniform(*parts: object) -> float:
    """A number from 0 up to but not including 1."""
    return (number(*parts) >> 11) / 2**53


def shuffled(items: Iterable[T], *parts: object) -> list[T]:
    """The items in an order that the parts decide; they must read differently, and their own order does not matter."""
    return sorted(items, key=lambda item: (number(*parts, item), str(item)))
